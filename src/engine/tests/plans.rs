//! What EXPLAIN prints. The snapshots hold each query above its plan.

use crate::engine::tests::support::{Column, Fixture};
use crate::types::{SqlType, Value};

const COLUMNS: [Column; 4] = [
    ("host", SqlType::Varchar(None), false),
    ("n", SqlType::BigInt, false),
    ("v", SqlType::Integer, true),
    ("at", SqlType::Timestamp, true),
];

/// `events` hashes its whole key, `tenant` its first column, `plain` is not salted.
fn fixture(threads: usize) -> Fixture {
    let fixture = Fixture::new(threads);
    fixture.create("events", &COLUMNS, &["host", "n"], 16);
    fixture.create_salted("tenant", &COLUMNS, &["host", "n DESC"], 16, Some(vec![0]));
    fixture.create("plain", &COLUMNS, &["host", "n DESC"], 0);
    fixture
}

fn plans(fixture: &Fixture, queries: &[&str], values: Option<&[Value]>) -> String {
    let plan = |query: &&str| format!("{query}\n{}", fixture.explain_with(query, values));
    queries.iter().map(plan).collect::<Vec<_>>().join("\n\n")
}

const SCANS: &[&str] = &[
    "SELECT * FROM events WHERE host = 'a' AND n = 10",
    "SELECT v FROM events WHERE n = 10 AND host = 'a' AND v > 3",
    "SELECT * FROM events WHERE host = 'a' AND n = 1 OR host = 'b' AND n = 2",
    "SELECT * FROM events WHERE host = 'a' AND n > 10 AND n <= 20",
    "SELECT * FROM tenant WHERE host = 'a' AND n > 10 AND n <= 20",
    "SELECT * FROM events WHERE host IN ('a', 'b') AND n < 7",
    "SELECT host FROM events WHERE v > 3 LIMIT 5",
    "SELECT * FROM events WHERE host LIKE 'ab%' AND v IS NOT NULL",
    "SELECT * FROM events WHERE n = 1 AND n = 2",
    "SELECT count(*) FROM events",
    "SELECT * FROM events LIMIT 3 OFFSET 2",
    "SELECT * FROM events WHERE at > now() - INTERVAL '1 day'",
];

const ORDERS: &[&str] = &[
    "SELECT * FROM events ORDER BY host, n LIMIT 10",
    "SELECT * FROM events ORDER BY host DESC, n DESC LIMIT 10",
    "SELECT * FROM events ORDER BY host",
    "SELECT * FROM events ORDER BY host, n, v",
    "SELECT * FROM events ORDER BY n",
    "SELECT * FROM events ORDER BY host, n DESC",
    "SELECT * FROM events ORDER BY host NULLS FIRST, n",
    "SELECT * FROM plain ORDER BY host, n DESC LIMIT 3",
    "SELECT * FROM plain ORDER BY host DESC, n",
    "SELECT * FROM tenant WHERE host = 't' ORDER BY n DESC LIMIT 3",
    "SELECT * FROM events WHERE host = 't' ORDER BY n LIMIT 3",
    "SELECT * FROM events WHERE host IN ('a', 'b') AND n = 3 ORDER BY host DESC",
    "SELECT v, n + 1 AS m FROM tenant WHERE v + 1 > n ORDER BY host, n DESC LIMIT 5",
    "SELECT * FROM events WHERE random() < 0.5 ORDER BY host, n LIMIT 3",
    "SELECT n, row_number() OVER (ORDER BY host, n) FROM events",
    "SELECT n, sum(v) OVER (PARTITION BY host ORDER BY n DESC) FROM plain ORDER BY host, n DESC LIMIT 2",
    "SELECT * FROM (SELECT * FROM events ORDER BY host, n LIMIT 5) x ORDER BY host DESC, n DESC",
];

