//! A key column as bytes whose order is the order of its values.

use crate::error::{Error, Result};
use crate::types::{Cell, ColumnBuilder, ColumnReader, SqlType, Value, canonical, canonical_f32};

/// One column of a row key, and its encoding.
///
/// ```text
/// INTEGER -1    7f ff ff ff
/// INTEGER  0    80 00 00 00
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyColumn {
    /// The declared type.
    pub sql_type: SqlType,
    /// Whether NULL may stand in it; then a marker byte precedes every value.
    pub nullable: bool,
    /// Whether its bytes are inverted, so that larger values come first.
    pub descending: bool,
}

pub(super) const VALUE_FOLLOWS: u8 = 0x01;
pub(super) const NULL: u8 = 0x02;

/// Stands in text and binary for an end ([`END`]) or for a zero byte ([`ZERO`]).
const ESCAPE: u8 = 0x00;
const END: u8 = 0x01;
const ZERO: u8 = 0xff;

impl KeyColumn {
    /// Appends a value of the column's own type. NULL in a column that is NOT NULL is a
    /// `Constraint` error.
    pub fn encode_value(&self, value: &Value, out: &mut Vec<u8>) -> Result<()> {
        self.encode_cell(value.cell(&self.sql_type)?, out)
    }

    /// Appends row `row` of an array of the column's own type; errors as
    /// [`encode_value`](KeyColumn::encode_value).
    #[inline]
    pub fn encode_at(
        &self,
        column: &ColumnReader<'_>,
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.encode_cell(column.cell(row), out)
    }

    /// Appends a cell of the column's own type; errors as
    /// [`encode_value`](KeyColumn::encode_value).
    #[inline]
    pub fn encode_cell(&self, cell: Cell<'_>, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        match (cell, self.nullable) {
            (Cell::Null, false) => {
                return Err(Error::constraint("NULL in a key column that is NOT NULL"));
            }
            (Cell::Null, true) => out.push(NULL),
            (cell, nullable) => {
                if nullable {
                    out.push(VALUE_FOLLOWS);
                }
                encode_ascending(cell, out);
            }
        }
        if self.descending {
            out[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
        Ok(())
    }

    /// Takes the column off the front of `input` and appends its value to a builder of the
    /// column's type. Bytes that no value has are `Corrupt`; text that is not UTF-8 is so when the
    /// builder is finished.
    #[inline]
    pub fn decode_into(&self, input: &mut &[u8], builder: &mut ColumnBuilder) -> Result<()> {
        if !self.take_marker(input)? {
            builder.append_null();
            return Ok(());
        }
        if is_variable(&self.sql_type) {
            return builder.append_bytes(|out| self.take_bytes(input, out));
        }
        builder.append_cell(self.take_fixed(input)?)
    }

    /// Takes the column off the front of `input`. Bytes that no value has are `Corrupt`.
    pub fn decode_value(&self, input: &mut &[u8]) -> Result<Value> {
        if !self.take_marker(input)? {
            return Ok(Value::Null);
        }
        if !is_variable(&self.sql_type) {
            return Value::from_cell(self.take_fixed(input)?, &self.sql_type);
        }
        let mut bytes = Vec::new();
        self.take_bytes(input, &mut bytes)?;
        Value::from_cell(Cell::Bytes(&bytes), &self.sql_type)
    }

    /// Takes the column off the front of `input` without looking at its value. Bytes that end
    /// too early are `Corrupt`.
    #[inline]
    pub fn skip(&self, input: &mut &[u8]) -> Result<()> {
        if !self.take_marker(input)? {
            return Ok(());
        }
        match fixed_width(&self.sql_type) {
            Some(width) => {
                *input = input.get(width..).ok_or_else(too_short)?;
                Ok(())
            }
            None => self.take_pieces(input, |_| {}),
        }
    }

    /// What every byte is combined with by XOR.
    #[inline]
    pub(super) fn mask(&self) -> u8 {
        if self.descending { 0xff } else { 0x00 }
    }

    /// Whether a value follows.
    #[inline]
    fn take_marker(&self, input: &mut &[u8]) -> Result<bool> {
        if !self.nullable {
            return Ok(true);
        }
        let (marker, rest) = input.split_first().ok_or_else(too_short)?;
        *input = rest;
        match marker ^ self.mask() {
            VALUE_FOLLOWS => Ok(true),
            NULL => Ok(false),
            _ => Err(Error::corrupt(format!(
                "a key column begins with the marker {marker:#04x}"
            ))),
        }
    }

    #[inline]
    fn take<const N: usize>(&self, input: &mut &[u8]) -> Result<[u8; N]> {
        let (bytes, rest) = input.split_first_chunk::<N>().ok_or_else(too_short)?;
        *input = rest;
        Ok(if self.descending {
            bytes.map(|byte| !byte)
        } else {
            *bytes
        })
    }

    #[inline]
    fn take_fixed(&self, input: &mut &[u8]) -> Result<Cell<'static>> {
        Ok(match self.sql_type {
            SqlType::Boolean => match self.take(input)? {
                [0] => Cell::Boolean(false),
                [1] => Cell::Boolean(true),
                [byte] => {
                    return Err(Error::corrupt(format!("a key has the BOOLEAN {byte:#04x}")));
                }
            },
            SqlType::TinyInt => Cell::I8(i8::from_be_bytes(self.take(input)?) ^ i8::MIN),
            SqlType::SmallInt => Cell::I16(i16::from_be_bytes(self.take(input)?) ^ i16::MIN),
            SqlType::Integer | SqlType::Date => {
                Cell::I32(i32::from_be_bytes(self.take(input)?) ^ i32::MIN)
            }
            SqlType::BigInt | SqlType::Time | SqlType::Timestamp => {
                Cell::I64(i64::from_be_bytes(self.take(input)?) ^ i64::MIN)
            }
            SqlType::UTinyInt => Cell::U8(u8::from_be_bytes(self.take(input)?)),
            SqlType::USmallInt => Cell::U16(u16::from_be_bytes(self.take(input)?)),
            SqlType::UInteger => Cell::U32(u32::from_be_bytes(self.take(input)?)),
            SqlType::UBigInt => Cell::U64(u64::from_be_bytes(self.take(input)?)),
            SqlType::Real => {
                let bits = u32::from_be_bytes(self.take(input)?);
                let sign = 1 << 31;
                Cell::F32(f32::from_bits(if bits & sign == 0 {
                    !bits
                } else {
                    bits ^ sign
                }))
            }
            SqlType::Double => {
                let bits = u64::from_be_bytes(self.take(input)?);
                let sign = 1 << 63;
                Cell::F64(f64::from_bits(if bits & sign == 0 {
                    !bits
                } else {
                    bits ^ sign
                }))
            }
            SqlType::Decimal { .. } => {
                Cell::I128(i128::from_be_bytes(self.take(input)?) ^ i128::MIN)
            }
            SqlType::Char(_) | SqlType::Varchar(_) | SqlType::Varbinary(_) => {
                return Err(Error::internal("text has no fixed width"));
            }
        })
    }

