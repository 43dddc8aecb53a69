//! Scans that leave rows out, against a look at every row.

use std::ops::Bound;

use super::*;
use crate::key::{KeyBox, KeyColumn, KeyFilter, KeyLayout, LeadingColumns, Sample, any_sample};
use crate::store::KeyGroups;
use crate::types::{SqlType, Value};

/// A scan of some of the rows of some ranges.
#[derive(Debug, Clone)]
pub(in crate::store) struct Selection {
    pub(super) sample: Sample,
    /// 0: not salted.
    pub(in crate::store) buckets: u16,
    ranges: Vec<ByteRange>,
    pub(super) groups: Option<Groups>,
    pub(super) batch: usize,
    /// How many steps are tried at first.
    steps: u8,
}

/// Groups by so many columns, and which ends of them are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Groups {
    pub(super) columns: usize,
    pub(super) first: bool,
    pub(super) last: bool,
}

impl Selection {
    /// Any function of the key will do.
    pub(super) fn bucket(&self, key: &[u8]) -> u8 {
        let sum: u32 = key.iter().map(|byte| u32::from(*byte)).sum();
        (sum % u32::from(self.buckets.max(1))) as u8
    }

    /// The rows as they are stored.
    pub(in crate::store) fn map(&self) -> Map {
        let stored = self
            .sample
            .keys()
            .into_iter()
            .map(|key| match self.buckets {
                0 => (key.clone(), key),
                _ => ([&[self.bucket(&key)], key.as_slice()].concat(), key),
            });
        stored.collect()
    }

    /// The rows that are read, in key order.
    pub(super) fn expected(&self) -> Vec<Vec<u8>> {
        let layout = self.sample.layout();
        let rows = self.sample.keys().into_iter().zip(&self.sample.rows);
        let in_ranges = |key: &[u8]| self.ranges.iter().any(|range| range.contains(key));
        let inside = rows.filter(|(key, row)| in_ranges(key) && self.sample.is_inside(row));
        let Some(groups) = self.groups else {
            return inside.map(|(key, _)| key).collect();
        };
        let mut members: BTreeMap<(u8, Vec<u8>), Vec<Vec<u8>>> = BTreeMap::new();
        for (key, row) in inside {
            let mut group = Vec::new();
            layout
                .encode_prefix(&row[..groups.columns], &mut group)
                .unwrap();
            members
                .entry((self.bucket(&key), group))
                .or_default()
                .push(key);
        }
        let ends = |keys: Vec<Vec<u8>>| {
            let first = keys.first().filter(|_| groups.first).cloned();
            let last = keys
                .last()
                .filter(|_| groups.last && (keys.len() > 1 || !groups.first));
            first.into_iter().chain(last.cloned())
        };
        let mut ends: Vec<_> = members.into_values().flat_map(ends).collect();
        ends.sort();
        ends
    }

    pub(super) fn ranges(&self) -> Vec<BucketRange> {
        let buckets = 0..self.buckets.max(1);
        let each = |bucket: u16| {
            self.ranges.iter().map(move |range| BucketRange {
                bucket: bucket as u8,
                range: range.clone(),
            })
        };
        buckets.flat_map(each).collect()
    }

    /// What is wanted of the rows.
    pub(super) fn choice(&self, reverse: bool) -> Choice {
        let layout = self.sample.layout();
        Choice {
            filter: KeyFilter::new(&self.sample.boxes, &layout).unwrap(),
            groups: self.groups.map(|groups| KeyGroups {
                columns: LeadingColumns::of(&layout, groups.columns).unwrap(),
                first: groups.first,
                last: groups.last,
            }),
            ..plain(self.buckets > 0, reverse)
        }
    }

    /// Compares each kind of cursor with what it should read, and says how often they sought.
    pub(in crate::store) fn check<S: Source>(&self, source: impl Fn() -> S) -> u64 {
        let mut seeks = 0;
        let salted = self.buckets > 0;
        let buckets = || by_bucket(salted, self.ranges());
        let choice = |reverse| Choice {
            pace: Pace::of(self.steps),
            ..self.choice(reverse)
        };
        let mut expected = self.expected();

        for reverse in [false, true] {
            if reverse && self.buckets > 1 {
                continue;
            }
            let mut any = SequenceCursor::new(source(), buckets(), choice(reverse));
            let mut found = keys(|sink, budget| any.fill_into(sink, budget), self.batch);
            if reverse {
                found.reverse();
            }
            assert!(found.is_sorted_by_key(|key| (self.bucket(key), key.clone())));
            found.sort();
            assert_eq!(found, expected, "range after range");
            self.check_cost(any.costs.counters, expected.len());
            seeks += any.costs.counters.seeks;
        }
        for reverse in [false, true] {
            let mut merge = MergeCursor::new(source(), buckets(), choice(reverse));
            let found = keys(|sink, budget| merge.fill_into(sink, budget), self.batch);
            assert_eq!(found, expected, "reverse: {reverse}");
            self.check_cost(merge.costs.counters, expected.len());
            seeks += merge.costs.counters.seeks;
            expected.reverse();
        }
        seeks
    }

