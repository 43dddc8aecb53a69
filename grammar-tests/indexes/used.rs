//! The rows of a query are the same whichever index it reads: forced, forbidden and chosen, beside a
//! table without indexes, and SQLite.

use rocksalt::blocking::{Database, Session};

use crate::support::{memory, rows, rows_of_sqlite, run};

/// The buckets of the table and of its indexes.
const SALTS: [(&str, &str); 5] = [
    (" SALT_BUCKETS = 4", " SALT_BUCKETS = 7"),
    (" SALT_BUCKETS = 16", " SALT_BUCKETS = 16"),
    ("", " SALT_BUCKETS = 3"),
    (" SALT_BUCKETS = 16", " SALT_BUCKETS = 0"),
    (" SALT_BUCKETS = 256", " SALT_BUCKETS = 256"),
];

const COLUMNS: &str = "a INTEGER, b INTEGER, v INTEGER, s VARCHAR, w INTEGER, u INTEGER";

/// Each index with its name, over a DESC key, nullable columns, expressions, and some of the rows.
const INDEXES: &[(&str, &str)] = &[
    ("i_v", "INDEX i_v ON t (v)"),
    ("i_vs", "INDEX i_vs ON t (v DESC, s) INCLUDE (w)"),
    ("i_s", "INDEX i_s ON t (s DESC)"),
    ("i_bv", "INDEX i_bv ON t (b, v) INCLUDE (s, u)"),
    ("i_e", "INDEX i_e ON t ((v % 3), w DESC)"),
    ("i_l", "INDEX i_l ON t (upper(s)) INCLUDE (v)"),
    ("i_p", "INDEX i_p ON t (w) WHERE v > 5"),
    ("i_q", "INDEX i_q ON t (b) INCLUDE (v) WHERE s IS NOT NULL"),
    ("i_u", "UNIQUE INDEX i_u ON t (w)"),
    ("i_n", "UNIQUE INDEX i_n ON t (u DESC) INCLUDE (v)"),
    ("i_uv", "UNIQUE INDEX i_uv ON t (v, w)"),
];

