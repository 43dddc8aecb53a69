//! The where-optimizer: from a predicate to key ranges, from key ranges to an access path, and the
//! text of EXPLAIN.
//!
//! ```text
//! filters of a scan            a IN (1, 2) AND b > 'x' AND v = 3
//!   │ predicate: for which rows is it true?
//! unions of boxes              {a: 1, 2} × {b: ('x' ..)}          v = 3 says nothing of the key
//!   │ span: the boxes in key order, as far as they go along the key columns
//! spans                        ((1, 'x') .. 1], ((2, 'x') .. 2]
//!   │ skip: the boxes themselves, where the spans do not say all of them
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
//! **The ranges** use a box from the first key column on: through columns that are bound to single
//! values, one of a list after the other, up to and with the first column that is bound to
//! intervals.
//!
//! **The skip scan** takes the rest. If a box also says something of a key column behind that one,
//! or behind a column that it does not bind at all, the path carries the boxes beside the ranges,
//! each with all of its key columns, and the scan seeks within its ranges from one piece that lies
//! in a box to the next. The rule looks at the predicate alone: it is a skip scan whenever there is
//! such a column, unless there are more than [`MAX_BOXES`](skip::MAX_BOXES) boxes (alternatives of
//! OR that touch different columns: each row is tried in each), or a box that says nothing, which
//! holds every row. Of a product of lists the last columns are left out, as in the ranges, until
//! 256 pieces are left. What only a filter needs to be true anyway (a LIKE that begins with `%` is
//! not true of NULL) is no reason to skip.
//!
//! **Small domains.** Before that, short intervals of discrete types become lists where a list
//! reads fewer buckets than a range (`domain`).
//!
//! A conjunct is consumed if every box says all of it on columns that were used; every other one
//! is evaluated on the rows that are read.
//!
//! **Invariants.**
//! - The rows in the ranges and in a box that pass the residual are the rows for which the
//!   predicate is true; no row is in two ranges.
//! - No I/O, no statistics, no clock: the same filters on the same table make the same path.
//! - DataFusion's `Expr` is read as data; nothing here is executed but casts and arithmetic of
//!   literals, which DataFusion folds. A constant that is not a literal then stays a symbol until
//!   [`AccessPath::bind`] is given its value, and what it then makes is what [`narrow`] makes of the
//!   literal, by the same code.
//! - Work grows with the length of a predicate times its logarithm, the stack with its nesting,
//!   and beyond a depth of 128 it stays a filter.
//! - The salt is in no range. The buckets are a fact beside them.

mod analyzed;
mod axis;
mod bind;
mod bounds;
mod boxes;
mod buckets;
mod chain;
mod comparison;
mod conjuncts;
mod constants;
mod cure;
mod disjoint;
mod domain;
mod implied;
mod json;
mod like;
mod lists;
mod locate;
mod monotone;
mod narrow;
mod operand;
mod ordinal;
mod path;
mod predicate;
mod rank;
mod salt;
mod scan;
mod shape;
mod side;
mod skip;
mod span;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod typed;
mod words;

pub use analyzed::{Analyzed, AnalyzedBucket};
pub use constants::{type_constants, type_filters};
pub use cure::fan_out_text;
pub use implied::implies;
pub use json::push_json_string;
pub use narrow::narrow;
pub use operand::Operand;
pub use path::{Access, AccessPath, OperandRange};
pub use rank::{IndexWay, Way, best};
pub use salt::{SALT_BUCKET, salt_bucket_of};
pub use scan::{
    GroupOptions, IndexOptions, Scan, ScanGroups, ScanKind, ScanOptions, key_merge_text, table_text,
};
pub use text::expr_text;
pub use tree::{Plan, PlanFormat, PlanNode};
pub(crate) use words::type_text;
