//! A table of all combinations, and the check of one predicate on it.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch};
use datafusion::common::DFSchema;
use datafusion::execution::SessionState;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::scalar::ScalarValue;

use crate::catalog::{ColumnDef, KeyPart, TableDef};
use crate::key::Salting;
use crate::plan::{Scan, ScanOptions, narrow, type_filters};
use crate::types::{SqlType, Value};

/// A key column and the values that stand in it, NULL among them if it is nullable.
pub(in crate::plan) struct Key {
    pub name: &'static str,
    pub sql_type: SqlType,
    pub values: Vec<Value>,
}

impl Key {
    pub(in crate::plan) fn new<T: Into<Value>>(
        name: &'static str,
        sql_type: SqlType,
        values: impl IntoIterator<Item = T>,
    ) -> Key {
        Key {
            name,
            sql_type,
            values: values.into_iter().map(Into::into).collect(),
        }
    }

    pub(in crate::plan) fn nullable(mut self) -> Key {
        self.values.push(Value::Null);
        self
    }

    fn is_nullable(&self) -> bool {
        self.values.iter().any(Value::is_null)
    }
}

/// A bucket and a row key in it.
type BucketKey = (u8, Vec<u8>);

/// A table of all combinations of the values of its key columns, and a column `v` beside them.
pub(in crate::plan) struct Grid {
    pub(super) keys: Vec<Key>,
    pub(super) rows: Vec<Vec<Value>>,
    /// The bucket and row key of each row, by direction and salting.
    pub(super) encoded: Vec<Vec<Vec<BucketKey>>>,
    batch: RecordBatch,
    pub schema: DFSchema,
    state: SessionState,
}

