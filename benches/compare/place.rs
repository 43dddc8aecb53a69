//! The three databases that a work compares, with the same rows.

use rocksalt::Durability;
use rocksalt::blocking::Database;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::data::{self, batch};
use crate::raw::{self, Key, Raw};
use crate::sqlite;

/// What a place is made of.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub rows: u64,
    pub buckets: u64,
    pub key: Key,
    pub threads: usize,
    pub synced: bool,
}

/// The databases of the three sides.
pub struct Place {
    pub plan: Plan,
    pub rocksalt: Database,
    pub raw: Raw,
    pub sqlite: Connection,
    /// Gone when this is dropped.
    _folder: TempDir,
}

impl Place {
    /// Fills the databases; each is compacted, so that all read files alike.
    pub fn create(plan: Plan) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (ours, raw) = (folder.path().join("rocksalt"), folder.path().join("raw"));
        let db = open(&ours, plan);
        db.execute(&create_table("t", plan), ()).expect("a table");
        let table = db.table("t").expect("a table");
        for rows in chunks(plan.rows, 50_000) {
            table.upsert(&batch(rows)).expect("an upsert");
        }
        drop((table, db));
        raw::settle(&ours);
        let raw = Raw::create(&raw, &ours, plan.key, plan.buckets);
        let key = match plan.key {
            Key::Id => "id",
            Key::DeviceTs => "device, ts",
        };
        let sqlite = sqlite::create(folder.path(), key, plan.synced);
        for rows in chunks(plan.rows, 50_000) {
            raw.write(rows.clone().map(data::row));
            sqlite::write(&sqlite, rows.map(data::row));
        }
        raw.settle();
        let checkpoint = sqlite.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
        checkpoint.expect("a checkpoint");
        Place {
            plan,
            rocksalt: open(&ours, plan),
            raw,
            sqlite,
            _folder: folder,
        }
    }
}

/// The database of rocksalt.
pub fn open(folder: &std::path::Path, plan: Plan) -> Database {
    let durability = match plan.synced {
        true => Durability::Synced,
        false => Durability::Buffered,
    };
    let builder = rocksalt::Database::builder()
        .durability(durability)
        .threads(plan.threads)
        .cache_size(raw::CACHE);
    Database::build(builder, folder).expect("a database")
}

/// The statement that makes the table.
pub fn create_table(name: &str, plan: Plan) -> String {
    let key = match plan.key {
        Key::Id => "id",
        Key::DeviceTs => "device, ts",
    };
    let salt = match (plan.buckets, plan.key) {
        (0, _) => String::new(),
        (n, Key::DeviceTs) => format!(" SALT_BUCKETS = {n}, SALT_COLUMNS = (device)"),
        (n, _) => format!(" SALT_BUCKETS = {n}"),
    };
    format!(
        "CREATE TABLE {name} (id BIGINT NOT NULL, device INTEGER, ts TIMESTAMP, value DOUBLE, \
         note VARCHAR, PRIMARY KEY ({key})){salt}"
    )
}

/// The numbers up to `rows`, in pieces.
pub fn chunks(rows: u64, size: u64) -> impl Iterator<Item = std::ops::Range<u64>> {
    (0..rows.div_ceil(size)).map(move |n| n * size..rows.min((n + 1) * size))
}
