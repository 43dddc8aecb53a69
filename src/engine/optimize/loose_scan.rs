//! Loose scans: where only the first or the last rows of groups count, no others are read.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result as DataFusionResult, ScalarValue};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};
use datafusion::physical_expr::utils::{collect_columns, split_conjunction};
use datafusion::physical_expr::window::{StandardWindowExpr, WindowExpr};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::buffer::BufferExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec, WindowUDFExpr};

use crate::engine::optimize::loose_key::{Ends, KeyGroups, LooseKey};
use crate::engine::scan::exec::ScanExec;
use crate::table::Groups;

/// Makes a scan read only the first or the last row of each group of each bucket, where what
/// stands above it comes to the same answer over these rows.
///
/// It takes rows away from under an aggregate or a window and leaves both in place: they put
/// together the groups of the buckets, and an end of a group that is split among ranges may well
/// be read more than once.
#[derive(Debug)]
pub(in crate::engine) struct LooseScan;

type Plan = Arc<dyn ExecutionPlan>;

impl PhysicalOptimizerRule for LooseScan {
    fn optimize(&self, plan: Plan, _: &ConfigOptions) -> DataFusionResult<Plan> {
        let loosened = |node: Plan| {
            let (node, groups) = match read_of(&node) {
                Some(groups) => (node, groups),
                None => match by_index(&node)? {
                    Some(found) => found,
                    None => return Ok(Transformed::no(node)),
                },
            };
            replace_scan(&node, &|scan| scan.loose(groups)).map(Transformed::yes)
        };
        plan.transform_down(loosened).data()
    }

    fn name(&self) -> &str {
        "LooseScan"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The groups of which a node needs only the ends.
fn read_of(node: &Plan) -> Option<Groups> {
    if let Some(aggregate) = node.downcast_ref::<AggregateExec>() {
        return under_aggregate(aggregate);
    }
    under_filter(node.downcast_ref::<FilterExec>()?)
}

/// The node over the scan of an index, where the key of that has the groups.
fn by_index(node: &Plan) -> DataFusionResult<Option<(Plan, Groups)>> {
    if !node.is::<AggregateExec>() && !node.is::<FilterExec>() {
        return Ok(None);
    }
    let mut below = node;
    while !below.is::<ScanExec>() {
        match below.children().as_slice() {
            [child] => below = child,
            _ => return Ok(None),
        }
    }
    let Some(scan) = below.downcast_ref::<ScanExec>() else {
        return Ok(None);
    };
    let over = |scan: ScanExec| replace_scan(node, &|_| scan.clone());
    let suits = |scan: ScanExec| over(scan).is_ok_and(|node| read_of(&node).is_some());
    let Some(scan) = scan.suited(&suits)? else {
        return Ok(None);
    };
    let node = over(scan)?;
    Ok(read_of(&node).map(|groups| (node, groups)))
}

/// The plan with another scan at its end.
fn replace_scan(plan: &Plan, other: &dyn Fn(&ScanExec) -> ScanExec) -> DataFusionResult<Plan> {
    if let Some(scan) = plan.downcast_ref::<ScanExec>() {
        return Ok(Arc::new(other(scan)));
    }
    let children = plan.children().into_iter();
    let children = children.map(|child| replace_scan(child, other));
    let children = children.collect::<DataFusionResult<_>>()?;
    replace_children_if_necessary(plan.clone(), children)
}

/// A scan at the end of a chain of nodes that move, filter or project its rows.
struct Input<'a> {
    key: LooseKey<'a>,
    /// For each column of the chain the table's column that it is.
    columns: Vec<Option<usize>>,
    /// And the table's columns that it is computed from; `None` if it is volatile.
    sources: Vec<Option<BTreeSet<usize>>>,
}

impl<'a> Input<'a> {
    /// The scan below `plan`. `sorted`: past sorts too, for who brings an order of its own.
    fn of(plan: &'a Plan, sorted: bool) -> Option<Self> {
        if let Some(scan) = plan.downcast_ref::<ScanExec>() {
            let columns = scan.columns().iter().copied();
            return Some(Input {
                key: scan.loose_key()?,
                sources: columns.clone().map(|c| Some(BTreeSet::from([c]))).collect(),
                columns: columns.map(Some).collect(),
            });
        }
        if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
            let input = Input::of(projection.input(), sorted)?;
            let exprs = || projection.expr().iter().map(|e| &e.expr);
            return Some(Input {
                columns: exprs().map(|e| input.column(e)).collect(),
                sources: exprs().map(|e| input.read_by(e)).collect(),
                key: input.key,
            });
        }
        if let Some(filter) = plan.downcast_ref::<FilterExec>() {
            if filter.fetch().is_some() {
                return None;
            }
            let mut input = Input::of(filter.input(), sorted)?;
            let dropped_by = input.read_by(filter.predicate())?;
            input.key.dropped_by.extend(dropped_by);
            if let Some(projection) = filter.projection() {
                let at = |at: &usize| {
                    let sources = input.sources.get(*at)?.clone();
                    Some((*input.columns.get(*at)?, sources))
                };
                let picked = projection.iter().map(at).collect::<Option<Vec<_>>>()?;
                (input.columns, input.sources) = picked.into_iter().unzip();
            }
            return Some(input);
        }
        let moves = plan.is::<RepartitionExec>()
            || plan.is::<CoalescePartitionsExec>()
            || plan.is::<SortPreservingMergeExec>()
            || plan.is::<CooperativeExec>()
            || plan.is::<BufferExec>()
            || (sorted && plan.is::<SortExec>());
        match plan.children().as_slice() {
            [child] if moves && plan.fetch().is_none() => Input::of(child, sorted),
            _ => None,
        }
    }

