//! The records of a CSV file, plain or compressed.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

use csv::{ByteRecord, Reader, ReaderBuilder};
use flate2::read::MultiGzDecoder;

use crate::engine::copy::quotes::Quotes;
use crate::error::{Error, Result};

/// Bytes that are read from the file, and that the CSV reader holds, at a time.
const BUFFER: usize = 256 << 10;

/// A CSV file under way. Records are counted from 1, the header not among them.
pub(super) struct CsvFile {
    name: String,
    reader: Reader<Quotes<Box<dyn Read + Send>>>,
    record: ByteRecord,
    number: u64,
}

impl CsvFile {
    pub(super) fn open(path: &str, delimiter: u8) -> Result<Self> {
        let file = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
            true => Err(std::io::Error::from(ErrorKind::IsADirectory)),
            false => Ok(file),
        });
        let file =
            file.map_err(|e| Error::io(format!("cannot read {path}: {e}")).with_source(e))?;
        let compressed = Path::new(path)
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("gz"));
        let bytes: Box<dyn Read + Send> = match compressed {
            true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, file))),
            false => Box::new(file),
        };
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .buffer_capacity(BUFFER)
            .from_reader(Quotes::new(bytes, delimiter));
        Ok(CsvFile {
            name: path.to_owned(),
            reader,
            record: ByteRecord::new(),
            number: 0,
        })
    }

    /// The names in the first record, without a byte order mark.
    pub(super) fn header(&mut self) -> Result<Vec<String>> {
        if !self.read().map_err(|e| e.context(&self.name))? {
            return Err(Error::invalid(format!(
                "{}: no header: the file is empty",
                self.name
            )));
        }
        let text = |field: &[u8]| {
            String::from_utf8(field.to_vec())
                .map_err(|_| Error::invalid(format!("{}: the header is not UTF-8", self.name)))
        };
        let mut names = self.record.iter().map(text).collect::<Result<Vec<_>>>()?;
        if let Some(first) = names.first_mut()
            && let Some(rest) = first.strip_prefix('\u{feff}')
        {
            *first = rest.to_owned();
        }
        Ok(names)
    }

    /// The next record, or `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<&ByteRecord>> {
        let more = self
            .read()
            .map_err(|e| e.context(format!("record {}", self.number + 1)));
        match more.map_err(|e| e.context(&self.name))? {
            true => {
                self.number += 1;
                Ok(Some(&self.record))
            }
            false => Ok(None),
        }
    }

    /// The place of the record that was read last: file, record, line.
    pub(super) fn place(&self) -> String {
        place(&self.name, self.number, self.line())
    }

    /// The name of the file.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The number of the record that was read last.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The line on which it begins.
    pub(super) fn line(&self) -> Option<u64> {
        self.record.position().map(|position| position.line())
    }

    fn read(&mut self) -> Result<bool> {
        let more = self.reader.read_byte_record(&mut self.record);
        let more = more.map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(e) => Error::io(e.to_string()).with_source(e),
            other => Error::invalid(format!("{other:?}")),
        })?;
        // The end is not reached before the last record.
        if more && self.reader.get_ref().end_open() {
            return Err(Error::invalid("a quoted field has no end"));
        }
        Ok(more)
    }
}

/// The place of a record, as messages show it.
pub(super) fn place(file: &str, number: u64, line: Option<u64>) -> String {
    match line {
        Some(line) => format!("{file}, record {number} (line {line})"),
        None => format!("{file}, record {number}"),
    }
}
