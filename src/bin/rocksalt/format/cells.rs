//! One cell as text, the same in every format.
//!
//! Booleans are `true` and `false`, timestamps `2013-01-01T10:00:00`, binaries `\x00ff`, doubles
//! the shortest digits that read back as the same double, decimals all their digits.

use std::fmt::Write;

use rocksalt::arrow::array::{
    Array, ArrayRef, BinaryViewArray, FixedSizeBinaryArray, GenericBinaryArray, OffsetSizeTrait,
    RecordBatch,
};
use rocksalt::arrow::datatypes::{DataType, Field};
use rocksalt::arrow::util::display::{ArrayFormatter, FormatOptions};
use rocksalt::{Error, ErrorKind};

/// The cells of one column.
pub(super) struct Cells<'a> {
    array: &'a dyn Array,
    text: Text<'a>,
}

/// The bytes of a row.
type Bytes<'a> = Box<dyn Fn(usize) -> &'a [u8] + 'a>;

enum Text<'a> {
    Binary(Bytes<'a>),
    Other(ArrayFormatter<'a>),
}

impl<'a> Cells<'a> {
    /// The cells of every column of a batch.
    pub(super) fn of_batch(batch: &'a RecordBatch) -> Result<Vec<Cells<'a>>, Error> {
        batch.columns().iter().map(Cells::new).collect()
    }

    /// The cells of an array.
    pub(super) fn new(array: &'a ArrayRef) -> Result<Cells<'a>, Error> {
        let text = match binary(array) {
            Some(values) => Text::Binary(values),
            None => Text::Other(
                ArrayFormatter::try_new(array, &options()).map_err(|e| cannot_show(array, &e))?,
            ),
        };
        Ok(Cells { array, text })
    }

    /// Whether a cell is NULL.
    pub(super) fn is_null(&self, row: usize) -> bool {
        // Arrays of type Null, and dictionaries whose values are NULL, have no null buffer.
        self.array.data_type().is_null() || self.array.is_null(row)
    }

    /// Appends the text of a cell that is not NULL.
    pub(super) fn write(&self, row: usize, text: &mut String) -> Result<(), Error> {
        match &self.text {
            Text::Binary(values) => write_hex(values(row), text),
            Text::Other(formatter) => {
                formatter.value(row).write(text).map_err(|_| {
                    let what = "a value outside what can be written as text";
                    cannot_show(self.array, &what)
                })?;
            }
        }
        Ok(())
    }
}

fn options() -> FormatOptions<'static> {
    // NULL inside of a list or structure; a cell's own NULL is the caller's.
    FormatOptions::new().with_null("NULL")
}

fn cannot_show(array: &dyn Array, why: &dyn std::fmt::Display) -> Error {
    let message = format!("cannot print a column of type {}: {why}", array.data_type());
    Error::new(ErrorKind::Invalid, message)
}

/// Whether a column's cells stand to the right.
pub(super) fn is_number(field: &Field) -> bool {
    field.data_type().is_numeric()
}

fn binary(array: &ArrayRef) -> Option<Bytes<'_>> {
    fn of<O: OffsetSizeTrait>(array: &ArrayRef) -> Option<Bytes<'_>> {
        let array = array.as_any().downcast_ref::<GenericBinaryArray<O>>()?;
        Some(Box::new(|row| array.value(row)))
    }
    match array.data_type() {
        DataType::Binary => of::<i32>(array),
        DataType::LargeBinary => of::<i64>(array),
        DataType::BinaryView => {
            let array = array.as_any().downcast_ref::<BinaryViewArray>()?;
            Some(Box::new(|row| array.value(row)))
        }
        DataType::FixedSizeBinary(_) => {
            let array = array.as_any().downcast_ref::<FixedSizeBinaryArray>()?;
            Some(Box::new(|row| array.value(row)))
        }
        _ => None,
    }
}

fn write_hex(bytes: &[u8], text: &mut String) {
    text.push_str("\\x");
    for byte in bytes {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
    }
}

/// A text on one line, without anything that a terminal obeys.
pub(super) fn clean(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_owned();
    }
    let mut cleaned = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            c if c.is_control() => cleaned.extend(c.escape_default()),
            c => cleaned.push(c),
        }
    }
    cleaned
}
