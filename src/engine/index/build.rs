//! How the entries of an index are made while its table is written.
//!
//! ```text
//! Catalog::begin_index   from here on statements note the keys of the rows that they write
//! snapshot ──rows──> entries ──sort──> files ──> the index's family
//! CatchUp                the rows that were noted, a few at a time under their latches, again and
//!                        again until few are left
//! Catalog::finish_index  those, while nobody writes the table; then statements read the index
//! ```
//!
//! **Invariants.** Nothing of the index is read before it is complete. Whatever ends the build
//! early, an error or the end of the statement's future, takes the index away.

use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::UInt8Type;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use tokio::sync::mpsc;

use crate::catalog::{Catalog, Entry, IndexEntry, Progress};
use crate::engine::dml::Writes;
use crate::engine::from_datafusion;
use crate::engine::index::catch_up::CatchUp;
use crate::engine::index::entry_sort::sorted_entries;
use crate::engine::index::find_index;
use crate::error::{Error, Result};
use crate::sql::TableName;
use crate::store::{LatchRequest, Store};
use crate::table::RowKeys;

/// When so few rows are left, the build asks for the table's exclusive lock to look at them.
const FEW: usize = 200;
/// How often the build comes no nearer to so few before it asks for it all the same.
const VAIN: usize = 5;
/// How long nobody writes the table while the build looks at the last rows. A statement that the
/// lock waited for may just have written many: then the build lets go and comes back.
const LAST: Duration = Duration::from_millis(100);
/// How often it comes back. Statements that follow each other and write many rows each would else
/// keep the build from ever ending: once, they wait as long as their rows take.
const TRIES: usize = 10;
/// The most rows that are latched at once, if looking at them takes no longer than `TRY`.
const MOST: usize = 4096;
/// How long the build waits for the latches of rows before it lets others go ahead.
const TRY: Duration = Duration::from_millis(40);
/// How often `system.indexes` is told how far it has come.
const TELL: Duration = Duration::from_millis(500);

impl Writes<'_> {
    /// Makes the entries of an index that was begun, and ends it.
    ///
    /// # Errors
    /// [`Constraint`](crate::ErrorKind::Constraint) if two rows agree in a UNIQUE index,
    /// [`Conflict`](crate::ErrorKind::Conflict) if the table was changed meanwhile. There is then no
    /// such index.
    pub(in crate::engine) async fn build_index(
        &self,
        entry: &Arc<Entry>,
        index: &Arc<IndexEntry>,
    ) -> Result<()> {
        let mut begun = Begun {
            catalog: self.catalog,
            index: Some(index),
        };
        let target = self.index_target(entry, index)?;
        let snapshot = self.store.snapshot();
        let entries = sorted_entries(
            entry,
            target.clone(),
            snapshot.clone(),
            self.engine.pool().clone(),
            self.engine.state().task_ctx(),
        )?;
        self.load(entry, index, entries).await?;

        let mut catch_up = CatchUp::new(entry.clone(), target, snapshot, self.store.clone());
        for tries in 0.. {
            self.catch_up(entry, index, &mut catch_up).await?;
            let within = (tries < TRIES).then_some(LAST);
            let (schema, table) = (&entry.def.schema, &entry.def.name);
            let runtime = self.engine.runtime();
            let ended = self
                .catalog
                .finish_index(schema, table, index, runtime, |_| catch_up.rest(within));
            if ended.await? {
                break;
            }
        }
        begun.index = None;
        Ok(())
    }

    /// Looks at the rows that were noted, some at a time under their latches, until few are left
    /// or it comes no further because others write faster.
    async fn catch_up(
        &self,
        entry: &Arc<Entry>,
        index: &Arc<IndexEntry>,
        catch_up: &mut CatchUp,
    ) -> Result<()> {
        let (mut told, mut vain, mut at_once) = (Instant::now(), 0, CatchUp::ROWS);
        while catch_up.left() > FEW && vain < VAIN {
            let before = catch_up.left();
            let (rows, mut may_wait) = (catch_up.take(), true);
            let mut rest = rows.as_slice();
            while !rest.is_empty() {
                self.refuse_gone(entry, index)?;
                let some;
                (some, rest) = rest.split_at(at_once.min(rest.len()));
                let request = LatchRequest::rows(some);
                let mut guard = entry.latches.try_acquire(&request);
                if guard.is_none() && may_wait {
                    // Whoever comes later waits behind us for each of these rows, though another
                    // may hold one alone: so we wait no longer than nobody notices.
                    let latch = entry.latches.acquire(request, TRY, self.engine.runtime());
                    guard = latch.await.ok();
                }
                let Some(guard) = guard else {
                    may_wait = false;
                    catch_up.put_back(some);
                    continue;
                };
                let started = Instant::now();
                catch_up.rows(some)?;
                drop(guard);
                match started.elapsed() {
                    held if held < TRY / 4 => at_once = (at_once * 2).min(MOST),
                    held if held > TRY => at_once = (at_once / 2).max(1),
                    _ => {}
                }
                if told.elapsed() > TELL {
                    told = Instant::now();
                    let caught = Progress::CatchingUp(catch_up.done());
                    self.catalog.index_progress(index, caught)?;
                }
            }
            vain += usize::from(catch_up.left() >= before);
        }
        Ok(())
    }

    /// Builds an index anew beside itself.
    pub(in crate::engine) async fn reindex(&self, name: &TableName) -> Result<()> {
        let (schema, index) = {
            let state = self.catalog.state();
            let (entry, index) = find_index(&state, name)?;
            (entry.def.schema.clone(), index.def.name.clone())
        };
        let runtime = self.engine.runtime();
        let begun = self.catalog.begin_rebuild(&schema, &index, runtime).await;
        let (entry, index) = begun.map_err(|e| e.at(name.position()))?;
        self.build_index(&entry, &index).await
    }

    /// Loads sorted entries into the index's family, on a thread of their own.
    async fn load(
        &self,
        entry: &Arc<Entry>,
        index: &Arc<IndexEntry>,
        entries: SendableRecordBatchStream,
    ) -> Result<()> {
        let (sender, mut progress) = mpsc::unbounded_channel();
        let load = Load {
            store: self.store.clone(),
            entry: entry.clone(),
            index: index.clone(),
            progress: sender,
        };
        let runtime = self.engine.runtime().clone();
        let loading = self
            .engine
            .runtime()
            .spawn_blocking(move || load.run(entries, &runtime));
        let mut told = Instant::now();
        while let Some(rows) = progress.recv().await {
            self.refuse_gone(entry, index)?;
            if told.elapsed() > TELL {
                told = Instant::now();
                self.catalog
                    .index_progress(index, Progress::Entries(rows))?;
            }
        }
        let loaded = loading.await;
        let loaded =
            loaded.map_err(|e| Error::internal("the build of an index panicked").with_source(e))?;
        self.refuse_gone(entry, index)?;
        loaded
    }

    /// Fails if the index is none any more.
    fn refuse_gone(&self, entry: &Entry, index: &IndexEntry) -> Result<()> {
        match self.catalog.has_index(index) {
            true => Ok(()),
            false => Err(index.changed_meanwhile(&entry.def.display_name())),
        }
    }
}

