//! Aggregates over scans: what is decoded, and where they are computed.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::physical_plan::ExecutionPlanProperties;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};

use crate::engine::ready::ready;
use crate::engine::scan::exec::ScanExec;
use crate::engine::tests::support::{Column, Fixture, sorted};
use crate::store::WriteBatch;
use crate::types::{SqlType, Value};

const COLUMNS: [Column; 3] = [
    ("a", SqlType::Integer, false),
    ("b", SqlType::Integer, false),
    ("v", SqlType::Integer, true),
];

/// Rows whose keys are (a, b) for a < 3 and b < 20, and whose values are no row at all.
fn without_values(buckets: u16) -> Fixture {
    let fixture = Fixture::new(2);
    fixture.create("t", &COLUMNS, &["a", "b"], buckets);
    let state = fixture.catalog.state();
    let entry = state.find_table("public", "t").expect("a table");
    let mut batch = WriteBatch::new();
    for (a, b) in (0..3).flat_map(|a| (0..20).map(move |b| (a, b))) {
        let key = [Value::Integer(a), Value::Integer(b)];
        let (bucket, key) = entry.def.key_layout().encode(&key).expect("a key");
        batch.put(&entry.handle, bucket, &key, &[0xff]);
    }
    fixture.store.write(batch).expect("a write");
    fixture
}

#[test]
fn counts_and_keys_decode_no_values() {
    for buckets in [0, 1, 16] {
        let fixture = without_values(buckets);
        for (query, expected) in [
            ("SELECT count(*) FROM t", vec!["60"]),
            ("SELECT count(*) FROM t WHERE a = 1 AND b >= 5", vec!["15"]),
            ("SELECT count(*) FROM t WHERE b % 5 = 0", vec!["12"]),
            (
                "SELECT a, count(*), sum(b) FROM t GROUP BY a",
                vec!["0,20,190", "1,20,190", "2,20,190"],
            ),
            ("SELECT a, b FROM t WHERE a = 2 AND b = 3", vec!["2,3"]),
            (
                "SELECT b FROM t WHERE a = 2 AND b IN (3, 7, 90)",
                vec!["3", "7"],
            ),
            (
                "SELECT a, b FROM t ORDER BY a, b LIMIT 2",
                vec!["0,0", "0,1"],
            ),
            ("SELECT max(b), min(a) FROM t", vec!["19,0"]),
            ("SELECT DISTINCT a FROM t", vec!["0", "1", "2"]),
        ] {
            assert_eq!(sorted(fixture.rows(query)), expected, "{query}");
        }
        let error = fixture.query("SELECT v FROM t").expect_err("no row");
        assert_eq!(error.kind(), crate::ErrorKind::Corrupt, "{error}");
    }
}

#[test]
fn aggregates_begin_in_each_group_of_buckets() {
    let fixture = Fixture::new(4);
    fixture.create("t", &COLUMNS, &["a", "b"], 16);
    for query in [
        "SELECT count(*), sum(v) FROM t",
        "SELECT a, avg(v) FROM t GROUP BY a",
        "SELECT v, max(b) FROM t WHERE b > 3 GROUP BY v",
        "SELECT DISTINCT v FROM t",
        "SELECT a, max(b) FROM t GROUP BY a",
    ] {
        let plan = fixture.bind(query).and_then(|bound| bound.with_values(&[]));
        let plan = plan.unwrap_or_else(|e| panic!("{query}: {e}"));
        let state = fixture.engine.state();
        let plan = ready(state.create_physical_plan(&plan)).expect("no waiting");
        let plan = plan.unwrap_or_else(|e| panic!("{query}: {e}"));
        let mut partial = 0;
        let walked = plan.apply(|node| {
            if let Some(aggregate) = node.downcast_ref::<AggregateExec>()
                && *aggregate.mode() == AggregateMode::Partial
                && aggregate.input().is::<ScanExec>()
            {
                partial += aggregate.input().output_partitioning().partition_count();
            }
            Ok(TreeNodeRecursion::Continue)
        });
        walked.expect("a walk");
        assert_eq!(partial, 4, "{query}");
    }
}
