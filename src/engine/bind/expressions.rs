//! The expressions of a logical plan's node, changed before DataFusion's optimizer sees them.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, LogicalPlan};

/// The node with its expressions changed from their leaves up, under the names that they had;
/// `change` is given the columns that they are about. A node without inputs stays as it is.
pub(in crate::engine) fn changed(
    node: LogicalPlan,
    change: impl Fn(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    let schema = match node.inputs().as_slice() {
        [] => return Ok(Transformed::no(node)),
        inputs => merge_schema(inputs),
    };
    let names = NamePreserver::new(&node);
    node.map_expressions(|expr| {
        let name = names.save(&expr);
        let changed = expr.transform_up(|expr| change(expr, &schema))?;
        Ok(changed.update_data(|expr| name.restore(expr)))
    })
}

/// The node with the schema that its expressions now have.
pub(in crate::engine) fn recomputed(
    changed: Transformed<LogicalPlan>,
) -> Result<Transformed<LogicalPlan>> {
    match changed.transformed {
        true => changed.map_data(LogicalPlan::recompute_schema),
        false => Ok(changed),
    }
}
