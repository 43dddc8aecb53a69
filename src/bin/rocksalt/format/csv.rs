//! Values separated by commas or tabs, one row a line under a header line.
//!
//! csv quotes as RFC 4180 says, and also a text that would read as NULL. tsv has no quotes: a
//! tab, a line end and a backslash become `\t`, `\n`, `\r` and `\\`, so with `--null '\N'`
//! a NULL is never mistaken for a text.

use std::io::Write;

use rocksalt::arrow::array::RecordBatch;
use rocksalt::arrow::datatypes::Schema;

use super::Layout;
use super::cells::Cells;
use crate::failure::Failure;

/// A result in csv or tsv.
pub(super) struct Separated {
    separator: char,
    null: String,
    header: Option<Vec<String>>,
    line: String,
    cell: String,
}

impl Separated {
    pub(super) fn csv(schema: &Schema, null: String) -> Self {
        Separated::new(',', schema, null)
    }

    pub(super) fn tsv(schema: &Schema, null: String) -> Self {
        Separated::new('\t', schema, null)
    }

    fn new(separator: char, schema: &Schema, null: String) -> Self {
        let header = schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        let (line, cell) = Default::default();
        Separated {
            separator,
            null,
            header: Some(header),
            line,
            cell,
        }
    }

    fn write_header(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        if let Some(names) = self.header.take() {
            for (index, name) in names.iter().enumerate() {
                self.separate(index);
                self.cell.clear();
                self.cell.push_str(name);
                self.push_cell();
            }
            self.write_line(out)?;
        }
        Ok(())
    }

    fn separate(&mut self, column: usize) {
        if column > 0 {
            self.line.push(self.separator);
        }
    }

    fn push_cell(&mut self) {
        if self.separator == ',' {
            push_quoted(&mut self.line, &self.cell, self.cell == self.null);
        } else {
            push_escaped(&mut self.line, &self.cell);
        }
    }

    fn write_line(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        self.line.push('\n');
        out.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

impl Layout for Separated {
    fn rows(&mut self, batch: &RecordBatch, out: &mut dyn Write) -> Result<(), Failure> {
        self.write_header(out)?;
        let columns = Cells::of_batch(batch)?;
        for row in 0..batch.num_rows() {
            for (index, cells) in columns.iter().enumerate() {
                self.separate(index);
                if cells.is_null(row) {
                    self.line.push_str(&self.null);
                } else {
                    self.cell.clear();
                    cells.write(row, &mut self.cell)?;
                    self.push_cell();
                }
            }
            self.write_line(out)?;
        }
        Ok(())
    }

    fn end(&mut self, _count: u64, out: &mut dyn Write) -> Result<(), Failure> {
        self.write_header(out)
    }
}

fn push_quoted(line: &mut String, cell: &str, reads_as_null: bool) {
    if !reads_as_null && !cell.contains([',', '"', '\n', '\r']) {
        return line.push_str(cell);
    }
    line.push('"');
    for (index, part) in cell.split('"').enumerate() {
        if index > 0 {
            line.push_str("\"\"");
        }
        line.push_str(part);
    }
    line.push('"');
}

fn push_escaped(line: &mut String, cell: &str) {
    for character in cell.chars() {
        match character {
            '\t' => line.push_str("\\t"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\\' => line.push_str("\\\\"),
            other => line.push(other),
        }
    }
}
