//! Cells into an Arrow array.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BinaryArray, BooleanArray, PrimitiveArray, StringArray};
use datafusion::arrow::array::{BooleanBufferBuilder, NullBufferBuilder};
use datafusion::arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use datafusion::arrow::datatypes::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

use crate::error::{Error, Result};
use crate::types::cell::not_utf8;
use crate::types::{Cell, SqlType, Value};

/// Builds the Arrow array of a column, cell by cell.
///
/// Text is checked to be UTF-8 once for the whole array, when it is finished.
#[derive(Debug)]
pub struct ColumnBuilder {
    sql_type: SqlType,
    nulls: NullBufferBuilder,
    cells: Cells,
}

#[derive(Debug)]
enum Cells {
    Boolean(BooleanBufferBuilder),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    I128(Vec<i128>),
    /// The end of each cell within `bytes`, after a first 0.
    Bytes {
        ends: Vec<i32>,
        bytes: Vec<u8>,
    },
}

impl ColumnBuilder {
    /// A builder with space for `capacity` cells.
    pub fn new(sql_type: SqlType, capacity: usize) -> Self {
        let cells = match sql_type {
            SqlType::Boolean => Cells::Boolean(BooleanBufferBuilder::new(capacity)),
            SqlType::TinyInt => Cells::I8(Vec::with_capacity(capacity)),
            SqlType::SmallInt => Cells::I16(Vec::with_capacity(capacity)),
            SqlType::Integer | SqlType::Date => Cells::I32(Vec::with_capacity(capacity)),
            SqlType::BigInt | SqlType::Time | SqlType::Timestamp => {
                Cells::I64(Vec::with_capacity(capacity))
            }
            SqlType::UTinyInt => Cells::U8(Vec::with_capacity(capacity)),
            SqlType::USmallInt => Cells::U16(Vec::with_capacity(capacity)),
            SqlType::UInteger => Cells::U32(Vec::with_capacity(capacity)),
            SqlType::UBigInt => Cells::U64(Vec::with_capacity(capacity)),
            SqlType::Real => Cells::F32(Vec::with_capacity(capacity)),
            SqlType::Double => Cells::F64(Vec::with_capacity(capacity)),
            SqlType::Decimal { .. } => Cells::I128(Vec::with_capacity(capacity)),
            SqlType::Char(_) | SqlType::Varchar(_) | SqlType::Varbinary(_) => {
                let mut ends = Vec::with_capacity(capacity + 1);
                ends.push(0);
                Cells::Bytes {
                    ends,
                    bytes: Vec::new(),
                }
            }
        };
        ColumnBuilder {
            sql_type,
            nulls: NullBufferBuilder::new(capacity),
            cells,
        }
    }

