//! The files of a database that is closed, as RocksDB has them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use rocksdb::{ColumnFamilyDescriptor, DB, IteratorMode, Options, WriteBatch};

/// The rows of one family: keys with their salt byte.
pub(super) type Family = BTreeMap<Vec<u8>, Vec<u8>>;

/// The families of tables and indexes by their ids, without those of the catalog.
fn families(path: &Path) -> Vec<String> {
    let names = DB::list_cf(&Options::default(), path).unwrap();
    let is_users = |name: &String| name.parse::<u32>().is_ok_and(|id| id >= 100);
    names.into_iter().filter(is_users).collect()
}

/// Opens the folder, which a thread of the database that was closed may keep locked for a moment.
fn open(path: &Path) -> DB {
    let patience = Instant::now() + Duration::from_secs(20);
    loop {
        match try_open(path) {
            Err(error) if error.as_ref().contains("lock") && Instant::now() < patience => {
                std::thread::sleep(Duration::from_millis(10));
            }
            opened => return opened.unwrap(),
        }
    }
}

fn try_open(path: &Path) -> Result<DB, rocksdb::Error> {
    let names = DB::list_cf(&Options::default(), path).unwrap();
    let all = names
        .iter()
        .map(|name| ColumnFamilyDescriptor::new(name, Options::default()));
    let mut options = Options::default();
    // As the store has it: all families go into files together.
    options.set_atomic_flush(true);
    DB::open_cf_descriptors(&options, path, all)
}

/// All rows of all tables and indexes.
pub(super) fn read(path: &Path) -> BTreeMap<u32, Family> {
    let db = open(path);
    let families = families(path).into_iter().map(|name| {
        let family = db.cf_handle(&name).unwrap();
        let rows = db.iterator_cf(&family, IteratorMode::Start);
        let rows = rows.map(|row| row.unwrap());
        let rows = rows.map(|(key, value)| (key.to_vec(), value.to_vec()));
        (name.parse().unwrap(), rows.collect())
    });
    families.collect()
}

/// Puts and deletes rows of one table or index behind the back of the catalog.
pub(super) fn change(path: &Path, id: u32, rows: &[(Vec<u8>, Option<Vec<u8>>)]) {
    let db = open(path);
    let family = db.cf_handle(&id.to_string()).unwrap();
    let mut batch = WriteBatch::default();
    for (key, value) in rows {
        match value {
            Some(value) => batch.put_cf(&family, key, value),
            None => batch.delete_cf(&family, key),
        }
    }
    db.write(batch).unwrap();
}
