//! The catalog: what it reads on open, and how it changes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};
use tokio::runtime::Handle;
use tokio::sync::OwnedRwLockWriteGuard;

use crate::catalog::crash::crash_point;
use crate::catalog::state::{already_exists, not_found};
use crate::catalog::stored_index::{self, IndexState, Left};
use crate::catalog::system::{
    self, FIRST_TABLE_ID, INDEXED_FORMAT, ROW_FORMAT, STORED_DEFAULT_FORMAT, SYSTEM_SCHEMA,
};
use crate::catalog::system_rows::SystemTable;
use crate::catalog::{CatalogState, Entry, IndexDef, IndexEntry, TableDef, stored};
use crate::error::{Error, Result};
use crate::store::{Store, TableHandle, WriteBatch};
use crate::types::Value;

/// The name of the counter that gives out table ids.
const TABLE_IDS: &str = "table_id";

/// The tables of a store.
#[derive(Debug)]
pub struct Catalog {
    pub(super) store: Arc<dyn Store>,
    state: RwLock<Arc<CatalogState>>,
    pub(super) tables: SystemTable,
    columns: SystemTable,
    pub(super) indexes: SystemTable,
    counters: SystemTable,
    /// The id that the next table or index gets. Whoever holds it is the one who changes the
    /// catalog.
    pub(super) next_id: Mutex<u32>,
}

/// A table under its exclusive lock.
pub(super) type Held = (Arc<Entry>, OwnedRwLockWriteGuard<()>);

impl Catalog {
    /// Reads the catalog of a store, creates it in an empty store, and drops the families that
    /// an interrupted change has left behind.
    ///
    /// # Errors
    /// [`Corrupt`](crate::ErrorKind::Corrupt) when its rows contradict each other or the store.
    pub fn open(store: Arc<dyn Store>) -> Result<Catalog> {
        let families: BTreeSet<u32> = store.tables()?.into_iter().collect();
        bootstrap(&*store, &families)?;

        let tables = SystemTable::open(&*store, system::tables())?;
        let columns = SystemTable::open(&*store, system::columns())?;
        let indexes = SystemTable::open(&*store, system::indexes())?;
        let counters = SystemTable::open(&*store, system::counters())?;
        let counter = counters.rows(&*store)?;
        let next_id = match counter.first() {
            Some(row) => stored::counter(row)?,
            None => return Err(Error::corrupt("the counter of table ids is gone")),
        };

        let mut state = CatalogState::default();
        for table in [&tables, &columns, &indexes] {
            state = state.with(Entry::new(table.def().clone(), table.handle().clone()));
        }
        let mut known = BTreeSet::new();
        let mut left = indexes.rows(&*store)?;
        let mut unfinished = WriteBatch::new();
        for def in stored::definitions(tables.rows(&*store)?, columns.rows(&*store)?)? {
            let corrupt = |what: &str| {
                Error::corrupt(format!(
                    "table {} (id {}) {what}",
                    def.display_name(),
                    def.id
                ))
            };
            if def.format_version > INDEXED_FORMAT {
                return Err(Error::unsupported(format!(
                    "table {} has row format {}, this rocksalt reads formats up to \
                     {INDEXED_FORMAT}",
                    def.display_name(),
                    def.format_version
                )));
            }
            if !(FIRST_TABLE_ID..next_id).contains(&def.id) || !known.insert(def.id) {
                return Err(corrupt("has an id that is not its own"));
            }
            let handle = store
                .open_table(def.id, def.salting.is_some())?
                .ok_or_else(|| corrupt("has no data on disk"))?;
            let mut entry = Entry::new(def, handle);
            let name = (entry.def.schema.clone(), entry.def.name.clone());
            let mut of_table = Vec::new();
            for row in std::mem::take(&mut left) {
                if stored_index::table_of(&row)? != name {
                    left.push(row);
                    continue;
                }
                let (def, progress) = stored_index::index_definition(&row, &entry.def)
                    .map_err(|e| e.context(format!("catalog row of an index of {}", name.1)))?;
                if progress == Left::Unfinished {
                    indexes.delete(&mut unfinished, &row)?;
                    continue;
                }
                let corrupt = |what: &str| {
                    Error::corrupt(format!("index {} (id {}) {what}", def.name, def.id))
                };
                if !(FIRST_TABLE_ID..next_id).contains(&def.id) || !known.insert(def.id) {
                    return Err(corrupt("has an id that is not its own"));
                }
                let handle = store
                    .open_table(def.id, def.buckets.is_some())?
                    .ok_or_else(|| corrupt("has no data on disk"))?;
                of_table.push(Arc::new(IndexEntry::new(def, &entry.def, handle, None)?));
            }
            entry = entry.with_indexes(of_table);
            state = state.with(entry);
        }
        if let Some(row) = left.first() {
            let (schema, name) = stored_index::table_of(row)?;
            return Err(Error::corrupt(format!(
                "the catalog has an index of {schema}.{name}, which it lacks"
            )));
        }
        if !unfinished.is_empty() {
            store.write(unfinished)?;
            store.sync()?;
        }
        for orphan in families
            .range(FIRST_TABLE_ID..)
            .filter(|id| !known.contains(id))
        {
            store.drop_table(*orphan)?;
        }
        Ok(Catalog {
            store,
            state: RwLock::new(Arc::new(state)),
            tables,
            columns,
            indexes,
            counters,
            next_id: Mutex::new(next_id),
        })
    }

