//! How a database is opened.

use std::path::Path;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::database::Database;
use crate::database::cache::Cache;
use crate::database::shared::Shared;
use crate::engine::{Engine, EngineOptions, Settings};
use crate::error::{Error, Result};
use crate::store::{Committer, RocksStore, Store, StoreOptions};
use crate::table::Durability;

/// How a database is opened: [`Database::builder`] makes one.
///
/// ```
/// # futures::executor::block_on(async {
/// use rocksalt::{Database, Durability};
/// let db = Database::builder()
///     .threads(2)
///     .memory_limit(1 << 30)
///     .durability(Durability::Buffered)
///     .in_memory()
///     .await?;
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct Builder {
    threads: Option<usize>,
    memory_limit: Option<usize>,
    store: StoreOptions,
    settings: Settings,
}

impl Builder {
    /// How many threads scan tables, and how many run the rest of a query; at least 1. By default
    /// as many as the machine has CPUs.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::builder().threads(1).in_memory().await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// How many bytes the operators of all queries may hold together: joins, sorts, aggregates.
    /// Beyond it they spill to `tmp/` in the database's folder; in memory they end in
    /// [`Limit`](crate::ErrorKind::Limit). By default half of the machine's memory.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::builder().memory_limit(64 << 20).in_memory().await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// How many bytes of the tables' blocks are kept in memory.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::builder().cache_size(32 << 20).in_memory().await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn cache_size(mut self, bytes: usize) -> Self {
        self.store.cache_size = bytes;
        self
    }

    /// When writes are acknowledged; a session may SET it otherwise.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use rocksalt::{Database, Durability};
    /// let db = Database::builder().durability(Durability::Buffered).in_memory().await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.settings.durability = durability;
        self
    }

    /// Opens a database whose log is damaged in the middle as it was before the damage: every
    /// commit after it is lost. Make a copy of the folder first.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("db");
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::builder().recover_to_point_in_time().open(&path).await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn recover_to_point_in_time(mut self) -> Self {
        self.store.recover_to_point_in_time = true;
        self
    }

    /// Opens the database in a folder, which is created if it is missing.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("db");
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::builder().open(&path).await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As of [`Database::open`].
    pub async fn open(self, path: impl AsRef<Path>) -> Result<Database> {
        self.open_now(path.as_ref())
    }

    /// An empty database in memory.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::builder().in_memory().await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// When the machine has no memory or no thread left.
    pub async fn in_memory(self) -> Result<Database> {
        self.in_memory_now()
    }

    /// Opening never waits for another task, so the blocking twin calls it as it is.
    pub(super) fn open_now(self, path: &Path) -> Result<Database> {
        let store = RocksStore::open(path, &self.store)?;
        let spill = store.spill_path();
        self.on(Arc::new(store), spill)
    }

    pub(super) fn in_memory_now(mut self) -> Result<Database> {
        // There is no disk that a sync could bring anything onto.
        self.settings.durability = Durability::Buffered;
        let store = RocksStore::in_memory(&self.store)?;
        self.on(Arc::new(store), None)
    }

    pub(super) fn on(
        self,
        store: Arc<dyn Store>,
        spill_dir: Option<std::path::PathBuf>,
    ) -> Result<Database> {
        let threads = match self.threads {
            Some(threads) => threads,
            None => std::thread::available_parallelism()
                .map_err(|e| Error::io("cannot count the CPUs").with_source(e))?
                .get(),
        };
        let memory_limit = self.memory_limit.unwrap_or_else(half_of_memory);
        let engine = Engine::new(EngineOptions {
            threads,
            memory_limit,
            spill_dir,
        })?;
        let shared = Shared {
            catalog: Catalog::open(store.clone())?,
            committer: Committer::new(store.clone())?,
            engine,
            cache: Cache::default(),
            defaults: self.settings,
            store,
        };
        Ok(Database::new(Arc::new(shared)))
    }
}

/// Half of the machine's memory, or 1 GiB where it cannot be told.
fn half_of_memory() -> usize {
    const KIB: u64 = 1 << 10;
    let total = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("MemTotal:"))?
                .trim();
            line.strip_suffix("kB")?
                .trim()
                .parse::<u64>()
                .ok()?
                .checked_mul(KIB)
        });
    usize::try_from(total.unwrap_or(2 << 30) / 2).unwrap_or(usize::MAX)
}
