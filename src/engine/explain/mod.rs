//! The text of a plan: DataFusion's physical plan as a tree of ours.
//!
//! Scans print as the plan floor says. Nodes that only move rows between partitions are left out,
//! and an aggregate of two phases is one node, so that the text is the same on every machine. The
//! other nodes have a fixed form of their own, which no release of DataFusion can change.

mod expr;
mod join;
mod names;
mod window;

use std::sync::Arc;

use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::output_requirements::OutputRequirementExec;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::buffer::BufferExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::recursive_query::RecursiveQueryExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::scalar_subquery::ScalarSubqueryExec;
use datafusion::physical_plan::sorts::partial_sort::PartialSortExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::streaming::StreamingTableExec;
use datafusion::physical_plan::union::{InterleaveExec, UnionExec};
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::work_table::WorkTableExec;

use crate::engine::explain::names::{Name, aggregate_text, first_phase, is_generated, names};
use crate::engine::scan::exec::ScanExec;
use crate::engine::symbol::limit_text;
use crate::plan::{PlanNode, table_text};

type Plan = Arc<dyn ExecutionPlan>;

/// The tree of a plan.
pub(super) fn explain(plan: &Plan) -> PlanNode {
    if let Some(scan) = plan.downcast_ref::<ScanExec>() {
        return scan.explain();
    }
    if is_exchange(plan) {
        return exchange(plan);
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let below = names(projection.input());
        if projection
            .expr()
            .iter()
            .all(|projected| projected.expr.is::<Column>())
        {
            return explain(projection.input());
        }
        let column = |projected: &datafusion::physical_expr::projection::ProjectionExpr| {
            let text = expr::text(&projected.expr, &below);
            match projected.expr.is::<Column>() || is_generated(&projected.alias) {
                true => text,
                false => format!("{text} AS {}", projected.alias),
            }
        };
        let columns: Vec<_> = projection.expr().iter().map(column).collect();
        return node(
            format!("Projection: {}", columns.join(", ")),
            [projection.input()],
        );
    }
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        let predicate = expr::text(filter.predicate(), &names(filter.input()));
        let text = format!("Filter: {predicate}{}", limit(filter.fetch()));
        return node(text, [filter.input()]);
    }
    if let Some(sort) = plan.downcast_ref::<SortExec>() {
        let order = expr::sort(sort.expr(), &names(sort.input()));
        return node(
            format!("Sort: {order}{}", limit(sort.fetch())),
            [sort.input()],
        );
    }
    if let Some(sort) = plan.downcast_ref::<PartialSortExec>() {
        let order = expr::sort(sort.expr(), &names(sort.input()));
        return node(
            format!("Sort: {order}{}", limit(sort.fetch())),
            [sort.input()],
        );
    }
    if let Some(aggregate) = plan.downcast_ref::<AggregateExec>() {
        return explain_aggregate(aggregate);
    }
    if let Some(global) = plan.downcast_ref::<GlobalLimitExec>() {
        let rows = global
            .fetch()
            .map(limit_text)
            .unwrap_or_else(|| "all".to_owned());
        let text = match global.skip() {
            0 => format!("Limit: {rows}"),
            skip => format!("Limit: {rows}, offset {}", limit_text(skip)),
        };
        return node(text, [global.input()]);
    }
    if let Some(text) = join::text(plan) {
        return node(text, plan.children());
    }
    if let Some(window) = plan.downcast_ref::<WindowAggExec>() {
        let below = names(window.input());
        return explain_window(window.window_expr(), &below, window.input());
    }
    if let Some(window) = plan.downcast_ref::<BoundedWindowAggExec>() {
        let below = names(window.input());
        return explain_window(window.window_expr(), &below, window.input());
    }
    if let Some(subquery) = plan.downcast_ref::<ScalarSubqueryExec>() {
        let mut children = vec![explain(subquery.input())];
        for (index, link) in subquery.subqueries().iter().enumerate() {
            children.push(node(format!("Subquery {}", index + 1), [&link.plan]));
        }
        return PlanNode::new("ScalarSubquery", children);
    }
    if let Some(recursive) = plan.downcast_ref::<RecursiveQueryExec>() {
        return node(
            format!("RecursiveQuery: {}", recursive.name()),
            plan.children(),
        );
    }
    if let Some(table) = plan.downcast_ref::<WorkTableExec>() {
        return node(format!("WorkTable: {}", table.name()), []);
    }
    if let Some(unnest) = plan.downcast_ref::<UnnestExec>() {
        return node("Unnest".to_owned(), [unnest.input()]);
    }
    if let Some(table) = union_of_arms(plan) {
        return node(format!("IndexUnion: {table}"), plan.children());
    }
    let text = if plan.is::<UnionExec>() || plan.is::<InterleaveExec>() {
        "Union"
    } else if plan.is::<PlaceholderRowExec>() {
        "OneRow"
    } else if plan.is::<EmptyExec>() {
        "Empty"
    } else if plan.is::<DataSourceExec>() {
        "Values"
    } else if plan.is::<StreamingTableExec>() {
        "InformationSchema"
    } else if plan.name() == "LazyMemoryExec" {
        "TableFunction"
    } else {
        plan.name().trim_end_matches("Exec")
    };
    node(text.to_owned(), plan.children())
}

