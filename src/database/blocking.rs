//! The same API without async: every call returns when its work is done.
//!
//! It works anywhere, inside an async function of any runtime too, where it blocks the thread that
//! calls it; the work itself runs on threads of the database.
//!
//! ```
//! use rocksalt::{blocking::Database, params};
//! let db = Database::in_memory()?;
//! db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 4", ())?;
//! db.execute("UPSERT INTO t VALUES (?, ?)", params![1, "a"])?;
//! for batch in db.query("SELECT v FROM t WHERE k = 1", ())? {
//!     assert_eq!(batch?.num_rows(), 1);
//! }
//! # Ok::<(), rocksalt::Error>(())
//! ```

mod scan;

use std::path::Path;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use futures::StreamExt;

use crate::database as asynchronous;
use crate::database::wait::block_on;
use crate::database::{Builder, IntoKey, IntoParams, Row, ScanToken};
use crate::error::Result;
use crate::plan::Plan;

pub use scan::{Scanner, TableScan};

/// [`Database`](asynchronous::Database) without async.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// assert_eq!(db.query("SELECT 1 AS a", ())?.collect()?[0].num_rows(), 1);
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Database(asynchronous::Database);

/// [`Session`](asynchronous::Session) without async.
///
/// ```
/// let session = rocksalt::blocking::Database::in_memory()?.session();
/// session.execute("SET lock_timeout = '1s'", ())?;
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Session(asynchronous::Session);

/// [`Statement`](asynchronous::Statement) without async.
///
/// ```
/// use rocksalt::params;
/// let db = rocksalt::blocking::Database::in_memory()?;
/// let statement = db.prepare("SELECT ? + 1 AS n")?;
/// assert_eq!(statement.query(params![1])?.collect()?[0].num_rows(), 1);
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Statement(asynchronous::Statement);

/// [`Table`](asynchronous::Table) without async.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
/// assert!(db.table("t")?.get(1)?.is_none());
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Table(asynchronous::Table);

/// [`Rows`](asynchronous::Rows) without async: an iterator of Arrow batches.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// let rows = db.query("SELECT 1 AS a", ())?;
/// assert_eq!(rows.schema().field(0).name(), "a");
/// for batch in rows {
///     assert_eq!(batch?.num_rows(), 1);
/// }
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug)]
pub struct Rows(asynchronous::Rows);

/// [`Outcome`](asynchronous::Outcome) without async.
///
/// ```
/// use rocksalt::blocking::{Database, Outcome};
/// let db = Database::in_memory()?;
/// assert!(matches!(db.run("SHOW TABLES")?, Outcome::Rows(_)));
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug)]
pub enum Outcome {
    /// It did what it says and has nothing to report.
    Done,
    /// It wrote; the number of rows that it was given or found.
    Affected(u64),
    /// It answers with rows.
    Rows(Rows),
    /// It is an EXPLAIN.
    Plan(Plan),
}

impl From<asynchronous::Outcome> for Outcome {
    fn from(outcome: asynchronous::Outcome) -> Self {
        match outcome {
            asynchronous::Outcome::Done => Outcome::Done,
            asynchronous::Outcome::Affected(rows) => Outcome::Affected(rows),
            asynchronous::Outcome::Rows(rows) => Outcome::Rows(Rows(rows)),
            asynchronous::Outcome::Plan(plan) => Outcome::Plan(plan),
        }
    }
}

impl From<asynchronous::Database> for Database {
    fn from(database: asynchronous::Database) -> Self {
        Database(database)
    }
}

impl From<Database> for asynchronous::Database {
    fn from(database: Database) -> Self {
        database.0
    }
}

