//! A table of all combinations, and the check of one predicate on it.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Bound;
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
use crate::key::{KeyRange, Salting};
use crate::plan::path::Buckets;
use crate::plan::{Access, AccessPath, Scan, ScanOptions, narrow, type_filters};
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
    keys: Vec<Key>,
    rows: Vec<Vec<Value>>,
    /// The bucket and row key of each row, by direction and salting.
    encoded: Vec<Vec<Vec<BucketKey>>>,
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
    fn saltings(&self) -> Vec<Option<Salting>> {
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

    /// A predicate as the optimizer hands it to a scan.
    fn optimized(&self, expr: Expr) -> Option<Vec<Expr>> {
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

    /// Checks a predicate in every form, direction and salting.
    pub(in crate::plan) fn check(&self, predicate: &Expr) -> Result<(), String> {
        let def = self.def(0, None);
        let typed = type_filters(vec![predicate.clone()], &def).map_err(|e| e.to_string())?;
        let truth = self.truth(&typed[0]).map_err(|e| e.to_string())?;
        let mut forms = vec![("typed", typed.clone(), truth.clone())];
        if let Some(optimized) = self.optimized(typed[0].clone()) {
            forms.push(("optimised", optimized, truth));
        }
        // Untyped, with the casts that coercion puts around columns, where they can be evaluated
        // and mean the same: DataFusion knows nothing of CHAR.
        let has_char = self
            .keys
            .iter()
            .any(|key| matches!(key.sql_type, SqlType::Char(_)));
        if !has_char
            && let Some(coerced) = self.coerced(predicate.clone())
            && let Ok(truth) = self.truth(&coerced)
        {
            forms.push(("coerced", vec![coerced], truth));
        }
        for (form, filters, truth) in forms {
            self.check_form(&filters, &truth).map_err(|e| {
                let filters: Vec<String> = filters.iter().map(ToString::to_string).collect();
                format!("{form} {}: {e}", filters.join(" AND "))
            })?;
        }
        Ok(())
    }

    fn check_form(&self, filters: &[Expr], truth: &[bool]) -> Result<(), String> {
        let mut residuals: HashMap<Vec<Expr>, Vec<bool>> = HashMap::new();
        for descending in 0..1 << self.keys.len() {
            let mut unsalted: Option<(AccessPath, Vec<bool>)> = None;
            for (salting, rows) in self.saltings().into_iter().zip(&self.encoded[descending]) {
                let def = self.def(descending, salting);
                let path = narrow(&def, filters).map_err(|e| e.to_string())?;
                let line = Scan::new(&def, &path, ScanOptions::default()).to_string();
                let at = |e| format!("{line}: {e}");
                let (first, found) = match &mut unsalted {
                    Some(unsalted) => unsalted,
                    None => {
                        let read = self.rows_in_ranges(&def, &path, rows).map_err(at)?;
                        if !residuals.contains_key(&path.residual) {
                            let passes = self.passes(&path.residual).map_err(at)?;
                            residuals.insert(path.residual.clone(), passes);
                        }
                        let passes = &residuals[&path.residual];
                        for (row, truth) in truth.iter().enumerate() {
                            if (read[row] && passes[row]) != *truth {
                                return Err(at(format!(
                                    "{:?} is {} but {}",
                                    self.rows[row],
                                    if *truth { "true" } else { "not true" },
                                    if read[row] { "read" } else { "not read" },
                                )));
                            }
                        }
                        unsalted.insert((path.clone(), read))
                    }
                };
                if path.access != first.access || path.residual != first.residual {
                    return Err(at("the salt changes the ranges".to_owned()));
                }
                self.check_buckets(&def, &path, rows, truth, found)
                    .map_err(at)?;
            }
        }
        Ok(())
    }

    /// Which rows pass all of some filters.
    fn passes(&self, filters: &[Expr]) -> Result<Vec<bool>, String> {
        let mut passes = vec![true; self.rows.len()];
        for expr in filters {
            let truth = self.truth(expr).map_err(|e| e.to_string())?;
            passes.iter_mut().zip(truth).for_each(|(p, t)| *p &= t);
        }
        Ok(passes)
    }

    /// Which rows lie in the ranges of a path, each in one at most, by values and by bytes.
    fn rows_in_ranges(
        &self,
        def: &TableDef,
        path: &AccessPath,
        rows: &[(u8, Vec<u8>)],
    ) -> Result<Vec<bool>, String> {
        let layout = def.key_layout();
        let order: Vec<bool> = def.key.iter().map(|part| part.descending).collect();
        let ranges = path.key_ranges().ok_or("symbols are left")?;
        if matches!(path.access, Access::Ranges(_)) && ranges.is_empty() {
            return Err("no ranges and not Empty".to_owned());
        }
        let mut bytes = Vec::new();
        for range in &ranges {
            let encoded = range.encode(&layout).map_err(|e| e.to_string())?;
            bytes.push(encoded.ok_or_else(|| format!("an empty range {range:?}"))?);
        }
        for pair in bytes.windows(2) {
            let end = pair[0].end.as_ref().ok_or("a range after the last")?;
            // In bytes two ranges may meet, where there is no value between them.
            if *end > pair[1].start {
                return Err(format!("ranges out of order or overlapping: {pair:?}"));
            }
        }
        let mut read = vec![false; rows.len()];
        for (at, (row, (_, key))) in self.rows.iter().zip(rows).enumerate() {
            let holding = ranges
                .iter()
                .filter(|range| holds(range, row, &order))
                .count();
            let in_bytes = bytes
                .iter()
                .filter(|r| r.start <= *key && r.end.as_ref().is_none_or(|end| key < end))
                .count();
            if holding > 1 || in_bytes != holding {
                return Err(format!(
                    "{row:?} lies in {holding} ranges, its key in {in_bytes}"
                ));
            }
            read[at] = holding == 1;
        }
        for column in &path.fixed {
            let mut values = (0..rows.len())
                .filter(|i| read[*i])
                .map(|i| &self.rows[i][*column]);
            let first = values.next();
            // Rows that the residual drops may differ: nothing is said of a column in a filter.
            if path.residual.is_empty()
                && values.any(|value| compare(value, first.unwrap_or(value)).is_ne())
            {
                return Err(format!("column {column} is not the same in all rows"));
            }
        }
        Ok(read)
    }

    fn check_buckets(
        &self,
        def: &TableDef,
        path: &AccessPath,
        rows: &[(u8, Vec<u8>)],
        truth: &[bool],
        read: &[bool],
    ) -> Result<(), String> {
        let layout = def.key_layout();
        let buckets = path.bucket_set(layout.buckets());
        for (at, (bucket, _)) in rows.iter().enumerate() {
            if truth[at] && read[at] && !buckets.contains(*bucket) {
                return Err(format!("{:?} lies in bucket {bucket}", self.rows[at]));
            }
        }
        if let Some(keys) = path.keys() {
            let mut own = crate::key::BucketSet::default();
            for key in &keys {
                own.insert(layout.encode(key).map_err(|e| e.to_string())?.0);
            }
            if path.buckets != Buckets::Known(own) {
                return Err("a point get reads other buckets than those of its keys".to_owned());
            }
        }
        Ok(())
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
        })
        .collect();
    columns.push(ColumnDef {
        id: keys.len() as u16,
        name: "v".to_owned(),
        sql_type: SqlType::Integer,
        nullable: true,
        default: None,
    });
    TableDef {
        id: 100,
        schema: "public".to_owned(),
        name: "t".to_owned(),
        columns,
        key_name: None,
        key: (0..keys.len())
            .map(|column| KeyPart {
                column,
                descending: descending >> column & 1 == 1,
            })
            .collect(),
        salting,
        format_version: 1,
    }
}

