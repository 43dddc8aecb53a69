//! What the columns of a physical plan are called in its text.

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec,
};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::union::{InterleaveExec, UnionExec};
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};

use crate::engine::explain::{expr, window};
use crate::engine::scan::exec::ScanExec;

/// What a column is called: the expression that it was computed from, rather than the name that
/// DataFusion made for it.
#[derive(Debug, Clone)]
pub(super) struct Name {
    /// The table that the column comes from, if it comes from one unchanged.
    pub table: Option<String>,
    pub text: String,
}

impl Name {
    fn computed(text: String) -> Self {
        Name { table: None, text }
    }
}

/// The names of the columns that a plan returns.
pub(super) fn names(plan: &Arc<dyn ExecutionPlan>) -> Vec<Name> {
    if let Some(scan) = plan.downcast_ref::<ScanExec>() {
        let (def, table) = (scan.def(), scan.table().def.display_name());
        let column = |index: &usize| Name {
            table: Some(table.clone()),
            text: def
                .columns
                .get(*index)
                .map(|c| c.name.clone())
                .unwrap_or_default(),
        };
        return scan.columns().iter().map(column).collect();
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let below = names(projection.input());
        let column = |projected: &datafusion::physical_expr::projection::ProjectionExpr| {
            if let Some(column) = projected.expr.downcast_ref::<Column>()
                && column.name() == projected.alias
                && let Some(name) = below.get(column.index())
            {
                return name.clone();
            }
            match is_generated(&projected.alias) {
                true => Name::computed(expr::text(&projected.expr, &below)),
                false => Name::computed(projected.alias.clone()),
            }
        };
        return projection.expr().iter().map(column).collect();
    }
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        return picked(names(filter.input()), filter.projection().as_deref());
    }
    if let Some(aggregate) = plan.downcast_ref::<AggregateExec>() {
        return aggregated(aggregate);
    }
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        let both = joined(names(join.left()), names(join.right()), *join.join_type());
        return picked(both, join.projection.as_deref());
    }
    if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
        let both = joined(names(join.left()), names(join.right()), *join.join_type());
        return picked(both, join.projection().as_deref());
    }
    if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() {
        return joined(names(join.left()), names(join.right()), join.join_type());
    }
    if let Some(join) = plan.downcast_ref::<CrossJoinExec>() {
        return joined(names(join.left()), names(join.right()), JoinType::Inner);
    }
    let windows = match (
        plan.downcast_ref::<WindowAggExec>(),
        plan.downcast_ref::<BoundedWindowAggExec>(),
    ) {
        (Some(node), _) => Some((node.input(), node.window_expr())),
        (_, Some(node)) => Some((node.input(), node.window_expr())),
        _ => None,
    };
    if let Some((input, exprs)) = windows {
        let below = names(input);
        let computed: Vec<_> = exprs
            .iter()
            .map(|w| Name::computed(window::text(w.as_ref(), &below)))
            .collect();
        return below.into_iter().chain(computed).collect();
    }
    let fields = plan.schema();
    let children = plan.children();
    let is_union = plan.is::<UnionExec>() || plan.is::<InterleaveExec>();
    if let Some(first) = children.first()
        && (children.len() == 1 || is_union)
    {
        let below = names(first);
        if below.len() == fields.fields().len() {
            return below;
        }
    }
    fields
        .fields()
        .iter()
        .map(|field| Name::computed(field.name().clone()))
        .collect()
}

/// Whether a name was made by DataFusion from an expression.
pub(super) fn is_generated(name: &str) -> bool {
    name.contains(['(', ' ', '.', '"']) || name.starts_with('$') || name.starts_with("__")
}

fn picked(names: Vec<Name>, projection: Option<&[usize]>) -> Vec<Name> {
    match projection {
        Some(projection) => projection
            .iter()
            .filter_map(|i| names.get(*i).cloned())
            .collect(),
        None => names,
    }
}

/// The columns of a join, which each kind of join takes from one side or both.
pub(super) fn joined(left: Vec<Name>, right: Vec<Name>, join: JoinType) -> Vec<Name> {
    let mark = || Name::computed("mark".to_owned());
    match join {
        JoinType::LeftSemi | JoinType::LeftAnti => left,
        JoinType::RightSemi | JoinType::RightAnti => right,
        JoinType::LeftMark => left.into_iter().chain([mark()]).collect(),
        JoinType::RightMark => right.into_iter().chain([mark()]).collect(),
        _ => left.into_iter().chain(right).collect(),
    }
}

fn aggregated(aggregate: &AggregateExec) -> Vec<Name> {
    let first = first_phase(aggregate);
    let below = names(first.input());
    let groups = first.group_expr().expr().iter().map(|(group, alias)| {
        match group
            .downcast_ref::<Column>()
            .and_then(|column| below.get(column.index()))
        {
            Some(name) => name.clone(),
            None if is_generated(alias) => Name::computed(expr::text(group, &below)),
            None => Name::computed(alias.clone()),
        }
    });
    let grouping = first.group_expr().has_grouping_set();
    let grouping = grouping.then(|| Name::computed("grouping".to_owned()));
    let values = first.aggr_expr().iter().enumerate().map(|(index, value)| {
        let filter = first.filter_expr().get(index).and_then(Option::as_ref);
        Name::computed(aggregate_text(value, filter, &below))
    });
    groups.chain(grouping).chain(values).collect()
}

/// The phase of an aggregate that reads its input rows: a second one only puts together what the
/// first one made of each partition.
pub(super) fn first_phase(aggregate: &AggregateExec) -> &AggregateExec {
    let mut node = aggregate.input();
    if !matches!(
        aggregate.mode(),
        AggregateMode::Final | AggregateMode::FinalPartitioned
    ) {
        return aggregate;
    }
    loop {
        if let Some(first) = node.downcast_ref::<AggregateExec>() {
            return if matches!(first.mode(), AggregateMode::Partial) {
                first
            } else {
                aggregate
            };
        }
        match node.children().as_slice() {
            [child] if super::is_exchange(node) => node = child,
            _ => return aggregate,
        }
    }
}

/// The text of one aggregate function.
pub(super) fn aggregate_text(
    value: &AggregateFunctionExpr,
    filter: Option<&Arc<dyn datafusion::physical_expr::PhysicalExpr>>,
    names: &[Name],
) -> String {
    let arguments = value.expressions();
    let star = value.fun().name() == "count"
        && matches!(arguments.as_slice(), [one] if one.is::<Literal>());
    let mut arguments = if star {
        "*".to_owned()
    } else {
        expr::texts(&arguments, names)
    };
    if value.is_distinct() {
        arguments.insert_str(0, "DISTINCT ");
    }
    if !value.order_bys().is_empty() {
        arguments.push_str(&format!(
            " ORDER BY {}",
            expr::sort(value.order_bys(), names)
        ));
    }
    let mut text = format!("{}({arguments})", value.fun().name());
    if let Some(filter) = filter {
        text.push_str(&format!(" FILTER (WHERE {})", expr::text(filter, names)));
    }
    text
}
