//! `verify_plans`: scans that go wrong are found. Rows are put where no scan looks for them, and
//! witnesses told of rows that no scan returned.

use std::sync::Arc;

use datafusion::arrow::array::{Int32Array, Int64Array, RecordBatch};
use datafusion::logical_expr::{Expr, col, lit};
use futures::StreamExt;

use crate::codec::RowEncoder;
use crate::engine::scope::Execution;
use crate::engine::session_settings::Settings;
use crate::engine::tests::support::{Column, Fixture, texts};
use crate::engine::verify::{Asked, Verifier};
use crate::error::{ErrorKind, Result};
use crate::plan;
use crate::store::WriteBatch;
use crate::table::{Groups, request_schema};
use crate::types::{SqlType, Value};

const COLUMNS: [Column; 3] = [
    ("a", SqlType::BigInt, false),
    ("b", SqlType::BigInt, false),
    ("v", SqlType::Integer, true),
];

fn verified(fixture: &Fixture, sql: &str) -> Result<Vec<String>> {
    let settings = Settings {
        verify_plans: true,
        ..Settings::default()
    };
    let snapshot = fixture.store.snapshot();
    let bound = fixture.bind(sql)?;
    let mut rows = bound.execute(Execution::new(&snapshot, &settings), &[])?;
    futures::executor::block_on(async {
        let mut batches = Vec::new();
        while let Some(batch) = rows.next().await {
            batches.push(batch?);
        }
        assert!(rows.next().await.is_none());
        Ok(texts(&batches))
    })
}

/// Writes the row (a, b, 7) into the bucket behind its own.
fn misplace(fixture: &Fixture, table: &str, a: i64, b: i64) {
    let state = fixture.catalog.state();
    let entry = state.find_table("public", table).expect("a table");
    let layout = entry.def.key_layout();
    let key = [Value::BigInt(a), Value::BigInt(b)];
    let (bucket, key) = layout.encode(&key).expect("a key");
    let elsewhere = (u16::from(bucket) + 1) % layout.buckets();
    let encoder = RowEncoder::new(vec![(entry.def.columns[2].id, SqlType::Integer)]);
    let mut value = Vec::new();
    let row = [Value::Integer(7)];
    encoder.encode_values(&row, &mut value).expect("a row");
    let mut batch = WriteBatch::new();
    batch.put(&entry.handle, elsewhere as u8, &key, &value);
    fixture.store.write(batch).expect("a write");
}

fn fixture() -> Fixture {
    let fixture = Fixture::new(2);
    fixture.create("t", &COLUMNS, &["a", "b"], 4);
    fixture.create_salted("s", &COLUMNS, &["a", "b"], 4, Some(vec![0]));
    for table in ["t", "s"] {
        let row = |n: i64| {
            vec![
                Value::BigInt(n / 10),
                Value::BigInt(n % 10),
                Value::Integer((n % 3) as i32),
            ]
        };
        fixture.load(table, (0..100).map(row));
        misplace(&fixture, table, 50, 5);
    }
    fixture
}

#[test]
fn a_row_that_a_scan_does_not_find_is_missed() {
    let fixture = fixture();
    let found = |sql: &str| match verified(&fixture, sql) {
        Ok(rows) => panic!("{sql}: {rows:?}"),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Internal, "{sql}: {error}");
            error.message().to_owned()
        }
    };
    insta::assert_snapshot!(
        found("SELECT * FROM t WHERE a = 50 AND b = 5"),
        @"verify_plans: a scan of t returned 0 rows, and a full scan with its filter 1; it was PointGet: t, buckets 1/4, keys [(50, 5)]"
    );
    insta::assert_snapshot!(
        found("SELECT v FROM s WHERE a = 50 AND b > 3 AND v > 0"),
        @"verify_plans: a scan of s returned 0 rows, and a full scan with its filter 1; it was RangeScan: s, buckets 1/4, ranges ((50, 3) .. 50], columns [v], filter v > 0"
    );
    for sql in [
        "SELECT a + b FROM t WHERE a = 50 AND b = 5 AND v = 7",
        "SELECT v FROM t WHERE a IN (1, 50) AND b = 5",
        "SELECT v FROM t WHERE a = 50 AND b = 5 LIMIT 1",
        "SELECT count(*) FROM t WHERE a = 50 AND b = 5",
        "SELECT max(v) FROM s WHERE a = 50",
        "SELECT * FROM s WHERE a = 50 ORDER BY a, b LIMIT 5",
        "SELECT (SELECT max(v) FROM s WHERE a = 50) AS m",
        "SELECT t.v FROM t JOIN s ON t.a = s.a WHERE s.a = 50",
        "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.a = 50)",
    ] {
        found(sql);
    }
    // These look for it where it is.
    for (sql, rows) in [
        ("SELECT v FROM t WHERE v = 7", 1),
        ("SELECT v FROM s WHERE a >= 50", 1),
        ("SELECT count(*) FROM t", 1),
        ("SELECT * FROM t WHERE a = 49 AND b = 5", 0),
    ] {
        assert_eq!(verified(&fixture, sql).expect(sql).len(), rows, "{sql}");
    }
}

