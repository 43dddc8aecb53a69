//! What is to be read from a table.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{BooleanArray, RecordBatch};
use datafusion::arrow::datatypes::{Schema, SchemaRef};

use crate::catalog::TableDef;
use crate::codec::{BatchDecoder, ColumnSource, StoredColumn};
use crate::error::{Error, Result};
use crate::key::BucketRange;
use crate::store::{CursorOrder, TableHandle};
use crate::types::Value;

/// Decides row by row which rows of a batch are kept.
pub trait RowPredicate: fmt::Debug + Send + Sync {
    /// Which rows are kept; NULL keeps none. The batch has the columns of
    /// [`ReadRequest::columns`] followed by those of [`RowFilter::columns`].
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray>;
}

/// A filter that a scan applies before it returns a batch.
#[derive(Debug, Clone)]
pub struct RowFilter {
    /// Columns that only the filter needs, as indices into the table's columns. They are decoded
    /// and not returned.
    pub columns: Vec<usize>,
    /// The predicate.
    pub predicate: Arc<dyn RowPredicate>,
}

/// Which rows of a table are read.
#[derive(Debug, Clone)]
pub enum Target {
    /// The rows of these keys, each given as the values of all key columns.
    Keys(Vec<Vec<Value>>),
    /// The rows of these ranges, which do not overlap.
    Ranges(Vec<BucketRange>),
}

/// What is read from a table.
#[derive(Debug, Clone)]
pub struct ReadRequest {
    /// The definition that the rows are read with.
    pub def: Arc<TableDef>,
    /// The table's place in the store.
    pub handle: TableHandle,
    /// The columns that are returned, in that order, as indices into the table's columns.
    pub columns: Vec<usize>,
    /// The filter, if any.
    pub filter: Option<RowFilter>,
    /// The rows.
    pub target: Target,
    /// In which order they are returned.
    pub order: CursorOrder,
    /// How many rows are returned at most.
    pub limit: Option<usize>,
}

impl ReadRequest {
    /// The schema of the batches that are returned.
    pub fn schema(&self) -> Result<SchemaRef> {
        schema(&self.def, &self.columns)
    }

    /// The decoder of the returned columns and of those that only the filter needs.
    pub(super) fn decoder(&self) -> Result<BatchDecoder> {
        let mut columns = self.columns.clone();
        columns.extend(self.filter.iter().flat_map(|filter| &filter.columns));
        decoder(&self.def, &columns)
    }
}

/// The schema of some columns of a table.
pub(crate) fn schema(def: &TableDef, columns: &[usize]) -> Result<SchemaRef> {
    Ok(Arc::new(Schema::new(
        def.arrow_schema().project(columns).map_err(absent)?.fields,
    )))
}

/// The decoder of some columns of a table, in that order.
pub(crate) fn decoder(def: &TableDef, columns: &[usize]) -> Result<BatchDecoder> {
    let layout = def.key_layout();
    let sources = columns
        .iter()
        .map(|&index| match def.key_position(index) {
            Some(position) => Ok(ColumnSource::Key(position)),
            None => {
                let column = def.columns.get(index).ok_or_else(|| absent(index))?;
                Ok(ColumnSource::Stored(StoredColumn {
                    id: column.id,
                    sql_type: column.sql_type,
                    missing: Value::Null,
                }))
            }
        })
        .collect::<Result<Vec<_>>>()?;
    BatchDecoder::new(schema(def, columns)?, layout.columns().to_vec(), sources)
}

fn absent(column: impl fmt::Display) -> Error {
    Error::internal(format!(
        "a read names a column that its table does not have: {column}"
    ))
}