    /// The type of the column.
    pub fn sql_type(&self) -> SqlType {
        self.sql_type
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.nulls.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The size of the cells of variable length, in bytes.
    pub fn variable_bytes(&self) -> usize {
        match &self.cells {
            Cells::Bytes { bytes, .. } => bytes.len(),
            _ => 0,
        }
    }

    /// Appends a value of the column's own type.
    pub fn append_value(&mut self, value: &Value) -> Result<()> {
        let sql_type = self.sql_type;
        self.append_cell(value.cell(&sql_type)?)
    }

    /// Appends NULL.
    pub fn append_null(&mut self) {
        match &mut self.cells {
            Cells::Boolean(v) => v.append(false),
            Cells::I8(v) => v.push(0),
            Cells::I16(v) => v.push(0),
            Cells::I32(v) => v.push(0),
            Cells::I64(v) => v.push(0),
            Cells::U8(v) => v.push(0),
            Cells::U16(v) => v.push(0),
            Cells::U32(v) => v.push(0),
            Cells::U64(v) => v.push(0),
            Cells::F32(v) => v.push(0.0),
            Cells::F64(v) => v.push(0.0),
            Cells::I128(v) => v.push(0),
            Cells::Bytes { ends, bytes } => ends.push(bytes.len() as i32),
        }
        self.nulls.append_null();
    }

    /// Appends a cell of the column's own type. More than 2 GiB of text or binary in one array
    /// are a `Limit` error.
    #[inline]
    pub fn append_cell(&mut self, cell: Cell<'_>) -> Result<()> {
        match (&mut self.cells, cell) {
            (_, Cell::Null) => {
                self.append_null();
                return Ok(());
            }
            (Cells::Boolean(to), Cell::Boolean(v)) => to.append(v),
            (Cells::I8(to), Cell::I8(v)) => to.push(v),
            (Cells::I16(to), Cell::I16(v)) => to.push(v),
            (Cells::I32(to), Cell::I32(v)) => to.push(v),
            (Cells::I64(to), Cell::I64(v)) => to.push(v),
            (Cells::U8(to), Cell::U8(v)) => to.push(v),
            (Cells::U16(to), Cell::U16(v)) => to.push(v),
            (Cells::U32(to), Cell::U32(v)) => to.push(v),
            (Cells::U64(to), Cell::U64(v)) => to.push(v),
            (Cells::F32(to), Cell::F32(v)) => to.push(v),
            (Cells::F64(to), Cell::F64(v)) => to.push(v),
            (Cells::I128(to), Cell::I128(v)) => to.push(v),
            (Cells::Bytes { .. }, Cell::Bytes(v)) => {
                return self.append_bytes(|bytes| {
                    bytes.extend_from_slice(v);
                    Ok(())
                });
            }
            (_, cell) => {
                return Err(Error::internal(format!(
                    "{cell:?} is no cell of type {}",
                    self.sql_type
                )));
            }
        }
        self.nulls.append_non_null();
        Ok(())
    }

    /// Appends a cell of text or binary, whose bytes `write` appends to the buffer it is given. It
    /// must not touch what is there. If it fails, nothing is appended.
    #[inline]
    pub(crate) fn append_bytes(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let Cells::Bytes { ends, bytes } = &mut self.cells else {
            return Err(Error::internal(format!(
                "bytes are no cell of type {}",
                self.sql_type
            )));
        };
        let start = bytes.len();
        let written = write(bytes).and_then(|()| {
            i32::try_from(bytes.len())
                .map_err(|_| Error::limit("more than 2 GiB of text in one column of a batch"))
        });
        match written {
            Ok(end) => ends.push(end),
            Err(e) => {
                bytes.truncate(start);
                return Err(e);
            }
        }
        self.nulls.append_non_null();
        Ok(())
    }

    /// The array of all cells, of the type [`SqlType::arrow`]; the builder is empty afterwards.
    /// Text that is not UTF-8 is `Corrupt`.
    pub fn finish(&mut self) -> Result<ArrayRef> {
        let nulls = self.nulls.finish();
        let data_type = self.sql_type.arrow();
        Ok(match (&mut self.cells, self.sql_type) {
            (Cells::Boolean(v), _) => Arc::new(BooleanArray::new(v.finish(), nulls)),
            (Cells::I8(v), _) => primitive::<Int8Type>(v, nulls),
            (Cells::I16(v), _) => primitive::<Int16Type>(v, nulls),
            (Cells::I32(v), SqlType::Date) => primitive::<Date32Type>(v, nulls),
            (Cells::I32(v), _) => primitive::<Int32Type>(v, nulls),
            (Cells::I64(v), SqlType::Time) => primitive::<Time64MicrosecondType>(v, nulls),
            (Cells::I64(v), SqlType::Timestamp) => primitive::<TimestampMicrosecondType>(v, nulls),
            (Cells::I64(v), _) => primitive::<Int64Type>(v, nulls),
            (Cells::U8(v), _) => primitive::<UInt8Type>(v, nulls),
            (Cells::U16(v), _) => primitive::<UInt16Type>(v, nulls),
            (Cells::U32(v), _) => primitive::<UInt32Type>(v, nulls),
            (Cells::U64(v), _) => primitive::<UInt64Type>(v, nulls),
            (Cells::F32(v), _) => primitive::<Float32Type>(v, nulls),
            (Cells::F64(v), _) => primitive::<Float64Type>(v, nulls),
            (Cells::I128(v), _) => {
                let values = ScalarBuffer::from(refill(v));
                Arc::new(
                    PrimitiveArray::<Decimal128Type>::new(values, nulls).with_data_type(data_type),
                )
            }
            (Cells::Bytes { ends, bytes }, sql_type) => {
                let ends = std::mem::replace(ends, {
                    let mut next = Vec::with_capacity(ends.len());
                    next.push(0);
                    next
                });
                let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
                let bytes = Buffer::from_vec(refill(bytes));
                if matches!(sql_type, SqlType::Varbinary(_)) {
                    Arc::new(BinaryArray::new(ends, bytes, nulls))
                } else {
                    Arc::new(StringArray::try_new(ends, bytes, nulls).map_err(not_utf8)?)
                }
            }
        })
    }
}

fn primitive<T: ArrowPrimitiveType>(
    cells: &mut Vec<T::Native>,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(
        ScalarBuffer::from(refill(cells)),
        nulls,
    ))
}

/// Takes what is in `cells` and leaves space for as many: the next batch is likely as long.
fn refill<T>(cells: &mut Vec<T>) -> Vec<T> {
    let next = Vec::with_capacity(cells.len());
    std::mem::replace(cells, next)
}
