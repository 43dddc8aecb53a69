//! A table's definition as catalog rows, and back.

use std::collections::BTreeMap;

use crate::catalog::{ColumnDef, KeyPart, TableDef, names};
use crate::codec::{RowDecoder, RowEncoder};
use crate::error::{Error, Result};
use crate::key::Salting;
use crate::types::{SqlType, Value};

/// The row of `system.tables`.
pub(super) fn table_row(def: &TableDef) -> Vec<Value> {
    let (buckets, salt_columns) = match &def.salting {
        None => (0, None),
        Some(salting) => {
            let columns = salting.columns().map(|columns| {
                names::join(columns.iter().map(|&i| {
                    let column = def.key[i].column;
                    def.columns[column].name.as_str()
                }))
            });
            (i32::from(salting.buckets()), columns)
        }
    };
    vec![
        Value::from(&def.schema),
        Value::from(&def.name),
        Value::UInteger(def.id),
        Value::Integer(buckets),
        Value::from(salt_columns),
        Value::from(def.key_name.clone()),
        Value::UInteger(def.format_version),
        Value::UInteger(def.next_column_id),
    ]
}

/// The rows of `system.columns`.
pub(super) fn column_rows(def: &TableDef) -> Result<Vec<Vec<Value>>> {
    let rows = def.columns.iter().enumerate().map(|(i, column)| {
        let place = def.key_position(i);
        Ok(vec![
            Value::from(&def.schema),
            Value::from(&def.name),
            Value::Integer(i as i32 + 1),
            Value::from(&column.name),
            Value::Integer(i32::from(column.id)),
            Value::Text(column.sql_type.to_string()),
            Value::Boolean(column.nullable),
            Value::from(column.default.clone()),
            Value::from(place.map(|place| place as i32 + 1)),
            Value::from(place.map(|place| def.key[place].descending)),
            stored_default(column)?,
        ])
    });
    rows.collect()
}

/// What rows read that are older than the column, as the row value that holds it alone: so it has
/// the bytes that it would have in those rows.
fn stored_default(column: &ColumnDef) -> Result<Value> {
    if column.missing.is_null() {
        return Ok(Value::Null);
    }
    let mut bytes = Vec::new();
    RowEncoder::new(vec![(column.id, column.sql_type)])
        .encode_values(std::slice::from_ref(&column.missing), &mut bytes)?;
    Ok(Value::Binary(bytes))
}

/// The value that [`stored_default`] made of a column's.
fn missing(column: &ColumnDef, stored: Option<&Value>) -> Result<Value> {
    let bytes = match stored {
        Some(Value::Null) => return Ok(Value::Null),
        Some(Value::Binary(bytes)) => bytes,
        _ => return Err(damaged("stored_default")),
    };
    let values = RowDecoder::new(vec![column.stored()]).decode_values(bytes)?;
    match <[Value; 1]>::try_from(values) {
        Ok([value]) if !value.is_null() => Ok(value),
        _ => Err(damaged("stored_default")),
    }
}

/// The definitions that the rows of `system.tables` and `system.columns` say, each table's
/// columns in declared order.
///
/// # Errors
/// `Corrupt` when they contradict each other.
pub(super) fn definitions(
    tables: Vec<Vec<Value>>,
    columns: Vec<Vec<Value>>,
) -> Result<Vec<TableDef>> {
    let mut by_table: BTreeMap<(String, String), Vec<Vec<Value>>> = BTreeMap::new();
    for row in columns {
        let name = (text(&row, 0)?, text(&row, 1)?);
        by_table.entry(name).or_default().push(row);
    }
    let mut definitions = Vec::with_capacity(tables.len());
    for row in tables {
        let name = (text(&row, 0)?, text(&row, 1)?);
        let columns = by_table.remove(&name).unwrap_or_default();
        definitions.push(definition(&row, &columns).map_err(|error| {
            error.context(format!("catalog rows of table {}.{}", name.0, name.1))
        })?);
    }
    match by_table.into_keys().next() {
        None => Ok(definitions),
        Some((schema, name)) => Err(Error::corrupt(format!(
            "the catalog has columns of {schema}.{name}, which it lacks"
        ))),
    }
}