    /// The tables as they are now. What is returned does not change.
    pub fn state(&self) -> Arc<CatalogState> {
        Arc::clone(&self.state.read())
    }

    /// Whether `state` is still the state of the tables. A snapshot of the store that was taken
    /// before this was asked has no rows of a later definition.
    pub fn is_state(&self, state: &Arc<CatalogState>) -> bool {
        Arc::ptr_eq(&self.state.read(), state)
    }

    /// Whether `entry` is still the table of its name. With its lock held the answer stays true.
    pub fn is_current(&self, entry: &Entry) -> bool {
        let state = self.state.read();
        let current = state.find_table(&entry.def.schema, &entry.def.name);
        current.is_some_and(|current| current.is_same(entry))
    }

    /// Creates a table and returns whether it did: with `if_not_exists` one of that name may
    /// exist. The ids in `def` and the version of its format are given here, in the place of
    /// what stands there. Blocks for some syncs of the disk.
    ///
    /// # Errors
    /// [`AlreadyExists`](crate::ErrorKind::AlreadyExists); [`Invalid`](crate::ErrorKind::Invalid)
    /// in schema `system`.
    pub fn create_table(&self, mut def: TableDef, if_not_exists: bool) -> Result<bool> {
        refuse_system(&def.schema)?;
        let mut next_id = self.next_id.lock();
        if self.state().find_table(&def.schema, &def.name).is_some() {
            return match if_not_exists {
                true => Ok(false),
                false => Err(already_exists(&def.schema, &def.name)),
            };
        }
        for (column, id) in def.columns.iter_mut().zip(1..) {
            column.id = id;
        }
        def.next_column_id = def.columns.len() as u32 + 1;
        def.format_version = ROW_FORMAT;
        let handle;
        (def.id, handle) = self.create_family(&mut next_id, def.salting.is_some())?;
        let entry = Entry::new(def, handle);
        let mut batch = WriteBatch::new();
        self.tables
            .put(&mut batch, &stored::table_row(&entry.def))?;
        for row in stored::column_rows(&entry.def)? {
            self.columns.put(&mut batch, &row)?;
        }
        self.commit(batch)?;
        crash_point("create: catalog rows written");
        self.publish(|state| state.with(entry));
        Ok(true)
    }

    /// Drops a table and returns whether it did: with `if_exists` there may be none. Waits for
    /// the statements that write it, in any executor, and then blocks for a sync of the disk.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`Conflict`](crate::ErrorKind::Conflict) after
    /// `lock_timeout`; [`Invalid`](crate::ErrorKind::Invalid) in schema `system`.
    pub async fn drop_table(
        &self,
        schema: &str,
        name: &str,
        if_exists: bool,
        lock_timeout: Duration,
        timers: &Handle,
    ) -> Result<bool> {
        refuse_system(schema)?;
        let Some((entry, _lock)) = self.lock(schema, name, lock_timeout, timers).await? else {
            return match if_exists {
                true => Ok(false),
                false => Err(not_found(schema, name)),
            };
        };
        let _turn = self.next_id.lock();
        let mut batch = WriteBatch::new();
        self.tables
            .delete(&mut batch, &stored::table_row(&entry.def))?;
        for row in stored::column_rows(&entry.def)? {
            self.columns.delete(&mut batch, &row)?;
        }
        for index in entry.indexes.iter() {
            self.delete_index_row(&mut batch, &index.def, &entry.def)?;
        }
        self.commit(batch)?;
        crash_point("drop: catalog rows gone");
        self.publish(|state| state.without(&entry.def));
        self.drop_family(entry.def.id);
        for index in entry.indexes.iter() {
            self.drop_family(index.def.id);
        }
        crash_point("drop: family gone");
        Ok(true)
    }

