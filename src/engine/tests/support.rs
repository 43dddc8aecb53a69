//! A store with tables and rows, without any statement that writes.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use futures::StreamExt;
use sqlparser::ast::Query;

use crate::catalog::{Catalog, ColumnDef, KeyPart, TableDef};
use crate::codec::RowEncoder;
use crate::engine::{BoundQuery, Engine, EngineOptions};
use crate::error::Result;
use crate::key::Salting;
use crate::plan::Plan;
use crate::sql::{self, Statement};
use crate::store::{RocksStore, Store, StoreOptions, WriteBatch};
use crate::table::ScanCounters;
use crate::types::{SqlType, Value};

pub(super) struct Fixture {
    pub(super) engine: Engine,
    pub(super) store: Arc<dyn Store>,
    pub(super) catalog: Catalog,
    _folder: tempfile::TempDir,
}

/// A column: its name, its type, whether it is nullable.
pub(super) type Column = (&'static str, SqlType, bool);

impl Fixture {
    pub(super) fn new(threads: usize) -> Self {
        Fixture::with_memory(threads, 256 << 20)
    }

    pub(super) fn with_memory(threads: usize, memory_limit: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data");
        let store = RocksStore::open(&path, &StoreOptions::default()).expect("a store");
        let store: Arc<dyn Store> = Arc::new(store);
        let catalog = Catalog::open(store.clone()).expect("an empty catalog");
        let options = EngineOptions {
            threads,
            memory_limit,
            spill_dir: None,
        };
        Fixture {
            engine: Engine::new(options).expect("an engine"),
            store,
            catalog,
            _folder: folder,
        }
    }

    /// Creates a table. The key is a list of columns, each perhaps followed by ` DESC`; 0 buckets
    /// is unsalted.
    pub(super) fn create(&self, name: &str, columns: &[Column], key: &[&str], buckets: u16) {
        self.create_salted(name, columns, key, buckets, None);
    }

    pub(super) fn create_salted(
        &self,
        name: &str,
        columns: &[Column],
        key: &[&str],
        buckets: u16,
        salt_columns: Option<Vec<usize>>,
    ) {
        let part = |text: &&str| {
            let column = text.trim_end_matches(" DESC");
            KeyPart {
                column: columns
                    .iter()
                    .position(|(n, ..)| *n == column)
                    .expect("a column"),
                descending: text.ends_with(" DESC"),
            }
        };
        let column = |(name, sql_type, nullable): &Column| ColumnDef {
            id: 0,
            name: (*name).to_owned(),
            sql_type: *sql_type,
            nullable: *nullable,
            default: None,
            missing: Value::Null,
        };
        let def = TableDef {
            id: 0,
            schema: "public".to_owned(),
            name: name.to_owned(),
            columns: columns.iter().map(column).collect(),
            next_column_id: 0,
            key_name: None,
            key: key.iter().map(part).collect(),
            salting: (buckets > 0).then(|| Salting::new(buckets, salt_columns)),
            null_keys_repeat: false,
            format_version: 1,
        };
        self.catalog.create_table(def, false).expect("a new table");
    }

    pub(super) fn load(&self, table: &str, rows: impl IntoIterator<Item = Vec<Value>>) {
        let state = self.catalog.state();
        let entry = state.find_table("public", table).expect("a table");
        let def = &entry.def;
        let layout = def.key_layout();
        let stored: Vec<usize> = (0..def.columns.len())
            .filter(|c| def.key_position(*c).is_none())
            .collect();
        let types = stored
            .iter()
            .map(|c| (def.columns[*c].id, def.columns[*c].sql_type));
        let encoder = RowEncoder::new(types.collect());
        let mut batch = WriteBatch::new();
        for row in rows {
            let key: Vec<Value> = def
                .key
                .iter()
                .map(|part| row[part.column].clone())
                .collect();
            let (bucket, key) = layout.encode(&key).expect("a key");
            let values: Vec<Value> = stored.iter().map(|c| row[*c].clone()).collect();
            let mut value = Vec::new();
            encoder.encode_values(&values, &mut value).expect("a row");
            batch.put(&entry.handle, bucket, &key, &value);
        }
        self.store.write(batch).expect("a write");
    }

    pub(super) fn bind(&self, sql: &str) -> Result<BoundQuery> {
        self.engine.bind_query(&self.catalog.state(), &parse(sql))
    }

    pub(super) fn query(&self, sql: &str) -> Result<Vec<RecordBatch>> {
        self.query_with(sql, &[], Arc::default())
    }

    pub(super) fn query_with(
        &self,
        sql: &str,
        values: &[Value],
        counters: Arc<ScanCounters>,
    ) -> Result<Vec<RecordBatch>> {
        let bound = self.bind(sql)?;
        let mut stream = bound.execute_counted(&self.store.snapshot(), values, counters)?;
        futures::executor::block_on(async {
            let mut batches = Vec::new();
            while let Some(batch) = stream.next().await {
                batches.push(batch?);
            }
            Ok(batches)
        })
    }

    /// The rows as text, values separated by commas.
    pub(super) fn rows(&self, sql: &str) -> Vec<String> {
        self.rows_with(sql, &[])
    }

    pub(super) fn rows_with(&self, sql: &str, values: &[Value]) -> Vec<String> {
        let batches = self.query_with(sql, values, Arc::default());
        texts(&batches.unwrap_or_else(|e| panic!("{sql}: {e}")))
    }

    pub(super) fn explain(&self, sql: &str) -> String {
        self.explain_with(sql, Some(&[]))
    }

    pub(super) fn explain_with(&self, sql: &str, values: Option<&[Value]>) -> String {
        let bound = self.bind(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
        let node = bound
            .explain(values)
            .unwrap_or_else(|e| panic!("{sql}: {e}"));
        Plan::new(node).to_string()
    }
}

pub(super) fn parse(text: &str) -> Query {
    match sql::parse(text)
        .unwrap_or_else(|e| panic!("{text}: {e}"))
        .statement
    {
        Statement::Query(query) => *query,
        other => panic!("{other} is no query"),
    }
}

pub(super) fn texts(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::default().with_null("NULL");
    let mut rows = Vec::new();
    for batch in batches {
        let columns: Vec<_> = batch
            .columns()
            .iter()
            .map(|c| ArrayFormatter::try_new(c.as_ref(), &options).expect("a printable column"))
            .collect();
        for row in 0..batch.num_rows() {
            let cells: Vec<_> = columns.iter().map(|c| c.value(row).to_string()).collect();
            rows.push(cells.join(","));
        }
    }
    rows
}

pub(super) fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}
