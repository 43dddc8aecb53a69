//! SQLite: the same rows in a table with the same primary key.

use std::path::Path;

use rusqlite::{Connection, params};

use crate::data::Row;
use crate::raw::CACHE;

/// The table in a database of its own. A commit is synced if `synced`, else the log is left to the
/// operating system.
pub fn create(folder: &Path, key: &str, synced: bool) -> Connection {
    let db = Connection::open(folder.join("sqlite.db")).expect("a database");
    let synchronous = if synced { "FULL" } else { "NORMAL" };
    db.execute_batch(&format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous};
         PRAGMA cache_size = -{}; PRAGMA temp_store = MEMORY;
         CREATE TABLE t (id INTEGER NOT NULL, device INTEGER, ts INTEGER, value REAL, note TEXT,
                         PRIMARY KEY ({key})){}",
        CACHE / 1024,
        // The rowid is the primary key where that is one integer.
        if key == "id" { "" } else { " WITHOUT ROWID" }
    ))
    .expect("a table");
    db
}

/// Writes rows in one transaction.
pub fn write(db: &Connection, rows: impl Iterator<Item = Row>) {
    db.execute_batch("BEGIN").expect("a transaction");
    {
        let mut insert = db
            .prepare_cached("INSERT OR REPLACE INTO t VALUES (?, ?, ?, ?, ?)")
            .expect("a statement");
        for row in rows {
            insert
                .execute(params![row.id, row.device, row.ts, row.value, row.note])
                .expect("an insert");
        }
    }
    db.execute_batch("COMMIT").expect("a commit");
}
