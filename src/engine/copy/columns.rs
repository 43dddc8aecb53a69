//! Which field of a record goes into which column.

use crate::catalog::TableDef;
use crate::error::{Error, Result};
use crate::sql::Name;

/// The column of each field, as an index into the table's columns.
///
/// `listed` are the columns that the statement names, or none for all; `header` are the names in
/// the file, if it has any. With a header fields are matched by name, without one by place.
pub(super) fn match_columns(
    def: &TableDef,
    listed: &[Name],
    header: Option<&[String]>,
    file: &str,
) -> Result<Vec<usize>> {
    let table = def.display_name();
    let listed = match listed {
        [] => None,
        names => Some(crate::engine::dml::listed_columns(def, names)?),
    };
    let Some(header) = header else {
        return Ok(listed.unwrap_or_else(|| (0..def.columns.len()).collect()));
    };
    let mut fields = Vec::with_capacity(header.len());
    for name in header {
        let found = def
            .find_column(name)
            .or_else(|| def.find_column(&name.to_ascii_lowercase()));
        let Some(column) = found else {
            let delimiter = match header {
                // A whole line that was meant to be several names.
                [line] if line.contains([',', ';', '\t', '|']) => {
                    "; if the header has several names, set DELIMITER"
                }
                _ => "",
            };
            return Err(Error::not_found(format!(
                "{file}: {table} has no column {}, which the header names{delimiter}",
                quoted(name)
            )));
        };
        if listed
            .as_ref()
            .is_some_and(|listed| !listed.contains(&column))
        {
            return Err(Error::invalid(format!(
                "{file}: the header names column {}, which the column list does not",
                quoted(name)
            )));
        }
        if fields.contains(&column) {
            return Err(Error::invalid(format!(
                "{file}: the header names column {} twice",
                quoted(name)
            )));
        }
        fields.push(column);
    }
    // Without a list every column is wanted, unless it has a default to fall back on.
    let missing = |column: &usize| match &listed {
        Some(listed) => listed.contains(column),
        None => def.columns[*column].default.is_none(),
    };
    let wanted = (0..def.columns.len())
        .filter(|c| !fields.contains(c))
        .find(missing);
    match wanted {
        Some(column) => Err(Error::invalid(format!(
            "{file}: the header does not name column {}{}",
            quoted(&def.columns[column].name),
            if listed.is_some() {
                ""
            } else {
                ", which has no DEFAULT: to load without it, list the columns after the table"
            }
        ))),
        None => Ok(fields),
    }
}

/// A name as it stands in the file, its blanks and control characters in sight.
fn quoted(name: &str) -> String {
    format!("{name:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{ColumnDef, KeyPart};
    use crate::types::{SqlType, Value};

    fn def() -> TableDef {
        let column = |id: u16, name: &str, default: Option<&str>| ColumnDef {
            id,
            name: name.to_owned(),
            sql_type: SqlType::Integer,
            nullable: id > 1,
            default: default.map(str::to_owned),
            missing: Value::Null,
        };
        TableDef {
            id: 100,
            schema: "public".to_owned(),
            name: "t".to_owned(),
            columns: vec![
                column(1, "k", None),
                column(2, "v", None),
                column(3, "d", Some("7")),
            ],
            next_column_id: 0,
            key_name: None,
            key: vec![KeyPart {
                column: 0,
                descending: false,
            }],
            salting: None,
            null_keys_repeat: false,
            format_version: 1,
        }
    }

    fn matched(listed: &[&str], header: Option<&[&str]>) -> Result<Vec<usize>, String> {
        let listed: Vec<Name> = listed.iter().map(|n| Name::new(*n)).collect();
        let header = header.map(|h| h.iter().map(|n| n.to_string()).collect::<Vec<_>>());
        match_columns(&def(), &listed, header.as_deref(), "f.csv")
            .map_err(|e| e.message().to_owned())
    }

    #[test]
    fn a_header_matches_by_name_and_a_list_by_place() {
        assert_eq!(matched(&[], None), Ok(vec![0, 1, 2]));
        assert_eq!(matched(&["v", "k"], None), Ok(vec![1, 0]));
        assert_eq!(matched(&[], Some(&["V", "k"])), Ok(vec![1, 0]));
        assert_eq!(matched(&["k"], Some(&["k"])), Ok(vec![0]));
    }

    #[test]
    fn what_does_not_match_says_why() {
        let message = |listed: &[&str], header: &[&str]| matched(listed, Some(header)).unwrap_err();
        assert_eq!(
            message(&[], &["k", "x"]),
            "f.csv: t has no column \"x\", which the header names"
        );
        assert_eq!(
            message(&[], &["k;v;d"]),
            "f.csv: t has no column \"k;v;d\", which the header names; if the header has several \
             names, set DELIMITER"
        );
        assert_eq!(
            message(&[], &["k", " v\t"]),
            "f.csv: t has no column \" v\\t\", which the header names"
        );
        assert_eq!(
            message(&[], &["k", "d"]),
            "f.csv: the header does not name column \"v\", which has no DEFAULT: to load without it, \
             list the columns after the table"
        );
        assert_eq!(
            message(&["k", "d"], &["k"]),
            "f.csv: the header does not name column \"d\""
        );
        assert_eq!(
            message(&[], &["k", "v", "k"]),
            "f.csv: the header names column \"k\" twice"
        );
        assert_eq!(
            message(&["k"], &["k", "v"]),
            "f.csv: the header names column \"v\", which the column list does not"
        );
    }
}
