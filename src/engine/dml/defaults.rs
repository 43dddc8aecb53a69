//! DEFAULT expressions.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::Schema;
use datafusion::common::DFSchema;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::physical_expr::{PhysicalExpr, create_physical_expr};
use sqlparser::ast::{Expr, Spanned};

use crate::catalog::{CatalogState, ColumnDef};
use crate::engine::bind::binder;
use crate::engine::dml::assign::Assignee;
use crate::engine::dml::checked::checked;
use crate::engine::dml::constant::{constant, position};
use crate::engine::dml::query::stored_expr;
use crate::engine::dml::work::SlotSource;
use crate::engine::dml::{Locked, Writes};
use crate::engine::from_datafusion;
use crate::error::{Error, Result};
use crate::types::{Value, assign_array};

/// What a column gets in a row that does not give it.
pub(in crate::engine) enum DefaultValue {
    /// The same in every row of the statement.
    Constant(Value),
    /// Another in each row: random() and its kin.
    PerRow(RowExpr),
}

/// An expression of no columns that is evaluated for each row.
#[derive(Debug)]
pub(in crate::engine) struct RowExpr {
    expr: Arc<dyn PhysicalExpr>,
    assignee: Assignee,
}

impl RowExpr {
    /// The values of some rows.
    pub(in crate::engine) fn array(&self, rows: usize) -> Result<ArrayRef> {
        self.evaluate(rows)
            .map_err(|e| e.context(format!("DEFAULT of {}", self.assignee.name)))
    }

    fn evaluate(&self, rows: usize) -> Result<ArrayRef> {
        let schema = Arc::new(Schema::empty());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(schema, Vec::new(), &options)
            .map_err(|e| from_datafusion(e.into()))?;
        let array = self
            .expr
            .evaluate(&batch)
            .and_then(|value| value.into_array(rows));
        assign_array(&array.map_err(from_datafusion)?, &self.assignee.sql_type)
    }

    /// The value of one row.
    pub(in crate::engine) fn value(&self) -> Result<Value> {
        self.only()
            .map_err(|e| e.context(format!("DEFAULT of {}", self.assignee.name)))
    }

    fn only(&self) -> Result<Value> {
        Value::from_array(&self.evaluate(1)?, 0)
    }
}

impl Writes<'_> {
    /// What a column of the table gets in rows that do not give it.
    pub(in crate::engine) fn default_value(
        &self,
        locked: &Locked,
        column: usize,
    ) -> Result<DefaultValue> {
        let column = &locked.entry.def.columns[column];
        match &column.default {
            None => Ok(DefaultValue::Constant(Value::Null)),
            Some(text) => self
                .evaluate_default(&locked.state, &stored_expr(text)?, column)
                .map_err(|e| e.context(format!("DEFAULT of {}", column.name))),
        }
    }

    pub(super) fn default_slot(&self, locked: &Locked, column: usize) -> Result<SlotSource> {
        let assignee = Assignee::of(&locked.entry.def, column);
        Ok(match self.default_value(locked, column)? {
            DefaultValue::Constant(value) => SlotSource::Constant { value, assignee },
            DefaultValue::PerRow(expr) => SlotSource::PerRow(expr),
        })
    }

    /// Fails for a DEFAULT that could not be assigned to its column.
    pub(in crate::engine) fn validate_default(
        &self,
        state: &Arc<CatalogState>,
        expr: &Expr,
        column: &ColumnDef,
    ) -> Result<()> {
        let evaluated = match self.evaluate_default(state, expr, column) {
            Ok(DefaultValue::PerRow(expr)) => expr.only().map(drop),
            other => other.map(drop),
        };
        evaluated.map_err(|e| {
            e.context(format!("DEFAULT of {}", column.name))
                .at(position(expr.span().start))
        })
    }

    /// The DEFAULT of a column that is added, which rows that are there get once and for all.
    pub(in crate::engine) fn stored_default(
        &self,
        state: &Arc<CatalogState>,
        expr: &Expr,
        column: &ColumnDef,
    ) -> Result<Value> {
        let place = position(expr.span().start);
        match self.evaluate_default(state, expr, column) {
            Ok(DefaultValue::Constant(value)) => Ok(value),
            Ok(DefaultValue::PerRow(_)) => Err(Error::unsupported(
                "each row would need a value of its own: add the column without DEFAULT, and UPDATE \
                 the rows",
            )),
            Err(error) => Err(error),
        }
        .map_err(|e| e.context(format!("DEFAULT of {}", column.name)).at(place))
    }

    fn evaluate_default(
        &self,
        state: &Arc<CatalogState>,
        expr: &Expr,
        column: &ColumnDef,
    ) -> Result<DefaultValue> {
        if let Some(constant) = constant(expr, &[])? {
            return constant
                .assign(&column.sql_type)
                .map(DefaultValue::Constant);
        }
        let engine = self.engine.state();
        let schema = DFSchema::empty();
        let bound = binder::bind_expr(engine, state, expr, &schema)?;
        let per_row = bound.is_volatile();
        let context = SimplifyContext::builder()
            .with_schema(Arc::new(schema.clone()))
            .with_config_options(engine.config_options().clone())
            .with_query_execution_start_time(Some(self.started))
            .build();
        let simplifier = ExprSimplifier::new(context);
        let expr = simplifier
            .coerce(bound, &schema)
            .and_then(|expr| checked(expr, &schema))
            .and_then(|expr| simplifier.simplify(expr.data))
            .and_then(|expr| {
                let planning = PhysicalPlanningContext::default();
                create_physical_expr(&expr, &schema, &ExecutionProps::new(), &planning)
            })
            .map_err(from_datafusion)?;
        let assignee = Assignee {
            name: column.name.clone(),
            sql_type: column.sql_type,
        };
        let expr = RowExpr { expr, assignee };
        match per_row {
            true => Ok(DefaultValue::PerRow(expr)),
            false => expr.only().map(DefaultValue::Constant),
        }
    }
}
