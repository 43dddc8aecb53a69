//! The bound on how many buckets a scan may read.

use std::num::NonZeroU32;
use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;

use crate::catalog::{Entry, TableDef};
use crate::engine::scan::exec::ScanExec;
use crate::error::{Error, Result};
use crate::plan::{self, AccessPath};

/// Refuses a path that reads more buckets than `max_fanout` allows: of a table, or of an index as a
/// table. The rows that an index finds are gets, which are not counted.
///
/// # Errors
/// `Limit`, with what would make the buckets fewer.
pub(in crate::engine) fn check_path(
    entry: &Entry,
    index: Option<&TableDef>,
    path: &AccessPath,
    max_fanout: Option<NonZeroU32>,
) -> Result<()> {
    let Some(most) = max_fanout else {
        return Ok(());
    };
    let def = index.unwrap_or(&entry.def);
    let (reads, total) = (path.buckets.count(), def.key_layout().buckets());
    if u32::from(reads) <= most.get() {
        return Ok(());
    }
    let taken = entry.index_names();
    let taken = index.is_none().then_some(taken.as_slice());
    let why = plan::fan_out_text(def, path, taken).map(|why| format!(": {why}"));
    let name = match index {
        Some(index) => format!("index {}", index.display_name()),
        None => def.display_name(),
    };
    Err(Error::limit(format!(
        "{name} would read {reads}/{total} buckets, and max_fanout is {most}{}",
        why.unwrap_or_default()
    )))
}

/// Refuses a plan with a scan that reads more buckets than that, as far as it is known before
/// anything is read: a scan that waits for other rows is looked at when it has them.
///
/// # Errors
/// As [`check_path`].
pub(in crate::engine) fn check_plan(
    plan: &Arc<dyn ExecutionPlan>,
    max_fanout: Option<NonZeroU32>,
) -> Result<()> {
    if max_fanout.is_none() {
        return Ok(());
    }
    if let Some(scan) = plan.downcast_ref::<ScanExec>()
        && !scan.is_late()
    {
        check_path(scan.table(), scan.index(), scan.path(), max_fanout)?;
    }
    plan.children()
        .into_iter()
        .try_for_each(|child| check_plan(child, max_fanout))
}
