#![deny(missing_docs)]
//! A SQL front end over **salted tables** on an ordered key-value store.
//!
//! A key that grows with time sends every new row to the end of the key space, and all writes to
//! one place. Salting puts `hash(row key) mod N`, one byte, in front of the row key, so that writes
//! spread over N buckets; the price is paid by the reader, and this crate exists to pay it:
//!
//! - a fully bound primary key computes its own bucket: one get, in one bucket;
//! - a range becomes one range per bucket, read in parallel, and nothing is sorted that nobody
//!   asked to be sorted;
//! - `ORDER BY` the primary key is a merge of N sorted streams, never a sort;
//! - a predicate that fixes the salt columns reads one bucket.
//!
//! EXPLAIN tells which of these a query is. SELECT is Apache DataFusion's, whole; rows are kept by
//! RocksDB, in a folder or in memory.
//!
//! ```
//! # futures::executor::block_on(async {
//! use rocksalt::{Database, params};
//!
//! let db = Database::in_memory().await?;
//! db.execute(
//!     "CREATE TABLE event (host VARCHAR, at TIMESTAMP, load DOUBLE, PRIMARY KEY (host, at))
//!      SALT_BUCKETS = 16",
//!     (),
//! )
//! .await?;
//! db.execute(
//!     "UPSERT INTO event VALUES (?, ?, ?), ('b', '2013-01-01', 0.25)",
//!     params!["a", "2013-01-01T10:00:00", 0.5],
//! )
//! .await?;
//!
//! let rows = db.query("SELECT host, avg(load) FROM event GROUP BY host", ()).await?;
//! assert_eq!(rows.collect().await?.iter().map(|batch| batch.num_rows()).sum::<usize>(), 2);
//!
//! let plan = db.explain("SELECT load FROM event WHERE host = 'a' AND at = '2013-01-01'").await?;
//! assert!(plan.to_string().contains("buckets 1/16"));
//! # Ok::<(), rocksalt::Error>(()) }).unwrap();
//! ```
//!
//! # Where to begin
//! - [`Database`] opens a folder or lives in memory; it executes SQL strings.
//! - [`Session`] has settings of its own and runs scripts; [`Statement`] is prepared once.
//! - [`Rows`] is a stream of Arrow batches; [`blocking`] is all of this without async.
//! - [`Table`] reads and writes rows by key, without SQL; [`TableScan`] reads ranges of them, and
//!   can be suspended and resumed.
//! - [`Error`] has a kind to act on, and the place in the SQL.
//!
//! Every statement is atomic, reads one snapshot and is on disk when it succeeds.

mod catalog;
mod codec;
mod database;
mod engine;
mod error;
mod key;
mod plan;
// The command line cuts scripts and reads statements with it; it is no promise to anyone else.
#[doc(hidden)]
pub mod sql;
mod store;
mod table;
mod types;

pub use datafusion;
pub use datafusion::arrow;

pub use database::{
    Builder, Database, IntoKey, IntoKeyRange, IntoParams, Outcome, Params, Row, Rows, ScanToken,
    Scanner, Session, Statement, Table, TableScan, blocking,
};
pub use error::{Error, ErrorKind, Position, Result};
// The command line writes JSON too.
#[doc(hidden)]
pub use plan::push_json_string;
pub use plan::{Analyzed, AnalyzedBucket, Plan, PlanFormat, PlanNode, Scan, ScanGroups, ScanKind};
pub use table::Durability;
pub use types::{SqlType, Value};
