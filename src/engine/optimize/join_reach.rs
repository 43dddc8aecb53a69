//! Hands what joins learn to the scans that they read last.
//!
//! A hash join reads its left side to the end before it asks its right side for a row. By then it
//! knows which keys it is looking for, and a scan below its right side can look up just these.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::{JoinType, Result as DataFusionResult};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{DynamicFilterPhysicalExpr, lit};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PartitionMode,
};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::scalar_subquery::ScalarSubqueryExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, Partitioning};

use crate::engine::optimize::keys_below::{Keys, below};
use crate::engine::scan::exec::ScanExec;

/// Gives every join whose keys narrow a scan below its right side a filter that both share. It runs
/// last, when the plan has its final shape.
#[derive(Debug)]
pub(in crate::engine) struct JoinReach;

impl PhysicalOptimizerRule for JoinReach {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        visit(plan, true)
    }

    fn name(&self) -> &str {
        "JoinReach"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The plan with the filters of its joins. Whether its partitions are all `driven`: none of them
/// is dropped before it was asked for a row while others go on.
fn visit(plan: Arc<dyn ExecutionPlan>, driven: bool) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
    let plan = match plan.downcast_ref::<HashJoinExec>() {
        Some(join) => match reaching(join, driven)? {
            Some(join) => Arc::new(join) as _,
            None => plan,
        },
        None => plan,
    };
    let children = plan.children().into_iter().cloned().enumerate();
    let children = children
        .map(|(at, child)| visit(child, drives(&plan, at, driven)))
        .collect::<DataFusionResult<Vec<_>>>()?;
    replace_children_if_necessary(plan, children)
}

/// Whether the partitions of a child are all driven if those of the node are.
fn drives(plan: &Arc<dyn ExecutionPlan>, child: usize, driven: bool) -> bool {
    if plan.is::<RepartitionExec>()
        || plan.is::<CoalescePartitionsExec>()
        || plan.is::<SortPreservingMergeExec>()
    {
        return true;
    }
    if plan.is::<ScalarSubqueryExec>() {
        return driven || child > 0;
    }
    match plan.downcast_ref::<HashJoinExec>() {
        // A partition without rows on its left side does not look at its right one.
        Some(join) => driven && (child == 0 || join.mode == PartitionMode::CollectLeft),
        None => driven && (plan.children().len() == 1 || shares_children(plan)),
    }
}

/// Whether the partitions of a node with several children go through these together.
fn shares_children(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.is::<UnionExec>() || plan.is::<CrossJoinExec>() || plan.is::<NestedLoopJoinExec>()
}

/// The join with a filter, if a scan has use for one.
fn reaching(join: &HashJoinExec, driven: bool) -> DataFusionResult<Option<HashJoinExec>> {
    if !may_filter(join, driven) {
        return Ok(None);
    }
    let on: Vec<_> = join.on().iter().map(|(_, right)| right.clone()).collect();
    let filter = Arc::new(DynamicFilterPhysicalExpr::new(on.clone(), lit(true)));
    let keys: Keys = on.iter().cloned().map(Some).collect();
    let Some(right) = hand(join.right(), &filter, &on, &keys)? else {
        return Ok(None);
    };
    let join = join
        .builder()
        .with_new_children(vec![join.left().clone(), right])?
        .build()?;
    join.with_dynamic_filter_expr(filter).map(Some)
}

/// Whether the rows that a filter on the right side drops can be missed, and whether the join will
/// fill the filter: the conditions under which DataFusion's does.
fn may_filter(join: &HashJoinExec, driven: bool) -> bool {
    let nullable = |(key, _): &(Arc<dyn PhysicalExpr>, Arc<dyn PhysicalExpr>)| {
        key.nullable(&join.left().schema()).unwrap_or(true)
    };
    if !probes(*join.join_type()) || (join.null_aware && join.on().iter().any(nullable)) {
        return false;
    }
    let (left, right) = (
        join.left().output_partitioning(),
        join.right().output_partitioning(),
    );
    match join.partition_mode() {
        // The filter is made when every partition has seen the left side.
        PartitionMode::CollectLeft => driven || right.partition_count() == 1,
        PartitionMode::Partitioned => match (left, right) {
            (Partitioning::Hash(_, left), Partitioning::Hash(_, right)) => left == right,
            _ => left.partition_count() == 1 && right.partition_count() == 1,
        },
        PartitionMode::Auto => false,
    }
}

/// Whether a join of this type makes nothing of a right row that has no match on the left.
pub(in crate::engine) fn probes(join: JoinType) -> bool {
    match join {
        JoinType::Inner
        | JoinType::Left
        | JoinType::LeftSemi
        | JoinType::RightSemi
        | JoinType::LeftAnti
        | JoinType::LeftMark => true,
        JoinType::Right | JoinType::Full | JoinType::RightAnti | JoinType::RightMark => false,
    }
}

/// The plan with the filter in every scan that it reaches; `None` if there is none.
fn hand(
    plan: &Arc<dyn ExecutionPlan>,
    filter: &Arc<DynamicFilterPhysicalExpr>,
    on: &[Arc<dyn PhysicalExpr>],
    keys: &Keys,
) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(scan) = plan.downcast_ref::<ScanExec>() {
        let scan = scan.with_join(filter, on, keys)?;
        return Ok(scan.map(|scan| Arc::new(scan) as _));
    }
    let mut children: Vec<_> = plan.children().into_iter().cloned().collect();
    let mut reached = false;
    for (at, keys) in below(plan, keys) {
        if let Some(child) = children.get_mut(at)
            && let Some(changed) = hand(child, filter, on, &keys)?
        {
            *child = changed;
            reached = true;
        }
    }
    match reached {
        true => replace_children_if_necessary(plan.clone(), children).map(Some),
        false => Ok(None),
    }
}
