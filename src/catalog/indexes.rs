//! How indexes come and go.
//!
//! ```text
//! CREATE INDEX   reserve the id, synced │ create the family │ row "building", synced
//!                         an id unused ─┘   a family unused ─┘       row and family unused ─┐
//!                ... the entries are made, without the turn ...                              │
//!                row "ready", synced                                                        ─┘
//! REINDEX        reserve the id, synced │ create the family │ ... │ new id into the row, synced │ drop the old
//!                         an id unused ─┘    a family unused ─────┘             a family unused ─┘
//! DROP INDEX     row gone, synced │ drop the family
//!                  a family unused ─┘
//! ```
//!
//! Opening drops what is unused, so that a crash leaves an index whole or not at all. While the
//! entries are made, statements note the rows that they write in the index's
//! [`ChangeLog`]; they do so from the moment on that the table is let go with the index in its
//! entry, because its exclusive lock waits for those that were bound before.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::catalog::catalog::{Catalog, Held, format_version, refuse_system};
use crate::catalog::crash::crash_point;
use crate::catalog::state::{index_exists, index_not_found, not_found};
use crate::catalog::stored_index::{IndexState, Progress, index_row};
use crate::catalog::{ChangeLog, Entry, IndexDef, IndexEntry, TableDef, stored};
use crate::error::{Error, Result};
use crate::store::WriteBatch;

/// How long whoever builds an index waits for a table's lock before the writers that came after
/// are let in, and how long they then have.
const TRY: Duration = Duration::from_millis(40);

impl Catalog {
    /// Begins an index of a table: from now on statements that write the table note its rows.
    /// `define` makes its definition, without id, while no statement writes the table. Returns the
    /// table and the index, or nothing if there is one of that name and `if_not_exists`.
    ///
    /// Waits for the statements that write the table, however long they take, and lets others in
    /// meanwhile; then blocks for some syncs of the disk.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) without the table,
    /// [`AlreadyExists`](crate::ErrorKind::AlreadyExists), [`Invalid`](crate::ErrorKind::Invalid) in
    /// schema `system`, and those of `define`.
    pub async fn begin_index(
        &self,
        schema: &str,
        table: &str,
        if_not_exists: bool,
        timers: &Handle,
        define: impl FnOnce(&Entry) -> Result<IndexDef>,
    ) -> Result<Option<(Arc<Entry>, Arc<IndexEntry>)>> {
        refuse_system(schema)?;
        let (old, _lock) = self
            .lock_between(schema, table, timers)
            .await?
            .ok_or_else(|| not_found(schema, table))?;
        let mut def = define(&old)?;
        let mut next_id = self.next_id.lock();
        let old = self.current(old);
        if self.state().find_index(schema, &def.name).is_some() {
            return match if_not_exists {
                true => Ok(None),
                false => Err(index_exists(&def.name)),
            };
        }
        let handle;
        (def.id, handle) = self.create_family(&mut next_id, def.buckets.is_some())?;
        let log = Some(Arc::new(ChangeLog::default()));
        let index = Arc::new(IndexEntry::new(def, &old.def, handle, log)?);
        let mut batch = WriteBatch::new();
        let building = IndexState::Building(Progress::Entries(0));
        self.put_index_row(&mut batch, &index.def, &old.def, building)?;
        self.commit(batch)?;
        crash_point("create index: row written");
        let entry = self.replace(&old, |indexes| indexes.push(index.clone()));
        Ok(Some((entry, index)))
    }

