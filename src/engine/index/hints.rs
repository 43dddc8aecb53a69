//! Hints of a query, given to the tables that they name.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::common::Result as DataFusionResult;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::{LogicalPlan, TableScan};
use sqlparser::ast::{Query, Select, Visit, Visitor};

use crate::engine::error::to_datafusion;
use crate::engine::from_datafusion;
use crate::engine::index::Hint;
use crate::engine::scan::provider::hinted_source;
use crate::error::{Error, Position, Result};
use crate::sql::{self, IndexHint};

/// Every hint of a query, with its place.
#[derive(Default)]
struct Collect(Vec<(IndexHint, Option<Position>)>);

impl Visitor for Collect {
    type Break = Error;

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Error> {
        let start = select.select_token.0.span.start;
        let position = (start.line > 0).then_some(Position {
            line: start.line,
            column: start.column,
        });
        for hint in &select.optimizer_hints {
            match sql::index_hints(&hint.text) {
                Ok(hints) => self
                    .0
                    .extend(hints.into_iter().map(|hint| (hint, position))),
                Err(error) => return ControlFlow::Break(error.at(position)),
            }
        }
        ControlFlow::Continue(())
    }
}

/// The plan of a query, its tables with what the hints say of them. A hint is about every table
/// that has the name, or the alias, anywhere in the query.
///
/// # Errors
/// `NotFound` for a hint that names no table of the query, or no index of that table.
pub(in crate::engine) fn with_hints(plan: LogicalPlan, query: &Query) -> Result<LogicalPlan> {
    let mut collect = Collect::default();
    if let ControlFlow::Break(error) = query.visit(&mut collect) {
        return Err(error);
    }
    let mut plan = plan;
    for (hint, position) in collect.0 {
        let mut found = false;
        plan = plan
            .transform_up_with_subqueries(|node| hinted(node, &hint, &mut found))
            .map_err(|e| from_datafusion(e).at(position))?
            .data;
        if !found {
            let table = &hint.table;
            return Err(Error::not_found(format!(
                "a hint names {table}, which the query does not read"
            ))
            .at(position));
        }
    }
    Ok(plan)
}

/// The node with the hint, if it is the table that is named.
fn hinted(
    node: LogicalPlan,
    hint: &IndexHint,
    found: &mut bool,
) -> DataFusionResult<Transformed<LogicalPlan>> {
    let name = hint.table.value.as_str();
    match node {
        LogicalPlan::TableScan(scan) if scan.table_name.table() == name => {
            scan_with(scan, hint, found)
                .map(LogicalPlan::TableScan)
                .map(Transformed::yes)
        }
        LogicalPlan::SubqueryAlias(mut alias) if alias.alias.table() == name => {
            if let LogicalPlan::TableScan(scan) = alias.input.as_ref() {
                let scan = scan_with(scan.clone(), hint, found)?;
                alias.input = Arc::new(LogicalPlan::TableScan(scan));
            }
            Ok(Transformed::yes(LogicalPlan::SubqueryAlias(alias)))
        }
        node => Ok(Transformed::no(node)),
    }
}

fn scan_with(
    mut scan: TableScan,
    hint: &IndexHint,
    found: &mut bool,
) -> DataFusionResult<TableScan> {
    let said = match hint.indexes.as_slice() {
        [] => Hint::NoIndex,
        names => Hint::Index(names.iter().map(|name| name.value.clone()).collect()),
    };
    if let Some(source) = hinted_source(&scan.source, said).map_err(to_datafusion)? {
        scan.source = source;
        *found = true;
    }
    Ok(scan)
}
