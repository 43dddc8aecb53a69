//! What is to be read from a table.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{BooleanArray, RecordBatch};
use datafusion::arrow::datatypes::{Schema, SchemaRef};

use crate::catalog::TableDef;
use crate::codec::{BatchDecoder, ColumnSource};
use crate::error::{Error, Result};
use crate::key::{BucketRange, KeyBox, KeyFilter, LeadingColumns};
use crate::store::{CursorOrder, CursorRequest, KeyGroups, TableHandle};
use crate::table::{Lookup, Portions};
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

/// The groups of rows that agree in their first key columns, of which a read takes the ends: in
/// each bucket it seeks from group to group. Of the rows that are asked for, in all ranges and boxes,
/// a bucket has one first row and one last row of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Groups {
    /// How many key columns make a group; with none, a bucket is one group.
    pub columns: usize,
    /// Whether the first row of each group, in key order, is read.
    pub first: bool,
    /// Whether the last one is. A group of one row has it once.
    pub last: bool,
}

/// What is read from a table.
#[derive(Debug, Clone)]
pub struct ReadRequest {
    /// The definition that the rows are read with.
    pub def: Arc<TableDef>,
    /// The table's place in the store.
    pub handle: TableHandle,
    /// The table whose rows are returned, if those that are read are the entries of its index.
    pub lookup: Option<Lookup>,
    /// The columns that are returned, in that order, as indices into the table's columns.
    pub columns: Vec<usize>,
    /// The filter, if any.
    pub filter: Option<RowFilter>,
    /// The rows.
    pub target: Target,
    /// Of the rows in the ranges of the target, those in one of these boxes are read and the
    /// others stepped over; without boxes all of them are.
    pub boxes: Vec<KeyBox>,
    /// Of the rows in the ranges of the target, and in the boxes, only the ends of each group of
    /// rows that agree in their first key columns are read.
    pub groups: Option<Groups>,
    /// In an ordered read, how many leading key columns are not compared: each range of the target
    /// holds one value of them, and is a stream of its own in the merge. Rows that agree behind
    /// these columns come in the order of their keys.
    pub merge_from: usize,
    /// In which order they are returned.
    pub order: CursorOrder,
    /// How many rows are returned at most.
    pub limit: Option<usize>,
    /// In which portions they are returned.
    pub portions: Portions,
}

impl ReadRequest {
    /// A read of some columns of some rows, in any order and without a limit.
    pub fn new(
        def: Arc<TableDef>,
        handle: TableHandle,
        columns: Vec<usize>,
        target: Target,
    ) -> Self {
        ReadRequest {
            def,
            handle,
            lookup: None,
            columns,
            filter: None,
            target,
            boxes: Vec::new(),
            groups: None,
            merge_from: 0,
            order: CursorOrder::Any,
            limit: None,
            portions: Portions::default(),
        }
    }

    /// The schema of the batches that are returned.
    pub fn schema(&self) -> Result<SchemaRef> {
        schema(self.returned_def(), &self.columns)
    }

    /// What is asked of the store, if the target is ranges; `timed`, if buckets are to be measured.
    pub(super) fn cursor_request(&self, timed: bool) -> Result<CursorRequest> {
        let ranges = match &self.target {
            Target::Ranges(ranges) => ranges.clone(),
            Target::Keys(_) => Vec::new(),
        };
        let layout = self.def.key_layout();
        let groups = match self.groups {
            Some(groups) => Some(KeyGroups {
                columns: LeadingColumns::of(&layout, groups.columns)?,
                first: groups.first,
                last: groups.last,
            }),
            None => None,
        };
        Ok(CursorRequest {
            filter: KeyFilter::new(&self.boxes, &layout)?,
            groups,
            merge_behind: LeadingColumns::of(&layout, self.merge_from)?,
            timed,
            ..CursorRequest::new(ranges, self.order)
        })
    }

    /// The decoder of the returned columns and of those that only the filter needs.
    pub(super) fn decoder(&self) -> Result<BatchDecoder> {
        let mut columns = self.columns.clone();
        columns.extend(self.filter.iter().flat_map(|filter| &filter.columns));
        decoder(self.returned_def(), &columns)
    }

    /// The definition of the rows that are returned.
    fn returned_def(&self) -> &TableDef {
        match &self.lookup {
            Some(lookup) => &lookup.def,
            None => &self.def,
        }
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
                Ok(ColumnSource::Stored(column.stored()))
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
