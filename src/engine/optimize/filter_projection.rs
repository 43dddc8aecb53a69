//! Filters that pick columns of their own.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result as DataFusionResult, config::ConfigOptions};
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::projection::ProjectionExec;

/// Takes the columns that a filter picks out of it, into a projection above it.
///
/// DataFusion's ProjectionPushdown gives a filter the columns of the projection above it. Where
/// another projection meets such a filter later, because the sort or the limit between them is gone,
/// or because it was moved down itself, it is moved below the filter as if that picked none: it takes
/// other columns than were asked for, or the plan is refused. Without filters that pick it does what
/// it should.
#[derive(Debug)]
pub(in crate::engine) struct FilterProjection;

impl PhysicalOptimizerRule for FilterProjection {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|node| match separated(&node)? {
            Some(plan) => Ok(Transformed::yes(plan)),
            None => Ok(Transformed::no(node)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "FilterProjection"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// A filter that picks columns, alone or under a projection, as a projection over a filter that does
/// not.
fn separated(node: &Arc<dyn ExecutionPlan>) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
    let above = node.downcast_ref::<ProjectionExec>();
    let filter = above.map_or(node, |projection| projection.input());
    let Some(filter) = filter.downcast_ref::<FilterExec>() else {
        return Ok(None);
    };
    let Some(picked) = filter.projection() else {
        return Ok(None);
    };
    let picks = ProjectionExprs::from_indices(picked, &filter.input().schema());
    let exprs = match above {
        Some(projection) => picks.try_merge(projection.projection_expr())?,
        None => picks,
    };
    let filter = FilterExecBuilder::from(filter)
        .apply_projection(None)?
        .build()?;
    Ok(Some(Arc::new(
        ProjectionExec::try_new_with_schema_metadata(
            exprs.iter().cloned(),
            Arc::new(filter),
            &node.schema(),
        )?,
    )))
}
