//! Keys, key ranges and boxes as EXPLAIN prints them.

use std::fmt::Write;
use std::ops::Bound;

use crate::plan::operand::Operand;
use crate::plan::path::{OperandBox, OperandRange};

/// A key column in a bound; `None` is one that is stepped over and prints as `*`.
type Place<'a> = Option<&'a Operand>;

/// `('a', 10)`, or a value alone without parentheses.
pub(super) fn key_text(key: &[Operand]) -> String {
    tuple(key.iter().map(Some))
}

/// `[('a', 10) .. ('a', 200))`, nothing on an open side.
pub(super) fn range_text(range: &OperandRange) -> String {
    let bound = |bound: &Bound<Vec<Operand>>| match bound {
        Bound::Included(values) => Bound::Included(key_text(values)),
        Bound::Excluded(values) => Bound::Excluded(key_text(values)),
        Bound::Unbounded => Bound::Unbounded,
    };
    between(bound(&range.lower), bound(&range.upper))
}

/// The items of a box: one for each choice of an interval of each column. An item goes on through
/// columns that have one value, and those that are stepped over, up to one with an interval; what
/// follows is another range, joined by `and`.
pub(super) fn box_texts(one: &OperandBox) -> Vec<String> {
    let mut items = vec![Item::default()];
    for (column, intervals) in &one.columns {
        let longer = items.iter().flat_map(|item| {
            intervals
                .iter()
                .map(|interval| item.with(*column, interval))
        });
        items = longer.collect();
    }
    items.into_iter().map(Item::text).collect()
}

#[derive(Debug, Clone, Default)]
struct Item<'a> {
    /// The ranges that are complete.
    ranges: Vec<String>,
    /// The values since the last of them, from the first key column on.
    prefix: Vec<Place<'a>>,
}

impl<'a> Item<'a> {
    fn with(
        &self,
        column: usize,
        (lower, upper): &'a (Bound<Operand>, Bound<Operand>),
    ) -> Item<'a> {
        let mut item = self.clone();
        item.prefix.resize(column, None);
        if let (Bound::Included(a), Bound::Included(b)) = (lower, upper)
            && a == b
        {
            item.prefix.push(Some(a));
            return item;
        }
        let bound = |bound: &'a Bound<Operand>| match bound {
            Bound::Included(operand) => Bound::Included(item.text_of(Some(operand))),
            Bound::Excluded(operand) => Bound::Excluded(item.text_of(Some(operand))),
            Bound::Unbounded if item.has_values() => Bound::Included(item.text_of(None)),
            Bound::Unbounded => Bound::Unbounded,
        };
        let range = between(bound(lower), bound(upper));
        item.ranges.push(range);
        item.prefix.clear();
        item
    }

    fn has_values(&self) -> bool {
        self.prefix.iter().any(Option::is_some)
    }

    /// The prefix, and a value behind it; without one it ends with the last value that it has.
    fn text_of(&self, last: Place<'a>) -> String {
        let stars = self.prefix.iter().rev().take_while(|place| place.is_none());
        let end = match last {
            Some(_) => self.prefix.len(),
            None => self.prefix.len() - stars.count(),
        };
        let values = self.prefix.iter().take(end).copied();
        tuple(values.chain(last.map(Some)))
    }

    fn text(mut self) -> String {
        if self.has_values() {
            let point = self.text_of(None);
            self.ranges.push(between(
                Bound::Included(point.clone()),
                Bound::Included(point),
            ));
        }
        self.ranges.join(" and ")
    }
}

fn tuple<'a>(places: impl Iterator<Item = Place<'a>>) -> String {
    let (mut text, mut count) = (String::new(), 0);
    for place in places {
        if count > 0 {
            text.push_str(", ");
        }
        let _ = match place {
            Some(operand) => write!(text, "{operand}"),
            None => write!(text, "*"),
        };
        count += 1;
    }
    if count == 1 {
        text
    } else {
        format!("({text})")
    }
}

fn between(lower: Bound<String>, upper: Bound<String>) -> String {
    let lower = match lower {
        Bound::Included(bound) => format!("[{bound} "),
        Bound::Excluded(bound) => format!("({bound} "),
        Bound::Unbounded => String::new(),
    };
    let upper = match upper {
        Bound::Included(bound) => format!(" {bound}]"),
        Bound::Excluded(bound) => format!(" {bound})"),
        Bound::Unbounded => String::new(),
    };
    format!("{lower}..{upper}")
}
