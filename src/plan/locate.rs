//! Where a constant lies on the line of a column of another type.
//!
//! A constant becomes a pair of cuts: everything before the first is smaller, everything after the
//! second is larger, and what is between them (one value, or none, or several where the column was
//! rounded into a float) is equal. Every comparison operator is read off these two cuts, so that a
//! constant between two values, or beyond the type's range, needs no rule of its own.

use datafusion::arrow::datatypes::i256;
use datafusion::scalar::ScalarValue;

use crate::plan::axis::{Axis, Cut};
use crate::plan::operand::Via;
use crate::plan::ordinal::{ordinal_range, ordinal_value};
use crate::types::{SqlType, Value, canonical};

/// The cuts before and after all values equal to a constant.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub before: Cut<Value>,
    pub after: Cut<Value>,
}

impl Place {
    fn value(value: Value) -> Place {
        Place {
            before: Cut::Before(value.clone()),
            after: Cut::After(value),
        }
    }

    fn gap(cut: Cut<Value>) -> Place {
        Place {
            before: cut.clone(),
            after: cut,
        }
    }

    /// The column's own value that is equal to the constant, if there is one and no other.
    pub(super) fn exact(self) -> Option<Value> {
        match (self.before, self.after) {
            (Cut::Before(a), Cut::After(b)) if a.key_cmp(&b)?.is_eq() => Some(a),
            _ => None,
        }
    }
}

/// The place of a constant that is not NULL; `None` if the two cannot be compared in the order of
/// the key.
pub(super) fn locate(axis: &Axis, via: Via, constant: &ScalarValue) -> Option<Place> {
    if let ScalarValue::Dictionary(_, inner) = constant {
        return locate(axis, via, inner);
    }
    match via {
        Via::Exact => {}
        // A constant of another type than the cast's is not what coercion makes.
        Via::Double => {
            return match constant {
                ScalarValue::Float64(Some(c)) => match axis.sql_type {
                    // As Arrow casts it: rounded twice, and still in order.
                    SqlType::Decimal { scale, .. } => {
                        rounded(axis, *c, |x| x as f64 / 10_f64.powi(scale.into()))
                    }
                    _ => rounded(axis, *c, |x| x as f64),
                },
                _ => None,
            };
        }
        Via::Real => {
            return match constant {
                ScalarValue::Float32(Some(c)) => {
                    rounded(axis, f64::from(*c), |x| f64::from(x as f32))
                }
                _ => None,
            };
        }
    }
    match axis.sql_type {
        SqlType::Boolean => match constant {
            ScalarValue::Boolean(Some(v)) => Some(Place::value(Value::Boolean(*v))),
            _ => None,
        },
        // Constants of CHAR have lost their trailing spaces by now; of nothing else they go.
        SqlType::Char(_) | SqlType::Varchar(_) => {
            text(constant).map(|v| Place::value(Value::Text(v.to_owned())))
        }
        SqlType::Varbinary(_) => match constant {
            ScalarValue::Binary(Some(v))
            | ScalarValue::LargeBinary(Some(v))
            | ScalarValue::BinaryView(Some(v))
            | ScalarValue::FixedSizeBinary(_, Some(v)) => {
                Some(Place::value(Value::Binary(v.clone())))
            }
            _ => None,
        },
        SqlType::Real => real(constant),
        SqlType::Double => float(constant).map(|c| Place::value(Value::Double(canonical(c)))),
        SqlType::Date | SqlType::Time | SqlType::Timestamp => temporal(axis, constant),
        SqlType::Decimal { scale, .. } => {
            let (unscaled, digits) = wide_number(constant)?;
            whole(axis, unscaled, i32::from(digits), i32::from(scale))
        }
        _ => match constant {
            ScalarValue::Float64(Some(c)) => rounded(axis, *c, |x| x as f64),
            ScalarValue::Float32(Some(c)) => rounded(axis, f64::from(*c), |x| f64::from(x as f32)),
            _ => {
                let (unscaled, digits) = wide_number(constant)?;
                whole(axis, unscaled, i32::from(digits), 0)
            }
        },
    }
}

fn text(constant: &ScalarValue) -> Option<&str> {
    match constant {
        ScalarValue::Utf8(Some(v))
        | ScalarValue::LargeUtf8(Some(v))
        | ScalarValue::Utf8View(Some(v)) => Some(v),
        _ => None,
    }
}

