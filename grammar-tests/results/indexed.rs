//! Indexes on every table of the result tests: none of them may change an answer.

use rocksalt::Result;
use rocksalt::blocking::Session;

use crate::support::text;

/// Makes indexes of many kinds on a table, each ending in `salt`: on every column but the first of
/// the key, in both directions, some with another column, some of the rows that are not NULL, on an
/// expression of every column, and a UNIQUE one on the key from its end.
pub fn make(session: &Session, table: &str, salt: &str) -> Result<()> {
    let columns = |order: &str| {
        session.query(
            &format!(
                "SELECT column_name, data_type, key_position FROM system.columns \
                 WHERE table_name = '{table}' ORDER BY {order}"
            ),
            (),
        )
    };
    let mut definitions = Vec::new();
    let mut key = Vec::new();
    let mut last = None;
    for (number, column) in text(columns("ordinal_position")?)?.iter().enumerate() {
        let fields: Vec<&str> = column.split('|').collect();
        let [name, data_type, key_position] = fields[..] else {
            panic!("{column}");
        };
        if key_position != "NULL" {
            key.insert(0, name.to_owned());
        }
        let direction = ["ASC", "DESC"][number % 2];
        let include = match &last {
            Some(last) if number % 3 == 1 => format!(" INCLUDE ({last})"),
            _ => String::new(),
        };
        let condition = match number % 4 {
            3 => format!(" WHERE {name} IS NOT NULL"),
            _ => String::new(),
        };
        if key_position != "1" {
            definitions.push(format!("({name} {direction}){include}{condition}"));
        }
        let expression = match data_type {
            _ if data_type.contains("CHAR") => format!("upper({name})"),
            _ if data_type.contains("INT") => format!("({name} % 7)"),
            _ => format!("({name} IS NULL)"),
        };
        definitions.push(format!("({expression} {direction}, {name})"));
        last = Some(name.to_owned());
    }
    for (number, definition) in definitions.iter().enumerate() {
        let index = format!("CREATE INDEX {table}_{number} ON {table} {definition}{salt}");
        session.execute(&index, ())?;
    }
    let key = key.join(", ");
    let unique = format!("CREATE UNIQUE INDEX {table}_key ON {table} ({key}){salt}");
    session.execute(&unique, ()).map(drop)
}

/// What CHECK INDEX says of all the indexes that there are.
pub fn check(session: &Session) -> Result<Vec<String>> {
    let mut differences = Vec::new();
    let names = session.query("SELECT index_name FROM system.indexes", ())?;
    for name in text(names)? {
        differences.extend(text(session.query(&format!("CHECK INDEX {name}"), ())?)?);
    }
    Ok(differences)
}
