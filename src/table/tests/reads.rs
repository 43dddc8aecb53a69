//! What a read can be asked for, and what it says that it did.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;

use crate::catalog::{Catalog, ColumnDef, KeyPart, TableDef};
use crate::codec::RowEncoder;
use crate::key::{BucketSet, KeyBox, KeyRange, Salting, expand};
use crate::store::{CursorOrder, RocksStore, Snapshot, Store, StoreOptions, WriteBatch};
use crate::table::{Groups, Progress, ReadRequest, Reader, ScanCounters, Target};
use crate::types::{SqlType, Value};

/// `(a, b DESC, c)` is the key of the rows `(a, b, c, v)`; all are BIGINT, and v is a + b + c.
struct Table {
    snapshot: Arc<dyn Snapshot>,
    request: ReadRequest,
    buckets: u16,
    rows: Vec<[i64; 3]>,
}

const SIDE: i64 = 12;

impl Table {
    /// A table of each combination of `0..SIDE`; 0 buckets are none.
    fn new(buckets: u16) -> Table {
        let store: Arc<dyn Store> =
            Arc::new(RocksStore::in_memory(&StoreOptions::default()).unwrap());
        let catalog = Catalog::open(store.clone()).unwrap();
        let columns = (0..).zip(["a", "b", "c", "v"]).map(|(id, name)| ColumnDef {
            id,
            name: name.to_owned(),
            sql_type: SqlType::BigInt,
            nullable: false,
            default: None,
            missing: Value::Null,
        });
        let key = [(0, false), (1, true), (2, false)]
            .map(|(column, descending)| KeyPart { column, descending });
        let def = TableDef {
            id: 0,
            schema: "public".to_owned(),
            name: "t".to_owned(),
            columns: columns.collect(),
            next_column_id: 0,
            key_name: None,
            key: key.to_vec(),
            salting: (buckets > 0).then(|| Salting::new(buckets, None)),
            null_keys_repeat: false,
            format_version: 1,
        };
        catalog.create_table(def, false).unwrap();
        let entry = catalog.state().find_table("public", "t").unwrap().clone();
        let layout = entry.def.key_layout();
        let encoder = RowEncoder::new(vec![(entry.def.columns[3].id, SqlType::BigInt)]);
        let mut batch = WriteBatch::new();
        let mut rows = Vec::new();
        for n in 0..SIDE * SIDE * SIDE {
            let row = [n / (SIDE * SIDE), n / SIDE % SIDE, n % SIDE];
            let (bucket, key) = layout.encode(&row.map(Value::BigInt)).unwrap();
            let mut value = Vec::new();
            let sum = Value::BigInt(row.iter().sum());
            encoder.encode_values(&[sum], &mut value).unwrap();
            batch.put(&entry.handle, bucket, &key, &value);
            rows.push(row);
        }
        store.write(batch).unwrap();
        let target = Target::Ranges(Vec::new());
        let request = ReadRequest::new(
            entry.def.clone(),
            entry.handle.clone(),
            vec![0, 1, 2, 3],
            target,
        );
        Table {
            snapshot: store.snapshot(),
            request,
            buckets: buckets.max(1),
            rows,
        }
    }

    fn ranges(&self, ranges: &[KeyRange]) -> Target {
        let layout = self.request.def.key_layout();
        Target::Ranges(expand(ranges, &layout, &BucketSet::all(self.buckets)).unwrap())
    }

    fn bucket(&self, row: &[i64; 3]) -> u8 {
        let layout = self.request.def.key_layout();
        layout.encode(&row.map(Value::BigInt)).unwrap().0
    }

    fn read(&self, request: &ReadRequest, counters: ScanCounters) -> (Vec<[i64; 3]>, ScanCounters) {
        let counters = Arc::new(counters);
        let mut reader = Reader::open(request, &self.snapshot, counters.clone()).unwrap();
        let mut rows = Vec::new();
        loop {
            match reader.read().unwrap() {
                Progress::Batch(batch) => {
                    let column = |i: usize| batch.column(i).as_primitive::<Int64Type>().values();
                    for i in 0..batch.num_rows() {
                        let row = [0, 1, 2].map(|c| column(c)[i]);
                        assert_eq!(column(3)[i], row.iter().sum::<i64>());
                        rows.push(row);
                    }
                }
                Progress::Nothing => {}
                Progress::End => break,
            }
        }
        drop(reader);
        (rows, Arc::into_inner(counters).unwrap())
    }
}

const BUCKETS: [u16; 5] = [0, 1, 3, 16, 256];

