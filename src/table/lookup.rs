//! Rows that are found by an index: a batch of entries, then the rows of the keys in them.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;

use crate::catalog::TableDef;
use crate::codec::BatchDecoder;
use crate::error::{Error, Result};
use crate::key::KeyLayout;
use crate::store::{Snapshot, TableHandle};
use crate::table::request::decoder;
use crate::table::{ReadRequest, ScanCounters};
use crate::types::ColumnReader;

/// Rows that are got at once: enough for the store to order its reads.
const MOST_GETS: usize = 1024;
/// The same while it is not known how large rows are; then as many as end the batch.
const FIRST_GETS: usize = 64;

/// The table whose rows are got, in a read of the entries of one of its indexes.
///
/// The request itself then says which entries are read: its `def` is the index
/// [as a table](crate::catalog::IndexDef::view). The columns that it returns and filters are those
/// of the rows.
#[derive(Debug, Clone)]
pub struct Lookup {
    /// The definition that the rows are read with.
    pub def: Arc<TableDef>,
    /// The table's place in the store.
    pub handle: TableHandle,
    /// Whether the rows come in the order of their entries.
    pub in_order: bool,
}

/// The gets of the rows of entries.
pub(super) struct Rows {
    snapshot: Arc<dyn Snapshot>,
    lookup: Lookup,
    index: String,
    layout: KeyLayout,
    /// Decodes of an entry the columns of its row's key.
    entries: BatchDecoder,
    /// Rows that are still to be got, each with the place of its entry.
    keys: Vec<(u8, Vec<u8>)>,
    next: usize,
    /// Values that were found, by their places, until they can be decoded in order.
    values: Vec<Option<Vec<u8>>>,
}

impl Rows {
    pub(super) fn new(
        request: &ReadRequest,
        lookup: &Lookup,
        snapshot: Arc<dyn Snapshot>,
    ) -> Result<Self> {
        let key: Vec<usize> = lookup.def.key.iter().map(|part| part.column).collect();
        Ok(Rows {
            snapshot,
            index: request.def.name.clone(),
            layout: lookup.def.key_layout(),
            entries: decoder(&request.def, &key)?,
            lookup: lookup.clone(),
            keys: Vec::new(),
            next: 0,
            values: Vec::new(),
        })
    }

    /// What decodes the next entries; [`Rows::found`] has them looked up.
    pub(super) fn entries(&mut self) -> &mut BatchDecoder {
        &mut self.entries
    }

    /// Whether there are rows still to be got of the entries that were read.
    pub(super) fn is_pending(&self) -> bool {
        self.next < self.keys.len()
    }

    /// Takes down the keys of the rows of the entries that were decoded.
    pub(super) fn found(&mut self, counters: &ScanCounters) -> Result<()> {
        let count = self.entries.len();
        let batch = self.entries.finish()?;
        counters.add_entries(count as u64);
        self.keys.clear();
        self.next = 0;
        self.keys.reserve(count);
        encode(&self.layout, &batch, &mut self.keys)?;
        if !self.lookup.in_order {
            self.keys.sort_unstable();
        }
        Ok(())
    }

    /// Gets rows until the decoder has `rows`, or enough bytes.
    pub(super) fn fill(
        &mut self,
        decoder: &mut BatchDecoder,
        rows: usize,
        bytes: usize,
        counters: &ScanCounters,
    ) -> Result<()> {
        let wanted = decoder.len().saturating_add(rows);
        while self.is_pending() && decoder.len() < wanted && decoder.bytes() < bytes {
            let fits = match decoder.bytes() / decoder.len().max(1) {
                0 => FIRST_GETS,
                row => ((bytes - decoder.bytes()) / row).clamp(1, MOST_GETS),
            };
            let gets = fits.min(wanted - decoder.len());
            let end = self.keys.len().min(self.next.saturating_add(gets));
            self.get(end, decoder, counters)?;
            self.next = end;
        }
        Ok(())
    }

    /// Gets the rows of the keys from the next one to `end`, bucket by bucket.
    fn get(
        &mut self,
        end: usize,
        decoder: &mut BatchDecoder,
        counters: &ScanCounters,
    ) -> Result<()> {
        let keys = self.keys.get(self.next..end).unwrap_or_default();
        let (before, mut bytes) = (decoder.len(), 0);
        let needs_value = decoder.needs_value();
        let mut push = |decoder: &mut BatchDecoder, key: &[u8], value: &[u8]| {
            bytes += (key.len() + if needs_value { value.len() } else { 0 }) as u64;
            decoder.push(key, value)
        };
        let (snapshot, handle) = (&self.snapshot, &self.lookup.handle);
        match keys {
            [] => {}
            [(bucket, key)] => {
                let mut found = |value: &[u8]| push(decoder, key, value);
                snapshot.get(handle, *bucket, key, &mut found)?;
            }
            keys if !self.lookup.in_order => {
                let mut found = |index: usize, value: &[u8]| match keys.get(index) {
                    Some((_, key)) => push(decoder, key, value),
                    None => Ok(()),
                };
                snapshot.multi_get(handle, keys, &mut found)?;
            }
            keys => {
                let mut places: Vec<usize> = (0..keys.len()).collect();
                places.sort_unstable_by(|a, b| keys[*a].cmp(&keys[*b]));
                let sorted: Vec<_> = places.iter().map(|place| keys[*place].clone()).collect();
                let values = &mut self.values;
                values.clear();
                values.resize(keys.len(), None);
                let mut found = |index: usize, value: &[u8]| {
                    if let Some(place) = places.get(index) {
                        values[*place] = Some(value.to_vec());
                    }
                    Ok(())
                };
                snapshot.multi_get(handle, &sorted, &mut found)?;
                for ((_, key), value) in keys.iter().zip(values.iter()) {
                    if let Some(value) = value {
                        push(decoder, key, value)?;
                    }
                }
            }
        }
        let (gets, rows) = ((end - self.next) as u64, (decoder.len() - before) as u64);
        counters.add_gets(gets, rows, bytes);
        if rows < gets {
            return Err(Error::corrupt(format!(
                "index {} has an entry of a row that is not in its table; REINDEX makes it anew",
                self.index
            )));
        }
        Ok(())
    }
}

/// Appends the row keys that are in a batch of their columns.
fn encode(layout: &KeyLayout, batch: &RecordBatch, keys: &mut Vec<(u8, Vec<u8>)>) -> Result<()> {
    let readers = layout
        .columns()
        .iter()
        .zip(batch.columns())
        .map(|(column, array)| ColumnReader::new(array, &column.sql_type))
        .collect::<Result<Vec<_>>>()?;
    for row in 0..batch.num_rows() {
        let mut key = Vec::new();
        let bucket = layout.encode_row(&readers, row, &mut key)?;
        keys.push((bucket, key));
    }
    Ok(())
}