const NODES: &[&str] = &[
    "SELECT host, count(*), sum(v + 1) AS s FROM events GROUP BY host HAVING count(*) > 2 ORDER BY s DESC LIMIT 3",
    "SELECT host, avg(v) FROM plain GROUP BY host",
    "SELECT count(DISTINCT v), count(v) FILTER (WHERE v > 2) FROM events",
    "SELECT host, v, sum(n) FROM events GROUP BY ROLLUP (host, v)",
    "SELECT DISTINCT host FROM events ORDER BY host",
    "SELECT e.host, t.v FROM events e JOIN tenant t ON e.host = t.host AND e.n = t.n WHERE t.v > 3 AND e.v < t.v",
    "SELECT * FROM events e LEFT JOIN plain p ON e.host = p.host",
    "SELECT * FROM events WHERE host IN (SELECT host FROM plain)",
    "SELECT * FROM events e WHERE NOT EXISTS (SELECT 1 FROM plain p WHERE p.n = e.n)",
    "SELECT * FROM events WHERE v > (SELECT max(v) FROM plain)",
    "SELECT a.n FROM events a, plain b WHERE a.n < b.n",
    "SELECT * FROM events, plain LIMIT 2",
    "SELECT host, row_number() OVER (PARTITION BY host ORDER BY n DESC) AS r, lag(v) OVER (ORDER BY host, n) FROM events",
    "SELECT host FROM events UNION ALL SELECT host FROM plain",
    "SELECT host FROM events UNION SELECT host FROM plain LIMIT 4",
    "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 5) SELECT * FROM r",
    "SELECT CASE WHEN v IS NULL THEN 'none' ELSE upper(host) END, CAST(n AS VARCHAR) FROM events",
    "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(a, b) WHERE a > 1",
    "SELECT 1 + 1",
    "SELECT table_name FROM information_schema.tables",
    "SELECT * FROM generate_series(1, 3)",
    "SELECT table_name, salt_buckets FROM system.tables WHERE table_name = 'events'",
];

const PARAMETERS: &[&str] = &[
    "SELECT * FROM events WHERE host = $1 AND n = $2",
    "SELECT v + $3 FROM events WHERE host = $1 AND n > $2 AND v < $4 LIMIT $5",
    "SELECT host, count(*) FROM events WHERE n BETWEEN $1 AND $1 + 10 GROUP BY host HAVING count(*) > $2 ORDER BY 2 LIMIT $3 OFFSET $4",
    "SELECT * FROM events WHERE host IN ($1, $2) ORDER BY host, n LIMIT 5 OFFSET $3",
    "SELECT * FROM events e JOIN plain p ON e.n = p.n + $1 WHERE p.host = $2",
    "SELECT $1, upper($2), $3 + 1",
];

#[test]
fn scans() {
    insta::assert_snapshot!(plans(&fixture(2), SCANS, Some(&[])));
}

#[test]
fn orders() {
    insta::assert_snapshot!(plans(&fixture(2), ORDERS, Some(&[])));
}

#[test]
fn nodes() {
    insta::assert_snapshot!(plans(&fixture(2), NODES, Some(&[])));
}

#[test]
fn parameters() {
    insta::assert_snapshot!(plans(&fixture(2), PARAMETERS, None));
}

#[test]
fn values_take_the_place_of_parameters() {
    let fixture = fixture(2);
    let plan = |values: &[Value]| fixture.explain_with(PARAMETERS[0], Some(values));
    let expected = "PointGet: events, buckets 1/16, keys [('x', 7)]";
    assert_eq!(plan(&[Value::from("x"), Value::from(7_i64)]), expected);
    assert_eq!(plan(&[Value::from("x"), Value::from("7")]), expected);
    assert_eq!(plan(&[Value::from("x"), Value::Null]), "Empty: events");
}

#[test]
fn plans_do_not_depend_on_threads_or_rows() {
    let (one, many) = (fixture(1), fixture(13));
    let row = |n: i64| {
        vec![
            Value::from("a"),
            Value::BigInt(n),
            Value::Integer(1),
            Value::Null,
        ]
    };
    for table in ["events", "tenant", "plain"] {
        many.load(table, (0..3000).map(row));
    }
    for queries in [SCANS, ORDERS, NODES] {
        for query in queries {
            assert_eq!(one.explain(query), many.explain(query), "{query}");
        }
    }
}
