//! Changes beside statements that read and write.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use rocksalt::{ErrorKind, params};

use crate::support::{after, memory, rows, run, try_rows};

#[test]
fn a_query_reads_the_definition_that_it_started_with() {
    for salt in ["", " SALT_BUCKETS = 16"] {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR NOT NULL){salt}"),
        );
        run(
            &db,
            "UPSERT INTO t SELECT value, 'old' FROM generate_series(1, 20000)",
        );
        let unread = db.query("SELECT * FROM t", ()).unwrap();
        run(
            &db,
            "ALTER TABLE t DROP COLUMN v, ADD COLUMN w INTEGER NOT NULL DEFAULT 1, RENAME k TO id",
        );
        run(
            &db,
            "UPSERT INTO t SELECT value, 2 FROM generate_series(1, 20000)",
        );
        assert_eq!(unread.schema().field(1).name(), "v");
        let read: usize = unread
            .collect()
            .unwrap()
            .iter()
            .map(|batch| {
                assert_eq!(batch.column(1).null_count(), 0);
                batch.num_rows()
            })
            .sum();
        assert_eq!(read, 20_000);
        assert_eq!(rows(&db, "SELECT min(w), count(*) FROM t"), ["2|20000"]);
    }
}

#[test]
fn columns_come_and_go_beside_readers_and_writers() {
    const ROUNDS: usize = 60;
    for salt in ["", " SALT_BUCKETS = 3"] {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT NOT NULL){salt}"),
        );
        run(&db, "CREATE TABLE copy (k INTEGER PRIMARY KEY, n BIGINT)");
        run(
            &db,
            "UPSERT INTO t SELECT value, 0 FROM generate_series(1, 50)",
        );
        let done = AtomicBool::new(false);
        let (increments, with_c) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let until_done = |work: &dyn Fn()| {
            while !done.load(Ordering::Relaxed) {
                work();
            }
        };
        let seen = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        let all = db.prepare("SELECT * FROM t").unwrap();
        let table = db.table("t").unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                until_done(&|| {
                    run(&db, "UPDATE t SET n = n + 1 WHERE k <= 10");
                    run(&db, "UPSERT INTO t (k, n) VALUES (50, 0)");
                    increments.fetch_add(1, Ordering::Relaxed);
                });
            });
            scope.spawn(|| {
                until_done(&|| {
                    let read = all.query(()).unwrap().collect().unwrap();
                    assert_eq!(read.iter().map(|b| b.num_rows()).sum::<usize>(), 50);
                    run(&db, "UPSERT INTO copy SELECT k, n FROM t");
                    assert!(table.get(7).unwrap().is_some());
                    let scanned = table.scan().sorted().unwrap().collect().unwrap();
                    assert_eq!(scanned.iter().map(|b| b.num_rows()).sum::<usize>(), 50);
                });
            });
            scope.spawn(|| {
                until_done(&|| {
                    // A column that is away is not found; nothing else goes wrong.
                    match try_rows(&db, "SELECT count(*), count(c), min(c) > 6 FROM t") {
                        Ok(rows) => {
                            assert_eq!(rows, ["50|50|true"]);
                            with_c.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound),
                    }
                });
            });
            for round in 0..ROUNDS {
                let (incremented, read) = (seen(&increments), seen(&with_c));
                run(&db, "ALTER TABLE t ADD COLUMN c INTEGER NOT NULL DEFAULT 7");
                run(&db, "UPSERT INTO t (k, n, c) VALUES (50, 0, 8)");
                // Now and then everybody sees the column.
                while round % 10 == 0 && (seen(&increments) == incremented || seen(&with_c) == read)
                {
                    thread::yield_now();
                }
                run(&db, "ALTER TABLE t DROP COLUMN c");
            }
            done.store(true, Ordering::Relaxed);
        });
        let sum = increments.into_inner() * 10;
        assert_eq!(rows(&db, "SELECT sum(n) FROM t"), [sum.to_string()]);
    }
}

#[test]
fn a_suspended_scan_is_resumed_over_changes_of_other_columns() {
    for salt in ["", " SALT_BUCKETS = 3"] {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, a INTEGER, b INTEGER){salt}"),
        );
        run(
            &db,
            "UPSERT INTO t SELECT value, 1, 2 FROM generate_series(1, 10)",
        );
        let table = db.table("t").unwrap();
        let scan = table.scan().columns(["k", "b"]).filter("b = 2");
        let mut scanner = scan.batch_size(4).sorted().unwrap();
        assert_eq!(scanner.next().unwrap().unwrap().num_rows(), 4);
        let token = scanner.suspend();
        let left = || -> rocksalt::Result<usize> {
            let batches = db.resume(&token)?.collect()?;
            Ok(batches.iter().map(|batch| batch.num_rows()).sum())
        };
        run(
            &db,
            "ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 3, DROP COLUMN a",
        );
        assert_eq!(left().unwrap(), 6);
        run(&db, "UPSERT INTO t VALUES (11, 2, 4)");
        assert_eq!(left().unwrap(), 7);
        run(&db, "ALTER TABLE t RENAME TO u");
        assert_eq!(left().unwrap(), 7);
        run(&db, "ALTER TABLE u RENAME COLUMN b TO bb");
        assert_eq!(left().unwrap_err().kind(), ErrorKind::NotFound);
        // Another column of the same name is another column.
        run(
            &db,
            "ALTER TABLE u DROP COLUMN bb, ADD COLUMN b INTEGER DEFAULT 2",
        );
        assert_eq!(left().unwrap_err().kind(), ErrorKind::NotFound);
    }
}

#[test]
fn a_change_waits_for_writers_and_not_for_ever() {
    let db = after(&["CREATE TABLE t (k BIGINT PRIMARY KEY)"]);
    run(
        &db,
        "UPSERT INTO t SELECT value FROM generate_series(1, 1000)",
    );
    let session = db.session();
    session.execute("SET lock_timeout = 20", ()).unwrap();
    futures::executor::block_on(async {
        let asynchronous = rocksalt::Database::from(db.clone());
        let endless =
            "UPSERT INTO t SELECT count(*) FROM t a, t b, t c, t d WHERE a.k + b.k + c.k + d.k < 0";
        let mut writing = Box::pin(asynchronous.execute(endless, ()));
        assert!(futures::poll!(writing.as_mut()).is_pending());
        let add = "ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 1";
        let error = session.execute(add, ()).unwrap_err();
        insta::assert_snapshot!(error, @"conflict: table t was locked by another statement for more than 20ms at line 1, column 13");
        assert_eq!(rows(&db, "SELECT * FROM t WHERE k = 1"), ["1"]);
        drop(writing);
        session.execute(add, ()).unwrap();
        db.execute("UPSERT INTO t (k) VALUES (?)", params![1])
            .unwrap();
        assert_eq!(rows(&db, "SELECT * FROM t WHERE k = 1"), ["1|1"]);
    });
}
