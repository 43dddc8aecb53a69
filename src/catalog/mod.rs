//! What tables, columns and indexes there are; kept in the system tables.
//!
//! The catalog's own tables are tables like all others, unsalted, in the same bytes, so that SQL
//! reads them and `docs/format.md` describes them once:
//!
//! ```text
//! family 1   system.tables    one row a table:  id, salting, name of the key, format
//! family 2   system.columns   one row a column: id, type, default, place in the key
//! family 3   system.indexes   one row an index
//! family 4   the next id to give to a table, which SQL does not see
//! family 100 and up           the tables
//! ```
//!
//! The rows on disk are the only source: [`Catalog::open`] reads them all, and every change
//! writes them first and publishes the next [`CatalogState`] after. A statement keeps the state
//! that it was bound with; nothing in it changes under its hands.
//!
//! How a definition changes, and what a crash between two steps leaves behind:
//!
//! ```text
//! CREATE    reserve the id, synced │ create the family │ catalog rows, synced
//!                    an id unused ─┘   a family unused ─┘
//! TRUNCATE  reserve the id, synced │ create the family │ new id into the row, synced │ drop the old
//!                    an id unused ─┘   a family unused ─┘            a family unused ─┘
//! DROP      catalog rows gone, synced │ drop the family
//!                     a family unused ─┘
//! ALTER     old catalog rows gone and new ones written, one batch, synced
//! ```
//!
//! Opening drops the families that no row names. So a crash leaves the old definition or the new
//! one, and no files of neither.
//!
//! **Invariants.**
//! - An id is never given twice, not even to tables that were never finished.
//! - A row never names a family that is not on disk: one that is missing is damage.
//! - The id of a column is never given twice in a table: rows that have a column that was dropped
//!   stay as they are.
//! - One change at a time. DROP, TRUNCATE and ALTER hold the table's lock exclusively, and writers hold
//!   it shared from binding to commit, so that no batch names a family that is gone, and no row is
//!   written by an old definition. Readers take no lock: they take their snapshot, and then make
//!   sure that the definition that they were bound with was still the one.
//! - The tables of the catalog itself are not in it: their definitions are code.

#[expect(clippy::module_inception)]
mod catalog;
mod change_log;
mod columns;
mod crash;
mod definition;
mod index;
mod indexes;
mod names;
mod state;
mod stored;
mod stored_index;
mod system;
mod system_rows;

#[cfg(test)]
mod tests;

pub use catalog::Catalog;
pub use change_log::ChangeLog;
pub use definition::{ColumnDef, KeyPart, TableDef};
pub use index::{IndexDef, IndexEntry, IndexPart, IndexSource};
pub use state::{CatalogState, Entry};
pub use stored_index::Progress;
