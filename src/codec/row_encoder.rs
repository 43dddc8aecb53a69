//! Cells into a row value.

use crate::codec::row::{Shape, VARIABLE, bitmap_size, width};
use crate::error::{Error, Result};
use crate::types::{Cell, ColumnReader, SqlType, Value, canonical, canonical_f32};

/// Encodes rows of the same columns; see `docs/format.md` for the bytes.
#[derive(Debug, Clone)]
pub struct RowEncoder {
    columns: Vec<Column>,
    narrow: Option<Header>,
    wide: Header,
    fixed_size: usize,
    variable_count: usize,
}

#[derive(Debug, Clone)]
struct Column {
    id: u16,
    sql_type: SqlType,
    /// Of a fixed-width column, where its slot is among the slots; of another, its number among
    /// the columns of variable length.
    place: usize,
    width: u8,
}

/// What every row begins with, and the size of it and all that has a place before it is known.
#[derive(Debug, Clone)]
struct Header {
    shape: Shape,
    bytes: Vec<u8>,
    size_before_variable: usize,
}

impl RowEncoder {
    /// An encoder of rows of these columns, each an id and a type, in this order. Ids are unique;
    /// there are at most 65,535.
    pub fn new(columns: Vec<(u16, SqlType)>) -> Self {
        let (mut fixed_size, mut variable_count) = (0, 0);
        let columns: Vec<Column> = columns
            .into_iter()
            .map(|(id, sql_type)| {
                let width = width(&sql_type);
                let place = if width == VARIABLE {
                    variable_count
                } else {
                    fixed_size
                };
                fixed_size += usize::from(width);
                variable_count += usize::from(width == VARIABLE);
                Column {
                    id,
                    sql_type,
                    place,
                    width,
                }
            })
            .collect();
        let header = |shape: Shape| {
            let mut bytes = vec![shape.format_byte()];
            let size = shape.id_size();
            bytes.extend_from_slice(&(columns.len() as u16).to_le_bytes()[..size]);
            for column in &columns {
                bytes.extend_from_slice(&column.id.to_le_bytes()[..size]);
                bytes.push(column.width);
            }
            let size_before_variable = bytes.len()
                + bitmap_size(columns.len())
                + fixed_size
                + variable_count * shape.offset_size();
            Header {
                shape,
                bytes,
                size_before_variable,
            }
        };
        let is_narrow = columns.len() <= 255 && columns.iter().all(|column| column.id <= 255);
        let narrow = is_narrow.then(|| header(Shape::Narrow));
        let wide = header(Shape::Wide);
        RowEncoder {
            columns,
            narrow,
            wide,
            fixed_size,
            variable_count,
        }
    }

    /// Appends row `row` of these arrays, one for each column. More than 4 GiB of text and binary
    /// in a row are a `Limit` error.
    pub fn encode_row(
        &self,
        columns: &[ColumnReader<'_>],
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.check_count(columns.len())?;
        self.encode(out, |column| Ok(columns[column].cell(row)))
    }

    /// Appends the row of these values, one for each column and of its own type; errors as
    /// [`encode_row`](RowEncoder::encode_row).
    pub fn encode_values(&self, values: &[Value], out: &mut Vec<u8>) -> Result<()> {
        self.check_count(values.len())?;
        self.encode(out, |column| {
            values[column].cell(&self.columns[column].sql_type)
        })
    }

    fn check_count(&self, count: usize) -> Result<()> {
        if count == self.columns.len() {
            return Ok(());
        }
        Err(Error::internal(format!(
            "{count} cells in a row of {} columns",
            self.columns.len()
        )))
    }

    fn encode<'a>(
        &self,
        out: &mut Vec<u8>,
        cell: impl Fn(usize) -> Result<Cell<'a>>,
    ) -> Result<()> {
        let start = out.len();
        let mut fits = false;
        if let Some(narrow) = &self.narrow {
            fits = self.encode_shape(narrow, out, &cell)?;
        }
        if !fits {
            out.truncate(start);
            fits = self.encode_shape(&self.wide, out, &cell)?;
        }
        if !fits {
            out.truncate(start);
            return Err(Error::limit("a row of more than 4 GiB"));
        }
        Ok(())
    }

    /// Whether the variable bytes fit into this shape.
    #[inline]
    fn encode_shape<'a>(
        &self,
        header: &Header,
        out: &mut Vec<u8>,
        cell: impl Fn(usize) -> Result<Cell<'a>>,
    ) -> Result<bool> {
        let start = out.len();
        out.extend_from_slice(&header.bytes);
        let bitmap = out.len();
        let slots = bitmap + bitmap_size(self.columns.len());
        let offsets = slots + self.fixed_size;
        let variable = start + header.size_before_variable;
        debug_assert_eq!(
            offsets + self.variable_count * header.shape.offset_size(),
            variable
        );
        out.resize(variable, 0);
        for (i, column) in self.columns.iter().enumerate() {
            let cell = cell(i)?;
            if cell == Cell::Null {
                out[bitmap + i / 8] |= 1 << (i % 8);
            }
            if column.width == VARIABLE {
                if let Cell::Bytes(bytes) = cell {
                    out.extend_from_slice(bytes);
                } else if cell != Cell::Null {
                    return Err(self.wrong_type(i, cell));
                }
                let end = out.len() - variable;
                if end > header.shape.max_variable() {
                    return Ok(false);
                }
                let size = header.shape.offset_size();
                let at = offsets + column.place * size;
                out[at..at + size].copy_from_slice(&(end as u32).to_le_bytes()[..size]);
            } else {
                let at = slots + column.place;
                let slot = &mut out[at..at + usize::from(column.width)];
                if !write_slot(cell, slot) {
                    return Err(self.wrong_type(i, cell));
                }
            }
        }
        Ok(true)
    }

    fn wrong_type(&self, column: usize, cell: Cell<'_>) -> Error {
        let sql_type = self.columns[column].sql_type;
        Error::internal(format!("{cell:?} is no cell of type {sql_type}"))
    }
}

/// Writes a cell of fixed width; a NULL leaves the zeros. Whether the slot has its width.
#[inline]
fn write_slot(cell: Cell<'_>, slot: &mut [u8]) -> bool {
    fn put<const N: usize>(slot: &mut [u8], bytes: [u8; N]) -> bool {
        match <&mut [u8; N]>::try_from(slot) {
            Ok(slot) => {
                *slot = bytes;
                true
            }
            Err(_) => false,
        }
    }
    match cell {
        Cell::Null => true,
        Cell::Boolean(v) => put(slot, [v.into()]),
        Cell::I8(v) => put(slot, v.to_le_bytes()),
        Cell::I16(v) => put(slot, v.to_le_bytes()),
        Cell::I32(v) => put(slot, v.to_le_bytes()),
        Cell::I64(v) => put(slot, v.to_le_bytes()),
        Cell::U8(v) => put(slot, v.to_le_bytes()),
        Cell::U16(v) => put(slot, v.to_le_bytes()),
        Cell::U32(v) => put(slot, v.to_le_bytes()),
        Cell::U64(v) => put(slot, v.to_le_bytes()),
        Cell::F32(v) => put(slot, canonical_f32(v).to_le_bytes()),
        Cell::F64(v) => put(slot, canonical(v).to_le_bytes()),
        Cell::I128(v) => put(slot, v.to_le_bytes()),
        Cell::Bytes(_) => false,
    }
}
