//! Buckets merged by row key.

use std::collections::VecDeque;

use crate::error::Result;
use crate::store::cursor::stream::{Group, Step, Stream};
use crate::store::cursor::tournament::Tournament;
use crate::store::cursor::{Budget, Counters, RowSink, Source};

/// Merges buckets by row key, without their salt: each bucket has an iterator of its own, and
/// the row whose key comes first is emitted. A row is decoded when it is emitted, and the
/// iterator under it moves on only when the next row is asked for.
pub(in crate::store) struct MergeCursor<S: Source> {
    source: S,
    salt: usize,
    reverse: bool,
    groups: VecDeque<Group>,
    lanes: Vec<Lane<S::Iter>>,
    state: State,
    pub(super) counters: Counters,
}

/// One bucket in the merge.
struct Lane<I> {
    stream: Stream<I>,
    /// The key that it stands on, without salt: it is compared more often than it is read.
    key: Vec<u8>,
    ended: bool,
}

enum State {
    Unopened,
    /// `emitted`: the winner's row was taken, it has to move on first.
    Running {
        tournament: Tournament,
        emitted: bool,
    },
    Ended,
}

impl<S: Source> MergeCursor<S> {
    pub(super) fn new(source: S, salted: bool, groups: VecDeque<Group>, reverse: bool) -> Self {
        MergeCursor {
            source,
            salt: usize::from(salted),
            reverse,
            groups,
            lanes: Vec::new(),
            state: State::Unopened,
            counters: Counters::default(),
        }
    }

    pub(super) fn fill_into<R: RowSink>(&mut self, sink: &mut R, budget: Budget) -> Result<bool> {
        let more = self.merge_into(sink, budget);
        if !matches!(more, Ok(true)) {
            self.state = State::Ended;
            self.lanes.clear();
        }
        more
    }

    fn merge_into<R: RowSink>(&mut self, sink: &mut R, mut budget: Budget) -> Result<bool> {
        if let State::Unopened = self.state {
            self.open_lanes()?;
        }
        let State::Running {
            tournament,
            emitted,
        } = &mut self.state
        else {
            return Ok(false);
        };
        let (lanes, counters) = (&mut self.lanes, &mut self.counters);
        let (salt, reverse) = (self.salt, self.reverse);
        let needs_value = sink.needs_value();
        loop {
            if budget.is_spent(sink) {
                return Ok(true);
            }
            if *emitted {
                lanes[tournament.winner()].advance(salt, counters)?;
                tournament.replay(|a, b| before(lanes, reverse, a, b));
                *emitted = false;
            }
            let lane = &lanes[tournament.winner()];
            if lane.ended {
                return Ok(false);
            }
            let value = if needs_value {
                lane.stream.value()
            } else {
                &[]
            };
            sink.push(&lane.key, value)?;
            budget.spend(lane.key.len() + value.len());
            *emitted = true;
            counters.rows += 1;
        }
    }

    fn open_lanes(&mut self) -> Result<()> {
        for group in self.groups.drain(..) {
            let stream = Stream::open(&self.source, group, self.reverse);
            let mut lane = Lane {
                stream,
                key: Vec::new(),
                ended: false,
            };
            lane.advance(self.salt, &mut self.counters)?;
            if !lane.ended {
                self.lanes.push(lane);
            }
        }
        self.state = match self.lanes.len() {
            0 => State::Ended,
            n => State::Running {
                tournament: Tournament::new(n, |a, b| before(&self.lanes, self.reverse, a, b)),
                emitted: false,
            },
        };
        Ok(())
    }
}

impl<I: super::RawIterator> Lane<I> {
    #[inline]
    fn advance(&mut self, salt: usize, counters: &mut Counters) -> Result<()> {
        if self.stream.advance(counters)? == Step::Row {
            let key = self.stream.key();
            self.key.clear();
            self.key.extend_from_slice(&key[salt.min(key.len())..]);
        } else {
            self.ended = true;
        }
        Ok(())
    }
}

/// Whether lane `a` comes before lane `b`; those that have ended come last.
#[inline]
fn before<I>(lanes: &[Lane<I>], reverse: bool, a: usize, b: usize) -> bool {
    let (left, right) = (&lanes[a], &lanes[b]);
    match (left.ended, right.ended) {
        (false, false) if reverse => left.key > right.key,
        (false, false) => left.key < right.key,
        (left_ended, _) => !left_ended,
    }
}
