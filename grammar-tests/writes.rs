//! What each writing statement leaves in a table, at several bucket counts.

use rocksalt::{Value, params};

use crate::support::{SALTS, affected, after, error, memory, rows, run};

/// A table in each way of salting, with three rows.
fn each_table(test: impl Fn(&rocksalt::blocking::Database)) {
    for salt in SALTS {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR, n BIGINT DEFAULT 7){salt}"),
        );
        run(
            &db,
            "UPSERT INTO t VALUES (1, 'a', 10), (2, 'b', 20), (3, NULL, NULL)",
        );
        test(&db);
    }
}

const ALL: &str = "SELECT * FROM t ORDER BY k";

#[test]
fn upsert_replaces_whole_rows() {
    each_table(|db| {
        assert_eq!(
            affected(db, "UPSERT INTO t VALUES (2, 'x', NULL), (4, 'd', 40)"),
            2
        );
        assert_eq!(
            rows(db, ALL),
            ["1|a|10", "2|x|NULL", "3|NULL|NULL", "4|d|40"]
        );
    });
}

#[test]
fn upsert_of_some_columns_keeps_the_others() {
    each_table(|db| {
        run(db, "UPSERT INTO t (v, k) VALUES ('x', 2), ('y', 5)");
        assert_eq!(rows(db, ALL), ["1|a|10", "2|x|20", "3|NULL|NULL", "5|y|7"]);
        run(db, "UPSERT INTO t (k) VALUES (1), (6)");
        assert_eq!(
            rows(db, ALL),
            ["1|a|10", "2|x|20", "3|NULL|NULL", "5|y|7", "6|NULL|7"]
        );
    });
}

#[test]
fn of_the_same_key_twice_the_last_wins() {
    each_table(|db| {
        run(
            db,
            "UPSERT INTO t VALUES (1, 'x', 1), (1, 'y', 2), (9, 'p', 3), (9, 'q', 4)",
        );
        assert_eq!(rows(db, ALL), ["1|y|2", "2|b|20", "3|NULL|NULL", "9|q|4"]);
        run(
            db,
            "UPSERT INTO t SELECT 1, v, n FROM t WHERE n IS NOT NULL ORDER BY n DESC",
        );
        assert_eq!(rows(db, "SELECT v FROM t WHERE k = 1"), ["y"]);
        run(
            db,
            "UPSERT INTO t SELECT 1, v, n FROM t WHERE n IS NOT NULL ORDER BY n",
        );
        assert_eq!(rows(db, "SELECT v FROM t WHERE k = 1"), ["b"]);
    });
}

#[test]
fn values_may_be_any_expression() {
    each_table(|db| {
        run(
            db,
            "UPSERT INTO t VALUES (1 + 3, upper('x') || 'y', (SELECT max(n) FROM t) * 2), \
             (5, DEFAULT, DEFAULT), (-6, CASE WHEN 1 < 2 THEN 'lt' END, CAST('8' AS BIGINT))",
        );
        assert_eq!(
            rows(db, "SELECT * FROM t WHERE k NOT IN (1, 2, 3) ORDER BY k"),
            ["-6|lt|8", "4|Xy|40", "5|NULL|7"]
        );
    });
}

#[test]
fn parameters_by_place_and_by_name() {
    each_table(|db| {
        db.execute("UPSERT INTO t VALUES (?, ?, ?)", params![4, "d", 40i64])
            .unwrap();
        db.execute("UPSERT INTO t VALUES ($2, $1, $2)", params!["e", 5])
            .unwrap();
        db.execute(
            "UPSERT INTO t VALUES (:k, :v, :k * 10)",
            params! { v: "f", k: 6 },
        )
        .unwrap();
        // A text is a quoted literal: it takes the column's type.
        db.execute(
            "UPSERT INTO t VALUES (?, ?, ?)",
            params!["7", "g", Value::Null],
        )
        .unwrap();
        assert_eq!(
            rows(db, "SELECT * FROM t WHERE k > 3 ORDER BY k"),
            ["4|d|40", "5|e|5", "6|f|60", "7|g|NULL"]
        );
        let update = "UPDATE t SET v = :v, n = n + :n WHERE k = :k";
        assert_eq!(
            db.execute(update, params! { v: "z", n: 1, k: 4 }).unwrap(),
            1
        );
        assert_eq!(
            db.execute("DELETE FROM t WHERE k = ?", params!["5"])
                .unwrap(),
            1
        );
        assert_eq!(rows(db, "SELECT * FROM t WHERE k IN (4, 5)"), ["4|z|41"]);
    });
}

