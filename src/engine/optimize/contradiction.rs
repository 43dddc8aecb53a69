//! Keeps the table of a scan whose filter contradicts itself.

use std::sync::Arc;

use datafusion::common::Result as DataFusionResult;
use datafusion::common::tree_node::Transformed;
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::{Filter, LogicalPlan, TableScan};
use datafusion::optimizer::optimizer::{ApplyOrder, Optimizer};
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use crate::engine::error::to_datafusion;
use crate::engine::scan::provider::{StoredTable, can_filter};
use crate::plan::{self, Access};

/// Moves a filter that no row of its table can pass into the scan at once.
///
/// The simplifier would see some of these contradictions too and put an empty relation in their
/// place; the plan would then depend on what a release of it sees, and not name the table.
#[derive(Debug)]
struct Contradiction;

/// DataFusion's rules with ours first.
pub(in crate::engine) fn optimizer_rules() -> Vec<Arc<dyn OptimizerRule + Send + Sync>> {
    let mut rules: Vec<Arc<dyn OptimizerRule + Send + Sync>> = vec![Arc::new(Contradiction)];
    rules.extend(Optimizer::new().rules);
    rules
}

impl OptimizerRule for Contradiction {
    fn name(&self) -> &str {
        "contradiction"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> DataFusionResult<Transformed<LogicalPlan>> {
        let LogicalPlan::Filter(Filter {
            predicate, input, ..
        }) = &plan
        else {
            return Ok(Transformed::no(plan));
        };
        let LogicalPlan::TableScan(scan) = input.as_ref() else {
            return Ok(Transformed::no(plan));
        };
        let Ok(provider) = source_as_provider(&scan.source) else {
            return Ok(Transformed::no(plan));
        };
        let Some(table) = provider.downcast_ref::<StoredTable>() else {
            return Ok(Transformed::no(plan));
        };
        if !can_filter(predicate) {
            return Ok(Transformed::no(plan));
        }
        let filters = [unnormalize_col(predicate.clone())];
        let path = plan::narrow(&table.entry().def, &filters).map_err(to_datafusion)?;
        if path.access != Access::Empty {
            return Ok(Transformed::no(plan));
        }
        let mut filters = scan.filters.clone();
        filters.push(predicate.clone());
        Ok(Transformed::yes(LogicalPlan::TableScan(TableScan {
            filters,
            ..scan.clone()
        })))
    }
}
