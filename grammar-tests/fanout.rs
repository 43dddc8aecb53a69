//! `max_fanout`: a query that would read more buckets is an error that says what would help.

use rocksalt::blocking::Session;
use rocksalt::{ErrorKind, params};

use crate::support::{after, plan};

const EVENTS: &str = "CREATE TABLE events (host VARCHAR, n BIGINT, v INTEGER, \
                      PRIMARY KEY (host, n)) SALT_BUCKETS = 16";
const TENANT: &str = "CREATE TABLE tenant (host VARCHAR, n BIGINT, v INTEGER, \
                      PRIMARY KEY (host, n)) SALT_BUCKETS = 16, SALT_COLUMNS = (host)";
const PLAIN: &str = "CREATE TABLE plain (n BIGINT PRIMARY KEY, v INTEGER)";

fn session(most: &str) -> Session {
    let db = after(&[
        EVENTS,
        TENANT,
        PLAIN,
        "UPSERT INTO events VALUES ('a', 1, 1), ('b', 2, 2), ('c', 3, 3)",
        "UPSERT INTO tenant SELECT * FROM events",
        "UPSERT INTO plain SELECT n, v FROM events",
    ]);
    let session = db.session();
    session
        .execute(&format!("SET max_fanout = {most}"), ())
        .unwrap();
    session
}

/// What the statement ends with: the error, or how many rows it returned or wrote.
fn outcome(session: &Session, sql: &str) -> Result<u64, String> {
    use rocksalt::blocking::Outcome;
    let limited = |error: rocksalt::Error| {
        assert_eq!(error.kind(), ErrorKind::Limit, "{sql}: {error}");
        error.message().to_owned()
    };
    match session.run(sql).map_err(limited)? {
        Outcome::Affected(rows) => Ok(rows),
        Outcome::Rows(rows) => {
            let batches = rows.collect().map_err(limited)?;
            Ok(batches.iter().map(|batch| batch.num_rows() as u64).sum())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_query_of_more_buckets_is_refused_with_advice() {
    let session = session("4");
    let refused = |sql: &str| outcome(&session, sql).unwrap_err();
    insta::assert_snapshot!(
        refused("SELECT * FROM events WHERE v = 3"),
        @"events would read 16/16 buckets, and max_fanout is 4: host, n not bound by equality; an index on v would read 1 bucket: CREATE INDEX events_v_idx ON events (v)"
    );
    insta::assert_snapshot!(
        refused("SELECT count(*) FROM events WHERE host = 'a' AND n > 3"),
        @"events would read 16/16 buckets, and max_fanout is 4: n not bound by equality; SALT_COLUMNS = (host) would read 1 bucket"
    );
    insta::assert_snapshot!(
        refused("SELECT * FROM events"),
        @"events would read 16/16 buckets, and max_fanout is 4: host, n not bound by equality"
    );
    for sql in [
        "SELECT * FROM events ORDER BY host, n LIMIT 1",
        "SELECT * FROM tenant WHERE n = 3",
        "SELECT * FROM plain WHERE n IN (SELECT n FROM events)",
        "SELECT (SELECT max(v) FROM events) FROM plain",
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM events WHERE v > 1)",
        "SELECT v FROM plain UNION ALL SELECT v FROM events WHERE v = 7",
        "UPDATE events SET v = 1 WHERE v = 3",
        "DELETE FROM events WHERE v = 3",
        "UPSERT INTO plain SELECT n, v FROM events",
        "UPSERT INTO plain VALUES (9, (SELECT max(v) FROM events))",
    ] {
        let message = refused(sql);
        assert!(message.contains("and max_fanout is 4"), "{sql}: {message}");
    }
}

#[test]
fn a_query_of_few_buckets_runs() {
    let one = session("1");
    for (sql, rows) in [
        ("SELECT * FROM events WHERE host = 'b' AND n = 2", 1),
        ("SELECT * FROM tenant WHERE host = 'b' AND n > 0", 1),
        ("SELECT * FROM events WHERE host = 'b' AND host = 'c'", 0),
        ("SELECT * FROM plain WHERE v > 0", 3),
        ("SELECT salt_buckets FROM system.tables", 3),
        (
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
            3,
        ),
        ("UPDATE tenant SET v = 5 WHERE host = 'a'", 1),
        ("UPSERT INTO events VALUES ('d', 4, 4)", 1),
        ("UPSERT INTO events SELECT 'e', n, v FROM plain", 3),
        ("DELETE FROM events WHERE host = 'e' AND n = 1", 1),
    ] {
        assert_eq!(outcome(&one, sql), Ok(rows), "{sql}");
    }
    for unbounded in ["0", "off", "DEFAULT", "16", "1000"] {
        let session = session(unbounded);
        assert_eq!(outcome(&session, "SELECT * FROM events WHERE v > 0"), Ok(3));
    }
}

/// Every point get of several keys, on the caller's thread or not, reads as many buckets as
/// EXPLAIN says, and is refused exactly if that is too many.
#[test]
fn several_keys_are_as_many_buckets_as_they_hash_to() {
    let session = session("3");
    let db = after(&[EVENTS]);
    let (mut ran, mut refused) = (0, 0);
    for keys in 1..100 {
        let list: Vec<String> = (0..keys).map(|n| n.to_string()).collect();
        let sql = format!(
            "SELECT v FROM events WHERE host = 'a' AND n IN ({})",
            list.join(", ")
        );
        let buckets = db.explain(&sql).unwrap().scans()[0].buckets_read;
        match outcome(&session, &sql) {
            Ok(rows) => {
                assert!(buckets <= 3, "{sql}");
                assert_eq!(rows, u64::from(keys > 1), "{sql}");
                ran += 1;
            }
            Err(message) => {
                assert!(buckets > 3, "{sql}: {message}");
                let says = format!("events would read {buckets}/16 buckets, and max_fanout is 3");
                assert_eq!(message, says);
                refused += 1;
            }
        }
    }
    assert!(
        ran >= 3 && refused >= 64,
        "{ran} ran, {refused} were refused"
    );
}

#[test]
fn the_values_of_parameters_decide() {
    let session = session("1");
    let sql = "SELECT v FROM events WHERE host = $1 AND n BETWEEN $2 AND $3";
    let statement = session.prepare(sql).unwrap();
    let rows = |from, to| {
        let rows = statement.query(params!["b", from, to])?.collect()?;
        Ok::<usize, rocksalt::Error>(rows.iter().map(|batch| batch.num_rows()).sum())
    };
    assert_eq!(rows(2, 1).unwrap(), 0);
    assert_eq!(rows(2, 3).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn explain_still_works() {
    let session = session("1");
    for sql in [
        "SELECT * FROM events WHERE v = 3",
        "DELETE FROM events WHERE v = 3",
    ] {
        let db = after(&[EVENTS]);
        assert_eq!(session.explain(sql).unwrap().to_string(), plan(&db, sql));
        assert!(session.run(&format!("EXPLAIN {sql}")).is_ok());
    }
    insta::assert_snapshot!(
        session.explain("SELECT * FROM events WHERE v = 3").unwrap(),
        @r"
    FullScan: events, buckets 16/16, filter v = 3
    note: events reads 16/16 buckets: host, n not bound by equality; an index on v would read 1 bucket: CREATE INDEX events_v_idx ON events (v)
    "
    );
}
