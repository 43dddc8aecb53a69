//! The rows that were written while the entries of an index were made from a snapshot.
//!
//! A file that is loaded is newer than what was deleted before, so that the entries of rows that
//! changed since the snapshot are all there, as they were. Of each row that was noted the entry that
//! it has in the index (that of the snapshot, or the one that was put since) is replaced by that of
//! the row as it is now.
//!
//! Between rows that were noted and not yet looked at, two may have one value of a UNIQUE index for
//! a while: one has it in the index and the other in the table. So the entry of a row is taken away
//! only where it is still its own, and another row's entry is an error only if that row has the
//! value now.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;

use crate::catalog::{Entry, IndexEntry};
use crate::error::Result;
use crate::store::{Snapshot, Store, WriteBatch};
use crate::table::{EntryBytes, IndexTarget, RowKeys, request_decoder};

/// The bucket and the key of an entry or a row.
type Place = (u8, Vec<u8>);

/// Brings an index up to the rows that were noted.
pub(super) struct CatchUp {
    entry: Arc<Entry>,
    target: Arc<IndexTarget>,
    snapshot: Arc<dyn Snapshot>,
    store: Arc<dyn Store>,
    /// Of each row that was looked at, the entry that it has in the index.
    placed: HashMap<Vec<u8>, Option<Place>>,
    done: u64,
}

/// The rows of some keys, and their entries.
struct Rows {
    batch: RecordBatch,
    /// For each key the place of its row in the batch.
    places: Vec<Option<usize>>,
}

impl CatchUp {
    /// Rows that are looked at together, if it is not known how long they take.
    pub(super) const ROWS: usize = 64;

    /// Of an index that was filled from `snapshot`.
    pub(super) fn new(
        entry: Arc<Entry>,
        target: Arc<IndexTarget>,
        snapshot: Arc<dyn Snapshot>,
        store: Arc<dyn Store>,
    ) -> Self {
        CatchUp {
            entry,
            target,
            snapshot,
            store,
            placed: HashMap::new(),
            done: 0,
        }
    }

    fn index(&self) -> &Arc<IndexEntry> {
        self.target.index()
    }

    /// How many rows are noted and not looked at.
    pub(super) fn left(&self) -> usize {
        self.index().log.as_ref().map_or(0, |log| log.len())
    }

    /// How many rows were looked at.
    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// Takes the keys of the rows that are noted.
    pub(super) fn take(&self) -> Vec<Vec<u8>> {
        let noted = self.index().log.as_ref().map(|log| log.take());
        noted.unwrap_or_default().into_iter().collect()
    }

    /// Notes rows once more, because they were not looked at.
    pub(super) fn put_back(&self, rows: &[Vec<u8>]) {
        if let Some(log) = &self.index().log {
            log.note(rows.iter().map(Vec::as_slice));
        }
    }

    /// Looks at the rows that are noted, for as long as it is told, while nobody writes the table;
    /// returns whether those were all.
    ///
    /// # Errors
    /// Those of [`CatchUp::rows`].
    pub(super) fn rest(&mut self, within: Option<Duration>) -> Result<bool> {
        let started = Instant::now();
        let rows = self.take();
        for (at, some) in rows.chunks(CatchUp::ROWS).enumerate() {
            if within.is_some_and(|within| started.elapsed() > within) {
                self.put_back(&rows[at * CatchUp::ROWS..]);
                return Ok(false);
            }
            self.rows(some)?;
        }
        Ok(true)
    }

