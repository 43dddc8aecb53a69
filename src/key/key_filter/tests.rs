//! Filters against a look at every row.

use std::cmp::Ordering;
use std::ops::Bound;

use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;
use crate::types::SqlType;
use crate::types::nasty::{TYPES, any_nullable, any_value};

/// A table and what is looked for in it.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) columns: Vec<KeyColumn>,
    /// The rows in key order, none twice.
    pub(crate) rows: Vec<Vec<Value>>,
    pub(crate) boxes: Vec<KeyBox>,
}

impl Sample {
    pub(crate) fn layout(&self) -> KeyLayout {
        KeyLayout::new(self.columns.clone(), None)
    }

    pub(crate) fn keys(&self) -> Vec<Vec<u8>> {
        let layout = self.layout();
        let key = |row: &Vec<Value>| layout.encode(row).unwrap().1;
        self.rows.iter().map(key).collect()
    }

    pub(crate) fn is_inside(&self, row: &[Value]) -> bool {
        let holds = |(place, ranges): &(usize, Vec<ValueRange>)| {
            let (value, column) = (&row[*place], &self.columns[*place]);
            ranges.iter().any(|range| is_in(value, range, column))
        };
        self.boxes.is_empty() || self.boxes.iter().any(|one| one.columns.iter().all(holds))
    }
}

fn order(a: &Value, b: &Value, column: &KeyColumn) -> Ordering {
    let order = a.key_cmp(b).unwrap();
    if column.descending {
        order.reverse()
    } else {
        order
    }
}

fn is_in(value: &Value, (lower, upper): &ValueRange, column: &KeyColumn) -> bool {
    let after = match lower {
        Bound::Unbounded => true,
        Bound::Included(bound) => order(value, bound, column).is_ge(),
        Bound::Excluded(bound) => order(value, bound, column).is_gt(),
    };
    let before = match upper {
        Bound::Unbounded => true,
        Bound::Included(bound) => order(value, bound, column).is_le(),
        Bound::Excluded(bound) => order(value, bound, column).is_lt(),
    };
    after && before
}

fn any_column() -> impl Strategy<Value = KeyColumn> {
    let sql_type = prop_oneof![
        3 => prop::sample::select(vec![SqlType::UTinyInt, SqlType::Boolean, SqlType::Varchar(None)]),
        2 => prop::sample::select(TYPES),
    ];
    (sql_type, any::<bool>(), any::<bool>()).prop_map(|(sql_type, nullable, descending)| {
        KeyColumn {
            sql_type,
            nullable,
            descending,
        }
    })
}

/// Few values of a column, some of them neighbours, for rows and bounds alike.
fn any_domain(column: KeyColumn) -> BoxedStrategy<Vec<Value>> {
    let few = |n: std::ops::Range<u8>| {
        prop::sample::subsequence(n.map(Value::UTinyInt).collect::<Vec<_>>(), 1..6)
    };
    let some = match column.nullable {
        true => any_nullable(column.sql_type),
        false => any_value(column.sql_type),
    };
    let mixed = prop::collection::vec(some, 1..6);
    match column.sql_type {
        SqlType::UTinyInt => prop_oneof![few(0..8), few(248..255), mixed].boxed(),
        _ => mixed.boxed(),
    }
}

fn any_ranges(domain: Vec<Value>) -> impl Strategy<Value = Vec<ValueRange>> {
    let bound = prop::sample::select(domain);
    let point = bound
        .clone()
        .prop_map(|value| (Bound::Included(value.clone()), Bound::Included(value)));
    let end = move || {
        (bound.clone(), 0..5_u8).prop_map(|(value, kind)| match kind {
            0 => Bound::Unbounded,
            1 | 2 => Bound::Included(value),
            _ => Bound::Excluded(value),
        })
    };
    prop::collection::vec(prop_oneof![2 => point, 1 => (end(), end())], 1..5)
}

