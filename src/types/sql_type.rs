//! The declared type of a column.

use std::fmt;

use datafusion::arrow::datatypes::{DataType, TimeUnit};

/// The declared type of a column.
///
/// Its `Display` is the spelling that CREATE TABLE reads back.
///
/// ```
/// use rocksalt::SqlType;
/// let price = SqlType::Decimal { precision: 10, scale: 2 };
/// assert_eq!(price.to_string(), "DECIMAL(10, 2)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SqlType {
    /// `BOOLEAN`
    Boolean,
    /// `TINYINT`, 8 bits
    TinyInt,
    /// `SMALLINT`, 16 bits
    SmallInt,
    /// `INTEGER`, 32 bits
    Integer,
    /// `BIGINT`, 64 bits
    BigInt,
    /// `TINYINT UNSIGNED`
    UTinyInt,
    /// `SMALLINT UNSIGNED`
    USmallInt,
    /// `INTEGER UNSIGNED`
    UInteger,
    /// `BIGINT UNSIGNED`
    UBigInt,
    /// `REAL`, IEEE 754 binary32
    Real,
    /// `DOUBLE`, IEEE 754 binary64
    Double,
    /// `DECIMAL(precision, scale)`: at most 38 digits, `scale` of them after the point
    Decimal {
        /// Digits in all, 1..=38.
        precision: u8,
        /// Digits after the point, at most `precision`.
        scale: u8,
    },
    /// `CHAR(n)`: at most `n` characters, trailing spaces dropped
    Char(u32),
    /// `VARCHAR` (also `TEXT`) or `VARCHAR(n)`: at most `n` characters
    Varchar(Option<u32>),
    /// `VARBINARY` or `VARBINARY(n)`: at most `n` bytes
    Varbinary(Option<u32>),
    /// `DATE`: days from 1970-01-01
    Date,
    /// `TIME`: microseconds from midnight
    Time,
    /// `TIMESTAMP`: microseconds from 1970-01-01T00:00:00, without a zone
    Timestamp,
}

impl SqlType {
    /// The Arrow type of a column of this type.
    ///
    /// ```
    /// use rocksalt::{SqlType, arrow::datatypes::{DataType, TimeUnit}};
    /// assert_eq!(SqlType::Timestamp.arrow(), DataType::Timestamp(TimeUnit::Microsecond, None));
    /// ```
    pub fn arrow(&self) -> DataType {
        match *self {
            SqlType::Boolean => DataType::Boolean,
            SqlType::TinyInt => DataType::Int8,
            SqlType::SmallInt => DataType::Int16,
            SqlType::Integer => DataType::Int32,
            SqlType::BigInt => DataType::Int64,
            SqlType::UTinyInt => DataType::UInt8,
            SqlType::USmallInt => DataType::UInt16,
            SqlType::UInteger => DataType::UInt32,
            SqlType::UBigInt => DataType::UInt64,
            SqlType::Real => DataType::Float32,
            SqlType::Double => DataType::Float64,
            SqlType::Decimal { precision, scale } => DataType::Decimal128(precision, scale as i8),
            SqlType::Char(_) | SqlType::Varchar(_) => DataType::Utf8,
            SqlType::Varbinary(_) => DataType::Binary,
            SqlType::Date => DataType::Date32,
            SqlType::Time => DataType::Time64(TimeUnit::Microsecond),
            SqlType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
        }
    }