    /// Begins an index anew beside the one that is read until [`Catalog::finish_index`]. Waits and
    /// blocks as [`Catalog::begin_index`] does.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) without the index,
    /// [`Conflict`](crate::ErrorKind::Conflict) if it is being built.
    pub async fn begin_rebuild(
        &self,
        schema: &str,
        name: &str,
        timers: &Handle,
    ) -> Result<(Arc<Entry>, Arc<IndexEntry>)> {
        loop {
            let state = self.state();
            let Some((table, _)) = state.find_index(schema, name) else {
                return Err(index_not_found(name));
            };
            let Some((old, _lock)) = self.lock_between(schema, &table.def.name, timers).await?
            else {
                continue;
            };
            let mut of_name = old.indexes.iter().filter(|index| index.def.name == name);
            let (Some(index), rest) = (of_name.next(), of_name.count()) else {
                continue;
            };
            if rest > 0 || !index.is_ready() {
                return Err(Error::conflict(format!("index {name} is being built")));
            }
            let mut next_id = self.next_id.lock();
            let old = self.current(old.clone());
            let mut def = IndexDef::clone(&index.def);
            let handle;
            (def.id, handle) = self.create_family(&mut next_id, def.buckets.is_some())?;
            let log = Some(Arc::new(ChangeLog::default()));
            let index = Arc::new(IndexEntry::new(def, &old.def, handle, log)?);
            let entry = self.replace(&old, |indexes| indexes.push(index.clone()));
            return Ok((entry, index));
        }
    }

    /// Says in `system.indexes` how far an index has come that is being built. It may be gone.
    ///
    /// # Errors
    /// Those of the store.
    pub fn index_progress(&self, index: &IndexEntry, progress: Progress) -> Result<()> {
        let _turn = self.next_id.lock();
        let state = self.state();
        let Some(entry) = entry_of(&state, index) else {
            return Ok(());
        };
        let old = ready_twin(entry, index);
        let (def, state) = match old {
            Some(old) => (&old.def, IndexState::Rebuilding(progress)),
            None => (&index.def, IndexState::Building(progress)),
        };
        let mut batch = WriteBatch::new();
        self.put_index_row(&mut batch, def, &entry.def, state)?;
        // Nothing depends on it: a crash loses the progress itself.
        self.store.write(batch)
    }

    /// Ends the making of an index: `last` does what is left to do while no statement writes the
    /// table, and then statements read it. If `last` says `false`, that is too much to do now: the
    /// table is let go, the index stays as it was, and the answer is `false`. Waits and blocks as
    /// [`Catalog::begin_index`] does.
    ///
    /// # Errors
    /// Those of `last`; [`Conflict`](crate::ErrorKind::Conflict) if the index is gone, because the
    /// table was dropped, truncated or altered.
    pub async fn finish_index(
        &self,
        schema: &str,
        table: &str,
        index: &IndexEntry,
        timers: &Handle,
        last: impl FnOnce(&Entry) -> Result<bool>,
    ) -> Result<bool> {
        let held = self.lock_between(schema, table, timers).await?;
        let held = held.filter(|(entry, _)| has(entry, index));
        let (old, _lock) = held.ok_or_else(|| index.changed_meanwhile(table))?;
        if !last(&old)? {
            return Ok(false);
        }
        let _turn = self.next_id.lock();
        let old = self.current(old);
        let twin = ready_twin(&old, index).cloned();
        let handle = index.handle.clone();
        let ready = IndexEntry::new(index.def.clone(), &old.def, handle, None)?;
        let mut indexes = old.indexes.to_vec();
        indexes.retain(|other| {
            other.def.id != index.def.id
                && twin.as_ref().is_none_or(|twin| twin.def.id != other.def.id)
        });
        indexes.push(Arc::new(ready));
        let mut def = TableDef::clone(&old.def);
        def.format_version = format_version(&def, &indexes);
        let mut batch = WriteBatch::new();
        self.tables.put(&mut batch, &stored::table_row(&def))?;
        self.put_index_row(&mut batch, &index.def, &def, IndexState::Ready)?;
        self.commit(batch)?;
        crash_point("create index: index ready");
        let entry = Entry {
            def: Arc::new(def),
            ..old.with_indexes(indexes)
        };
        self.publish(|state| state.with(entry));
        if let Some(twin) = twin {
            self.drop_family(twin.def.id);
        }
        Ok(true)
    }

