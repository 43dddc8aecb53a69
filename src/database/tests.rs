//! What cannot be seen through the API: what is read and written, and when the disk is asked to
//! sync.

mod upkeep;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::database::{Builder, wait::block_on};
use crate::error::Result;
use crate::store::{Change, Watch, Watched};
use crate::table::Durability;

/// Counts writes and syncs.
#[derive(Debug, Default)]
struct Counting {
    writes: AtomicUsize,
    syncs: AtomicUsize,
}

impl Watch for Counting {
    fn before(&self, change: &Change<'_>) -> Result<()> {
        match change {
            Change::Write(_) => self.writes.fetch_add(1, Ordering::SeqCst),
            Change::Sync => self.syncs.fetch_add(1, Ordering::SeqCst),
            Change::Create(_) | Change::Drop(_) => 0,
        };
        Ok(())
    }
}

/// How often a statement wrote and synced, beyond what it took to create the table.
fn cost(durability: Durability, sql: &str) -> (usize, usize) {
    let store = Watched::new(Counting::default());
    let builder = Builder::default().durability(durability);
    let db = builder.on(store.clone(), None).unwrap();
    block_on(async {
        db.execute(
            "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 3",
            (),
        )
        .await?;
        db.execute("UPSERT INTO t VALUES (1, 'a'), (2, 'b')", ())
            .await?;
        let before = (
            store.writes.load(Ordering::SeqCst),
            store.syncs.load(Ordering::SeqCst),
        );
        db.execute(sql, ()).await?;
        let after = (
            store.writes.load(Ordering::SeqCst),
            store.syncs.load(Ordering::SeqCst),
        );
        Ok::<_, crate::Error>((after.0 - before.0, after.1 - before.1))
    })
    .unwrap()
}

#[test]
fn a_statement_is_one_write_and_when_asked_for_one_sync() {
    for sql in [
        "UPSERT INTO t VALUES (3, 'c'), (4, 'd')",
        "UPSERT INTO t (k) VALUES (1), (5)",
        "INSERT INTO t VALUES (3, 'c')",
        "UPDATE t SET k = k + 1",
        "DELETE FROM t",
        "UPSERT INTO t SELECT value, 'x' FROM generate_series(1, 20000)",
    ] {
        assert_eq!(cost(Durability::Synced, sql), (1, 1), "{sql}");
        assert_eq!(cost(Durability::Buffered, sql), (1, 0), "{sql}");
    }
}

#[test]
fn a_statement_of_no_rows_writes_nothing() {
    assert_eq!(
        cost(Durability::Synced, "DELETE FROM t WHERE k = 9"),
        (0, 0)
    );
    assert_eq!(
        cost(Durability::Synced, "UPDATE t SET v = 'x' WHERE v = 'y'"),
        (0, 0)
    );
}

#[test]
fn a_load_of_many_pieces_syncs_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.csv");
    let mut text = String::from("k,v\n");
    for k in 0..20_000 {
        text.push_str(&format!("{k},{}\n", "x".repeat(1_000)));
    }
    std::fs::write(&path, text).unwrap();
    let sql = format!("COPY t FROM '{}'", path.display());
    let (writes, syncs) = cost(Durability::Synced, &sql);
    assert!(writes > 1, "{writes}");
    assert_eq!(syncs, 1);
}

#[test]
fn drop_and_create_are_synced_whatever_the_durability() {
    assert!(cost(Durability::Buffered, "DROP TABLE t").1 >= 1);
    assert!(
        cost(
            Durability::Buffered,
            "CREATE TABLE u (k INTEGER PRIMARY KEY)"
        )
        .1 >= 1
    );
}
