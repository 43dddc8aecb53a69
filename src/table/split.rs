//! One read as several.

use crate::key::BucketRange;

/// Splits ranges, those of one bucket standing together, into at most `parts` runs of whole
/// buckets, each of at least one; without ranges there is one run, which is empty.
pub fn split(ranges: Vec<BucketRange>, parts: usize) -> Vec<Vec<BucketRange>> {
    let mut buckets = ranges.iter().map(|range| range.bucket).collect::<Vec<_>>();
    buckets.dedup();
    let parts = parts.clamp(1, buckets.len().max(1));
    let mut runs = vec![Vec::new(); parts];
    let mut ranges = ranges.into_iter().peekable();
    for (index, bucket) in buckets.iter().enumerate() {
        // Bucket i of n goes to run i * p / n: runs whose lengths differ by at most one.
        let run = index * parts / buckets.len();
        while let Some(range) = ranges.next_if(|range| range.bucket == *bucket) {
            if let Some(run) = runs.get_mut(run) {
                run.push(range);
            }
        }
    }
    runs
}
