//! Predicates written down, by kind.

use super::{Grid, Key};
use crate::types::{SqlType, Value};

fn check_all(grid: &Grid, predicates: &[&str]) {
    let wrong: Vec<String> = predicates
        .iter()
        .filter_map(|sql| {
            Some(format!(
                "{sql}\n    {}",
                grid.check(&grid.parse(sql)).err()?
            ))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Three columns of two types, of every value near the constants of the cases.
pub(super) fn abc(nullable: bool) -> Grid {
    let keys = vec![
        Key::new(
            "a",
            SqlType::Integer,
            [i32::MIN, 0, 1, 2, 3, 4, 5, i32::MAX],
        ),
        Key::new(
            "b",
            SqlType::Varchar(None),
            ["", "a", "a\0", "aa", "b", "x"],
        ),
        Key::new("c", SqlType::TinyInt, [-128_i8, 1, 2, 3, 127]),
    ];
    Grid::new(match nullable {
        true => keys.into_iter().map(Key::nullable).collect(),
        false => keys,
    })
}

/// Predicates on `abc`.
pub(super) const ABC: &[&str] = &[
    // One column.
    "a = 1",
    "1 = a",
    "a <> 1",
    "a < 3",
    "a <= 3",
    "a > 3",
    "a >= 3",
    "3 > a",
    "a BETWEEN 1 AND 3",
    "a NOT BETWEEN 1 AND 3",
    "a BETWEEN 3 AND 1",
    "a BETWEEN NULL AND 3",
    "a NOT BETWEEN NULL AND 3",
    "NOT (a BETWEEN 1 AND NULL)",
    "(a BETWEEN 1 AND NULL) IS NULL",
    "a IN (1, 3)",
    "a IN (3, 1, 3, 3)",
    "a IN (3, NULL, 1)",
    "a NOT IN (1, 3)",
    "a NOT IN (1, NULL)",
    "(a IN (1, NULL)) IS NULL",
    "(a NOT IN (1, NULL)) IS NOT TRUE",
    "a IN (1, 2, 3, 4, 5, 6, 7)",
    "a IS NULL",
    "a IS NOT NULL",
    "a = NULL",
    "NOT (a = NULL)",
    "a <> NULL",
    "a IS DISTINCT FROM 2",
    "a IS NOT DISTINCT FROM 2",
    "a IS DISTINCT FROM NULL",
    "a IS NOT DISTINCT FROM NULL",
    "NOT (a IS DISTINCT FROM 2)",
    "a > 3 AND a < 4",
    "a > 3 AND a < 5",
    "a >= 3 AND a <= 3",
    "a > 3 AND a < 3",
    "a < 3 OR a >= 3",
    "a < 3 OR a > 3 OR a = 3 OR a IS NULL",
    "a < 2 OR a > 4 OR a BETWEEN 1 AND 3",
    "a = 1 AND a = 2",
    "a = 1 AND a <> 1",
    "a IN (1, 2, 3) AND a > 1",
    "a IN (1, 2, 3) AND a NOT IN (2)",
    "a >= -2147483648",
    "a <= 2147483647",
    "a > 2147483647",
    "a < -2147483648",
    "a > 2147483646",
    "a <> 2147483647 AND a <> -2147483648",
    "b = ''",
    "b > ''",
    "b >= ''",
    "b < ''",
    "b = 'a'",
    "b > 'a' AND b < 'aa'",
    // Negation and the tests of truth.
    "NOT a = 1",
    "NOT (a > 1 AND a < 4)",
    "NOT (a > 1 OR b = 'x')",
    "NOT NOT a = 1",
    "NOT (a = 1 AND b = 'a' AND c = 1)",
    "(a = 1) IS TRUE",
    "(a = 1) IS FALSE",
    "(a = 1) IS NOT TRUE",
    "(a = 1) IS NOT FALSE",
    "(a = 1) IS UNKNOWN",
    "(a = 1) IS NOT UNKNOWN",
    "(a > 1 AND b > 'a') IS NOT TRUE",
    "(a > 1 AND b > 'a') IS NOT FALSE",
    "(a > 1 AND b > 'a') IS UNKNOWN",
    "(a > 1 OR b > 'a') IS UNKNOWN",
    "(a > 1 OR b > 'a') IS NOT UNKNOWN",
    "(a > 1 AND NULL) IS UNKNOWN",
    "NOT (a > 1 AND NULL)",
    "NOT (a > 1 OR NULL)",
    "a > 1 OR NULL",
    "((a = 1) IS NOT TRUE) IS FALSE",
    // Columns in key order.
    "a = 1 AND b = 'a'",
    "a = 1 AND b = 'a' AND c = 2",
    "a = 1 AND b > 'a'",
    "a = 1 AND b > 'a' AND c = 2",
    "a = 1 AND c = 2",
    "b = 'a' AND c = 2",
    "b = 'a'",
    "c = 2",
    "a > 1 AND b = 'a'",
    "a IN (1, 2) AND b = 'a'",
    "a IN (1, 2) AND b IN ('a', 'b') AND c IN (1, 3)",
    "a IN (1, 2) AND b BETWEEN 'a' AND 'b'",
    "a IN (1, 2) AND b BETWEEN 'a' AND 'b' AND c = 1",
    "a = 1 AND b = 'a' AND c > 1",
    "a = 1 AND b = 'a' AND c IS NOT NULL",
    "a = 1 AND b IS NULL AND c = 1",
    "a IS NULL AND b IS NULL AND c IS NULL",
    "(a = 1 OR a > 3) AND b = 'a'",
    "(a = 1 OR a > 3) AND b IN ('a', 'b') AND c = 1",
    "a = 1 AND b = 'a' AND v > 1",
    "a = 1 AND (b = 'a' OR v = 2)",
    "a = 1 OR v = 2",
    "(a = 1 AND v = 2) OR (a = 3 AND v = 1)",
    "(a = 1 AND v = 2) OR a = 3",
    "a = 1 AND c + 1 = 2",
    "a + 1 = 2",
    "a = c",
    "a = v AND b = 'x'",
    // OR over several columns.
    "(a = 1 AND b = 'a') OR (a = 2 AND b = 'b')",
    "(a = 1 AND b = 'a' AND c = 1) OR (a = 2 AND b = 'b' AND c = 2)",
    "(a = 1 AND b = 'a' AND c = 1) OR a = 2",
    "(a = 1 AND b = 'a') OR (a = 1 AND b > 'a')",
    "(a = 1 AND b >= 'a') OR (a = 1 AND b < 'a')",
    "a = 1 OR (a = 1 AND b = 'a')",
    "a > 2 OR (a = 3 AND b = 'a') OR a = 1",
    "(a = 1 AND b = 'a') OR (a = 2 AND c = 3)",
    "(a = 1 OR b = 'a') AND (a = 2 OR b = 'b')",
    "(a = 1 OR a = 2) AND (b = 'a' OR c = 1)",
    "b = 'a' OR c = 1",
    "((a = 1 OR a = 2) AND (b = 'a' OR b = 'b')) OR (a = 4 AND b > 'a')",
    // Row values, expanded.
    "a > 1 OR (a = 1 AND b > 'a')",
    "a > 1 OR (a = 1 AND b >= 'a')",
    "a < 3 OR (a = 3 AND b < 'a')",
    "a < 3 OR (a = 3 AND b <= 'a')",
    "a > 1 OR (a = 1 AND b > 'a') OR (a = 1 AND b = 'a' AND c > 1)",
    "a > 1 OR (a = 1 AND (b > 'a' OR (b = 'a' AND c > 1)))",
    "a < 3 OR (a = 3 AND (b < 'b' OR (b = 'b' AND c <= 2)))",
    "(a > 1 OR (a = 1 AND b > 'a')) AND (a < 3 OR (a = 3 AND b <= 'b'))",
    "(a > 1 OR (a = 1 AND b > 'a')) AND a = 1",
    "(a > 1 OR (a = 1 AND b > 'a')) AND b = 'b'",
    "NOT (a > 1 OR (a = 1 AND b > 'a'))",
    "a > 1 OR (a = 1 AND b < 'a')",
    "a = 2 AND (b > 'a' OR (b = 'a' AND c > 1))",
    "a <> 1 OR b <> 'a'",
    // LIKE.
    "b LIKE 'a%'",
    "b LIKE 'a'",
    "b LIKE '%'",
    "b LIKE ''",
    "b LIKE 'a_'",
    "b LIKE '_'",
    "b LIKE '%a'",
    "b LIKE 'a%a'",
    "b NOT LIKE 'a%'",
    "b NOT LIKE 'a_'",
    "NOT (b LIKE 'a%')",
    "(b LIKE 'a_') IS NOT TRUE",
    "(b LIKE 'a_') IS NOT FALSE",
    "(b LIKE 'a_') IS NULL",
    "(b LIKE 'a%') IS UNKNOWN",
    "b LIKE NULL",
    "b ILIKE 'A%'",
    "a = 1 AND b LIKE 'a%'",
    "a = 1 AND b LIKE 'a%' AND c = 1",
    "a IN (1, 2) AND b LIKE 'a_'",
    // Constants of other types.
    "a = 1.0",
    "a = 1.5",
    "a <> 1.5",
    "a < 1.5",
    "a >= 1.5",
    "a > -1.5",
    "a BETWEEN 0.5 AND 3.5",
    "a = 2147483648",
    "a < 2147483648",
    "a > 2147483648",
    "a > -2147483649",
    "a <> 2147483648",
    "a IN (1, 2147483648)",
    "a NOT IN (1, 2147483648)",
    "a IN (1, 1.5, 2.0)",
    "a = 99999999999999999999",
    "a < 99999999999999999999",
    "a = '1'",
    "a IN ('1', '3')",
    "a > '3'",
    "a = CAST(1 AS DOUBLE)",
    "a > CAST(1.5 AS DOUBLE)",
    "a < CAST('1e300' AS DOUBLE)",
    "c = 300",
    "c < 300",
    "c > -129",
    "c = 127",
    "c > 126",
    "c < -127",
    "c BETWEEN -1000 AND 1000",
    "a = 1 AND b = 'a' AND c = 2.0",
    // Literals alone.
    "TRUE",
    "FALSE",
    "NULL",
    "a = 1 AND TRUE",
    "a = 1 AND FALSE",
    "a = 1 OR TRUE",
];

#[test]
fn three_columns() {
    check_all(&abc(false), ABC);
}

#[test]
fn three_nullable_columns() {
    check_all(&abc(true), ABC);
}

#[test]
fn one_column() {
    let keys = || Key::new("a", SqlType::BigInt, [i64::MIN, -1, 0, 1, 5, i64::MAX]);
    let predicates = [
        "a = 1",
        "a = 1.0",
        "a = 1.5",
        "a IN (5, 1, 5)",
        "a <> 0",
        "a > 9223372036854775806",
        "a >= 9223372036854775808",
        "a < -9223372036854775808.5",
        "a = 9223372036854775807.0",
        "a = CAST(9223372036854775808 AS DOUBLE)",
        "a >= CAST(9223372036854775807 AS DOUBLE)",
        "a IS NULL",
        "a IS NULL OR a = 5",
        "a IS NULL OR a > 1",
        "a IS NULL OR a < 1",
    ];
    check_all(&Grid::new(vec![keys()]), &predicates);
    check_all(&Grid::new(vec![keys().nullable()]), &predicates);
}

#[test]
fn booleans() {
    let grid = |nullable: bool| {
        let key = |name| {
            let key = Key::new(name, SqlType::Boolean, [false, true]);
            if nullable { key.nullable() } else { key }
        };
        Grid::new(vec![key("p"), key("q")])
    };
    let predicates = [
        "p",
        "NOT p",
        "p AND q",
        "p OR q",
        "NOT (p AND q)",
        "NOT (p OR q)",
        "p AND NOT q",
        "p = TRUE",
        "p <> TRUE",
        "p > FALSE",
        "p >= FALSE",
        "p < FALSE",
        "p <= FALSE",
        "p < TRUE",
        "p IS TRUE",
        "p IS NOT TRUE",
        "p IS FALSE AND q",
        "p IS NOT FALSE",
        "p IS UNKNOWN",
        "p IS NOT UNKNOWN",
        "p IS NULL",
        "p IN (TRUE, FALSE)",
        "p IN (TRUE, NULL)",
        "p NOT IN (TRUE)",
        "p IS DISTINCT FROM TRUE",
        "(p AND q) IS NULL",
        "(p OR q) IS UNKNOWN",
        "(NOT p) IS NOT TRUE",
        "q",
        "p AND q IS NULL",
    ];
    check_all(&grid(false), &predicates);
    check_all(&grid(true), &predicates);
}

#[test]
fn unsigned_integers() {
    let keys = || {
        vec![
            Key::new("a", SqlType::UBigInt, [0_u64, 1, i64::MAX as u64, u64::MAX]),
            Key::new("b", SqlType::UTinyInt, [0_u8, 1, 254, 255]),
        ]
    };
    let predicates = [
        "a = 1",
        "a > -1",
        "a >= 0",
        "a < 0",
        "a = -1",
        "a <> -1",
        "a = 18446744073709551615",
        "a > 9223372036854775807",
        "a < 18446744073709551616",
        "a = 1 AND b = 255",
        "a = 1 AND b = 256",
        "a = 1 AND b < 256",
        "a = 1 AND b > 254",
        "a IN (0, 1) AND b <> 0",
        "a = 1.0 AND b = 254.5",
    ];
    check_all(&Grid::new(keys()), &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
}

#[test]
fn floats() {
    let (real, double) = (
        [
            f32::NEG_INFINITY,
            f32::MIN,
            -0.1,
            0.0,
            0.1,
            0.5,
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
        ],
        [
            f64::NEG_INFINITY,
            -1e300,
            -0.1,
            0.0,
            5e-324,
            0.1,
            0.5,
            f64::INFINITY,
            f64::NAN,
        ],
    );
    let keys = || {
        vec![
            Key::new("r", SqlType::Real, real),
            Key::new("d", SqlType::Double, double),
        ]
    };
    let predicates = [
        "r = 0.5",
        "r = 0.1",
        "r > 0.1",
        "r >= 0.1",
        "r < 0.1",
        "r = CAST(0.1 AS DOUBLE)",
        "r > CAST(0.1 AS DOUBLE)",
        "r < CAST('1e39' AS DOUBLE)",
        "r > CAST('1e39' AS DOUBLE)",
        "r = 0",
        "r = CAST('NaN' AS REAL)",
        "r < CAST('NaN' AS REAL)",
        "r >= CAST('NaN' AS REAL)",
        "r > CAST('NaN' AS DOUBLE)",
        "r <> CAST('NaN' AS REAL)",
        "r IS NULL",
        "r = 0.5 AND d = 0.1",
        "r = 0.5 AND d > 0.1",
        "r = 0.5 AND d <= CAST('-Infinity' AS DOUBLE)",
        "r = 0.5 AND d > CAST('Infinity' AS DOUBLE)",
        "r = 0.5 AND d = CAST('NaN' AS DOUBLE)",
        "r IN (0.5, 0.1, 0) AND d IN (0.1, 0.5)",
        "r = '0.1'",
        "r >= CAST('-Infinity' AS REAL)",
        "r = 0.5 AND d = CAST('5e-324' AS DOUBLE)",
    ];
    check_all(&Grid::new(keys()), &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
}

#[test]
fn decimals() {
    let decimal = |unscaled: i128| Value::Decimal {
        unscaled,
        precision: 5,
        scale: 2,
    };
    let keys = || {
        vec![
            Key {
                name: "d",
                sql_type: SqlType::Decimal {
                    precision: 5,
                    scale: 2,
                },
                values: [-99_999, -150, 0, 100, 101, 150, 99_999]
                    .map(decimal)
                    .to_vec(),
            },
            Key::new("a", SqlType::SmallInt, [1_i16, 2]),
        ]
    };
    let predicates = [
        "d = 1",
        "d = 1.0",
        "d = 1.01",
        "d = 1.011",
        "d > 1.005",
        "d >= 1.005",
        "d < 1.005",
        "d <= -1.505",
        "d > -1.505",
        "d = 1000",
        "d < 1000",
        "d > -1000",
        "d > 999.99",
        "d >= 999.985",
        "d = '1.5'",
        "d = 1.500000000000000000001",
        "d IN (1, 1.5, 1.011)",
        "d = CAST(1.5 AS DOUBLE)",
        "d > CAST(1.5 AS DOUBLE)",
        "d = 1 AND a = 1",
        "d BETWEEN 0.999 AND 1.009 AND a = 1",
        "d = 123456789012345678901234567890",
        "d < 123456789012345678901234567890",
    ];
    check_all(&Grid::new(keys()), &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
}

#[test]
fn texts() {
    let values = [
        "",
        "\0",
        "\0\0",
        "a",
        "a ",
        "a%",
        "a%b",
        "a\\",
        "a_",
        "az",
        "b",
        "é",
        "\u{10FFFF}",
    ];
    let keys = || vec![Key::new("s", SqlType::Varchar(Some(4)), values)];
    let predicates = [
        "s = 'a'",
        "s = 'a '",
        "s > 'a'",
        "s >= 'a' AND s < 'b'",
        "s = 'longer than the column'",
        "s < 'longer than the column'",
        "s LIKE 'a%'",
        r"s LIKE 'a\%'",
        r"s LIKE 'a\%%'",
        r"s LIKE 'a\_'",
        r"s LIKE 'a\\'",
        r"s LIKE 'a\\%'",
        r"s LIKE 'a\b%'",
        r"s LIKE 'a\'",
        "s LIKE 'a_'",
        "s LIKE 'a__'",
        "s LIKE 'a%%'",
        "s LIKE '%b'",
        "s LIKE '\u{10FFFF}%'",
        "s LIKE 'é%'",
        "s NOT LIKE 'a%'",
        "s LIKE 'a%' AND s <> 'a%'",
        "s LIKE 'a%' OR s LIKE 'az%' OR s LIKE 'b%'",
        "s IN ('', 'a', 'b')",
        "s NOT IN ('', 'a')",
        "'a' LIKE s",
        "s LIKE s",
    ];
    check_all(&Grid::new(keys()), &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
}

#[test]
fn char_drops_trailing_spaces() {
    let keys = || {
        vec![
            Key::new("s", SqlType::Char(4), ["", "a", "a b", "ab"]),
            Key::new("a", SqlType::Integer, [1, 2]),
        ]
    };
    let predicates = [
        "s = 'a'",
        "s = 'a   '",
        "s = 'a      '",
        "s > 'a '",
        "s <= 'a '",
        "s IN ('a ', 'ab  ') AND a = 1",
        "s BETWEEN 'a ' AND 'ab '",
        "s = '  '",
        "s LIKE 'a '",
        "s LIKE 'a %'",
        "s LIKE 'a% '",
        "s <> 'a '",
        "s IS DISTINCT FROM 'a '",
    ];
    let grid = Grid::new(keys());
    check_all(&grid, &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
    // The rows themselves, which DataFusion alone would not find.
    let typed = super::super::type_filters(vec![grid.parse("s = 'a   '")], &grid.def(0, None));
    let truth = grid.truth(&typed.unwrap()[0]).unwrap();
    assert_eq!(truth.iter().filter(|t| **t).count(), 2);
}

#[test]
fn binaries() {
    let values = [&b""[..], b"\0", b"\0\x01", b"a", b"\xff", b"\xff\xff"];
    let keys = || vec![Key::new("b", SqlType::Varbinary(None), values)];
    let predicates = [
        "b = X'61'",
        "b > X'00'",
        "b >= X''",
        "b < X'ffff'",
        "b IN (X'', X'ff')",
    ];
    check_all(&Grid::new(keys()), &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
}

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
