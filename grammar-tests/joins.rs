//! Joins and scalar subqueries whose values bind the key of a table. What they answer is compared
//! with the same query in a form that binds nothing: `a + 0` is no key, and a condition under CASE
//! is one that a nested loop evaluates.

use rocksalt::blocking::Database;
use rocksalt::{ErrorKind, params};

use crate::support::*;

/// The salts of the longer tests.
const FEW: [&str; 2] = ["", " SALT_BUCKETS = 16"];

/// The rows of a query in some order.
#[track_caller]
fn sorted(db: &Database, sql: &str) -> Vec<String> {
    let mut rows = rows(db, sql);
    rows.sort();
    rows
}

/// `t` has a key of two columns, the second nullable, and rows for a in 0..40, b in 0..4 and NULL,
/// but those where a + b is a multiple of 7. `o` holds values that repeat, that are NULL, and that
/// `t` does not have; `e` is empty.
fn tables(salt: &str, direction: &str) -> Database {
    let db = after(&[
        &format!(
            "CREATE TABLE t (a INTEGER NOT NULL, b INTEGER NULL, v VARCHAR, \
             CONSTRAINT pk PRIMARY KEY (a {direction}, b {direction})){salt}"
        ),
        "CREATE TABLE o (k INTEGER PRIMARY KEY, x BIGINT, y INTEGER)",
        "CREATE TABLE e (k INTEGER PRIMARY KEY, x BIGINT, y INTEGER)",
    ]);
    let b = |b: i32| if b < 4 { b.to_string() } else { "NULL".into() };
    let pairs = (0..40).flat_map(|a| (0..5).map(move |b| (a, b)));
    let values = pairs.filter(|(a, b)| (a + b) % 7 != 0);
    let values: Vec<_> = values
        .map(|(a, n)| format!("({a}, {}, 'v{a}-{n}')", b(n)))
        .collect();
    run(&db, &format!("UPSERT INTO t VALUES {}", values.join(", ")));
    let x = |k: i32| match k % 11 {
        10 => "NULL".into(),
        _ => (k * 5 % 60).to_string(),
    };
    let y = |k: i32| b(k % 5);
    let values: Vec<_> = (0..60)
        .map(|k| format!("({k}, {}, {})", x(k), y(k)))
        .collect();
    run(&db, &format!("UPSERT INTO o VALUES {}", values.join(", ")));
    db
}

