//! CREATE INDEX and REINDEX of tables that have rows, and that are written meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::{after, error, rows, run};

/// Ends the threads that look at it also when a test fails: they would else be waited for.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn filled(salt: &str, count: usize) -> rocksalt::blocking::Database {
    after(&[
        &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, n VARCHAR){salt}"),
        &format!(
            "UPSERT INTO t SELECT value, value % 1000, 'n' || value FROM generate_series(1, {count})"
        ),
    ])
}

#[test]
fn an_index_of_rows_that_are_there_is_complete() {
    for salt in ["", " SALT_BUCKETS = 4", " SALT_BUCKETS = 256"] {
        let db = filled(salt, 20_000);
        for (name, index) in [
            ("i", "INDEX i ON t (v DESC) SALT_BUCKETS = 7"),
            ("p", "INDEX p ON t (n) INCLUDE (v) WHERE v < 10"),
            ("e", "INDEX e ON t ((v % 7), upper(n)) SALT_BUCKETS = 0"),
            ("u", "UNIQUE INDEX u ON t (n)"),
        ] {
            run(&db, &format!("CREATE {index}"));
            assert_eq!(rows(&db, &format!("CHECK INDEX {name}")), [""; 0]);
            run(&db, &format!("REINDEX {name}"));
            assert_eq!(rows(&db, &format!("CHECK INDEX {name}")), [""; 0]);
        }
        assert_eq!(
            rows(
                &db,
                "SELECT index_name, state FROM system.indexes ORDER BY 1"
            ),
            ["e|ready", "i|ready", "p|ready", "u|ready"]
        );
    }
}

#[test]
fn a_unique_index_of_values_that_stand_twice_is_none() {
    let db = filled(" SALT_BUCKETS = 4", 1000);
    run(&db, "UPSERT INTO t VALUES (2000, 7, 'n77')");
    let error = error(&db, "CREATE UNIQUE INDEX u ON t (n)");
    let rows_named = "in UNIQUE index u: row (2000) would have it, and row (77) has it";
    assert!(
        error.starts_with("constraint: duplicate value ('n77') of (n)"),
        "{error}"
    );
    assert!(
        error.contains("(2000)") && error.contains("(77)"),
        "{error} / {rows_named}"
    );
    assert_eq!(rows(&db, "SELECT count(*) FROM system.indexes"), ["0"]);
    run(&db, "DELETE FROM t WHERE k = 2000");
    run(&db, "CREATE UNIQUE INDEX u ON t (n)");
}

/// Builds an index again and again while others write.
#[test]
fn writers_go_on_while_an_index_is_built() {
    let db = filled(" SALT_BUCKETS = 4", 30_000);
    let stop = AtomicBool::new(false);
    let mut waits = Vec::new();
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        let writers: Vec<_> = (0..3_u64)
            .map(|thread| {
                let (db, stop) = (db.clone(), &stop);
                scope.spawn(move || {
                    let mut random = super::upkeep::Random(thread);
                    let (mut longest, mut writes) = (Duration::ZERO, 0);
                    while !stop.load(Ordering::Relaxed) {
                        let k = random.below(31_000);
                        let statement = match random.below(4) {
                            0 => format!("DELETE FROM t WHERE k = {k}"),
                            1 => format!("UPDATE t SET v = v + 1, n = n || 'x' WHERE k = {k}"),
                            _ => format!("UPSERT INTO t VALUES ({k}, {}, 'w{k}')", k % 10),
                        };
                        let started = Instant::now();
                        db.execute(&statement, ()).unwrap();
                        longest = longest.max(started.elapsed());
                        writes += 1;
                    }
                    (longest, writes)
                })
            })
            .collect();
        for _ in 0..2 {
            run(&db, "CREATE INDEX i ON t (v DESC, n) SALT_BUCKETS = 7");
            run(&db, "CREATE INDEX p ON t (n) INCLUDE (v) WHERE v < 5");
            run(&db, "CREATE UNIQUE INDEX u ON t (k, v)");
            run(&db, "REINDEX i");
            for index in ["i", "p", "u"] {
                assert_eq!(rows(&db, &format!("CHECK INDEX {index}")), [""; 0]);
                run(&db, &format!("DROP INDEX {index}"));
            }
        }
        run(&db, "CREATE INDEX i ON t (v DESC, n) SALT_BUCKETS = 7");
        stop.store(true, Ordering::Relaxed);
        waits.extend(writers.into_iter().map(|writer| writer.join().unwrap()));
    });
    assert_eq!(rows(&db, "CHECK INDEX i"), [""; 0]);
    println!("longest write and writes of each writer: {waits:?}");
    assert!(waits.iter().all(|(_, writes)| *writes > 10));
}

