//! A bound query: executed with values, or explained.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::metadata::ScalarAndMetadata;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{ParamValues, TableReference};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use sqlparser::ast;

use crate::catalog::{Entry, TableDef};
use crate::engine::bind::binder;
use crate::engine::bind::column_names::ColumnNames;
use crate::engine::error::from_datafusion;
use crate::engine::explain::explain;
use crate::engine::optimize::row_order;
use crate::engine::point::PointQuery;
use crate::engine::ready::ready;
use crate::engine::scan::fanout;
use crate::engine::scan::provider::stored_entry;
use crate::engine::scope::{Execution, Scope};
use crate::engine::stream::{RowStream, plain_schema};
use crate::engine::{Engine, Settings, symbol};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::plan::{self, PlanNode};
use crate::store::CursorOrder;
use crate::types::Value;

/// A query whose names and types are bound to one state of the catalog. It is not optimised:
/// parameters and `now()` are symbols in it, so that it can be kept and executed many times.
#[derive(Debug, Clone)]
pub(crate) struct BoundQuery {
    engine: Engine,
    plan: LogicalPlan,
    point: Option<Arc<PointQuery>>,
    /// Whether a plain scan returns its rows in key order.
    key_order: bool,
    literals: Arc<Vec<(String, Position)>>,
    names: Arc<ColumnNames>,
}

impl BoundQuery {
    pub(super) fn new(engine: Engine, plan: LogicalPlan, query: &ast::Query) -> Self {
        let point = PointQuery::find(&plan, engine.state()).map(Arc::new);
        let literals = Arc::new(binder::quoted_literals(query));
        let names = ColumnNames::of(query, plan.schema().fields().len());
        BoundQuery {
            engine,
            plan,
            point,
            key_order: false,
            literals,
            names: Arc::new(names),
        }
    }

    /// The same query with the settings of a session.
    pub(crate) fn with_settings(&self, settings: &Settings) -> Self {
        BoundQuery {
            key_order: settings.row_key_order,
            ..self.clone()
        }
    }

    /// The logical plan, before any optimisation.
    pub(crate) fn plan(&self) -> &LogicalPlan {
        &self.plan
    }

    /// The table of a point query.
    pub(super) fn point_table(&self) -> Option<&TableDef> {
        self.point.as_ref().map(|point| point.def())
    }

    /// The columns that the query returns. Those whose type depends on a parameter may change
    /// with its value.
    pub(crate) fn schema(&self) -> SchemaRef {
        self.names.rename(&plain_schema(self.plan.schema().inner()))
    }

    /// Executes the query. A point get is complete when this returns; everything else is read as
    /// the stream is polled.
    ///
    /// # Errors
    /// `Limit` for a query that reads more buckets than the settings allow, before it reads
    /// anything; those of planning; those of a point get.
    pub(crate) fn execute(&self, execution: Execution<'_>, values: &[Value]) -> Result<RowStream> {
        let execution = execution.verified(self.engine.pool());
        if let Some(point) = &self.point {
            let order = match self.key_order {
                true => CursorOrder::Key,
                false => CursorOrder::Any,
            };
            let rows = point.execute(self.engine.state(), &execution, values, order);
            if let Some(batch) = rows.map_err(|e| self.locate(e))? {
                let rows = RowStream::of(batch).verified_by(execution.verifier);
                return rows.named(&self.names);
            }
        }
        let plan = self.ordered(self.with_values(values)?)?;
        self.engine
            .execute_plan(&plan, execution)
            .and_then(|rows| rows.named(&self.names))
            .map_err(|e| self.locate(e))
    }

    /// Executes the query with default settings and counts what its scans do.
    #[cfg(test)]
    pub(crate) fn execute_counted(
        &self,
        snapshot: &Arc<dyn crate::store::Snapshot>,
        values: &[Value],
        counters: Arc<crate::table::ScanCounters>,
    ) -> Result<RowStream> {
        let settings = crate::engine::Settings::default();
        let execution = Execution::new(snapshot, &settings);
        self.execute(
            Execution {
                counters,
                ..execution
            },
            values,
        )
    }

    /// The plan of the query, for these values or for any.
    pub(crate) fn explain(&self, values: Option<&[Value]>) -> Result<PlanNode> {
        let plan = match values {
            Some(values) => self.with_values(values)?,
            None => {
                let plan = symbol::symbolic(self.plan.clone()).map_err(from_datafusion)?;
                typed(plan).map_err(|e| self.locate(e))?
            }
        };
        let plan = self.ordered(plan)?;
        self.engine.explain_plan(&plan).map_err(|e| self.locate(e))
    }

