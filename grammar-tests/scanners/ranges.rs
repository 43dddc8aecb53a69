//! Ranges of keys against every row compared with the bounds.

use std::cmp::Ordering;
use std::ops::Bound;

use rocksalt::arrow::array::{Array, AsArray};
use rocksalt::arrow::datatypes::Int32Type;
use rocksalt::blocking::Database;
use rocksalt::{ErrorKind, Value, params};

use super::{rows, scan, table};
use crate::support::{DIRECTIONS, after, texts};

/// The keys of `t` in key order, as values.
fn keys(db: &Database) -> Vec<Vec<Value>> {
    let mut keys = Vec::new();
    for batch in scan(db).keys_only().sorted().unwrap() {
        let batch = batch.unwrap();
        let (a, b) = (batch.column(0), batch.column(1));
        for row in 0..batch.num_rows() {
            let b = match b.is_null(row) {
                true => Value::Null,
                false => b.as_primitive::<Int32Type>().value(row).into(),
            };
            keys.push(vec![a.as_string::<i32>().value(row).into(), b]);
        }
    }
    keys
}

/// The order of two keys by the columns that both have, in key order: NULL is the largest value.
fn compare(left: &[Value], right: &[Value], directions: [&str; 2]) -> Ordering {
    let columns = left.iter().zip(right).zip(directions);
    columns
        .map(|((left, right), direction)| {
            let order = match (left, right) {
                (Value::Null, Value::Null) => Ordering::Equal,
                (Value::Null, _) => Ordering::Greater,
                (_, Value::Null) => Ordering::Less,
                (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
                (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
                other => panic!("{other:?}"),
            };
            match direction {
                "DESC" => order.reverse(),
                _ => order,
            }
        })
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn bounds() -> Vec<Bound<Vec<Value>>> {
    let mut prefixes: Vec<Vec<Value>> = vec![vec![]];
    for a in ["", "a", "aa", "b", "z"] {
        prefixes.push(vec![a.into()]);
        for b in [
            Value::Integer(-1),
            Value::Integer(3),
            Value::Integer(7),
            Value::Null,
        ] {
            prefixes.push(vec![a.into(), b]);
        }
    }
    let mut bounds = vec![Bound::Unbounded];
    for prefix in prefixes {
        bounds.push(Bound::Included(prefix.clone()));
        bounds.push(Bound::Excluded(prefix));
    }
    bounds
}

#[test]
fn every_pair_of_bounds_is_honoured() {
    let bounds = bounds();
    let (mut scans, mut refused) = (0, 0);
    for (buckets, step) in [(0, 3), (3, 2), (16, 7), (256, 31)] {
        for a in DIRECTIONS {
            for b in DIRECTIONS {
                let db = table(buckets, a, b);
                let keys = keys(&db);
                assert_eq!(keys.len(), 31);
                let pairs = bounds
                    .iter()
                    .flat_map(|l| bounds.iter().map(move |u| (l, u)));
                for (lower, upper) in pairs.step_by(step) {
                    let compare = |left: &[Value], right: &[Value]| compare(left, right, [a, b]);
                    let crossed = match (lower, upper) {
                        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
                        (
                            Bound::Included(l) | Bound::Excluded(l),
                            Bound::Included(u) | Bound::Excluded(u),
                        ) => compare(l, u).is_gt(),
                    };
                    let range = scan(&db).keys_only().range((lower.clone(), upper.clone()));
                    let found = range.sorted();
                    scans += 1;
                    if crossed {
                        assert_eq!(found.unwrap_err().kind(), ErrorKind::Invalid);
                        refused += 1;
                        continue;
                    }
                    let wanted = keys.iter().filter(|key| {
                        let after = match lower {
                            Bound::Unbounded => true,
                            Bound::Included(bound) => compare(key, bound).is_ge(),
                            Bound::Excluded(bound) => compare(key, bound).is_gt(),
                        };
                        let before = match upper {
                            Bound::Unbounded => true,
                            Bound::Included(bound) => compare(key, bound).is_le(),
                            Bound::Excluded(bound) => compare(key, bound).is_lt(),
                        };
                        after && before
                    });
                    let text = |value: &Value| match value {
                        Value::Text(text) => text.clone(),
                        value => value.to_string(),
                    };
                    let wanted: Vec<String> = wanted
                        .map(|key| format!("{}|{}", text(&key[0]), text(&key[1])))
                        .collect();
                    let found = rows(found.unwrap());
                    assert_eq!(found, wanted, "{buckets}, {a}, {b}: {lower:?} .. {upper:?}");
                }
            }
        }
    }
    assert!(
        scans > 10_000 && refused > 1_000 && refused < scans / 2,
        "{scans}, {refused}"
    );
}

/// A prefix is the range from it to it.
#[test]
fn a_prefix_is_all_rows_that_begin_with_it() {
    for buckets in [0, 3, 256] {
        let db = table(buckets, "ASC", "DESC");
        for prefix in bounds() {
            let Bound::Included(prefix) = prefix else {
                continue;
            };
            let found = rows(
                scan(&db)
                    .keys_only()
                    .prefix(prefix.clone())
                    .sorted()
                    .unwrap(),
            );
            let range = prefix.clone()..=prefix.clone();
            assert_eq!(
                found,
                rows(scan(&db).keys_only().range(range).sorted().unwrap())
            );
            let count = keys(&db)
                .iter()
                .filter(|key| key.starts_with(&prefix))
                .count();
            assert_eq!(found.len(), count, "{prefix:?}");
        }
    }
}

#[test]
fn every_kind_of_range_of_rust_is_one() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 3",
        "UPSERT INTO t VALUES (1), (2), (3), (4)",
    ]);
    let found = |scan: rocksalt::blocking::TableScan| rows(scan.sorted().unwrap()).join(" ");
    assert_eq!(found(scan(&db).range(2..4)), "2 3");
    assert_eq!(found(scan(&db).range(2..=4)), "2 3 4");
    assert_eq!(found(scan(&db).range(2..)), "2 3 4");
    assert_eq!(found(scan(&db).range(..2)), "1");
    assert_eq!(found(scan(&db).range(..=2)), "1 2");
    assert_eq!(found(scan(&db).range(..)), "1 2 3 4");
    assert_eq!(
        found(scan(&db).range((Bound::Excluded(1), Bound::Included(3)))),
        "2 3"
    );
    assert_eq!(found(scan(&db).range((2,)..(4,))), "2 3");
    assert_eq!(found(scan(&db).range([2]..[4])), "2 3");
    assert_eq!(found(scan(&db).range(vec![Value::from(2)]..)), "2 3 4");
    assert_eq!(found(scan(&db).range(&[Value::from(2)][..]..)), "2 3 4");
    // What a column of the key can be compared with: another width, a text that is a number.
    assert_eq!(found(scan(&db).range(2i64..4i64)), "2 3");
    assert_eq!(found(scan(&db).range("2".."4")), "2 3");
    assert_eq!(found(scan(&db).range(2.0..=3.0)), "2 3");
    assert_eq!(found(scan(&db).prefix(3u8)), "3");
    // All that is said holds.
    assert_eq!(found(scan(&db).range(2..).range(..4)), "2 3");
    assert_eq!(
        found(
            scan(&db)
                .range(2..)
                .filter("k < 4")
                .filter_with("k <> ?", params![2])
        ),
        "3"
    );
}

