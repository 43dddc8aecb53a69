//! Point gets, grouped by bucket.

use std::sync::Arc;
use std::time::Instant;

use crate::catalog::TableDef;
use crate::codec::BatchDecoder;
use crate::error::Result;
use crate::key::LeadingColumns;
use crate::store::{BucketCost, CursorOrder, Snapshot, TableHandle};
use crate::table::ScanCounters;
use crate::types::Value;

/// The gets of one request, bucket by bucket or in key order.
pub(super) struct Gets {
    snapshot: Arc<dyn Snapshot>,
    table: TableHandle,
    keys: Vec<(u8, Vec<u8>)>,
    next: usize,
}

impl Gets {
    /// Encodes the keys; a key that is given twice is read once. In key order the first
    /// `merge_from` columns decide only between keys that agree in the others.
    pub(super) fn new(
        snapshot: Arc<dyn Snapshot>,
        table: TableHandle,
        def: &TableDef,
        keys: &[Vec<Value>],
        order: CursorOrder,
        merge_from: usize,
    ) -> Result<Self> {
        let layout = def.key_layout();
        let mut keys = keys
            .iter()
            .map(|values| layout.encode(values))
            .collect::<Result<Vec<_>>>()?;
        match order {
            CursorOrder::Any => keys.sort_unstable(),
            CursorOrder::Key | CursorOrder::KeyReverse if merge_from > 0 => {
                sort_behind(&mut keys, &LeadingColumns::of(&layout, merge_from)?)?;
            }
            CursorOrder::Key | CursorOrder::KeyReverse => {
                keys.sort_unstable_by(|a, b| a.1.cmp(&b.1));
            }
        }
        if order == CursorOrder::KeyReverse {
            keys.reverse();
        }
        keys.dedup();
        Ok(Gets {
            snapshot,
            table,
            keys,
            next: 0,
        })
    }

    /// Looks up at most `max_rows` keys and says whether there are more.
    pub(super) fn fill(
        &mut self,
        decoder: &mut BatchDecoder,
        max_rows: usize,
        counters: &ScanCounters,
    ) -> Result<bool> {
        let end = self
            .keys
            .len()
            .min(self.next.saturating_add(max_rows.max(1)));
        let keys = self.keys.get(self.next..end).unwrap_or_default();
        if counters.is_timed() {
            // Bucket by bucket, so that each takes its own time.
            for keys in keys.chunk_by(|(a, _), (b, _)| a == b) {
                let start = Instant::now();
                let rows = self.look_up(keys, decoder, counters)?;
                counters.add_bucket(BucketCost {
                    bucket: keys.first().map_or(0, |(bucket, _)| *bucket),
                    rows,
                    time: start.elapsed(),
                });
            }
        } else {
            self.look_up(keys, decoder, counters)?;
        }
        self.next = end;
        Ok(self.next < self.keys.len())
    }

    /// Reads the rows of some keys and says how many there are.
    fn look_up(
        &self,
        keys: &[(u8, Vec<u8>)],
        decoder: &mut BatchDecoder,
        counters: &ScanCounters,
    ) -> Result<u64> {
        let (before, mut bytes) = (decoder.len(), 0);
        let needs_value = decoder.needs_value();
        let mut push = |key: &[u8], value: &[u8]| {
            bytes += (key.len() + if needs_value { value.len() } else { 0 }) as u64;
            decoder.push(key, value)
        };
        match keys {
            [] => {}
            [(bucket, key)] => {
                let mut found = |value: &[u8]| push(key, value);
                self.snapshot.get(&self.table, *bucket, key, &mut found)?;
            }
            _ => {
                let mut found = |index: usize, value: &[u8]| match keys.get(index) {
                    Some((_, key)) => push(key, value),
                    None => Ok(()),
                };
                self.snapshot.multi_get(&self.table, keys, &mut found)?;
            }
        }
        let rows = (decoder.len() - before) as u64;
        counters.add_gets(keys.len() as u64, rows, bytes);
        Ok(rows)
    }
}

/// Sorts keys by what follows their first columns, and those that agree there by all of it.
fn sort_behind(keys: &mut Vec<(u8, Vec<u8>)>, columns: &LeadingColumns) -> Result<()> {
    let mut cut = Vec::with_capacity(keys.len());
    for (bucket, key) in keys.drain(..) {
        cut.push((columns.width(&key)?, bucket, key));
    }
    cut.sort_unstable_by(|(cut_a, _, a), (cut_b, _, b)| {
        a[*cut_a..].cmp(&b[*cut_b..]).then_with(|| a.cmp(b))
    });
    keys.extend(cut.into_iter().map(|(_, bucket, key)| (bucket, key)));
    Ok(())
}