    /// Empties a table and its indexes; one that is being built is none any more. Waits and blocks
    /// as [`Catalog::drop_table`] does.
    ///
    /// # Errors
    /// Those of [`Catalog::drop_table`].
    pub async fn truncate_table(
        &self,
        schema: &str,
        name: &str,
        lock_timeout: Duration,
        timers: &Handle,
    ) -> Result<()> {
        refuse_system(schema)?;
        let (old, _lock) = self
            .lock(schema, name, lock_timeout, timers)
            .await?
            .ok_or_else(|| not_found(schema, name))?;
        let mut next_id = self.next_id.lock();
        let mut def = TableDef::clone(&old.def);
        let handle;
        (def.id, handle) = self.create_family(&mut next_id, def.salting.is_some())?;
        let mut batch = WriteBatch::new();
        let mut indexes = Vec::with_capacity(old.indexes.len());
        for index in old.indexes.iter() {
            if !index.is_ready() {
                self.delete_index_row(&mut batch, &index.def, &def)?;
                continue;
            }
            let mut index_def = IndexDef::clone(&index.def);
            let handle;
            (index_def.id, handle) =
                self.create_family(&mut next_id, index_def.buckets.is_some())?;
            indexes.push(Arc::new(IndexEntry::new(index_def, &def, handle, None)?));
        }
        for index in &indexes {
            self.put_index_row(&mut batch, &index.def, &def, IndexState::Ready)?;
        }
        def.format_version = format_version(&def, &indexes);
        self.tables.put(&mut batch, &stored::table_row(&def))?;
        let entry = Entry {
            def: Arc::new(def),
            handle,
            ..old.with_indexes(indexes)
        };
        self.commit(batch)?;
        crash_point("truncate: new id in the catalog");
        self.publish(|state| state.with(entry));
        self.drop_family(old.def.id);
        for index in old.indexes.iter() {
            self.drop_family(index.def.id);
        }
        crash_point("truncate: old family gone");
        Ok(())
    }

    /// Gives a table the definition that `change` makes of its old one, and returns whether there
    /// was one to change: with `if_exists` there may be none. No statement writes the table while
    /// `change` looks at it. Its rows stay as they are: `change` keeps key, salting, and the ids of
    /// the columns that stay; it returns besides which of the indexes stay, by index. Those that are
    /// being built go. Waits and blocks as [`Catalog::drop_table`] does.
    ///
    /// # Errors
    /// Those of [`Catalog::drop_table`] and of `change`;
    /// [`AlreadyExists`](crate::ErrorKind::AlreadyExists) when the new name is taken.
    pub async fn alter_table(
        &self,
        schema: &str,
        name: &str,
        if_exists: bool,
        lock_timeout: Duration,
        timers: &Handle,
        change: impl FnOnce(&Entry) -> Result<(TableDef, Vec<Arc<IndexEntry>>)>,
    ) -> Result<bool> {
        refuse_system(schema)?;
        let Some((old, _lock)) = self.lock(schema, name, lock_timeout, timers).await? else {
            return match if_exists {
                true => Ok(false),
                false => Err(not_found(schema, name)),
            };
        };
        let (mut def, mut kept) = change(&old)?;
        if def == *old.def && kept.len() == old.indexes.len() {
            return Ok(true);
        }
        kept.retain(|index| index.is_ready());
        def.format_version = format_version(&def, &kept);
        let _turn = self.next_id.lock();
        let is_taken = self.state().find_table(schema, &def.name).is_some();
        if def.name != old.def.name && is_taken {
            return Err(already_exists(schema, &def.name));
        }
        let mut batch = WriteBatch::new();
        self.tables
            .delete(&mut batch, &stored::table_row(&old.def))?;
        for row in stored::column_rows(&old.def)? {
            self.columns.delete(&mut batch, &row)?;
        }
        for index in old.indexes.iter() {
            self.delete_index_row(&mut batch, &index.def, &old.def)?;
        }
        self.tables.put(&mut batch, &stored::table_row(&def))?;
        for row in stored::column_rows(&def)? {
            self.columns.put(&mut batch, &row)?;
        }
        let mut indexes = Vec::with_capacity(kept.len());
        for index in &kept {
            self.put_index_row(&mut batch, &index.def, &def, IndexState::Ready)?;
            let handle = index.handle.clone();
            let index = IndexEntry::new(index.def.clone(), &def, handle, None)?;
            indexes.push(Arc::new(index));
        }
        self.commit(batch)?;
        crash_point("alter: catalog rows written");
        let entry = Entry {
            def: Arc::new(def),
            ..old.with_indexes(indexes)
        };
        self.publish(|state| state.without(&old.def).with(entry));
        let is_kept = |id: u32| kept.iter().any(|index| index.def.id == id);
        for index in old.indexes.iter().filter(|index| !is_kept(index.def.id)) {
            self.drop_family(index.def.id);
        }
        Ok(true)
    }

