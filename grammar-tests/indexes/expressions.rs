//! Expressions and conditions of indexes are found in queries, whatever types and literals they have.

use crate::support::{after, rows, run};

const TABLE: &str = "CREATE TABLE t (k INTEGER PRIMARY KEY, i INTEGER, n BIGINT, d DOUBLE, x DECIMAL(9, 2), \
                     s VARCHAR, c CHAR(3), b BOOLEAN, y DATE, ts TIMESTAMP)";

const ROWS: &str = "UPSERT INTO t SELECT value, value % 20 - 5, value * 10, CAST(value AS DOUBLE) / 4, \
                    CAST(value AS DECIMAL(9, 2)) / 4, CASE WHEN value % 7 > 0 THEN 's' || (value % 9) END, \
                    'c' || (value % 5), value % 3 = 0, \
                    DATE '2013-01-01' + CAST((value % 40) || ' days' AS INTERVAL), \
                    TIMESTAMP '2013-01-01 10:00:00' + CAST((value % 50) || ' hours' AS INTERVAL) \
                    FROM generate_series(1, 300)";

/// What is indexed, and a condition on it.
const EXPRS: &[(&str, &str)] = &[
    ("i + 1", "i + 1 = 4"),
    ("i + 1", "4 = i + 1"),
    ("i % 3", "i % 3 IN (0, 2)"),
    ("i * 2 + k", "i * 2 + k BETWEEN 20 AND 30"),
    ("n / 100", "n / 100 = 7"),
    ("abs(i)", "abs(i) = 3"),
    ("-i", "-i = 3"),
    (
        "CAST(d * 2 AS DECIMAL(9, 2))",
        "CAST(d * 2 AS DECIMAL(9, 2)) = 10",
    ),
    ("CAST(round(d) AS BIGINT)", "CAST(round(d) AS BIGINT) = 7"),
    ("d > 7", "(d > 7) = true AND k < 50"),
    ("x + 1", "x + 1 = 3.25"),
    ("lower(s)", "lower(s) = 's3'"),
    ("upper(s)", "upper(s) LIKE 'S3%'"),
    ("s || c", "s || c = 's1c1'"),
    ("s || 'x'", "s || 'x' = 's3x'"),
    ("substr(s, 2)", "substr(s, 2) = '4'"),
    ("coalesce(s, 'none')", "coalesce(s, 'none') = 'none'"),
    ("coalesce(i, 0)", "coalesce(i, 0) = 5"),
    (
        "CASE WHEN c = 'c1 ' THEN i END",
        "CASE WHEN c = 'c1 ' THEN i END = 6",
    ),
    (
        "CASE WHEN i * 2 > 9 THEN i * 2 ELSE -1 END",
        "CASE WHEN i * 2 > 9 THEN i * 2 ELSE -1 END > 12",
    ),
    ("length(s)", "length(s) = 2 AND k < 50"),
    (
        "date_trunc('month', ts)",
        "date_trunc('month', ts) = TIMESTAMP '2013-01-01'",
    ),
    ("extract(DAY FROM y)", "extract(DAY FROM y) = 7"),
    ("CAST(ts AS DATE)", "CAST(ts AS DATE) = DATE '2013-01-02'"),
];

#[test]
fn an_expression_is_found_in_a_query() {
    let db = after(&[TABLE, ROWS]);
    let mut missed = Vec::new();
    for (expr, condition) in EXPRS {
        let query = format!("SELECT k FROM t WHERE {condition} ORDER BY k");
        let expected = rows(&db, &query);
        assert!(!expected.is_empty(), "{query}");
        run(
            &db,
            &format!("CREATE INDEX e ON t (({expr})) SALT_BUCKETS = 3"),
        );
        assert_eq!(rows(&db, &query), expected, "{query}");
        let plan = db.explain(&query).unwrap();
        if plan.scans()[0].index.is_none() {
            missed.push(format!("{expr}: {query}\n{plan}"));
        }
        run(&db, "DROP INDEX e");
    }
    assert!(missed.is_empty(), "{}", missed.join("\n\n"));
}