/// Each query beside the same one with `{a}` and `{b}` hidden from the key.
const JOINS: &[&str] = &[
    "SELECT k, v FROM o JOIN t ON x = {a} AND y = {b}",
    "SELECT k, v FROM t JOIN o ON x = {a} AND y = {b}",
    "SELECT k, v FROM t JOIN o ON x = {a}",
    "SELECT k, v FROM t JOIN o ON y = {b}",
    "SELECT k, v FROM o JOIN t ON x = {a} AND y = {b} WHERE v > 'v2' AND k > 7",
    "SELECT k, v FROM o JOIN t ON x = {a} AND y = {b} AND v > 'v2'",
    "SELECT k, v FROM o JOIN t ON x = {a} WHERE b = 2",
    "SELECT k, v FROM o JOIN t ON x = {a} WHERE b IS NULL",
    "SELECT k, v FROM o JOIN t ON x = {a} WHERE a BETWEEN 10 AND 20 OR a = 35",
    "SELECT k, v FROM o JOIN t ON y = {b} WHERE a IN (3, 4, 9)",
    "SELECT k, v FROM o LEFT JOIN t ON x = {a} AND y = {b}",
    "SELECT k, v FROM t LEFT JOIN o ON x = {a} AND y = {b}",
    "SELECT k, v FROM o RIGHT JOIN t ON x = {a} AND y = {b}",
    "SELECT k, v FROM t RIGHT JOIN o ON x = {a} AND y = {b}",
    "SELECT k, v FROM t FULL JOIN o ON x = {a} AND y = {b}",
    "SELECT k, v FROM o LEFT JOIN t ON x = {a} AND y = {b} AND v <> 'v5-0'",
    "SELECT k, v FROM o JOIN t ON x = {a} AND y IS NOT DISTINCT FROM {b}",
    "SELECT k, v FROM o JOIN t ON x IS NOT DISTINCT FROM {a} AND y IS NOT DISTINCT FROM {b}",
    "SELECT k, v FROM o JOIN t ON y IS NOT DISTINCT FROM {b} WHERE a = 12",
    "SELECT v FROM t WHERE {a} IN (SELECT x FROM o)",
    "SELECT v FROM t WHERE {a} NOT IN (SELECT x FROM o WHERE x IS NOT NULL)",
    "SELECT v FROM t WHERE {b} NOT IN (SELECT y FROM o WHERE y > 1)",
    "SELECT v FROM t WHERE {a} NOT IN (SELECT x FROM o)",
    "SELECT k FROM o WHERE x IN (SELECT {a} FROM t)",
    "SELECT k FROM o WHERE x NOT IN (SELECT {a} FROM t)",
    "SELECT k FROM o WHERE y NOT IN (SELECT {b} FROM t)",
    "SELECT k FROM o WHERE k NOT IN (SELECT {a} FROM t)",
    "SELECT k FROM o WHERE k NOT IN (SELECT {b} FROM t WHERE a = 14)",
    "SELECT k FROM o WHERE x IN (SELECT {a} FROM t WHERE b = 1) OR k = 3",
    "SELECT k FROM o WHERE EXISTS (SELECT 1 FROM t WHERE {a} = x AND {b} = y)",
    "SELECT k FROM o WHERE NOT EXISTS (SELECT 1 FROM t WHERE {a} = x AND {b} = y)",
    "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM o WHERE {a} = x AND {b} = y AND k > 20)",
    "SELECT v FROM t WHERE NOT EXISTS (SELECT 1 FROM o WHERE {a} = x AND {b} = y)",
    "SELECT k, v FROM e JOIN t ON x = {a} AND y = {b}",
    "SELECT k, v FROM e RIGHT JOIN t ON x = {a} AND y = {b}",
    "SELECT v FROM t WHERE {a} IN (SELECT x FROM e)",
    "SELECT v FROM t WHERE {a} NOT IN (SELECT x FROM e)",
    "SELECT o.k, v FROM o JOIN t ON o.x = {a} JOIN o p ON p.k = {b}",
    "SELECT o.k, s FROM o JOIN (SELECT a, sum(b) AS s FROM t GROUP BY a) t ON o.x = {a}",
    "SELECT o.k, s FROM o JOIN (SELECT a, sum(b) AS s FROM t GROUP BY ROLLUP (a)) t ON o.x = {a}",
    "SELECT k, v FROM o JOIN (SELECT * FROM t UNION ALL SELECT a + 1, b, v FROM t) t ON x = {a} AND y = {b}",
    "SELECT k, v FROM o JOIN (SELECT * FROM t ORDER BY a, b LIMIT 20) t ON x = {a} AND y = {b}",
    "SELECT k, v FROM o JOIN (SELECT * FROM t WHERE random() < 2 ORDER BY a, b LIMIT 20) t ON x = {a}",
    "SELECT k, v FROM o JOIN (SELECT t.* FROM t JOIN o ON k = a ORDER BY a, b LIMIT 9) t ON x = {a}",
    "SELECT k, n FROM o JOIN (SELECT a, row_number() OVER (ORDER BY a, b) AS n FROM t) t ON x = {a}",
    "SELECT k, v FROM o JOIN (SELECT DISTINCT a, v FROM t) t ON x = {a}",
    "SELECT k FROM o JOIN (SELECT DISTINCT a FROM t) t ON x = {a}",
    "SELECT k, m FROM o JOIN (SELECT a, min(b) AS m FROM t GROUP BY a) t ON x = {a}",
    "SELECT k, m FROM o JOIN (SELECT a, max(b) AS m FROM t WHERE b < 3 GROUP BY a) t ON x = {a}",
    "SELECT k, v FROM o JOIN (SELECT DISTINCT ON (a) a, v FROM t ORDER BY a, b) t ON x = {a}",
    "SELECT count(*), sum(k), max(v) FROM o JOIN t ON x = {a} AND y = {b}",
    "SELECT q.k, u.v FROM t JOIN (o JOIN t u ON o.x = u.a) q(k, x, y, a, b, v) ON {a} = q.a \
     JOIN t u ON u.a = q.y AND u.b = {b}",
    "SELECT t.v, u.v FROM t JOIN t u ON u.a = {a} + 1 AND u.b = {b}",
    "SELECT t.v, u.v FROM (SELECT * FROM t WHERE v < 'v2') t JOIN t u ON u.a = {a} AND u.b = {b}",
    "SELECT w.x, v FROM (VALUES (1, 2), (2, 3), (NULL, 4), (1, 2)) AS w(x, y) JOIN t ON w.x = {a} AND w.y = {b}",
];

