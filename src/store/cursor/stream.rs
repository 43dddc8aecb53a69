//! The ranges of one bucket as one stream of rows.

use std::collections::VecDeque;

use crate::error::Result;
use crate::key::BucketRange;
use crate::store::cursor::{Counters, RawIterator, Source};

/// A range of keys as they are stored: salt byte included, half open, no end being the end of
/// the table.
struct StoredRange {
    start: Vec<u8>,
    end: Option<Vec<u8>>,
}

impl StoredRange {
    /// Whether a scan that is at `key` has not yet left the range.
    #[inline]
    fn before_end(&self, key: &[u8], reverse: bool) -> bool {
        match reverse {
            false => self.end.as_deref().is_none_or(|end| key < end),
            true => key >= self.start.as_slice(),
        }
    }

    /// Whether a scan that is at `key` has reached the range.
    fn after_start(&self, key: &[u8], reverse: bool) -> bool {
        self.before_end(key, !reverse)
    }
}

/// Goes to the first row of the range, or in reverse to its last one, or past it.
fn seek<I: RawIterator>(iter: &mut I, range: &StoredRange, reverse: bool, counters: &mut Counters) {
    counters.seeks += 1;
    match (reverse, &range.end) {
        (false, _) => iter.seek(&range.start),
        (true, None) => iter.seek_to_last(),
        (true, Some(end)) => {
            iter.seek_for_prev(end);
            if iter.key() == Some(end) {
                counters.steps += 1;
                iter.prev();
            }
        }
    }
}

/// Ranges that one iterator reads, in the order of the stored keys, without overlap.
pub(super) struct Group(VecDeque<StoredRange>);

impl Group {
    /// All ranges of some groups as one. Buckets ascend, so their ranges do.
    pub(super) fn join(groups: VecDeque<Group>) -> Group {
        Group(groups.into_iter().flat_map(|group| group.0).collect())
    }

    /// The first range, and those after it if there are any.
    pub(super) fn split_first(mut self) -> (Group, Option<Group>) {
        let rest = self.0.split_off(self.0.len().min(1));
        (self, (!rest.is_empty()).then_some(Group(rest)))
    }
}

/// Joins buckets and keys, and puts together the ranges of each bucket.
pub(super) fn group(salted: bool, ranges: Vec<BucketRange>) -> VecDeque<Group> {
    let mut groups: VecDeque<(u8, Group)> = VecDeque::new();
    for BucketRange { bucket, range } in ranges {
        let stored = if salted {
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
        } else {
            StoredRange {
                start: range.start,
                end: range.end,
            }
        };
        match groups.back_mut() {
            Some((last, group)) if *last == bucket => group.0.push_back(stored),
            _ => groups.push_back((bucket, Group(VecDeque::from([stored])))),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The rows of some ranges, forward or in reverse, over one iterator.
///
/// The iterator is bounded by all of the ranges together; each but the last is ended by a
/// comparison. Between two ranges there may be a great many deleted rows, which RocksDB keeps
/// until it compacts them away: an iterator that walks into them gives up ([`Step::GaveUp`]) if
/// it is a wary one, and the range goes to an iterator that is bounded by it alone.
pub(super) struct Stream<I> {
    iter: I,
    wary: bool,
    reverse: bool,
    ranges: VecDeque<StoredRange>,
    positioned: bool,
    /// Of a wary iterator: where the rows begin that it has not stood on, if that is not where
    /// the range does.
    resume: Vec<u8>,
}

/// What comes of going to the next row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It stands on a row.
    Row,
    /// There are no more rows.
    End,
    /// There may be more rows, behind many deleted ones.
    GaveUp,
}

impl<I: RawIterator> Stream<I> {
    /// A stream that reads on however many deleted rows there are.
    pub(super) fn open<S: Source<Iter = I>>(source: &S, group: Group, reverse: bool) -> Self {
        Stream::with(source, group, reverse, false)
    }

    /// A forward stream that gives up between its ranges.
    pub(super) fn open_wary<S: Source<Iter = I>>(source: &S, group: Group) -> Self {
        let several = group.0.len() > 1;
        Stream::with(source, group, false, several)
    }

    fn with<S: Source<Iter = I>>(source: &S, group: Group, reverse: bool, wary: bool) -> Self {
        let ranges = group.0;
        let lower = ranges.front().map_or(&[][..], |range| &range.start);
        let upper = ranges.back().and_then(|range| range.end.as_deref());
        let iter = source.open(lower, upper, wary);
        Stream {
            iter,
            wary,
            reverse,
            ranges,
            positioned: false,
            resume: Vec::new(),
        }
    }

    /// What is left to read after it gave up.
    pub(super) fn into_rest(mut self) -> Group {
        if let Some(range) = self.ranges.front_mut()
            && !self.resume.is_empty()
        {
            range.start = self.resume;
        }
        Group(self.ranges)
    }

    /// Goes to the next row.
    #[inline]
    pub(super) fn advance(&mut self, counters: &mut Counters) -> Result<Step> {
        if self.positioned {
            if self.wary {
                self.resume.clear();
                self.resume
                    .extend_from_slice(self.iter.key().unwrap_or_default());
                self.resume.push(0);
            }
            match self.reverse {
                false => self.iter.next(),
                true => self.iter.prev(),
            }
        }
        let mut moved = true;
        loop {
            let current = match self.reverse {
                false => self.ranges.front(),
                true => self.ranges.back(),
            };
            let Some(range) = current else {
                return Ok(Step::End);
            };
            if !self.positioned {
                self.positioned = true;
                moved = true;
                self.resume.clear();
                seek(&mut self.iter, range, self.reverse, counters);
            }
            let Some(key) = self.iter.key() else {
                if self.wary && self.iter.gave_up() {
                    return Ok(Step::GaveUp);
                }
                // Without a row within the outer bounds the ranges left have none either.
                self.ranges.clear();
                return self.iter.status().map(|()| Step::End);
            };
            counters.steps += u64::from(moved);
            moved = false;
            // The iterator's own bounds end the last range.
            if self.ranges.len() == 1 || range.before_end(key, self.reverse) {
                return Ok(Step::Row);
            }
            match self.reverse {
                false => self.ranges.pop_front(),
                true => self.ranges.pop_back(),
            };
            // The row that ended one range may be the first of the next.
            let next = match self.reverse {
                false => self.ranges.front(),
                true => self.ranges.back(),
            };
            self.positioned = next.is_some_and(|next| next.after_start(key, self.reverse));
        }
    }

    /// The key of the row it stands on, salt byte included.
    #[inline]
    pub(super) fn key(&self) -> &[u8] {
        self.iter.key().unwrap_or_default()
    }

    /// The value of the row it stands on.
    #[inline]
    pub(super) fn value(&self) -> &[u8] {
        self.iter.value().unwrap_or_default()
    }
}
