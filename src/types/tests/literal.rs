//! Values as text, and back.

use chrono::Days;
use datafusion::scalar::ScalarValue;
use proptest::prelude::*;

use super::*;
use crate::types::nasty::{TYPES, any_nullable, any_value};

#[test]
fn literals_are_sql() {
    let cases: Vec<(Value, &str)> = vec![
        (Value::Null, "NULL"),
        (true.into(), "TRUE"),
        ((-7_i8).into(), "-7"),
        (1.0_f64.into(), "1.0"),
        (0.1_f32.into(), "0.1"),
        (0.1_f64.into(), "0.1"),
        (1e300_f64.into(), "1e300"),
        (f64::NAN.into(), "'NaN'"),
        (f32::NEG_INFINITY.into(), "'-Infinity'"),
        (decimal(150, 5, 2), "1.50"),
        (decimal(-1, 5, 2), "-0.01"),
        (decimal(-7, 5, 0), "-7"),
        ("it's".into(), "'it''s'"),
        ("a\\b".into(), "'a\\b'"),
        ("a\\\nb'\u{1}".into(), "E'a\\\\\\nb''\\u0001'"),
        ("\0".into(), "U&'\\0000'"),
        ("a\\\n\0b'é\u{1}".into(), "U&'a\\\\\\000a\\0000b''é\\0001'"),
        (vec![0, 255].into(), "X'00ff'"),
        (date("2013-01-01"), "DATE '2013-01-01'"),
        (Value::Date(i32::MIN), "DATE '-5877641-06-23'"),
        (Value::Time(36_000_000_000), "TIME '10:00:00'"),
        (
            timestamp("2013-01-01T10:00:00"),
            "TIMESTAMP '2013-01-01T10:00:00'",
        ),
        (
            timestamp("1969-12-31T23:59:59.25"),
            "TIMESTAMP '1969-12-31T23:59:59.25'",
        ),
    ];
    for (value, literal) in cases {
        assert_eq!(value.to_string(), literal);
    }
}

#[test]
fn brief_literals_are_cut_after_64_characters() {
    let text = |n: usize| Value::Text("ä".repeat(n));
    assert_eq!(text(62).brief(), text(62).to_string());
    assert_eq!(text(62).brief().chars().count(), 64);
    assert_eq!(text(63).brief(), format!("'{}…", "ä".repeat(63)));
    assert_eq!(text(1_000_000).brief(), format!("'{}…", "ä".repeat(63)));
}

/// What stands between the quotes of a literal, or a number as it is, is text of its type.
fn text_of(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Binary(bytes) => bytes
            .iter()
            .fold("\\x".into(), |text, b| format!("{text}{b:02x}")),
        value => {
            let literal = value.to_string();
            let quoted = literal
                .strip_suffix('\'')
                .and_then(|text| text.split_once('\''));
            quoted.map_or(literal.clone(), |(_, text)| text.to_owned())
        }
    }
}

proptest! {
    #[test]
    fn every_value_reads_back_from_its_literal(
        (sql_type, value) in prop::sample::select(TYPES).prop_flat_map(|t| (Just(t), any_value(t))),
    ) {
        let read = assign_text(&text_of(&value), &sql_type).unwrap();
        let stored = assign_value(&value, false, &sql_type).unwrap();
        prop_assert!(same(&read, &stored), "{} {}", read, stored);
    }

    #[test]
    fn scalars_and_values_are_the_same(
        (sql_type, value) in prop::sample::select(TYPES).prop_flat_map(|t| (Just(t), any_nullable(t))),
    ) {
        let scalar = value.to_scalar();
        prop_assert_eq!(value.is_null(), scalar == ScalarValue::Null);
        if !value.is_null() {
            prop_assert_eq!(scalar.data_type(), sql_type.arrow());
        }
        prop_assert!(same(&Value::from_scalar(&scalar).unwrap(), &value));
    }

    #[test]
    fn dates_are_those_of_chrono(days in -95_000_000..95_000_000_i32, text in ".*") {
        let epoch = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap();
        let date = match days {
            0.. => epoch.checked_add_days(Days::new(days as u64)),
            _ => epoch.checked_sub_days(Days::new(days.unsigned_abs().into())),
        };
        let date = date.unwrap();
        prop_assert_eq!(Value::Date(days).to_string(), format!("DATE '{}'", date.format("%Y-%m-%d")));
        prop_assert_eq!(assign_text(&date.format("%Y-%m-%d").to_string(), &SqlType::Date).unwrap(), Value::Date(days));
        for sql_type in TYPES {
            let _ = assign_text(&text, sql_type);
        }
    }
}
