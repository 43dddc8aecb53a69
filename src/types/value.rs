//! One cell of a row.

use std::cmp::Ordering;
use std::fmt;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Float64Type, Int32Type, Int64Type, TimeUnit, UInt64Type,
};
use datafusion::scalar::ScalarValue;

use crate::error::{Error, Result};
use crate::types::SqlType;

/// One cell of a row: a parameter, a key, a bound of a key range.
///
/// Its `Display` is the SQL literal, as EXPLAIN prints it: `7`, `TRUE`, `'it''s'`, `X'00ff'`,
/// `DATE '2013-01-01'`, `TIME '10:00:00'`, `TIMESTAMP '2013-01-01T10:00:00'`, `NULL`.
///
/// ```
/// use rocksalt::Value;
/// assert_eq!(Value::from("it's").to_string(), "'it''s'");
/// assert_eq!(Value::Date(15_706).to_string(), "DATE '2013-01-01'");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// The absence of a value.
    Null,
    /// BOOLEAN
    Boolean(bool),
    /// TINYINT
    TinyInt(i8),
    /// SMALLINT
    SmallInt(i16),
    /// INTEGER
    Integer(i32),
    /// BIGINT
    BigInt(i64),
    /// TINYINT UNSIGNED
    UTinyInt(u8),
    /// SMALLINT UNSIGNED
    USmallInt(u16),
    /// INTEGER UNSIGNED
    UInteger(u32),
    /// BIGINT UNSIGNED
    UBigInt(u64),
    /// REAL
    Real(f32),
    /// DOUBLE
    Double(f64),
    /// DECIMAL: `unscaled / 10^scale`
    Decimal {
        /// The value times `10^scale`.
        unscaled: i128,
        /// Digits in all, 1..=38.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// CHAR, VARCHAR
    Text(String),
    /// VARBINARY
    Binary(Vec<u8>),
    /// DATE: days from 1970-01-01
    Date(i32),
    /// TIME: microseconds from midnight
    Time(i64),
    /// TIMESTAMP: microseconds from 1970-01-01T00:00:00
    Timestamp(i64),
}

impl Value {
    /// Whether this is NULL.
    ///
    /// ```
    /// assert!(rocksalt::Value::from(None::<i32>).is_null());
    /// ```
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// How two values of one column stand in a key: NULL is larger than every value, as in
    /// PostgreSQL, and NaN larger than every number. `None` for values of different types.
    ///
    /// ```
    /// use rocksalt::Value;
    /// use std::cmp::Ordering;
    /// assert_eq!(Value::from(7).key_cmp(&Value::Null), Some(Ordering::Less));
    /// assert_eq!(Value::from(7).key_cmp(&Value::from("7")), None);
    /// ```
    pub fn key_cmp(&self, other: &Value) -> Option<Ordering> {
        use Value::*;
        Some(match (self, other) {
            (Null, Null) => Ordering::Equal,
            (Null, _) => Ordering::Greater,
            (_, Null) => Ordering::Less,
            (Boolean(a), Boolean(b)) => a.cmp(b),
            (TinyInt(a), TinyInt(b)) => a.cmp(b),
            (SmallInt(a), SmallInt(b)) => a.cmp(b),
            (Integer(a), Integer(b)) => a.cmp(b),
            (BigInt(a), BigInt(b)) => a.cmp(b),
            (UTinyInt(a), UTinyInt(b)) => a.cmp(b),
            (USmallInt(a), USmallInt(b)) => a.cmp(b),
            (UInteger(a), UInteger(b)) => a.cmp(b),
            (UBigInt(a), UBigInt(b)) => a.cmp(b),
            (Real(a), Real(b)) => float_cmp(*a as f64, *b as f64),
            (Double(a), Double(b)) => float_cmp(*a, *b),
            (
                Decimal {
                    unscaled: a,
                    scale: s,
                    ..
                },
                Decimal {
                    unscaled: b,
                    scale: t,
                    ..
                },
            ) if s == t => a.cmp(b),
            (Text(a), Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Binary(a), Binary(b)) => a.cmp(b),
            (Date(a), Date(b)) => a.cmp(b),
            (Time(a), Time(b)) => a.cmp(b),
            (Timestamp(a), Timestamp(b)) => a.cmp(b),
            _ => return None,
        })
    }

