//! Booleans and whole numbers.

use super::super::{Grid, Key};
use super::check_all;
use crate::types::SqlType;

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
