//! Constants and columns of different types that meet.

use rocksalt::{Value, params};

use super::{everywhere, texts};
use crate::support::*;

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
