//! The catalog at one moment.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use tokio::runtime::Handle;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use crate::catalog::{IndexEntry, TableDef};
use crate::error::{Error, Result};
use crate::store::{Latches, TableHandle};

/// A table at one moment: its definition and the family that holds its rows.
///
/// Whoever holds it may read the table to the end, whatever becomes of the table meanwhile.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The definition.
    pub def: Arc<TableDef>,
    /// The rows.
    pub handle: TableHandle,
    /// Held shared by statements that write the table, from binding to commit, and exclusively
    /// by those that drop or change it. It stays the same over TRUNCATE.
    pub ddl: Arc<RwLock<()>>,
    /// The latches of its rows, and of the keys of its UNIQUE indexes.
    pub latches: Arc<Latches>,
    /// Its indexes, those that are being built included.
    pub indexes: Arc<[Arc<IndexEntry>]>,
}

impl Entry {
    pub(super) fn new(def: TableDef, handle: TableHandle) -> Entry {
        Entry {
            def: Arc::new(def),
            handle,
            ddl: Arc::default(),
            latches: Latches::new(),
            indexes: Arc::default(),
        }
    }

    /// The same table with these indexes, which then stand in the order of their names.
    pub(super) fn with_indexes(&self, mut indexes: Vec<Arc<IndexEntry>>) -> Entry {
        indexes.sort_by(|a, b| a.def.name.cmp(&b.def.name));
        Entry {
            indexes: indexes.into(),
            ..self.clone()
        }
    }

    /// The indexes that statements may read.
    pub fn ready_indexes(&self) -> impl Iterator<Item = &Arc<IndexEntry>> {
        self.indexes.iter().filter(|index| index.is_ready())
    }

    /// The names of all its indexes.
    pub fn index_names(&self) -> Vec<&str> {
        let names = self.indexes.iter().map(|index| index.def.name.as_str());
        names.collect()
    }

    /// Whether both are the same definition of the same table, with the same indexes.
    pub fn is_same(&self, other: &Entry) -> bool {
        Arc::ptr_eq(&self.def, &other.def) && Arc::ptr_eq(&self.indexes, &other.indexes)
    }

    /// Whether the table belongs to the catalog itself, which SQL reads and does not write.
    pub fn is_system(&self) -> bool {
        self.def.schema == super::system::SYSTEM_SCHEMA
    }

    /// The writers' lock, if it can be had now. Afterwards
    /// [`Catalog::is_current`](crate::catalog::Catalog::is_current) says whether this is still
    /// the table.
    pub fn try_lock_shared(&self) -> Option<OwnedRwLockReadGuard<()>> {
        Arc::clone(&self.ddl).try_read_owned().ok()
    }

    /// The writers' lock, in any executor; `timers` is the runtime that keeps the time.
    /// Afterwards [`Catalog::is_current`](crate::catalog::Catalog::is_current) says whether this
    /// is still the table.
    ///
    /// # Errors
    /// [`Conflict`](crate::ErrorKind::Conflict) after `timeout`.
    pub async fn lock_shared(
        &self,
        timeout: Duration,
        timers: &Handle,
    ) -> Result<OwnedRwLockReadGuard<()>> {
        within(Arc::clone(&self.ddl).read_owned(), timeout, timers)
            .await
            .ok_or_else(|| self.locked(timeout))
    }

    /// The lock of those who drop or change the table.
    ///
    /// # Errors
    /// [`Conflict`](crate::ErrorKind::Conflict) after `timeout`.
    pub async fn lock_exclusive(
        &self,
        timeout: Duration,
        timers: &Handle,
    ) -> Result<OwnedRwLockWriteGuard<()>> {
        within(Arc::clone(&self.ddl).write_owned(), timeout, timers)
            .await
            .ok_or_else(|| self.locked(timeout))
    }

    pub(super) fn locked(&self, timeout: Duration) -> Error {
        Error::conflict(format!(
            "table {} was locked by another statement for more than {timeout:?}",
            self.def.display_name()
        ))
    }
}

/// What `future` yields, or `None` after `timeout`.
async fn within<F: Future>(future: F, timeout: Duration, timers: &Handle) -> Option<F::Output> {
    let timer = {
        let _within = timers.enter();
        Box::pin(tokio::time::sleep(timeout))
    };
    match select(Box::pin(future), timer).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}

/// All tables at one moment, those of the catalog itself included.
#[derive(Debug, Clone, Default)]
pub struct CatalogState {
    version: u64,
    schemas: BTreeMap<String, BTreeMap<String, Arc<Entry>>>,
}

impl CatalogState {
    /// Rises with every change of a definition, within the life of the process.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The table of that name.
    pub fn find_table(&self, schema: &str, name: &str) -> Option<&Arc<Entry>> {
        self.schemas.get(schema)?.get(name)
    }

    /// The index of that name and its table; the one that is read, while it is built anew.
    pub fn find_index(&self, schema: &str, name: &str) -> Option<(&Arc<Entry>, &Arc<IndexEntry>)> {
        let tables = self.schemas.get(schema)?.values();
        let indexes =
            tables.flat_map(|table| table.indexes.iter().map(move |index| (table, index)));
        indexes
            .filter(|(_, index)| index.def.name == name)
            .max_by_key(|(_, index)| index.is_ready())
    }

    /// All tables, sorted by schema and name.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.schemas.values().flat_map(BTreeMap::values)
    }

    /// The next state, with a table added or replaced.
    pub(super) fn with(&self, entry: Entry) -> CatalogState {
        let mut next = CatalogState {
            version: self.version + 1,
            schemas: self.schemas.clone(),
        };
        let tables = next.schemas.entry(entry.def.schema.clone()).or_default();
        tables.insert(entry.def.name.clone(), Arc::new(entry));
        next
    }

    /// The next state, with a table taken out.
    pub(super) fn without(&self, def: &TableDef) -> CatalogState {
        let mut next = CatalogState {
            version: self.version + 1,
            schemas: self.schemas.clone(),
        };
        if let Some(tables) = next.schemas.get_mut(&def.schema) {
            tables.remove(&def.name);
        }
        next
    }
}

/// How messages call a table that need not exist.
fn display_name(schema: &str, name: &str) -> String {
    match schema {
        "public" => name.to_owned(),
        schema => format!("{schema}.{name}"),
    }
}

pub(super) fn index_not_found(name: &str) -> Error {
    Error::not_found(format!("index {name} does not exist"))
}

pub(super) fn index_exists(name: &str) -> Error {
    Error::already_exists(format!("index {name} exists"))
}

pub(super) fn not_found(schema: &str, name: &str) -> Error {
    Error::not_found(format!(
        "table {} does not exist",
        display_name(schema, name)
    ))
}

pub(super) fn already_exists(schema: &str, name: &str) -> Error {
    Error::already_exists(format!("table {} exists", display_name(schema, name)))
}