    /// Whether the index is still one of its table, ready or being built.
    pub fn has_index(&self, index: &IndexEntry) -> bool {
        entry_of(&self.state(), index).is_some()
    }

    /// Takes away an index whose making failed; one that is gone already is no error.
    ///
    /// # Errors
    /// Those of the store.
    pub fn abandon_index(&self, index: &IndexEntry) -> Result<()> {
        let _turn = self.next_id.lock();
        let state = self.state();
        let Some(entry) = entry_of(&state, index) else {
            return Ok(());
        };
        let mut batch = WriteBatch::new();
        match ready_twin(entry, index) {
            Some(twin) => {
                self.put_index_row(&mut batch, &twin.def, &entry.def, IndexState::Ready)?;
            }
            None => self.delete_index_row(&mut batch, &index.def, &entry.def)?,
        }
        self.commit(batch)?;
        self.replace(entry, |indexes| {
            indexes.retain(|other| other.def.id != index.def.id);
        });
        self.drop_family(index.def.id);
        Ok(())
    }

    /// Drops an index and returns whether it did: with `if_exists` there may be none. `table` is the
    /// table that it must be of, if that is said. Waits and blocks as [`Catalog::drop_table`] does.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`Conflict`](crate::ErrorKind::Conflict) after
    /// `lock_timeout`.
    pub async fn drop_index(
        &self,
        schema: &str,
        name: &str,
        table: Option<&str>,
        if_exists: bool,
        lock_timeout: Duration,
        timers: &Handle,
    ) -> Result<bool> {
        let held = self.lock_index(schema, name, table, lock_timeout, timers);
        let Some((old, _lock)) = held.await? else {
            return match (if_exists, self.state().find_index(schema, name), table) {
                (true, ..) => Ok(false),
                (false, Some((entry, _)), Some(table)) => Err(Error::not_found(format!(
                    "index {name} is of table {}, not of {table}",
                    entry.def.name
                ))),
                (false, ..) => Err(index_not_found(name)),
            };
        };
        let _turn = self.next_id.lock();
        let old = self.current(old);
        let is_it = |index: &Arc<IndexEntry>| index.def.name == name;
        let mut def = TableDef::clone(&old.def);
        let (gone, kept): (Vec<_>, Vec<_>) = old.indexes.iter().cloned().partition(is_it);
        def.format_version = format_version(&def, &kept);
        let mut batch = WriteBatch::new();
        self.tables.put(&mut batch, &stored::table_row(&def))?;
        for index in &gone {
            self.delete_index_row(&mut batch, &index.def, &def)?;
        }
        self.commit(batch)?;
        crash_point("drop index: row gone");
        let entry = Entry {
            def: Arc::new(def),
            ..old.with_indexes(kept)
        };
        self.publish(|state| state.with(entry));
        for index in gone {
            self.drop_family(index.def.id);
        }
        Ok(true)
    }

    /// Gives an index another name. Waits and blocks as [`Catalog::drop_table`] does.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound);
    /// [`AlreadyExists`](crate::ErrorKind::AlreadyExists) when the new name is taken;
    /// [`Conflict`](crate::ErrorKind::Conflict) after `lock_timeout`, and for an index that is being
    /// built.
    pub async fn rename_index(
        &self,
        schema: &str,
        name: &str,
        to: &str,
        lock_timeout: Duration,
        timers: &Handle,
    ) -> Result<()> {
        let held = self.lock_index(schema, name, None, lock_timeout, timers);
        let (old, _lock) = held.await?.ok_or_else(|| index_not_found(name))?;
        let _turn = self.next_id.lock();
        let old = self.current(old);
        if self.state().find_index(schema, to).is_some() {
            return Err(index_exists(to));
        }
        let mut batch = WriteBatch::new();
        let mut indexes = old.indexes.to_vec();
        for index in indexes.iter_mut().filter(|index| index.def.name == name) {
            if !index.is_ready() {
                return Err(Error::conflict(format!("index {name} is being built")));
            }
            self.delete_index_row(&mut batch, &index.def, &old.def)?;
            let mut def = IndexDef::clone(&index.def);
            def.name = to.to_owned();
            self.put_index_row(&mut batch, &def, &old.def, IndexState::Ready)?;
            *index = Arc::new(IndexEntry::new(def, &old.def, index.handle.clone(), None)?);
        }
        self.commit(batch)?;
        self.replace(&old, |all| *all = indexes);
        Ok(())
    }

