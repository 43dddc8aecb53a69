//! The threads that scans run on.

use std::fmt;

use crate::error::{Error, Result};

/// The stack of a thread: filters are evaluated by recursion.
const STACK: usize = 16 << 20;

/// The threads on which scans fill their batches, shared by every statement of a database.
///
/// A job runs for one batch and never blocks on a consumer, so that any number of scans make
/// progress on one thread.
pub struct ScanPool {
    threads: rayon_core::ThreadPool,
}

impl ScanPool {
    /// A pool of `threads` threads, at least one.
    ///
    /// # Errors
    ///
    /// `Io` if the operating system refuses a thread.
    pub fn new(threads: usize) -> Result<Self> {
        let threads = rayon_core::ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .thread_name(|index| format!("rocksalt-scan-{index}"))
            .stack_size(STACK)
            .build()
            .map_err(|e| Error::io("cannot start the scan threads").with_source(e))?;
        Ok(ScanPool { threads })
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads.current_num_threads()
    }

    /// Runs `job` on one of the threads, after the jobs that were spawned before it. A job must
    /// not unwind.
    pub(crate) fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        self.threads.spawn_fifo(job);
    }
}

impl fmt::Debug for ScanPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScanPool")
            .field("threads", &self.threads())
            .finish()
    }
}
