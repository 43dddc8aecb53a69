//! The rows of a query, batch by batch.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt};

use crate::database::shared::Shared;
use crate::database::wait::{contained, with_stack};
use crate::error::Result;

/// The rows of a query: a stream of Arrow batches. Dropping it ends the query.
///
/// It may be polled by any executor; what it needs of tokio it takes from the database.
///
/// ```
/// # futures::executor::block_on(async {
/// use futures::TryStreamExt;
/// let db = rocksalt::Database::in_memory().await?;
/// let mut rows = db.query("SELECT 1 AS a UNION ALL SELECT 2", ()).await?;
/// assert_eq!(rows.schema().field(0).name(), "a");
/// let mut count = 0;
/// while let Some(batch) = rows.try_next().await? {
///     count += batch.num_rows();
/// }
/// assert_eq!(count, 2);
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
pub struct Rows {
    schema: SchemaRef,
    batches: BoxStream<'static, Result<RecordBatch>>,
    /// Keeps the database open, and with it the runtime.
    shared: Arc<Shared>,
    long: bool,
}

impl Rows {
    pub(crate) fn new(
        schema: SchemaRef,
        batches: BoxStream<'static, Result<RecordBatch>>,
        shared: Arc<Shared>,
    ) -> Self {
        Rows {
            schema,
            batches,
            shared,
            long: false,
        }
    }

    /// The same for the rows of a statement, long or not.
    pub(super) fn long(mut self, long: bool) -> Self {
        self.long = long;
        self
    }

    /// The Arrow schema of every batch.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// let rows = db.query("SELECT 1 AS a", ())?;
    /// assert_eq!(rows.schema().fields().len(), 1);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// All batches that are left.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// let batches = db.query("SELECT 1 AS a", ()).await?.collect().await?;
    /// assert_eq!(batches[0].num_rows(), 1);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// The first error that the query meets while it runs.
    pub async fn collect(mut self) -> Result<Vec<RecordBatch>> {
        let mut batches = Vec::new();
        while let Some(batch) = self.next().await {
            batches.push(batch?);
        }
        Ok(batches)
    }
}

impl Stream for Rows {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let runtime = this.shared.runtime();
        let _entered = runtime.enter();
        contained(this.long, || this.batches.poll_next_unpin(cx)).unwrap_or_else(|panic| {
            this.batches = futures::stream::empty().boxed();
            Poll::Ready(Some(Err(panic)))
        })
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        // Streams of DataFusion may look for the runtime when they are dropped as well.
        let runtime = self.shared.runtime();
        let _entered = runtime.enter();
        with_stack(self.long, || {
            self.batches = futures::stream::empty().boxed();
        });
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
