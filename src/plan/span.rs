//! Boxes as stretches of the key order.

use std::cmp::Ordering;
use std::ops::Bound;

use crate::key::KeyColumn;
use crate::plan::axis::{Cut, Interval};
use crate::plan::boxes::{ColumnSet, KeyBox};
use crate::plan::operand::Operand;
use crate::plan::ordinal::next;
use crate::plan::path::OperandRange;

/// More spans with symbols than these stay as they are: each is compared with each.
const MAX_JOINED: usize = 64;

/// A place between two keys: before or after all rows that begin with some values. Without values
/// it is an end of the table.
#[derive(Debug, Clone, PartialEq)]
struct KeyCut {
    prefix: Vec<Operand>,
    after: bool,
}

/// What stands between two such places.
#[derive(Debug, Clone)]
pub(super) struct Span {
    start: KeyCut,
    end: KeyCut,
}

/// What became of a box.
pub(super) struct Spans {
    pub spans: Vec<Span>,
    /// The spans say all that the box says of the key columns before this one.
    pub depth: usize,
}

/// The number of spans that [`expand`] would make, and whether each is a full key.
pub(super) fn count(key_box: &KeyBox, key: &[KeyColumn], depth: usize) -> (usize, bool) {
    let (mut spans, mut open) = (0_usize, 1_usize);
    for column in 0..depth.min(key.len()) {
        let Some(set) = key_box.get(column) else {
            return (spans.saturating_add(open), false);
        };
        let points = points_in(set);
        spans = spans.saturating_add(open.saturating_mul(set.len() - points));
        open = open.saturating_mul(points);
    }
    (spans.saturating_add(open), spans == 0 && depth >= key.len())
}

fn points_in(set: &ColumnSet) -> usize {
    match set {
        ColumnSet::Values(set) => set
            .intervals()
            .iter()
            .filter(|i| i.value().is_some())
            .count(),
        ColumnSet::Symbols(ends) => usize::from(ends.point().is_some()),
    }
}

/// The spans of a box in key order, using the first `depth` key columns at most.
pub(super) fn expand(key_box: &KeyBox, key: &[KeyColumn], depth: usize) -> Spans {
    let mut walk = Walk {
        key_box,
        key,
        limit: depth,
        spans: Vec::new(),
        depth: key.len(),
    };
    walk.column(&mut Vec::with_capacity(key.len()));
    Spans {
        spans: walk.spans,
        depth: walk.depth,
    }
}

struct Walk<'a> {
    key_box: &'a KeyBox,
    key: &'a [KeyColumn],
    limit: usize,
    spans: Vec<Span>,
    depth: usize,
}

impl Walk<'_> {
    fn column(&mut self, prefix: &mut Vec<Operand>) {
        let column = prefix.len();
        let set = if column < self.limit {
            self.key_box.get(column)
        } else {
            None
        };
        let Some(set) = set else {
            self.depth = self.depth.min(column);
            self.spans.push(Span {
                start: KeyCut {
                    prefix: prefix.clone(),
                    after: false,
                },
                end: KeyCut {
                    prefix: prefix.clone(),
                    after: true,
                },
            });
            return;
        };
        let descending = self.key[column].descending;
        match set {
            ColumnSet::Values(set) => {
                // A single value is worth a place in the prefix only if more can follow it.
                let next = column + 1;
                let goes_on =
                    next == self.key.len() || next < self.limit && self.key_box.get(next).is_some();
                let mut one = |walk: &mut Self, interval: &Interval| {
                    let value = interval.point().or(interval.value().filter(|_| goes_on));
                    if let Some(value) = value {
                        prefix.push(Operand::Value(value.clone()));
                        walk.column(prefix);
                        prefix.pop();
                    } else {
                        let lower = interval.lower.clone().map(Operand::Value);
                        let upper = interval.upper.clone().map(Operand::Value);
                        walk.interval(prefix, lower, upper, descending);
                    }
                };
                if descending {
                    set.intervals().iter().rev().for_each(|i| one(self, i));
                } else {
                    set.intervals().iter().for_each(|i| one(self, i));
                }
            }
            ColumnSet::Symbols(ends) => {
                if let Some(point) = ends.point() {
                    prefix.push(point.clone());
                    self.column(prefix);
                    prefix.pop();
                } else {
                    self.interval(prefix, ends.lower.clone(), ends.upper.clone(), descending);
                }
            }
        }
    }

    fn interval(
        &mut self,
        prefix: &[Operand],
        lower: Cut<Operand>,
        upper: Cut<Operand>,
        descending: bool,
    ) {
        self.depth = self.depth.min(prefix.len() + 1);
        let cut = |cut: Cut<Operand>| {
            let mut prefix = prefix.to_vec();
            let after = match cut {
                Cut::Start => descending,
                Cut::End => !descending,
                Cut::Before(operand) => {
                    prefix.push(operand);
                    descending
                }
                Cut::After(operand) => {
                    prefix.push(operand);
                    !descending
                }
            };
            KeyCut { prefix, after }
        };
        let (start, end) = if descending {
            (upper, lower)
        } else {
            (lower, upper)
        };
        self.spans.push(Span {
            start: cut(start),
            end: cut(end),
        });
    }
}

