//! ON CONFLICT DO NOTHING and DO UPDATE, as in PostgreSQL.

use rocksalt::params;

use crate::support::{DIRECTIONS, SALTS, affected, after, error, memory, rows, run};

fn each_table(test: impl Fn(&rocksalt::blocking::Database)) {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = memory();
            run(
                &db,
                &format!(
                    "CREATE TABLE t (a VARCHAR, k INTEGER, v VARCHAR, n BIGINT DEFAULT 7, \
                     PRIMARY KEY (k {direction}, a)){salt}"
                ),
            );
            run(
                &db,
                "UPSERT INTO t VALUES ('x', 1, 'a', 10), ('y', 2, 'b', 20)",
            );
            test(&db);
        }
    }
}

const ALL: &str = "SELECT * FROM t ORDER BY k, a";

#[test]
fn do_nothing() {
    each_table(|db| {
        for target in ["", " (k, a)", " (a, k)"] {
            let insert = format!(
                "INSERT INTO t (a, k, v) VALUES ('x', 1, 'new'), ('z', 3, 'c'), ('z', 3, 'd') \
                 ON CONFLICT{target} DO NOTHING"
            );
            assert_eq!(affected(db, &insert), 1, "of the same key the first wins");
            assert_eq!(affected(db, &insert), 0);
            assert_eq!(rows(db, ALL), ["x|1|a|10", "y|2|b|20", "z|3|c|7"]);
            run(db, "DELETE FROM t WHERE k = 3");
        }
    });
}

#[test]
fn do_update_sees_both_rows() {
    each_table(|db| {
        assert_eq!(
            affected(
                db,
                "INSERT INTO t VALUES ('x', 1, 'A', 1), ('y', 2, 'B', 2), ('z', 3, 'C', 3) \
                 ON CONFLICT (a, k) DO UPDATE SET v = t.v || excluded.v || v, \
                 n = excluded.n * 100 + n"
            ),
            3
        );
        assert_eq!(rows(db, ALL), ["x|1|aAa|110", "y|2|bBb|220", "z|3|C|3"]);
        // Columns that are not given have their default in the excluded row.
        run(
            db,
            "INSERT INTO t (a, k) VALUES ('x', 1) ON CONFLICT (k, a) DO UPDATE \
             SET (v, n) = (excluded.v, excluded.n + t.k)",
        );
        assert_eq!(rows(db, "SELECT * FROM t WHERE k = 1"), ["x|1|NULL|8"]);
    });
}

#[test]
fn where_chooses_the_rows_that_are_updated() {
    each_table(|db| {
        assert_eq!(
            affected(
                db,
                "INSERT INTO t (a, k, n) VALUES ('x', 1, 15), ('y', 2, 15), ('z', 3, 15) \
                 ON CONFLICT (k, a) DO UPDATE SET n = excluded.n WHERE t.n < excluded.n"
            ),
            2
        );
        assert_eq!(rows(db, ALL), ["x|1|a|15", "y|2|b|20", "z|3|NULL|15"]);
        // NULL is not true; what is not updated is not computed.
        for condition in ["NULL", "v = NULL", "v < 'b' AND n = 0", "1 > 2"] {
            let insert = format!(
                "INSERT INTO t (a, k) VALUES ('x', 1), ('y', 2) \
                 ON CONFLICT (k, a) DO UPDATE SET n = 1 / (t.k - t.k) WHERE {condition}"
            );
            assert_eq!(affected(db, &insert), 0, "{condition}");
        }
        assert_eq!(
            error(
                db,
                "INSERT INTO t (a, k) VALUES ('x', 1), ('y', 2) \
                 ON CONFLICT (k, a) DO UPDATE SET n = 1 / (t.k - 2) WHERE k > 1"
            ),
            "invalid: division by zero"
        );
        assert_eq!(
            affected(
                db,
                "INSERT INTO t (a, k) VALUES ('x', 1), ('y', 2) \
                 ON CONFLICT (k, a) DO UPDATE SET n = 12 / (t.k - 2) WHERE k < 2"
            ),
            1
        );
        assert_eq!(
            rows(db, "SELECT n FROM t WHERE k < 3 ORDER BY k"),
            ["-12", "20"]
        );
    });
}

#[test]
fn no_row_is_affected_twice() {
    each_table(|db| {
        let twice =
            "constraint: ON CONFLICT DO UPDATE cannot affect row (1, 'x') of t a second time";
        for values in [
            "('x', 1, 1), ('x', 1, 2)",
            "('y', 2, 1), ('x', 1, 1), ('z', 9, 9), ('x', 1, 1)",
        ] {
            let insert = format!(
                "INSERT INTO t (a, k, n) VALUES {values} ON CONFLICT (a, k) DO UPDATE SET n = 0"
            );
            assert_eq!(error(db, &insert), twice);
        }
        // A row that was inserted by the statement itself is one of them.
        assert_eq!(
            error(
                db,
                "INSERT INTO t SELECT 'new', 5, NULL, value FROM generate_series(1, 2) \
                 ON CONFLICT (a, k) DO UPDATE SET n = 0"
            ),
            "constraint: ON CONFLICT DO UPDATE cannot affect row (5, 'new') of t a second time"
        );
        assert_eq!(rows(db, ALL), ["x|1|a|10", "y|2|b|20"]);
        // One that was met and not updated is not, until it is.
        let only_50 = "ON CONFLICT (a, k) DO UPDATE SET n = excluded.n WHERE excluded.n = 50";
        let insert = format!("INSERT INTO t (a, k, n) VALUES ('x', 1, 1), ('x', 1, 50) {only_50}");
        assert_eq!(affected(db, &insert), 1);
        let insert = format!("INSERT INTO t (a, k, n) VALUES ('x', 1, 50), ('x', 1, 1) {only_50}");
        assert_eq!(error(db, &insert), twice);
        assert_eq!(rows(db, "SELECT n FROM t WHERE k = 1"), ["50"]);
    });
}

