//! A scan under way.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use futures::{Stream, StreamExt};

use crate::database::ScanToken;
use crate::database::scan::spec::{Opening, Spec};
use crate::database::shared::Shared;
use crate::database::wait::Entered;
use crate::error::Result;
use crate::store::Snapshot;
use crate::table::{Position, ReadRequest, Scan, Target};

/// A scan under way: a stream of Arrow batches, in any executor. Dropping it ends the scan.
///
/// It reads one snapshot, of the moment at which it was opened or resumed. Nothing is read before
/// it is polled first, and one batch ahead from then on, on the threads of the database.
///
/// ```
/// # futures::executor::block_on(async {
/// use futures::StreamExt;
/// let db = rocksalt::Database::in_memory().await?;
/// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ()).await?;
/// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
/// let mut scanner = db.table("t").await?.scan().sorted().await?;
/// while let Some(batch) = scanner.next().await {
///     assert_eq!(batch?.num_rows(), 3);
/// }
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
pub struct Scanner {
    spec: Arc<Spec>,
    schema: SchemaRef,
    /// The read, until it has ended.
    scan: Option<Scan>,
    /// Behind the last batch that was returned, whatever the read has ready.
    position: Position,
    remaining: Option<usize>,
    /// Keeps the database open.
    _shared: Arc<Shared>,
}

impl Scanner {
    /// A scanner of what `request` reads, which is what is left behind `position`.
    pub(super) fn new(
        shared: Arc<Shared>,
        spec: Arc<Spec>,
        schema: SchemaRef,
        request: ReadRequest,
        snapshot: Arc<dyn Snapshot>,
        position: Position,
    ) -> Self {
        let remaining = request.limit;
        let nothing = matches!(&request.target, Target::Ranges(ranges) if ranges.is_empty());
        let pool = shared.engine.pool().clone();
        let scan = (!nothing).then(|| Scan::new(pool, request, snapshot, Arc::default()));
        Scanner {
            spec,
            schema,
            position: match scan {
                Some(_) => position,
                None => Position::End,
            },
            scan,
            remaining,
            _shared: shared,
        }
    }

    /// Goes on with the scan of a token.
    pub(in crate::database) async fn resume(
        shared: Arc<Shared>,
        token: &ScanToken,
    ) -> Result<Self> {
        loop {
            let (spec, position, remaining) = token.decode()?;
            let opening = Opening::again(shared.clone(), spec)?;
            let (runtime, long) = (opening.shared().runtime(), opening.is_long());
            let opened = Entered::new(runtime, async { opening.scanner(position, remaining) });
            if let Some(scanner) = opened.long(long).await? {
                return Ok(scanner);
            }
        }
    }

    /// The Arrow schema of every batch.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ())?;
    /// let scanner = db.table("t")?.scan().columns(["v", "k"]).sorted()?;
    /// assert_eq!(scanner.schema().field(1).name(), "k");
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The next batch, or `None` at the end. With a time limit it may have no rows.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// let mut scanner = db.table("t").await?.scan().sorted().await?;
    /// assert!(scanner.next_batch().await?.is_none());
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// What the scan meets while it runs, after which it has ended.
    pub async fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        self.next().await.transpose()
    }

    /// All batches that are left.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1), (2)", ()).await?;
    /// let batches = db.table("t").await?.scan().sorted().await?.collect().await?;
    /// assert_eq!(batches[0].num_rows(), 2);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// The first error that the scan meets while it runs.
    pub async fn collect(mut self) -> Result<Vec<RecordBatch>> {
        let mut batches = Vec::new();
        while let Some(batch) = self.next().await {
            batches.push(batch?);
        }
        Ok(batches)
    }

    /// Where the scan stands: with this token [`Database::resume`](crate::Database::resume) goes on
    /// behind the last batch that was returned, today or after the process was started again. After
    /// an error it goes on behind the last batch before it.
    ///
    /// The scanner itself is as before: it may read on, or be dropped.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
    /// let mut scanner = db.table("t").await?.scan().batch_size(2).sorted().await?;
    /// assert_eq!(scanner.next_batch().await?.map(|batch| batch.num_rows()), Some(2));
    /// let token = scanner.suspend();
    /// drop(scanner);
    /// let mut scanner = db.resume(&token).await?;
    /// assert_eq!(scanner.next_batch().await?.map(|batch| batch.num_rows()), Some(1));
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn suspend(&self) -> ScanToken {
        ScanToken::encode(&self.spec, &self.position, self.remaining)
    }
}

impl Stream for Scanner {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(scan) = &mut this.scan else {
            return Poll::Ready(None);
        };
        Poll::Ready(match ready!(scan.poll_batch(context)) {
            Some(Ok((batch, position))) => {
                this.position = position;
                if let Some(remaining) = &mut this.remaining {
                    *remaining = remaining.saturating_sub(batch.num_rows());
                }
                Some(Ok(batch))
            }
            Some(Err(error)) => {
                this.scan = None;
                Some(Err(error))
            }
            None => {
                this.scan = None;
                this.position = Position::End;
                None
            }
        })
    }
}

impl fmt::Debug for Scanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanner")
            .field("table", &self.spec.table.name)
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
