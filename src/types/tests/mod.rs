//! Assignment and literals: by table, against chrono, and against each other.

mod arrays;
mod assign;
mod literal;
mod refuse;

use chrono::{Datelike, NaiveDate, NaiveDateTime};

use super::*;

fn decimal(unscaled: i128, precision: u8, scale: u8) -> Value {
    Value::Decimal {
        unscaled,
        precision,
        scale,
    }
}

fn decimal_type(precision: u8, scale: u8) -> SqlType {
    SqlType::Decimal { precision, scale }
}

fn timestamp(text: &str) -> Value {
    let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").unwrap();
    Value::Timestamp(time.and_utc().timestamp_micros())
}

fn date(text: &str) -> Value {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").unwrap();
    Value::Date(date.num_days_from_ce() - 719_163)
}

fn same(a: &Value, b: &Value) -> bool {
    a.key_cmp(b) == Some(std::cmp::Ordering::Equal) && a.to_string() == b.to_string()
}
