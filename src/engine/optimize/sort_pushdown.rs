//! Moves a sort by the key into the scan, where it is a merge.

use std::sync::Arc;

use datafusion::common::Result as DataFusionResult;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use crate::engine::scan::exec::ScanExec;

/// Replaces a sort over a scan whose key serves the order by that scan in that order.
///
/// It runs before the distribution of a plan is settled, for the sorts that the query asks for,
/// and once more near the end, for those that windows and joins needed. (DataFusion's own rule
/// would put a buffer of up to a gigabyte above the scan.)
#[derive(Debug)]
pub(in crate::engine) struct SortPushdown;

impl PhysicalOptimizerRule for SortPushdown {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|node| {
            // Sorted streams that are merged by their sort order: one stream in that order.
            if let Some(merge) = node.downcast_ref::<SortPreservingMergeExec>()
                && let Some(sort) = merge.input().downcast_ref::<SortExec>()
                && let Some(sorted) = push(
                    sort.expr(),
                    least(merge.fetch(), sort.fetch()),
                    sort.input(),
                )?
                && sorted.output_partitioning().partition_count() == 1
            {
                let fetch = least(merge.fetch(), sort.fetch());
                return Ok(Transformed::yes(limited(sorted, fetch)));
            }
            if let Some(sort) = node.downcast_ref::<SortExec>()
                && let Some(sorted) = push(sort.expr(), sort.fetch(), sort.input())?
            {
                return Ok(Transformed::yes(limited(sorted, sort.fetch())));
            }
            Ok(Transformed::no(node))
        })
        .data()
    }

    fn name(&self) -> &str {
        "SortPushdown"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn limited(plan: Arc<dyn ExecutionPlan>, fetch: Option<usize>) -> Arc<dyn ExecutionPlan> {
    match fetch {
        None => plan,
        Some(_) => match plan.with_fetch(fetch) {
            Some(limited) => limited,
            None => Arc::new(GlobalLimitExec::new(plan, 0, fetch)),
        },
    }
}

fn least(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    [one, other].into_iter().flatten().min()
}

/// The same rows in `order`, if a scan below can return them so; only the first `limit` are wanted.
fn push(
    order: &[PhysicalSortExpr],
    limit: Option<usize>,
    plan: &Arc<dyn ExecutionPlan>,
) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(scan) = plan.downcast_ref::<ScanExec>() {
        return Ok(scan.sorted(order, limit)?.map(|scan| Arc::new(scan) as _));
    }
    let (order, limit, child) = if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let below = |position: usize| {
            let projected = projection.expr().get(position)?;
            Some(projected.expr.clone())
        };
        (through(order, below), limit, projection.input())
    } else if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        if filter.fetch().is_some() {
            return Ok(None);
        }
        let schema = filter.input().schema();
        let below = |position: usize| {
            let index = match filter.projection() {
                Some(projection) => *projection.get(position)?,
                None => position,
            };
            let column = Column::new(schema.fields().get(index)?.name(), index);
            Some(Arc::new(column) as Arc<dyn PhysicalExpr>)
        };
        (through(order, below), None, filter.input())
    } else if let Some(coalesce) = plan.downcast_ref::<CoalescePartitionsExec>() {
        return match coalesce.fetch() {
            None => push(order, limit, coalesce.input()),
            Some(_) => Ok(None),
        };
    } else {
        return Ok(None);
    };
    let Some(order) = order else { return Ok(None) };
    match push(&order, limit, child)? {
        Some(child) => replace_children_if_necessary(plan.clone(), vec![child]).map(Some),
        None => Ok(None),
    }
}

/// The order in terms of what is below a node.
fn through(
    order: &[PhysicalSortExpr],
    below: impl Fn(usize) -> Option<Arc<dyn PhysicalExpr>>,
) -> Option<Vec<PhysicalSortExpr>> {
    let map = |sort: &PhysicalSortExpr| {
        let mut known = true;
        let replaced = sort.expr.clone().transform_down(|expr| {
            let Some(column) = expr.downcast_ref::<Column>() else {
                return Ok(Transformed::no(expr));
            };
            let column = below(column.index());
            known &= column.is_some();
            let replaced = column.unwrap_or(expr);
            Ok(Transformed::new(replaced, true, TreeNodeRecursion::Jump))
        });
        let expr = replaced.ok().filter(|_| known)?.data;
        Some(PhysicalSortExpr::new(expr, sort.options))
    };
    order.iter().map(map).collect()
}