fn point(value: i64) -> (Bound<Value>, Bound<Value>) {
    let value = Value::BigInt(value);
    (Bound::Included(value.clone()), Bound::Included(value))
}

/// In the order of the key: the second column descends.
fn in_key_order(row: &[i64; 3]) -> [i64; 3] {
    [row[0], -row[1], row[2]]
}

#[test]
fn boxes_choose_among_the_rows_of_the_ranges() {
    for buckets in BUCKETS {
        let table = Table::new(buckets);
        let boxes = vec![
            KeyBox {
                columns: vec![(2, vec![point(3), point(7)])],
            },
            KeyBox {
                columns: vec![
                    // On a descending column the larger value comes first.
                    (
                        1,
                        vec![(
                            Bound::Included(Value::BigInt(4)),
                            Bound::Excluded(Value::BigInt(1)),
                        )],
                    ),
                    (2, vec![point(11)]),
                ],
            },
        ];
        let a_in_2_to_5 = KeyRange {
            lower: Bound::Included(vec![Value::BigInt(2)]),
            upper: Bound::Included(vec![Value::BigInt(5)]),
        };
        let wanted = |[a, b, c]: &[i64; 3]| {
            (2..=5).contains(a) && (*c == 3 || *c == 7 || (2..=4).contains(b) && *c == 11)
        };
        let mut expected: Vec<_> = table.rows.iter().copied().filter(wanted).collect();
        expected.sort_by_key(in_key_order);
        for order in [CursorOrder::Any, CursorOrder::Key, CursorOrder::KeyReverse] {
            let request = ReadRequest {
                boxes: boxes.clone(),
                order,
                target: table.ranges(std::slice::from_ref(&a_in_2_to_5)),
                ..table.request.clone()
            };
            let (mut rows, counters) = table.read(&request, ScanCounters::default());
            match order {
                CursorOrder::Any => rows.sort_by_key(in_key_order),
                CursorOrder::Key => {}
                CursorOrder::KeyReverse => rows.reverse(),
            }
            assert_eq!(rows, expected, "{buckets} buckets, {order:?}");
            let count = expected.len() as u64;
            assert_eq!((counters.rows(), counters.returned()), (count, count));
            assert!(counters.skipped() <= 4 * 144 - count + 256);
        }
    }
}

#[test]
fn groups_choose_the_ends_among_these() {
    for buckets in BUCKETS {
        let table = Table::new(buckets);
        let boxes = vec![KeyBox {
            columns: vec![(2, vec![point(3), point(7)])],
        }];
        for (columns, first, last) in [
            (1, true, false),
            (1, true, true),
            (2, false, true),
            (0, true, true),
        ] {
            let mut members: BTreeMap<_, Vec<[i64; 3]>> = BTreeMap::new();
            for row in table.rows.iter().filter(|[_, _, c]| *c == 3 || *c == 7) {
                let group = row[..columns].to_vec();
                members
                    .entry((table.bucket(row), group))
                    .or_default()
                    .push(*row);
            }
            let ends = members.into_values().flat_map(|mut rows| {
                rows.sort_by_key(in_key_order);
                let first = rows.first().filter(|_| first).copied();
                [first, rows.last().filter(|_| last).copied()]
            });
            let mut expected: Vec<_> = BTreeSet::from_iter(ends.flatten()).into_iter().collect();
            expected.sort_by_key(in_key_order);
            for order in [CursorOrder::Any, CursorOrder::Key, CursorOrder::KeyReverse] {
                let request = ReadRequest {
                    boxes: boxes.clone(),
                    groups: Some(Groups {
                        columns,
                        first,
                        last,
                    }),
                    order,
                    target: table.ranges(&[KeyRange::all()]),
                    ..table.request.clone()
                };
                let (mut rows, counters) = table.read(&request, ScanCounters::default());
                match order {
                    CursorOrder::Any => rows.sort_by_key(in_key_order),
                    CursorOrder::Key => {}
                    CursorOrder::KeyReverse => rows.reverse(),
                }
                assert_eq!(rows, expected, "{buckets} buckets, {order:?}");
                assert_eq!(counters.rows(), expected.len() as u64);
            }
        }
    }
}

