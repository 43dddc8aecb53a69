//! The fixed text of joins.

use std::sync::Arc;

use datafusion::common::{JoinSide, JoinType};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec,
};

use crate::engine::explain::expr;
use crate::engine::explain::names::{Name, names};
use crate::engine::symbol::limit_text;

/// The text of a plan that is a join.
pub(super) fn text(plan: &Arc<dyn ExecutionPlan>) -> Option<String> {
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        let sides = Sides::new(join.left(), join.right());
        let facts = [
            Some(kind(*join.join_type()).to_owned()),
            Some(sides.on(join.on())),
            join.filter().map(|filter| sides.filter(filter)),
            join.fetch()
                .map(|rows| format!("limit {}", limit_text(rows))),
        ];
        return Some(line("HashJoin", facts));
    }
    if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() {
        let sides = Sides::new(join.left(), join.right());
        let facts = [
            Some(kind(join.join_type()).to_owned()),
            Some(sides.on(join.on())),
            join.filter().as_ref().map(|filter| sides.filter(filter)),
        ];
        return Some(line("MergeJoin", facts));
    }
    if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
        let sides = Sides::new(join.left(), join.right());
        let facts = [
            Some(kind(*join.join_type()).to_owned()),
            join.filter().map(|filter| sides.filter(filter)),
            join.fetch()
                .map(|rows| format!("limit {}", limit_text(rows))),
        ];
        return Some(line("NestedLoopJoin", facts));
    }
    plan.is::<CrossJoinExec>().then(|| "CrossJoin".to_owned())
}

fn line(name: &str, facts: impl IntoIterator<Item = Option<String>>) -> String {
    let facts: Vec<_> = facts.into_iter().flatten().collect();
    format!("{name}: {}", facts.join(", "))
}

fn kind(join: JoinType) -> &'static str {
    match join {
        JoinType::Inner => "inner",
        JoinType::Left => "left",
        JoinType::Right => "right",
        JoinType::Full => "full",
        JoinType::LeftSemi => "left semi",
        JoinType::RightSemi => "right semi",
        JoinType::LeftAnti => "left anti",
        JoinType::RightAnti => "right anti",
        JoinType::LeftMark => "left mark",
        JoinType::RightMark => "right mark",
    }
}

/// An expression over the left side and one over the right that must be equal.
type Equality = (Arc<dyn PhysicalExpr>, Arc<dyn PhysicalExpr>);

/// The columns of both sides. A name that stands on both is printed with its table.
struct Sides {
    left: Vec<Name>,
    right: Vec<Name>,
}

impl Sides {
    fn new(left: &Arc<dyn ExecutionPlan>, right: &Arc<dyn ExecutionPlan>) -> Self {
        let (left, right) = (names(left), names(right));
        Sides {
            left: qualified(&left, &right),
            right: qualified(&right, &left),
        }
    }

    fn on(&self, on: &[Equality]) -> String {
        let pair = |(left, right): &Equality| {
            format!(
                "{} = {}",
                expr::text(left, &self.left),
                expr::text(right, &self.right)
            )
        };
        format!(
            "on ({})",
            on.iter().map(pair).collect::<Vec<_>>().join(", ")
        )
    }

    fn filter(&self, filter: &JoinFilter) -> String {
        let name = |index: &datafusion::physical_plan::joins::utils::ColumnIndex| {
            let side = match index.side {
                JoinSide::Left => &self.left,
                JoinSide::Right => &self.right,
                JoinSide::None => {
                    return Name {
                        table: None,
                        text: "mark".to_owned(),
                    };
                }
            };
            match side.get(index.index) {
                Some(name) => name.clone(),
                None => Name {
                    table: None,
                    text: "?".to_owned(),
                },
            }
        };
        let columns: Vec<_> = filter.column_indices().iter().map(name).collect();
        format!("filter {}", expr::text(filter.expression(), &columns))
    }
}

fn qualified(names: &[Name], others: &[Name]) -> Vec<Name> {
    let name = |name: &Name| match &name.table {
        Some(table) if others.iter().any(|other| other.text == name.text) => Name {
            table: name.table.clone(),
            text: format!("{table}.{}", name.text),
        },
        _ => name.clone(),
    };
    names.iter().map(name).collect()
}
