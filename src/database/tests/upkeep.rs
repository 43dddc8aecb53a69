//! What a statement reads and writes of a table with indexes, and of one without.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::Database;
use crate::database::{Builder, wait::block_on};
use crate::error::Result;
use crate::store::{Change, Watch, Watched};
use crate::table::Durability;

/// Notes which tables are read, and how many rows of which are written in one batch.
#[derive(Debug, Default)]
struct Noting {
    read: Mutex<Vec<u32>>,
    written: Mutex<Vec<BTreeMap<u32, usize>>>,
}

impl Watch for Noting {
    fn before(&self, change: &Change<'_>) -> Result<()> {
        if let Change::Write(batch) = change {
            let mut rows = BTreeMap::new();
            for operation in batch.operations() {
                *rows.entry(operation.table.id()).or_default() += 1;
            }
            self.written.lock().push(rows);
        }
        Ok(())
    }

    fn reads(&self, table: u32) {
        self.read.lock().push(table);
    }
}

/// What a statement reads, and what it writes.
type Noted = (Vec<u32>, Vec<BTreeMap<u32, usize>>);

/// The id of the table; those of the indexes are the next ones.
const TABLE: u32 = 100;

fn database(durability: Durability, indexes: &[&str]) -> (Arc<Watched<Noting>>, Database) {
    let store = Watched::new(Noting::default());
    let builder = Builder::default().durability(durability);
    let db = builder.on(store.clone(), None).unwrap();
    let run = |sql: &str| {
        block_on(db.execute(sql, ())).unwrap();
    };
    run("CREATE TABLE t (k BIGINT PRIMARY KEY, v INTEGER, w VARCHAR, x INTEGER) SALT_BUCKETS = 3");
    indexes.iter().for_each(|sql| run(sql));
    run("UPSERT INTO t VALUES (1, 10, 'a', 0), (2, 20, 'b', 0), (3, NULL, NULL, 0)");
    (store, db)
}

fn noted(durability: Durability, indexes: &[&str], sql: &str) -> Noted {
    let (store, db) = database(durability, indexes);
    store.read.lock().clear();
    store.written.lock().clear();
    block_on(db.execute(sql, ())).unwrap();
    let mut read = store.read.lock().clone();
    read.sort_unstable();
    read.dedup();
    (read, store.written.lock().clone())
}

const INDEXES: [&str; 3] = [
    "CREATE INDEX i ON t (v) INCLUDE (w) SALT_BUCKETS = 7",
    "CREATE UNIQUE INDEX u ON t (w)",
    "CREATE INDEX p ON t ((v + 1)) WHERE x > 0",
];

#[test]
fn a_table_without_indexes_is_not_read_before_it_is_written() {
    for sql in [
        "UPSERT INTO t VALUES (1, 11, 'c', 0), (4, 11, 'c', 0)",
        "UPSERT INTO t SELECT value, 1, 'x', 0 FROM generate_series(1, 2) AS g(value)",
    ] {
        let (read, written) = noted(Durability::Buffered, &[], sql);
        assert_eq!(read, [0; 0], "{sql}");
        assert_eq!(written, [BTreeMap::from([(TABLE, 2)])], "{sql}");
    }
}

#[test]
fn only_the_entries_that_change_are_written_and_with_their_rows() {
    let (i, u, p) = (TABLE + 1, TABLE + 2, TABLE + 3);
    for (sql, expected) in [
        // Nothing that an index holds.
        ("UPSERT INTO t VALUES (1, 10, 'a', 0)", vec![(TABLE, 1)]),
        ("UPSERT INTO t (k, x) VALUES (1, -1)", vec![(TABLE, 1)]),
        ("UPDATE t SET x = -5", vec![(TABLE, 3)]),
        // An entry goes and another comes.
        ("UPDATE t SET v = v + 1", vec![(TABLE, 3), (i, 4)]),
        // INCLUDE is in the value of an entry that stays where it is.
        (
            "UPDATE t SET w = 'new' WHERE k = 1",
            vec![(TABLE, 1), (i, 1), (u, 2)],
        ),
        // NULL has entries too.
        (
            "DELETE FROM t WHERE k = 3",
            vec![(TABLE, 1), (i, 1), (u, 1)],
        ),
        // Into a partial index and out of it.
        ("UPDATE t SET x = 1 WHERE k = 1", vec![(TABLE, 1), (p, 1)]),
        // A row that moves.
        (
            "UPDATE t SET k = 9 WHERE k = 1",
            vec![(TABLE, 2), (i, 2), (u, 1)],
        ),
        (
            "INSERT INTO t VALUES (7, 1, 'a', 1) ON CONFLICT (w) DO UPDATE SET v = 70, x = 1",
            vec![(TABLE, 1), (i, 2), (p, 1)],
        ),
    ] {
        for durability in [Durability::Buffered, Durability::Synced] {
            let (_, written) = noted(durability, &INDEXES, sql);
            assert_eq!(written, [expected.iter().copied().collect()], "{sql}");
        }
    }
}

/// Where nothing is inserted and nothing is deleted nothing is written.
#[test]
fn a_statement_that_changes_no_row_writes_no_entry() {
    for sql in [
        "DELETE FROM t WHERE k = 99",
        "INSERT INTO t VALUES (9, 1, 'a', 0) ON CONFLICT (w) DO NOTHING",
        "INSERT INTO t VALUES (9, 1, 'a', 0), (1, 1, 'z', 0) ON CONFLICT DO NOTHING",
        "UPSERT INTO t VALUES (1, 1, 'z', 0) ON DUPLICATE KEY IGNORE",
    ] {
        let (_, written) = noted(Durability::Synced, &INDEXES, sql);
        assert_eq!(written, [], "{sql}");
    }
}
