//! The entries of indexes that change with the rows of a write.
//!
//! Of each row that a statement writes there is what it was and what it becomes. Both make entries,
//! which are compared by their bytes: where they are the same, because no column of the index
//! changed, nothing is written. All of it goes into the batch of the rows, under their latches.
//!
//! A key of a UNIQUE index that gets an entry is latched as a row is, so that of two statements that
//! want it the second one finds what the first one wrote. The entries of a statement are looked at
//! together: what one row gives up another may take.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;

use crate::catalog::ChangeLog;
use crate::codec::BatchDecoder;
use crate::error::{Error, Result};
use crate::store::{LatchRequest, Store, WriteBatch};
use crate::table::index_target::{EntryBytes, IndexTarget};
use crate::table::request;
use crate::table::row_keys::RowKeys;
use crate::table::write_set::WriteSet;
use crate::table::write_target::WriteTarget;

/// Rows whose entries are made at a time.
const CHUNK: usize = 1_024;
/// Bytes of rows that end such a chunk before it has all of its rows.
const CHUNK_BYTES: usize = 8 << 20;

/// The indexes of a table that a statement writes.
#[derive(Debug, Default)]
pub(crate) struct TableIndexes {
    /// Those whose entries it keeps.
    pub(crate) targets: Vec<Arc<IndexTarget>>,
    /// The logs of those that are being built.
    pub(crate) logs: Vec<Arc<ChangeLog>>,
}

impl TableIndexes {
    /// The target of the index of that id.
    pub(super) fn target(&self, id: u32) -> Option<&Arc<IndexTarget>> {
        self.targets
            .iter()
            .find(|target| target.index().def.id == id)
    }
}

/// What a write does to the indexes of its table.
pub(super) struct Upkeep<'a> {
    target: &'a WriteTarget,
    indexes: &'a TableIndexes,
    /// The rows that the statement gave.
    set: &'a WriteSet,
    before: BatchDecoder,
    after: BatchDecoder,
    /// The rows whose entries are not made yet.
    pending: Vec<Pending>,
    /// The keys of the rows of this write, and the entries that change.
    arena: Vec<u8>,
    rows: Vec<Range<usize>>,
    changes: Vec<Change>,
    /// How many bytes of entries there are.
    bytes: u64,
}

/// A row: where it stands among those before and those after the write, and its key.
struct Pending {
    before: Option<usize>,
    after: Option<usize>,
    row: usize,
}

/// What becomes of one key of an index.
struct Change {
    /// The number of the index.
    index: usize,
    bucket: u8,
    key: Range<usize>,
    /// The value of the entry that is put; without one the entry goes.
    value: Option<Range<usize>>,
    /// Whether the key was one of the same row before.
    keeps_key: bool,
    is_unique: bool,
    row: usize,
}

impl<'a> Upkeep<'a> {
    /// Of the write of a set; its rows and their entries together are kept within its limit.
    pub(super) fn new(
        target: &'a WriteTarget,
        indexes: &'a TableIndexes,
        set: &'a WriteSet,
    ) -> Result<Self> {
        let all: Vec<usize> = (0..target.def().columns.len()).collect();
        Ok(Upkeep {
            before: request::decoder(target.def(), &all)?,
            after: request::decoder(target.def(), &all)?,
            target,
            indexes,
            pending: Vec::new(),
            arena: Vec::new(),
            rows: Vec::new(),
            changes: Vec::new(),
            bytes: 0,
            set,
        })
    }

    /// Whether it needs to know what the rows were.
    pub(super) fn compares(&self) -> bool {
        !self.indexes.targets.is_empty()
    }

