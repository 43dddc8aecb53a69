//! EXPLAIN and its options: what a plan says as text and as JSON.

use rocksalt::PlanFormat;
use rocksalt::blocking::{Database, Outcome};

use crate::support::{after, error, json};

const EVENTS: &str = "CREATE TABLE events (host VARCHAR, n BIGINT, \"V\" INTEGER, \
                      PRIMARY KEY (host, n DESC)) SALT_BUCKETS = 16";

fn db() -> Database {
    after(&[
        EVENTS,
        "CREATE TABLE plain (n BIGINT PRIMARY KEY, v INTEGER)",
        "UPSERT INTO events VALUES ('a', 1, 1), ('b', 2, 2), ('c', 3, 3)",
    ])
}

/// The plan that an EXPLAIN comes to, as it is printed.
fn printed(db: &Database, sql: &str) -> String {
    match db.run(sql) {
        Ok(Outcome::Plan(plan)) => {
            assert_eq!(db.explain(sql).unwrap(), plan, "{sql}");
            plan.to_string()
        }
        other => panic!("{sql}\n{other:?}"),
    }
}

#[test]
fn options_in_parentheses() {
    let db = db();
    let sql = "SELECT * FROM events WHERE host = 'a' AND n = 1";
    let text = printed(&db, &format!("EXPLAIN {sql}"));
    assert_eq!(text, "PointGet: events, buckets 1/16, keys [('a', 1)]");
    for same in [
        "(FORMAT TEXT)",
        "(format text)",
        "(ANALYZE false)",
        "(ANALYZE OFF, FORMAT TEXT)",
    ] {
        assert_eq!(printed(&db, &format!("EXPLAIN {same} {sql}")), text);
        assert_eq!(printed(&db, &format!("EXPLAIN {same} ({sql})")), text);
    }
    assert_eq!(printed(&db, &format!("EXPLAIN ({sql})")), text);
    assert_eq!(printed(&db, &format!("EXPLAIN (({sql}))")), text);
}

#[test]
fn a_plan_as_json() {
    let db = db();
    let sql =
        "SELECT n, \"V\" FROM events WHERE host = 'a''\"\\' AND \"V\" > 3 ORDER BY n DESC LIMIT 5";
    let document = printed(&db, &format!("EXPLAIN (FORMAT JSON) {sql}"));
    insta::assert_snapshot!(document);
    let plan = db.explain(sql).unwrap();
    assert_eq!(plan.format(), PlanFormat::Text);
    assert_eq!(plan.to_json(), document);
    let scan = &plan.scans()[0];
    for (member, value) in [
        ("node", scan.kind.to_string()),
        ("text", scan.to_string()),
        ("table", scan.table.clone()),
        ("buckets_read", scan.buckets_read.to_string()),
        ("ranges[0]", scan.keys[0].clone()),
        ("filter", scan.filter.clone().unwrap()),
        ("limit", scan.limit.unwrap().to_string()),
        ("note", scan.note.clone().unwrap()),
    ] {
        let path = format!("$.children[0].{member}");
        assert_eq!(json(&document, &path), value, "{member}");
    }
}

#[test]
fn every_node_is_an_object_and_every_fact_a_member() {
    let db = db();
    let document = printed(
        &db,
        "EXPLAIN (FORMAT JSON) SELECT e.host, count(*) FROM events e JOIN plain p ON e.n = p.n \
         WHERE p.n IN (1, 2) GROUP BY e.host",
    );
    let scans = "SELECT group_concat(json_extract(value, '$.text'), char(10)) \
                 FROM json_tree(?1) WHERE type = 'object' AND json_extract(value, '$.table') IS NOT NULL";
    let sqlite = rusqlite::Connection::open_in_memory().unwrap();
    let texts: String = sqlite
        .query_row(scans, [&document], |row| row.get(0))
        .unwrap();
    let sql = "SELECT e.host, count(*) FROM events e JOIN plain p ON e.n = p.n \
               WHERE p.n IN (1, 2) GROUP BY e.host";
    let plan = db.explain(sql).unwrap();
    let expected: Vec<String> = plan.scans().iter().map(ToString::to_string).collect();
    assert_eq!(texts, expected.join("\n"));
    let members = "SELECT count(DISTINCT (SELECT group_concat(key) FROM json_each(t.value))) \
                   FROM json_tree(?1) t WHERE type = 'object' \
                   AND json_extract(value, '$.table') IS NOT NULL";
    let shapes: i64 = sqlite
        .query_row(members, [&document], |row| row.get(0))
        .unwrap();
    assert_eq!(shapes, 1, "{document}");
    assert_eq!(json(&document, "$.table"), "null");
}

#[test]
fn writes_have_plans_in_json_too() {
    let db = db();
    let document = printed(
        &db,
        "EXPLAIN (FORMAT JSON) DELETE FROM events WHERE \"V\" = 3",
    );
    assert_eq!(json(&document, "$.node"), "Delete");
    assert_eq!(json(&document, "$.children[0].columns[1]"), "n");
    assert_eq!(json(&document, "$.children[0].filter"), "\"V\" = 3");
}

#[test]
fn wrong_options_are_named_where_they_stand() {
    let db = db();
    let shown: Vec<String> = [
        "EXPLAIN (COSTS) SELECT 1",
        "EXPLAIN (FORMAT) SELECT 1",
        "EXPLAIN (FORMAT YAML) SELECT 1",
        "EXPLAIN (ANALYZE maybe) SELECT 1",
        "EXPLAIN (FORMAT JSON, FORMAT TEXT) SELECT 1",
        "EXPLAIN (ANALYZE, ANALYZE) SELECT 1",
        "EXPLAIN (FORMAT JSON SELECT 1",
        "EXPLAIN () SELECT 1",
        "EXPLAIN (FORMAT JSON)",
        "EXPLAIN (FORMAT JSON) SHOW TABLES",
        "EXPLAIN FORMAT JSON SELECT 1",
    ]
    .iter()
    .map(|sql| format!("{sql}\n  {}", error(&db, sql)))
    .collect();
    insta::assert_snapshot!(shown.join("\n"));
}
