//! Which keys lie in some boxes, and where the next of them can be.
//!
//! A [`KeyFilter`] holds the boxes in bytes; a [`KeyProbe`] is what one scan asks, key by key, in
//! its direction. The columns of a key are cut off from the left, no further than the first that
//! is in none of its intervals. There the box has a next place:
//!
//! ```text
//! boxes     b in {5}, c in {1 ..= 3}          key columns a, b, c, forward
//! (2, 4, 9) -> (2, 5, 1)    b is before an interval: its start, and the starts behind it
//! (2, 5, 7) -> (3, 5, 1)    c is behind its last one: the next column on the left that can grow
//! (3, 5, 2)    inside
//! ```
//!
//! What stands next to a value is known only for a type of fixed width. Behind the text 'x' the
//! next place is "anything larger", and the starts of the columns behind it wait until a key is
//! there: a gap costs two seeks for each value that it has, or one where the values are neighbours.
//!
//! In reverse a place is excluded: the scan goes to the last key before it.

use std::ops::Bound;
use std::sync::Arc;

use crate::codec::Neighbour;
use crate::error::{Error, Result};
use crate::key::range::to_successor;
use crate::key::{KeyBox, KeyColumn, KeyLayout, ValueRange};
use crate::types::Value;

#[cfg(test)]
pub(super) mod tests;

/// Boxes of rows, in bytes.
#[derive(Debug)]
pub struct KeyFilter {
    columns: Vec<KeyColumn>,
    boxes: Vec<ByteBox>,
}

/// A box by key column, up to the last that it constrains; `None` is any value.
type ByteBox = Vec<Option<Vec<Interval>>>;

/// An end of an interval.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Edge {
    /// None.
    Open,
    /// At this column, which is inside.
    At(Vec<u8>),
    /// At these bytes, which are no column: they are the first that may be inside, or the first
    /// that may not.
    Beside(Vec<u8>),
}

/// Columns between two ends, in the order of bytes.
#[derive(Debug, Clone)]
struct Interval {
    first: Edge,
    last: Edge,
}

/// Where a key is, as seen by a scan in its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// In a box.
    Inside,
    /// In none. The next key that can be in one is at [`KeyProbe::target`].
    Skip,
    /// In none, and no key that is further on is in one.
    End,
}

/// A scan's look at a [`KeyFilter`]. It allocates nothing for a key once its buffers have grown.
#[derive(Debug)]
pub struct KeyProbe {
    filter: Arc<KeyFilter>,
    reverse: bool,
    /// Where the columns of the key end that have been cut off so far.
    ends: Vec<usize>,
    states: Vec<BoxState>,
    /// The box that the last key was in, and the one whose target is the nearest.
    current: usize,
    nearest: usize,
}

/// What is known of a box while a scan goes on in one direction.
#[derive(Debug)]
struct BoxState {
    next: Next,
    target: Vec<u8>,
    /// By column, the interval that the last key was in.
    places: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Unknown,
    /// No key before the target is in the box.
    Target,
    /// No key further on is in it.
    Nothing,
}

impl KeyFilter {
    /// The filter of these boxes, or `None` if there is none, which is a filter of nothing.
    /// Intervals may overlap and may be empty.
    ///
    /// # Errors
    /// `Internal` if a box names a column that the key does not have or has named before; a value
    /// that is not of its column's type, and NULL in a column that is NOT NULL.
    pub fn new(boxes: &[KeyBox], layout: &KeyLayout) -> Result<Option<Arc<KeyFilter>>> {
        if boxes.is_empty() {
            return Ok(None);
        }
        let mut compiled = Vec::with_capacity(boxes.len());
        for one in boxes {
            if let Some(one) = byte_box(one, layout.columns())? {
                compiled.push(one);
            }
        }
        Ok(Some(Arc::new(KeyFilter {
            columns: layout.columns().to_vec(),
            boxes: compiled,
        })))
    }
}

