//! Functions of a key column that keep the order of its values: `date_trunc`, `date_bin`, the day
//! or the year of a timestamp, `floor`, casts.
//!
//! ```text
//! date_trunc('month', CAST(d AS TIMESTAMP(9)))      d DATE
//!   │ read: steps, from the column outwards
//! [days to nanoseconds, first of the month]
//!   │ Function: where it has a value, where DataFusion would stop with an error
//!   │ place: halving, twice
//! the days before and after which the function is less and larger than a constant
//! ```
//!
//! What such a function gives rises with the column's values, so the values for which it is less
//! than a constant come before all others. The steps are DataFusion's functions written anew in
//! whole numbers with room for every value; a test compares them with DataFusion's own.
//!
//! Towards the ends of a type a function may have no value. Where it is NULL (`date_bin` beyond
//! what nanoseconds can say) a comparison is unknown. Where DataFusion stops with an error
//! (`date_trunc` of a month there) the values count as smaller or larger than every constant, and a
//! predicate whose set reaches them stays a filter besides, so that the error comes if such a row
//! is read; a constant that only they could be equal to has no place.

mod calendar;
mod read;
mod step;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use datafusion::scalar::ScalarValue;

use crate::plan::axis::{Axis, Cut, IntervalSet};
use crate::plan::locate::{Place, first};
use crate::plan::monotone::step::{Image, Kind, Step, Target};
use crate::types::Value;

pub(super) use read::read;

/// A monotone function of one key column.
#[derive(Debug)]
pub(super) struct Function {
    axis: Axis,
    of: Kind,
    steps: Vec<Step>,
    result: Kind,
    /// The first and the last number of the line of `of` for which it has a value.
    defined: (i128, i128),
    /// The same for which it does not fail: between the two it is NULL.
    safe: (i128, i128),
}

impl Function {
    /// The function of these steps, if it has a value in the middle of the column's type.
    fn new(axis: Axis, of: Kind, steps: Vec<Step>, result: Kind) -> Option<Function> {
        let (min, max) = of.line()?;
        let mut function = Function {
            axis,
            of,
            steps,
            result,
            defined: (0, 0),
            safe: (0, 0),
        };
        let image = |at| function.image(at);
        let is_value = |at| matches!(image(at), Image::Value(_));
        let is_error = |at| matches!(image(at), Image::Error);
        if !is_value(0) {
            return None;
        }
        let defined = (
            first(min, 0, is_value),
            first(0, max + 1, |at| !is_value(at)) - 1,
        );
        let safe = (
            first(min, defined.0, |at| !is_error(at)),
            first(defined.1, max + 1, is_error) - 1,
        );
        // NULL beyond an error is more than two ends can say.
        let outside = |at: i128, end: i128| at == end || is_error(end);
        let between = |at: i128, next: i128| at == next || !is_error(next);
        if !outside(safe.0, min)
            || !outside(safe.1, max)
            || !between(defined.0, safe.0.max(defined.0 - 1))
            || !between(defined.1, safe.1.min(defined.1 + 1))
        {
            return None;
        }
        function.defined = defined;
        function.safe = safe;
        Some(function)
    }

    fn image(&self, at: i128) -> Image {
        let mut number = match self.of.number(at) {
            Some(number) => number,
            None => return Image::Error,
        };
        for step in &self.steps {
            match step.apply(number) {
                Image::Value(next) => number = next,
                other => return other,
            }
        }
        Image::Value(number)
    }

    fn ends(&self) -> (i128, i128) {
        self.of.line().unwrap_or_default()
    }

    /// The place of a constant that is not NULL; `None` if the two cannot be compared.
    pub(super) fn place(&self, constant: &ScalarValue) -> Option<Place> {
        let target = Target::of(self.result, constant)?;
        // Where there is no value nothing is asked.
        let order = |at: i128| match self.image(at) {
            Image::Value(number) => target.order(number),
            _ => Ordering::Less,
        };
        let (low, high) = self.defined;
        let (min, max) = self.ends();
        if self.safe.0 > min && order(low).is_ge() || self.safe.1 < max && order(high).is_le() {
            return None;
        }
        let cut = |at: i128| {
            Some(if at <= high {
                self.of.cut(at)?
            } else if high == max {
                self.axis.values_end()
            } else {
                Cut::After(self.of.value(high)?)
            })
        };
        Some(Place {
            before: cut(first(low, high + 1, |at| order(at).is_ge()))?,
            after: cut(first(low, high + 1, |at| order(at).is_gt()))?,
        })
    }

    /// From one number of the line to another, as a set.
    fn between(&self, first: i128, last: i128) -> Option<IntervalSet> {
        if first > last {
            return Some(IntervalSet::default());
        }
        let value = |at: i128| -> Option<Value> { self.of.value(at) };
        Some(IntervalSet::between(
            Cut::Before(value(first)?),
            Cut::After(value(last)?),
        ))
    }

    /// The values for which the function is NULL, NULL among them.
    pub(super) fn nulls(&self) -> IntervalSet {
        let below = self.between(self.safe.0, self.defined.0 - 1);
        let above = self.between(self.defined.1 + 1, self.safe.1);
        let sets = [below, above].into_iter().flatten();
        IntervalSet::union_all(sets.chain([self.axis.null()]))
    }

    /// The values for which it fails, if there are any.
    pub(super) fn errors(&self) -> Option<IntervalSet> {
        let (min, max) = self.ends();
        let below = self.between(min, self.safe.0 - 1)?;
        let above = self.between(self.safe.1 + 1, max)?;
        Some(below.union(above)).filter(|set| !set.is_empty())
    }
}
