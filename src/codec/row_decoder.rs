//! A row value into cells.

use crate::codec::row::{Shape, VARIABLE, bitmap_size, width};
use crate::error::{Error, Result};
use crate::types::{Cell, SqlType, Value};

/// A column that is wanted from row values.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredColumn {
    /// The id under which rows store it.
    pub id: u16,
    /// The declared type.
    pub sql_type: SqlType,
    /// What a row reads that was written before the column was added: of the column's own type,
    /// or NULL.
    pub missing: Value,
}

/// How many headers a decoder remembers. A table has one for each ADD or DROP COLUMN that old rows
/// have not seen, and twice as many if some rows are wide.
const REMEMBERED: usize = 8;

/// Decodes some columns of row values.
///
/// Rows of one table begin with the same bytes: column ids and widths. The decoder works out the
/// places of its columns once for each such header, and then compares the header as one slice.
#[derive(Debug, Clone)]
pub struct RowDecoder {
    columns: Vec<StoredColumn>,
    layouts: Vec<Layout>,
}

/// Where the wanted columns are in the rows of one header.
#[derive(Debug, Clone)]
struct Layout {
    header: Vec<u8>,
    shape: Shape,
    places: Vec<Place>,
    /// Where the offsets are, and how many.
    offsets: usize,
    variable_count: usize,
    /// Where the variable bytes begin.
    variable: usize,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Missing,
    Fixed {
        null_byte: usize,
        null_bit: u8,
        slot: usize,
    },
    Variable {
        null_byte: usize,
        null_bit: u8,
        number: usize,
    },
}

impl RowDecoder {
    /// A decoder of these columns.
    pub fn new(columns: Vec<StoredColumn>) -> Self {
        RowDecoder {
            columns,
            layouts: Vec::new(),
        }
    }

    /// The columns of a row value. Bytes that are no row value are `Corrupt`.
    pub fn decode_values(&mut self, value: &[u8]) -> Result<Vec<Value>> {
        let mut values = Vec::with_capacity(self.columns.len());
        decode(&self.columns, &mut self.layouts, value, |column, cell| {
            values.push(Value::from_cell(cell, &column.sql_type)?);
            Ok(())
        })?;
        Ok(values)
    }

    /// Gives each column's number and cell to `emit`, in order. Bytes that are no row value are
    /// `Corrupt`; whether text is UTF-8 is not looked at.
    #[inline]
    pub(crate) fn decode_cells(
        &mut self,
        value: &[u8],
        mut emit: impl FnMut(usize, Cell<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut number = 0;
        decode(&self.columns, &mut self.layouts, value, |_, cell| {
            emit(number, cell)?;
            number += 1;
            Ok(())
        })
    }
}

/// Gives each column and its cell to `emit`, in order.
#[inline]
fn decode(
    columns: &[StoredColumn],
    layouts: &mut Vec<Layout>,
    value: &[u8],
    mut emit: impl FnMut(&StoredColumn, Cell<'_>) -> Result<()>,
) -> Result<()> {
    let layout = match layouts
        .iter()
        .position(|layout| value.starts_with(&layout.header))
    {
        Some(known) => &layouts[known],
        None => {
            let layout = Layout::of(value, columns)?;
            layouts.truncate(REMEMBERED - 1);
            layouts.insert(0, layout);
            &layouts[0]
        }
    };
    layout.check_size(value)?;
    for (column, place) in columns.iter().zip(&layout.places) {
        let cell = match *place {
            Place::Missing => column.missing.cell(&column.sql_type)?,
            Place::Fixed {
                null_byte,
                null_bit,
                ..
            }
            | Place::Variable {
                null_byte,
                null_bit,
                ..
            } if byte(value, null_byte)? & null_bit != 0 => Cell::Null,
            Place::Fixed { slot, .. } => read_slot(value, slot, &column.sql_type)?,
            Place::Variable { number, .. } => Cell::Bytes(layout.bytes(value, number)?),
        };
        emit(column, cell)?;
    }
    Ok(())
}

impl Layout {
    fn of(value: &[u8], wanted: &[StoredColumn]) -> Result<Layout> {
        let format = byte(value, 0)?;
        let shape = Shape::of_format_byte(format).ok_or_else(|| {
            Error::corrupt(format!("a row value has the unknown format {format:#04x}"))
        })?;
        let number = |at: usize| -> Result<u16> {
            Ok(match shape {
                Shape::Narrow => byte(value, at)?.into(),
                Shape::Wide => u16::from_le_bytes(fixed(value, at)?),
            })
        };
        let count = usize::from(number(1)?);
        let entries = 1 + shape.id_size();
        let entry_size = shape.id_size() + 1;
        let header_size = entries + count * entry_size;
        let slots = header_size + bitmap_size(count);

        let mut places = vec![Place::Missing; wanted.len()];
        let (mut fixed_size, mut variable_count) = (0, 0);
        for i in 0..count {
            let at = entries + i * entry_size;
            let (id, stored_width) = (number(at)?, byte(value, at + shape.id_size())?);
            if !matches!(stored_width, VARIABLE | 1 | 2 | 4 | 8 | 16) {
                return Err(Error::corrupt(format!(
                    "a row value gives column {id} the width {stored_width}"
                )));
            }
            let (null_byte, null_bit) = (header_size + i / 8, 1 << (i % 8));
            let place = if stored_width == VARIABLE {
                Place::Variable {
                    null_byte,
                    null_bit,
                    number: variable_count,
                }
            } else {
                Place::Fixed {
                    null_byte,
                    null_bit,
                    slot: slots + fixed_size,
                }
            };
            for (column, to) in wanted.iter().zip(&mut places) {
                if column.id != id {
                    continue;
                }
                if width(&column.sql_type) != stored_width {
                    return Err(Error::corrupt(format!(
                        "a row value gives column {id} the width {stored_width}, which no {} has",
                        column.sql_type
                    )));
                }
                *to = place;
            }
            fixed_size += usize::from(stored_width);
            variable_count += usize::from(stored_width == VARIABLE);
        }
        let offsets = slots + fixed_size;
        Ok(Layout {
            header: value.get(..header_size).ok_or_else(too_short)?.to_vec(),
            shape,
            places,
            offsets,
            variable_count,
            variable: offsets + variable_count * shape.offset_size(),
        })
    }

    /// The last end offset is the end of the row value.
    #[inline]
    fn check_size(&self, value: &[u8]) -> Result<()> {
        let variable_size = match self.variable_count.checked_sub(1) {
            Some(last) => self.end_offset(value, last)?,
            None => 0,
        };
        if value.len() == self.variable + variable_size {
            return Ok(());
        }
        Err(Error::corrupt(format!(
            "a row value of {} bytes should have {}",
            value.len(),
            self.variable + variable_size
        )))
    }

    #[inline]
    fn end_offset(&self, value: &[u8], number: usize) -> Result<usize> {
        Ok(match self.shape {
            Shape::Narrow => u16::from_le_bytes(fixed(value, self.offsets + number * 2)?).into(),
            Shape::Wide => u32::from_le_bytes(fixed(value, self.offsets + number * 4)?) as usize,
        })
    }

    #[inline]
    fn bytes<'v>(&self, value: &'v [u8], number: usize) -> Result<&'v [u8]> {
        let start = match number.checked_sub(1) {
            Some(previous) => self.end_offset(value, previous)?,
            None => 0,
        };
        let end = self.end_offset(value, number)?;
        value
            .get(self.variable + start..self.variable + end)
            .ok_or_else(|| Error::corrupt("the offsets of a row value are not ascending"))
    }
}

