//! Scans: ranges one after the other with one iterator, or buckets merged with one for each.
//!
//! Everything here is generic over the raw iterator and over what takes the rows, so that a row
//! costs no virtual call; [`Cursor`](crate::store::Cursor) is the one dynamic seam, once a batch.

mod merge;
mod sequence;
mod stream;
mod tournament;

#[cfg(test)]
pub(in crate::store) mod tests;

use crate::codec::BatchDecoder;
use crate::error::Result;
use crate::key::BucketRange;
use crate::store::{Cursor, CursorOrder};

use merge::MergeCursor;
use sequence::SequenceCursor;

/// An iterator over the keys of a table as they are stored, salt byte included.
pub(super) trait RawIterator {
    /// Goes to the first key at or after `key`.
    fn seek(&mut self, key: &[u8]);
    /// Goes to the last key at or before `key`.
    fn seek_for_prev(&mut self, key: &[u8]);
    /// Goes to the last key within the bounds.
    fn seek_to_last(&mut self);
    /// Goes one key on.
    fn next(&mut self);
    /// Goes one key back.
    fn prev(&mut self);
    /// The key it stands on; `None` at the end, and after an error.
    fn key(&self) -> Option<&[u8]>;
    /// The value it stands on.
    fn value(&self) -> Option<&[u8]>;
    /// The error that ended it, if one did.
    fn status(&self) -> Result<()>;
    /// Whether it ended because it is wary and met too many deleted rows.
    fn gave_up(&self) -> bool;
}

/// Makes iterators that stay within `lower..upper`.
pub(super) trait Source {
    /// The iterator.
    type Iter: RawIterator;
    /// A new iterator, not yet positioned. A wary one may give up when it meets many deleted rows
    /// in a row.
    fn open(&self, lower: &[u8], upper: Option<&[u8]>, wary: bool) -> Self::Iter;
}

/// What takes the rows of a scan.
pub(super) trait RowSink {
    /// Takes a row, `key` without its salt byte.
    fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()>;
    /// How many bytes it holds.
    fn bytes(&self) -> usize;
    /// Whether it looks at values at all.
    fn needs_value(&self) -> bool;
}

/// How much a `fill` may still do.
pub(super) struct Budget {
    rows: usize,
    bytes: usize,
    unmeasured: usize,
}

impl Budget {
    /// The sink's size is asked for once for so many bytes of keys and values: it has to add up
    /// its columns.
    const MEASURE_EVERY: usize = 4096;

    pub(super) fn new(rows: usize, bytes: usize) -> Self {
        Budget {
            rows,
            bytes,
            unmeasured: Self::MEASURE_EVERY,
        }
    }

    #[inline]
    fn is_spent<R: RowSink>(&mut self, sink: &R) -> bool {
        if self.rows == 0 {
            return true;
        }
        if self.unmeasured >= Self::MEASURE_EVERY {
            self.unmeasured = 0;
            if sink.bytes() >= self.bytes {
                self.rows = 0;
                return true;
            }
        }
        false
    }

    #[inline]
    fn spend(&mut self, row: usize) {
        self.rows -= 1;
        self.unmeasured += row;
    }
}

impl RowSink for BatchDecoder {
    #[inline]
    fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        BatchDecoder::push(self, key, value)
    }

    #[inline]
    fn bytes(&self) -> usize {
        BatchDecoder::bytes(self)
    }

    #[inline]
    fn needs_value(&self) -> bool {
        BatchDecoder::needs_value(self)
    }
}

/// What a scan has cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// How often an iterator was sent to a key.
    pub seeks: u64,
    /// How many rows an iterator stood on: those returned, and those that ended a range or wait
    /// in a merge.
    pub steps: u64,
    /// How many rows were decoded.
    pub rows: u64,
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.seeks += other.seeks;
        self.steps += other.steps;
        self.rows += other.rows;
    }
}

/// The cursor over `ranges` of a table whose keys `source` iterates.
pub(super) fn open<S>(
    source: S,
    salted: bool,
    ranges: Vec<BucketRange>,
    order: CursorOrder,
) -> Box<dyn Cursor>
where
    S: Source + Send + 'static,
    S::Iter: Send,
{
    let groups = stream::group(salted, ranges);
    match order {
        // One bucket is its own merge.
        CursorOrder::Key | CursorOrder::KeyReverse if groups.len() > 1 => {
            let reverse = order == CursorOrder::KeyReverse;
            Box::new(MergeCursor::new(source, salted, groups, reverse))
        }
        _ => {
            let reverse = order == CursorOrder::KeyReverse;
            Box::new(SequenceCursor::new(source, salted, groups, reverse))
        }
    }
}

impl<S> Cursor for MergeCursor<S>
where
    S: Source + Send,
    S::Iter: Send,
{
    fn fill(&mut self, decoder: &mut BatchDecoder, rows: usize, bytes: usize) -> Result<bool> {
        self.fill_into(decoder, Budget::new(rows, bytes))
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

impl<S> Cursor for SequenceCursor<S>
where
    S: Source + Send,
    S::Iter: Send,
{
    fn fill(&mut self, decoder: &mut BatchDecoder, rows: usize, bytes: usize) -> Result<bool> {
        self.fill_into(decoder, Budget::new(rows, bytes))
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
