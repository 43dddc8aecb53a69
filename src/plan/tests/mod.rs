//! The where-optimizer against brute force, without any store.
//!
//! A [`Grid`] is a small table that holds every combination of some values of its key columns. A
//! predicate is evaluated on all of its rows by DataFusion; the rows that lie in the ranges and boxes
//! that [`narrow`](crate::plan::narrow) makes, found here by comparing values, and pass the residual
//! must be the same. Each predicate is tried in every mix of ASC and DESC, salted in many ways.

mod cases;
mod check;
mod constant_side;
mod constants;
mod functions;
mod grid;
mod limits;
mod paths;
mod random;
mod ranks;
mod salts;
mod symbols;
mod texts;

pub(super) use grid::{Grid, Key};
