//! Ordered bytes: rows of tables in buckets, read by snapshot, written by batch.
//!
//! A [`Store`] keeps rows as bytes and knows nothing of columns. RocksDB ([`RocksStore`]) is the
//! one behind it today; a store that keeps its buckets on other machines must be able to stand
//! there, which is why a row is named by its parts and is never one flat key:
//!
//! ```text
//! (table id, bucket, row key)                    what callers say
//!     │         │       └── key columns, without salt
//!     │         └────────── 0 for an unsalted table
//!     └──────────────────── a column family of its own
//!
//! [bucket, only if salted] ++ row key            what RocksDB stores
//! ```
//!
//! A scan asks a [`Snapshot`] for a [`Cursor`] over what a [`CursorRequest`] names: bucket ranges, and
//! what is left out of them. It lets the cursor fill a [`BatchDecoder`](crate::codec::BatchDecoder)
//! again and again: one virtual call for a batch, none for a row. With [`CursorOrder::Any`] the ranges
//! are read one after the other; with [`CursorOrder::Key`] and its reverse the buckets are merged by
//! row key, without their salt. The first sends one iterator on from range to range, the others need
//! one for each bucket:
//!
//! ```text
//!  bucket 0 ──iterator──┐
//!  bucket 1 ──iterator──┼── tournament tree ──> BatchDecoder
//!  bucket 2 ──iterator──┘   compares keys; only the winner is decoded
//! ```
//!
//! What a write needs besides: [`Latches`] on the rows that a statement touches, and a
//! [`Committer`] that syncs the log once for all who wait for it.
//!
//! **Invariants.**
//! - Methods return at once: they never wait for a lock, a timer or a consumer.
//! - A snapshot sees all of a write batch or nothing of it, and nothing written after it.
//! - A table that was dropped stays readable through every handle, snapshot and cursor that is
//!   held; its files go with the last of them. A write to it is refused before RocksDB sees it,
//!   because a log record that names a dropped family would stop RocksDB for good.
//! - A merge decodes a row only when it emits it, and steps an iterator only when it must: with a
//!   limit of `k`, at most `k` rows and one more of each bucket are looked at.
//! - No prefix bloom filter, no prefix seek: ranges cross prefixes, and such a filter would lose
//!   rows without a word.
//! - Nothing is changed in a folder that is refused.

mod batch;
mod committer;
mod cursor;
mod handle;
mod latches;
mod request;
mod rocks;
mod traits;
#[cfg(test)]
mod watched;

#[cfg(test)]
pub(crate) use rocks::tests::copy_folder;
#[cfg(test)]
pub(crate) use watched::{Change, Watch, Watched};

pub use batch::{Operation, WriteBatch};
pub use committer::Committer;
pub use cursor::{BucketCost, Counters};
pub use handle::TableHandle;
pub use latches::{LatchGuard, LatchRequest, Latches};
pub use request::{CursorRequest, KeyGroups};
pub use rocks::{RocksStore, StoreOptions};
pub use traits::{Cursor, CursorOrder, Load, PushRow, Snapshot, Store};
