//! Scans and merges: the rows are right, and no more is read than must be.

use std::sync::Arc;

use futures::StreamExt;

use crate::engine::tests::support::{Column, Fixture, sorted, texts};
use crate::error::ErrorKind;
use crate::table::ScanCounters;
use crate::types::{SqlType, Value};

const EVENTS: [Column; 3] = [
    ("host", SqlType::Varchar(None), false),
    ("n", SqlType::BigInt, false),
    ("v", SqlType::Integer, true),
];

/// `hosts * per_host` rows: v is n mod 10, and NULL where n is divisible by 7.
fn events(fixture: &Fixture, name: &str, buckets: u16, key: &[&str], hosts: i64, per_host: i64) {
    fixture.create(name, &EVENTS, key, buckets);
    let rows = (0..hosts).flat_map(|host| {
        (0..per_host).map(move |n| {
            let v = if n % 7 == 0 {
                Value::Null
            } else {
                Value::Integer((n % 10) as i32)
            };
            vec![Value::Text(format!("h{host:02}")), Value::BigInt(n), v]
        })
    });
    fixture.load(name, rows);
}

const BUCKETS: [u16; 5] = [0, 1, 3, 16, 256];

#[test]
fn every_bucket_count_gives_the_same_rows() {
    let fixture = Fixture::new(1);
    for buckets in BUCKETS {
        events(
            &fixture,
            &format!("t{buckets}"),
            buckets,
            &["host", "n"],
            5,
            40,
        );
    }
    let queries = [
        "SELECT count(*) FROM t",
        "SELECT * FROM t WHERE host = 'h03' AND n = 17",
        "SELECT * FROM t WHERE host = 'h03' AND n IN (1, 5, 5, 99, NULL)",
        "SELECT n FROM t WHERE host = 'h03' AND n >= 10 AND n < 14",
        "SELECT host, n FROM t WHERE host > 'h01' AND v = 3",
        "SELECT host, sum(v) FROM t GROUP BY host",
        "SELECT host, n FROM t WHERE host = 'h01' AND n = 1 OR host = 'h02' AND n BETWEEN 3 AND 5",
        "SELECT a.n, b.n FROM t a JOIN t b ON a.n = b.n + 30 WHERE a.host = 'h00' AND b.host = 'h01'",
    ];
    for query in queries {
        let expected = sorted(fixture.rows(&query.replace(" t", " t0")));
        assert!(!expected.is_empty(), "{query}");
        for buckets in BUCKETS {
            let table = format!(" t{buckets}");
            let rows = fixture.rows(&query.replace(" t", &table));
            assert_eq!(sorted(rows), expected, "{query} with {buckets} buckets");
        }
    }
}

#[test]
fn counting_decodes_no_column() {
    let fixture = Fixture::new(2);
    events(&fixture, "t", 16, &["host", "n"], 4, 100);
    assert_eq!(fixture.rows("SELECT count(*) FROM t"), ["400"]);
    assert_eq!(
        fixture.rows("SELECT count(v) FROM t"),
        [(400 - 4 * 15).to_string()]
    );
}

#[test]
fn the_key_orders_without_a_sort() {
    let fixture = Fixture::new(1);
    for buckets in BUCKETS {
        let table = format!("t{buckets}");
        events(&fixture, &table, buckets, &["host DESC", "n"], 4, 30);
        for (order, descending_host, descending_n) in
            [("host DESC, n", true, false), ("host, n DESC", false, true)]
        {
            let mut expected: Vec<(String, i64)> = (0..4)
                .flat_map(|h| (0..30).map(move |n| (format!("h{h:02}"), n)))
                .collect();
            expected.sort_by(|a, b| {
                let host = if descending_host {
                    b.0.cmp(&a.0)
                } else {
                    a.0.cmp(&b.0)
                };
                host.then(if descending_n {
                    b.1.cmp(&a.1)
                } else {
                    a.1.cmp(&b.1)
                })
            });
            let expected: Vec<_> = expected.iter().map(|(h, n)| format!("{h},{n}")).collect();
            let query = format!("SELECT host, n FROM {table} ORDER BY {order}");
            assert_eq!(fixture.rows(&query), expected, "{query}");
            assert!(!fixture.explain(&query).contains("Sort"), "{query}");
            let page = format!("{query} LIMIT 7 OFFSET 5");
            assert_eq!(fixture.rows(&page), expected[5..12], "{page}");
        }
    }
}

fn counted(fixture: &Fixture, sql: &str) -> (Vec<String>, Arc<ScanCounters>) {
    let counters = Arc::new(ScanCounters::default());
    let batches = fixture
        .query_with(sql, &[], counters.clone())
        .expect("rows");
    (texts(&batches), counters)
}

