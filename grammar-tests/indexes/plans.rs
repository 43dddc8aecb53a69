//! Which index a query reads, and how EXPLAIN shows it: each snapshot holds the queries above their
//! plans.

use rocksalt::ScanKind;
use rocksalt::blocking::Database;

use crate::support::{after, error, plan, rows, run};

fn accounts() -> Database {
    after(&[
        "CREATE TABLE t (a INTEGER, b INTEGER, v INTEGER, s VARCHAR, w INTEGER, u INTEGER, \
         PRIMARY KEY (a, b)) SALT_BUCKETS = 16",
        "CREATE INDEX i_v ON t (v) SALT_BUCKETS = 7",
        "CREATE INDEX i_vs ON t (v, s DESC) INCLUDE (w)",
        "CREATE UNIQUE INDEX i_u ON t (u)",
        "CREATE INDEX i_w ON t (w) WHERE v > 0",
        "CREATE INDEX i_l ON t (lower(s)) SALT_BUCKETS = 0",
    ])
}

fn plans(db: &Database, queries: &[&str]) -> String {
    let plan = |sql: &&str| format!("{sql}\n{}", plan(db, sql));
    queries.iter().map(plan).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn equality_is_one_bucket() {
    insta::assert_snapshot!(plans(
        &accounts(),
        &[
            "SELECT * FROM t WHERE u = 5",
            "SELECT u FROM t WHERE u = 5",
            "SELECT a, b FROM t WHERE u = 5",
            "SELECT * FROM t WHERE u IN (5, 6)",
            "SELECT * FROM t WHERE u IS NULL",
            "SELECT * FROM t WHERE v = 3",
            "SELECT * FROM t WHERE v = 3 AND s = 'x'",
            "SELECT v, s, w FROM t WHERE v = 3 AND s = 'x'",
            "SELECT * FROM t WHERE v = 3 AND s > 'x' AND w = 1",
            "SELECT * FROM t WHERE lower(s) = 'x'",
            "SELECT a FROM t WHERE lower(s) IN ('x', 'y')",
            "SELECT * FROM t WHERE w = 3",
            "SELECT * FROM t WHERE w = 3 AND v > 0",
            "SELECT * FROM t WHERE w = 3 AND v = 5",
            "SELECT * FROM t WHERE w = 3 AND v >= 0",
        ]
    ));
}

#[test]
fn the_rank_is_of_the_shape() {
    insta::assert_snapshot!(plans(
        &accounts(),
        &[
            "SELECT * FROM t WHERE a = 1 AND b = 2 AND u = 5",
            "SELECT * FROM t WHERE a = 1 AND u = 5",
            "SELECT * FROM t WHERE a = 1 AND v = 5",
            "SELECT * FROM t WHERE a = 1 AND v BETWEEN 5 AND 7",
            "SELECT * FROM t WHERE a > 1 AND v BETWEEN 5 AND 7",
            "SELECT * FROM t WHERE b = 1 AND v BETWEEN 5 AND 7",
            "SELECT * FROM t WHERE v BETWEEN 5 AND 7",
            "SELECT v, w FROM t WHERE v BETWEEN 5 AND 7",
            "SELECT * FROM t WHERE v > 5",
            "SELECT v, w FROM t WHERE v > 5",
            "SELECT * FROM t WHERE v > 5 LIMIT 3",
            "SELECT * FROM t WHERE v > 5 AND w = 2 LIMIT 3",
            "SELECT * FROM t WHERE v <> 5",
            "SELECT v FROM t WHERE v <> 5",
            "SELECT * FROM t WHERE v IS NOT NULL LIMIT 3",
            "SELECT v FROM t",
            "SELECT s FROM t WHERE v % 3 = w",
            "SELECT count(*) FROM t",
            "SELECT lower(s) FROM t",
            "SELECT w, a FROM t WHERE v > 0",
            "SELECT w FROM t WHERE v > 0 AND a % 2 = 1",
            "SELECT * FROM t WHERE v > 0",
            "SELECT * FROM t WHERE v > 0 LIMIT 5",
            "SELECT * FROM t WHERE v = 5 AND v = 6",
        ]
    ));
}

#[test]
fn an_order_is_read_from_an_index() {
    insta::assert_snapshot!(plans(
        &accounts(),
        &[
            "SELECT * FROM t ORDER BY v LIMIT 3",
            "SELECT * FROM t ORDER BY v DESC LIMIT 3",
            "SELECT * FROM t ORDER BY v",
            "SELECT v, w FROM t ORDER BY v, s DESC",
            "SELECT * FROM t WHERE v > 5 ORDER BY v LIMIT 3 OFFSET 2",
            "SELECT * FROM t WHERE w > 5 ORDER BY v LIMIT 3",
            "SELECT * FROM t WHERE v = 5 ORDER BY a, b LIMIT 3",
            "SELECT * FROM t WHERE v = 5 ORDER BY s DESC LIMIT 3",
            "SELECT * FROM t ORDER BY a, b LIMIT 3",
            "SELECT * FROM t ORDER BY u LIMIT 3",
            "SELECT * FROM t ORDER BY u, w LIMIT 3",
            "SELECT * FROM t WHERE v IN (2, 3) ORDER BY s DESC LIMIT 3",
            "SELECT w FROM t WHERE v > 0 ORDER BY w",
            "SELECT a FROM t ORDER BY lower(s)",
            "SELECT w FROM t ORDER BY lower(s) DESC LIMIT 3",
            "SELECT * FROM t ORDER BY lower(s) LIMIT 3",
            "SELECT lower(s) AS l FROM t WHERE lower(s) > 'x' ORDER BY l LIMIT 3",
            "SELECT w FROM t ORDER BY w",
        ]
    ));
}

#[test]
fn groups_joins_and_subqueries() {
    insta::assert_snapshot!(plans(
        &accounts(),
        &[
            "SELECT min(v) FROM t",
            "SELECT max(v) FROM t WHERE v IS NOT NULL",
            "SELECT DISTINCT v FROM t",
            "SELECT v, max(s) FROM t WHERE s IS NOT NULL GROUP BY v",
            "SELECT min(w) FROM t",
            "SELECT min(w) FROM t WHERE v > 0",
            "SELECT max(a) FROM t WHERE v = 3",
            "SELECT x.w, y.w FROM t x JOIN t y ON y.u = x.w WHERE x.v = 3",
            "SELECT x.w, y.w FROM t x JOIN t y ON y.v = x.a WHERE x.a = 3",
            "SELECT * FROM t WHERE u IN (SELECT w FROM t WHERE v = 3)",
            "SELECT * FROM t WHERE u = (SELECT max(a) FROM t)",
            "UPDATE t SET s = 'x' WHERE u = 5",
            "DELETE FROM t WHERE v = 3",
        ]
    ));
}

#[test]
fn an_or_is_read_arm_by_arm() {
    insta::assert_snapshot!(plans(
        &accounts(),
        &[
            "SELECT * FROM t WHERE v = 3 OR u = 5",
            "SELECT a FROM t WHERE (v = 3 OR u = 5 OR a = 7) AND w > 2",
            "SELECT * FROM t WHERE v = 3 OR u > 5",
            "SELECT * FROM t WHERE v = 3 OR w = 5",
            "SELECT * FROM t WHERE v = $1 OR u = $2 LIMIT 3",
            "SELECT * FROM t WHERE v = 3 OR u = 5 ORDER BY a",
            "SELECT w FROM t WHERE v = 3 OR v = 5",
            "SELECT * FROM t WHERE v = 3 OR v = 3 AND u = 5",
            "SELECT 1 FROM t WHERE v = 3 UNION ALL SELECT 2 FROM t WHERE u = 5",
            "SELECT /*+ NO_INDEX(t) */ * FROM t WHERE v = 3 OR u = 5",
            "DELETE FROM t WHERE v = 3 OR u = 5",
        ]
    ));
}

#[test]
fn a_statement_says_which_index_is_read() {
    let db = accounts();
    insta::assert_snapshot!(plans(
        &db,
        &[
            "SELECT /*+ INDEX(t i_v) */ * FROM t WHERE v > 3",
            "SELECT /*+ INDEX(x i_vs) */ v FROM t x WHERE v = 3",
            "SELECT /*+ INDEX(t i_v i_vs) */ * FROM t WHERE v = 3 AND s = 'x'",
            "SELECT /*+ NO_INDEX(t) */ * FROM t WHERE u = 3",
            "SELECT /*+ INDEX(t i_v) */ * FROM t WHERE a = 1 AND b = 2",
            "SELECT /*+ INDEX(t i_w) */ * FROM t WHERE w = 1",
            "SELECT * FROM t WHERE u IN (SELECT /*+ NO_INDEX(t) */ a FROM t WHERE v = 1)",
            "SELECT /*+ INDEX(x i_v) NO_INDEX(y) */ x.w FROM t x, t y WHERE x.v = y.v AND y.u = 1",
            "UPDATE /*+ NO_INDEX(t) */ t SET s = 'x' WHERE u = 5",
            "DELETE /*+ INDEX(t i_v) */ FROM t WHERE v > 3",
            "SELECT /* INDEX(q i_q) */ u FROM t WHERE u = 3",
        ]
    ));
    let errors = [
        "SELECT /*+ INDEX(t i_q) */ * FROM t",
        "SELECT 1 WHERE EXISTS (SELECT /*+ INDEX(t i_q) */ * FROM t)",
        "SELECT /*+ INDEX(q i_v) */ * FROM t",
        "SELECT /*+ NO_INDEX(q) */ * FROM t",
        "SELECT /*+ INDEX(t) */ * FROM t",
        "SELECT /*+ INDEX t i_v */ * FROM t",
        "SELECT /*+ NO_INDEX(t i_v) */ * FROM t",
        "SELECT /*+ INDEX(t i_v */ * FROM t",
        "SELECT /*+ INDEX(t i_v) NO_INDEX(t) */ * FROM t",
        "SELECT\n  /*+ FULL(t) */ * FROM t",
        "UPDATE /*+ INDEX(t i_q) */ t SET w = 1",
        "DELETE /*+ INDEX(t (i_v)) */ FROM t",
    ];
    let errors = errors.map(|sql| format!("{sql}\n{}", error(&db, sql)));
    insta::assert_snapshot!(errors.join("\n\n"));
}

#[test]
fn the_advice_is_a_statement_after_which_there_is_no_note() {
    for (sql, read) in [
        ("SELECT * FROM e WHERE v = 3", 1),
        ("SELECT * FROM e WHERE v = 3 AND \"W x\" = 'a'", 1),
        ("SELECT n FROM e WHERE n = 3 AND v = 2", 1),
        ("SELECT * FROM e WHERE v IN (3, 4)", 2),
        ("SELECT * FROM e WHERE v BETWEEN 3 AND 400000", 16),
        ("DELETE FROM e WHERE v = 3", 1),
    ] {
        let db = after(&[
            "CREATE TABLE e (host VARCHAR, n BIGINT, v INTEGER, \"W x\" VARCHAR, \
             PRIMARY KEY (host, n)) SALT_BUCKETS = 16",
            "UPSERT INTO e SELECT 'h' || (value % 7), value, value % 10, 'a' FROM generate_series(1, 99)",
        ]);
        let before = db.explain(sql).unwrap();
        let note = before.scans()[0].note.clone().unwrap();
        let (_, advice) = note
            .split_once("CREATE INDEX")
            .unwrap_or_else(|| panic!("{note}"));
        let statement = format!("CREATE INDEX{advice}");
        run(&db, &statement);
        let after = db.explain(sql).unwrap();
        let scan = &after.scans()[0];
        assert_eq!(scan.note, None, "{sql}: {after}");
        assert!(scan.index.is_some(), "{sql}: {after}");
        assert!(scan.buckets_read <= read, "{sql}: {after}");
    }
}

/// A hint that cannot be followed is as if it were not there, and a predicate that contradicts
/// itself on the columns of an index reads nothing.
#[test]
fn what_an_index_cannot_read_is_passed_over() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, c INTEGER, d INTEGER) SALT_BUCKETS = 3",
        "UPSERT INTO t SELECT value, value % 7, value % 3 FROM generate_series(1, 50)",
        "CREATE INDEX i ON t (c)",
        "CREATE INDEX p ON t (c) WHERE d > 0",
    ]);
    let unhinted = plan(&db, "SELECT * FROM t WHERE c = 1");
    assert!(unhinted.starts_with("IndexLookup: i -> t"), "{unhinted}");
    assert_eq!(
        plan(&db, "SELECT /*+ INDEX(t p) */ * FROM t WHERE c = 1"),
        unhinted
    );
    for (condition, kind) in [
        ("c = 1.5", "Empty: t"),
        ("c > 5 AND c < 2", "Empty: t"),
        ("c IN (1.5, 2.5)", "Empty: t"),
        ("c > 3000000000", "Empty: t"),
        ("c = 1 AND c = 2 AND d > 1", "Empty: t"),
        ("d = 1.5", "FullScan: t"),
    ] {
        let query = format!("SELECT k FROM t WHERE {condition}");
        let found = plan(&db, &query);
        assert!(found.starts_with(kind), "{query}\n{found}");
        assert_eq!(rows(&db, &query), [""; 0], "{query}");
    }
}

