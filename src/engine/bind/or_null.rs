//! A scalar subquery is NULL when it has no row, also when its column is NOT NULL.
//!
//! DataFusion gives the subquery the nullability of its column: `(SELECT k FROM t) IS NULL` would
//! be folded to FALSE, and a NULL that comes after all stop the query. So a subquery over a column
//! that is NOT NULL gets a function on top that returns what it is given and may be NULL to
//! whoever asks.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result as DataFusionResult;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, LogicalPlanBuilder, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Subquery, Volatility,
};

use crate::engine::bind::expressions::recomputed;

/// The value that it is given. A function may return NULL unless it says otherwise.
#[derive(Debug, PartialEq, Eq, Hash)]
struct OrNull {
    signature: Signature,
}

impl ScalarUDFImpl for OrNull {
    fn name(&self) -> &str {
        "or_null"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> DataFusionResult<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Null))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> DataFusionResult<ColumnarValue> {
        Ok(args
            .args
            .into_iter()
            .next()
            .unwrap_or(ColumnarValue::Scalar(datafusion::scalar::ScalarValue::Null)))
    }
}

/// The plan with every scalar subquery that may have no row nullable.
pub(in crate::engine) fn nullable_subqueries(plan: LogicalPlan) -> DataFusionResult<LogicalPlan> {
    let changed = plan.transform_up_with_subqueries(|node| {
        let changed = node.map_expressions(|expr| {
            expr.transform_up(|expr| match expr {
                Expr::ScalarSubquery(subquery) if may_lack_its_row(&subquery) => {
                    Ok(Transformed::yes(Expr::ScalarSubquery(or_null(subquery)?)))
                }
                other => Ok(Transformed::no(other)),
            })
        })?;
        recomputed(changed)
    })?;
    Ok(changed.data)
}

/// A correlated subquery is none of these: DataFusion wants an aggregate in it and knows what that
/// is of no rows.
fn may_lack_its_row(subquery: &Subquery) -> bool {
    let fields = subquery.subquery.schema().fields();
    subquery.outer_ref_columns.is_empty()
        && fields.len() == 1
        && !fields[0].is_nullable()
        && !has_one_row(&subquery.subquery)
}

/// Whether the plan is an aggregate of everything, or a row without a table.
fn has_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(projection) => has_one_row(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => has_one_row(&alias.input),
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::EmptyRelation(empty) => empty.produce_one_row,
        _ => false,
    }
}

fn or_null(subquery: Subquery) -> DataFusionResult<Subquery> {
    let plan = LogicalPlan::clone(&subquery.subquery);
    let (qualifier, field) = plan.schema().qualified_field(0);
    let (qualifier, name) = (qualifier.cloned(), field.name().clone());
    let function = ScalarUDF::from(OrNull {
        signature: Signature::any(1, Volatility::Immutable),
    });
    let column = Expr::Column(plan.schema().columns().swap_remove(0));
    let value = function.call(vec![column]).alias_qualified(qualifier, name);
    let plan = LogicalPlanBuilder::from(plan)
        .project(vec![value])?
        .build()?;
    Ok(subquery.with_plan(plan.into()))
}
