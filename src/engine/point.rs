//! A point get without DataFusion's optimizer and execution: the key is computed, its row is read
//! and the columns are put together on the caller's thread.

use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result as DataFusionResult, ScalarValue};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::expr::Alias;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::utils::split_conjunction_owned;
use datafusion::logical_expr::{Expr, FetchType, LogicalPlan, SkipType, Volatility};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::physical_expr::PhysicalExpr;

use crate::catalog::{Entry, IndexEntry, IndexPart, IndexSource, TableDef};
use crate::engine::error::from_datafusion;
use crate::engine::index::Hint;
use crate::engine::scan::fanout;
use crate::engine::scan::provider::{can_filter, hint_of, stored_entry};
use crate::engine::scan::residual::residual_with;
use crate::engine::scope::Execution;
use crate::engine::session_settings::Settings;
use crate::engine::verify::{Asked, Verifier};
use crate::error::{Error, Result};
use crate::plan::{self, Access, AccessPath, Operand};
use crate::store::CursorOrder;
use crate::table::{Lookup, Progress, ReadRequest, Reader, RowFilter, Target, request_schema};
use crate::types::Value;

/// Point gets of more keys than this leave the caller's thread.
const MAX_KEYS: usize = 64;

/// A query of one table whose filter may bind its whole key: `SELECT columns FROM t WHERE ...`,
/// perhaps with ORDER BY and LIMIT.
#[derive(Debug)]
pub(super) struct PointQuery {
    entry: Arc<Entry>,
    /// The UNIQUE index whose key the filter binds, if it does not bind that of the table.
    index: Option<Arc<IndexEntry>>,
    /// The filter, its columns without qualifiers, its parameters as they are.
    filters: Vec<Expr>,
    /// The path that the filter gives, parameters being symbols; kept if it is one key of
    /// literals and parameters and nothing besides.
    key: Option<AccessPath>,
    /// The columns that are read.
    columns: Vec<usize>,
    /// What is returned of them, if it is not just these.
    outputs: Option<Vec<Arc<dyn PhysicalExpr>>>,
    schema: SchemaRef,
    limit: Option<usize>,
    /// Whether an order was asked for, which a single row has.
    ordered: bool,
}

impl PointQuery {
    /// The point query that a plan is, if it is one.
    pub(super) fn find(plan: &LogicalPlan, state: &SessionState) -> Option<Self> {
        let schema = plan.schema().inner().clone();
        let (mut limit, mut ordered) = (None, false);
        let mut projected = None;
        let mut filters = Vec::new();
        let mut node = plan;
        let scan = loop {
            node = match node {
                LogicalPlan::Limit(one) if limit.is_none() && projected.is_none() => {
                    match (one.get_skip_type(), one.get_fetch_type()) {
                        (Ok(SkipType::Literal(0)), Ok(FetchType::Literal(Some(rows)))) => {
                            limit = Some(rows);
                        }
                        _ => return None,
                    }
                    &one.input
                }
                LogicalPlan::Sort(sort) if sort.fetch.is_none() => {
                    ordered = true;
                    &sort.input
                }
                LogicalPlan::Projection(projection) if projected.is_none() => {
                    projected = Some(&projection.expr);
                    &projection.input
                }
                LogicalPlan::Filter(filter) if projected.is_some() => {
                    filters.push(&filter.predicate);
                    &filter.input
                }
                LogicalPlan::SubqueryAlias(alias) if projected.is_some() => &alias.input,
                LogicalPlan::TableScan(scan) => break scan,
                _ => return None,
            };
        };
        let entry = stored_entry(&scan.source)?;
        let (projected, def) = (projected?, &entry.def);
        let hint = hint_of(&scan.source);
        if matches!(hint, Hint::Index(_)) {
            return None;
        }
        if scan.fetch.is_some() || !scan.filters.is_empty() || scan.projection.is_some() {
            return None;
        }
        if !filters.iter().all(|filter| can_filter(filter)) {
            return None;
        }
        let filters: Vec<Expr> = filters
            .into_iter()
            .flat_map(|filter| split_conjunction_owned(unnormalize_col(filter.clone())))
            .collect();
        let typed = plan::type_filters(filters.clone(), def).ok()?;
        let (index, path) = match plan::narrow(def, &typed).ok()? {
            path if matches!(path.access, Access::PointGet(_)) => (None, path),
            path if path.access == Access::Empty || hint != Hint::None => return None,
            _ => unique_index(&entry, &typed)?,
        };
        let Access::PointGet(keys) = &path.access else {
            return None;
        };
        let known = |operand: &Operand| match operand {
            Operand::Value(_) | Operand::Symbol(Expr::Placeholder(_)) => true,
            Operand::Symbol(_) => false,
        };
        let one_key = matches!(keys.as_slice(), [key] if key.iter().all(known));
        let key = (one_key && path.residual.is_empty()).then_some(path);

        let plain: Option<Vec<usize>> = projected.iter().map(|expr| column(def, expr)).collect();
        let (columns, outputs) = match plain {
            Some(columns) => (columns, None),
            None => {
                let (columns, outputs) = computed(&entry, projected, &schema, state)?;
                (columns, Some(outputs))
            }
        };
        Some(PointQuery {
            index,
            entry,
            filters,
            key,
            columns,
            outputs,
            schema,
            limit,
            ordered,
        })
    }

