//! What ordered scans cost.

use std::sync::Arc;

use crate::engine::tests::support::{Column, Fixture, texts};
use crate::table::ScanCounters;
use crate::types::{SqlType, Value};

const COLUMNS: [Column; 3] = [
    ("a", SqlType::Integer, false),
    ("b", SqlType::Integer, false),
    ("v", SqlType::Integer, false),
];

/// The rows (a, b, a + b) of every a and b below these bounds.
fn table(buckets: u16, key: &[&str], a: i32, b: i32) -> Fixture {
    let fixture = Fixture::new(1);
    fixture.create("t", &COLUMNS, key, buckets);
    let row = |a, b| vec![a, b, a + b].into_iter().map(Value::Integer).collect();
    fixture.load("t", (0..a).flat_map(|a| (0..b).map(move |b| row(a, b))));
    fixture
}

fn counted(fixture: &Fixture, sql: &str, values: &[Value]) -> (Vec<String>, Arc<ScanCounters>) {
    let counters = Arc::new(ScanCounters::default());
    let batches = fixture.query_with(sql, values, counters.clone());
    let batches = batches.unwrap_or_else(|e| panic!("{sql}: {e}"));
    (texts(&batches), counters)
}

#[test]
fn the_first_rows_of_256_buckets_cost_a_seek_in_each() {
    for key in [["a", "b"], ["a DESC", "b DESC"]] {
        let fixture = table(256, &key, 60, 100);
        for (query, expected) in [
            (
                "SELECT a, b FROM t ORDER BY a, b LIMIT 10",
                (0..10).map(|b| format!("0,{b}")).collect::<Vec<_>>(),
            ),
            (
                "SELECT a, b FROM t ORDER BY a DESC, b DESC LIMIT 10",
                (0..10).map(|b| format!("59,{}", 99 - b)).collect(),
            ),
        ] {
            let (rows, counters) = counted(&fixture, query, &[]);
            assert_eq!(rows, expected, "{query}");
            assert_eq!(counters.seeks(), 256, "{query}");
            assert!(counters.rows() <= 266, "{query}: {counters:?}");
        }
    }
}

#[test]
fn every_page_by_key_costs_the_same() {
    for (key, after, order) in [
        (["a", "b"], ">", "a, b"),
        (["a DESC", "b DESC"], ">", "a, b"),
        (["a", "b"], "<", "a DESC, b DESC"),
    ] {
        let fixture = table(16, &key, 50, 100);
        let query =
            format!("SELECT a, b FROM t WHERE (a, b) {after} ($1, $2) ORDER BY {order} LIMIT 20");
        let plan = fixture.explain_with(&query, Some(&[Value::from(3), Value::from(4)]));
        let text: Vec<&str> = plan.lines().collect();
        assert_eq!(text[0], format!("KeyMerge: {order}"), "{plan}");
        assert!(
            text[1].starts_with("└─ RangeScan: t, buckets 16/16, ranges "),
            "{plan}"
        );
        for page in [0, 1, 100, 248] {
            // Of 5,000 rows, 20 a page.
            let (first, step) = match after {
                ">" => (page * 20 - 1, 1),
                _ => (5000 - page * 20, -1),
            };
            let key = |n: i32| (n.div_euclid(100), n.rem_euclid(100));
            let (a, b) = key(first);
            let (rows, counters) = counted(&fixture, &query, &[a.into(), b.into()]);
            let expected: Vec<String> = (1..=20)
                .map(|n| key(first + n * step))
                .map(|(a, b)| format!("{a},{b}"))
                .collect();
            assert_eq!(rows, expected, "{query} from ({a}, {b})");
            assert_eq!(counters.seeks(), 16, "{query} from ({a}, {b})");
            assert!(
                counters.rows() <= 36,
                "{query} from ({a}, {b}): {counters:?}"
            );
        }
    }
}

#[test]
fn behind_a_list_each_value_is_a_stream_in_each_bucket() {
    for buckets in [0, 1, 16] {
        for key in [["a", "b"], ["a", "b DESC"]] {
            let fixture = table(buckets, &key, 20, 200);
            let query = "SELECT a, b, v FROM t WHERE a IN (3, 5, 11) ORDER BY b DESC LIMIT 6";
            let (mut rows, counters) = counted(&fixture, query, &[]);
            rows[..3].sort();
            rows[3..].sort();
            let expected = [
                "11,199,210",
                "3,199,202",
                "5,199,204",
                "11,198,209",
                "3,198,201",
                "5,198,203",
            ];
            assert_eq!(rows, expected, "{buckets} buckets, {key:?}");
            let streams = 3 * u64::from(buckets.max(1));
            assert_eq!(counters.seeks(), streams, "{buckets} buckets, {key:?}");
            assert!(counters.rows() <= 6 + streams, "{counters:?}");
        }
    }
}

#[test]
fn an_order_behind_a_list_may_wait_for_its_values() {
    let fixture = table(16, &["a", "b"], 5, 5);
    let query = "SELECT b FROM t WHERE a IN ($1, $2) AND b < $3 ORDER BY b LIMIT $4";
    insta::assert_snapshot!(fixture.explain_with(query, None), @r"
    KeyMerge: b
    └─ SkipScan: t, buckets <=16/16, ranges [$1 .. ($1, $3)), [$2 .. ($2, $3)), columns [b], limit $4
    note: t reads 16/16 buckets: b not bound by equality
    ");
    let values = [1, 4, 3, 5].map(Value::from);
    assert_eq!(fixture.rows_with(query, &values), ["0", "0", "1", "1", "2"]);
    let same = [2, 2, 3, 5].map(Value::from);
    assert_eq!(fixture.rows_with(query, &same), ["0", "1", "2"]);
    let none = [Value::Null, Value::from(1), Value::from(2), Value::from(5)];
    assert_eq!(fixture.rows_with(query, &none), ["0", "1"]);
}
