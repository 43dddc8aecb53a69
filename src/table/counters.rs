//! What scans did.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::store::{BucketCost, Counters};

/// Counts of what the scans did that share them; they grow while these run.
///
/// The scans of one operator, each of other buckets, share one. What single buckets have cost is
/// only known if they were made with [`timed`](ScanCounters::timed).
#[derive(Debug, Default)]
pub struct ScanCounters {
    seeks: AtomicU64,
    steps: AtomicU64,
    gets: AtomicU64,
    entries: AtomicU64,
    /// Rows, and entries among them.
    decoded: AtomicU64,
    bytes: AtomicU64,
    returned: AtomicU64,
    batches: AtomicU64,
    buckets: Option<Box<[BucketCounters; 256]>>,
}

#[derive(Debug, Default)]
struct BucketCounters {
    rows: AtomicU64,
    nanoseconds: AtomicU64,
}

impl ScanCounters {
    /// Counts that also say what each bucket costs. To know it a merge looks at the clock for each
    /// row that is of another bucket than the one before.
    pub fn timed() -> Self {
        ScanCounters {
            buckets: Some(Box::new(std::array::from_fn(|_| BucketCounters::default()))),
            ..ScanCounters::default()
        }
    }

    /// Positionings of an iterator: in a merge at least one a bucket range, otherwise fewer where a
    /// range begins with the row that ended the one before.
    pub fn seeks(&self) -> u64 {
        self.seeks.load(Ordering::Relaxed)
    }

    /// Keys that were looked up by a point get.
    pub fn gets(&self) -> u64 {
        self.gets.load(Ordering::Relaxed)
    }

    /// Entries of an index that were decoded to get the rows that they are of.
    pub fn entries(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    /// Rows that were decoded, before any filter.
    pub fn rows(&self) -> u64 {
        self.decoded
            .load(Ordering::Relaxed)
            .saturating_sub(self.entries())
    }

    /// Rows that an iterator stood on and that were not decoded: stepped over between boxes or ends
    /// of groups, first behind a range, or waiting in a merge that was not read to its end.
    pub fn skipped(&self) -> u64 {
        self.steps
            .load(Ordering::Relaxed)
            .saturating_sub(self.decoded.load(Ordering::Relaxed))
    }

    /// Bytes of the keys, without salt, and values of the rows that were decoded; of values only if
    /// a column of theirs was read.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Rows that were returned: what the filter and the limit left.
    pub fn returned(&self) -> u64 {
        self.returned.load(Ordering::Relaxed)
    }

    /// Batches that were filled, empty ones included.
    #[cfg(test)]
    pub fn batches(&self) -> u64 {
        self.batches.load(Ordering::Relaxed)
    }

    /// What each bucket has cost that was read, buckets ascending; nothing unless it is
    /// [timed](ScanCounters::timed).
    pub fn buckets(&self) -> Vec<BucketCost> {
        let buckets = self
            .buckets
            .iter()
            .flat_map(|buckets| (0..=255).zip(buckets.iter()));
        let costs = buckets.map(|(bucket, counters)| BucketCost {
            bucket,
            rows: counters.rows.load(Ordering::Relaxed),
            time: Duration::from_nanos(counters.nanoseconds.load(Ordering::Relaxed)),
        });
        costs
            .filter(|cost| cost.rows > 0 || cost.time > Duration::ZERO)
            .collect()
    }
}

impl ScanCounters {
    pub(super) fn is_timed(&self) -> bool {
        self.buckets.is_some()
    }

    /// Adds what a cursor has cost since it had cost `before`.
    pub(super) fn add_cursor(&self, before: Counters, now: Counters) {
        let add = |counter: &AtomicU64, before: u64, now: u64| {
            counter.fetch_add(now.saturating_sub(before), Ordering::Relaxed);
        };
        add(&self.seeks, before.seeks, now.seeks);
        add(&self.steps, before.steps, now.steps);
        add(&self.decoded, before.rows, now.rows);
        add(&self.bytes, before.bytes, now.bytes);
    }

    /// Of the rows that were added as decoded, so many are entries.
    pub(super) fn add_entries(&self, entries: u64) {
        self.entries.fetch_add(entries, Ordering::Relaxed);
    }

    /// Adds `gets` looked up keys, of which `rows` were there.
    pub(super) fn add_gets(&self, gets: u64, rows: u64, bytes: u64) {
        self.gets.fetch_add(gets, Ordering::Relaxed);
        self.steps.fetch_add(rows, Ordering::Relaxed);
        self.decoded.fetch_add(rows, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn add_bucket(&self, cost: BucketCost) {
        let buckets = self.buckets.as_ref();
        if let Some(counters) = buckets.and_then(|all| all.get(usize::from(cost.bucket))) {
            let nanoseconds = u64::try_from(cost.time.as_nanos()).unwrap_or(u64::MAX);
            counters.rows.fetch_add(cost.rows, Ordering::Relaxed);
            counters
                .nanoseconds
                .fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }

    pub(super) fn add_batch(&self) {
        self.batches.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_returned(&self, rows: u64) {
        self.returned.fetch_add(rows, Ordering::Relaxed);
    }
}
