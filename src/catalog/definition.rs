//! What a table is: its columns, its key, its salting.

use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};

use crate::codec::StoredColumn;
use crate::key::{KeyColumn, KeyLayout, Salting};
use crate::types::{SqlType, Value};

/// One column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDef {
    /// Identifies the column in row values; never reused within a table.
    pub id: u16,
    /// The name, folded or as quoted.
    pub name: String,
    /// The declared type.
    pub sql_type: SqlType,
    /// Whether NULL may be stored.
    pub nullable: bool,
    /// The text of the DEFAULT expression.
    pub default: Option<String>,
    /// What rows read that were written before the column was added: of the column's own type, or
    /// NULL.
    pub missing: Value,
}

impl ColumnDef {
    /// The column as it is found in row values.
    pub fn stored(&self) -> StoredColumn {
        StoredColumn {
            id: self.id,
            sql_type: self.sql_type,
            missing: self.missing.clone(),
        }
    }
}

/// One part of a primary key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPart {
    /// Index into the table's columns.
    pub column: usize,
    /// Whether it was declared DESC.
    pub descending: bool,
}

/// A table: what CREATE TABLE said, with the ids that stand on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDef {
    /// The id of the table's column family, never reused.
    pub id: u32,
    /// `public` or `system`.
    pub schema: String,
    /// The name, folded or as quoted.
    pub name: String,
    /// The columns in declared order.
    pub columns: Vec<ColumnDef>,
    /// The id that the next column gets: larger than every id that a column of this table ever
    /// had.
    pub next_column_id: u32,
    /// The name of the primary key's constraint, if it was given one.
    pub key_name: Option<String>,
    /// The parts of the primary key, in key order.
    pub key: Vec<KeyPart>,
    /// The salting, its columns being indices into `key`.
    pub salting: Option<Salting>,
    /// Whether rows whose key has a NULL in it may share that key: in a UNIQUE index
    /// [as a table](crate::catalog::IndexDef::view), where the bytes of the table's key then follow.
    /// A key with a NULL in it is a range there.
    pub null_keys_repeat: bool,
    /// The version of the format that a reader of its rows must know.
    pub format_version: u32,
}

impl TableDef {
    /// The layout of the row key.
    pub fn key_layout(&self) -> KeyLayout {
        let columns = self.key.iter().map(|part| {
            let column = &self.columns[part.column];
            KeyColumn {
                sql_type: column.sql_type,
                nullable: column.nullable,
                descending: part.descending,
            }
        });
        KeyLayout::new(columns.collect(), self.salting.clone())
    }

    /// The Arrow schema of the columns, in declared order. The salt is not in it.
    pub fn arrow_schema(&self) -> SchemaRef {
        let fields: Vec<Field> = self
            .columns
            .iter()
            .map(|c| Field::new(&c.name, c.sql_type.arrow(), c.nullable))
            .collect();
        Arc::new(Schema::new(fields))
    }

    /// The index of the column of that name.
    pub fn find_column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    /// The place of a column in the key, if it is a key column.
    pub fn key_position(&self, column: usize) -> Option<usize> {
        self.key.iter().position(|part| part.column == column)
    }

    /// Whether two rows may have one key: it can have a NULL in it where such keys repeat.
    pub fn keys_repeat(&self) -> bool {
        let mut columns = self
            .key
            .iter()
            .filter_map(|part| self.columns.get(part.column));
        self.null_keys_repeat && columns.any(|column| column.nullable)
    }

    /// How messages and plans call the table: the bare name in `public`, else with its schema.
    pub fn display_name(&self) -> String {
        match self.schema.as_str() {
            "public" => self.name.clone(),
            schema => format!("{schema}.{}", self.name),
        }
    }
}
