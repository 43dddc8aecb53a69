//! Assignment: a value into a column, converted only where nothing is lost.

use crate::error::Result;
use crate::types::number::{fits_precision, fraction_bits, parse_decimal, rescale};
use crate::types::refusal::{Refusal, is_text};
use crate::types::{SqlType, Value, calendar};

/// What `value` is in a column of type `to`. `quoted`: the value is a quoted literal, a text
/// parameter or a field of a CSV file, whose text takes the column's type if it parses whole.
///
/// A number is converted if it is the same number in the column's type; a fraction longer than a
/// DECIMAL's scale is rounded half away from zero, one finer than a microsecond cut; a decimal or
/// a DOUBLE becomes the nearest REAL, a decimal the nearest DOUBLE, because no digits but these
/// are in such a column. A DATE is midnight in a TIMESTAMP, a TIMESTAMP at midnight a DATE. CHAR
/// drops trailing spaces, `-0.0` becomes `0.0`, every NaN the one NaN. NULL stays NULL: whether it
/// may stand in a column is not a question of its type.
///
/// # Errors
/// `Invalid`, with the value as a SQL literal and the type.
pub fn assign_value(value: &Value, quoted: bool, to: &SqlType) -> Result<Value> {
    convert(value, quoted, to)
        .and_then(|converted| check_length(&converted.value, to).map(|()| converted.value))
        .map_err(|refusal| refusal.into_error(value, to))
}

/// [`assign_value`] of a quoted text that is at hand as such, as fields of a CSV file are.
pub fn assign_text(text: &str, to: &SqlType) -> Result<Value> {
    let mut value = Value::Null;
    assign_text_into(text, to, &mut value)?;
    Ok(value)
}

/// [`assign_text`] into a value whose buffer, if it has one, is used again. After an error `value`
/// is whatever it came to.
pub fn assign_text_into(text: &str, to: &SqlType, value: &mut Value) -> Result<()> {
    let assigned = match (to, &mut *value) {
        (SqlType::Char(_) | SqlType::Varchar(_), Value::Text(buffer)) => {
            buffer.clear();
            buffer.push_str(without_padding(text, to));
            check_length(value, to)
        }
        _ => convert_text(text, to).and_then(|converted| {
            *value = converted.value;
            check_length(value, to)
        }),
    };
    assigned.map_err(|refusal| refusal.into_error(&Value::Text(text.to_owned()), to))
}

/// A text as a column of type `to` stores it.
fn without_padding<'a>(text: &'a str, to: &SqlType) -> &'a str {
    match to {
        SqlType::Char(_) => text.trim_end_matches(' '),
        _ => text,
    }
}

/// What `value`, a constant that is compared with a column of type `to`, is in that type: the
/// value of the column's type that is equal to it and has the same place in its order. `None` if
/// there is none, as for 300 and TINYINT, 1.5 and INTEGER, text that does not parse; the
/// comparison is then one of other types.
///
/// Other than in [`assign_value`] nothing is rounded or cut, except a decimal to the nearest float,
/// which is how its digits read in such a column; and text may be longer than the column allows.
pub fn comparable_value(value: &Value, quoted: bool, to: &SqlType) -> Option<Value> {
    convert(value, quoted, to)
        .ok()
        .filter(|converted| converted.exact)
        .map(|c| c.value)
}

/// A value in the type of a column, and whether it is exactly the one that it was made from.
struct Converted {
    value: Value,
    exact: bool,
}

impl From<Value> for Converted {
    fn from(value: Value) -> Self {
        Converted { value, exact: true }
    }
}

/// Lengths count characters, of VARBINARY bytes.
fn check_length(value: &Value, to: &SqlType) -> Result<(), Refusal> {
    let fits = match (value, to) {
        (Value::Text(text), SqlType::Char(n) | SqlType::Varchar(Some(n))) => {
            fits_characters(text, *n)
        }
        (Value::Binary(bytes), SqlType::Varbinary(Some(n))) => bytes.len() as u64 <= u64::from(*n),
        _ => true,
    };
    if fits { Ok(()) } else { Err(Refusal::TooLong) }
}

/// Whether `text` has at most `limit` characters.
pub(super) fn fits_characters(text: &str, limit: u32) -> bool {
    text.len() as u64 <= u64::from(limit) || text.chars().count() as u64 <= u64::from(limit)
}

