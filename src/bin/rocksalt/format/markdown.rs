//! A table of GitHub's Markdown, row by row; its columns are aligned by whoever renders it.

use std::io::Write;

use rocksalt::arrow::array::RecordBatch;
use rocksalt::arrow::datatypes::Schema;

use super::Layout;
use super::cells::{Cells, is_number};
use crate::failure::Failure;

/// A result in Markdown.
pub(super) struct Markdown {
    null: String,
    header: Option<String>,
}

impl Markdown {
    pub(super) fn new(schema: &Schema, null: String) -> Self {
        let (mut names, mut rule) = (String::from("|"), String::from("|"));
        for field in schema.fields() {
            push_cell(&mut names, field.name());
            rule.push_str(if is_number(field) {
                " ---: |"
            } else {
                " --- |"
            });
        }
        Markdown {
            null,
            header: Some(format!("{names}\n{rule}\n")),
        }
    }

    fn write_header(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        if let Some(header) = self.header.take() {
            out.write_all(header.as_bytes())?;
        }
        Ok(())
    }
}

impl Layout for Markdown {
    fn rows(&mut self, batch: &RecordBatch, out: &mut dyn Write) -> Result<(), Failure> {
        self.write_header(out)?;
        let columns = Cells::of_batch(batch)?;
        let (mut line, mut cell) = (String::new(), String::new());
        for row in 0..batch.num_rows() {
            line.clear();
            line.push('|');
            for cells in &columns {
                if cells.is_null(row) {
                    push_cell(&mut line, &self.null);
                } else {
                    cell.clear();
                    cells.write(row, &mut cell)?;
                    push_cell(&mut line, &cell);
                }
            }
            line.push('\n');
            out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    fn end(&mut self, _count: u64, out: &mut dyn Write) -> Result<(), Failure> {
        self.write_header(out)
    }
}

/// Appends a cell and its right border; what would end the cell or the table is escaped.
fn push_cell(line: &mut String, cell: &str) {
    line.push(' ');
    let mut characters = cell.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('|', _) => line.push_str("\\|"),
            ('\\', Some('|' | '\\') | None) => line.push_str("\\\\"),
            ('\r', Some('\n')) => {}
            ('\n' | '\r', _) => line.push_str("<br>"),
            (other, _) => line.push(other),
        }
    }
    line.push_str(" |");
}
