//! A way through ranges in one direction, from row to row.

use std::ops::Range;

use crate::error::Result;
use crate::key::{KeyProbe, Verdict};
use crate::store::cursor::RawIterator;
use crate::store::cursor::costs::Costs;
use crate::store::cursor::pace::Pace;
use crate::store::cursor::ranges::StoredRange;

/// What comes of going to the next row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It stands on a row.
    Row,
    /// There are no more rows.
    End,
    /// There may be more rows, behind many deleted ones.
    GaveUp,
    /// There may be more rows, behind many that are left out; the next call goes on from here.
    Paused,
}

/// Where a scan is in its ranges, in one direction, and what it leaves out of them.
///
/// The iterator is not part of it: two walks may move the same one.
#[derive(Debug)]
pub(super) struct Walk {
    reverse: bool,
    /// How many bytes the salt takes.
    salt: usize,
    /// Whether the bounds of the iterator end the last range, as well as a comparison would.
    bounded: bool,
    /// The ranges that it has not left.
    window: Range<usize>,
    /// Whether the iterator was sent into the current range.
    positioned: bool,
    probe: Option<KeyProbe>,
    target: Vec<u8>,
    pace: Pace,
    /// Whether the row it stands on was not looked at.
    paused: bool,
    /// When it paused: the last row that was left out.
    passed: Vec<u8>,
}

impl Walk {
    /// A walk through all of `ranges` ranges.
    pub(super) fn new(
        ranges: usize,
        reverse: bool,
        salt: usize,
        bounded: bool,
        probe: Option<KeyProbe>,
        pace: Pace,
    ) -> Self {
        Walk {
            reverse,
            salt,
            bounded,
            window: 0..ranges,
            positioned: false,
            probe,
            target: Vec::new(),
            pace,
            paused: false,
            passed: Vec::new(),
        }
    }

    /// The ranges that it has not left; it is in the first of them, or in reverse in the last.
    pub(super) fn window(&self) -> Range<usize> {
        self.window.clone()
    }

    /// Whether the iterator stands on a row of the current range that was settled on.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.positioned && !self.paused
    }

    /// When it paused: the last row that was left out, without its salt. There is none before the
    /// next one that is wanted.
    pub(super) fn passed(&self) -> &[u8] {
        &self.passed
    }

    fn current<'a>(&self, ranges: &'a [StoredRange]) -> Option<&'a StoredRange> {
        let at = match self.reverse {
            false => self.window.start,
            true => self.window.end.checked_sub(1)?,
        };
        ranges.get(at).filter(|_| !self.window.is_empty())
    }

    /// Leaves the current range.
    fn leave_range(&mut self) {
        match self.reverse {
            false => self.window.start += 1,
            true => self.window.end -= 1,
        }
        self.positioned = false;
        self.restart();
    }

    /// Leaves all ranges.
    pub(super) fn leave_all(&mut self) {
        self.window = 0..0;
    }

    /// A key that is not further on than the last one may come.
    fn restart(&mut self) {
        if let Some(probe) = &mut self.probe {
            probe.restart();
        }
    }

    /// One row on, wherever that leads; [`settle`](Walk::settle) finds out.
    #[inline]
    pub(super) fn step<I: RawIterator>(&self, iter: &mut I) {
        match self.reverse {
            false => iter.next(),
            true => iter.prev(),
        }
    }

    /// Goes on to `target` and to the ranges that have keys from there on, in reverse those before
    /// it; [`settle`](Walk::settle) finds out what stands there.
    pub(super) fn pass<I: RawIterator>(
        &mut self,
        iter: &mut I,
        ranges: &[StoredRange],
        target: &[u8],
        pace: &mut Pace,
        costs: &mut Costs,
    ) {
        while let Some(range) = self.current(ranges) {
            if !range.goes_beyond(target, self.reverse) {
                self.leave_range();
                continue;
            }
            if self.positioned {
                go_to(iter, target, self.reverse, pace, costs);
            } else if range.after_start(target, self.reverse) {
                self.positioned = true;
                seek(iter, target, self.reverse, costs);
            }
            return;
        }
    }

    /// Sets out anew through the ranges that `other` has not left, which goes the other way.
    pub(super) fn face(&mut self, other: &Walk) {
        self.window = other.window();
        self.positioned = false;
        self.restart();
    }

    /// Goes on from the row where `other` has settled, which came the other way.
    pub(super) fn meet(&mut self, other: &Walk) {
        match self.reverse {
            false => self.window.start = other.window.end.saturating_sub(1),
            true => self.window.end = other.window.start + 1,
        }
        self.positioned = true;
        self.restart();
    }

    /// Goes on until the iterator stands on a row that is wanted: not at all, if it does. `moved`
    /// says that the row it stands on was not counted. `resume`, if there is one, is cleared when
    /// a range is entered at its start. When a place where the next row could be has none, and what
    /// it cost to look for it is enough, it pauses at the next place.
    #[inline]
    pub(super) fn settle<I: RawIterator>(
        &mut self,
        iter: &mut I,
        ranges: &[StoredRange],
        mut moved: bool,
        resume: &mut Vec<u8>,
        costs: &mut Costs,
    ) -> Result<Step> {
        self.paused = false;
        loop {
            let Some(range) = self.current(ranges) else {
                return Ok(Step::End);
            };
            if !self.positioned {
                self.positioned = true;
                moved = true;
                resume.clear();
                costs.enter(range.bucket(self.salt > 0));
                enter(iter, range, self.reverse, costs);
            }
            let Some(key) = iter.key() else {
                if iter.gave_up() {
                    return Ok(Step::GaveUp);
                }
                // Without a row within the outer bounds the ranges left have none either.
                self.leave_all();
                return iter.status().map(|()| Step::End);
            };
            costs.counters.steps += u64::from(moved);
            moved = false;
            let is_last = self.bounded && self.window.len() == 1;
            if !is_last && !range.before_end(key, self.reverse) {
                self.leave_range();
                resume.clear();
                // The row that ended one range may be the first of the next.
                let next = self
                    .current(ranges)
                    .filter(|next| next.after_start(key, self.reverse));
                if let Some(next) = next {
                    self.positioned = true;
                    costs.enter(next.bucket(self.salt > 0));
                }
                continue;
            }
            let Some(probe) = &mut self.probe else {
                return Ok(Step::Row);
            };
            let (salt, unsalted) = key.split_at(self.salt.min(key.len()));
            match probe.check(unsalted)? {
                Verdict::Inside => return Ok(Step::Row),
                Verdict::End => self.leave_range(),
                Verdict::Skip => {
                    self.target.clear();
                    self.target.extend_from_slice(salt);
                    self.target.extend_from_slice(probe.target());
                    if range.goes_beyond(&self.target, self.reverse) {
                        self.paused = costs.are_enough();
                        if self.paused {
                            self.passed.clear();
                            self.passed.extend_from_slice(unsalted);
                        }
                        go_to(iter, &self.target, self.reverse, &mut self.pace, costs);
                        if self.paused {
                            return Ok(Step::Paused);
                        }
                    } else {
                        self.leave_range();
                    }
                }
            }
        }
    }
}