    /// The type of this value, its lengths open; `None` for NULL.
    ///
    /// ```
    /// use rocksalt::{SqlType, Value};
    /// assert_eq!(Value::from("a").sql_type(), Some(SqlType::Varchar(None)));
    /// ```
    pub fn sql_type(&self) -> Option<SqlType> {
        Some(match self {
            Value::Null => return None,
            Value::Boolean(_) => SqlType::Boolean,
            Value::TinyInt(_) => SqlType::TinyInt,
            Value::SmallInt(_) => SqlType::SmallInt,
            Value::Integer(_) => SqlType::Integer,
            Value::BigInt(_) => SqlType::BigInt,
            Value::UTinyInt(_) => SqlType::UTinyInt,
            Value::USmallInt(_) => SqlType::USmallInt,
            Value::UInteger(_) => SqlType::UInteger,
            Value::UBigInt(_) => SqlType::UBigInt,
            Value::Real(_) => SqlType::Real,
            Value::Double(_) => SqlType::Double,
            Value::Decimal {
                precision, scale, ..
            } => SqlType::Decimal {
                precision: *precision,
                scale: *scale,
            },
            Value::Text(_) => SqlType::Varchar(None),
            Value::Binary(_) => SqlType::Varbinary(None),
            Value::Date(_) => SqlType::Date,
            Value::Time(_) => SqlType::Time,
            Value::Timestamp(_) => SqlType::Timestamp,
        })
    }

    /// The value of one row of an Arrow array, as [`Value::from_scalar`] makes it.
    ///
    /// # Panics
    /// If the array has no such row.
    pub(crate) fn from_array(array: &dyn Array, row: usize) -> Result<Value> {
        if array.is_null(row) {
            return Ok(Value::Null);
        }
        Ok(match array.data_type() {
            DataType::Boolean => Value::Boolean(array.as_boolean().value(row)),
            DataType::Int32 => Value::Integer(array.as_primitive::<Int32Type>().value(row)),
            DataType::Int64 => Value::BigInt(array.as_primitive::<Int64Type>().value(row)),
            DataType::UInt64 => Value::UBigInt(array.as_primitive::<UInt64Type>().value(row)),
            DataType::Float64 => Value::Double(array.as_primitive::<Float64Type>().value(row)),
            DataType::Decimal128(precision, scale) => {
                let unscaled = array.as_primitive::<Decimal128Type>().value(row);
                decimal(Some(unscaled), *precision, *scale)?
            }
            DataType::Utf8 => Value::Text(array.as_string::<i32>().value(row).to_owned()),
            DataType::Utf8View => Value::Text(array.as_string_view().value(row).to_owned()),
            DataType::Binary => Value::Binary(array.as_binary::<i32>().value(row).to_owned()),
            _ => {
                let scalar = ScalarValue::try_from_array(array, row)
                    .map_err(|e| Error::internal("a row that is no scalar").with_source(e))?;
                Value::from_scalar(&scalar)?
            }
        })
    }

    /// The value of an Arrow scalar, or an error for a type that no column has. Wider variants of
    /// text and binary are the same value; times and timestamps of other units become
    /// microseconds, a finer fraction cut; one with a zone becomes its UTC time.
    pub(crate) fn from_scalar(scalar: &ScalarValue) -> Result<Value> {
        Ok(match scalar {
            s if s.is_null() => Value::Null,
            ScalarValue::Boolean(Some(v)) => Value::Boolean(*v),
            ScalarValue::Int8(Some(v)) => Value::TinyInt(*v),
            ScalarValue::Int16(Some(v)) => Value::SmallInt(*v),
            ScalarValue::Int32(Some(v)) => Value::Integer(*v),
            ScalarValue::Int64(Some(v)) => Value::BigInt(*v),
            ScalarValue::UInt8(Some(v)) => Value::UTinyInt(*v),
            ScalarValue::UInt16(Some(v)) => Value::USmallInt(*v),
            ScalarValue::UInt32(Some(v)) => Value::UInteger(*v),
            ScalarValue::UInt64(Some(v)) => Value::UBigInt(*v),
            ScalarValue::Float16(Some(v)) => Value::Real(v.to_f32()),
            ScalarValue::Float32(Some(v)) => Value::Real(*v),
            ScalarValue::Float64(Some(v)) => Value::Double(*v),
            ScalarValue::Decimal32(Some(v), precision, scale) => {
                decimal(Some((*v).into()), *precision, *scale)?
            }
            ScalarValue::Decimal64(Some(v), precision, scale) => {
                decimal(Some((*v).into()), *precision, *scale)?
            }
            ScalarValue::Decimal128(Some(v), precision, scale) => {
                decimal(Some(*v), *precision, *scale)?
            }
            ScalarValue::Decimal256(Some(v), precision, scale) => {
                decimal(v.to_i128(), *precision, *scale)?
            }
            ScalarValue::Utf8(Some(v))
            | ScalarValue::LargeUtf8(Some(v))
            | ScalarValue::Utf8View(Some(v)) => Value::Text(v.clone()),
            ScalarValue::Binary(Some(v))
            | ScalarValue::LargeBinary(Some(v))
            | ScalarValue::BinaryView(Some(v))
            | ScalarValue::FixedSizeBinary(_, Some(v)) => Value::Binary(v.clone()),
            ScalarValue::Date32(Some(v)) => Value::Date(*v),
            ScalarValue::Date64(Some(v)) => timestamp(*v, TimeUnit::Millisecond)?,
            ScalarValue::Time32Second(Some(v)) => Value::Time(*v as i64 * 1_000_000),
            ScalarValue::Time32Millisecond(Some(v)) => Value::Time(*v as i64 * 1_000),
            ScalarValue::Time64Microsecond(Some(v)) => Value::Time(*v),
            ScalarValue::Time64Nanosecond(Some(v)) => Value::Time(v.div_euclid(1_000)),
            ScalarValue::TimestampSecond(Some(v), _) => timestamp(*v, TimeUnit::Second)?,
            ScalarValue::TimestampMillisecond(Some(v), _) => timestamp(*v, TimeUnit::Millisecond)?,
            ScalarValue::TimestampMicrosecond(Some(v), _) => Value::Timestamp(*v),
            ScalarValue::TimestampNanosecond(Some(v), _) => timestamp(*v, TimeUnit::Nanosecond)?,
            ScalarValue::Dictionary(_, inner) => Value::from_scalar(inner)?,
            other => {
                return Err(Error::invalid(format!(
                    "no column can hold a value of type {}",
                    other.data_type()
                )));
            }
        })
    }

