//! A read under way, one batch a call.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::filter_record_batch;

use crate::codec::BatchDecoder;
use crate::error::{Error, Result};
use crate::key::KeyLayout;
use crate::store::{Counters, Cursor, Snapshot};
use crate::table::gets::Gets;
use crate::table::lookup::Rows;
use crate::table::portions::Timer;
use crate::table::{Position, ReadRequest, RowFilter, ScanCounters, Target};

/// Rows of the first batch of a read that has a filter and a limit: the batches double from here,
/// so that a small limit decodes little and a filter that nothing passes soon reads full batches.
const FIRST_ROWS: usize = 128;
/// Bytes of keys and values that end a batch before it has all its rows.
const BATCH_BYTES: usize = 8 << 20;

/// What one call of [`Reader::read`] did.
#[derive(Debug)]
pub enum Progress {
    /// These rows were read; there is at least one, unless the time limit ended the batch.
    Batch(RecordBatch),
    /// There is no batch yet: no row passed the filter, or there was too much between the rows.
    Nothing,
    /// Every row was returned before.
    End,
}

/// A read under way on the thread that calls it.
pub struct Reader {
    source: Source,
    /// The rows of the entries that the source reads, if it reads those of an index.
    rows: Option<Box<Rows>>,
    decoder: BatchDecoder,
    filter: Option<RowFilter>,
    width: usize,
    remaining: Option<usize>,
    /// The rows of the next batch, and of a full one.
    batch_rows: usize,
    full_rows: usize,
    timer: Option<Timer>,
    /// What the keys of positions are read with, if positions are asked for.
    layout: Option<KeyLayout>,
    more: bool,
    /// Whether there may be more entries, in a read of the rows of entries.
    entries_left: bool,
    counters: Arc<ScanCounters>,
    /// What of the cursor's costs is in the counters.
    counted: Counters,
}

enum Source {
    Cursor(Box<dyn Cursor>),
    Gets(Gets),
}

impl Source {
    /// Decodes at most `rows` more rows, or entries, and says whether there may be more.
    fn fill(
        &mut self,
        decoder: &mut BatchDecoder,
        rows: usize,
        counters: &ScanCounters,
        counted: &mut Counters,
    ) -> Result<bool> {
        match self {
            Source::Cursor(cursor) => {
                let more = cursor.fill(decoder, rows, BATCH_BYTES)?;
                let before = std::mem::replace(counted, cursor.counters());
                counters.add_cursor(before, *counted);
                for cost in cursor.take_bucket_costs() {
                    counters.add_bucket(cost);
                }
                Ok(more)
            }
            Source::Gets(gets) => gets.fill(decoder, rows, counters),
        }
    }
}

impl Reader {
    /// Begins the read: encodes its keys, or positions the cursor of its ranges.
    pub fn open(
        request: &ReadRequest,
        snapshot: &Arc<dyn Snapshot>,
        counters: Arc<ScanCounters>,
    ) -> Result<Self> {
        let source = match &request.target {
            Target::Keys(keys) => Source::Gets(Gets::new(
                snapshot.clone(),
                request.handle.clone(),
                &request.def,
                keys,
                request.order,
                request.merge_from,
            )?),
            Target::Ranges(_) => {
                let cursor = request.cursor_request(counters.is_timed())?;
                Source::Cursor(snapshot.cursor(&request.handle, cursor)?)
            }
        };
        let full_rows = request.portions.full_rows();
        let batch_rows = match (&request.filter, request.limit) {
            (Some(_), Some(limit)) => limit.max(FIRST_ROWS).min(full_rows),
            _ => full_rows,
        };
        let rows = match &request.lookup {
            Some(lookup) => Some(Box::new(Rows::new(request, lookup, snapshot.clone())?)),
            None => None,
        };
        let mut decoder = request.decoder()?;
        let layout = request.portions.positions.then(|| request.def.key_layout());
        if layout.is_some() {
            decoder.keep_last_key();
        }
        Ok(Reader {
            source,
            rows,
            decoder,
            filter: request.filter.clone(),
            width: request.columns.len(),
            remaining: request.limit,
            batch_rows,
            full_rows,
            timer: request.portions.time_limit.map(Timer::new),
            layout,
            more: true,
            entries_left: true,
            counters,
            counted: Counters::default(),
        })
    }