    /// The table of that name and its exclusive lock, or `None` if there is none.
    pub(super) async fn lock(
        &self,
        schema: &str,
        name: &str,
        timeout: Duration,
        timers: &Handle,
    ) -> Result<Option<Held>> {
        let started = Instant::now();
        loop {
            let Some(entry) = self.state().find_table(schema, name).cloned() else {
                return Ok(None);
            };
            let left = timeout.saturating_sub(started.elapsed());
            let lock = entry.lock_exclusive(left, timers).await;
            let lock = lock.map_err(|_| entry.locked(timeout))?;
            // Another table may have got the name while we waited.
            if self.is_current(&entry) {
                return Ok(Some((entry, lock)));
            }
        }
    }

    /// Creates a family with the next id.
    pub(super) fn create_family(
        &self,
        next_id: &mut u32,
        salted: bool,
    ) -> Result<(u32, TableHandle)> {
        let id = *next_id;
        let after = id
            .checked_add(1)
            .ok_or_else(|| Error::limit("no table id is left"))?;
        let mut batch = WriteBatch::new();
        self.counters.put(&mut batch, &counter_row(after))?;
        // Also when the disk refuses: the counter may have got there.
        *next_id = after;
        self.commit(batch)?;
        crash_point("id reserved");
        self.store.create_table(id)?;
        crash_point("family created");
        let handle = self
            .store
            .open_table(id, salted)?
            .ok_or_else(|| Error::internal(format!("table {id} was not created")))?;
        Ok((id, handle))
    }

    /// Drops the files of a table or an index that the catalog does not name any more.
    pub(super) fn drop_family(&self, id: u32) {
        // The statement has succeeded and is on disk. Should this fail, the next open does it.
        let _ = self.store.drop_table(id);
    }

    pub(super) fn commit(&self, batch: WriteBatch) -> Result<()> {
        self.store.write(batch)?;
        self.store.sync()
    }

    pub(super) fn publish(&self, next: impl FnOnce(&CatalogState) -> CatalogState) {
        let mut state = self.state.write();
        *state = Arc::new(next(&state));
    }
}

/// The version of the format that a reader and a writer of a table's rows must know.
pub(super) fn format_version(def: &TableDef, indexes: &[Arc<IndexEntry>]) -> u32 {
    if !indexes.is_empty() {
        INDEXED_FORMAT
    } else if def.columns.iter().any(|column| !column.missing.is_null()) {
        STORED_DEFAULT_FORMAT
    } else {
        ROW_FORMAT
    }
}

pub(super) fn refuse_system(schema: &str) -> Result<()> {
    match schema {
        SYSTEM_SCHEMA => Err(Error::invalid(
            "the tables of schema system cannot be written",
        )),
        _ => Ok(()),
    }
}

fn counter_row(next: u32) -> Vec<Value> {
    vec![Value::from(TABLE_IDS), Value::UInteger(next)]
}

/// Creates the catalog's own tables unless it was done before. The counter comes last: with it
/// they are all there.
fn bootstrap(store: &dyn Store, families: &BTreeSet<u32>) -> Result<()> {
    if families.contains(&system::COUNTERS_ID) {
        let counters = SystemTable::open(store, system::counters())?;
        if !counters.rows(store)?.is_empty() {
            return Ok(());
        }
    }
    if families.range(FIRST_TABLE_ID..).next().is_some() {
        return Err(Error::corrupt("there are tables and no catalog"));
    }
    for id in [
        system::TABLES_ID,
        system::COLUMNS_ID,
        system::INDEXES_ID,
        system::COUNTERS_ID,
    ] {
        if !families.contains(&id) {
            store.create_table(id)?;
            crash_point("bootstrap: family created");
        }
    }
    let counters = SystemTable::open(store, system::counters())?;
    let mut batch = WriteBatch::new();
    counters.put(&mut batch, &counter_row(FIRST_TABLE_ID))?;
    store.write(batch)?;
    store.sync()
}
