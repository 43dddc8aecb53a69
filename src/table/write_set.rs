//! What one statement is about to write, held in memory until it is written at once.

use std::fmt;

use crate::error::{Error, Result};
use crate::key::KeyLayout;

/// What happens to one row key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    /// The whole row, whether the key exists or not.
    Put,
    /// Some columns: over those of the row that exists, else as a new row, whose other columns
    /// hold their defaults.
    Merge,
    /// The whole row, under a key that must not exist.
    Insert,
    /// A row under a key that may exist: the statement's [`Conflict`](super::Conflict) says what
    /// then becomes of it. All operations of a set are proposals, or none.
    Propose,
    /// No row any more.
    Delete,
}

/// One operation; its key and its value stand one after the other in the arena.
#[derive(Debug, Clone, Copy)]
struct Entry {
    start: usize,
    key_len: u32,
    value_len: u32,
    bucket: u8,
    op: Op,
}

/// Where the rows of a statement come from, for messages about one of them.
pub(crate) trait RowPlaces: fmt::Debug + Send + Sync {
    /// The place of the row of that [order](WriteSet::next_order).
    fn place(&self, order: usize) -> Option<String>;
}

/// The operations of one statement, each on one row key.
///
/// Bytes live in one arena and an entry is 24 bytes beside it, so that a statement of many small
/// rows costs little more than its bytes. After [`WriteSet::resolve`] the entries are in
/// (bucket, key) order and there is one for each key.
#[derive(Debug)]
pub(crate) struct WriteSet {
    arena: Vec<u8>,
    entries: Vec<Entry>,
    limit: u64,
    given: u64,
    places: Option<Box<dyn RowPlaces>>,
}

impl WriteSet {
    /// An empty set that may grow to `limit` bytes.
    pub(crate) fn new(limit: u64) -> Self {
        WriteSet {
            arena: Vec::new(),
            entries: Vec::new(),
            limit,
            given: 0,
            places: None,
        }
    }

    /// The same with the places that its rows come from.
    pub(crate) fn with_places(self, places: Box<dyn RowPlaces>) -> Self {
        WriteSet {
            places: Some(places),
            ..self
        }
    }

    /// Adds an operation that counts as one affected row.
    pub(crate) fn push(&mut self, op: Op, bucket: u8, key: &[u8], value: &[u8]) -> Result<()> {
        self.given += 1;
        self.push_uncounted(op, bucket, key, value)
    }

    /// Adds an operation that counts as no row of its own: the old place of a row that moves.
    pub(crate) fn push_uncounted(
        &mut self,
        op: Op,
        bucket: u8,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        let too_large = || Error::limit("a row is larger than 4 GiB");
        let start = self.arena.len();
        let key_len = u32::try_from(key.len()).map_err(|_| too_large())?;
        let value_len = u32::try_from(value.len()).map_err(|_| too_large())?;
        let bytes = self.bytes() + (key.len() + value.len() + size_of::<Entry>()) as u64;
        if bytes > self.limit {
            return Err(Error::limit(format!(
                "the statement writes more than max_statement_bytes ({}); nothing was written",
                self.limit
            )));
        }
        self.arena.extend_from_slice(key);
        self.arena.extend_from_slice(value);
        self.entries.push(Entry {
            start,
            key_len,
            value_len,
            bucket,
            op,
        });
        Ok(())
    }

    /// How many bytes the set holds.
    pub(crate) fn bytes(&self) -> u64 {
        (self.arena.len() + self.entries.len() * size_of::<Entry>()) as u64
    }

    /// How many bytes it may hold.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// How many operations the set holds.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is to be written.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many rows the statement gave; a key given twice counts twice.
    pub(crate) fn affected(&self) -> u64 {
        self.given
    }

    /// The operation at `index`: what, bucket, key, value.
    pub(crate) fn get(&self, index: usize) -> (Op, u8, &[u8], &[u8]) {
        let entry = &self.entries[index];
        let (key, value) = self.arena[entry.start..].split_at(entry.key_len as usize);
        (
            entry.op,
            entry.bucket,
            key,
            &value[..entry.value_len as usize],
        )
    }

    /// When the statement gave the operation at `index`, among the others.
    pub(super) fn order(&self, index: usize) -> usize {
        self.entries[index].start
    }

    /// The order of the operation that is pushed next.
    pub(crate) fn next_order(&self) -> usize {
        self.arena.len()
    }

    /// When the statement gave the row of that key, if it did.
    pub(super) fn order_of(&self, key: &[u8]) -> Option<usize> {
        let index = (0..self.len()).find(|index| self.get(*index).2 == key)?;
        Some(self.order(index))
    }

    /// An error that is about the row of that key, with the place that the row comes from.
    pub(super) fn explain(&self, key: &[u8], error: Error) -> Error {
        let place = self.places.as_ref();
        match place.and_then(|places| places.place(self.order_of(key)?)) {
            Some(place) => error.context(place),
            None => error,
        }
    }