    /// The definition of what the keys are of: the table, or a UNIQUE index as a table.
    pub(super) fn def(&self) -> &TableDef {
        match &self.index {
            Some(index) => &index.view,
            None => &self.entry.def,
        }
    }

    /// The rows in that order, or `None` if these values need another way.
    ///
    /// # Errors
    /// Those of the query, as every other way would report them.
    pub(super) fn execute(
        &self,
        state: &SessionState,
        execution: &Execution<'_>,
        values: &[Value],
        order: CursorOrder,
    ) -> Result<Option<RecordBatch>> {
        let bound = match &self.key {
            Some(path) => path.bind_key(self.def(), &mut |symbol| value_of(symbol, values))?,
            None => None,
        };
        let (keys, filter) = match bound {
            Some(key) => (vec![key], None),
            None => match self.narrow(state, execution.settings, values)? {
                Some(narrowed) => narrowed,
                None => return Ok(None),
            },
        };
        let (def, handle) = (self.entry.def.clone(), self.entry.handle.clone());
        let (def, handle, lookup) = match &self.index {
            None => (def, handle, None),
            Some(index) => {
                let held = self.columns.iter().all(|column| index.holds(*column));
                let lookup = Lookup {
                    def,
                    handle,
                    in_order: false,
                };
                let lookup = (!held || filter.is_some()).then_some(lookup);
                (index.view.clone(), index.handle.clone(), lookup)
            }
        };
        let request = ReadRequest {
            lookup,
            filter,
            order,
            limit: self.limit,
            ..ReadRequest::new(def, handle, self.columns.clone(), Target::Keys(keys))
        };
        let counters = execution.counters.clone();
        let mut reader = Reader::open(&request, execution.snapshot, counters)?;
        let mut batches = Vec::new();
        loop {
            match reader.read()? {
                Progress::Batch(batch) => batches.push(batch),
                Progress::Nothing => {}
                Progress::End => break,
            }
        }
        let batch = match <[RecordBatch; 1]>::try_from(batches) {
            Ok([batch]) => batch,
            Err(batches) => concat_batches(&request.schema()?, &batches).map_err(unexpected)?,
        };
        if let Some(verifier) = &execution.verifier {
            self.watch(verifier, state, values, &batch)?;
        }
        self.output(&batch).map(Some)
    }