    fn check_cost(&self, counters: Counters, rows: usize) {
        assert_eq!(counters.rows, rows as u64);
        let ends = (self.ranges.len() * usize::from(self.buckets.max(1))) as u64;
        if self.groups.is_some() {
            // To each end, beyond each group, and into each range from both sides.
            let most = 2 * rows as u64 + 2 * ends;
            assert!(!self.sample.boxes.is_empty() || counters.seeks <= most);
            return;
        }
        // Nothing is stood on twice.
        assert!(counters.steps <= self.sample.rows.len() as u64 + ends);
        // Each seek but those to a range leaves a row behind.
        assert!(counters.seeks <= counters.steps + ends);
    }
}

fn keys(fill: impl FnMut(&mut Vec<Row>, Budget) -> Result<bool>, batch: usize) -> Vec<Vec<u8>> {
    let rows = collect(fill, batch);
    rows.into_iter()
        .map(|(key, value)| {
            assert_eq!(key, value);
            key
        })
        .collect()
}

/// Ranges that begin and end at keys, at pieces of keys, and at the ends of the table.
fn ranges_of(keys: Vec<Vec<u8>>) -> BoxedStrategy<Vec<ByteRange>> {
    let cut = if keys.is_empty() {
        Just(Vec::new()).boxed()
    } else {
        (prop::sample::select(keys), any::<prop::sample::Index>())
            .prop_map(|(key, at)| key[..=at.index(key.len())].to_vec())
            .boxed()
    };
    let cuts = prop::collection::btree_set(cut, 0..6);
    let ranges = (cuts, any::<bool>(), any::<bool>()).prop_map(|(cuts, from_first, to_last)| {
        let first = from_first.then(Vec::new);
        let cuts: Vec<_> = first.into_iter().chain(cuts).collect();
        let pairs = cuts.chunks(2).filter_map(|pair| match pair {
            [start, end] => Some((start.clone(), Some(end.clone()))),
            [start] if to_last => Some((start.clone(), None)),
            _ => None,
        });
        pairs.map(|(start, end)| ByteRange { start, end }).collect()
    });
    let all = Just(vec![ByteRange {
        start: Vec::new(),
        end: None,
    }]);
    prop_oneof![ranges, all].boxed()
}