/// An exact number as a whole one and its digits after the point.
pub(super) fn number(constant: &ScalarValue) -> Option<(i128, i8)> {
    Some(match constant {
        ScalarValue::Int8(Some(v)) => ((*v).into(), 0),
        ScalarValue::Int16(Some(v)) => ((*v).into(), 0),
        ScalarValue::Int32(Some(v)) => ((*v).into(), 0),
        ScalarValue::Int64(Some(v)) => ((*v).into(), 0),
        ScalarValue::UInt8(Some(v)) => ((*v).into(), 0),
        ScalarValue::UInt16(Some(v)) => ((*v).into(), 0),
        ScalarValue::UInt32(Some(v)) => ((*v).into(), 0),
        ScalarValue::UInt64(Some(v)) => ((*v).into(), 0),
        ScalarValue::Decimal32(Some(v), _, scale) => ((*v).into(), *scale),
        ScalarValue::Decimal64(Some(v), _, scale) => ((*v).into(), *scale),
        ScalarValue::Decimal128(Some(v), _, scale) => (*v, *scale),
        ScalarValue::Decimal256(Some(v), _, scale) => (v.to_i128()?, *scale),
        _ => return None,
    })
}

/// The same, with more digits than any column has.
fn wide_number(constant: &ScalarValue) -> Option<(i256, i8)> {
    match constant {
        ScalarValue::Decimal256(Some(v), _, digits) => Some((*v, *digits)),
        other => number(other).map(|(v, digits)| (i256::from_i128(v), digits)),
    }
}

/// The place of `unscaled / 10^digits` among whole numbers that stand for `n / 10^scale`.
fn whole(axis: &Axis, unscaled: i256, digits: i32, scale: i32) -> Option<Place> {
    let (zero, above) = (i256::ZERO, unscaled > i256::ZERO);
    let shift = scale - digits;
    let power = i256::from_i128(10).checked_pow(shift.unsigned_abs());
    let (ordinal, exact) = match power {
        _ if unscaled == zero => (Some(zero), true),
        Some(power) if shift >= 0 => (unscaled.checked_mul(power), true),
        None if shift >= 0 => (None, true),
        Some(power) => {
            let (towards_zero, rest) = (unscaled.checked_div(power)?, unscaled.checked_rem(power)?);
            let below = if rest < zero { i256::ONE } else { zero };
            (towards_zero.checked_sub(below), rest == zero)
        }
        // Closer to zero than the next digit.
        None if above => (Some(zero), false),
        None => (Some(i256::MINUS_ONE), false),
    };
    Some(match ordinal.and_then(i256::to_i128) {
        Some(ordinal) => ordinal_place(axis, ordinal, exact),
        None => beyond(axis, above),
    })
}

/// The place of an ordinal, or of what lies between it and the next.
fn ordinal_place(axis: &Axis, ordinal: i128, exact: bool) -> Place {
    let Some((min, max)) = ordinal_range(&axis.sql_type) else {
        return beyond(axis, ordinal > 0);
    };
    match ordinal_value(&axis.sql_type, ordinal) {
        Some(value) if exact => Place::value(value),
        Some(_) if ordinal == max => beyond(axis, true),
        Some(value) => Place::gap(Cut::After(value)),
        None => beyond(axis, ordinal > min),
    }
}

/// Before or after every value but NULL.
fn beyond(axis: &Axis, above: bool) -> Place {
    Place::gap(if above { axis.values_end() } else { Cut::Start })
}

/// The double nearest to a number.
pub(super) fn float(constant: &ScalarValue) -> Option<f64> {
    Some(match constant {
        ScalarValue::Float16(Some(v)) => v.to_f64(),
        ScalarValue::Float32(Some(v)) => f64::from(*v),
        ScalarValue::Float64(Some(v)) => *v,
        other => {
            let (unscaled, digits) = number(other)?;
            // The parser of the standard library rounds once; a division would round twice.
            format!("{unscaled}e{}", -i32::from(digits)).parse().ok()?
        }
    })
}

