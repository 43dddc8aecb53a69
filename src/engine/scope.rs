//! What one execution of a plan brings along.

use std::num::NonZeroU32;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use datafusion::catalog::Session;
use datafusion::common::Result as DataFusionResult;
use datafusion::execution::TaskContext;

use crate::engine::analysis::Analysis;
use crate::engine::error::defect;
use crate::engine::session_settings::Settings;
use crate::engine::verify::Verifier;
use crate::store::Snapshot;
use crate::table::{ScanCounters, ScanPool};

/// One execution of a query: what it reads, when it began and what its session asks for.
#[derive(Debug, Clone)]
pub(crate) struct Execution<'a> {
    pub(crate) snapshot: &'a Arc<dyn Snapshot>,
    pub(crate) settings: &'a Settings,
    /// What now() is.
    pub(crate) started: DateTime<Utc>,
    /// Where the scans count what they do.
    pub(crate) counters: Arc<ScanCounters>,
    /// Sees what the scans return, if they are to be verified.
    pub(super) verifier: Option<Arc<Verifier>>,
    /// Has the plans that are executed, if each of their scans is to count for itself.
    pub(crate) analysis: Option<Arc<Analysis>>,
}

impl<'a> Execution<'a> {
    /// An execution that begins now.
    pub(crate) fn new(snapshot: &'a Arc<dyn Snapshot>, settings: &'a Settings) -> Self {
        Execution {
            snapshot,
            settings,
            started: Utc::now(),
            counters: Arc::default(),
            verifier: None,
            analysis: None,
        }
    }

    /// The same, with its scans verified if the settings say so.
    pub(super) fn verified(mut self, pool: &Arc<ScanPool>) -> Self {
        if self.settings.verify_plans {
            self.verifier = Some(Verifier::new(pool.clone(), self.snapshot.clone()));
        }
        self
    }
}

/// The snapshot that every scan of an execution reads, the pool that they run on and the counts
/// of what they did. Plans do not hold it, so that they can be kept; the scans find it among the
/// extensions of their task.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub(crate) snapshot: Arc<dyn Snapshot>,
    pub(crate) pool: Arc<ScanPool>,
    pub(crate) counters: Arc<ScanCounters>,
    /// Whether each scan counts for itself.
    pub(super) analyzes: bool,
    /// How many buckets a scan may read.
    pub(super) max_fanout: Option<NonZeroU32>,
    pub(super) verifier: Option<Arc<Verifier>>,
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

/// The counts of a scan in a plan whose scans count for themselves.
pub(super) fn own_counters(state: &dyn Session) -> Option<Arc<ScanCounters>> {
    let scope = state.config().get_extension::<Scope>()?;
    scope.analyzes.then(|| Arc::new(ScanCounters::timed()))
}

/// Whether a plan is made to be executed: a plan that is only explained has no time, so that
/// now() stays a symbol in it.
pub(super) fn is_execution(state: &dyn Session) -> bool {
    state.execution_props().query_execution_start_time.is_some()
}