fn too_short() -> Error {
    Error::corrupt("a row value ends too early")
}

#[inline]
fn byte(value: &[u8], at: usize) -> Result<u8> {
    value.get(at).copied().ok_or_else(too_short)
}

#[inline]
fn fixed<const N: usize>(value: &[u8], at: usize) -> Result<[u8; N]> {
    value
        .get(at..)
        .and_then(|rest| rest.first_chunk().copied())
        .ok_or_else(too_short)
}

#[inline]
fn read_slot(value: &[u8], slot: usize, sql_type: &SqlType) -> Result<Cell<'static>> {
    Ok(match sql_type {
        SqlType::Boolean => match byte(value, slot)? {
            0 => Cell::Boolean(false),
            1 => Cell::Boolean(true),
            byte => {
                return Err(Error::corrupt(format!(
                    "a row value has the BOOLEAN {byte:#04x}"
                )));
            }
        },
        SqlType::TinyInt => Cell::I8(i8::from_le_bytes(fixed(value, slot)?)),
        SqlType::SmallInt => Cell::I16(i16::from_le_bytes(fixed(value, slot)?)),
        SqlType::Integer | SqlType::Date => Cell::I32(i32::from_le_bytes(fixed(value, slot)?)),
        SqlType::BigInt | SqlType::Time | SqlType::Timestamp => {
            Cell::I64(i64::from_le_bytes(fixed(value, slot)?))
        }
        SqlType::UTinyInt => Cell::U8(u8::from_le_bytes(fixed(value, slot)?)),
        SqlType::USmallInt => Cell::U16(u16::from_le_bytes(fixed(value, slot)?)),
        SqlType::UInteger => Cell::U32(u32::from_le_bytes(fixed(value, slot)?)),
        SqlType::UBigInt => Cell::U64(u64::from_le_bytes(fixed(value, slot)?)),
        SqlType::Real => Cell::F32(f32::from_le_bytes(fixed(value, slot)?)),
        SqlType::Double => Cell::F64(f64::from_le_bytes(fixed(value, slot)?)),
        SqlType::Decimal { .. } => Cell::I128(i128::from_le_bytes(fixed(value, slot)?)),
        SqlType::Char(_) | SqlType::Varchar(_) | SqlType::Varbinary(_) => {
            return Err(Error::internal("text has no slot"));
        }
    })
}
