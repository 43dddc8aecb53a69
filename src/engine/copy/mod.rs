//! `COPY t FROM 'file.csv'`.
//!
//! ```text
//! blocking thread: file ─gunzip─> records ─> fields ─> encoded rows ─┐ a piece at a time
//! statement:                          table::Writer <── WriteSet <───┘
//! ```
//!
//! A load is many small statements, one after the other: each piece is an UPSERT of its rows,
//! which goes through the one write function. While one piece is written the next is read, and no
//! more than three are ever in memory.
//!
//! **Invariants.** A field is read as a quoted literal is. Pieces are committed in the order of
//! the file, so an error can say how many records are in: all before some record and none after.
//! A load can be repeated: it upserts.

mod columns;
mod field;
mod file;
mod places;
mod quotes;
mod records;

use tokio::sync::mpsc;

use crate::engine::dml::Writes;
use crate::error::{Error, Result};
use crate::sql::CopyFrom;
use crate::table::{Durability, ReadBefore, WriteSet};

/// Bytes of a piece.
const PIECE_BYTES: u64 = 8 << 20;

impl Writes<'_> {
    /// Loads a file; returns the number of its records.
    ///
    /// # Errors
    /// Names the file, the record and the column, and says how many records are committed.
    pub(crate) async fn copy_from(&self, copy: &CopyFrom) -> Result<u64> {
        let locked = self.lock(&copy.table).await?;
        let records = self.records(copy, &locked)?;
        let target = records.target();
        // The sync comes once, at the end.
        let writer = self.writer().with_durability(Durability::Buffered);
        let piece = PIECE_BYTES.min(self.settings.max_statement_bytes);
        let (sender, mut pieces) = mpsc::channel::<WriteSet>(1);
        let reading = self
            .engine
            .runtime()
            .spawn_blocking(move || records.read(piece, &sender));

        let mut committed = 0;
        let mut written = Ok(());
        while let Some(set) = pieces.recv().await {
            let held = locked.guard.clone();
            match writer.write(&target, &set, ReadBefore::Nothing, held).await {
                Ok(_) => committed += set.affected(),
                Err(error) => {
                    written = Err(error);
                    break;
                }
            }
        }
        // A reader that has more to say finds nobody listening, and ends.
        drop(pieces);
        let read = reading.await;
        let read = read.unwrap_or_else(|e| Err(Error::internal("a load panicked").with_source(e)));
        let synced = match self.settings.durability {
            Durability::Synced if committed > 0 => self.committer.sync().await,
            _ => Ok(()),
        };
        let position = copy.path_position;
        written
            .and(read)
            .and(synced)
            .map(|()| committed)
            .map_err(|error| {
                let rows = if committed == 1 { "row is" } else { "rows are" };
                let message = format!("{} ({committed} {rows} committed)", error.message());
                Error::new(error.kind(), message)
                    .with_source(error)
                    .at(position)
            })
    }
}
