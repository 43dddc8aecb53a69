//! An Arrow array as cells.

use datafusion::arrow::array::{Array, AsArray, BooleanArray};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time64MicrosecondType, TimestampMicrosecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};

use crate::error::{Error, Result};
use crate::types::{Cell, SqlType};

/// A typed view of the Arrow array of a column: no virtual call and no downcast per cell.
#[derive(Debug, Clone)]
pub struct ColumnReader<'a> {
    nulls: Option<&'a NullBuffer>,
    cells: Cells<'a>,
    len: usize,
}

#[derive(Debug, Clone)]
enum Cells<'a> {
    Boolean(&'a BooleanArray),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    I128(&'a [i128]),
    Bytes { offsets: &'a [i32], bytes: &'a [u8] },
}

impl<'a> ColumnReader<'a> {
    /// A view of `array`, whose type must be [`SqlType::arrow`], as assignment leaves it.
    pub fn new(array: &'a dyn Array, sql_type: &SqlType) -> Result<Self> {
        if *array.data_type() != sql_type.arrow() {
            return Err(Error::internal(format!(
                "an array of {} in a column of type {sql_type}",
                array.data_type()
            )));
        }
        let cells = match sql_type {
            SqlType::Boolean => Cells::Boolean(array.as_boolean()),
            SqlType::TinyInt => Cells::I8(array.as_primitive::<Int8Type>().values()),
            SqlType::SmallInt => Cells::I16(array.as_primitive::<Int16Type>().values()),
            SqlType::Integer => Cells::I32(array.as_primitive::<Int32Type>().values()),
            SqlType::BigInt => Cells::I64(array.as_primitive::<Int64Type>().values()),
            SqlType::UTinyInt => Cells::U8(array.as_primitive::<UInt8Type>().values()),
            SqlType::USmallInt => Cells::U16(array.as_primitive::<UInt16Type>().values()),
            SqlType::UInteger => Cells::U32(array.as_primitive::<UInt32Type>().values()),
            SqlType::UBigInt => Cells::U64(array.as_primitive::<UInt64Type>().values()),
            SqlType::Real => Cells::F32(array.as_primitive::<Float32Type>().values()),
            SqlType::Double => Cells::F64(array.as_primitive::<Float64Type>().values()),
            SqlType::Decimal { .. } => Cells::I128(array.as_primitive::<Decimal128Type>().values()),
            SqlType::Char(_) | SqlType::Varchar(_) => {
                let array = array.as_string::<i32>();
                Cells::Bytes {
                    offsets: array.value_offsets(),
                    bytes: array.value_data(),
                }
            }
            SqlType::Varbinary(_) => {
                let array = array.as_binary::<i32>();
                Cells::Bytes {
                    offsets: array.value_offsets(),
                    bytes: array.value_data(),
                }
            }
            SqlType::Date => Cells::I32(array.as_primitive::<Date32Type>().values()),
            SqlType::Time => Cells::I64(array.as_primitive::<Time64MicrosecondType>().values()),
            SqlType::Timestamp => {
                Cells::I64(array.as_primitive::<TimestampMicrosecondType>().values())
            }
        };
        Ok(ColumnReader {
            nulls: array.nulls(),
            cells,
            len: array.len(),
        })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the cell of row `row` is NULL.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        self.nulls.is_some_and(|nulls| nulls.is_null(row))
    }

    /// The cell of row `row`.
    ///
    /// # Panics
    /// If `row` is not less than [`len`](ColumnReader::len).
    #[inline]
    pub fn cell(&self, row: usize) -> Cell<'a> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return Cell::Null;
        }
        match self.cells {
            Cells::Boolean(v) => Cell::Boolean(v.value(row)),
            Cells::I8(v) => Cell::I8(v[row]),
            Cells::I16(v) => Cell::I16(v[row]),
            Cells::I32(v) => Cell::I32(v[row]),
            Cells::I64(v) => Cell::I64(v[row]),
            Cells::U8(v) => Cell::U8(v[row]),
            Cells::U16(v) => Cell::U16(v[row]),
            Cells::U32(v) => Cell::U32(v[row]),
            Cells::U64(v) => Cell::U64(v[row]),
            Cells::F32(v) => Cell::F32(v[row]),
            Cells::F64(v) => Cell::F64(v[row]),
            Cells::I128(v) => Cell::I128(v[row]),
            Cells::Bytes { offsets, bytes } => {
                Cell::Bytes(&bytes[offsets[row] as usize..offsets[row + 1] as usize])
            }
        }
    }
}
