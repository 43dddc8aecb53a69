//! Ranges and buckets against brute force over a small grid.

use std::cmp::Ordering;
use std::ops::Bound;

use datafusion::arrow::array::ArrayRef;
use proptest::prelude::*;

use super::*;
use crate::codec::ColumnReader;
use crate::error::ErrorKind;
use crate::types::nasty::{TYPES, any_nullable};
use crate::types::{ColumnBuilder, SqlType, Value};

const BUCKETS: [u16; 4] = [1, 3, 16, 256];

/// Three key columns with all combinations of few values each: extremes, prefixes, NULL.
fn grid_columns() -> Vec<(SqlType, bool, Vec<Value>)> {
    vec![
        (
            SqlType::UTinyInt,
            false,
            [0, 1, 254, 255].map(Value::UTinyInt).to_vec(),
        ),
        (
            SqlType::Varchar(None),
            false,
            ["", "\0", "a", "a\0", "aa"].map(Value::from).to_vec(),
        ),
        (
            SqlType::TinyInt,
            true,
            vec![(-128_i8).into(), 127_i8.into(), Value::Null],
        ),
    ]
}

fn product(columns: &[(SqlType, bool, Vec<Value>)]) -> Vec<Vec<Value>> {
    columns
        .iter()
        .fold(vec![Vec::new()], |rows, (_, _, values)| {
            let longer = |row: &Vec<Value>| {
                let row = row.clone();
                values
                    .iter()
                    .map(move |value| [row.as_slice(), std::slice::from_ref(value)].concat())
            };
            rows.iter()
                .flat_map(|row| longer(row).collect::<Vec<_>>())
                .collect()
        })
}