/// Goes to the first row of the range, or in reverse to its last one, or past it.
fn enter<I: RawIterator>(iter: &mut I, range: &StoredRange, reverse: bool, costs: &mut Costs) {
    match (reverse, &range.end) {
        (false, _) => {
            costs.counters.seeks += 1;
            iter.seek(&range.start);
        }
        (true, None) => {
            costs.counters.seeks += 1;
            iter.seek_to_last();
        }
        (true, Some(end)) => seek_before(iter, end, costs),
    }
}

/// Goes to the last row before `end`.
fn seek_before<I: RawIterator>(iter: &mut I, end: &[u8], costs: &mut Costs) {
    costs.counters.seeks += 1;
    iter.seek_for_prev(end);
    if iter.key() == Some(end) {
        costs.counters.steps += 1;
        iter.prev();
    }
}

/// Goes on to the first row that is not before `target`, or in reverse to the last one that is.
fn go_to<I: RawIterator>(
    iter: &mut I,
    target: &[u8],
    reverse: bool,
    pace: &mut Pace,
    costs: &mut Costs,
) {
    // The row before the one that it stands on needs no seek.
    let at_target = |key: Option<&[u8]>| reverse && key == Some(target);
    let mut left = match at_target(iter.key()) {
        true => 1,
        false => pace.steps(),
    };
    while left > 0 {
        match reverse {
            false => iter.next(),
            true => iter.prev(),
        }
        let Some(key) = iter.key() else {
            return;
        };
        costs.counters.steps += 1;
        if (key >= target) != reverse {
            pace.stepped();
            return;
        }
        left = match at_target(Some(key)) {
            true => 1,
            false => left - 1,
        };
    }
    pace.sought();
    seek(iter, target, reverse, costs);
}

/// The same without trying to step.
fn seek<I: RawIterator>(iter: &mut I, target: &[u8], reverse: bool, costs: &mut Costs) {
    match reverse {
        false => {
            costs.counters.seeks += 1;
            iter.seek(target);
        }
        true => seek_before(iter, target, costs),
    }
    costs.counters.steps += u64::from(iter.key().is_some());
}
