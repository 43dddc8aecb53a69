//! What a value is in SQLite, where a column of integers stands for every type that counts.
//!
//! DATE, TIME, TIMESTAMP and DECIMAL are integers there: days, microseconds, unscaled values. So
//! SQLite has an opinion on them, too, as long as nothing but comparisons is asked. A constant that
//! the column cannot hold becomes one in the same gap between the column's values.

use rocksalt::{SqlType, Value};
use rusqlite::types::Value as Sqlite;

use super::values::{self, MICROS_PER_DAY};

/// The type of a column.
pub fn column_type(sql_type: SqlType) -> &'static str {
    match sql_type {
        SqlType::Real | SqlType::Double => "REAL",
        SqlType::Char(_) | SqlType::Varchar(_) => "TEXT",
        SqlType::Varbinary(_) => "BLOB",
        _ => "INTEGER",
    }
}

/// A cell of a column; `None` if SQLite has no such value.
pub fn cell(sql_type: SqlType, value: &Value) -> Option<Sqlite> {
    constant(sql_type, &values::stored(sql_type, value))
}

/// A constant that is compared with a column; `None` if SQLite cannot compare them or if what the
/// comparison means is not plain arithmetic.
pub fn constant(sql_type: SqlType, value: &Value) -> Option<Sqlite> {
    if value.is_null() {
        return Some(Sqlite::Null);
    }
    match (sql_type, value) {
        (SqlType::Boolean, Value::Boolean(v)) => Some(Sqlite::Integer(i64::from(*v))),
        (SqlType::Char(_), Value::Text(text)) => {
            Some(Sqlite::Text(text.trim_end_matches(' ').to_owned()))
        }
        (SqlType::Varchar(_), Value::Text(text)) => Some(Sqlite::Text(text.clone())),
        (SqlType::Varbinary(_), Value::Binary(bytes)) => Some(Sqlite::Blob(bytes.clone())),
        (SqlType::Time, Value::Time(micros)) => Some(Sqlite::Integer(*micros)),
        (SqlType::Date, Value::Date(days)) => Some(Sqlite::Integer(i64::from(*days))),
        (SqlType::Date, Value::Timestamp(micros)) => {
            Some(ratio(i128::from(*micros), i128::from(MICROS_PER_DAY)))
        }
        (SqlType::Timestamp, Value::Timestamp(micros)) => Some(Sqlite::Integer(*micros)),
        (SqlType::Timestamp, Value::Date(days)) => {
            Some(ratio(i128::from(*days) * i128::from(MICROS_PER_DAY), 1))
        }
        (SqlType::Real, _) => real(value),
        (SqlType::Double, _) => double(value),
        (
            SqlType::Decimal { scale, .. },
            Value::Decimal {
                unscaled, scale: s, ..
            },
        ) => Some(ratio(
            unscaled.checked_mul(10_i128.pow(u32::from(scale)))?,
            10_i128.pow(u32::from(*s)),
        )),
        (SqlType::Decimal { precision, scale }, Value::Double(v)) => {
            // The column is compared as a DOUBLE, exactly while all of its digits fit into one.
            let scaled = v * 10_f64.powi(i32::from(scale));
            (precision <= 15 && scaled.fract() == 0.0 && scaled.abs() < 1e15)
                .then(|| ratio(scaled as i128, 1))
        }
        (SqlType::Decimal { scale, .. }, _) => {
            let n = values::whole(value)?;
            Some(ratio(n.checked_mul(10_i128.pow(u32::from(scale)))?, 1))
        }
        (
            _,
            Value::Decimal {
                unscaled, scale, ..
            },
        ) => Some(ratio(*unscaled, 10_i128.pow(u32::from(*scale)))),
        (_, Value::Double(v)) if v.abs() < 1e15 => Some(ratio(
            v.floor() as i128 * 2 + i128::from(v.fract() != 0.0),
            2,
        )),
        (_, Value::Double(v)) if !v.is_nan() => Some(Sqlite::Real(*v)),
        (_, value) => values::whole(value).map(|n| ratio(n, 1)),
    }
}

/// A number among the integers of 64 bits: itself, or half past the next lower one, or an infinity.
fn ratio(numerator: i128, denominator: i128) -> Sqlite {
    let floor = numerator.div_euclid(denominator);
    let whole = numerator.rem_euclid(denominator) == 0;
    match i64::try_from(floor) {
        Ok(n) if whole => Sqlite::Integer(n),
        // Doubles have a half between all integers below 2^51.
        Ok(n) if n.unsigned_abs() < 1 << 51 => Sqlite::Real(n as f64 + 0.5),
        Ok(_) => Sqlite::Real(floor as f64),
        Err(_) if floor < 0 => Sqlite::Real(f64::NEG_INFINITY),
        Err(_) => Sqlite::Real(f64::INFINITY),
    }
}

fn double(value: &Value) -> Option<Sqlite> {
    let v = match value {
        Value::Double(v) => *v,
        Value::Real(v) => f64::from(*v),
        Value::Decimal { .. } => value.to_string().parse().ok()?,
        _ => small(value, 1 << 53)?,
    };
    (!v.is_nan()).then_some(Sqlite::Real(v))
}

/// A number with a point is rounded to the nearest REAL; a DOUBLE is not rounded.
fn real(value: &Value) -> Option<Sqlite> {
    let v = match value {
        Value::Double(v) => *v,
        Value::Real(v) => f64::from(*v),
        Value::Decimal { .. } => f64::from(value.to_string().parse::<f32>().ok()?),
        _ => small(value, 1 << 24)?,
    };
    (!v.is_nan()).then_some(Sqlite::Real(v))
}

fn small(value: &Value, limit: i128) -> Option<f64> {
    let n = values::whole(value)?;
    (n.abs() <= limit).then_some(n as f64)
}
