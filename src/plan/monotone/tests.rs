//! Functions against DataFusion's own evaluation, value by value.

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};

use datafusion::logical_expr::{ColumnarValue, Expr, Operator};
use datafusion::physical_expr_common::datum::apply_cmp;
use datafusion::scalar::ScalarValue;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::*;
use crate::plan::axis::Interval;
use crate::plan::tests::{Grid, Key};
use crate::types::SqlType;

const DAY: i64 = 86_400_000_000;

/// What DataFusion makes of a value.
#[derive(Debug, Clone, PartialEq)]
enum Found {
    Value(ScalarValue),
    Null,
    Error,
}

fn is_column(expr: &Expr) -> bool {
    matches!(expr, Expr::Column(_))
}

/// Random values of many magnitudes, always the same.
fn random(range: std::ops::RangeInclusive<i64>) -> Vec<i64> {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let value = (any::<i64>(), 0..63_u32).prop_map(|(value, shift)| value >> shift);
    let values = proptest::collection::vec(value, 150)
        .new_tree(&mut runner)
        .unwrap()
        .current();
    values.into_iter().filter(|v| range.contains(v)).collect()
}

/// The place of a value among cuts.
fn side(place: &Place, value: &Value) -> Ordering {
    let at = Cut::Before(value.clone());
    if at.order(&place.before) == Ordering::Less {
        Ordering::Less
    } else if at.order(&place.after) == Ordering::Less {
        Ordering::Equal
    } else {
        Ordering::Greater
    }
}

fn holds(set: &IntervalSet, value: &Value) -> bool {
    let point = Interval::new(Cut::Before(value.clone()), Cut::After(value.clone()));
    let point = IntervalSet::from_intervals(vec![point]);
    !set.clone().intersect(point).is_empty()
}

/// How DataFusion compares two results: `-0.0` equals `0.0`, and NaN is the largest.
fn order(a: &ScalarValue, b: &ScalarValue) -> Ordering {
    let holds = |op| {
        let sides = [a, b].map(|scalar| ColumnarValue::Scalar(scalar.clone()));
        let result = apply_cmp(op, &sides[0], &sides[1]).unwrap();
        matches!(result, ColumnarValue::Scalar(s) if s == ScalarValue::from(true))
    };
    match (holds(Operator::Lt), holds(Operator::Eq)) {
        (true, _) => Ordering::Less,
        (_, true) => Ordering::Equal,
        _ => Ordering::Greater,
    }
}

/// Compares functions of one column, called `x`, with DataFusion's.
fn check(sql_type: SqlType, values: Vec<Value>, functions: &[&str]) {
    let grid = Grid::new(vec![Key::new("x", sql_type, values.clone())]);
    let axis = Axis {
        sql_type,
        nullable: false,
    };
    // An error stops a query; where arithmetic overflows only a build with checks stops.
    let found: Vec<Vec<Found>> = functions
        .iter()
        .map(|sql| {
            let expr = grid.coerced(grid.parse(sql)).unwrap();
            let one = |row| match catch_unwind(AssertUnwindSafe(|| grid.value(&expr, row))) {
                Ok(Ok(scalar)) if scalar.is_null() => Found::Null,
                Ok(Ok(scalar)) => Found::Value(scalar),
                Ok(Err(_)) | Err(_) => Found::Error,
            };
            (0..values.len()).map(one).collect()
        })
        .collect();
    for (sql, found) in functions.iter().zip(found) {
        let expr = grid.coerced(grid.parse(sql)).unwrap();
        let (_, function) =
            read(&expr, &|e| is_column(e).then_some((0, axis))).unwrap_or_else(|| panic!("{sql}"));
        let nulls = function.nulls();
        let errors = function.errors().unwrap_or_default();
        for (value, found) in values.iter().zip(&found) {
            assert_eq!(
                holds(&nulls, value),
                *found == Found::Null,
                "{sql}: {value} is {found:?}"
            );
            assert_eq!(
                holds(&errors, value),
                *found == Found::Error,
                "{sql}: {value} is {found:?}"
            );
        }
        let results = || {
            let pairs = values.iter().zip(&found);
            pairs.filter_map(|(value, found)| match found {
                Found::Value(scalar) => Some((value, scalar)),
                _ => None,
            })
        };
        let mut placed = 0;
        for (_, constant) in results() {
            let Some(place) = function.place(constant) else {
                continue;
            };
            placed += 1;
            for (value, result) in results() {
                let (ours, theirs) = (side(&place, value), order(result, constant));
                assert_eq!(
                    ours, theirs,
                    "{sql}: {value} gives {result}, beside {constant}"
                );
            }
        }
        // All but those at the ends of what it can do.
        assert!(
            placed * 3 > results().count(),
            "{sql}: {placed} constants have a place"
        );
    }
}

