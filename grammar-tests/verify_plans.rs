//! `verify_plans`: right plans pass, whatever the query makes of its scans.

use rocksalt::blocking::{Database, Session};
use rocksalt::{Value, params};

use crate::support::{DIRECTIONS, SALTS, affected, after, rows};

fn db(salt: &str, direction: &str) -> Database {
    after(&[
        &format!(
            "CREATE TABLE t (a INTEGER, b VARCHAR NULL, v DOUBLE, d DATE, \
             PRIMARY KEY (a {direction}, b)){salt}"
        ),
        &format!("CREATE TABLE u (k INTEGER PRIMARY KEY {direction}, a INTEGER){salt}"),
        "UPSERT INTO t SELECT value / 7, CASE WHEN value % 5 = 0 THEN NULL ELSE 'b' || CAST(value % 11 AS VARCHAR) END, \
         CASE WHEN value % 9 = 0 THEN CAST('NaN' AS DOUBLE) ELSE CAST(value AS DOUBLE) / 4 END, \
         CASE WHEN value % 4 > 0 THEN DATE '2013-01-01' END FROM generate_series(1, 200)",
        "UPSERT INTO u SELECT value, value % 13 FROM generate_series(1, 60)",
    ])
}

/// The rows of a query, in any order.
fn sorted(session: &Session, sql: &str) -> Vec<String> {
    use rocksalt::arrow::util::pretty::pretty_format_batches;
    let rows = session.query(sql, ()).and_then(|rows| rows.collect());
    let batches = rows.unwrap_or_else(|error| panic!("{sql}\n{error}"));
    let table = pretty_format_batches(&batches).unwrap().to_string();
    let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

const QUERIES: &[&str] = &[
    "SELECT * FROM t",
    "SELECT count(*) FROM t",
    "SELECT count(*) FROM t WHERE a = 3",
    "SELECT * FROM t WHERE a = 3 AND b = 'b1'",
    "SELECT v + 1 FROM t WHERE a IN (3, 4, 3, NULL, 99) AND b IN ('b1', 'b2', 'b3')",
    "SELECT b FROM t WHERE a BETWEEN 3 AND 9 AND v > 10",
    "SELECT a FROM t WHERE b = 'b7' AND a > 2",
    "SELECT a, b FROM t WHERE b IS NULL",
    "SELECT a, b FROM t WHERE (a, b) > (5, 'b3')",
    "SELECT * FROM t WHERE a = 3 AND a = 4",
    "SELECT a FROM t WHERE a = 1 OR (a = 5 AND v < 30) OR b LIKE 'b1%'",
    "SELECT a, b FROM t ORDER BY a, b",
    "SELECT a, b FROM t WHERE v > 3 ORDER BY a DESC, b DESC LIMIT 9 OFFSET 3",
    "SELECT a FROM t WHERE a IN (9, 2, 5) ORDER BY a, b LIMIT 4",
    "SELECT DISTINCT a FROM t",
    "SELECT a, max(b), min(b) FROM t WHERE b IS NOT NULL GROUP BY a",
    "SELECT max(a), min(a) FROM t WHERE a < 20",
    "SELECT a, b, v FROM (SELECT *, row_number() OVER (PARTITION BY a ORDER BY b) AS r FROM t) WHERE r = 1",
    "SELECT t.a, u.k FROM t JOIN u ON u.k = t.a WHERE t.v > 20",
    "SELECT t.a, x.a FROM t JOIN t x ON t.a = x.a + 1 AND t.b = x.b",
    "SELECT u.k FROM u WHERE u.a IN (SELECT a FROM t WHERE v > 30)",
    "SELECT u.k, (SELECT max(v) FROM t WHERE t.a = u.a) FROM u WHERE k < 9",
    "SELECT * FROM t WHERE a = (SELECT min(a) FROM u WHERE k > 3)",
    "SELECT a FROM t WHERE v = 'NaN' UNION ALL SELECT k FROM u WHERE k > 55",
    "SELECT d, count(*) FROM t WHERE d IS NOT DISTINCT FROM DATE '2013-01-01' GROUP BY d",
    "WITH RECURSIVE r AS (SELECT 1 AS k UNION ALL SELECT u.k + 1 FROM r JOIN u ON u.k = r.k WHERE r.k < 6) SELECT * FROM r",
    "SELECT table_name FROM system.tables WHERE schema_name = 'public'",
    "SELECT 1",
];

/// Queries whose rows are any of those that qualify, and how many there are.
const ANY: &[(&str, usize)] = &[
    ("SELECT * FROM t LIMIT 7", 7),
    ("SELECT a FROM t WHERE v > 10 LIMIT 3", 3),
    ("SELECT a FROM t WHERE a IN (3, 4, 5) LIMIT 2", 2),
    (
        "SELECT b FROM t WHERE a = 3 AND b IN ('b1', 'b2', 'b10') LIMIT 1",
        1,
    ),
    ("SELECT t.a FROM t JOIN u ON t.a < u.k LIMIT 11", 11),
    ("SELECT a FROM t UNION ALL SELECT k FROM u LIMIT 5", 5),
    ("SELECT * FROM t LIMIT 0", 0),
];

#[test]
fn right_plans_pass() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = db(salt, direction);
            let (plain, verifying) = (db.session(), db.session());
            verifying.execute("SET verify_plans = on", ()).unwrap();
            for sql in QUERIES {
                let rows = sorted(&verifying, sql);
                assert_eq!(rows, sorted(&plain, sql), "{sql}{salt} {direction}");
            }
            for (sql, count) in ANY {
                let rows = verifying.query(sql, ()).unwrap().collect();
                let rows = rows.unwrap_or_else(|error| panic!("{sql}{salt}\n{error}"));
                let rows: usize = rows.iter().map(|batch| batch.num_rows()).sum();
                assert_eq!(rows, *count, "{sql}{salt} {direction}");
            }
            if salt.ends_with('3') {
                verifying.execute("SET row_key_order = on", ()).unwrap();
                for sql in QUERIES {
                    sorted(&verifying, sql);
                }
            }
        }
    }
}

