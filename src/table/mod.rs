//! Typed rows on a store.
//!
//! ```text
//! ReadRequest   what is read: table, columns, filter, keys or bucket ranges, order, limit
//! Reader        a ReadRequest under way on the thread that calls it: one batch a call
//! Scan          the same as a stream: a job on the ScanPool fills one batch and returns its
//!               thread, the consumer's poll schedules the next
//! Position      how far a read has come: what is left of it can be read another day
//! ```
//!
//! A point get is a [`Reader`] on the caller's thread; a range is one [`Scan`], or several over
//! disjoint buckets; an ordered range of many buckets is one [`Scan`] whose cursor merges them. The
//! entries of an index are read like the rows of a table; with a [`Lookup`] the read returns the rows
//! that they are of.
//!
//! What is written is a [`WriteSet`]: the operations of a statement, each on one row key. One
//! function writes them, under the latches of their rows; of rows that exist under the keys of
//! proposed ones it asks a [`ConflictRule`] what they become. The entries of the table's indexes
//! ([`IndexTarget`]) are part of the same write.
//!
//! **Invariants.** A thread of the pool never waits for a consumer: at most one batch of look-ahead
//! is made, and then the job ends. Every row of a batch satisfies the request's filter, and no
//! scan returns more rows than its limit. Dropping a [`Scan`] ends its jobs at the next batch,
//! also while no row passes the filter. A request knows values, key ranges and Arrow arrays, and
//! nothing of SQL.

mod arbiter;
mod conflict;
mod counters;
mod gets;
mod index_target;
mod lookup;
mod pool;
mod portions;
mod position;
mod reader;
mod request;
mod returned;
mod row_keys;
mod scan;
mod split;
#[cfg(test)]
mod tests;
mod upkeep;
mod write;
mod write_set;
mod write_target;

pub(crate) use conflict::{Arbiter, Changes, Conflict, ConflictRule};
pub use counters::ScanCounters;
pub(crate) use index_target::{EntryBytes, EntryCodec, IndexColumns, IndexExprs, IndexTarget};
pub use lookup::Lookup;
pub use pool::ScanPool;
pub use portions::{BATCH_ROWS, Portions};
pub use position::Position;
pub use reader::{Progress, Reader};
pub use request::{Groups, ReadRequest, RowFilter, RowPredicate, Target};
pub(crate) use request::{decoder as request_decoder, schema as request_schema};
pub(crate) use returned::{Returning, RowProjection};
pub(crate) use row_keys::RowKeys;
pub use scan::Scan;
pub use split::split;
pub(crate) use upkeep::TableIndexes;
pub use write::Durability;
pub(crate) use write::{Effect, ReadBefore, Writer, Written};
pub(crate) use write_set::{Op, RowPlaces, WriteSet};
pub(crate) use write_target::WriteTarget;
