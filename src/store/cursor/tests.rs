//! Scans against a sorted map: the map says which rows there are, and in which order.

mod lanes;
mod loose;
mod map;
mod pauses;
pub(in crate::store) mod selection;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use proptest::prelude::*;

use super::merge::MergeCursor;
use super::ranges::{Ranges, by_bucket};
use super::sequence::SequenceCursor;
use super::*;
use crate::key::{BucketRange, ByteRange};
use map::MapSource;

pub(in crate::store) type Map = BTreeMap<Vec<u8>, Vec<u8>>;
type Row = (Vec<u8>, Vec<u8>);

impl RowSink for Vec<Row> {
    fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        Vec::push(self, (key.to_vec(), value.to_vec()));
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.iter()
            .map(|(key, value)| key.len() + value.len())
            .sum()
    }

    fn needs_value(&self) -> bool {
        true
    }
}

/// Runs `scan` on an unordered scan of a salted table.
pub(in crate::store) fn sequence<S: Source, T>(
    source: S,
    ranges: Vec<BucketRange>,
    scan: impl FnOnce(&mut SequenceCursor<S>) -> T,
) -> T {
    let choice = plain(true, false);
    scan(&mut SequenceCursor::new(
        source,
        by_bucket(true, ranges),
        choice,
    ))
}

/// Every row, without a pause.
fn plain(salted: bool, reverse: bool) -> Choice {
    Choice {
        salted,
        reverse,
        patience: u64::MAX,
        ..Choice::default()
    }
}

/// One scan to compare.
#[derive(Debug, Clone)]
pub(in crate::store) struct Case {
    pub(in crate::store) keys: Vec<Vec<u8>>,
    /// Keys that were written and deleted again; some may be among `keys`, and are not deleted.
    pub(in crate::store) deleted: Vec<Vec<u8>>,
    /// 0: not salted.
    pub(in crate::store) buckets: u16,
    pub(in crate::store) ranges: Vec<ByteRange>,
    pub(in crate::store) batch: usize,
}

impl Case {
    /// Any function of the key will do.
    fn bucket(&self, key: &[u8]) -> u8 {
        let sum: u32 = key
            .iter()
            .zip(1..)
            .map(|(byte, i)| u32::from(*byte) * i)
            .sum();
        (sum % u32::from(self.buckets.max(1))) as u8
    }

    /// The rows as they are stored.
    pub(in crate::store) fn map(&self) -> Map {
        self.stored(&self.keys)
    }

    /// The deleted rows as they were stored.
    pub(in crate::store) fn deleted_map(&self) -> Map {
        let mut deleted = self.stored(&self.deleted);
        let map = self.map();
        deleted.retain(|key, _| !map.contains_key(key));
        deleted
    }

    fn stored(&self, keys: &[Vec<u8>]) -> Map {
        let stored = keys.iter().map(|key| match self.buckets {
            0 => (key.clone(), key.clone()),
            _ => ([&[self.bucket(key)], key.as_slice()].concat(), key.clone()),
        });
        stored.collect()
    }

    /// The rows of all ranges, in key order.
    fn expected(&self) -> Vec<Row> {
        let rows: BTreeMap<_, _> = self
            .keys
            .iter()
            .map(|key| (key.clone(), key.clone()))
            .collect();
        let inside = |key: &[u8]| {
            self.ranges.iter().any(|range| {
                key >= range.start.as_slice()
                    && range.end.as_ref().is_none_or(|end| key < end.as_slice())
            })
        };
        rows.into_iter().filter(|(key, _)| inside(key)).collect()
    }

    fn bucket_ranges(&self) -> Vec<BucketRange> {
        let buckets = 0..self.buckets.max(1);
        let each = |bucket: u16| {
            let ranges = self.ranges.iter().cloned();
            ranges.map(move |range| BucketRange {
                bucket: bucket as u8,
                range,
            })
        };
        buckets.flat_map(each).collect()
    }

