//! What goes into a column, and what it is there.

use proptest::prelude::*;

use super::*;

#[test]
fn values_that_go_into_a_column() {
    use SqlType::*;
    let cases: Vec<(Value, SqlType, Value)> = vec![
        (1_i64.into(), TinyInt, 1_i8.into()),
        (decimal(10, 2, 1), Integer, 1_i32.into()),
        (1.0_f64.into(), Integer, 1_i32.into()),
        ((-0.0_f64).into(), BigInt, 0_i64.into()),
        (
            u64::MAX.into(),
            decimal_type(20, 0),
            decimal(u64::MAX.into(), 20, 0),
        ),
        (7_i64.into(), decimal_type(5, 2), decimal(700, 5, 2)),
        // Half away from zero, in both directions.
        (
            decimal(12_345, 5, 3),
            decimal_type(5, 2),
            decimal(1_235, 5, 2),
        ),
        (
            decimal(-12_345, 5, 3),
            decimal_type(5, 2),
            decimal(-1_235, 5, 2),
        ),
        (
            decimal(12_344, 5, 3),
            decimal_type(5, 2),
            decimal(1_234, 5, 2),
        ),
        (0.145_f64.into(), decimal_type(3, 2), decimal(15, 3, 2)),
        (
            0.1_f32.into(),
            decimal_type(38, 20),
            decimal(10_i128.pow(19), 38, 20),
        ),
        (1e-300_f64.into(), decimal_type(5, 2), decimal(0, 5, 2)),
        (decimal(1, 38, 38), decimal_type(38, 0), decimal(0, 38, 0)),
        (
            decimal(10_i128.pow(38) - 1, 38, 38),
            decimal_type(1, 0),
            decimal(1, 1, 0),
        ),
        // A decimal literal reads in a float column as its digits do.
        (decimal(1, 2, 1), Double, 0.1_f64.into()),
        (decimal(1, 2, 1), Real, 0.1_f32.into()),
        (0.1_f64.into(), Real, 0.1_f32.into()),
        (0.5_f32.into(), Double, 0.5_f64.into()),
        (16_777_216_i64.into(), Real, 16_777_216_f32.into()),
        (f64::INFINITY.into(), Real, f32::INFINITY.into()),
        ("abc  ".into(), Char(3), "abc".into()),
        ("  ".into(), Char(0), "".into()),
        ("ab ".into(), Varchar(Some(3)), "ab ".into()),
        ("äöü".into(), Varchar(Some(3)), "äöü".into()),
        (vec![1, 2].into(), Varbinary(Some(2)), vec![1, 2].into()),
        (
            date("2013-01-01"),
            Timestamp,
            timestamp("2013-01-01T00:00:00"),
        ),
        (timestamp("1969-12-31T00:00:00"), Date, date("1969-12-31")),
        (Value::Null, Char(1), Value::Null),
    ];
    for (value, to, expected) in cases {
        assert_eq!(
            assign_value(&value, false, &to).unwrap(),
            expected,
            "{value} into {to}"
        );
    }
}

#[test]
fn quoted_text_takes_the_type_of_the_column() {
    use SqlType::*;
    let cases: Vec<(&str, SqlType, Value)> = vec![
        ("7", TinyInt, 7_i8.into()),
        ("+7", TinyInt, 7_i8.into()),
        ("-128", TinyInt, (-128_i8).into()),
        ("1.0", Integer, 1_i32.into()),
        ("1e3", Integer, 1_000_i32.into()),
        ("9223372036854775807", BigInt, i64::MAX.into()),
        ("18446744073709551615", UBigInt, u64::MAX.into()),
        ("1.005", decimal_type(5, 2), decimal(101, 5, 2)),
        ("-1.005", decimal_type(5, 2), decimal(-101, 5, 2)),
        ("1e-2", decimal_type(5, 2), decimal(1, 5, 2)),
        (".5", decimal_type(5, 2), decimal(50, 5, 2)),
        ("0.9999", decimal_type(1, 0), decimal(1, 1, 0)),
        (
            "0e999999999999999999999",
            decimal_type(5, 2),
            decimal(0, 5, 2),
        ),
        (
            "1e-999999999999999999999",
            decimal_type(5, 2),
            decimal(0, 5, 2),
        ),
        (
            "99999999999999999999999999999999999999",
            decimal_type(38, 0),
            decimal(10_i128.pow(38) - 1, 38, 0),
        ),
        ("0.1", Double, 0.1_f64.into()),
        ("-0", Double, 0.0_f64.into()),
        ("-infinity", Double, f64::NEG_INFINITY.into()),
        ("Infinity", Real, f32::INFINITY.into()),
        ("16777217", Real, 16_777_216_f32.into()),
        ("TRUE", Boolean, true.into()),
        ("f", Boolean, false.into()),
        ("1", Boolean, true.into()),
        ("0", Boolean, false.into()),
        ("2013-01-01", Date, date("2013-01-01")),
        ("2000-02-29", Date, date("2000-02-29")),
        ("+10000-01-01", Date, date("+10000-01-01")),
        ("-0001-03-01", Date, date("-0001-03-01")),
        ("10:00", Time, Value::Time(36_000_000_000)),
        ("23:59:59.9999999", Time, Value::Time(86_399_999_999)),
        ("00:00:00.5", Time, Value::Time(500_000)),
        ("2013-01-01", Timestamp, timestamp("2013-01-01T00:00:00")),
        (
            "2013-01-01 10:00",
            Timestamp,
            timestamp("2013-01-01T10:00:00"),
        ),
        (
            "2013-01-01T10:00:00.25",
            Timestamp,
            timestamp("2013-01-01T10:00:00.25"),
        ),
        (
            "2013-01-01T10:00:00Z",
            Timestamp,
            timestamp("2013-01-01T10:00:00"),
        ),
        (
            "2013-01-01T00:30:00+01:00",
            Timestamp,
            timestamp("2012-12-31T23:30:00"),
        ),
        (
            "2013-01-01 10:00:00-0530",
            Timestamp,
            timestamp("2013-01-01T15:30:00"),
        ),
        (
            "2013-01-01 10:00:00+00",
            Timestamp,
            timestamp("2013-01-01T10:00:00"),
        ),
        // A fraction is cut towards the past, before 1970 too.
        (
            "1969-12-31T23:59:59.9999999",
            Timestamp,
            Value::Timestamp(-1),
        ),
        ("é", Varbinary(None), vec![0xc3, 0xa9].into()),
        ("\\x00Ff", Varbinary(None), vec![0x00, 0xff].into()),
        ("\\x", Varbinary(None), Vec::new().into()),
        ("7", Varchar(None), "7".into()),
        ("", Varchar(Some(0)), "".into()),
    ];
    for (text, to, expected) in cases {
        assert_eq!(
            assign_text(text, &to).unwrap(),
            expected,
            "'{text}' into {to}"
        );
        for mut used in [Value::Null, "longer than before".into(), "".into()] {
            assign_text_into(text, &to, &mut used).unwrap();
            assert_eq!(used, expected, "'{text}' into {to}");
        }
        let value = Value::from(text);
        assert_eq!(
            assign_value(&value, true, &to).unwrap(),
            expected,
            "'{text}' into {to}"
        );
    }
    for text in ["NaN", "nan", "-nan"] {
        let Value::Double(v) = assign_text(text, &Double).unwrap() else {
            panic!()
        };
        assert_eq!(v.to_bits(), 0x7ff8_0000_0000_0000, "{text}");
    }
}

