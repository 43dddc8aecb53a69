//! The types of the dialect and their values, with their Arrow counterparts.
//!
//! A [`SqlType`] is what a column is declared as; a [`Value`] is one cell of it. Arrow's types are
//! part of the API: what a query returns is fixed by [`SqlType::arrow`].
//!
//! **Invariants.** A column holds only values that [`assign_value`] let through: lengths kept,
//! trailing spaces of CHAR gone, `-0.0` made `0.0`, every NaN the one NaN.

mod assign;
mod assign_array;
mod builder;
pub(crate) mod calendar;
mod cell;
mod literal;
mod number;
mod reader;
mod refusal;
mod sql_type;
mod value;

pub use assign::{assign_text, assign_text_into, assign_value, comparable_value};
pub(crate) use assign::{canonical, canonical_f32};
pub use assign_array::assign_array;
pub use builder::ColumnBuilder;
pub use cell::Cell;
pub use reader::ColumnReader;
pub use sql_type::SqlType;
pub use value::Value;

#[cfg(test)]
pub(crate) mod nasty;
#[cfg(test)]
mod tests;
