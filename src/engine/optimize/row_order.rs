//! Queries that ask for no order, in the order of the key.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result as DataFusionResult};
use datafusion::logical_expr::{Expr, Filter, LogicalPlan, Sort, SortExpr};

use crate::catalog::KeyPart;
use crate::engine::scan::provider::stored_entry;

/// The plan with its rows in key order, if it is a plain scan of a salted table: `SELECT ... FROM t
/// [WHERE ...] [LIMIT ...]`, perhaps with subqueries of that kind in FROM.
pub(in crate::engine) fn in_key_order(plan: LogicalPlan) -> DataFusionResult<LogicalPlan> {
    if is_plain(&plan) {
        Ok(sorted(plan)?.data)
    } else {
        Ok(plan)
    }
}

fn is_plain(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Limit(limit) => is_plain(&limit.input),
        LogicalPlan::Projection(projection) => is_plain(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => is_plain(&alias.input),
        LogicalPlan::Filter(filter) => !joins(filter) && is_plain(&filter.input),
        LogicalPlan::TableScan(scan) => stored_entry(&scan.source)
            .is_some_and(|entry| entry.def.salting.is_some() && scan.projection.is_none()),
        _ => false,
    }
}

/// Whether the filter becomes a join. A subquery that is one value does not.
fn joins(filter: &Filter) -> bool {
    let joins = |expr: &Expr| match expr {
        Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_) => true,
        Expr::ScalarSubquery(subquery) => !subquery.outer_ref_columns.is_empty(),
        _ => false,
    };
    filter.predicate.exists(|e| Ok(joins(e))).unwrap_or(true)
}

/// The sort stands right above the table: what is above it keeps the order, a limit counts in it,
/// and all key columns are there.
fn sorted(plan: LogicalPlan) -> DataFusionResult<Transformed<LogicalPlan>> {
    plan.transform_down(|node| {
        let LogicalPlan::TableScan(scan) = &node else {
            return Ok(Transformed::no(node));
        };
        let Some(entry) = stored_entry(&scan.source) else {
            return Ok(Transformed::no(node));
        };
        let term = |part: &KeyPart| {
            let column = Column::from(scan.projected_schema.qualified_field(part.column));
            SortExpr::new(Expr::Column(column), !part.descending, part.descending)
        };
        let expr = entry.def.key.iter().map(term).collect();
        let sort = LogicalPlan::Sort(Sort {
            expr,
            input: Arc::new(node),
            fetch: None,
        });
        Ok(Transformed::new(sort, true, TreeNodeRecursion::Jump))
    })
}