#[test]
fn a_limit_ends_the_scan() {
    let fixture = Fixture::new(1);
    events(&fixture, "t", 16, &["host", "n"], 10, 2000);
    let (rows, counters) = counted(&fixture, "SELECT * FROM t LIMIT 10");
    assert_eq!((rows.len(), counters.rows()), (10, 10));
    let (rows, counters) = counted(&fixture, "SELECT * FROM t ORDER BY host, n LIMIT 10");
    assert_eq!(rows.len(), 10);
    assert!(
        counters.rows() <= 10,
        "a merge decodes the rows that it returns"
    );
    let (rows, counters) = counted(
        &fixture,
        "SELECT * FROM t ORDER BY host DESC, n DESC LIMIT 10 OFFSET 5",
    );
    assert_eq!(rows.len(), 10);
    assert!(counters.rows() <= 15, "{counters:?}");
    let (rows, counters) = counted(&fixture, "SELECT * FROM t WHERE v = 3 LIMIT 5");
    assert_eq!(rows.len(), 5);
    assert!(counters.rows() < 2000, "{counters:?}");
    let (rows, counters) = counted(&fixture, "SELECT * FROM t LIMIT 0");
    assert_eq!((rows.len(), counters.rows()), (0, 0));
}

#[test]
fn a_point_get_reads_one_key() {
    let fixture = Fixture::new(1);
    events(&fixture, "t", 16, &["host", "n"], 3, 100);
    let (rows, counters) = counted(&fixture, "SELECT v FROM t WHERE n = 13 AND host = 'h01'");
    assert_eq!(rows, ["3"]);
    assert_eq!(
        (counters.gets(), counters.rows(), counters.seeks()),
        (1, 1, 0)
    );
    let (rows, counters) = counted(&fixture, "SELECT v FROM t WHERE n = 13 AND host = 'none'");
    assert!(rows.is_empty());
    assert_eq!((counters.gets(), counters.rows()), (1, 0));
    let (rows, counters) = counted(
        &fixture,
        "SELECT host, n FROM t WHERE host IN ('h01', 'h02') AND n IN (1, 2, 3, 1000) \
         ORDER BY host DESC, n DESC",
    );
    assert_eq!(rows, ["h02,3", "h02,2", "h02,1", "h01,3", "h01,2", "h01,1"]);
    assert_eq!((counters.gets(), counters.rows()), (8, 6));
}

#[test]
fn a_point_get_computes_its_columns() {
    let fixture = Fixture::new(1);
    events(&fixture, "t", 3, &["host", "n"], 2, 20);
    let one = |columns: &str, more: &str| {
        fixture.rows(&format!(
            "SELECT {columns} FROM t AS x WHERE host = 'h01' AND n = 7 {more}"
        ))
    };
    assert_eq!(
        one("n + 1, upper(host) AS h, coalesce(NULL, v, n)", ""),
        ["8,H01,7"]
    );
    assert_eq!(
        one("x.v, 'a' || host", "AND coalesce(v, 3) = 3 AND n + 1 = 8"),
        ["NULL,ah01"]
    );
    assert_eq!(one("n", "AND v = 3"), [""; 0]);
    assert_eq!(
        one(
            "n, now() > TIMESTAMP '2020-01-01T00:00:00'",
            "ORDER BY host LIMIT 1"
        ),
        ["7,true"]
    );
    assert_eq!(one("count(*), max(n)", ""), ["1,7"]);
    assert_eq!(one("n", "LIMIT 0"), [""; 0]);
}

#[test]
fn a_contradiction_reads_nothing() {
    let fixture = Fixture::new(1);
    events(&fixture, "t", 16, &["host", "n"], 3, 100);
    for query in [
        "SELECT * FROM t WHERE n = 1 AND n = 2 AND host = 'h01'",
        "SELECT * FROM t WHERE host > 'b' AND host < 'a'",
        "SELECT * FROM t WHERE host = NULL",
    ] {
        let (rows, counters) = counted(&fixture, query);
        assert!(rows.is_empty(), "{query}");
        assert_eq!(
            (counters.rows(), counters.seeks(), counters.gets()),
            (0, 0, 0),
            "{query}"
        );
        assert!(
            fixture.explain(query).contains("Empty: t"),
            "{}",
            fixture.explain(query)
        );
    }
}