/// The order of a row and a bound, by the columns that the bound has.
fn compare(row: &[Value], bound: &[Value], descending: &[bool]) -> Ordering {
    row.iter()
        .zip(bound)
        .zip(descending)
        .map(|((a, b), descending)| {
            let order = a.key_cmp(b).unwrap();
            if *descending { order.reverse() } else { order }
        })
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn is_in(row: &[Value], range: &KeyRange, descending: &[bool]) -> bool {
    let after = match &range.lower {
        Bound::Unbounded => true,
        Bound::Included(bound) => compare(row, bound, descending).is_ge(),
        Bound::Excluded(bound) => compare(row, bound, descending).is_gt(),
    };
    let before = match &range.upper {
        Bound::Unbounded => true,
        Bound::Included(bound) => compare(row, bound, descending).is_le(),
        Bound::Excluded(bound) => compare(row, bound, descending).is_lt(),
    };
    after && before
}

fn any_bound() -> impl Strategy<Value = Bound<Vec<Value>>> {
    let rows = product(&grid_columns());
    let prefix = (prop::sample::select(rows), 0..=3_usize).prop_map(|(row, n)| row[..n].to_vec());
    (prefix, 0..5_u8).prop_map(|(prefix, kind)| match kind {
        0 => Bound::Unbounded,
        1 | 2 => Bound::Included(prefix),
        _ => Bound::Excluded(prefix),
    })
}

fn any_range() -> impl Strategy<Value = KeyRange> {
    let unequal = (any_bound(), any_bound()).prop_map(|(lower, upper)| KeyRange { lower, upper });
    let prefix = any_bound().prop_map(|bound| match bound {
        Bound::Included(prefix) | Bound::Excluded(prefix) => KeyRange::prefix(prefix),
        Bound::Unbounded => KeyRange::all(),
    });
    prop_oneof![2 => unequal, 1 => prefix]
}

fn any_layout() -> impl Strategy<Value = (Vec<bool>, Option<Salting>)> {
    let subset = prop::sample::subsequence(vec![0_usize, 1, 2], 1..=3);
    let salting = (
        prop::sample::select(BUCKETS.to_vec()),
        prop::option::of(subset),
    )
        .prop_map(|(buckets, columns)| Salting::new(buckets, columns));
    (
        prop::collection::vec(any::<bool>(), 3),
        prop::option::weighted(0.9, salting),
    )
}

fn layout(descending: &[bool], salting: Option<Salting>) -> KeyLayout {
    let columns = grid_columns()
        .into_iter()
        .zip(descending)
        .map(|((sql_type, nullable, _), d)| KeyColumn {
            sql_type,
            nullable,
            descending: *d,
        });
    KeyLayout::new(columns.collect(), salting)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rows_of_the_ranges_are_the_rows_in_the_bytes(
        ranges in prop::collection::vec(any_range(), 0..5),
        (descending, salting) in any_layout(),
        some_buckets: bool,
    ) {
        let layout = layout(&descending, salting);
        let mut allowed = BucketSet::all(layout.buckets());
        if some_buckets {
            allowed = BucketSet::default();
            (0..layout.buckets()).step_by(2).for_each(|bucket| allowed.insert(bucket as u8));
        }
        let expanded = expand(&ranges, &layout, &allowed).unwrap();
        for row in product(&grid_columns()) {
            let (bucket, key) = layout.encode(&row).unwrap();
            let wanted = allowed.contains(bucket)
                && ranges.iter().any(|range| is_in(&row, range, &descending));
            let found = expanded
                .iter()
                .filter(|range| range.bucket == bucket && range.range.contains(&key))
                .count();
            prop_assert_eq!(found, usize::from(wanted), "{:?} in {:?}", row, ranges);
        }
        // In order.
        for pair in expanded.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            let apart = a.range.end.as_ref().is_some_and(|end| *end <= b.range.start);
            prop_assert!(a.bucket < b.bucket || (a.bucket == b.bucket && apart));
        }
        for range in &expanded {
            prop_assert!(!range.range.is_empty());
        }
    }

    /// A range whose bounds fix the salt columns is in the one bucket of these.
    #[test]
    fn a_range_of_fixed_salt_columns_reads_one_bucket(
        range in any_range(),
        (descending, salting) in any_layout(),
    ) {
        let Some(salting) = salting else { return Ok(()) };
        let layout = layout(&descending, Some(salting));
        let values = |bound: &Bound<Vec<Value>>| match bound {
            Bound::Included(values) | Bound::Excluded(values) => values.clone(),
            Bound::Unbounded => Vec::new(),
        };
        let (lower, upper) = (values(&range.lower), values(&range.upper));
        let common = lower.iter().zip(&upper).take_while(|(a, b)| a == b).count();
        let salt_columns = layout.salt_columns();
        let buckets = range.buckets(&layout).unwrap();
        if salt_columns.iter().all(|column| *column < common) {
            let salt: Vec<Value> = salt_columns.iter().map(|column| lower[*column].clone()).collect();
            prop_assert_eq!(
                buckets.iter().collect::<Vec<_>>(),
                vec![layout.bucket_of_salt(&salt).unwrap()]
            );
        } else {
            prop_assert_eq!(buckets, BucketSet::all(layout.buckets()));
        }
    }

    #[test]
    fn keys_from_arrays_are_keys_from_values(
        (types, rows) in any_rows(),
        descending in prop::collection::vec(any::<bool>(), 4),
        buckets in prop::sample::select(BUCKETS.to_vec()),
        salt_columns in prop::option::of(prop::sample::subsequence(vec![0_usize, 1, 2, 3], 1..=4)),
    ) {
        let columns = types.iter().zip(&descending).map(|(sql_type, descending)| {
            KeyColumn { sql_type: *sql_type, nullable: true, descending: *descending }
        });
        let layout = KeyLayout::new(columns.collect(), Some(Salting::new(buckets, salt_columns)));
        let arrays: Vec<ArrayRef> = (0..types.len())
            .map(|column| {
                let mut builder = ColumnBuilder::new(types[column], 0);
                rows.iter().for_each(|row| builder.append_value(&row[column]).unwrap());
                builder.finish().unwrap()
            })
            .collect();
        let readers: Vec<ColumnReader> = arrays
            .iter()
            .zip(&types)
            .map(|(array, sql_type)| ColumnReader::new(array, sql_type).unwrap())
            .collect();
        for (i, row) in rows.iter().enumerate() {
            let mut key = Vec::new();
            let bucket = layout.encode_row(&readers, i, &mut key).unwrap();
            prop_assert_eq!((bucket, key.clone()), layout.encode(row).unwrap());
            prop_assert!(u16::from(bucket) < buckets);
            // The hash of the encoded salt columns, put together by hand.
            let mut salt = Vec::new();
            for column in layout.salt_columns() {
                layout.columns()[column].encode_value(&row[column], &mut salt).unwrap();
            }
            prop_assert_eq!(u64::from(bucket), xxhash_rust::xxh3::xxh3_64(&salt) % u64::from(buckets));
            for (stored, written) in layout.decode(&key).unwrap().iter().zip(row) {
                prop_assert_eq!(stored.key_cmp(written), Some(Ordering::Equal));
            }
        }
    }
}

