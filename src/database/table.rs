//! One table, without SQL.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use parking_lot::RwLock;

use crate::catalog::{Entry, TableDef};
use crate::database::row_reader::RowReader;
use crate::database::shared::Shared;
use crate::database::wait::Entered;
use crate::database::{IntoKey, Row, TableScan};
use crate::error::{Error, Result};
use crate::sql::{self, Statement, TableName};
use crate::types::Value;

/// One table: rows by key, and batches of rows, without SQL.
///
/// It is found by its name at each call, so it may be kept over DROP and CREATE.
///
/// ```
/// # futures::executor::block_on(async {
/// let db = rocksalt::Database::in_memory().await?;
/// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ()).await?;
/// db.execute("UPSERT INTO t VALUES (1, 'a')", ()).await?;
/// let table = db.table("t").await?;
/// let row = table.get(1).await?.expect("just written");
/// assert_eq!(row.get("v"), Some(&"a".into()));
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Table {
    shared: Arc<Shared>,
    schema: String,
    name: String,
    /// What the last get used.
    reader: Arc<RwLock<Option<Arc<RowReader>>>>,
}

impl Table {
    /// `name` is folded and unquoted as in SQL; `schema.name` names another schema.
    pub(crate) fn find(shared: Arc<Shared>, name: &str) -> Result<Self> {
        let parsed = sql::parse(&format!("DESCRIBE {name}"))
            .ok()
            .and_then(|parsed| match parsed.statement {
                Statement::Describe { table } => Some(table),
                _ => None,
            })
            .ok_or_else(|| Error::invalid(format!("'{name}' is no name of a table")))?;
        let schema = parsed
            .schema
            .map_or("public".to_owned(), |schema| schema.value);
        let table = Table {
            shared,
            schema,
            name: parsed.name.value,
            reader: Arc::default(),
        };
        table.entry()?;
        Ok(table)
    }

    fn entry(&self) -> Result<Arc<Entry>> {
        self.shared.find_entry(&self.schema, &self.name)
    }

    /// The Arrow schema of the columns, in declared order.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ())?;
    /// assert_eq!(db.table("t")?.schema()?.field(1).name(), "v");
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) when the table was dropped.
    pub fn schema(&self) -> Result<SchemaRef> {
        Ok(self.entry()?.def.arrow_schema())
    }

    /// The row of a key: one value, or a tuple or list of values in key order.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (a VARCHAR, b INTEGER, PRIMARY KEY (a, b))", ()).await?;
    /// db.execute("UPSERT INTO t VALUES ('x', 1)", ()).await?;
    /// let table = db.table("t").await?;
    /// assert!(table.get(("x", 1)).await?.is_some());
    /// assert!(table.get(("y", 1)).await?.is_none());
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) when the values are not those of a key.
    pub async fn get(&self, key: impl IntoKey) -> Result<Option<Row>> {
        self.get_now(key.into_key())
    }

    /// A get never waits, so the blocking twin calls it as it is.
    pub(crate) fn get_now(&self, key: Vec<Value>) -> Result<Option<Row>> {
        loop {
            let entry = self.entry()?;
            let reader = self.reader(&entry.def);
            let row = reader.get(self.shared.store.as_ref(), &entry.handle, &key);
            // A row of a later definition is not to be read by this one.
            if self.shared.catalog.is_current(&entry) {
                return row;
            }
        }
    }

    /// What gets rows of this definition.
    fn reader(&self, def: &Arc<TableDef>) -> Arc<RowReader> {
        if let Some(reader) = &*self.reader.read()
            && reader.is_of(def)
        {
            return reader.clone();
        }
        let reader = Arc::new(RowReader::new(def));
        *self.reader.write() = Some(reader.clone());
        reader
    }

    /// A scan of the rows: what is wanted of it is said of what this returns. Nothing is read, and
    /// the table is not looked up, before it is opened.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (a VARCHAR, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ()).await?;
    /// db.execute("UPSERT INTO t VALUES ('x', 1), ('x', 2), ('y', 1)", ()).await?;
    /// let table = db.table("t").await?;
    /// let rows = table.scan().range(("x", 2)..).sorted().await?.collect().await?;
    /// assert_eq!(rows[0].num_rows(), 2);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    pub fn scan(&self) -> TableScan {
        let (schema, name) = (self.schema.clone(), self.name.clone());
        TableScan::new(self.shared.clone(), schema, name)
    }

    /// Writes every row of a batch, all or none: a row of the same key is replaced. The batch's
    /// columns are matched by name; a row that exists keeps the columns that the batch does not
    /// have, a new one gets their defaults. Returns the number of rows.
    ///
    /// ```
    /// # futures::executor::block_on(async {
    /// use std::sync::Arc;
    /// use rocksalt::arrow::array::{Int32Array, RecordBatch, StringArray};
    /// let db = rocksalt::Database::in_memory().await?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ()).await?;
    /// let k = Arc::new(Int32Array::from(vec![1, 2])) as _;
    /// let v = Arc::new(StringArray::from(vec!["a", "b"])) as _;
    /// let batch = RecordBatch::try_from_iter([("k", k), ("v", v)]).expect("equal lengths");
    /// assert_eq!(db.table("t").await?.upsert(&batch).await?, 2);
    /// # Ok::<(), rocksalt::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) when the batch has a column that the table does
    /// not have; otherwise those of an UPSERT.
    pub async fn upsert(&self, batch: &RecordBatch) -> Result<u64> {
        let runtime = self.shared.runtime();
        Entered::new(runtime, async {
            let settings = self.shared.defaults.clone();
            let table = TableName::new(Some(&self.schema), &self.name);
            self.shared
                .writes(&settings)
                .upsert_batch(&table, batch)
                .await
        })
        .await
    }
}
