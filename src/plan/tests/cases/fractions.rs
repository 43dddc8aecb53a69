//! Floats and decimals.

use super::super::{Grid, Key};
use super::check_all;
use crate::types::{SqlType, Value};

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
