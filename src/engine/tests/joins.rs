//! What joins and scalar subqueries read of the tables whose keys they bind.

use std::sync::Arc;

use crate::engine::tests::support::{Column, Fixture, sorted, texts};
use crate::table::ScanCounters;
use crate::types::{SqlType, Value};

const ITEM: [Column; 3] = [
    ("a", SqlType::Integer, false),
    ("b", SqlType::Integer, false),
    ("v", SqlType::Integer, true),
];
const OUTER: [Column; 3] = [
    ("x", SqlType::BigInt, false),
    ("y", SqlType::Integer, true),
    ("z", SqlType::Integer, true),
];

/// `item` has 100 times 100 rows, v = 100 a + b; `salted` the same, its buckets by `a`; `plain` the
/// same without buckets. `few` has ten rows, `many` five thousand, `wide` ten thousand and `long`
/// 25,500.
fn fixture(threads: usize) -> Fixture {
    let fixture = Fixture::new(threads);
    fixture.create("item", &ITEM, &["a", "b"], 16);
    fixture.create_salted("salted", &ITEM, &["a", "b DESC"], 16, Some(vec![0]));
    fixture.create("plain", &ITEM, &["a", "b"], 0);
    let rows = || {
        (0..10_000).map(|n| {
            vec![
                Value::Integer(n / 100),
                Value::Integer(n % 100),
                Value::Integer(n),
            ]
        })
    };
    for table in ["item", "salted", "plain"] {
        fixture.load(table, rows());
    }
    let outer = |n: i64| {
        let y = Value::Integer((n * 7 % 100) as i32);
        let z = Value::Integer((n * 3 % 100) as i32);
        vec![Value::BigInt(n), y, z]
    };
    fixture.create("few", &OUTER, &["x"], 4);
    fixture.load("few", (0..10).map(outer));
    fixture.create("many", &OUTER, &["x"], 4);
    fixture.load("many", (0..5_000).map(outer));
    let number = [("k", SqlType::BigInt, false), ("v", SqlType::BigInt, true)];
    let row = |n: i64| vec![Value::BigInt(n), Value::BigInt(n)];
    fixture.create("wide", &number, &["k"], 16);
    fixture.load("wide", (0..10_000).map(row));
    fixture.create("long", &number, &["k DESC"], 2);
    fixture.load("long", (0..25_500).map(row));
    fixture
}

/// The rows of a query in some order, and what was done for them: gets, seeks, rows decoded.
fn counted(fixture: &Fixture, sql: &str) -> (Vec<String>, [u64; 3]) {
    let counters = Arc::new(ScanCounters::default());
    let batches = fixture
        .query_with(sql, &[], counters.clone())
        .unwrap_or_else(|e| panic!("{sql}: {e}"));
    let counts = [counters.gets(), counters.seeks(), counters.rows()];
    (sorted(texts(&batches)), counts)
}

#[test]
fn a_join_on_the_whole_key_gets_its_rows() {
    for threads in [1, 4] {
        let fixture = fixture(threads);
        for table in ["item", "salted", "plain"] {
            for from in [
                format!("few JOIN {table}"),
                format!("{table} JOIN few"),
                format!("{table} RIGHT JOIN few"),
                format!("few LEFT JOIN {table}"),
            ] {
                let sql = format!("SELECT x, v FROM {from} ON y = a AND z = b");
                let (rows, [gets, seeks, decoded]) = counted(&fixture, &sql);
                let row = |n: i64| format!("{n},{}", n * 7 % 100 * 100 + n * 3 % 100);
                assert_eq!(rows, sorted((0..10).map(row).collect()), "{sql}");
                // The rows of `few` are scanned, from its four buckets.
                assert_eq!([gets, decoded], [10, 20], "{sql}");
                assert!(seeks <= 4, "{sql}: {seeks}");
            }
        }
    }
}

