//! Columns aligned under their names, numbers to the right, the row count below.
//!
//! A column is as wide as its widest cell among the first rows (a thousand of them, or as many
//! as make a mebibyte of text): a result of any length passes through a buffer of fixed size.
//! A later cell that is wider pushes its line out of line and loses nothing.

use std::io::Write;

use rocksalt::arrow::array::RecordBatch;
use rocksalt::arrow::datatypes::Schema;
use unicode_width::UnicodeWidthStr;

use super::Layout;
use super::cells::{Cells, clean, is_number};
use crate::failure::Failure;

const KEPT_ROWS: usize = 1_000;
const KEPT_BYTES: usize = 1 << 20;
/// No cell is padded beyond this width: one long text must not fill the screen with spaces.
const WIDEST_PADDING: usize = 200;

/// A result as a table.
pub(super) struct Table {
    null: String,
    names: Vec<String>,
    numbers: Vec<bool>,
    /// The texts of the first rows, column by column within a row; `None` once the widths are
    /// settled.
    kept: Option<Vec<String>>,
    kept_bytes: usize,
    widths: Vec<usize>,
    line: String,
}

impl Table {
    pub(super) fn new(schema: &Schema, null: String) -> Self {
        let names: Vec<String> = schema.fields().iter().map(|f| clean(f.name())).collect();
        Table {
            null: clean(&null),
            numbers: schema
                .fields()
                .iter()
                .map(|field| is_number(field))
                .collect(),
            widths: names.iter().map(|name| name.width()).collect(),
            names,
            kept: Some(Vec::new()),
            kept_bytes: 0,
            line: String::new(),
        }
    }

    fn write_header(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        if self.names.is_empty() {
            return Ok(());
        }
        for width in &mut self.widths {
            *width = (*width).min(WIDEST_PADDING);
        }
        let names = std::mem::take(&mut self.names);
        self.write_row(&names, out)?;
        for (index, width) in self.widths.iter().enumerate() {
            self.line.push_str(if index == 0 { "" } else { "+" });
            self.line.extend(std::iter::repeat_n('-', width + 2));
        }
        self.write_line(out)
    }

    fn write_row(&mut self, cells: &[String], out: &mut dyn Write) -> Result<(), Failure> {
        for (index, cell) in cells.iter().enumerate() {
            self.line.push_str(if index == 0 { " " } else { " | " });
            let padding = self.widths[index].saturating_sub(cell.width());
            let padding = std::iter::repeat_n(' ', padding);
            if self.numbers[index] {
                self.line.extend(padding);
                self.line.push_str(cell);
            } else {
                self.line.push_str(cell);
                self.line.extend(padding);
            }
        }
        self.line.truncate(self.line.trim_end_matches(' ').len());
        self.write_line(out)
    }

    fn write_line(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        self.line.push('\n');
        out.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

impl Layout for Table {
    fn rows(&mut self, batch: &RecordBatch, out: &mut dyn Write) -> Result<(), Failure> {
        let columns = Cells::of_batch(batch)?;
        if columns.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            let mut cells = Vec::with_capacity(columns.len());
            for column in &columns {
                cells.push(if column.is_null(row) {
                    self.null.clone()
                } else {
                    text.clear();
                    column.write(row, &mut text)?;
                    clean(&text)
                });
            }
            let Some(kept) = &mut self.kept else {
                self.write_row(&cells, out)?;
                continue;
            };
            for (width, cell) in self.widths.iter_mut().zip(&cells) {
                *width = (*width).max(cell.width());
                self.kept_bytes += cell.len();
            }
            kept.append(&mut cells);
            if kept.len() >= KEPT_ROWS * columns.len() || self.kept_bytes >= KEPT_BYTES {
                self.settle(out)?;
            }
        }
        Ok(())
    }

    fn settle(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        if let Some(kept) = self.kept.take() {
            self.write_header(out)?;
            let columns = self.widths.len().max(1);
            for cells in kept.chunks(columns) {
                self.write_row(cells, out)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, count: u64, out: &mut dyn Write) -> Result<(), Failure> {
        self.settle(out)?;
        writeln!(out, "({count} row{})", if count == 1 { "" } else { "s" })?;
        Ok(())
    }
}
