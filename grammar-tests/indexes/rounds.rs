//! Rounds of threads that write a table while its indexes come, go and are rebuilt. After each round
//! every index has what its table says, and every query has the same rows by every index, by none,
//! and over a table without indexes that holds what the statements that succeeded leave behind.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rocksalt::ErrorKind;
use rocksalt::blocking::Database;

use super::upkeep::Random;
use crate::support::{memory, rows, run, try_rows};

/// The buckets of the table, those of its indexes, and the direction of its key.
const SHAPES: [(&str, &str, &str); 6] = [
    (" SALT_BUCKETS = 4", " SALT_BUCKETS = 7", "DESC"),
    (" SALT_BUCKETS = 16", " SALT_BUCKETS = 0", "ASC"),
    ("", " SALT_BUCKETS = 3", "DESC"),
    ("", "", "ASC"),
    (" SALT_BUCKETS = 1", " SALT_BUCKETS = 16", "ASC"),
    (" SALT_BUCKETS = 256", " SALT_BUCKETS = 256", "DESC"),
];

const ROUNDS: u64 = 2;
/// Threads that write, each the rows of its own `a`: their values of `u` collide.
const THREADS: u64 = 3;
const STATEMENTS: u64 = 60;

/// What a thread of its own makes, drops and rebuilds.
const INDEXES: [(&str, &str); 7] = [
    ("i_v", "INDEX i_v ON t (v)"),
    ("i_s", "INDEX i_s ON t (s DESC, v) INCLUDE (u)"),
    ("i_b", "INDEX i_b ON t (b, s)"),
    ("i_e", "INDEX i_e ON t (upper(s), (v % 3) DESC)"),
    ("i_p", "INDEX i_p ON t (s) INCLUDE (v) WHERE v > 4"),
    ("i_u", "UNIQUE INDEX i_u ON t (u)"),
    ("i_vu", "UNIQUE INDEX i_vu ON t (v DESC, u) INCLUDE (s)"),
];

/// Queries whose rows are compared as they come if they have an order.
const QUERIES: [&str; 18] = [
    "SELECT * FROM t WHERE v = 3",
    "SELECT a, b FROM t WHERE v IS NULL OR s IS NULL",
    "SELECT * FROM t WHERE v IN (1, 5, 5, NULL) AND s >= 'B'",
    "SELECT s, u FROM t WHERE s = 'b' AND v BETWEEN 2 AND 6",
    "SELECT * FROM t WHERE s > 'A' AND s < 'c'",
    "SELECT a FROM t WHERE b = 2 AND s = 'B'",
    "SELECT * FROM t WHERE upper(s) = 'B' AND v % 3 = 1",
    "SELECT s, v FROM t WHERE s = 'a' AND v > 4",
    "SELECT * FROM t WHERE u = 'u3'",
    "SELECT * FROM t WHERE u IN ('u1', 'u2', 'u30') OR v = 6",
    "SELECT * FROM t WHERE v = 2 AND u = 'u5'",
    "SELECT v, count(*), min(s) FROM t GROUP BY v",
    "SELECT DISTINCT s FROM t",
    "SELECT min(v), max(v), min(u), max(u) FROM t",
    "SELECT x.a, x.b, y.a, y.b FROM t x JOIN t y ON x.v = y.b AND y.u < 'u4'",
    "SELECT v, u FROM t WHERE v IS NOT NULL ORDER BY v DESC, u LIMIT 12",
    "SELECT s, v, a, b FROM t ORDER BY s DESC, v, a, b LIMIT 15",
    "SELECT a, b FROM t WHERE a = 1 ORDER BY b",
];

