//! What a store can do.

use std::fmt::Debug;
use std::sync::Arc;

use crate::codec::BatchDecoder;
use crate::error::Result;
use crate::store::{BucketCost, Counters, CursorRequest, TableHandle, WriteBatch};

/// Tables of ordered bytes. Every method returns at once.
pub trait Store: Debug + Send + Sync {
    /// Creates an empty table. It is on disk when this returns.
    ///
    /// # Errors
    /// When a table of that id exists, or the disk refuses.
    fn create_table(&self, id: u32) -> Result<()>;

    /// Drops a table. Whoever holds a handle of it may read on; its files go with the last of
    /// them.
    ///
    /// # Errors
    /// When there is no such table, or the disk refuses.
    fn drop_table(&self, id: u32) -> Result<()>;

    /// The ids of all tables, ascending.
    fn tables(&self) -> Result<Vec<u32>>;

    /// A handle of a table, or `None` if there is no such table.
    fn open_table(&self, id: u32, salted: bool) -> Result<Option<TableHandle>>;

    /// The state of all tables as it is now.
    fn snapshot(&self) -> Arc<dyn Snapshot>;

    /// The number of the latest write. While it equals a snapshot's, nothing was written since.
    fn sequence(&self) -> u64;

    /// Calls `found` with the value of the row as it is now, if there is one; returns whether
    /// there is.
    fn get(
        &self,
        table: &TableHandle,
        bucket: u8,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<bool>;

    /// Calls `found` with the index and value of each row that exists now.
    fn multi_get(
        &self,
        table: &TableHandle,
        keys: &[(u8, Vec<u8>)],
        found: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()>;

    /// Writes all of the batch or nothing. It is visible and in the log when this returns, and
    /// survives a crash of the process; it survives a power failure after [`Store::sync`].
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) when the batch names a table that was dropped.
    fn write(&self, batch: WriteBatch) -> Result<()>;

    /// Brings everything written so far onto the disk.
    fn sync(&self) -> Result<()>;

    /// Fills a table with rows in ascending order of (bucket, key), none of which it has. They
    /// become visible all at once, and are on disk when this returns; in memory as they come.
    ///
    /// # Errors
    /// Those of `fill`: then nothing is in the table, in memory a part of it.
    /// [`NotFound`](crate::ErrorKind::NotFound) when the table was dropped.
    fn load(&self, table: &TableHandle, fill: Load<'_>) -> Result<()>;
}

/// Hands over the next rows that are loaded, by calling the function that it is given with the bucket,
/// the key and the value of each; returns whether there are more.
pub type Load<'a> = &'a mut dyn FnMut(&mut PushRow<'_>) -> Result<bool>;

/// Takes the bucket, the key and the value of a row.
pub type PushRow<'a> = dyn FnMut(u8, &[u8], &[u8]) -> Result<()> + 'a;

/// The state of all tables at one moment.
pub trait Snapshot: Debug + Send + Sync {
    /// The number of the last write that it sees.
    fn sequence(&self) -> u64;

    /// Calls `found` with the value of the row, if there is one; returns whether there is.
    fn get(
        &self,
        table: &TableHandle,
        bucket: u8,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<bool>;

    /// Calls `found` with the index and value of each row that exists, in the order of `keys`.
    /// Fastest when they are sorted by (bucket, key).
    fn multi_get(
        &self,
        table: &TableHandle,
        keys: &[(u8, Vec<u8>)],
        found: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()>;

    /// A cursor over what is asked for.
    fn cursor(&self, table: &TableHandle, request: CursorRequest) -> Result<Box<dyn Cursor>>;
}

/// In which order a cursor returns its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CursorOrder {
    /// Range after range, each in key order.
    Any,
    /// By row key, the buckets merged.
    Key,
    /// By row key, the last one first, the buckets merged.
    KeyReverse,
}

/// A position in a scan. Its owner decides when it moves on, and may drop it at any time.
pub trait Cursor: Send {
    /// Decodes the next rows: at most `max_rows`, and none more once the decoder holds
    /// `max_bytes`. Returns whether there may be more; when it says `false` the scan is over. It
    /// may return before the decoder is full, so that whoever called it can end the scan.
    ///
    /// # Errors
    /// [`Corrupt`](crate::ErrorKind::Corrupt) or [`Io`](crate::ErrorKind::Io); the scan is then
    /// over, and what the decoder holds is of no use.
    fn fill(
        &mut self,
        decoder: &mut BatchDecoder,
        max_rows: usize,
        max_bytes: usize,
    ) -> Result<bool>;

    /// What the scan has cost so far.
    fn counters(&self) -> Counters;

    /// What each bucket that was read has cost since this was asked before, buckets ascending;
    /// nothing, unless the request is [timed](CursorRequest::timed).
    fn take_bucket_costs(&mut self) -> Vec<BucketCost>;
}