    /// The table's column that an expression is.
    fn column(&self, expr: &Arc<dyn PhysicalExpr>) -> Option<usize> {
        let column = expr.downcast_ref::<Column>()?;
        *self.columns.get(column.index())?
    }

    /// The table's columns that an expression is computed from.
    fn read_by(&self, expr: &Arc<dyn PhysicalExpr>) -> Option<BTreeSet<usize>> {
        if is_volatile(expr) {
            return None;
        }
        let mut columns = BTreeSet::new();
        for column in collect_columns(expr) {
            columns.extend(self.sources.get(column.index())?.as_ref()?);
        }
        Some(columns)
    }

    fn all(
        &self,
        exprs: impl IntoIterator<Item = Arc<dyn PhysicalExpr>>,
    ) -> Option<BTreeSet<usize>> {
        exprs.into_iter().map(|expr| self.column(&expr)).collect()
    }
}

/// What an aggregate needs of the rows that it reads.
fn under_aggregate(aggregate: &AggregateExec) -> Option<Groups> {
    let reads_rows = matches!(
        aggregate.mode(),
        AggregateMode::Partial | AggregateMode::Single | AggregateMode::SinglePartitioned
    );
    if !reads_rows {
        return None;
    }
    let input = Input::of(aggregate.input(), false)?;
    ends_of_groups(aggregate, &input).or_else(|| distinct_rows(aggregate, &input))
}

/// The rows of each group that its aggregates come from: a MIN or MAX of the key column that
/// follows, the first or the last value in the order of the key.
fn ends_of_groups(aggregate: &AggregateExec, input: &Input<'_>) -> Option<Groups> {
    let filters = aggregate.filter_expr().iter();
    if aggregate.group_expr().has_grouping_set() || filters.flatten().next().is_some() {
        return None;
    }
    let columns = input.all(aggregate.group_expr().input_exprs())?;
    input.key.groups(&columns).find_map(|groups| {
        let mut ends = Ends::ANY;
        for value in aggregate.aggr_expr() {
            ends = ends.and(ends_of(value, input, &groups)?);
        }
        Some(groups.read(ends))
    })
}