    /// Takes note of a row of the write: its key, its value before and after it.
    pub(super) fn row(
        &mut self,
        key: &[u8],
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<()> {
        if before.is_none() && after.is_none() && self.compares() {
            return Ok(());
        }
        let row = self.rows.len();
        let key_at = self.keep(key);
        self.rows.push(key_at);
        if !self.compares() || before == after {
            return Ok(());
        }
        let mut pending = Pending {
            before: None,
            after: None,
            row,
        };
        if let Some(value) = before {
            pending.before = Some(self.before.len());
            self.before.push(key, value)?;
        }
        if let Some(value) = after {
            pending.after = Some(self.after.len());
            self.after.push(key, value)?;
        }
        self.pending.push(pending);
        let bytes = self.before.bytes() + self.after.bytes();
        match self.pending.len() >= CHUNK || bytes > CHUNK_BYTES {
            true => self.make_entries(),
            false => Ok(()),
        }
    }

    fn keep(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.arena.len();
        self.arena.extend_from_slice(bytes);
        start..self.arena.len()
    }

    fn make_entries(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let (before, after) = (self.before.finish()?, self.after.finish()?);
        let pending = std::mem::take(&mut self.pending);
        let indexes = self.indexes;
        for (number, target) in indexes.targets.iter().enumerate() {
            self.compare(number, target, &pending, &before, &after)?;
        }
        Ok(())
    }

    fn compare(
        &mut self,
        number: usize,
        target: &IndexTarget,
        pending: &[Pending],
        before: &RecordBatch,
        after: &RecordBatch,
    ) -> Result<()> {
        let (before, after) = (target.entries(before)?, target.entries(after)?);
        for row in pending {
            let old = row.before.and_then(|row| before.get(row));
            let new = row.after.and_then(|row| after.get(row));
            if old == new {
                continue;
            }
            let same_key =
                |a: &EntryBytes<'_>, b: &EntryBytes<'_>| (a.bucket, a.key) == (b.bucket, b.key);
            let keeps_key = old
                .as_ref()
                .zip(new.as_ref())
                .is_some_and(|(a, b)| same_key(a, b));
            if let Some(old) = old.filter(|_| !keeps_key) {
                self.change(number, &old, false, keeps_key, row.row)?;
            }
            if let Some(new) = new {
                self.change(number, &new, true, keeps_key, row.row)?;
            }
        }
        Ok(())
    }

    fn change(
        &mut self,
        index: usize,
        entry: &EntryBytes<'_>,
        puts: bool,
        keeps_key: bool,
        row: usize,
    ) -> Result<()> {
        let value = match puts {
            true => entry.value.len(),
            false => 0,
        };
        self.bytes += (entry.key.len() + value + size_of::<Change>()) as u64;
        if self.bytes.saturating_add(self.set.bytes()) > self.set.limit() {
            return Err(Error::limit(format!(
                "the statement and its index entries write more than max_statement_bytes ({}); \
                 nothing was written",
                self.set.limit()
            )));
        }
        let key = self.keep(entry.key);
        let value = puts.then(|| self.keep(entry.value));
        self.changes.push(Change {
            index,
            bucket: entry.bucket,
            key,
            value,
            keeps_key,
            is_unique: entry.is_unique,
            row,
        });
        Ok(())
    }

    /// Makes the entries that are left, and says which latches the write needs besides those of its
    /// rows: of the keys of UNIQUE indexes that it takes.
    pub(super) fn finish(&mut self) -> Result<LatchRequest> {
        self.make_entries()?;
        let arena = &self.arena;
        let place = |change: &Change| (change.index, change.bucket);
        // What goes comes before what takes its place.
        self.changes.sort_by(|a, b| {
            let by_key = || arena[a.key.clone()].cmp(&arena[b.key.clone()]);
            let order = place(a).cmp(&place(b)).then_with(by_key);
            order.then_with(|| match (&a.value, &b.value) {
                (None, Some(_)) => Ordering::Less,
                (Some(_), None) => Ordering::Greater,
                _ => Ordering::Equal,
            })
        });
        let taken = self.changes.iter().filter(|change| change.takes());
        Ok(LatchRequest::rows(taken.map(|change| {
            let id = self.indexes.targets[change.index].index().def.id;
            latch_key(id, &arena[change.key.clone()])
        })))
    }

    /// Adds what changes in the indexes to the batch of the rows, all of whose latches are held, and
    /// notes the rows for indexes that are being built.
    ///
    /// # Errors
    /// [`Constraint`](crate::ErrorKind::Constraint) for a key of a UNIQUE index that another row
    /// has.
    pub(super) fn write(self, store: &dyn Store, batch: &mut WriteBatch) -> Result<()> {
        let key = |change: &Change| &self.arena[change.key.clone()];
        let same =
            |a: &Change, b: &Change| (a.index, a.bucket) == (b.index, b.bucket) && key(a) == key(b);
        let mut taken: Vec<&Change> = Vec::new();
        for changes in self.changes.chunk_by(same) {
            let puts = changes.iter().filter(|change| change.value.is_some());
            let mut puts = puts.collect::<Vec<_>>();
            let Some(put) = puts.pop() else { continue };
            if let Some(other) = puts.pop() {
                // The one that the statement gave first has it.
                let order = |change: &Change| self.set.order_of(self.row_of(change));
                let (put, other) = match order(put) < order(other) {
                    true => (other, put),
                    false => (put, other),
                };
                return Err(self.duplicate(put, self.row_of(other)));
            }
            if put.takes() && puts.is_empty() && changes.len() == 1 {
                taken.push(put);
            }
        }
        self.refuse_owned(store, &taken)?;
        for changes in self.changes.chunk_by(same) {
            let Some(last) = changes.last() else { continue };
            let handle = &self.indexes.targets[last.index].index().handle;
            match &last.value {
                Some(value) => {
                    let value = &self.arena[value.clone()];
                    batch.put(handle, last.bucket, key(last), value);
                }
                None => batch.delete(handle, last.bucket, key(last)),
            }
        }
        for log in &self.indexes.logs {
            log.note(self.rows.iter().map(|row| &self.arena[row.clone()]));
        }
        Ok(())
    }

    /// Fails if one of these keys has an entry.
    fn refuse_owned(&self, store: &dyn Store, taken: &[&Change]) -> Result<()> {
        for changes in taken.chunk_by(|a, b| a.index == b.index) {
            let index = self.indexes.targets[changes[0].index].index();
            for changes in changes.chunks(CHUNK) {
                let keys = changes.iter();
                let keys: Vec<(u8, Vec<u8>)> = keys
                    .map(|change| (change.bucket, self.arena[change.key.clone()].to_vec()))
                    .collect();
                let mut owned = None;
                store.multi_get(&index.handle, &keys, &mut |at, value| {
                    owned.get_or_insert_with(|| (at, value.to_vec()));
                    Ok(())
                })?;
                if let Some((at, value)) = owned {
                    let mut owner = RowKeys::new(index, self.target.def())?;
                    owner.push(&keys[at].1, &value)?;
                    let owner = owner.take()?.pop().unwrap_or_default();
                    return Err(self.duplicate(changes[at], &owner.1));
                }
            }
        }
        Ok(())
    }

    fn duplicate(&self, change: &Change, owner: &[u8]) -> Error {
        let index = self.indexes.targets[change.index].index();
        let row = self.row_of(change);
        let value = &self.arena[change.key.clone()];
        let error = index.duplicate_of(self.target.def(), value, row, owner);
        self.set.explain(row, error)
    }

    /// The key of the row that an entry is of.
    fn row_of(&self, change: &Change) -> &[u8] {
        &self.arena[self.rows[change.row].clone()]
    }
}

impl Change {
    /// Whether a row takes a key that it did not have and that no other may have.
    fn takes(&self) -> bool {
        self.is_unique && self.value.is_some() && !self.keeps_key
    }
}

/// What stands for a key of an index among the keys of rows that are latched.
pub(super) fn latch_key(index: u32, key: &[u8]) -> Vec<u8> {
    [&index.to_be_bytes(), key].concat()
}
