//! Moves conditions with scalar subqueries from a filter into the scan below it.
//!
//! DataFusion plans `k = (SELECT max(k) FROM u)` as a filter above the scan: a table knows nothing
//! of the plans beside it. The subqueries of a query run before anything else of it does, so that
//! a scan can take their values as it takes those of parameters.

use std::sync::Arc;

use datafusion::common::Result as DataFusionResult;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_expr::{PhysicalExpr, conjunction, split_conjunction};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};

use crate::engine::optimize::logical::has_subquery;
use crate::engine::scan::exec::ScanExec;

/// It runs early, so that orders and joins see what the scan is bound to.
#[derive(Debug)]
pub(in crate::engine) struct SubqueryFilter;

impl PhysicalOptimizerRule for SubqueryFilter {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let Some(filter) = node.downcast_ref::<FilterExec>() else {
                return Ok(Transformed::no(node));
            };
            Ok(match moved(filter)? {
                Some(plan) => Transformed::yes(plan),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "SubqueryFilter"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// What does the work of the filter, if a scan can do some of it.
fn moved(filter: &FilterExec) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
    let Some(mut scan) = filter.input().downcast_ref::<ScanExec>().cloned() else {
        return Ok(None);
    };
    // Later rules give a filter these, before which this one runs.
    if filter.fetch().is_some() || filter.projection().is_some() {
        return Ok(None);
    }
    let mut left: Vec<Arc<dyn PhysicalExpr>> = Vec::new();
    let mut moved = false;
    for conjunct in split_conjunction(filter.predicate()) {
        let narrower = match has_subquery(conjunct) && !is_volatile(conjunct) {
            true => scan.with_condition(conjunct.clone())?,
            false => None,
        };
        match narrower {
            Some(narrower) => {
                scan = narrower;
                moved = true;
            }
            None => left.push(conjunct.clone()),
        }
    }
    if !moved {
        return Ok(None);
    }
    let scan = Arc::new(scan);
    if left.is_empty() {
        return Ok(Some(scan));
    }
    let filter = FilterExecBuilder::from(filter)
        .with_predicate(conjunction(left))
        .with_input(scan)
        .build()?;
    Ok(Some(Arc::new(filter)))
}
