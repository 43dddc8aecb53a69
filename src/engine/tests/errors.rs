//! What a query that fails says.

use crate::engine::tests::support::{Column, Fixture};
use crate::error::ErrorKind;
use crate::types::{SqlType, Value};

const COLUMNS: [Column; 3] = [
    ("k", SqlType::BigInt, false),
    ("name", SqlType::Varchar(None), true),
    ("day", SqlType::Date, true),
];

const BAD: &[&str] = &[
    "SELECT * FROM nowhere",
    "SELECT *\nFROM t JOIN system.nowhere n ON t.k = n.k",
    "SELECT * FROM other.t",
    "SELECT nam FROM t",
    "SELECT k,\n  zzz FROM t",
    "SELECT x.k FROM t",
    "SELECT a.q FROM t a",
    "SELECT k FROM t WHERE missing = 1",
    "SELECT k FROM t ORDER BY nothing",
    "SELECT name, count(*) FROM t GROUP BY k",
    "SELECT k FROM t a JOIN t b ON a.k = b.k",
    "SELECT foo(k) FROM t",
    "SELECT uper(name) FROM t",
    "SELECT upper(k, k, k) FROM t",
    "SELECT sum(name) FROM t",
    "SELECT * FROM nofunction(1)",
    "SELECT k + name FROM t",
    "SELECT k FROM t WHERE name",
    "SELECT k FROM t UNION SELECT k, name FROM t",
    "SELECT (SELECT k, name FROM t)",
    "SELECT (SELECT k FROM t)",
    "SELECT k FROM t WHERE day = 'soon'",
    "SELECT k FROM t WHERE k = 'x'",
    "SELECT 1 / 0",
    "SELECT 10 / (k - 1) FROM t",
    "SELECT CAST(name AS INTEGER) FROM t",
    "SELECT CAST('x' AS INTEGER)",
    "SELECT CAST(1000 AS TINYINT)",
    "SELECT sum(k) OVER (ORDER BY missing) FROM t",
    "SELECT k AS a, k AS a FROM t",
    "WITH c AS (SELECT 1) SELECT * FROM d",
    "SELECT * FROM t LIMIT -1",
    "SELECT \"K\" FROM t",
];

#[test]
fn messages() {
    let fixture = Fixture::new(1);
    fixture.create("t", &COLUMNS, &["k"], 3);
    fixture.load(
        "t",
        [1, 2].map(|k| vec![Value::BigInt(k), Value::from("x"), Value::Null]),
    );
    let message = |sql: &&str| match fixture.query(sql) {
        Ok(_) => format!("{sql}\n  no error"),
        Err(error) => format!("{sql}\n  {error}"),
    };
    insta::assert_snapshot!(BAD.iter().map(message).collect::<Vec<_>>().join("\n"));
}

#[test]
fn memory_has_a_limit() {
    let fixture = Fixture::with_memory(1, 1 << 20);
    fixture.create("t", &COLUMNS, &["k"], 3);
    let text = "x".repeat(100);
    let row = |k| {
        vec![
            Value::BigInt(k),
            Value::Text(format!("{text}{k}")),
            Value::Null,
        ]
    };
    fixture.load("t", (0..50_000).map(row));
    for query in [
        "SELECT name, count(*) FROM t GROUP BY name",
        "SELECT * FROM t ORDER BY name",
        "SELECT a.k FROM t a JOIN t b ON a.name = b.name",
    ] {
        let error = fixture.query(query).expect_err(query);
        assert_eq!(error.kind(), ErrorKind::Limit, "{query}: {error}");
    }
    assert_eq!(fixture.rows("SELECT count(*) FROM t"), ["50000"]);
    assert_eq!(fixture.rows("SELECT k FROM t ORDER BY k LIMIT 1"), ["0"]);
}