/// An expression that fails for a row says of which index it is.
#[test]
fn an_expression_that_fails_names_its_index() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, c INTEGER) SALT_BUCKETS = 3",
        "CREATE INDEX i ON t ((10 / c))",
    ]);
    assert_eq!(
        error(&db, "INSERT INTO t VALUES (1, 0)"),
        "invalid: index i: division by zero"
    );
    assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["0"]);
}

/// The name that is advised is free.
#[test]
fn advice_takes_no_name_of_another_index() {
    let db = after(&[
        "CREATE TABLE e (a INTEGER PRIMARY KEY, v INTEGER, w INTEGER) SALT_BUCKETS = 4",
        "CREATE INDEX e_v_idx ON e (w)",
        "CREATE INDEX e_v_idx1 ON e (w, v)",
    ]);
    let scan = db.explain("SELECT * FROM e WHERE v = 1").unwrap();
    let note = scan.scans()[0].note.clone().unwrap();
    assert!(note.ends_with("CREATE INDEX e_v_idx2 ON e (v)"), "{note}");
    let session = db.session();
    session.execute("SET max_fanout = 2", ()).unwrap();
    let error = session.query("SELECT * FROM e WHERE v = 1", ());
    let error = error.unwrap_err().to_string();
    assert!(error.ends_with("CREATE INDEX e_v_idx2 ON e (v)"), "{error}");
}

