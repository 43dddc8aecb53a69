//! Order and limits: a merge of buckets, never a sort, and never a row too few.

use rocksalt::blocking::Database;

use super::{everywhere, texts};
use crate::support::*;

#[test]
fn order_by_the_key_is_key_order_and_every_limit_is_a_prefix() {
    everywhere(40, |db, salt, direction| {
        let ascending = texts(0..40);
        let descending = texts((0..40).rev());
        assert_eq!(rows(db, "SELECT k FROM t ORDER BY k"), ascending);
        assert_eq!(rows(db, "SELECT k FROM t ORDER BY k DESC"), descending);
        for limit in 1..=41 {
            for (order, all) in [("ASC", &ascending), ("DESC", &descending)] {
                let got = rows(
                    db,
                    &format!("SELECT k FROM t ORDER BY k {order} LIMIT {limit}"),
                );
                assert_eq!(
                    got,
                    all[..limit.min(40)],
                    "[{salt}], key {direction}, order {order}, limit {limit}"
                );
            }
        }
    });
}

#[test]
fn order_by_the_key_is_no_sort() {
    everywhere(5, |db, salt, direction| {
        for order in DIRECTIONS {
            let plan = plan(db, &format!("SELECT * FROM t ORDER BY k {order} LIMIT 3"));
            assert!(!plan.contains("Sort"), "[{salt}], key {direction}:\n{plan}");
            assert!(
                plan.contains("limit 3"),
                "[{salt}], key {direction}:\n{plan}"
            );
        }
    });
}

#[test]
fn limit_with_a_filter_that_is_no_key_range_still_finds_rows() {
    everywhere(200, |db, salt, direction| {
        // One row passes, wherever its bucket is.
        let got = rows(db, "SELECT k FROM t WHERE v = 39601 LIMIT 1");
        assert_eq!(got, ["199"], "[{salt}] {direction}");
        let got = rows(
            db,
            "SELECT count(*) FROM (SELECT k FROM t WHERE v >= 100 LIMIT 50)",
        );
        assert_eq!(got, ["50"]);
        let got = rows(
            db,
            "SELECT k FROM t WHERE v % 2 = 1 ORDER BY k DESC LIMIT 2 OFFSET 1",
        );
        assert_eq!(got, texts([197, 195]));
    });
}

#[test]
fn a_pool_of_one_thread_answers_merges_joins_and_more_buckets_than_threads() {
    let builder = rocksalt::Database::builder().threads(1);
    let db = Database::build_in_memory(builder).unwrap();
    for (table, buckets) in [("a", 256), ("b", 255)] {
        run(
            &db,
            &format!(
                "CREATE TABLE {table} (k INTEGER PRIMARY KEY, v INTEGER) SALT_BUCKETS = {buckets}"
            ),
        );
        let values: Vec<String> = (0..2_000).map(|k| format!("({k}, {})", k % 7)).collect();
        run(
            &db,
            &format!("UPSERT INTO {table} VALUES {}", values.join(", ")),
        );
    }
    let got = rows(
        &db,
        "SELECT count(*) FROM (SELECT k, v FROM a ORDER BY k) x \
         JOIN (SELECT k, v FROM b ORDER BY k DESC) y ON x.k = y.k",
    );
    assert_eq!(got, ["2000"]);
    let got = rows(
        &db,
        "SELECT k FROM a UNION ALL SELECT k FROM b ORDER BY k DESC LIMIT 3",
    );
    assert_eq!(got, ["1999", "1999", "1998"]);
}
