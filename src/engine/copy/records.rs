//! From the records of a file to pieces of encoded rows.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::engine::copy::columns::match_columns;
use crate::engine::copy::field::read_field;
use crate::engine::copy::file::CsvFile;
use crate::engine::copy::places::RecordPlaces;
use crate::engine::dml::{DefaultValue, Locked, RowExpr, Writes};
use crate::error::{Error, Result};
use crate::sql::CopyFrom;
use crate::table::{WriteSet, WriteTarget};
use crate::types::{SqlType, Value};

/// A file that is about to be read, and where its fields go.
pub(super) struct Records {
    file: CsvFile,
    target: WriteTarget,
    /// What the file does not have is what an UPSERT of its columns gives.
    fields: Vec<Field>,
    null: Vec<u8>,
    /// A value for each slot; those that no field fills have it already.
    row: Vec<Value>,
    per_row: Vec<(usize, RowExpr)>,
    /// Where the rows of the piece stand, if one of them may be refused as it is written.
    places: Option<RecordPlaces>,
}

/// Where a field goes.
struct Field {
    slot: usize,
    sql_type: SqlType,
    name: String,
}

impl Writes<'_> {
    /// Opens the file and matches its header with the table.
    pub(super) fn records(&self, copy: &CopyFrom, locked: &Locked) -> Result<Records> {
        let def = &locked.entry.def;
        let mut file =
            CsvFile::open(&copy.path, copy.delimiter).map_err(|e| e.at(copy.path_position))?;
        let header = match copy.header {
            true => Some(file.header().map_err(|e| e.at(copy.path_position))?),
            false => None,
        };
        let columns = match_columns(def, &copy.columns, header.as_deref(), &copy.path)
            .map_err(|e| e.at(copy.path_position))?;
        let target = WriteTarget::new(locked.entry.clone(), |column| columns.contains(&column))
            .with_indexes(self.table_indexes(&locked.entry)?);
        let mut row = vec![Value::Null; def.columns.len()];
        let mut per_row = Vec::new();
        for column in (0..def.columns.len()).filter(|c| !columns.contains(c)) {
            match self.default_value(locked, column)? {
                DefaultValue::Constant(value) => row[target.slot(column)] = value,
                DefaultValue::PerRow(expr) => per_row.push((target.slot(column), expr)),
            }
        }
        let fields = columns.iter().map(|column| Field {
            slot: target.slot(*column),
            sql_type: def.columns[*column].sql_type,
            name: def.columns[*column].name.clone(),
        });
        Ok(Records {
            places: target.has_unique().then(|| RecordPlaces::of(&file)),
            file,
            fields: fields.collect(),
            null: copy.null.clone().into_bytes(),
            target,
            row,
            per_row,
        })
    }
}

impl Records {
    /// How the table is written.
    pub(super) fn target(&self) -> Arc<WriteTarget> {
        let given = |column: usize| {
            self.fields
                .iter()
                .any(|f| f.slot == self.target.slot(column))
        };
        let target = WriteTarget::new(self.target.entry().clone(), given);
        Arc::new(target.with_indexes(self.target.shared_indexes()))
    }

    /// Reads all records and hands them over in pieces of about `piece` bytes. Ends early when
    /// nobody takes them. Blocks its thread.
    pub(super) fn read(mut self, piece: u64, pieces: &mpsc::Sender<WriteSet>) -> Result<()> {
        let mut set = WriteSet::new(u64::MAX);
        loop {
            let more = match self.read_record(&mut set) {
                Ok(more) => more,
                Err(error) => {
                    // What was read before the damage is as good as it would be without it.
                    self.hand_over(set, pieces)?;
                    return Err(error);
                }
            };
            if !more {
                self.hand_over(set, pieces)?;
                return Ok(());
            }
            if set.bytes() >= piece {
                let full = std::mem::replace(&mut set, WriteSet::new(u64::MAX));
                if !self.hand_over(full, pieces)? {
                    return Ok(());
                }
            }
        }
    }

    fn hand_over(&mut self, mut set: WriteSet, pieces: &mpsc::Sender<WriteSet>) -> Result<bool> {
        if set.is_empty() {
            return Ok(true);
        }
        if let Some(places) = &mut self.places {
            let places = std::mem::replace(places, RecordPlaces::of(&self.file));
            set = set.with_places(Box::new(places));
        }
        set.resolve(self.target.layout(), &self.target.def().display_name())?;
        Ok(pieces.blocking_send(set).is_ok())
    }

    /// Reads one record into the set; `false` at the end of the file.
    fn read_record(&mut self, set: &mut WriteSet) -> Result<bool> {
        let Some(record) = self.file.next()? else {
            return Ok(false);
        };
        if record.len() != self.fields.len() {
            let (found, wanted) = (record.len(), self.fields.len());
            let s = if found == 1 { "" } else { "s" };
            let message = format!(
                "{}: {found} field{s} where {wanted} are expected",
                self.file.place()
            );
            return Err(Error::invalid(message));
        }
        let mut failed = None;
        for (field, text) in self.fields.iter().zip(record) {
            let value = &mut self.row[field.slot];
            if text == self.null {
                *value = Value::Null;
            } else if let Err(error) = read_field(text, &field.sql_type, value) {
                failed = Some((error, &field.name));
                break;
            }
        }
        if let Some((error, column)) = failed {
            return Err(error.context(format!("{}, column {column}", self.file.place())));
        }
        for (slot, expr) in &self.per_row {
            self.row[*slot] = expr.value()?;
        }
        if let Some(places) = &mut self.places {
            places.push(set.next_order(), &self.file);
        }
        self.target
            .push_values(set, self.target.upsert(), &self.row)
            .map_err(|e| e.context(self.file.place()))?;
        Ok(true)
    }
}