/// What a constant is in a comparison: the equal value of the column's type, or nothing.
#[test]
fn comparable_values_are_equal_values() {
    use SqlType::*;
    let some: Vec<(Value, bool, SqlType, Value)> = vec![
        (7_i64.into(), false, Integer, 7_i32.into()),
        ("7".into(), true, Integer, 7_i32.into()),
        ("abcdef".into(), false, Varchar(Some(3)), "abcdef".into()),
        ("ab  ".into(), false, Char(2), "ab".into()),
        (0.5_f64.into(), false, decimal_type(5, 1), decimal(5, 5, 1)),
        (0.5_f64.into(), false, Real, 0.5_f32.into()),
        (decimal(1, 2, 1), false, Double, 0.1_f64.into()),
        (
            decimal(150, 5, 2),
            false,
            decimal_type(5, 1),
            decimal(15, 5, 1),
        ),
        (
            date("2013-01-01"),
            false,
            Timestamp,
            timestamp("2013-01-01T00:00:00"),
        ),
        (
            "10:00:00.2500000".into(),
            true,
            Time,
            Value::Time(36_000_250_000),
        ),
    ];
    for (value, quoted, to, expected) in some {
        assert_eq!(
            comparable_value(&value, quoted, &to),
            Some(expected),
            "{value} and {to}"
        );
    }
    let none: Vec<(Value, bool, SqlType)> = vec![
        ("7".into(), false, Integer),
        (300_i64.into(), false, TinyInt),
        (1.5_f64.into(), false, Integer),
        (decimal(125, 3, 2), false, decimal_type(5, 1)),
        ("1.25".into(), true, decimal_type(5, 1)),
        (0.1_f64.into(), false, decimal_type(5, 1)),
        (0.1_f64.into(), false, Real),
        (timestamp("2013-01-01T10:00:00"), false, Date),
        ("10:00:00.2500001".into(), true, Time),
        ("2013-01-01T10:00:00.2500001".into(), true, Timestamp),
        (16_777_217_i64.into(), false, Real),
    ];
    for (value, quoted, to) in none {
        assert_eq!(
            comparable_value(&value, quoted, &to),
            None,
            "{value} and {to}"
        );
    }
}

proptest! {
    /// A decimal is rescaled as its exact rounded quotient, here in whole numbers.
    #[test]
    fn decimals_round_half_away_from_zero(unscaled in -1_000_000_i64..1_000_000, from in 0..8_u8, to in 0..8_u8) {
        let value = decimal(unscaled.into(), 18, from);
        let expected = if to >= from {
            i128::from(unscaled) * 10_i128.pow((to - from).into())
        } else {
            let factor = 10_i128.pow((from - to).into());
            let twice = 2 * i128::from(unscaled.abs()) + factor;
            twice / (2 * factor) * i128::from(unscaled.signum())
        };
        prop_assert_eq!(assign_value(&value, false, &decimal_type(18, to)).unwrap(), decimal(expected, 18, to));
        prop_assert_eq!(assign_text(&value.to_string(), &decimal_type(18, to)).unwrap(), decimal(expected, 18, to));
    }
}
