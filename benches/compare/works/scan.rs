//! Rows that are found by ranges, and orders of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rocksalt::arrow::array::{AsArray, RecordBatch};
use rocksalt::arrow::datatypes::{Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use rocksdb::{DBRawIterator, ReadOptions};

use crate::data;
use crate::measure::{Run, Work};
use crate::place::Place;
use crate::raw::{self, Raw, ordered64};

/// Devices below this one pass the filter.
const BELOW: i32 = 500;

fn query(place: &Place, sql: &str) -> Vec<RecordBatch> {
    let rows = place
        .rocksalt
        .query(sql, ())
        .and_then(|rows| rows.collect());
    rows.unwrap_or_else(|error| panic!("{sql}\n{error}"))
}

/// An iterator over a part of one bucket.
fn iterate<'a>(raw: &'a Raw, from: Vec<u8>, to: Option<Vec<u8>>) -> DBRawIterator<'a> {
    let mut options = ReadOptions::default();
    options.set_iterate_lower_bound(from);
    if let Some(to) = to {
        options.set_iterate_upper_bound(to);
    }
    options.set_readahead_size(0);
    let mut rows = raw.db.raw_iterator_cf_opt(&raw.family(), options);
    rows.seek_to_first();
    rows
}

/// The ranges of bytes of a range of ids, or of all rows; one for each bucket.
fn ranges(raw: &Raw, ids: Option<(i64, i64)>) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let buckets = match raw.buckets {
        0 => vec![None],
        n => (0..n).map(|bucket| Some(bucket as u8)).collect(),
    };
    let in_bucket = |bucket: Option<u8>, rest: &[u8]| {
        let mut key: Vec<u8> = bucket.into_iter().collect();
        key.extend(rest);
        key
    };
    buckets
        .into_iter()
        .map(|bucket| match ids {
            Some((from, to)) => (
                in_bucket(bucket, &ordered64(from)),
                Some(in_bucket(bucket, &ordered64(to))),
            ),
            None => {
                let next = bucket.and_then(|bucket| bucket.checked_add(1));
                (in_bucket(bucket, &[]), next.map(|next| vec![next]))
            }
        })
        .collect()
}

/// What somebody makes of each row, over the buckets on so many threads.
fn fold<T: Send>(
    raw: &Raw,
    threads: usize,
    ids: Option<(i64, i64)>,
    zero: impl Fn() -> T + Sync,
    add: impl Fn(&mut T, &[u8], &[u8]) + Sync,
) -> Vec<T> {
    let ranges = ranges(raw, ids);
    let one = |ranges: &[(Vec<u8>, Option<Vec<u8>>)]| {
        let mut sum = zero();
        for (from, to) in ranges {
            let mut rows = iterate(raw, from.clone(), to.clone());
            while let Some((key, value)) = rows.item() {
                add(&mut sum, key, value);
                rows.next();
            }
            rows.status().expect("a scan");
        }
        sum
    };
    if threads == 1 {
        return vec![one(&ranges)];
    }
    std::thread::scope(|scope| {
        let parts = ranges.chunks(ranges.len().div_ceil(threads));
        let parts: Vec<_> = parts.map(|part| scope.spawn(|| one(part))).collect();
        parts
            .into_iter()
            .map(|part| part.join().expect("a thread"))
            .collect()
    })
}

fn float(batches: &[RecordBatch]) -> u64 {
    let sum: f64 = batches
        .iter()
        .map(|b| b.column(0).as_primitive::<Float64Type>().value(0))
        .sum();
    // The values are sixteenths: sums of them are exact.
    (sum * 16.0) as u64
}

fn sum_filter(place: &Place, threads: usize) -> [Option<Run<'_>>; 3] {
    let sql = format!("SELECT sum(value) FROM t WHERE device < {BELOW}");
    let of_sqlite = sql.clone();
    [
        Some(Box::new(move |_| float(&query(place, &sql)))),
        Some(Box::new(move |_| {
            let sums = fold(
                &place.raw,
                threads,
                None,
                || 0.0,
                |sum, _, value| {
                    if raw::device(value) < BELOW {
                        *sum += raw::value(value);
                    }
                },
            );
            (sums.into_iter().sum::<f64>() * 16.0) as u64
        })),
        Some(Box::new(move |_| {
            let sum = place
                .sqlite
                .query_row(&of_sqlite, (), |row| row.get::<_, f64>(0));
            (sum.expect("a sum") * 16.0) as u64
        })),
    ]
}

