//! The one function that writes.

use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use tokio::runtime::Handle;

use crate::error::{Error, Result};
use crate::store::{Committer, LatchGuard, LatchRequest, Snapshot, Store, WriteBatch};
use crate::table::conflict::Resolved;
use crate::table::returned::Returned;
use crate::table::upkeep::Upkeep;
use crate::table::write_set::{Op, WriteSet, duplicate};
use crate::table::write_target::WriteTarget;

/// Rows of a batch that is still written on the caller's thread.
const SMALL_BATCH: usize = 1_000;
/// Keys that are re-read at a time.
pub(super) const CHUNK: usize = 1_024;

/// When a write is acknowledged.
///
/// ```
/// use rocksalt::{Database, Durability};
/// # futures::executor::block_on(async {
/// let db = Database::builder().durability(Durability::Buffered).in_memory().await?;
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Durability {
    /// Once it is on disk: no crash loses it.
    #[default]
    Synced,
    /// Once it is with the operating system: a crash of the process loses nothing, a power
    /// failure may lose the last moments.
    Buffered,
}

/// What the rows of a write set were computed from.
pub(crate) enum ReadBefore {
    /// From nothing that is stored in the table.
    Nothing,
    /// From this state of the table, without latches.
    Snapshot(Arc<dyn Snapshot>),
    /// From a state of the table that was taken under these latches.
    Latched(LatchGuard),
}

/// What came of a write.
pub(crate) enum Written {
    /// All rows are written, and durable as asked.
    Done(Effect),
    /// Nothing is written: rows have changed since they were read, or are others than those
    /// latched. The latches are what the next try is to begin with.
    Changed(LatchRequest),
}

/// What a try to write under some latches came to.
enum Prepared {
    /// This is to be written, with this effect.
    Batch(WriteBatch, Effect),
    /// It takes more latches than are held: these.
    Wants(LatchRequest),
}

/// How often a write takes the latches that it turned out to need, before it takes the whole table.
const TRIES: usize = 2;

/// What a write did.
#[derive(Debug)]
pub(crate) struct Effect {
    /// The rows that the statement wrote: all that it gave, or of proposals those that were
    /// inserted or changed another row.
    pub(crate) affected: u64,
    /// What it returns of its rows, if it returns them, in the order in which it gave them.
    pub(crate) returned: Vec<RecordBatch>,
}

/// What a write needs besides its rows.
pub(crate) struct Writer<'a> {
    pub(crate) store: &'a Arc<dyn Store>,
    pub(crate) committer: &'a Committer,
    pub(crate) durability: Durability,
    pub(crate) lock_timeout: Duration,
    /// Keeps the time while a latch is waited for, and has the threads for large batches.
    pub(crate) runtime: &'a Handle,
}

