//! The rules that a physical plan goes through.

use std::sync::Arc;

use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;

use crate::engine::optimize::filter_projection::FilterProjection;
use crate::engine::optimize::join_reach::JoinReach;
use crate::engine::optimize::loose_scan::LooseScan;
use crate::engine::optimize::probe_side::ProbeSide;
use crate::engine::optimize::sort_pushdown::SortPushdown;
use crate::engine::optimize::subquery_filter::SubqueryFilter;

/// DataFusion's rules with ours among them.
pub(in crate::engine) fn physical_optimizer_rules()
-> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> = Vec::new();
    for rule in PhysicalOptimizer::new().rules {
        match rule.name() {
            "PushdownSort" => {
                rules.push(Arc::new(SortPushdown));
                // It looks at aggregates and windows in their final places.
                rules.push(Arc::new(LooseScan));
            }
            // It would hand filters down by the names of columns, which may stand twice.
            "FilterPushdown(Post)" => rules.push(Arc::new(JoinReach)),
            "join_selection" => {
                rules.push(rule);
                rules.push(Arc::new(SubqueryFilter));
                rules.push(Arc::new(ProbeSide));
            }
            "EnsureRequirements" => {
                rules.push(Arc::new(SortPushdown));
                rules.push(rule);
            }
            "ProjectionPushdown" => {
                rules.push(Arc::new(FilterProjection));
                rules.push(rule);
            }
            // It changes nothing, and refuses plans that are right: where an expression has no known
            // bounds, as `-(v % 7)`, it does not see that a sort by it is a sort by it.
            "SanityCheckPlan" => {}
            _ => rules.push(rule),
        }
    }
    rules
}
