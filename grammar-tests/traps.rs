//! Mistakes that layers of this kind have made, each at several bucket counts and in both key
//! directions. Expected values are computed here, by arithmetic over the rows that were written.

use rocksalt::blocking::Database;
use rocksalt::{Value, params};

use crate::support::*;

/// A table of the keys `0..n`, the value being the key's square.
fn squares(salt: &str, direction: &str, n: i64) -> Database {
    let db = memory();
    run(
        &db,
        &format!("CREATE TABLE t (k BIGINT, v BIGINT, PRIMARY KEY (k {direction})){salt}"),
    );
    let values: Vec<String> = (0..n).map(|k| format!("({k}, {})", k * k)).collect();
    run(&db, &format!("UPSERT INTO t VALUES {}", values.join(", ")));
    db
}

fn everywhere(n: i64, check: impl Fn(&Database, &str, &str)) {
    for salt in SALTS {
        for direction in DIRECTIONS {
            check(&squares(salt, direction, n), salt, direction);
        }
    }
}

fn texts(keys: impl IntoIterator<Item = i64>) -> Vec<String> {
    keys.into_iter().map(|k| k.to_string()).collect()
}

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
fn is_distinct_from_ends_before_and() {
    everywhere(4, |db, salt, direction| {
        for (predicate, expected) in [
            ("k IS DISTINCT FROM 1 AND k < 3", texts([0, 2])),
            ("k IS NOT DISTINCT FROM 1 AND k < 3 OR k = 3", texts([1, 3])),
            ("NOT k IS DISTINCT FROM 1 + 1", texts([2])),
            (
                "k IS DISTINCT FROM NULL AND k IS NOT DISTINCT FROM 3",
                texts([3]),
            ),
        ] {
            let got = rows(db, &format!("SELECT k FROM t WHERE {predicate} ORDER BY k"));
            assert_eq!(got, expected, "[{salt}] {direction} {predicate}");
        }
    });
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
fn a_constant_of_another_type_loses_neither_a_row_nor_the_point_get() {
    let point = "PointGet: t";
    everywhere(20, |db, salt, direction| {
        for (predicate, expected, get) in [
            ("k = 5", texts([5]), true),
            ("k = 5.0", texts([5]), true),
            ("k = '5'", texts([5]), true),
            ("k = 5.5", texts([]), false),
            ("k = CAST(5 AS SMALLINT)", texts([5]), true),
            ("k = CAST(5 AS DOUBLE)", texts([5]), true),
            ("k < 2.5", texts(0..3), false),
            ("k <= 2.5", texts(0..3), false),
            ("k > 17.5", texts(18..20), false),
            ("k < 1e30", texts(0..20), false),
            ("k > -9223372036854775809", texts(0..20), false),
            ("k < 9223372036854775808", texts(0..20), false),
            ("k > 9223372036854775808", texts([]), false),
        ] {
            let sql = format!("SELECT k FROM t WHERE {predicate} ORDER BY k");
            assert_eq!(rows(db, &sql), expected, "[{salt}] {direction} {predicate}");
            if get {
                let plan = plan(db, &format!("SELECT k FROM t WHERE {predicate}"));
                assert!(plan.contains(point), "{predicate}:\n{plan}");
            }
        }
        let get = "SELECT k FROM t WHERE k = ?";
        assert_eq!(rows_with(db, get, params![5i16]), ["5"]);
        assert_eq!(rows_with(db, get, params!["5"]), ["5"]);
        assert_eq!(rows_with(db, get, params![5.0f64]), ["5"]);
        assert_eq!(rows_with(db, get, params![Value::Null]), [""; 0]);
    });
}

#[test]
fn a_number_beside_text_is_an_error_before_any_row_is_read() {
    for salt in SALTS {
        let db = after(&[&format!(
            "CREATE TABLE t (k VARCHAR PRIMARY KEY, c CHAR(3)){salt}"
        )]);
        for predicate in [
            "k = 5",
            "5 < k",
            "k IN ('a', 5)",
            "k BETWEEN 1 AND 2",
            "c = TRUE",
        ] {
            let error = db
                .explain(&format!("SELECT * FROM t WHERE {predicate}"))
                .unwrap_err();
            assert_eq!(
                error.kind(),
                rocksalt::ErrorKind::Invalid,
                "{predicate}: {error}"
            );
            assert!(
                error.message().contains("is no text"),
                "{predicate}: {error}"
            );
        }
    }
}

#[test]
fn a_timestamp_compared_with_a_date_does_not_overflow() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = memory();
            run(
                &db,
                &format!(
                    "CREATE TABLE t (d DATE, PRIMARY KEY (d {direction})){}",
                    salt
                ),
            );
            run(
                &db,
                "UPSERT INTO t VALUES ('0001-01-01'), ('1969-12-31'), ('2013-01-01'), ('9999-12-31')",
            );
            for (predicate, expected) in [
                ("d = TIMESTAMP '9999-12-31 00:00:00'", "9999-12-31"),
                ("d > TIMESTAMP '2013-01-01 12:00:00'", "9999-12-31"),
                ("d < TIMESTAMP '1969-12-31 00:00:00'", "0001-01-01"),
                (
                    "d >= TIMESTAMP '2013-01-01 00:00:00' AND d < TIMESTAMP '9999-12-31 00:00:00'",
                    "2013-01-01",
                ),
                ("d = DATE '9999-12-31'", "9999-12-31"),
                ("d = '9999-12-31'", "9999-12-31"),
            ] {
                let got = rows(&db, &format!("SELECT d FROM t WHERE {predicate}"));
                assert_eq!(got, [expected], "[{salt}] {direction} {predicate}");
            }
        }
    }
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

