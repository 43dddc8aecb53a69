//! Scans for Rust: `table.scan()`, its scanners and their tokens.

mod errors;
mod filters;
mod pace;
mod ranges;
mod sorted;
mod splits;
mod suspend;

use rocksalt::blocking::{Database, Scanner, TableScan};

use crate::support::{after, texts};

/// How many buckets there are; 0 is unsalted.
const BUCKETS: [usize; 6] = [0, 1, 2, 3, 16, 256];

/// A table `t (a VARCHAR, b INTEGER NULL, v VARCHAR)` with the key (a, b) in the given directions,
/// and some rows in it.
fn table(buckets: usize, a: &str, b: &str) -> Database {
    let salt = match buckets {
        0 => String::new(),
        n => format!(" SALT_BUCKETS = {n}"),
    };
    let create = format!(
        "CREATE TABLE t (a VARCHAR, b INTEGER NULL, v VARCHAR, PRIMARY KEY (a {a}, b {b})){salt}"
    );
    let mut rows = Vec::new();
    for a in ["", "a", "ab", "b", "c"] {
        for b in ["-2147483648", "-1", "0", "7", "2147483647", "NULL"] {
            let v = match b {
                "0" => "NULL".to_owned(),
                _ => format!("'{a}:{b}'"),
            };
            rows.push(format!("('{a}', {b}, {v})"));
        }
    }
    // A key with a zero byte, which sorts between 'a' and 'ab'.
    rows.push("('a' || chr(0), 1, 'zero')".to_owned());
    let load = format!("UPSERT INTO t VALUES {}", rows.join(", "));
    after(&[&create, &load])
}

/// A scan of `t`.
fn scan(db: &Database) -> TableScan {
    db.table("t").unwrap().scan()
}

/// The rows of a scanner, in its order.
fn rows(scanner: Scanner) -> Vec<String> {
    texts(&scanner.collect().unwrap())
}

/// The rows of some scanners, sorted.
fn all(scanners: Vec<Scanner>) -> Vec<String> {
    let mut all: Vec<String> = scanners.into_iter().flat_map(rows).collect();
    all.sort();
    all
}

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}