#[test]
fn the_values_of_parameters_are_verified_too() {
    let db = db(" SALT_BUCKETS = 16", "ASC");
    let session = db.session();
    session.execute("SET verify_plans = on", ()).unwrap();
    for (sql, values) in [
        ("SELECT v FROM t WHERE a = $1 AND b = $2", params![3, "b1"]),
        (
            "SELECT v FROM t WHERE a = $1 AND b = $2",
            params![3, Value::Null],
        ),
        ("SELECT v FROM t WHERE a = $1 AND b > $2", params!["3", ""]),
        (
            "SELECT v FROM t WHERE a IN ($1, $2) AND v > $1",
            params![3.0, 4],
        ),
        ("SELECT v FROM t WHERE a = 3 LIMIT $1", params![2]),
        (
            "SELECT v FROM t WHERE a > $1 AND now() > '2020-01-01'",
            params![1],
        ),
    ] {
        let rows = session.query(sql, values).and_then(|rows| rows.collect());
        assert!(rows.is_ok(), "{sql}: {rows:?}");
    }
    let statement = session
        .prepare("SELECT v FROM t WHERE a = ? AND b = 'b1'")
        .unwrap();
    for a in 0..20 {
        statement.query(params![a]).unwrap().collect().unwrap();
    }
}

#[test]
fn writes_are_verified_before_they_write() {
    let db = db(" SALT_BUCKETS = 3", "DESC");
    let session = db.session();
    session.execute("SET verify_plans = on", ()).unwrap();
    let wrote = |sql: &str| {
        session
            .execute(sql, ())
            .unwrap_or_else(|e| panic!("{sql}\n{e}"))
    };
    let expected: Vec<u64> = ["a = 3", "b = 'b4'", "v > 10 AND a IN (4, 5)"]
        .iter()
        .map(|filter| rows(&db, &format!("SELECT count(*) FROM t WHERE {filter}")))
        .map(|rows| rows[0].parse().unwrap())
        .collect();
    assert_eq!(wrote("UPDATE t SET v = v + 1 WHERE a = 3"), expected[0]);
    assert_eq!(
        wrote("UPDATE t SET d = DATE '2020-01-01' WHERE b = 'b4'"),
        expected[1]
    );
    assert_eq!(
        wrote("DELETE FROM t WHERE v > 10 AND a IN (4, 5)"),
        expected[2]
    );
    wrote("UPSERT INTO u SELECT a, count(*) FROM t GROUP BY a");
    wrote("UPSERT INTO u VALUES (1, (SELECT max(a) FROM t))");
    assert_eq!(affected(&db, "DELETE FROM u WHERE k = 1"), 1);
}