fn group_by(place: &Place, threads: usize) -> [Option<Run<'_>>; 3] {
    let sql = "SELECT device, sum(value) FROM t GROUP BY device";
    let digest = |device: i32, sum: f64| (device as u64 + 1).wrapping_mul((sum * 16.0) as u64);
    [
        Some(Box::new(move |_| {
            let rows = query(place, sql);
            let sums = rows.iter().flat_map(|batch| {
                let devices = batch.column(0).as_primitive::<Int32Type>();
                let sums = batch.column(1).as_primitive::<Float64Type>();
                (0..batch.num_rows()).map(move |at| digest(devices.value(at), sums.value(at)))
            });
            sums.fold(0, u64::wrapping_add)
        })),
        Some(Box::new(move |_| {
            let sums = fold(
                &place.raw,
                threads,
                None,
                BTreeMap::new,
                |sums, _, value| {
                    *sums.entry(raw::device(value)).or_insert(0.0) += raw::value(value);
                },
            );
            let mut all = BTreeMap::new();
            for (device, sum) in sums.into_iter().flatten() {
                *all.entry(device).or_insert(0.0) += sum;
            }
            let digests = all.into_iter().map(|(device, sum)| digest(device, sum));
            digests.fold(0, u64::wrapping_add)
        })),
        Some(Box::new(move |_| {
            let mut sums = place.sqlite.prepare_cached(sql).expect("a statement");
            let sums = sums.query_map((), |row| Ok(digest(row.get(0)?, row.get(1)?)));
            sums.expect("rows")
                .map(|d| d.expect("a row"))
                .fold(0, u64::wrapping_add)
        })),
    ]
}

fn count(place: &Place) -> [Option<Run<'_>>; 3] {
    let sql = "SELECT count(*) FROM t";
    [
        Some(Box::new(move |_| {
            query(place, sql)[0]
                .column(0)
                .as_primitive::<Int64Type>()
                .value(0) as u64
        })),
        Some(Box::new(move |_| {
            let counts = fold(&place.raw, 1, None, || 0, |count, _, _| *count += 1);
            counts.into_iter().sum()
        })),
        Some(Box::new(move |_| {
            place
                .sqlite
                .query_row(sql, (), |row| row.get(0))
                .expect("a count")
        })),
    ]
}

/// All columns of so many rows from a random id on.
fn range(place: &Place, rows: u64, repeat: u64) -> [Option<Run<'_>>; 3] {
    let bounds = move |round: u64, n: u64| {
        let first = data::random(round * repeat + n, place.plan.rows - rows + 1) as i64;
        (first, first + rows as i64)
    };
    let sql = "SELECT id, device, ts, value, note FROM t WHERE id >= ? AND id < ?";
    let ours = place.rocksalt.prepare(sql).expect("a statement");
    let mut of_sqlite = place.sqlite.prepare(sql).expect("a statement");
    [
        Some(Box::new(move |round| {
            let mut digest = 0_u64;
            for n in 0..repeat {
                let (from, to) = bounds(round, n);
                let rows = ours
                    .query(rocksalt::params![from, to])
                    .and_then(|rows| rows.collect());
                for batch in rows.expect("rows") {
                    let ids = batch.column(0).as_primitive::<Int64Type>();
                    let notes = batch.column(4).as_string::<i32>();
                    for at in 0..batch.num_rows() {
                        digest = digest
                            .wrapping_add(ids.value(at) as u64 * notes.value(at).len() as u64);
                    }
                }
            }
            digest
        })),
        Some(Box::new(move |round| {
            let mut digest = 0_u64;
            for n in 0..repeat {
                let found = fold(
                    &place.raw,
                    1,
                    Some(bounds(round, n)),
                    Vec::new,
                    |rows, _, value| {
                        rows.push(raw::decode(value));
                    },
                );
                for row in found.into_iter().flatten() {
                    digest = digest.wrapping_add(row.id as u64 * row.note.len() as u64);
                }
            }
            digest
        })),
        Some(Box::new(move |round| {
            let mut digest = 0_u64;
            for n in 0..repeat {
                let (from, to) = bounds(round, n);
                let rows = of_sqlite.query_map([from, to], |row| {
                    let note = row.get_ref(4)?.as_str().unwrap_or_default().len() as u64;
                    let _: (i32, i64, f64) = (row.get(1)?, row.get(2)?, row.get(3)?);
                    Ok(row.get::<_, i64>(0)? as u64 * note)
                });
                for row in rows.expect("rows") {
                    digest = digest.wrapping_add(row.expect("a row"));
                }
            }
            digest
        })),
    ]
}

