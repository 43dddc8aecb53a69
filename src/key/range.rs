//! Ranges of row keys: in values, in bytes, in a bucket.

use std::ops::Bound;

use crate::error::Result;
use crate::key::{BucketSet, KeyLayout};
use crate::types::Value;

/// A range of row keys in key order, its bounds being the values of the first key columns.
///
/// A bound of fewer values than the key has columns stands for all rows that begin with them:
/// an included lower bound starts before the first of them, an excluded one after the last; an
/// included upper bound ends after the last of them, an excluded one before the first. On a DESC
/// column the larger value is the lower bound, because it comes first. NULL stands where the key
/// has it: after every value, on a DESC column before.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyRange {
    /// Where the range starts.
    pub lower: Bound<Vec<Value>>,
    /// Where the range ends.
    pub upper: Bound<Vec<Value>>,
}

/// A half-open range of row keys without salt byte; no `end` is the end of the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteRange {
    /// The first key, included.
    pub start: Vec<u8>,
    /// The key that ends the range, excluded.
    pub end: Option<Vec<u8>>,
}

/// A [`ByteRange`] of one bucket. The bucket of an unsalted table is 0 and has no byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketRange {
    /// The bucket.
    pub bucket: u8,
    /// The keys in it, without salt byte.
    pub range: ByteRange,
}

impl KeyRange {
    /// The range of every key.
    pub fn all() -> Self {
        KeyRange {
            lower: Bound::Unbounded,
            upper: Bound::Unbounded,
        }
    }

    /// The range of all rows that begin with `prefix`.
    pub fn prefix(prefix: Vec<Value>) -> Self {
        KeyRange {
            lower: Bound::Included(prefix.clone()),
            upper: Bound::Included(prefix),
        }
    }

    /// The same range in bytes, or `None` if it is empty. Values that are not of their column's
    /// own type are an error.
    pub fn encode(&self, layout: &KeyLayout) -> Result<Option<ByteRange>> {
        let bytes = |prefix: &[Value]| -> Result<Vec<u8>> {
            let mut bytes = Vec::new();
            layout.encode_prefix(prefix, &mut bytes)?;
            Ok(bytes)
        };
        let start = match &self.lower {
            Bound::Unbounded => Vec::new(),
            Bound::Included(prefix) => bytes(prefix)?,
            Bound::Excluded(prefix) => match successor(bytes(prefix)?) {
                Some(start) => start,
                None => return Ok(None),
            },
        };
        let end = match &self.upper {
            Bound::Unbounded => None,
            Bound::Included(prefix) => successor(bytes(prefix)?),
            Bound::Excluded(prefix) => Some(bytes(prefix)?),
        };
        let range = ByteRange { start, end };
        Ok(if range.is_empty() { None } else { Some(range) })
    }

    /// The buckets in which rows of this range can lie: one, when both bounds fix the same values
    /// of all salt columns and of the key columns before them, else all.
    pub fn buckets(&self, layout: &KeyLayout) -> Result<BucketSet> {
        let all = BucketSet::all(layout.buckets());
        let salt_columns = layout.salt_columns();
        let (Some(last), Some(lower), Some(upper)) = (
            salt_columns.last(),
            bound_values(&self.lower),
            bound_values(&self.upper),
        ) else {
            return Ok(all);
        };
        let fixed = |values: &[Value]| -> Result<Option<Vec<u8>>> {
            let Some(values) = values.get(..=*last) else {
                return Ok(None);
            };
            let mut bytes = Vec::new();
            layout.encode_prefix(values, &mut bytes)?;
            Ok(Some(bytes))
        };
        match (fixed(lower)?, fixed(upper)?) {
            // Compared as bytes, so that -0.0 is 0.0 and NaN is NaN.
            (Some(a), Some(b)) if a == b => {
                let mut buckets = BucketSet::default();
                buckets.insert(layout.bucket_of(&a)?);
                Ok(buckets)
            }
            _ => Ok(all),
        }
    }
}

fn bound_values(bound: &Bound<Vec<Value>>) -> Option<&[Value]> {
    match bound {
        Bound::Included(values) | Bound::Excluded(values) => Some(values),
        Bound::Unbounded => None,
    }
}

fn successor(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    to_successor(&mut bytes).then_some(bytes)
}

/// Makes `bytes` the smallest bytes that are larger than all that begin with them. Says `false` if
/// there are none, as after nothing but `FF`; then nothing is left of them.
pub(crate) fn to_successor(bytes: &mut Vec<u8>) -> bool {
    while let Some(last) = bytes.pop() {
        if last < 0xff {
            bytes.push(last + 1);
            return true;
        }
    }
    false
}

impl ByteRange {
    /// The range of every key.
    pub fn all() -> Self {
        ByteRange {
            start: Vec::new(),
            end: None,
        }
    }

    /// Whether no key can be in it.
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Whether a key is in it.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.start.as_slice() <= key && self.end.as_deref().is_none_or(|end| key < end)
    }

    /// The keys that are in both.
    pub fn intersection(&self, other: &ByteRange) -> ByteRange {
        let end = match (&self.end, &other.end) {
            (Some(a), Some(b)) => Some(a.min(b).clone()),
            (end, None) | (None, end) => end.clone(),
        };
        ByteRange {
            start: self.start.as_slice().max(&other.start).to_vec(),
            end,
        }
    }

    /// Takes `next`, which does not start before this range, into it, if they overlap.
    fn merge(&mut self, next: &ByteRange) -> bool {
        let Some(end) = &mut self.end else {
            return true;
        };
        if next.start >= *end {
            return false;
        }
        match &next.end {
            None => self.end = None,
            Some(next) if next > end => end.clone_from(next),
            Some(_) => {}
        }
        true
    }
}

/// Expands key ranges into bucket ranges: the ranges of one bucket after the other, buckets
/// ascending and within a bucket in key order. Ranges that overlap become one; those that only touch
/// do not: a merge may need each for itself, and a scan steps from one to the other. Only buckets of
/// `allowed` are kept.
pub fn expand(
    ranges: &[KeyRange],
    layout: &KeyLayout,
    allowed: &BucketSet,
) -> Result<Vec<BucketRange>> {
    let mut pieces: Vec<(ByteRange, BucketSet)> = Vec::with_capacity(ranges.len());
    for range in ranges {
        if let Some(bytes) = range.encode(layout)? {
            pieces.push((bytes, range.buckets(layout)?.intersection(allowed)));
        }
    }
    pieces.sort_by(|(a, _), (b, _)| a.start.cmp(&b.start));

    let mut expanded: Vec<BucketRange> = Vec::new();
    for bucket in allowed.iter() {
        let first = expanded.len();
        for (range, _) in pieces
            .iter()
            .filter(|(_, buckets)| buckets.contains(bucket))
        {
            let merged = expanded[first..]
                .last_mut()
                .is_some_and(|last| last.range.merge(range));
            if !merged {
                expanded.push(BucketRange {
                    bucket,
                    range: range.clone(),
                });
            }
        }
    }
    Ok(expanded)
}
