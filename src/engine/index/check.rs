//! CHECK INDEX: an index and its table, compared both ways.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};

use crate::catalog::{Entry, IndexEntry};
use crate::engine::dml::Writes;
use crate::engine::index::find_index;
use crate::error::{Error, Result};
use crate::key::{BucketRange, BucketSet, KeyLayout, KeyRange, expand};
use crate::sql::TableName;
use crate::store::Snapshot;
use crate::table::{
    EntryBytes, IndexTarget, Progress, ReadRequest, Reader, RowKeys, Target, request_decoder,
};

/// Differences that are shown; how many more there are is said in their place.
const SHOWN: usize = 1_000;

impl Writes<'_> {
    /// What differs between an index and its table in one snapshot, a row for each difference; none
    /// if all is well.
    pub(in crate::engine) async fn check_index(&self, name: &TableName) -> Result<RecordBatch> {
        let (entry, index, target, snapshot) = loop {
            let state = self.catalog.state();
            let (entry, index) = find_index(&state, name)?;
            if !index.is_ready() {
                return Err(
                    Error::conflict(format!("index {name} is being built")).at(name.position())
                );
            }
            let target = self.index_target(entry, index);
            let snapshot = self.store.snapshot();
            if self.catalog.is_state(&state) {
                break (entry.clone(), index.clone(), target?, snapshot);
            }
        };
        let check = Check {
            target,
            entry,
            index,
            snapshot,
            differences: Differences::default(),
        };
        let checked = self.engine.runtime().spawn_blocking(move || check.run());
        checked
            .await
            .map_err(|e| Error::internal("CHECK INDEX panicked").with_source(e))?
    }
}

struct Check {
    entry: Arc<Entry>,
    index: Arc<IndexEntry>,
    target: Arc<IndexTarget>,
    snapshot: Arc<dyn Snapshot>,
    differences: Differences,
}

impl Check {
    fn run(mut self) -> Result<RecordBatch> {
        self.rows_without_entry()?;
        self.entries_without_row()?;
        self.differences.batch()
    }

    /// Each row, and the entry that it should have.
    fn rows_without_entry(&mut self) -> Result<()> {
        let def = &self.entry.def;
        let layout = def.key_layout();
        let all: Vec<usize> = (0..def.columns.len()).collect();
        let request = ReadRequest::new(
            def.clone(),
            self.entry.handle.clone(),
            all,
            Target::Ranges(everything(&layout)?),
        );
        let mut reader = Reader::open(&request, &self.snapshot, Arc::default())?;
        while let Some(rows) = next(&mut reader)? {
            let entries = self.target.entries(&rows)?;
            let with_entry = (0..rows.num_rows()).filter(|row| entries.get(*row).is_some());
            let with_entry: Vec<usize> = with_entry.collect();
            let wanted = with_entry.iter().filter_map(|row| entries.get(*row));
            let places: Vec<(u8, Vec<u8>)> = wanted.map(|e| (e.bucket, e.key.to_vec())).collect();
            let mut found: Vec<Option<Vec<u8>>> = vec![None; places.len()];
            self.snapshot
                .multi_get(&self.index.handle, &places, &mut |i, value| {
                    found[i] = Some(value.to_vec());
                    Ok(())
                })?;
            for (row, found) in with_entry.iter().zip(&found) {
                let Some(entry) = entries.get(*row) else {
                    continue;
                };
                let what = match found {
                    Some(value) if value == entry.value => continue,
                    Some(value) if self.is_of_row(&entry, value) => "wrong",
                    Some(_) => "duplicate",
                    None => "missing",
                };
                let row = values_text(&rows, *row, &self.index.table_key_columns());
                let entry = self.entry_text(&entry);
                self.differences.push(what, row, entry);
            }
        }
        Ok(())
    }

    /// Whether the value that stands in the place of `entry` leads to its row too: in a UNIQUE index
    /// it may lead to another.
    fn is_of_row(&self, entry: &EntryBytes<'_>, value: &[u8]) -> bool {
        let row_of = |value| {
            let mut keys = RowKeys::new(&self.index, &self.entry.def).ok()?;
            keys.push(entry.key, value).ok()?;
            keys.take().ok()?.pop()
        };
        row_of(value).is_some_and(|row| row_of(entry.value) == Some(row))
    }

