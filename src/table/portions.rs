//! In which portions a read returns its rows.

use std::time::{Duration, Instant};

/// Rows of a full batch, unless a read asks for other ones.
pub const BATCH_ROWS: usize = 8192;
/// The most rows of a batch, whatever a read asks for: a job holds its thread for one batch.
const MOST_ROWS: usize = 65_536;

/// In which portions a read returns its rows, and whether it says how far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portions {
    /// How many rows a batch has at most. A batch may always have fewer.
    pub rows: usize,
    /// After this time a batch is returned as it is, if need be without rows.
    pub time_limit: Option<Duration>,
    /// Whether each batch comes with the [`Position`](crate::table::Position) behind it.
    pub positions: bool,
}

impl Default for Portions {
    fn default() -> Self {
        Portions {
            rows: BATCH_ROWS,
            time_limit: None,
            positions: false,
        }
    }
}

impl Portions {
    /// The rows of a batch, between one and what a job may decode at once.
    pub(super) fn full_rows(&self) -> usize {
        self.rows.clamp(1, MOST_ROWS)
    }
}

/// The time that a batch has.
#[derive(Debug)]
pub(super) struct Timer {
    limit: Duration,
    /// When the batch under way is due; none is under way before its first row is looked for.
    due: Option<Instant>,
}

impl Timer {
    /// How many rows are decoded between two looks at the clock.
    pub(super) const STEP: usize = 64;

    pub(super) fn new(limit: Duration) -> Self {
        Timer { limit, due: None }
    }

    /// Begins a batch, unless one is under way. A limit beyond the end of time is none.
    pub(super) fn start(&mut self) {
        if self.due.is_none() {
            self.due = Instant::now().checked_add(self.limit);
        }
    }

    /// Whether the batch under way is due.
    pub(super) fn is_due(&self) -> bool {
        self.due.is_some_and(|due| Instant::now() >= due)
    }

    /// The batch was returned.
    pub(super) fn stop(&mut self) {
        self.due = None;
    }
}
