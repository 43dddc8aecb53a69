//! Writes that happen together.

use std::fmt;

use crate::store::TableHandle;

/// Rows to put and to delete, all at once or not at all.
///
/// Fastest when they are pushed in the order of (bucket, key); a later operation on a key wins
/// over an earlier one.
#[derive(Default)]
pub struct WriteBatch {
    tables: Vec<TableHandle>,
    entries: Vec<Entry>,
    /// For each entry `bucket ++ key ++ value`, without gaps.
    bytes: Vec<u8>,
}

struct Entry {
    table: usize,
    key: usize,
    value: Option<usize>,
}

/// One operation of a [`WriteBatch`].
#[derive(Debug, Clone, Copy)]
pub struct Operation<'a> {
    /// The table.
    pub table: &'a TableHandle,
    /// The bucket, as one byte, and behind it the row key.
    pub bucket_and_key: &'a [u8],
    /// The value to put, or `None` to delete the row.
    pub value: Option<&'a [u8]>,
}

impl WriteBatch {
    /// An empty batch.
    pub fn new() -> Self {
        WriteBatch::default()
    }

    /// An empty batch with room for `rows` operations of `bytes` in all.
    pub fn with_capacity(rows: usize, bytes: usize) -> Self {
        WriteBatch {
            tables: Vec::with_capacity(1),
            entries: Vec::with_capacity(rows),
            bytes: Vec::with_capacity(bytes),
        }
    }

    /// Puts a row: `key` without its salt byte.
    pub fn put(&mut self, table: &TableHandle, bucket: u8, key: &[u8], value: &[u8]) {
        self.push(table, bucket, key, Some(value.len()));
        self.bytes.extend_from_slice(value);
    }

    /// Deletes a row, if it exists.
    pub fn delete(&mut self, table: &TableHandle, bucket: u8, key: &[u8]) {
        self.push(table, bucket, key, None);
    }

    fn push(&mut self, table: &TableHandle, bucket: u8, key: &[u8], value: Option<usize>) {
        let latest = self.entries.last().map(|entry| entry.table);
        let table = match latest.filter(|&i| self.tables[i].id() == table.id()) {
            Some(same) => same,
            None => match self.tables.iter().position(|t| t.id() == table.id()) {
                Some(known) => known,
                None => {
                    self.tables.push(table.clone());
                    self.tables.len() - 1
                }
            },
        };
        self.entries.push(Entry {
            table,
            key: key.len(),
            value,
        });
        self.bytes.push(bucket);
        self.bytes.extend_from_slice(key);
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many bytes of buckets, keys and values there are.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The tables that are written.
    pub fn tables(&self) -> &[TableHandle] {
        &self.tables
    }

    /// The operations, in the order in which they were pushed.
    pub fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        let mut rest = self.bytes.as_slice();
        let mut take = move |n: usize| {
            let (taken, left) = rest.split_at(n);
            rest = left;
            taken
        };
        self.entries.iter().map(move |entry| Operation {
            table: &self.tables[entry.table],
            bucket_and_key: take(1 + entry.key),
            value: entry.value.map(&mut take),
        })
    }
}

impl fmt::Debug for WriteBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.operations()).finish()
    }
}