/// The box in bytes, or `None` if no row is in it.
fn byte_box(one: &KeyBox, columns: &[KeyColumn]) -> Result<Option<ByteBox>> {
    let mut sets: ByteBox = Vec::new();
    for (place, ranges) in &one.columns {
        let Some(column) = columns.get(*place).filter(|_| sets.len() <= *place) else {
            return Err(Error::internal(format!("a box names key column {place}")));
        };
        let mut intervals = Vec::with_capacity(ranges.len());
        for range in ranges {
            intervals.extend(Interval::new(column, range)?);
        }
        intervals.sort_by(|a, b| a.first.bytes().cmp(b.first.bytes()));
        intervals.dedup_by(|next, kept| kept.take_in(next));
        if intervals.is_empty() {
            return Ok(None);
        }
        sets.resize(*place, None);
        sets.push(Some(intervals));
    }
    Ok(Some(sets))
}

impl Edge {
    fn bytes(&self) -> &[u8] {
        match self {
            Edge::Open => &[],
            Edge::At(bytes) | Edge::Beside(bytes) => bytes,
        }
    }
}

impl Interval {
    /// The interval in bytes, unless it is empty.
    fn new(column: &KeyColumn, (lower, upper): &ValueRange) -> Result<Option<Interval>> {
        let edge = |bound: &Bound<Value>, back: bool| -> Result<Option<Edge>> {
            let mut bytes = Vec::new();
            match bound {
                Bound::Unbounded => return Ok(Some(Edge::Open)),
                Bound::Included(value) => column.encode_value(value, &mut bytes)?,
                Bound::Excluded(value) => {
                    let mut beside = Vec::new();
                    column.encode_value(value, &mut bytes)?;
                    match column.append_neighbour(&bytes, back, &mut beside) {
                        Neighbour::Column => bytes = beside,
                        Neighbour::Place => return Ok(Some(Edge::Beside(beside))),
                        Neighbour::None => return Ok(None),
                    }
                }
            }
            Ok(Some(Edge::At(bytes)))
        };
        let (Some(first), Some(last)) = (edge(lower, false)?, edge(upper, true)?) else {
            return Ok(None);
        };
        let interval = Interval { first, last };
        let is_empty = match &interval.first {
            Edge::Open => false,
            Edge::At(bytes) | Edge::Beside(bytes) => interval.is_before(bytes),
        };
        Ok((!is_empty).then_some(interval))
    }

    /// Whether all of it is before a column, or before the columns that are not below `bytes`.
    #[inline]
    fn is_before(&self, bytes: &[u8]) -> bool {
        match &self.last {
            Edge::Open => false,
            Edge::At(last) => last.as_slice() < bytes,
            Edge::Beside(end) => end.as_slice() <= bytes,
        }
    }

    /// Whether all of it is after a column.
    #[inline]
    fn is_after(&self, column: &[u8]) -> bool {
        column < self.first.bytes()
    }

    /// Whether it has columns below `end`.
    fn has_below(&self, end: &[u8]) -> bool {
        self.first.bytes() < end
    }

    /// Takes `next`, which does not start before it, into it if they overlap.
    fn take_in(&mut self, next: &Interval) -> bool {
        if next.first != Edge::Open && self.is_before(next.first.bytes()) {
            return false;
        }
        let reaches_further = match (&self.last, &next.last) {
            (Edge::Open, _) => false,
            (_, Edge::Open) => true,
            (Edge::Beside(a), Edge::At(b)) => a <= b,
            (a, b) => a.bytes() < b.bytes(),
        };
        if reaches_further {
            self.last = next.last.clone();
        }
        true
    }

    /// The end that a scan comes to first, or last.
    fn edge(&self, last: bool) -> &Edge {
        match last {
            false => &self.first,
            true => &self.last,
        }
    }
}

impl KeyProbe {
    /// A look in one direction.
    pub fn new(filter: Arc<KeyFilter>, reverse: bool) -> Self {
        let state = |sets: &ByteBox| BoxState {
            next: Next::Unknown,
            target: Vec::new(),
            places: vec![0; sets.len()],
        };
        KeyProbe {
            states: filter.boxes.iter().map(state).collect(),
            filter,
            reverse,
            ends: Vec::new(),
            current: 0,
            nearest: 0,
        }
    }