/// `a IN (...)`, or `(a, b) IN (...)`, in the order of what follows.
#[test]
fn a_merge_leaves_out_the_columns_that_are_bound() {
    for buckets in BUCKETS {
        let table = Table::new(buckets);
        let lists = [7, 3, 4, 11];
        for merge_from in [1, 2] {
            let prefix = |a: &i64| match merge_from {
                1 => vec![Value::BigInt(*a)],
                _ => vec![Value::BigInt(*a), Value::BigInt(a % 5)],
            };
            let ranges: Vec<_> = lists.iter().map(|a| KeyRange::prefix(prefix(a))).collect();
            let wanted =
                |[a, b, _]: &[i64; 3]| lists.contains(a) && (merge_from == 1 || *b == a % 5);
            let mut expected: Vec<_> = table.rows.iter().copied().filter(wanted).collect();
            expected.sort_by_key(|row| {
                let key = in_key_order(row);
                (key[merge_from..].to_vec(), key)
            });
            let all = |row: &[i64; 3]| row.map(Value::BigInt).to_vec();
            let keys = Target::Keys(expected.iter().rev().map(all).collect());
            for target in [table.ranges(&ranges), keys] {
                for order in [CursorOrder::Key, CursorOrder::KeyReverse] {
                    let request = ReadRequest {
                        merge_from,
                        order,
                        target: target.clone(),
                        ..table.request.clone()
                    };
                    let (mut rows, _) = table.read(&request, ScanCounters::default());
                    if order == CursorOrder::KeyReverse {
                        rows.reverse();
                    }
                    assert_eq!(rows, expected, "{buckets} buckets, {order:?}");
                }
            }
        }
    }
}

#[test]
fn an_ordered_limit_of_ten_on_256_buckets_decodes_ten_rows() {
    let table = Table::new(256);
    for order in [CursorOrder::Key, CursorOrder::KeyReverse] {
        let request = ReadRequest {
            order,
            limit: Some(10),
            target: table.ranges(&[KeyRange::all()]),
            ..table.request.clone()
        };
        let (rows, counters) = table.read(&request, ScanCounters::default());
        let mut expected = table.rows.clone();
        expected.sort_by_key(in_key_order);
        if order == CursorOrder::KeyReverse {
            expected.reverse();
        }
        assert_eq!(rows, expected[..10]);
        assert_eq!(
            (counters.seeks(), counters.rows(), counters.returned()),
            (256, 10, 10)
        );
        assert!(counters.skipped() <= 255, "{counters:?}");
    }
}

#[test]
fn what_a_read_did_is_counted() {
    for buckets in BUCKETS {
        let table = Table::new(buckets);
        let mut in_bucket = BTreeMap::new();
        for row in &table.rows {
            *in_bucket.entry(table.bucket(row)).or_insert(0) += 1;
        }
        let all = table.rows.len() as u64;
        let keys = table.rows.iter().map(|row| row.map(Value::BigInt).to_vec());
        let keys = Target::Keys(keys.chain([vec![Value::BigInt(-1); 3]]).collect());
        for (target, gets) in [(table.ranges(&[KeyRange::all()]), 0), (keys, all + 1)] {
            for order in [CursorOrder::Any, CursorOrder::Key, CursorOrder::KeyReverse] {
                for columns in [vec![0, 1, 2, 3], vec![0]] {
                    let request = ReadRequest {
                        order,
                        target: target.clone(),
                        columns: columns.clone(),
                        ..table.request.clone()
                    };
                    let count = |counters: ScanCounters| {
                        let counters = Arc::new(counters);
                        let mut reader =
                            Reader::open(&request, &table.snapshot, counters.clone()).unwrap();
                        while !reader.is_done() {
                            reader.read().unwrap();
                        }
                        counters
                    };
                    let counters = count(ScanCounters::default());
                    assert_eq!(
                        (
                            counters.gets(),
                            counters.rows(),
                            counters.returned(),
                            counters.skipped()
                        ),
                        (gets, all, all, 0)
                    );
                    // Three BIGINTs are 24 bytes of key; a row of one more has some of its own.
                    let row = match columns.len() {
                        1 => 24..=24,
                        _ => 33..=64,
                    };
                    assert!(row.contains(&(counters.bytes() / all)), "{counters:?}");
                    assert_eq!(counters.buckets(), Vec::new());

                    let timed = count(ScanCounters::timed());
                    assert_eq!(
                        (timed.gets(), timed.rows(), timed.bytes(), timed.seeks()),
                        (gets, all, counters.bytes(), counters.seeks())
                    );
                    let costs = timed.buckets();
                    assert!(costs.is_sorted_by_key(|cost| cost.bucket));
                    let rows = costs.iter().filter(|cost| cost.rows > 0);
                    let rows: BTreeMap<_, _> = rows.map(|cost| (cost.bucket, cost.rows)).collect();
                    assert_eq!(rows, in_bucket);
                    assert!(costs.iter().any(|cost| cost.time > Duration::ZERO));
                }
            }
        }
    }
}