fn any_rows() -> impl Strategy<Value = (Vec<SqlType>, Vec<Vec<Value>>)> {
    prop::collection::vec(prop::sample::select(TYPES), 4).prop_flat_map(|types| {
        let row = types
            .iter()
            .map(|sql_type| any_nullable(*sql_type))
            .collect::<Vec<_>>();
        (Just(types), prop::collection::vec(row, 0..6))
    })
}

fn unsigned_pair(salting: Option<Salting>) -> KeyLayout {
    let column = KeyColumn {
        sql_type: SqlType::UTinyInt,
        nullable: false,
        descending: false,
    };
    KeyLayout::new(vec![column, column], salting)
}

#[test]
fn after_a_key_of_all_ff_there_is_nothing() {
    let layout = unsigned_pair(None);
    let last = vec![Value::UTinyInt(255), Value::UTinyInt(255)];
    let from_last = KeyRange::prefix(last.clone())
        .encode(&layout)
        .unwrap()
        .unwrap();
    assert_eq!(
        from_last,
        ByteRange {
            start: vec![0xff, 0xff],
            end: None
        }
    );
    let after = KeyRange {
        lower: Bound::Excluded(last),
        upper: Bound::Unbounded,
    };
    assert_eq!(after.encode(&layout).unwrap(), None);
    let first_column = KeyRange::prefix(vec![Value::UTinyInt(254)])
        .encode(&layout)
        .unwrap();
    assert_eq!(
        first_column,
        Some(ByteRange {
            start: vec![0xfe],
            end: Some(vec![0xff])
        })
    );
}

#[test]
fn every_bucket_of_256_is_expanded() {
    let layout = unsigned_pair(Some(Salting::new(256, None)));
    let ranges = expand(&[KeyRange::all()], &layout, &BucketSet::all(256)).unwrap();
    assert_eq!(ranges.len(), 256);
    for (bucket, range) in (0..=255).zip(&ranges) {
        assert_eq!(
            range,
            &BucketRange {
                bucket,
                range: ByteRange::all()
            }
        );
    }
}

/// Nothing lies between (1, 5) excluded and (1, 5) included, nor between crossed bounds.
#[test]
fn empty_ranges_vanish() {
    let layout = unsigned_pair(Some(Salting::new(3, None)));
    let pair = |a: u8, b: u8| vec![Value::UTinyInt(a), Value::UTinyInt(b)];
    let ranges = [
        KeyRange {
            lower: Bound::Included(pair(1, 5)),
            upper: Bound::Excluded(pair(1, 5)),
        },
        KeyRange {
            lower: Bound::Excluded(pair(1, 5)),
            upper: Bound::Included(pair(1, 5)),
        },
        KeyRange {
            lower: Bound::Included(pair(2, 0)),
            upper: Bound::Included(pair(1, 9)),
        },
        KeyRange {
            lower: Bound::Excluded(Vec::new()),
            upper: Bound::Unbounded,
        },
        KeyRange {
            lower: Bound::Unbounded,
            upper: Bound::Excluded(Vec::new()),
        },
    ];
    assert_eq!(expand(&ranges, &layout, &BucketSet::all(3)).unwrap(), []);
}

#[test]
fn a_key_with_bytes_left_over_is_corrupt() {
    let layout = unsigned_pair(None);
    for key in [&b""[..], b"1", b"123"] {
        assert_eq!(layout.decode(key).unwrap_err().kind(), ErrorKind::Corrupt);
    }
    assert_eq!(
        layout.decode(b"12").unwrap(),
        [Value::UTinyInt(49), Value::UTinyInt(50)]
    );
}