    /// The logical plan with its parameters replaced and its constants typed.
    pub(crate) fn with_values(&self, values: &[Value]) -> Result<LogicalPlan> {
        let mut plan = self.plan.clone();
        if !values.is_empty() {
            let values = values
                .iter()
                .map(|value| ScalarAndMetadata::from(value.to_scalar()));
            plan = plan
                .replace_params_with_values(&ParamValues::List(values.collect()))
                .map_err(from_datafusion)?;
        }
        typed(plan).map_err(|e| self.locate(e))
    }

    fn ordered(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        match self.key_order {
            true => row_order::in_key_order(plan).map_err(from_datafusion),
            false => Ok(plan),
        }
    }

    /// The error of a value, with the position of the literal that it quotes.
    fn locate(&self, error: Error) -> Error {
        if error.position().is_some() || error.kind() != ErrorKind::Invalid {
            return error;
        }
        let quoted = |text: &str| error.message().contains(&Value::from(text).to_string());
        match self.literals.iter().find(|(text, _)| quoted(text)) {
            Some((_, position)) => error.at(*position),
            None => error,
        }
    }
}

impl Engine {
    /// Executes a logical plan whose parameters are replaced.
    pub(crate) fn execute_plan(
        &self,
        plan: &LogicalPlan,
        execution: Execution<'_>,
    ) -> Result<RowStream> {
        let execution = match execution.verifier {
            None => execution.verified(self.pool()),
            Some(_) => execution,
        };
        let mut state = self.state_at(execution.started);
        let scope = Scope {
            snapshot: execution.snapshot.clone(),
            pool: self.pool().clone(),
            counters: execution.counters,
            analyzes: execution.analysis.is_some(),
            max_fanout: execution.settings.max_fanout,
            verifier: execution.verifier.clone(),
        };
        state.config_mut().set_extension(Arc::new(scope));
        let plan = physical_plan(&state, plan)?;
        fanout::check_plan(&plan, execution.settings.max_fanout)?;
        if let Some(analysis) = &execution.analysis {
            analysis.executes(&plan);
        }
        let task = state.task_ctx();
        // Some operators start their tasks here and not at the first poll.
        let _runtime = self.runtime().enter();
        let stream = execute_stream(plan, task).map_err(from_datafusion)?;
        Ok(RowStream::running(stream, self.clone()).verified_by(execution.verifier))
    }

    /// The state of an execution that begins at `started`.
    pub(super) fn state_at(&self, started: DateTime<Utc>) -> SessionState {
        let mut state = self.state().clone();
        let props = state.execution_props_mut();
        *props = ExecutionProps::new();
        props.query_execution_start_time = Some(started);
        state
    }

    /// The tree of a logical plan. `now()` and its kin have no value in it.
    pub(crate) fn explain_plan(&self, plan: &LogicalPlan) -> Result<PlanNode> {
        let mut state = self.state().clone();
        // The names that the optimizer makes up count from here.
        *state.execution_props_mut() = ExecutionProps::new();
        Ok(explain(&physical_plan(&state, plan)?))
    }
}

pub(super) fn physical_plan(
    state: &SessionState,
    plan: &LogicalPlan,
) -> Result<Arc<dyn ExecutionPlan>> {
    let plan = ready(state.create_physical_plan(plan))
        .ok_or_else(|| Error::internal("planning had to wait"))?;
    plan.map_err(from_datafusion)
}

/// The plan with its constants in the types of the columns that they are compared with.
pub(super) fn typed(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut tables: Vec<(TableReference, Arc<Entry>)> = Vec::new();
    let walked = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && let Some(entry) = stored_entry(&scan.source)
        {
            tables.push((scan.table_name.clone(), entry));
        }
        Ok(TreeNodeRecursion::Continue)
    });
    walked.map_err(from_datafusion)?;
    let column_type = |table: &TableReference, column: &str| {
        let (_, entry) = tables.iter().find(|(name, _)| name == table)?;
        let column = entry.def.columns.get(entry.def.find_column(column)?)?;
        Some(column.sql_type)
    };
    plan::type_constants(plan, &column_type)
}
