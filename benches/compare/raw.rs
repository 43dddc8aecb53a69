//! RocksDB by hand: keys and values as somebody would write them for these rows alone, on the same
//! options as rocksalt's.

use std::path::Path;

use rocksdb::{AsColumnFamilyRef, Cache, ColumnFamilyDescriptor, DB, Env, Options, WriteBatch};
use xxhash_rust::xxh3::xxh3_64;

use crate::data::Row;

/// The cache of every side, in bytes.
pub const CACHE: usize = 256 << 20;

fn load(folder: &Path) -> (Options, Vec<ColumnFamilyDescriptor>) {
    let env = Env::new().expect("the file system");
    let cache = Cache::new_lru_cache(CACHE);
    Options::load_latest(folder, env, true, cache).expect("the options of a database")
}

/// Compacts every table of a database that is closed, so that all sides read files alike.
pub fn settle(folder: &Path) {
    let (options, families) = load(folder);
    let names: Vec<String> = families.iter().map(|f| f.name().to_owned()).collect();
    let db = DB::open_cf_descriptors(&options, folder, families).expect("a database");
    for name in names {
        let family = db.cf_handle(&name).expect("a family");
        db.compact_range_cf(&family, None::<&[u8]>, None::<&[u8]>);
    }
}

/// How rows are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Key {
    Id,
    DeviceTs,
}

/// One table in a database of its own.
pub struct Raw {
    pub db: DB,
    family: String,
    key: Key,
    pub buckets: u64,
}

impl Raw {
    /// A new database in `folder`, with the options that rocksalt gave to the one in `like`, which
    /// is closed, and to its tables.
    pub fn create(folder: &Path, like: &Path, key: Key, buckets: u64) -> Self {
        let (mut options, families) = load(like);
        options.create_if_missing(true);
        options.create_missing_column_families(true);
        let names = families.iter().map(|family| family.name().to_owned());
        let family = names.max_by_key(|name| (name.len(), name.clone()));
        let db = DB::open_cf_descriptors(&options, folder, families).expect("a database");
        Raw {
            db,
            family: family.expect("a table"),
            key,
            buckets,
        }
    }

    /// The table.
    pub fn family(&self) -> impl AsColumnFamilyRef + '_ {
        self.db.cf_handle(&self.family).expect("the table")
    }

    /// The salt byte, if there is one, and the key behind it.
    pub fn key(&self, row: &Row, key: &mut Vec<u8>) {
        key.clear();
        key.push(0);
        match self.key {
            Key::Id => key.extend(ordered64(row.id)),
            Key::DeviceTs => {
                key.extend(ordered32(row.device));
                key.extend(ordered64(row.ts));
            }
        }
        self.salt(key);
    }

    /// The key of an id.
    pub fn key_of_id(&self, id: i64, key: &mut Vec<u8>) {
        key.clear();
        key.push(0);
        key.extend(ordered64(id));
        self.salt(key);
    }

    /// The key of a moment of a device.
    pub fn key_of_device(&self, device: i32, ts: i64, key: &mut Vec<u8>) {
        key.clear();
        key.push(0);
        key.extend(ordered32(device));
        key.extend(ordered64(ts));
        self.salt(key);
    }

    fn salt(&self, key: &mut Vec<u8>) {
        let salted = match self.key {
            Key::DeviceTs => &key[1..5],
            _ => &key[1..],
        };
        match self.buckets {
            0 => drop(key.remove(0)),
            n => key[0] = (xxh3_64(salted) % n) as u8,
        }
    }

    /// Writes rows in one batch, sorted by key.
    pub fn write(&self, rows: impl Iterator<Item = Row>) {
        let encoded = rows.map(|row| {
            let (mut key, mut value) = (Vec::new(), Vec::new());
            self.key(&row, &mut key);
            encode(&row, &mut value);
            (key, value)
        });
        let mut pairs: Vec<(Vec<u8>, Vec<u8>)> = encoded.collect();
        pairs.sort();
        let family = self.family();
        let mut batch = WriteBatch::default();
        for (key, value) in &pairs {
            batch.put_cf(&family, key, value);
        }
        self.db.write(batch).expect("a write");
    }

    /// Flushes and compacts the table.
    pub fn settle(&self) {
        self.db
            .compact_range_cf(&self.family(), None::<&[u8]>, None::<&[u8]>);
    }
}

/// Bytes in the order of the numbers.
pub fn ordered64(n: i64) -> [u8; 8] {
    ((n as u64) ^ (1 << 63)).to_be_bytes()
}

fn ordered32(n: i32) -> [u8; 4] {
    ((n as u32) ^ (1 << 31)).to_be_bytes()
}

/// A value with every column, those of the key too: fixed widths, then the text.
pub fn encode(row: &Row, value: &mut Vec<u8>) {
    value.clear();
    value.extend(row.id.to_le_bytes());
    value.extend(row.device.to_le_bytes());
    value.extend(row.ts.to_le_bytes());
    value.extend(row.value.to_le_bytes());
    value.extend(row.note.as_bytes());
}

fn word<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N]
        .try_into()
        .expect("a value that was encoded")
}

pub fn id(value: &[u8]) -> i64 {
    i64::from_le_bytes(word(value, 0))
}

pub fn device(value: &[u8]) -> i32 {
    i32::from_le_bytes(word(value, 8))
}

pub fn ts(value: &[u8]) -> i64 {
    i64::from_le_bytes(word(value, 12))
}

pub fn value(value: &[u8]) -> f64 {
    f64::from_le_bytes(word(value, 20))
}

/// All columns.
pub fn decode(bytes: &[u8]) -> Row {
    Row {
        id: id(bytes),
        device: device(bytes),
        ts: ts(bytes),
        value: value(bytes),
        note: String::from_utf8_lossy(&bytes[28..]).into_owned(),
    }
}
