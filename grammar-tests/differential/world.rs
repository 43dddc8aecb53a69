//! The tables of a case, their unsalted twins, and those in SQLite; and how they are asked.

use rocksalt::blocking::{Database, Statement};
use rocksalt::{Durability, Error, ErrorKind, Params, Value};

use super::answer::{self, Row};
use super::constant;
use super::schema::Table;
use super::sql::{self, Sql, Target};
use super::sqlite_value;

pub struct World {
    pub tables: Vec<Table>,
    db: Database,
    sqlite: Option<rusqlite::Connection>,
}

/// Why a query has no answer.
#[derive(Debug, Clone)]
pub struct Failure {
    pub kind: ErrorKind,
    pub text: String,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure {
            kind: error.kind(),
            text: error.to_string(),
        }
    }
}

impl World {
    /// Makes and fills the tables. An error says which statement failed.
    pub fn new(tables: Vec<Table>) -> Result<World, String> {
        let builder = rocksalt::Database::builder()
            .threads(2)
            .durability(Durability::Buffered);
        let db = Database::build_in_memory(builder).map_err(|e| e.to_string())?;
        for (at, table) in tables.iter().enumerate() {
            for target in [Target::Salted, Target::Unsalted] {
                let name = sql::table_name(target, at);
                let create = table.create(&name, target == Target::Salted);
                let fail = |sql: &str, error: Error| format!("{sql}\n{error}");
                db.execute(&create, ()).map_err(|e| fail(&create, e))?;
                let marks = vec!["?"; table.columns.len()].join(", ");
                let upsert = format!("{}({marks})", table.upsert(&name));
                let statement = db.prepare(&upsert).map_err(|e| fail(&upsert, e))?;
                for row in &table.rows {
                    let params = Params::positional(row.iter().cloned());
                    statement.execute(params).map_err(|e| fail(&upsert, e))?;
                }
            }
        }
        let sqlite = sqlite(&tables).map_err(|e| format!("SQLite: {e}"))?;
        Ok(World { tables, db, sqlite })
    }

    /// Whether SQLite has the tables.
    pub fn is_shared(&self) -> bool {
        self.sqlite.is_some()
    }

    pub fn prepare(&self, sql: &str) -> Result<Statement, Failure> {
        Ok(self.db.prepare(sql)?)
    }

    /// Asks rocksalt, without preparing the statement first.
    pub fn ask(&self, sql: &Sql) -> Result<Vec<Row>, Failure> {
        collect(self.db.query(&sql.text, parameters(&sql.params))?)
    }

    pub fn ask_sqlite(&self, sql: &Sql) -> Result<Vec<Row>, String> {
        let ask = |db: &rusqlite::Connection| -> rusqlite::Result<Vec<Row>> {
            let mut statement = db.prepare(&sql.text)?;
            let width = statement.column_count();
            let params = rusqlite::params_from_iter(sql.sqlite_params.iter());
            let rows = statement.query_map(params, |row| {
                (0..width)
                    .map(|at| row.get(at).map(answer::sqlite_cell))
                    .collect()
            })?;
            rows.collect()
        };
        match &self.sqlite {
            Some(db) => ask(db).map_err(|error| error.to_string()),
            None => Err("SQLite has no such tables".to_owned()),
        }
    }

    /// The statements that make the tables again.
    pub fn script(&self) -> String {
        let mut script = String::new();
        for (at, table) in self.tables.iter().enumerate() {
            for target in [Target::Salted, Target::Unsalted] {
                let name = sql::table_name(target, at);
                script += &format!("{};\n", table.create(&name, target == Target::Salted));
                let rows: Vec<String> = table
                    .rows
                    .iter()
                    .map(|row| {
                        let cells: Vec<String> = row.iter().map(constant::literal).collect();
                        format!("({})", cells.join(", "))
                    })
                    .collect();
                if !rows.is_empty() {
                    script += &format!("{}{};\n", table.upsert(&name), rows.join(", "));
                }
            }
        }
        script
    }
}

pub fn parameters(values: &[Value]) -> Params {
    Params::positional(values.iter().cloned())
}

/// The rows of a result.
pub fn collect(rows: rocksalt::blocking::Rows) -> Result<Vec<Row>, Failure> {
    let mut out = Vec::new();
    for batch in rows.collect()? {
        out.extend(answer::rows(&batch).map_err(|text| Failure {
            kind: ErrorKind::Internal,
            text,
        })?);
    }
    Ok(out)
}

/// The tables in SQLite, if it has all of their values.
fn sqlite(tables: &[Table]) -> rusqlite::Result<Option<rusqlite::Connection>> {
    let db = rusqlite::Connection::open_in_memory()?;
    db.execute_batch("PRAGMA case_sensitive_like = on; BEGIN")?;
    for (at, table) in tables.iter().enumerate() {
        let name = sql::table_name(Target::Sqlite, at);
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|c| format!("{} {}", c.name, sqlite_value::column_type(c.sql_type)))
            .collect();
        db.execute_batch(&format!(
            "CREATE TABLE {name} ({}) STRICT",
            columns.join(", ")
        ))?;
        let marks = vec!["?"; table.columns.len()].join(", ");
        let mut insert = db.prepare(&format!("INSERT INTO {name} VALUES ({marks})"))?;
        for row in &table.rows {
            let cells: Option<Vec<_>> = row
                .iter()
                .zip(&table.columns)
                .map(|(value, column)| sqlite_value::cell(column.sql_type, value))
                .collect();
            let Some(cells) = cells else { return Ok(None) };
            // Integers beyond 64 bits have become doubles.
            if insert.execute(rusqlite::params_from_iter(cells)).is_err() {
                return Ok(None);
            }
        }
    }
    db.execute_batch("COMMIT")?;
    Ok(Some(db))
}
