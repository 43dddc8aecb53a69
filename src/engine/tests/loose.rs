//! What loose scans cost.

use std::sync::Arc;

use crate::engine::tests::support::{Column, Fixture, sorted, texts};
use crate::table::ScanCounters;
use crate::types::{SqlType, Value};

const COLUMNS: [Column; 4] = [
    ("k", SqlType::Integer, false),
    ("version", SqlType::Integer, false),
    ("part", SqlType::Integer, false),
    ("v", SqlType::Integer, true),
];

/// `groups * versions` rows: (k, version, 0, k + version).
fn history(buckets: u16, key: &[&str], groups: i32, versions: i32) -> Fixture {
    let fixture = Fixture::new(1);
    fixture.create("t", &COLUMNS, key, buckets);
    let row = |k, version| {
        let row = [k, version, 0, k + version];
        row.into_iter().map(Value::Integer).collect()
    };
    fixture.load(
        "t",
        (0..groups).flat_map(|k| (0..versions).map(move |version| row(k, version))),
    );
    fixture
}

fn counted(fixture: &Fixture, sql: &str) -> (Vec<String>, Arc<ScanCounters>) {
    let counters = Arc::new(ScanCounters::default());
    let batches = fixture.query_with(sql, &[], counters.clone());
    let batches = batches.unwrap_or_else(|e| panic!("{sql}: {e}"));
    (texts(&batches), counters)
}

#[test]
fn ten_groups_cost_ten_seeks_a_bucket_or_twenty_for_both_ends() {
    for buckets in [0, 1, 4] {
        for key in [["k", "version", "part"], ["k DESC", "version DESC", "part"]] {
            let fixture = history(buckets, &key, 10, 400);
            let each = |f: fn(i32) -> String| sorted((0..10).map(f).collect());
            for (query, expected) in [
                ("SELECT DISTINCT k FROM t", each(|k| k.to_string())),
                (
                    "SELECT k, min(version) FROM t GROUP BY k",
                    each(|k| format!("{k},0")),
                ),
                (
                    "SELECT k, max(version) FROM t GROUP BY k",
                    each(|k| format!("{k},399")),
                ),
                (
                    "SELECT k, min(version), max(version) FROM t GROUP BY k",
                    each(|k| format!("{k},0,399")),
                ),
                (
                    "SELECT DISTINCT ON (k) k, version, v FROM t ORDER BY k, version DESC",
                    each(|k| format!("{k},399,{}", k + 399)),
                ),
                (
                    "SELECT k, first_value(v ORDER BY version) FROM t GROUP BY k",
                    each(|k| format!("{k},{k}")),
                ),
                (
                    "SELECT k, v FROM (SELECT *, row_number() OVER \
                     (PARTITION BY k ORDER BY version DESC) AS r FROM t) WHERE r = 1",
                    each(|k| format!("{k},{}", k + 399)),
                ),
                ("SELECT count(DISTINCT k) FROM t", vec!["10".to_owned()]),
            ] {
                let name = format!("{query}, {buckets} buckets, {key:?}");
                let (rows, counters) = counted(&fixture, query);
                assert_eq!(sorted(rows), expected, "{name}");
                let buckets = u64::from(buckets.max(1));
                assert!(counters.seeks() <= 21 * buckets, "{name}: {counters:?}");
                assert!(counters.rows() <= 20 * buckets, "{name}: {counters:?}");
                assert!(counters.rows() >= 10, "{name}: {counters:?}");
            }
        }
    }
}

#[test]
fn a_million_rows_cost_what_their_ten_groups_cost() {
    let buckets = 4;
    let fixture = history(buckets, &["k", "version DESC", "part"], 10, 100_000);
    for (query, version) in [
        ("SELECT k, max(version) FROM t GROUP BY k", 99_999),
        ("SELECT k, min(version) FROM t GROUP BY k", 0),
        (
            "SELECT DISTINCT ON (k) k, version FROM t WHERE version <= 77777 \
             ORDER BY k, version DESC",
            77_777,
        ),
    ] {
        let (rows, counters) = counted(&fixture, query);
        let expected = (0..10).map(|k| format!("{k},{version}")).collect();
        assert_eq!(sorted(rows), sorted(expected), "{query}");
        assert!(
            counters.seeks() <= 21 * u64::from(buckets),
            "{query}: {counters:?}"
        );
        assert!(counters.skipped() <= 1_000, "{query}: {counters:?}");
    }
}

#[test]
fn the_least_and_the_greatest_cost_a_seek_each() {
    for buckets in [0, 1, 16] {
        for key in [["k", "version", "part"], ["k DESC", "version DESC", "part"]] {
            let fixture = history(buckets, &key, 30, 50);
            for (query, expected) in [
                ("SELECT min(k) FROM t", "0"),
                ("SELECT max(k) FROM t", "29"),
                ("SELECT min(k), max(k) FROM t", "0,29"),
                ("SELECT max(k) FROM t WHERE k < 17", "16"),
                (
                    "SELECT min(version), max(version) FROM t WHERE k = 3",
                    "0,49",
                ),
                (
                    "SELECT max(version) FROM t WHERE k = 3 AND version <= 33",
                    "33",
                ),
            ] {
                let name = format!("{query}, {buckets} buckets, {key:?}");
                let (rows, counters) = counted(&fixture, query);
                assert_eq!(rows, [expected], "{name}");
                let buckets = u64::from(buckets.max(1));
                assert!(counters.seeks() <= 3 * buckets, "{name}: {counters:?}");
                assert!(counters.rows() <= 2 * buckets, "{name}: {counters:?}");
            }
        }
    }
}

#[test]
fn the_latest_version_up_to_a_checkpoint_costs_seeks() {
    for version in ["version", "version DESC"] {
        let fixture = history(4, &["k", version, "part"], 10, 400);
        let query = "SELECT DISTINCT ON (k) k, version, v FROM t WHERE version <= 100 \
                     ORDER BY k, version DESC";
        let (rows, counters) = counted(&fixture, query);
        let expected: Vec<String> = (0..10).map(|k| format!("{k},100,{}", k + 100)).collect();
        assert_eq!(rows, expected, "{version}");
        assert!(
            fixture
                .explain(query)
                .contains("LooseScan: t, buckets 4/4, groups (k)"),
            "{}",
            fixture.explain(query)
        );
        assert!(counters.seeks() <= 4 * 31, "{version}: {counters:?}");
        assert!(counters.rows() <= 40, "{version}: {counters:?}");
    }
}

#[test]
fn groups_of_one_row_are_stepped_through() {
    let fixture = history(1, &["k", "version", "part"], 2000, 1);
    let (rows, counters) = counted(&fixture, "SELECT count(*) FROM (SELECT DISTINCT k FROM t)");
    assert_eq!(rows, ["2000"]);
    assert!(counters.seeks() < 200, "{counters:?}");
}
