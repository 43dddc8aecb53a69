//! rocksalt without async: the same names under `rocksalt::blocking`, a prepared statement, rows
//! by key, and errors by kind.

use rocksalt::arrow::array::AsArray;
use rocksalt::arrow::datatypes::Int64Type;
use rocksalt::blocking::Database;
use rocksalt::{ErrorKind, params};

fn main() -> rocksalt::Result<()> {
    let db = Database::in_memory()?;
    db.execute(
        "CREATE TABLE event (day DATE, id BIGINT, kind VARCHAR, PRIMARY KEY (day, id)) SALT_BUCKETS = 8",
        (),
    )?;

    // A prepared statement is parsed and bound once.
    let put = db.prepare("UPSERT INTO event VALUES (:day, :id, :kind)")?;
    for id in 0..100i64 {
        let kind = if id % 10 == 0 { "error" } else { "info" };
        put.execute(params! { day: "2013-01-01", id: id, kind: kind })?;
    }

    // Batches arrive one by one; the loop may stop early.
    let mut errors = 0;
    for batch in db.query(
        "SELECT count(*) FROM event WHERE kind = ?",
        params!["error"],
    )? {
        errors += batch?.column(0).as_primitive::<Int64Type>().value(0);
    }
    assert_eq!(errors, 10);

    // INSERT refuses a key that is there; UPSERT replaces its row.
    let again = db.execute("INSERT INTO event VALUES ('2013-01-01', 7, 'info')", ());
    let error = again.expect_err("the key is there");
    assert_eq!(error.kind(), ErrorKind::Constraint);
    println!("{error}");

    // Settings belong to a session.
    let session = db.session();
    session.run("SET durability = 'buffered'")?;
    assert_eq!(
        session.execute("DELETE FROM event WHERE kind = 'info'", ())?,
        90
    );
    println!(
        "{}",
        session.explain("SELECT * FROM event WHERE day = '2013-01-01'")?
    );
    Ok(())
}