#[test]
fn a_parameter_in_an_aggregate_is_explained() {
    let db = after(&["CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER)"]);
    for sql in [
        "SELECT sum(n) FILTER (WHERE k > $1) FROM t",
        "SELECT sum(n) OVER (ORDER BY k + $1) FROM t",
    ] {
        assert!(plan(&db, sql).contains("$1"), "{}", plan(&db, sql));
        db.query(sql, params![1]).unwrap().collect().unwrap();
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
fn a_double_beside_a_decimal_stays_a_double() {
    let db = after(&[
        "CREATE TABLE d (k INTEGER PRIMARY KEY, r DOUBLE, x DECIMAL(5, 1))",
        "UPSERT INTO d VALUES (1, 1e-20, 0.5), (2, NULL, 0.5), (3, 1e300, 2.5)",
    ]);
    for (query, expected) in [
        (
            "SELECT coalesce(r, 0.0) FROM d ORDER BY k",
            vec!["1e-20", "0.0", "1e300"],
        ),
        (
            "SELECT CASE WHEN r IS NULL THEN 0.5 ELSE r END FROM d ORDER BY k",
            vec!["1e-20", "0.5", "1e300"],
        ),
        (
            "SELECT nullif(r, 0.0) FROM d ORDER BY k",
            vec!["1e-20", "NULL", "1e300"],
        ),
        (
            "SELECT r FROM d WHERE k = 3 UNION ALL SELECT 0.5 ORDER BY 1",
            vec!["0.5", "1e300"],
        ),
        ("SELECT k FROM d WHERE r IN (SELECT 0.5) ORDER BY k", vec![]),
        (
            "SELECT k FROM d WHERE r IN (0.5, 1e300, 7) ORDER BY k",
            vec!["3"],
        ),
        ("SELECT k FROM d WHERE r * 2 > 0.5 ORDER BY k", vec!["3"]),
        (
            "SELECT a.k, b.k FROM d a JOIN d b ON a.r > b.x ORDER BY a.k, b.k",
            vec!["3|1", "3|2", "3|3"],
        ),
        ("SELECT count(*) FROM d a JOIN d b ON a.r = b.x", vec!["0"]),
        (
            "SELECT k FROM d WHERE CASE r WHEN 1.5 THEN TRUE ELSE k = 3 END",
            vec!["3"],
        ),
    ] {
        assert_eq!(rows(&db, query), expected, "{query}");
    }
}

#[test]
fn microseconds_stay_microseconds_beside_dates_and_now() {
    for salt in SALTS {
        let db = after(&[
            &format!("CREATE TABLE d (k INTEGER PRIMARY KEY, t TIMESTAMP, dd DATE){salt}"),
            "UPSERT INTO d VALUES (1, '2262-05-01', '2013-01-01'), (2, '9999-12-31', '9999-12-31'), (3, '0001-01-01', '0002-01-01')",
        ]);
        for (query, expected) in [
            ("SELECT k FROM d WHERE t > dd ORDER BY k", vec!["1"]),
            ("SELECT k FROM d WHERE t = dd ORDER BY k", vec!["2"]),
            (
                "SELECT k FROM d WHERE dd < now() ORDER BY k",
                vec!["1", "3"],
            ),
            ("SELECT k FROM d WHERE t < now() ORDER BY k", vec!["3"]),
            (
                "SELECT k FROM d WHERE t < dd + INTERVAL '1' DAY ORDER BY k",
                vec!["2", "3"],
            ),
            (
                "SELECT coalesce(t, now()) FROM d WHERE k = 2",
                vec!["9999-12-31T00:00:00"],
            ),
            (
                "SELECT a.k FROM d a JOIN d b ON a.t = b.dd ORDER BY a.k",
                vec!["2"],
            ),
            (
                "SELECT max(t) FROM (SELECT t FROM d UNION ALL SELECT now())",
                vec!["9999-12-31T00:00:00"],
            ),
            ("SELECT k FROM d WHERE t IN (SELECT now())", vec![]),
        ] {
            assert_eq!(rows(&db, query), expected, "[{salt}] {query}");
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
