//! Expressions over rows that are in memory: evaluated where the rows are, without a plan that
//! runs.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::DFSchemaRef;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::physical_expr::{PhysicalExpr, create_physical_expr};
use sqlparser::ast::{Query, Spanned, Visit, Visitor};

use crate::engine::dml::Writes;
use crate::engine::dml::constant::position;
use crate::engine::from_datafusion;
use crate::error::{Error, Position, Result};

/// The SELECT list of a query over rows of tables side by side, and perhaps its condition.
#[derive(Debug)]
pub(in crate::engine) struct RowExprs {
    exprs: Vec<Arc<dyn PhysicalExpr>>,
    condition: Option<Arc<dyn PhysicalExpr>>,
}

impl RowExprs {
    /// Which rows satisfy the condition; nothing without one.
    pub(in crate::engine) fn condition(&self, rows: &RecordBatch) -> Result<Option<BooleanArray>> {
        let Some(condition) = &self.condition else {
            return Ok(None);
        };
        let array = evaluate(&**condition, rows)?;
        match array.as_boolean_opt() {
            Some(holds) => Ok(Some(holds.clone())),
            None if *array.data_type() == DataType::Null => {
                Ok(Some(BooleanArray::new_null(array.len())))
            }
            None => Err(Error::internal(format!(
                "a condition of type {}",
                array.data_type()
            ))),
        }
    }

    /// The SELECT list, for the rows that are kept; without a choice for each row.
    pub(in crate::engine) fn evaluate_where(
        &self,
        rows: &RecordBatch,
        kept: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        match kept {
            None => self.evaluate(rows),
            Some(kept) => {
                let exprs = self.exprs.iter();
                exprs
                    .map(|expr| evaluate_where(&**expr, rows, kept))
                    .collect()
            }
        }
    }

    /// The SELECT list, for each row.
    pub(in crate::engine) fn evaluate(&self, rows: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let exprs = self.exprs.iter();
        exprs.map(|expr| evaluate(&**expr, rows)).collect()
    }
}

/// The values of an expression in the rows that are kept; NULL in the others.
fn evaluate_where(
    expr: &dyn PhysicalExpr,
    rows: &RecordBatch,
    kept: &BooleanArray,
) -> Result<ArrayRef> {
    expr.evaluate_selection(rows, kept)
        .and_then(|value| value.into_array(rows.num_rows()))
        .map_err(from_datafusion)
}

fn evaluate(expr: &dyn PhysicalExpr, rows: &RecordBatch) -> Result<ArrayRef> {
    expr.evaluate(rows)
        .and_then(|value| value.into_array(rows.num_rows()))
        .map_err(from_datafusion)
}

impl Writes<'_> {
    /// The expressions of an analyzed plan, `SELECT ... FROM tables [WHERE ...]`; `clause` is what
    /// messages call the place where they stand.
    pub(in crate::engine) fn row_exprs(
        &self,
        plan: &LogicalPlan,
        clause: &str,
    ) -> Result<RowExprs> {
        let not_of_a_row = || {
            Error::invalid(format!(
                "{clause} is evaluated for each row: it takes no aggregate and no window function"
            ))
        };
        let LogicalPlan::Projection(projection) = plan else {
            return Err(not_of_a_row());
        };
        let (condition, rows) = match &*projection.input {
            LogicalPlan::Filter(filter) => (Some(&filter.predicate), &filter.input),
            _ => (None, &projection.input),
        };
        let mut is_of_a_row = true;
        let walked = rows.apply(|node| {
            is_of_a_row &= matches!(
                node,
                LogicalPlan::TableScan(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::Join(_)
            );
            Ok(TreeNodeRecursion::Continue)
        });
        walked.map_err(from_datafusion)?;
        if !is_of_a_row {
            return Err(not_of_a_row());
        }
        let physical = |expr: &Expr| self.physical(expr, rows.schema());
        Ok(RowExprs {
            exprs: projection
                .expr
                .iter()
                .map(physical)
                .collect::<Result<_>>()?,
            condition: condition.map(physical).transpose()?,
        })
    }

    fn physical(&self, expr: &Expr, rows: &DFSchemaRef) -> Result<Arc<dyn PhysicalExpr>> {
        let context = SimplifyContext::builder()
            .with_schema(rows.clone())
            .with_config_options(self.engine.state().config_options().clone())
            .with_query_execution_start_time(Some(self.started))
            .build();
        ExprSimplifier::new(context)
            .simplify(expr.clone())
            .and_then(|expr| {
                let planning = PhysicalPlanningContext::default();
                create_physical_expr(&expr, rows, &ExecutionProps::new(), &planning)
            })
            .map_err(from_datafusion)
    }
}

/// Refuses a query among such expressions: nothing runs where they are evaluated.
pub(super) fn refuse_queries(tree: &impl Visit, clause: &str) -> Result<()> {
    struct Find;
    impl Visitor for Find {
        type Break = Option<Position>;

        fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
            ControlFlow::Break(position(query.span().start))
        }
    }
    match tree.visit(&mut Find) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(place) => {
            Err(Error::unsupported(format!("a query in {clause} is not supported")).at(place))
        }
    }
}