#[test]
fn code_sees_what_is_read() {
    let db = accounts();
    let scan = |sql: &str| db.explain(sql).unwrap().scans()[0].clone();
    let lookup = scan("SELECT * FROM t WHERE u = 5");
    assert_eq!(lookup.kind, ScanKind::IndexLookup);
    assert_eq!(
        (lookup.table.as_str(), lookup.index.as_deref()),
        ("t", Some("i_u"))
    );
    assert_eq!((lookup.buckets_read, lookup.buckets_total), (1, Some(16)));
    assert_eq!(
        (lookup.keys, lookup.covering),
        (vec!["5".to_owned()], false)
    );
    let covering = scan("SELECT v FROM t WHERE v = 5");
    assert_eq!(covering.kind, ScanKind::IndexScan);
    assert!(covering.covering);
    let loose = scan("SELECT min(v) FROM t");
    assert_eq!(
        (loose.kind, loose.index.as_deref()),
        (ScanKind::LooseScan, Some("i_v"))
    );
    let own = scan("SELECT * FROM t WHERE a = 5");
    assert_eq!((own.index, own.covering), (None, false));
    let json = db
        .explain("EXPLAIN (FORMAT JSON) SELECT * FROM t WHERE u = 5")
        .unwrap();
    let member = |path| crate::support::json(&json.to_string(), path);
    assert_eq!(member("$.node"), "IndexLookup");
    assert_eq!(
        (member("$.table"), member("$.index")),
        ("t".to_owned(), "i_u".to_owned())
    );
    assert_eq!(
        (member("$.keys[0]"), member("$.covering")),
        ("5".to_owned(), "0".to_owned())
    );
}

