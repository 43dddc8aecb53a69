//! The state of the database at one moment.

use std::fmt;
use std::sync::Arc;

use rocksdb::ReadOptions;

use crate::error::Result;
use crate::store::cursor::{self, Source};
use crate::store::rocks::owned::{OwnedIterator, OwnedSnapshot};
use crate::store::rocks::{Family, rows};
use crate::store::{Cursor, CursorRequest, Snapshot, TableHandle};

/// Iterators over a table at that moment.
pub(super) struct TableSource {
    family: Arc<Family>,
    snapshot: Arc<OwnedSnapshot>,
}

impl Source for TableSource {
    type Iter = OwnedIterator;

    fn open(&self, lower: &[u8], upper: Option<&[u8]>, wary: bool) -> OwnedIterator {
        OwnedIterator::open(&self.snapshot, &self.family.owned, lower, upper, wary)
    }
}

/// The state of the database at one moment.
pub(super) struct RocksSnapshot {
    options: ReadOptions,
    snapshot: Arc<OwnedSnapshot>,
}

impl RocksSnapshot {
    pub(super) fn new(snapshot: Arc<OwnedSnapshot>) -> Self {
        RocksSnapshot {
            options: snapshot.read_options(),
            snapshot,
        }
    }

    pub(super) fn source(&self, table: &TableHandle) -> Result<TableSource> {
        let family = rows::shared_family(table, self.snapshot.db())?;
        Ok(TableSource {
            family,
            snapshot: Arc::clone(&self.snapshot),
        })
    }
}

impl Snapshot for RocksSnapshot {
    fn sequence(&self) -> u64 {
        self.snapshot.sequence()
    }

    fn get(
        &self,
        table: &TableHandle,
        bucket: u8,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<bool> {
        rows::get(self.snapshot.db(), &self.options, table, bucket, key, found)
    }

    fn multi_get(
        &self,
        table: &TableHandle,
        keys: &[(u8, Vec<u8>)],
        found: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        rows::multi_get(self.snapshot.db(), &self.options, table, keys, found)
    }

    fn cursor(&self, table: &TableHandle, request: CursorRequest) -> Result<Box<dyn Cursor>> {
        Ok(cursor::open(self.source(table)?, table.salted(), request))
    }
}

impl fmt::Debug for RocksSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RocksSnapshot")
            .field("sequence", &self.sequence())
            .finish()
    }
}
