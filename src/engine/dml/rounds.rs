//! A statement from its rows to their write, and again if others came between.

use std::sync::Arc;

use crate::engine::dml::work::Write;
use crate::engine::dml::{Locked, Writes};
use crate::error::{Error, Result};
use crate::store::{LatchRequest, Snapshot};
use crate::table::{Effect, ReadBefore, WriteTarget, Written};
use crate::types::Value;

impl Writes<'_> {
    /// Computes the rows of a write and writes them; returns what that did, or nothing if it is
    /// bound to definitions that are no longer those of the tables.
    ///
    /// The first time without latches, which is right unless another statement changed one of
    /// the rows meanwhile. Then with these rows latched before the snapshot is taken: they cannot
    /// change, but the statement may now write others. At last with the whole table latched.
    pub(super) async fn in_rounds(
        &self,
        locked: &Locked,
        write: &Write,
        values: &[Value],
    ) -> Result<Option<Effect>> {
        let work = &write.work;
        let mut target = WriteTarget::new(locked.entry.clone(), |column| work.gives(column))
            .with_conflict(write.conflict.clone())
            .with_indexes(self.table_indexes(&locked.entry)?)
            .with_returning(write.returned.as_ref().map(|rows| rows.returning.clone()));
        let writer = self.writer();
        let snapshot = match work.reads() {
            true => match self.snapshot(locked) {
                None => return Ok(None),
                snapshot => snapshot,
            },
            false => None,
        };
        let set = self
            .fill(work, &mut target, values, snapshot.clone())
            .await?;
        let before = match snapshot {
            Some(snapshot) if work.reads_target() => ReadBefore::Snapshot(snapshot),
            _ => ReadBefore::Nothing,
        };
        let held = locked.guard.clone();
        let mut request = match writer.write(&target, &set, before, held).await? {
            Written::Done(effect) => return Ok(Some(effect)),
            Written::Changed(request) => request,
        };
        drop(set);
        loop {
            let last = request.is_table();
            let guard = writer.latch(&target, request).await?;
            let Some(snapshot) = self.snapshot(locked) else {
                return Ok(None);
            };
            let set = self.fill(work, &mut target, values, Some(snapshot)).await?;
            let before = ReadBefore::Latched(guard);
            match writer
                .write(&target, &set, before, locked.guard.clone())
                .await?
            {
                Written::Done(effect) => return Ok(Some(effect)),
                Written::Changed(_) if last => {
                    return Err(Error::internal(
                        "rows changed under the latch of their table",
                    ));
                }
                Written::Changed(_) => request = LatchRequest::table(),
            }
        }
    }

    /// A snapshot that has no rows of a later definition than the statement was bound to.
    fn snapshot(&self, locked: &Locked) -> Option<Arc<dyn Snapshot>> {
        let snapshot = self.store.snapshot();
        self.catalog.is_state(&locked.state).then_some(snapshot)
    }
}