/// The table whose rows a union puts together, if its children read the arms of an OR.
fn union_of_arms(plan: &Plan) -> Option<String> {
    let arm = |mut child: &Plan| loop {
        if let Some(scan) = child.downcast_ref::<ScanExec>() {
            return Some(scan.clone()).filter(|scan| scan.is_arm);
        }
        child = match child.children().as_slice() {
            [below] => below,
            _ => return None,
        };
    };
    let union = plan.downcast_ref::<UnionExec>()?;
    let arms: Option<Vec<ScanExec>> = union.inputs().iter().map(arm).collect();
    Some(table_text(&arms?.first()?.table().def))
}

/// Whether a node only moves rows between partitions, or between threads.
pub(super) fn is_exchange(plan: &Plan) -> bool {
    plan.is::<RepartitionExec>()
        || plan.is::<CoalescePartitionsExec>()
        || plan.is::<SortPreservingMergeExec>()
        || plan.is::<CooperativeExec>()
        || plan.is::<BufferExec>()
        || plan.is::<OutputRequirementExec>()
        || plan.is::<LocalLimitExec>()
        || plan.name() == "CoalesceBatchesExec"
}

/// What stands below an exchange, which may also hold the limit of the rows that it moves.
fn exchange(plan: &Plan) -> PlanNode {
    let children = plan.children();
    let Some(child) = children.first() else {
        return node(plan.name().to_owned(), []);
    };
    match plan.fetch() {
        Some(rows) if !plan.is::<LocalLimitExec>() && !limits(child, rows) => {
            node(format!("Limit: {}", limit_text(rows)), [*child])
        }
        _ => explain(child),
    }
}

/// Whether the node that is printed for `plan` shows a limit of that many rows.
fn limits(plan: &Plan, rows: usize) -> bool {
    if plan.is::<LocalLimitExec>() || (is_exchange(plan) && plan.fetch().is_none()) {
        return plan
            .children()
            .first()
            .is_some_and(|child| limits(child, rows));
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        return limits(projection.input(), rows);
    }
    if plan.is::<ScanExec>() || plan.is::<FilterExec>() || plan.is::<SortExec>() {
        return plan.fetch() == Some(rows);
    }
    is_exchange(plan) && plan.fetch() == Some(rows)
}

fn explain_aggregate(aggregate: &AggregateExec) -> PlanNode {
    let first = first_phase(aggregate);
    let below = names(first.input());
    let mut facts = Vec::new();
    let groups = first.group_expr();
    let terms: Vec<_> = groups
        .expr()
        .iter()
        .map(|(e, _)| expr::text(e, &below))
        .collect();
    if groups.has_grouping_set() {
        let set = |absent: &Vec<bool>| {
            let present = terms.iter().zip(absent).filter(|(_, absent)| !**absent);
            let present: Vec<_> = present.map(|(term, _)| term.as_str()).collect();
            format!("({})", present.join(", "))
        };
        let sets: Vec<_> = groups.groups().iter().map(set).collect();
        facts.push(format!("grouping sets {}", sets.join(", ")));
    } else if !terms.is_empty() {
        facts.push(format!("group by ({})", terms.join(", ")));
    }
    for (index, value) in first.aggr_expr().iter().enumerate() {
        let filter = first.filter_expr().get(index).and_then(Option::as_ref);
        facts.push(aggregate_text(value, filter, &below));
    }
    if let Some(options) = aggregate.limit_options() {
        facts.push(format!("limit {}", limit_text(options.limit())));
    }
    node(format!("Aggregate: {}", facts.join(", ")), [first.input()])
}

fn explain_window(
    exprs: &[Arc<dyn datafusion::physical_expr::window::WindowExpr>],
    below: &[Name],
    input: &Plan,
) -> PlanNode {
    let texts: Vec<_> = exprs
        .iter()
        .map(|w| window::text(w.as_ref(), below))
        .collect();
    node(format!("Window: {}", texts.join(", ")), [input])
}

fn limit(rows: Option<usize>) -> String {
    rows.map(|rows| format!(", limit {}", limit_text(rows)))
        .unwrap_or_default()
}

fn node<'a>(text: String, children: impl IntoIterator<Item = &'a Plan>) -> PlanNode {
    PlanNode::new(text, children.into_iter().map(explain).collect())
}