/// Queries that SQLite answers too; their rows are compared in any order.
const QUERIES: &[&str] = &[
    "SELECT * FROM t WHERE v = 3",
    "SELECT a, b FROM t WHERE v = 3 AND s = 's1'",
    "SELECT a, b, s FROM t WHERE v IN (1, 3, 7) AND s >= 's3'",
    "SELECT w FROM t WHERE v = 3 AND s BETWEEN 's1' AND 's4'",
    "SELECT * FROM t WHERE v BETWEEN 3 AND 5 AND b <> 4",
    "SELECT * FROM t WHERE v IS NULL",
    "SELECT a FROM t WHERE v IS NULL AND s IS NULL",
    "SELECT v FROM t WHERE v IS NOT NULL",
    "SELECT v, a FROM t WHERE v <> 4",
    "SELECT v, a FROM t WHERE v > 4",
    "SELECT * FROM t WHERE v < 2",
    "SELECT * FROM t WHERE s = 's2' AND a > 10",
    "SELECT * FROM t WHERE s LIKE 's2%'",
    "SELECT a, b FROM t WHERE s IS NULL AND v < 5",
    "SELECT * FROM t WHERE b = 2 AND v = 4",
    "SELECT s, u FROM t WHERE b = 2 AND v >= 4",
    "SELECT * FROM t WHERE b IN (1, 2) AND v IN (1, 4, 9)",
    "SELECT a FROM t WHERE b = 2 AND s IS NOT NULL",
    "SELECT v FROM t WHERE b = 2 AND s = 's1'",
    "SELECT v FROM t WHERE b = 2 AND s > 's1'",
    "SELECT * FROM t WHERE v % 3 = 1",
    "SELECT a, b FROM t WHERE v % 3 = 1 AND w > 500",
    "SELECT a, w FROM t WHERE v % 3 = 1 AND w BETWEEN 500 AND 900 AND s <> 's1'",
    "SELECT * FROM t WHERE v % 3 IS NULL",
    "SELECT * FROM t WHERE upper(s) = 'S3'",
    "SELECT v FROM t WHERE upper(s) IN ('S3', 'S4') AND v > 2",
    "SELECT * FROM t WHERE upper(s) >= 'S2' AND upper(s) < 'S4'",
    "SELECT * FROM t WHERE w = 505",
    "SELECT * FROM t WHERE w = 505 AND v = 3",
    "SELECT * FROM t WHERE w IN (101, 202, 303, 99999)",
    "SELECT w FROM t WHERE w BETWEEN 100 AND 500 AND v > 5",
    "SELECT a FROM t WHERE w BETWEEN 100 AND 500 AND v = 7",
    "SELECT a FROM t WHERE w BETWEEN 100 AND 500 AND v = 4",
    "SELECT * FROM t WHERE u = 303",
    "SELECT * FROM t WHERE u IS NULL AND b = 3",
    "SELECT v FROM t WHERE u IS NULL",
    "SELECT v FROM t WHERE u BETWEEN 100 AND 2000",
    "SELECT * FROM t WHERE u IN (303, 606) OR u IS NULL",
    "SELECT a FROM t WHERE v = 3 AND w = 505",
    "SELECT a FROM t WHERE v IS NULL AND w > 300",
    "SELECT * FROM t WHERE v = 3 AND v = 4",
    "SELECT * FROM t WHERE v = 3 OR w = 101",
    "SELECT * FROM t WHERE v = 3 OR w BETWEEN 101 AND 405 OR s = 's1'",
    "SELECT a, v FROM t WHERE (v = 3 OR s = 's1') AND b > 2",
    "SELECT a, v FROM t WHERE (v IN (3, 4) OR a = 7 OR u = 303) AND w > 200",
    "SELECT a FROM t WHERE v IS NULL OR s IS NULL",
    "SELECT a FROM t WHERE v = 3 OR (v = 4 AND s = 's1') OR u = 606",
    "SELECT a FROM t WHERE v = 3 OR upper(s) = 'S1' OR v % 3 = 2",
    "SELECT a FROM t WHERE v = 3 OR s > 's1'",
    "SELECT count(*), min(a) FROM t WHERE v = 3 OR w = 101",
    "SELECT s, count(*) FROM t WHERE v = 3 OR u = 303 GROUP BY s",
    "SELECT x.a, y.a FROM t x JOIN t y ON x.w = y.u WHERE y.v = 2 OR y.s = 's3'",
    "SELECT x.a, y.a FROM t x JOIN t y ON x.a = y.b WHERE (x.v = 2 OR x.s = 's3') AND y.w < 300",
    "SELECT * FROM t WHERE v = 3 AND (s = 's1' OR u > 500)",
    "SELECT * FROM t WHERE a = 5 AND v = 3",
    "SELECT count(*) FROM t WHERE v = 3",
    "SELECT count(*), sum(w) FROM t WHERE v > 3",
    "SELECT v, count(*) FROM t GROUP BY v",
    "SELECT DISTINCT v FROM t",
    "SELECT DISTINCT v, s FROM t",
    "SELECT DISTINCT b FROM t WHERE s IS NOT NULL",
    "SELECT min(v), max(v) FROM t WHERE v IS NOT NULL",
    "SELECT min(w), max(w) FROM t",
    "SELECT max(u), min(u) FROM t WHERE u IS NOT NULL",
    "SELECT b, min(v) FROM t GROUP BY b",
    "SELECT b, max(v) FROM t WHERE v IS NOT NULL GROUP BY b",
    "SELECT min(v % 3) FROM t",
    "SELECT * FROM t WHERE v = (SELECT min(b) FROM t)",
    "SELECT * FROM t WHERE w = (SELECT max(w) FROM t WHERE v = 3)",
    "SELECT a FROM t WHERE w IN (SELECT a * 100 + b FROM t WHERE v = 2)",
    "SELECT a FROM t WHERE v IN (SELECT a FROM t WHERE a < 3)",
    "SELECT x.a, y.a FROM t x JOIN t y ON x.w = y.u WHERE y.v = 2",
    "SELECT x.a, y.b FROM t x JOIN t y ON x.v = y.a AND x.s = y.s WHERE y.b = 2",
    "SELECT x.a, y.a FROM t x LEFT JOIN t y ON y.u = x.w WHERE x.v = 5",
    "SELECT count(*) FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE y.v = x.a AND y.b = x.b)",
    "SELECT a FROM t WHERE v NOT IN (SELECT a FROM t WHERE a < 5)",
];