#[test]
fn a_join_answers_as_if_it_bound_nothing() {
    for salt in FEW {
        for direction in DIRECTIONS {
            let db = tables(salt, direction);
            for join in JOINS {
                let bound = join.replace("{a}", "t.a").replace("{b}", "t.b");
                let hidden = join.replace("{a}", "t.a + 0").replace("{b}", "(t.b + 0)");
                assert_eq!(
                    sorted(&db, &bound),
                    sorted(&db, &hidden),
                    "[{salt}] {direction} {bound}"
                );
            }
        }
    }
}

#[test]
fn a_join_finds_the_rows_that_arithmetic_says() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = tables(salt, direction);
            // x = 5 k mod 60 unless k mod 11 is 10; y = k mod 5, of which 4 is NULL.
            let expected = (0..60_i64).filter_map(|k| {
                let (a, b) = (k * 5 % 60, k % 5);
                let found = k % 11 != 10 && b < 4 && a < 40 && (a + b) % 7 != 0;
                found.then(|| format!("{k}|v{a}-{b}"))
            });
            let mut expected: Vec<_> = expected.collect();
            expected.sort();
            assert!(expected.len() > 10);
            let sql = "SELECT k, v FROM o JOIN t ON x = a AND y = b";
            assert_eq!(sorted(&db, sql), expected, "[{salt}] {direction}");
        }
    }
}

