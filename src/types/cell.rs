//! A cell as the machine holds it.

use crate::error::{Error, Result};
use crate::types::{SqlType, Value};

/// A cell as the machine holds it: DATE is an `I32`, TIMESTAMP an `I64`, text its UTF-8 bytes.
///
/// It borrows from an Arrow array, a [`Value`] or encoded bytes, so that no path copies text only
/// to look at it. Which SQL type it is of, the column says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// NULL of any type.
    Null,
    /// BOOLEAN
    Boolean(bool),
    /// TINYINT
    I8(i8),
    /// SMALLINT
    I16(i16),
    /// INTEGER, DATE
    I32(i32),
    /// BIGINT, TIME, TIMESTAMP
    I64(i64),
    /// TINYINT UNSIGNED
    U8(u8),
    /// SMALLINT UNSIGNED
    U16(u16),
    /// INTEGER UNSIGNED
    U32(u32),
    /// BIGINT UNSIGNED
    U64(u64),
    /// REAL
    F32(f32),
    /// DOUBLE
    F64(f64),
    /// DECIMAL, times ten to the column's scale
    I128(i128),
    /// CHAR, VARCHAR (UTF-8) and VARBINARY
    Bytes(&'a [u8]),
}

impl Value {
    /// This value as a cell of a column of type `sql_type`. It must be of that very type, a decimal
    /// of its scale: what is in a statement becomes so by assignment, and another type here is a
    /// defect of the caller.
    pub(crate) fn cell(&self, sql_type: &SqlType) -> Result<Cell<'_>> {
        Ok(match (self, sql_type) {
            (Value::Null, _) => Cell::Null,
            (Value::Boolean(v), SqlType::Boolean) => Cell::Boolean(*v),
            (Value::TinyInt(v), SqlType::TinyInt) => Cell::I8(*v),
            (Value::SmallInt(v), SqlType::SmallInt) => Cell::I16(*v),
            (Value::Integer(v), SqlType::Integer) => Cell::I32(*v),
            (Value::BigInt(v), SqlType::BigInt) => Cell::I64(*v),
            (Value::UTinyInt(v), SqlType::UTinyInt) => Cell::U8(*v),
            (Value::USmallInt(v), SqlType::USmallInt) => Cell::U16(*v),
            (Value::UInteger(v), SqlType::UInteger) => Cell::U32(*v),
            (Value::UBigInt(v), SqlType::UBigInt) => Cell::U64(*v),
            (Value::Real(v), SqlType::Real) => Cell::F32(*v),
            (Value::Double(v), SqlType::Double) => Cell::F64(*v),
            (
                Value::Decimal {
                    unscaled,
                    scale: have,
                    ..
                },
                SqlType::Decimal { scale, .. },
            ) if have == scale => Cell::I128(*unscaled),
            (Value::Text(v), SqlType::Char(_) | SqlType::Varchar(_)) => Cell::Bytes(v.as_bytes()),
            (Value::Binary(v), SqlType::Varbinary(_)) => Cell::Bytes(v),
            (Value::Date(v), SqlType::Date) => Cell::I32(*v),
            (Value::Time(v), SqlType::Time) => Cell::I64(*v),
            (Value::Timestamp(v), SqlType::Timestamp) => Cell::I64(*v),
            (value, sql_type) => {
                return Err(Error::internal(format!(
                    "{} is not of the type {sql_type}",
                    value.brief()
                )));
            }
        })
    }

    /// The value of a cell read from disk in a column of type `sql_type`. Text that is not UTF-8
    /// is `Corrupt`.
    pub(crate) fn from_cell(cell: Cell<'_>, sql_type: &SqlType) -> Result<Value> {
        Ok(match (cell, sql_type) {
            (Cell::Null, _) => Value::Null,
            (Cell::Boolean(v), SqlType::Boolean) => Value::Boolean(v),
            (Cell::I8(v), SqlType::TinyInt) => Value::TinyInt(v),
            (Cell::I16(v), SqlType::SmallInt) => Value::SmallInt(v),
            (Cell::I32(v), SqlType::Integer) => Value::Integer(v),
            (Cell::I64(v), SqlType::BigInt) => Value::BigInt(v),
            (Cell::U8(v), SqlType::UTinyInt) => Value::UTinyInt(v),
            (Cell::U16(v), SqlType::USmallInt) => Value::USmallInt(v),
            (Cell::U32(v), SqlType::UInteger) => Value::UInteger(v),
            (Cell::U64(v), SqlType::UBigInt) => Value::UBigInt(v),
            (Cell::F32(v), SqlType::Real) => Value::Real(v),
            (Cell::F64(v), SqlType::Double) => Value::Double(v),
            (Cell::I128(unscaled), SqlType::Decimal { precision, scale }) => Value::Decimal {
                unscaled,
                precision: *precision,
                scale: *scale,
            },
            (Cell::Bytes(v), SqlType::Char(_) | SqlType::Varchar(_)) => {
                match std::str::from_utf8(v) {
                    Ok(text) => Value::Text(text.to_owned()),
                    Err(e) => return Err(not_utf8(e)),
                }
            }
            (Cell::Bytes(v), SqlType::Varbinary(_)) => Value::Binary(v.to_owned()),
            (Cell::I32(v), SqlType::Date) => Value::Date(v),
            (Cell::I64(v), SqlType::Time) => Value::Time(v),
            (Cell::I64(v), SqlType::Timestamp) => Value::Timestamp(v),
            (cell, sql_type) => {
                return Err(Error::internal(format!(
                    "{cell:?} is no cell of type {sql_type}"
                )));
            }
        })
    }
}

/// The error of text on disk that is not UTF-8.
pub(crate) fn not_utf8(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::corrupt("text that is not UTF-8").with_source(source)
}
