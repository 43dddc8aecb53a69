//! What a scan reads: its access path as keys and bucket ranges, split into partitions.

use std::sync::Arc;

use datafusion::common::Result as DataFusionResult;

use crate::catalog::TableDef;
use crate::engine::error::to_datafusion;
use crate::key::{BucketRange, BucketSet, expand};
use crate::plan::{Access, AccessPath};
use crate::table::{Target, split};

/// How many keys and bucket ranges a scan may look up because a join names them: a seek costs as
/// much as reading dozens of rows.
const MAX_SEEKS: usize = 16_384;
/// Fewer keys than these are not worth a thread of their own.
const MIN_KEYS: usize = 512;

/// What is read, as far as it is known.
#[derive(Debug, Clone)]
pub(in crate::engine) enum Reads {
    /// Parameters are missing: there is a plan to explain and nothing to execute.
    Unknown,
    /// One target a partition.
    Known(Arc<Vec<Target>>),
}

impl Reads {
    /// What a path reads, in at most `partitions` runs of whole buckets. Keys are one partition.
    pub(in crate::engine) fn of(
        def: &TableDef,
        path: &AccessPath,
        partitions: usize,
    ) -> DataFusionResult<Self> {
        let layout = def.key_layout();
        let buckets = path.bucket_set(layout.buckets());
        let ranges = match &path.access {
            Access::Empty => Vec::new(),
            Access::PointGet(_) => {
                return Ok(match path.keys() {
                    Some(keys) => Reads::Known(Arc::new(vec![Target::Keys(keys)])),
                    None => Reads::Unknown,
                });
            }
            _ => match path.key_ranges() {
                Some(ranges) => expand(&ranges, &layout, &buckets).map_err(to_datafusion)?,
                None => return Ok(Reads::Unknown),
            },
        };
        let targets = split(ranges, partitions).into_iter().map(Target::Ranges);
        Ok(Reads::Known(Arc::new(targets.collect())))
    }

    /// The same in exactly `partitions` parts, which a plan has promised. `None` if it is to seek
    /// `little` and would seek more often than [`MAX_SEEKS`].
    pub(in crate::engine) fn late(self, partitions: usize, little: bool) -> Option<Self> {
        let Reads::Known(targets) = self else {
            return Some(self);
        };
        let seeks = |target: &Target| match target {
            Target::Keys(keys) => keys.len(),
            Target::Ranges(ranges) => ranges.len(),
        };
        if little && targets.iter().map(seeks).sum::<usize>() > MAX_SEEKS {
            return None;
        }
        let mut parts = Vec::with_capacity(partitions);
        for target in targets.iter() {
            match target {
                Target::Keys(keys) => {
                    let size = keys.len().div_ceil(partitions.max(1)).max(MIN_KEYS);
                    parts.extend(keys.chunks(size).map(|keys| Target::Keys(keys.to_vec())));
                }
                Target::Ranges(ranges) => parts.push(Target::Ranges(ranges.clone())),
            }
        }
        let none = Target::Ranges(Vec::new());
        parts.resize(partitions.max(parts.len()), none);
        Some(Reads::Known(Arc::new(parts)))
    }

    /// How many buckets are read; all of them while parameters are missing.
    fn buckets(&self, def: &TableDef) -> usize {
        match self {
            Reads::Unknown => usize::from(def.key_layout().buckets()),
            Reads::Known(targets) => {
                let mut buckets = BucketSet::default();
                for range in targets.iter().flat_map(ranges_of) {
                    buckets.insert(range.bucket);
                }
                buckets.len()
            }
        }
    }

    /// One bucket is in key order by itself; several are only when they are merged.
    pub(in crate::engine) fn in_key_order(&self, def: &TableDef) -> bool {
        match self {
            Reads::Known(targets) if targets.iter().any(|t| matches!(t, Target::Keys(_))) => {
                targets
                    .iter()
                    .all(|t| matches!(t, Target::Keys(keys) if keys.len() <= 1))
            }
            _ => self.buckets(def) <= 1,
        }
    }
}

fn ranges_of(target: &Target) -> &[BucketRange] {
    match target {
        Target::Ranges(ranges) => ranges,
        Target::Keys(_) => &[],
    }
}
