//! EXPLAIN ANALYZE: what scans did, counted against arithmetic.

use rocksalt::blocking::{Database, Outcome};
use rocksalt::{Analyzed, Params, Plan, PlanFormat, params};

use crate::support::*;

mod counts;
mod refused;
mod text;
mod writes;

/// The values of the first and of the second key column.
const A: u64 = 10;
const B: u64 = 20;

/// `t` has the rows (a, b, a * b) for a in 0..10 and b in 0..20; `few` names three of its keys,
/// and one that is not there.
fn grid(salt: &str, direction: &str) -> Database {
    let db = memory();
    run(
        &db,
        &format!(
            "CREATE TABLE t (a INTEGER, b INTEGER, v INTEGER, \
             PRIMARY KEY (a {direction}, b {direction})){salt}"
        ),
    );
    run(
        &db,
        &format!(
            "CREATE TABLE few (id INTEGER PRIMARY KEY {direction}, a INTEGER, b INTEGER){salt}"
        ),
    );
    let keys = (0..A).flat_map(|a| (0..B).map(move |b| (a, b)));
    let values: Vec<String> = keys
        .map(|(a, b)| format!("({a}, {b}, {})", a * b))
        .collect();
    run(&db, &format!("UPSERT INTO t VALUES {}", values.join(", ")));
    run(
        &db,
        "UPSERT INTO few VALUES (1, 3, 7), (2, 3, 8), (3, 9, 19), (4, 9, 20)",
    );
    db
}

fn everywhere(check: impl Fn(&Database, u64)) {
    for (salt, buckets) in SALTS.into_iter().zip([1, 1, 3, 16, 256]) {
        for direction in DIRECTIONS {
            check(&grid(salt, direction), buckets);
        }
    }
}

#[track_caller]
fn analyze(db: &Database, sql: &str) -> Plan {
    match db.run(&format!("EXPLAIN ANALYZE {sql}")) {
        Ok(Outcome::Plan(plan)) => plan,
        Ok(other) => panic!("{sql}\n{other:?}"),
        Err(error) => panic!("{sql}\n{error}"),
    }
}

/// What the scans of a statement did, in the order in which they are printed.
#[track_caller]
fn counts(db: &Database, sql: &str) -> Vec<Analyzed> {
    let plan = analyze(db, sql);
    let counts = plan.scans().iter().map(|scan| scan.analyzed.clone());
    match counts.collect::<Option<Vec<_>>>() {
        Some(counts) => counts,
        None => panic!("{sql}\n{plan}"),
    }
}

/// What the only scan of a statement did.
#[track_caller]
fn count(db: &Database, sql: &str) -> Analyzed {
    let mut counts = counts(db, sql);
    assert_eq!(counts.len(), 1, "{sql}");
    counts.remove(0)
}

fn read_and_returned(counts: &Analyzed) -> (u64, u64) {
    (counts.rows_read, counts.rows_returned)
}

/// A plan without the numbers that may differ each time.
fn steady(plan: &Plan) -> String {
    let plan = plan.to_string();
    let lines = plan.lines().map(|line| match line.split_once(" | seeks") {
        Some((steady, _)) => steady,
        None => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Statements of which everything before ` | seeks` follows from the data.
const STEADY: [&str; 15] = [
    "SELECT * FROM t WHERE a = 3 AND b = 4",
    "SELECT * FROM t WHERE (a, b) IN ((3, 4), (2, 6), (5, 5), (10, 0)) AND v = 12",
    "SELECT a, b FROM t WHERE a = 3",
    "SELECT * FROM t WHERE b IN (5, 7)",
    "SELECT * FROM t WHERE v = 12",
    "SELECT * FROM t ORDER BY a, b LIMIT 10",
    "SELECT a, max(b) FROM t GROUP BY a",
    "SELECT few.id, t.v FROM t JOIN few ON t.a = few.a AND t.b = few.b",
    "SELECT few.id, t.v FROM t JOIN few ON t.a = few.a",
    "SELECT * FROM t WHERE a = (SELECT max(a) FROM few)",
    "SELECT v FROM t WHERE a = 1 UNION ALL SELECT id FROM few",
    "SELECT * FROM t WHERE a = 1 AND a = 2",
    "SELECT * FROM few WHERE now() > '2013-01-01' AND id > 1",
    "UPSERT INTO few SELECT b, a, b FROM t WHERE a = 1 AND b < 3",
    "UPSERT INTO few VALUES (7, (SELECT max(v) FROM t WHERE a = 1), 1), (8, 1 + 1, 1)",
];