    /// Forgets where the scan was: the next key may be anywhere.
    pub fn restart(&mut self) {
        for state in &mut self.states {
            state.next = Next::Unknown;
        }
    }

    /// Where the next key can be that is in a box: after [`Verdict::Skip`] of a scan forward, the
    /// first key that is not below these bytes; in reverse, the last one that is.
    pub fn target(&self) -> &[u8] {
        match self.states.get(self.nearest) {
            Some(state) => &state.target,
            None => &[],
        }
    }

    /// Where `key`, a row key without its salt, is. Unless the scan was
    /// [restarted](KeyProbe::restart), it is further on than the key before.
    ///
    /// # Errors
    /// `Corrupt` if the key does not decode.
    #[inline]
    pub fn check(&mut self, key: &[u8]) -> Result<Verdict> {
        self.ends.clear();
        let boxes = self.states.len();
        if self.current < boxes && self.is_inside(self.current, key)? {
            return Ok(Verdict::Inside);
        }
        if boxes > 1 {
            for index in 0..boxes {
                if index != self.current && self.is_inside(index, key)? {
                    self.current = index;
                    return Ok(Verdict::Inside);
                }
            }
        }
        self.nearest(key)
    }

    /// The target that comes first.
    fn nearest(&mut self, key: &[u8]) -> Result<Verdict> {
        let targets = self
            .states
            .iter()
            .enumerate()
            .filter(|(_, state)| state.next == Next::Target);
        let nearest = match self.reverse {
            false => targets.min_by(|(_, a), (_, b)| a.target.cmp(&b.target)),
            true => targets.max_by(|(_, a), (_, b)| a.target.cmp(&b.target)),
        };
        let Some((nearest, state)) = nearest else {
            return Ok(Verdict::End);
        };
        let is_ahead = match self.reverse {
            false => state.target.as_slice() > key,
            true => !state.target.is_empty() && state.target.as_slice() <= key,
        };
        if !is_ahead {
            return Err(Error::internal("a skip scan would not move on"));
        }
        self.nearest = nearest;
        Ok(Verdict::Skip)
    }

    /// Whether the key is in a box; if not, the box's state is true.
    #[inline]
    fn is_inside(&mut self, index: usize, key: &[u8]) -> Result<bool> {
        let (Some(state), Some(sets)) = (self.states.get_mut(index), self.filter.boxes.get(index))
        else {
            return Ok(false);
        };
        match state.next {
            Next::Nothing => return Ok(false),
            Next::Target => {
                let is_before = match self.reverse {
                    false => key < state.target.as_slice(),
                    true => key >= state.target.as_slice(),
                };
                if is_before {
                    return Ok(false);
                }
            }
            Next::Unknown => {}
        }
        let columns = &self.filter.columns;
        let mut look = Look {
            sets,
            columns,
            reverse: self.reverse,
            key,
            ends: &mut self.ends,
        };
        for (place, set) in sets.iter().enumerate() {
            let column = look.column(place)?;
            let (Some(set), Some(at)) = (set, state.places.get_mut(place)) else {
                continue;
            };
            if set
                .get(*at)
                .is_some_and(|interval| !interval.is_before(column) && !interval.is_after(column))
            {
                continue;
            }
            // The first interval that is not before the column: it is in that one, or in none.
            let not_before = set.partition_point(|interval| interval.is_before(column));
            let next = match (set.get(not_before), look.reverse) {
                (Some(interval), _) if !interval.is_after(column) => {
                    *at = not_before;
                    continue;
                }
                (_, false) => Some(not_before),
                (_, true) => not_before.checked_sub(1),
            };
            let start = look.start(place);
            state.target.clear();
            state
                .target
                .extend_from_slice(key.get(..start).unwrap_or_default());
            let found = match next.and_then(|next| set.get(next)) {
                Some(interval) => look.enter(interval, place, &mut state.target),
                None => look.grow(place, &state.places, &mut state.target),
            };
            state.next = if found { Next::Target } else { Next::Nothing };
            return Ok(false);
        }
        state.next = Next::Unknown;
        Ok(true)
    }
}