    /// Has the rows verified.
    fn watch(
        &self,
        verifier: &Verifier,
        state: &SessionState,
        values: &[Value],
        batch: &RecordBatch,
    ) -> Result<()> {
        let def = &self.entry.def;
        let mut path = plan::narrow(def, &self.typed(values)?)?;
        let schema = DFSchema::try_from(def.arrow_schema()).map_err(from_datafusion)?;
        for terms in [&mut path.filters, &mut path.residual] {
            let prepared = terms.drain(..).map(|e| prepared(e, &schema, state));
            *terms = prepared
                .collect::<Result<_, _>>()
                .map_err(from_datafusion)?;
        }
        let path = Arc::new(path);
        let asked = || Asked {
            entry: self.entry.clone(),
            via: None,
            filters: path.filters.clone(),
            path: path.clone(),
            columns: self.columns.clone(),
            hints: 0,
            groups: None,
            limit: self.limit,
        };
        let witness = verifier.witness(asked, &path, 0, 1);
        witness.see(batch)?;
        witness.end(0);
        Ok(())
    }

    /// The filter for these values.
    fn typed(&self, values: &[Value]) -> Result<Vec<Expr>> {
        let filters = self.filters.iter();
        let filters = filters.map(|filter| with_values(filter.clone(), values));
        plan::type_filters(filters.collect::<Result<_>>()?, &self.entry.def)
    }

    /// The keys and the filter for these values, or `None` if they need another way.
    fn narrow(
        &self,
        state: &SessionState,
        settings: &Settings,
        values: &[Value],
    ) -> Result<Option<Narrowed>> {
        let def = &self.entry.def;
        let path = plan::narrow(self.def(), &self.typed(values)?)?;
        let Some(keys) = path.keys() else {
            return Ok(None);
        };
        // The keys of an index are in another order than those of their rows.
        let ordered = self.ordered || self.index.is_some();
        if keys.len() > MAX_KEYS || (ordered && keys.len() > 1) {
            return Ok(None);
        }
        let index = self.index.as_ref().map(|index| index.view.as_ref());
        fanout::check_path(&self.entry, index, &path, settings.max_fanout)?;
        let filter = match path.residual.is_empty() {
            true => None,
            false => {
                if !path.residual.iter().all(is_immutable) {
                    return Ok(None);
                }
                let schema = DFSchema::try_from(def.arrow_schema()).map_err(from_datafusion)?;
                let filters = path
                    .residual
                    .into_iter()
                    .map(|e| prepared(e, &schema, state));
                let filters = filters
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(from_datafusion)?;
                residual_with(def, &self.columns, &filters, state.execution_props())
                    .map_err(from_datafusion)?
            }
        };
        Ok(Some((keys, filter)))
    }

    fn output(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let columns = match &self.outputs {
            None => batch.columns().to_vec(),
            Some(outputs) => outputs
                .iter()
                .map(|output| output.evaluate(batch)?.into_array(rows))
                .collect::<Result<_, _>>()
                .map_err(from_datafusion)?,
        };
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .map_err(unexpected)
    }
}

/// The UNIQUE index of plain columns and all rows whose every column the filters bind, if there is
/// one alone, and its path.
fn unique_index(entry: &Entry, filters: &[Expr]) -> Option<(Option<Arc<IndexEntry>>, AccessPath)> {
    let mut found = None;
    let is_column = |part: &IndexPart| matches!(part.source, IndexSource::Column(_));
    for index in entry.ready_indexes().filter(|index| index.def.unique) {
        if index.def.predicate.is_some() || !index.def.parts.iter().all(is_column) {
            continue;
        }
        let path = plan::narrow(&index.view, filters).ok()?;
        if path.shape.equal < index.def.parts.len() {
            continue;
        }
        if found.is_some() || !matches!(path.access, Access::PointGet(_)) {
            return None;
        }
        found = Some((Some(index.clone()), path));
    }
    found
}

/// The column of the table that an expression is, whatever it is called.
fn column(def: &TableDef, expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Column(column) => def.find_column(&column.name),
        Expr::Alias(alias) => column(def, &alias.expr),
        _ => None,
    }
}

