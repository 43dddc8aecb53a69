//! Values that break encodings, for the tests of this floor and of those that build on it.

use proptest::prelude::*;

use crate::types::{SqlType, Value, calendar};

/// Every type of the dialect.
pub(crate) const TYPES: &[SqlType] = &[
    SqlType::Boolean,
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
        precision: 38,
        scale: 10,
    },
    SqlType::Decimal {
        precision: 5,
        scale: 0,
    },
    SqlType::Char(8),
    SqlType::Varchar(None),
    SqlType::Varchar(Some(9)),
    SqlType::Varbinary(None),
    SqlType::Date,
    SqlType::Time,
    SqlType::Timestamp,
];

/// Texts, in each of which a later one may be a prefix, a zero byte, or the byte of an escape.
const TEXTS: &[&str] = &[
    "",
    "\0",
    "\0\0",
    "\0\u{1}",
    "\u{1}",
    "\u{1}\0",
    "a",
    "a\0",
    "a\0b",
    "a\u{1}",
    "aa",
    "ab",
    "b",
    "é",
    "\u{7f}",
    "\u{80}",
    "\u{d7ff}",
    "\u{e000}",
    "\u{ffff}",
    "\u{10ffff}",
];

/// Values of a type, the extremes and the odd ones among them. None is NULL.
pub(crate) fn any_value(sql_type: SqlType) -> BoxedStrategy<Value> {
    fn odd<T: Clone + std::fmt::Debug + 'static>(
        odd: Vec<T>,
        any: impl Strategy<Value = T> + 'static,
        value: fn(T) -> Value,
    ) -> BoxedStrategy<Value> {
        prop_oneof![prop::sample::select(odd), any]
            .prop_map(value)
            .boxed()
    }
    macro_rules! integer {
        ($t:ty, $variant:ident) => {
            odd(
                vec![
                    <$t>::MIN,
                    <$t>::MIN + 1,
                    <$t>::MAX / 2,
                    <$t>::MAX - 1,
                    <$t>::MAX,
                    0,
                    1,
                ],
                any::<$t>(),
                Value::$variant,
            )
        };
    }
    match sql_type {
        SqlType::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        SqlType::TinyInt => integer!(i8, TinyInt),
        SqlType::SmallInt => integer!(i16, SmallInt),
        SqlType::Integer => integer!(i32, Integer),
        SqlType::BigInt => integer!(i64, BigInt),
        SqlType::UTinyInt => integer!(u8, UTinyInt),
        SqlType::USmallInt => integer!(u16, USmallInt),
        SqlType::UInteger => integer!(u32, UInteger),
        SqlType::UBigInt => integer!(u64, UBigInt),
        SqlType::Real => odd(
            vec![
                0.0,
                -0.0,
                f32::MIN_POSITIVE,
                -f32::MIN_POSITIVE,
                f32::from_bits(1),
                f32::from_bits(0x8000_0001),
                f32::MAX,
                f32::MIN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::NAN,
                -f32::NAN,
                f32::from_bits(0x7f80_0001),
            ],
            any::<u32>().prop_map(f32::from_bits),
            Value::Real,
        ),
        SqlType::Double => odd(
            vec![
                0.0,
                -0.0,
                f64::MIN_POSITIVE,
                -f64::MIN_POSITIVE,
                f64::from_bits(1),
                f64::MAX,
                f64::MIN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                -f64::NAN,
                f64::from_bits(0xfff0_0000_0000_0001),
            ],
            any::<u64>().prop_map(f64::from_bits),
            Value::Double,
        ),
        SqlType::Decimal { precision, scale } => {
            let max = 10_i128.pow(u32::from(precision)) - 1;
            prop_oneof![prop::sample::select(vec![-max, max, 0, 1, -1]), -max..=max]
                .prop_map(move |unscaled| Value::Decimal {
                    unscaled,
                    precision,
                    scale,
                })
                .boxed()
        }
        SqlType::Char(n) => text(n)
            .prop_map(|v| Value::Text(v.trim_end_matches(' ').into()))
            .boxed(),
        SqlType::Varchar(n) => text(n.unwrap_or(300)).prop_map(Value::Text).boxed(),
        SqlType::Varbinary(n) => {
            let size = n.unwrap_or(40) as usize;
            prop_oneof![
                prop::collection::vec(
                    prop::sample::select(vec![0, 1, 0xfe, 0xff]),
                    0..=size.min(4)
                ),
                prop::collection::vec(any::<u8>(), 0..=size),
            ]
            .prop_map(Value::Binary)
            .boxed()
        }
        SqlType::Date => integer!(i32, Date),
        SqlType::Time => {
            let last = calendar::MICROS_PER_DAY - 1;
            odd(vec![0, 1, last], 0..=last, Value::Time)
        }
        SqlType::Timestamp => integer!(i64, Timestamp),
    }
}

/// [`any_value`], or NULL.
pub(crate) fn any_nullable(sql_type: SqlType) -> BoxedStrategy<Value> {
    prop_oneof![1 => Just(Value::Null), 6 => any_value(sql_type)].boxed()
}

/// A type and two of its values.
pub(crate) fn any_pair() -> impl Strategy<Value = (SqlType, Value, Value)> {
    prop::sample::select(TYPES).prop_flat_map(|sql_type| {
        (
            Just(sql_type),
            any_nullable(sql_type),
            any_nullable(sql_type),
        )
    })
}

fn text(limit: u32) -> BoxedStrategy<String> {
    let limit = limit as usize;
    let cut = move |text: String| text.chars().take(limit).collect::<String>();
    prop_oneof![
        prop::sample::select(TEXTS).prop_map(String::from),
        (prop::sample::select(TEXTS), prop::sample::select(TEXTS))
            .prop_map(|(a, b)| a.to_owned() + b),
        any::<String>(),
    ]
    .prop_map(cut)
    .boxed()
}