/// `v`, `s` and `u` of the row of a key `(a, b)`.
type Row = (Option<u64>, Option<&'static str>, Option<u64>);
type Rows = BTreeMap<(u64, u64), Row>;

fn literal<T: ToString>(value: Option<T>) -> String {
    value.map_or("NULL".to_owned(), |value| value.to_string())
}

fn values((a, b): (u64, u64), (v, s, u): Row) -> String {
    let s = literal(s.map(|s| format!("'{s}'")));
    let u = literal(u.map(|u| format!("'u{u}'")));
    format!("({a}, {b}, {}, {s}, {u})", literal(v))
}

fn some(random: &mut Random, below: u64) -> Option<u64> {
    (random.below(6) > 0).then(|| random.below(below))
}

/// A statement on rows of the thread `a`, and what it does to them if it succeeds.
fn statement(random: &mut Random, a: u64, rows: &Rows) -> (String, Rows) {
    let mut new = rows.clone();
    let b = random.below(25);
    let key = (a, b);
    let v = some(random, 8);
    let s = [None, Some("a"), Some("A"), Some("b"), Some("B"), Some("")][random.below(6) as usize];
    let u = some(random, 500);
    let sql = match random.below(9) {
        0 | 1 => {
            new.insert(key, (v, s, u));
            new.insert((a, b + 1), (v, s, None));
            let (first, second) = (values(key, (v, s, u)), values((a, b + 1), (v, s, None)));
            format!("UPSERT INTO t VALUES {first}, {second}")
        }
        2 => {
            // The other columns stay as they are.
            new.entry(key).or_default().0 = v;
            format!("UPSERT INTO t (a, b, v) VALUES ({a}, {b}, {})", literal(v))
        }
        3 => {
            for (_, row) in new.range_mut((a, 0)..(a, b)) {
                row.0 = row.0.map(|v| (v + 1) % 9);
            }
            format!("UPDATE t SET v = (v + 1) % 9 WHERE a = {a} AND b < {b}")
        }
        4 => {
            if let Some(row) = new.get_mut(&key) {
                (row.1, row.2) = (s, u);
            }
            let s = literal(s.map(|s| format!("'{s}'")));
            let u = literal(u.map(|u| format!("'u{u}'")));
            format!("UPDATE t SET s = {s}, u = {u} WHERE a = {a} AND b = {b}")
        }
        5 => {
            // The key moves.
            new = rows
                .iter()
                .map(|(&(a, b), &row)| ((a, b + 1), row))
                .collect();
            format!("UPDATE t SET b = b + 1 WHERE a = {a}")
        }
        6 => {
            new.retain(|_, row| row.0 != v || v.is_none());
            format!("DELETE FROM t WHERE a = {a} AND v = {}", literal(v))
        }
        7 => {
            new.entry(key)
                .and_modify(|row| row.1 = s)
                .or_insert((v, s, u));
            let row = values(key, (v, s, u));
            format!("INSERT INTO t VALUES {row} ON CONFLICT (a, b) DO UPDATE SET s = excluded.s")
        }
        _ => {
            new.retain(|&(_, b), _| b < 20);
            format!("DELETE FROM t WHERE a = {a} AND b >= 20")
        }
    };
    (sql, new)
}

/// Writes the rows of one thread; returns them, and how many statements a UNIQUE index refused.
fn write(db: &Database, a: u64, seed: u64, mut rows: Rows) -> (Rows, u64) {
    let mut random = Random(seed * 1_000_003 + a);
    let mut refused = 0;
    for _ in 0..STATEMENTS {
        let (sql, new) = statement(&mut random, a, &rows);
        match db.execute(&sql, ()) {
            Ok(_) => rows = new,
            Err(error) if error.message().contains("in UNIQUE index") => refused += 1,
            Err(error) => panic!("{sql}\n{error}"),
        }
    }
    (rows, refused)
}

/// Makes, drops, rebuilds and renames indexes until `stop`; returns how many were built.
fn define(db: &Database, seed: u64, salt: &str, stop: &AtomicBool) -> u64 {
    let mut random = Random(seed);
    let mut built = 0;
    while !stop.load(Ordering::Relaxed) {
        let (name, index) = INDEXES[random.below(INDEXES.len() as u64) as usize];
        let sql = match random.below(8) {
            0 => format!("DROP INDEX IF EXISTS {name}"),
            1 | 2 => format!("REINDEX {name}"),
            3 => format!("ALTER INDEX {name} RENAME TO other"),
            _ => format!("CREATE {index}{salt}"),
        };
        match db.execute(&sql, ()) {
            Ok(_) if sql.starts_with("CREATE") || sql.starts_with("REINDEX") => built += 1,
            Ok(_) if sql.ends_with("other") => {
                run(db, &format!("ALTER INDEX other RENAME TO {name}"));
            }
            Ok(_) => {}
            // Values that stand twice are no error of the index.
            Err(error) => assert!(
                matches!(
                    error.kind(),
                    ErrorKind::NotFound | ErrorKind::AlreadyExists | ErrorKind::Constraint
                ),
                "{sql}\n{error}"
            ),
        }
    }
    built
}

/// Compares the table with its indexes and with `twin`.
fn compare(db: &Database, what: &str) {
    let of_table = "SELECT * FROM t ORDER BY a, b";
    let of_twin = "SELECT * FROM twin ORDER BY a, b";
    assert_eq!(rows(db, of_table), rows(db, of_twin), "{what}");
    let names = rows(
        db,
        "SELECT index_name FROM system.indexes ORDER BY index_name",
    );
    for name in &names {
        let differences = rows(db, &format!("CHECK INDEX {name}"));
        assert!(differences.is_empty(), "{what}: {name}: {differences:?}");
    }
    let mut hints = vec![String::new(), "/*+ NO_INDEX(t) */".to_owned()];
    hints.extend(names.iter().map(|name| format!("/*+ INDEX(t {name}) */")));
    for sql in QUERIES {
        let found = |sql: String| {
            let mut found = try_rows(db, &sql).unwrap_or_else(|error| panic!("{sql}\n{error}"));
            if !sql.contains("ORDER BY") {
                found.sort();
            }
            found
        };
        let of_twin = sql.replace("FROM t", "FROM twin");
        let expected = found(of_twin.replace("JOIN t", "JOIN twin"));
        for hint in &hints {
            let hinted = sql.replacen("SELECT", &format!("SELECT {hint}"), 1);
            assert_eq!(found(hinted.clone()), expected, "{what}: {hinted}");
        }
    }
}

#[test]
fn every_index_has_what_the_threads_leave() {
    let (mut refused, mut built) = (0, 0);
    for (number, (salt, index_salt, direction)) in SHAPES.into_iter().enumerate() {
        let db = memory();
        for name in ["t", "twin"] {
            run(
                &db,
                &format!(
                    "CREATE TABLE {name} (a INTEGER, b INTEGER, v INTEGER, s VARCHAR, u VARCHAR, \
                     PRIMARY KEY (a, b {direction})){salt}"
                ),
            );
        }
        let mut all = vec![Rows::new(); THREADS as usize];
        for round in 0..ROUNDS {
            let seed = number as u64 * ROUNDS + round + 1;
            let stop = AtomicBool::new(false);
            std::thread::scope(|scope| {
                let definer = scope.spawn(|| define(&db, seed, index_salt, &stop));
                let writers = all.iter_mut().zip(0..).map(|(rows, a)| {
                    let (db, before) = (&db, std::mem::take(rows));
                    let writer = scope.spawn(move || write(db, a, seed, before));
                    (rows, writer)
                });
                for (rows, writer) in writers.collect::<Vec<_>>() {
                    let ended = writer.join();
                    if ended.is_err() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    let (left, count) = ended.unwrap();
                    *rows = left;
                    refused += count;
                }
                stop.store(true, Ordering::Relaxed);
                built += definer.join().unwrap();
            });
            run(&db, "DELETE FROM twin");
            let rows = all.iter().flatten().map(|(&key, &row)| values(key, row));
            let rows = rows.collect::<Vec<_>>().join(", ");
            run(&db, &format!("INSERT INTO twin VALUES {rows}"));
            compare(
                &db,
                &format!("{salt}{index_salt} {direction}, round {round}"),
            );
        }
    }
    // UNIQUE indexes were there, and indexes were built while others wrote.
    assert!(
        refused > 0 && built > 20,
        "{refused} refused, {built} built"
    );
}