/// Queries with an order, of which SQLite is told where NULL stands.
const ORDERED: &[&str] = &[
    "SELECT v, a, b FROM t ORDER BY v NULLS LAST, a, b DESC LIMIT 10",
    "SELECT v, a, b FROM t ORDER BY v DESC NULLS FIRST, a DESC, b LIMIT 40",
    "SELECT * FROM t ORDER BY v NULLS LAST, a, b DESC LIMIT 15 OFFSET 7",
    "SELECT * FROM t WHERE v = 3 ORDER BY a, b DESC LIMIT 4",
    "SELECT * FROM t WHERE v = 3 ORDER BY s NULLS LAST, w LIMIT 4",
    "SELECT * FROM t WHERE v > 3 ORDER BY v, a, b DESC LIMIT 12",
    "SELECT w FROM t ORDER BY w",
    "SELECT w, s FROM t ORDER BY w DESC LIMIT 9",
    "SELECT * FROM t WHERE w > 700 ORDER BY w LIMIT 9",
    "SELECT w FROM t WHERE v > 5 ORDER BY w LIMIT 9",
    "SELECT u, v FROM t WHERE u IS NOT NULL ORDER BY u",
    "SELECT u, w FROM t ORDER BY u DESC NULLS FIRST, w LIMIT 90",
    "SELECT * FROM t WHERE b = 3 ORDER BY v NULLS LAST, a LIMIT 9",
    "SELECT b, v, s FROM t WHERE b IN (2, 4) ORDER BY v DESC NULLS FIRST, b DESC, a LIMIT 9",
    "SELECT v, w FROM t WHERE v IN (2, 4) ORDER BY w LIMIT 20",
    "SELECT v, w FROM t WHERE v IN (2, 4) AND w > 500 ORDER BY v, w DESC",
    "SELECT s, a, b FROM t ORDER BY s DESC NULLS FIRST, a, b DESC LIMIT 50",
    "SELECT DISTINCT v FROM t ORDER BY v NULLS LAST",
    "SELECT * FROM t WHERE v = 3 OR w = 101 ORDER BY w LIMIT 7",
    "SELECT v, w FROM t WHERE v = 3 OR u > 2000 AND u < 3000 ORDER BY v NULLS LAST, w LIMIT 30",
    "SELECT v % 3, w FROM t ORDER BY v % 3 NULLS LAST, w DESC LIMIT 30",
    "SELECT a, b FROM t ORDER BY v % 3 DESC NULLS FIRST, w LIMIT 30",
    "SELECT v % 3, w FROM t WHERE v % 3 = 1 ORDER BY w DESC LIMIT 5",
];

fn fill(columns: &str, salt: &str, direction: &str) -> Database {
    let db = memory();
    run(
        &db,
        &format!("CREATE TABLE t ({columns}, PRIMARY KEY (a, b {direction})){salt}"),
    );
    db.execute(&insert(), ()).unwrap();
    db
}