    /// Makes the entries of rows those that they are to have now; nobody writes these rows
    /// meanwhile.
    ///
    /// # Errors
    /// [`Constraint`](crate::ErrorKind::Constraint) if two rows agree in a UNIQUE index.
    pub(super) fn rows(&mut self, keys: &[Vec<u8>]) -> Result<()> {
        let layout = self.entry.def.key_layout();
        let places = keys.iter();
        let places = places.map(|key| Ok((layout.bucket_of(key)?, key.clone())));
        let places = places.collect::<Result<Vec<Place>>>()?;
        let is_new = |(_, key): &&Place| !self.placed.contains_key(key);
        let new: Vec<Place> = places.iter().filter(is_new).cloned().collect();
        let before = self.read(&new, true)?;
        let now = self.read(&places, false)?;
        let (entries_before, entries_now) = (
            self.target.entries(&before.batch)?,
            self.target.entries(&now.batch)?,
        );
        let place = |entry: EntryBytes<'_>| (entry.bucket, entry.key.to_vec());
        let mut before = before.places.into_iter();
        let mut batch = WriteBatch::new();
        for (at, (_, key)) in places.iter().enumerate() {
            let there = match self.placed.get(key) {
                Some(placed) => placed.clone(),
                None => before
                    .next()
                    .flatten()
                    .and_then(|row| entries_before.get(row))
                    .map(place),
            };
            let wanted = now.places[at].and_then(|row| entries_now.get(row));
            self.replace(&mut batch, key, there, wanted)?;
            self.placed.insert(key.clone(), wanted.map(place));
            // In a UNIQUE index the next row is to find it.
            if self.index().def.unique {
                self.store.write(std::mem::take(&mut batch))?;
            }
        }
        self.store.write(batch)?;
        self.done += keys.len() as u64;
        Ok(())
    }

    /// Puts the entry of one row in the place of the one that it has.
    fn replace(
        &self,
        batch: &mut WriteBatch,
        row: &[u8],
        there: Option<Place>,
        wanted: Option<EntryBytes<'_>>,
    ) -> Result<()> {
        let index = self.index();
        let stays = |place: &Place| {
            wanted.is_some_and(|entry| (entry.bucket, entry.key) == (place.0, &place.1[..]))
        };
        if let Some(place) = there.filter(|place| !stays(place)) {
            // Keys of entries have the row's key in them, unless the index is UNIQUE.
            let is_own = !index.def.unique || self.owner(&place)?.as_deref() == Some(row);
            if is_own {
                batch.delete(&index.handle, place.0, &place.1);
            }
        }
        if let Some(entry) = wanted {
            if entry.is_unique {
                self.refuse_owned(row, entry)?;
            }
            batch.put(&index.handle, entry.bucket, entry.key, entry.value);
        }
        Ok(())
    }

    /// Fails if a row other than this one has the entry's key, and is to have it.
    fn refuse_owned(&self, row: &[u8], entry: EntryBytes<'_>) -> Result<()> {
        let Some(owner) = self.owner(&(entry.bucket, entry.key.to_vec()))? else {
            return Ok(());
        };
        if owner == row {
            return Ok(());
        }
        let def = &self.entry.def;
        let place = (def.key_layout().bucket_of(&owner)?, owner);
        let now = self.read(std::slice::from_ref(&place), false)?;
        let entries = self.target.entries(&now.batch)?;
        let has = entries
            .get(0)
            .is_some_and(|other| (other.bucket, other.key) == (entry.bucket, entry.key));
        match has {
            true => Err(self.index().duplicate_of(def, entry.key, row, &place.1)),
            false => Ok(()),
        }
    }

    /// The key of the row that has the entry of that key in the index.
    fn owner(&self, place: &Place) -> Result<Option<Vec<u8>>> {
        let mut keys = RowKeys::new(self.index(), &self.entry.def)?;
        let mut push = |value: &[u8]| keys.push(&place.1, value);
        let handle = &self.index().handle;
        if !self.store.get(handle, place.0, &place.1, &mut push)? {
            return Ok(None);
        }
        Ok(keys.take()?.pop().map(|(_, key)| key))
    }

    /// The rows of some keys, as they were in the snapshot or as they are.
    fn read(&self, places: &[Place], before: bool) -> Result<Rows> {
        let def = &self.entry.def;
        let all: Vec<usize> = (0..def.columns.len()).collect();
        let mut decoder = request_decoder(def, &all)?;
        let mut found = vec![None; places.len()];
        let mut rows = 0;
        let mut push = |at: usize, value: &[u8]| {
            decoder.push(&places[at].1, value)?;
            found[at] = Some(rows);
            rows += 1;
            Ok(())
        };
        let handle = &self.entry.handle;
        match before {
            true => self.snapshot.multi_get(handle, places, &mut push)?,
            false => self.store.multi_get(handle, places, &mut push)?,
        }
        Ok(Rows {
            batch: decoder.finish()?,
            places: found,
        })
    }
}