fn scalar(value: &Value, sql_type: &SqlType) -> ScalarValue {
    match value {
        Value::Null => ScalarValue::try_from(&sql_type.arrow()).unwrap(),
        value => value.to_scalar(),
    }
}

/// Whether a row lies in a range, by its values: written down anew, so that it can disagree.
fn holds(range: &KeyRange, row: &[Value], descending: &[bool]) -> bool {
    let place = |bound: &[Value]| -> Ordering {
        for ((value, limit), descending) in row.iter().zip(bound).zip(descending) {
            let order = compare(value, limit);
            let order = if *descending { order.reverse() } else { order };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    };
    let above = match &range.lower {
        Bound::Unbounded => true,
        Bound::Included(bound) => place(bound) != Ordering::Less,
        Bound::Excluded(bound) => place(bound) == Ordering::Greater,
    };
    let below = match &range.upper {
        Bound::Unbounded => true,
        Bound::Included(bound) => place(bound) != Ordering::Greater,
        Bound::Excluded(bound) => place(bound) == Ordering::Less,
    };
    above && below
}

fn compare(a: &Value, b: &Value) -> Ordering {
    fn number(value: &Value) -> Option<i128> {
        Some(match value {
            Value::Boolean(v) => i128::from(*v),
            Value::TinyInt(v) => i128::from(*v),
            Value::SmallInt(v) => i128::from(*v),
            Value::Integer(v) => i128::from(*v),
            Value::BigInt(v) => i128::from(*v),
            Value::UTinyInt(v) => i128::from(*v),
            Value::USmallInt(v) => i128::from(*v),
            Value::UInteger(v) => i128::from(*v),
            Value::UBigInt(v) => i128::from(*v),
            Value::Decimal { unscaled, .. } => *unscaled,
            Value::Date(v) => i128::from(*v),
            Value::Time(v) => i128::from(*v),
            Value::Timestamp(v) => i128::from(*v),
            _ => return None,
        })
    }
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Greater,
        (_, Value::Null) => Ordering::Less,
        (Value::Text(a), Value::Text(b)) => a.chars().cmp(b.chars()),
        (Value::Binary(a), Value::Binary(b)) => a.cmp(b),
        (Value::Real(a), Value::Real(b)) => a.total_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.total_cmp(b),
        (a, b) => number(a)
            .expect("a number")
            .cmp(&number(b).expect("a number")),
    }
}