/// The first rows in key order.
fn ordered(place: &Place, limit: u64, repeat: u64) -> [Option<Run<'_>>; 3] {
    let sql = format!("SELECT id, value FROM t ORDER BY id LIMIT {limit}");
    let ours = place.rocksalt.prepare(&sql).expect("a statement");
    let mut of_sqlite = place.sqlite.prepare(&sql).expect("a statement");
    let digest =
        |digest: u64, id: i64, value: f64| digest.wrapping_mul(31) ^ id as u64 ^ value.to_bits();
    [
        Some(Box::new(move |_| {
            let mut found = 0;
            for _ in 0..repeat {
                found = 0;
                for batch in ours
                    .query(())
                    .and_then(|rows| rows.collect())
                    .expect("rows")
                {
                    let ids = batch.column(0).as_primitive::<Int64Type>();
                    let values = batch.column(1).as_primitive::<Float64Type>();
                    for at in 0..batch.num_rows() {
                        found = digest(found, ids.value(at), values.value(at));
                    }
                }
            }
            found
        })),
        Some(Box::new(move |_| {
            let mut found = 0;
            for _ in 0..repeat {
                let ranges = ranges(&place.raw, None);
                let iterators = ranges
                    .into_iter()
                    .map(|(from, to)| iterate(&place.raw, from, to));
                let mut iterators: Vec<DBRawIterator<'_>> = iterators.collect();
                let mut heap: BinaryHeap<Reverse<(Vec<u8>, usize)>> = BinaryHeap::new();
                let salt = usize::from(place.raw.buckets > 0);
                for (at, rows) in iterators.iter().enumerate() {
                    if let Some(key) = rows.key() {
                        heap.push(Reverse((key[salt..].to_vec(), at)));
                    }
                }
                found = 0;
                for _ in 0..limit {
                    let Some(mut first) = heap.peek_mut() else {
                        break;
                    };
                    let Reverse((key, at)) = &mut *first;
                    let rows = &mut iterators[*at];
                    let value = rows.value().expect("a value");
                    found = digest(found, raw::id(value), raw::value(value));
                    rows.next();
                    match rows.key() {
                        Some(next) => {
                            key.clear();
                            key.extend(&next[salt..]);
                        }
                        None => drop(std::collections::binary_heap::PeekMut::pop(first)),
                    }
                }
            }
            found
        })),
        Some(Box::new(move |_| {
            let mut found = 0;
            for _ in 0..repeat {
                let rows = of_sqlite.query_map((), |row| Ok((row.get(0)?, row.get(1)?)));
                found = rows
                    .expect("rows")
                    .map(|row| row.expect("a row"))
                    .fold(0, |found, (id, value)| digest(found, id, value));
            }
            found
        })),
    ]
}

