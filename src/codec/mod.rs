//! One column or one row as bytes, and back into Arrow builders.
//!
//! ```text
//! key column  [01 value | 02 NULL, only if nullable] value bytes      (memcmp order is value order)
//! row value   format, column ids and widths, null bitmap, fixed slots, end offsets, variable bytes
//! ```
//!
//! `docs/format.md` has every byte; [`KeyColumn`] is the one place that knows those of a key
//! column, [`RowEncoder`] and [`RowDecoder`] those of a row value. Both meet Arrow and
//! [`Value`](crate::Value) in the same [`Cell`], so that a row has the same bytes whichever way it
//! came.
//!
//! **Invariants.** Encoding is a function of the value: equal values have equal bytes, `-0.0` and
//! every NaN included. A row value describes itself far enough to find a column without knowing the
//! types of the others: a column that was dropped needs no trace in the catalog. Bytes from disk
//! are never trusted: what cannot be decoded is `Corrupt`, and nothing panics.

mod batch;
mod key_column;
mod neighbour;
mod row;
mod row_decoder;
mod row_encoder;

pub use batch::{BatchDecoder, ColumnSource};
pub use key_column::KeyColumn;
pub use neighbour::Neighbour;
pub use row_decoder::{RowDecoder, StoredColumn};
pub use row_encoder::RowEncoder;

pub use crate::types::ColumnReader;

#[cfg(test)]
mod tests;
