//! From the entries of an index to the keys of their rows.

use datafusion::arrow::array::RecordBatch;

use crate::catalog::{IndexEntry, TableDef};
use crate::codec::{BatchDecoder, ColumnReader};
use crate::error::Result;
use crate::key::KeyLayout;
use crate::table::request;
use crate::types::SqlType;

/// Reads the keys of rows from the entries of an index.
#[derive(Debug)]
pub(crate) struct RowKeys {
    decoder: BatchDecoder,
    types: Vec<SqlType>,
    layout: KeyLayout,
}

impl RowKeys {
    /// Of an index of `table`.
    ///
    /// # Errors
    /// `Internal` if it is of another.
    pub(crate) fn new(index: &IndexEntry, table: &TableDef) -> Result<Self> {
        let columns: Vec<usize> = table.key.iter().map(|part| part.column).collect();
        let types = columns.iter().map(|column| table.columns[*column].sql_type);
        Ok(RowKeys {
            types: types.collect(),
            decoder: request::decoder(&index.view, &columns)?,
            layout: table.key_layout(),
        })
    }

    /// Reads one entry more: its key without salt byte, and its value.
    pub(crate) fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.decoder.push(key, value)
    }

    /// The bucket and the key of the row of each entry that was read since this was asked before.
    pub(crate) fn take(&mut self) -> Result<Vec<(u8, Vec<u8>)>> {
        let batch = self.decoder.finish()?;
        self.encode(&batch)
    }

    /// The same of a batch of the columns of the table's key, in key order.
    fn encode(&self, batch: &RecordBatch) -> Result<Vec<(u8, Vec<u8>)>> {
        let readers = batch.columns().iter().zip(&self.types);
        let readers = readers
            .map(|(array, sql_type)| ColumnReader::new(array, sql_type))
            .collect::<Result<Vec<_>>>()?;
        let rows = 0..batch.num_rows();
        rows.map(|row| {
            let mut key = Vec::new();
            let bucket = self.layout.encode_row(&readers, row, &mut key)?;
            Ok((bucket, key))
        })
        .collect()
    }
}
