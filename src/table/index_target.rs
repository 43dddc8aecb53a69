//! From the rows of a table to the entries of an index.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch};

use crate::catalog::IndexEntry;
use crate::codec::{ColumnReader, KeyColumn, RowEncoder};
use crate::error::{Error, Result};
use crate::key::KeyLayout;

/// Computes what an index is sorted by that is no column, and which rows have an entry.
pub(crate) trait IndexExprs: fmt::Debug + Send + Sync {
    /// `rows` has the table's columns, in declared order.
    fn compute(&self, rows: &RecordBatch) -> Result<IndexColumns>;
}

/// What is computed of some rows.
pub(crate) struct IndexColumns {
    /// The indexed expressions, in the order of the index, each of the type of its part.
    pub(crate) exprs: Vec<ArrayRef>,
    /// Which rows have an entry, all of them without; NULL is one that has none.
    pub(crate) kept: Option<BooleanArray>,
}

/// An index to which the rows of its table are written: encodes their entries, whose bytes
/// `docs/format.md` describes.
#[derive(Debug)]
pub(crate) struct IndexTarget {
    index: Arc<IndexEntry>,
    codec: Arc<EntryCodec>,
}

/// How the entries of an index are made. It holds neither the index nor its files, so that it may
/// be kept for the next statement without keeping an index that was dropped.
#[derive(Debug)]
pub(crate) struct EntryCodec {
    exprs: Option<Arc<dyn IndexExprs>>,
    layout: KeyLayout,
    /// How many of the key's columns are indexed columns.
    parts: usize,
    /// The columns of the table's key.
    table_key: Vec<(usize, KeyColumn)>,
    encoder: RowEncoder,
}

/// The entries of some rows, each at the place of its row.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    arena: Vec<u8>,
    of_rows: Vec<Option<Place>>,
}

#[derive(Debug)]
struct Place {
    bucket: u8,
    key: Range<usize>,
    value: Range<usize>,
    is_unique: bool,
}

/// One entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryBytes<'a> {
    pub(crate) bucket: u8,
    /// The key, without salt byte.
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
    /// Whether no other row may have an entry of this key.
    pub(crate) is_unique: bool,
}

impl EntryCodec {
    /// Of an index; `exprs` computes its expressions and its condition, if it has any.
    pub(crate) fn new(index: &IndexEntry, exprs: Option<Arc<dyn IndexExprs>>) -> Self {
        let view = &index.view;
        let column = |place: usize, descending: bool| KeyColumn {
            sql_type: view.columns[place].sql_type,
            nullable: view.columns[place].nullable,
            descending,
        };
        let table_key = index.table_key.iter();
        let table_key = table_key.map(|part| (part.column, column(part.column, part.descending)));
        let stored = index.stored().iter().map(|place| &view.columns[*place]);
        EntryCodec {
            layout: view.key_layout(),
            parts: index.def.parts.len(),
            table_key: table_key.collect(),
            encoder: RowEncoder::new(stored.map(|c| (c.id, c.sql_type)).collect()),
            exprs,
        }
    }
}

impl IndexTarget {
    /// The target of an index, whose codec this is.
    pub(crate) fn new(index: Arc<IndexEntry>, codec: Arc<EntryCodec>) -> Self {
        IndexTarget { index, codec }
    }

    /// The index.
    pub(crate) fn index(&self) -> &Arc<IndexEntry> {
        &self.index
    }

    /// The entries of rows that have the table's columns, in declared order.
    ///
    /// # Errors
    /// Those of the index's expressions.
    pub(crate) fn entries(&self, rows: &RecordBatch) -> Result<Entries> {
        let computed = match &self.codec.exprs {
            Some(exprs) => {
                let computed = exprs.compute(rows);
                computed.map_err(|e| e.context(format_args!("index {}", self.index.def.name)))?
            }
            None => IndexColumns {
                exprs: Vec::new(),
                kept: None,
            },
        };
        let of_table = rows.num_columns();
        let array = |place: usize| match place.checked_sub(of_table) {
            None => Ok(rows.column(place)),
            Some(expr) => computed
                .exprs
                .get(expr)
                .ok_or_else(|| Error::internal("an indexed expression that nobody computed")),
        };
        self.encode(rows.num_rows(), computed.kept.as_ref(), array)
    }

    /// The entries that have these columns, as indices into the columns of the view: all that an
    /// entry holds, in a batch as it is read from the index.
    pub(crate) fn entries_of_view(&self, read: &RecordBatch, columns: &[usize]) -> Result<Entries> {
        let array = |place: usize| match columns.iter().position(|column| *column == place) {
            Some(at) => Ok(read.column(at)),
            None => Err(Error::internal("a column of an entry that nobody read")),
        };
        self.encode(read.num_rows(), None, array)
    }

    /// The entries of rows of which `array` has the columns of the view.
    fn encode<'a>(
        &self,
        rows: usize,
        kept: Option<&BooleanArray>,
        array: impl Fn(usize) -> Result<&'a ArrayRef>,
    ) -> Result<Entries> {
        let view = &self.index.view;
        let reader = |place: usize| ColumnReader::new(array(place)?, &view.columns[place].sql_type);
        let key = view.key.iter().map(|part| reader(part.column));
        let key = key.collect::<Result<Vec<_>>>()?;
        let stored = self.index.stored().iter().map(|place| reader(*place));
        let stored = stored.collect::<Result<Vec<_>>>()?;
        let table_key = self.codec.table_key.iter();
        let table_key = table_key
            .map(|(place, column)| Ok((column, reader(*place)?)))
            .collect::<Result<Vec<_>>>()?;

        let mut entries = Entries::default();
        for row in 0..rows {
            if !kept.is_none_or(|kept| kept.is_valid(row) && kept.value(row)) {
                entries.of_rows.push(None);
                continue;
            }
            let start = entries.arena.len();
            let bucket = self
                .codec
                .layout
                .encode_row(&key, row, &mut entries.arena)?;
            let indexed = key.iter().take(self.codec.parts);
            let is_unique =
                self.index.def.unique && !indexed.clone().any(|column| column.is_null(row));
            if self.index.def.unique && !is_unique {
                for (column, reader) in &table_key {
                    column.encode_at(reader, row, &mut entries.arena)?;
                }
            }
            let value = entries.arena.len();
            self.codec
                .encoder
                .encode_row(&stored, row, &mut entries.arena)?;
            entries.of_rows.push(Some(Place {
                bucket,
                key: start..value,
                value: value..entries.arena.len(),
                is_unique,
            }));
        }
        Ok(entries)
    }
}

impl Entries {
    /// The entry of a row, if it has one.
    pub(crate) fn get(&self, row: usize) -> Option<EntryBytes<'_>> {
        let place = self.of_rows.get(row)?.as_ref()?;
        Some(EntryBytes {
            bucket: place.bucket,
            key: &self.arena[place.key.clone()],
            value: &self.arena[place.value.clone()],
            is_unique: place.is_unique,
        })
    }
}
