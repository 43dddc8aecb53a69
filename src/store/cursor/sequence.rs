//! Ranges one after the other.

use std::collections::VecDeque;

use crate::error::Result;
use crate::store::cursor::costs::Costs;
use crate::store::cursor::ranges::Ranges;
use crate::store::cursor::stream::{Choice, Stream};
use crate::store::cursor::walk::Step;
use crate::store::cursor::{Budget, RowSink, Source};

/// Reads range after range with one iterator, over all buckets: to send an iterator on costs half
/// of what a new one does. Where the ends of groups are read each bucket has an iterator. In reverse
/// there is but one bucket.
pub(in crate::store) struct SequenceCursor<S: Source> {
    source: S,
    choice: Choice,
    stream: Option<Stream<S::Iter>>,
    /// What follows when `stream` has ended.
    unopened: VecDeque<Ranges>,
    pub(super) costs: Costs,
}

impl<S: Source> SequenceCursor<S> {
    pub(super) fn new(source: S, buckets: VecDeque<Ranges>, mut choice: Choice) -> Self {
        if let Some(groups) = &choice.groups
            && groups.columns.is_empty()
            && groups.first != groups.last
        {
            // The one row of a bucket comes first from its own side.
            choice.reverse = groups.last;
        }
        // A group is one in its bucket.
        let unopened = match choice.groups {
            Some(_) => buckets,
            None => VecDeque::from([Ranges::join(buckets)]),
        };
        let costs = Costs::new(choice.timed, choice.patience);
        SequenceCursor {
            source,
            choice,
            stream: None,
            unopened,
            costs,
        }
    }

    pub(in crate::store) fn fill_into<R: RowSink>(
        &mut self,
        sink: &mut R,
        budget: Budget,
    ) -> Result<bool> {
        self.costs.start();
        let more = self.read_into(sink, budget);
        self.costs.stop();
        if !matches!(more, Ok(true)) {
            self.stream = None;
            self.unopened.clear();
        }
        more
    }

    fn read_into<R: RowSink>(&mut self, sink: &mut R, mut budget: Budget) -> Result<bool> {
        let needs_value = sink.needs_value();
        let salt = usize::from(self.choice.salted);
        loop {
            if self.stream.is_none() {
                self.stream = self.open_next();
            }
            let Some(stream) = &mut self.stream else {
                return Ok(false);
            };
            let step = loop {
                if budget.is_spent(sink) {
                    return Ok(true);
                }
                match stream.advance(&mut self.costs)? {
                    Step::Row => {}
                    Step::Paused => {
                        sink.pass(stream.passed());
                        return Ok(true);
                    }
                    step => break step,
                }
                let key = stream.key();
                let value = if needs_value { stream.value() } else { &[] };
                let key = &key[salt.min(key.len())..];
                sink.push(key, value)?;
                budget.spend(key.len() + value.len());
                self.costs.row(key.len() + value.len());
            };
            let ended = self.stream.take();
            if let (Step::GaveUp, Some(stream)) = (step, ended) {
                // Its range goes to an iterator that ends with it.
                let (range, after) = stream.into_rest().split_first();
                self.stream = Some(Stream::open(&self.source, range, &self.choice));
                if let Some(after) = after {
                    self.unopened.push_front(after);
                }
            }
        }
    }

    /// A stream of what is left.
    fn open_next(&mut self) -> Option<Stream<S::Iter>> {
        let ranges = self.unopened.pop_front()?;
        self.costs.enter(ranges.bucket(self.choice.salted));
        let may_give_up = !self.choice.reverse && self.choice.groups.is_none();
        Some(match may_give_up {
            true => Stream::open_wary(&self.source, ranges, &self.choice),
            false => Stream::open(&self.source, ranges, &self.choice),
        })
    }
}
