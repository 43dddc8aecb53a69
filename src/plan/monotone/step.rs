//! One step of a monotone function, as DataFusion evaluates it.

use std::cmp::Ordering;

use datafusion::scalar::ScalarValue;

use crate::plan::axis::Cut;
use crate::plan::locate::{DAY, instant, number};
use crate::plan::monotone::calendar;
use crate::plan::ordinal::{ordinal_range, ordinal_value};
use crate::types::{SqlType, Value};

/// Milliseconds, microseconds and the like in nanoseconds, of which a step's numbers are.
pub(super) const MICRO: i128 = 1_000;

/// The numbers that a step takes or gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A column's discrete type, by its ordinals. Timestamps are microseconds.
    Discrete(SqlType),
    /// Timestamps in nanoseconds.
    Nanos,
    Real,
    Double,
}

impl Kind {
    pub(super) fn of(sql_type: &SqlType) -> Option<Kind> {
        Some(match sql_type {
            SqlType::Real => Kind::Real,
            SqlType::Double => Kind::Double,
            SqlType::Boolean => return None,
            other => {
                ordinal_range(other)?;
                Kind::Discrete(*other)
            }
        })
    }

    /// The nanoseconds that one stands for, of an instant.
    pub(super) fn instant(self) -> Option<i128> {
        match self {
            Kind::Discrete(SqlType::Date) => Some(DAY),
            Kind::Discrete(SqlType::Timestamp) => Some(MICRO),
            Kind::Nanos => Some(1),
            _ => None,
        }
    }

    /// The values of a column's type as whole numbers in order.
    pub(super) fn line(self) -> Option<(i128, i128)> {
        match self {
            Kind::Discrete(sql_type) => ordinal_range(&sql_type),
            // Zero is the sign bit and nothing; behind infinity is NaN.
            Kind::Double => {
                let infinity = i128::from(f64::INFINITY.to_bits());
                Some((-infinity - 1, infinity + 1))
            }
            Kind::Real => {
                let infinity = i128::from(f32::INFINITY.to_bits());
                Some((-infinity - 1, infinity + 1))
            }
            Kind::Nanos => None,
        }
    }

    /// The number that stands at a place of the line.
    pub(super) fn number(self, at: i128) -> Option<Number> {
        let magnitude = if at < 0 { -(at + 1) } else { at };
        let sign = if at < 0 { -1.0 } else { 1.0 };
        Some(match self {
            Kind::Discrete(_) | Kind::Nanos => Number::Whole(at),
            Kind::Double => match f64::from_bits(u64::try_from(magnitude).ok()?) {
                float if float.is_nan() => Number::Float(f64::NAN),
                float => Number::Float(sign * float),
            },
            Kind::Real => match f32::from_bits(u32::try_from(magnitude).ok()?) {
                float if float.is_nan() => Number::Float(f64::NAN),
                float => Number::Float(sign * f64::from(float)),
            },
        })
    }

    /// The cut before a place: of a float after the one before it, if that is the rounder number.
    /// So it is the same cut as one made of a constant.
    pub(super) fn cut(self, at: i128) -> Option<Cut<Value>> {
        let value = self.value(at)?;
        if let Kind::Real | Kind::Double = self
            && at > self.line()?.0
            && let Some(before) = self.value(at - 1)
            && before.to_string().len() < value.to_string().len()
        {
            return Some(Cut::After(before));
        }
        Some(Cut::Before(value))
    }