#[test]
fn a_read_by_an_index_counts_entries_and_gets() {
    let db = accounts();
    run(
        &db,
        "UPSERT INTO t SELECT value, value % 3, value % 10, 's' || (value % 4), value * 2, value \
         FROM generate_series(0, 999)",
    );
    let counts = |sql: &str| {
        let plan = db.explain(&format!("EXPLAIN ANALYZE {sql}")).unwrap();
        let counts = plan.scans()[0].analyzed.clone().unwrap();
        (
            counts.entries,
            counts.gets,
            counts.rows_read,
            counts.rows_returned,
        )
    };
    // A UNIQUE index: a get of the entry, and one of the row.
    assert_eq!(counts("SELECT * FROM t WHERE u = 77"), (1, 2, 1, 1));
    assert_eq!(counts("SELECT * FROM t WHERE u = 7777"), (0, 1, 0, 0));
    assert_eq!(
        counts("SELECT * FROM t WHERE v = 3 AND w > 1000"),
        (100, 100, 100, 50)
    );
    // Entries that hold all of it are the rows.
    assert_eq!(counts("SELECT v, w FROM t WHERE v = 3"), (0, 0, 100, 100));
    // A limit reads no more entries than it needs.
    assert_eq!(counts("SELECT * FROM t WHERE v > 3 LIMIT 5"), (5, 5, 5, 5));
    assert_eq!(counts("SELECT * FROM t ORDER BY v LIMIT 5"), (5, 5, 5, 5));
    assert_eq!(
        counts("SELECT * FROM t ORDER BY v DESC LIMIT 5 OFFSET 2"),
        (7, 7, 7, 7)
    );
}