impl Database {
    /// As [`Database::open`](asynchronous::Database::open).
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("db");
    /// let db = rocksalt::blocking::Database::open(&path)?;
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Builder::default().open_now(path.as_ref()).map(Database)
    }

    /// As [`Database::in_memory`](asynchronous::Database::in_memory).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn in_memory() -> Result<Self> {
        Builder::default().in_memory_now().map(Database)
    }

    /// A database opened by a builder.
    ///
    /// ```
    /// let builder = rocksalt::Database::builder().threads(2);
    /// let db = rocksalt::blocking::Database::build_in_memory(builder)?;
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Builder::in_memory`].
    pub fn build_in_memory(builder: Builder) -> Result<Self> {
        builder.in_memory_now().map(Database)
    }

    /// A database in a folder, opened by a builder.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("db");
    /// let builder = rocksalt::Database::builder().threads(2);
    /// let db = rocksalt::blocking::Database::build(builder, &path)?;
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Builder::open`].
    pub fn build(builder: Builder, path: impl AsRef<Path>) -> Result<Self> {
        builder.open_now(path.as_ref()).map(Database)
    }

    /// As [`Database::session`](asynchronous::Database::session).
    ///
    /// ```
    /// let session = rocksalt::blocking::Database::in_memory()?.session();
    /// session.execute("SET durability = 'buffered'", ())?;
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn session(&self) -> Session {
        Session(self.0.session())
    }

    /// As [`Database::resume`](asynchronous::Database::resume).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// db.execute("UPSERT INTO t VALUES (1), (2)", ())?;
    /// let token = db.table("t")?.scan().sorted()?.suspend();
    /// assert_eq!(db.resume(&token)?.collect()?[0].num_rows(), 2);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn resume(&self, token: &ScanToken) -> Result<Scanner> {
        block_on(self.0.resume(token)).map(Scanner)
    }
}

impl Session {
    /// As [`Session::script`](asynchronous::Session::script).
    ///
    /// ```
    /// let session = rocksalt::blocking::Database::in_memory()?.session();
    /// session.script("CREATE TABLE t (k INTEGER PRIMARY KEY); UPSERT INTO t VALUES (1)")?;
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn script(&self, sql: &str) -> Result<Vec<Outcome>> {
        let outcomes = block_on(self.0.script(sql))?;
        Ok(outcomes.into_iter().map(Outcome::from).collect())
    }
}

/// What a database and a session have in common; `$new` makes the value that its examples use.
macro_rules! statements {
    ($t:ident, $new:literal) => {
        impl $t {
            /// Runs one statement, whatever it is.
            ///
            /// ```
            #[doc = $new]
            /// assert!(matches!(db.run("SHOW TABLES")?, rocksalt::blocking::Outcome::Rows(_)));
            /// # Ok::<(), rocksalt::Error>(())
            /// ```
            ///
            /// # Errors
            /// Those of the statement.
            pub fn run(&self, sql: &str) -> Result<Outcome> {
                block_on(self.0.run(sql)).map(Outcome::from)
            }

            /// Executes a statement that returns no rows; returns the number of rows affected.
            ///
            /// ```
            #[doc = $new]
            /// assert_eq!(db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?, 0);
            /// # Ok::<(), rocksalt::Error>(())
            /// ```
            ///
            /// # Errors
            /// [`Invalid`](crate::ErrorKind::Invalid) for a query; otherwise those of the
            /// statement.
            pub fn execute(&self, sql: &str, params: impl IntoParams) -> Result<u64> {
                block_on(self.0.execute(sql, params))
            }

            /// Runs a query.
            ///
            /// ```
            #[doc = $new]
            /// assert_eq!(db.query("SELECT 1", ())?.collect()?[0].num_rows(), 1);
            /// # Ok::<(), rocksalt::Error>(())
            /// ```
            ///
            /// # Errors
            /// [`Invalid`](crate::ErrorKind::Invalid) for a statement that returns no rows;
            /// otherwise those of the query.
            pub fn query(&self, sql: &str, params: impl IntoParams) -> Result<Rows> {
                block_on(self.0.query(sql, params)).map(Rows)
            }

            /// Prepares a statement.
            ///
            /// ```
            #[doc = $new]
            /// let statement = db.prepare("SELECT 1 AS a")?;
            /// assert_eq!(statement.query(())?.collect()?[0].num_rows(), 1);
            /// # Ok::<(), rocksalt::Error>(())
            /// ```
            ///
            /// # Errors
            /// Those that the text and the names in it can cause.
            pub fn prepare(&self, sql: &str) -> Result<Statement> {
                block_on(self.0.prepare(sql)).map(Statement)
            }

            /// The plan of a query or of a writing statement, which does not run.
            ///
            /// ```
            #[doc = $new]
            /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
            /// let plan = db.explain("SELECT * FROM t WHERE k = 1")?;
            /// assert!(plan.to_string().starts_with("PointGet: t"));
            /// # Ok::<(), rocksalt::Error>(())
            /// ```
            ///
            /// # Errors
            /// [`Invalid`](crate::ErrorKind::Invalid) for a statement that has no plan.
            pub fn explain(&self, sql: &str) -> Result<Plan> {
                block_on(self.0.explain(sql))
            }

            /// Executes a query or a writing statement with these values, and returns not its rows
            /// but its plan, with what each scan did.
            ///
            /// ```
            #[doc = $new]
            /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
            /// let plan = db.analyze("SELECT * FROM t WHERE k = ?", rocksalt::params![1])?;
            /// assert_eq!(plan.scans()[0].analyzed.as_ref().map(|counts| counts.gets), Some(1));
            /// # Ok::<(), rocksalt::Error>(())
            /// ```
            ///
            /// # Errors
            /// [`Invalid`](crate::ErrorKind::Invalid) for a statement that has no plan; otherwise
            /// those of the statement.
            pub fn analyze(&self, sql: &str, params: impl IntoParams) -> Result<Plan> {
                block_on(self.0.analyze(sql, params))
            }

            /// A table, to read and write rows without SQL.
            ///
            /// ```
            #[doc = $new]
            /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
            /// assert!(db.table("t")?.get(1)?.is_none());
            /// # Ok::<(), rocksalt::Error>(())
            /// ```
            ///
            /// # Errors
            /// [`NotFound`](crate::ErrorKind::NotFound) when there is no such table.
            pub fn table(&self, name: &str) -> Result<Table> {
                block_on(self.0.table(name)).map(Table)
            }
        }
    };
}

