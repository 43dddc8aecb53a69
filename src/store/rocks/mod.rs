//! RocksDB as a store.
//!
//! ```text
//! folder/ROCKSALT    the marker: `format 1`; locked while the database is open
//! folder/tmp/        what queries spill; emptied on open
//! folder/*           RocksDB's own files
//! ```
//!
//! A table is a column family named by its id in decimal; RocksDB's family `default` stays empty.
//!
//! **Invariants.** The marker stands before RocksDB creates anything, and is checked before
//! RocksDB looks at anything. What RocksDB lends (iterators, snapshots, families) is owned
//! together with the database it came from, in [`owned`], the only unsafe code of the crate.

mod error;
mod folder;
mod load;
mod options;
mod owned;
mod rows;
mod snapshot;

#[cfg(test)]
pub(super) mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;
use rocksdb::{ColumnFamilyDescriptor, DB, DEFAULT_COLUMN_FAMILY_NAME, Options};

use crate::error::{Error, Result};
use crate::store::{Load, Snapshot, Store, TableHandle, WriteBatch};

pub use options::StoreOptions;

use folder::Folder;
use owned::{OpenDatabase, OwnedFamily, OwnedSnapshot};
use snapshot::RocksSnapshot;

/// Tables in a folder, or in memory, kept by RocksDB.
pub struct RocksStore {
    /// The families by id. Writers hold it shared, so that none is dropped under a batch.
    families: RwLock<BTreeMap<u32, Arc<Family>>>,
    family_options: Options,
    latest: rocksdb::ReadOptions,
    db: Arc<OpenDatabase>,
}

/// What is behind a [`TableHandle`].
struct Family {
    owned: OwnedFamily,
    dropped: AtomicBool,
}

impl RocksStore {
    /// Opens the database in the folder `path`, which is created if it is missing.
    ///
    /// # Errors
    /// - [`Invalid`](crate::ErrorKind::Invalid): `path` is a file, or a folder that is neither
    ///   empty nor ours;
    /// - [`Unavailable`](crate::ErrorKind::Unavailable): it is open elsewhere;
    /// - [`Unsupported`](crate::ErrorKind::Unsupported): its format is newer;
    /// - [`Corrupt`](crate::ErrorKind::Corrupt): it is damaged.
    pub fn open(path: &Path, options: &StoreOptions) -> Result<RocksStore> {
        let folder = Folder::claim(path)?;
        let (database, family) = options::rocksdb_options(options, None);
        let names = match folder.has_database()? {
            true => DB::list_cf(&database, path).map_err(error::opening_manifest)?,
            false => Vec::new(),
        };
        folder.empty_spill_folder()?;
        RocksStore::open_families(path, &database, family, names, Some(folder))
            .map_err(|e| error::opening(e, options.recover_to_point_in_time))
    }

    /// An empty database in memory, gone when the last of its handles is.
    pub fn in_memory(options: &StoreOptions) -> Result<RocksStore> {
        let env = rocksdb::Env::mem_env().map_err(error::from_rocksdb)?;
        let (database, family) = options::rocksdb_options(options, Some(&env));
        // The path is only a name in the memory file system. But the binding makes sure that the
        // disk has it too, so it is one that the disk has anyway; no file comes into it.
        RocksStore::open_families(&std::env::temp_dir(), &database, family, Vec::new(), None)
            .map_err(|e| error::opening(e, true))
    }

    fn open_families(
        path: &Path,
        database: &Options,
        family_options: Options,
        mut names: Vec<String>,
        folder: Option<Folder>,
    ) -> Result<RocksStore, rocksdb::Error> {
        if names.is_empty() {
            names.push(DEFAULT_COLUMN_FAMILY_NAME.to_owned());
        }
        let descriptors = names
            .iter()
            .map(|name| ColumnFamilyDescriptor::new(name.as_str(), family_options.clone()));
        let db = OpenDatabase::new(
            DB::open_cf_descriptors(database, path, descriptors)?,
            folder,
        );
        let mut families = BTreeMap::new();
        for name in &names {
            // Only `default` is no number: nobody but this store creates families.
            if let (Ok(id), Some(owned)) = (name.parse(), OwnedFamily::find(&db, name)) {
                families.insert(
                    id,
                    Arc::new(Family {
                        owned,
                        dropped: AtomicBool::new(false),
                    }),
                );
            }
        }
        let families = RwLock::new(families);
        Ok(RocksStore {
            families,
            family_options,
            latest: Default::default(),
            db,
        })
    }

