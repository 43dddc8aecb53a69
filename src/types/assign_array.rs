//! Assignment of whole Arrow arrays.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, PrimitiveArray, StringArray, new_null_array,
};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Float32Type, Float64Type, Time64MicrosecondType,
};

use crate::error::{Error, Result};
use crate::types::assign::{canonical, canonical_f32, fits_characters};
use crate::types::number::fits_precision;
use crate::types::{ColumnBuilder, SqlType, Value, assign_value, calendar};

/// [`assign_value`] for every row of an Arrow array; none of them is a quoted literal. The result
/// has the type [`SqlType::arrow`]; where nothing changes it is the same array.
///
/// # Errors
/// That of the first row that has one.
pub fn assign_array(array: &ArrayRef, to: &SqlType) -> Result<ArrayRef> {
    let target = to.arrow();
    if *array.data_type() == DataType::Null || array.null_count() == array.len() {
        return Ok(new_null_array(&target, array.len()));
    }
    if *array.data_type() == target {
        return match assign_same_type(array, to) {
            Some(array) => Ok(array),
            None => assign_rows(array, to),
        };
    }
    if is_layout_only(array.data_type(), &target) {
        let flat = cast_with_options(
            array,
            &target,
            &CastOptions {
                safe: false,
                ..Default::default()
            },
        )
        .map_err(|e| Error::limit("an array too large for its column").with_source(e))?;
        return assign_array(&flat, to);
    }
    if array.data_type().is_integer() && target.is_integer() {
        // Arrow makes a number out of range NULL: if none is, every number is what it was.
        if let Ok(narrow) = cast_with_options(array, &target, &CastOptions::default())
            && narrow.null_count() == array.null_count()
        {
            return Ok(narrow);
        }
    }
    assign_rows(array, to)
}

/// Whether two Arrow types have the same values and differ only in how they lie in memory.
fn is_layout_only(from: &DataType, to: &DataType) -> bool {
    match from {
        DataType::Dictionary(_, from) => **from == *to || is_layout_only(from, to),
        DataType::LargeUtf8 | DataType::Utf8View => *to == DataType::Utf8,
        DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            *to == DataType::Binary
        }
        _ => false,
    }
}

/// The array if each of its values is one of the column, or what is to become of it; `None` if
/// some value is refused, or only row by row shows what becomes of it.
fn assign_same_type(array: &ArrayRef, to: &SqlType) -> Option<ArrayRef> {
    let same = || Some(Arc::clone(array));
    match to {
        SqlType::Real => {
            let floats = array.as_primitive::<Float32Type>();
            let is_canonical = |v: &f32| canonical_f32(*v).to_bits() == v.to_bits();
            if floats.values().iter().all(is_canonical) {
                return same();
            }
            Some(Arc::new(floats.unary::<_, Float32Type>(canonical_f32)))
        }
        SqlType::Double => {
            let floats = array.as_primitive::<Float64Type>();
            let is_canonical = |v: &f64| canonical(*v).to_bits() == v.to_bits();
            if floats.values().iter().all(is_canonical) {
                return same();
            }
            Some(Arc::new(floats.unary::<_, Float64Type>(canonical)))
        }
        SqlType::Decimal { precision, .. } => all(array.as_primitive::<Decimal128Type>(), |v| {
            fits_precision(v, *precision)
        })
        .then(same)?,
        SqlType::Time => {
            let day = 0..calendar::MICROS_PER_DAY;
            all(array.as_primitive::<Time64MicrosecondType>(), |v| {
                day.contains(&v)
            })
            .then(same)?
        }
        SqlType::Varchar(Some(n)) => {
            all_text(array.as_string(), |text| fits_characters(text, *n)).then(same)?
        }
        SqlType::Char(n) => {
            let stays = |text: &str| !text.ends_with(' ') && fits_characters(text, *n);
            all_text(array.as_string(), stays).then(same)?
        }
        SqlType::Varbinary(Some(n)) => {
            let mut cells = array.as_binary::<i32>().iter().flatten();
            cells
                .all(|bytes| bytes.len() as u64 <= u64::from(*n))
                .then(same)?
        }
        _ => same(),
    }
}

fn all<T: datafusion::arrow::datatypes::ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    holds: impl Fn(T::Native) -> bool,
) -> bool {
    array.iter().flatten().all(holds)
}

fn all_text(array: &StringArray, holds: impl Fn(&str) -> bool) -> bool {
    array.iter().flatten().all(holds)
}

fn assign_rows(array: &ArrayRef, to: &SqlType) -> Result<ArrayRef> {
    let mut column = ColumnBuilder::new(*to, array.len());
    for row in 0..array.len() {
        let value = Value::from_array(array, row)?;
        column.append_value(&assign_value(&value, false, to)?)?;
    }
    column.finish()
}
