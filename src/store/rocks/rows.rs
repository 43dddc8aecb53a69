//! Rows by key, and batches of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rocksdb::ReadOptions;

use crate::error::{Error, Result};
use crate::store::rocks::Family;
use crate::store::rocks::error::from_rocksdb;
use crate::store::rocks::owned::OpenDatabase;
use crate::store::{Operation, TableHandle, WriteBatch};

/// Keys read with one call. Beyond some tens RocksDB gains nothing from more, and what is read
/// stays pinned in memory until the call ends.
const MULTI_GET_KEYS: usize = 256;

/// The family behind a handle. A handle of another database must never reach RocksDB, which
/// would follow its pointer.
pub(super) fn family<'a>(table: &'a TableHandle, db: &Arc<OpenDatabase>) -> Result<&'a Family> {
    table
        .backing::<Family>()
        .filter(|family| family.owned.is_of(db))
        .ok_or_else(|| foreign(table))
}

/// The same, shared with the handle.
pub(super) fn shared_family(table: &TableHandle, db: &Arc<OpenDatabase>) -> Result<Arc<Family>> {
    table
        .shared_backing::<Family>()
        .filter(|family| family.owned.is_of(db))
        .ok_or_else(|| foreign(table))
}

fn foreign(table: &TableHandle) -> Error {
    Error::internal(format!("table {} is of another store", table.id()))
}

pub(super) fn get(
    db: &Arc<OpenDatabase>,
    options: &ReadOptions,
    table: &TableHandle,
    bucket: u8,
    key: &[u8],
    found: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<bool> {
    let handle = family(table, db)?.owned.handle();
    let value = with_stored_key(table.salted(), bucket, key, |stored| {
        db.get_pinned_cf_opt(handle, stored, options)
    })
    .map_err(from_rocksdb)?;
    match value {
        Some(value) => found(&value).map(|()| true),
        None => Ok(false),
    }
}

pub(super) fn multi_get(
    db: &Arc<OpenDatabase>,
    options: &ReadOptions,
    table: &TableHandle,
    keys: &[(u8, Vec<u8>)],
    found: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
) -> Result<()> {
    let handle = family(table, db)?.owned.handle();
    let sorted = keys.is_sorted();
    let mut joined = Vec::new();
    for (chunk_number, chunk) in keys.chunks(MULTI_GET_KEYS).enumerate() {
        joined.clear();
        for (bucket, key) in chunk {
            joined.push(*bucket);
            joined.extend_from_slice(key);
        }
        let skip = usize::from(!table.salted());
        let mut rest = joined.as_slice();
        let stored: Vec<&[u8]> = chunk
            .iter()
            .map(|(_, key)| {
                let (stored, left) = rest.split_at(1 + key.len());
                rest = left;
                &stored[skip..]
            })
            .collect();
        let values = db.batched_multi_get_cf_opt(handle, stored, sorted, options);
        for (i, value) in values.into_iter().enumerate() {
            if let Some(value) = value.map_err(from_rocksdb)? {
                found(chunk_number * MULTI_GET_KEYS + i, &value)?;
            }
        }
    }
    Ok(())
}

/// The batch in RocksDB's form. The caller keeps families from being dropped.
pub(super) fn rocksdb_batch(
    db: &Arc<OpenDatabase>,
    batch: &WriteBatch,
) -> Result<rocksdb::WriteBatch> {
    for table in batch.tables() {
        if family(table, db)?.dropped.load(Ordering::Acquire) {
            return Err(Error::not_found(format!(
                "table {} was dropped",
                table.id()
            )));
        }
    }
    // RocksDB stores a type, a family and two lengths with each row.
    let mut rocks = rocksdb::WriteBatch::with_capacity_bytes(batch.bytes() + 8 * batch.len());
    for Operation {
        table,
        bucket_and_key,
        value,
    } in batch.operations()
    {
        let handle = family(table, db)?.owned.handle();
        let key = &bucket_and_key[usize::from(!table.salted())..];
        match value {
            Some(value) => rocks.put_cf(handle, key, value),
            None => rocks.delete_cf(handle, key),
        }
    }
    Ok(rocks)
}

/// Calls `read` with the key as it is stored, joined on the stack unless it is long.
fn with_stored_key<T>(salted: bool, bucket: u8, key: &[u8], read: impl FnOnce(&[u8]) -> T) -> T {
    let mut short = [0; 128];
    if !salted {
        read(key)
    } else if let Some(stored) = short.get_mut(..1 + key.len()) {
        stored[0] = bucket;
        stored[1..].copy_from_slice(key);
        read(stored)
    } else {
        read(&[&[bucket], key].concat())
    }
}
