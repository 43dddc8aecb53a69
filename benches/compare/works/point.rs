//! Rows that are found by their whole key.

use rocksalt::arrow::array::{AsArray, RecordBatch};
use rocksalt::arrow::datatypes::{Float64Type, Int64Type};
use rocksalt::{Value, params};

use crate::data::{self, Row};
use crate::measure::{Run, Work};
use crate::place::Place;
use crate::raw;

/// Gets of a round.
const GETS: u64 = 2_000;
/// Keys of a list.
const LIST: u64 = 100;
/// Keys that are read again and again.
const HOT: u64 = 1_000;

/// The id of a get: of all rows, or of a few.
#[derive(Debug, Clone, Copy)]
enum Which {
    Random,
    Hot,
}

impl Which {
    fn id(self, place: &Place, round: u64, n: u64) -> i64 {
        let below = match self {
            Which::Random => place.plan.rows,
            Which::Hot => place.plan.rows.min(HOT),
        };
        data::random(round * GETS + n, below) as i64
    }
}

/// What the sides compare: a number made of all columns of a row.
fn digest(id: i64, device: i32, ts: i64, value: f64, note: &str) -> u64 {
    let note = note
        .bytes()
        .fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
    (id as u64)
        .wrapping_add(device as u64)
        .wrapping_add(ts as u64)
        .wrapping_add(value.to_bits())
        .wrapping_add(note)
}

fn digest_of_row(row: &Row) -> u64 {
    digest(row.id, row.device, row.ts, row.value, &row.note)
}

fn digest_of_batch(batch: &RecordBatch) -> u64 {
    use rocksalt::arrow::datatypes::{Int32Type, TimestampMicrosecondType};
    let [id, device, ts, value, note] = batch.columns() else {
        panic!("{} columns", batch.num_columns());
    };
    let (id, value) = (
        id.as_primitive::<Int64Type>(),
        value.as_primitive::<Float64Type>(),
    );
    let device = device.as_primitive::<Int32Type>();
    let (ts, note) = (
        ts.as_primitive::<TimestampMicrosecondType>(),
        note.as_string::<i32>(),
    );
    (0..id.len())
        .map(|at| {
            digest(
                id.value(at),
                device.value(at),
                ts.value(at),
                value.value(at),
                note.value(at),
            )
        })
        .fold(0, u64::wrapping_add)
}

fn digest_of(batches: &[RecordBatch]) -> u64 {
    batches
        .iter()
        .map(digest_of_batch)
        .fold(0, u64::wrapping_add)
}

fn digest_of_sqlite(row: &rusqlite::Row<'_>) -> rusqlite::Result<u64> {
    let note = row.get_ref(4)?.as_str().unwrap_or_default();
    Ok(digest(
        row.get(0)?,
        row.get(1)?,
        row.get(2)?,
        row.get(3)?,
        note,
    ))
}

fn digest_of_values(values: &[Value]) -> u64 {
    match values {
        [
            Value::BigInt(id),
            Value::Integer(device),
            Value::Timestamp(ts),
            Value::Double(value),
            Value::Text(note),
        ] => digest(*id, *device, *ts, *value, note),
        other => panic!("{other:?}"),
    }
}

/// A round of gets by hand.
fn raw_gets<'a>(place: &'a Place, which: Which) -> Run<'a> {
    let mut key = Vec::new();
    Box::new(move |round| {
        let family = place.raw.family();
        gets(|n| {
            place.raw.key_of_id(which.id(place, round, n), &mut key);
            let found = place.raw.db.get_pinned_cf(&family, &key).expect("a get");
            digest_of_row(&raw::decode(&found.expect("a row")))
        })
    })
}

fn sqlite_gets<'a>(place: &'a Place, which: Which) -> Run<'a> {
    let sql = "SELECT id, device, ts, value, note FROM t WHERE id = ?";
    let mut get = place.sqlite.prepare(sql).expect("a statement");
    Box::new(move |round| {
        gets(|n| {
            let row = get.query_row([which.id(place, round, n)], digest_of_sqlite);
            row.expect("a row")
        })
    })
}

fn gets(one: impl FnMut(u64) -> u64) -> u64 {
    (0..GETS).map(one).fold(0, u64::wrapping_add)
}

/// A table's columns, as a query names them.
const COLUMNS: &str = "id, device, ts, value, note";

fn by_statement<'a>(place: &'a Place, which: Which) -> Run<'a> {
    let sql = format!("SELECT {COLUMNS} FROM t WHERE id = ?");
    let get = place.rocksalt.prepare(&sql).expect("a statement");
    Box::new(move |round| {
        gets(|n| {
            let rows = get.query(params![which.id(place, round, n)]);
            digest_of(&rows.and_then(|rows| rows.collect()).expect("a row"))
        })
    })
}

fn by_table<'a>(place: &'a Place, which: Which) -> Run<'a> {
    let table = place.rocksalt.table("t").expect("the table");
    Box::new(move |round| {
        gets(|n| {
            let row = table.get(which.id(place, round, n)).expect("a get");
            digest_of_values(row.expect("a row").values())
        })
    })
}

/// A text that was seen before, with parameters.
fn by_text<'a>(place: &'a Place, which: Which) -> Run<'a> {
    let sql = format!("SELECT {COLUMNS} FROM t WHERE id = ?");
    Box::new(move |round| {
        gets(|n| {
            let rows = place
                .rocksalt
                .query(&sql, params![which.id(place, round, n)]);
            digest_of(&rows.and_then(|rows| rows.collect()).expect("a row"))
        })
    })
}