fn convert(value: &Value, quoted: bool, to: &SqlType) -> Result<Converted, Refusal> {
    let integer = |v: i128| from_integer(v, to);
    match (value, to) {
        (Value::Null, _) => Ok(Value::Null.into()),
        (Value::Text(text), to) if quoted || is_text(to) => convert_text(text, to),
        (Value::Boolean(v), SqlType::Boolean) => Ok(Value::Boolean(*v).into()),
        (Value::Binary(v), SqlType::Varbinary(_)) => Ok(Value::Binary(v.clone()).into()),
        (Value::Date(v), SqlType::Date) => Ok(Value::Date(*v).into()),
        (Value::Date(v), SqlType::Timestamp) => i64::from(*v)
            .checked_mul(calendar::MICROS_PER_DAY)
            .map(|micros| Value::Timestamp(micros).into())
            .ok_or(Refusal::OutOfRange),
        (Value::Time(v), SqlType::Time) if (0..calendar::MICROS_PER_DAY).contains(v) => {
            Ok(Value::Time(*v).into())
        }
        (Value::Time(_), SqlType::Time) => Err(Refusal::OutOfRange),
        (Value::Timestamp(v), SqlType::Timestamp) => Ok(Value::Timestamp(*v).into()),
        (Value::Timestamp(v), SqlType::Date) => {
            if v.rem_euclid(calendar::MICROS_PER_DAY) != 0 {
                return Err(Refusal::LosesTimeOfDay);
            }
            i32::try_from(v.div_euclid(calendar::MICROS_PER_DAY))
                .map(|days| Value::Date(days).into())
                .map_err(|_| Refusal::OutOfRange)
        }
        (Value::TinyInt(v), _) => integer((*v).into()),
        (Value::SmallInt(v), _) => integer((*v).into()),
        (Value::Integer(v), _) => integer((*v).into()),
        (Value::BigInt(v), _) => integer((*v).into()),
        (Value::UTinyInt(v), _) => integer((*v).into()),
        (Value::USmallInt(v), _) => integer((*v).into()),
        (Value::UInteger(v), _) => integer((*v).into()),
        (Value::UBigInt(v), _) => integer((*v).into()),
        (
            Value::Decimal {
                unscaled, scale, ..
            },
            _,
        ) => from_decimal(*unscaled, *scale, to),
        (Value::Real(v), SqlType::Decimal { precision, scale }) => {
            from_float_digits(f64::from(*v), &format!("{v:e}"), *precision, *scale)
        }
        (Value::Double(v), SqlType::Decimal { precision, scale }) => {
            from_float_digits(*v, &format!("{v:e}"), *precision, *scale)
        }
        (Value::Real(v), _) => from_float(f64::from(*v), to),
        (Value::Double(v), _) => from_float(*v, to),
        _ => Err(Refusal::OtherType),
    }
}

/// An integer as a value of an integer type, or `OutOfRange`; of another type `OtherType`.
fn to_integer_type(v: i128, to: &SqlType) -> Result<Value, Refusal> {
    fn narrow<T: TryFrom<i128>>(v: i128, value: impl Fn(T) -> Value) -> Result<Value, Refusal> {
        T::try_from(v).map(value).map_err(|_| Refusal::OutOfRange)
    }
    match to {
        SqlType::TinyInt => narrow(v, Value::TinyInt),
        SqlType::SmallInt => narrow(v, Value::SmallInt),
        SqlType::Integer => narrow(v, Value::Integer),
        SqlType::BigInt => narrow(v, Value::BigInt),
        SqlType::UTinyInt => narrow(v, Value::UTinyInt),
        SqlType::USmallInt => narrow(v, Value::USmallInt),
        SqlType::UInteger => narrow(v, Value::UInteger),
        SqlType::UBigInt => narrow(v, Value::UBigInt),
        _ => Err(Refusal::OtherType),
    }
}

fn from_integer(v: i128, to: &SqlType) -> Result<Converted, Refusal> {
    match to {
        SqlType::Real if (v as f32) as i128 == v => Ok(Value::Real(v as f32).into()),
        SqlType::Double if (v as f64) as i128 == v => Ok(Value::Double(v as f64).into()),
        SqlType::Real | SqlType::Double => Err(Refusal::LosesDigits),
        SqlType::Decimal { .. } => from_decimal(v, 0, to),
        _ => to_integer_type(v, to).map(Converted::from),
    }
}

fn from_decimal(unscaled: i128, from: u8, to: &SqlType) -> Result<Converted, Refusal> {
    match to {
        SqlType::Decimal { precision, scale } => {
            let (unscaled, exact) = rescale(unscaled, from, *scale).ok_or(Refusal::OutOfRange)?;
            decimal(unscaled, exact, *precision, *scale)
        }
        SqlType::Real | SqlType::Double => convert_text(&format!("{unscaled}e-{from}"), to),
        _ => match rescale(unscaled, from, 0) {
            // The type before the digits: a decimal into DATE is no question of its fraction.
            Some((v, exact)) => match to_integer_type(v, to) {
                Err(Refusal::OtherType) => Err(Refusal::OtherType),
                _ if !exact => Err(Refusal::LosesFraction),
                value => value.map(Converted::from),
            },
            None => Err(Refusal::OutOfRange),
        },
    }
}

fn decimal(unscaled: i128, exact: bool, precision: u8, scale: u8) -> Result<Converted, Refusal> {
    if !fits_precision(unscaled, precision) {
        return Err(Refusal::OutOfRange);
    }
    Ok(Converted {
        value: Value::Decimal {
            unscaled,
            precision,
            scale,
        },
        exact,
    })
}