/// 240 rows, with NULLs; `w` is the key as one number, `u` is that of some rows.
fn insert() -> String {
    let mut values = Vec::new();
    for a in 0..40 {
        for b in 0..6 {
            let n = a * 7 + b * 3;
            let v = match n % 13 {
                0 => "NULL".to_owned(),
                _ => (n % 11).to_string(),
            };
            let s = match n % 5 {
                4 => "NULL".to_owned(),
                _ => format!("'s{}'", (a + b * b) % 6),
            };
            let w = a * 100 + b;
            let u = match a % 3 {
                0 => w.to_string(),
                _ => "NULL".to_owned(),
            };
            values.push(format!("({a}, {b}, {v}, {s}, {w}, {u})"));
        }
    }
    format!("INSERT INTO t VALUES {}", values.join(", "))
}

fn hinted(sql: &str, hint: &str) -> String {
    sql.replacen("SELECT ", &format!("SELECT /*+ {hint} */ "), 1)
}

fn verified(db: &Database) -> Session {
    let session = db.session();
    session.execute("SET verify_plans = on", ()).unwrap();
    session
}

#[track_caller]
fn rows_in(session: &Session, sql: &str) -> Vec<String> {
    match session.query(sql, ()).and_then(crate::support::text) {
        Ok(rows) => rows,
        Err(error) => panic!("{sql}\n{error}"),
    }
}

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}

/// The hints for the query of a number: none, the one that forbids all indexes, and those that force
/// one, of which each query gets every fourth.
fn hints(number: usize) -> Vec<String> {
    let forced = INDEXES.iter().skip(number % 4).step_by(4);
    let forced = forced.map(|(name, _)| format!("INDEX(t {name})"));
    ["".to_owned(), "NO_INDEX(t)".to_owned()]
        .into_iter()
        .chain(forced)
        .collect()
}

/// `round`: another number gives each query other hints.
fn check(salt: &str, index_salt: &str, direction: &str, round: usize) {
    let sqlite = rusqlite::Connection::open_in_memory().unwrap();
    sqlite
        .execute_batch(&format!(
            "CREATE TABLE t ({COLUMNS}, PRIMARY KEY (a, b)); {}",
            insert()
        ))
        .unwrap();
    let twin = fill(COLUMNS, salt, direction);
    let db = fill(COLUMNS, salt, direction);
    for (_, index) in INDEXES {
        run(&db, &format!("CREATE {index}{index_salt}"));
    }
    let session = verified(&db);
    for (number, sql) in QUERIES.iter().enumerate() {
        let expected = rows_of_sqlite(&sqlite, sql);
        assert_eq!(sorted(rows(&twin, sql)), expected, "the twin: {sql}");
        for hint in hints(number + round) {
            let sql = hinted(sql, &hint);
            let found = sorted(rows_in(&session, &sql));
            assert_eq!(found, expected, "{salt}{index_salt} {direction}: {sql}");
        }
    }
    for (number, sql) in ORDERED.iter().enumerate() {
        let expected = rows(&twin, sql);
        assert_eq!(
            sorted(expected.clone()),
            rows_of_sqlite(&sqlite, sql),
            "the twin: {sql}"
        );
        for hint in hints(number + round) {
            let sql = hinted(sql, &hint);
            let found = rows_in(&session, &sql);
            assert_eq!(found, expected, "{salt}{index_salt} {direction}: {sql}");
        }
    }
}

#[test]
fn rows_are_the_same_whatever_index_is_read() {
    for (round, (salt, index_salt)) in SALTS.into_iter().enumerate() {
        check(salt, index_salt, "DESC", round);
    }
}

#[test]
fn rows_are_the_same_over_an_ascending_key() {
    (0..4).for_each(|round| check(" SALT_BUCKETS = 4", " SALT_BUCKETS = 7", "ASC", round));
}

