//! What a cursor is asked for.

use std::sync::Arc;

use crate::key::{BucketRange, KeyFilter, LeadingColumns};
use crate::store::CursorOrder;

/// The groups of rows that agree in their first key columns, of which a cursor reads the ends.
///
/// In each bucket a group has one first row and one last row, among those of all ranges that the
/// filter has inside; a group of one such row has it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyGroups {
    /// The columns in which the rows of a group agree; without any a bucket is one group.
    pub columns: LeadingColumns,
    /// Whether the first row in key order is read.
    pub first: bool,
    /// Whether the last one is.
    pub last: bool,
}

/// What a cursor reads, and in which order.
#[derive(Debug, Clone)]
pub struct CursorRequest {
    /// Ranges as [`expand`](crate::key::expand) makes them: those of one bucket stand together, in
    /// key order, and do not overlap.
    pub ranges: Vec<BucketRange>,
    /// The order of the rows.
    pub order: CursorOrder,
    /// Of the rows in the ranges, those that it has inside are read; without one all of them are.
    pub filter: Option<Arc<KeyFilter>>,
    /// Of those rows, only the ends of these groups are read.
    pub groups: Option<KeyGroups>,
    /// Columns that a merge does not compare: each range holds one value of them, and is a stream of
    /// its own, also for groups. Rows that agree behind these columns come in the order of their
    /// whole keys. None in a scan of any order.
    pub merge_behind: LeadingColumns,
    /// Whether [`Cursor::take_bucket_costs`](crate::store::Cursor::take_bucket_costs) is to be
    /// answered.
    pub timed: bool,
}

impl CursorRequest {
    /// A request for all rows of these ranges.
    pub fn new(ranges: Vec<BucketRange>, order: CursorOrder) -> Self {
        CursorRequest {
            ranges,
            order,
            filter: None,
            groups: None,
            merge_behind: LeadingColumns::default(),
            timed: false,
        }
    }
}