    /// Compares the three orders with what they should be.
    pub(in crate::store) fn check<S: Source>(&self, source: impl Fn() -> S) {
        let salted = self.buckets > 0;
        let buckets = || by_bucket(salted, self.bucket_ranges());
        let mut expected = self.expected();

        let mut any = SequenceCursor::new(source(), buckets(), plain(salted, false));
        let mut found = collect(|sink, budget| any.fill_into(sink, budget), self.batch);
        assert_eq!(any.costs.counters.rows, expected.len() as u64);
        let by_bucket = |row: &Row| self.bucket(&row.0);
        assert!(found.is_sorted_by_key(by_bucket), "bucket after bucket");
        found.sort();
        assert_eq!(found, expected, "any order");

        for reverse in [false, true] {
            let mut merge = MergeCursor::new(source(), buckets(), plain(salted, reverse));
            let found = collect(|sink, budget| merge.fill_into(sink, budget), self.batch);
            assert_eq!(found, expected, "reverse: {reverse}");
            assert_eq!(merge.costs.counters.rows, expected.len() as u64);
            if !salted {
                let mut one = SequenceCursor::new(source(), buckets(), plain(salted, reverse));
                let found = collect(|sink, budget| one.fill_into(sink, budget), self.batch);
                assert_eq!(found, expected, "one bucket, reverse: {reverse}");
            }
            expected.reverse();
        }
    }
}

fn collect(mut fill: impl FnMut(&mut Vec<Row>, Budget) -> Result<bool>, batch: usize) -> Vec<Row> {
    let mut all = Vec::new();
    loop {
        let mut rows = Vec::new();
        let more = fill(&mut rows, Budget::new(batch, usize::MAX)).unwrap();
        assert!(rows.len() <= batch);
        assert!(
            !more || rows.len() == batch,
            "a batch that is not full, and yet more to come"
        );
        all.append(&mut rows);
        if !more {
            return all;
        }
    }
}

/// Keys of few different bytes, so that they share prefixes, with the first and the last byte.
fn key() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop::sample::select(vec![0x00, 0x01, 0x7f, 0xfe, 0xff]);
    prop::collection::vec(byte, 0..5)
}

/// Sorted ranges that do not overlap, the last one perhaps open.
fn ranges() -> impl Strategy<Value = Vec<ByteRange>> {
    (prop::collection::btree_set(key(), 0..10), any::<bool>()).prop_map(|(cuts, open)| {
        let cuts: Vec<_> = cuts.into_iter().collect();
        let mut ranges: Vec<ByteRange> = cuts
            .chunks_exact(2)
            .map(|pair| ByteRange {
                start: pair[0].clone(),
                end: Some(pair[1].clone()),
            })
            .collect();
        if open {
            let start = cuts.last().cloned().unwrap_or_default();
            ranges.push(ByteRange { start, end: None });
        }
        ranges
    })
}

pub(in crate::store) fn case() -> impl Strategy<Value = Case> {
    let keys = prop::collection::vec(key(), 0..120);
    let buckets = prop::sample::select(vec![0, 1, 3, 16, 256]);
    let deleted = prop::collection::vec(key(), 0..120);
    let batch = prop::sample::select(vec![1, 2, 7, 1000]);
    (keys, deleted, buckets, ranges(), batch).prop_map(|(keys, deleted, buckets, ranges, batch)| {
        Case {
            keys,
            deleted,
            buckets,
            ranges,
            batch,
        }
    })
}

proptest! {
    #[test]
    fn scans_agree_with_a_map(case in case()) {
        let map = Arc::new(case.map());
        case.check(|| MapSource { map: Arc::clone(&map), fails_at: None });
    }
}

/// Ten rows in each of `buckets` buckets: keys [bucket, i].
fn ten_each(buckets: u16) -> Arc<Map> {
    let rows = (0..buckets).flat_map(|bucket| {
        let bucket = bucket as u8;
        (0..10).map(move |i| (vec![bucket, i, bucket], vec![i]))
    });
    Arc::new(rows.collect())
}

fn whole(buckets: u16) -> VecDeque<Ranges> {
    let range = |bucket: u16| BucketRange {
        bucket: bucket as u8,
        range: ByteRange {
            start: Vec::new(),
            end: None,
        },
    };
    by_bucket(true, (0..buckets).map(range).collect())
}