/// Whatever happens to the table ends the build, and nothing is left of it.
#[test]
fn a_table_that_changes_ends_the_build() {
    for change in [
        "DROP TABLE t",
        "TRUNCATE t",
        "ALTER TABLE t ADD COLUMN z INTEGER",
        "ALTER TABLE t RENAME TO u",
        "DROP INDEX i",
    ] {
        // On a machine that is busy the change may come after the build.
        let ended = (0..20).any(|_| ends_the_build(change));
        assert!(ended, "{change} came too late each time");
    }
}

/// Whether the change came before the index was built.
fn ends_the_build(change: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let db = crate::support::folder(folder.path());
    run(
        &db,
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, n VARCHAR) SALT_BUCKETS = 4",
    );
    run(
        &db,
        "UPSERT INTO t SELECT value, value, 'n' || value FROM generate_series(1, 30000)",
    );
    let built = std::thread::scope(|scope| {
        let build = scope.spawn(|| db.execute("CREATE INDEX i ON t (n)", ()));
        while rows(&db, "SELECT * FROM system.indexes").is_empty() && !build.is_finished() {
            std::thread::yield_now();
        }
        run(&db, change);
        build.join().unwrap()
    });
    let Err(error) = built else {
        return false;
    };
    assert_eq!(
        error.kind(),
        rocksalt::ErrorKind::Conflict,
        "{change}: {error}"
    );
    assert_eq!(
        rows(&db, "SELECT * FROM system.indexes"),
        [""; 0],
        "{change}"
    );
    let tables = rows(
        &db,
        "SELECT table_id FROM system.tables WHERE schema_name = 'public'",
    );
    drop(db);
    let families = super::raw::read(folder.path()).into_keys();
    let families: Vec<String> = families.map(|id| id.to_string()).collect();
    assert_eq!(families, tables, "{change}");
    true
}

/// How long the slowest of many writes of one row takes while `meanwhile` runs.
fn slowest_write(db: &rocksalt::blocking::Database, meanwhile: impl FnOnce()) -> Duration {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        let writers: Vec<_> = (0..2_u64)
            .map(|thread| {
                let (db, stop) = (db.clone(), &stop);
                scope.spawn(move || {
                    let write = db.prepare("UPSERT INTO t VALUES (?, ?, ?)").unwrap();
                    let mut random = super::upkeep::Random(thread);
                    let mut slowest = Duration::ZERO;
                    while !stop.load(Ordering::Relaxed) {
                        // The upper half of the table, which no other statement writes.
                        let k = 20_000 + random.below(20_000) as i64;
                        let (v, n) = (random.below(1000) as i64, format!("w{k}"));
                        let started = Instant::now();
                        write.execute(rocksalt::params![k, v, n]).unwrap();
                        slowest = slowest.max(started.elapsed());
                        // Leaves some of the processors to the build.
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    slowest
                })
            })
            .collect();
        meanwhile();
        stop.store(true, Ordering::Relaxed);
        let writers = writers.into_iter().map(|writer| writer.join().unwrap());
        writers.max().unwrap()
    })
}

/// Once in some tries, because a machine that is busy may hold anybody up; a build that holds
/// writers up does so each time.
fn delays_nobody(what: &str, db: &rocksalt::blocking::Database, build: impl Fn()) {
    const MOST: Duration = Duration::from_millis(250);
    let mut seen = Vec::new();
    for _ in 0..4 {
        let pause = || std::thread::sleep(Duration::from_millis(500));
        let (without, with) = (slowest_write(db, pause), slowest_write(db, &build));
        seen.push((without, with));
        println!("{what}: slowest write without a build {without:?}, with one {with:?}");
        if with.saturating_sub(without) < MOST {
            return;
        }
    }
    panic!("{what}: the slowest writes without and with a build: {seen:?}");
}

