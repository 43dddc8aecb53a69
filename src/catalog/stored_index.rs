//! An index's definition as a catalog row, and back.

use crate::catalog::stored::{boolean, damaged, number, optional_text, text, unsigned};
use crate::catalog::{IndexDef, IndexPart, IndexSource, TableDef, names};
use crate::error::{Error, Result};
use crate::types::{SqlType, Value};

/// The version of the format that a reader of an index's entries must know.
pub(super) const INDEX_FORMAT: u32 = 1;

/// What the catalog says of an index besides its definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexState {
    /// Its entries are complete.
    Ready,
    /// They are being made; nothing reads them.
    Building(Progress),
    /// They are complete, and are being made anew beside those that are read.
    Rebuilding(Progress),
}

/// How far the making of an index has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// So many entries are written, once the rows of the table were read and sorted.
    Entries(u64),
    /// Rows that changed meanwhile are looked at once more, so many of them by now.
    CatchingUp(u64),
}

const READY: &str = "ready";
const BUILDING: &str = "building";
const REBUILDING: &str = "rebuilding";

impl std::fmt::Display for IndexState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (word, progress) = match self {
            IndexState::Ready => return f.write_str(READY),
            IndexState::Building(progress) => (BUILDING, progress),
            IndexState::Rebuilding(progress) => (REBUILDING, progress),
        };
        match progress {
            Progress::Entries(0) => f.write_str(word),
            Progress::Entries(entries) => write!(f, "{word}: {entries} entries written"),
            Progress::CatchingUp(rows) => write!(f, "{word}: {rows} changed rows caught up"),
        }
    }
}

/// What is left of an index when a database is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// All of it.
    Whole,
    /// Entries that nothing was told of yet: it was being built.
    Unfinished,
}

/// The row of `system.indexes`.
///
/// # Errors
/// `Internal` if a column is not in the table.
pub(super) fn index_row(def: &IndexDef, table: &TableDef, state: IndexState) -> Result<Vec<Value>> {
    let name = |id: &u16| {
        let column = table.columns.iter().find(|column| column.id == *id);
        column
            .map(|column| column.name.as_str())
            .ok_or_else(|| Error::internal(format!("index {} has no column of id {id}", def.name)))
    };
    let mut parts = Vec::with_capacity(def.parts.len());
    for part in &def.parts {
        let mut text = match &part.source {
            IndexSource::Column(id) => names::join([name(id)?]),
            IndexSource::Expr { text, sql_type } => format!("({text}) {sql_type}"),
        };
        if part.descending {
            text.push_str(DESCENDING);
        }
        parts.push(text);
    }
    let included: Vec<&str> = def.included.iter().map(name).collect::<Result<_>>()?;
    let included = (!included.is_empty()).then(|| names::join(included));
    Ok(vec![
        Value::from(&table.schema),
        Value::from(&table.name),
        Value::from(&def.name),
        Value::UInteger(def.id),
        Value::Boolean(def.unique),
        Value::Integer(def.buckets.map_or(0, i32::from)),
        Value::from(parts.join(", ")),
        Value::from(state.to_string()),
        Value::UInteger(INDEX_FORMAT),
        Value::from(included),
        Value::from(def.predicate.clone()),
    ])
}

const DESCENDING: &str = " DESC";

/// The table that a row of `system.indexes` belongs to: its schema and its name.
pub(super) fn table_of(row: &[Value]) -> Result<(String, String)> {
    Ok((text(row, 0)?, text(row, 1)?))
}

/// The definition that a row of `system.indexes` says.
///
/// # Errors
/// `Corrupt` if there is no such index of the table, `Unsupported` if a later rocksalt made it.
pub(super) fn index_definition(row: &[Value], table: &TableDef) -> Result<(IndexDef, Left)> {
    let name = text(row, 2)?;
    let format = number(row, 8)?;
    if format > INDEX_FORMAT {
        return Err(Error::unsupported(format!(
            "index {name} has format {format}, this rocksalt reads formats up to {INDEX_FORMAT}"
        )));
    }
    let id_of = |name: &str| {
        let column = table.columns.iter().find(|column| column.name == name);
        column.map(|c| c.id).ok_or_else(|| damaged("column"))
    };
    let parts = names::split_parts(&text(row, 6)?).ok_or_else(|| damaged("definition"))?;
    let parts = parts.iter().map(|part| {
        let (part, descending) = match part.strip_suffix(DESCENDING) {
            Some(part) => (part, true),
            None => (part.as_str(), false),
        };
        let source = match expression(part) {
            Some((text, sql_type)) => IndexSource::Expr { text, sql_type },
            None => match names::split(part).as_deref() {
                Some([name]) => IndexSource::Column(id_of(name)?),
                _ => return Err(damaged("definition")),
            },
        };
        Ok(IndexPart { source, descending })
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    let included = match optional_text(row, 9)? {
        None => Vec::new(),
        Some(text) => names::split(&text)
            .ok_or_else(|| damaged("included_columns"))?
            .iter()
            .map(|name| id_of(name))
            .collect::<Result<_>>()?,
    };
    let buckets = u16::try_from(unsigned(row, 5)?)
        .ok()
        .filter(|buckets| *buckets <= 256)
        .ok_or_else(|| damaged("salt_buckets"))?;
    let state = text(row, 7)?;
    let left = match state.split(':').next() {
        Some(READY | REBUILDING) => Left::Whole,
        Some(BUILDING) => Left::Unfinished,
        _ => return Err(damaged("state")),
    };
    let def = IndexDef {
        id: number(row, 3)?,
        name,
        unique: boolean(row, 4)?,
        parts,
        included,
        predicate: optional_text(row, 10)?,
        buckets: (buckets > 0).then_some(buckets),
    };
    match def.parts.is_empty() {
        true => Err(damaged("definition")),
        false => Ok((def, left)),
    }
}

/// `(text) TYPE`, if it is that.
fn expression(part: &str) -> Option<(String, SqlType)> {
    let inner = part.strip_prefix('(')?;
    let close = names::closing_parenthesis(inner)?;
    let sql_type = SqlType::parse_stored(inner[close + 1..].strip_prefix(' ')?)?;
    Some((inner[..close].to_owned(), sql_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_come_back_whatever_stands_in_them() {
        for text in [
            "lower(a)",
            "a || ')'",
            "\"x)(\" || '(, ' || b",
            "(a + 1) * 2",
        ] {
            let part = format!("({text}) DECIMAL(10, 2)");
            let decimal = SqlType::Decimal {
                precision: 10,
                scale: 2,
            };
            assert_eq!(
                expression(&part),
                Some((text.to_owned(), decimal)),
                "{part}"
            );
            let parts = format!("a, {part} DESC, \"b, c\" DESC, {part}");
            let split = names::split_parts(&parts).unwrap_or_default();
            assert_eq!(
                split,
                ["a", &format!("{part} DESC"), "\"b, c\" DESC", &part],
                "{parts}"
            );
        }
    }
}
