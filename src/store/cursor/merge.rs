//! Streams merged by row key.

use std::cmp::Ordering;
use std::collections::VecDeque;

use crate::error::Result;
use crate::key::LeadingColumns;
use crate::store::cursor::costs::Costs;
use crate::store::cursor::ranges::Ranges;
use crate::store::cursor::stream::{Choice, Stream};
use crate::store::cursor::tournament::Tournament;
use crate::store::cursor::walk::Step;
use crate::store::cursor::{Budget, RowSink, Source};

/// Merges buckets, or ranges of them, by row key, without their salt: each has an iterator of its
/// own, and the row whose key comes first is emitted. A row is decoded when it is emitted, and the
/// iterator under it moves on only when the next row is asked for.
pub(in crate::store) struct MergeCursor<S: Source> {
    source: S,
    choice: Choice,
    unopened: VecDeque<Ranges>,
    lanes: Vec<Lane<S::Iter>>,
    state: State,
    pub(super) costs: Costs,
}

/// One stream in the merge.
struct Lane<I> {
    stream: Stream<I>,
    bucket: u8,
    /// The key that it stands on, without salt: it is compared more often than it is read. While
    /// it pauses, the last key that it left out: what it has comes after.
    key: Vec<u8>,
    paused: bool,
    /// Where the columns begin that are compared.
    from: usize,
    ended: bool,
}

enum State {
    Unopened,
    /// `moves`: the winner's row was taken, or it pauses before one; it has to move on first.
    Running {
        tournament: Tournament,
        moves: bool,
    },
    Ended,
}

impl<S: Source> MergeCursor<S> {
    pub(super) fn new(source: S, streams: VecDeque<Ranges>, choice: Choice) -> Self {
        let costs = Costs::new(choice.timed, choice.patience);
        MergeCursor {
            source,
            choice,
            unopened: streams,
            lanes: Vec::new(),
            state: State::Unopened,
            costs,
        }
    }

    pub(super) fn fill_into<R: RowSink>(&mut self, sink: &mut R, budget: Budget) -> Result<bool> {
        self.costs.start();
        let more = self.merge_into(sink, budget);
        self.costs.stop();
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
        let State::Running { tournament, moves } = &mut self.state else {
            return Ok(false);
        };
        let (lanes, costs) = (&mut self.lanes, &mut self.costs);
        let behind = &self.choice.merge_behind;
        let (salt, reverse) = (usize::from(self.choice.salted), self.choice.reverse);
        let needs_value = sink.needs_value();
        loop {
            if budget.is_spent(sink) {
                return Ok(true);
            }
            if *moves {
                lanes[tournament.winner()].advance(salt, behind, costs)?;
                tournament.replay(|a, b| before(lanes, reverse, a, b));
                *moves = false;
            }
            let lane = &lanes[tournament.winner()];
            if lane.ended {
                return Ok(false);
            }
            *moves = true;
            if lane.paused {
                // The others have nothing before it either.
                sink.pass(&lane.key);
                return Ok(true);
            }
            costs.enter(lane.bucket);
            let value = if needs_value {
                lane.stream.value()
            } else {
                &[]
            };
            sink.push(&lane.key, value)?;
            budget.spend(lane.key.len() + value.len());
            costs.row(lane.key.len() + value.len());
        }
    }

    fn open_lanes(&mut self) -> Result<()> {
        let (salt, reverse) = (usize::from(self.choice.salted), self.choice.reverse);
        let streams = self.unopened.len();
        for ranges in self.unopened.drain(..) {
            let bucket = ranges.bucket(self.choice.salted);
            self.costs.enter(bucket);
            // Where one alone goes on, a read that is suspended now has come no further than the
            // others, and does its work once more.
            self.costs.share(streams);
            let stream = Stream::open(&self.source, ranges, &self.choice);
            let mut lane = Lane {
                stream,
                bucket,
                key: Vec::new(),
                paused: false,
                from: 0,
                ended: false,
            };
            lane.advance(salt, &self.choice.merge_behind, &mut self.costs)?;
            if !lane.ended {
                self.lanes.push(lane);
            }
        }
        self.costs.share(1);
        self.state = match self.lanes.len() {
            0 => State::Ended,
            n => State::Running {
                tournament: Tournament::new(n, |a, b| before(&self.lanes, reverse, a, b)),
                moves: false,
            },
        };
        Ok(())
    }
}

impl<I: super::RawIterator> Lane<I> {
    #[inline]
    fn advance(&mut self, salt: usize, behind: &LeadingColumns, costs: &mut Costs) -> Result<()> {
        let step = self.stream.advance(costs)?;
        self.paused = step == Step::Paused;
        let key = match step {
            Step::Row => {
                let key = self.stream.key();
                &key[salt.min(key.len())..]
            }
            Step::Paused => self.stream.passed(),
            Step::End | Step::GaveUp => {
                self.ended = true;
                return Ok(());
            }
        };
        self.key.clear();
        self.key.extend_from_slice(key);
        self.from = behind.width(&self.key)?;
        Ok(())
    }
}

/// Whether lane `a` comes before lane `b`; those that have ended come last.
#[inline]
fn before<I>(lanes: &[Lane<I>], reverse: bool, a: usize, b: usize) -> bool {
    let (left, right) = (&lanes[a], &lanes[b]);
    if left.ended || right.ended {
        return !left.ended;
    }
    let order = match left.key[left.from..].cmp(&right.key[right.from..]) {
        Ordering::Equal => left.key.cmp(&right.key).then(a.cmp(&b)),
        order => order,
    };
    match reverse {
        false => order.is_lt(),
        true => order.is_gt(),
    }
}