    /// Each entry, and the row that it should be of.
    fn entries_without_row(&mut self) -> Result<()> {
        let view = &self.index.view;
        let held: Vec<usize> = (0..view.columns.len())
            .filter(|column| self.index.holds(*column))
            .collect();
        let all: Vec<usize> = (0..self.entry.def.columns.len()).collect();
        // Bucket by bucket, so that an entry in the wrong one is told from the right one.
        for range in everything(&view.key_layout())? {
            let bucket = range.bucket;
            let request = ReadRequest::new(
                view.clone(),
                self.index.handle.clone(),
                held.clone(),
                Target::Ranges(vec![range]),
            );
            let mut reader = Reader::open(&request, &self.snapshot, Arc::default())?;
            while let Some(found) = next(&mut reader)? {
                let entries = self.target.entries_of_view(&found, &held)?;
                let mut keys = RowKeys::new(&self.index, &self.entry.def)?;
                for row in 0..found.num_rows() {
                    if let Some(entry) = entries.get(row) {
                        keys.push(entry.key, entry.value)?;
                    }
                }
                let keys = keys.take()?;
                let mut decoder = request_decoder(&self.entry.def, &all)?;
                let mut there = vec![None; keys.len()];
                let mut decoded = 0;
                self.snapshot
                    .multi_get(&self.entry.handle, &keys, &mut |i, value| {
                        decoder.push(&keys[i].1, value)?;
                        there[i] = Some(decoded);
                        decoded += 1;
                        Ok(())
                    })?;
                let rows = decoder.finish()?;
                let expected = self.target.entries(&rows)?;
                for (at, row) in there.iter().enumerate() {
                    let Some(entry) = entries.get(at) else {
                        continue;
                    };
                    let should = row.and_then(|row| expected.get(row));
                    let is_right = should
                        .is_some_and(|should| (should.bucket, should.key) == (bucket, entry.key));
                    if !is_right {
                        let row = self.index.table_key_columns();
                        let places = row
                            .iter()
                            .filter_map(|column| held.iter().position(|held| held == column));
                        let row = values_text(&found, at, &places.collect::<Vec<_>>());
                        let entry = self.entry_text(&EntryBytes { bucket, ..entry });
                        self.differences.push("stale", row, entry);
                    }
                }
            }
        }
        Ok(())
    }

    /// The indexed columns of an entry.
    fn entry_text(&self, entry: &EntryBytes<'_>) -> String {
        let layout = self.index.view.key_layout();
        let mut rest = entry.key;
        let parts = layout.columns().iter().take(self.index.def.parts.len());
        let values = parts.map(|column| match column.decode_value(&mut rest) {
            Ok(value) => value.to_string(),
            Err(error) => error.message().to_owned(),
        });
        format!("({})", values.collect::<Vec<_>>().join(", "))
    }
}

/// The first differences, and how many there are.
#[derive(Default)]
struct Differences {
    rows: Vec<[String; 3]>,
    more: usize,
}

impl Differences {
    fn push(&mut self, what: &str, row: String, entry: String) {
        match self.rows.len() {
            SHOWN.. => self.more += 1,
            _ => self.rows.push([what.to_owned(), row, entry]),
        }
    }

    fn batch(mut self) -> Result<RecordBatch> {
        if self.more > 0 {
            let more = format!("{} more", self.more);
            self.rows.push([more, String::new(), String::new()]);
        }
        let column = |at: usize| {
            let texts = self.rows.iter().map(|row| row[at].as_str());
            Arc::new(StringArray::from_iter_values(texts)) as ArrayRef
        };
        let names = ["difference", "row_key", "entry"];
        let fields = names.map(|name| Field::new(name, DataType::Utf8, false));
        let schema = Arc::new(Schema::new(fields.to_vec()));
        RecordBatch::try_new(schema, vec![column(0), column(1), column(2)])
            .map_err(|e| Error::internal("an answer does not have its own shape").with_source(e))
    }
}

/// The values of some columns of a batch in one row, as messages show keys.
fn values_text(batch: &RecordBatch, row: usize, columns: &[usize]) -> String {
    let value = |column: &usize| match crate::types::Value::from_array(batch.column(*column), row) {
        Ok(value) => value.to_string(),
        Err(error) => error.message().to_owned(),
    };
    format!(
        "({})",
        columns.iter().map(value).collect::<Vec<_>>().join(", ")
    )
}

/// All of a table, a range for each bucket.
pub(super) fn everything(layout: &KeyLayout) -> Result<Vec<BucketRange>> {
    expand(
        &[KeyRange::all()],
        layout,
        &BucketSet::all(layout.buckets()),
    )
}

/// The next rows of a read.
fn next(reader: &mut Reader) -> Result<Option<RecordBatch>> {
    loop {
        match reader.read()? {
            Progress::Batch(batch) => return Ok(Some(batch)),
            Progress::Nothing => {}
            Progress::End => return Ok(None),
        }
    }
}