/// A scan of columns a and v of a table whose rows have v = n mod 3 is said to have returned some
/// rows: what the verifier says to that.
struct Case<'a> {
    fixture: &'a Fixture,
    filters: Vec<Expr>,
    hints: usize,
    limit: Option<usize>,
    groups: Option<Groups>,
    whole: bool,
}

impl Case<'_> {
    fn verdict(&self, returned: &[(i64, i32)]) -> Option<String> {
        let state = self.fixture.catalog.state();
        let entry = state.find_table("public", "rows").expect("a table").clone();
        let path = Arc::new(plan::narrow(&entry.def, &self.filters).expect("a path"));
        let columns = vec![0, 2];
        let schema = request_schema(&entry.def, &columns).expect("a schema");
        let snapshot = self.fixture.store.snapshot();
        let verifier = Verifier::new(self.fixture.engine.pool().clone(), snapshot);
        // In two partitions, the first of which returned every row.
        let asked = || Asked {
            entry: entry.clone(),
            via: None,
            filters: path.filters.clone(),
            path: path.clone(),
            columns: columns.clone(),
            hints: self.hints,
            groups: self.groups,
            limit: self.limit,
        };
        for partition in 0..2 {
            let witness = verifier.witness(asked, &path, partition, 2);
            if partition == 0 {
                let a = Int64Array::from_iter_values(returned.iter().map(|(a, _)| *a));
                let v = Int32Array::from_iter_values(returned.iter().map(|(_, v)| *v));
                let arrays = vec![Arc::new(a) as _, Arc::new(v) as _];
                let batch = RecordBatch::try_new(schema.clone(), arrays).expect("a batch");
                witness.see(&batch).expect("rows");
            }
            if self.whole {
                witness.end(partition);
            }
        }
        let verdict = futures::executor::block_on(verifier.finish());
        verdict.err().map(|error| {
            assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
            let message = error.message().to_owned();
            let (_, what) = message.split_once("returned ").expect("a verdict");
            what.split_once("; it was").expect("a path").0.to_owned()
        })
    }
}

/// Rows (a, b) with a and b from 0 to 4 and v = (5a + b) mod 3.
fn rows_fixture(buckets: u16) -> Fixture {
    let fixture = Fixture::new(2);
    fixture.create("rows", &COLUMNS, &["a", "b"], buckets);
    let row = |n: i64| {
        vec![
            Value::BigInt(n / 5),
            Value::BigInt(n % 5),
            Value::Integer((n % 3) as i32),
        ]
    };
    fixture.load("rows", (0..25).map(row));
    fixture
}

#[test]
fn other_rows_are_noticed_in_whatever_order_they_come() {
    for buckets in [0, 1, 16] {
        let fixture = rows_fixture(buckets);
        let case = Case {
            fixture: &fixture,
            filters: vec![col("v").eq(lit(1_i32)), col("a").lt(lit(2_i64))],
            hints: 0,
            limit: None,
            groups: None,
            whole: true,
        };
        // n from 0 to 9 with n mod 3 = 1: 1, 4, 7.
        assert_eq!(case.verdict(&[(0, 1), (0, 1), (1, 1)]), None);
        assert_eq!(case.verdict(&[(1, 1), (0, 1), (0, 1)]), None);
        let fewer = "2 rows, and a full scan with its filter 3";
        assert_eq!(case.verdict(&[(0, 1), (1, 1)]).as_deref(), Some(fewer));
        let more = "4 rows, and a full scan with its filter 3";
        assert_eq!(
            case.verdict(&[(0, 1), (0, 1), (1, 1), (1, 1)]).as_deref(),
            Some(more)
        );
        let others = "3 rows, and a full scan with its filter as many others";
        for others_than in [[(0, 1), (1, 1), (1, 1)], [(0, 1), (0, 1), (1, 2)]] {
            assert_eq!(case.verdict(&others_than).as_deref(), Some(others));
        }
    }
}

