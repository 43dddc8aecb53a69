//! `x > ALL (SELECT ...)` and its kin: the query gets a name of its own.
//!
//! DataFusion makes `EXISTS (SELECT ... WHERE x > column)` of it, with the query's own name for the
//! column. If the query reads the table that `x` belongs to, that is `x > x`: every row and none.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, not_impl_err};
use datafusion::logical_expr::expr::SetComparison;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};

/// No table of a query is called so.
const NAME: &str = "(compared set)";

/// The plan with a name for each query that a value is compared with.
pub(in crate::engine) fn named_sets(plan: LogicalPlan) -> Result<LogicalPlan> {
    let changed = plan.transform_up_with_subqueries(|node| {
        let is_condition = matches!(node, LogicalPlan::Filter(_) | LogicalPlan::Join(_));
        node.map_expressions(|expr| {
            expr.transform_up(|expr| match expr {
                Expr::SetComparison(_) if !is_condition => not_impl_err!(
                    "ANY and ALL before a query stand in conditions (WHERE, HAVING, ON) alone"
                ),
                Expr::SetComparison(comparison) => {
                    let query = LogicalPlan::clone(&comparison.subquery.subquery);
                    let query = LogicalPlanBuilder::from(query).alias(NAME)?.build()?;
                    let subquery = comparison.subquery.with_plan(Arc::new(query));
                    Ok(Transformed::yes(Expr::SetComparison(SetComparison {
                        subquery,
                        ..comparison
                    })))
                }
                expr => Ok(Transformed::no(expr)),
            })
        })
    })?;
    Ok(changed.data)
}