#[test]
fn keys_of_other_types_meet() {
    // The type of the key, its values, the type on the other side, its values.
    let cases = [
        (
            "TINYINT",
            "(-128), (-1), (0), (5), (127)",
            "BIGINT",
            "(-129), (-128), (5), (127), (128), (300)",
        ),
        (
            "BIGINT",
            "(-9223372036854775808), (0), (7)",
            "TINYINT",
            "(0), (7), (8)",
        ),
        (
            "INTEGER",
            "(-2), (0), (3), (2147483647)",
            "DOUBLE",
            "(-2.0), (0.5), (3.0), (1e10), (2147483647.0)",
        ),
        (
            "BIGINT",
            "(9007199254740992), (9007199254740993), (1)",
            "DOUBLE",
            "(9007199254740992.0), (1.0)",
        ),
        (
            "BIGINT",
            "(1), (3), (16777217)",
            "REAL",
            "(1.0), (3.0), (16777216.0)",
        ),
        (
            "INTEGER UNSIGNED",
            "(0), (7), (4294967295)",
            "INTEGER",
            "(-1), (0), (7)",
        ),
        (
            "SMALLINT",
            "(1), (2)",
            "DECIMAL(6, 2)",
            "(1.00), (1.50), (2.00)",
        ),
        (
            "DECIMAL(8, 2)",
            "(1.25), (1.30), (-7.00)",
            "DECIMAL(12, 4)",
            "(1.2500), (1.2501), (-7.0000)",
        ),
        ("DECIMAL(8, 2)", "(1.25), (2.00)", "INTEGER", "(1), (2)"),
        (
            "DECIMAL(8, 2)",
            "(1.25), (2.00)",
            "DOUBLE",
            "(1.25), (2.0), (2.1)",
        ),
        ("REAL", "(0.5), (0.1), (3)", "DOUBLE", "(0.5), (0.1), (3)"),
        (
            "DOUBLE",
            "(0.0), (1.5), ('NaN'), ('Infinity')",
            "DOUBLE",
            "(0.0), ('NaN'), (1.5), ('-Infinity')",
        ),
        (
            "DATE",
            "('0001-01-01'), ('2013-01-02'), ('2013-01-03')",
            "TIMESTAMP",
            "('2013-01-02 00:00:00'), ('2013-01-03 00:00:01')",
        ),
        (
            "TIMESTAMP",
            "('2013-01-02 00:00:00'), ('2013-01-02 00:00:01')",
            "DATE",
            "('2013-01-02'), ('2014-01-01')",
        ),
        (
            "TIME",
            "('10:00:00'), ('11:00:00')",
            "TIME",
            "('10:00:00'), ('12:00:00')",
        ),
        (
            "VARCHAR",
            "(''), ('a'), ('ab'), ('é')",
            "CHAR(3)",
            "(''), ('a'), ('é'), ('b')",
        ),
        (
            "CHAR(3)",
            "('a'), ('ab')",
            "VARCHAR",
            "('a'), ('a '), ('ab')",
        ),
        (
            "VARBINARY",
            "(X''), (X'00'), (X'ff00')",
            "VARBINARY",
            "(X'00'), (X'ff'), (X'ff00')",
        ),
        ("BOOLEAN", "(TRUE), (FALSE)", "BOOLEAN", "(TRUE)"),
    ];
    for salt in FEW {
        for direction in DIRECTIONS {
            for (key, keys, other, values) in cases {
                let db = after(&[
                    &format!("CREATE TABLE t (k {key}, PRIMARY KEY (k {direction})){salt}"),
                    &format!("UPSERT INTO t VALUES {keys}"),
                    "CREATE TABLE ids (id INTEGER PRIMARY KEY)",
                    &format!("CREATE TABLE o (x {other} PRIMARY KEY, y {other})"),
                    &format!("UPSERT INTO o (x) VALUES {values}"),
                    "UPSERT INTO o (x, y) SELECT x, x FROM o",
                ]);
                for join in ["x = k", "y = k"] {
                    let context = format!("[{salt}] {direction} {key} = {other}");
                    let looped =
                        format!("SELECT x, k FROM o, t WHERE CASE WHEN {join} THEN TRUE END");
                    assert!(plan(&db, &looped).contains("NestedLoopJoin"), "{context}");
                    let expected = sorted(&db, &looped);
                    for from in ["o JOIN t", "t JOIN o"] {
                        let sql = format!("SELECT x, k FROM {from} ON {join}");
                        assert_eq!(sorted(&db, &sql), expected, "{context}");
                    }
                    let semi = format!("SELECT k FROM t WHERE k IN (SELECT {} FROM o)", &join[..1]);
                    let looped =
                        format!("SELECT DISTINCT k FROM o, t WHERE CASE WHEN {join} THEN TRUE END");
                    assert_eq!(sorted(&db, &semi), sorted(&db, &looped), "{context}");
                }
            }
        }
    }
}

#[test]
fn many_outer_rows_are_as_many_gets_or_the_range_between_them() {
    for salt in FEW {
        let db = after(&[
            &format!("CREATE TABLE t (a BIGINT, b BIGINT, v BIGINT, PRIMARY KEY (a, b)){salt}"),
            "CREATE TABLE o (k BIGINT PRIMARY KEY, x BIGINT, y BIGINT)",
            "UPSERT INTO t SELECT value / 50, value % 50, value FROM generate_series(0, 29999)",
            "UPSERT INTO o SELECT value, value / 50 + 100, value % 50 FROM generate_series(0, 24999)",
        ]);
        // Of o's rows those below 25,000 have a row in t: (k / 50 + 100) * 50 + k % 50 = k + 5000.
        for outer in [0_i64, 1, 5_000, 24_999] {
            let found = outer.min(25_000);
            let sum = found * (found - 1) / 2 + 5_000 * found;
            for (on, rows_found) in [("x = a AND y = b", found), ("x * 50 + y = v", found)] {
                let sql =
                    format!("SELECT count(*), sum(v) FROM o JOIN t ON {on} WHERE k < {outer}");
                let sum = if found == 0 {
                    "NULL".into()
                } else {
                    sum.to_string()
                };
                assert_eq!(
                    rows(&db, &sql),
                    [format!("{rows_found}|{sum}")],
                    "[{salt}] {sql}"
                );
            }
        }
    }
}

