//! ON DUPLICATE KEY IGNORE and UPDATE.

use rocksalt::blocking::Database;
use rocksalt::params;

use crate::support::{DIRECTIONS, SALTS, affected, memory, rows, run};

/// A table of two rows, in each way of salting and both directions of its key.
fn each_table(test: impl Fn(&Database)) {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = memory();
            run(
                &db,
                &format!(
                    "CREATE TABLE t (k INTEGER, v VARCHAR, n BIGINT NOT NULL DEFAULT 7, d DATE, \
                     PRIMARY KEY (k {direction})){salt}"
                ),
            );
            run(
                &db,
                "UPSERT INTO t VALUES (1, 'a', 10, '2013-01-01'), (2, 'b', 20, NULL)",
            );
            test(&db);
        }
    }
}

const ALL: &str = "SELECT * FROM t ORDER BY k";

#[test]
fn ignore_inserts_what_is_new() {
    each_table(|db| {
        assert_eq!(
            affected(
                db,
                "UPSERT INTO t (k, v) VALUES (2, 'x'), (3, 'c'), (3, 'd') ON DUPLICATE KEY IGNORE"
            ),
            1
        );
        assert_eq!(
            rows(db, ALL),
            ["1|a|10|2013-01-01", "2|b|20|NULL", "3|c|7|NULL"]
        );
        assert_eq!(
            affected(
                db,
                "UPSERT INTO t SELECT k + 2, v, n, d FROM t ON DUPLICATE KEY IGNORE"
            ),
            2
        );
        assert_eq!(
            rows(db, "SELECT k, v FROM t ORDER BY k"),
            ["1|a", "2|b", "3|c", "4|b", "5|c"]
        );
    });
}

#[test]
fn update_sees_the_row_that_exists_and_inserts_another() {
    each_table(|db| {
        let count = "UPSERT INTO t (k, v, n) VALUES (2, 'new', 1), (3, 'new', 1) \
                     ON DUPLICATE KEY UPDATE n = n + 1, v = v || t.v";
        assert_eq!(affected(db, count), 2);
        assert_eq!(affected(db, count), 2);
        assert_eq!(
            rows(db, "SELECT k, v, n FROM t ORDER BY k"),
            ["1|a|10", "2|bbbb|22", "3|newnew|2"]
        );
        // Each assignment sees the row as it was.
        run(
            db,
            "UPSERT INTO t VALUES (1, 'x', 0, NULL) ON DUPLICATE KEY UPDATE n = k, (v, d) = (CAST(d AS VARCHAR), DEFAULT)",
        );
        assert_eq!(
            rows(db, "SELECT * FROM t WHERE k = 1"),
            ["1|2013-01-01|1|NULL"]
        );
    });
}

#[test]
fn rows_of_one_key_are_applied_one_after_the_other() {
    each_table(|db| {
        assert_eq!(
            affected(
                db,
                "UPSERT INTO t (k, n) VALUES (5, 100), (1, 0), (5, 0), (1, 0), (5, 0), (6, 1) \
                 ON DUPLICATE KEY UPDATE n = n * 2"
            ),
            6
        );
        assert_eq!(
            rows(db, "SELECT k, n FROM t ORDER BY k"),
            ["1|40", "2|20", "5|400", "6|1"]
        );
        run(
            db,
            "UPSERT INTO t (k, n) SELECT 9, value FROM generate_series(1, 3000) \
             ON DUPLICATE KEY UPDATE n = n + 1",
        );
        assert_eq!(rows(db, "SELECT n >= 3000 FROM t WHERE k = 9"), ["true"]);
    });
}

#[test]
fn constants_parameters_and_defaults() {
    each_table(|db| {
        let set = "UPSERT INTO t (k) VALUES ($1) \
                   ON DUPLICATE KEY UPDATE d = $2, v = 'it''s ' || $3, n = DEFAULT";
        db.execute(set, params![1, "2013-02-28", "me"]).unwrap();
        db.execute(set, params![8, "2013-02-28", "me"]).unwrap();
        assert_eq!(
            rows(db, "SELECT * FROM t WHERE k IN (1, 8) ORDER BY k"),
            ["1|it's me|7|2013-02-28", "8|NULL|7|NULL"]
        );
        let put = db
            .prepare("UPSERT INTO t (k, n) VALUES (:k, :n) ON DUPLICATE KEY UPDATE n = n + :n")
            .unwrap();
        for _ in 0..3 {
            put.execute(params! { k: 9, n: 5 }).unwrap();
        }
        assert_eq!(rows(db, "SELECT n FROM t WHERE k = 9"), ["15"]);
        run(
            db,
            "UPSERT INTO t (k) VALUES (2) ON DUPLICATE KEY UPDATE v = CAST(now() > '2013-01-01' AS VARCHAR), \
             d = '2013-01-01', n = CASE WHEN d IS NULL THEN 1 ELSE 2 END",
        );
        assert_eq!(
            rows(db, "SELECT * FROM t WHERE k = 2"),
            ["2|true|1|2013-01-01"]
        );
    });
}

#[test]
fn a_column_that_must_hold_a_value_matters_in_a_new_row() {
    let db = memory();
    run(
        &db,
        "CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT NOT NULL) SALT_BUCKETS = 3",
    );
    run(&db, "UPSERT INTO t VALUES (1, 1)");
    let count = |k| format!("UPSERT INTO t (k) VALUES ({k}) ON DUPLICATE KEY UPDATE n = n + 1");
    run(&db, &count(1));
    assert_eq!(
        crate::support::error(&db, &count(2)),
        "constraint: column n of t is NOT NULL and has no DEFAULT"
    );
    assert_eq!(rows(&db, "SELECT * FROM t"), ["1|2"]);
}

#[test]
fn rows_that_are_older_than_a_column() {
    each_table(|db| {
        run(db, "ALTER TABLE t ADD COLUMN c INTEGER NOT NULL DEFAULT 5");
        run(
            db,
            "UPSERT INTO t (k) VALUES (1), (3) ON DUPLICATE KEY UPDATE c = c + 1",
        );
        assert_eq!(
            rows(db, "SELECT k, n, c FROM t ORDER BY k"),
            ["1|10|6", "2|20|5", "3|7|5"]
        );
    });
}

#[test]
fn a_table_of_nothing_but_its_key() {
    for salt in SALTS {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (a VARCHAR, b INTEGER NULL, PRIMARY KEY (a, b DESC)){salt}"),
        );
        let seen = "UPSERT INTO t VALUES ('x', 1), ('x', NULL), ('x', 1) ON DUPLICATE KEY IGNORE";
        assert_eq!(affected(&db, seen), 2);
        assert_eq!(affected(&db, seen), 0);
        assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["2"]);
    }
}
