//! What does not go into a column, and what is said about it.

use super::*;
use crate::error::ErrorKind;

#[test]
fn what_is_refused_says_so() {
    use SqlType::*;
    let cases: Vec<(Value, SqlType, &str)> = vec![
        (300_i64.into(), TinyInt, "300 is out of range for TINYINT"),
        (
            (-1_i64).into(),
            UBigInt,
            "-1 is out of range for BIGINT UNSIGNED",
        ),
        (
            u64::MAX.into(),
            BigInt,
            "18446744073709551615 is out of range for BIGINT",
        ),
        (1e30_f64.into(), BigInt, "1e30 is out of range for BIGINT"),
        (1e300_f64.into(), Real, "1e300 is out of range for REAL"),
        (1e-300_f64.into(), Real, "1e-300 is out of range for REAL"),
        (
            f64::NAN.into(),
            Integer,
            "'NaN' is out of range for INTEGER",
        ),
        (
            f64::INFINITY.into(),
            decimal_type(5, 2),
            "'Infinity' is out of range for DECIMAL(5, 2)",
        ),
        (
            decimal(99_999, 5, 0),
            decimal_type(5, 2),
            "99999 is out of range for DECIMAL(5, 2)",
        ),
        (
            decimal(99_995, 5, 2),
            decimal_type(4, 1),
            "999.95 is out of range for DECIMAL(4, 1)",
        ),
        (
            Value::Date(i32::MAX),
            Timestamp,
            "DATE '+5881580-07-11' is out of range for TIMESTAMP",
        ),
        (
            Value::Time(-1),
            Time,
            "TIME '-00:00:00.000001' is out of range for TIME",
        ),
        (
            "abcdef".into(),
            Varchar(Some(3)),
            "'abcdef' is too long for VARCHAR(3)",
        ),
        ("abcd ".into(), Char(3), "'abcd ' is too long for CHAR(3)"),
        (
            vec![1, 2].into(),
            Varbinary(Some(1)),
            "X'0102' is too long for VARBINARY(1)",
        ),
        (
            decimal(17, 2, 1),
            Integer,
            "1.7 would lose its fraction as INTEGER",
        ),
        (
            1.5_f64.into(),
            UTinyInt,
            "1.5 would lose its fraction as TINYINT UNSIGNED",
        ),
        (
            16_777_217_i64.into(),
            Real,
            "16777217 would lose digits as REAL",
        ),
        (
            i64::MAX.into(),
            Double,
            "9223372036854775807 would lose digits as DOUBLE",
        ),
        (
            timestamp("2013-01-01T10:00:00"),
            Date,
            "TIMESTAMP '2013-01-01T10:00:00' would lose its time of day as DATE",
        ),
        (
            "7".into(),
            Integer,
            "'7' is a VARCHAR, not an INTEGER; use CAST(... AS INTEGER)",
        ),
        (
            7_i32.into(),
            Varchar(None),
            "7 is an INTEGER, not a VARCHAR; use CAST(... AS VARCHAR)",
        ),
        (
            Value::Time(0),
            Date,
            "TIME '00:00:00' is a TIME, not a DATE",
        ),
        (true.into(), Integer, "TRUE is a BOOLEAN, not an INTEGER"),
        (1_i32.into(), Boolean, "1 is an INTEGER, not a BOOLEAN"),
        (
            decimal(15, 2, 1),
            Date,
            "1.5 is a DECIMAL(2, 1), not a DATE",
        ),
        (1.5_f64.into(), Boolean, "1.5 is a DOUBLE, not a BOOLEAN"),
        (
            vec![97].into(),
            Varchar(None),
            "X'61' is a VARBINARY, not a VARCHAR; use CAST(... AS VARCHAR)",
        ),
    ];
    for (value, to, expected) in cases {
        let error = assign_value(&value, false, &to).unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Invalid, expected)
        );
    }
}

#[test]
fn quoted_text_that_does_not_parse_whole_is_refused() {
    use SqlType::*;
    let cases = [
        (
            Integer,
            "an INTEGER",
            vec!["", "x", " 7", "7 ", "7x", "0x7", "1_000", "--7", "1e", "."],
        ),
        (Boolean, "a BOOLEAN", vec!["", "yes", "2", "tru", "true "]),
        (Double, "a DOUBLE", vec!["", "1,5", "1e", "0x1p3", "one"]),
        (
            Date,
            "a DATE",
            vec![
                "2013-1-1",
                "2013-13-01",
                "2013-00-01",
                "2013-01-32",
                "2013-02-29",
                "1900-02-29",
                "20130101",
                "10000-01-01",
                "2013-01-01 ",
                "2013-01-01T00:00:00",
                "+123-01-01",
                "",
            ],
        ),
        (
            Time,
            "a TIME",
            vec![
                "24:00",
                "10",
                "10:60",
                "10:00:60",
                "10:00:00.",
                "10:00Z",
                "1:00",
            ],
        ),
        (
            Timestamp,
            "a TIMESTAMP",
            vec![
                "2013-01-01T",
                "2013-01-01Z",
                "2013-01-01 10",
                "2013-01-01  10:00",
                "now",
                "2013-01-01T10:00+24:00",
                "2013-01-01T10:00:00 UTC",
                "2013-01-01T10:00+1",
            ],
        ),
        (Varbinary(None), "a VARBINARY", vec!["\\x0", "\\x0g"]),
        (
            decimal_type(5, 2),
            "a DECIMAL(5, 2)",
            vec!["", "-", "1.2.3", "e5", "1e1.5", "NaN"],
        ),
    ];
    for (to, name, texts) in cases {
        for text in texts {
            let error = assign_text(text, &to).unwrap_err();
            assert_eq!(error.message(), format!("'{text}' is not {name}"));
        }
    }
    for (text, to, message) in [
        ("128", TinyInt, "'128' is out of range for TINYINT"),
        ("1e40", BigInt, "'1e40' is out of range for BIGINT"),
        (
            "1e999999999999999999999",
            BigInt,
            "'1e999999999999999999999' is out of range for BIGINT",
        ),
        ("1.7", Integer, "'1.7' would lose its fraction as INTEGER"),
        ("1e400", Double, "'1e400' is out of range for DOUBLE"),
        ("1e-400", Double, "'1e-400' is out of range for DOUBLE"),
        (
            "1000",
            decimal_type(5, 2),
            "'1000' is out of range for DECIMAL(5, 2)",
        ),
        (
            "+9999999-01-01",
            Date,
            "'+9999999-01-01' is out of range for DATE",
        ),
        (
            "+300000-01-01",
            Timestamp,
            "'+300000-01-01' is out of range for TIMESTAMP",
        ),
        (
            "abcdef",
            Varchar(Some(3)),
            "'abcdef' is too long for VARCHAR(3)",
        ),
    ] {
        assert_eq!(assign_text(text, &to).unwrap_err().message(), message);
    }
}