/// The keys that are read and the filter of their rows.
type Narrowed = (Vec<Vec<Value>>, Option<RowFilter>);

/// Columns that are read, and expressions over them.
type Computed = (Vec<usize>, Vec<Arc<dyn PhysicalExpr>>);

/// The columns that expressions read, and the expressions over them. None for what the
/// optimizer would have to work on, and where it might come to another type.
fn computed(
    entry: &Entry,
    exprs: &[Expr],
    output: &SchemaRef,
    state: &SessionState,
) -> Option<Computed> {
    let def = &entry.def;
    if !exprs
        .iter()
        .all(|expr| can_filter(expr) && is_immutable(expr))
    {
        return None;
    }
    let mut columns: Vec<usize> = exprs
        .iter()
        .flat_map(|expr| expr.column_refs())
        .map(|column| def.find_column(&column.name))
        .collect::<Option<_>>()?;
    columns.sort_unstable();
    columns.dedup();
    let schema = DFSchema::try_from(request_schema(def, &columns).ok()?).ok()?;
    let mut physical = Vec::with_capacity(exprs.len());
    for (expr, field) in exprs.iter().zip(output.fields()) {
        let expr = match unnormalize_col(expr.clone()) {
            Expr::Alias(Alias { expr, .. }) => *expr,
            expr => expr,
        };
        let expr = prepared(expr, &schema, state).ok()?;
        let expr = state.create_physical_expr(expr, &schema).ok()?;
        if expr.data_type(schema.as_arrow()).ok()? != *field.data_type() {
            return None;
        }
        physical.push(expr);
    }
    Some((columns, physical))
}

/// The expression in its final types and without the calls that only the simplifier resolves.
fn prepared(expr: Expr, schema: &DFSchema, state: &SessionState) -> DataFusionResult<Expr> {
    let context = SimplifyContext::builder()
        .with_schema(Arc::new(schema.clone()))
        .with_config_options(state.config_options().clone())
        .build();
    let simplifier = ExprSimplifier::new(context);
    simplifier.simplify(simplifier.coerce(expr, schema)?)
}

/// Whether an expression holds no parameter and nothing that depends on the time or the session.
fn is_immutable(expr: &Expr) -> bool {
    let varies = |e: &Expr| match e {
        Expr::Placeholder(_) | Expr::HigherOrderFunction(_) | Expr::ScalarVariable(..) => true,
        Expr::ScalarFunction(call) => call.func.signature().volatility != Volatility::Immutable,
        _ => false,
    };
    !expr.exists(|e| Ok(varies(e))).unwrap_or(true)
}

/// The value of a parameter.
fn value_of(symbol: &Expr, values: &[Value]) -> Result<ScalarValue> {
    let id = match symbol {
        Expr::Placeholder(placeholder) => placeholder.id.as_str(),
        _ => "",
    };
    find_value(id, values).ok_or_else(|| Error::invalid(format!("parameter {id} has no value")))
}

fn find_value(id: &str, values: &[Value]) -> Option<ScalarValue> {
    let number: usize = id.strip_prefix('$')?.parse().ok()?;
    Some(values.get(number.checked_sub(1)?)?.to_scalar())
}

fn with_values(expr: Expr, values: &[Value]) -> Result<Expr> {
    if values.is_empty() {
        return Ok(expr);
    }
    let replaced = expr.transform_up(|e| match &e {
        Expr::Placeholder(placeholder) => Ok(match find_value(&placeholder.id, values) {
            Some(scalar) => Transformed::yes(Expr::Literal(scalar, None)),
            None => Transformed::no(e),
        }),
        _ => Ok(Transformed::no(e)),
    });
    replaced
        .map(|replaced| replaced.data)
        .map_err(from_datafusion)
}

fn unexpected(error: datafusion::arrow::error::ArrowError) -> Error {
    Error::internal("the columns of a point get do not fit its schema").with_source(error)
}