#[test]
fn upsert_select_reads_its_own_table_as_it_was() {
    each_table(|db| {
        assert_eq!(affected(db, "UPSERT INTO t SELECT k + 1, v, n FROM t"), 3);
        assert_eq!(rows(db, ALL), ["1|a|10", "2|a|10", "3|b|20", "4|NULL|NULL"]);
        assert_eq!(
            affected(db, "UPSERT INTO t SELECT k + 10, v, n FROM t WHERE k > 100"),
            0
        );
    });
}

#[test]
fn upsert_select_between_tables_of_different_salt() {
    for salt in SALTS {
        for other in SALTS {
            let db = memory();
            run(
                &db,
                &format!("CREATE TABLE a (x INTEGER, y VARCHAR, PRIMARY KEY (y, x)){salt}"),
            );
            run(
                &db,
                &format!("CREATE TABLE b (x BIGINT PRIMARY KEY DESC, y VARCHAR){other}"),
            );
            run(&db, "UPSERT INTO a VALUES (1, 'p'), (2, 'q'), (3, 'p')");
            assert_eq!(affected(&db, "UPSERT INTO b SELECT x, y FROM a"), 3);
            assert_eq!(
                rows(&db, "SELECT * FROM b ORDER BY x"),
                ["1|p", "2|q", "3|p"]
            );
            run(
                &db,
                "UPSERT INTO a (y, x) SELECT y, x * 10 FROM b WHERE y = 'p'",
            );
            assert_eq!(
                rows(&db, "SELECT y, x FROM a ORDER BY y, x"),
                ["p|1", "p|3", "p|10", "p|30", "q|2"]
            );
        }
    }
}

#[test]
fn upsert_select_takes_constants_as_values_do() {
    let db = after(&[
        "CREATE TABLE d (k INTEGER PRIMARY KEY, day DATE, amount DECIMAL(6, 2), name CHAR(5))",
        "CREATE TABLE s (k INTEGER PRIMARY KEY)",
        "UPSERT INTO s VALUES (1), (2)",
    ]);
    run(
        &db,
        "UPSERT INTO d SELECT k, '2013-01-31', '1.005', 'ab   ' FROM s",
    );
    assert_eq!(
        rows(&db, "SELECT * FROM d ORDER BY k"),
        ["1|2013-01-31|1.01|ab", "2|2013-01-31|1.01|ab"]
    );
    db.execute(
        "UPSERT INTO d SELECT k + 2, ?, ?, ? FROM s",
        params!["2013-02-01", "2", "x"],
    )
    .unwrap();
    assert_eq!(
        rows(&db, "SELECT * FROM d WHERE k = 4"),
        ["4|2013-02-01|2.00|x"]
    );
    // A text that is computed is no literal.
    insta::assert_snapshot!(
        error(&db, "UPSERT INTO d (k, day) SELECT k, '2013-01-' || '31' FROM s"),
        @"invalid: day: '2013-01-31' is a VARCHAR, not a DATE; use CAST(... AS DATE)"
    );
}

#[test]
fn insert_refuses_a_key_that_exists() {
    each_table(|db| {
        assert_eq!(affected(db, "INSERT INTO t (k, v) VALUES (4, 'd')"), 1);
        assert_eq!(
            error(db, "INSERT INTO t VALUES (5, 'e', 0), (2, 'x', 0)"),
            "constraint: duplicate key (2) in t"
        );
        assert_eq!(
            error(db, "INSERT INTO t VALUES (5, 'e', 0), (5, 'f', 0)"),
            "constraint: duplicate key (5) in t"
        );
        // Which of the keys is named depends on their buckets.
        let error = error(db, "INSERT INTO t SELECT k + 1, v, n FROM t");
        assert!(error.starts_with("constraint: duplicate key ("), "{error}");
        assert_eq!(rows(db, ALL), ["1|a|10", "2|b|20", "3|NULL|NULL", "4|d|7"]);
        assert_eq!(affected(db, "INSERT INTO t SELECT k + 10, v, n FROM t"), 4);
    });
}