#[test]
fn a_build_delays_no_writer() {
    let folder = tempfile::tempdir().unwrap();
    for on_disk in [false, true] {
        let db = match on_disk {
            false => crate::support::memory(),
            true => rocksalt::blocking::Database::open(folder.path()).unwrap(),
        };
        run(
            &db,
            "CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT, n VARCHAR) SALT_BUCKETS = 4",
        );
        run(
            &db,
            "UPSERT INTO t SELECT value, value, 'n' || value FROM generate_series(1, 40000)",
        );
        delays_nobody("CREATE INDEX", &db, || {
            run(&db, "CREATE INDEX i ON t (v, n) SALT_BUCKETS = 7");
            run(&db, "REINDEX i");
            assert_eq!(rows(&db, "CHECK INDEX i"), [""; 0]);
            run(&db, "DROP INDEX i");
        });
    }
}

/// A statement that takes long and writes many rows while the build wants to end: the build has to
/// look at all of them, and nobody who writes other rows is to wait for that.
#[test]
fn a_build_beside_long_statements_delays_no_writer() {
    let db = after(&[
        "CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT, n VARCHAR) SALT_BUCKETS = 4",
        "UPSERT INTO t SELECT value, value, 'n' || value FROM generate_series(1, 40000)",
    ]);
    delays_nobody("CREATE INDEX beside long statements", &db, || {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let _stop = Stop(&stop);
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    run(&db, "UPDATE t SET v = v + 1 WHERE k < 3000");
                }
            });
            let started = Instant::now();
            run(&db, "CREATE INDEX i ON t (v, n) SALT_BUCKETS = 7");
            println!(
                "CREATE INDEX beside long statements took {:?}",
                started.elapsed()
            );
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(rows(&db, "CHECK INDEX i"), [""; 0]);
        run(&db, "DROP INDEX i");
    });
}

/// Whoever stops waiting for the statement ends the build.
#[test]
fn a_build_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let db = crate::support::folder(folder.path());
    run(
        &db,
        "CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT, n VARCHAR) SALT_BUCKETS = 4",
    );
    run(
        &db,
        "UPSERT INTO t SELECT value, value, 'n' || value FROM generate_series(1, 20000)",
    );
    run(&db, "CREATE INDEX kept ON t (v)");
    let statements = [
        "CREATE INDEX i ON t (n)",
        "CREATE UNIQUE INDEX i ON t (n, v)",
        "REINDEX kept",
    ];
    let mut dropped = 0;
    for wait in [0, 1, 3, 10, 30, 60, 100, 200] {
        for statement in statements {
            let asynchronous = rocksalt::Database::from(db.clone());
            let ended = futures::executor::block_on(async {
                let mut build = Box::pin(asynchronous.execute(statement, ()));
                let ended = futures::poll!(build.as_mut()).is_ready();
                std::thread::sleep(Duration::from_millis(wait));
                // It runs on as often as it is asked.
                ended || futures::poll!(build.as_mut()).is_ready()
            });
            dropped += usize::from(!ended);
            run(&db, "UPSERT INTO t VALUES (7, 8, 'nine')");
            if ended {
                run(&db, "DROP INDEX IF EXISTS i");
            }
            assert_eq!(
                rows(&db, "SELECT index_name, state FROM system.indexes"),
                ["kept|ready"],
                "{statement} after {wait} ms"
            );
            assert_eq!(rows(&db, "CHECK INDEX kept"), [""; 0]);
        }
    }
    assert!(dropped > 8, "{dropped}");
    // The table can be locked, and the name is free.
    run(&db, "CREATE INDEX i ON t (n)");
    assert_eq!(rows(&db, "CHECK INDEX i"), [""; 0]);
    let ids = "SELECT index_id FROM system.indexes UNION ALL \
               SELECT table_id FROM system.tables WHERE table_name = 't'";
    let mut named = rows(&db, ids);
    drop(db);
    let families = super::raw::read(folder.path()).into_keys();
    let families: Vec<String> = families.map(|id| id.to_string()).collect();
    named.sort();
    assert_eq!(families, named);
}

