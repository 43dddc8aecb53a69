//! The choice between a table's own key and its indexes: by rank, from the shape of the query alone,
//! so that an empty table has the plan that it will have when it is full.
//!
//! ```text
//! 1. the table's whole key
//! 2. all columns of a UNIQUE index
//! 3. the longest run of leading columns that are bound to values or lists; of equal ones the
//!    table's own key
//! 4. a range that ends on both sides; then any other range of the table's own key
//! 5. an index that holds every column that is needed
//! 6. the order that is asked for
//! 7. fewer buckets than all, because the indexed columns are bound; a condition on the column behind
//!    those of 3; a condition of the index's own
//! 8. the name of the index
//! ```
//!
//! An index that does not hold all columns costs a get for each row. Where nothing bounds these, with
//! less than 3 or 4, it is no way at all: without a LIMIT that counts the entries themselves, or a
//! hint. One that does is read if anything makes it less than the table: a condition on its first
//! column or of its own, or an order.

use std::cmp::Reverse;

use crate::plan::path::AccessPath;

/// A way to the rows of a table.
#[derive(Debug, Clone, Copy)]
pub struct Way<'a> {
    /// The keys that are read: of the table, or of the index.
    pub path: &'a AccessPath,
    /// The index, if it is one.
    pub index: Option<IndexWay<'a>>,
    /// Whether its order is the one that is asked for, or the ends of groups are read by it.
    pub in_order: bool,
    /// Whether a LIMIT ends it after as many entries, because no filter drops any of them.
    pub limited: bool,
    /// Whether the statement names it.
    pub forced: bool,
}

/// What a choice needs to know of an index.
#[derive(Debug, Clone, Copy)]
pub struct IndexWay<'a> {
    /// Its name.
    pub name: &'a str,
    /// How many columns are indexed.
    pub columns: usize,
    /// Whether it is UNIQUE.
    pub unique: bool,
    /// Whether its entries are in buckets, by the indexed columns.
    pub salted: bool,
    /// Whether it has a condition, which the query implies.
    pub partial: bool,
    /// Whether it holds every column that is needed.
    pub covering: bool,
}

impl Way<'_> {
    /// Whether it may be taken at all.
    fn is_open(&self) -> bool {
        let Some(index) = self.index else {
            return true;
        };
        let shape = self.path.shape;
        let useful = shape.narrows || self.in_order || index.partial;
        self.forced || shape.is_bounded() || ((index.covering || self.limited) && useful)
    }

    fn rank(&self, key_columns: usize) -> impl Ord + use<'_> {
        let shape = self.path.shape;
        let own = self.index.is_none();
        let is_whole = |index: IndexWay<'_>| shape.equal >= index.columns;
        let whole_unique = self
            .index
            .is_some_and(|index| index.unique && is_whole(index));
        let bounds = (
            own && shape.equal >= key_columns,
            whole_unique && !shape.with_null,
            shape.equal,
            own && shape.equal > 0,
            shape.two_sided,
            own && shape.narrows,
        );
        let rows = (
            self.index.is_some_and(|index| index.covering),
            self.in_order,
            !own,
        );
        let in_few_buckets = self
            .index
            .is_some_and(|index| !index.salted || is_whole(index));
        let ties = (
            in_few_buckets,
            shape.narrows_behind,
            self.index.is_some_and(|index| index.partial),
        );
        let name = self.index.map(|index| Reverse(index.name));
        (self.forced, bounds, rows, ties, name)
    }
}

/// The place of the best of some ways; `key_columns` is the length of the table's own key. The first
/// one is the table itself, and open whatever it is.
pub fn best(ways: &[Way<'_>], key_columns: usize) -> usize {
    let open = ways.iter().enumerate().filter(|(_, way)| way.is_open());
    let best = open.max_by_key(|(_, way)| way.rank(key_columns));
    best.map_or(0, |(place, _)| place)
}