#[test]
fn a_recursive_query_joins_anew_in_each_round() {
    for salt in SALTS {
        let db = after(&[
            &format!("CREATE TABLE edges (a INTEGER, b INTEGER, PRIMARY KEY (a, b)){salt}"),
            "UPSERT INTO edges VALUES (1, 2), (2, 3), (2, 4), (4, 5), (5, 6), (7, 8)",
        ]);
        let reached = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL \
             SELECT b FROM r JOIN edges ON a = n) SELECT n FROM r ORDER BY n";
        assert_eq!(
            rows(&db, reached),
            ["1", "2", "3", "4", "5", "6"],
            "[{salt}]"
        );
        let steps = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r \
             WHERE n < (SELECT max(b) FROM edges WHERE a = (SELECT max(a) FROM edges))) \
             SELECT count(*) FROM r";
        assert_eq!(rows(&db, steps), ["8"], "[{salt}]");
    }
}

#[test]
fn a_subquery_binds_the_key() {
    for salt in FEW {
        for direction in DIRECTIONS {
            let db = tables(salt, direction);
            for (predicate, hidden) in [
                ("a = (SELECT max(x) FROM o WHERE x < 33)", "a + 0 = 30"),
                ("a = (SELECT max(x) FROM o)", "FALSE"),
                ("a = (SELECT x FROM e)", "FALSE"),
                ("a = (SELECT max(x) FROM e)", "FALSE"),
                ("a > (SELECT max(x) FROM e)", "FALSE"),
                ("NOT a > (SELECT max(x) FROM e)", "FALSE"),
                ("a IS NOT DISTINCT FROM (SELECT max(x) FROM e)", "FALSE"),
                ("a IS DISTINCT FROM (SELECT max(x) FROM e)", "TRUE"),
                ("b IS NOT DISTINCT FROM (SELECT max(x) FROM e)", "b IS NULL"),
                ("a >= (SELECT max(x) FROM o WHERE x < 33)", "a + 0 >= 30"),
                ("a < (SELECT max(x) FROM o)", "TRUE"),
                ("a = (SELECT 2.5)", "FALSE"),
                ("a < (SELECT 2.5)", "a + 0 < 3"),
                ("a = (SELECT 4.0)", "a + 0 = 4"),
                ("a = (SELECT 3000000000)", "FALSE"),
                ("a <> (SELECT 4)", "a + 0 <> 4"),
                (
                    "a = (SELECT 4) AND b = (SELECT 2)",
                    "a + 0 = 4 AND b + 0 = 2",
                ),
                ("a = (SELECT 4) + 1 AND b = 1", "a + 0 = 5 AND b + 0 = 1"),
                ("a = (SELECT 4) OR b = (SELECT 2)", "a + 0 = 4 OR b + 0 = 2"),
                ("a IN (7, (SELECT 4), (SELECT 9))", "a + 0 IN (4, 7, 9)"),
                (
                    "a NOT IN (7, (SELECT 4), (SELECT 9))",
                    "a + 0 NOT IN (4, 7, 9)",
                ),
                (
                    "a BETWEEN (SELECT 4) AND (SELECT 9) AND b > 1",
                    "a + 0 BETWEEN 4 AND 9 AND b > 1",
                ),
                ("a = 4 AND v > (SELECT 'v4-2')", "a + 0 = 4 AND v > 'v4-2'"),
                ("v = (SELECT 'v4-2')", "v = 'v4-2'"),
                ("v LIKE (SELECT 'v4%')", "v LIKE 'v4%'"),
                (
                    "CASE WHEN a = (SELECT 4) THEN b = 1 ELSE a = (SELECT 6) END",
                    "a + 0 = 4 AND b = 1 OR a + 0 = 6",
                ),
                (
                    "a = (SELECT count(*) FROM o WHERE x = (SELECT max(x) FROM o))",
                    "a + 0 = (SELECT count(*) + 0 FROM o WHERE x = 55)",
                ),
                (
                    "a % 2 = (SELECT 1) AND a + b > (SELECT 40)",
                    "a % 2 = 1 AND a + b > 40",
                ),
                ("random() < (SELECT 2) AND a = (SELECT 4)", "a + 0 = 4"),
            ] {
                let sql = |predicate| format!("SELECT v FROM t WHERE {predicate}");
                let expected = sorted(&db, &sql(hidden));
                assert_eq!(
                    sorted(&db, &sql(predicate)),
                    expected,
                    "[{salt}] {direction} {predicate}"
                );
                for select in [
                    "SELECT DISTINCT a FROM t",
                    "SELECT a, min(b), max(b) FROM t",
                ] {
                    let group = if select.contains("min") {
                        " GROUP BY a"
                    } else {
                        ""
                    };
                    let sql = |predicate| format!("{select} WHERE {predicate}{group}");
                    let expected = sorted(&db, &sql(hidden));
                    assert_eq!(
                        sorted(&db, &sql(predicate)),
                        expected,
                        "[{salt}] {predicate}"
                    );
                }
                let counted = format!("SELECT count(*) FROM t WHERE {predicate}");
                assert_eq!(
                    rows(&db, &counted),
                    [expected.len().to_string()],
                    "{counted}"
                );
            }
        }
    }
}

