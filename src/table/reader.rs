//! A read under way, one batch a call.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::filter_record_batch;

use crate::codec::BatchDecoder;
use crate::error::{Error, Result};
use crate::store::{Cursor, Snapshot};
use crate::table::gets::Gets;
use crate::table::{ReadRequest, RowFilter, ScanCounters, Target};

/// Rows of a full batch.
const BATCH_ROWS: usize = 8192;
/// Rows of the first batch of a read that has a filter and a limit: the batches double from here,
/// so that a small limit decodes little and a filter that nothing passes soon reads full batches.
const FIRST_ROWS: usize = 128;
/// Bytes of keys and values that end a batch before it has all its rows.
const BATCH_BYTES: usize = 8 << 20;

/// What one call of [`Reader::read`] did.
#[derive(Debug)]
pub enum Progress {
    /// These rows were read; there is at least one.
    Batch(RecordBatch),
    /// Rows may have been read and none passed the filter.
    Nothing,
    /// Every row was returned before.
    End,
}

/// A read under way on the thread that calls it.
pub struct Reader {
    source: Source,
    decoder: BatchDecoder,
    filter: Option<RowFilter>,
    width: usize,
    remaining: Option<usize>,
    batch_rows: usize,
    more: bool,
    counters: Arc<ScanCounters>,
    counted_seeks: u64,
}

enum Source {
    Cursor(Box<dyn Cursor>),
    Gets(Gets),
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
            )?),
            Target::Ranges(ranges) => {
                Source::Cursor(snapshot.cursor(&request.handle, ranges.clone(), request.order)?)
            }
        };
        let batch_rows = match (&request.filter, request.limit) {
            (Some(_), Some(limit)) => limit.clamp(FIRST_ROWS, BATCH_ROWS),
            _ => BATCH_ROWS,
        };
        Ok(Reader {
            source,
            decoder: request.decoder()?,
            filter: request.filter.clone(),
            width: request.columns.len(),
            remaining: request.limit,
            batch_rows,
            more: true,
            counters,
            counted_seeks: 0,
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
        self.batch_rows = (self.batch_rows * 2).min(BATCH_ROWS);
        self.more = match &mut self.source {
            Source::Cursor(cursor) => {
                let more = cursor.fill(&mut self.decoder, rows, BATCH_BYTES)?;
                let seeks = cursor.counters().seeks;
                self.counters
                    .add_seeks(seeks.saturating_sub(self.counted_seeks));
                self.counted_seeks = seeks;
                more
            }
            Source::Gets(gets) => {
                let (looked_up, more) = gets.fill(&mut self.decoder, rows)?;
                self.counters.add_gets(looked_up as u64);
                more
            }
        };
        self.counters.add_batch(self.decoder.len() as u64);
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
        Ok(match batch.num_rows() {
            0 => Progress::Nothing,
            _ => Progress::Batch(batch),
        })
    }
}

fn unexpected(error: datafusion::arrow::error::ArrowError) -> Error {
    Error::internal("a batch does not have its own shape").with_source(error)
}
