//! EXPLAIN ANALYZE: the plan of a statement with the counts of its execution.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use futures::TryStreamExt;
use parking_lot::Mutex;

use crate::catalog::TableDef;
use crate::engine::explain::explain;
use crate::engine::scope::Execution;
use crate::engine::{BoundQuery, RowStream};
use crate::error::Result;
use crate::plan::{Analyzed, AnalyzedBucket, PlanNode, Scan};
use crate::table::ScanCounters;
use crate::types::Value;

/// The plans that a statement executes, whose scans count for themselves what they do.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    plans: Mutex<Vec<Arc<dyn ExecutionPlan>>>,
}

impl Analysis {
    pub(super) fn executes(&self, plan: &Arc<dyn ExecutionPlan>) {
        self.plans.lock().push(plan.clone());
    }

    /// The tree of a query as EXPLAIN prints it, where now() has no value, with the counts of its
    /// execution; the tree that was executed if that has other scans.
    fn of_query(&self, mut explained: PlanNode) -> PlanNode {
        let others = self.count(&mut explained);
        others.into_iter().next_back().unwrap_or(explained)
    }

    /// The tree of a writing statement as EXPLAIN prints it, with the counts of all its rounds.
    /// Queries that compute values of a VALUES stand below that.
    pub(super) fn of_write(&self, mut explained: PlanNode) -> PlanNode {
        let others = self.count(&mut explained);
        if others.is_empty() {
            return explained;
        }
        match explained.children.first_mut() {
            Some(values) if scans(values).is_empty() => values.children = others,
            _ => explained.children = others,
        }
        explained
    }

    /// Adds the counts of the plans that were executed to the tree that EXPLAIN prints, and returns
    /// the trees of those that have other scans.
    fn count(&self, explained: &mut PlanNode) -> Vec<PlanNode> {
        let mut others: Vec<PlanNode> = Vec::new();
        for plan in self.plans.lock().iter() {
            let tree = explain(plan);
            let known = std::iter::once(&mut *explained).chain(&mut others);
            match known.into_iter().find(|known| same_scans(known, &tree)) {
                Some(known) => add(known, &tree),
                None => others.push(tree),
            }
        }
        others
    }
}

/// The scans of a tree, in the order in which they are printed.
fn scans(tree: &PlanNode) -> Vec<Scan> {
    let mut scans = Vec::new();
    tree.visit_scans(&mut |scan| scans.push(scan.clone()));
    scans
}

/// Whether two trees read the same of the same tables, in the same order. Keys and filters may
/// differ: now() has a value in one of them.
fn same_scans(one: &PlanNode, other: &PlanNode) -> bool {
    let (ours, theirs) = (scans(one), scans(other));
    let same = |(ours, theirs): (&Scan, &Scan)| {
        ours.table == theirs.table
            && ours.index == theirs.index
            && ours.columns == theirs.columns
            && ours.joined == theirs.joined
            && ours.groups == theirs.groups
    };
    ours.len() == theirs.len() && ours.iter().zip(&theirs).all(same)
}

/// Adds the counts of one tree to another with the same scans.
fn add(tree: &mut PlanNode, other: &PlanNode) {
    let mut counts = scans(other).into_iter().map(|scan| scan.analyzed);
    tree.visit_scans_mut(
        &mut |scan| match (&mut scan.analyzed, counts.next().flatten()) {
            (Some(ours), Some(theirs)) => *ours += &theirs,
            (ours, Some(theirs)) => *ours = Some(theirs),
            _ => {}
        },
    );
}

/// What counters say of the scan of a table.
pub(super) fn analyzed(def: &TableDef, counters: &ScanCounters) -> Analyzed {
    let buckets = counters.buckets().into_iter();
    Analyzed {
        gets: counters.gets(),
        entries: counters.entries(),
        rows_read: counters.rows(),
        rows_returned: counters.returned(),
        bytes: counters.bytes(),
        seeks: counters.seeks(),
        rows_skipped: counters.skipped(),
        buckets: buckets
            .map(|cost| AnalyzedBucket::new(cost.bucket, cost.rows, cost.time))
            .collect(),
        salted: def.salting.is_some(),
    }
}

impl BoundQuery {
    /// Executes the query, drops its rows, and returns its plan with what its scans did.
    ///
    /// # Errors
    /// Those of the query.
    pub(crate) async fn analyze(
        &self,
        execution: Execution<'_>,
        values: &[Value],
    ) -> Result<PlanNode> {
        let mut explained = self.explain(Some(values))?;
        let analysis = Arc::new(Analysis::default());
        let counters = Arc::new(ScanCounters::timed());
        let rows = self.execute(
            Execution {
                counters: counters.clone(),
                analysis: Some(analysis.clone()),
                ..execution
            },
            values,
        )?;
        let by_point_get = analysis.plans.lock().is_empty();
        drain(rows).await?;
        if by_point_get && let Some(def) = self.point_table() {
            explained.visit_scans_mut(&mut |scan| {
                scan.analyzed = Some(analyzed(def, &counters));
            });
            return Ok(explained);
        }
        Ok(analysis.of_query(explained))
    }
}

async fn drain(mut rows: RowStream) -> Result<()> {
    while rows.try_next().await?.is_some() {}
    Ok(())
}
