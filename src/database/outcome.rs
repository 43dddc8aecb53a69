//! What a statement came to, whatever statement it was.

use crate::database::Rows;
use crate::plan::Plan;

/// What a statement came to.
///
/// ```
/// use rocksalt::Outcome;
/// # futures::executor::block_on(async {
/// let db = rocksalt::Database::in_memory().await?;
/// assert!(matches!(db.run("CREATE TABLE t (k INTEGER PRIMARY KEY)").await?, Outcome::Done));
/// assert!(matches!(db.run("UPSERT INTO t VALUES (1), (2)").await?, Outcome::Affected(2)));
/// assert!(matches!(db.run("SELECT * FROM t").await?, Outcome::Rows(_)));
/// assert!(matches!(db.run("EXPLAIN SELECT * FROM t").await?, Outcome::Plan(_)));
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub enum Outcome {
    /// It did what it says and has nothing to report: DDL, SET.
    Done,
    /// It wrote; the number of rows that it was given or found.
    Affected(u64),
    /// It answers with rows: a query, SHOW, DESCRIBE.
    Rows(Rows),
    /// It is an EXPLAIN.
    Plan(Plan),
}
