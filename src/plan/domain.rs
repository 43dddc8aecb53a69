//! Small domains: intervals that hold so few values that each can be looked up.
//!
//! A range of a salted table is read in every bucket, a key in one. So an interval on a BOOLEAN, a
//! whole number or a DATE becomes a list of its values where they bind the whole key and are no
//! more than the buckets that the range would visit, or where they bind the salt columns and all
//! before them and are fewer than the buckets of the table, unless the product with the lists of
//! the columns behind them would be longer than a product may be. The sizes are those of the
//! intervals, not of the table.

use crate::key::KeyLayout;
use crate::plan::axis::{Axis, Cut, Interval, IntervalSet};
use crate::plan::boxes::{ColumnSet, KeyBox};
use crate::plan::narrow::MAX_RANGES;
use crate::plan::ordinal::{ordinal, ordinal_range, ordinal_value};
use crate::types::{SqlType, Value};

/// Lists the values of small intervals. `visited` is how many buckets would be read without that,
/// `longest` how long a list alone is.
pub(super) fn enumerate(
    boxes: &mut [KeyBox],
    axes: &[Axis],
    layout: &KeyLayout,
    visited: usize,
    longest: usize,
) {
    let pieces = longest.max(MAX_RANGES);
    if list_columns(boxes, axes, layout.columns().len(), visited, pieces) {
        return;
    }
    if let Some(last) = layout.salt_columns().last() {
        list_columns(
            boxes,
            axes,
            last + 1,
            usize::from(layout.buckets()) - 1,
            pieces,
        );
    }
}

/// Lists the first `columns` key columns of every box, if that makes at most `most` combinations,
/// and at most `pieces` with the intervals of the others.
fn list_columns(
    boxes: &mut [KeyBox],
    axes: &[Axis],
    columns: usize,
    most: usize,
    pieces: usize,
) -> bool {
    let (mut listed, mut all) = (0_usize, 0_usize);
    for key_box in boxes.iter() {
        let product = (0..columns).try_fold(1_usize, |product, column| {
            let ColumnSet::Values(set) = key_box.get(column)? else {
                return None;
            };
            Some(product.saturating_mul(count(set, axes.get(column)?)?))
        });
        let Some(product) = product else {
            return false;
        };
        let others = key_box
            .columns
            .iter()
            .filter(|(column, _)| *column >= columns);
        listed = listed.saturating_add(product);
        all = all.saturating_add(
            others
                .map(|(_, set)| set.len())
                .fold(product, usize::saturating_mul),
        );
    }
    if listed > most || all > pieces {
        return false;
    }
    for key_box in boxes {
        for (column, set) in &mut key_box.columns {
            if let (ColumnSet::Values(set), true) = (&mut *set, *column < columns)
                && let Some(axis) = axes.get(*column)
            {
                *set = IntervalSet::list(values(set, axis).unwrap_or_default());
            }
        }
    }
    true
}

/// How many values a set holds, if they can be listed.
pub(super) fn count(set: &IntervalSet, axis: &Axis) -> Option<usize> {
    set.intervals().iter().try_fold(0_usize, |total, interval| {
        let piece = Piece::of(interval, axis)?;
        Some(total.saturating_add(piece.count()))
    })
}

/// The values of a set, in order, if they can be listed.
pub(super) fn values(set: &IntervalSet, axis: &Axis) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for interval in set.intervals() {
        Piece::of(interval, axis)?.push(axis, &mut values);
    }
    Some(values)
}

/// The values of one interval.
enum Piece {
    One(Value),
    /// Ordinals from the first to the last, and NULL perhaps.
    Run(i128, i128, bool),
}

impl Piece {
    fn of(interval: &Interval, axis: &Axis) -> Option<Piece> {
        use SqlType::*;
        if let Some(value) = interval.value() {
            return Some(Piece::One(value.clone()));
        }
        let (min, max) = match axis.sql_type {
            Boolean | TinyInt | SmallInt | Integer | BigInt | UTinyInt | USmallInt | UInteger
            | UBigInt | Date => ordinal_range(&axis.sql_type)?,
            _ => return None,
        };
        let first = match &interval.lower {
            Cut::Start => min,
            Cut::Before(value) => ordinal(value)?.1,
            Cut::After(value) => ordinal(value)?.1 + 1,
            Cut::End => return None,
        };
        let (last, null) = match &interval.upper {
            Cut::Start => return None,
            Cut::Before(Value::Null) => (max, false),
            Cut::Before(value) => (ordinal(value)?.1 - 1, false),
            Cut::After(value) => (ordinal(value)?.1, false),
            Cut::End => (max, axis.nullable),
        };
        Some(Piece::Run(first, last, null))
    }

    fn count(&self) -> usize {
        match self {
            Piece::One(_) => 1,
            Piece::Run(first, last, null) => {
                let values = (last - first + 1).max(0);
                usize::try_from(values)
                    .unwrap_or(usize::MAX)
                    .saturating_add(usize::from(*null))
            }
        }
    }

    fn push(self, axis: &Axis, values: &mut Vec<Value>) {
        match self {
            Piece::One(value) => values.push(value),
            Piece::Run(first, last, null) => {
                values.extend((first..=last).filter_map(|n| ordinal_value(&axis.sql_type, n)));
                if null {
                    values.push(Value::Null);
                }
            }
        }
    }
}
