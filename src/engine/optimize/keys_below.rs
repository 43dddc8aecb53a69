//! Where a condition on the columns of a node may be tested earlier.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinSide, JoinType};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::union::UnionExec;

/// Expressions over the columns of a node; `None` for one that cannot be computed from them.
pub(in crate::engine) type Keys = Vec<Option<Arc<dyn PhysicalExpr>>>;

/// The children of a node that a condition on `keys` may be handed to, each by its place, with the
/// keys over its columns: rows of a child that fail the condition make no row of the node that
/// passes it, and no other row of the node depends on them.
///
/// Columns are told apart by their places. (DataFusion's own way down goes by their names, which
/// above a join may stand twice.) A limit lets nothing through: it chooses from all rows. Neither
/// does a node that reads its input before it is asked for rows, where the condition would come
/// too late.
pub(in crate::engine) fn below(plan: &Arc<dyn ExecutionPlan>, keys: &Keys) -> Vec<(usize, Keys)> {
    if plan.fetch().is_some() {
        return Vec::new();
    }
    let one = |keys: Keys| vec![(0, keys)];
    let sides = if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        one(over(keys, &|index| {
            Some(projection.expr().get(index)?.expr.clone())
        }))
    } else if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        let schema = filter.input().schema();
        one(over(keys, &|index| {
            let index = match filter.projection() {
                Some(projection) => *projection.get(index)?,
                None => index,
            };
            Some(Arc::new(Column::new(schema.fields().get(index)?.name(), index)) as _)
        }))
    } else if plan.is::<RepartitionExec>() || plan.is::<CooperativeExec>() {
        one(keys.clone())
    } else if plan.is::<UnionExec>() {
        let children = 0..plan.children().len();
        children.map(|child| (child, keys.clone())).collect()
    } else if let Some(aggregate) = plan.downcast_ref::<AggregateExec>() {
        // Without groups there is a row of no rows.
        let groups = aggregate.group_expr();
        if groups.is_true_no_grouping()
            || groups.has_grouping_set()
            || aggregate.limit_options().is_some()
        {
            return Vec::new();
        }
        one(over(keys, &|index| {
            Some(groups.expr().get(index)?.0.clone())
        }))
    } else if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        let side = |wanted: JoinSide, child: &Arc<dyn ExecutionPlan>| {
            let schema = child.schema();
            over(keys, &|index| match output_column(join, index)? {
                (side, index) if side == wanted => {
                    Some(Arc::new(Column::new(schema.fields().get(index)?.name(), index)) as _)
                }
                _ => None,
            })
        };
        let (left, right) = preserved(*join.join_type());
        let left = left.then(|| (0, side(JoinSide::Left, join.left())));
        let right = right.then(|| (1, side(JoinSide::Right, join.right())));
        left.into_iter().chain(right).collect()
    } else {
        Vec::new()
    };
    let some = |(_, keys): &(usize, Keys)| keys.iter().any(Option::is_some);
    sides.into_iter().filter(some).collect()
}

/// The keys with every column replaced by what it is below.
fn over(keys: &Keys, column: &dyn Fn(usize) -> Option<Arc<dyn PhysicalExpr>>) -> Keys {
    let key = |key: &Option<Arc<dyn PhysicalExpr>>| {
        let mut known = true;
        let replaced = key.clone()?.transform_down(|expr| {
            let Some(found) = expr.downcast_ref::<Column>() else {
                return Ok(Transformed::no(expr));
            };
            Ok(match column(found.index()) {
                Some(below) => Transformed::new(below, true, TreeNodeRecursion::Jump),
                None => {
                    known = false;
                    Transformed::new(expr, false, TreeNodeRecursion::Stop)
                }
            })
        });
        replaced.data().ok().filter(|_| known)
    };
    keys.iter().map(key).collect()
}

/// Which sides of a join lose only such rows of the join as the condition drops.
fn preserved(join: JoinType) -> (bool, bool) {
    match join {
        JoinType::Inner => (true, true),
        JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => {
            (true, false)
        }
        JoinType::Right | JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => {
            (false, true)
        }
        JoinType::Full => (false, false),
    }
}

/// The side and the place that a column of a join's output comes from.
fn output_column(join: &HashJoinExec, index: usize) -> Option<(JoinSide, usize)> {
    let index = match &join.projection {
        Some(projection) => *projection.get(index)?,
        None => index,
    };
    let left = join.left().schema().fields().len();
    let right = join.right().schema().fields().len();
    let (first, second) = match join.join_type() {
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => (left, right),
        JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => (left, 0),
        JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => (0, right),
    };
    if index < first {
        Some((JoinSide::Left, index))
    } else {
        (index < first + second).then(|| (JoinSide::Right, index - first))
    }
}