#[test]
fn update_changes_and_moves_rows() {
    each_table(|db| {
        assert_eq!(
            affected(db, "UPDATE t SET n = n + k, v = 'x' WHERE k < 3"),
            2
        );
        assert_eq!(rows(db, ALL), ["1|x|11", "2|x|22", "3|NULL|NULL"]);
        // Every row moves onto the old place of the next.
        assert_eq!(affected(db, "UPDATE t SET k = k + 1"), 3);
        assert_eq!(rows(db, ALL), ["2|x|11", "3|x|22", "4|NULL|NULL"]);
        assert_eq!(affected(db, "UPDATE t SET k = 6 - k, n = DEFAULT"), 3);
        assert_eq!(rows(db, ALL), ["2|NULL|7", "3|x|7", "4|x|7"]);
        assert_eq!(
            error(db, "UPDATE t SET k = 3 WHERE k = 2"),
            "constraint: duplicate key (3) in t"
        );
        assert_eq!(
            error(db, "UPDATE t SET k = 9"),
            "constraint: duplicate key (9) in t"
        );
        assert_eq!(rows(db, ALL), ["2|NULL|7", "3|x|7", "4|x|7"]);
        assert_eq!(affected(db, "UPDATE t SET k = k"), 3);
        assert_eq!(affected(db, "UPDATE t SET v = 'y' WHERE k = 77"), 0);
        for k in 2..5 {
            assert_eq!(rows(db, &format!("SELECT k FROM t WHERE k = {k}")).len(), 1);
        }
    });
}

#[test]
fn update_takes_subqueries_and_aliases() {
    each_table(|db| {
        run(
            db,
            "UPDATE t AS x SET n = (SELECT 2 * sum(y.n) FROM t y WHERE y.k = x.k) \
             WHERE EXISTS (SELECT 1 FROM t z WHERE z.k = x.k AND z.v IS NOT NULL)",
        );
        assert_eq!(rows(db, ALL), ["1|a|20", "2|b|40", "3|NULL|NULL"]);
    });
}

#[test]
fn delete_takes_any_condition() {
    each_table(|db| {
        assert_eq!(
            affected(
                db,
                "DELETE FROM t WHERE k IN (SELECT k FROM t WHERE v = 'b')"
            ),
            1
        );
        assert_eq!(rows(db, "SELECT k FROM t ORDER BY k"), ["1", "3"]);
        assert_eq!(
            affected(
                db,
                "DELETE FROM t x WHERE NOT EXISTS (SELECT 1 FROM t y WHERE y.k > x.k)"
            ),
            1
        );
        assert_eq!(rows(db, "SELECT k FROM t ORDER BY k"), ["1"]);
        assert_eq!(affected(db, "DELETE FROM t WHERE v IS NULL"), 0);
        assert_eq!(affected(db, "DELETE FROM t"), 1);
        assert_eq!(rows(db, "SELECT count(*) FROM t"), ["0"]);
    });
}

#[test]
fn a_failing_row_in_the_middle_writes_nothing() {
    each_table(|db| {
        run(
            db,
            "CREATE TABLE s (k INTEGER PRIMARY KEY, v VARCHAR, d INTEGER)",
        );
        run(
            db,
            "UPSERT INTO s VALUES (11, '1', 1), (12, 'x', 0), (13, '3', 1)",
        );
        let before = rows(db, ALL);
        for sql in [
            "UPSERT INTO t VALUES (8, 'x', 1), (9, 'y', 'z'), (10, 'w', 2)",
            "UPSERT INTO t SELECT k, v, 10 / d FROM s",
            "UPSERT INTO t SELECT k, v, CAST(v AS BIGINT) FROM s",
            "UPSERT INTO t SELECT k * 300000000, v, 1 FROM s",
            "UPDATE t SET n = 1 / (k - 2)",
            "UPDATE t SET n = n + 9223372036854775800",
            "DELETE FROM t WHERE 1 / (k - 2) > 0",
        ] {
            error(db, sql);
            assert_eq!(rows(db, ALL), before, "{sql}");
        }
    });
}

#[test]
fn integers_that_overflow_are_errors_where_they_are_assigned() {
    let db = after(&[
        "CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT)",
        "UPSERT INTO t VALUES (9223372036854775807, 1)",
    ]);
    for sql in [
        "UPDATE t SET v = k + 1",
        "UPDATE t SET v = 0 - k - 2",
        "UPDATE t SET v = k * 2",
        "UPDATE t SET v = -(0 - k - 1)",
        "UPDATE t SET v = CASE WHEN v = 1 THEN k + v ELSE 0 END",
        "UPSERT INTO t SELECT 1, k + 1 FROM t",
        "UPSERT INTO t SELECT 1, k + 1 FROM t ORDER BY k LIMIT 5",
        "UPSERT INTO t SELECT 1, k + 1 FROM t UNION ALL SELECT 2, 2",
        "UPSERT INTO t SELECT 1, x FROM (SELECT k + 1 AS x FROM t) WHERE x <> 0",
        "UPSERT INTO t VALUES (1, 9223372036854775807 + 1)",
    ] {
        let error = error(&db, sql);
        assert!(
            error.starts_with("invalid: ") && error.contains("verflow"),
            "{sql}: {error}"
        );
    }
    assert_eq!(rows(&db, "SELECT v FROM t"), ["1"]);
}

