//! Indexes: what CREATE INDEX says of a table, how its entries are made, and how they are kept.

mod build;
mod catch_up;
mod check;
mod define;
mod entry_sort;
mod hints;
mod targets;
mod terms;
mod ways;

pub(super) use define::{find_index, index_statement};
pub(super) use hints::with_hints;
pub(super) use targets::Codecs;
pub(super) use terms::Terms;
pub(super) use ways::{Chosen, Hint, Via, Wanted, Way, Ways};
