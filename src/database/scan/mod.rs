//! Scans for Rust: the rows of a table in batches, without SQL but for a filter.
//!
//! ```text
//! Table::scan() ──> TableScan     what is wanted, as it is said
//!                      │ bounds typed, columns found, filters read
//!                   Spec          what is wanted, in ids and bytes
//!                      │ narrowed as SQL's WHERE is, split by buckets
//!                   Scanner       one table::Scan each: a stream of batches
//!                      │ suspend()          ▲ Database::resume()
//!                   ScanToken     the Spec and how far the scan has come, as bytes
//! ```
//!
//! **Invariants.** A scan is read by the code that reads for SQL; here is only what SQL has no word
//! for. The scanners of one scan read one snapshot. A token says which row was returned last, never
//! how many were: what is written or deleted meanwhile neither repeats a row nor loses one. Bytes
//! that are no token are refused, whatever they are.

mod bounds;
mod builder;
mod bytes;
mod scanner;
mod spec;
#[cfg(test)]
mod tests;
mod token;

pub use bounds::IntoKeyRange;
pub use builder::TableScan;
pub use scanner::Scanner;
pub use token::ScanToken;
