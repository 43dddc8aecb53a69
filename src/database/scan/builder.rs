//! A scan as it is said.

use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;

use crate::catalog::TableDef;
use crate::database::scan::bounds;
use crate::database::scan::spec::{Filter, Opening, Spec, TableId, parse};
use crate::database::shared::Shared;
use crate::database::wait::Entered;
use crate::database::{IntoKey, IntoKeyRange, IntoParams, Params, Scanner};
use crate::error::{Error, Result};
use crate::key::KeyRange;
use crate::store::CursorOrder;
use crate::table::{BATCH_ROWS, Portions, Position};

/// A scan of one table, as far as it was said what is wanted: [`Table::scan`] begins it,
/// [`sorted`] or [`unordered`] opens it.
///
/// Without anything else it is every column of every row. What is said more than once holds each
/// time, of ranges, prefixes and filters; of everything else the last word counts. What is wrong
/// with it is the error of [`sorted`] and [`unordered`].
///
/// ```
/// # futures::executor::block_on(async {
/// let db = rocksalt::Database::in_memory().await?;
/// db.execute("CREATE TABLE t (a VARCHAR, b INTEGER, v DOUBLE, PRIMARY KEY (a, b)) SALT_BUCKETS = 16", ())
///     .await?;
/// db.execute("UPSERT INTO t VALUES ('a', 1, 0.5), ('a', 2, 1.5), ('b', 1, 2.5)", ()).await?;
/// let table = db.table("t").await?;
///
/// // In key order, as one stream.
/// let last = table.scan().reverse().limit(1).sorted().await?;
/// assert_eq!(last.collect().await?[0].num_rows(), 1);
///
/// // In no order, as at most four streams over disjoint buckets.
/// let scanners = table.scan().range(("a", 1)..("a", 9)).columns(["v"]).unordered(4).await?;
/// assert!(scanners.len() <= 4);
/// let mut rows = 0;
/// for scanner in scanners {
///     rows += scanner.collect().await?.iter().map(|batch| batch.num_rows()).sum::<usize>();
/// }
/// assert_eq!(rows, 2);
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
///
/// [`Table::scan`]: crate::Table::scan
/// [`sorted`]: TableScan::sorted
/// [`unordered`]: TableScan::unordered
#[derive(Debug, Clone)]
#[must_use = "nothing is read before sorted() or unordered()"]
pub struct TableScan {
    shared: Arc<Shared>,
    schema: String,
    name: String,
    ranges: Vec<KeyRange>,
    columns: Columns,
    filters: Vec<(String, Params)>,
    batch_size: usize,
    time_limit: Option<Duration>,
    limit: Option<usize>,
    reverse: bool,
}

#[derive(Debug, Clone)]
enum Columns {
    All,
    Key,
    Named(Vec<String>),
}

impl TableScan {
    pub(in crate::database) fn new(shared: Arc<Shared>, schema: String, name: String) -> Self {
        TableScan {
            shared,
            schema,
            name,
            ranges: Vec::new(),
            columns: Columns::All,
            filters: Vec::new(),
            batch_size: BATCH_ROWS,
            time_limit: None,
            limit: None,
            reverse: false,
        }
    }

    /// Only the rows whose keys are in a range, its bounds in key order: see [`IntoKeyRange`].
    ///
    /// A range in which no key can be is no error, and no row; one that starts after its end is
    /// [`Invalid`](crate::ErrorKind::Invalid), as are bounds of other types than the key, of more
    /// columns, or of NULL in a column that is NOT NULL.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY DESC)", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
    /// let table = db.table("t").await?;
    /// let rows = table.scan().range(3..=2).sorted().await?.collect().await?;
    /// assert_eq!(rows[0].num_rows(), 2);
    /// assert!(table.scan().range(2..=3).sorted().await.is_err());
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn range(mut self, bounds: impl IntoKeyRange) -> Self {
        let (lower, upper) = bounds.into_key_range();
        self.ranges.push(KeyRange { lower, upper });
        self
    }

