//! Statements that write the same rows at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rocksalt::{ErrorKind, params};

use crate::support::{memory, rows, run};

const SALTS: [&str; 2] = ["", " SALT_BUCKETS = 3"];

#[test]
fn increments_are_never_lost() {
    for salt in SALTS {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT){salt}"),
        );
        run(&db, "UPSERT INTO t VALUES (1, 0), (2, 0)");
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        run(&db, "UPDATE t SET n = n + 1");
                    }
                });
            }
        });
        assert_eq!(rows(&db, "SELECT n FROM t"), ["200", "200"]);
    }
}

#[test]
fn a_blind_upsert_beside_an_incrementing_one() {
    for salt in SALTS {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT, blind BIGINT){salt}"),
        );
        run(&db, "UPSERT INTO t VALUES (1, 0, 0)");
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            // It writes the same row, and of it only a column that the other leaves alone.
            scope.spawn(|| {
                let blind = db
                    .prepare("UPSERT INTO t (k, blind) VALUES (1, ?)")
                    .unwrap();
                for i in 0.. {
                    blind.execute(params![i]).unwrap();
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
            scope.spawn(|| {
                for _ in 0..100 {
                    run(&db, "UPSERT INTO t (k, n) SELECT k, n + 1 FROM t");
                }
                done.store(true, Ordering::Relaxed);
            });
        });
        assert_eq!(rows(&db, "SELECT n FROM t"), ["100"]);
    }
}

#[test]
fn rows_that_appear_do_not_disturb_a_statement_that_did_not_see_them() {
    let db = memory();
    run(
        &db,
        "CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT) SALT_BUCKETS = 3",
    );
    run(
        &db,
        "UPSERT INTO t SELECT value, 0 FROM generate_series(1, 100)",
    );
    thread::scope(|scope| {
        scope.spawn(|| {
            for k in 1000..1100 {
                db.execute("INSERT INTO t VALUES (?, 1000)", params![k])
                    .unwrap();
            }
        });
        scope.spawn(|| {
            for _ in 0..20 {
                run(&db, "UPDATE t SET n = n + 1 WHERE k <= 100");
            }
        });
    });
    assert_eq!(
        rows(&db, "SELECT count(*), min(n), max(n) FROM t WHERE k <= 100"),
        ["100|20|20"]
    );
    assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["200"]);
}

#[test]
fn rows_moved_from_both_ends_are_all_there() {
    let db = memory();
    run(
        &db,
        "CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 16",
    );
    run(
        &db,
        "UPSERT INTO t SELECT value FROM generate_series(1, 20)",
    );
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..20 {
                    run(&db, "UPDATE t SET k = k + 1");
                    run(&db, "UPDATE t SET k = k - 1");
                }
            });
        }
    });
    assert_eq!(
        rows(&db, "SELECT count(*), min(k), max(k) FROM t"),
        ["20|1|20"]
    );
}

#[test]
fn one_of_two_inserts_of_a_key_fails() {
    let db = memory();
    run(&db, "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER)");
    let won = |v: i32| {
        let insert = db.prepare("INSERT INTO t VALUES (?, ?)").unwrap();
        (0..200)
            .filter(|k| match insert.execute(params![*k, v]) {
                Ok(_) => true,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Constraint);
                    false
                }
            })
            .count()
    };
    let (a, b) = thread::scope(|scope| {
        let a = scope.spawn(|| won(1));
        let b = scope.spawn(|| won(2));
        (a.join().unwrap(), b.join().unwrap())
    });
    assert_eq!(a + b, 200);
    assert_eq!(
        rows(&db, "SELECT count(*) FROM t WHERE v = 1"),
        [a.to_string()]
    );
}

#[test]
fn writes_beside_truncate_and_drop_leave_the_database_writable() {
    for salt in SALTS {
        let db = memory();
        let create =
            format!("CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, n BIGINT){salt}");
        run(&db, &create);
        run(&db, "CREATE TABLE other (k INTEGER PRIMARY KEY)");
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            for worker in 0..2 {
                let (db, done) = (&db, &done);
                scope.spawn(move || {
                    for i in 0.. {
                        let sql = match worker {
                            0 => "UPSERT INTO t VALUES (1, 1), (2, 2), (3, 3)",
                            _ => "UPDATE t SET n = n + 1",
                        };
                        match db.execute(sql, ()) {
                            Ok(_) => {}
                            Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{error}"),
                        }
                        if done.load(Ordering::Relaxed) && i > 10 {
                            break;
                        }
                    }
                });
            }
            scope.spawn(|| {
                for i in 0..30 {
                    if i % 3 == 0 {
                        run(&db, "DROP TABLE t");
                        run(&db, &create);
                    } else {
                        run(&db, "TRUNCATE TABLE t");
                    }
                    thread::sleep(Duration::from_millis(1));
                }
                done.store(true, Ordering::Relaxed);
            });
        });
        run(&db, "UPSERT INTO t VALUES (7, 7)");
        run(&db, "UPSERT INTO other VALUES (7)");
        assert_eq!(rows(&db, "SELECT n FROM t WHERE k = 7"), ["7"]);
        assert_eq!(rows(&db, "SELECT k FROM other"), ["7"]);
    }
}

#[test]
fn a_large_and_a_small_statement_take_turns() {
    let db = memory();
    run(
        &db,
        "CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT) SALT_BUCKETS = 3",
    );
    run(
        &db,
        "UPSERT INTO t SELECT value, 0 FROM generate_series(1, 12000)",
    );
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..3 {
                run(&db, "UPDATE t SET n = n + 1");
            }
        });
        scope.spawn(|| {
            for _ in 0..30 {
                run(&db, "UPDATE t SET n = n + 1 WHERE k = 1");
            }
        });
    });
    assert_eq!(
        rows(&db, "SELECT n FROM t WHERE k IN (1, 2) ORDER BY k"),
        ["33", "3"]
    );
    assert_eq!(
        rows(&db, "SELECT sum(n) FROM t"),
        [(12_000 * 3 + 30).to_string()]
    );
}
