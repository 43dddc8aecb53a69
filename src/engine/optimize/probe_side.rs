//! Which side of a join is read last: the one that its keys narrow.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinType, Result as DataFusionResult};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::HashJoinExec;

use crate::engine::optimize::join_reach::probes;
use crate::engine::optimize::keys_below::{Keys, below};
use crate::engine::scan::exec::ScanExec;
use crate::plan::{Access, AccessPath};

/// Puts the side of a join that is a scan of a table whose whole key, salt columns or first key
/// columns the join binds to the right, where it is read last and knows the values.
///
/// If both sides are, the one whose own predicate leaves less to read is read first; where that
/// says nothing, it is the subquery of `IN (SELECT ...)` and `EXISTS`, and of other joins the side
/// that the statement names first. Sizes are not asked.
#[derive(Debug)]
pub(in crate::engine) struct ProbeSide;

impl PhysicalOptimizerRule for ProbeSide {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let Some(join) = node.downcast_ref::<HashJoinExec>() else {
                return Ok(Transformed::no(node));
            };
            Ok(match is_better_swapped(join)? {
                true => Transformed::yes(join.swap_inputs(*join.partition_mode())?),
                false => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "ProbeSide"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn is_better_swapped(join: &HashJoinExec) -> DataFusionResult<bool> {
    // What such a join answers depends on which side is which.
    if join.null_aware || !probes(join.join_type().swap()) {
        return Ok(false);
    }
    let (left_keys, right_keys) = join.on().iter().cloned().unzip();
    let Some(left) = narrowed(join.left(), left_keys)? else {
        return Ok(false);
    };
    let right = match probes(*join.join_type()) {
        true => narrowed(join.right(), right_keys)?,
        false => None,
    };
    let subquery_is_right = *join.join_type() == JoinType::LeftSemi;
    Ok(match right {
        None => true,
        Some(right) => right < left || (right == left && subquery_is_right),
    })
}

/// How much a side reads by its own predicate, if it is a scan that the keys of the join narrow.
fn narrowed(
    side: &Arc<dyn ExecutionPlan>,
    keys: Vec<Arc<dyn PhysicalExpr>>,
) -> DataFusionResult<Option<Amount>> {
    let mut plan = side.clone();
    let mut keys: Keys = keys.into_iter().map(Some).collect();
    loop {
        if let Some(scan) = plan.downcast_ref::<ScanExec>() {
            return Ok(match scan.narrowed_by(&keys)? {
                true => Some(Amount::of(scan.path())),
                false => None,
            });
        }
        let (children, mut below) = (plan.children(), below(&plan, &keys));
        let ([child], Some((0, next))) = (children.as_slice(), below.pop()) else {
            return Ok(None);
        };
        let child = Arc::clone(child);
        (plan, keys) = (child, next);
    }
}

/// How much a scan reads, as far as its predicate says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Amount {
    Nothing,
    Keys,
    Ranges,
    /// All, of which a filter drops some.
    Some,
    All,
}

impl Amount {
    fn of(path: &AccessPath) -> Self {
        match path.access {
            Access::Empty => Amount::Nothing,
            Access::PointGet(_) => Amount::Keys,
            Access::Ranges(_) => Amount::Ranges,
            Access::FullScan if path.residual.is_empty() => Amount::All,
            Access::FullScan => Amount::Some,
        }
    }
}