    /// The locked table as it is now that this statement has the turn: a build that failed takes its
    /// index away without the lock.
    fn current(&self, locked: Arc<Entry>) -> Arc<Entry> {
        let state = self.state();
        let now = state.find_table(&locked.def.schema, &locked.def.name);
        now.cloned().unwrap_or(locked)
    }

    /// The table of an index and its exclusive lock, or `None` if there is no such index.
    async fn lock_index(
        &self,
        schema: &str,
        name: &str,
        table: Option<&str>,
        timeout: Duration,
        timers: &Handle,
    ) -> Result<Option<Held>> {
        loop {
            let state = self.state();
            let Some((entry, _)) = state.find_index(schema, name) else {
                return Ok(None);
            };
            if table.is_some_and(|table| table != entry.def.name) {
                return Ok(None);
            }
            let held = self.lock(schema, &entry.def.name, timeout, timers).await?;
            // It may be another's, or gone, since we looked.
            if let Some((entry, lock)) = held
                && entry.indexes.iter().any(|index| index.def.name == name)
            {
                return Ok(Some((entry, lock)));
            }
        }
    }

    /// The table and its exclusive lock, however long it takes: between two tries the writers that
    /// came after are let in, so that none of them waits long.
    async fn lock_between(
        &self,
        schema: &str,
        table: &str,
        timers: &Handle,
    ) -> Result<Option<Held>> {
        loop {
            match self.lock(schema, table, TRY, timers).await {
                Err(error) if error.kind() == crate::ErrorKind::Conflict => {
                    let pause = {
                        let _within = timers.enter();
                        tokio::time::sleep(TRY)
                    };
                    pause.await;
                }
                held => return held,
            }
        }
    }

    /// Publishes a table with other indexes, under the turn.
    fn replace(&self, old: &Entry, change: impl FnOnce(&mut Vec<Arc<IndexEntry>>)) -> Arc<Entry> {
        let mut indexes = old.indexes.to_vec();
        change(&mut indexes);
        let entry = old.with_indexes(indexes);
        self.publish(|state| state.with(entry.clone()));
        Arc::new(entry)
    }

    pub(super) fn put_index_row(
        &self,
        batch: &mut WriteBatch,
        def: &IndexDef,
        table: &TableDef,
        state: IndexState,
    ) -> Result<()> {
        self.indexes.put(batch, &index_row(def, table, state)?)
    }

    pub(super) fn delete_index_row(
        &self,
        batch: &mut WriteBatch,
        def: &IndexDef,
        table: &TableDef,
    ) -> Result<()> {
        let row = index_row(def, table, IndexState::Ready)?;
        self.indexes.delete(batch, &row)
    }
}

fn has(entry: &Entry, index: &IndexEntry) -> bool {
    entry
        .indexes
        .iter()
        .any(|other| other.def.id == index.def.id)
}

/// The table that an index is of.
fn entry_of<'a>(
    state: &'a crate::catalog::CatalogState,
    index: &IndexEntry,
) -> Option<&'a Arc<Entry>> {
    state.tables().find(|entry| has(entry, index))
}

/// The index that is read while `index` is made to take its place.
fn ready_twin<'a>(entry: &'a Entry, index: &IndexEntry) -> Option<&'a Arc<IndexEntry>> {
    let same_name = |other: &&Arc<IndexEntry>| other.def.name == index.def.name;
    entry
        .ready_indexes()
        .filter(same_name)
        .find(|other| other.def.id != index.def.id)
}
