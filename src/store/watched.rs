//! A store that tells what is asked of it, for tests of what is written and synced when.

use std::ops::Deref;
use std::sync::Arc;

use crate::error::Result;
use crate::store::{Load, RocksStore, Snapshot, Store, StoreOptions, TableHandle, WriteBatch};

/// What changes a store.
#[derive(Debug)]
pub(crate) enum Change<'a> {
    Create(u32),
    Drop(u32),
    Write(&'a WriteBatch),
    Sync,
}

/// Is told of each change before it is made, and may have it fail.
pub(crate) trait Watch: std::fmt::Debug + Send + Sync {
    fn before(&self, change: &Change<'_>) -> Result<()>;

    /// Rows of the table of that id are looked up, not in a snapshot.
    fn reads(&self, _table: u32) {}
}

/// A store in memory that is watched.
#[derive(Debug)]
pub(crate) struct Watched<W> {
    pub(crate) store: RocksStore,
    watch: W,
}

impl<W: Watch> Watched<W> {
    pub(crate) fn new(watch: W) -> Arc<Self> {
        let store = RocksStore::in_memory(&StoreOptions::default()).unwrap();
        Arc::new(Watched { store, watch })
    }
}

impl<W> Deref for Watched<W> {
    type Target = W;

    fn deref(&self) -> &W {
        &self.watch
    }
}

impl<W: Watch> Store for Watched<W> {
    fn create_table(&self, id: u32) -> Result<()> {
        self.watch.before(&Change::Create(id))?;
        self.store.create_table(id)
    }

    fn drop_table(&self, id: u32) -> Result<()> {
        self.watch.before(&Change::Drop(id))?;
        self.store.drop_table(id)
    }

    fn tables(&self) -> Result<Vec<u32>> {
        self.store.tables()
    }

    fn open_table(&self, id: u32, salted: bool) -> Result<Option<TableHandle>> {
        self.store.open_table(id, salted)
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.store.snapshot()
    }

    fn sequence(&self) -> u64 {
        self.store.sequence()
    }

    fn get(
        &self,
        table: &TableHandle,
        bucket: u8,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<bool> {
        self.watch.reads(table.id());
        self.store.get(table, bucket, key, found)
    }

    fn multi_get(
        &self,
        table: &TableHandle,
        keys: &[(u8, Vec<u8>)],
        found: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        self.watch.reads(table.id());
        self.store.multi_get(table, keys, found)
    }

    fn write(&self, batch: WriteBatch) -> Result<()> {
        self.watch.before(&Change::Write(&batch))?;
        self.store.write(batch)
    }

    fn load(&self, table: &TableHandle, fill: Load<'_>) -> Result<()> {
        self.store.load(table, fill)
    }

    fn sync(&self) -> Result<()> {
        self.watch.before(&Change::Sync)?;
        self.store.sync()
    }
}
