//! What a statement of the dialect says.

use sqlparser::ast::{Expr, OptimizerHint, Query, SelectItem};

use crate::error::Position;
use crate::sql::explain::Explain;
use crate::sql::name::{Name, TableName};
use crate::types::SqlType;

/// One statement. Its `Display` is the canonical text, which reads back as the same statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// `CREATE TABLE`
    CreateTable(CreateTable),
    /// `DROP TABLE [IF EXISTS] t`
    DropTable {
        /// The table.
        table: TableName,
        /// Whether a table that is not there is no error.
        if_exists: bool,
    },
    /// `TRUNCATE TABLE t`
    Truncate {
        /// The table.
        table: TableName,
    },
    /// `ALTER TABLE t ...`
    AlterTable(AlterTable),
    /// `CREATE [UNIQUE] INDEX`
    CreateIndex(CreateIndex),
    /// `DROP INDEX [IF EXISTS] i [ON t]`
    DropIndex {
        /// The index.
        index: TableName,
        /// The table that it must be of, if that was written.
        table: Option<TableName>,
        /// Whether an index that is not there is no error.
        if_exists: bool,
    },
    /// `ALTER INDEX i RENAME TO j`
    RenameIndex {
        /// The index.
        index: TableName,
        /// Its new name.
        to: Name,
    },
    /// `CHECK INDEX i`: what differs between an index and its table.
    CheckIndex {
        /// The index.
        index: TableName,
    },
    /// `REINDEX i`: builds an index anew.
    Reindex {
        /// The index.
        index: TableName,
    },
    /// `SHOW TABLES`
    ShowTables,
    /// `SHOW CREATE TABLE t`
    ShowCreateTable {
        /// The table.
        table: TableName,
    },
    /// `DESCRIBE t`
    Describe {
        /// The table.
        table: TableName,
    },
    /// `UPSERT INTO t ...`: a row of the same key is replaced or merged.
    Upsert(Insert),
    /// `INSERT INTO t ...`: a row of the same key is an error.
    Insert(Insert),
    /// `UPDATE t SET ...`
    Update(Update),
    /// `DELETE FROM t ...`
    Delete(Delete),
    /// `COPY t FROM 'file'`
    CopyFrom(CopyFrom),
    /// `EXPLAIN` of a query or of a writing statement.
    Explain(Explain),
    /// `SET name = value`
    Set {
        /// The setting; the parts of a dotted name are joined by dots.
        name: Name,
        /// The new value, `None` for `DEFAULT`.
        value: Option<SettingValue>,
    },
    /// `SHOW name`, or `SHOW ALL`
    Show {
        /// The setting, or `None` for all of them.
        name: Option<Name>,
    },
    /// `SELECT`, `WITH`, `VALUES` and their set operations.
    Query(Box<Query>),
}

impl Statement {
    /// Whether the statement returns rows (EXPLAIN returns a plan).
    pub fn returns_rows(&self) -> bool {
        !self.returning().is_empty()
            || matches!(
                self,
                Statement::Query(_)
                    | Statement::CheckIndex { .. }
                    | Statement::ShowTables
                    | Statement::ShowCreateTable { .. }
                    | Statement::Describe { .. }
                    | Statement::Show { .. }
            )
    }

    /// What a writing statement returns of its rows; nothing if it is empty.
    pub fn returning(&self) -> &[SelectItem] {
        match self {
            Statement::Upsert(insert) | Statement::Insert(insert) => &insert.returning,
            Statement::Update(update) => &update.returning,
            Statement::Delete(delete) => &delete.returning,
            _ => &[],
        }
    }

