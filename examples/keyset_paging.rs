//! Keyset paging: page after page of a salted table in key order, each at the price of the first.
//!
//!     cargo run --example keyset_paging [FOLDER]
//!
//! FOLDER holds `flights.csv` or `flights.csv.gz` of nycflights13; without it a sample is read.
//! `OFFSET` would read all rows before a page once more. `WHERE key > last key` seeks: a page costs
//! one seek in each bucket and its own rows, wherever in the table it stands.

use std::path::PathBuf;

use rocksalt::arrow::array::AsArray;
use rocksalt::arrow::datatypes::{Int32Type, Int64Type, TimestampMicrosecondType};
use rocksalt::blocking::Database;
use rocksalt::{Value, params};

const PAGE: &str = "SELECT time_hour, carrier, flight FROM flights
    WHERE (time_hour, carrier, flight) > (?, ?, ?)
    ORDER BY time_hour, carrier, flight LIMIT 100";

/// A key of the table: microseconds since 1970, carrier, number of the flight.
type Key = (i64, String, i32);

fn main() -> rocksalt::Result<()> {
    let folder = std::env::args()
        .nth(1)
        .unwrap_or("examples/data".to_owned());
    let file = ["flights.csv", "flights.csv.gz"].map(|name| PathBuf::from(&folder).join(name));
    let file = file
        .iter()
        .find(|file| file.exists())
        .expect("a folder that has the flights");
    let db = Database::in_memory()?.session();
    db.script(include_str!("flights/schema.sql"))?;
    let copy = format!("COPY flights FROM '{}' (NULL 'NA')", file.display());
    db.execute(&copy, ())?;

    let statement = db.prepare(PAGE)?;
    let plan = statement.explain()?;
    println!("{plan}");
    assert!(
        !plan.to_string().contains("Sort"),
        "buckets are merged, nothing is sorted"
    );
    assert!(plan.scans().iter().all(|scan| scan.ordered));

    let page = |after: &Key| -> rocksalt::Result<Vec<Key>> {
        let after = params![Value::Timestamp(after.0), after.1.as_str(), after.2];
        let mut keys = Vec::new();
        for batch in statement.query(after)? {
            let batch = batch?;
            let times = batch.column(0).as_primitive::<TimestampMicrosecondType>();
            let carriers = batch.column(1).as_string::<i32>();
            let flights = batch.column(2).as_primitive::<Int32Type>();
            for row in 0..batch.num_rows() {
                let carrier = carriers.value(row).to_owned();
                keys.push((times.value(row), carrier, flights.value(row)));
            }
        }
        Ok(keys)
    };
    // Before all of them: the smallest time that there is.
    let mut last: Key = (i64::MIN, String::new(), i32::MIN);
    let (mut pages, mut rows) = (0, 0);
    loop {
        let keys = page(&last)?;
        assert!(keys.iter().is_sorted_by(|a, b| a < b));
        assert!(
            keys.first().is_none_or(|first| *first > last),
            "no row comes twice"
        );
        let Some(next) = keys.last() else { break };
        last = next.clone();
        pages += 1;
        rows += keys.len();
    }

    let count = db.query("SELECT count(*) FROM flights", ())?.collect()?;
    let count = count[0].column(0).as_primitive::<Int64Type>().value(0);
    assert_eq!(rows as i64, count, "the pages together are the table");
    println!("{pages} pages have all {rows} flights");

    // What the first page and one at the end cost.
    for after in ["2013-01-01T00:00:00", "2013-12-30T00:00:00"] {
        let page = PAGE.replace("?, ?, ?", &format!("TIMESTAMP '{after}', '', 0"));
        let plan = db.explain(&format!("EXPLAIN ANALYZE {page}"))?;
        println!("{plan}");
        let cost = plan.scans()[0].analyzed.as_ref().expect("it was executed");
        assert_eq!(cost.seeks, 16, "one in each bucket");
        assert!(
            cost.rows_read <= 100 + 16,
            "a page, and a row of each bucket"
        );
    }
    Ok(())
}
