//! Dates, times of day, timestamps.

use super::super::{Grid, Key};
use super::check_all;
use crate::types::{SqlType, Value};

const DAY: i64 = 86_400_000_000;

#[test]
fn dates_and_timestamps() {
    let (date, year_9999) = (15_706_i32, 2_932_896_i32);
    let at = |days: i32, micros: i64| Value::Timestamp(i64::from(days) * DAY + micros);
    let keys = || {
        vec![
            Key {
                name: "d",
                sql_type: SqlType::Date,
                values: [-1, 0, date - 1, date, date + 1, year_9999]
                    .map(Value::Date)
                    .to_vec(),
            },
            Key {
                name: "ts",
                sql_type: SqlType::Timestamp,
                values: vec![
                    at(-1, 0),
                    at(0, 0),
                    at(date, -1),
                    at(date, 0),
                    at(date, 1),
                    at(date, DAY / 2),
                    at(year_9999, 0),
                    at(year_9999, 1),
                ],
            },
        ]
    };
    let predicates = [
        "d = DATE '2013-01-01'",
        "d = '2013-01-01'",
        "d = TIMESTAMP '2013-01-01T00:00:00'",
        "d = TIMESTAMP '2013-01-01T12:00:00'",
        "d <> TIMESTAMP '2013-01-01T12:00:00'",
        "d < TIMESTAMP '2013-01-01T12:00:00'",
        "d <= TIMESTAMP '2013-01-01T12:00:00'",
        "d > TIMESTAMP '2013-01-01T12:00:00'",
        "d >= TIMESTAMP '2013-01-01T12:00:00'",
        "NOT (d = TIMESTAMP '2013-01-01T12:00:00')",
        "d IS DISTINCT FROM TIMESTAMP '2013-01-01T12:00:00'",
        "d IS NOT DISTINCT FROM TIMESTAMP '2013-01-01T12:00:00'",
        "d IN (DATE '2013-01-01', TIMESTAMP '2013-01-01T12:00:00')",
        "d BETWEEN TIMESTAMP '2012-12-31T12:00:00' AND TIMESTAMP '2013-01-01T12:00:00'",
        "d NOT BETWEEN TIMESTAMP '2012-12-31T12:00:00' AND TIMESTAMP '2013-01-01T12:00:00'",
        "d < TIMESTAMP '1969-12-31T12:00:00'",
        "d = DATE '9999-12-31'",
        "d < DATE '9999-12-31'",
        "d = DATE '2013-01-01' AND ts = DATE '2013-01-01'",
        "d = DATE '2013-01-01' AND ts >= DATE '2013-01-01' AND ts < DATE '2013-01-02'",
        "d = DATE '2013-01-01' AND ts > TIMESTAMP '2013-01-01T00:00:00.0000005'",
        "d = DATE '2013-01-01' AND ts = TIMESTAMP '2013-01-01T00:00:00.0000005'",
        "d = DATE '2013-01-01' AND ts <= TIMESTAMP '2013-01-01T00:00:00.000001'",
        "d = '2013-01-01' AND ts >= '2013-01-01T12:00:00'",
        "d = '2013-01-01' AND ts = '2013-01-01T00:00:00.0000005'",
        "d = '2013-01-01' AND ts > '2013-01-01T00:00:00.0000005'",
        "d = DATE '2013-01-01' AND ts = DATE '9999-12-31'",
        "d = DATE '2013-01-01' AND ts > DATE '9999-12-31'",
        "d = DATE '9999-12-31' AND ts <= '9999-12-31'",
        "d > '2013-01-01' OR (d = '2013-01-01' AND ts > '2013-01-01')",
    ];
    check_all(&Grid::new(keys()), &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
}

#[test]
fn times() {
    let hour = 3_600_000_000_i64;
    let values = [0, 1, 10 * hour, 10 * hour + 1, 24 * hour - 1]
        .map(Value::Time)
        .to_vec();
    let keys = || {
        vec![Key {
            name: "t",
            sql_type: SqlType::Time,
            values: values.clone(),
        }]
    };
    let predicates = [
        "t = '10:00:00'",
        "t = TIME '10:00:00'",
        "t > TIME '10:00:00'",
        "t <= '10:00:00.0000005'",
        "t > '10:00:00.0000005'",
        "t IN ('00:00:00', '10:00:00')",
    ];
    check_all(&Grid::new(keys()), &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
}
