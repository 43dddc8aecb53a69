//! One row, as a point get returns it.

use std::fmt;

use datafusion::arrow::datatypes::SchemaRef;

use crate::types::Value;

/// One row of a table, its values in the order of the columns.
///
/// ```
/// use rocksalt::Value;
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ())?;
/// db.execute("UPSERT INTO t VALUES (1, 'a')", ())?;
/// let row = db.table("t")?.get(1)?.expect("just written");
/// assert_eq!(row.get("v"), Some(&Value::from("a")));
/// assert_eq!(row.to_string(), "(1, 'a')");
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    schema: SchemaRef,
    values: Vec<Value>,
}

impl Row {
    pub(crate) fn new(schema: SchemaRef, values: Vec<Value>) -> Self {
        Row { schema, values }
    }

    /// The Arrow schema of the columns.
    ///
    /// ```
    /// # let db = rocksalt::blocking::Database::in_memory()?;
    /// # db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// # db.execute("UPSERT INTO t VALUES (1)", ())?;
    /// let row = db.table("t")?.get(1)?.expect("just written");
    /// assert_eq!(row.schema().field(0).name(), "k");
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The values, in the order of the columns.
    ///
    /// ```
    /// # let db = rocksalt::blocking::Database::in_memory()?;
    /// # db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// # db.execute("UPSERT INTO t VALUES (1)", ())?;
    /// let row = db.table("t")?.get(1)?.expect("just written");
    /// assert_eq!(row.values(), [rocksalt::Value::from(1)]);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The value of the column of that name; `None` if there is no such column.
    ///
    /// ```
    /// # let db = rocksalt::blocking::Database::in_memory()?;
    /// # db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// # db.execute("UPSERT INTO t VALUES (1)", ())?;
    /// let row = db.table("t")?.get(1)?.expect("just written");
    /// assert_eq!(row.get("nowhere"), None);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn get(&self, column: &str) -> Option<&Value> {
        let (index, _) = self.schema.column_with_name(column)?;
        self.values.get(index)
    }

    /// The values alone.
    ///
    /// ```
    /// # let db = rocksalt::blocking::Database::in_memory()?;
    /// # db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// # db.execute("UPSERT INTO t VALUES (1)", ())?;
    /// let row = db.table("t")?.get(1)?.expect("just written");
    /// assert_eq!(row.into_values(), [rocksalt::Value::from(1)]);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn into_values(self) -> Vec<Value> {
        self.values
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, value) in self.values.iter().enumerate() {
            write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}
