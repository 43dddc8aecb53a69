//! What a statement of the dialect says.

use sqlparser::ast::{Expr, Query};

use crate::error::Position;
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
    Explain(Box<Statement>),
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
        matches!(
            self,
            Statement::Query(_)
                | Statement::ShowTables
                | Statement::ShowCreateTable { .. }
                | Statement::Describe { .. }
                | Statement::Show { .. }
        )
    }

    /// The words that a message calls the statement by: `CREATE TABLE`, `UPSERT`.
    pub fn kind(&self) -> &'static str {
        match self {
            Statement::CreateTable(_) => "CREATE TABLE",
            Statement::DropTable { .. } => "DROP TABLE",
            Statement::Truncate { .. } => "TRUNCATE TABLE",
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

/// One column of a CREATE TABLE.
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

/// What UPSERT and INSERT have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// The table.
    pub table: TableName,
    /// The columns as listed, empty if there was no list.
    pub columns: Vec<Name>,
    /// The rows.
    pub source: Source,
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
    /// The table.
    pub table: TableName,
    /// What its columns are qualified by in the statement.
    pub alias: Option<Name>,
    /// The columns that get a new value, none of them twice.
    pub assignments: Vec<(Name, Assigned)>,
    /// The condition.
    pub selection: Option<Expr>,
}

/// `DELETE FROM t [AS alias] [WHERE ...]`
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// The table.
    pub table: TableName,
    /// What its columns are qualified by in the statement.
    pub alias: Option<Name>,
    /// The condition.
    pub selection: Option<Expr>,
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
