//! Ranges one after the other.

use std::collections::VecDeque;

use crate::error::Result;
use crate::store::cursor::stream::{Group, Step, Stream};
use crate::store::cursor::{Budget, Counters, RowSink, Source};

/// Reads range after range with one iterator, over all buckets: to send an iterator on costs half
/// of what a new one does. In reverse there is but one bucket.
pub(in crate::store) struct SequenceCursor<S: Source> {
    source: S,
    salt: usize,
    stream: Option<Stream<S::Iter>>,
    /// What is left, while `stream` reads a range that another gave up.
    rest: Option<Rest>,
    pub(super) counters: Counters,
}

enum Rest {
    /// Nothing was read yet.
    All {
        groups: VecDeque<Group>,
        reverse: bool,
    },
    /// The ranges after the one that `stream` reads.
    After(Group),
}

impl<S: Source> SequenceCursor<S> {
    pub(super) fn new(source: S, salted: bool, groups: VecDeque<Group>, reverse: bool) -> Self {
        SequenceCursor {
            source,
            salt: usize::from(salted),
            stream: None,
            rest: Some(Rest::All { groups, reverse }),
            counters: Counters::default(),
        }
    }

    pub(in crate::store) fn fill_into<R: RowSink>(
        &mut self,
        sink: &mut R,
        budget: Budget,
    ) -> Result<bool> {
        let more = self.read_into(sink, budget);
        if !matches!(more, Ok(true)) {
            self.stream = None;
            self.rest = None;
        }
        more
    }

    fn read_into<R: RowSink>(&mut self, sink: &mut R, mut budget: Budget) -> Result<bool> {
        let needs_value = sink.needs_value();
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
                match stream.advance(&mut self.counters)? {
                    Step::Row => {}
                    step => break step,
                }
                let key = stream.key();
                let value = if needs_value { stream.value() } else { &[] };
                sink.push(&key[self.salt.min(key.len())..], value)?;
                budget.spend(key.len() + value.len());
                self.counters.rows += 1;
            };
            let ended = self.stream.take();
            if let (Step::GaveUp, Some(stream)) = (step, ended) {
                // Its range goes to an iterator that ends with it.
                let (range, after) = stream.into_rest().split_first();
                self.stream = Some(Stream::open(&self.source, range, false));
                self.rest = after.map(Rest::After);
            }
        }
    }

    /// A stream of what is left.
    fn open_next(&mut self) -> Option<Stream<S::Iter>> {
        Some(match self.rest.take()? {
            Rest::All {
                groups,
                reverse: true,
            } => Stream::open(&self.source, Group::join(groups), true),
            Rest::All {
                groups,
                reverse: false,
            } => Stream::open_wary(&self.source, Group::join(groups)),
            Rest::After(group) => Stream::open_wary(&self.source, group),
        })
    }
}
