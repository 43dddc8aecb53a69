//! Lists of values, and queries in their place: repeats, NULL, three-valued logic.

use rocksalt::blocking::Database;

use super::{everywhere, texts};
use crate::support::*;

#[test]
fn lists_with_repeats_and_nulls_and_overlapping_ranges_give_each_row_once() {
    everywhere(30, |db, salt, direction| {
        for (predicate, expected) in [
            ("k IN (3, 3, 5, 3)", texts([3, 5])),
            ("k IN (3, NULL, 5)", texts([3, 5])),
            ("k NOT IN (3, NULL)", texts([])),
            (
                "k IN (1, 2, 3, 40) AND k IN (2, 3, 4) AND k > 2",
                texts([3]),
            ),
            ("k = 1 OR k = 1 OR k = 2", texts([1, 2])),
            (
                "k BETWEEN 3 AND 8 OR k BETWEEN 5 AND 10 OR k = 10",
                texts(3..=10),
            ),
            ("k < 2 OR k >= 29 OR k IN (0, 29)", texts([0, 1, 29])),
            ("k > 5 AND k < 5", texts([])),
            ("k = 5 AND k = 6", texts([])),
            ("k = NULL", texts([])),
            ("k <> 7 AND k BETWEEN 6 AND 8", texts([6, 8])),
            ("NOT (k < 3 OR k > 4)", texts([3, 4])),
        ] {
            let got = rows(db, &format!("SELECT k FROM t WHERE {predicate} ORDER BY k"));
            assert_eq!(got, expected, "[{salt}], key {direction}, {predicate}");
            let count = rows(db, &format!("SELECT count(*) FROM t WHERE {predicate}"));
            assert_eq!(count, [expected.len().to_string()], "{predicate}");
        }
    });
}

#[test]
fn lists_of_constants_of_other_types_are_compared_by_value() {
    for salt in SALTS {
        let db = after(&[
            &format!("CREATE TABLE s (k DECIMAL(10, 2) PRIMARY KEY, f REAL, d DOUBLE){salt}"),
            "UPSERT INTO s VALUES (1, 1, 1), (0, 0, 0)",
        ]);
        for (predicate, expected) in [
            ("k IN (0, 5.001) AND k IN (0, 1)", vec!["0.00"]),
            ("k IN (0, 5.001) OR k NOT IN (0, 1)", vec!["0.00"]),
            ("k IN (0, 5.001) AND k NOT IN (0, 1)", vec![]),
            (
                "k NOT IN (0, 5.001, 6, 7, 8) AND k IN (0, 1, 2, 3, 4)",
                vec!["1.00"],
            ),
            (
                "k NOT IN (0, 5.001, 6, 7, 8) OR k NOT IN (0, 1, 2, 3, 4)",
                vec!["1.00"],
            ),
            ("f IN (0, 0.1) AND f IN (0, 1)", vec!["0.00"]),
            ("d IN (0, 0.1) AND d IN (0, 1)", vec!["0.00"]),
        ] {
            let got = rows(
                &db,
                &format!("SELECT k FROM s WHERE {predicate} ORDER BY k"),
            );
            assert_eq!(got, expected, "[{salt}] {predicate}");
        }
    }
}

/// A table of `k BIGINT NULL` with NULL and 1..=9, keyed or not.
fn nullable(salt: &str, direction: &str) -> [Database; 2] {
    [
        format!("k BIGINT NULL, id INTEGER, PRIMARY KEY (k {direction}, id)"),
        format!("k BIGINT, id INTEGER, PRIMARY KEY (id {direction})"),
    ]
    .map(|columns| {
        let db = after(&[&format!("CREATE TABLE t ({columns}){salt}")]);
        let values: Vec<String> = (1..10).map(|k| format!("({k}, {k})")).collect();
        run(
            &db,
            &format!("UPSERT INTO t VALUES (NULL, 0), {}", values.join(", ")),
        );
        db
    })
}

