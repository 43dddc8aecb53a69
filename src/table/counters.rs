//! What a statement's scans did.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of what the scans of one statement did; they grow while it runs. Only tests read them:
/// they hold plans to the work that they promise.
#[derive(Debug, Default)]
pub struct ScanCounters {
    seeks: AtomicU64,
    gets: AtomicU64,
    rows: AtomicU64,
    batches: AtomicU64,
}

#[cfg(test)]
impl ScanCounters {
    /// Positionings of an iterator: at least one a bucket range that is scanned.
    pub fn seeks(&self) -> u64 {
        self.seeks.load(Ordering::Relaxed)
    }

    /// Keys that were looked up by a point get.
    pub fn gets(&self) -> u64 {
        self.gets.load(Ordering::Relaxed)
    }

    /// Rows that were decoded, before any filter.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Batches that were filled, empty ones included.
    pub fn batches(&self) -> u64 {
        self.batches.load(Ordering::Relaxed)
    }
}

impl ScanCounters {
    pub(super) fn add_seeks(&self, n: u64) {
        self.seeks.fetch_add(n, Ordering::Relaxed);
    }

    pub(super) fn add_gets(&self, n: u64) {
        self.gets.fetch_add(n, Ordering::Relaxed);
    }

    pub(super) fn add_batch(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
    }
}