impl Writer<'_> {
    /// The same, acknowledging otherwise.
    pub(crate) fn with_durability(self, durability: Durability) -> Self {
        Writer { durability, ..self }
    }

    /// Writes all of a resolved set or nothing: latches its rows, re-reads those that it depends
    /// on, writes one batch in (bucket, key) order, and acknowledges when it is as durable as
    /// asked. Latches, and `held`, end with the write, before the sync.
    ///
    /// # Errors
    /// [`Constraint`](crate::ErrorKind::Constraint) for a key that must not exist, and for one that
    /// a statement proposes twice that may write it once;
    /// [`Conflict`](crate::ErrorKind::Conflict) when a latch is not had in time.
    pub(crate) async fn write(
        &self,
        target: &WriteTarget,
        set: &WriteSet,
        before: ReadBefore,
        held: impl Send + 'static,
    ) -> Result<Written> {
        if set.is_empty() {
            return Ok(Written::Done(Effect {
                affected: set.affected(),
                returned: Vec::new(),
            }));
        }
        let wanted = request(set);
        let (mut guard, snapshot, latched) = match before {
            ReadBefore::Latched(guard) if guard.covers(&wanted) => (guard, None, true),
            ReadBefore::Latched(_) => return Ok(Written::Changed(wanted)),
            ReadBefore::Nothing => (self.latch(target, wanted).await?, None, false),
            ReadBefore::Snapshot(snapshot) => {
                (self.latch(target, wanted).await?, Some(snapshot), false)
            }
        };
        let mut tries = 0;
        let (batch, effect) = loop {
            if let Some(snapshot) = &snapshot
                && snapshot.sequence() != self.store.sequence()
                && self.has_changed(target, set, &**snapshot)?
            {
                return Ok(Written::Changed(guard.request().clone()));
            }
            match self.prepare(target, set, &mut guard)? {
                Prepared::Batch(batch, effect) => break (batch, effect),
                // What was computed under other latches may be otherwise under these.
                Prepared::Wants(request) if latched => return Ok(Written::Changed(request)),
                Prepared::Wants(request) => {
                    drop(guard);
                    let request = match tries {
                        TRIES.. => LatchRequest::table(),
                        _ => request,
                    };
                    guard = self.latch(target, request).await?;
                    tries += 1;
                }
            }
        };
        let rows = batch.len();
        if rows == 0 {
            return Ok(Written::Done(effect));
        }
        match self.durability {
            Durability::Synced => self.committer.commit(batch, (guard, held)).await?,
            Durability::Buffered if rows <= SMALL_BATCH => self.store.write(batch)?,
            Durability::Buffered => {
                let store = self.store.clone();
                let write = move || {
                    let written = store.write(batch);
                    drop((guard, held));
                    written
                };
                let task = self.runtime.spawn_blocking(write).await;
                task.map_err(|e| Error::internal("a write panicked").with_source(e))??;
            }
        }
        Ok(Written::Done(effect))
    }

    /// What a set comes to, what it depends on being looked up under the latches of its rows.
    fn prepare(
        &self,
        target: &WriteTarget,
        set: &WriteSet,
        guard: &mut LatchGuard,
    ) -> Result<Prepared> {
        // What is returned is made before anything is written: where that fails nothing is.
        let mut returned = target.returning().map(|r| Returned::new(r));
        let indexes = target.indexes();
        let mut upkeep = match indexes {
            Some(indexes) => Some(Upkeep::new(target, indexes, set)?),
            None => None,
        };
        let (mut batch, affected) = match target.conflict() {
            Some(conflict) => {
                let resolved = self.resolve(
                    target,
                    conflict,
                    set,
                    guard,
                    returned.as_mut(),
                    upkeep.as_mut(),
                );
                match resolved? {
                    Resolved::Batch(batch, affected) => (batch, affected),
                    Resolved::Wants(request) => return Ok(Prepared::Wants(request)),
                }
            }
            None => (
                self.batch(target, set, returned.as_mut(), upkeep.as_mut())?,
                set.affected(),
            ),
        };
        if let Some(mut upkeep) = upkeep {
            let keys = upkeep.finish()?;
            if !guard.try_extend(&keys) {
                return Ok(Prepared::Wants(guard.request().and(&keys)));
            }
            upkeep.write(&**self.store, &mut batch)?;
        }
        let effect = Effect {
            affected,
            returned: match returned {
                Some(returned) => returned.finish(target)?,
                None => Vec::new(),
            },
        };
        Ok(Prepared::Batch(batch, effect))
    }

    /// The latches that `request` asks for, at once or after waiting.
    pub(crate) async fn latch(
        &self,
        target: &WriteTarget,
        request: LatchRequest,
    ) -> Result<LatchGuard> {
        let latches = &target.entry().latches;
        match latches.try_acquire(&request) {
            Some(guard) => Ok(guard),
            None => {
                latches
                    .acquire(request, self.lock_timeout, self.runtime)
                    .await
            }
        }
    }

    /// Whether a row that the set writes is now another than the snapshot saw.
    fn has_changed(
        &self,
        target: &WriteTarget,
        set: &WriteSet,
        snapshot: &dyn Snapshot,
    ) -> Result<bool> {
        let handle = &target.entry().handle;
        for chunk in chunks(set, |_| true) {
            let keys = keys(set, &chunk);
            let mut then: Vec<Option<Vec<u8>>> = vec![None; keys.len()];
            snapshot.multi_get(handle, &keys, &mut |i, value| {
                then[i] = Some(value.to_vec());
                Ok(())
            })?;
            let mut same = 0;
            let mut now = 0;
            self.store.multi_get(handle, &keys, &mut |i, value| {
                now += 1;
                same += usize::from(then[i].as_deref() == Some(value));
                Ok(())
            })?;
            if same != now || now != then.iter().flatten().count() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The batch of the set, what it merges into, what must not exist and what is returned of
    /// deleted rows being looked up now.
    fn batch(
        &self,
        target: &WriteTarget,
        set: &WriteSet,
        mut returned: Option<&mut Returned<'_>>,
        mut upkeep: Option<&mut Upkeep<'_>>,
    ) -> Result<WriteBatch> {
        let handle = &target.entry().handle;
        let mut batch = WriteBatch::with_capacity(set.len(), set.bytes() as usize);
        let returns_deleted = returned.as_ref().is_some_and(|returned| returned.deleted());
        let compares = upkeep.as_ref().is_some_and(|upkeep| upkeep.compares());
        let reads = |op| match op {
            Op::Merge | Op::Insert => true,
            Op::Delete => returns_deleted || compares,
            Op::Put | Op::Propose => compares,
        };
        // What stands there now, of the rows that depend on it, a chunk ahead of the batch.
        let mut read = chunks(set, reads).into_iter();
        let mut found: Vec<(usize, Option<Vec<u8>>)> = Vec::new();
        let mut next = 0;
        let mut merged = Vec::new();
        let mut decoder = target.decoder();
        for (index, (op, bucket, key, value)) in set.iter().enumerate() {
            let mut put = |value: &[u8], old: Option<&[u8]>| {
                batch.put(handle, bucket, key, value);
                if let Some(upkeep) = &mut upkeep {
                    upkeep.row(key, old, Some(value))?;
                }
                match &mut returned {
                    Some(returned) => returned.push(set.order(index), key, value),
                    None => Ok(()),
                }
            };
            if !reads(op) {
                match op {
                    Op::Delete => {
                        batch.delete(handle, bucket, key);
                        if let Some(upkeep) = &mut upkeep {
                            upkeep.row(key, None, None)?;
                        }
                    }
                    _ => put(value, None)?,
                }
                continue;
            }
            if next == found.len() {
                let chunk = read.next().unwrap_or_default();
                let keys = keys(set, &chunk);
                found = chunk.into_iter().map(|i| (i, None)).collect();
                next = 0;
                self.store.multi_get(handle, &keys, &mut |i, value| {
                    found[i].1 = Some(value.to_vec());
                    Ok(())
                })?;
            }
            debug_assert_eq!(found[next].0, index);
            let old = found[next].1.take();
            next += 1;
            match (op, old) {
                (Op::Insert, Some(_)) => {
                    return Err(duplicate(
                        target.layout(),
                        &target.def().display_name(),
                        key,
                    ));
                }
                (Op::Merge, Some(old)) => {
                    merged.clear();
                    target.merge(&mut decoder, &old, value, &mut merged)?;
                    put(&merged, Some(&old))?;
                }
                (Op::Merge, None) => {
                    target.check_new(&mut decoder, value)?;
                    put(value, None)?;
                }
                (Op::Delete, old) => {
                    batch.delete(handle, bucket, key);
                    if let Some(upkeep) = &mut upkeep {
                        upkeep.row(key, old.as_deref(), None)?;
                    }
                    if let (Some(returned), Some(old), true) = (&mut returned, old, returns_deleted)
                    {
                        returned.push(set.order(index), key, &old)?;
                    }
                }
                (_, old) => put(value, old.as_deref())?,
            }
        }
        Ok(batch)
    }
}

/// The latches of the rows of a set.
pub(crate) fn request(set: &WriteSet) -> LatchRequest {
    if set.len() > LatchRequest::WHOLE_TABLE_ROWS {
        return LatchRequest::table();
    }
    LatchRequest::rows(set.iter().map(|(_, _, key, _)| key))
}

/// The operations that `wanted` chooses, by index, some at a time.
fn chunks(set: &WriteSet, wanted: impl Fn(Op) -> bool) -> Vec<Vec<usize>> {
    let mut chunks: Vec<Vec<usize>> = Vec::new();
    for (index, (op, ..)) in set.iter().enumerate() {
        if !wanted(op) {
            continue;
        }
        match chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(index),
            _ => chunks.push(vec![index]),
        }
    }
    chunks
}

fn keys(set: &WriteSet, indices: &[usize]) -> Vec<(u8, Vec<u8>)> {
    indices
        .iter()
        .map(|index| {
            let (_, bucket, key, _) = set.get(*index);
            (bucket, key.to_vec())
        })
        .collect()
}
