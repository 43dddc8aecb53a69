//! What an index is: the columns that sort its entries, and what else an entry holds.

use crate::catalog::{ColumnDef, KeyPart, TableDef};
use crate::error::{Error, Result};
use crate::key::Salting;
use crate::store::TableHandle;
use crate::types::{SqlType, Value};

use std::any::Any;
use std::sync::{Arc, OnceLock};

use crate::catalog::ChangeLog;

/// What an index is sorted by at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexSource {
    /// A column of the table, by its id.
    Column(u16),
    /// An expression over the columns of a row.
    Expr {
        /// Its canonical text.
        text: String,
        /// The type that its values are stored as.
        sql_type: SqlType,
    },
}

/// One part of the columns that sort an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPart {
    /// What is sorted by.
    pub source: IndexSource,
    /// Whether it was declared DESC.
    pub descending: bool,
}

/// An index: what CREATE INDEX said, with the ids that stand on disk. Columns are named by their
/// ids, so that a column that is renamed, or dropped before others, changes nothing here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDef {
    /// The id of the index's column family, never reused.
    pub id: u32,
    /// The name, folded or as quoted; one index of a schema has it.
    pub name: String,
    /// Whether two rows may not agree in the indexed columns, unless one of these is NULL.
    pub unique: bool,
    /// The indexed columns, in order; at least one, and none of them twice.
    pub parts: Vec<IndexPart>,
    /// The ids of the columns of INCLUDE; none of them is an indexed column or in the table's key.
    pub included: Vec<u16>,
    /// The canonical text of the condition of the rows that have an entry; all have without one.
    pub predicate: Option<String>,
    /// How many buckets, 1..=256; `None` for an index that is not salted.
    pub buckets: Option<u16>,
}

impl IndexDef {
    /// The index as a table whose rows are its entries, so that whatever reads a table reads an
    /// index. Its columns are those of `table`, at their places, and behind them the indexed
    /// expressions; its key is that of the entries: the indexed columns and, unless the index is
    /// UNIQUE, those of the table's key that are not among them. Its salt is that of the indexed
    /// columns alone. Not every column is in the entries: see [`IndexEntry::holds`].
    ///
    /// # Errors
    /// `Corrupt` if a column is not in the table.
    pub fn view(&self, table: &TableDef) -> Result<TableDef> {
        let mut columns = table.columns.clone();
        let mut key = Vec::with_capacity(self.parts.len() + table.key.len());
        for part in &self.parts {
            let column = match &part.source {
                IndexSource::Column(id) => self.place_of(table, *id)?,
                IndexSource::Expr { text, sql_type } => {
                    columns.push(expression_column(text, *sql_type, &columns));
                    columns.len() - 1
                }
            };
            key.push(KeyPart {
                column,
                descending: part.descending,
            });
        }
        if !self.unique {
            let rest = table.key.iter().copied();
            let rest = rest.filter(|part| key.iter().all(|known| known.column != part.column));
            key.extend(rest.collect::<Vec<_>>());
        }
        let salted = (0..self.parts.len()).collect();
        Ok(TableDef {
            id: self.id,
            name: self.name.clone(),
            columns,
            key_name: None,
            key,
            salting: self.buckets.map(|n| Salting::new(n, Some(salted))),
            null_keys_repeat: self.unique,
            ..table.clone()
        })
    }

    /// Whether one of the indexed or included columns is the one of that id.
    pub fn uses_column(&self, id: u16) -> bool {
        let is_column = |part: &IndexPart| part.source == IndexSource::Column(id);
        self.parts.iter().any(is_column) || self.included.contains(&id)
    }

    fn place_of(&self, table: &TableDef, id: u16) -> Result<usize> {
        let place = table.columns.iter().position(|column| column.id == id);
        place.ok_or_else(|| {
            Error::corrupt(format!(
                "index {} has a column that is not in table {}",
                self.name,
                table.display_name()
            ))
        })
    }
}

/// The column that an indexed expression is; no other has its name.
fn expression_column(text: &str, sql_type: SqlType, columns: &[ColumnDef]) -> ColumnDef {
    let mut name = text.to_owned();
    while columns.iter().any(|column| column.name == name) {
        name.push('\'');
    }
    ColumnDef {
        // It stands in keys alone, where columns need no id.
        id: 0,
        name,
        sql_type,
        nullable: true,
        default: None,
        missing: Value::Null,
    }
}

