//! Scans without async.

use std::time::Duration;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use futures::StreamExt;

use crate::database as asynchronous;
use crate::database::wait::block_on;
use crate::database::{IntoKey, IntoKeyRange, IntoParams, ScanToken};
use crate::error::Result;

/// [`TableScan`](asynchronous::TableScan) without async.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (a VARCHAR, b INTEGER, v DOUBLE, PRIMARY KEY (a, b)) SALT_BUCKETS = 16", ())?;
/// db.execute("UPSERT INTO t VALUES ('a', 1, 0.5), ('a', 2, 1.5), ('b', 1, 2.5)", ())?;
/// let table = db.table("t")?;
/// let scanners = table.scan().range(("a", 1)..("a", 9)).columns(["v"]).unordered(4)?;
/// let threads = scanners.into_iter().map(|scanner| {
///     std::thread::spawn(move || -> rocksalt::Result<usize> {
///         scanner.map(|batch| Ok(batch?.num_rows())).sum()
///     })
/// });
/// let mut rows = 0;
/// for thread in threads.collect::<Vec<_>>() {
///     rows += thread.join().expect("no panic")?;
/// }
/// assert_eq!(rows, 2);
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is read before sorted() or unordered()"]
pub struct TableScan(pub(super) asynchronous::TableScan);

/// [`Scanner`](asynchronous::Scanner) without async: an iterator of batches, for every thread.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ())?;
/// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ())?;
/// for batch in db.table("t")?.scan().sorted()? {
///     assert_eq!(batch?.num_rows(), 3);
/// }
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug)]
pub struct Scanner(pub(super) asynchronous::Scanner);

/// The methods that say what is wanted, each with the end of its example.
macro_rules! scan {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) = $example:literal;)+) => {
        impl TableScan {
            $(
                $(#[$doc])*
                ///
                /// ```
                /// let db = rocksalt::blocking::Database::in_memory()?;
                /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ())?;
                /// db.execute("UPSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')", ())?;
                /// let scan = db.table("t")?.scan();
                #[doc = $example]
                /// # Ok::<(), rocksalt::Error>(())
                /// ```
                pub fn $name(self, $($arg: $type),*) -> Self {
                    TableScan(self.0.$name($($arg),*))
                }
            )+
        }
    };
}

scan! {
    /// As [`TableScan::range`](asynchronous::TableScan::range).
    range(bounds: impl IntoKeyRange)
        = "assert_eq!(scan.range(2..).sorted()?.collect()?[0].num_rows(), 2);";
    /// As [`TableScan::prefix`](asynchronous::TableScan::prefix).
    prefix(values: impl IntoKey)
        = "assert_eq!(scan.prefix(2).sorted()?.collect()?[0].num_rows(), 1);";
    /// As [`TableScan::keys_only`](asynchronous::TableScan::keys_only).
    keys_only()
        = "assert_eq!(scan.keys_only().sorted()?.schema().fields().len(), 1);";
    /// As [`TableScan::filter`](asynchronous::TableScan::filter).
    filter(sql: impl Into<String>)
        = "assert_eq!(scan.filter(\"v <> 'b'\").sorted()?.collect()?[0].num_rows(), 2);";
    /// As [`TableScan::filter_with`](asynchronous::TableScan::filter_with).
    filter_with(sql: impl Into<String>, params: impl IntoParams)
        = "assert_eq!(scan.filter_with(\"v = ?\", [\"b\"]).sorted()?.collect()?[0].num_rows(), 1);";
    /// As [`TableScan::batch_size`](asynchronous::TableScan::batch_size).
    batch_size(rows: usize)
        = "assert_eq!(scan.batch_size(2).sorted()?.collect()?.len(), 2);";
    /// As [`TableScan::time_limit`](asynchronous::TableScan::time_limit).
    time_limit(limit: Duration)
        = "assert!(scan.time_limit(std::time::Duration::from_secs(1)).sorted()?.next().is_some());";
    /// As [`TableScan::limit`](asynchronous::TableScan::limit).
    limit(rows: usize)
        = "assert_eq!(scan.limit(2).sorted()?.collect()?[0].num_rows(), 2);";
    /// As [`TableScan::reverse`](asynchronous::TableScan::reverse).
    reverse()
        = "assert_eq!(scan.reverse().limit(1).sorted()?.collect()?[0].num_rows(), 1);";
}

impl TableScan {
    /// As [`TableScan::columns`](asynchronous::TableScan::columns).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ())?;
    /// let scanner = db.table("t")?.scan().columns(["v"]).sorted()?;
    /// assert_eq!(scanner.schema().fields().len(), 1);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn columns<C: Into<String>>(self, columns: impl IntoIterator<Item = C>) -> Self {
        TableScan(self.0.columns(columns))
    }

    /// As [`TableScan::sorted`](asynchronous::TableScan::sorted).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ())?;
    /// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ())?;
    /// assert_eq!(db.table("t")?.scan().sorted()?.collect()?[0].num_rows(), 3);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn sorted(self) -> Result<Scanner> {
        block_on(self.0.sorted()).map(Scanner)
    }

    /// As [`TableScan::unordered`](asynchronous::TableScan::unordered).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ())?;
    /// assert_eq!(db.table("t")?.scan().unordered(3)?.len(), 3);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn unordered(self, max_splits: usize) -> Result<Vec<Scanner>> {
        let scanners = block_on(self.0.unordered(max_splits))?;
        Ok(scanners.into_iter().map(Scanner).collect())
    }
}

impl Scanner {
    /// As [`Scanner::schema`](asynchronous::Scanner::schema).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// assert_eq!(db.table("t")?.scan().sorted()?.schema().field(0).name(), "k");
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    /// As [`Scanner::collect`](asynchronous::Scanner::collect).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// assert!(db.table("t")?.scan().sorted()?.collect()?.is_empty());
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// The same.
    pub fn collect(self) -> Result<Vec<RecordBatch>> {
        block_on(self.0.collect())
    }

    /// As [`Scanner::suspend`](asynchronous::Scanner::suspend).
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ())?;
    /// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ())?;
    /// let mut scanner = db.table("t")?.scan().batch_size(2).sorted()?;
    /// scanner.next().transpose()?;
    /// let token = scanner.suspend();
    /// assert_eq!(db.resume(&token)?.collect()?[0].num_rows(), 1);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn suspend(&self) -> ScanToken {
        self.0.suspend()
    }
}

impl Iterator for Scanner {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        block_on(self.0.next())
    }
}