/// An index that is being built. Unless it is taken out, it is taken away.
struct Begun<'a> {
    catalog: &'a Catalog,
    index: Option<&'a Arc<IndexEntry>>,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if let Some(index) = self.index {
            // Should this fail, the next open does it: the index is not ready.
            let _ = self.catalog.abandon_index(index);
        }
    }
}

/// The loading of an index's entries.
struct Load {
    store: Arc<dyn Store>,
    entry: Arc<Entry>,
    index: Arc<IndexEntry>,
    /// Is told how many entries are loaded.
    progress: mpsc::UnboundedSender<u64>,
}

impl Load {
    fn run(
        &self,
        mut entries: SendableRecordBatchStream,
        runtime: &tokio::runtime::Handle,
    ) -> Result<()> {
        let mut last: Option<(u8, Vec<u8>, Vec<u8>)> = None;
        let mut loaded = 0;
        self.store.load(&self.index.handle, &mut |push| {
            let next = runtime.block_on(async {
                tokio::select! {
                    biased;
                    () = self.progress.closed() => Err(()),
                    next = entries.next() => Ok(next),
                }
            });
            // Nobody listens any more if the statement was ended.
            let next =
                next.map_err(|()| Error::new(crate::ErrorKind::Cancelled, "the build was ended"))?;
            let Some(batch) = next else {
                return Ok(false);
            };
            let batch = batch.map_err(from_datafusion)?;
            self.push(&batch, &mut last, push)?;
            loaded += batch.num_rows() as u64;
            let _ = self.progress.send(loaded);
            Ok(true)
        })
    }

    fn push(
        &self,
        batch: &RecordBatch,
        last: &mut Option<(u8, Vec<u8>, Vec<u8>)>,
        push: &mut crate::store::PushRow<'_>,
    ) -> Result<()> {
        let buckets = batch.column(0).as_primitive::<UInt8Type>();
        let keys = batch.column(1).as_binary::<i64>();
        let values = batch.column(2).as_binary::<i64>();
        for row in 0..batch.num_rows() {
            let (bucket, key, value) = (buckets.value(row), keys.value(row), values.value(row));
            if self.index.def.unique {
                match last {
                    Some((b, k, v)) if (*b, k.as_slice()) == (bucket, key) => {
                        return Err(self.duplicate(key, v, value)?);
                    }
                    Some((b, k, v)) => {
                        *b = bucket;
                        k.clear();
                        k.extend_from_slice(key);
                        v.clear();
                        v.extend_from_slice(value);
                    }
                    None => *last = Some((bucket, key.to_vec(), value.to_vec())),
                }
            }
            push(bucket, key, value)?;
        }
        Ok(())
    }

    /// The error of two entries of one key.
    fn duplicate(&self, key: &[u8], one: &[u8], other: &[u8]) -> Result<Error> {
        let mut rows = RowKeys::new(&self.index, &self.entry.def)?;
        rows.push(key, one)?;
        rows.push(key, other)?;
        let rows = rows.take()?;
        let row = |at: usize| rows.get(at).map_or(&[][..], |(_, key)| key);
        Ok(self
            .index
            .duplicate_of(&self.entry.def, key, row(1), row(0)))
    }
}
