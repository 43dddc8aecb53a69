//! A login by user name, over accounts that are keyed by number: every bucket of the table before
//! there is an index, one bucket of the index and one row after.

use rocksalt::blocking::Database;
use rocksalt::{ErrorKind, ScanKind, params};

const ACCOUNTS: u64 = 20_000;
const LOGIN: &str = "SELECT id, password FROM accounts WHERE name = 'user777'";

fn main() -> rocksalt::Result<()> {
    let db = Database::in_memory()?;
    db.execute(
        "CREATE TABLE accounts (id BIGINT PRIMARY KEY, name VARCHAR, password VARCHAR, visits INTEGER) \
         SALT_BUCKETS = 16",
        (),
    )?;
    db.execute(
        "UPSERT INTO accounts SELECT value, 'user' || value, 'hash' || (value * 7), 0 \
         FROM generate_series(1, 20000)",
        (),
    )?;

    // The key says nothing of names: all rows of all buckets are decoded.
    let before = db.explain(&format!("EXPLAIN ANALYZE {LOGIN}"))?;
    println!("before\n{before}\n");
    let scan = &before.scans()[0];
    let counts = scan.analyzed.as_ref().expect("it was executed");
    assert_eq!((scan.kind, scan.buckets_read), (ScanKind::FullScan, 16));
    assert_eq!(counts.buckets.len(), 16);
    assert_eq!((counts.gets, counts.rows_read), (0, ACCOUNTS));

    // The table may be written meanwhile. No two accounts have one name.
    db.execute("CREATE UNIQUE INDEX accounts_name ON accounts (name)", ())?;

    // One get of the index, one of the row.
    let after = db.explain(&format!("EXPLAIN ANALYZE {LOGIN}"))?;
    println!("after\n{after}\n");
    let scan = &after.scans()[0];
    let counts = scan.analyzed.as_ref().expect("it was executed");
    assert_eq!((scan.kind, scan.buckets_read), (ScanKind::IndexLookup, 1));
    assert_eq!(scan.index.as_deref(), Some("accounts_name"));
    assert_eq!(scan.keys, ["'user777'"]);
    assert_eq!(counts.buckets.len(), 1);
    assert_eq!((counts.entries, counts.gets, counts.rows_read), (1, 2, 1));

    // A prepared login takes the same way, and so does what it writes.
    let login = db.prepare("UPDATE accounts SET visits = visits + 1 WHERE name = ?")?;
    for id in 1..=100 {
        assert_eq!(login.execute(params![format!("user{id}")])?, 1);
    }
    println!("a login that writes\n{}\n", login.explain()?);

    // An index that holds what is asked for is read alone.
    db.execute(
        "CREATE INDEX accounts_login ON accounts (name) INCLUDE (password)",
        (),
    )?;
    let covering =
        db.explain(&LOGIN.replace("SELECT", "SELECT /*+ INDEX(accounts accounts_login) */"))?;
    println!("without the row\n{covering}\n");
    assert!(covering.scans()[0].covering);

    // The name is taken.
    let taken = db.execute("INSERT INTO accounts VALUES (0, 'user777', '', 0)", ());
    let error = taken.expect_err("two accounts would have one name");
    assert_eq!(error.kind(), ErrorKind::Constraint);
    println!("{error}");
    Ok(())
}