    /// The same as a value of the column.
    pub(super) fn value(self, at: i128) -> Option<Value> {
        match (self, self.number(at)?) {
            (Kind::Discrete(sql_type), _) => ordinal_value(&sql_type, at),
            // A column holds no -0.0.
            (Kind::Double, Number::Float(float)) => Some(Value::Double(float + 0.0)),
            (Kind::Real, Number::Float(float)) => Some(Value::Real(float as f32 + 0.0)),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Whole(i128),
    Float(f64),
}

/// What a function makes of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Image {
    Value(Number),
    Null,
    Error,
}

/// What `date_trunc` cuts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// So many nanoseconds, a day at most.
    Nanos(i128),
    Week,
    /// So many months.
    Months(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Floor,
    Ceil,
    /// Towards zero.
    Trunc,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// Into a finer unit of time, in 64 bits.
    Scale(i128),
    /// Into a coarser unit of time: what is left over goes, towards zero.
    Coarsen(i128),
    /// The day of an instant in units of so many nanoseconds.
    Day(i128),
    /// The year of it.
    Year(i128),
    /// Into a whole number of a smaller range.
    Within(i128, i128),
    /// A whole number into a float.
    ToDouble,
    ToReal,
    /// A float into a whole number of a range.
    ToWhole(i128, i128),
    /// `date_trunc` of an instant in units of so many nanoseconds.
    TruncInstant(Unit, i128),
    /// `date_trunc` of a time of day, in microseconds.
    TruncTime(i128),
    /// `date_bin` by a width in nanoseconds.
    Bin {
        width: i128,
        origin: i128,
        unit: i128,
    },
    /// `date_bin` by months.
    BinMonths {
        months: i64,
        origin: i128,
        unit: i128,
    },
    RoundFloat(Rounding),
    /// Of a decimal: the ordinal of 1, and the largest ordinal.
    RoundDecimal(Rounding, i128, i128),
}

fn in_64_bits(number: i128) -> bool {
    i64::try_from(number).is_ok()
}

fn fitting(number: i128, otherwise: Image) -> Image {
    match in_64_bits(number) {
        true => Image::Value(Number::Whole(number)),
        false => otherwise,
    }
}

impl Step {
    pub(super) fn apply(self, number: Number) -> Image {
        match number {
            Number::Whole(number) => self.of_whole(number),
            Number::Float(float) => self.of_float(float),
        }
    }

    fn of_float(self, float: f64) -> Image {
        match self {
            Step::RoundFloat(how) => Image::Value(Number::Float(match how {
                Rounding::Floor => float.floor(),
                Rounding::Ceil => float.ceil(),
                Rounding::Trunc => float.trunc(),
            })),
            // Beyond the range of i128 a float is kept at its ends by `as`.
            Step::ToWhole(min, max) => match float.trunc() as i128 {
                whole if !float.is_nan() && (min..=max).contains(&whole) => {
                    Image::Value(Number::Whole(whole))
                }
                _ => Image::Error,
            },
            _ => Image::Error,
        }
    }

