//! What a scan has cost, in all and in each bucket.

use std::time::{Duration, Instant};

/// What a scan has cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// How often an iterator was sent to a key.
    pub seeks: u64,
    /// How many rows an iterator stood on: those returned, and those that were stepped over, ended a
    /// range or wait in a merge.
    pub steps: u64,
    /// How many rows were decoded.
    pub rows: u64,
    /// How many bytes of keys and values these had; of values only if they were looked at.
    pub bytes: u64,
}

/// What a scan has cost in one bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BucketCost {
    /// The bucket.
    pub bucket: u8,
    /// How many of its rows were decoded.
    pub rows: u64,
    /// How long it took to find and decode them.
    pub time: Duration,
}

/// How many steps a seek counts for.
const SEEK: u64 = 8;
/// How much work, in steps, a stream does at least before it pauses.
const SHARE: u64 = 8 * SEEK;

/// The costs of a scan while they grow.
#[derive(Debug, Default)]
pub(super) struct Costs {
    pub(super) counters: Counters,
    /// How much work, in steps, a fill does at most between its rows, and when it has done so.
    patience: u64,
    enough: u64,
    clock: Option<Box<Clock>>,
}

/// Measures on whose account time passes. It runs while a cursor fills a batch.
#[derive(Debug)]
struct Clock {
    buckets: [(u64, Duration); 256],
    current: Option<u8>,
    since: Instant,
}

impl Costs {
    /// No costs yet. Those of buckets are only known if they are asked for with `timed`: it takes a
    /// look at the clock whenever a merge goes from one bucket to another.
    pub(super) fn new(timed: bool, patience: u64) -> Self {
        let clock = || {
            Box::new(Clock {
                buckets: [(0, Duration::ZERO); 256],
                current: None,
                since: Instant::now(),
            })
        };
        Costs {
            counters: Counters::default(),
            patience,
            enough: 0,
            clock: timed.then(clock),
        }
    }

    fn work(&self) -> u64 {
        self.counters.steps + SEEK * self.counters.seeks
    }

    /// Whether a fill has done so much work that others should have their turn.
    #[inline]
    pub(super) fn are_enough(&self) -> bool {
        self.work() >= self.enough
    }

    /// From here on one of so many streams works, each of which is to come as far as the others
    /// before the fill pauses.
    pub(super) fn share(&mut self, streams: usize) {
        let share = (self.patience / (streams as u64).max(1)).max(SHARE.min(self.patience));
        self.enough = self.work().saturating_add(share);
    }

    /// A fill begins: from here on time counts.
    pub(super) fn start(&mut self) {
        self.enough = self.work().saturating_add(self.patience);
        if let Some(clock) = &mut self.clock {
            clock.since = Instant::now();
        }
    }

    /// It ends: up to here.
    pub(super) fn stop(&mut self) {
        if let Some(clock) = &mut self.clock {
            clock.charge();
        }
    }

    /// What follows is done for this bucket.
    #[inline]
    pub(super) fn enter(&mut self, bucket: u8) {
        if let Some(clock) = &mut self.clock
            && clock.current != Some(bucket)
        {
            clock.charge();
            clock.current = Some(bucket);
        }
    }

    /// A row of so many bytes was decoded.
    #[inline]
    pub(super) fn row(&mut self, bytes: usize) {
        self.counters.rows += 1;
        self.counters.bytes += bytes as u64;
        if let Some(clock) = &mut self.clock
            && let Some((rows, _)) = clock.current()
        {
            *rows += 1;
        }
    }

    /// What buckets have cost since this was called before.
    pub(super) fn take_buckets(&mut self) -> Vec<BucketCost> {
        let Some(clock) = &mut self.clock else {
            return Vec::new();
        };
        let costs = (0..=255).zip(&mut clock.buckets).map(|(bucket, cost)| {
            let (rows, time) = std::mem::take(cost);
            BucketCost { bucket, rows, time }
        });
        costs
            .filter(|cost| cost.rows > 0 || cost.time > Duration::ZERO)
            .collect()
    }
}

impl Clock {
    fn current(&mut self) -> Option<&mut (u64, Duration)> {
        let bucket = self.current?;
        self.buckets.get_mut(usize::from(bucket))
    }

    fn charge(&mut self) {
        let now = Instant::now();
        let passed = now - self.since;
        if let Some((_, time)) = self.current() {
            *time += passed;
        }
        self.since = now;
    }
}
