//! What the tests have in common.

use rocksalt::arrow::array::RecordBatch;
use rocksalt::arrow::util::display::{ArrayFormatter, FormatOptions};
use rocksalt::blocking::{Database, Rows};
use rocksalt::{Durability, Error, IntoParams};

/// The ways in which a table of a test is salted: the end of its CREATE TABLE.
pub const SALTS: [&str; 5] = [
    "",
    " SALT_BUCKETS = 1",
    " SALT_BUCKETS = 3",
    " SALT_BUCKETS = 16",
    " SALT_BUCKETS = 256",
];

/// The directions of a key column.
pub const DIRECTIONS: [&str; 2] = ["ASC", "DESC"];

/// A database in memory.
pub fn memory() -> Database {
    Database::in_memory().unwrap()
}

/// A database in a folder, which does not sync.
pub fn folder(path: &std::path::Path) -> Database {
    Database::build(
        rocksalt::Database::builder().durability(Durability::Buffered),
        path,
    )
    .unwrap()
}

/// A database in memory after some statements.
pub fn after(statements: &[&str]) -> Database {
    let db = memory();
    statements.iter().for_each(|sql| run(&db, sql));
    db
}

/// Executes a statement that must succeed.
#[track_caller]
pub fn run(db: &Database, sql: &str) {
    if let Err(error) = db.execute(sql, ()) {
        panic!("{sql}\n{error}");
    }
}

/// The number of rows that a statement affects.
#[track_caller]
pub fn affected(db: &Database, sql: &str) -> u64 {
    match db.execute(sql, ()) {
        Ok(affected) => affected,
        Err(error) => panic!("{sql}\n{error}"),
    }
}

/// The rows of a query, each as `1|a|NULL`.
#[track_caller]
pub fn rows(db: &Database, sql: &str) -> Vec<String> {
    match try_rows(db, sql) {
        Ok(rows) => rows,
        Err(error) => panic!("{sql}\n{error}"),
    }
}

/// The same, or the error of the query.
pub fn try_rows(db: &Database, sql: &str) -> Result<Vec<String>, Error> {
    db.query(sql, ()).and_then(text)
}

/// The rows of a result, each as `1|a|NULL`.
pub fn text(result: Rows) -> Result<Vec<String>, Error> {
    Ok(texts(&result.collect()?))
}

/// The rows of some batches, each as `1|a|NULL`.
pub fn texts(batches: &[RecordBatch]) -> Vec<String> {
    let mut rows = Vec::new();
    for batch in batches {
        let options = FormatOptions::default().with_null("NULL");
        let columns: Vec<ArrayFormatter<'_>> = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
            .collect();
        for row in 0..batch.num_rows() {
            let cells: Vec<String> = columns.iter().map(|c| c.value(row).to_string()).collect();
            rows.push(cells.join("|"));
        }
    }
    rows
}

/// The text of the error that a statement ends with, whatever statement it is.
#[track_caller]
pub fn error(db: &Database, sql: &str) -> String {
    use rocksalt::blocking::Outcome;
    match db.run(sql) {
        Ok(Outcome::Rows(rows)) => match rows.collect() {
            Ok(_) => panic!("{sql}\nsucceeded"),
            Err(error) => error.to_string(),
        },
        Ok(_) => panic!("{sql}\nsucceeded"),
        Err(error) => error.to_string(),
    }
}

/// The rows of a query with parameters.
#[track_caller]
pub fn rows_with(db: &Database, sql: &str, params: impl IntoParams) -> Vec<String> {
    match db.query(sql, params).and_then(text) {
        Ok(rows) => rows,
        Err(error) => panic!("{sql}\n{error}"),
    }
}

/// The plan of a statement.
#[track_caller]
pub fn plan(db: &Database, sql: &str) -> String {
    match db.explain(sql) {
        Ok(plan) => plan.to_string(),
        Err(error) => panic!("{sql}\n{error}"),
    }
}

/// A value inside of a document, as SQLite reads it; it fails for what is no JSON.
#[track_caller]
pub fn json(document: &str, path: &str) -> String {
    let sqlite = rusqlite::Connection::open_in_memory().unwrap();
    let value = sqlite.query_row(
        "SELECT coalesce(json_extract(?1, ?2), 'null') || ''",
        [document, path],
        |row| row.get(0),
    );
    value.unwrap_or_else(|e| panic!("{e}\n{path}\n{document}"))
}

/// The rows of a query of SQLite, written as [`rows`] writes ours.
pub fn rows_of_sqlite(twin: &rusqlite::Connection, sql: &str) -> Vec<String> {
    use rusqlite::types::ValueRef;
    let mut statement = twin.prepare(sql).unwrap();
    let width = statement.column_count();
    let read = statement.query_map((), |row| {
        let cells = (0..width).map(|i| match row.get_ref(i).unwrap() {
            ValueRef::Null => "NULL".to_owned(),
            ValueRef::Integer(n) => n.to_string(),
            ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            other => panic!("{other:?}"),
        });
        Ok(cells.collect::<Vec<_>>().join("|"))
    });
    let mut rows: Vec<String> = read.unwrap().map(Result::unwrap).collect();
    rows.sort();
    rows
}
