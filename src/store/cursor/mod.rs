//! Scans: ranges one after the other with one iterator, or buckets merged with one for each.
//!
//! ```text
//! SequenceCursor, MergeCursor    which stream has the next row
//!   Stream                       the rows of some ranges, over one iterator
//!     Ends                       the first and last rows of groups, if only they are read
//!     Walk                       where it is in them, and what it leaves out
//! ```
//!
//! A walk that has a [`KeyFilter`](crate::key::KeyFilter) is a *skip scan*. Of a key that is in no
//! box the filter says where the next one can be that is, and the walk goes there, by some steps or
//! by a seek, as [`Pace`](pace::Pace) says: a seek costs as much as 5 to 15 steps.
//!
//! ```text
//! b in {5}    (1,4) (1,5) (1,6) ................ (2,0) (2,3) (2,5) (2,6)
//!                     row ──seek "a > 1"────────────> ──seek (2,5)─> row
//! ```
//!
//! A stream that has [`Ends`](ends::Ends) is a *loose scan*. Of each group of rows that agree in
//! their first key columns it reads the end that it comes to first, the other one, or both, and a
//! group costs it one seek:
//!
//! ```text
//! first rows    (1,0) ────────seek────────> (2,0) ────────seek────────> (3,0) ──>
//! both          (1,0) ──seek──> (1,9) step> (2,0) ──seek──> (2,7) step> (3,0) ──>
//! ```
//!
//! A group is one in its bucket, however many ranges and boxes cut it into pieces, and has one first
//! and one last row there. Each bucket has an iterator of its own, in a merge or not. Where a bucket
//! is one group of which one end is read, a sequence comes from that end, whatever the order.
//!
//! A scan to which it costs much to find the next row pauses: the `fill` ends with the rows that it
//! has, and says how far it came. So a statement can be cancelled there, and others have their turn.
//!
//! What a scan costs is counted: seeks and steps, rows and bytes, and, only if it is asked for, the
//! time of each bucket.
//!
//! **Invariants.**
//! - A walk never goes against its direction: where it is sent lies beyond the key it stands on, or
//!   the scan is an error.
//! - A row that is left out is not decoded, and no iterator moves but to look for a row that was
//!   asked for.
//! - A seek that is counted is one that RocksDB counts.
//! - A wary iterator, which may give up, reads no groups: a group could not be taken up in its midst.
//!
//! Everything here is generic over the raw iterator and over what takes the rows, so that a row
//! costs no virtual call; [`Cursor`](crate::store::Cursor) is the one dynamic seam, once a batch.

mod costs;
mod ends;
mod merge;
mod pace;
mod ranges;
mod sequence;
mod stream;
mod tournament;
mod walk;

#[cfg(test)]
pub(in crate::store) mod tests;

use crate::codec::BatchDecoder;
use crate::error::Result;
use crate::store::{Cursor, CursorOrder, CursorRequest};

pub use costs::{BucketCost, Counters};

use merge::MergeCursor;
use pace::Pace;
use sequence::SequenceCursor;
use stream::Choice;

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
    /// Is told of a row, `key` without its salt byte, that is left out, and before which no row is
    /// left.
    fn pass(&mut self, _key: &[u8]) {}
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

    fn pass(&mut self, key: &[u8]) {
        BatchDecoder::pass(self, key);
    }
}

/// How much work, in steps, a fill does before it pauses where no row is, so that whoever reads may
/// have it end: somewhat less than a millisecond.
const PATIENCE: u64 = 4096;

/// The cursor over ranges of a table whose keys `source` iterates.
pub(super) fn open<S>(source: S, salted: bool, request: CursorRequest) -> Box<dyn Cursor>
where
    S: Source + Send + 'static,
    S::Iter: Send,
{
    let groups = request.groups;
    let ranges = match &groups {
        Some(groups) if !groups.first && !groups.last => Vec::new(),
        _ => request.ranges,
    };
    let choice = Choice {
        salted,
        reverse: request.order == CursorOrder::KeyReverse,
        filter: request.filter,
        groups,
        merge_behind: request.merge_behind,
        pace: Pace::default(),
        patience: PATIENCE,
        timed: request.timed,
    };
    let streams = match request.order {
        CursorOrder::Key | CursorOrder::KeyReverse if !choice.merge_behind.is_empty() => {
            ranges::by_range(salted, ranges)
        }
        _ => ranges::by_bucket(salted, ranges),
    };
    match request.order {
        // One stream is its own merge.
        CursorOrder::Key | CursorOrder::KeyReverse if streams.len() > 1 => {
            Box::new(MergeCursor::new(source, streams, choice))
        }
        _ => Box::new(SequenceCursor::new(source, streams, choice)),
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
        self.costs.counters
    }

    fn take_bucket_costs(&mut self) -> Vec<BucketCost> {
        self.costs.take_buckets()
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
        self.costs.counters
    }

    fn take_bucket_costs(&mut self) -> Vec<BucketCost> {
        self.costs.take_buckets()
    }
}
