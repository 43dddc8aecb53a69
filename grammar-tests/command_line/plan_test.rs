//! `--plan-test`: what is expected of the plans of a file, and what the exit code says of it.

use std::fs;

use rocksalt::PlanNode;

use super::{Ran, rocksalt};

const SCHEMA: &str = "
CREATE TABLE events (host VARCHAR, n BIGINT, v INTEGER, PRIMARY KEY (host, n)) SALT_BUCKETS = 16;
CREATE TABLE tenant (host VARCHAR, n BIGINT, v INTEGER, PRIMARY KEY (host, n))
  SALT_BUCKETS = 16, SALT_COLUMNS = (host);
CREATE TABLE plain (n BIGINT PRIMARY KEY)";

/// Tests the plans of a file; the file is called `queries.sql` in what is printed.
fn test(schema: &str, queries: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("schema.sql"), schema).unwrap();
    fs::write(path("queries.sql"), queries).unwrap();
    let ran = rocksalt(&[
        "--plan-test",
        &path("queries.sql"),
        "--schema",
        &path("schema.sql"),
    ]);
    let folder = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
    Ran {
        code: ran.code,
        out: ran.out.replace(&folder, ""),
        err: ran.err.replace(&folder, ""),
    }
}

#[test]
fn plans_that_are_as_expected() {
    let ran = test(
        SCHEMA,
        "\u{feff}-- A point get by parameters.
-- expect: PointGet
-- expect: buckets <= 1
-- expect: no Sort
SELECT v FROM events WHERE host = $1 AND n = $2;

   -- expect:   KeyMerge
-- expect: RangeScan
-- expect: buckets = 16
/* -- expect: FullScan */
SELECT * FROM events WHERE host = 'a' OR host = 'a' -- the same
  ORDER BY n;
SELECT 1; -- a remark; and one; more
-- expect: RangeScan
-- expect: PointGet
-- expect: HashJoin
-- expect: buckets < 2
SELECT * FROM tenant t JOIN plain p ON p.n = t.v + 1 WHERE t.host = :host AND p.n = 7;
SET row_key_order = on;
-- expect: KeyMerge
SELECT * FROM events;
-- expect: Delete
-- expect: Empty
DELETE FROM events WHERE n = 1 AND n = 2
",
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    insta::assert_snapshot!(ran.out, @r"
    ok      queries.sql:5: SELECT v FROM events WHERE host = $1 AND n = $2
    ok      queries.sql:11: SELECT * FROM events WHERE host = 'a' OR host = 'a' -- the same ORDER BY n
    ok      queries.sql:13: SELECT 1
    ok      queries.sql:18: SELECT * FROM tenant t JOIN plain p ON p.n = t.v + 1 WHERE t.host = :host AND p.…
    ok      queries.sql:19: SET row_key_order = on
    ok      queries.sql:21: SELECT * FROM events
    ok      queries.sql:24: DELETE FROM events WHERE n = 1 AND n = 2
    7 statements and 13 expectations: 0 failed
    ");
}

#[test]
fn a_change_is_shown_with_its_plan() {
    let ran = test(
        SCHEMA,
        "-- expect: PointGet
-- expect: buckets <= 1
SELECT * FROM events WHERE v = 3;
-- expect: no Sort
-- expect: KeyMerge
SELECT * FROM events ORDER BY v;
-- expect: FullScan
SELECT 1;
-- expect: PointGet
SELECT * FROM plain p JOIN tenant t ON p.n = t.n AND p.n = 1;
SELECT missing
  FROM events;
CREATE TABLE more (n INTEGER PRIMARY KEY);
-- expect: PointGet
SELECT * FROM plain WHERE n = ?
",
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "{}", ran.out);
    insta::assert_snapshot!(ran.out);
}

#[test]
fn what_makes_no_sense_is_wrong_usage() {
    let select = "\nSELECT * FROM plain";
    let wrong: Vec<String> = [
        "-- expect: PoinGet",
        "-- expect: no Sorrt",
        "-- expect: pointget",
        "-- expect: buckets 3",
        "-- expect: buckets <= few",
        "-- expect: buckets >= 1",
        "-- expect: PointGet or RangeScan",
        "-- expect:",
        "-- expect PointGet",
        "-- expects: PointGet",
        "--Expected: PointGet",
        "SELECT 1; -- expect: PointGet",
        "SELECT 1\n-- expect: PointGet\n;",
    ]
    .iter()
    .map(|text| {
        let ran = test(SCHEMA, &format!("{text}{select}"));
        assert_eq!(ran.code, Some(2), "{text}: {}", ran.out);
        let (shown, _) = ran.err.split_once("; ").unwrap_or((ran.err.trim_end(), ""));
        format!("{text}\n  {shown}")
    })
    .collect();
    insta::assert_snapshot!(wrong.join("\n"));

    let ran = test(SCHEMA, "SELECT 1;\n-- expect: PointGet\n");
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.err,
        "error: invalid: queries.sql:2: no statement follows the expectation\n"
    );
    let ran = test(
        "CREATE TABLE t (k INTEGER PRIMARY KEY);\nCREATE TABLE t (k",
        "",
    );
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.starts_with("error: syntax: schema.sql:2: "),
        "{}",
        ran.err
    );
    let ran = test(SCHEMA, "");
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(0), "0 statements and 0 expectations: 0 failed\n")
    );
    for arguments in [
        &["--plan-test", "nowhere.sql"][..],
        &["--schema", "nowhere.sql"],
        &["--plan-test", "nowhere.sql", "--schema", "nowhere.sql"],
        &["--plan-test", "a", "--schema", "b", "-c", "SELECT 1"],
        &["--plan-test", "a", "--schema", "b", "folder"],
    ] {
        let ran = rocksalt(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.starts_with("error: "), "{}", ran.err);
    }
}

