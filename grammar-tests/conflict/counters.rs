//! Rows that many threads count up at the same time.

use std::thread;

use rocksalt::params;

use crate::support::{folder, memory, rows, run};

const THREADS: usize = 8;

#[test]
fn counters_sum_exactly() {
    for salt in ["", " SALT_BUCKETS = 3"] {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT, m BIGINT){salt}"),
        );
        let (duplicate, conflict) = (
            "UPSERT INTO t VALUES (?, 1, 0) ON DUPLICATE KEY UPDATE n = n + 1",
            "INSERT INTO t VALUES (?, 0, 1) ON CONFLICT (k) DO UPDATE SET m = t.m + excluded.m",
        );
        thread::scope(|scope| {
            for number in 0..THREADS {
                let db = &db;
                scope.spawn(move || {
                    let sql = if number % 2 == 0 { duplicate } else { conflict };
                    let count = db.prepare(sql).unwrap();
                    for i in 0..200 {
                        assert_eq!(count.execute(params![i % 5]).unwrap(), 1);
                    }
                });
            }
        });
        let each = THREADS / 2 * 200 / 5;
        let expected: Vec<String> = (0..5).map(|k| format!("{k}|{each}|{each}")).collect();
        assert_eq!(rows(&db, "SELECT * FROM t ORDER BY k"), expected);
    }
}

#[test]
fn counters_of_many_rows_beside_updates_and_merges() {
    let dir = tempfile::tempdir().unwrap();
    let db = folder(&dir.path().join("db"));
    run(
        &db,
        "CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT NOT NULL, blind BIGINT) SALT_BUCKETS = 16",
    );
    thread::scope(|scope| {
        for number in 0..4 {
            let db = &db;
            scope.spawn(move || {
                for _ in 0..40 {
                    run(
                        db,
                        "UPSERT INTO t (k, n) SELECT value, 1 FROM generate_series(1, 20) \
                         ON DUPLICATE KEY UPDATE n = n + 1",
                    );
                    run(
                        db,
                        &format!(
                            "UPSERT INTO t (k, n) VALUES (7, 1), (7, 1), ({}, 1) \
                                  ON DUPLICATE KEY UPDATE n = n + 1",
                            100 + number
                        ),
                    );
                }
            });
        }
        scope.spawn(|| {
            for i in 0..40 {
                run(&db, "UPDATE t SET n = n + 1 WHERE k = 1");
                run(&db, &format!("UPSERT INTO t (k, n, blind) VALUES (2, 0, {i}) ON DUPLICATE KEY UPDATE blind = {i}"));
            }
        });
    });
    let sum = rows(&db, "SELECT sum(n) FROM t WHERE k BETWEEN 3 AND 20");
    // 160 statements count each of the eighteen, and twice more the seventh.
    assert_eq!(sum, [(18 * 160 + 2 * 160).to_string()]);
    assert_eq!(
        rows(&db, "SELECT n FROM t WHERE k >= 100 ORDER BY k"),
        ["40", "40", "40", "40"]
    );
    assert_eq!(rows(&db, "SELECT blind FROM t WHERE k = 2"), ["39"]);
}

#[test]
fn of_many_who_insert_a_row_one_does() {
    let db = memory();
    run(
        &db,
        "CREATE TABLE t (k INTEGER PRIMARY KEY, who INTEGER) SALT_BUCKETS = 3",
    );
    let won: u64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|who| {
                let db = &db;
                scope.spawn(move || {
                    let claim = db
                        .prepare("INSERT INTO t VALUES (?, ?) ON CONFLICT DO NOTHING")
                        .unwrap();
                    let who = who as i32;
                    (0..100)
                        .map(|k| claim.execute(params![k, who]).unwrap())
                        .sum::<u64>()
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!(won, 100);
    assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["100"]);
}