fn times() -> Vec<i64> {
    let nanos = i64::MAX / 1_000;
    let days = [
        -719_528, -146_097, -25_508, -366, -1, 0, 11_016, 11_017, 15_826, 15_856, 106_750,
    ];
    let mut times: Vec<i64> = days
        .iter()
        .flat_map(|day| [-1, 0, 1, DAY / 2, DAY - 1].map(|offset| day * DAY + offset))
        .collect();
    times.extend([i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1]);
    // Around the ends of nanoseconds, of the days and months in which these lie, of the calendar.
    for end in [
        nanos,
        -nanos,
        -8_334_601_228_800_000_000,
        8_210_266_876_799_999_999,
    ] {
        times
            .extend([-40 * DAY, -DAY, -1_000_000, -2, -1, 0, 1, 2, DAY, 40 * DAY].map(|o| end + o));
    }
    times.extend(random(i64::MIN..=i64::MAX));
    times.sort_unstable();
    times.dedup();
    times
}

#[test]
fn timestamps() {
    let units = [
        "microsecond",
        "millisecond",
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "quarter",
        "year",
    ];
    let mut functions: Vec<String> = units
        .iter()
        .flat_map(|unit| {
            [
                format!("date_trunc('{unit}', x)"),
                format!("date_trunc('{unit}', CAST(x AS TIMESTAMP(9)))"),
                format!("CAST(date_trunc('{unit}', x) AS DATE)"),
            ]
        })
        .collect();
    for bin in [
        "'1 hour', x",
        "'7 days', x",
        "'1 nanosecond', x",
        "'1500 nanoseconds', x",
        "'3 microseconds', x",
        "'15 minutes', CAST(x AS TIMESTAMP(9)), CAST('2001-01-01T00:07:00.0000005' AS TIMESTAMP(9))",
        "'1 day', x, CAST('1969-12-31T23:59:59.9999995' AS TIMESTAMP(9))",
        "'100000 days', x",
        "'1 month', x",
        "'3 months', x",
        "'5 months', x, CAST('2000-01-31T10:00:00.5' AS TIMESTAMP(9))",
        "'1 year', x, CAST('2000-02-29' AS TIMESTAMP(9))",
        "'200 years', x",
    ] {
        functions.push(format!("date_bin(INTERVAL {bin})"));
    }
    for more in [
        "CAST(x AS DATE)",
        "to_date(x)",
        "CAST(x AS TIMESTAMP(9))",
        "CAST(CAST(x AS DATE) AS TIMESTAMP)",
        "date_part('year', x)",
        "extract(YEAR FROM CAST(x AS DATE))",
        "CAST(date_part('year', x) AS DOUBLE)",
        "date_trunc('month', CAST(x AS DATE))",
        "date_bin(INTERVAL '1 day', date_trunc('month', x))",
    ] {
        functions.push(more.to_owned());
    }
    let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
    let values = times().into_iter().map(Value::Timestamp).collect();
    check(SqlType::Timestamp, values, &functions);
}

#[test]
fn dates() {
    let ends = [
        106_751,
        -106_751,
        106_752,
        -106_752,
        95_026_601,
        95_026_602,
        -96_465_658,
        -96_465_659,
    ];
    let mut days: Vec<i64> = random(i64::from(i32::MIN)..=i64::from(i32::MAX));
    days.extend([
        i64::from(i32::MIN),
        i64::from(i32::MAX),
        -366,
        -1,
        0,
        1,
        11_016,
        11_017,
        15_826,
    ]);
    days.extend(
        ends.iter()
            .flat_map(|end| [end - 31, end - 1, *end, end + 1, end + 31]),
    );
    let values = days
        .into_iter()
        .map(|day| Value::Date(day as i32))
        .collect();
    check(
        SqlType::Date,
        values,
        &[
            "date_trunc('week', x)",
            "date_trunc('month', x)",
            "date_trunc('year', x)",
            "date_trunc('hour', x)",
            "to_date(x)",
            "CAST(x AS TIMESTAMP(9))",
            "date_part('year', x)",
            "date_bin(INTERVAL '7 days', CAST(x AS TIMESTAMP))",
            "date_bin(INTERVAL '1 month', CAST(x AS TIMESTAMP(9)))",
            "CAST(date_trunc('month', x) AS DATE)",
        ],
    );
}

