//! Functions of key columns that become ranges.

use datafusion::prelude::lit;
use datafusion::scalar::ScalarValue;

use super::cases::check_all;
use super::{Grid, Key};
use crate::types::{SqlType, Value};

const DAY: i64 = 86_400_000_000;

/// 2013-05-01 in days.
const MAY: i64 = 15_826;

fn instants(times: &[i64]) -> Grid {
    let times = times.iter().map(|micros| Value::Timestamp(*micros));
    Grid::new(vec![
        Key::new("ts", SqlType::Timestamp, times).nullable(),
        Key::new("n", SqlType::TinyInt, [1_i8, 2]),
    ])
}

fn near(days: &[i64]) -> Vec<i64> {
    let around = [-1, 0, 1, DAY / 2, DAY - 1];
    days.iter()
        .flat_map(|day| around.iter().map(move |offset| day * DAY + offset))
        .collect()
}

#[test]
fn date_trunc_and_the_day() {
    // Before and after the epoch, around months, a leap day, a year that is no leap year, and far
    // towards the ends of what nanoseconds can say.
    let days = [
        -106_000,
        -25_508,
        -366,
        -1,
        0,
        11_016,
        11_017,
        MAY - 1,
        MAY,
        MAY + 30,
        106_000,
    ];
    let grid = instants(&near(&days));
    let mut predicates = Vec::new();
    for unit in [
        "microsecond",
        "millisecond",
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "quarter",
        "YEAR",
    ] {
        for op in ["=", "<>", "<", "<=", ">", ">="] {
            for constant in [
                "2013-05-01",
                "2013-04-29",
                "2013-04-01T00:00:00.5",
                "1969-12-31",
                "2000-01-01",
            ] {
                predicates.push(format!(
                    "date_trunc('{unit}', ts) {op} TIMESTAMP '{constant}'"
                ));
            }
        }
    }
    for op in [
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "IS DISTINCT FROM",
        "IS NOT DISTINCT FROM",
    ] {
        for constant in ["2013-05-01", "1969-12-31", "1970-01-01", "1899-12-31"] {
            predicates.push(format!("CAST(ts AS DATE) {op} DATE '{constant}'"));
            predicates.push(format!("to_date(ts) {op} DATE '{constant}'"));
            predicates.push(format!("DATE '{constant}' {op} ts::DATE"));
        }
    }
    for more in [
        "CAST(ts AS DATE) BETWEEN DATE '1969-12-31' AND DATE '2013-05-01'",
        "CAST(ts AS DATE) NOT BETWEEN DATE '1969-12-31' AND DATE '2013-05-01'",
        "CAST(ts AS DATE) IN (DATE '1969-12-31', DATE '2013-05-01')",
        "CAST(ts AS DATE) NOT IN (DATE '1969-12-31', DATE '2013-05-01')",
        "CAST(ts AS DATE) NOT IN (DATE '1969-12-31', NULL)",
        "CAST(ts AS DATE) IS NULL",
        "date_trunc('week', ts) IS NOT NULL",
        "NOT (date_trunc('month', ts) > TIMESTAMP '2013-05-01' AND n = 1)",
        "(date_trunc('month', ts) > TIMESTAMP '2013-05-01') IS UNKNOWN",
        "date_trunc('month', ts) = TIMESTAMP '2013-05-01' AND n = 2",
        "date_trunc('month', ts) IN (TIMESTAMP '2013-05-01', TIMESTAMP '2000-02-01')",
    ] {
        predicates.push(more.to_owned());
    }
    check_all(
        &grid,
        &predicates.iter().map(String::as_str).collect::<Vec<_>>(),
    );
}

#[test]
fn date_bin_is_null_beyond_nanoseconds() {
    let edge = i64::MAX / 1_000;
    let mut times = near(&[-1, 0, MAY, 106_000]);
    times.extend([
        i64::MIN,
        -edge - 1,
        -edge,
        -edge + 1,
        edge - 1,
        edge,
        edge + 1,
        i64::MAX,
    ]);
    let grid = instants(&times);
    let mut predicates = Vec::new();
    for bin in [
        "INTERVAL '1 hour', ts",
        "INTERVAL '7 days', ts",
        "INTERVAL '15 minutes', ts, TIMESTAMP '2001-01-01T00:07:00'",
        "INTERVAL '3 microseconds', ts",
        "INTERVAL '1 nanosecond', ts",
        "INTERVAL '1 month', ts",
    ] {
        for op in ["=", "<>", "<", "<=", ">", ">="] {
            for constant in ["2013-05-01", "1969-12-31T23:00:00", "2261-01-01"] {
                predicates.push(format!("date_bin({bin}) {op} TIMESTAMP '{constant}'"));
                predicates.push(format!("NOT (date_bin({bin}) {op} TIMESTAMP '{constant}')"));
            }
        }
        predicates.push(format!("date_bin({bin}) IS NULL"));
    }
    // The typed form keeps microseconds; with an origin DataFusion casts the column, which fails
    // on the far values.
    predicates.retain(|predicate| !predicate.contains("2001"));
    for predicate in &predicates {
        assert_eq!(grid.check(&grid.parse(predicate), None), Ok(()));
    }
    let grid = instants(&near(&[-1, 0, MAY]));
    let with_origin = "date_bin(INTERVAL '15 minutes', ts, TIMESTAMP '2001-01-01T00:07:00')";
    check_all(
        &grid,
        &[
            &format!("{with_origin} = TIMESTAMP '2013-04-30T23:52:00'"),
            &format!("{with_origin} > TIMESTAMP '2013-05-01'"),
            &format!("{with_origin} <= TIMESTAMP '1969-12-31T23:52:00'"),
        ],
    );
}