/// A double is compared with REAL exactly; an exact number becomes the nearest REAL.
fn real(constant: &ScalarValue) -> Option<Place> {
    let wide = match constant {
        ScalarValue::Float16(_) | ScalarValue::Float32(_) | ScalarValue::Float64(_) => {
            canonical(float(constant)?)
        }
        other => {
            let (unscaled, digits) = number(other)?;
            let nearest: f32 = format!("{unscaled}e{}", -i32::from(digits)).parse().ok()?;
            f64::from(nearest)
        }
    };
    let nearest = wide as f32;
    let value = Value::Real(nearest);
    Some(match f64::from(nearest).partial_cmp(&wide) {
        None | Some(std::cmp::Ordering::Equal) => Place::value(value),
        Some(std::cmp::Ordering::Greater) => Place::gap(Cut::Before(value)),
        Some(std::cmp::Ordering::Less) => Place::gap(Cut::After(value)),
    })
}

/// The place of a float among values that are rounded into floats before the comparison: the
/// rounding keeps the order, so both cuts can be found by halving.
fn rounded(axis: &Axis, constant: f64, round: impl Fn(i128) -> f64) -> Option<Place> {
    let (min, max) = ordinal_range(&axis.sql_type)?;
    if constant.is_nan() {
        return Some(beyond(axis, true));
    }
    let before = first(min, max + 1, |at| round(at) >= constant);
    let after = first(before, max + 1, |at| round(at) > constant);
    if before < after {
        return Some(Place {
            before: Cut::Before(ordinal_value(&axis.sql_type, before)?),
            after: Cut::After(ordinal_value(&axis.sql_type, after - 1)?),
        });
    }
    Some(match ordinal_value(&axis.sql_type, before - 1) {
        Some(below) if before <= max => Place::gap(Cut::After(below)),
        Some(_) => beyond(axis, true),
        None => beyond(axis, false),
    })
}

/// The first number of `low..high` for which something holds that goes on holding; else `high`.
pub(super) fn first(mut low: i128, mut high: i128, holds: impl Fn(i128) -> bool) -> i128 {
    while low < high {
        // The mean rounded down: the ordinals of a DECIMAL are so many that their sum and their
        // difference overflow.
        let middle = (low & high) + ((low ^ high) >> 1);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// A day in nanoseconds.
pub(super) const DAY: i128 = 86_400_000_000_000;

/// The nanoseconds from one value of a type to the next.
pub(super) fn ordinal_unit(sql_type: &SqlType) -> Option<i128> {
    match sql_type {
        SqlType::Date => Some(DAY),
        SqlType::Time | SqlType::Timestamp => Some(1_000),
        _ => None,
    }
}

/// Days, times and timestamps meet in nanoseconds, which have room for all of them here.
fn temporal(axis: &Axis, constant: &ScalarValue) -> Option<Place> {
    let nanos = instant(matches!(axis.sql_type, SqlType::Time), constant)?;
    let unit = ordinal_unit(&axis.sql_type)?;
    Some(ordinal_place(
        axis,
        nanos.div_euclid(unit),
        nanos.rem_euclid(unit) == 0,
    ))
}

/// The nanoseconds from the beginning of the day, or of 1970.
pub(super) fn instant(of_day: bool, constant: &ScalarValue) -> Option<i128> {
    Some(match constant {
        ScalarValue::Time32Second(Some(v)) if of_day => i128::from(*v) * 1_000_000_000,
        ScalarValue::Time32Millisecond(Some(v)) if of_day => i128::from(*v) * 1_000_000,
        ScalarValue::Time64Microsecond(Some(v)) if of_day => i128::from(*v) * 1_000,
        ScalarValue::Time64Nanosecond(Some(v)) if of_day => i128::from(*v),
        ScalarValue::Date32(Some(v)) if !of_day => i128::from(*v) * DAY,
        ScalarValue::Date64(Some(v)) if !of_day => i128::from(*v) * 1_000_000,
        ScalarValue::TimestampSecond(Some(v), zone) if !of_day && utc(zone) => {
            i128::from(*v) * 1_000_000_000
        }
        ScalarValue::TimestampMillisecond(Some(v), zone) if !of_day && utc(zone) => {
            i128::from(*v) * 1_000_000
        }
        ScalarValue::TimestampMicrosecond(Some(v), zone) if !of_day && utc(zone) => {
            i128::from(*v) * 1_000
        }
        ScalarValue::TimestampNanosecond(Some(v), zone) if !of_day && utc(zone) => i128::from(*v),
        _ => return None,
    })
}

/// Whether a timestamp's number counts from 1970 without a shift.
pub(super) fn utc(zone: &Option<std::sync::Arc<str>>) -> bool {
    matches!(zone.as_deref(), None | Some("UTC" | "Z" | "+00:00" | "+00"))
}