    /// The words that a message calls the statement by: `CREATE TABLE`, `UPSERT`.
    pub fn kind(&self) -> &'static str {
        match self {
            Statement::CreateTable(_) => "CREATE TABLE",
            Statement::DropTable { .. } => "DROP TABLE",
            Statement::Truncate { .. } => "TRUNCATE TABLE",
            Statement::AlterTable(_) => "ALTER TABLE",
            Statement::CreateIndex(_) => "CREATE INDEX",
            Statement::DropIndex { .. } => "DROP INDEX",
            Statement::RenameIndex { .. } => "ALTER INDEX",
            Statement::CheckIndex { .. } => "CHECK INDEX",
            Statement::Reindex { .. } => "REINDEX",
            Statement::ShowTables => "SHOW TABLES",
            Statement::ShowCreateTable { .. } => "SHOW CREATE TABLE",
            Statement::Describe { .. } => "DESCRIBE",
            Statement::Upsert(_) => "UPSERT",
            Statement::Insert(_) => "INSERT",
            Statement::Update(_) => "UPDATE",
            Statement::Delete(_) => "DELETE",
            Statement::CopyFrom(_) => "COPY",
            Statement::Explain(_) => "EXPLAIN",
            Statement::Set { .. } => "SET",
            Statement::Show { .. } => "SHOW",
            Statement::Query(_) => "SELECT",
        }
    }
}

/// `CREATE TABLE`, checked as far as the statement alone allows: there is a key, its columns
/// exist, no name stands twice, the salt columns are key columns.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTable {
    /// The table.
    pub table: TableName,
    /// Whether a table that is there already is no error.
    pub if_not_exists: bool,
    /// The columns in declared order.
    pub columns: Vec<Column>,
    /// The name of the primary key's constraint.
    pub key_name: Option<Name>,
    /// The parts of the primary key, in key order; each names a column.
    pub key: Vec<KeyPart>,
    /// 1..=256, or `None` for an unsalted table.
    pub salt_buckets: Option<u16>,
    /// A subset of the key columns as written, empty for all of them.
    pub salt_columns: Vec<Name>,
}

/// One column of a CREATE TABLE, or one that is added.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name.
    pub name: Name,
    /// The type.
    pub sql_type: SqlType,
    /// Whether NULL may be stored: false for a key column that is not declared NULL.
    pub nullable: bool,
    /// The DEFAULT expression: without columns, parameters and subqueries.
    pub default: Option<Expr>,
}

/// One part of a primary key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPart {
    /// The column.
    pub column: Name,
    /// Whether it was declared DESC.
    pub descending: bool,
}

/// `CREATE [UNIQUE] INDEX [IF NOT EXISTS] i ON t (parts) [INCLUDE (columns)] [WHERE condition]
/// [SALT_BUCKETS = n]`; no column stands twice in it.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateIndex {
    /// The index, in the schema of its table.
    pub index: Name,
    /// Whether an index of that name is no error.
    pub if_not_exists: bool,
    /// Whether no two rows may agree in the indexed columns.
    pub unique: bool,
    /// The table.
    pub table: TableName,
    /// What it is sorted by; at least one part.
    pub parts: Vec<IndexPart>,
    /// The columns that its entries hold besides.
    pub included: Vec<Name>,
    /// The condition of the rows that have an entry.
    pub predicate: Option<Expr>,
    /// 0..=256 if it was said: 0 for an index that is not salted; else it is as its table.
    pub salt_buckets: Option<u16>,
}

/// One part of what an index is sorted by.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexPart {
    /// What is sorted by.
    pub source: IndexSource,
    /// Whether it was declared DESC.
    pub descending: bool,
}

/// What an index is sorted by at one place.
#[expect(
    clippy::large_enum_variant,
    reason = "an index has few parts, and they live for one statement"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum IndexSource {
    /// A column.
    Column(Name),
    /// An expression over columns of a row.
    Expr(Expr),
}

/// `ALTER TABLE [IF EXISTS] t action, ...`
#[derive(Debug, Clone, PartialEq)]
pub struct AlterTable {
    /// The table.
    pub table: TableName,
    /// Whether a table that is not there is no error.
    pub if_exists: bool,
    /// What is done to it, one after the other; at least one.
    pub actions: Vec<AlterAction>,
}

/// One change of a table.
#[expect(
    clippy::large_enum_variant,
    reason = "a statement has few actions, and most add a column"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum AlterAction {
    /// `ADD [COLUMN] [IF NOT EXISTS] c TYPE ...`
    AddColumn {
        /// The column.
        column: Column,
        /// Whether a column of that name is no error.
        if_not_exists: bool,
    },
    /// `DROP [COLUMN] [IF EXISTS] c`
    DropColumn {
        /// The column.
        column: Name,
        /// Whether a column that is not there is no error.
        if_exists: bool,
    },
    /// `RENAME [COLUMN] a TO b`
    RenameColumn {
        /// The column.
        column: Name,
        /// Its new name.
        to: Name,
    },
    /// `RENAME TO u`
    RenameTable {
        /// The table's new name.
        to: Name,
    },
}