statements!(
    Database,
    "let db = rocksalt::blocking::Database::in_memory()?;"
);
statements!(
    Session,
    "let db = rocksalt::blocking::Database::in_memory()?.session();"
);

impl Statement {
    /// As [`Statement::query`](asynchronous::Statement::query).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// assert_eq!(db.prepare("SELECT 1")?.query(())?.collect()?[0].num_rows(), 1);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn query(&self, params: impl IntoParams) -> Result<Rows> {
        block_on(self.0.query(params)).map(Rows)
    }

    /// As [`Statement::execute`](asynchronous::Statement::execute).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.prepare("CREATE TABLE t (k INTEGER PRIMARY KEY)")?.execute(())?;
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn execute(&self, params: impl IntoParams) -> Result<u64> {
        block_on(self.0.execute(params))
    }

    /// As [`Statement::explain`](asynchronous::Statement::explain).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// let plan = db.prepare("SELECT * FROM t WHERE k = ?")?.explain()?;
    /// assert!(plan.to_string().contains("$1"));
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn explain(&self) -> Result<Plan> {
        block_on(self.0.explain())
    }

    /// As [`Statement::analyze`](asynchronous::Statement::analyze).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// let plan = db.prepare("SELECT * FROM t WHERE k = ?")?.analyze(rocksalt::params![1])?;
    /// assert_eq!(plan.scans()[0].analyzed.as_ref().map(|counts| counts.rows_read), Some(0));
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn analyze(&self, params: impl IntoParams) -> Result<Plan> {
        block_on(self.0.analyze(params))
    }
}

impl Table {
    /// As [`Table::schema`](asynchronous::Table::schema).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// assert_eq!(db.table("t")?.schema()?.fields().len(), 1);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn schema(&self) -> Result<SchemaRef> {
        self.0.schema()
    }

    /// As [`Table::get`](asynchronous::Table::get).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// assert!(db.table("t")?.get(1)?.is_none());
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn get(&self, key: impl IntoKey) -> Result<Option<Row>> {
        self.0.get_now(key.into_key())
    }

    /// As [`Table::scan`](asynchronous::Table::scan).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// assert!(db.table("t")?.scan().sorted()?.next().is_none());
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn scan(&self) -> TableScan {
        TableScan(self.0.scan())
    }

    /// As [`Table::upsert`](asynchronous::Table::upsert).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use rocksalt::arrow::array::{Int32Array, RecordBatch};
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// let k = Arc::new(Int32Array::from(vec![1, 2])) as _;
    /// let batch = RecordBatch::try_from_iter([("k", k)]).expect("one column");
    /// assert_eq!(db.table("t")?.upsert(&batch)?, 2);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn upsert(&self, batch: &RecordBatch) -> Result<u64> {
        block_on(self.0.upsert(batch))
    }
}

impl Rows {
    /// As [`Rows::schema`](asynchronous::Rows::schema).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// assert_eq!(db.query("SELECT 1 AS a", ())?.schema().field(0).name(), "a");
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    /// As [`Rows::collect`](asynchronous::Rows::collect).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// assert_eq!(db.query("SELECT 1 AS a", ())?.collect()?.len(), 1);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn collect(self) -> Result<Vec<RecordBatch>> {
        block_on(self.0.collect())
    }
}

impl Iterator for Rows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        block_on(self.0.next())
    }
}
