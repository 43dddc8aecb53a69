//! One cell as the `.slt` files spell it; `answers.py` has the twin of this file.

use rocksalt::arrow::array::{Array, ArrayRef, AsArray};
use rocksalt::arrow::compute::cast;
use rocksalt::arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Float64Type, Int64Type, Time64MicrosecondType, TimeUnit,
    TimestampMicrosecondType, UInt64Type,
};

/// The letter of a column: I integers, R floats and decimals, B booleans, D dates and times,
/// T text and binary, `?` the untyped NULL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Letter(char);

impl sqllogictest::ColumnType for Letter {
    fn from_char(value: char) -> Option<Self> {
        "IRBDT?".contains(value).then_some(Letter(value))
    }

    fn to_char(&self) -> char {
        self.0
    }
}

impl From<&DataType> for Letter {
    fn from(data_type: &DataType) -> Self {
        Letter(match data_type {
            t if t.is_integer() => 'I',
            t if t.is_numeric() => 'R',
            DataType::Boolean => 'B',
            t if t.is_temporal() => 'D',
            DataType::Null => '?',
            _ => 'T',
        })
    }
}

/// The cells of a column, each as text.
pub(super) fn cells(column: &ArrayRef) -> Vec<String> {
    let one = spelling(column);
    (0..column.len())
        .map(|row| {
            if column.is_null(row) {
                "NULL".to_owned()
            } else {
                one(row)
            }
        })
        .collect()
}

fn spelling(column: &ArrayRef) -> Box<dyn Fn(usize) -> String> {
    match column.data_type() {
        DataType::Null => Box::new(|_| "NULL".to_owned()),
        DataType::Boolean => {
            let values = column.as_boolean().clone();
            Box::new(move |row| values.value(row).to_string())
        }
        t if t.is_unsigned_integer() => {
            let values = as_type(column, DataType::UInt64)
                .as_primitive::<UInt64Type>()
                .clone();
            Box::new(move |row| values.value(row).to_string())
        }
        t if t.is_integer() => {
            let values = as_type(column, DataType::Int64)
                .as_primitive::<Int64Type>()
                .clone();
            Box::new(move |row| values.value(row).to_string())
        }
        t if t.is_floating() => {
            let values = as_type(column, DataType::Float64)
                .as_primitive::<Float64Type>()
                .clone();
            Box::new(move |row| significant(values.value(row)))
        }
        DataType::Decimal128(..) => {
            let values = column.as_primitive::<Decimal128Type>().clone();
            Box::new(move |row| values.value_as_string(row))
        }
        DataType::Date32 => {
            let values = column.as_primitive::<Date32Type>().clone();
            Box::new(move |row| {
                values
                    .value_as_date(row)
                    .expect("a date that chrono knows")
                    .to_string()
            })
        }
        DataType::Timestamp(_, None) => {
            let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
            let values = as_type(column, micros)
                .as_primitive::<TimestampMicrosecondType>()
                .clone();
            Box::new(move |row| {
                let time = values
                    .value_as_datetime(row)
                    .expect("a time that chrono knows");
                time.format("%Y-%m-%dT%H:%M:%S").to_string() + &fraction(values.value(row))
            })
        }
        DataType::Time32(_) | DataType::Time64(_) => {
            let micros = DataType::Time64(TimeUnit::Microsecond);
            let values = as_type(column, micros)
                .as_primitive::<Time64MicrosecondType>()
                .clone();
            Box::new(move |row| {
                let time = values.value_as_time(row).expect("a time of day");
                time.format("%H:%M:%S").to_string() + &fraction(values.value(row))
            })
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let values = as_type(column, DataType::Utf8).as_string::<i32>().clone();
            Box::new(move |row| or_empty(values.value(row).replace('\n', "\\n")))
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            let values = as_type(column, DataType::Binary).as_binary::<i32>().clone();
            Box::new(move |row| {
                or_empty(
                    values
                        .value(row)
                        .iter()
                        .map(|byte| format!("{byte:02x}"))
                        .collect(),
                )
            })
        }
        other => panic!("results of type {other} have no spelling"),
    }
}

/// The column as a type that holds every value of its own.
fn as_type(column: &ArrayRef, data_type: DataType) -> ArrayRef {
    cast(column, &data_type).expect("a cast to a wider type")
}

fn or_empty(text: String) -> String {
    if text.is_empty() {
        "(empty)".to_owned()
    } else {
        text
    }
}

fn fraction(micros: i64) -> String {
    match micros.rem_euclid(1_000_000) {
        0 => String::new(),
        micros => format!(".{micros:06}"),
    }
}

/// Twelve significant digits as C's and Python's `%.12g` prints them.
fn significant(value: f64) -> String {
    const DIGITS: i32 = 12;
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let scientific = format!("{value:.*e}", DIGITS as usize - 1);
    let (mantissa, exponent) = scientific.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..DIGITS).contains(&exponent) {
        trim(&format!("{value:.*}", (DIGITS - 1 - exponent) as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(mantissa), exponent.abs())
    }
}

#[test]
fn floats_are_spelled_as_python_spells_them() {
    // The right sides are python3's '%.12g' % value.
    for (value, text) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (0.1 + 0.2, "0.3"),
        (-3.75, "-3.75"),
        (123456789012.5, "123456789012"),
        (1234567890123.0, "1.23456789012e+12"),
        (1e-4, "0.0001"),
        (1.5e-5, "1.5e-05"),
        (1e300, "1e+300"),
        (f64::MAX, "1.79769313486e+308"),
        (f64::NAN, "nan"),
        (f64::NEG_INFINITY, "-inf"),
    ] {
        assert_eq!(significant(value), text);
    }
}
