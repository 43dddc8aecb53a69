//! What a predicate says of the first key columns, whatever the values in it are.

use crate::plan::axis::{Cut, Interval};
use crate::plan::boxes::{ColumnSet, KeyBox};
use crate::plan::operand::Operand;
use crate::types::Value;

/// What a predicate says of the first key columns of a table or an index, whatever the values in it
/// are: what a choice between them goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// How many leading key columns are bound to a value, or to a list.
    pub equal: usize,
    /// Whether NULL is among the values of these.
    pub with_null: bool,
    /// Whether the column behind them is held between two values.
    pub two_sided: bool,
    /// Whether something is said of the first key column: not every row is read.
    pub narrows: bool,
    /// Whether something is said of the column behind those of `equal`.
    pub narrows_behind: bool,
}

impl Shape {
    /// Whether the rows are bounded by values: by a list, or between two.
    pub fn is_bounded(&self) -> bool {
        self.equal > 0 || self.two_sided
    }
}

/// The shape of some boxes, over a key of `columns` columns.
pub(super) fn shape(boxes: &[KeyBox], columns: usize) -> Shape {
    let listed = |column: usize| {
        let mut sets = boxes.iter().map(|key_box| key_box.get(column));
        sets.all(|set| set.is_some_and(|set| set.points().is_some()))
    };
    if boxes.is_empty() {
        return Shape::default();
    }
    let equal = (0..columns).take_while(|column| listed(*column)).count();
    let mut sets = boxes.iter().map(|key_box| key_box.get(equal));
    let two_sided = equal < columns && sets.all(|set| set.is_some_and(is_two_sided));
    let mut first = boxes.iter().map(|key_box| key_box.get(0));
    Shape {
        equal,
        with_null: boxes.iter().any(|key_box| {
            let mut sets = (0..equal).filter_map(|column| key_box.get(column));
            sets.any(has_null)
        }),
        two_sided,
        narrows: columns > 0 && first.all(|set| set.is_some()),
        narrows_behind: equal < columns && boxes.iter().all(|b| b.get(equal).is_some()),
    }
}

fn has_null(set: &ColumnSet) -> bool {
    match set {
        ColumnSet::Values(set) => {
            let mut intervals = set.intervals().iter();
            intervals.any(|interval| matches!(interval.value(), Some(Value::Null)))
        }
        ColumnSet::Symbols(_) => false,
    }
}

fn is_two_sided(set: &ColumnSet) -> bool {
    let held = |interval: &Interval| {
        interval.value().is_some()
            || !matches!(interval.lower, Cut::Start)
                && !matches!(interval.upper, Cut::End | Cut::Before(Value::Null))
    };
    match set {
        ColumnSet::Values(set) => set.intervals().iter().all(held),
        ColumnSet::Symbols(ends) => {
            let is_end = |cut: &Cut<Operand>| match cut {
                Cut::Start | Cut::End => true,
                Cut::Before(operand) | Cut::After(operand) => {
                    matches!(operand, Operand::Value(Value::Null))
                }
            };
            !is_end(&ends.lower) && !is_end(&ends.upper)
        }
    }
}