#[test]
fn times_of_day() {
    let values = [0, 1, 999, 1_000, 59_999_999, 60_000_000, DAY / 2, DAY - 1];
    let units = ["microsecond", "millisecond", "second", "minute", "hour"];
    let functions: Vec<String> = units
        .iter()
        .map(|u| format!("date_trunc('{u}', x)"))
        .collect();
    let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
    check(SqlType::Time, values.map(Value::Time).to_vec(), &functions);
}

#[test]
fn floats() {
    let doubles = [
        0.0,
        5e-324,
        0.25,
        0.5,
        0.999_999,
        1.0,
        1.5,
        2.5,
        127.0,
        127.5,
        128.0,
        1e9,
        2_147_483_647.0,
        2_147_483_647.5,
        2_147_483_648.0,
        2_147_483_649.0,
        9_007_199_254_740_991.0,
        9_007_199_254_740_992.0,
        9_223_372_036_854_774_784.0,
        9_223_372_036_854_775_808.0,
        1e19,
        1e300,
        f64::MAX,
        f64::INFINITY,
    ];
    let mut doubles: Vec<f64> = doubles.iter().flat_map(|x| [*x, -*x + 0.0]).collect();
    doubles.push(f64::NAN);
    let reals: Vec<f32> = doubles.iter().map(|x| *x as f32 + 0.0).collect();
    let functions = [
        "floor(x)",
        "ceil(x)",
        "trunc(x)",
        "CAST(x AS INTEGER)",
        "CAST(x AS BIGINT)",
        "CAST(x AS TINYINT UNSIGNED)",
        "CAST(floor(x) AS SMALLINT)",
        "CAST(x AS DOUBLE)",
        "floor(CAST(x AS DOUBLE))",
    ];
    check(
        SqlType::Double,
        doubles.into_iter().map(Value::Double).collect(),
        &functions[..7],
    );
    check(
        SqlType::Real,
        reals.into_iter().map(Value::Real).collect(),
        &functions,
    );
}

#[test]
fn decimals_and_integers() {
    let unscaled = [
        0, 1, 49, 50, 99, 100, 101, 150, 99_899, 99_900, 99_901, 99_999,
    ];
    let decimal = |unscaled| Value::Decimal {
        unscaled,
        precision: 5,
        scale: 2,
    };
    let values = unscaled
        .iter()
        .flat_map(|v| [decimal(*v), decimal(-*v)])
        .collect();
    let sql_type = SqlType::Decimal {
        precision: 5,
        scale: 2,
    };
    check(
        sql_type,
        values,
        &["floor(x)", "ceil(x)", "trunc(x)", "floor(ceil(x))"],
    );
    let integers = random(i64::MIN..=i64::MAX)
        .into_iter()
        .chain([
            i64::MIN,
            -32_769,
            -32_768,
            -1,
            0,
            1,
            32_767,
            32_768,
            i64::MAX,
        ])
        .map(Value::BigInt)
        .collect();
    check(
        SqlType::BigInt,
        integers,
        &[
            "CAST(x AS SMALLINT)",
            "CAST(x AS INTEGER)",
            "CAST(x AS BIGINT UNSIGNED)",
            "CAST(x AS DOUBLE)",
            "CAST(x AS REAL)",
            "floor(CAST(x AS DOUBLE))",
            "CAST(CAST(x AS DOUBLE) AS INTEGER)",
        ],
    );
}

#[test]
fn what_is_not_monotone_is_not_read() {
    let grid = Grid::new(vec![Key::new(
        "x",
        SqlType::Timestamp,
        [Value::Timestamp(0)],
    )]);
    let axis = Axis {
        sql_type: SqlType::Timestamp,
        nullable: false,
    };
    for sql in [
        "date_part('month', x)",
        "date_bin(INTERVAL '-1 hour', x)",
        "date_bin(INTERVAL '0 hours', x)",
        "date_trunc('month', x) + INTERVAL '1 day'",
        "to_char(x, '%Y')",
        "TRY_CAST(x AS DATE)",
        "CAST(date_part('year', x) AS SMALLINT)",
        "date_trunc('year', date_bin(INTERVAL '1 day', x))",
        "CAST(x AS TIMESTAMP(3))",
    ] {
        let expr = grid.parse(sql);
        assert!(
            read(&expr, &|e| is_column(e).then_some((0, axis))).is_none(),
            "{sql}"
        );
    }
    // The chain has an end.
    let deep = format!("{}x{}", "to_date(".repeat(20), ")".repeat(20));
    assert!(read(&grid.parse(&deep), &|e| is_column(e).then_some((0, axis))).is_none());
}
