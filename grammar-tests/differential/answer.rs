//! Answers, and when two of them are the same.

use std::collections::HashMap;

use rocksalt::arrow::array::{Array, AsArray};
use rocksalt::arrow::datatypes::{DataType, Date32Type, Decimal128Type, Float32Type, Float64Type};
use rocksalt::arrow::datatypes::{Int64Type, Time64MicrosecondType, TimestampMicrosecondType};
use rocksalt::arrow::record_batch::RecordBatch;
use rocksalt::{SqlType, Value};
use rusqlite::types::Value as Sqlite;

use super::query::Query;

/// A cell, in the few types that SQLite has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cell {
    Null,
    Int(i128),
    /// The bits; one zero and one NaN.
    Float(u64),
    Text(String),
    Blob(Vec<u8>),
}

pub type Row = Vec<Cell>;

fn float(v: f64) -> Cell {
    Cell::Float(if v == 0.0 {
        0.0_f64.to_bits()
    } else if v.is_nan() {
        f64::NAN.to_bits()
    } else {
        v.to_bits()
    })
}

/// The rows of a batch; an error names a type that no test asks for.
pub fn rows(batch: &RecordBatch) -> Result<Vec<Row>, String> {
    let columns: Vec<Vec<Cell>> = batch
        .columns()
        .iter()
        .map(|column| cells(column))
        .collect::<Result<_, _>>()?;
    Ok((0..batch.num_rows())
        .map(|row| columns.iter().map(|c| c[row].clone()).collect())
        .collect())
}

fn cells(column: &dyn Array) -> Result<Vec<Cell>, String> {
    let ints = |to: &DataType| {
        rocksalt::arrow::compute::cast(column, to).map_err(|error| error.to_string())
    };
    let cell = |row: usize, cell: Cell| {
        if column.is_null(row) {
            Cell::Null
        } else {
            cell
        }
    };
    macro_rules! all {
        ($array:expr, |$v:ident| $cell:expr) => {{
            let array = $array;
            (0..array.len())
                .map(|row| {
                    let $v = array.value(row);
                    cell(row, $cell)
                })
                .collect()
        }};
    }
    Ok(match column.data_type() {
        DataType::Null => vec![Cell::Null; column.len()],
        DataType::Boolean => all!(column.as_boolean(), |v| Cell::Int(i128::from(v))),
        DataType::UInt64 => {
            let array = column.as_primitive::<rocksalt::arrow::datatypes::UInt64Type>();
            all!(array, |v| Cell::Int(i128::from(v)))
        }
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32 => {
            let array = ints(&DataType::Int64)?;
            all!(array.as_primitive::<Int64Type>(), |v| Cell::Int(
                i128::from(v)
            ))
        }
        DataType::Float32 => {
            all!(column.as_primitive::<Float32Type>(), |v| float(f64::from(
                v
            )))
        }
        DataType::Float64 => all!(column.as_primitive::<Float64Type>(), |v| float(v)),
        DataType::Decimal128(..) => all!(column.as_primitive::<Decimal128Type>(), |v| Cell::Int(v)),
        DataType::Date32 => {
            all!(column.as_primitive::<Date32Type>(), |v| Cell::Int(
                i128::from(v)
            ))
        }
        DataType::Time64(_) => {
            let array = column.as_primitive::<Time64MicrosecondType>();
            all!(array, |v| Cell::Int(i128::from(v)))
        }
        DataType::Timestamp(..) => {
            let array = column.as_primitive::<TimestampMicrosecondType>();
            all!(array, |v| Cell::Int(i128::from(v)))
        }
        DataType::Utf8 => all!(column.as_string::<i32>(), |v| Cell::Text(v.to_owned())),
        DataType::Binary => all!(column.as_binary::<i32>(), |v| Cell::Blob(v.to_vec())),
        other => return Err(format!("a result of type {other}")),
    })
}

/// The value of a column that a cell stands for; `None` for NULL.
pub fn value(sql_type: SqlType, cell: &Cell) -> Option<Value> {
    Some(match (sql_type, cell) {
        (SqlType::Boolean, Cell::Int(v)) => Value::Boolean(*v != 0),
        (SqlType::Date, Cell::Int(v)) => Value::Date(i32::try_from(*v).ok()?),
        (SqlType::Time, Cell::Int(v)) => Value::Time(i64::try_from(*v).ok()?),
        (SqlType::Timestamp, Cell::Int(v)) => Value::Timestamp(i64::try_from(*v).ok()?),
        (SqlType::Decimal { precision, scale }, Cell::Int(v)) => Value::Decimal {
            unscaled: *v,
            precision,
            scale,
        },
        (SqlType::UBigInt, Cell::Int(v)) => Value::UBigInt(u64::try_from(*v).ok()?),
        (_, Cell::Int(v)) => Value::BigInt(i64::try_from(*v).ok()?),
        (SqlType::Real, Cell::Float(bits)) => Value::Real(f64::from_bits(*bits) as f32),
        (_, Cell::Float(bits)) => Value::Double(f64::from_bits(*bits)),
        (_, Cell::Text(text)) => Value::Text(text.clone()),
        (_, Cell::Blob(bytes)) => Value::Binary(bytes.clone()),
        (_, Cell::Null) => return None,
    })
}

/// A cell of SQLite's.
pub fn sqlite_cell(value: Sqlite) -> Cell {
    match value {
        Sqlite::Null => Cell::Null,
        Sqlite::Integer(v) => Cell::Int(i128::from(v)),
        Sqlite::Real(v) => float(v),
        Sqlite::Text(v) => Cell::Text(v),
        Sqlite::Blob(v) => Cell::Blob(v),
    }
}

/// What is wrong with an answer to a query, given the answer to the query without LIMIT and OFFSET
/// in an order that satisfies its ORDER BY.
pub fn difference(query: &Query, whole: &[Row], answer: &[Row]) -> Option<String> {
    let window = query.window(whole.len());
    let expected = &whole[window.clone()];
    if answer.len() != expected.len() {
        return Some(format!(
            "{} rows instead of {}\n{}",
            answer.len(),
            expected.len(),
            sample(expected, answer)
        ));
    }
    match query.order_in_result() {
        // Ties may be broken either way: what counts is which sort keys come in which order.
        Some(columns) => {
            for (at, (e, a)) in expected.iter().zip(answer).enumerate() {
                if columns.iter().any(|c| e[*c] != a[*c]) {
                    return Some(format!("row {at} is {a:?}, in order it is {e:?}"));
                }
            }
        }
        None => {
            if let Some(at) = (0..answer.len()).find(|at| expected[*at] != answer[*at]) {
                let (e, a) = (&expected[at], &answer[at]);
                return Some(format!("row {at} is {a:?}, in order it is {e:?}"));
            }
        }
    }
    let mut left: HashMap<&Row, usize> = HashMap::new();
    whole
        .iter()
        .for_each(|row| *left.entry(row).or_default() += 1);
    for row in answer {
        match left.get_mut(row) {
            Some(count) if *count > 0 => *count -= 1,
            _ => {
                return Some(format!(
                    "the row {row:?} is not there so often\n{}",
                    sample(whole, answer)
                ));
            }
        }
    }
    None
}

fn sample(expected: &[Row], answer: &[Row]) -> String {
    let lines = |rows: &[Row]| {
        let mut text: String = rows
            .iter()
            .take(12)
            .map(|row| format!("  {row:?}\n"))
            .collect();
        if rows.len() > 12 {
            text += "  ...\n";
        }
        text
    };
    format!("expected:\n{}got:\n{}", lines(expected), lines(answer))
}