#[test]
fn the_example_holds() {
    let ran = rocksalt(&[
        "--plan-test",
        "examples/flights/plans.sql",
        "--schema",
        "examples/flights/schema.sql",
    ]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let summary = "5 statements and 11 expectations: 0 failed\n";
    assert!(ran.out.ends_with(summary), "{}", ran.out);
}

/// Every kind of node that a plan has can be expected.
#[test]
fn the_kinds_of_nodes_are_all_known() {
    let db = crate::support::after(&SCHEMA.split(';').collect::<Vec<_>>());
    let mut seen = std::collections::BTreeSet::new();
    for sql in [
        "SELECT host, count(*) FROM events GROUP BY host HAVING count(*) > 2 ORDER BY 2 LIMIT 3",
        "SELECT * FROM events WHERE random() < 0.5 ORDER BY host, n",
        "SELECT * FROM events e LEFT JOIN plain p ON e.n = p.n WHERE e.host = 'a' AND e.n = 3",
        "SELECT a.n FROM events a, plain b WHERE a.n < b.n",
        "SELECT * FROM events, plain LIMIT 2",
        "SELECT * FROM events WHERE v > (SELECT max(v) FROM tenant WHERE host IN ('a', 'b'))",
        "SELECT row_number() OVER (PARTITION BY v ORDER BY n) FROM events",
        "SELECT host FROM events UNION ALL SELECT host FROM tenant WHERE host = NULL",
        "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 5) SELECT * FROM r",
        "SELECT unnest([1, 2])",
        "SELECT table_name FROM information_schema.tables",
        "SELECT * FROM generate_series(1, 3)",
        "SELECT * FROM events OFFSET 3",
        "SELECT DISTINCT host FROM tenant",
        "UPSERT INTO plain VALUES (1)",
        "INSERT INTO plain SELECT n FROM events WHERE n > 3 AND v = 2",
        "UPDATE events SET v = 1",
        "DELETE FROM plain WHERE n = 1",
    ] {
        let plan = db.explain(sql).unwrap();
        let mut nodes = vec![plan.root()];
        while let Some(node) = nodes.pop() {
            assert!(PlanNode::KINDS.contains(&node.kind()), "{sql}\n{plan}");
            seen.insert(node.kind().to_owned());
            nodes.extend(&node.children);
        }
    }
    assert!(seen.len() >= 20, "{seen:?}");
}
