//! `verify_plans`: every scan of a statement once more, as a full scan and its filter.
//!
//! ```text
//! scan ──rows──> statement                  the rows are hashed as they pass by
//!   └─hashes─> Witness                      one an execution of a scan, all partitions together
//! end of the statement: Verifier::finish    reads what the rows should have been, and compares
//! ```
//!
//! The second reading shares nothing with the where-optimizer: no key range, no box, no bucket that
//! is left out, no group, no limit, and the whole predicate as DataFusion evaluates it. It reads the
//! same snapshot. So a scan that returned all of its rows must have returned as many, and the sum of
//! their hashes must be the same, in whatever order they came. One that has a limit, or that its
//! consumer ended early, must have returned rows that are among them. A loose scan must have
//! returned the first or last row of each group of each bucket, and nothing that is not among them.
//! One that a join told what it looks for must have returned those rows, and may have returned
//! others that pass its own filter.
//!
//! **Invariants.** Rows are returned before they are verified: a mismatch is the last thing that a
//! query returns, and comes before anything is written.

mod digest;
mod reference;
mod witness;

use std::fmt;
use std::sync::Arc;

use datafusion::logical_expr::Expr;
use parking_lot::Mutex;

use crate::catalog::Entry;
use crate::engine::index::Via;
use crate::engine::verify::reference::Reference;
use crate::error::{Error, Result};
use crate::plan::{self, AccessPath};
use crate::store::Snapshot;
use crate::table::{Groups, ScanPool};

pub(super) use witness::{Witness, watched};

/// What a scan was asked for, whichever way it goes about it.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) entry: Arc<Entry>,
    /// The index that it reads, if it reads one.
    pub(super) via: Option<Via>,
    /// How it finds the rows, for what is said of it.
    pub(super) path: Arc<AccessPath>,
    /// The filters that it was made from, over the columns of `entry`.
    pub(super) filters: Vec<Expr>,
    /// The columns that it returns.
    pub(super) columns: Vec<usize>,
    /// How many of the filters, the last ones, are hints: rows that do not pass them are not
    /// asked for, and may be returned.
    pub(super) hints: usize,
    /// Of which groups it returns only the ends.
    pub(super) groups: Option<Groups>,
    /// After how many rows each of its partitions ends.
    pub(super) limit: Option<usize>,
}

impl Asked {
    /// The predicate, with its hints or without, term by term: what the path says by its keys
    /// before what it leaves to a filter, which may fail on rows that the path never reads.
    fn terms(&self, with_hints: bool) -> Vec<Expr> {
        let filters = &self.filters;
        let hints = if with_hints { 0 } else { self.hints };
        let terms = filters.iter().take(filters.len().saturating_sub(hints));
        let terms: Vec<Expr> = terms
            .flat_map(datafusion::logical_expr::utils::split_conjunction)
            .cloned()
            .collect();
        let (left, said): (Vec<Expr>, Vec<Expr>) = terms
            .into_iter()
            .partition(|term| self.path.residual.contains(term));
        said.into_iter().chain(left).collect()
    }

    fn text(&self) -> String {
        let options = plan::ScanOptions {
            columns: Some(&self.columns),
            limit: self.limit,
            groups: self.groups.map(|groups| plan::GroupOptions {
                columns: groups.columns,
                first: groups.first,
                last: groups.last,
            }),
            index: self.via.as_ref().map(|via| plan::IndexOptions {
                table: &self.entry.def,
                covering: !via.lookup,
            }),
            ..plan::ScanOptions::default()
        };
        let read = match &self.via {
            Some(via) => &via.of.entry().def,
            None => &self.entry.def,
        };
        plan::Scan::new(read, &self.path, options).to_string()
    }
}

/// The executions of the scans of one statement, as far as they have come.
pub(crate) struct Verifier {
    pool: Arc<ScanPool>,
    snapshot: Arc<dyn Snapshot>,
    witnesses: Mutex<Vec<Arc<Witness>>>,
}

impl Verifier {
    pub(super) fn new(pool: Arc<ScanPool>, snapshot: Arc<dyn Snapshot>) -> Arc<Self> {
        Arc::new(Verifier {
            pool,
            snapshot,
            witnesses: Mutex::new(Vec::new()),
        })
    }

    /// The witness of the execution of a scan that a partition belongs to: a scan that is executed
    /// again has another one.
    pub(super) fn witness(
        &self,
        asked: impl FnOnce() -> Asked,
        path: &Arc<AccessPath>,
        partition: usize,
        partitions: usize,
    ) -> Arc<Witness> {
        let mut witnesses = self.witnesses.lock();
        let under_way = witnesses
            .iter()
            .find(|witness| Arc::ptr_eq(&witness.asked.path, path) && witness.begin(partition));
        if let Some(witness) = under_way {
            return witness.clone();
        }
        let witness = Arc::new(Witness::new(asked(), partitions));
        witness.begin(partition);
        witnesses.push(witness.clone());
        witness
    }

    /// Reads again what the scans have read, and compares.
    ///
    /// # Errors
    /// `Internal` for a scan that returned other rows, with its table, its path and both counts;
    /// those of reading.
    pub(super) async fn finish(self: Arc<Self>) -> Result<()> {
        let witnesses = std::mem::take(&mut *self.witnesses.lock());
        for witness in witnesses {
            let verdict = Reference::new(&self, &witness).compare().await?;
            if let Some(mismatch) = verdict {
                let table = witness.asked.entry.def.display_name();
                let path = witness.asked.text();
                return Err(Error::internal(format!(
                    "verify_plans: a scan of {table} returned {mismatch}; it was {path}"
                )));
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier").finish_non_exhaustive()
    }
}