impl Grid {
    pub(in crate::plan) fn new(keys: Vec<Key>) -> Grid {
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for key in &keys {
            rows = rows
                .iter()
                .flat_map(|row| {
                    key.values
                        .iter()
                        .map(move |v| row.iter().chain([v]).cloned().collect())
                })
                .collect();
        }
        let def = table(&keys, 0, None);
        let arrow = def.arrow_schema();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            let scalars = rows.iter().map(|row| scalar(&row[at], &key.sql_type));
            arrays.push(ScalarValue::iter_to_array(scalars).unwrap());
        }
        let v = (0..rows.len()).map(|i| ScalarValue::Int32((i % 5 != 4).then_some((i % 5) as i32)));
        arrays.push(ScalarValue::iter_to_array(v).unwrap());
        let batch = RecordBatch::try_new(Arc::clone(&arrow), arrays).unwrap();
        let schema = DFSchema::try_from(arrow).unwrap();
        let mut config = SessionConfig::new();
        config.options_mut().sql_parser.parse_float_as_decimal = true;
        let state = SessionContext::new_with_config(config).state();
        let mut grid = Grid {
            keys,
            rows,
            encoded: Vec::new(),
            batch,
            schema,
            state,
        };
        grid.encoded = (0..1 << grid.keys.len())
            .map(|descending| {
                let encode = |salting| {
                    let layout = grid.def(descending, salting).key_layout();
                    grid.rows
                        .iter()
                        .map(|row| layout.encode(row).unwrap())
                        .collect()
                };
                grid.saltings().into_iter().map(encode).collect()
            })
            .collect();
        grid
    }

    pub(in crate::plan) fn parse(&self, sql: &str) -> Expr {
        self.state.create_logical_expr(sql, &self.schema).unwrap()
    }

    /// The table with the columns in `descending` (bit by bit) in DESC.
    pub(in crate::plan) fn def(&self, descending: usize, salting: Option<Salting>) -> TableDef {
        table(&self.keys, descending, salting)
    }

    /// Every way in which the tests salt the table.
    pub(super) fn saltings(&self) -> Vec<Option<Salting>> {
        let mut saltings = vec![None];
        for buckets in [1, 3, 16, 256] {
            saltings.push(Some(Salting::new(buckets, None)));
        }
        for column in 0..self.keys.len() {
            saltings.push(Some(Salting::new(16, Some(vec![column]))));
        }
        if self.keys.len() > 2 {
            saltings.push(Some(Salting::new(3, Some(vec![0, 2]))));
        }
        saltings
    }

    /// For which rows a predicate is true, as DataFusion says; an error if it has none.
    pub(in crate::plan) fn truth(&self, expr: &Expr) -> datafusion::common::Result<Vec<bool>> {
        let physical = self
            .state
            .create_physical_expr(expr.clone(), &self.schema)?;
        let array = physical
            .evaluate(&self.batch)?
            .into_array(self.batch.num_rows())?;
        if array.data_type().is_null() {
            return Ok(vec![false; array.len()]);
        }
        Ok(array
            .as_boolean()
            .iter()
            .map(|truth| truth == Some(true))
            .collect())
    }

    /// What DataFusion makes of an expression in one row.
    pub(in crate::plan) fn value(
        &self,
        expr: &Expr,
        row: usize,
    ) -> datafusion::common::Result<ScalarValue> {
        let physical = self
            .state
            .create_physical_expr(expr.clone(), &self.schema)?;
        let value = physical.evaluate(&self.batch.slice(row, 1))?;
        ScalarValue::try_from_array(&value.into_array(1)?, 0)
    }

    /// A predicate as the optimizer hands it to a scan.
    pub(super) fn optimized(&self, expr: Expr) -> Option<Vec<Expr>> {
        let context = SimplifyContext::builder()
            .with_schema(Arc::new(self.schema.clone()))
            .build();
        let simplifier = ExprSimplifier::new(context);
        let coerced = simplifier.coerce(expr, &self.schema).ok()?;
        let simple = simplifier.simplify(coerced).ok()?;
        Some(datafusion::logical_expr::utils::split_conjunction_owned(
            simple,
        ))
    }

    pub(in crate::plan) fn coerced(&self, expr: Expr) -> Option<Expr> {
        let context = SimplifyContext::builder()
            .with_schema(Arc::new(self.schema.clone()))
            .build();
        ExprSimplifier::new(context).coerce(expr, &self.schema).ok()
    }

    /// The line that EXPLAIN prints for the scan of a predicate, typed and optimised.
    pub(in crate::plan) fn explain(
        &self,
        sql: &str,
        descending: usize,
        salting: Option<Salting>,
    ) -> String {
        let def = self.def(descending, salting);
        let typed = type_filters(vec![self.parse(sql)], &def).unwrap();
        let filters = typed
            .into_iter()
            .flat_map(|e| self.optimized(e).unwrap())
            .collect::<Vec<_>>();
        let path = narrow(&def, &filters).unwrap();
        Scan::new(&def, &path, ScanOptions::default()).to_string()
    }
}

fn table(keys: &[Key], descending: usize, salting: Option<Salting>) -> TableDef {
    let mut columns: Vec<ColumnDef> = keys
        .iter()
        .enumerate()
        .map(|(at, key)| ColumnDef {
            id: at as u16,
            name: key.name.to_owned(),
            sql_type: key.sql_type,
            nullable: key.is_nullable(),
            default: None,
            missing: Value::Null,
        })
        .collect();
    columns.push(ColumnDef {
        id: keys.len() as u16,
        name: "v".to_owned(),
        sql_type: SqlType::Integer,
        nullable: true,
        default: None,
        missing: Value::Null,
    });
    TableDef {
        id: 100,
        schema: "public".to_owned(),
        name: "t".to_owned(),
        columns,
        next_column_id: 0,
        key_name: None,
        key: (0..keys.len())
            .map(|column| KeyPart {
                column,
                descending: descending >> column & 1 == 1,
            })
            .collect(),
        salting,
        null_keys_repeat: false,
        format_version: 1,
    }
}

fn scalar(value: &Value, sql_type: &SqlType) -> ScalarValue {
    match value {
        Value::Null => ScalarValue::try_from(&sql_type.arrow()).unwrap(),
        value => value.to_scalar(),
    }
}