/// A float into DECIMAL, by the digits that it prints with: 0.145 is 0.15 in DECIMAL(3, 2), though
/// its binary digits are a little less than that.
fn from_float_digits(v: f64, digits: &str, precision: u8, scale: u8) -> Result<Converted, Refusal> {
    if !v.is_finite() {
        return Err(Refusal::OutOfRange);
    }
    let (unscaled, _) = parse_decimal(digits, scale)?;
    decimal(
        unscaled,
        fraction_bits(v) <= u32::from(scale),
        precision,
        scale,
    )
}

fn from_float(v: f64, to: &SqlType) -> Result<Converted, Refusal> {
    match to {
        SqlType::Double => Ok(Value::Double(canonical(v)).into()),
        SqlType::Real => {
            let narrow = v as f32;
            if v.is_finite() && (narrow.is_infinite() || (narrow == 0.0) != (v == 0.0)) {
                return Err(Refusal::OutOfRange);
            }
            let exact = v.is_nan() || f64::from(narrow) == v;
            Ok(Converted {
                value: Value::Real(canonical_f32(narrow)),
                exact,
            })
        }
        // Beyond 2^127 the cast saturates, far outside of every integer type.
        _ => match to_integer_type(v as i128, to) {
            Err(Refusal::OtherType) => Err(Refusal::OtherType),
            _ if !v.is_finite() => Err(Refusal::OutOfRange),
            _ if v.fract() != 0.0 => Err(Refusal::LosesFraction),
            value => value.map(Converted::from),
        },
    }
}

/// `-0.0` as `0.0` and every NaN as the one NaN.
pub(crate) fn canonical(v: f64) -> f64 {
    if v.is_nan() { f64::NAN } else { v + 0.0 }
}

/// [`canonical`] for REAL.
pub(crate) fn canonical_f32(v: f32) -> f32 {
    if v.is_nan() { f32::NAN } else { v + 0.0 }
}

/// Reads a text as a value of type `to`; the whole text, without spaces around it.
fn convert_text(text: &str, to: &SqlType) -> Result<Converted, Refusal> {
    Ok(match to {
        SqlType::Char(_) | SqlType::Varchar(_) => {
            Value::Text(without_padding(text, to).to_owned()).into()
        }
        SqlType::Varbinary(_) => Value::Binary(parse_binary(text)?).into(),
        SqlType::Boolean => Value::Boolean(parse_boolean(text)?).into(),
        SqlType::Real => {
            let v = text.parse::<f32>().map_err(|_| Refusal::Malformed)?;
            check_magnitude(text, f64::from(v))?;
            Value::Real(canonical_f32(v)).into()
        }
        SqlType::Double => {
            let v = text.parse::<f64>().map_err(|_| Refusal::Malformed)?;
            check_magnitude(text, v)?;
            Value::Double(canonical(v)).into()
        }
        SqlType::Decimal { precision, scale } => {
            let (unscaled, exact) = parse_decimal(text, *scale)?;
            decimal(unscaled, exact, *precision, *scale)?
        }
        SqlType::Date => Value::Date(calendar::parse_date(text)?).into(),
        SqlType::Time => {
            let (micros, exact) = calendar::parse_time(text)?;
            Converted {
                value: Value::Time(micros),
                exact,
            }
        }
        SqlType::Timestamp => {
            let (micros, exact) = calendar::parse_timestamp(text)?;
            Converted {
                value: Value::Timestamp(micros),
                exact,
            }
        }
        _ => {
            // The usual spelling first; the long way round knows the others, and the errors.
            if let Ok(v) = text.parse::<i64>() {
                return to_integer_type(v.into(), to).map(Converted::from);
            }
            let (v, exact) = parse_decimal(text, 0)?;
            if !exact {
                return Err(Refusal::LosesFraction);
            }
            to_integer_type(v, to)?.into()
        }
    })
}

/// Refuses digits too large or too small for a float, which reads them as infinity or zero.
fn check_magnitude(text: &str, v: f64) -> Result<(), Refusal> {
    // Only the words for infinity and NaN have an n.
    let is_word = text.contains(['n', 'N']);
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let has_digits = mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    if !is_word && (v.is_infinite() || (v == 0.0 && has_digits)) {
        return Err(Refusal::OutOfRange);
    }
    Ok(())
}

fn parse_boolean(text: &str) -> Result<bool, Refusal> {
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(["true", "t", "1"]) {
        Ok(true)
    } else if is(["false", "f", "0"]) {
        Ok(false)
    } else {
        Err(Refusal::Malformed)
    }
}

/// `\x00ff` is hexadecimal, as in PostgreSQL; any other text its UTF-8 bytes.
fn parse_binary(text: &str) -> Result<Vec<u8>, Refusal> {
    let Some(digits) = text.strip_prefix("\\x") else {
        return Ok(text.as_bytes().to_owned());
    };
    let nibble = |digit: &u8| (*digit as char).to_digit(16).map(|v| v as u8);
    if digits.len() % 2 != 0 {
        return Err(Refusal::Malformed);
    }
    let bytes = digits.as_bytes().chunks_exact(2).map(|pair| match pair {
        [high, low] => Some(nibble(high)? << 4 | nibble(low)?),
        _ => None,
    });
    bytes.collect::<Option<Vec<u8>>>().ok_or(Refusal::Malformed)
}