#[test]
fn defaults_are_evaluated_for_each_row_and_now_for_the_statement() {
    for salt in SALTS {
        let db = memory();
        run(
            &db,
            &format!(
                "CREATE TABLE t (k INTEGER PRIMARY KEY, r DOUBLE DEFAULT random(), \
                 u VARCHAR DEFAULT uuid(), at TIMESTAMP DEFAULT now(), two INTEGER DEFAULT 1 + 1){salt}"
            ),
        );
        run(&db, "UPSERT INTO t (k) VALUES (1), (2), (3)");
        run(&db, "UPSERT INTO t (k, at) VALUES (4, now()), (5, DEFAULT)");
        run(&db, "UPSERT INTO t (k) SELECT k + 10 FROM t WHERE k < 4");
        run(
            &db,
            "UPSERT INTO t (k, at) SELECT k + 20, now() FROM t WHERE k < 4",
        );
        assert_eq!(
            rows(&db, "SELECT count(DISTINCT r), count(DISTINCT u) FROM t"),
            ["11|11"]
        );
        assert_eq!(
            rows(&db, "SELECT count(DISTINCT at), min(two), max(two) FROM t"),
            ["4|2|2"]
        );
    }
}

#[test]
fn what_is_written_is_normalized() {
    let db = after(&[
        "CREATE TABLE t (k DOUBLE PRIMARY KEY, c CHAR(4), r REAL)",
        "UPSERT INTO t VALUES (-0.0, 'a   ', 'NaN'), ('NaN', 'b', '-0.0')",
        "UPSERT INTO t VALUES (0.0, 'c', 1)",
    ]);
    assert_eq!(
        rows(&db, "SELECT c, k FROM t ORDER BY k"),
        ["c|0.0", "b|NaN"]
    );
    assert_eq!(rows(&db, "SELECT c FROM t WHERE k = 'NaN'"), ["b"]);
    assert_eq!(rows(&db, "SELECT r FROM t WHERE c = 'b'"), ["0.0"]);
}

#[test]
fn a_large_statement_is_one_write() {
    for salt in ["", " SALT_BUCKETS = 16"] {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR){salt}"),
        );
        run(
            &db,
            "UPSERT INTO t SELECT value, 'v' || value FROM generate_series(1, 25000)",
        );
        assert_eq!(
            rows(&db, "SELECT count(*), min(k), max(k) FROM t"),
            ["25000|1|25000"]
        );
        assert_eq!(affected(&db, "UPDATE t SET k = k + 1"), 25_000);
        assert_eq!(
            rows(&db, "SELECT count(*), min(k), max(k) FROM t"),
            ["25000|2|25001"]
        );
        assert_eq!(affected(&db, "UPSERT INTO t (k) SELECT k FROM t"), 25_000);
        assert_eq!(rows(&db, "SELECT count(v) FROM t"), ["25000"]);
        assert_eq!(affected(&db, "DELETE FROM t WHERE k % 2 = 0"), 12_500);
        assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["12500"]);
    }
}

#[test]
fn a_statement_beyond_its_limit_writes_nothing() {
    let db = memory();
    let session = db.session();
    session
        .execute("CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)", ())
        .unwrap();
    session
        .execute("SET max_statement_bytes = '100KiB'", ())
        .unwrap();
    let error = session
        .execute(
            "UPSERT INTO t SELECT value, 'v' FROM generate_series(1, 25000)",
            (),
        )
        .unwrap_err();
    insta::assert_snapshot!(
        error,
        @"limit: the statement writes more than max_statement_bytes (102400); nothing was written"
    );
    assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["0"]);
}

#[test]
fn a_part_of_the_key_may_be_null() {
    for salt in SALTS {
        let db = memory();
        run(
            &db,
            &format!(
                "CREATE TABLE t (a VARCHAR NULL, b INTEGER NULL, v INTEGER, PRIMARY KEY (a, b DESC)){salt}"
            ),
        );
        run(
            &db,
            "UPSERT INTO t VALUES (NULL, 1, 1), ('x', NULL, 2), (NULL, NULL, 3), (NULL, 1, 4)",
        );
        assert_eq!(
            rows(&db, "SELECT * FROM t ORDER BY a, b DESC"),
            ["x|NULL|2", "NULL|NULL|3", "NULL|1|4"]
        );
        assert_eq!(
            error(&db, "INSERT INTO t VALUES (NULL, NULL, 9)"),
            "constraint: duplicate key (NULL, NULL) in t"
        );
        assert_eq!(
            affected(
                &db,
                "UPDATE t SET b = NULL WHERE a IS NULL AND b = 1 AND v = 99"
            ),
            0
        );
        assert_eq!(
            affected(&db, "UPDATE t SET b = 5 WHERE a IS NULL AND b IS NULL"),
            1
        );
        assert_eq!(affected(&db, "DELETE FROM t WHERE a IS NULL"), 2);
        assert_eq!(rows(&db, "SELECT * FROM t"), ["x|NULL|2"]);
    }
}

