//! A prepared statement.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::database::cache::Prepared;
use crate::database::shared::{Settled, Shared};
use crate::database::{IntoParams, Rows};
use crate::engine::Settings;
use crate::error::Result;
use crate::plan::Plan;

/// One statement, read and bound once, to be executed with many values. A clone is cheap.
///
/// It follows the catalog: after DDL it is bound again.
///
/// ```
/// # futures::executor::block_on(async {
/// use rocksalt::params;
/// let db = rocksalt::Database::in_memory().await?;
/// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ()).await?;
/// let put = db.prepare("UPSERT INTO t VALUES (:k, :v)").await?;
/// for k in 0..10 {
///     put.execute(params! { k: k, v: "x" }).await?;
/// }
/// let get = db.prepare("SELECT v FROM t WHERE k = ?").await?;
/// assert_eq!(get.query(params![7]).await?.collect().await?[0].num_rows(), 1);
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Statement {
    shared: Arc<Shared>,
    prepared: Arc<Prepared>,
    session: Option<Arc<Mutex<Settings>>>,
}

impl Statement {
    pub(super) async fn prepare(
        shared: Arc<Shared>,
        sql: &str,
        session: Option<Arc<Mutex<Settings>>>,
    ) -> Result<Self> {
        let prepared = shared.prepare(sql)?;
        Ok(Statement {
            shared,
            prepared,
            session,
        })
    }

    fn settled(&self) -> Settled {
        match &self.session {
            Some(session) => Settled {
                settings: session.lock().clone(),
                session: self.session.clone(),
            },
            None => Settled {
                settings: self.shared.defaults.clone(),
                session: None,
            },
        }
    }

    /// Runs a query with these values.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use rocksalt::params;
    /// let db = rocksalt::Database::in_memory().await?;
    /// let statement = db.prepare("SELECT $1 || 'b' AS ab").await?;
    /// assert_eq!(statement.query(params!["a"]).await?.schema().field(0).name(), "ab");
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As of [`Database::query`](crate::Database::query).
    pub async fn query(&self, params: impl IntoParams) -> Result<Rows> {
        let params = params.into_params();
        self.shared
            .query_prepared(&self.prepared, params, self.settled())
            .await
    }

    /// Executes a statement that returns no rows with these values; returns the number of rows
    /// affected.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use rocksalt::params;
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// assert_eq!(db.prepare("UPSERT INTO t VALUES (?)").await?.execute(params![1]).await?, 1);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As of [`Database::execute`](crate::Database::execute).
    pub async fn execute(&self, params: impl IntoParams) -> Result<u64> {
        let params = params.into_params();
        self.shared
            .execute_prepared(&self.prepared, params, self.settled())
            .await
    }

    /// The plan as far as it is known without values: a parameter prints as `$1`.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// let plan = db.prepare("SELECT * FROM t WHERE k = ?").await?.explain().await?;
    /// assert!(plan.to_string().starts_with("PointGet: t, unsalted, keys [$1]"));
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As of [`Database::explain`](crate::Database::explain).
    pub async fn explain(&self) -> Result<Plan> {
        self.shared
            .explain_prepared(&self.prepared, self.settled())
            .await
    }

    /// Executes the statement with these values, and returns not its rows but its plan, with what
    /// each scan did.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use rocksalt::params;
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// let plan = db.prepare("SELECT * FROM t WHERE k = ?").await?.analyze(params![1]).await?;
    /// assert_eq!(plan.scans()[0].analyzed.as_ref().map(|counts| counts.gets), Some(1));
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As of [`Database::analyze`](crate::Database::analyze).
    pub async fn analyze(&self, params: impl IntoParams) -> Result<Plan> {
        self.shared
            .analyze_prepared(&self.prepared, params.into_params(), self.settled())
            .await
    }
}
