//! Mistakes that layers of this kind have made, each at several bucket counts and in both key
//! directions. Expected values are computed here, by arithmetic over the rows that were written,
//! or by hand.

mod constants;
mod extremes;
mod lists;
mod order;
mod projections;
mod ranges;
mod subqueries;

use rocksalt::blocking::Database;

use crate::support::*;

/// A table of the keys `0..n`, the value being the key's square.
fn squares(salt: &str, direction: &str, n: i64) -> Database {
    let db = memory();
    run(
        &db,
        &format!("CREATE TABLE t (k BIGINT, v BIGINT, PRIMARY KEY (k {direction})){salt}"),
    );
    let values: Vec<String> = (0..n).map(|k| format!("({k}, {})", k * k)).collect();
    run(&db, &format!("UPSERT INTO t VALUES {}", values.join(", ")));
    db
}

fn everywhere(n: i64, check: impl Fn(&Database, &str, &str)) {
    for salt in SALTS {
        for direction in DIRECTIONS {
            check(&squares(salt, direction, n), salt, direction);
        }
    }
}

fn texts(keys: impl IntoIterator<Item = i64>) -> Vec<String> {
    keys.into_iter().map(|k| k.to_string()).collect()
}
