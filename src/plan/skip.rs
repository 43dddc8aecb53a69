//! The boxes of a path: what the predicate says of key columns that its ranges do not reach.

use std::cmp::Ordering;
use std::ops::Bound;

use crate::key::KeyColumn;
use crate::plan::axis::Cut;
use crate::plan::boxes::{ColumnSet, KeyBox};
use crate::plan::narrow::MAX_RANGES;
use crate::plan::operand::Operand;
use crate::plan::path::OperandBox;

/// More boxes than these stay a filter: a row is tried in each.
pub(super) const MAX_BOXES: usize = 16;

/// The boxes of a path.
pub(super) struct Skip {
    pub boxes: Vec<OperandBox>,
    /// Each box says all that the predicate's box says of the key columns before this one.
    pub depth: usize,
}

/// The boxes of a path, if one of them says more than its ranges, which say all of the first
/// `depths[i]` key columns of box `i`. Columns from `limit` on are left out. `longest` is the
/// number of items that a list alone may have.
pub(super) fn skip(
    boxes: &[KeyBox],
    depths: &[usize],
    key: &[KeyColumn],
    limit: usize,
    longest: usize,
) -> Option<Skip> {
    if boxes.len() > MAX_BOXES {
        return None;
    }
    let sets = |at: usize, depth: usize| {
        let (said, depth) = (depths[at], depth.max(depths[at]));
        let wanted = move |column: usize, set: &ColumnSet| {
            column < said || column < depth && is_worth_a_seek(&boxes[at], column, set)
        };
        let columns = boxes[at].columns.iter();
        columns.filter(move |(column, set)| wanted(*column, set))
    };
    let items = |depth: usize| {
        (0..boxes.len())
            .map(|at| {
                sets(at, depth)
                    .map(|(_, set)| set.len())
                    .fold(1, usize::saturating_mul)
            })
            .fold(0, usize::saturating_add)
    };
    let mut depth = limit;
    while items(depth) > longest.max(MAX_RANGES) && depth > 0 {
        depth -= 1;
    }
    let says_more = (0..boxes.len()).any(|at| sets(at, depth).any(|(c, _)| *c >= depths[at]));
    // Every row is in a box without columns.
    let says_nothing = (0..boxes.len()).any(|at| sets(at, depth).next().is_none());
    if !says_more || says_nothing {
        return None;
    }
    let boxes = (0..boxes.len()).map(|at| OperandBox {
        columns: sets(at, depth)
            .filter_map(|(column, set)| Some((*column, in_key_order(set, key.get(*column)?))))
            .collect(),
    });
    Some(Skip {
        boxes: sorted(boxes.collect(), key),
        depth,
    })
}

/// Not so, if it only says that the column is not NULL, of a conjunct that stays a filter: `LIKE`.
fn is_worth_a_seek(key_box: &KeyBox, column: usize, set: &ColumnSet) -> bool {
    let ColumnSet::Values(set) = set else {
        return true;
    };
    !set.is_not_null() || {
        let mut claims = key_box.claims.iter();
        claims.any(|claim| claim.exact && claim.columns & (1 << column) != 0)
    }
}

type Interval = (Bound<Operand>, Bound<Operand>);

/// The intervals of a set as the key has them: on a descending column the larger value first.
fn in_key_order(set: &ColumnSet, column: &KeyColumn) -> Vec<Interval> {
    let interval = |lower: Bound<Operand>, upper: Bound<Operand>| match column.descending {
        true => (upper, lower),
        false => (lower, upper),
    };
    match set {
        ColumnSet::Symbols(ends) => vec![interval(
            lower_bound(ends.lower.clone()),
            upper_bound(ends.upper.clone()),
        )],
        ColumnSet::Values(set) => {
            let one = set.intervals().iter().map(|i| match i.value() {
                Some(value) => {
                    let value = Operand::Value(value.clone());
                    (Bound::Included(value.clone()), Bound::Included(value))
                }
                None => interval(
                    lower_bound(i.lower.clone().map(Operand::Value)),
                    upper_bound(i.upper.clone().map(Operand::Value)),
                ),
            });
            match column.descending {
                true => one.rev().collect(),
                false => one.collect(),
            }
        }
    }
}

fn lower_bound(cut: Cut<Operand>) -> Bound<Operand> {
    match cut {
        Cut::Before(operand) => Bound::Included(operand),
        Cut::After(operand) => Bound::Excluded(operand),
        Cut::Start | Cut::End => Bound::Unbounded,
    }
}

fn upper_bound(cut: Cut<Operand>) -> Bound<Operand> {
    match cut {
        Cut::Before(operand) => Bound::Excluded(operand),
        Cut::After(operand) => Bound::Included(operand),
        Cut::Start | Cut::End => Bound::Unbounded,
    }
}

/// Boxes by where they begin, those whose place depends on a symbol last.
fn sorted(boxes: Vec<OperandBox>, key: &[KeyColumn]) -> Vec<OperandBox> {
    let known = |one: &OperandBox| {
        let known = |bound: &Bound<Operand>| match bound {
            Bound::Included(operand) | Bound::Excluded(operand) => operand.value().is_some(),
            Bound::Unbounded => true,
        };
        one.columns
            .iter()
            .flat_map(|(_, intervals)| intervals)
            .all(|(lower, upper)| known(lower) && known(upper))
    };
    let (mut sorted, symbolic): (Vec<OperandBox>, Vec<OperandBox>) =
        boxes.into_iter().partition(known);
    sorted.sort_by(|a, b| {
        key.iter()
            .enumerate()
            .map(|(at, column)| start_order(first(a, at), first(b, at), column))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    });
    sorted.extend(symbolic);
    sorted
}

fn first(one: &OperandBox, column: usize) -> Option<&Bound<Operand>> {
    let (_, intervals) = one.columns.iter().find(|(c, _)| *c == column)?;
    Some(&intervals.first()?.0)
}

fn start_order(
    a: Option<&Bound<Operand>>,
    b: Option<&Bound<Operand>>,
    column: &KeyColumn,
) -> Ordering {
    let place = |bound: Option<&Bound<Operand>>| match bound {
        Some(Bound::Included(operand)) => operand.value().map(|value| (value.clone(), false)),
        Some(Bound::Excluded(operand)) => operand.value().map(|value| (value.clone(), true)),
        _ => None,
    };
    match (place(a), place(b)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some((a, after_a)), Some((b, after_b))) => {
            let order = a.key_cmp(&b).unwrap_or(Ordering::Equal);
            let order = match column.descending {
                true => order.reverse(),
                false => order,
            };
            order.then(after_a.cmp(&after_b))
        }
    }
}
