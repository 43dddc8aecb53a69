//! The only code that meets DataFusion's runtime: providers, scan operators, sinks.
//!
//! ```text
//! syntax tree ──bind──> BoundQuery (logical plan, unoptimised, parameters and now() symbolic)
//!    execute: values in, constants typed
//!       ├── one key of one table ──> point get on the caller's thread
//!       └── DataFusion's optimizer ──> ScanExec leaves (plan::narrow) ──> table::Scan on the pool
//!              first row: subqueries and joins have their values ──> narrowed once more
//!    explain: the same physical plan as a tree of text
//! ```
//!
//! **Invariants.** A query is bound to one state of the catalog and reads one snapshot, which it
//! gets after it is bound and which no plan holds. A scan tells DataFusion of an order only when
//! its rows have it, and of no statistics at all: plans do not depend on data. Settings are fixed.
//! Every error that leaves this floor is ours, without DataFusion's words where ours will do.

mod analysis;
mod bind;
mod copy;
mod ddl;
mod dml;
mod error;
mod explain;
mod functions;
mod index;
mod optimize;
mod point;
mod query;
mod ready;
mod scan;
mod scope;
mod session_settings;
mod settings;
mod stream;
mod symbol;
mod verify;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use parking_lot::Mutex;
use sqlparser::ast;
use tokio::runtime::{Handle, Runtime};

use crate::catalog::CatalogState;
use crate::error::{Error, Result};
use crate::table::ScanPool;

pub(crate) use analysis::Analysis;
pub(crate) use bind::Conditions;
pub(crate) use dml::{Done, Writes};
pub(crate) use error::{from_datafusion, to_datafusion};
pub(crate) use query::BoundQuery;
pub(crate) use scope::Execution;
pub(crate) use session_settings::Settings;
pub(crate) use stream::RowStream;

/// The stack of a thread of the runtime, where plans of a thousand operators may run.
const STACK: usize = 64 << 20;

/// What an engine may use of the machine.
#[derive(Debug, Clone)]
pub(crate) struct EngineOptions {
    /// Threads of the scan pool, and as many of the runtime.
    pub threads: usize,
    /// Bytes that sorts, joins and aggregates may hold.
    pub memory_limit: usize,
    /// Where they spill beyond that; without it they end in a `Limit` error.
    pub spill_dir: Option<PathBuf>,
}

/// DataFusion with our settings, the pool of the scans and the runtime of everything else. A
/// clone costs one reference count.
#[derive(Clone)]
pub(crate) struct Engine(Arc<Inner>);

struct Inner {
    state: SessionState,
    pool: Arc<ScanPool>,
    index_codecs: index::Codecs,
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
}

impl Engine {
    /// An engine with threads of its own.
    ///
    /// # Errors
    ///
    /// `Io` if the operating system refuses a thread or the folder for spill files.
    pub(crate) fn new(options: EngineOptions) -> Result<Self> {
        let threads = options.threads.max(1);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("rocksalt-run")
            .thread_stack_size(STACK)
            .enable_all()
            .build()
            .map_err(|e| Error::io("cannot start the threads of the runtime").with_source(e))?;
        let mut builder = SessionStateBuilder::new()
            .with_config(settings::session_config(threads))
            .with_runtime_env(settings::runtime_env(
                options.memory_limit,
                options.spill_dir,
            )?)
            .with_default_features()
            .with_physical_optimizer_rules(optimize::physical_rules::physical_optimizer_rules());
        let functions = builder.scalar_functions().get_or_insert_default();
        functions.push(Arc::new(functions::now::now()));
        let aggregates = builder.aggregate_functions().get_or_insert_default();
        aggregates.extend(functions::extremes::extremes());
        let planners = builder.expr_planners().get_or_insert_default();
        planners.push(Arc::new(bind::quoted_boolean::QuotedBoolean));
        let rules = optimize::contradiction::optimizer_rules();
        builder = builder.with_optimizer_rules(rules);
        Ok(Engine(Arc::new(Inner {
            state: builder.build(),
            pool: Arc::new(ScanPool::new(threads)?),
            index_codecs: index::Codecs::default(),
            handle: runtime.handle().clone(),
            runtime: Mutex::new(Some(runtime)),
        })))
    }

    /// Binds a query to one state of the catalog.
    ///
    /// # Errors
    ///
    /// `NotFound` for names that do not exist, `Invalid` for what makes no sense, `Unsupported`
    /// for what DataFusion does not do; with a position where there is one.
    pub(crate) fn bind_query(
        &self,
        catalog: &Arc<CatalogState>,
        query: &ast::Query,
    ) -> Result<BoundQuery> {
        let plan = bind::read_query(self.state(), catalog, query)?;
        Ok(BoundQuery::new(self.clone(), plan, query))
    }

    /// DataFusion's functions, analyzer and settings.
    pub(crate) fn state(&self) -> &SessionState {
        &self.0.state
    }

    /// The threads of the scans.
    pub(crate) fn pool(&self) -> &Arc<ScanPool> {
        &self.0.pool
    }

    /// How the entries of the indexes are made that were written lately.
    pub(super) fn index_codecs(&self) -> &index::Codecs {
        &self.0.index_codecs
    }

    /// The runtime of everything that is not a scan.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.0.handle
    }
}

impl Drop for Inner {
    /// The last user of a database may be an async function, where a runtime must not wait for
    /// its threads.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.get_mut().take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("pool", &self.0.pool)
            .finish_non_exhaustive()
    }
}
