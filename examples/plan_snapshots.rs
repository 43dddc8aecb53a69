//! The plans of an application as snapshots: a change that turns a point get into a scan of every
//! bucket fails here before a user waits for it.
//!
//! A plan follows from the statement, the schema and the settings alone, so an empty database
//! shows what production does. In an application these are tests; `cargo insta review` accepts a
//! change, and `INSTA_UPDATE=no` keeps CI from writing any.

use rocksalt::blocking::Database;

const SCHEMA: &str = "
    CREATE TABLE event (day DATE, host VARCHAR, id BIGINT, kind VARCHAR,
        PRIMARY KEY (day, host, id)) SALT_BUCKETS = 16, SALT_COLUMNS = (host)";

fn main() -> rocksalt::Result<()> {
    let db = Database::in_memory()?;
    db.execute(SCHEMA, ())?;
    let plan = |sql: &str| db.explain(sql).map(|plan| plan.to_string());

    // Values come later: `buckets <=1/16` is as sharp as it can be without them.
    insta::assert_snapshot!(
        plan("SELECT kind FROM event WHERE day = ? AND host = ? AND id = ?")?,
        @"PointGet: event, buckets <=1/16, keys [($1, $2, $3)], columns [kind]"
    );
    insta::assert_snapshot!(
        plan("SELECT * FROM event WHERE day = '2013-01-01' AND host = 'web1'")?,
        @"RangeScan: event, buckets 1/16, ranges [(DATE '2013-01-01', 'web1') .. (DATE '2013-01-01', 'web1')]"
    );

    // A plan is also data: what must hold for every statement needs no snapshot of each.
    for sql in [
        "SELECT * FROM event WHERE day = '2013-01-01' AND host = 'web1' AND id > 7",
        "DELETE FROM event WHERE day < '2013-01-01' AND host = 'web1'",
    ] {
        for scan in db.explain(sql)?.scans() {
            assert!(
                scan.buckets_read <= 1,
                "{sql} reads {} buckets",
                scan.buckets_read
            );
        }
    }
    println!("The plans are as they were.");
    Ok(())
}