    /// The Arrow scalar of this value; `Null` is the untyped NULL.
    pub(crate) fn to_scalar(&self) -> ScalarValue {
        match self.clone() {
            Value::Null => ScalarValue::Null,
            Value::Boolean(v) => ScalarValue::Boolean(Some(v)),
            Value::TinyInt(v) => ScalarValue::Int8(Some(v)),
            Value::SmallInt(v) => ScalarValue::Int16(Some(v)),
            Value::Integer(v) => ScalarValue::Int32(Some(v)),
            Value::BigInt(v) => ScalarValue::Int64(Some(v)),
            Value::UTinyInt(v) => ScalarValue::UInt8(Some(v)),
            Value::USmallInt(v) => ScalarValue::UInt16(Some(v)),
            Value::UInteger(v) => ScalarValue::UInt32(Some(v)),
            Value::UBigInt(v) => ScalarValue::UInt64(Some(v)),
            Value::Real(v) => ScalarValue::Float32(Some(v)),
            Value::Double(v) => ScalarValue::Float64(Some(v)),
            Value::Decimal {
                unscaled,
                precision,
                scale,
            } => ScalarValue::Decimal128(Some(unscaled), precision, scale as i8),
            Value::Text(v) => ScalarValue::Utf8(Some(v)),
            Value::Binary(v) => ScalarValue::Binary(Some(v)),
            Value::Date(v) => ScalarValue::Date32(Some(v)),
            Value::Time(v) => ScalarValue::Time64Microsecond(Some(v)),
            Value::Timestamp(v) => ScalarValue::TimestampMicrosecond(Some(v), None),
        }
    }
}

/// A decimal of at most 38 digits, with a scale that is not negative.
fn decimal(unscaled: Option<i128>, precision: u8, scale: i8) -> Result<Value> {
    let whole = || {
        let factor = 10_i128.checked_pow(u32::from(scale.unsigned_abs()))?;
        unscaled?.checked_mul(factor).map(|unscaled| (unscaled, 0))
    };
    let parts = match u8::try_from(scale) {
        Ok(scale) if scale <= 38 => unscaled.map(|unscaled| (unscaled, scale)),
        Ok(_) => None,
        Err(_) => whole(),
    };
    match parts {
        Some((unscaled, scale)) if scale == scale.min(precision) && precision <= 38 => {
            Ok(Value::Decimal {
                unscaled,
                precision,
                scale,
            })
        }
        Some((unscaled, scale)) => Ok(Value::Decimal {
            unscaled,
            precision: 38,
            scale,
        }),
        None => Err(Error::invalid("a decimal of more than 38 digits")),
    }
}

fn timestamp(ticks: i64, unit: TimeUnit) -> Result<Value> {
    let micros = match unit {
        TimeUnit::Second => ticks.checked_mul(1_000_000),
        TimeUnit::Millisecond => ticks.checked_mul(1_000),
        TimeUnit::Microsecond => Some(ticks),
        TimeUnit::Nanosecond => Some(ticks.div_euclid(1_000)),
    };
    micros
        .map(Value::Timestamp)
        .ok_or_else(|| Error::invalid("timestamp out of range"))
}

/// Numbers in order, `-0.0` equal to `0.0`, every NaN equal and the largest.
fn float_cmp(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b)
        .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::types::literal::write_literal(f, self)
    }
}

macro_rules! from {
    ($($t:ty => $variant:ident),* $(,)?) => {
        $(impl From<$t> for Value {
            fn from(v: $t) -> Self {
                Value::$variant(v.into())
            }
        })*
    };
}

from!(
    bool => Boolean,
    i8 => TinyInt,
    i16 => SmallInt,
    i32 => Integer,
    i64 => BigInt,
    u8 => UTinyInt,
    u16 => USmallInt,
    u32 => UInteger,
    u64 => UBigInt,
    f32 => Real,
    f64 => Double,
    &str => Text,
    String => Text,
    &String => Text,
    &[u8] => Binary,
    Vec<u8> => Binary,
);

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(v: Option<T>) -> Self {
        v.map_or(Value::Null, Into::into)
    }
}