    /// Whether nothing is left to read: the next [`Reader::read`] is the end.
    pub fn is_done(&self) -> bool {
        !self.more || self.remaining == Some(0)
    }

    /// Reads one batch, filters it and drops the columns that only the filter needed.
    pub fn read(&mut self) -> Result<Progress> {
        if self.is_done() {
            return Ok(Progress::End);
        }
        let rows = match (&self.filter, self.remaining) {
            (None, Some(remaining)) => self.batch_rows.min(remaining),
            _ => self.batch_rows,
        };
        if !self.fill(rows)? {
            return Ok(Progress::Nothing);
        }
        self.batch_rows = (self.batch_rows * 2).min(self.full_rows);
        self.counters.add_batch();
        let mut batch = self.decoder.finish()?;
        if let Some(filter) = &self.filter
            && batch.num_rows() > 0
        {
            let kept = filter.predicate.evaluate(&batch)?;
            batch = filter_record_batch(&batch, &kept).map_err(unexpected)?;
            if self.width < batch.num_columns() {
                let columns: Vec<usize> = (0..self.width).collect();
                batch = batch.project(&columns).map_err(unexpected)?;
            }
        }
        if let Some(remaining) = &mut self.remaining {
            if batch.num_rows() > *remaining {
                batch = batch.slice(0, *remaining);
            }
            *remaining -= batch.num_rows();
        }
        self.counters.add_returned(batch.num_rows() as u64);
        if batch.num_rows() == 0 && !self.timer.as_ref().is_some_and(Timer::is_due) {
            return Ok(Progress::Nothing);
        }
        if let Some(timer) = &mut self.timer {
            timer.stop();
        }
        Ok(Progress::Batch(batch))
    }

    /// Decodes more rows of a batch of `rows`, and says whether it is to be returned: it is full,
    /// the last one, or due. If it is not, there was too much between its rows.
    fn fill(&mut self, rows: usize) -> Result<bool> {
        let step = match &mut self.timer {
            Some(timer) => {
                timer.start();
                Timer::STEP
            }
            None => rows,
        };
        loop {
            let wanted = rows.min(self.decoder.len() + step);
            self.decode(wanted.saturating_sub(self.decoder.len()))?;
            let decoded = self.decoder.len();
            let full = decoded >= rows || self.decoder.bytes() >= BATCH_BYTES;
            if full || !self.more || self.timer.as_ref().is_some_and(Timer::is_due) {
                return Ok(true);
            }
            if decoded < wanted {
                return Ok(false);
            }
        }
    }

    /// Decodes at most `rows` more rows.
    fn decode(&mut self, rows: usize) -> Result<()> {
        let Some(found) = &mut self.rows else {
            let counted = &mut self.counted;
            self.more = self
                .source
                .fill(&mut self.decoder, rows, &self.counters, counted)?;
            return Ok(());
        };
        if !found.is_pending() {
            let entries = found.entries();
            self.entries_left =
                self.source
                    .fill(entries, rows, &self.counters, &mut self.counted)?;
            found.found(&self.counters)?;
        }
        found.fill(&mut self.decoder, rows, BATCH_BYTES, &self.counters)?;
        self.more = self.entries_left || found.is_pending();
        Ok(())
    }

    /// How far it has come, if the request asks for positions: behind every row that was read,
    /// those that did not pass the filter included.
    pub fn position(&self) -> Result<Position> {
        if self.is_done() {
            return Ok(Position::End);
        }
        Ok(match (self.decoder.last_key(), &self.layout) {
            (Some(key), Some(layout)) if !key.is_empty() => Position::After {
                bucket: layout.bucket_of(key)?,
                key: key.to_vec(),
            },
            _ => Position::Start,
        })
    }
}

fn unexpected(error: datafusion::arrow::error::ArrowError) -> Error {
    Error::internal("a batch does not have its own shape").with_source(error)
}