    /// Only the rows whose keys begin with these values, one for each of the first key columns.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (a VARCHAR, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ()).await?;
    /// db.execute("UPSERT INTO t VALUES ('x', 1), ('x', 2), ('xy', 1)", ()).await?;
    /// let rows = db.table("t").await?.scan().prefix("x").sorted().await?.collect().await?;
    /// assert_eq!(rows[0].num_rows(), 2);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn prefix(mut self, values: impl IntoKey) -> Self {
        self.ranges.push(KeyRange::prefix(values.into_key()));
        self
    }

    /// Only these columns, in this order, by their names in [`Table::schema`](crate::Table::schema).
    /// Without any, the batches count rows and hold nothing.
    ///
    /// One that does not exist is [`NotFound`](crate::ErrorKind::NotFound), one that is named twice
    /// [`Invalid`](crate::ErrorKind::Invalid).
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ()).await?;
    /// let scanner = db.table("t").await?.scan().columns(["v"]).sorted().await?;
    /// assert_eq!(scanner.schema().fields().len(), 1);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn columns<C: Into<String>>(mut self, columns: impl IntoIterator<Item = C>) -> Self {
        self.columns = Columns::Named(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Only the columns of the key, in key order. Unless a filter asks for them, no others are
    /// decoded.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (v VARCHAR, k INTEGER PRIMARY KEY)", ()).await?;
    /// let scanner = db.table("t").await?.scan().keys_only().sorted().await?;
    /// assert_eq!(scanner.schema().field(0).name(), "k");
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn keys_only(mut self) -> Self {
        self.columns = Columns::Key;
        self
    }

    /// Only the rows for which a condition is true: what may stand behind WHERE, of columns,
    /// constants and functions that give the same value each time. now() is the time at which the
    /// scan began.
    ///
    /// It narrows the keys that are read as WHERE does, within the range if there is one. The
    /// positions of its errors are those in its text.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 4", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1, 'apple'), (2, 'pear'), (3, 'pineapple')", ()).await?;
    /// let table = db.table("t").await?;
    /// for (anywhere, rows) in [("v LIKE 'p%'", 2), ("v LIKE '%ea%'", 2), ("v LIKE '%apple'", 2)] {
    ///     let scanner = table.scan().filter(anywhere).sorted().await?;
    ///     assert_eq!(scanner.collect().await?.iter().map(|b| b.num_rows()).sum::<usize>(), rows);
    /// }
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn filter(self, sql: impl Into<String>) -> Self {
        self.filter_with(sql, ())
    }

    /// The same, with values for the parameters in the condition.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use rocksalt::params;
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1, 'a'), (2, 'b')", ()).await?;
    /// let scan = db.table("t").await?.scan().filter_with("v = ?", params!["b"]);
    /// assert_eq!(scan.sorted().await?.collect().await?[0].num_rows(), 1);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn filter_with(mut self, sql: impl Into<String>, params: impl IntoParams) -> Self {
        self.filters.push((sql.into(), params.into_params()));
        self
    }

    /// How many rows a batch has at most; 8,192 if nothing is said, and at least 1. A batch may have
    /// fewer: where a filter drops some, where rows are large, and beyond 65,536.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
    /// let scanner = db.table("t").await?.scan().batch_size(2).sorted().await?;
    /// assert_eq!(scanner.collect().await?.len(), 2);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows;
        self
    }

    /// How long a batch may be read, longer than zero. When the time is over, what was found is
    /// returned, if need be a batch without rows: so that whoever reads keeps control, and can
    /// suspend the scan, while no row passes the filter.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use std::time::Duration;
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ()).await?;
    /// let scan = db.table("t").await?.scan().filter("v LIKE '%x%'").time_limit(Duration::from_millis(10));
    /// let mut scanner = scan.sorted().await?;
    /// while let Some(batch) = scanner.next_batch().await? {
    ///     println!("{} rows", batch.num_rows());
    /// }
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Only so many rows, the first in the order of the scan.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
    /// let scanner = db.table("t").await?.scan().limit(2).sorted().await?;
    /// assert_eq!(scanner.collect().await?[0].num_rows(), 2);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn limit(mut self, rows: usize) -> Self {
        self.limit = Some(rows);
        self
    }

    /// The last row first. Ranges keep their bounds in key order.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use rocksalt::arrow::array::{AsArray, Int32Array};
    /// use rocksalt::arrow::datatypes::Int32Type;
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
    /// let rows = db.table("t").await?.scan().range(1..3).reverse().sorted().await?.collect().await?;
    /// assert_eq!(rows[0].column(0).as_primitive::<Int32Type>(), &Int32Array::from(vec![2, 1]));
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// Opens the scan as one scanner in the order of the key, over all buckets.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ()).await?;
    /// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
    /// let scanner = db.table("t").await?.scan().sorted().await?;
    /// assert_eq!(scanner.collect().await?[0].num_rows(), 3);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) for a table or column that does not exist,
    /// [`Invalid`](crate::ErrorKind::Invalid) for what cannot be meant, and those of the condition.
    pub async fn sorted(self) -> Result<Scanner> {
        let limit = self.limit;
        loop {
            let opening = self.clone().sort()?;
            let (runtime, long) = (opening.shared().runtime(), opening.is_long());
            let opened = Entered::new(runtime, async { opening.scanner(Position::Start, limit) });
            if let Some(scanner) = opened.long(long).await? {
                return Ok(scanner);
            }
        }
    }

    /// Opens the scan as at most `max_splits` scanners over disjoint buckets, which together are
    /// the whole scan, in no order. There are never more than there are buckets to read: one of an
    /// unsalted table, and none for an empty range.
    ///
    /// They read one snapshot, are independent of each other, and may go to different threads.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ()).await?;
    /// let table = db.table("t").await?;
    /// assert_eq!(table.scan().unordered(3).await?.len(), 3);
    /// assert_eq!(table.scan().unordered(99).await?.len(), 4);
    /// assert_eq!(table.scan().prefix(7).unordered(99).await?.len(), 1);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As of [`sorted`](TableScan::sorted); [`Invalid`](crate::ErrorKind::Invalid) also for no
    /// splits, and with [`limit`](TableScan::limit) or [`reverse`](TableScan::reverse), which say
    /// something of an order.
    pub async fn unordered(self, max_splits: usize) -> Result<Vec<Scanner>> {
        loop {
            let opening = self.clone().split(max_splits)?;
            let (runtime, long) = (opening.shared().runtime(), opening.is_long());
            let opened = Entered::new(runtime, async { opening.scanners(max_splits) });
            if let Some(scanners) = opened.long(long).await? {
                return Ok(scanners);
            }
        }
    }

    fn sort(self) -> Result<Opening> {
        let order = match self.reverse {
            true => CursorOrder::KeyReverse,
            false => CursorOrder::Key,
        };
        self.resolve(order)
    }

    fn split(self, max_splits: usize) -> Result<Opening> {
        let message = match (max_splits, self.limit, self.reverse) {
            (0, ..) => "max_splits is 0: an unordered scan has at least one part",
            (_, Some(_), _) => "limit() needs an order: use sorted()",
            (_, _, true) => "reverse() needs an order: use sorted()",
            _ => return self.resolve(CursorOrder::Any),
        };
        Err(Error::invalid(message))
    }

    /// What is said, in the terms of the table as it is now.
    fn resolve(self, order: CursorOrder) -> Result<Opening> {
        if self.batch_size == 0 {
            return Err(Error::invalid(
                "batch_size is 0: a batch has at least one row",
            ));
        }
        if self.time_limit.is_some_and(|limit| limit.is_zero()) {
            return Err(Error::invalid("time_limit is 0: a batch takes some time"));
        }
        let state = self.shared.catalog.state();
        let entry = self
            .shared
            .find_entry_in(&state, &self.schema, &self.name)?;
        let def = &entry.def;
        let (range, buckets) = bounds::encode(def, &self.ranges)?;
        let (mut filters, mut conditions) = (Vec::new(), Vec::new());
        for (text, params) in self.filters {
            let condition = parse(&text)?;
            let parameters = &condition.parameters;
            let values = params.bind(parameters.len(), parameters.names());
            let values = values.map_err(|e| e.context("filter"))?;
            filters.push(Filter { text, values });
            conditions.push(condition);
        }
        let spec = Spec {
            table: TableId::of(def),
            columns: self.columns.find(def)?,
            range,
            buckets,
            filters,
            started: Utc::now().timestamp_micros(),
            order,
            portions: Portions {
                rows: self.batch_size,
                time_limit: self.time_limit,
                positions: true,
            },
        };
        Ok(Opening::new(self.shared, state, entry, spec, conditions))
    }
}

impl Columns {
    fn find(&self, def: &TableDef) -> Result<Vec<(u16, String)>> {
        let known = |column: &crate::catalog::ColumnDef| (column.id, column.name.clone());
        let names = match self {
            Columns::All => return Ok(def.columns.iter().map(known).collect()),
            Columns::Key => {
                let key = def
                    .key
                    .iter()
                    .filter_map(|part| def.columns.get(part.column));
                return Ok(key.map(known).collect());
            }
            Columns::Named(names) => names,
        };
        let mut found: Vec<(u16, String)> = Vec::with_capacity(names.len());
        for name in names {
            let column = def.columns.iter().find(|column| column.name == *name);
            let column = column.ok_or_else(|| {
                let table = def.display_name();
                Error::not_found(format!("column {name} of table {table} does not exist"))
            })?;
            if found.iter().any(|(id, _)| *id == column.id) {
                return Err(Error::invalid(format!("column {name} is named twice")));
            }
            found.push(known(column));
        }
        Ok(found)
    }
}