#[test]
fn what_a_join_reads() {
    for threads in [1, 4] {
        let fixture = fixture(threads);
        // Gets, the most seeks, and rows of the table that the join binds.
        for (sql, expected, gets, seeks, decoded) in [
            // A hundred pairs repeat fifty times.
            (
                "SELECT x FROM many JOIN item ON y = a AND z = b",
                5_000,
                100,
                0,
                100,
            ),
            (
                "SELECT x FROM many JOIN wide ON x = k",
                5_000,
                5_000,
                0,
                5_000,
            ),
            (
                "SELECT k FROM wide WHERE k IN (SELECT x FROM many)",
                5_000,
                5_000,
                0,
                5_000,
            ),
            (
                "SELECT k FROM wide WHERE EXISTS (SELECT 1 FROM few WHERE x = k)",
                10,
                10,
                0,
                10,
            ),
            (
                "SELECT x FROM few WHERE NOT EXISTS (SELECT 1 FROM wide WHERE k = x)",
                0,
                10,
                0,
                10,
            ),
            (
                "SELECT x FROM few WHERE x NOT IN (SELECT k FROM wide)",
                0,
                10,
                0,
                10,
            ),
            (
                "SELECT x FROM few JOIN item ON y = a AND b = 7",
                10,
                10,
                0,
                10,
            ),
            (
                "SELECT x FROM few JOIN item ON y = a AND b IN (7, 9)",
                20,
                20,
                0,
                20,
            ),
            // One bucket a value, or all sixteen.
            (
                "SELECT x FROM few JOIN salted ON y = a",
                1_000,
                0,
                10,
                1_000,
            ),
            ("SELECT x FROM few JOIN item ON y = a", 1_000, 0, 160, 1_000),
            ("SELECT x FROM few JOIN plain ON y = a", 1_000, 0, 10, 1_000),
            (
                "SELECT x FROM few JOIN salted ON y = a AND b > 89",
                100,
                0,
                10,
                100,
            ),
            // The smallest y is 0, the largest 63.
            (
                "SELECT x, s FROM few JOIN (SELECT a, sum(v) s FROM salted GROUP BY a) ON y = a",
                10,
                0,
                10,
                1_000,
            ),
            // More values than are looked up: what lies between them is read.
            (
                "SELECT l.k FROM long l JOIN wide w ON l.k = w.k WHERE l.v >= 9000",
                1_000,
                0,
                16,
                1_000,
            ),
        ] {
            let build = |table: &str, rows| if sql.contains(table) { rows } else { 0 };
            let scanned = build("few", 10) + build("many", 5_000) + build("long", 25_500);
            let (rows, [got, sought, read]) = counted(&fixture, sql);
            assert_eq!(rows.len(), expected, "{sql}");
            assert_eq!([got, read], [gets, decoded + scanned], "{sql}");
            assert!(sought <= seeks + 4, "{sql}: {sought}");
        }
    }
}

#[test]
fn a_subquery_is_bound_as_a_parameter_is() {
    let fixture = fixture(2);
    for (sql, expected, gets, decoded) in [
        (
            "SELECT v FROM item WHERE a = (SELECT max(y) FROM few) AND b = 3",
            "6303",
            1,
            1,
        ),
        (
            "SELECT v FROM item WHERE a = (SELECT max(y) FROM few) AND b = (SELECT min(z) + 1 FROM few)",
            "6301",
            1,
            1,
        ),
        (
            "SELECT b FROM salted WHERE a = (SELECT max(y) FROM few) AND b > (SELECT 98)",
            "99",
            0,
            1,
        ),
        (
            "SELECT v FROM item WHERE a = (SELECT max(y) FROM few) ORDER BY b LIMIT 1",
            "6300",
            0,
            1,
        ),
        (
            "SELECT k FROM wide WHERE k = (SELECT max(z) FROM few)",
            "27",
            1,
            1,
        ),
    ] {
        let (rows, [got, _, read]) = counted(&fixture, sql);
        assert_eq!(rows, [expected], "{sql}");
        let subqueries = 10 * sql.matches("FROM few").count() as u64;
        // A merge may decode one row more a bucket; a subquery may need fewer rows than there are.
        assert_eq!(got, gets, "{sql}");
        assert!(
            (decoded..decoded + 16 + subqueries).contains(&read),
            "{sql}: {read}"
        );
    }
}

#[test]
fn plans() {
    let fixture = fixture(2);
    let queries = [
        "SELECT x, v FROM item JOIN few ON y = a AND z = b",
        "SELECT x, v FROM item LEFT JOIN few ON y = a AND z = b",
        "SELECT x, v FROM few LEFT JOIN salted ON y = a",
        "SELECT x, v FROM item JOIN few ON y = a AND z = 7 WHERE v > 3",
        "SELECT x, v FROM few JOIN item ON y = b",
        "SELECT x, v FROM few JOIN item ON y = a + 1 AND z = b",
        "SELECT w.k FROM wide w JOIN long l ON w.k = l.k",
        "SELECT w.k FROM wide w JOIN long l ON w.k = l.k WHERE l.v > 3",
        "SELECT w.k FROM wide w JOIN long l ON w.k = l.k WHERE w.k IN (1, 2)",
        "SELECT v FROM wide WHERE k IN (SELECT k FROM long)",
        "SELECT v FROM wide WHERE k NOT IN (SELECT k FROM long)",
        "SELECT x, s.v FROM few JOIN item ON y = a AND z = b JOIN salted s ON s.a = x",
        "SELECT x, v FROM few JOIN (SELECT * FROM item ORDER BY a LIMIT 10) ON y = a",
        "SELECT x, v FROM few JOIN (SELECT a, v FROM item UNION ALL SELECT a, v FROM salted) ON y = a",
        "SELECT v FROM item WHERE a = (SELECT max(y) FROM few) AND b = 3",
        "SELECT v FROM item WHERE a = (SELECT max(x) FROM few) AND v > (SELECT min(z) + 1 FROM few)",
        "SELECT v FROM plain WHERE a = (SELECT max(x) FROM few) ORDER BY b LIMIT 3",
        "SELECT v FROM salted WHERE a >= (SELECT max(x) FROM few) AND random() < (SELECT 2) LIMIT 3",
    ];
    let plan = |query: &&str| format!("{query}\n{}", fixture.explain(query));
    insta::assert_snapshot!(queries.iter().map(plan).collect::<Vec<_>>().join("\n\n"));
}
