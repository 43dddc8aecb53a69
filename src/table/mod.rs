//! Typed rows on a store.
//!
//! ```text
//! ReadRequest   what is read: table, columns, filter, keys or bucket ranges, order, limit
//! Reader        a ReadRequest under way on the thread that calls it: one batch a call
//! Scan          the same as a stream: a job on the ScanPool fills one batch and returns its
//!               thread, the consumer's poll schedules the next
//! ```
//!
//! A point get is a [`Reader`] on the caller's thread; a range is one [`Scan`], or several over
//! disjoint buckets; an ordered range of many buckets is one [`Scan`] whose cursor merges them.
//!
//! **Invariants.** A thread of the pool never waits for a consumer: at most one batch of look-ahead
//! is made, and then the job ends. Every row of a batch satisfies the request's filter, and no
//! scan returns more rows than its limit. Dropping a [`Scan`] ends its jobs at the next batch,
//! also while no row passes the filter. A request knows values, key ranges and Arrow arrays, and
//! nothing of SQL.

mod counters;
mod gets;
mod pool;
mod reader;
mod request;
mod scan;
#[cfg(test)]
mod tests;
mod write;
mod write_set;
mod write_target;

pub use counters::ScanCounters;
pub use pool::ScanPool;
pub use reader::{Progress, Reader};
pub(crate) use request::schema as request_schema;
pub use request::{ReadRequest, RowFilter, RowPredicate, Target};
pub use scan::Scan;
pub use write::Durability;
pub(crate) use write::{ReadBefore, Writer, Written, request as latch_request};
pub(crate) use write_set::{Op, WriteSet};
pub(crate) use write_target::WriteTarget;
