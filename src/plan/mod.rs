//! The where-optimizer: from a predicate to key ranges, from key ranges to an access path, and the
//! text of EXPLAIN.
//!
//! ```text
//! filters of a scan            a IN (1, 2) AND b > 'x' AND v = 3
//!   │ predicate: for which rows is it true?
//! unions of boxes              {a: 1, 2} × {b: ('x' ..)}          v = 3 says nothing of the key
//!   │ span: the boxes in key order, as far as they go along the key columns
//! spans                        ((1, 'x') .. 1], ((2, 'x') .. 2]
//!   │ narrow: kind, buckets, what is left
//! AccessPath                   Ranges, 16 buckets, residual v = 3
//!   │ scan, tree
//! EXPLAIN                      SkipScan: t, buckets 16/16, ranges ((1, 'x') .. 1], ..., filter v = 3
//! ```
//!
//! A box is one set of values for each key column that it constrains. The sets live on the line of
//! the column's values (`axis`), where NULL is the largest, and know nothing of DESC; only a span
//! is in key order. Constants of other types are found on that line (`locate`) by rounding them
//! to the proper side, so that no comparison casts a column.
//!
//! A box is used from the first key column on: through columns that are bound to single values,
//! one of a list after the other, up to and with the first column that is bound to intervals. What
//! a box says of later columns stays a filter. A conjunct is consumed if every box says all of it
//! on columns that were used; every other conjunct is evaluated on the rows that are read.
//!
//! **Invariants.**
//! - The rows in the ranges that pass the residual are the rows for which the predicate is true;
//!   no row is in two ranges.
//! - No I/O, no statistics, no clock: the same filters on the same table make the same path.
//! - DataFusion's `Expr` is read as data; nothing here is executed. A constant that is not a
//!   literal stays a symbol until [`AccessPath::bind`] is given its value, and what it then makes
//!   is what [`narrow`] makes of the literal, by the same code.
//! - Work grows with the length of a predicate times its logarithm, the stack with its nesting,
//!   and beyond a depth of 128 it stays a filter.
//! - The salt is in no range. The buckets are a fact beside them.

mod axis;
mod bind;
mod boxes;
mod buckets;
mod chain;
mod constants;
mod like;
mod lists;
mod locate;
mod narrow;
mod operand;
mod path;
mod predicate;
mod scan;
mod span;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod typed;
mod words;

pub use constants::{type_constants, type_filters};
pub use narrow::narrow;
pub use operand::Operand;
pub use path::{Access, AccessPath};
pub use scan::{Scan, ScanKind, ScanOptions, key_merge_text};
pub use text::expr_text;
pub use tree::{Plan, PlanNode};
pub(crate) use words::type_text;
