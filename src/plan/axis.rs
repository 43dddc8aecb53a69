//! The values of one key column on a line, and sets of intervals on it.
//!
//! The line runs from the smallest value to NULL, which is larger than every value. Ends of
//! intervals are [`Cut`]s *between* values, so that "included" and "excluded" need no cases of
//! their own: `a > 5` starts at `After(5)`, `a >= 5` at `Before(5)`.

use std::cmp::Ordering;

use crate::key::KeyColumn;
use crate::plan::operand::Operand;
use crate::plan::ordinal::{largest, next, smallest};
use crate::types::{SqlType, Value};

/// A place between two values of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cut<T> {
    /// Before every value.
    Start,
    /// Just before this value.
    Before(T),
    /// Just after this value.
    After(T),
    /// After every value, after NULL too.
    End,
}

impl<T> Cut<T> {
    pub(super) fn map<U>(self, f: impl FnOnce(T) -> U) -> Cut<U> {
        match self {
            Cut::Start => Cut::Start,
            Cut::Before(v) => Cut::Before(f(v)),
            Cut::After(v) => Cut::After(f(v)),
            Cut::End => Cut::End,
        }
    }
}

impl Cut<Value> {
    /// Cuts of one column: their values have one type.
    pub(super) fn order(&self, other: &Cut<Value>) -> Ordering {
        let (a, after_a) = match self {
            Cut::Start => return start_order(matches!(other, Cut::Start)),
            Cut::End => return start_order(matches!(other, Cut::End)).reverse(),
            Cut::Before(v) => (v, false),
            Cut::After(v) => (v, true),
        };
        let (b, after_b) = match other {
            Cut::Start => return Ordering::Greater,
            Cut::End => return Ordering::Less,
            Cut::Before(v) => (v, false),
            Cut::After(v) => (v, true),
        };
        let values = a.key_cmp(b).unwrap_or(Ordering::Equal);
        values.then(after_a.cmp(&after_b))
    }
}

fn start_order(same: bool) -> Ordering {
    if same {
        Ordering::Equal
    } else {
        Ordering::Less
    }
}

/// What stands between two cuts.
#[derive(Debug, Clone)]
pub(super) struct Interval {
    pub lower: Cut<Value>,
    pub upper: Cut<Value>,
    /// The one value that the column's type has between the two, if [`IntervalSet::tidy`] found it
    /// so; the ends stay as they were, because other intervals may touch them.
    single: Option<Value>,
}

impl Interval {
    pub(super) fn new(lower: Cut<Value>, upper: Cut<Value>) -> Self {
        Interval {
            lower,
            upper,
            single: None,
        }
    }

    fn is_empty(&self) -> bool {
        self.lower.order(&self.upper) != Ordering::Less
    }

    /// The value, if the interval holds one alone.
    pub(super) fn value(&self) -> Option<&Value> {
        self.point().or(self.single.as_ref())
    }

    /// The value, if both ends are at it.
    pub(super) fn point(&self) -> Option<&Value> {
        match (&self.lower, &self.upper) {
            (Cut::Before(a), Cut::After(b)) if equal(a, b) => Some(a),
            (Cut::Before(null @ Value::Null), Cut::End) => Some(null),
            _ => None,
        }
    }
}

/// A set of values of one column: intervals in order, apart from each other.
#[derive(Debug, Clone, Default)]
pub(super) struct IntervalSet(Vec<Interval>);

impl IntervalSet {
    pub(super) fn between(lower: Cut<Value>, upper: Cut<Value>) -> Self {
        IntervalSet::from_intervals(vec![Interval::new(lower, upper)])
    }

    /// Every value, and NULL.
    pub(super) fn all() -> Self {
        IntervalSet::between(Cut::Start, Cut::End)
    }

    /// One value, or NULL, whose point ends with the line: no cut is after NULL.
    pub(super) fn point(value: Value) -> Self {
        if value.is_null() {
            return IntervalSet::between(Cut::Before(value), Cut::End);
        }
        IntervalSet::between(Cut::Before(value.clone()), Cut::After(value))
    }

    /// These values, in order, each once and apart from its neighbours.
    pub(super) fn list(values: Vec<Value>) -> Self {
        let point = |value: Value| match value {
            Value::Null => Interval::new(Cut::Before(Value::Null), Cut::End),
            value => Interval::new(Cut::Before(value.clone()), Cut::After(value)),
        };
        IntervalSet(values.into_iter().map(point).collect())
    }

    /// Sorts the intervals and merges those that overlap or touch.
    pub(super) fn from_intervals(mut intervals: Vec<Interval>) -> Self {
        intervals.retain(|i| !i.is_empty());
        intervals.sort_by(|a, b| a.lower.order(&b.lower));
        let mut merged: Vec<Interval> = Vec::with_capacity(intervals.len());
        for next in intervals {
            match merged.last_mut() {
                Some(last) if last.upper.order(&next.lower) != Ordering::Less => {
                    if last.upper.order(&next.upper) == Ordering::Less {
                        last.upper = next.upper;
                    }
                }
                _ => merged.push(next),
            }
        }
        IntervalSet(merged)
    }

