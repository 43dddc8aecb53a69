//! The spelling of types.

use sqlparser::ast::{
    BinaryLength, CharLengthUnits, CharacterLength, DataType, ExactNumberInfo, TimezoneInfo,
};

use crate::error::{Error, Result};
use crate::types::SqlType;

/// The most digits of a DECIMAL.
const MAX_PRECISION: u64 = 38;

/// The type that a spelling stands for, in CREATE TABLE and in CAST alike.
///
/// Aliases: BOOL; INT, INT4, INT2, INT8; FLOAT and FLOAT4 are REAL, FLOAT8 and DOUBLE PRECISION
/// are DOUBLE; NUMERIC and DEC; CHARACTER, CHAR VARYING, CHARACTER VARYING, TEXT and STRING; BYTEA
/// and BLOB are VARBINARY; DATETIME is TIMESTAMP.
///
/// # Errors
/// `Syntax` for a name that is no type, `Invalid` for a length or precision out of bounds,
/// `Unsupported` for the types of other systems.
pub fn sql_type(spelling: &DataType) -> Result<SqlType> {
    use DataType as D;
    Ok(match spelling {
        D::Boolean | D::Bool => SqlType::Boolean,
        D::TinyInt(width) => integer(SqlType::TinyInt, *width)?,
        D::SmallInt(width) | D::Int2(width) => integer(SqlType::SmallInt, *width)?,
        D::Int(width) | D::Integer(width) | D::Int4(width) => integer(SqlType::Integer, *width)?,
        D::BigInt(width) | D::Int8(width) => integer(SqlType::BigInt, *width)?,
        D::TinyIntUnsigned(width) => integer(SqlType::UTinyInt, *width)?,
        D::SmallIntUnsigned(width) | D::Int2Unsigned(width) => integer(SqlType::USmallInt, *width)?,
        D::IntUnsigned(width) | D::IntegerUnsigned(width) | D::Int4Unsigned(width) => {
            integer(SqlType::UInteger, *width)?
        }
        D::BigIntUnsigned(width) | D::Int8Unsigned(width) => integer(SqlType::UBigInt, *width)?,
        D::Real | D::Float4 | D::Float(ExactNumberInfo::None) => SqlType::Real,
        D::Double(ExactNumberInfo::None) | D::DoublePrecision | D::Float8 => SqlType::Double,
        D::Float(_) => {
            return Err(Error::invalid(
                "FLOAT takes no precision: write REAL or DOUBLE",
            ));
        }
        D::Double(_) => return Err(Error::invalid("DOUBLE takes no precision")),
        D::Decimal(digits) | D::Numeric(digits) | D::Dec(digits) => decimal(digits)?,
        D::Char(length) | D::Character(length) => {
            SqlType::Char(characters("CHAR", length.as_ref())?.unwrap_or(1))
        }
        D::Varchar(length) | D::CharVarying(length) | D::CharacterVarying(length) => {
            SqlType::Varchar(characters("VARCHAR", length.as_ref())?)
        }
        D::Text => SqlType::Varchar(None),
        D::String(length) => SqlType::Varchar(length.map(|n| bounded("STRING", n)).transpose()?),
        D::Varbinary(None) => SqlType::Varbinary(None),
        D::Varbinary(Some(BinaryLength::IntegerLength { length })) => {
            SqlType::Varbinary(Some(bounded("VARBINARY", *length)?))
        }
        D::Varbinary(Some(BinaryLength::Max)) => {
            return Err(Error::invalid(
                "VARBINARY without a length has no limit: leave (MAX) out",
            ));
        }
        D::Bytea | D::Blob(None) => SqlType::Varbinary(None),
        D::Blob(Some(length)) => SqlType::Varbinary(Some(bounded("BLOB", *length)?)),
        D::Date => SqlType::Date,
        D::Time(precision, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => {
            microseconds("TIME", *precision)?;
            SqlType::Time
        }
        D::Timestamp(precision, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => {
            microseconds("TIMESTAMP", *precision)?;
            SqlType::Timestamp
        }
        D::Datetime(precision) => {
            microseconds("DATETIME", *precision)?;
            SqlType::Timestamp
        }
        D::Time(..) => {
            return Err(Error::unsupported(
                "TIME WITH TIME ZONE is not supported: write TIME",
            ));
        }
        D::Timestamp(..) => {
            return Err(Error::unsupported(
                "TIMESTAMP WITH TIME ZONE is not supported: write TIMESTAMP, which keeps the UTC \
                 time of a value with a zone",
            ));
        }
        D::Binary(_) => {
            return Err(Error::unsupported(
                "BINARY is not supported: write VARBINARY(n)",
            ));
        }
        D::Custom(name, _) => return Err(unknown(&name.to_string())),
        other => {
            return Err(Error::unsupported(format!(
                "the type {other} is not supported"
            )));
        }
    })
}

fn integer(of: SqlType, width: Option<u64>) -> Result<SqlType> {
    match width {
        None => Ok(of),
        Some(_) => Err(Error::invalid(format!("{of} takes no width"))),
    }
}

fn decimal(digits: &ExactNumberInfo) -> Result<SqlType> {
    let (precision, scale) = match *digits {
        ExactNumberInfo::None => (MAX_PRECISION, 10),
        ExactNumberInfo::Precision(precision) => (precision, 0),
        ExactNumberInfo::PrecisionAndScale(precision, scale) => (precision, scale),
    };
    if !(1..=MAX_PRECISION).contains(&precision) {
        return Err(Error::invalid(format!(
            "DECIMAL({precision}, {scale}): the precision must be 1 to {MAX_PRECISION}"
        )));
    }
    match (u8::try_from(precision), u8::try_from(scale)) {
        (Ok(precision), Ok(scale)) if scale <= precision => {
            Ok(SqlType::Decimal { precision, scale })
        }
        _ => Err(Error::invalid(format!(
            "DECIMAL({precision}, {scale}): the scale must be 0 to {precision}, the precision"
        ))),
    }
}

fn characters(of: &str, length: Option<&CharacterLength>) -> Result<Option<u32>> {
    match length {
        None => Ok(None),
        Some(CharacterLength::IntegerLength {
            length,
            unit: None | Some(CharLengthUnits::Characters),
        }) => bounded(of, *length).map(Some),
        Some(CharacterLength::IntegerLength { .. }) => Err(Error::unsupported(format!(
            "the length of {of} counts characters"
        ))),
        Some(CharacterLength::Max) => Err(Error::invalid(
            "VARCHAR without a length has no limit: leave (MAX) out",
        )),
    }
}

fn bounded(of: &str, length: u64) -> Result<u32> {
    match u32::try_from(length) {
        Ok(length) if length > 0 => Ok(length),
        _ => Err(Error::invalid(format!(
            "{of}({length}): the length must be 1 to {}",
            u32::MAX
        ))),
    }
}

fn microseconds(of: &str, precision: Option<u64>) -> Result<()> {
    match precision {
        None | Some(6) => Ok(()),
        Some(other) => Err(Error::invalid(format!(
            "{of}({other}): {of} keeps microseconds, write {of} or {of}(6)"
        ))),
    }
}

fn unknown(name: &str) -> Error {
    let upper = name.to_ascii_uppercase();
    let known_as = match upper.as_str() {
        "UNSIGNED_TINYINT" => Some("TINYINT UNSIGNED"),
        "UNSIGNED_SMALLINT" => Some("SMALLINT UNSIGNED"),
        "UNSIGNED_INT" => Some("INTEGER UNSIGNED"),
        "UNSIGNED_LONG" => Some("BIGINT UNSIGNED"),
        "UNSIGNED_FLOAT" => Some("REAL"),
        "UNSIGNED_DOUBLE" => Some("DOUBLE"),
        "UNSIGNED_DATE" => Some("DATE"),
        "UNSIGNED_TIME" => Some("TIME"),
        "UNSIGNED_TIMESTAMP" => Some("TIMESTAMP"),
        "SERIAL" | "BIGSERIAL" => Some("BIGINT, and give the values"),
        "LONG" => Some("BIGINT"),
        _ => None,
    };
    match known_as {
        Some(write) => Error::syntax(format!("there is no type {upper}: write {write}")),
        None => Error::syntax(format!("there is no type {name}")),
    }
}