/// The last moment of each of ten devices.
fn latest(place: &Place) -> [Option<Run<'_>>; 3] {
    let devices = |round: u64| {
        let numbers = (0..10).map(move |n| data::random(round * 10 + n, data::DEVICES) as i32);
        let mut devices: Vec<i32> = numbers.collect();
        devices.sort_unstable();
        devices.dedup();
        devices
    };
    let sql = move |round| {
        let devices: Vec<String> = devices(round).iter().map(i32::to_string).collect();
        let devices = devices.join(", ");
        format!("SELECT device, max(ts) FROM t WHERE device IN ({devices}) GROUP BY device")
    };
    let digest = |device: i32, ts: i64| (device as u64 + 1).wrapping_mul(ts as u64);
    [
        Some(Box::new(move |round| {
            let rows = query(place, &sql(round));
            let found = rows.iter().flat_map(|batch| {
                let devices = batch.column(0).as_primitive::<Int32Type>();
                let moments = batch.column(1).as_primitive::<TimestampMicrosecondType>();
                (0..batch.num_rows()).map(move |at| digest(devices.value(at), moments.value(at)))
            });
            found.fold(0, u64::wrapping_add)
        })),
        Some(Box::new(move |round| {
            let mut rows = place.raw.db.raw_iterator_cf(&place.raw.family());
            let mut key = Vec::new();
            let one = |device: i32| {
                place.raw.key_of_device(device, i64::MAX, &mut key);
                rows.seek_for_prev(&key);
                let value = rows.value().expect("a row");
                match raw::device(value) == device {
                    true => digest(device, raw::ts(value)),
                    false => 0,
                }
            };
            devices(round)
                .into_iter()
                .map(one)
                .fold(0, u64::wrapping_add)
        })),
        Some(Box::new(move |round| {
            let mut rows = place.sqlite.prepare(&sql(round)).expect("a statement");
            let rows = rows.query_map((), |row| Ok(digest(row.get(0)?, row.get(1)?)));
            rows.expect("rows")
                .map(|d| d.expect("a row"))
                .fold(0, u64::wrapping_add)
        })),
    ]
}

/// Scans of a salted table on so many threads, those of the place.
pub fn scans(place: &Place) -> Vec<Work<'_>> {
    let (threads, rows) = (place.plan.threads, place.plan.rows);
    let work = |name, sides| Work {
        name,
        things: rows,
        unit: "row",
        sides,
    };
    match threads {
        1 => vec![
            work("sum_filter_1_thread", sum_filter(place, 1)),
            work("count", count(place)),
        ],
        _ => vec![
            work("sum_filter_2_threads", sum_filter(place, threads)),
            work("group_by_2_threads", group_by(place, threads)),
        ],
    }
}

/// Ranges of ids of a salted table, one thread.
pub fn ranges_salted(place: &Place) -> Vec<Work<'_>> {
    ranges_of(place, ["range_1_percent_salted", "range_10_rows_salted"])
}

/// The same of an unsalted one.
pub fn ranges_unsalted(place: &Place) -> Vec<Work<'_>> {
    ranges_of(
        place,
        ["range_1_percent_unsalted", "range_10_rows_unsalted"],
    )
}

fn ranges_of<'a>(place: &'a Place, [percent, ten]: [&'static str; 2]) -> Vec<Work<'a>> {
    let rows = (place.plan.rows / 100).max(1);
    vec![
        Work {
            name: percent,
            things: rows * 5,
            unit: "row",
            sides: range(place, rows, 5),
        },
        Work {
            name: ten,
            things: 200,
            unit: "range",
            sides: range(place, 10.min(place.plan.rows), 200),
        },
    ]
}

/// Pages in key order over many buckets.
pub fn orders(place: &Place) -> Vec<Work<'_>> {
    vec![
        Work {
            name: "order_limit_10",
            things: 20,
            unit: "page",
            sides: ordered(place, 10, 20),
        },
        Work {
            name: "order_limit_100000",
            things: place.plan.rows.min(100_000),
            unit: "row",
            sides: ordered(place, 100_000, 1),
        },
    ]
}

/// The latest rows of some devices.
pub fn latest_of_devices(place: &Place) -> Vec<Work<'_>> {
    vec![Work {
        name: "latest_of_10_devices",
        things: 10,
        unit: "device",
        sides: latest(place),
    }]
}