#[test]
fn a_merge_looks_at_no_row_too_many() {
    for buckets in [1, 3, 16, 256] {
        for reverse in [false, true] {
            let source = MapSource {
                map: ten_each(buckets),
                fails_at: None,
            };
            let mut merge = MergeCursor::new(source, whole(buckets), plain(true, reverse));
            let mut rows = Vec::new();
            assert!(
                merge
                    .fill_into(&mut rows, Budget::new(7, usize::MAX))
                    .unwrap()
            );
            let expected = Counters {
                seeks: u64::from(buckets),
                // Each bucket's first row, and one step for each row but the last.
                steps: u64::from(buckets) + 6,
                rows: 7,
                // Two of each key, one of each value.
                bytes: 21,
            };
            assert_eq!(merge.costs.counters, expected);
        }
    }
}

#[test]
fn an_unordered_scan_looks_at_no_row_too_many() {
    let source = MapSource {
        map: ten_each(16),
        fails_at: None,
    };
    let mut scan = SequenceCursor::new(source, whole(16), plain(true, false));
    let mut rows = Vec::new();
    assert!(
        scan.fill_into(&mut rows, Budget::new(7, usize::MAX))
            .unwrap()
    );
    assert_eq!(
        scan.costs.counters,
        Counters {
            seeks: 1,
            steps: 7,
            rows: 7,
            bytes: 21
        }
    );
}

#[test]
fn a_range_that_touches_the_last_row_of_another_needs_no_seek() {
    let map: Map = (0..10).map(|i| (vec![i], vec![])).collect();
    let range = |start: u8, end: u8| BucketRange {
        bucket: 0,
        range: ByteRange {
            start: vec![start],
            end: Some(vec![end]),
        },
    };
    let buckets = by_bucket(false, vec![range(1, 3), range(3, 5), range(8, 9)]);
    let source = MapSource {
        map: Arc::new(map),
        fails_at: None,
    };
    let mut scan = SequenceCursor::new(source, buckets, plain(false, false));
    let mut rows = Vec::new();
    assert!(
        !scan
            .fill_into(&mut rows, Budget::new(100, usize::MAX))
            .unwrap()
    );
    let keys: Vec<u8> = rows.iter().map(|(key, _)| key[0]).collect();
    assert_eq!(keys, [1, 2, 3, 4, 8]);
    // 1 and 8 are sought; 5 ends the second range.
    assert_eq!(
        scan.costs.counters,
        Counters {
            seeks: 2,
            steps: 6,
            rows: 5,
            bytes: 5
        }
    );
}

#[test]
fn a_fill_stops_when_the_sink_is_full() {
    let big = vec![0; 5000];
    let map: Map = (0..10).map(|i| (vec![i, 0], big.clone())).collect();
    let buckets = by_bucket(
        false,
        vec![BucketRange {
            bucket: 0,
            range: ByteRange {
                start: vec![],
                end: None,
            },
        }],
    );
    let source = MapSource {
        map: Arc::new(map),
        fails_at: None,
    };
    let mut scan = SequenceCursor::new(source, buckets, plain(false, false));
    let mut rows = Vec::new();
    assert!(scan.fill_into(&mut rows, Budget::new(100, 12_000)).unwrap());
    assert_eq!(rows.len(), 3, "the third row passes 12,000 bytes");
}

#[test]
fn an_iterator_that_fails_ends_no_scan_in_silence() {
    for reverse in [false, true] {
        for (bucket, i) in [(0, 0), (0, 5), (2, 9)] {
            let source = || MapSource {
                map: ten_each(3),
                fails_at: Some(vec![bucket, i, bucket]),
            };
            let mut rows: Vec<Row> = Vec::new();
            let mut merge = MergeCursor::new(source(), whole(3), plain(true, reverse));
            let error = merge
                .fill_into(&mut rows, Budget::new(100, usize::MAX))
                .unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Corrupt);
            assert!(
                !merge
                    .fill_into(&mut rows, Budget::new(100, usize::MAX))
                    .unwrap()
            );

            let mut scan = SequenceCursor::new(source(), whole(3), plain(true, reverse));
            let error = scan
                .fill_into(&mut rows, Budget::new(100, usize::MAX))
                .unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Corrupt);
            assert!(
                !scan
                    .fill_into(&mut rows, Budget::new(100, usize::MAX))
                    .unwrap()
            );
        }
    }
}