#[test]
fn a_long_list_is_as_many_gets() {
    let fixture = Fixture::new(1);
    events(&fixture, "t", 16, &["n"], 1, 6000);
    let list = (0..5000)
        .map(|n| (n * 2).to_string())
        .collect::<Vec<_>>()
        .join(", ");
    let (rows, counters) = counted(&fixture, &format!("SELECT n FROM t WHERE n IN ({list})"));
    assert_eq!(rows.len(), 3000);
    assert_eq!((counters.gets(), counters.seeks()), (5000, 0));
}

#[test]
fn five_thousand_terms_do_not_exhaust_the_stack() {
    let fixture = Fixture::new(1);
    events(&fixture, "t", 3, &["n"], 1, 100);
    let terms: Vec<_> = (0..5000).map(|n| format!("n = {n}")).collect();
    let rows = fixture.rows(&format!("SELECT n FROM t WHERE {}", terms.join(" OR ")));
    assert_eq!(rows.len(), 100);
}

#[test]
fn one_thread_answers_everything() {
    let fixture = Fixture::new(1);
    events(&fixture, "t", 256, &["host", "n"], 20, 500);
    let rows = fixture.rows(
        "SELECT a.host, a.n FROM t a JOIN t b ON a.host = b.host AND a.n = b.n \
         WHERE a.v = 3 ORDER BY a.host, a.n LIMIT 3",
    );
    assert_eq!(rows, ["h00,3", "h00,13", "h00,23"]);
    // Streams that nobody polls do not hold the thread.
    let idle: Vec<_> = (0..16)
        .map(|_| {
            let bound = fixture
                .bind("SELECT * FROM t ORDER BY host, n")
                .expect("a query");
            let snapshot = fixture.store.snapshot();
            let mut stream = bound
                .execute_counted(&snapshot, &[], Arc::default())
                .expect("a stream");
            let first = futures::executor::block_on(stream.next());
            assert!(matches!(first, Some(Ok(_))));
            stream
        })
        .collect();
    assert_eq!(fixture.rows("SELECT count(*) FROM t"), ["10000"]);
    drop(idle);
}

#[test]
fn a_dropped_stream_ends_its_scan() {
    let fixture = Fixture::new(1);
    events(&fixture, "t", 16, &["host", "n"], 20, 5000);
    let counters = Arc::new(ScanCounters::default());
    // No row passes, so that the scan never returns by itself.
    let bound = fixture
        .bind("SELECT * FROM t WHERE v = 77 OR v + n < 0")
        .expect("a query");
    let stream = bound.execute_counted(&fixture.store.snapshot(), &[], counters.clone());
    let mut stream = stream.expect("a stream");
    let waker = futures::task::noop_waker();
    let mut context = std::task::Context::from_waker(&waker);
    assert!(stream.poll_next_unpin(&mut context).is_pending());
    drop(stream);
    // What is queued behind it runs after its last batch.
    assert_eq!(
        fixture.rows("SELECT count(*) FROM t WHERE host = 'h01'"),
        ["5000"]
    );
    let read = counters.rows();
    assert_eq!(
        fixture.rows("SELECT count(*) FROM t WHERE host = 'h01'"),
        ["5000"]
    );
    assert_eq!(counters.rows(), read);
    assert!(read < 100_000, "{read}");
}

#[test]
fn a_statement_reads_its_snapshot() {
    let fixture = Fixture::new(1);
    events(&fixture, "t", 3, &["host", "n"], 1, 10);
    let snapshot = fixture.store.snapshot();
    fixture.load(
        "t",
        [vec![Value::from("h99"), Value::BigInt(1), Value::Null]],
    );
    let bound = fixture.bind("SELECT count(*) FROM t").expect("a query");
    let mut stream = bound
        .execute_counted(&snapshot, &[], Arc::default())
        .expect("a stream");
    let batch = futures::executor::block_on(stream.next())
        .expect("a batch")
        .expect("rows");
    assert_eq!(texts(&[batch]), ["10"]);
    assert_eq!(fixture.rows("SELECT count(*) FROM t"), ["11"]);
}

#[test]
fn errors_reach_the_consumer() {
    let fixture = Fixture::new(1);
    events(&fixture, "t", 3, &["host", "n"], 1, 10);
    for query in [
        "SELECT 1 / n FROM t",
        "SELECT * FROM t WHERE 1 / n > 0",
        "SELECT CAST(host AS BIGINT) FROM t",
        "SELECT n FROM t WHERE n = 1 / 0",
        "SELECT a.n FROM t a JOIN t b ON a.n = b.n WHERE CAST(a.host AS BIGINT) = 1",
    ] {
        let error = fixture.query(query).expect_err(query);
        assert_eq!(error.kind(), ErrorKind::Invalid, "{query}: {error}");
    }
}