/// Conditions of an index, and those of queries that imply them.
const CONDITIONS: &[(&str, &str)] = &[
    ("i > 0", "i > 0"),
    ("i > 0", "i = 7"),
    ("i > 0", "i IN (7, 8)"),
    ("i > 0 AND b", "b AND i BETWEEN 3 AND 9"),
    ("n > 1000", "n > 1000"),
    ("n > 1000", "n >= 2000"),
    ("d > 2", "d > 2"),
    ("d > 2.5", "d > 2.5"),
    ("d > 2", "d = 22"),
    ("x > 2", "x > 2"),
    ("x > 2.5", "x > 2.50"),
    ("s IS NOT NULL", "s > 's2'"),
    ("s IS NOT NULL", "s IS NOT NULL"),
    ("s LIKE 's%'", "s LIKE 's%'"),
    ("s = 's3'", "s = 's3'"),
    ("c = 'c1'", "c = 'c1'"),
    ("c = 'c1 '", "c = 'c1 '"),
    ("c = 'c1 ' OR d > 70", "(c = 'c1 ' OR d > 70)"),
    (
        "c IN ('c1 ', 'c2') AND i < 1.5",
        "c IN ('c1 ', 'c2') AND i < 1.5",
    ),
    ("d - 7 <= -0.0", "d - 7 <= -0.0"),
    ("y > '2013-01-10'", "y > '2013-01-10'"),
    ("b", "b"),
    ("b", "b = TRUE"),
    ("NOT b", "NOT b"),
    ("b IS NOT TRUE", "b IS NOT TRUE"),
    ("y >= DATE '2013-01-10'", "y >= DATE '2013-01-10'"),
    ("y >= DATE '2013-01-10'", "y = '2013-01-13'"),
    ("ts < '2013-01-02'", "ts < '2013-01-02'"),
    ("i % 2 = 0", "i % 2 = 0"),
    ("lower(s) = 's1'", "lower(s) = 's1'"),
    ("i IN (1, 2, 3)", "i IN (1, 2, 3)"),
    ("i IN (1, 2, 3)", "i = 2"),
    ("i = 1 OR s = 's1'", "(i = 1 OR s = 's1')"),
    ("coalesce(i, 0) = 5", "coalesce(i, 0) = 5"),
    (
        "coalesce(i, 0) = 5 OR coalesce(i, 0) = 7",
        "(coalesce(i, 0) = 5 OR coalesce(i, 0) = 7)",
    ),
];

#[test]
fn a_condition_is_found_in_a_query() {
    let db = after(&[TABLE, ROWS]);
    let mut missed = Vec::new();
    for (predicate, condition) in CONDITIONS {
        let query = format!(
            "SELECT k FROM t WHERE {condition} AND k BETWEEN 0 AND 400 AND n % 110 = 0 ORDER BY k"
        );
        let expected = rows(&db, &query);
        assert!(!expected.is_empty(), "{query}");
        run(
            &db,
            &format!("CREATE INDEX p ON t ((n % 110)) WHERE {predicate}"),
        );
        assert_eq!(rows(&db, &query), expected, "{query}");
        let plan = db.explain(&query).unwrap();
        if plan.scans()[0].index.is_none() {
            missed.push(format!("{predicate}: {query}\n{plan}"));
        }
        run(&db, "DROP INDEX p");
    }
    assert!(missed.is_empty(), "{}", missed.join("\n\n"));
}

/// What an index holds is what the table holds: zeros with their signs, NaN, blanks, scales.
#[test]
fn values_come_out_of_entries_as_they_went_in() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, d DOUBLE, f REAL, x DECIMAL(9, 2), c CHAR(4), s VARCHAR)",
        "UPSERT INTO t VALUES (1, -0.0, -0.0, 1.50, 'a', 'a '), (2, 0.0, 0.0, -1.5, 'a ', ''), \
         (3, 'NaN', 'NaN', 0, '', 'é'), (4, '-inf', 'inf', NULL, NULL, NULL), (5, 1e300, 1e30, 99, 'abcd', 'a')",
    ]);
    let columns = ["d", "f", "x", "c", "s"];
    let query = |column: &str, hint: &str| {
        format!(
            "SELECT {hint} k, {column} FROM t WHERE {column} IS NOT NULL OR {column} IS NULL ORDER BY k"
        )
    };
    let before = columns.map(|column| rows(&db, &query(column, "")));
    for (column, before) in columns.iter().zip(before) {
        run(&db, &format!("CREATE INDEX i ON t ({column} DESC)"));
        let hinted = query(column, "/*+ INDEX(t i) */");
        assert!(db.explain(&hinted).unwrap().scans()[0].covering, "{hinted}");
        assert_eq!(rows(&db, &hinted), before, "{hinted}");
        run(&db, "DROP INDEX i");
        run(
            &db,
            &format!("CREATE INDEX i ON t ((k % 2)) INCLUDE ({column})"),
        );
        assert_eq!(rows(&db, &hinted), before, "{hinted}");
        run(&db, "DROP INDEX i");
    }
}