/// An index of a table at one moment: its definition and the family that holds its entries.
#[derive(Debug, Clone)]
pub struct IndexEntry {
    /// The definition.
    pub def: IndexDef,
    /// The index [as a table](IndexDef::view).
    pub view: Arc<TableDef>,
    /// The entries.
    pub handle: TableHandle,
    /// While the index is built, the log of the rows that change meanwhile. Statements that write
    /// the table note the keys of their rows there and leave the entries to the build; no
    /// statement reads it.
    pub log: Option<Arc<ChangeLog>>,
    /// The table's key.
    pub table_key: Vec<KeyPart>,
    /// The columns in the values of entries, as indices into the columns of the view.
    stored: Vec<usize>,
    /// What whoever reads it made of its texts.
    read_as: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl IndexEntry {
    /// An index of `table` whose entries are in `handle`.
    ///
    /// # Errors
    /// `Corrupt` if a column of the index is not in the table.
    pub fn new(
        def: IndexDef,
        table: &TableDef,
        handle: TableHandle,
        log: Option<Arc<ChangeLog>>,
    ) -> Result<IndexEntry> {
        let view = def.view(table)?;
        let key = table.key.iter().map(|part| part.column);
        let mut stored: Vec<usize> = key
            .filter(|column| view.key_position(*column).is_none())
            .collect();
        for id in &def.included {
            stored.push(def.place_of(table, *id)?);
        }
        Ok(IndexEntry {
            def,
            view: Arc::new(view),
            handle,
            log,
            table_key: table.key.clone(),
            stored,
            read_as: OnceLock::new(),
        })
    }

    /// The columns in the values of entries, in their order there, as indices into the columns of
    /// the view: those of the table's key that are not in the key of the entries, then those of
    /// INCLUDE. A column has there the id that it has in the table.
    pub fn stored(&self) -> &[usize] {
        &self.stored
    }

    /// The columns of the table's key, in key order, as indices into the columns of the view.
    pub fn table_key_columns(&self) -> Vec<usize> {
        self.table_key.iter().map(|part| part.column).collect()
    }

    /// Whether the entries hold the column, in key or value; an index into the columns of the view.
    pub fn holds(&self, column: usize) -> bool {
        self.stored.contains(&column) || self.view.key_position(column).is_some()
    }

    /// What `read` makes of its texts, of which it is asked only once.
    ///
    /// # Errors
    /// Those of `read`.
    pub(crate) fn read_as<T: Any + Send + Sync>(
        &self,
        read: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        if let Some(known) = self.read_as.get()
            && let Ok(known) = known.clone().downcast()
        {
            return Ok(known);
        }
        let made = Arc::new(read()?);
        let _ = self.read_as.set(made.clone());
        Ok(made)
    }

    /// The error of a value that two rows would have in this UNIQUE index, all of them as messages
    /// show keys.
    fn duplicate(&self, value: &str, row: &str, owner: &str) -> Error {
        let parts = self.view.key.iter().take(self.def.parts.len());
        let names: Vec<&str> = parts
            .map(|part| self.view.columns[part.column].name.as_str())
            .collect();
        Error::constraint(format!(
            "duplicate value {value} of ({}) in UNIQUE index {}: row {row} would have it, and row \
             {owner} has it",
            names.join(", "),
            self.def.name
        ))
    }

    /// The same for bytes: the key of the entry that both would have, and the keys of the rows.
    pub fn duplicate_of(&self, table: &TableDef, entry: &[u8], row: &[u8], owner: &[u8]) -> Error {
        let texts = || {
            let rows = table.key_layout();
            let value = self.view.key_layout().key_text(entry)?;
            Ok((value, rows.key_text(row)?, rows.key_text(owner)?))
        };
        match texts() {
            Ok((value, row, owner)) => self.duplicate(&value, &row, &owner),
            Err(error) => error,
        }
    }

    /// The error of a build whose table became another.
    pub fn changed_meanwhile(&self, table: &str) -> Error {
        Error::conflict(format!(
            "index {} was not built: table {table} was dropped, truncated or altered meanwhile",
            self.def.name
        ))
    }

    /// Whether statements may read it.
    pub fn is_ready(&self) -> bool {
        self.log.is_none()
    }
}