#[test]
fn a_part_of_the_rows_is_among_them() {
    let fixture = rows_fixture(3);
    let filters = vec![col("v").eq(lit(1_i32)), col("a").lt(lit(2_i64))];
    let limited = Case {
        fixture: &fixture,
        filters: filters.clone(),
        hints: 0,
        limit: Some(2),
        groups: None,
        whole: true,
    };
    assert_eq!(limited.verdict(&[(0, 1), (1, 1)]), None);
    assert_eq!(limited.verdict(&[(0, 1), (0, 1)]), None);
    let strange =
        "2 rows, of which 1 are not among the 3 of a full scan with its filter".to_owned();
    assert_eq!(limited.verdict(&[(1, 1), (1, 1)]), Some(strange.clone()));
    assert_eq!(limited.verdict(&[(1, 1), (0, 0)]), Some(strange));
    let few = "1 rows under its limit, and a full scan with its filter has 3".to_owned();
    assert_eq!(limited.verdict(&[(1, 1)]), Some(few));

    let ended = Case {
        limit: None,
        whole: false,
        filters,
        ..limited
    };
    assert_eq!(ended.verdict(&[]), None);
    assert_eq!(ended.verdict(&[(0, 1)]), None);
    let strange = "1 rows, of which 1 are not among the 3 of a full scan with its filter";
    assert_eq!(ended.verdict(&[(2, 1)]).as_deref(), Some(strange));
}

#[test]
fn what_a_join_looks_for_is_there_and_more_may_be() {
    let fixture = rows_fixture(3);
    let hint = Expr::IsTrue(Box::new(col("a").lt(lit(1_i64))));
    let case = Case {
        fixture: &fixture,
        filters: vec![col("v").eq(lit(1_i32)), hint],
        hints: 1,
        limit: None,
        groups: None,
        whole: true,
    };
    // n from 0 to 4 with n mod 3 = 1: 1 and 4.
    assert_eq!(case.verdict(&[(0, 1), (0, 1)]), None);
    assert_eq!(case.verdict(&[(0, 1), (0, 1), (1, 1), (3, 1)]), None);
    assert_eq!(
        case.verdict(&[(0, 1), (1, 1)]).as_deref(),
        Some("2 rows, without 1 of the 2 of a full scan with its filter")
    );
    assert_eq!(
        case.verdict(&[(0, 1), (0, 1), (0, 2)]).as_deref(),
        Some("3 rows, of which 1 are not among the 8 of a full scan with its filter")
    );
}

#[test]
fn the_ends_of_groups_are_all_there() {
    // One bucket: five groups, each with b from 0 to 4.
    let fixture = rows_fixture(1);
    let at = |a: i64, b: i64| (a, ((a * 5 + b) % 3) as i32);
    let case = |first, last, whole| Case {
        fixture: &fixture,
        filters: vec![col("a").gt(lit(0_i64))],
        hints: 0,
        limit: None,
        groups: Some(Groups {
            columns: 1,
            first,
            last,
        }),
        whole,
    };
    let firsts: Vec<_> = (1..5).map(|a| at(a, 0)).collect();
    let lasts: Vec<_> = (1..5).map(|a| at(a, 4)).collect();
    let both: Vec<_> = firsts.iter().chain(&lasts).copied().collect();
    assert_eq!(case(true, false, true).verdict(&firsts), None);
    assert_eq!(case(false, true, true).verdict(&lasts), None);
    assert_eq!(case(true, true, true).verdict(&both), None);
    assert_eq!(case(true, false, false).verdict(&firsts[1..]), None);
    assert_eq!(
        case(true, false, true).verdict(&firsts[1..]).as_deref(),
        Some("3 rows, and not those at the ends of 1 groups")
    );
    assert_eq!(
        case(true, true, true).verdict(&firsts).as_deref(),
        Some("4 rows, and not those at the ends of 4 groups")
    );
    let strange: Vec<_> = firsts.iter().copied().chain([at(0, 0)]).collect();
    assert_eq!(
        case(true, false, true).verdict(&strange).as_deref(),
        Some("1 rows that no full scan with its filter returns")
    );
    // The whole table is one group.
    let one = Case {
        groups: Some(Groups {
            columns: 0,
            first: false,
            last: true,
        }),
        ..case(true, false, true)
    };
    assert_eq!(one.verdict(&[at(4, 4)]), None);
    assert!(one.verdict(&[at(1, 0)]).is_some());
}

/// A term that fails on rows that the scan does not read.
#[test]
fn errors_beyond_the_scan_are_none() {
    let fixture = rows_fixture(3);
    for (sql, rows) in [
        ("SELECT a FROM rows WHERE 10 / (a - 2) > 3 AND a = 3", 5),
        (
            "SELECT a FROM rows WHERE a = 3 AND b = 1 AND 10 / (a - 2) > 3",
            1,
        ),
        ("SELECT a FROM rows WHERE 10 / a > 3 AND a > 0", 10),
        (
            "SELECT a FROM rows WHERE a = 1 OR (a = 4 AND 10 / (a - 2) > 3)",
            10,
        ),
    ] {
        assert_eq!(fixture.rows(sql).len(), rows, "{sql}");
        assert_eq!(verified(&fixture, sql).expect(sql).len(), rows, "{sql}");
    }
}