    /// Appends the bytes of a text or binary, unescaped.
    #[inline]
    fn take_bytes(&self, input: &mut &[u8], out: &mut Vec<u8>) -> Result<()> {
        let descending = self.descending;
        self.take_pieces(input, |piece| {
            if descending {
                out.extend(piece.iter().map(|byte| !byte));
            } else {
                out.extend_from_slice(piece);
            }
        })
    }

    /// Finds the pieces that a text or binary consists of, still inverted on a DESC column.
    #[inline]
    fn take_pieces(&self, input: &mut &[u8], mut piece: impl FnMut(&[u8])) -> Result<()> {
        let mask = self.mask();
        let mut from = 0;
        loop {
            let rest = input.get(from..).ok_or_else(too_short)?;
            let length = rest
                .iter()
                .position(|byte| byte ^ mask == ESCAPE)
                .ok_or_else(too_short)?;
            match rest.get(length + 1).map(|byte| byte ^ mask) {
                Some(END) => {
                    piece(&rest[..length]);
                    *input = &rest[length + 2..];
                    return Ok(());
                }
                // The escape byte itself is the zero byte that it stands for.
                Some(ZERO) => piece(&rest[..=length]),
                Some(_) => return Err(Error::corrupt("a key has an unknown escape in its text")),
                None => return Err(too_short()),
            }
            from += length + 2;
        }
    }
}

fn too_short() -> Error {
    Error::corrupt("a key ends within a column")
}

fn is_variable(sql_type: &SqlType) -> bool {
    fixed_width(sql_type).is_none()
}

/// How many bytes a value takes, without marker; `None` for text and binary.
pub(super) fn fixed_width(sql_type: &SqlType) -> Option<usize> {
    match sql_type {
        SqlType::Boolean | SqlType::TinyInt | SqlType::UTinyInt => Some(1),
        SqlType::SmallInt | SqlType::USmallInt => Some(2),
        SqlType::Integer | SqlType::UInteger | SqlType::Real | SqlType::Date => Some(4),
        SqlType::BigInt
        | SqlType::UBigInt
        | SqlType::Double
        | SqlType::Time
        | SqlType::Timestamp => Some(8),
        SqlType::Decimal { .. } => Some(16),
        SqlType::Char(_) | SqlType::Varchar(_) | SqlType::Varbinary(_) => None,
    }
}

#[inline]
fn encode_ascending(cell: Cell<'_>, out: &mut Vec<u8>) {
    match cell {
        Cell::Null => {}
        Cell::Boolean(v) => out.push(v.into()),
        Cell::I8(v) => out.extend_from_slice(&(v ^ i8::MIN).to_be_bytes()),
        Cell::I16(v) => out.extend_from_slice(&(v ^ i16::MIN).to_be_bytes()),
        Cell::I32(v) => out.extend_from_slice(&(v ^ i32::MIN).to_be_bytes()),
        Cell::I64(v) => out.extend_from_slice(&(v ^ i64::MIN).to_be_bytes()),
        Cell::U8(v) => out.push(v),
        Cell::U16(v) => out.extend_from_slice(&v.to_be_bytes()),
        Cell::U32(v) => out.extend_from_slice(&v.to_be_bytes()),
        Cell::U64(v) => out.extend_from_slice(&v.to_be_bytes()),
        Cell::F32(v) => {
            let bits = canonical_f32(v).to_bits();
            let sign = 1 << 31;
            let ordered = if bits & sign == 0 { bits ^ sign } else { !bits };
            out.extend_from_slice(&ordered.to_be_bytes());
        }
        Cell::F64(v) => {
            let bits = canonical(v).to_bits();
            let sign = 1 << 63;
            let ordered = if bits & sign == 0 { bits ^ sign } else { !bits };
            out.extend_from_slice(&ordered.to_be_bytes());
        }
        Cell::I128(v) => out.extend_from_slice(&(v ^ i128::MIN).to_be_bytes()),
        Cell::Bytes(bytes) => {
            let mut rest = bytes;
            while let Some(length) = rest.iter().position(|byte| *byte == 0) {
                out.extend_from_slice(&rest[..length]);
                out.extend_from_slice(&[ESCAPE, ZERO]);
                rest = &rest[length + 1..];
            }
            out.extend_from_slice(rest);
            out.extend_from_slice(&[ESCAPE, END]);
        }
    }
}