    /// The type of a column that holds every value of an Arrow type as it is.
    pub(crate) fn of_arrow(data_type: &DataType) -> Option<SqlType> {
        Some(match data_type {
            DataType::Boolean => SqlType::Boolean,
            DataType::Int8 => SqlType::TinyInt,
            DataType::Int16 => SqlType::SmallInt,
            DataType::Int32 => SqlType::Integer,
            DataType::Int64 => SqlType::BigInt,
            DataType::UInt8 => SqlType::UTinyInt,
            DataType::UInt16 => SqlType::USmallInt,
            DataType::UInt32 => SqlType::UInteger,
            DataType::UInt64 => SqlType::UBigInt,
            DataType::Float32 => SqlType::Real,
            DataType::Float64 => SqlType::Double,
            DataType::Decimal128(precision, scale) => SqlType::Decimal {
                precision: *precision,
                scale: u8::try_from(*scale)
                    .ok()
                    .filter(|scale| scale <= precision)?,
            },
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => SqlType::Varchar(None),
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
                SqlType::Varbinary(None)
            }
            DataType::Date32 => SqlType::Date,
            DataType::Time64(TimeUnit::Microsecond) => SqlType::Time,
            DataType::Timestamp(TimeUnit::Microsecond, None) => SqlType::Timestamp,
            _ => return None,
        })
    }

    /// The type whose `Display` is `text`, as the catalog stores it.
    pub(crate) fn parse_stored(text: &str) -> Option<SqlType> {
        let number = |prefix: &str| -> Option<u32> {
            text.strip_prefix(prefix)?.strip_suffix(')')?.parse().ok()
        };
        Some(match text {
            "BOOLEAN" => SqlType::Boolean,
            "TINYINT" => SqlType::TinyInt,
            "SMALLINT" => SqlType::SmallInt,
            "INTEGER" => SqlType::Integer,
            "BIGINT" => SqlType::BigInt,
            "TINYINT UNSIGNED" => SqlType::UTinyInt,
            "SMALLINT UNSIGNED" => SqlType::USmallInt,
            "INTEGER UNSIGNED" => SqlType::UInteger,
            "BIGINT UNSIGNED" => SqlType::UBigInt,
            "REAL" => SqlType::Real,
            "DOUBLE" => SqlType::Double,
            "VARCHAR" => SqlType::Varchar(None),
            "VARBINARY" => SqlType::Varbinary(None),
            "DATE" => SqlType::Date,
            "TIME" => SqlType::Time,
            "TIMESTAMP" => SqlType::Timestamp,
            _ => {
                if let Some(n) = number("CHAR(") {
                    SqlType::Char(n)
                } else if let Some(n) = number("VARCHAR(") {
                    SqlType::Varchar(Some(n))
                } else if let Some(n) = number("VARBINARY(") {
                    SqlType::Varbinary(Some(n))
                } else {
                    let digits = text.strip_prefix("DECIMAL(")?.strip_suffix(')')?;
                    let (precision, scale) = digits.split_once(", ")?;
                    let (precision, scale) = (precision.parse().ok()?, scale.parse().ok()?);
                    if precision == 0 || precision > 38 || scale > precision {
                        return None;
                    }
                    SqlType::Decimal { precision, scale }
                }
            }
        })
    }
}

impl fmt::Display for SqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SqlType::Boolean => f.write_str("BOOLEAN"),
            SqlType::TinyInt => f.write_str("TINYINT"),
            SqlType::SmallInt => f.write_str("SMALLINT"),
            SqlType::Integer => f.write_str("INTEGER"),
            SqlType::BigInt => f.write_str("BIGINT"),
            SqlType::UTinyInt => f.write_str("TINYINT UNSIGNED"),
            SqlType::USmallInt => f.write_str("SMALLINT UNSIGNED"),
            SqlType::UInteger => f.write_str("INTEGER UNSIGNED"),
            SqlType::UBigInt => f.write_str("BIGINT UNSIGNED"),
            SqlType::Real => f.write_str("REAL"),
            SqlType::Double => f.write_str("DOUBLE"),
            SqlType::Decimal { precision, scale } => write!(f, "DECIMAL({precision}, {scale})"),
            SqlType::Char(n) => write!(f, "CHAR({n})"),
            SqlType::Varchar(None) => f.write_str("VARCHAR"),
            SqlType::Varchar(Some(n)) => write!(f, "VARCHAR({n})"),
            SqlType::Varbinary(None) => f.write_str("VARBINARY"),
            SqlType::Varbinary(Some(n)) => write!(f, "VARBINARY({n})"),
            SqlType::Date => f.write_str("DATE"),
            SqlType::Time => f.write_str("TIME"),
            SqlType::Timestamp => f.write_str("TIMESTAMP"),
        }
    }
}