#[test]
fn orders_and_limits_hold_where_a_subquery_binds() {
    for salt in FEW {
        for direction in DIRECTIONS {
            let db = tables(salt, direction);
            for (predicate, hidden) in [
                ("a = (SELECT 4)", "a + 0 = 4"),
                ("a >= (SELECT 30)", "a + 0 >= 30"),
                ("a IN (4, (SELECT 30))", "a + 0 IN (4, 30)"),
                (
                    "a IN (4, 5, 7) AND b <= (SELECT 2147483647)",
                    "a + 0 IN (4, 5, 7) AND b IS NOT NULL",
                ),
                (
                    "a IN (4, (SELECT 30)) AND b = (SELECT 1)",
                    "a + 0 IN (4, 30) AND b = 1",
                ),
            ] {
                for order in ["a, b", "a DESC, b DESC", "b, a", "b DESC", "a"] {
                    for limit in ["", " LIMIT 3", " LIMIT 2 OFFSET 1"] {
                        let tail = format!("ORDER BY {order}, v{limit}");
                        let sql =
                            |predicate| format!("SELECT a, b, v FROM t WHERE {predicate} {tail}");
                        assert_eq!(
                            rows(&db, &sql(predicate)),
                            rows(&db, &sql(hidden)),
                            "[{salt}] {direction} {predicate} {tail}"
                        );
                    }
                }
                let limited = format!("SELECT v FROM t WHERE {predicate} LIMIT 2");
                assert!(rows(&db, &limited).len() <= 2);
            }
        }
    }
}

#[test]
fn a_subquery_of_many_rows_stays_an_error() {
    for salt in SALTS {
        let db = tables(salt, "ASC");
        for sql in [
            "SELECT * FROM t WHERE a = (SELECT x FROM o)",
            "SELECT * FROM t WHERE a = 4 AND b = (SELECT y FROM o WHERE k < 2)",
        ] {
            let error = db
                .query(sql, ())
                .and_then(|rows| rows.collect())
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        }
        assert_eq!(rows(&db, "SELECT count(*) FROM t").len(), 1);
    }
}