#[test]
fn lists_that_exclude_each_other_know_null() {
    // Each predicate as a function of one value: three-valued logic by hand.
    type Predicate = fn(i64) -> bool;
    let cases: [(&str, Predicate); 8] = [
        ("k IN (1, 2) AND k IN (3, 4)", |_| false),
        ("k IN (1, 2, 3, 4) AND k IN (4, 5, 6, 7)", |k| k == 4),
        ("k NOT IN (1, 2, 3, 4) OR k NOT IN (5, 6, 7, 8)", |_| true),
        ("k NOT IN (1, 2, 3) AND k IN (1)", |_| false),
        ("k IN (1, 2, 3, 4, 5) OR k NOT IN (2, 3, 4, 5)", |_| true),
        ("(k = 1 OR k = 2) AND (k = 3 OR k = 4)", |_| false),
        ("k <> 1 OR k <> 2", |_| true),
        (
            "k IN (1, 2, 3, 4) AND (k NOT IN (1, 2) AND k NOT IN (3, 4))",
            |_| false,
        ),
    ];
    for salt in [SALTS[0], SALTS[2], SALTS[3]] {
        for direction in DIRECTIONS {
            for db in nullable(salt, direction) {
                for (predicate, holds) in &cases {
                    let ids = |wanted: bool| texts((1..10).filter(|k| holds(*k) == wanted));
                    let query = |condition: &str| {
                        rows(
                            &db,
                            &format!("SELECT id FROM t WHERE {condition} ORDER BY id"),
                        )
                    };
                    assert_eq!(
                        query(predicate),
                        ids(true),
                        "[{salt}] {direction} {predicate}"
                    );
                    let not = format!("NOT ({predicate})");
                    assert_eq!(query(&not), ids(false), "[{salt}] {direction} {not}");
                    assert_eq!(
                        query(&format!("({predicate}) IS NULL")),
                        ["0"],
                        "{predicate}"
                    );
                }
            }
        }
    }
}

#[test]
fn in_a_query_knows_null_wherever_it_stands() {
    for salt in SALTS {
        let db = after(&[
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, s VARCHAR){salt}"),
            "UPSERT INTO t VALUES (1, 'a'), (2, NULL), (3, 'b')",
        ]);
        // By hand: of the values 'a', NULL, 'b' against (NULL, 'b'), ('b') and ().
        let (null_b, b, none) = (
            "(SELECT s FROM t WHERE k > 1)",
            "(SELECT s FROM t WHERE k = 3)",
            "(SELECT s FROM t WHERE k = 9)",
        );
        for (predicate, expected) in [
            (format!("s NOT IN {null_b} OR k = 77"), texts([])),
            (format!("s NOT IN {null_b} OR k = 1"), texts([1])),
            (format!("s NOT IN {b} OR k = 77"), texts([1])),
            (format!("s NOT IN {none} OR k = 77"), texts([1, 2, 3])),
            (format!("s IN {null_b} OR k = 1"), texts([1, 3])),
            (format!("NOT (s IN {null_b} AND k < 77)"), texts([])),
            (format!("NOT (s IN {b} AND k < 77)"), texts([1])),
            (format!("(s IN {null_b}) IS NULL"), texts([1, 2])),
            (format!("(s NOT IN {b}) IS NULL"), texts([2])),
            (format!("s NOT IN {null_b}"), texts([])),
            (format!("NOT s IN {b}"), texts([1])),
            (format!("s NOT IN {none}"), texts([1, 2, 3])),
            (
                "s NOT IN (SELECT u.s FROM t u WHERE u.k = t.k + 1) OR k = 77".to_owned(),
                texts([3]),
            ),
        ] {
            let got = rows(
                &db,
                &format!("SELECT k FROM t WHERE {predicate} ORDER BY k"),
            );
            assert_eq!(got, expected, "[{salt}] {predicate}");
        }
        let deleted = affected(
            &db,
            &format!("DELETE FROM t WHERE s NOT IN {null_b} OR k = 77"),
        );
        assert_eq!(deleted, 0, "[{salt}]");
    }
}

/// Numbers of so many digits on either side of the point that no DECIMAL holds them all.
#[test]
fn lists_of_numbers_without_a_common_type() {
    let wide = format!("1{}", "0".repeat(37));
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = memory();
            run(
                &db,
                &format!(
                    "CREATE TABLE t (k DECIMAL(5, 0), v DECIMAL(5, 0), PRIMARY KEY (k {direction})){salt}"
                ),
            );
            run(&db, "UPSERT INTO t VALUES (3, 3), (4, 4), (5, NULL)");
            for column in ["k", "v"] {
                let keys = |list: &str| {
                    let condition = list.replace("WIDE", &wide);
                    let sql = format!("SELECT k FROM t WHERE {column} {condition} ORDER BY k");
                    rows(&db, &sql)
                };
                let all = if column == "k" { 3..6 } else { 3..5 };
                assert_eq!(keys("NOT IN (WIDE, 4.345)"), texts(all), "{column}{salt}");
                assert_eq!(keys("IN (WIDE, 4.345)"), texts([]), "{column}{salt}");
                assert_eq!(keys("IN (4.0, WIDE, 4.345)"), texts([4]), "{column}{salt}");
                assert_eq!(
                    keys("NOT IN (-WIDE, 4.345, 4)"),
                    keys("NOT IN (4)"),
                    "{column}{salt}"
                );
                assert_eq!(
                    keys("NOT IN (WIDE, 4.345, NULL)"),
                    texts([]),
                    "{column}{salt}"
                );
            }
        }
    }
}
