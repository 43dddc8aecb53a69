//! Unordered scanners: together the whole, each row once.

use std::ops::Bound;

use super::{BUCKETS, all, rows, scan, sorted, table};
use crate::support::{after, rows as sql};

#[test]
fn splits_are_together_the_whole_without_repeats() {
    for buckets in BUCKETS {
        let db = table(buckets, "ASC", "DESC");
        let whole = sorted(sql(&db, "SELECT * FROM t"));
        assert_eq!(whole.len(), 31);
        for most in [1, 2, 3, 4, 7, 16, 100, 255, 256, 257, 300] {
            let scanners = scan(&db).unordered(most).unwrap();
            assert_eq!(scanners.len(), most.min(buckets.max(1)));
            assert_eq!(all(scanners), whole, "{buckets} buckets, {most} splits");
        }
    }
}

#[test]
fn splits_of_a_range_and_a_filter_too() {
    for buckets in BUCKETS {
        let db = table(buckets, "DESC", "ASC");
        let whole = sorted(sql(
            &db,
            "SELECT v, a FROM t WHERE a <= 'b' AND a > '' AND v LIKE '%:%'",
        ));
        for most in [1, 3, 20, 300] {
            let scanners = scan(&db)
                .range((Bound::Included("b"), Bound::Excluded("")))
                .filter("v LIKE '%:%'")
                .columns(["v", "a"])
                .unordered(most)
                .unwrap();
            assert!(scanners.len() <= most.min(buckets.max(1)));
            assert_eq!(all(scanners), whole, "{buckets} buckets, {most} splits");
        }
    }
}

/// Never more scanners than buckets that are read.
#[test]
fn there_is_no_scanner_without_a_bucket() {
    let db = table(16, "ASC", "ASC");
    let count = |scan: rocksalt::blocking::TableScan| scan.unordered(300).unwrap().len();
    assert_eq!(count(scan(&db)), 16);
    assert_eq!(count(scan(&db).prefix("a")), 16);
    assert_eq!(count(scan(&db).prefix(("a", 7))), 1);
    assert_eq!(count(scan(&db).range(("a", 7)..=("a", 7))), 1);
    assert_eq!(count(scan(&db).filter("a = 'a' AND b = 7")), 1);
    assert_eq!(count(scan(&db).prefix("a").filter("b = 7")), 16);
    assert!(count(scan(&db).filter("a = 'a' AND b IN (0, 7)")) <= 2);
    // In both at once there is no key.
    assert_eq!(count(scan(&db).prefix("a").filter("a = 'b'")), 0);
    assert_eq!(count(scan(&db).prefix("a").prefix("b")), 0);
    assert_eq!(count(scan(&db).filter("b = 7 AND b = 8")), 0);
    assert_eq!(count(scan(&db).filter("false")), 0);
    assert_eq!(count(scan(&db).range("a".."a")), 0);

    let by_a = after(&[
        "CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b))
         SALT_BUCKETS = 16, SALT_COLUMNS = (a)",
        "UPSERT INTO t SELECT value % 10, value FROM generate_series(1, 100)",
    ]);
    let scanners = scan(&by_a).prefix(3).unordered(300).unwrap();
    assert_eq!(scanners.len(), 1);
    assert_eq!(all(scanners).len(), 10);
    assert_eq!(
        scan(&by_a)
            .range((3, 5)..(3, 9))
            .unordered(9)
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn scanners_run_on_threads_of_their_own_on_one_snapshot() {
    let db = table(16, "ASC", "ASC");
    let whole = sorted(sql(&db, "SELECT * FROM t"));
    let scanners = scan(&db).batch_size(1).unordered(5).unwrap();
    db.execute("UPSERT INTO t VALUES ('new', 1, 'new')", ())
        .unwrap();
    db.execute("DELETE FROM t WHERE a = 'a'", ()).unwrap();
    let threads: Vec<_> = scanners
        .into_iter()
        .map(|scanner| std::thread::spawn(move || rows(scanner)))
        .collect();
    let found = threads
        .into_iter()
        .flat_map(|thread| thread.join().unwrap());
    assert_eq!(sorted(found.collect()), whole);
}

/// A scan that is dropped while it runs holds up nothing.
#[test]
fn a_scanner_may_be_dropped_at_any_time() {
    let db = table(16, "ASC", "ASC");
    for read in 0..3 {
        let mut scanners = scan(&db).batch_size(1).unordered(4).unwrap();
        for scanner in &mut scanners {
            for _ in 0..read {
                scanner.next().transpose().unwrap();
            }
        }
        drop(scanners);
    }
    db.execute("DROP TABLE t", ()).unwrap();
}
