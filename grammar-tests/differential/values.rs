//! Values that break encodings and comparisons, by type.

use rocksalt::{SqlType, Value};

use super::rng::Rng;

pub const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Texts of which one is a prefix of another, or ends or escapes as a key's bytes do, or means
/// something in a LIKE pattern.
const TEXTS: &[&str] = &[
    "",
    "a",
    "aa",
    "ab",
    "abc",
    "b",
    "ba",
    "a\0",
    "a\0b",
    "\0",
    "a\u{1}",
    "a ",
    "a  b",
    " a",
    "A",
    "Ab",
    "a%",
    "a_b",
    "a\\",
    "é",
    "\u{7f}",
    "\u{ffff}",
    "\u{10ffff}",
    "it's",
    "7",
    "z",
];

const BYTES: &[&[u8]] = &[
    b"",
    b"\0",
    b"\0\0",
    b"\0\x01",
    b"\0\xff",
    b"\x01",
    b"a",
    b"a\0",
    b"a\0b",
    b"ab",
    b"\xfe",
    b"\xff",
    b"\xff\0",
    b"\xff\xff",
    b"\x80",
];

/// Days from 1970 to the ends of years, to a 29th of February, and within the range that
/// nanoseconds reach.
const DAYS: &[i32] = &[
    -1, 0, 1, 10_956, 10_957, 15_400, 15_705, 15_706, 15_707, 16_070, -25_568, 80_000,
];

/// Years -5877641, 1, 9999 and 5881580.
const FAR_DAYS: &[i32] = &[i32::MIN, -719_162, 2_932_896, i32::MAX];

/// A value of a type that is not NULL. `far` allows temporal values that functions of DataFusion,
/// which counts nanoseconds, refuse.
pub fn any(rng: &mut Rng, sql_type: SqlType, far: bool) -> Value {
    macro_rules! integer {
        ($t:ty, $variant:ident) => {{
            let small = rng.below(10) as $t;
            Value::$variant(match rng.below(10) {
                0 => <$t>::MIN,
                1 => <$t>::MAX,
                2 => <$t>::MIN + 1 + small,
                3 => <$t>::MAX - 1 - small,
                4 => <$t>::MAX / 2 + small,
                _ => small,
            })
        }};
    }
    match sql_type {
        SqlType::Boolean => Value::Boolean(rng.percent(50)),
        SqlType::TinyInt => integer!(i8, TinyInt),
        SqlType::SmallInt => integer!(i16, SmallInt),
        SqlType::Integer => integer!(i32, Integer),
        SqlType::BigInt => integer!(i64, BigInt),
        SqlType::UTinyInt => integer!(u8, UTinyInt),
        SqlType::USmallInt => integer!(u16, USmallInt),
        SqlType::UInteger => integer!(u32, UInteger),
        SqlType::UBigInt => integer!(u64, UBigInt),
        SqlType::Real => {
            let odd = [
                0.0,
                -0.0,
                0.1,
                -1.5,
                f32::MAX,
                f32::MIN,
                f32::from_bits(1),
                f32::INFINITY,
                f32::NEG_INFINITY,
                16_777_216.0,
            ];
            Value::Real(match rng.below(12) {
                0 if far => f32::NAN,
                0..=5 => rng.pick(&odd),
                _ => rng.below(10) as f32 / 2.0,
            })
        }
        SqlType::Double => {
            let odd = [
                0.0,
                -0.0,
                0.1,
                -1.5,
                f64::MAX,
                f64::MIN,
                f64::from_bits(1),
                f64::INFINITY,
                f64::NEG_INFINITY,
                9_007_199_254_740_992.0,
                1e15,
            ];
            Value::Double(match rng.below(12) {
                0 if far => f64::NAN,
                0..=5 => rng.pick(&odd),
                _ => rng.below(10) as f64 / 2.0,
            })
        }
        SqlType::Decimal { precision, scale } => {
            let max = 10_i128.pow(u32::from(precision)) - 1;
            let one = 10_i128.pow(u32::from(scale));
            let small = rng.below(10) as i128;
            let unscaled = match rng.below(8) {
                0 => max,
                1 => -max,
                2 => small,
                3 => -small,
                _ => (small * one).min(max),
            };
            Value::Decimal {
                unscaled,
                precision,
                scale,
            }
        }
        SqlType::Char(n) | SqlType::Varchar(Some(n)) => {
            Value::Text(text(rng).chars().take(n as usize).collect())
        }
        SqlType::Varchar(None) => Value::Text(text(rng)),
        SqlType::Varbinary(n) => {
            let mut bytes = rng.pick(BYTES).to_vec();
            bytes.truncate(n.map_or(usize::MAX, |n| n as usize));
            Value::Binary(bytes)
        }
        SqlType::Date if far && rng.percent(30) => Value::Date(rng.pick(FAR_DAYS)),
        SqlType::Date => Value::Date(rng.pick(DAYS) + rng.below(2) as i32),
        SqlType::Time => Value::Time(match rng.below(6) {
            0 => 0,
            1 => 1,
            2 => MICROS_PER_DAY - 1,
            _ => rng.below(24) as i64 * 3_600_000_000,
        }),
        SqlType::Timestamp if far && rng.percent(30) => {
            let day = rng.pick(&[-719_162_i64, 2_932_896, 106_751_990]);
            Value::Timestamp(match rng.below(4) {
                0 => i64::MIN,
                1 => i64::MAX,
                _ => day * MICROS_PER_DAY - rng.below(2) as i64,
            })
        }
        SqlType::Timestamp => {
            let day = i64::from(rng.pick(DAYS)) * MICROS_PER_DAY;
            let within = [0, 0, 0, -1, 1, 1_000, 3_600_000_000, 43_200_000_000];
            Value::Timestamp(day + rng.pick(&within))
        }
        other => unreachable!("the schemas have no {other}"),
    }
}

