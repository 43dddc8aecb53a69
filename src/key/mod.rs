//! A row key: the salt byte and the key columns, and ranges of such keys.
//!
//! ```text
//! row key    = [salt byte, only if salted] key column, key column, ...
//! KeyRange   = bounds in values, in key order, without a salt   (what plan makes)
//! ByteRange  = the same in bytes, half open, without a salt
//! BucketRange = one ByteRange of one bucket                     (what a store scans)
//! KeyBox     = intervals of single key columns, also behind a gap
//! KeyFilter  = boxes in bytes; a KeyProbe says of a key where the next one can be that is inside
//! ```
//!
//! **Invariants.** The salt is computed in one place, [`Salting::bucket`]. The salt is never a
//! column and never part of a [`KeyRange`]: a range of a salted table is expanded into one range
//! per bucket, at the last moment.

mod bucket_set;
mod key_box;
mod key_filter;
mod layout;
mod leading;
mod range;
mod salting;

pub use crate::codec::KeyColumn;
pub use bucket_set::BucketSet;
pub use key_box::{KeyBox, ValueRange};
pub use key_filter::{KeyFilter, KeyProbe, Verdict};
pub use layout::KeyLayout;
pub use leading::LeadingColumns;
pub(crate) use range::to_successor;
pub use range::{BucketRange, ByteRange, KeyRange, expand};
pub use salting::Salting;

#[cfg(test)]
pub(crate) use key_filter::tests::{Sample, any_sample};

#[cfg(test)]
mod document;
#[cfg(test)]
mod tests;