pub(in crate::store) fn any_selection() -> impl Strategy<Value = Selection> {
    any_sample(300).prop_flat_map(|sample| {
        let ranges = ranges_of(sample.keys());
        let buckets = prop::sample::select(vec![0, 1, 2, 5, 256]);
        let batch = prop::sample::select(vec![1, 2, 7, 1000]);
        let groups = (0..=sample.columns.len(), any::<bool>(), any::<bool>());
        let groups = prop::option::of(groups.prop_map(|(columns, first, last)| Groups {
            columns,
            first: first || !last,
            last,
        }));
        let steps = prop::sample::select(vec![0, 1, 8]);
        let all = (Just(sample), buckets, ranges, groups, batch, steps);
        all.prop_map(
            |(sample, buckets, ranges, groups, batch, steps)| Selection {
                sample,
                buckets,
                ranges,
                groups,
                batch,
                steps,
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn scans_read_the_rows_that_are_asked_for(selection in any_selection()) {
        let map = Arc::new(selection.map());
        selection.check(|| MapSource { map: Arc::clone(&map), fails_at: None });
    }
}

/// A table of `(a, b)` with `a` of `groups` values and `b` of `rows` for each.
fn two_columns(first: SqlType, groups: i64, rows: i64) -> (KeyLayout, Arc<Map>) {
    let column = |sql_type| KeyColumn {
        sql_type,
        nullable: false,
        descending: false,
    };
    let columns = vec![column(first), column(SqlType::BigInt)];
    let layout = KeyLayout::new(columns, None);
    let value = |a: i64| match first {
        SqlType::BigInt => Value::BigInt(a),
        _ => Value::Text(format!("{a:04}")),
    };
    let keys = (0..groups).flat_map(|a| (0..rows).map(move |b| (a, b)));
    let map = keys.map(|(a, b)| {
        let (_, key) = layout.encode(&[value(a), Value::BigInt(b)]).unwrap();
        (key.clone(), key)
    });
    let map = Arc::new(map.collect());
    (layout, map)
}

/// What it costs to read the rows in some values of the second column; there are `expected`.
fn cost(
    (layout, map): &(KeyLayout, Arc<Map>),
    values: &[i64],
    reverse: bool,
    expected: usize,
) -> Counters {
    let point = |b: &i64| {
        let value = Value::BigInt(*b);
        (Bound::Included(value.clone()), Bound::Included(value))
    };
    let boxes = [KeyBox {
        columns: vec![(1, values.iter().map(point).collect())],
    }];
    let choice = Choice {
        filter: KeyFilter::new(&boxes, layout).unwrap(),
        ..plain(false, reverse)
    };
    let all = BucketRange {
        bucket: 0,
        range: ByteRange {
            start: Vec::new(),
            end: None,
        },
    };
    let source = MapSource {
        map: Arc::clone(map),
        fails_at: None,
    };
    let mut scan = SequenceCursor::new(source, by_bucket(false, vec![all]), choice);
    let found = keys(|sink, budget| scan.fill_into(sink, budget), 1000);
    assert_eq!(found.len(), expected);
    scan.costs.counters
}

#[test]
fn a_gap_costs_two_seeks_a_value_or_one_where_values_are_neighbours() {
    for (first, seeks_a_value) in [(SqlType::Varchar(None), 2), (SqlType::BigInt, 1)] {
        let table = two_columns(first, 50, 1000);
        for reverse in [false, true] {
            let counters = cost(&table, &[500], reverse, 50);
            assert!(counters.seeks <= 50 * seeks_a_value + 2, "{counters:?}");
            // Some steps are tried in vain, at first and once in a while.
            let tried = 8 + 4 + 2 + 1 + 8 * (counters.seeks / 32);
            // In reverse a seek may come to the place that it has to end before.
            let seeks = counters.seeks * if reverse { 2 } else { 1 };
            assert!(counters.steps <= seeks + 50 + tried, "{counters:?}");
        }
    }
}

#[test]
fn near_targets_are_stepped_to() {
    let table = two_columns(SqlType::BigInt, 1000, 5);
    for reverse in [false, true] {
        let counters = cost(&table, &[3], reverse, 1000);
        assert_eq!(counters.seeks, 1);
        assert!(counters.steps <= 5000);
    }
    // Rows that are wanted side by side need no seek between them.
    let table = two_columns(SqlType::BigInt, 20, 1000);
    let counters = cost(&table, &[100, 101, 102, 103, 900], false, 20 * 5);
    assert!(counters.seeks <= 20 * 2 + 2, "{counters:?}");
}

#[test]
fn a_scan_that_finds_nothing_lets_others_have_their_turn() {
    let (layout, map) = two_columns(SqlType::BigInt, 1000, 5);
    let boxes = [KeyBox {
        columns: vec![(
            1,
            vec![(Bound::Excluded(Value::BigInt(4)), Bound::Unbounded)],
        )],
    }];
    let choice = |reverse| Choice {
        filter: KeyFilter::new(&boxes, &layout).unwrap(),
        patience: 64,
        ..plain(false, reverse)
    };
    // Two streams of the same rows, to have something to merge.
    let ranges = |from: i64, to: i64| {
        let key = |a: i64| {
            layout
                .encode(&[Value::BigInt(a), Value::BigInt(0)])
                .unwrap()
        };
        let range = BucketRange {
            bucket: 0,
            range: ByteRange {
                start: key(from).1,
                end: Some(key(to).1),
            },
        };
        by_bucket(false, vec![range])
    };
    let source = || MapSource {
        map: Arc::clone(&map),
        fails_at: None,
    };
    for reverse in [false, true] {
        let mut one = SequenceCursor::new(source(), ranges(0, 1000), choice(reverse));
        let halves = ranges(0, 500).into_iter().chain(ranges(500, 1000));
        let mut two = MergeCursor::new(source(), halves.collect(), choice(reverse));
        let (mut before, mut fills) = ((0, 0), (0, 0));
        let mut rows: Vec<Row> = Vec::new();
        let work = |counters: Counters| counters.steps + 8 * counters.seeks;
        while one
            .fill_into(&mut rows, Budget::new(1000, usize::MAX))
            .unwrap()
        {
            let now = work(one.costs.counters);
            assert!((before.0..before.0 + 100).contains(&now));
            (before.0, fills.0) = (now, fills.0 + 1);
        }
        while two
            .fill_into(&mut rows, Budget::new(1000, usize::MAX))
            .unwrap()
        {
            let now = work(two.costs.counters);
            // At first each of the two has its turn.
            let most = if fills.1 == 0 { 200 } else { 100 };
            assert!((before.1..before.1 + most).contains(&now));
            (before.1, fills.1) = (now, fills.1 + 1);
        }
        assert!(rows.is_empty());
        assert!(fills.0 > 40 && fills.1 > 40, "{fills:?}");
        // The last rows lie behind the last target.
        assert!((4990..=5000).contains(&one.costs.counters.steps));
    }
}