    pub(super) fn union_all(sets: impl IntoIterator<Item = IntervalSet>) -> Self {
        IntervalSet::from_intervals(sets.into_iter().flat_map(|s| s.0).collect())
    }

    /// By way of the complements, so that many sets cost one sort.
    pub(super) fn intersect_all(sets: impl IntoIterator<Item = IntervalSet>) -> Self {
        IntervalSet::union_all(sets.into_iter().map(|s| s.complement())).complement()
    }

    pub(super) fn union(self, other: IntervalSet) -> Self {
        IntervalSet::union_all([self, other])
    }

    pub(super) fn intersect(self, other: IntervalSet) -> Self {
        IntervalSet::intersect_all([self, other])
    }

    pub(super) fn complement(self) -> Self {
        let mut gaps = Vec::with_capacity(self.0.len() + 1);
        let mut lower = Cut::Start;
        for interval in self.0 {
            gaps.push(Interval::new(lower, interval.lower));
            lower = interval.upper;
        }
        gaps.push(Interval::new(lower, Cut::End));
        gaps.retain(|gap| !gap.is_empty());
        IntervalSet(gaps)
    }

    pub(super) fn is_all(&self) -> bool {
        matches!(
            self.0.as_slice(),
            [Interval {
                lower: Cut::Start,
                upper: Cut::End,
                ..
            }]
        )
    }

    /// Whether it is every value but NULL.
    pub(super) fn is_not_null(&self) -> bool {
        matches!(
            self.0.as_slice(),
            [Interval {
                lower: Cut::Start,
                upper: Cut::Before(Value::Null),
                ..
            }]
        )
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn intervals(&self) -> &[Interval] {
        &self.0
    }

    /// Whether it is a list of values.
    pub(super) fn is_points(&self) -> bool {
        self.0.iter().all(|interval| interval.value().is_some())
    }

    /// The same set of values that the column can hold, in one form: without intervals that hold
    /// none, with those known that hold a single one, and open towards an end of the type.
    pub(super) fn tidy(self, axis: &Axis) -> Self {
        IntervalSet(self.0.into_iter().filter_map(|i| axis.tidy(i)).collect())
    }
}

/// The line of one key column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub sql_type: SqlType,
    pub nullable: bool,
}

impl Axis {
    pub(super) fn of(column: &KeyColumn) -> Axis {
        Axis {
            sql_type: column.sql_type,
            nullable: column.nullable,
        }
    }

    /// The cut after the last value that is not NULL.
    pub(super) fn values_end<T: From<Value>>(&self) -> Cut<T> {
        if self.nullable {
            Cut::Before(Value::Null.into())
        } else {
            Cut::End
        }
    }

    /// Every value but NULL.
    pub(super) fn not_null(&self) -> IntervalSet {
        IntervalSet::between(Cut::Start, self.values_end())
    }

    /// NULL, where the column can hold it.
    pub(super) fn null(&self) -> IntervalSet {
        if self.nullable {
            IntervalSet::point(Value::Null)
        } else {
            IntervalSet::default()
        }
    }

    fn tidy(&self, interval: Interval) -> Option<Interval> {
        if interval.point().is_some() {
            return Some(interval);
        }
        let Interval {
            mut lower,
            mut upper,
            ..
        } = interval;
        let mut single = None;
        let min = smallest(&self.sql_type);
        if let (Cut::Before(v), Some(min)) = (&upper, &min)
            && equal(v, min)
        {
            return None;
        }
        if let (Some(min), Some(max)) = (&min, largest(&self.sql_type)) {
            // Of a discrete type, the first and the last value that the interval holds.
            let first = match &lower {
                Cut::Start => Some(min.clone()),
                Cut::Before(v) if !v.is_null() => Some(v.clone()),
                Cut::After(v) => next(v, 1),
                _ => None,
            };
            let last = match &upper {
                Cut::After(v) if !v.is_null() => Some(v.clone()),
                Cut::Before(Value::Null) => Some(max.clone()),
                Cut::Before(v) => next(v, -1),
                Cut::End if !self.nullable => Some(max.clone()),
                _ => None,
            };
            let beyond_max = matches!(&lower, Cut::After(v) if equal(v, &max));
            if beyond_max && last.is_some() {
                return None;
            }
            if beyond_max {
                // Only NULL is left.
                return Some(Interval::new(Cut::Before(Value::Null), Cut::End));
            }
            if let (Some(first), Some(last)) = (first, last) {
                match first.key_cmp(&last) {
                    Some(Ordering::Greater) => return None,
                    Some(Ordering::Equal) => single = Some(first),
                    _ => {}
                }
            }
            if matches!(&upper, Cut::After(v) if equal(v, &max)) {
                upper = self.values_end();
            }
        }
        if let (Cut::Before(v), Some(min)) = (&lower, &min)
            && equal(v, min)
        {
            lower = Cut::Start;
        }
        Some(Interval {
            lower,
            upper,
            single,
        })
    }
}

fn equal(a: &Value, b: &Value) -> bool {
    a.key_cmp(b) == Some(Ordering::Equal)
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Operand::Value(value)
    }
}
