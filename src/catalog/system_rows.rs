//! Rows of the catalog's own tables as values.

use crate::catalog::TableDef;
use crate::codec::{BatchDecoder, ColumnSource, RowEncoder};
use crate::error::{Error, Result};
use crate::key::{BucketRange, ByteRange, KeyLayout};
use crate::store::{CursorOrder, CursorRequest, Store, TableHandle, WriteBatch};
use crate::types::Value;

/// One of the catalog's own tables, open.
#[derive(Debug)]
pub(super) struct SystemTable {
    def: TableDef,
    handle: TableHandle,
    layout: KeyLayout,
    encoder: RowEncoder,
}

impl SystemTable {
    /// Opens the table.
    ///
    /// # Errors
    /// `Corrupt` when its family is missing.
    pub(super) fn open(store: &dyn Store, def: TableDef) -> Result<SystemTable> {
        let handle = store
            .open_table(def.id, false)?
            .ok_or_else(|| Error::corrupt(format!("{} has no data on disk", def.display_name())))?;
        let layout = def.key_layout();
        let values = def.columns.iter().skip(def.key.len());
        let encoder = RowEncoder::new(values.map(|column| (column.id, column.sql_type)).collect());
        Ok(SystemTable {
            def,
            handle,
            layout,
            encoder,
        })
    }

    pub(super) fn def(&self) -> &TableDef {
        &self.def
    }

    pub(super) fn handle(&self) -> &TableHandle {
        &self.handle
    }

    /// Puts a row: a value for each column. The key columns come first in these tables.
    pub(super) fn put(&self, batch: &mut WriteBatch, row: &[Value]) -> Result<()> {
        let (key, values) = self.split(row)?;
        let (bucket, key) = self.layout.encode(key)?;
        let mut value = Vec::new();
        self.encoder.encode_values(values, &mut value)?;
        batch.put(&self.handle, bucket, &key, &value);
        Ok(())
    }

    /// Deletes the row that has the key columns of `row`.
    pub(super) fn delete(&self, batch: &mut WriteBatch, row: &[Value]) -> Result<()> {
        let (key, _) = self.split(row)?;
        let (bucket, key) = self.layout.encode(key)?;
        batch.delete(&self.handle, bucket, &key);
        Ok(())
    }

    fn split<'a>(&self, row: &'a [Value]) -> Result<(&'a [Value], &'a [Value])> {
        row.split_at_checked(self.def.key.len())
            .ok_or_else(|| Error::internal("a catalog row without its key"))
    }

    /// All rows, in key order.
    pub(super) fn rows(&self, store: &dyn Store) -> Result<Vec<Vec<Value>>> {
        let key_columns = self.def.key.len();
        let sources = self.def.columns.iter().enumerate().map(|(i, column)| {
            if i < key_columns {
                ColumnSource::Key(i)
            } else {
                ColumnSource::Stored(column.stored())
            }
        });
        let mut decoder = BatchDecoder::new(
            self.def.arrow_schema(),
            self.layout.columns().to_vec(),
            sources.collect(),
        )?;
        let all = BucketRange {
            bucket: 0,
            range: ByteRange {
                start: Vec::new(),
                end: None,
            },
        };
        let request = CursorRequest::new(vec![all], CursorOrder::Key);
        let mut cursor = store.snapshot().cursor(&self.handle, request)?;
        let mut rows = Vec::new();
        loop {
            let more = cursor.fill(&mut decoder, 4096, usize::MAX)?;
            let batch = decoder.finish()?;
            for row in 0..batch.num_rows() {
                let values = batch
                    .columns()
                    .iter()
                    .map(|array| Value::from_array(array, row));
                rows.push(values.collect::<Result<_>>()?);
            }
            if !more {
                return Ok(rows);
            }
        }
    }
}