#[test]
fn max_fanout_counts_the_buckets_of_the_index() {
    let db = accounts();
    let session = db.session();
    session.execute("SET max_fanout = 1", ()).unwrap();
    session.query("SELECT * FROM t WHERE u = 5", ()).unwrap();
    session.query("SELECT * FROM t WHERE v = 5", ()).unwrap();
    let refused = session.query("SELECT * FROM t WHERE v BETWEEN 5 AND 6000", ());
    insta::assert_snapshot!(
        refused.err().unwrap(),
        @"limit: index i_v would read 7/7 buckets, and max_fanout is 1: v not bound by equality"
    );
}

/// An empty table has the plan of a full one.
#[test]
fn sizes_are_not_asked() {
    let db = accounts();
    let queries = [
        "SELECT * FROM t WHERE v = 3",
        "SELECT * FROM t WHERE v BETWEEN 1 AND 2",
        "SELECT * FROM t ORDER BY v LIMIT 3",
        "SELECT x.w FROM t x JOIN t y ON x.u = y.w WHERE y.v = 3",
    ];
    let before = plans(&db, &queries);
    run(
        &db,
        "UPSERT INTO t SELECT value, 1, value % 2, 's', value, value FROM generate_series(1, 2000)",
    );
    assert_eq!(plans(&db, &queries), before);
    assert_eq!(rows(&db, "SELECT count(*) FROM t WHERE v = 1"), ["1000"]);
}

/// Indexes that are dropped are not read any more, and those that come are.
#[test]
fn prepared_statements_follow_the_indexes() {
    let db = after(&[
        "CREATE TABLE t (a INTEGER PRIMARY KEY, v INTEGER) SALT_BUCKETS = 4",
        "UPSERT INTO t SELECT value, value % 5 FROM generate_series(1, 50)",
    ]);
    let statement = db.prepare("SELECT a FROM t WHERE v = $1").unwrap();
    let index = || statement.explain().unwrap().scans()[0].index.clone();
    let count = || {
        let rows = statement
            .query(rocksalt::params![3])
            .and_then(crate::support::text);
        rows.unwrap().len()
    };
    assert_eq!((index(), count()), (None, 10));
    run(&db, "CREATE INDEX i ON t (v)");
    assert_eq!((index().as_deref(), count()), (Some("i"), 10));
    run(&db, "DROP INDEX i");
    assert_eq!((index(), count()), (None, 10));
}
