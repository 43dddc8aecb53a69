//! Key ranges as they are stored.

use std::collections::VecDeque;

use crate::key::BucketRange;

/// A range of keys as they are stored: salt byte included, half open, no end being the end of
/// the table.
#[derive(Debug)]
pub(super) struct StoredRange {
    pub(super) start: Vec<u8>,
    pub(super) end: Option<Vec<u8>>,
}

impl StoredRange {
    fn new(salted: bool, BucketRange { bucket, range }: BucketRange) -> Self {
        if !salted {
            return StoredRange {
                start: range.start,
                end: range.end,
            };
        }
        // The end of a bucket is the start of the next; after the last there is none.
        let join = |key: &[u8]| [&[bucket], key].concat();
        let end = match &range.end {
            Some(end) => Some(join(end)),
            None => bucket.checked_add(1).map(|next| vec![next]),
        };
        StoredRange {
            start: join(&range.start),
            end,
        }
    }

    /// The bucket that it is in.
    #[inline]
    pub(super) fn bucket(&self, salted: bool) -> u8 {
        let salt = self.start.first().filter(|_| salted);
        salt.copied().unwrap_or_default()
    }

    /// Whether a scan that is at `key` has not yet left the range.
    #[inline]
    pub(super) fn before_end(&self, key: &[u8], reverse: bool) -> bool {
        match reverse {
            false => self.end.as_deref().is_none_or(|end| key < end),
            true => key >= self.start.as_slice(),
        }
    }

    /// Whether a scan that is at `key` has reached the range.
    pub(super) fn after_start(&self, key: &[u8], reverse: bool) -> bool {
        self.before_end(key, !reverse)
    }

    /// Whether it has keys from `place` on, which in reverse are those before it.
    pub(super) fn goes_beyond(&self, place: &[u8], reverse: bool) -> bool {
        match reverse {
            false => self.before_end(place, false),
            true => self.start.as_slice() < place,
        }
    }
}

/// Ranges that one iterator reads, in the order of the stored keys, without overlap.
#[derive(Debug)]
pub(super) struct Ranges(pub(super) Vec<StoredRange>);

impl Ranges {
    /// All ranges of some buckets as one. Buckets ascend, so their ranges do.
    pub(super) fn join(buckets: VecDeque<Ranges>) -> Ranges {
        Ranges(buckets.into_iter().flat_map(|ranges| ranges.0).collect())
    }

    /// The bucket that the first of them is in.
    pub(super) fn bucket(&self, salted: bool) -> u8 {
        self.0.first().map_or(0, |range| range.bucket(salted))
    }

    /// The first range, and those after it if there are any.
    pub(super) fn split_first(mut self) -> (Ranges, Option<Ranges>) {
        let rest = self.0.split_off(self.0.len().min(1));
        (self, (!rest.is_empty()).then_some(Ranges(rest)))
    }
}

/// The ranges of each bucket.
pub(super) fn by_bucket(salted: bool, ranges: Vec<BucketRange>) -> VecDeque<Ranges> {
    let mut buckets: VecDeque<(u8, Ranges)> = VecDeque::new();
    for range in ranges {
        let bucket = range.bucket;
        let stored = StoredRange::new(salted, range);
        match buckets.back_mut() {
            Some((last, ranges)) if *last == bucket => ranges.0.push(stored),
            _ => buckets.push_back((bucket, Ranges(vec![stored]))),
        }
    }
    buckets.into_iter().map(|(_, ranges)| ranges).collect()
}

/// Each range by itself.
pub(super) fn by_range(salted: bool, ranges: Vec<BucketRange>) -> VecDeque<Ranges> {
    let ranges = ranges.into_iter();
    ranges
        .map(|range| Ranges(vec![StoredRange::new(salted, range)]))
        .collect()
}