/// A duplicate that comes after the snapshot either ends the build or is refused.
#[test]
fn a_duplicate_that_comes_during_the_build() {
    let mut ended = [0, 0];
    for round in 0..12 {
        let db = filled(" SALT_BUCKETS = 4", 10_000);
        let (built, written) = std::thread::scope(|scope| {
            let build = scope.spawn(|| db.execute("CREATE UNIQUE INDEX u ON t (n)", ()));
            while rows(&db, "SELECT * FROM system.indexes").is_empty() {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(round * 15));
            let written = db.execute("UPSERT INTO t VALUES (20000, 7, 'n77')", ());
            (build.join().unwrap(), written)
        });
        let error = match (built, written) {
            (Err(error), Ok(_)) => {
                assert_eq!(rows(&db, "SELECT * FROM system.indexes"), [""; 0]);
                ended[0] += 1;
                error
            }
            (Ok(_), Err(error)) => {
                assert_eq!(rows(&db, "CHECK INDEX u"), [""; 0]);
                ended[1] += 1;
                error
            }
            both => panic!("{both:?}"),
        };
        let text = error.to_string();
        assert!(
            text.starts_with("constraint: duplicate value ('n77') of (n) in UNIQUE index u"),
            "{text}"
        );
        assert!(text.contains("(77)") && text.contains("(20000)"), "{text}");
    }
    println!("builds that ended, and writes that were refused: {ended:?}");
    assert!(ended[0] > 0, "{ended:?}");
}

/// Values of a UNIQUE index that change rows during the build, and are never there twice.
#[test]
fn unique_values_that_move_during_the_build() {
    let db = filled(" SALT_BUCKETS = 4", 5_000);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        for thread in 0..3_u64 {
            let (db, stop) = (&db, &stop);
            scope.spawn(move || {
                let mut random = super::upkeep::Random(thread);
                while !stop.load(Ordering::Relaxed) {
                    // Each thread has the rows of one remainder; they swap their values.
                    let mut k = || 1 + thread + 3 * random.below(1_600);
                    let (a, b) = (k(), k());
                    run(
                        db,
                        &format!(
                            "UPSERT INTO t (k, n) SELECT CASE k WHEN {a} THEN {b} ELSE {a} END, n \
                             FROM t WHERE k IN ({a}, {b})"
                        ),
                    );
                }
            });
        }
        for _ in 0..4 {
            run(&db, "CREATE UNIQUE INDEX u ON t (n)");
            assert_eq!(rows(&db, "CHECK INDEX u"), [""; 0]);
            run(&db, "REINDEX u");
            assert_eq!(rows(&db, "CHECK INDEX u"), [""; 0]);
            run(&db, "DROP INDEX u");
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(rows(&db, "SELECT count(DISTINCT n) FROM t"), ["5000"]);
}

/// The entries are sorted in the memory that queries have, and on disk.
#[test]
fn a_build_of_more_than_fits_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let open = |memory: usize| {
        let builder = rocksalt::Database::builder()
            .durability(rocksalt::Durability::Buffered)
            .memory_limit(memory);
        rocksalt::blocking::Database::build(builder, folder.path()).unwrap()
    };
    let db = open(1 << 30);
    run(
        &db,
        "CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT, n VARCHAR) SALT_BUCKETS = 4",
    );
    let session = db.session();
    for statement in [
        "SET max_statement_bytes = 1000000000",
        "UPSERT INTO t SELECT value, -value, 'name of the row ' || value \
         FROM generate_series(1, 300000)",
    ] {
        session.execute(statement, ()).unwrap();
    }
    drop(session);
    drop(db);
    // 300,000 entries of more than 40 bytes are more than that.
    let db = open(12 << 20);
    let spilled = AtomicBool::new(false);
    let ended = AtomicBool::new(false);
    let started = Instant::now();
    std::thread::scope(|scope| {
        let _stop = Stop(&ended);
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                if has_file(&folder.path().join("tmp"), "load") {
                    spilled.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        run(&db, "CREATE INDEX i ON t (n, v DESC) SALT_BUCKETS = 7");
        ended.store(true, Ordering::Relaxed);
    });
    println!("300,000 rows took {:?}", started.elapsed());
    assert!(spilled.into_inner(), "nothing was spilled");
    assert_eq!(rows(&db, "SELECT state FROM system.indexes"), ["ready"]);
    let id: u32 = rows(&db, "SELECT index_id FROM system.indexes")[0]
        .parse()
        .unwrap();
    drop(db);
    assert_eq!(super::raw::read(folder.path())[&id].len(), 300_000);
}

/// Whether there is a file in the folder or in those within, but for the one of that name.
fn has_file(folder: &std::path::Path, but: &str) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        entry.file_name() != but && (!is_folder || has_file(&entry.path(), but))
    })
}
