//! The dialect: text to statements.
//!
//! sqlparser cuts text into tokens and reads expressions and queries; the statements are read
//! here, because sqlparser has no UPSERT, reads Phoenix's CREATE TABLE otherwise, and knows
//! hundreds of statements that rocksalt does not do.
//!
//! ```text
//! text ── tokens ── parameters numbered ── statement ── one pass over its tree ── Parsed
//!           │           ? :name -> $n          │          precision, row values,
//!      one statement                     names folded,    balanced chains, depth
//!                                        checked alone
//! ```
//!
//! A script is cut into statements by [`split`], which never fails: each statement is then parsed
//! when its turn comes, and its errors are placed in the whole script.
//!
//! **Invariants.** What is known from the statement alone is checked here; nothing here knows what
//! tables there are. Names in a [`Statement`] are folded; in the expressions and queries, which
//! stay sqlparser's, they are as written. `Display` of a statement is its canonical text: it reads
//! back as the same statement.

mod alter_table;
mod condition;
mod copy;
mod create_table;
mod data_type;
mod dialect;
mod explain;
mod hint;
mod index;
mod lexeme;
mod name;
mod on_conflict;
mod parameters;
mod parse;
mod reader;
mod rewrite;
mod script;
mod session;
mod statement;
mod text;
mod tokens;
mod write;

pub use condition::{Condition, parse_condition};
pub use data_type::sql_type;
pub use explain::{Explain, ExplainFormat};
pub(crate) use hint::{IndexHint, index_hints, optimizer_hint};
pub use name::{Name, TableName};
pub use parameters::{ParameterStyle, Parameters};
pub use parse::{Parsed, parse};
pub use script::{Completeness, Piece, Split, completeness, split};
pub use statement::{
    AlterAction, AlterTable, Assigned, Column, ConflictAction, CopyFrom, CreateIndex, CreateTable,
    Delete, IndexPart, IndexSource, Insert, KeyPart, OnConflict, SettingValue, Source, Statement,
    Update,
};
