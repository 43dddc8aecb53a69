//! Point gets, grouped by bucket.

use std::sync::Arc;

use crate::catalog::TableDef;
use crate::codec::BatchDecoder;
use crate::error::Result;
use crate::store::{CursorOrder, Snapshot, TableHandle};
use crate::types::Value;

/// The gets of one request, bucket by bucket or in key order.
pub(super) struct Gets {
    snapshot: Arc<dyn Snapshot>,
    table: TableHandle,
    keys: Vec<(u8, Vec<u8>)>,
    next: usize,
}

impl Gets {
    /// Encodes the keys; a key that is given twice is read once.
    pub(super) fn new(
        snapshot: Arc<dyn Snapshot>,
        table: TableHandle,
        def: &TableDef,
        keys: &[Vec<Value>],
        order: CursorOrder,
    ) -> Result<Self> {
        let layout = def.key_layout();
        let mut keys = keys
            .iter()
            .map(|values| layout.encode(values))
            .collect::<Result<Vec<_>>>()?;
        match order {
            CursorOrder::Any => keys.sort_unstable(),
            CursorOrder::Key => keys.sort_unstable_by(|a, b| a.1.cmp(&b.1)),
            CursorOrder::KeyReverse => keys.sort_unstable_by(|a, b| b.1.cmp(&a.1)),
        }
        keys.dedup();
        Ok(Gets {
            snapshot,
            table,
            keys,
            next: 0,
        })
    }

    /// Looks up at most `max_rows` keys and says how many, and whether there are more.
    pub(super) fn fill(
        &mut self,
        decoder: &mut BatchDecoder,
        max_rows: usize,
    ) -> Result<(usize, bool)> {
        let end = self
            .keys
            .len()
            .min(self.next.saturating_add(max_rows.max(1)));
        let keys = self.keys.get(self.next..end).unwrap_or_default();
        match keys {
            [] => {}
            [(bucket, key)] => {
                let mut found = |value: &[u8]| decoder.push(key, value);
                self.snapshot.get(&self.table, *bucket, key, &mut found)?;
            }
            _ => {
                let mut found = |index: usize, value: &[u8]| match keys.get(index) {
                    Some((_, key)) => decoder.push(key, value),
                    None => Ok(()),
                };
                self.snapshot.multi_get(&self.table, keys, &mut found)?;
            }
        }
        let looked_up = keys.len();
        self.next = end;
        Ok((looked_up, self.next < self.keys.len()))
    }
}
