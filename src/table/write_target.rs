//! How the rows of one table become operations of a write set.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef};

use crate::catalog::{ColumnDef, Entry, TableDef};
use crate::codec::{ColumnReader, RowDecoder, RowEncoder};
use crate::error::{Error, Result};
use crate::key::KeyLayout;
use crate::table::write_set::{Op, WriteSet};
use crate::table::{Conflict, Returning, TableIndexes};
use crate::types::Value;

/// A table that a statement writes, and which of its columns the statement gives.
///
/// Rows are handed over in **slot order**: the key columns in key order, then the others in
/// declared order. So the values of the key and those of the row value are one slice each.
#[derive(Debug)]
pub(crate) struct WriteTarget {
    entry: Arc<Entry>,
    layout: KeyLayout,
    /// The table's column at each slot.
    columns: Vec<usize>,
    /// The slot of each column of the table.
    slots: Vec<usize>,
    /// Whether the statement gives the column at each slot.
    given: Vec<bool>,
    encoder: RowEncoder,
    /// What becomes of rows that exist under the keys of those that are proposed.
    conflict: Option<Arc<Conflict>>,
    /// What the statement returns of its rows.
    returning: Option<Arc<Returning>>,
    /// The indexes of the table, if it has any.
    indexes: Option<Arc<TableIndexes>>,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl WriteTarget {
    /// The target of a statement that gives these columns, as indices into the table's columns.
    pub(crate) fn new(entry: Arc<Entry>, given: impl Fn(usize) -> bool) -> Self {
        let def = &entry.def;
        let mut columns: Vec<usize> = def.key.iter().map(|part| part.column).collect();
        columns.extend((0..def.columns.len()).filter(|c| def.key_position(*c).is_none()));
        let mut slots = vec![0; columns.len()];
        for (slot, column) in columns.iter().enumerate() {
            slots[*column] = slot;
        }
        let stored = columns[def.key.len()..].iter().map(|c| &def.columns[*c]);
        let encoder = RowEncoder::new(stored.map(|c| (c.id, c.sql_type)).collect());
        WriteTarget {
            layout: def.key_layout(),
            given: columns.iter().map(|c| given(*c)).collect(),
            columns,
            slots,
            encoder,
            conflict: None,
            returning: None,
            indexes: None,
            entry,
            key: Vec::new(),
            value: Vec::new(),
        }
    }

    /// The same for a statement whose rows are proposals.
    pub(crate) fn with_conflict(self, conflict: Option<Arc<Conflict>>) -> Self {
        WriteTarget { conflict, ..self }
    }

    /// The same for a statement that returns its rows.
    pub(crate) fn with_returning(self, returning: Option<Arc<Returning>>) -> Self {
        WriteTarget { returning, ..self }
    }

    /// The same for a table with these indexes. Whoever writes to a table that has some says so.
    pub(crate) fn with_indexes(self, indexes: Option<Arc<TableIndexes>>) -> Self {
        WriteTarget { indexes, ..self }
    }

    /// The same for another target of the same table.
    pub(crate) fn shared_indexes(&self) -> Option<Arc<TableIndexes>> {
        self.indexes.clone()
    }

    /// Whether a row may be refused because another has its value.
    pub(crate) fn has_unique(&self) -> bool {
        let targets = self.indexes().map_or(&[][..], |indexes| &indexes.targets);
        targets.iter().any(|target| target.index().def.unique)
    }

    /// The indexes of the table, if it has any.
    pub(super) fn indexes(&self) -> Option<&TableIndexes> {
        self.indexes.as_deref()
    }

    /// What the statement returns of its rows.
    pub(super) fn returning(&self) -> Option<&Arc<Returning>> {
        self.returning.as_ref()
    }

    /// What becomes of rows that exist, if the rows are proposals.
    pub(super) fn conflict(&self) -> Option<&Arc<Conflict>> {
        self.conflict.as_ref()
    }

    /// The catalog's entry of the table.
    pub(crate) fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// The table's definition.
    pub(crate) fn def(&self) -> &TableDef {
        &self.entry.def
    }

    /// The layout of the table's key.
    pub(crate) fn layout(&self) -> &KeyLayout {
        &self.layout
    }

    /// The table's column at each slot.
    pub(crate) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The table's columns that are not in the key, in slot order.
    pub(super) fn value_columns(&self) -> &[usize] {
        &self.columns[self.key_len()..]
    }

    /// The slot of a column of the table.
    pub(crate) fn slot(&self, column: usize) -> usize {
        self.slots[column]
    }

    /// How many slots are of the key.
    fn key_len(&self) -> usize {
        self.entry.def.key.len()
    }

    /// Whether the statement gives every column, so that the old row need not be read.
    pub(crate) fn is_whole(&self) -> bool {
        self.given.iter().all(|given| *given)
    }

    /// How an UPSERT of this target writes a row.
    pub(crate) fn upsert(&self) -> Op {
        if self.is_whole() { Op::Put } else { Op::Merge }
    }

    /// Adds one row, in slot order.
    pub(crate) fn push_values(&mut self, set: &mut WriteSet, op: Op, row: &[Value]) -> Result<()> {
        let null = |(slot, value): &(usize, &Value)| value.is_null() && self.must_hold(*slot, op);
        if let Some((slot, _)) = row.iter().enumerate().find(null) {
            return Err(self.null(slot));
        }
        let (key, value) = row.split_at(self.key_len());
        self.key.clear();
        self.value.clear();
        let bucket = self.layout.encode_into(key, &mut self.key)?;
        self.encoder.encode_values(value, &mut self.value)?;
        set.push(op, bucket, &self.key, &self.value)
    }

    /// Adds every row of some arrays, in slot order.
    pub(crate) fn push_arrays(
        &mut self,
        set: &mut WriteSet,
        op: Op,
        arrays: &[ArrayRef],
    ) -> Result<()> {
        self.check_nulls(op, arrays)?;
        let readers = self.readers(arrays)?;
        for row in 0..arrays.first().map_or(0, |array| array.len()) {
            let bucket = self.encode_row(&readers, row)?;
            set.push(op, bucket, &self.key, &self.value)?;
        }
        Ok(())
    }

    /// Adds a deletion for every row of some arrays, which are those of the key.
    pub(crate) fn push_deletes(&mut self, set: &mut WriteSet, key: &[ArrayRef]) -> Result<()> {
        let readers = self.readers(key)?;
        for row in 0..key.first().map_or(0, |array| array.len()) {
            self.key.clear();
            let bucket = self.layout.encode_row(&readers, row, &mut self.key)?;
            set.push(Op::Delete, bucket, &self.key, &[])?;
        }
        Ok(())
    }

    /// Adds an update for every row: the key that it has, and what it becomes in slot order. A row
    /// whose key changes moves to a place that must be free.
    pub(crate) fn push_updates(
        &mut self,
        set: &mut WriteSet,
        old_key: &[ArrayRef],
        arrays: &[ArrayRef],
    ) -> Result<()> {
        self.check_nulls(Op::Put, arrays)?;
        let old = self.readers(old_key)?;
        let new = self.readers(arrays)?;
        let mut from = Vec::new();
        for row in 0..arrays.first().map_or(0, |array| array.len()) {
            let to_bucket = self.encode_row(&new, row)?;
            from.clear();
            let from_bucket = self.layout.encode_row(&old, row, &mut from)?;
            if from == self.key {
                set.push(Op::Put, to_bucket, &self.key, &self.value)?;
            } else {
                set.push_uncounted(Op::Delete, from_bucket, &from, &[])?;
                set.push(Op::Insert, to_bucket, &self.key, &self.value)?;
            }
        }
        Ok(())
    }

    /// A decoder of row values, the columns in slot order.
    pub(super) fn decoder(&self) -> RowDecoder {
        let stored = self.value_columns().iter();
        let stored = stored.map(|c| &self.entry.def.columns[*c]);
        RowDecoder::new(stored.map(ColumnDef::stored).collect())
    }

    fn readers<'a>(&self, arrays: &'a [ArrayRef]) -> Result<Vec<ColumnReader<'a>>> {
        self.readers_of(&self.columns, arrays)
    }

    /// Views of arrays of the columns that are not in the key, in slot order.
    pub(super) fn value_readers<'a>(
        &self,
        arrays: &'a [ArrayRef],
    ) -> Result<Vec<ColumnReader<'a>>> {
        self.readers_of(self.value_columns(), arrays)
    }

    fn readers_of<'a>(
        &self,
        columns: &[usize],
        arrays: &'a [ArrayRef],
    ) -> Result<Vec<ColumnReader<'a>>> {
        let types = columns.iter().map(|c| &self.entry.def.columns[*c].sql_type);
        arrays
            .iter()
            .zip(types)
            .map(|(array, to)| ColumnReader::new(array, to))
            .collect()
    }

    /// Appends the value of one row of such views.
    pub(super) fn encode_value(
        &self,
        readers: &[ColumnReader<'_>],
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.encoder.encode_row(readers, row, out)
    }

    /// The value of a row that exists, after the given columns of `new` were written over `old`.
    pub(super) fn merge(
        &self,
        decoder: &mut RowDecoder,
        old: &[u8],
        new: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut values = decoder.decode_values(old)?;
        let given = &self.given[self.key_len()..];
        for ((value, new), given) in values
            .iter_mut()
            .zip(decoder.decode_values(new)?)
            .zip(given)
        {
            if *given {
                *value = new;
            }
        }
        self.encoder.encode_values(&values, out)
    }

    /// Whether a value that a merge found no row for may become one: every column that must hold
    /// a value has one.
    pub(super) fn check_new(&self, decoder: &mut RowDecoder, new: &[u8]) -> Result<()> {
        let key_len = self.key_len();
        for (i, value) in decoder.decode_values(new)?.iter().enumerate() {
            if value.is_null() && self.must_hold(key_len + i, Op::Put) {
                return Err(self.null(key_len + i));
            }
        }
        Ok(())
    }

    /// Puts the key and the value of a row into `key` and `value`; its bucket.
    fn encode_row(&mut self, readers: &[ColumnReader<'_>], row: usize) -> Result<u8> {
        let (key, value) = readers.split_at(self.key_len());
        self.key.clear();
        self.value.clear();
        self.encoder.encode_row(value, row, &mut self.value)?;
        self.layout.encode_row(key, row, &mut self.key)
    }

    fn check_nulls(&self, op: Op, arrays: &[ArrayRef]) -> Result<()> {
        match (0..arrays.len()).find(|s| self.must_hold(*s, op) && arrays[*s].null_count() > 0) {
            Some(slot) => Err(self.null(slot)),
            None => Ok(()),
        }
    }

    /// Whether the column at `slot` must hold a value as soon as it is handed over. Of what may
    /// not become a row that holds for the key and for given columns: the others matter only in a
    /// new row.
    fn must_hold(&self, slot: usize, op: Op) -> bool {
        let column = &self.entry.def.columns[self.columns[slot]];
        let is_new = match op {
            Op::Merge => false,
            Op::Propose => self.conflict.as_ref().is_none_or(|c| c.strict),
            Op::Put | Op::Insert | Op::Delete => true,
        };
        !column.nullable && (self.given[slot] || is_new || slot < self.key_len())
    }

    fn null(&self, slot: usize) -> Error {
        let def = self.def();
        let column = &def.columns[self.columns[slot]].name;
        let table = def.display_name();
        Error::constraint(if self.given[slot] {
            format!("NULL in column {column} of {table}, which is NOT NULL")
        } else {
            format!("column {column} of {table} is NOT NULL and has no DEFAULT")
        })
    }
}