#[test]
fn functions_of_dates_and_times() {
    let days = [
        -1_i32,
        0,
        11_016,
        11_017,
        MAY as i32 - 1,
        MAY as i32,
        MAY as i32 + 1,
    ];
    let grid = Grid::new(vec![
        Key::new("d", SqlType::Date, days.map(Value::Date)).nullable(),
        Key::new(
            "t",
            SqlType::Time,
            [0, 1, DAY / 2 - 1, DAY / 2, DAY - 1].map(Value::Time),
        ),
    ]);
    check_all(
        &grid,
        &[
            "date_trunc('month', d) = TIMESTAMP '2013-05-01'",
            "date_trunc('month', d) <= TIMESTAMP '2000-02-29'",
            "date_trunc('week', d) > TIMESTAMP '1969-12-29'",
        ],
    );
    let time = |micros| lit(ScalarValue::Time64Microsecond(Some(micros)));
    let truncated = |unit: &str| grid.parse(&format!("date_trunc('{unit}', t)"));
    for predicate in [
        truncated("hour").eq(time(DAY / 2)),
        truncated("hour").lt(time(DAY / 2)),
        truncated("minute").gt_eq(time(DAY / 2 - 60_000_000)),
    ] {
        assert_eq!(grid.check(&predicate, Some(&predicate)), Ok(()));
    }
}

#[test]
fn floor_of_floats() {
    let doubles = [
        f64::NEG_INFINITY,
        f64::MIN,
        -9_007_199_254_740_993.0,
        -1.5,
        -1.0,
        -0.5,
        0.0,
        0.25,
        1.0,
        1.75,
        2.0,
        9_007_199_254_740_991.0,
        9_007_199_254_740_992.0,
        1e300,
        f64::INFINITY,
        f64::NAN,
    ];
    let reals = [
        f32::MIN,
        -1.5_f32,
        -0.25,
        0.0,
        0.5,
        1.0,
        16_777_215.0,
        16_777_216.0,
        f32::MAX,
    ];
    let grid = Grid::new(vec![
        Key::new("x", SqlType::Double, doubles.map(Value::Double)).nullable(),
        Key::new("r", SqlType::Real, reals.map(Value::Real)),
    ]);
    let mut predicates = Vec::new();
    for op in ["=", "<>", "<", "<=", ">", ">="] {
        for constant in [
            "0",
            "-1",
            "1.5",
            "-0.5",
            "1e300",
            "9007199254740992",
            "9007199254740991",
            "16777216",
        ] {
            predicates.push(format!("floor(x) {op} CAST('{constant}' AS DOUBLE)"));
            if constant != "1e300" {
                predicates.push(format!("floor(r) {op} CAST('{constant}' AS REAL)"));
            }
        }
    }
    check_all(
        &grid,
        &predicates.iter().map(String::as_str).collect::<Vec<_>>(),
    );
}

/// The functions are read, and what no value of theirs is equal to is nothing.
#[test]
fn the_plans_have_ranges() {
    let grid = instants(&near(&[MAY]));
    for (predicate, plan) in [
        (
            "date_trunc('month', ts) = TIMESTAMP '2013-05-01'",
            "RangeScan: t, unsalted, ranges [TIMESTAMP '2013-05-01T00:00:00' .. TIMESTAMP '2013-06-01T00:00:00')",
        ),
        (
            "date_trunc('month', ts) = TIMESTAMP '2013-05-02'",
            "Empty: t",
        ),
        (
            "CAST(ts AS DATE) = DATE '2013-05-01'",
            "RangeScan: t, unsalted, ranges [TIMESTAMP '2013-05-01T00:00:00' .. TIMESTAMP '2013-05-02T00:00:00')",
        ),
        (
            "date_bin(INTERVAL '1 hour', ts) = TIMESTAMP '2013-05-01T10:00:00'",
            "RangeScan: t, unsalted, ranges [TIMESTAMP '2013-05-01T10:00:00' .. TIMESTAMP '2013-05-01T11:00:00')",
        ),
    ] {
        assert_eq!(grid.explain(predicate, 0, None), plan, "{predicate}");
    }
}
