//! Rows as numbers that do not depend on their order.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::row::{RowConverter, SortField};
use xxhash_rust::xxh3::xxh3_128;

use crate::error::{Error, Result};

/// Hashes the rows of batches of one schema: each by the bytes of all of its columns, in which
/// values differ if and only if they are different.
pub(super) struct Digest {
    /// Nothing for rows without columns, which are all the same.
    converter: Option<RowConverter>,
}

impl Digest {
    pub(super) fn new(schema: &SchemaRef) -> Result<Self> {
        let fields = schema.fields().iter();
        let fields: Vec<SortField> = fields
            .map(|field| SortField::new(field.data_type().clone()))
            .collect();
        let converter = match fields.is_empty() {
            true => None,
            false => Some(RowConverter::new(fields).map_err(unexpected)?),
        };
        Ok(Digest { converter })
    }

    /// Calls `each` with the hash of each row.
    pub(super) fn rows(&self, batch: &RecordBatch, mut each: impl FnMut(u128)) -> Result<()> {
        let Some(converter) = &self.converter else {
            (0..batch.num_rows()).for_each(|_| each(0));
            return Ok(());
        };
        let rows = converter
            .convert_columns(batch.columns())
            .map_err(unexpected)?;
        rows.iter().for_each(|row| each(xxh3_128(row.as_ref())));
        Ok(())
    }
}

fn unexpected(error: datafusion::arrow::error::ArrowError) -> Error {
    Error::internal("rows cannot be hashed").with_source(error)
}