fn ends_of(
    value: &AggregateFunctionExpr,
    input: &Input<'_>,
    groups: &KeyGroups<'_>,
) -> Option<Ends> {
    let name = value.fun().name();
    match (name, value.expressions().as_slice()) {
        ("min" | "max", [argument]) => groups.extreme(input.column(argument)?, name == "max"),
        ("first_value" | "last_value", [_]) if value.ignore_nulls() || value.is_distinct() => None,
        ("first_value", [_]) => groups.first_in(value.order_bys(), &input.columns),
        ("last_value", [_]) => groups.last_in(value.order_bys(), &input.columns),
        _ => None,
    }
}

/// One row of all that agree in every column that the aggregate reads, where it does not matter
/// how many there are.
fn distinct_rows(aggregate: &AggregateExec, input: &Input<'_>) -> Option<Groups> {
    let mut columns = input.key.dropped_by.clone();
    let filters = aggregate.filter_expr().iter().flatten().cloned();
    for expr in aggregate
        .group_expr()
        .input_exprs()
        .into_iter()
        .chain(filters)
    {
        columns.extend(input.read_by(&expr)?);
    }
    for value in aggregate.aggr_expr() {
        let counts_once = value.is_distinct() || matches!(value.fun().name(), "min" | "max");
        if !counts_once || !value.order_bys().is_empty() {
            return None;
        }
        for expr in value.expressions() {
            columns.extend(input.read_by(&expr)?);
        }
    }
    let groups = input.key.groups(&columns).next()?;
    Some(groups.read(Ends::ANY))
}

/// What a filter on `row_number() = 1` leaves of the rows below its window.
fn under_filter(filter: &FilterExec) -> Option<Groups> {
    split_conjunction(filter.predicate())
        .into_iter()
        .filter_map(first_number)
        .find_map(|column| under_window(filter.input(), column))
}

/// The column of a term that only the row number 1 passes.
fn first_number(term: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    let binary = term.downcast_ref::<BinaryExpr>()?;
    let number = |expr: &Arc<dyn PhysicalExpr>| match expr.downcast_ref::<Literal>()?.value() {
        ScalarValue::UInt64(number) => *number,
        _ => None,
    };
    let (column, op, number) = match number(binary.right()) {
        Some(number) => (binary.left(), *binary.op(), number),
        None => (binary.right(), binary.op().swap()?, number(binary.left())?),
    };
    match (op, number) {
        (Operator::Eq | Operator::LtEq, 1) | (Operator::Lt, 2) => {
            Some(column.downcast_ref::<Column>()?.index())
        }
        _ => None,
    }
}

/// The first row of each partition of a window, if that `column` is its row number.
fn under_window(plan: &Plan, column: usize) -> Option<Groups> {
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let projected = projection.expr().get(column)?;
        let below = projected.expr.downcast_ref::<Column>()?.index();
        return under_window(projection.input(), below);
    }
    let (windows, below) = match (
        plan.downcast_ref::<BoundedWindowAggExec>(),
        plan.downcast_ref::<WindowAggExec>(),
    ) {
        (Some(window), _) => (window.window_expr(), window.input()),
        (_, Some(window)) => (window.window_expr(), window.input()),
        _ => return None,
    };
    let number = windows.get(column.checked_sub(below.schema().fields().len())?)?;
    // Every other function would see that rows are missing.
    let alike = |window: &Arc<dyn WindowExpr>| window.partition_by() == number.partition_by();
    if !windows.iter().all(|w| is_row_number(w) && alike(w)) {
        return None;
    }
    let input = Input::of(below, true)?;
    let columns = input.all(number.partition_by().iter().cloned())?;
    input.key.groups(&columns).find_map(|groups| {
        let ends = groups.first_in(number.order_by(), &input.columns)?;
        Some(groups.read(ends))
    })
}

fn is_row_number(window: &Arc<dyn WindowExpr>) -> bool {
    let function = || {
        let standard = window.as_any().downcast_ref::<StandardWindowExpr>()?;
        let function = standard.get_standard_func_expr().as_any();
        Some(function.downcast_ref::<WindowUDFExpr>()?.fun().name())
    };
    function() == Some("row_number")
}
