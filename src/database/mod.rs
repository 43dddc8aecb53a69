//! What people hold: a [`Database`], its [`Session`]s, prepared [`Statement`]s and the [`Rows`]
//! of a query.
//!
//! ```text
//! Database ──clone──> the same store, catalog, engine and statement cache
//!    ├─ session()  ──> Session    the same, with settings of its own (SET)
//!    ├─ prepare()  ──> Statement  one text, bound once, executed with many values
//!    ├─ table()    ──> Table      rows by key, without SQL
//!    │     └─ scan() ─> Scanner    a range of them, in batches (see [`scan`])
//!    └─ query()    ──> Rows       a stream of Arrow batches
//! blocking::*      ──> the same names without async
//! ```
//!
//! **Invariants.** Every future and stream works in any executor, and in none: what it needs of
//! tokio it takes from the runtime that the database owns. Dropping one cancels what it does; a
//! write that has begun is completed or was never there. The last clone may be dropped anywhere,
//! inside async code too, and waits for nothing but a sync under way.

pub mod blocking;
mod builder;
mod cache;
mod handle;
mod outcome;
mod params;
mod row;
mod row_key;
mod row_reader;
mod rows;
mod scan;
mod session;
mod shared;
mod statement;
mod table;
#[cfg(test)]
mod tests;
mod wait;

pub use builder::Builder;
pub use handle::Database;
pub use outcome::Outcome;
pub use params::{IntoParams, Params};
pub use row::Row;
pub use row_key::IntoKey;
pub use rows::Rows;
pub use scan::{IntoKeyRange, ScanToken, Scanner, TableScan};
pub use session::Session;
pub use statement::Statement;
pub use table::Table;
