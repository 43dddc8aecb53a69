//! Some ranges as one stream of rows.

use std::sync::Arc;

use crate::error::Result;
use crate::key::{KeyFilter, KeyProbe, LeadingColumns};
use crate::store::KeyGroups;
use crate::store::cursor::costs::Costs;
use crate::store::cursor::ends::{Ends, Parts};
use crate::store::cursor::pace::Pace;
use crate::store::cursor::ranges::{Ranges, StoredRange};
use crate::store::cursor::walk::{Step, Walk};
use crate::store::cursor::{RawIterator, Source};

/// What the streams of a scan have in common.
#[derive(Debug, Clone, Default)]
pub(super) struct Choice {
    pub(super) salted: bool,
    pub(super) reverse: bool,
    /// The rows that are read, if not all.
    pub(super) filter: Option<Arc<KeyFilter>>,
    /// The groups of these whose ends are read, if not all.
    pub(super) groups: Option<KeyGroups>,
    /// The columns that a merge of them does not compare.
    pub(super) merge_behind: LeadingColumns,
    /// What they know of steps and seeks when they begin.
    pub(super) pace: Pace,
    /// How much work, in steps, a fill does between its rows before it pauses.
    pub(super) patience: u64,
    /// Whether it is measured what each bucket costs.
    pub(super) timed: bool,
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
    ranges: Vec<StoredRange>,
    walk: Walk,
    ends: Option<Box<Ends>>,
    /// Of a wary iterator: where the rows begin that were not returned, if that is not where the
    /// current range does.
    resume: Vec<u8>,
}

impl<I: RawIterator> Stream<I> {
    /// A stream that reads on however many deleted rows there are.
    pub(super) fn open<S: Source<Iter = I>>(source: &S, ranges: Ranges, choice: &Choice) -> Self {
        Stream::with(source, ranges, choice, false)
    }

    /// A forward stream that gives up between its ranges. It must not read the ends of groups: what
    /// it leaves behind would begin within one.
    pub(super) fn open_wary<S: Source<Iter = I>>(
        source: &S,
        ranges: Ranges,
        choice: &Choice,
    ) -> Self {
        let several = ranges.0.len() > 1;
        Stream::with(source, ranges, choice, several)
    }

    fn with<S: Source<Iter = I>>(
        source: &S,
        Ranges(ranges): Ranges,
        choice: &Choice,
        wary: bool,
    ) -> Self {
        let lower = ranges.first().map_or(&[][..], |range| &range.start);
        let upper = ranges.last().and_then(|range| range.end.as_deref());
        let probe = |reverse| {
            let filter = choice.filter.clone();
            filter.map(|filter| KeyProbe::new(filter, reverse))
        };
        let salt = usize::from(choice.salted);
        let walk = |reverse, bounded| {
            Walk::new(
                ranges.len(),
                reverse,
                salt,
                bounded,
                probe(reverse),
                choice.pace.clone(),
            )
        };
        let reverse = choice.reverse;
        let ends = choice.groups.as_ref().map(|groups| {
            let columns = groups.columns.clone();
            let ends = match reverse {
                false => (groups.first, groups.last),
                true => (groups.last, groups.first),
            };
            Box::new(Ends::new(
                columns,
                reverse,
                salt,
                ends,
                walk(!reverse, false),
                &choice.pace,
            ))
        });
        Stream {
            iter: source.open(lower, upper, wary),
            wary,
            walk: walk(reverse, true),
            ends,
            ranges,
            resume: Vec::new(),
        }
    }

    /// What is left to read after it gave up.
    pub(super) fn into_rest(self) -> Ranges {
        let window = self.walk.window();
        let mut ranges: Vec<StoredRange> = self.ranges;
        ranges.truncate(window.end);
        let mut rest = ranges.split_off(window.start.min(ranges.len()));
        if let Some(range) = rest.first_mut()
            && !self.resume.is_empty()
        {
            range.start = self.resume;
        }
        Ranges(rest)
    }

    /// Goes to the next row.
    #[inline]
    pub(super) fn advance(&mut self, costs: &mut Costs) -> Result<Step> {
        if let Some(ends) = &mut self.ends {
            return ends.advance(Parts {
                iter: &mut self.iter,
                ranges: &self.ranges,
                walk: &mut self.walk,
                costs,
            });
        }
        let moves = self.walk.is_settled();
        if moves {
            if self.wary {
                self.resume.clear();
                self.resume
                    .extend_from_slice(self.iter.key().unwrap_or_default());
                self.resume.push(0);
            }
            self.walk.step(&mut self.iter);
        }
        let Stream {
            iter,
            ranges,
            walk,
            resume,
            ..
        } = self;
        walk.settle(iter, ranges, moves, resume, costs)
    }

    /// When it paused: the last row that was left out, without its salt.
    pub(super) fn passed(&self) -> &[u8] {
        self.walk.passed()
    }

    /// The key of the row it stands on, salt byte included.
    #[inline]
    pub(super) fn key(&self) -> &[u8] {
        match self.held() {
            Some((key, _)) => key,
            None => self.iter.key().unwrap_or_default(),
        }
    }

    /// The value of the row it stands on.
    #[inline]
    pub(super) fn value(&self) -> &[u8] {
        match self.held() {
            Some((_, value)) => value,
            None => self.iter.value().unwrap_or_default(),
        }
    }

    #[inline]
    fn held(&self) -> Option<(&[u8], &[u8])> {
        self.ends.as_ref().and_then(|ends| ends.held())
    }
}
