//! A statement from its rows to their write, and again if others came between.

use crate::engine::dml::work::Work;
use crate::engine::dml::{Locked, Writes};
use crate::error::{Error, Result};
use crate::store::LatchRequest;
use crate::table::{ReadBefore, WriteTarget, Written, latch_request};
use crate::types::Value;

impl Writes<'_> {
    /// Computes the rows of `work` and writes them.
    ///
    /// The first time without latches, which is right unless another statement changed one of
    /// the rows meanwhile. Then with these rows latched before the snapshot is taken: they cannot
    /// change, but the statement may now write others. At last with the whole table latched.
    pub(super) async fn in_rounds(
        &self,
        locked: &Locked,
        work: &Work,
        values: &[Value],
    ) -> Result<u64> {
        let mut target = WriteTarget::new(locked.entry.clone(), |column| work.gives(column));
        let writer = self.writer();
        let snapshot = work.reads().then(|| self.store.snapshot());
        let set = self
            .fill(work, &mut target, values, snapshot.clone())
            .await?;
        let before = match snapshot {
            Some(snapshot) if work.reads_target() => ReadBefore::Snapshot(snapshot),
            _ => ReadBefore::Nothing,
        };
        if let Written::Done = writer
            .write(&target, &set, before, locked.guard.clone())
            .await?
        {
            return Ok(set.affected());
        }

        let mut request = latch_request(&set);
        drop(set);
        loop {
            let last = request.is_table();
            let guard = writer.latch(&target, request).await?;
            let snapshot = self.store.snapshot();
            let set = self.fill(work, &mut target, values, Some(snapshot)).await?;
            let before = ReadBefore::Latched(guard);
            match writer
                .write(&target, &set, before, locked.guard.clone())
                .await?
            {
                Written::Done => return Ok(set.affected()),
                Written::Changed if last => {
                    return Err(Error::internal(
                        "rows changed under the latch of their table",
                    ));
                }
                Written::Changed => request = LatchRequest::table(),
            }
        }
    }
}