#[test]
fn rows_of_a_query_that_reads_the_table_itself() {
    each_table(|db| {
        assert_eq!(
            affected(
                db,
                "INSERT INTO t (a, k, n) SELECT a, k, n + 1 FROM t UNION ALL SELECT 'z', 3, 0 \
                 ON CONFLICT (a, k) DO UPDATE SET n = excluded.n"
            ),
            3
        );
        assert_eq!(rows(db, ALL), ["x|1|a|11", "y|2|b|21", "z|3|NULL|0"]);
        assert_eq!(
            affected(
                db,
                "INSERT INTO t (a, k) WITH q AS (SELECT a, k FROM t) SELECT a, k + 1 FROM q \
                 ON CONFLICT DO NOTHING"
            ),
            3
        );
    });
}

#[test]
fn literals_and_parameters_take_the_type_of_their_column() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, day DATE, amount DECIMAL(6, 2), name CHAR(5))",
        "UPSERT INTO t VALUES (1, '2013-01-01', 1, 'ab')",
    ]);
    let insert = "INSERT INTO t VALUES ($1, '2013-01-02', 2, 'cd') ON CONFLICT (k) DO UPDATE \
         SET day = $2, amount = '1.005', name = 'xy   ' \
         WHERE t.day = '2013-01-01' AND excluded.day > $3 AND t.name = 'ab  ' AND excluded.amount < 2.5";
    assert_eq!(
        db.execute(insert, params![1, "2013-01-31", "2012-12-31"])
            .unwrap(),
        1
    );
    assert_eq!(rows(&db, "SELECT * FROM t"), ["1|2013-01-31|1.01|xy"]);
    // What is assigned is checked as everywhere.
    for (set, message) in [
        (
            "name = 'sixsix'",
            "invalid: name: 'sixsix' is too long for CHAR(5)",
        ),
        (
            "day = name",
            "invalid: day: 'xy' is a VARCHAR, not a DATE; use CAST(... AS DATE)",
        ),
        (
            "amount = amount * 100000",
            "invalid: amount: 101000.00 is out of range for DECIMAL(6, 2)",
        ),
    ] {
        let insert =
            format!("INSERT INTO t VALUES (1, NULL, 1, 'z') ON CONFLICT (k) DO UPDATE SET {set}");
        assert!(
            error(&db, &insert).starts_with(message),
            "{}",
            error(&db, &insert)
        );
    }
}

#[test]
fn integers_that_overflow_are_errors() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT)",
        "UPSERT INTO t VALUES (1, 9223372036854775807)",
    ]);
    for set in ["n = n + 1", "n = t.n * excluded.n", "n = -(0 - n - 1)"] {
        let insert = format!("INSERT INTO t VALUES (1, 2) ON CONFLICT (k) DO UPDATE SET {set}");
        let error = error(&db, &insert);
        assert!(
            error.starts_with("invalid: ") && error.contains("verflow"),
            "{error}"
        );
    }
    assert_eq!(rows(&db, "SELECT n FROM t"), ["9223372036854775807"]);
}

#[test]
fn a_schema_and_names_in_quotes() {
    let db = after(&[
        "CREATE TABLE \"My T\" (\"Key\" INTEGER PRIMARY KEY, \"select\" INTEGER)",
        "UPSERT INTO \"My T\" VALUES (1, 1)",
        "INSERT INTO public.\"My T\" VALUES (1, 5) ON CONFLICT (\"Key\") DO UPDATE \
         SET \"select\" = \"select\" + \"My T\".\"select\" * 10 + EXCLUDED.\"select\" * 100",
        "UPSERT INTO rocksalt.public.\"My T\" VALUES (1, 5) ON DUPLICATE KEY UPDATE \
         \"select\" = public.\"My T\".\"select\" + 1",
    ]);
    assert_eq!(rows(&db, "SELECT * FROM \"My T\""), ["1|512"]);
}

#[test]
fn a_large_statement() {
    for salt in ["", " SALT_BUCKETS = 16"] {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k BIGINT PRIMARY KEY, n BIGINT){salt}"),
        );
        run(
            &db,
            "INSERT INTO t SELECT value * 2, 0 FROM generate_series(1, 10000)",
        );
        assert_eq!(
            affected(
                &db,
                "INSERT INTO t SELECT value, value FROM generate_series(1, 25000) \
                 ON CONFLICT (k) DO UPDATE SET n = t.k * 1000000 + excluded.n WHERE t.k % 4 = 0"
            ),
            20_000
        );
        assert_eq!(
            rows(
                &db,
                "SELECT count(*), count(*) FILTER (WHERE n = k), count(*) FILTER (WHERE n = k * 1000001), \
                 count(*) FILTER (WHERE n = 0) FROM t"
            ),
            ["25000|15000|5000|5000"]
        );
    }
}
