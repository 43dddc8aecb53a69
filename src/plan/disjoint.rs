//! Boxes without the rows that another box holds already.
//!
//! ```text
//! NOT (a > 1 OR (a = 1 AND b > 'x')), which is a <= 1 AND (a <> 1 OR b <= 'x'):
//! {a: .. 1)}  ∪  {a: .. 1]} × {b: .. 'x']}      the second is no range of keys
//! {a: .. 1)}  ∪  {a: [1 .. 1]} × {b: .. 'x']}   one is the continuation of the other: .. (1, 'x']
//! ```
//!
//! Only a box that binds the first key columns and no other keeps its rows to itself: it is made of
//! ranges, and the others become narrower by it. What a box says of a predicate does not change: a
//! row that leaves it is in another one, whose claims hold for it.

use crate::plan::axis::{Axis, IntervalSet};
use crate::plan::boxes::{ColumnSet, KeyBox};

/// More boxes than these, or more intervals in them, stay as they are: each is compared with each.
const MAX_BOXES: usize = 64;
const MAX_INTERVALS: usize = 256;
/// What is left for a column that was free becomes a list of at most so many values.
const MAX_POINTS: usize = 16;

/// The same rows in boxes that overlap less. `axes` are the lines of the columns.
pub(super) fn disjoint(boxes: Vec<KeyBox>, axes: &[Axis]) -> Vec<KeyBox> {
    let sets = boxes.iter().flat_map(|one| &one.columns);
    let intervals: usize = sets.map(|(_, set)| set.len()).sum();
    if !(2..=MAX_BOXES).contains(&boxes.len()) || intervals > MAX_INTERVALS {
        return boxes;
    }
    let mut boxes: Vec<Option<KeyBox>> = boxes.into_iter().map(Some).collect();
    // What is left for one column may make a box of the next.
    for (last, axis) in axes.iter().enumerate() {
        for at in 0..boxes.len() {
            let Some(leading) = boxes[at].take_if(|one| is_leading(one, last)) else {
                continue;
            };
            for other in &mut boxes {
                if let Some(one) = other
                    && !shrink(one, &leading, last, axis)
                {
                    *other = None;
                }
            }
            boxes[at] = Some(leading);
        }
    }
    boxes.into_iter().flatten().collect()
}

/// Whether a box binds the key columns up to and with `last` to values, and no other.
fn is_leading(one: &KeyBox, last: usize) -> bool {
    one.columns.len() == last + 1 && (0..=last).all(|column| values(one, column).is_some())
}

fn values(one: &KeyBox, column: usize) -> Option<&IntervalSet> {
    match one.get(column)? {
        ColumnSet::Values(set) => Some(set),
        ColumnSet::Symbols(_) => None,
    }
}

/// Takes the rows of a leading box out of another, where that leaves no more intervals than there
/// were, or a few values of a column that was free; false if no rows are left.
fn shrink(one: &mut KeyBox, leading: &KeyBox, last: usize, axis: &Axis) -> bool {
    let inside = |column| match (values(one, column), values(leading, column)) {
        (Some(set), Some(held)) => set.clone().intersect(held.clone().complement()).is_empty(),
        _ => false,
    };
    let Some(held) = values(leading, last) else {
        return true;
    };
    if !(0..last).all(inside) {
        return true;
    }
    let rest = |set: IntervalSet| set.intersect(held.clone().complement()).tidy(axis);
    let at = one.columns.partition_point(|(column, _)| *column < last);
    match one.columns.get_mut(at) {
        Some((column, ColumnSet::Values(set))) if *column == last => {
            let left = rest(set.clone());
            if left.is_empty() {
                return false;
            }
            if left.intervals().len() <= set.intervals().len() {
                *set = left;
            }
        }
        Some((column, _)) if *column > last => {
            let left = rest(IntervalSet::all());
            if left.is_empty() {
                return false;
            }
            if left.is_points() && left.intervals().len() <= MAX_POINTS {
                one.columns.insert(at, (last, ColumnSet::Values(left)));
            }
        }
        _ => {}
    }
    true
}
