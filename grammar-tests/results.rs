//! What SELECT answers and what DML leaves behind, on salted tables and on plain ones.
//!
//! Each sqllogictest file of `results/` is one topic. It runs unsalted and at 1, 3, 16 and 256
//! buckets, on disk and in memory, and with indexes of many kinds on every table: each test has a
//! database of its own that `data.slt` has filled, and reports its files by name.
//! `ROCKSALT_RESULTS=joins cargo test results` runs the files whose name contains the word.
//!
//! The answers are DuckDB's and SQLite's: see `results/answers.py`. A CREATE TABLE of the files
//! ends in `SALTED` or `SALTED BY (columns)`; the harness writes the salting there.

mod cell;
mod indexed;

use std::path::{Path, PathBuf};

use rocksalt::blocking::{Database, Outcome, Session};
use rocksalt::{Error, Result};
use sqllogictest::{DBOutput, Runner};

use cell::{Letter, cells};

/// How the tables of a test are stored.
#[derive(Clone, Copy)]
struct Layout {
    buckets: Option<u16>,
    /// If they have indexes, the end of each CREATE INDEX.
    indexes: Option<&'static str>,
}

/// One session as sqllogictest sees it.
struct Connection {
    session: Session,
    layout: Layout,
}

impl Connection {
    fn open(database: &Database, layout: Layout) -> Result<Self> {
        let session = database.session();
        session.execute("SET durability = 'buffered'", ())?;
        if layout.indexes.is_some() {
            session.execute("SET verify_plans = on", ())?;
        }
        Ok(Connection { session, layout })
    }

    /// The statement with a salting in place of `SALTED`.
    fn salted(&self, sql: &str) -> String {
        let (head, columns) = match sql.rsplit_once(") SALTED") {
            Some(parts) if sql.starts_with("CREATE TABLE") => parts,
            _ => return sql.to_owned(),
        };
        let columns = columns.trim().strip_prefix("BY").map(str::trim);
        match (self.layout.buckets, columns) {
            (None, _) => format!("{head})"),
            (Some(n), None) => format!("{head}) SALT_BUCKETS = {n}"),
            (Some(n), Some(c)) => format!("{head}) SALT_BUCKETS = {n}, SALT_COLUMNS = {c}"),
        }
    }
}

impl sqllogictest::DB for Connection {
    type Error = Error;
    type ColumnType = Letter;

    fn run(&mut self, sql: &str) -> Result<DBOutput<Letter>> {
        Ok(match self.session.run(&self.salted(sql))? {
            Outcome::Rows(rows) => {
                let types = rows
                    .schema()
                    .fields()
                    .iter()
                    .map(|f| f.data_type().into())
                    .collect();
                let mut lines = Vec::new();
                for batch in rows.collect()? {
                    let columns: Vec<_> = batch.columns().iter().map(cells).collect();
                    for row in 0..batch.num_rows() {
                        lines.push(columns.iter().map(|column| column[row].clone()).collect());
                    }
                }
                DBOutput::Rows { types, rows: lines }
            }
            Outcome::Affected(count) => DBOutput::StatementComplete(count),
            _ => {
                if let Some(table) = sql.strip_prefix("CREATE TABLE ")
                    && let Some((table, _)) = table.split_once(' ')
                    && let Some(salt) = self.layout.indexes
                {
                    indexed::make(&self.session, table, salt)?;
                }
                DBOutput::StatementComplete(0)
            }
        })
    }

    fn engine_name(&self) -> &str {
        "rocksalt"
    }
}

/// The lines of an answer, exactly, but for blanks at their ends, which no file keeps.
fn same_lines(_: sqllogictest::Normalizer, actual: &[Vec<String>], expected: &[String]) -> bool {
    let actual = actual.iter().map(|row| row.join(" "));
    actual.len() == expected.len()
        && actual
            .zip(expected)
            .all(|(line, other)| line.trim_end() == other.trim_end())
}

fn run_file(database: &Database, layout: Layout, path: &Path) -> Result<(), String> {
    let mut runner = Runner::new(|| std::future::ready(Connection::open(database, layout)));
    runner.with_validator(same_lines);
    runner.with_column_validator(sqllogictest::strict_column_validator);
    let records = sqllogictest::parse_file(path).map_err(|error| error.to_string())?;
    let errors: Vec<String> = records
        .into_iter()
        .filter_map(|record| runner.run(record).err())
        .map(|error| error.display(false).to_string())
        .collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors.join("\n\n"))
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammar-tests/results");
    let wanted = std::env::var("ROCKSALT_RESULTS").unwrap_or_default();
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of the result tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "slt") && !path.ends_with("data.slt"))
        .filter(|path| name(path).contains(&wanted))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no file for {wanted:?}");
    files
}

fn name(path: &Path) -> String {
    path.file_stem()
        .expect("a file name")
        .to_string_lossy()
        .into_owned()
}

/// Runs every file against one database.
fn run(database: Database, layout: Layout, place: &str) {
    let files = files();
    let data = files[0].with_file_name("data.slt");
    let salting = match layout.buckets {
        None => "unsalted".to_owned(),
        Some(n) => format!("{n} buckets"),
    };
    run_file(&database, layout, &data).unwrap_or_else(|e| panic!("data, {salting}: {e}"));
    let mut failures = Vec::new();
    for path in &files {
        match run_file(&database, layout, path) {
            Ok(()) => println!("ok: {}, {salting}, {place}", name(path)),
            Err(error) => {
                println!("FAILED: {}, {salting}, {place}", name(path));
                failures.push(format!("{}, {salting}, {place}: {error}", name(path)));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} files failed\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

macro_rules! results {
    ($($buckets:expr => $memory:ident $disk:ident),* $(,)?) => {
        $(
            #[test]
            fn $memory() {
                let layout = Layout { buckets: $buckets, indexes: None };
                run(Database::in_memory().expect("a database"), layout, "in memory");
            }

            #[test]
            fn $disk() {
                let folder = tempfile::tempdir().expect("a folder");
                let database = Database::open(folder.path()).expect("a database");
                let layout = Layout { buckets: $buckets, indexes: None };
                run(database, layout, "on disk");
            }
        )*
    };
}

results!(
    None => unsalted_in_memory unsalted_on_disk,
    Some(1) => one_bucket_in_memory one_bucket_on_disk,
    Some(3) => three_buckets_in_memory three_buckets_on_disk,
    Some(16) => sixteen_buckets_in_memory sixteen_buckets_on_disk,
    Some(256) => all_256_buckets_in_memory all_256_buckets_on_disk,
);

/// The same with indexes on every table, which are as the tables say when all files have run.
fn run_indexed(buckets: Option<u16>, salt: &'static str) {
    let database = Database::in_memory().expect("a database");
    let layout = Layout {
        buckets,
        indexes: Some(salt),
    };
    run(database.clone(), layout, "indexed");
    let differences = indexed::check(&database.session()).expect("CHECK INDEX");
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn indexed_4_buckets_and_7() {
    run_indexed(Some(4), " SALT_BUCKETS = 7");
}

#[test]
fn indexed_salted_and_unsalted() {
    run_indexed(Some(16), " SALT_BUCKETS = 0");
}

#[test]
fn indexed_unsalted_and_salted() {
    run_indexed(None, " SALT_BUCKETS = 3");
}
