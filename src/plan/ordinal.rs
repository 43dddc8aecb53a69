//! The values of a discrete type as whole numbers.

use crate::types::{SqlType, Value};

/// The smallest value of a type; of text and binary the empty one.
pub(super) fn smallest(sql_type: &SqlType) -> Option<Value> {
    Some(match sql_type {
        SqlType::Real => Value::Real(f32::NEG_INFINITY),
        SqlType::Double => Value::Double(f64::NEG_INFINITY),
        SqlType::Char(_) | SqlType::Varchar(_) => Value::Text(String::new()),
        SqlType::Varbinary(_) => Value::Binary(Vec::new()),
        other => ordinal_value(other, ordinal_range(other)?.0)?,
    })
}

/// The largest value of a type, where there is one.
pub(super) fn largest(sql_type: &SqlType) -> Option<Value> {
    Some(match sql_type {
        SqlType::Real => Value::Real(f32::NAN),
        SqlType::Double => Value::Double(f64::NAN),
        other => ordinal_value(other, ordinal_range(other)?.1)?,
    })
}

/// The whole number that stands for a value of a discrete type, and the type.
pub(super) fn ordinal(value: &Value) -> Option<(SqlType, i128)> {
    Some(match value {
        Value::Boolean(v) => (SqlType::Boolean, i128::from(*v)),
        Value::TinyInt(v) => (SqlType::TinyInt, i128::from(*v)),
        Value::SmallInt(v) => (SqlType::SmallInt, i128::from(*v)),
        Value::Integer(v) => (SqlType::Integer, i128::from(*v)),
        Value::BigInt(v) => (SqlType::BigInt, i128::from(*v)),
        Value::UTinyInt(v) => (SqlType::UTinyInt, i128::from(*v)),
        Value::USmallInt(v) => (SqlType::USmallInt, i128::from(*v)),
        Value::UInteger(v) => (SqlType::UInteger, i128::from(*v)),
        Value::UBigInt(v) => (SqlType::UBigInt, i128::from(*v)),
        Value::Decimal {
            unscaled,
            precision,
            scale,
        } => (
            SqlType::Decimal {
                precision: *precision,
                scale: *scale,
            },
            *unscaled,
        ),
        Value::Date(v) => (SqlType::Date, i128::from(*v)),
        Value::Time(v) => (SqlType::Time, i128::from(*v)),
        Value::Timestamp(v) => (SqlType::Timestamp, i128::from(*v)),
        _ => return None,
    })
}

/// The neighbour of a value of a discrete type.
pub(super) fn next(value: &Value, step: i128) -> Option<Value> {
    let (sql_type, ordinal) = ordinal(value)?;
    ordinal_value(&sql_type, ordinal.checked_add(step)?)
}

/// The whole numbers that stand for the values of a discrete type: the number itself, a decimal
/// times `10^scale`, days, microseconds.
pub(super) fn ordinal_range(sql_type: &SqlType) -> Option<(i128, i128)> {
    Some(match sql_type {
        SqlType::Boolean => (0, 1),
        SqlType::TinyInt => (i8::MIN.into(), i8::MAX.into()),
        SqlType::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        SqlType::Integer | SqlType::Date => (i32::MIN.into(), i32::MAX.into()),
        SqlType::BigInt | SqlType::Time | SqlType::Timestamp => (i64::MIN.into(), i64::MAX.into()),
        SqlType::UTinyInt => (0, u8::MAX.into()),
        SqlType::USmallInt => (0, u16::MAX.into()),
        SqlType::UInteger => (0, u32::MAX.into()),
        SqlType::UBigInt => (0, u64::MAX.into()),
        SqlType::Decimal { precision, .. } => {
            let end = 10_i128.checked_pow(u32::from(*precision))? - 1;
            (-end, end)
        }
        _ => return None,
    })
}

/// The value that an ordinal stands for; `None` out of the type's range.
pub(super) fn ordinal_value(sql_type: &SqlType, ordinal: i128) -> Option<Value> {
    let (min, max) = ordinal_range(sql_type)?;
    if ordinal < min || ordinal > max {
        return None;
    }
    Some(match *sql_type {
        SqlType::Boolean => Value::Boolean(ordinal != 0),
        SqlType::TinyInt => Value::TinyInt(ordinal.try_into().ok()?),
        SqlType::SmallInt => Value::SmallInt(ordinal.try_into().ok()?),
        SqlType::Integer => Value::Integer(ordinal.try_into().ok()?),
        SqlType::BigInt => Value::BigInt(ordinal.try_into().ok()?),
        SqlType::UTinyInt => Value::UTinyInt(ordinal.try_into().ok()?),
        SqlType::USmallInt => Value::USmallInt(ordinal.try_into().ok()?),
        SqlType::UInteger => Value::UInteger(ordinal.try_into().ok()?),
        SqlType::UBigInt => Value::UBigInt(ordinal.try_into().ok()?),
        SqlType::Decimal { precision, scale } => Value::Decimal {
            unscaled: ordinal,
            precision,
            scale,
        },
        SqlType::Date => Value::Date(ordinal.try_into().ok()?),
        SqlType::Time => Value::Time(ordinal.try_into().ok()?),
        SqlType::Timestamp => Value::Timestamp(ordinal.try_into().ok()?),
        _ => return None,
    })
}
