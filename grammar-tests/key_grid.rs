//! A table with a composite, partly nullable key, and its twin: the same rows in a table whose key
//! is a row number, so that no access path of the one serves the other.

use rocksalt::blocking::Database;

use crate::support::*;

/// The rows `(a, b, c, v)`: every a in 1..=4 and NULL, with every b in 1..=3 and NULL but for
/// those of a = 4, which has b = NULL alone; c differs in number from group to group.
fn grid() -> Vec<String> {
    let mut rows = Vec::new();
    for a in [Some(1), Some(2), Some(3), Some(4), None] {
        for b in [Some(1), Some(2), Some(3), None] {
            if a == Some(4) && b.is_some() {
                continue;
            }
            for c in 0..1 + (a.unwrap_or(2) + b.unwrap_or(5)) % 4 {
                let text = |value: Option<i32>| value.map_or("NULL".to_owned(), |v| v.to_string());
                let v = match (a.unwrap_or(7) * 31 + b.unwrap_or(5) * 17 + c * 5) % 13 {
                    0 => "NULL".to_owned(),
                    v => v.to_string(),
                };
                rows.push(format!("{}, {}, {c}, {v}", text(a), text(b)));
            }
        }
    }
    rows
}

/// How many rows there are.
pub fn size() -> usize {
    grid().len()
}

/// A database with the table `t` and its twin `plain`.
pub fn with_key(key: &str, salt: &str) -> Database {
    let db = after(&[
        &format!(
            "CREATE TABLE t (a INTEGER NULL, b INTEGER NULL, c INTEGER, v INTEGER, \
             PRIMARY KEY ({key})){salt}"
        ),
        "CREATE TABLE plain (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER, v INTEGER)",
    ]);
    let rows = grid();
    run(
        &db,
        &format!("UPSERT INTO t VALUES ({})", rows.join("), (")),
    );
    let numbered: Vec<String> = (rows.iter().enumerate())
        .map(|(id, row)| format!("({id}, {row})"))
        .collect();
    run(
        &db,
        &format!("UPSERT INTO plain VALUES {}", numbered.join(", ")),
    );
    db
}

/// Calls `check` with a database for each way of salting, in several directions of the key
/// columns, and with a name of both. Each mix of directions comes with two or three of them.
pub fn everywhere(check: impl Fn(&Database, &str)) {
    let directions = [
        ("ASC", "ASC", "ASC"),
        ("DESC", "ASC", "DESC"),
        ("ASC", "DESC", "ASC"),
        ("DESC", "DESC", "DESC"),
    ];
    for (salt, name) in SALTS.iter().enumerate() {
        for (at, (a, b, c)) in directions.iter().enumerate() {
            if (salt + at) % 2 == 0 {
                let key = format!("a {a}, b {b}, c {c}");
                check(&with_key(&key, name), &format!("({key}){name}"));
            }
        }
    }
}

/// The twin by itself.
pub fn plain() -> Database {
    with_key("a, b, c", "")
}

/// The rows of the twin for a query of `t`.
pub fn twin(db: &Database, query: &str) -> Vec<String> {
    rows(db, &query.replace("FROM t", "FROM plain"))
}

/// Rows in an order of their own.
pub fn any_order(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}