#[test]
fn a_statement_with_parameters_binds_its_subqueries_each_time() {
    let db = tables(" SALT_BUCKETS = 16", "ASC");
    let get = db
        .prepare("SELECT v FROM t WHERE a = (SELECT max(x) FROM o WHERE x < ?) AND b = ?")
        .unwrap();
    for (below, b, expected) in [(33, 1, "v30-1"), (11, 2, "v10-2"), (33, 3, "v30-3")] {
        let batches = get.query(params![below, b]).unwrap().collect().unwrap();
        let column = batches[0].column(0).clone();
        let text = rocksalt::arrow::util::display::array_value_to_string(&column, 0).unwrap();
        assert_eq!(text, expected);
    }
    assert!(
        get.explain()
            .unwrap()
            .to_string()
            .contains("keys [(subquery 1, $2)]"),
        "{}",
        get.explain().unwrap()
    );
}

#[test]
fn writes_find_their_rows_by_subqueries() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let (bound, hidden) = (tables(salt, direction), tables(salt, direction));
            for (predicate, same) in [
                ("a = (SELECT max(a) FROM t)", "a + 0 = 39"),
                (
                    "a = (SELECT min(x) FROM o WHERE x > 0) AND b = (SELECT 1)",
                    "a + 0 = 5 AND b = 1",
                ),
                (
                    "a IN (SELECT x FROM o WHERE k BETWEEN 1 AND 5)",
                    "a + 0 IN (5, 10, 15, 20, 25)",
                ),
                (
                    "a NOT IN (SELECT x FROM o WHERE x IS NOT NULL)",
                    "a % 5 <> 0",
                ),
                ("EXISTS (SELECT 1 FROM o WHERE x = a AND y = b)", "FALSE"),
                ("a = (SELECT x FROM e)", "FALSE"),
            ] {
                let context = format!("[{salt}] {direction} {predicate}");
                let sets = |predicate| format!("UPDATE t SET v = v || '!' WHERE {predicate}");
                if same != "FALSE" || predicate.starts_with('a') {
                    assert_eq!(
                        affected(&bound, &sets(predicate)),
                        affected(&hidden, &sets(same)),
                        "{context}"
                    );
                    assert_eq!(
                        affected(&bound, &format!("DELETE FROM t WHERE {predicate}")),
                        affected(&hidden, &format!("DELETE FROM t WHERE {same}")),
                        "{context}"
                    );
                }
                let all = "SELECT * FROM t";
                assert_eq!(sorted(&bound, all), sorted(&hidden, all), "{context}");
            }
            let found =
                "SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM o WHERE x = a AND y = b)";
            let found = rows(&bound, found).remove(0);
            let delete = "DELETE FROM t WHERE EXISTS (SELECT 1 FROM o WHERE x = a AND y = b)";
            assert_eq!(affected(&bound, delete).to_string(), found);
            assert_eq!(affected(&bound, delete), 0);
        }
    }
}

/// The sections of docs/explain.md about joins show plans as they are.
#[test]
fn the_plans_in_the_document_are_these() {
    let db = after(&[
        "CREATE TABLE customers (id BIGINT PRIMARY KEY, name VARCHAR) SALT_BUCKETS = 16",
        "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT, day DATE) SALT_BUCKETS = 16",
        "CREATE TABLE readings (sensor INTEGER, ts TIMESTAMP, v DOUBLE, PRIMARY KEY (sensor, ts)) \
         SALT_BUCKETS = 16",
        "CREATE TABLE batches (id BIGINT PRIMARY KEY, ts TIMESTAMP) SALT_BUCKETS = 16",
    ]);
    let text = include_str!("../docs/explain.md");
    let mut plans = 0;
    for title in ["\n### Joins\n", "\n### Scalar subqueries\n"] {
        let section = text.split(title).nth(1).unwrap();
        let block = section.split("```\n").nth(1).unwrap();
        let (statement, expected) = block.split_once(";\n\n").unwrap();
        let statement = statement.strip_prefix("EXPLAIN ").unwrap();
        assert_eq!(plan(&db, statement), expected.trim_end());
        plans += 1;
    }
    assert_eq!(plans, 2);
}
