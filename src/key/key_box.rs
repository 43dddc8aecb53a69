//! What the columns of a key may be, each by itself.

use std::ops::Bound;

use crate::types::Value;

/// Some values of one key column: an interval in key order, so that on a descending column the
/// larger value comes first. NULL is a value here, the largest.
pub type ValueRange = (Bound<Value>, Bound<Value>);

/// A set of rows: every row whose key columns lie in these sets.
///
/// A key range bounds a key as a whole; a box also bounds columns behind a gap, and columns behind
/// one that is itself bound to an interval. Rows in a range and in no box are stepped over.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeyBox {
    /// The constrained columns, as places in the key, ascending, each with its intervals in key
    /// order, apart from each other, none empty.
    pub columns: Vec<(usize, Vec<ValueRange>)>,
}