    /// Every operation, in order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (Op, u8, &[u8], &[u8])> {
        (0..self.entries.len()).map(|i| self.get(i))
    }

    /// Sorts by (bucket, key) and leaves one operation for each key: the last one; a key that is
    /// inserted and also written otherwise is a duplicate, unless its old row goes away. Proposals
    /// all stay, those of one key in the order in which they were made.
    pub(crate) fn resolve(&mut self, layout: &KeyLayout, table: &str) -> Result<()> {
        let mut entries = std::mem::take(&mut self.entries);
        let key = |e: &Entry| &self.arena[e.start..e.start + e.key_len as usize];
        // Stable: among equal keys the order of the statement stays.
        entries.sort_by(|a, b| a.bucket.cmp(&b.bucket).then_with(|| key(a).cmp(key(b))));
        if entries.first().is_some_and(|first| first.op == Op::Propose) {
            self.entries = entries;
            return Ok(());
        }
        let mut kept = 0;
        let mut from = 0;
        while from < entries.len() {
            let first = entries[from];
            let mut to = from + 1;
            while to < entries.len()
                && entries[to].bucket == first.bucket
                && key(&entries[to]) == key(&first)
            {
                to += 1;
            }
            entries[kept] = match &entries[from..to] {
                [one] => *one,
                several => match single(several) {
                    Some(entry) => entry,
                    None => return Err(duplicate(layout, table, key(&first))),
                },
            };
            kept += 1;
            from = to;
        }
        entries.truncate(kept);
        self.entries = entries;
        Ok(())
    }
}

/// What several operations on one key come to, or `None` for a duplicate.
fn single(several: &[Entry]) -> Option<Entry> {
    let inserts = several.iter().filter(|e| e.op == Op::Insert).count();
    let deletes = several.iter().filter(|e| e.op == Op::Delete).count();
    match inserts {
        0 => several.last().copied(),
        1 if inserts + deletes == several.len() => {
            several
                .iter()
                .find(|e| e.op == Op::Insert)
                .map(|insert| Entry {
                    op: if deletes > 0 { Op::Put } else { Op::Insert },
                    ..*insert
                })
        }
        _ => None,
    }
}

/// The error of a key that exists already, or twice in one statement.
pub(crate) fn duplicate(layout: &KeyLayout, table: &str, key: &[u8]) -> Error {
    match layout.key_text(key) {
        Ok(key) => Error::constraint(format!("duplicate key {key} in {table}")),
        Err(error) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyColumn;
    use crate::types::{SqlType, Value};

    fn layout() -> KeyLayout {
        let column = KeyColumn {
            sql_type: SqlType::Integer,
            nullable: false,
            descending: false,
        };
        KeyLayout::new(vec![column], None)
    }

    fn key(k: i32) -> Vec<u8> {
        layout().encode(&[Value::Integer(k)]).unwrap().1
    }

    fn resolved(ops: &[(Op, i32, &str)]) -> Result<Vec<(Op, Vec<u8>, String)>> {
        let mut set = WriteSet::new(1 << 20);
        for (op, k, value) in ops {
            set.push(*op, 0, &key(*k), value.as_bytes())?;
        }
        set.resolve(&layout(), "t")?;
        Ok(set
            .iter()
            .map(|(op, _, k, v)| (op, k.to_vec(), String::from_utf8_lossy(v).into_owned()))
            .collect())
    }

    #[test]
    fn the_last_write_of_a_key_wins_and_keys_come_out_sorted() {
        let got = resolved(&[(Op::Put, 2, "a"), (Op::Put, 1, "b"), (Op::Put, 2, "c")]).unwrap();
        let want = [
            (Op::Put, key(1), "b".to_owned()),
            (Op::Put, key(2), "c".to_owned()),
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn rows_may_move_onto_each_others_old_places() {
        let ops = [
            (Op::Delete, 1, ""),
            (Op::Insert, 2, "1"),
            (Op::Delete, 2, ""),
            (Op::Insert, 3, "2"),
        ];
        let got = resolved(&ops).unwrap();
        let want = [
            (Op::Delete, key(1), String::new()),
            (Op::Put, key(2), "1".to_owned()),
            (Op::Insert, key(3), "2".to_owned()),
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn a_key_inserted_twice_or_onto_a_written_one_is_named() {
        for ops in [
            [(Op::Insert, 7, "a"), (Op::Insert, 7, "b")],
            [(Op::Insert, 7, "a"), (Op::Put, 7, "b")],
            [(Op::Put, 7, "a"), (Op::Insert, 7, "b")],
        ] {
            let error = resolved(&ops).unwrap_err();
            assert_eq!(error.to_string(), "constraint: duplicate key (7) in t");
        }
    }

    #[test]
    fn proposals_of_one_key_keep_their_order() {
        let ops = [
            (Op::Propose, 2, "a"),
            (Op::Propose, 1, "b"),
            (Op::Propose, 2, "c"),
            (Op::Propose, 1, "d"),
        ];
        let values: Vec<String> = resolved(&ops).unwrap().into_iter().map(|op| op.2).collect();
        assert_eq!(values, ["b", "d", "a", "c"]);
    }

    #[test]
    fn growing_beyond_the_limit_is_an_error() {
        let mut set = WriteSet::new(64);
        set.push(Op::Put, 0, b"k", b"v").unwrap();
        let error = (0..4)
            .find_map(|_| set.push(Op::Put, 0, b"k", b"v").err())
            .unwrap();
        assert_eq!(error.kind(), crate::ErrorKind::Limit);
    }
}
