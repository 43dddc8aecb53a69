//! Where in a file the rows of a piece stand, for what is wrong with a row only as it is written.

use crate::engine::copy::file::{CsvFile, place};
use crate::table::RowPlaces;

/// The records of one piece.
#[derive(Debug)]
pub(super) struct RecordPlaces {
    file: String,
    /// What the set calls the row, and the number and the line of its record; as they were read.
    records: Vec<(usize, u64, Option<u64>)>,
}

impl RecordPlaces {
    /// Of a file, without records.
    pub(super) fn of(file: &CsvFile) -> Self {
        RecordPlaces {
            file: file.name().to_owned(),
            records: Vec::new(),
        }
    }

    /// Adds the record that was read last, which became the row of that order in the set.
    pub(super) fn push(&mut self, order: usize, file: &CsvFile) {
        self.records.push((order, file.number(), file.line()));
    }
}

impl RowPlaces for RecordPlaces {
    fn place(&self, order: usize) -> Option<String> {
        let at = self.records.binary_search_by_key(&order, |record| record.0);
        let (_, number, line) = self.records.get(at.ok()?)?;
        Some(place(&self.file, *number, *line))
    }
}
