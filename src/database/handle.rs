//! A database, held.

use std::path::Path;
use std::sync::Arc;

use crate::database::shared::{Settled, Shared};
use crate::database::{
    Builder, IntoParams, Outcome, Params, Rows, ScanToken, Scanner, Session, Statement, Table,
};
use crate::error::Result;
use crate::plan::Plan;

/// A database. A clone is cheap and the same database; it closes when the last clone, and the
/// last of the sessions, statements, tables and rows that came from it, is dropped.
///
/// Each statement is atomic, reads one snapshot, and is on disk when it succeeds.
///
/// ```
/// # futures::executor::block_on(async {
/// use rocksalt::params;
/// let db = rocksalt::Database::in_memory().await?;
/// db.execute(
///     "CREATE TABLE event (host VARCHAR, at TIMESTAMP, load DOUBLE, PRIMARY KEY (host, at))
///      SALT_BUCKETS = 4",
///     (),
/// )
/// .await?;
/// db.execute("UPSERT INTO event VALUES (?, ?, ?)", params!["a", "2013-01-01T10:00:00", 0.5])
///     .await?;
/// let rows = db.query("SELECT load FROM event WHERE host = ?", params!["a"]).await?;
/// assert_eq!(rows.collect().await?[0].num_rows(), 1);
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Database {
    shared: Arc<Shared>,
}

impl Database {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Database { shared }
    }

    fn settled(&self) -> Settled {
        Settled {
            settings: self.shared.defaults.clone(),
            session: None,
        }
    }

    /// Opens the database in a folder, which is created if it is missing.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("db");
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::open(&path).await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for a file or a folder of something else,
    /// [`Unavailable`](crate::ErrorKind::Unavailable) while another process has it open,
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a format of a later release,
    /// [`Corrupt`](crate::ErrorKind::Corrupt) when it is damaged.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self> {
        Builder::default().open(path).await
    }

    /// An empty database in memory.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// When the machine has no memory or no thread left.
    pub async fn in_memory() -> Result<Self> {
        Builder::default().in_memory().await
    }

    /// A database opened otherwise than by default.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::builder().threads(2).in_memory().await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A session: the same database with settings of its own, which SET changes.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let session = rocksalt::Database::in_memory().await?.session();
    /// session.execute("SET durability = 'buffered'", ()).await?;
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn session(&self) -> Session {
        Session::new(self.shared.clone())
    }

    /// Runs one statement, whatever it is.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// let outcome = db.run("SHOW TABLES").await?;
    /// assert!(matches!(outcome, rocksalt::Outcome::Rows(_)));
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Those of the statement; [`Invalid`](crate::ErrorKind::Invalid) for several.
    pub async fn run(&self, sql: &str) -> Result<Outcome> {
        self.shared
            .run(sql, Params::default(), self.settled())
            .await
    }

    /// Executes a statement that returns no rows, and returns the number of rows affected.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// assert_eq!(db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?, 0);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for a query, before anything runs; otherwise those
    /// of the statement.
    pub async fn execute(&self, sql: &str, params: impl IntoParams) -> Result<u64> {
        self.shared
            .execute(sql, params.into_params(), self.settled())
            .await
    }

    /// Runs a query.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// let rows = db.query("SELECT 1", ()).await?;
    /// assert_eq!(rows.collect().await?[0].num_rows(), 1);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for a statement that returns no rows, before
    /// anything runs; otherwise those of the query.
    pub async fn query(&self, sql: &str, params: impl IntoParams) -> Result<Rows> {
        self.shared
            .query(sql, params.into_params(), self.settled())
            .await
    }

    /// Prepares a statement: it is read and bound once and may be executed many times.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use rocksalt::params;
    /// let db = rocksalt::Database::in_memory().await?;
    /// let statement = db.prepare("SELECT :n + 1 AS n").await?;
    /// assert_eq!(statement.query(params! { n: 1 }).await?.collect().await?.len(), 1);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Those that the text and the names in it can cause.
    pub async fn prepare(&self, sql: &str) -> Result<Statement> {
        Statement::prepare(self.shared.clone(), sql, None).await
    }

    /// The plan of a query or of a writing statement, which does not run. (EXPLAIN ANALYZE does run
    /// its statement, also here.)
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// let plan = db.explain("SELECT * FROM t WHERE k = 1").await?;
    /// assert!(plan.to_string().starts_with("PointGet: t, unsalted, keys [1]"));
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for a statement that has no plan.
    pub async fn explain(&self, sql: &str) -> Result<Plan> {
        self.shared.explain(sql, self.settled()).await
    }

    /// Executes a query or a writing statement with these values, and returns not its rows but its
    /// plan, with what each scan did in [`Scan::analyzed`](crate::Scan::analyzed). It is what
    /// EXPLAIN ANALYZE does, which may also stand in front of the statement.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use rocksalt::params;
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
    /// let plan = db.analyze("SELECT * FROM t WHERE k > ?", params![1]).await?;
    /// assert_eq!(plan.scans()[0].analyzed.as_ref().map(|counts| counts.rows_read), Some(2));
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for a statement that has no plan; otherwise those of
    /// the statement.
    pub async fn analyze(&self, sql: &str, params: impl IntoParams) -> Result<Plan> {
        self.shared
            .analyze(sql, params.into_params(), self.settled())
            .await
    }

    /// A table, to read and write rows without SQL.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// assert!(db.table("t").await?.get(1).await?.is_none());
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) when there is no such table.
    pub async fn table(&self, name: &str) -> Result<Table> {
        Table::find(self.shared.clone(), name)
    }

    /// Goes on with a suspended scan: with the first row that comes after the last one that it
    /// returned, whether that row is still there or not, on the data of this moment.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
    /// let mut scanner = db.table("t").await?.scan().batch_size(1).sorted().await?;
    /// scanner.next_batch().await?;
    /// let token = scanner.suspend();
    /// db.execute("DELETE FROM t WHERE k = 2", ()).await?;
    /// assert_eq!(db.resume(&token).await?.collect().await?.len(), 1);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) when the table was dropped or truncated since, also
    /// if it was made again, and when one of the scan's columns was dropped or renamed.
    pub async fn resume(&self, token: &ScanToken) -> Result<Scanner> {
        Scanner::resume(self.shared.clone(), token).await
    }
}