/// The last bucket, a key of all FF, and open ends.
#[test]
fn the_ends_of_the_key_space_are_in_their_ranges() {
    for buckets in ["", " SALT_BUCKETS = 2", " SALT_BUCKETS = 256"] {
        for direction in DIRECTIONS {
            let create = format!(
                "CREATE TABLE t (k TINYINT UNSIGNED, PRIMARY KEY (k {direction})){buckets}"
            );
            let db = after(&[
                &create,
                "UPSERT INTO t SELECT value FROM generate_series(0, 255)",
            ]);
            let count = |range: rocksalt::blocking::TableScan| rows(range.sorted().unwrap()).len();
            let (first, last) = match direction {
                "ASC" => (0_u8, 255_u8),
                _ => (255, 0),
            };
            assert_eq!(count(scan(&db)), 256);
            assert_eq!(count(scan(&db).range(first..)), 256);
            assert_eq!(count(scan(&db).range(..=last)), 256);
            assert_eq!(count(scan(&db).range(..last)), 255);
            assert_eq!(count(scan(&db).range(last..)), 1);
            assert_eq!(
                count(scan(&db).range((Bound::Excluded(first), Bound::Unbounded))),
                255
            );
            assert_eq!(
                count(scan(&db).range((Bound::Excluded(last), Bound::Unbounded))),
                0
            );
            assert_eq!(count(scan(&db).range(last..last)), 0);
            let backward = scan(&db).range(last..=last).reverse().sorted().unwrap();
            assert_eq!(texts(&backward.collect().unwrap()), [last.to_string()]);
        }
    }
}
