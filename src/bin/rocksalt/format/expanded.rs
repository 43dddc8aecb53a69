//! One column a line, for rows that are wider than the screen.
//!
//! ```text
//! -[ row 1 ]-
//! id   | 7
//! name | x
//! ```

use std::io::Write;

use rocksalt::arrow::array::RecordBatch;
use rocksalt::arrow::datatypes::Schema;
use unicode_width::UnicodeWidthStr;

use super::Layout;
use super::cells::{Cells, clean};
use crate::failure::Failure;

/// A result as one block of lines for each row.
pub(super) struct Expanded {
    null: String,
    /// The names, padded to one width.
    names: Vec<String>,
    rows: u64,
}

impl Expanded {
    pub(super) fn new(schema: &Schema, null: String) -> Self {
        let mut names: Vec<String> = schema.fields().iter().map(|f| clean(f.name())).collect();
        let width = names.iter().map(|n| n.width()).max().unwrap_or_default();
        for name in &mut names {
            let padding = width - name.width();
            name.extend(std::iter::repeat_n(' ', padding));
        }
        Expanded {
            null: clean(&null),
            names,
            rows: 0,
        }
    }
}

impl Layout for Expanded {
    fn rows(&mut self, batch: &RecordBatch, out: &mut dyn Write) -> Result<(), Failure> {
        let columns = Cells::of_batch(batch)?;
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            self.rows += 1;
            writeln!(out, "-[ row {} ]-", self.rows)?;
            for (name, column) in self.names.iter().zip(&columns) {
                text.clear();
                if column.is_null(row) {
                    text.push_str(&self.null);
                } else {
                    column.write(row, &mut text)?;
                }
                writeln!(out, "{name} | {}", clean(&text))?;
            }
        }
        Ok(())
    }

    fn end(&mut self, count: u64, out: &mut dyn Write) -> Result<(), Failure> {
        writeln!(out, "({count} row{})", if count == 1 { "" } else { "s" })?;
        Ok(())
    }
}
