//! Batches: how large they are, and how long they take.

use std::time::{Duration, Instant};

use rocksalt::blocking::Database;

use super::{rows, scan};
use crate::support::{after, plan, texts};

/// A table of numbers, of which no filter that asks for 'x' finds one.
fn numbers(count: usize) -> Database {
    after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 4",
        &format!("UPSERT INTO t SELECT value, 'v' || value FROM generate_series(1, {count})"),
    ])
}

#[test]
fn a_batch_has_at_most_so_many_rows() {
    let db = numbers(1000);
    for size in [1, 7, 128, 999, 1000, 1001, 1_000_000, usize::MAX] {
        let sizes = |scan: rocksalt::blocking::TableScan| {
            let scanner = scan.batch_size(size).sorted().unwrap();
            let batches = scanner.collect().unwrap();
            batches
                .iter()
                .map(|batch| batch.num_rows())
                .collect::<Vec<_>>()
        };
        let whole = sizes(scan(&db));
        assert_eq!(whole.iter().sum::<usize>(), 1000);
        assert_eq!(whole.len(), 1000_usize.div_ceil(size));
        let filtered = sizes(scan(&db).filter("v LIKE '%5'"));
        assert_eq!(filtered.iter().sum::<usize>(), 100);
        assert!(filtered.iter().all(|rows| (1..=size).contains(rows)));
        let limited = sizes(scan(&db).filter("v LIKE '%5'").limit(10));
        assert_eq!(limited.iter().sum::<usize>(), 10);
        assert!(limited.iter().all(|rows| (1..=size).contains(rows)));
    }
    // If nothing is said.
    let db = numbers(10_000);
    let batches = scan(&db).sorted().unwrap().collect().unwrap();
    let sizes: Vec<usize> = batches.iter().map(|batch| batch.num_rows()).collect();
    assert_eq!(sizes, [8192, 1808]);
}

/// A batch ends when its time is over, also while no row passes the filter.
#[test]
fn a_batch_comes_back_in_time() {
    let db = numbers(60_000);
    let limit = Duration::from_millis(1);
    let nothing = || scan(&db).filter("v LIKE '%x%'");
    // Without a limit there is nothing to return.
    assert_eq!(nothing().sorted().unwrap().count(), 0);
    for mut scanner in [
        nothing().time_limit(limit).sorted().unwrap(),
        nothing().time_limit(limit).reverse().sorted().unwrap(),
        nothing().time_limit(limit).unordered(1).unwrap().remove(0),
    ] {
        let mut empty = 0;
        loop {
            let started = Instant::now();
            let Some(batch) = scanner.next() else { break };
            // A thousand times the limit, for a machine that does other things too.
            assert!(started.elapsed() < limit * 1000);
            let batch = batch.unwrap();
            assert_eq!(batch.num_rows(), 0);
            assert_eq!(batch.schema(), scanner.schema());
            empty += 1;
        }
        assert!(empty > 1, "{empty}");
    }
}

#[test]
fn time_neither_loses_nor_repeats_rows() {
    let db = numbers(20_000);
    let limit = Duration::from_micros(200);
    for scan in [
        scan(&db).keys_only(),
        scan(&db).keys_only().filter("v LIKE '%7'"),
        scan(&db).keys_only().filter("v LIKE '%77'").limit(100),
        scan(&db).keys_only().limit(1500),
        scan(&db).keys_only().filter("k IN (5, 77, 20000, 20001)"),
    ] {
        let whole = rows(scan.clone().sorted().unwrap());
        assert_eq!(
            rows(scan.clone().time_limit(limit).sorted().unwrap()),
            whole
        );
        let endless = scan.clone().time_limit(Duration::MAX);
        assert_eq!(rows(endless.sorted().unwrap()), whole);
        let batches = scan.batch_size(1000).time_limit(limit).sorted().unwrap();
        let batches = batches.collect().unwrap();
        assert!(batches.iter().all(|batch| batch.num_rows() <= 1000));
    }
}

/// Whoever suspends a scan each time that a batch was empty comes to its end.
#[test]
fn a_suspended_scan_has_come_as_far_as_it_read() {
    let db = numbers(20_000);
    let scan = scan(&db)
        .filter("v LIKE '%x%' OR k = 19999")
        .time_limit(Duration::from_micros(500));
    let mut token = scan.sorted().unwrap().suspend();
    let (mut found, mut turns) = (0, 0);
    while let Some(batch) = db.resume(&token).unwrap().next_and(&mut token) {
        found += batch.num_rows();
        turns += 1;
        assert!(turns < 20_000);
    }
    assert_eq!(found, 1);
    assert!(turns > 1, "{turns}");
}

/// A scan that seeks from one place to the next comes back in time between them too, and goes on
/// where it was.
#[test]
fn time_counts_while_rows_are_stepped_over() {
    for (buckets, direction) in [(0, "ASC"), (3, "DESC"), (16, "ASC")] {
        let salt = match buckets {
            0 => String::new(),
            n => format!(" SALT_BUCKETS = {n}"),
        };
        let create =
            format!("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b {direction})){salt}");
        let db = after(&[
            &create,
            "UPSERT INTO t SELECT value, value % 7 FROM generate_series(1, 20000)",
            "UPSERT INTO t VALUES (19999, 8)",
        ]);
        let filter = "b = 8";
        let plan = plan(&db, &format!("SELECT * FROM t WHERE {filter}"));
        assert!(plan.starts_with("SkipScan"), "{plan}");
        let timed = scan(&db)
            .filter(filter)
            .time_limit(Duration::from_micros(500));
        let unordered = timed.clone().unordered(1).unwrap().remove(0);
        let backward = timed.clone().reverse().sorted().unwrap();
        for scanner in [timed.sorted().unwrap(), backward, unordered] {
            let mut token = scanner.suspend();
            let found = texts(&scanner.collect().unwrap());
            assert_eq!(found, ["19999|8"]);
            let (mut found, mut turns) = (0, 0);
            while let Some(batch) = db.resume(&token).unwrap().next_and(&mut token) {
                found += batch.num_rows();
                turns += 1;
                // A turn comes as far in each bucket as in the others.
                assert!(turns < 1_000);
            }
            assert_eq!(found, 1);
            assert!(turns > 2, "{turns}");
        }
    }
}

trait NextAnd {
    fn next_and(
        self,
        token: &mut rocksalt::ScanToken,
    ) -> Option<rocksalt::arrow::array::RecordBatch>;
}

impl NextAnd for rocksalt::blocking::Scanner {
    /// The next batch, and the token behind it.
    fn next_and(
        mut self,
        token: &mut rocksalt::ScanToken,
    ) -> Option<rocksalt::arrow::array::RecordBatch> {
        let batch = self.next()?.unwrap();
        *token = self.suspend();
        Some(batch)
    }
}
