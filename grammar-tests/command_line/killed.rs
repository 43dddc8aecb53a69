//! A process that is killed in the middle: what it acknowledged is there, and every statement is
//! there whole or not at all. (This shows that commits are atomic and in the log. That they are
//! synced is shown where the log is written: in the tests of the store.)

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::{command, rocksalt};

/// How often the process is killed; more with the environment variable `ROCKSALT_KILLS`.
const KILLS: u64 = 6;

/// Statements that each write three rows of one value, a third of them moving rows of others.
fn statements(first: u64) -> impl Iterator<Item = String> {
    (first..).map(|i| {
        let k = 3 * i;
        format!(
            "UPSERT INTO t (k, v) VALUES ({k}, {i}), ({}, {i}), ({}, {i});\n",
            k + 1,
            k + 2
        ) + &match i % 3 {
            0 => format!("UPDATE t SET k = -1 - k WHERE v = {i};\n"),
            _ => format!("UPDATE t SET w = {i} WHERE v = {i};\n"),
        }
    })
}

#[test]
fn what_was_acknowledged_survives() {
    let kills = std::env::var("ROCKSALT_KILLS").map_or(KILLS, |n| n.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let create = "CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT, w BIGINT DEFAULT 0) \
                  SALT_BUCKETS = 16";
    assert_eq!(rocksalt(&[path, "-c", create]).code, Some(0));

    let mut next = 0;
    for kill in 0..kills {
        let mut child = command()
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        // Ends when the process is gone and nobody reads any more.
        let writer = std::thread::spawn(move || {
            for statement in statements(next) {
                if input.write_all(statement.as_bytes()).is_err() {
                    break;
                }
            }
        });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Another number each time, so that the kill meets other moments.
        let wanted = 7 + (kill * 37) % 91;
        for _ in 0..wanted {
            assert_eq!(lines.next().unwrap().unwrap(), "3 rows affected");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        drop(lines);
        writer.join().unwrap();

        let check = |sql: &str| {
            let ran = rocksalt(&[path, "--format", "csv", "-c", sql]);
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{sql}");
            ran.out.lines().nth(1).map(str::to_owned)
        };
        assert_eq!(
            check("SELECT v, count(*) FROM t GROUP BY v HAVING count(*) <> 3 LIMIT 1"),
            None,
            "a statement is there in part"
        );
        assert_eq!(
            check(
                "SELECT v FROM t GROUP BY v \
                 HAVING count(DISTINCT k < 0) > 1 OR count(DISTINCT w) > 1 LIMIT 1"
            ),
            None,
            "an update is there in part"
        );
        let written = check("SELECT count(DISTINCT v) FROM t").unwrap();
        let written: u64 = written.parse().unwrap();
        // Every second acknowledgement is that of an UPSERT, the first of them included.
        let acknowledged = next + wanted.div_ceil(2);
        assert!(
            written >= acknowledged,
            "{written} of {acknowledged} are there"
        );
        next = written;
    }
}