fn any_box(domains: &[Vec<Value>]) -> impl Strategy<Value = KeyBox> + use<> {
    let columns: Vec<_> = domains
        .iter()
        .map(|domain| prop::option::weighted(0.6, any_ranges(domain.clone())))
        .collect();
    columns.prop_map(|columns| KeyBox {
        columns: (0..)
            .zip(columns)
            .filter_map(|(place, ranges)| Some((place, ranges?)))
            .collect(),
    })
}

/// A table of up to four key columns, up to `rows` rows, and up to three boxes.
pub(crate) fn any_sample(rows: usize) -> impl Strategy<Value = Sample> {
    let columns = prop::collection::vec(any_column(), 1..=4);
    let with_domains = columns.prop_flat_map(|columns| {
        let domains: Vec<_> = columns.iter().map(|column| any_domain(*column)).collect();
        (Just(columns), domains)
    });
    with_domains.prop_flat_map(move |(columns, domains)| {
        let row: Vec<_> = domains
            .iter()
            .map(|domain| prop::sample::select(domain.clone()))
            .collect();
        let rows = prop::collection::vec(row, 0..rows);
        let boxes = prop::collection::vec(any_box(&domains), 0..4);
        (Just(columns), rows, boxes).prop_map(|(columns, mut rows, boxes)| {
            let compare = |a: &Vec<Value>, b: &Vec<Value>| {
                let columns = a.iter().zip(b).zip(&columns);
                columns
                    .map(|((a, b), column)| order(a, b, column))
                    .find(|order| order.is_ne())
                    .unwrap_or(Ordering::Equal)
            };
            rows.sort_by(compare);
            rows.dedup_by(|a, b| compare(a, b).is_eq());
            Sample {
                columns,
                rows,
                boxes,
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// A scan that jumps to targets, or steps towards them, finds the rows that are in the boxes.
    #[test]
    fn a_probe_finds_the_rows_in_the_boxes(
        sample in any_sample(80),
        reverse: bool,
        jumps in prop::collection::vec(any::<bool>(), 1..8),
    ) {
        let Some(filter) = KeyFilter::new(&sample.boxes, &sample.layout()).unwrap() else {
            prop_assert!(sample.boxes.is_empty());
            return Ok(());
        };
        let mut keys: Vec<_> = sample.keys().into_iter().zip(&sample.rows).collect();
        prop_assert!(keys.is_sorted_by(|(a, _), (b, _)| a < b));
        if reverse {
            keys.reverse();
        }
        let is_reached = |key: &[u8], target: &[u8]| match reverse {
            false => key >= target,
            true => key < target,
        };
        let mut probe = KeyProbe::new(filter, reverse);
        let mut jumps = jumps.into_iter().cycle();
        let (mut at, mut step) = (0, 0);
        while let Some((key, row)) = keys.get(at) {
            let inside = sample.is_inside(row);
            let verdict = probe.check(key).unwrap();
            prop_assert_eq!(verdict == Verdict::Inside, inside, "{:?}", row);
            let rest = &keys[at + 1..];
            at += 1;
            step += 1;
            if step % 7 == 0 {
                probe.restart();
            }
            match verdict {
                Verdict::Inside => {}
                Verdict::Skip => {
                    let target = probe.target();
                    prop_assert!(!is_reached(key, target));
                    let passed = rest.iter().take_while(|(key, _)| !is_reached(key, target));
                    for (_, row) in passed.clone() {
                        prop_assert!(!sample.is_inside(row), "{:?} is jumped over", row);
                    }
                    if jumps.next() == Some(true) {
                        at += passed.count();
                    }
                }
                Verdict::End => {
                    for (_, row) in rest {
                        prop_assert!(!sample.is_inside(row), "{:?} comes after the end", row);
                    }
                    return Ok(());
                }
            }
        }
    }
}

fn column(sql_type: SqlType, nullable: bool, descending: bool) -> KeyColumn {
    KeyColumn {
        sql_type,
        nullable,
        descending,
    }
}

fn byte(value: u8) -> Value {
    Value::UTinyInt(value)
}

fn point(value: impl Into<Value>) -> ValueRange {
    let value = value.into();
    (Bound::Included(value.clone()), Bound::Included(value))
}

/// What a fresh probe says of a key: the target if it is to be skipped.
fn verdict(
    columns: &[KeyColumn],
    boxes: &[KeyBox],
    reverse: bool,
    key: &[u8],
) -> (Verdict, Vec<u8>) {
    let layout = KeyLayout::new(columns.to_vec(), None);
    let filter = KeyFilter::new(boxes, &layout).unwrap().unwrap();
    let mut probe = KeyProbe::new(filter, reverse);
    let verdict = probe.check(key).unwrap();
    let target = match verdict {
        Verdict::Skip => probe.target().to_vec(),
        _ => Vec::new(),
    };
    (verdict, target)
}

#[test]
fn targets_are_as_far_on_as_can_be_known() {
    let bytes = [column(SqlType::UTinyInt, false, false); 3];
    let boxes = [KeyBox {
        columns: vec![
            (1, vec![point(byte(5)), point(byte(7))]),
            (
                2,
                vec![(Bound::Included(byte(1)), Bound::Excluded(byte(4)))],
            ),
        ],
    }];
    let forward: [(&[u8; 3], &[u8]); 6] = [
        (&[2, 4, 9], &[2, 5, 1]),
        (&[2, 5, 0], &[2, 5, 1]),
        (&[2, 5, 4], &[2, 7, 1]),
        (&[2, 6, 2], &[2, 7, 1]),
        (&[2, 7, 9], &[3, 5, 1]),
        (&[2, 8, 0], &[3, 5, 1]),
    ];
    for (key, target) in forward {
        assert_eq!(
            verdict(&bytes, &boxes, false, key),
            (Verdict::Skip, target.to_vec())
        );
    }
    // The target of a scan in reverse is excluded.
    let reverse: [(&[u8; 3], &[u8]); 5] = [
        (&[2, 9, 9], &[2, 7, 4]),
        (&[2, 7, 4], &[2, 7, 4]),
        (&[2, 7, 0], &[2, 5, 4]),
        (&[2, 5, 0], &[1, 7, 4]),
        (&[2, 0, 0], &[1, 7, 4]),
    ];
    for (key, target) in reverse {
        assert_eq!(
            verdict(&bytes, &boxes, true, key),
            (Verdict::Skip, target.to_vec())
        );
    }
    for (reverse, key) in [(false, &[255, 7, 4]), (true, &[0, 5, 0])] {
        assert_eq!(verdict(&bytes, &boxes, reverse, key).0, Verdict::End);
    }
    assert_eq!(
        verdict(&bytes, &boxes, false, &[9, 7, 3]).0,
        Verdict::Inside
    );
}

/// Behind NULL, which comes last, there is nothing; behind the largest value there is NULL.
#[test]
fn null_is_the_neighbour_of_the_largest_value() {
    let columns = [
        column(SqlType::UTinyInt, true, false),
        column(SqlType::UTinyInt, false, false),
    ];
    let boxes = [KeyBox {
        columns: vec![(1, vec![point(byte(5))])],
    }];
    let (value, null) = (1, 2);
    let says = |reverse, key: &[u8]| verdict(&columns, &boxes, reverse, key);
    assert_eq!(
        says(false, &[value, 255, 6]),
        (Verdict::Skip, vec![null, 5])
    );
    assert_eq!(says(false, &[null, 6]).0, Verdict::End);
    assert_eq!(says(true, &[null, 4]), (Verdict::Skip, vec![value, 255, 6]));
    assert_eq!(says(true, &[value, 0, 4]).0, Verdict::End);
}

#[test]
fn of_several_boxes_the_nearest_target_counts() {
    let bytes = [column(SqlType::UTinyInt, false, false); 2];
    let boxes = [3, 9, 6].map(|n| KeyBox {
        columns: vec![(1, vec![point(byte(n))])],
    });
    let layout = KeyLayout::new(bytes.to_vec(), None);
    let filter = KeyFilter::new(&boxes, &layout).unwrap().unwrap();
    for (reverse, targets) in [(false, [3, 6, 9]), (true, [10, 7, 4])] {
        let mut probe = KeyProbe::new(filter.clone(), reverse);
        let mut key = vec![1, if reverse { 200 } else { 0 }];
        for target in targets {
            assert_eq!(probe.check(&key).unwrap(), Verdict::Skip);
            assert_eq!(probe.target(), [1, target]);
            key[1] = if reverse { target - 1 } else { target };
            assert_eq!(probe.check(&key).unwrap(), Verdict::Inside);
            key[1] = if reverse { key[1] - 1 } else { key[1] + 1 };
        }
    }
}

#[test]
fn long_lists_are_searched() {
    let columns = [
        column(SqlType::Boolean, false, false),
        column(SqlType::Integer, false, true),
    ];
    let list = (0..20_000).map(|n| point(n * 3)).rev().collect();
    let boxes = [KeyBox {
        columns: vec![(1, list)],
    }];
    let layout = KeyLayout::new(columns.to_vec(), None);
    let filter = KeyFilter::new(&boxes, &layout).unwrap().unwrap();
    let mut probe = KeyProbe::new(filter, false);
    let key = |n: i32| {
        layout
            .encode(&[Value::Boolean(true), Value::Integer(n)])
            .unwrap()
            .1
    };
    let started = std::time::Instant::now();
    for n in (0..60_000).rev() {
        let expected = if n % 3 == 0 {
            Verdict::Inside
        } else {
            Verdict::Skip
        };
        assert_eq!(probe.check(&key(n)).unwrap(), expected, "{n}");
        if n % 3 != 0 {
            assert_eq!(probe.target(), key(n - n % 3));
        }
    }
    // One after the other would be 600 million comparisons.
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
}

#[test]
fn boxes_of_nothing_and_of_everything() {
    let columns = [column(SqlType::UTinyInt, false, false)];
    let says = |ranges: Vec<ValueRange>| {
        let boxes = [KeyBox {
            columns: vec![(0, ranges)],
        }];
        verdict(&columns, &boxes, false, &[7]).0
    };
    assert_eq!(
        says(vec![(Bound::Excluded(byte(255)), Bound::Unbounded)]),
        Verdict::End
    );
    assert_eq!(
        says(vec![(Bound::Excluded(byte(6)), Bound::Excluded(byte(7)))]),
        Verdict::End
    );
    assert_eq!(
        says(vec![(Bound::Included(byte(9)), Bound::Included(byte(5)))]),
        Verdict::End
    );
    assert_eq!(says(Vec::new()), Verdict::End);
    assert_eq!(
        says(vec![(Bound::Unbounded, Bound::Unbounded)]),
        Verdict::Inside
    );
    let everything = [KeyBox::default()];
    assert_eq!(
        verdict(&columns, &everything, true, &[7]).0,
        Verdict::Inside
    );
}

#[test]
fn damaged_keys_and_wrong_boxes_are_errors() {
    let columns = [
        column(SqlType::Varchar(None), true, false),
        column(SqlType::Integer, false, false),
    ];
    let layout = KeyLayout::new(columns.to_vec(), None);
    let boxes = [KeyBox {
        columns: vec![(1, vec![point(5)])],
    }];
    let filter = KeyFilter::new(&boxes, &layout).unwrap().unwrap();
    for key in [
        &[][..],
        &[9],
        &[1, 97],
        &[1, 97, 0, 7],
        &[1, 97, 0, 1, 0, 0, 0],
        &[2, 1],
    ] {
        for reverse in [false, true] {
            let verdict = KeyProbe::new(filter.clone(), reverse).check(key);
            assert_eq!(verdict.unwrap_err().kind(), ErrorKind::Corrupt, "{key:?}");
        }
    }
    for places in [vec![2], vec![1, 0], vec![0, 0]] {
        let columns = places
            .into_iter()
            .map(|place| (place, vec![(Bound::Unbounded, Bound::Unbounded)]));
        let boxes = [KeyBox {
            columns: columns.collect(),
        }];
        let error = KeyFilter::new(&boxes, &layout).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal);
    }
}
