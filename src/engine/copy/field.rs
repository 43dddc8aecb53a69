//! One field of a CSV file as a value of its column.
//!
//! A field is read as a quoted literal is. The common spellings are read here without an
//! allocation; every other goes to [`assign_text_into`], which alone decides what is an error.

use crate::error::{Error, Result};
use crate::types::{SqlType, Value, assign_text_into};

/// Puts the field `text` into `value`, a value of a column of type `to`. The buffer of a text
/// that is in `value` is used again.
pub(super) fn read_field(text: &[u8], to: &SqlType, value: &mut Value) -> Result<()> {
    if let Some(read) = plain(text, to) {
        *value = read;
        return Ok(());
    }
    let text = std::str::from_utf8(text).map_err(|_| Error::invalid("not UTF-8"))?;
    assign_text_into(text, to, value)
}

/// The value of a field in its most common spelling.
fn plain(text: &[u8], to: &SqlType) -> Option<Value> {
    Some(match to {
        SqlType::Boolean => Value::Boolean(match text {
            b"true" | b"t" | b"1" | b"T" | b"TRUE" => true,
            b"false" | b"f" | b"0" | b"F" | b"FALSE" => false,
            _ => return None,
        }),
        SqlType::TinyInt => Value::TinyInt(integer(text)?.try_into().ok()?),
        SqlType::SmallInt => Value::SmallInt(integer(text)?.try_into().ok()?),
        SqlType::Integer => Value::Integer(integer(text)?.try_into().ok()?),
        SqlType::BigInt => Value::BigInt(integer(text)?),
        SqlType::UTinyInt => Value::UTinyInt(integer(text)?.try_into().ok()?),
        SqlType::USmallInt => Value::USmallInt(integer(text)?.try_into().ok()?),
        SqlType::UInteger => Value::UInteger(integer(text)?.try_into().ok()?),
        SqlType::UBigInt => Value::UBigInt(integer(text)?.try_into().ok()?),
        SqlType::Real => {
            let read: f32 = decimal_digits(text)?.parse().ok()?;
            Value::Real(if read == 0.0 { 0.0 } else { read })
        }
        SqlType::Double => {
            let read: f64 = decimal_digits(text)?.parse().ok()?;
            Value::Double(if read == 0.0 { 0.0 } else { read })
        }
        SqlType::Date => Value::Date(i32::try_from(date(text)?).ok()?),
        SqlType::Timestamp => Value::Timestamp(timestamp(text)?),
        _ => return None,
    })
}

/// An optional minus and 1 to 18 digits: what always fits 64 bits.
fn integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let read = number(digits, 18)?;
    Some(if negative { -read } else { read })
}

fn number(digits: &[u8], at_most: usize) -> Option<i64> {
    if digits.is_empty() || digits.len() > at_most {
        return None;
    }
    digits.iter().try_fold(0i64, |sum, digit| {
        digit
            .is_ascii_digit()
            .then(|| sum * 10 + i64::from(digit - b'0'))
    })
}

/// Digits with an optional minus and point, short enough to be far from infinity.
fn decimal_digits(text: &[u8]) -> Option<&str> {
    let plain = |b: &u8| b.is_ascii_digit() || *b == b'.' || *b == b'-';
    if text.len() > 24 || !text.iter().all(plain) || !text.last()?.is_ascii_digit() {
        return None;
    }
    std::str::from_utf8(text).ok()
}

/// Days from 1970-01-01 of `2013-01-31`.
fn date(text: &[u8]) -> Option<i64> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else {
        return None;
    };
    let year = number(&[y1, y2, y3, y4], 4)?;
    let month = number(&[m1, m2], 2)?;
    let day = number(&[d1, d2], 2)?;
    // The 29th and later depend on the month: chrono knows.
    let date = chrono::NaiveDate::from_ymd_opt(
        i32::try_from(year).ok().filter(|y| *y > 0)?,
        u32::try_from(month).ok()?,
        u32::try_from(day).ok()?,
    )?;
    Some(
        date.signed_duration_since(chrono::NaiveDate::default())
            .num_days(),
    )
}

/// Microseconds from 1970-01-01T00:00:00 of `2013-01-31T10:00:00`, with a space for the `T` and
/// with or without a `Z`.
fn timestamp(text: &[u8]) -> Option<i64> {
    let text = text.strip_suffix(b"Z").unwrap_or(text);
    let (day, time) = text.split_at_checked(10)?;
    let [b'T' | b' ', h1, h2, b':', m1, m2, b':', s1, s2] = *time else {
        return None;
    };
    let hour = number(&[h1, h2], 2).filter(|h| *h < 24)?;
    let minute = number(&[m1, m2], 2).filter(|m| *m < 60)?;
    let second = number(&[s1, s2], 2).filter(|s| *s < 60)?;
    Some((((date(day)? * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::assign_text;

    /// The common spellings must read exactly as a quoted literal does.
    #[test]
    fn the_short_way_and_the_long_way_agree() {
        let types = [
            SqlType::TinyInt,
            SqlType::SmallInt,
            SqlType::Integer,
            SqlType::BigInt,
            SqlType::UTinyInt,
            SqlType::USmallInt,
            SqlType::UInteger,
            SqlType::UBigInt,
            SqlType::Real,
            SqlType::Double,
            SqlType::Decimal {
                precision: 9,
                scale: 2,
            },
            SqlType::Char(4),
            SqlType::Varchar(None),
            SqlType::Varchar(Some(4)),
            SqlType::Date,
            SqlType::Timestamp,
        ];
        let texts = [
            "0",
            "-0",
            "7",
            "-7",
            "127",
            "128",
            "-129",
            "255",
            "256",
            "65536",
            "2147483648",
            "999999999999999999",
            "1000000000000000000",
            "18446744073709551615",
            "1.5",
            "-0.0",
            "1.7",
            ".5",
            "5.",
            "1e3",
            "--1",
            "1-1",
            "1.2.3",
            "abc",
            "abcd",
            "äöü",
            "abcde",
            "ab  ",
            "",
            " ",
            "2013-01-31",
            "2013-02-29",
            "2012-02-29",
            "1969-12-31",
            "0000-01-01",
            "2013-13-01",
            "2013-1-1",
            "2013-01-31T10:00:00",
            "2013-01-31 10:00:00",
            "2013-01-31T10:00:00Z",
            "2013-01-31T24:00:00",
            "1969-12-31T23:59:59",
            "2013-01-31T10:00:00.5",
            "2013-01-31T10:00:00+01:00",
        ];
        for to in &types {
            for text in texts {
                let long = assign_text(text, to);
                let mut short = Value::Null;
                let read = read_field(text.as_bytes(), to, &mut short);
                match (long, read) {
                    (Ok(long), Ok(())) => assert_eq!(long, short, "{text:?} into {to}"),
                    (Err(_), Err(_)) => {}
                    (long, read) => panic!("{text:?} into {to}: {long:?} or {read:?} {short:?}"),
                }
            }
        }
    }

    #[test]
    fn a_text_keeps_its_buffer() {
        let mut value = Value::Text(String::with_capacity(100));
        read_field("grün".as_bytes(), &SqlType::Varchar(None), &mut value).unwrap();
        assert!(matches!(&value, Value::Text(t) if t == "grün" && t.capacity() == 100));
    }
}