/// A key seen with one box.
struct Look<'a> {
    sets: &'a ByteBox,
    columns: &'a [KeyColumn],
    reverse: bool,
    key: &'a [u8],
    ends: &'a mut Vec<usize>,
}

impl<'a> Look<'a> {
    /// Where a column begins. Those before it have been cut off.
    fn start(&self, place: usize) -> usize {
        match place.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or_default(),
            None => 0,
        }
    }

    /// A column of the key, cut off now unless it was before.
    #[inline]
    fn column(&mut self, place: usize) -> Result<&'a [u8]> {
        let key = self.key;
        while self.ends.len() <= place {
            let start = self.ends.last().copied().unwrap_or_default();
            let mut rest = key.get(start..).unwrap_or_default();
            match self.columns.get(self.ends.len()) {
                Some(column) => column.skip(&mut rest)?,
                None => return Err(Error::internal("a box of more columns than its key")),
            }
            self.ends.push(key.len() - rest.len());
        }
        let end = self.ends.get(place).copied().unwrap_or_default();
        Ok(key.get(self.start(place)..end).unwrap_or_default())
    }

    /// Appends the near end of an interval of column `place` to the columns before it, and the near
    /// ends of the columns behind as far as they are known. Says whether there is such a place.
    fn enter(&self, interval: &Interval, place: usize, target: &mut Vec<u8>) -> bool {
        match interval.edge(self.reverse) {
            Edge::Open => self.follow(place, target),
            Edge::At(bytes) => {
                target.extend_from_slice(bytes);
                self.follow(place + 1, target)
            }
            Edge::Beside(bytes) => {
                target.extend_from_slice(bytes);
                true
            }
        }
    }

    /// The same for `target` of all columns before `place`: column by column, until one is not
    /// bound at its near end.
    fn follow(&self, place: usize, target: &mut Vec<u8>) -> bool {
        let near = |set: &'a Vec<Interval>| match self.reverse {
            false => set.first(),
            true => set.last(),
        };
        for set in self.sets.iter().skip(place) {
            match set
                .as_ref()
                .and_then(near)
                .map(|interval| interval.edge(self.reverse))
            {
                Some(Edge::At(bytes)) => target.extend_from_slice(bytes),
                Some(Edge::Beside(bytes)) => {
                    target.extend_from_slice(bytes);
                    return true;
                }
                Some(Edge::Open) | None => break,
            }
        }
        // Whatever begins with these columns can be inside: in reverse it ends behind them all.
        !self.reverse || to_successor(target)
    }

    /// Makes `target` the next place when nothing further on agrees with the key in the columns
    /// before `place`: of those the last that can change does. `places` has the intervals that they
    /// are in.
    fn grow(&self, place: usize, places: &[usize], target: &mut Vec<u8>) -> bool {
        for place in (0..place).rev() {
            let (start, end) = (self.start(place), self.start(place + 1));
            target.truncate(start);
            let (Some(column), Some(encoded)) = (self.columns.get(place), self.key.get(start..end))
            else {
                return false;
            };
            let neighbour = column.append_neighbour(encoded, self.reverse, target);
            let set = self.sets.get(place).and_then(Option::as_ref);
            let at = places.get(place).copied().unwrap_or_default();
            let stays = match set.and_then(|set| set.get(at)) {
                None => true,
                Some(interval) => {
                    let beside = target.get(start..).unwrap_or_default();
                    match (neighbour, self.reverse) {
                        (Neighbour::Place, true) => interval.has_below(beside),
                        (_, false) => !interval.is_before(beside),
                        (_, true) => !interval.is_after(beside),
                    }
                }
            };
            match neighbour {
                Neighbour::Column if stays => return self.follow(place + 1, target),
                Neighbour::Place if stays => return true,
                _ => {}
            }
            target.truncate(start);
            let next = match self.reverse {
                false => at.checked_add(1),
                true => at.checked_sub(1),
            };
            if let Some(interval) = set.zip(next).and_then(|(set, next)| set.get(next)) {
                return self.enter(interval, place, target);
            }
        }
        false
    }
}