#[test]
fn names_in_the_select_list_mean_nothing() {
    each_table(|db| {
        run(
            db,
            "UPSERT INTO t SELECT n, CAST(n AS VARCHAR), n FROM t WHERE n IS NOT NULL",
        );
        assert_eq!(
            rows(db, "SELECT * FROM t WHERE k >= 10 ORDER BY k"),
            ["10|10|10", "20|20|20"]
        );
        run(
            db,
            "UPSERT INTO t SELECT 30, '30', 30 UNION ALL SELECT k + 30, v, k + 30 FROM t WHERE k = 10",
        );
        run(
            db,
            "UPSERT INTO t SELECT k + 1, v, k + 1 FROM t WHERE k = 40 ORDER BY k + 1",
        );
        assert_eq!(
            rows(db, "SELECT * FROM t WHERE k >= 30 ORDER BY k"),
            ["30|30|30", "40|10|40", "41|10|41"]
        );
    });
}

#[test]
fn the_plan_of_a_write_is_that_of_the_select_that_feeds_it() {
    let db =
        after(&["CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR, n BIGINT) SALT_BUCKETS = 16"]);
    let plan = |sql: &str| db.explain(sql).unwrap().to_string();
    insta::assert_snapshot!(plan("UPSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2)"), @r#"
Upsert: t
└─ Values: 2 rows
"#);
    insta::assert_snapshot!(plan("INSERT INTO t SELECT k + 1, v, n FROM t WHERE k = 1"), @r#"
Insert: t
└─ Projection: CAST(k AS BIGINT) + 1, v, n
   └─ PointGet: t, buckets 1/16, keys [1]
"#);
    insta::assert_snapshot!(plan("UPDATE t SET v = 'x' WHERE k = 1"), @r#"
Update: t
└─ PointGet: t, buckets 1/16, keys [1], columns [k, n]
"#);
    insta::assert_snapshot!(plan("UPDATE t SET v = ?, n = n + 1 WHERE k = ?"), @r#"
Update: t
└─ Projection: k, n + 1
   └─ PointGet: t, buckets <=1/16, keys [$2], columns [k, n]
"#);
    insta::assert_snapshot!(plan("UPDATE t SET k = k + 1"), @r#"
Update: t
└─ Projection: k, CAST(k AS BIGINT) + 1, v, n
   └─ FullScan: t, buckets 16/16
"#);
    insta::assert_snapshot!(plan("DELETE FROM t WHERE k IN (1, 2)"), @r#"
Delete: t
└─ PointGet: t, buckets 2/16, keys [1, 2], columns [k]
"#);
    insta::assert_snapshot!(plan("DELETE FROM t"), @r#"
Delete: t
└─ FullScan: t, buckets 16/16, columns [k]
"#);
    insta::assert_snapshot!(plan("DELETE FROM t WHERE v = 'x'"), @r#"
Delete: t
└─ FullScan: t, buckets 16/16, columns [k], filter v = 'x'
note: t reads 16/16 buckets: k not bound by equality; an index on v would read 1 bucket: CREATE INDEX t_v_idx ON t (v)
"#);
}

#[test]
fn update_of_a_table_whose_columns_have_odd_names() {
    let db = after(&[
        "CREATE TABLE t (\"K\" INTEGER PRIMARY KEY, v INTEGER, \"new v\" INTEGER, \"a\"\"b\" INTEGER)",
        "UPSERT INTO t VALUES (1, 2, 3, 4)",
    ]);
    assert_eq!(
        affected(
            &db,
            "UPDATE t SET v = v + \"new v\", \"a\"\"b\" = \"a\"\"b\" + 1, \"K\" = \"K\" + 1"
        ),
        1
    );
    assert_eq!(rows(&db, "SELECT * FROM t"), ["2|5|3|5"]);
    assert_eq!(affected(&db, "DELETE FROM t WHERE \"K\" = 2"), 1);
}
