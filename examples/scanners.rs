//! Scans without SQL: ranges of keys in order, a whole table on several threads, and a scan that
//! goes on where it was suspended.

use std::thread;
use std::time::Duration;

use rocksalt::arrow::array::AsArray;
use rocksalt::arrow::datatypes::Int64Type;
use rocksalt::blocking::Database;
use rocksalt::{ScanToken, params};

fn main() -> rocksalt::Result<()> {
    let db = Database::in_memory()?;
    db.execute(
        "CREATE TABLE reading (sensor VARCHAR, at BIGINT, value DOUBLE,
         PRIMARY KEY (sensor, at DESC)) SALT_BUCKETS = 8",
        (),
    )?;
    db.execute(
        "UPSERT INTO reading
         SELECT 'sensor' || (value % 10), value, value / 100.0 FROM generate_series(1, 5000)",
        (),
    )?;
    let table = db.table("reading")?;

    // The latest three of a sensor: the key descends, so they come first.
    let latest = table.scan().prefix("sensor7").columns(["at"]).limit(3);
    for batch in latest.sorted()? {
        let at = batch?.column(0).as_primitive::<Int64Type>().clone();
        assert_eq!(at.values(), &[4997, 4987, 4977]);
    }

    // Bounds are in key order, so the larger time is the first one.
    let range = table.scan().range(("sensor7", 4000)..("sensor7", 3000));
    let rows = |scanner: rocksalt::blocking::Scanner| -> rocksalt::Result<usize> {
        scanner.map(|batch| Ok(batch?.num_rows())).sum()
    };
    assert_eq!(rows(range.sorted()?)?, 100);

    // Everything that passes a filter, by four scanners over buckets of their own.
    let high = table.scan().filter_with("value > ?", params![40.0]);
    let threads: Vec<_> = high
        .keys_only()
        .unordered(4)?
        .into_iter()
        .map(|scanner| thread::spawn(move || rows(scanner)))
        .collect();
    let mut count = 0;
    for thread in threads {
        count += thread.join().expect("a scanner does not panic")?;
    }
    assert_eq!(count, 1000);

    // Twenty milliseconds of work at a time; between them only a token is kept.
    let slow = table.scan().filter("sensor LIKE '%3'").batch_size(100);
    let mut token = slow
        .time_limit(Duration::from_millis(20))
        .sorted()?
        .suspend();
    let mut found = 0;
    loop {
        let kept: String = token.to_string();
        let mut scanner = db.resume(&kept.parse::<ScanToken>()?)?;
        let Some(batch) = scanner.next() else { break };
        found += batch?.num_rows();
        token = scanner.suspend();
    }
    assert_eq!(found, 500);
    println!("{count} readings above 40, {found} of sensor3; the last token was {token}");
    Ok(())
}