    /// The database's folder, unless it is in memory.
    pub fn path(&self) -> Option<&Path> {
        self.db.folder().map(Folder::path)
    }

    /// The folder for what queries spill, unless the database is in memory. It need not exist.
    pub fn spill_path(&self) -> Option<PathBuf> {
        self.db.folder().map(Folder::spill_path)
    }

    /// Brings what is in memory into files, of all tables, and compacts this one, as RocksDB would
    /// in time.
    ///
    /// # Errors
    /// When the disk refuses.
    #[cfg(test)]
    pub(super) fn compact(&self, table: &TableHandle) -> Result<()> {
        let family = rows::family(table, &self.db)?;
        let families = self.families.read();
        let handles: Vec<_> = families
            .values()
            .map(|family| family.owned.handle())
            .collect();
        self.db
            .flush_cfs_opt(&handles, &rocksdb::FlushOptions::default())
            .map_err(error::from_rocksdb)?;
        drop(families);
        self.db
            .compact_range_cf(family.owned.handle(), None::<&[u8]>, None::<&[u8]>);
        Ok(())
    }
}

impl Store for RocksStore {
    fn create_table(&self, id: u32) -> Result<()> {
        let mut families = self.families.write();
        if families.contains_key(&id) {
            return Err(Error::internal(format!("table {id} exists")));
        }
        let name = id.to_string();
        self.db
            .create_cf(&name, &self.family_options)
            .map_err(error::from_rocksdb)?;
        let owned = OwnedFamily::find(&self.db, &name)
            .ok_or_else(|| Error::internal(format!("table {id} was not created")))?;
        families.insert(
            id,
            Arc::new(Family {
                owned,
                dropped: AtomicBool::new(false),
            }),
        );
        Ok(())
    }

    fn drop_table(&self, id: u32) -> Result<()> {
        let mut families = self.families.write();
        let Some(family) = families.get(&id).cloned() else {
            return Err(Error::internal(format!("table {id} does not exist")));
        };
        self.db
            .drop_cf(&id.to_string())
            .map_err(error::from_rocksdb)?;
        family.dropped.store(true, Ordering::Release);
        families.remove(&id);
        Ok(())
    }

    fn tables(&self) -> Result<Vec<u32>> {
        Ok(self.families.read().keys().copied().collect())
    }

    fn open_table(&self, id: u32, salted: bool) -> Result<Option<TableHandle>> {
        let family = self.families.read().get(&id).cloned();
        Ok(family.map(|family| TableHandle::new(id, salted, family)))
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        Arc::new(RocksSnapshot::new(OwnedSnapshot::take(&self.db)))
    }

    fn sequence(&self) -> u64 {
        self.db.latest_sequence_number()
    }

    fn get(
        &self,
        table: &TableHandle,
        bucket: u8,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<bool> {
        rows::get(&self.db, &self.latest, table, bucket, key, found)
    }

    fn multi_get(
        &self,
        table: &TableHandle,
        keys: &[(u8, Vec<u8>)],
        found: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        rows::multi_get(&self.db, &self.latest, table, keys, found)
    }

    fn write(&self, batch: WriteBatch) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let families = self.families.read();
        let rocks_batch = rows::rocksdb_batch(&self.db, &batch)?;
        drop(batch);
        let written = self.db.write(rocks_batch).map_err(error::from_rocksdb);
        drop(families);
        written
    }

    fn sync(&self) -> Result<()> {
        if self.db.folder().is_none() {
            // Memory is as durable as it gets, and refuses to be synced.
            return Ok(());
        }
        self.db.flush_wal(true).map_err(error::from_rocksdb)
    }

    fn load(&self, table: &TableHandle, fill: Load<'_>) -> Result<()> {
        match self.db.folder() {
            Some(folder) => self.load_files(table, &folder.spill_path().join("load"), fill),
            None => self.load_batches(table, fill),
        }
    }
}

impl fmt::Debug for RocksStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RocksStore")
            .field("path", &self.path())
            .finish_non_exhaustive()
    }
}
