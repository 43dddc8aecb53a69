//! A session: a database seen through settings of its own.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::database::shared::{Settled, Shared};
use crate::database::{IntoParams, Outcome, Params, Rows, Statement, Table};
use crate::engine::Settings;
use crate::error::Result;
use crate::plan::Plan;
use crate::sql;

/// A database with settings of its own: what SET changes holds for this session alone.
///
/// A clone is the same session.
///
/// ```
/// # futures::executor::block_on(async {
/// let db = rocksalt::Database::in_memory().await?;
/// let session = db.session();
/// session.execute("SET durability = 'buffered'", ()).await?;
/// session.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
/// assert_eq!(session.execute("UPSERT INTO t VALUES (1), (2)", ()).await?, 2);
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Session {
    shared: Arc<Shared>,
    settings: Arc<Mutex<Settings>>,
}

impl Session {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let settings = Arc::new(Mutex::new(shared.defaults.clone()));
        Session { shared, settings }
    }

    fn settled(&self) -> Settled {
        Settled {
            settings: self.settings.lock().clone(),
            session: Some(self.settings.clone()),
        }
    }

    /// Runs one statement, whatever it is.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let session = rocksalt::Database::in_memory().await?.session();
    /// let outcome = session.run("SET lock_timeout = '1s'").await?;
    /// assert!(matches!(outcome, rocksalt::Outcome::Done));
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
    /// let session = rocksalt::Database::in_memory().await?.session();
    /// assert_eq!(session.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?, 0);
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
    /// let session = rocksalt::Database::in_memory().await?.session();
    /// let rows = session.query("SHOW durability", ()).await?;
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

    /// Prepares a statement. It runs with the settings that the session has when it runs.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use rocksalt::params;
    /// let session = rocksalt::Database::in_memory().await?.session();
    /// let statement = session.prepare("SELECT :n + 1 AS n").await?;
    /// assert_eq!(statement.query(params! { n: 1 }).await?.collect().await?.len(), 1);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Those that the text and the names in it can cause.
    pub async fn prepare(&self, sql: &str) -> Result<Statement> {
        Statement::prepare(self.shared.clone(), sql, Some(self.settings.clone())).await
    }

    /// The plan of a query or of a writing statement, which does not run. (EXPLAIN ANALYZE does run
    /// its statement, also here.)
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let session = rocksalt::Database::in_memory().await?.session();
    /// session.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// let plan = session.explain("SELECT * FROM t WHERE k = 1").await?;
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
    /// let session = rocksalt::Database::in_memory().await?.session();
    /// session.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// session.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
    /// let plan = session.analyze("SELECT * FROM t WHERE k > ?", params![1]).await?;
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

    /// Runs many statements, separated by semicolons, one after the other, and stops at the first
    /// that fails: those before it have taken effect. Queries run when their rows are read.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let session = rocksalt::Database::in_memory().await?.session();
    /// let outcomes = session
    ///     .script("CREATE TABLE t (k INTEGER PRIMARY KEY); UPSERT INTO t VALUES (1); SHOW TABLES")
    ///     .await?;
    /// assert_eq!(outcomes.len(), 3);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// That of the first statement that fails, its position being that in the whole text.
    pub async fn script(&self, sql: &str) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        for piece in sql::split(sql) {
            let outcome = self.shared.run_parsed(piece.parse()?, self.settled()).await;
            outcomes.push(outcome.map_err(|e| e.moved(|position| piece.place(position)))?);
        }
        Ok(outcomes)
    }

    /// A table, to read and write rows without SQL.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let session = rocksalt::Database::in_memory().await?.session();
    /// session.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// assert!(session.table("t").await?.get(1).await?.is_none());
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) when there is no such table.
    pub async fn table(&self, name: &str) -> Result<Table> {
        Table::find(self.shared.clone(), name)
    }
}
