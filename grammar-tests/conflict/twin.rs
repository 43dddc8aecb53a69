//! The same statements in SQLite leave the same rows and affect as many.

use proptest::prelude::*;
use rocksalt::blocking::Database;
use rusqlite::Connection;

use crate::support::{DIRECTIONS, SALTS, affected, memory, rows, rows_of_sqlite, run};

/// What a statement does with rows that exist.
const CLAUSES: [&str; 6] = [
    "DO NOTHING",
    "DO UPDATE SET n = t.n + excluded.n",
    "DO UPDATE SET n = excluded.n, s = t.s || excluded.s WHERE t.n < excluded.n",
    "DO UPDATE SET s = excluded.s || coalesce(t.s, '-'), n = t.n * 2 WHERE excluded.s IS NOT NULL",
    "DO UPDATE SET n = CASE WHEN t.n > 50 THEN 0 ELSE t.n + 1 END",
    "DO UPDATE SET s = NULL WHERE t.n % 2 = excluded.n % 2 OR t.s IS NULL",
];

/// The same for an UPSERT, and in SQLite.
const DUPLICATES: [(&str, &str); 3] = [
    ("IGNORE", "DO NOTHING"),
    ("UPDATE n = n + 1", "DO UPDATE SET n = n + 1"),
    (
        "UPDATE n = t.n * 2 % 1000, s = coalesce(s, 'x') || n",
        "DO UPDATE SET n = t.n * 2 % 1000, s = coalesce(s, 'x') || n",
    ),
];

#[derive(Debug, Clone)]
struct Statement {
    clause: usize,
    rows: Vec<(u8, Option<u8>, u8)>,
}

fn statement(clauses: usize) -> impl Strategy<Value = Statement> {
    let row = (0_u8..8, any::<Option<u8>>(), any::<u8>());
    (0..clauses, proptest::collection::vec(row, 1..8))
        .prop_map(|(clause, rows)| Statement { clause, rows })
}

impl Statement {
    fn values(&self) -> String {
        let rows = self.rows.iter().map(|(key, text, number)| {
            let text = text.map_or("NULL".to_owned(), |t| format!("'{t}'"));
            format!("({key}, {text}, {number})")
        });
        rows.collect::<Vec<_>>().join(", ")
    }

    /// The same without a key that stood before.
    fn without_repetitions(&self) -> Statement {
        let mut rows = self.rows.clone();
        rows.sort_by_key(|row| row.0);
        rows.dedup_by_key(|row| row.0);
        Statement {
            rows,
            ..self.clone()
        }
    }
}

fn twins(salt: usize, direction: usize) -> (Database, Connection) {
    let (db, twin) = (memory(), Connection::open_in_memory().unwrap());
    let (salt, direction) = (SALTS[salt], DIRECTIONS[direction]);
    run(
        &db,
        &format!(
            "CREATE TABLE t (k INTEGER, s VARCHAR, n BIGINT, PRIMARY KEY (k {direction})){salt}"
        ),
    );
    twin.execute(
        "CREATE TABLE t (k INTEGER PRIMARY KEY, s TEXT, n INTEGER)",
        (),
    )
    .unwrap();
    (db, twin)
}

fn check(db: &Database, twin: &Connection, ours: &str, theirs: &str) {
    let changed = twin.execute(theirs, ()).unwrap() as u64;
    assert_eq!(affected(db, ours), changed, "{ours}");
    assert_eq!(
        rows(db, "SELECT k, s, n FROM t ORDER BY k"),
        rows_of_sqlite(twin, "SELECT k, s, n FROM t ORDER BY k"),
        "{ours}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn on_conflict(
        statements in proptest::collection::vec(statement(CLAUSES.len()), 1..12),
        salt in 0..SALTS.len(),
        direction in 0..DIRECTIONS.len(),
    ) {
        let (db, twin) = twins(salt, direction);
        for statement in statements {
            // SQLite has no error for a key that stands twice.
            let statement = match statement.clause {
                0 => statement,
                _ => statement.without_repetitions(),
            };
            let sql = format!(
                "INSERT INTO t VALUES {} ON CONFLICT (k) {}",
                statement.values(),
                CLAUSES[statement.clause]
            );
            check(&db, &twin, &sql, &sql);
        }
    }

    #[test]
    fn on_duplicate_key(
        statements in proptest::collection::vec(statement(DUPLICATES.len()), 1..12),
        salt in 0..SALTS.len(),
        direction in 0..DIRECTIONS.len(),
    ) {
        let (db, twin) = twins(salt, direction);
        for statement in statements {
            let (ours, theirs) = DUPLICATES[statement.clause];
            let into = format!("INTO t VALUES {}", statement.values());
            check(
                &db,
                &twin,
                &format!("UPSERT {into} ON DUPLICATE KEY {ours}"),
                &format!("INSERT {into} ON CONFLICT (k) {theirs}"),
            );
        }
    }
}