impl KeyCut {
    /// The order of two places; `None` where it depends on a symbol.
    fn order(&self, other: &KeyCut, key: &[KeyColumn]) -> Option<Ordering> {
        for ((a, b), column) in self.prefix.iter().zip(&other.prefix).zip(key) {
            if let (Some(a), Some(b)) = (a.value(), b.value()) {
                match a.key_cmp(b)? {
                    Ordering::Equal => {}
                    order if column.descending => return Some(order.reverse()),
                    order => return Some(order),
                }
            } else if a != b {
                return None;
            }
        }
        Some(match self.prefix.len().cmp(&other.prefix.len()) {
            Ordering::Equal => self.after.cmp(&other.after),
            Ordering::Less if self.after => Ordering::Greater,
            Ordering::Less => Ordering::Less,
            Ordering::Greater if other.after => Ordering::Less,
            Ordering::Greater => Ordering::Greater,
        })
    }

    fn is_known(&self) -> bool {
        self.prefix.iter().all(|operand| operand.value().is_some())
    }
}

impl Span {
    /// The full key that the span is, if it is one.
    pub(super) fn key(&self, columns: usize) -> Option<&[Operand]> {
        let full = self.start.prefix.len() == columns && self.is_point();
        full.then_some(self.start.prefix.as_slice())
    }

    /// Whether it holds the rows of one prefix.
    fn is_point(&self) -> bool {
        !self.start.after && self.end.after && self.start.prefix == self.end.prefix
    }

    pub(super) fn is_everything(&self) -> bool {
        self.start.prefix.is_empty() && self.end.prefix.is_empty()
    }

    pub(super) fn into_range(self) -> OperandRange {
        let lower = match self.start {
            KeyCut { prefix, .. } if prefix.is_empty() => Bound::Unbounded,
            KeyCut {
                prefix,
                after: false,
            } => Bound::Included(prefix),
            KeyCut {
                prefix,
                after: true,
            } => Bound::Excluded(prefix),
        };
        let upper = match self.end {
            KeyCut { prefix, .. } if prefix.is_empty() => Bound::Unbounded,
            KeyCut {
                prefix,
                after: true,
            } => Bound::Included(prefix),
            KeyCut {
                prefix,
                after: false,
            } => Bound::Excluded(prefix),
        };
        OperandRange { lower, upper }
    }
}

/// The same keys as spans in key order, apart from each other. Spans whose place depends on a
/// symbol follow in the order given; of those, two that meet become one.
pub(super) fn merge(spans: Vec<Span>, key: &[KeyColumn]) -> Vec<Span> {
    let (mut known, symbolic): (Vec<Span>, Vec<Span>) = spans
        .into_iter()
        .partition(|span| span.start.is_known() && span.end.is_known());
    let order = |a: &KeyCut, b: &KeyCut| a.order(b, key).unwrap_or(Ordering::Equal);
    known.retain(|span| order(&span.start, &span.end).is_lt());
    known.sort_by(|a, b| order(&a.start, &b.start));
    let mut merged: Vec<Span> = Vec::with_capacity(known.len() + symbolic.len());
    for next in known {
        match merged.last_mut() {
            Some(last) if order(&last.end, &next.start).is_ge() || adjacent(last, &next, key) => {
                if order(&last.end, &next.end).is_lt() {
                    last.end = next.end;
                }
            }
            _ => merged.push(next),
        }
    }
    if symbolic.len() > MAX_JOINED {
        merged.extend(symbolic);
        return merged;
    }
    for next in symbolic {
        join(&mut merged, next, key);
    }
    merged
}

/// Whether two spans of which one is no list item have no key between them, because their ends
/// are at neighbours of a discrete type.
fn adjacent(a: &Span, b: &Span, key: &[KeyColumn]) -> bool {
    let (end, start) = (&a.end, &b.start);
    if !end.after || start.after || a.is_point() && b.is_point() {
        return false;
    }
    let (Some((last, before)), Some((first, same))) =
        (end.prefix.split_last(), start.prefix.split_last())
    else {
        return false;
    };
    let (Some(last), Some(first), Some(column)) =
        (last.value(), first.value(), key.get(before.len()))
    else {
        return false;
    };
    let step = if column.descending { -1 } else { 1 };
    before == same
        && next(last, step).is_some_and(|next| next.key_cmp(first).is_some_and(Ordering::is_eq))
}

/// Adds a span to a list, joined with those that it meets for every value of the symbols.
fn join(spans: &mut Vec<Span>, mut next: Span, key: &[KeyColumn]) {
    let mut place = spans.len();
    let mut at = 0;
    while at < spans.len() {
        let other = &spans[at];
        let inside = |a: &Span, b: &Span| {
            b.start.order(&a.start, key).is_some_and(Ordering::is_le)
                && a.end.order(&b.end, key).is_some_and(Ordering::is_le)
        };
        if inside(&next, other) {
            return;
        } else if inside(other, &next) {
        } else if other.end == next.start {
            next.start = other.start.clone();
        } else if next.end == other.start {
            next.end = other.end.clone();
        } else {
            at += 1;
            continue;
        }
        spans.remove(at);
        place = place.min(at);
        // What was joined may meet one that was passed.
        at = 0;
    }
    spans.insert(place.min(spans.len()), next);
}