    fn of_whole(self, number: i128) -> Image {
        let value = |number: i128| Image::Value(Number::Whole(number));
        match self {
            Step::Scale(by) => fitting(number * by, Image::Error),
            Step::Coarsen(by) => value(number / by),
            Step::Day(unit) => {
                let days = (number * unit).div_euclid(DAY);
                match calendar::is_date(days) {
                    true => value(days),
                    false => Image::Error,
                }
            }
            Step::Year(unit) => {
                let days = (number * unit).div_euclid(DAY);
                match calendar::is_date(days) {
                    true => value(calendar::year(days)),
                    false => Image::Null,
                }
            }
            Step::Within(min, max) => match (min..=max).contains(&number) {
                true => value(number),
                false => Image::Error,
            },
            Step::ToDouble => Image::Value(Number::Float(number as f64)),
            Step::ToReal => Image::Value(Number::Float(f64::from(number as f32))),
            Step::TruncTime(micros) => value(number - number % micros),
            Step::TruncInstant(Unit::Nanos(nanos), unit) => {
                let width = (nanos / unit).max(1);
                fitting(number - number.rem_euclid(width), Image::Error)
            }
            Step::TruncInstant(cut, unit) => {
                let nanos = number * unit;
                let days = nanos.div_euclid(DAY);
                let days = match cut {
                    Unit::Months(months) => calendar::first_of_months(days, months),
                    // The first day of 1970 was a Thursday, and a week begins on Monday.
                    _ => days - (days + 3).rem_euclid(7),
                };
                match in_64_bits(nanos) && in_64_bits(days * DAY) {
                    true => value(days * DAY / unit),
                    false => Image::Error,
                }
            }
            Step::Bin {
                width,
                origin,
                unit,
            } => {
                let (nanos, distance) = (number * unit, number * unit - origin);
                let bin = distance - distance.rem_euclid(width);
                let fits = [nanos, distance, bin, origin + bin]
                    .into_iter()
                    .all(in_64_bits);
                match fits {
                    true => value((origin + bin) / unit),
                    false => Image::Null,
                }
            }
            Step::BinMonths {
                months,
                origin,
                unit,
            } => {
                let nanos = number * unit;
                let bin = calendar::month_bin(nanos, origin, months).filter(|_| in_64_bits(nanos));
                match bin.filter(|bin| in_64_bits(*bin)) {
                    Some(bin) => value(bin / unit),
                    None => Image::Null,
                }
            }
            Step::RoundDecimal(how, one, largest) => {
                let rounded = match how {
                    Rounding::Floor => number.div_euclid(one) * one,
                    Rounding::Ceil => -((-number).div_euclid(one) * one),
                    Rounding::Trunc => number / one * one,
                };
                match rounded.abs() <= largest {
                    true => value(rounded),
                    false => Image::Error,
                }
            }
            Step::RoundFloat(_) | Step::ToWhole(..) => Image::Error,
        }
    }
}

/// A constant beside a function.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    /// A whole number, or what lies between it and the next.
    Whole(i128, bool),
    Float(f64),
}

impl Target {
    /// The constant among the numbers of a kind; `None` if DataFusion would compare them in another
    /// way.
    pub(super) fn of(kind: Kind, constant: &ScalarValue) -> Option<Target> {
        let divided = |number: i128, by: i128| {
            Target::Whole(number.div_euclid(by), number.rem_euclid(by) == 0)
        };
        Some(match (kind, constant) {
            (Kind::Double, ScalarValue::Float64(Some(float))) => Target::Float(*float),
            (Kind::Real, ScalarValue::Float32(Some(float))) => Target::Float(f64::from(*float)),
            (Kind::Double | Kind::Real, _) => return None,
            (Kind::Discrete(SqlType::Time), _) => divided(instant(true, constant)?, MICRO),
            (Kind::Discrete(SqlType::Decimal { scale, .. }), _) => {
                let (unscaled, digits) = number(constant)?;
                let shift = i32::from(scale) - i32::from(digits);
                let power = 10_i128.checked_pow(shift.unsigned_abs())?;
                match shift >= 0 {
                    true => Target::Whole(unscaled.checked_mul(power)?, true),
                    false => divided(unscaled, power),
                }
            }
            _ => match kind.instant() {
                Some(unit) => divided(instant(false, constant)?, unit),
                None => {
                    let (unscaled, digits) = number(constant)?;
                    let power = 10_i128.checked_pow(u32::try_from(digits).ok()?)?;
                    divided(unscaled, power)
                }
            },
        })
    }

    /// The order of a number and the constant. Floats have DataFusion's order, in which -0.0 equals
    /// 0.0 and NaN is the largest.
    pub(super) fn order(self, number: Number) -> Ordering {
        match (number, self) {
            (Number::Whole(number), Target::Whole(constant, exact)) => match exact {
                true => number.cmp(&constant),
                false if number <= constant => Ordering::Less,
                false => Ordering::Greater,
            },
            (Number::Float(number), Target::Float(constant)) => {
                (number + 0.0).total_cmp(&(constant + 0.0))
            }
            // A target is made for the kind of the numbers.
            _ => Ordering::Less,
        }
    }
}