/// What UPSERT and INSERT have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// The table.
    pub table: TableName,
    /// The columns as listed, empty if there was no list.
    pub columns: Vec<Name>,
    /// The rows.
    pub source: Source,
    /// What becomes of a row whose key exists: `ON DUPLICATE KEY` of an UPSERT, `ON CONFLICT` of
    /// an INSERT.
    pub on_conflict: Option<OnConflict>,
    /// What is returned of each row that is written; nothing if it is empty.
    pub returning: Vec<SelectItem>,
}

/// `ON DUPLICATE KEY IGNORE | UPDATE ...`, or
/// `ON CONFLICT [(columns)] DO NOTHING | DO UPDATE SET ... [WHERE ...]`
#[derive(Debug, Clone, PartialEq)]
pub struct OnConflict {
    /// The columns of the key that is meant, empty if none were listed.
    pub target: Vec<Name>,
    /// What happens.
    pub action: ConflictAction,
}

/// What becomes of a row whose key exists.
#[expect(
    clippy::large_enum_variant,
    reason = "a statement has one, and most update"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum ConflictAction {
    /// The row that exists stays.
    Nothing,
    /// Columns of the row that exists get new values.
    Update {
        /// The columns, none of them twice.
        assignments: Vec<(Name, Assigned)>,
        /// The rows that exist are updated only where this holds.
        selection: Option<Expr>,
    },
}

/// Where the rows of an UPSERT or INSERT come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// `VALUES (...), ...`: rows of equal width, as many values as columns are listed.
    Values(Vec<Vec<Assigned>>),
    /// `DEFAULT VALUES`: one row of defaults.
    DefaultValues,
    /// Any query.
    Query(Box<Query>),
}

/// What a column is given.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every one is an expression"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum Assigned {
    /// `DEFAULT`: the column's default, or NULL.
    Default,
    /// The value of an expression.
    Expr(Expr),
}

/// `UPDATE t [AS alias] SET ... [WHERE ...]`
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// What its comments say of indexes.
    pub hints: Vec<OptimizerHint>,
    /// The table.
    pub table: TableName,
    /// What its columns are qualified by in the statement.
    pub alias: Option<Name>,
    /// The columns that get a new value, none of them twice.
    pub assignments: Vec<(Name, Assigned)>,
    /// The condition.
    pub selection: Option<Expr>,
    /// What is returned of each row as it is then; nothing if it is empty.
    pub returning: Vec<SelectItem>,
}

/// `DELETE FROM t [AS alias] [WHERE ...]`
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// What its comments say of indexes.
    pub hints: Vec<OptimizerHint>,
    /// The table.
    pub table: TableName,
    /// What its columns are qualified by in the statement.
    pub alias: Option<Name>,
    /// The condition.
    pub selection: Option<Expr>,
    /// What is returned of each row that is deleted; nothing if it is empty.
    pub returning: Vec<SelectItem>,
}

/// `COPY t [(columns)] FROM 'file' (options)`
#[derive(Debug, Clone, PartialEq)]
pub struct CopyFrom {
    /// The table.
    pub table: TableName,
    /// The columns as listed, empty if there was no list.
    pub columns: Vec<Name>,
    /// The file, `.csv` or `.csv.gz`.
    pub path: String,
    /// Where the file name stands in the text.
    pub path_position: Option<Position>,
    /// Whether the first record names the columns.
    pub header: bool,
    /// What separates fields: an ASCII character.
    pub delimiter: u8,
    /// The text of a field that means NULL.
    pub null: String,
}

/// The value that SET gives a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValue {
    /// `'buffered'`
    Text(String),
    /// `10`, `-1.5`
    Number(String),
    /// `on`, `true`, `buffered`: folded to lower case.
    Word(String),
}

impl SettingValue {
    /// The value as text, without quotes.
    pub fn as_str(&self) -> &str {
        match self {
            SettingValue::Text(s) | SettingValue::Number(s) | SettingValue::Word(s) => s,
        }
    }
}
