//! What it costs to read the ends of groups, in tables that are too large to be there.

use super::*;
use crate::key::{KeyColumn, KeyLayout, LeadingColumns};
use crate::store::KeyGroups;
use crate::types::SqlType;

/// A table of `(a, b)`, both BIGINT UNSIGNED: in each bucket `groups` values of `a`, and `rows` rows
/// of each. A row is computed when an iterator stands on it.
#[derive(Clone, Copy)]
struct Computed {
    buckets: u64,
    groups: u64,
    rows: u64,
}

struct ComputedIter {
    table: Computed,
    within: std::ops::Range<u64>,
    at: Option<u64>,
    key: Vec<u8>,
}

impl Computed {
    fn len(&self) -> u64 {
        self.buckets * self.groups * self.rows
    }

    fn key(&self, row: u64) -> Vec<u8> {
        let (group, b) = (row / self.rows, row % self.rows);
        let (bucket, a) = (group / self.groups, group % self.groups);
        let bucket = [bucket as u8];
        [&bucket[..], &a.to_be_bytes(), &b.to_be_bytes()].concat()
    }

    /// The first row whose key is not below `key`.
    fn find(&self, key: &[u8]) -> u64 {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(middle).as_slice() < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl Source for Computed {
    type Iter = ComputedIter;

    fn open(&self, lower: &[u8], upper: Option<&[u8]>, _wary: bool) -> ComputedIter {
        ComputedIter {
            table: *self,
            within: self.find(lower)..upper.map_or(self.len(), |upper| self.find(upper)),
            at: None,
            key: Vec::new(),
        }
    }
}

impl ComputedIter {
    fn go(&mut self, row: Option<u64>) {
        self.at = row.filter(|row| self.within.contains(row));
        self.key = self.at.map(|row| self.table.key(row)).unwrap_or_default();
    }
}

impl RawIterator for ComputedIter {
    fn seek(&mut self, key: &[u8]) {
        let row = self.table.find(key).max(self.within.start);
        self.go(Some(row));
    }

    fn seek_for_prev(&mut self, key: &[u8]) {
        let after = self.table.find(&[key, &[0]].concat());
        self.go(after.min(self.within.end).checked_sub(1));
    }

    fn seek_to_last(&mut self) {
        self.go(self.within.end.checked_sub(1));
    }

    fn next(&mut self) {
        self.go(self.at.and_then(|row| row.checked_add(1)));
    }

    fn prev(&mut self) {
        self.go(self.at.and_then(|row| row.checked_sub(1)));
    }

    fn key(&self) -> Option<&[u8]> {
        self.at.map(|_| self.key.as_slice())
    }

    fn value(&self) -> Option<&[u8]> {
        self.key()
    }

    fn status(&self) -> Result<()> {
        Ok(())
    }

    fn gave_up(&self) -> bool {
        false
    }
}

/// Reads the ends of the groups of the first `columns` columns.
fn read(
    table: Computed,
    columns: usize,
    ends: (bool, bool),
    reverse: bool,
    merge: bool,
) -> (Vec<Row>, Counters) {
    let column = KeyColumn {
        sql_type: SqlType::UBigInt,
        nullable: false,
        descending: false,
    };
    let layout = KeyLayout::new(vec![column; 2], None);
    let choice = Choice {
        groups: Some(KeyGroups {
            columns: LeadingColumns::of(&layout, columns).unwrap(),
            first: ends.0,
            last: ends.1,
        }),
        ..plain(true, reverse)
    };
    let buckets = whole(table.buckets as u16);
    if merge {
        let mut cursor = MergeCursor::new(table, buckets, choice);
        let rows = collect(|sink, budget| cursor.fill_into(sink, budget), 7);
        (rows, cursor.costs.counters)
    } else {
        let mut cursor = SequenceCursor::new(table, buckets, choice);
        let rows = collect(|sink, budget| cursor.fill_into(sink, budget), 7);
        (rows, cursor.costs.counters)
    }
}

/// Calls `test` with each choice of ends, direction and cursor.
fn each_way(mut test: impl FnMut((bool, bool), bool, bool)) {
    for ends in [(true, false), (false, true), (true, true)] {
        for reverse in [false, true] {
            for merge in [false, true] {
                test(ends, reverse, merge);
            }
        }
    }
}

#[test]
fn ten_groups_of_a_million_rows_cost_ten_seeks() {
    for buckets in [1, 3, 256] {
        let table = Computed {
            buckets,
            groups: 10,
            rows: 100_000,
        };
        each_way(|ends, reverse, merge| {
            let (rows, counters) = read(table, 1, ends, reverse, merge);
            let (first, last) = (u64::from(ends.0), u64::from(ends.1));
            assert_eq!(counters.rows, buckets * 10 * (first + last));
            let is_end = |(key, _): &Row| {
                let b = u64::from_be_bytes(key[8..16].try_into().unwrap());
                (ends.0 && b == 0) || (ends.1 && b == 99_999)
            };
            assert!(rows.iter().all(is_end));
            // To the first group of a bucket, and to each far end or beyond each group.
            assert!(counters.seeks <= buckets * 11, "{counters:?}");
            // Some steps into groups are tried in vain.
            assert!(
                counters.steps <= buckets * (10 * 3 + 2 * 15),
                "{counters:?}"
            );
        });
    }
}

#[test]
fn groups_of_few_rows_are_stepped_through() {
    for rows in [1, 2, 5] {
        let table = Computed {
            buckets: 3,
            groups: 1000,
            rows,
        };
        each_way(|ends, reverse, merge| {
            let (found, counters) = read(table, 1, ends, reverse, merge);
            let both = ends.0 && ends.1 && rows > 1;
            assert_eq!(found.len(), 3 * 1000 * if both { 2 } else { 1 });
            assert_eq!((counters.seeks, counters.steps), (3, 3 * 1000 * rows));
        });
    }
}

#[test]
fn without_columns_a_bucket_is_a_group() {
    let table = Computed {
        buckets: 16,
        groups: 50,
        rows: 1000,
    };
    each_way(|ends, reverse, merge| {
        let (found, counters) = read(table, 0, ends, reverse, merge);
        let (first, last) = (usize::from(ends.0), usize::from(ends.1));
        assert_eq!(found.len(), 16 * (first + last));
        let seeks = if merge { 2 } else { first + last };
        assert!(counters.seeks <= 16 * seeks as u64, "{counters:?}");
        for (key, _) in found {
            assert!(key == table.key(0)[1..] || key == table.key(49_999)[1..]);
        }
    });
}

/// Ranges that have pieces of groups: the ends are those of all the pieces.
#[test]
fn a_group_may_lie_in_several_ranges() {
    let table = Computed {
        buckets: 1,
        groups: 100,
        rows: 1000,
    };
    // b IN (100 ..= 199, 500 ..= 599), as ranges for each a.
    let ranges = (0..100_u64)
        .flat_map(|a| [(a, 100), (a, 500)])
        .map(|(a, b)| {
            let key = |b: u64| [a.to_be_bytes(), b.to_be_bytes()].concat();
            BucketRange {
                bucket: 0,
                range: ByteRange {
                    start: key(b),
                    end: Some(key(b + 100)),
                },
            }
        });
    let ranges: Vec<_> = ranges.collect();
    for (columns, expected) in [(1, 200), (0, 2)] {
        let column = KeyColumn {
            sql_type: SqlType::UBigInt,
            nullable: false,
            descending: false,
        };
        let layout = KeyLayout::new(vec![column; 2], None);
        for reverse in [false, true] {
            let choice = Choice {
                groups: Some(KeyGroups {
                    columns: LeadingColumns::of(&layout, columns).unwrap(),
                    first: true,
                    last: true,
                }),
                ..plain(true, reverse)
            };
            let mut cursor = SequenceCursor::new(table, by_bucket(true, ranges.clone()), choice);
            let found = collect(|sink, budget| cursor.fill_into(sink, budget), 7);
            assert_eq!(found.len(), expected);
            assert!(cursor.costs.counters.seeks <= expected as u64 + 2);
            for (key, _) in found {
                let b = u64::from_be_bytes(key[8..16].try_into().unwrap());
                assert!(b == 100 || b == 599, "{b}");
            }
        }
    }
}