fn definition(row: &[Value], column_rows: &[Vec<Value>]) -> Result<TableDef> {
    let mut columns = Vec::with_capacity(column_rows.len());
    let mut key: BTreeMap<usize, KeyPart> = BTreeMap::new();
    for (i, row) in column_rows.iter().enumerate() {
        if unsigned(row, 2)? != i as u64 + 1 {
            return Err(damaged("ordinal_position"));
        }
        let mut column = ColumnDef {
            id: u16::try_from(unsigned(row, 4)?).map_err(|_| damaged("column_id"))?,
            name: text(row, 3)?,
            sql_type: SqlType::parse_stored(&text(row, 5)?).ok_or_else(|| damaged("data_type"))?,
            nullable: boolean(row, 6)?,
            default: optional_text(row, 7)?,
            missing: Value::Null,
        };
        column.missing = missing(&column, row.get(10))?;
        columns.push(column);
        if !matches!(row.get(8), Some(Value::Null)) {
            let place = unsigned(row, 8)? as usize;
            key.insert(
                place,
                KeyPart {
                    column: i,
                    descending: boolean(row, 9)?,
                },
            );
        }
    }
    let after_last = columns.iter().map(|c| u32::from(c.id) + 1).max();
    let next_column_id = match (row.get(7), after_last) {
        (Some(Value::Null), Some(after_last)) => after_last,
        (_, after_last) => Some(number(row, 7)?)
            .filter(|next| Some(*next) >= after_last)
            .ok_or_else(|| damaged("next_column_id"))?,
    };
    // The places are 1, 2, ... without a gap.
    if key.is_empty() || !key.keys().copied().eq(1..=key.len()) {
        return Err(damaged("key_position"));
    }
    let key: Vec<KeyPart> = key.into_values().collect();
    let salting = match unsigned(row, 3)? {
        0 => None,
        buckets => {
            let buckets = u16::try_from(buckets)
                .ok()
                .filter(|buckets| *buckets <= 256)
                .ok_or_else(|| damaged("salt_buckets"))?;
            let salt_columns = match optional_text(row, 4)? {
                None => None,
                Some(text) => Some(
                    salt_columns(&text, &columns, &key).ok_or_else(|| damaged("salt_columns"))?,
                ),
            };
            Some(Salting::new(buckets, salt_columns))
        }
    };
    Ok(TableDef {
        id: number(row, 2)?,
        schema: text(row, 0)?,
        name: text(row, 1)?,
        columns,
        next_column_id,
        key_name: optional_text(row, 5)?,
        key,
        salting,
        null_keys_repeat: false,
        format_version: number(row, 6)?,
    })
}

/// The places in the key of the named columns; they stand in key order, each once.
fn salt_columns(text: &str, columns: &[ColumnDef], key: &[KeyPart]) -> Option<Vec<usize>> {
    let places: Vec<usize> = names::split(text)?
        .iter()
        .map(|name| {
            key.iter()
                .position(|part| columns[part.column].name == *name)
        })
        .collect::<Option<_>>()?;
    places.is_sorted_by(|a, b| a < b).then_some(places)
}

pub(super) fn damaged(column: &str) -> Error {
    Error::corrupt(format!("a {column} that cannot be"))
}

pub(super) fn text(row: &[Value], i: usize) -> Result<String> {
    optional_text(row, i)?.ok_or_else(|| damaged("NULL"))
}

pub(super) fn optional_text(row: &[Value], i: usize) -> Result<Option<String>> {
    match row.get(i) {
        Some(Value::Text(text)) => Ok(Some(text.clone())),
        Some(Value::Null) => Ok(None),
        _ => Err(damaged("text")),
    }
}

pub(super) fn boolean(row: &[Value], i: usize) -> Result<bool> {
    match row.get(i) {
        Some(Value::Boolean(value)) => Ok(*value),
        _ => Err(damaged("boolean")),
    }
}

pub(super) fn unsigned(row: &[Value], i: usize) -> Result<u64> {
    match row.get(i) {
        Some(Value::Integer(value)) => u64::try_from(*value).map_err(|_| damaged("number")),
        Some(Value::UInteger(value)) => Ok(u64::from(*value)),
        _ => Err(damaged("number")),
    }
}

pub(super) fn number(row: &[Value], i: usize) -> Result<u32> {
    u32::try_from(unsigned(row, i)?).map_err(|_| damaged("number"))
}

/// The value of a counter's row.
pub(super) fn counter(row: &[Value]) -> Result<u32> {
    number(row, 1)
}
