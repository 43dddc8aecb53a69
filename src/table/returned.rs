//! The rows that a statement returns of those that it writes or deletes.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;

use crate::error::{Error, Result};
use crate::table::request;
use crate::table::write_target::WriteTarget;

/// Rows of a batch that is returned.
const BATCH_ROWS: usize = 8_192;

/// What is returned of a row.
pub(crate) trait RowProjection: fmt::Debug + Send + Sync {
    /// `rows` has the table's columns, in declared order.
    fn project(&self, rows: &RecordBatch) -> Result<RecordBatch>;
}

/// Which rows a statement returns, and what of them.
#[derive(Debug)]
pub(crate) struct Returning {
    /// What of them.
    pub(crate) projection: Arc<dyn RowProjection>,
    /// Whether they are the rows that the statement deletes, and not those that it writes.
    pub(crate) deleted: bool,
    /// How many bytes of rows it may return.
    pub(crate) limit: u64,
}

/// The rows of one statement on their way to be returned, as the bytes that are stored.
pub(super) struct Returned<'a> {
    returning: &'a Returning,
    arena: Vec<u8>,
    rows: Vec<Row>,
}

struct Row {
    /// When the statement gave the row, among the others.
    order: usize,
    start: usize,
    key_len: usize,
    value_len: usize,
}

impl<'a> Returned<'a> {
    pub(super) fn new(returning: &'a Returning) -> Self {
        Returned {
            returning,
            arena: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Whether deleted rows are returned, and not those that are written.
    pub(super) fn deleted(&self) -> bool {
        self.returning.deleted
    }

    pub(super) fn push(&mut self, order: usize, key: &[u8], value: &[u8]) -> Result<()> {
        let bytes = self.arena.len() + key.len() + value.len();
        if bytes as u64 > self.returning.limit {
            return Err(Error::limit(format!(
                "the statement returns more than max_statement_bytes ({}); nothing was written",
                self.returning.limit
            )));
        }
        self.rows.push(Row {
            order,
            start: self.arena.len(),
            key_len: key.len(),
            value_len: value.len(),
        });
        self.arena.extend_from_slice(key);
        self.arena.extend_from_slice(value);
        Ok(())
    }

    /// What is returned, in the order in which the statement gave the rows.
    pub(super) fn finish(mut self, target: &WriteTarget) -> Result<Vec<RecordBatch>> {
        self.rows.sort_unstable_by_key(|row| row.order);
        let def = target.def();
        let all: Vec<usize> = (0..def.columns.len()).collect();
        let mut decoder = request::decoder(def, &all)?;
        let mut batches = Vec::with_capacity(self.rows.len().div_ceil(BATCH_ROWS));
        for rows in self.rows.chunks(BATCH_ROWS) {
            for row in rows {
                let (key, rest) = self.arena[row.start..].split_at(row.key_len);
                decoder.push(key, &rest[..row.value_len])?;
            }
            batches.push(self.returning.projection.project(&decoder.finish()?)?);
        }
        Ok(batches)
    }
}
