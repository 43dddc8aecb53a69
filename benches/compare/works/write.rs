//! Rows that are written.

use std::fmt::Write as _;

use rocksalt::Value;
use rocksdb::{WriteBatch, WriteOptions};

use crate::data::{self, Row, batch, row};
use crate::measure::{Run, Work};
use crate::place::{Place, Plan};
use crate::raw::{self, Raw};
use crate::sqlite;

/// Rows of a statement.
const ROWS: u64 = 1_000;
/// Statements of a round.
const STATEMENTS: u64 = 20;

/// The numbers of the rows of a statement: new ones, in no order.
fn numbers(place: &Place, round: u64, statement: u64) -> impl Iterator<Item = u64> + Clone + use<> {
    let first = place.plan.rows + (round * STATEMENTS + statement) * ROWS;
    (0..ROWS).map(move |n| first + n * 7_919 % ROWS)
}

fn statements(one: impl FnMut(u64)) -> u64 {
    (0..STATEMENTS).for_each(one);
    STATEMENTS
}

fn text(rows: impl Iterator<Item = Row>, sql: &mut String) {
    sql.push_str("UPSERT INTO t VALUES ");
    for (at, row) in rows.enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        let moment = Value::Timestamp(row.ts);
        write!(
            sql,
            "{comma}({}, {}, {moment}, {:?}, '{}')",
            row.id, row.device, row.value, row.note
        )
        .expect("a string");
    }
}

fn values(row: Row) -> [Value; 5] {
    [
        row.id.into(),
        row.device.into(),
        Value::Timestamp(row.ts),
        row.value.into(),
        row.note.into(),
    ]
}

fn by_text(place: &Place) -> Run<'_> {
    Box::new(move |round| {
        let mut sql = String::new();
        statements(|n| {
            sql.clear();
            text(numbers(place, round, n).map(row), &mut sql);
            let written = place.rocksalt.execute(&sql, ()).expect("an upsert");
            assert_eq!(written, ROWS);
        })
    })
}

fn by_parameters(place: &Place) -> Run<'_> {
    let rows = vec!["(?, ?, ?, ?, ?)"; ROWS as usize].join(", ");
    let sql = format!("UPSERT INTO t VALUES {rows}");
    let upsert = place.rocksalt.prepare(&sql).expect("a statement");
    Box::new(move |round| {
        statements(|n| {
            let rows = numbers(place, round, n).map(row);
            let values: Vec<Value> = rows.flat_map(values).collect();
            assert_eq!(upsert.execute(values).expect("an upsert"), ROWS);
        })
    })
}

fn by_batch(place: &Place) -> Run<'_> {
    let table = place.rocksalt.table("t").expect("the table");
    Box::new(move |round| {
        statements(|n| {
            let rows = batch(numbers(place, round, n));
            assert_eq!(table.upsert(&rows).expect("an upsert"), ROWS);
        })
    })
}

fn raw_batches(place: &Place) -> Run<'_> {
    Box::new(move |round| statements(|n| place.raw.write(numbers(place, round, n).map(row))))
}

fn sqlite_transactions(place: &Place) -> Run<'_> {
    Box::new(move |round| {
        statements(|n| sqlite::write(&place.sqlite, numbers(place, round, n).map(row)))
    })
}

/// Batches of 1,000 rows, buffered.
pub fn batches(place: &Place) -> Vec<Work<'_>> {
    type Ours = for<'a> fn(&'a Place) -> Run<'a>;
    let works: [(&str, Ours); 3] = [
        ("upsert_1000_text", by_text),
        ("upsert_1000_parameters", by_parameters),
        ("upsert_1000_batch", by_batch),
    ];
    let works = works.into_iter().map(|(name, ours)| Work {
        name,
        things: STATEMENTS * ROWS,
        unit: "row",
        sides: [
            Some(ours(place)),
            Some(raw_batches(place)),
            Some(sqlite_transactions(place)),
        ],
    });
    let mut works: Vec<Work<'_>> = works.collect();
    works.push(one_row(place, "put_one_buffered", 2_000));
    works
}

/// One row a statement; each is on disk when it returns.
pub fn synced(place: &Place) -> Vec<Work<'_>> {
    vec![one_row(place, "put_one_synced", 200), eight_writers(place)]
}

/// The number of a row that is written alone.
fn number(plan: Plan, round: u64, n: u64) -> u64 {
    data::random(round * 1_000_003 + n, plan.rows)
}

fn raw_put(raw: &Raw, synced: bool, number: u64, key: &mut Vec<u8>, value: &mut Vec<u8>) {
    let row = row(number);
    raw.key(&row, key);
    raw::encode(&row, value);
    let mut options = WriteOptions::default();
    options.set_sync(synced);
    let mut batch = WriteBatch::default();
    batch.put_cf(&raw.family(), &*key, &*value);
    raw.db.write_opt(batch, &options).expect("a put");
}

fn one_row<'a>(place: &'a Place, name: &'static str, puts: u64) -> Work<'a> {
    let sql = "UPSERT INTO t VALUES (?, ?, ?, ?, ?)";
    let put = place.rocksalt.prepare(sql).expect("a statement");
    let ours: Run<'a> = Box::new(move |round| {
        for n in 0..puts {
            let row = values(row(number(place.plan, round, n))).to_vec();
            assert_eq!(put.execute(row).expect("a put"), 1);
        }
        puts
    });
    let (mut key, mut value) = (Vec::new(), Vec::new());
    let raw: Run<'a> = Box::new(move |round| {
        (0..puts).for_each(|n| {
            raw_put(
                &place.raw,
                place.plan.synced,
                number(place.plan, round, n),
                &mut key,
                &mut value,
            )
        });
        puts
    });
    let sql = "INSERT OR REPLACE INTO t VALUES (?, ?, ?, ?, ?)";
    let mut put = place.sqlite.prepare(sql).expect("a statement");
    let sqlite: Run<'a> = Box::new(move |round| {
        for n in 0..puts {
            let row = row(number(place.plan, round, n));
            put.execute(rusqlite::params![
                row.id, row.device, row.ts, row.value, row.note
            ])
            .expect("a put");
        }
        puts
    });
    Work {
        name,
        things: puts,
        unit: "row",
        sides: [Some(ours), Some(raw), Some(sqlite)],
    }
}

/// Eight threads that each put rows and wait until they are on disk.
fn eight_writers(place: &Place) -> Work<'_> {
    const THREADS: u64 = 8;
    const PUTS: u64 = 200;
    let sql = "UPSERT INTO t VALUES (?, ?, ?, ?, ?)";
    let put = place.rocksalt.prepare(sql).expect("a statement");
    let (plan, raw) = (place.plan, &place.raw);
    let on_threads = move |round: u64, one: &(dyn Fn(u64) + Sync)| {
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    (0..PUTS).for_each(|n| one(number(plan, round, thread * PUTS + n)));
                });
            }
        });
        THREADS * PUTS
    };
    let ours: Run<'_> = Box::new(move |round| {
        on_threads(round, &|number| {
            let row = values(row(number)).to_vec();
            assert_eq!(put.execute(row).expect("a put"), 1);
        })
    });
    let raw: Run<'_> = Box::new(move |round| {
        on_threads(round, &|number| {
            raw_put(raw, plan.synced, number, &mut Vec::new(), &mut Vec::new())
        })
    });
    // A connection of SQLite has one thread at a time.
    Work {
        name: "put_8_writers_synced",
        things: THREADS * PUTS,
        unit: "row",
        sides: [Some(ours), Some(raw), None],
    }
}
