//! What RocksDB lends, owned together with the database that lends it.
//!
//! The binding ties families, snapshots and iterators to a borrow of the database. A scan
//! outlives every borrow: it waits in a queue, crosses threads and may be the last to hold the
//! database. So each of these types keeps the database's `Arc` beside what was borrowed from it.
//!
//! **Why this is sound.** Three things make a lifetime longer than the compiler can see, and the
//! same argument holds for each:
//! - the `DB` lives on the heap behind an `Arc` that is never taken apart, so it does not move;
//! - what was borrowed stands before its owner in the struct, and fields are dropped in the order
//!   of their declaration, so it is gone before the owner can be;
//! - the longer lifetime is private to this file: what methods return lives no longer than
//!   `&self`.

#![allow(unsafe_code)]

use std::ops::Deref;
use std::sync::Arc;

use rocksdb::{BoundColumnFamily, DB, DBRawIterator, ReadOptions, Snapshot};

use crate::error::Result;
use crate::store::cursor::RawIterator;
use crate::store::rocks::error::from_rocksdb;
use crate::store::rocks::folder::Folder;

/// An open database and its folder, which stays locked until the last reader has ended.
pub(super) struct OpenDatabase {
    db: DB,
    folder: Option<Folder>,
}

impl OpenDatabase {
    pub(super) fn new(db: DB, folder: Option<Folder>) -> Arc<Self> {
        Arc::new(OpenDatabase { db, folder })
    }

    /// The folder, unless the database is in memory.
    pub(super) fn folder(&self) -> Option<&Folder> {
        self.folder.as_ref()
    }
}

impl Deref for OpenDatabase {
    type Target = DB;

    fn deref(&self) -> &DB {
        &self.db
    }
}

/// A column family and its database.
pub(super) struct OwnedFamily {
    family: Arc<BoundColumnFamily<'static>>,
    db: Arc<OpenDatabase>,
}

impl OwnedFamily {
    /// The family of that name.
    pub(super) fn find(db: &Arc<OpenDatabase>, name: &str) -> Option<Self> {
        let family = db.cf_handle(name)?;
        // SAFETY: only the lifetime changes; `family` is dropped before `db`, see above.
        let family = unsafe {
            std::mem::transmute::<Arc<BoundColumnFamily<'_>>, Arc<BoundColumnFamily<'static>>>(
                family,
            )
        };
        Some(OwnedFamily {
            family,
            db: Arc::clone(db),
        })
    }

    /// The family, for the binding's calls. None of them keeps it.
    pub(super) fn handle<'a>(&'a self) -> &'a Arc<BoundColumnFamily<'a>> {
        &self.family
    }

    /// Whether the family is of this database.
    pub(super) fn is_of(&self, db: &Arc<OpenDatabase>) -> bool {
        Arc::ptr_eq(&self.db, db)
    }
}

/// A snapshot and its database.
pub(super) struct OwnedSnapshot {
    snapshot: Snapshot<'static>,
    db: Arc<OpenDatabase>,
}

impl OwnedSnapshot {
    /// A snapshot of now.
    pub(super) fn take(db: &Arc<OpenDatabase>) -> Arc<Self> {
        let snapshot = db.snapshot();
        // SAFETY: only the lifetime changes; `snapshot` is dropped before `db`, see above.
        let snapshot = unsafe { std::mem::transmute::<Snapshot<'_>, Snapshot<'static>>(snapshot) };
        Arc::new(OwnedSnapshot {
            snapshot,
            db: Arc::clone(db),
        })
    }

    /// The database.
    pub(super) fn db(&self) -> &Arc<OpenDatabase> {
        &self.db
    }

    /// The number of the last write that it sees.
    pub(super) fn sequence(&self) -> u64 {
        self.snapshot.sequence_number()
    }

    /// Options that read this snapshot. They must not be used without it.
    pub(super) fn read_options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.set_snapshot(&self.snapshot);
        options
    }
}

/// How many deleted or overwritten entries a wary iterator walks through at a time: about as long
/// as a new iterator takes. Tests have to meet it with few rows.
const WARY_SKIPS: u64 = if cfg!(test) { 2 } else { 200 };

/// An iterator, its snapshot and, through that, its database.
///
/// The family is not needed: an iterator pins the files it reads, dropped or not.
pub(super) struct OwnedIterator {
    iter: DBRawIterator<'static>,
    _snapshot: Arc<OwnedSnapshot>,
}

impl OwnedIterator {
    /// An iterator over a family of the snapshot's database within `lower..upper`.
    pub(super) fn open(
        snapshot: &Arc<OwnedSnapshot>,
        family: &OwnedFamily,
        lower: &[u8],
        upper: Option<&[u8]>,
        wary: bool,
    ) -> Self {
        let mut options = snapshot.read_options();
        // Without a prefix extractor every seek is one in total order; an extractor that someone
        // adds must not silently change that.
        options.set_total_order_seek(true);
        options.set_background_purge_on_iterator_cleanup(true);
        if wary {
            options.set_max_skippable_internal_keys(WARY_SKIPS);
        }
        options.set_iterate_lower_bound(lower);
        if let Some(upper) = upper {
            options.set_iterate_upper_bound(upper);
        }
        let iter = snapshot.db.raw_iterator_cf_opt(family.handle(), options);
        // SAFETY: only the lifetime changes; `iter` is dropped before the snapshot that it reads
        // and the database that the snapshot owns, see above. The bounds live in `iter`.
        let iter =
            unsafe { std::mem::transmute::<DBRawIterator<'_>, DBRawIterator<'static>>(iter) };
        OwnedIterator {
            iter,
            _snapshot: Arc::clone(snapshot),
        }
    }
}

impl RawIterator for OwnedIterator {
    #[inline]
    fn seek(&mut self, key: &[u8]) {
        self.iter.seek(key);
    }

    #[inline]
    fn seek_for_prev(&mut self, key: &[u8]) {
        self.iter.seek_for_prev(key);
    }

    #[inline]
    fn seek_to_last(&mut self) {
        self.iter.seek_to_last();
    }

    #[inline]
    fn next(&mut self) {
        self.iter.next();
    }

    #[inline]
    fn prev(&mut self) {
        self.iter.prev();
    }

    #[inline]
    fn key(&self) -> Option<&[u8]> {
        self.iter.key()
    }

    #[inline]
    fn value(&self) -> Option<&[u8]> {
        self.iter.value()
    }

    fn status(&self) -> Result<()> {
        self.iter.status().map_err(from_rocksdb)
    }

    fn gave_up(&self) -> bool {
        let status = self.iter.status();
        status.is_err_and(|error| error.kind() == rocksdb::ErrorKind::Incomplete)
    }
}