fn text(rng: &mut Rng) -> String {
    let first = rng.pick(TEXTS);
    if rng.percent(20) {
        format!("{first}{}", rng.pick(TEXTS))
    } else {
        first.to_owned()
    }
}

/// A value of the same type beside `value`; the value itself where there is none.
pub fn neighbour(rng: &mut Rng, value: &Value) -> Value {
    let up = rng.percent(50);
    macro_rules! step {
        ($v:expr) => {
            if up {
                $v.saturating_add(1)
            } else {
                $v.saturating_sub(1)
            }
        };
    }
    match value {
        Value::Null => Value::Null,
        Value::Boolean(v) => Value::Boolean(!v),
        Value::TinyInt(v) => Value::TinyInt(step!(v)),
        Value::SmallInt(v) => Value::SmallInt(step!(v)),
        Value::Integer(v) => Value::Integer(step!(v)),
        Value::BigInt(v) => Value::BigInt(step!(v)),
        Value::UTinyInt(v) => Value::UTinyInt(step!(v)),
        Value::USmallInt(v) => Value::USmallInt(step!(v)),
        Value::UInteger(v) => Value::UInteger(step!(v)),
        Value::UBigInt(v) => Value::UBigInt(step!(v)),
        Value::Real(v) => Value::Real(if up { v.next_up() } else { v.next_down() }),
        Value::Double(v) => Value::Double(if up { v.next_up() } else { v.next_down() }),
        Value::Decimal {
            unscaled,
            precision,
            scale,
        } => {
            let max = 10_i128.pow(u32::from(*precision)) - 1;
            Value::Decimal {
                unscaled: step!(unscaled).clamp(-max, max),
                precision: *precision,
                scale: *scale,
            }
        }
        Value::Text(text) => Value::Text(match rng.below(4) {
            0 => format!("{text}\0"),
            1 => format!("{text}a"),
            2 => format!("{text} "),
            _ => {
                let mut shorter = text.clone();
                shorter.pop();
                shorter
            }
        }),
        Value::Binary(bytes) => {
            let mut bytes = bytes.clone();
            match rng.below(3) {
                0 => bytes.push(0),
                1 => bytes.push(0xff),
                _ => {
                    bytes.pop();
                }
            }
            Value::Binary(bytes)
        }
        Value::Date(v) => Value::Date(step!(v)),
        Value::Time(v) => Value::Time(step!(v).clamp(0, MICROS_PER_DAY - 1)),
        Value::Timestamp(v) => Value::Timestamp(step!(v)),
        other => other.clone(),
    }
}

/// What a column of a type keeps of a value that it accepts: CHAR no trailing spaces, floats one
/// zero.
pub fn stored(sql_type: SqlType, value: &Value) -> Value {
    match (sql_type, value) {
        (SqlType::Char(_), Value::Text(text)) => Value::Text(text.trim_end_matches(' ').to_owned()),
        (_, Value::Real(v)) if *v == 0.0 => Value::Real(0.0),
        (_, Value::Double(v)) if *v == 0.0 => Value::Double(0.0),
        _ => value.clone(),
    }
}

/// The whole number that a value is, if it is an integer.
pub fn whole(value: &Value) -> Option<i128> {
    Some(match value {
        Value::TinyInt(v) => i128::from(*v),
        Value::SmallInt(v) => i128::from(*v),
        Value::Integer(v) => i128::from(*v),
        Value::BigInt(v) => i128::from(*v),
        Value::UTinyInt(v) => i128::from(*v),
        Value::USmallInt(v) => i128::from(*v),
        Value::UInteger(v) => i128::from(*v),
        Value::UBigInt(v) => i128::from(*v),
        _ => return None,
    })
}
