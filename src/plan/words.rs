//! Operators, types and intervals as SQL spells them.

use datafusion::arrow::datatypes::{DataType, IntervalMonthDayNano, TimeUnit};
use datafusion::logical_expr::Operator;

use crate::types::SqlType;

pub(super) fn operator(op: Operator) -> &'static str {
    use Operator::*;
    match op {
        Eq => "=",
        NotEq => "<>",
        Lt => "<",
        LtEq => "<=",
        Gt => ">",
        GtEq => ">=",
        Plus => "+",
        Minus => "-",
        Multiply => "*",
        Divide => "/",
        Modulo => "%",
        And => "AND",
        Or => "OR",
        IsDistinctFrom => "IS DISTINCT FROM",
        IsNotDistinctFrom => "IS NOT DISTINCT FROM",
        RegexMatch => "~",
        RegexIMatch => "~*",
        RegexNotMatch => "!~",
        RegexNotIMatch => "!~*",
        LikeMatch => "LIKE",
        ILikeMatch => "ILIKE",
        NotLikeMatch => "NOT LIKE",
        NotILikeMatch => "NOT ILIKE",
        BitwiseAnd => "&",
        BitwiseOr => "|",
        BitwiseXor => "#",
        BitwiseShiftRight => ">>",
        BitwiseShiftLeft => "<<",
        StringConcat => "||",
        AtArrow => "@>",
        ArrowAt => "<@",
        _ => "?",
    }
}

/// The name of a type: that of the dialect, if a column can have it.
pub(crate) fn type_text(data_type: &DataType) -> String {
    let sql_type = match data_type {
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
        DataType::Decimal128(precision, scale) if *scale >= 0 => SqlType::Decimal {
            precision: *precision,
            scale: scale.unsigned_abs(),
        },
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => SqlType::Varchar(None),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => SqlType::Varbinary(None),
        DataType::Date32 => SqlType::Date,
        DataType::Time64(TimeUnit::Microsecond) => SqlType::Time,
        DataType::Timestamp(TimeUnit::Microsecond, None) => SqlType::Timestamp,
        DataType::Timestamp(unit, zone) => {
            let digits = match unit {
                TimeUnit::Second => 0,
                TimeUnit::Millisecond => 3,
                TimeUnit::Microsecond => 6,
                TimeUnit::Nanosecond => 9,
            };
            let zone = if zone.is_some() {
                " WITH TIME ZONE"
            } else {
                ""
            };
            return format!("TIMESTAMP({digits}){zone}");
        }
        other => return other.to_string(),
    };
    sql_type.to_string()
}

pub(super) fn interval_text(interval: IntervalMonthDayNano) -> String {
    let (months, days, nanos) = (interval.months, interval.days, interval.nanoseconds);
    let mut parts = Vec::new();
    let mut part = |number: i64, unit: &str| {
        if number != 0 {
            let plural = if number.abs() == 1 { "" } else { "s" };
            parts.push(format!("{number} {unit}{plural}"));
        }
    };
    part(i64::from(months / 12), "year");
    part(i64::from(months % 12), "month");
    part(i64::from(days), "day");
    let seconds = nanos / 1_000_000_000;
    part(seconds / 3_600, "hour");
    part(seconds % 3_600 / 60, "minute");
    let fraction = nanos % 1_000_000_000;
    if fraction == 0 {
        part(seconds % 60, "second");
    } else {
        let sign = if nanos < 0 { "-" } else { "" };
        let digits = format!("{:09}", fraction.abs());
        let digits = digits.trim_end_matches('0');
        parts.push(format!("{sign}{}.{digits} seconds", (seconds % 60).abs()));
    }
    if parts.is_empty() {
        parts.push("0 seconds".to_owned());
    }
    format!("INTERVAL '{}'", parts.join(" "))
}
