//! What one execution of a plan brings along.

use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::Result as DataFusionResult;
use datafusion::execution::TaskContext;

use crate::engine::error::defect;
use crate::store::Snapshot;
use crate::table::{ScanCounters, ScanPool};

/// The snapshot that every scan of an execution reads, the pool that they run on and the counts
/// of what they did. Plans do not hold it, so that they can be kept; the scans find it among the
/// extensions of their task.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub(crate) snapshot: Arc<dyn Snapshot>,
    pub(crate) pool: Arc<ScanPool>,
    pub(crate) counters: Arc<ScanCounters>,
}

impl Scope {
    /// The scope of the execution that a task belongs to.
    pub(super) fn of(context: &TaskContext) -> DataFusionResult<Arc<Scope>> {
        context
            .session_config()
            .get_extension::<Scope>()
            .ok_or_else(|| defect("a scan was executed outside of a statement"))
    }
}

/// Whether a plan is made to be executed: a plan that is only explained has no time, so that
/// now() stays a symbol in it.
pub(super) fn is_execution(state: &dyn Session) -> bool {
    state.execution_props().query_execution_start_time.is_some()
}
