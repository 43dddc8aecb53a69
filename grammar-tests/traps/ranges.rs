//! Keys and key ranges: their ends, their number, and the rows in them.

use rocksalt::params;

use super::{everywhere, squares, texts};
use crate::support::*;

#[test]
fn an_open_end_reaches_the_last_row_of_every_bucket() {
    everywhere(600, |db, salt, direction| {
        for (predicate, expected) in [
            ("k >= 300", texts(300..600)),
            ("k > 598", texts(599..600)),
            ("k < 3", texts(0..3)),
            ("k <= 0", texts(0..1)),
            ("k >= 0", texts(0..600)),
            ("k < 600", texts(0..600)),
        ] {
            let got = rows(db, &format!("SELECT k FROM t WHERE {predicate} ORDER BY k"));
            assert_eq!(got, expected, "[{salt}], key {direction}, {predicate}");
        }
    });
}

#[test]
fn keys_of_all_ones_are_found() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = memory();
            run(
                &db,
                &format!(
                    "CREATE TABLE t (k BIGINT UNSIGNED, b VARBINARY, v INTEGER, \
                     PRIMARY KEY (k {direction}, b {direction})){}",
                    salt
                ),
            );
            let keys: Vec<(u64, Vec<u8>)> = [0, 1, u64::MAX - 1, u64::MAX]
                .into_iter()
                .flat_map(|k| {
                    [
                        vec![],
                        vec![0],
                        vec![0, 0],
                        vec![0xFF],
                        vec![0xFF, 0xFF],
                        vec![0xFF, 0x00],
                    ]
                    .map(|b| (k, b))
                })
                .collect();
            for (i, (k, b)) in keys.iter().enumerate() {
                db.execute(
                    "UPSERT INTO t VALUES (?, ?, ?)",
                    params![*k, b.clone(), i as i32],
                )
                .unwrap();
            }
            for (i, (k, b)) in keys.iter().enumerate() {
                let got = rows_with(
                    &db,
                    "SELECT v FROM t WHERE k = ? AND b = ?",
                    params![*k, b.clone()],
                );
                assert_eq!(got, [i.to_string()]);
                let greater = keys.iter().filter(|(x, y)| x == k && y > b).count();
                let got = rows_with(
                    &db,
                    "SELECT count(*) FROM t WHERE k = ? AND b > ?",
                    params![*k, b.clone()],
                );
                assert_eq!(
                    got,
                    [greater.to_string()],
                    "[{salt}] {direction} {k} {b:02x?}"
                );
                let at_least = keys.iter().filter(|(x, _)| x >= k).count();
                let got = rows_with(&db, "SELECT count(*) FROM t WHERE k >= ?", params![*k]);
                assert_eq!(got, [at_least.to_string()]);
            }
        }
    }
}

#[test]
fn equal_values_in_different_rows_are_all_returned() {
    everywhere(10, |db, _, _| {
        run(db, "UPDATE t SET v = 1");
        let got = rows(db, "SELECT v FROM t WHERE k < 4 OR k BETWEEN 2 AND 7");
        assert_eq!(got, vec!["1"; 8]);
    });
}

#[test]
fn a_list_of_five_thousand_keys_is_five_thousand_gets() {
    let list: Vec<String> = (0..5_000).map(|k| (k * 2).to_string()).collect();
    for salt in [SALTS[0], SALTS[2], SALTS[4]] {
        let db = squares(salt, "ASC", 1_000);
        let sql = format!(
            "SELECT count(*), sum(k) FROM t WHERE k IN ({})",
            list.join(", ")
        );
        let evens = (0..1_000).filter(|k| k % 2 == 0);
        let expected = format!("{}|{}", evens.clone().count(), evens.sum::<i64>());
        assert_eq!(rows(&db, &sql), [expected]);
        assert!(
            plan(&db, &sql).contains("PointGet: t"),
            "{}",
            plan(&db, &sql)
        );
    }
}

#[test]
fn five_thousand_terms_of_or_do_not_overflow_the_stack() {
    let terms: Vec<String> = (0..5_000).map(|k| format!("k = {k}")).collect();
    let db = squares(SALTS[3], "ASC", 100);
    let sql = format!("SELECT count(*) FROM t WHERE {}", terms.join(" OR "));
    assert_eq!(rows(&db, &sql), ["100"]);
    let terms: Vec<String> = (0..5_000)
        .map(|k| format!("(k > {k} AND v = {k})"))
        .collect();
    let sql = format!("SELECT count(*) FROM t WHERE {}", terms.join(" OR "));
    // v = k * k: a square below 5,000 that is less than its root, which there is none of.
    assert_eq!(rows(&db, &sql), ["0"]);
}

#[test]
fn a_product_of_lists_beyond_the_limit_loses_no_row() {
    for salt in SALTS {
        let db = memory();
        run(
            &db,
            &format!(
                "CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER, PRIMARY KEY (a, b, c)){}",
                salt
            ),
        );
        let values: Vec<String> = (0..10)
            .flat_map(|a| {
                (0..10).flat_map(move |b| (0..10).map(move |c| format!("({a}, {b}, {c})")))
            })
            .collect();
        run(&db, &format!("UPSERT INTO t VALUES {}", values.join(", ")));
        let list: Vec<String> = (0..40).map(|i| (i * 2).to_string()).collect();
        let list = list.join(", ");
        let sql = format!(
            "SELECT count(*) FROM t WHERE a IN ({list}) AND b IN ({list}) AND c IN ({list})"
        );
        assert_eq!(rows(&db, &sql), ["125"]);
    }
}

#[test]
fn a_statement_that_reads_the_table_it_writes_reads_its_snapshot() {
    everywhere(50, |db, _, _| {
        run(db, "UPSERT INTO t SELECT k + 25, v FROM t");
        assert_eq!(rows(db, "SELECT count(*), max(k) FROM t"), ["75|74"]);
        assert_eq!(rows(db, "SELECT v FROM t WHERE k = 74"), ["2401"]);
        run(db, "UPDATE t SET k = k + 1000");
        assert_eq!(rows(db, "SELECT count(*), min(k) FROM t"), ["75|1000"]);
        run(
            db,
            "DELETE FROM t WHERE k IN (SELECT k + 1 FROM t WHERE k < 1010)",
        );
        assert_eq!(rows(db, "SELECT count(*) FROM t"), ["65"]);
    });
}