/// Prepared statements choose as literals do.
#[test]
fn parameters_choose_as_literals_do() {
    let db = fill(COLUMNS, " SALT_BUCKETS = 4", "ASC");
    for (_, index) in INDEXES {
        run(&db, &format!("CREATE {index} SALT_BUCKETS = 7"));
    }
    let twin = fill(COLUMNS, " SALT_BUCKETS = 4", "ASC");
    for (sql, values) in [
        ("SELECT a, b FROM t WHERE v = $1", vec![3]),
        ("SELECT a, b FROM t WHERE w = $1", vec![505]),
        ("SELECT a, b FROM t WHERE v = $1 AND w = $2", vec![6, 505]),
        ("SELECT a, b FROM t WHERE v BETWEEN $1 AND $2", vec![3, 4]),
        (
            "SELECT a, b FROM t WHERE w BETWEEN $1 AND $2 AND v > 5",
            vec![100, 900],
        ),
        ("SELECT a, b FROM t WHERE v % 3 = $1", vec![1]),
        (
            "SELECT a, b FROM t WHERE v > $1 ORDER BY v, a, b LIMIT 7",
            vec![3],
        ),
        ("SELECT a, b FROM t WHERE u = $1 AND w = $1", vec![303]),
    ] {
        let params: Vec<rocksalt::Value> = values.iter().map(|v| (*v).into()).collect();
        let literal = values
            .iter()
            .enumerate()
            .fold(sql.to_owned(), |sql, (n, value)| {
                sql.replace(&format!("${}", n + 1), &value.to_string())
            });
        let expected = sorted(rows(&twin, &literal));
        assert!(!expected.is_empty(), "{sql}");
        let prepared = db.prepare(sql).unwrap();
        let found = prepared.query(params).and_then(crate::support::text);
        assert_eq!(sorted(found.unwrap()), expected, "{sql}");
        let kind = |plan: rocksalt::Plan| (plan.scans()[0].kind, plan.scans()[0].index.clone());
        assert_eq!(
            kind(db.explain(sql).unwrap()),
            kind(db.explain(&literal).unwrap()),
            "{sql}"
        );
    }
}

/// UPDATE and DELETE find their rows by an index as SELECT does.
#[test]
fn statements_that_write_find_their_rows_by_an_index() {
    for (salt, index_salt) in SALTS {
        let db = fill(COLUMNS, salt, "DESC");
        let twin = fill(COLUMNS, salt, "DESC");
        for (_, index) in INDEXES {
            run(&db, &format!("CREATE {index}{index_salt}"));
        }
        let session = verified(&db);
        for sql in [
            "UPDATE t SET s = 'new' WHERE v = 3",
            "UPDATE t SET v = v + 1 WHERE v BETWEEN 2 AND 5",
            "UPDATE t SET v = v + 1 WHERE v % 3 = 1 AND w < 2000",
            "UPDATE t SET b = b + 10 WHERE u = 303",
            "DELETE FROM t WHERE upper(s) = 'S2'",
            "DELETE FROM t WHERE v IS NULL OR w = 1105 OR s = 's0'",
            "DELETE /*+ INDEX(t i_s) */ FROM t WHERE s > 's4'",
            "UPDATE /*+ NO_INDEX(t) */ t SET v = 0 WHERE v = 7",
            "UPDATE t SET v = NULL WHERE v = 0",
        ] {
            let affected = twin
                .execute(&sql.replace("/*+ INDEX(t i_s) */", ""), ())
                .unwrap();
            assert_eq!(session.execute(sql, ()).unwrap(), affected, "{sql}");
            assert!(affected > 0, "{sql}");
            let all = "SELECT * FROM t ORDER BY a, b";
            assert_eq!(
                rows(&db, all),
                rows(&twin, all),
                "{salt}{index_salt}: {sql}"
            );
        }
        for (name, _) in INDEXES {
            let differences = rows(&db, &format!("CHECK INDEX {name}"));
            assert!(differences.is_empty(), "{name}: {differences:?}");
        }
    }
}