/// The same text with another literal each time.
fn by_literals<'a>(place: &'a Place, which: Which) -> Run<'a> {
    Box::new(move |round| {
        gets(|n| {
            let id = which.id(place, round, n);
            let sql = format!("SELECT {COLUMNS} FROM t WHERE id = {id}");
            let rows = place.rocksalt.query(&sql, ());
            digest_of(&rows.and_then(|rows| rows.collect()).expect("a row"))
        })
    })
}

fn sqlite_texts<'a>(place: &'a Place, which: Which, sql: fn(i64, u64) -> String) -> Run<'a> {
    Box::new(move |round| {
        gets(|n| {
            let sql = sql(which.id(place, round, n), round * GETS + n);
            let row = place.sqlite.query_row(&sql, (), digest_of_sqlite);
            row.expect("a row")
        })
    })
}

/// A text of a shape that was never seen: the first column has another name each time.
fn new_shape(id: i64, number: u64) -> String {
    format!("SELECT id AS id{number}, device, ts, value, note FROM t WHERE id = {id}")
}

fn by_new_shapes<'a>(place: &'a Place, which: Which) -> Run<'a> {
    Box::new(move |round| {
        gets(|n| {
            let sql = new_shape(which.id(place, round, n), round * GETS + n);
            let rows = place.rocksalt.query(&sql, ());
            digest_of(&rows.and_then(|rows| rows.collect()).expect("a row"))
        })
    })
}

/// The ids of a list.
fn list(place: &Place, round: u64, n: u64) -> Vec<i64> {
    let number = |at| data::random((round * GETS + n) * LIST + at, place.plan.rows) as i64;
    let mut ids: Vec<i64> = (0..LIST).map(number).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Lists of 100 keys.
fn lists(place: &Place) -> Work<'_> {
    const LISTS: u64 = 50;
    let parameters = vec!["?"; LIST as usize].join(", ");
    let sql = format!("SELECT {COLUMNS} FROM t WHERE id IN ({parameters})");
    let get = place.rocksalt.prepare(&sql).expect("a statement");
    let padded = |mut ids: Vec<i64>| {
        // A list has as many values as the statement has parameters.
        ids.resize(LIST as usize, ids[0]);
        ids
    };
    let ours: Run<'_> = Box::new(move |round| {
        (0..LISTS)
            .map(|n| {
                let ids: Vec<Value> = padded(list(place, round, n))
                    .into_iter()
                    .map(Value::from)
                    .collect();
                digest_of(
                    &get.query(ids)
                        .and_then(|rows| rows.collect())
                        .expect("rows"),
                )
            })
            .fold(0, u64::wrapping_add)
    });
    let raw: Run<'_> = Box::new(move |round| {
        let family = place.raw.family();
        (0..LISTS)
            .map(|n| {
                let keys = list(place, round, n).into_iter().map(|id| {
                    let mut key = Vec::new();
                    place.raw.key_of_id(id, &mut key);
                    key
                });
                let mut keys: Vec<Vec<u8>> = keys.collect();
                keys.sort();
                let found = place.raw.db.batched_multi_get_cf(&family, &keys, true);
                let rows = found
                    .into_iter()
                    .map(|row| digest_of_row(&raw::decode(&row.expect("a get").expect("a row"))));
                rows.fold(0, u64::wrapping_add)
            })
            .fold(0, u64::wrapping_add)
    });
    let mut get = place.sqlite.prepare(&sql).expect("a statement");
    let sqlite: Run<'_> = Box::new(move |round| {
        (0..LISTS)
            .map(|n| {
                let ids = rusqlite::params_from_iter(padded(list(place, round, n)));
                let rows = get.query_map(ids, digest_of_sqlite).expect("rows");
                rows.map(|row| row.expect("a row"))
                    .fold(0, u64::wrapping_add)
            })
            .fold(0, u64::wrapping_add)
    });
    Work {
        name: "in_100_keys",
        things: LISTS * LIST,
        unit: "key",
        sides: [Some(ours), Some(raw), Some(sqlite)],
    }
}

/// One row by its key, in the ways that a program has.
pub fn works(place: &Place) -> Vec<Work<'_>> {
    type Ours = for<'a> fn(&'a Place, Which) -> Run<'a>;
    let known: [(&str, Ours, Which); 6] = [
        ("get_statement_random", by_statement, Which::Random),
        ("get_statement_hot", by_statement, Which::Hot),
        ("get_table_random", by_table, Which::Random),
        ("get_table_hot", by_table, Which::Hot),
        ("get_text_parameters", by_text, Which::Hot),
        ("get_text_literals", by_literals, Which::Hot),
    ];
    let mut works: Vec<Work<'_>> = known
        .into_iter()
        .map(|(name, ours, which)| Work {
            name,
            things: GETS,
            unit: "get",
            sides: [
                Some(ours(place, which)),
                Some(raw_gets(place, which)),
                Some(sqlite_gets(place, which)),
            ],
        })
        .collect();
    works.push(Work {
        name: "get_text_new_shape",
        things: GETS,
        unit: "get",
        sides: [
            Some(by_new_shapes(place, Which::Hot)),
            Some(raw_gets(place, Which::Hot)),
            Some(sqlite_texts(place, Which::Hot, new_shape)),
        ],
    });
    works.push(lists(place));
    works
}
