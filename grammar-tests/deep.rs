//! Deep statements, from the text to the rows, on threads with the stack of any thread.

use rocksalt::ErrorKind;

use crate::support::{after, memory, try_rows};

fn nested(depth: usize, open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

/// Tests run on threads of 2 MB: an overflow ends the process.
#[test]
fn deep_statements_run_or_are_limits() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, a BOOLEAN, s VARCHAR) SALT_BUCKETS = 3",
        "UPSERT INTO t VALUES (1, TRUE, 'x')",
    ]);
    let from: String = (0..60).map(|i| format!(") AS q{i}")).collect();
    let row = |n: usize, part: &str| format!("({})", vec![part; n].join(", "));
    let runs = [
        format!("SELECT {} FROM t", nested(190, "abs(", "k", ")")),
        format!(
            "SELECT {} FROM t",
            nested(190, "CASE WHEN k = 1 THEN ", "1", " END")
        ),
        format!("SELECT {} FROM t", nested(190, "coalesce(k, ", "1", ")")),
        format!("SELECT k FROM {}t{from}", "(SELECT * FROM ".repeat(60)),
        format!("SELECT k{} FROM t", " + 1 - 1".repeat(400)),
        format!("SELECT k FROM t WHERE k{} = 1", " + 1 - 1".repeat(400)),
        format!(
            "SELECT k FROM t WHERE {}",
            nested(60, "NOT a OR (k = 1 AND (", "a", "))")
        ),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(200)),
        format!(
            "SELECT k FROM t WHERE {} >= {}",
            row(100, "k"),
            row(100, "1")
        ),
    ];
    for text in runs {
        match try_rows(&db, &text) {
            Ok(rows) => assert_eq!(rows.len(), 1, "{}", &text[..60]),
            Err(error) => panic!("{}\n{error}", &text[..60]),
        }
    }
    let limits = [
        format!("SELECT {}k FROM t", "- ".repeat(999)),
        format!("SELECT k{} FROM t", " + 1".repeat(1_100)),
        format!(
            "SELECT k FROM t WHERE {} > {}",
            row(500, "k"),
            row(500, "1")
        ),
    ];
    for text in limits {
        assert_eq!(try_rows(&db, &text).unwrap_err().kind(), ErrorKind::Limit);
    }
}

#[test]
fn words_that_stand_before_each_other_are_counted() {
    let db = memory();
    for word in ["INTERVAL ", "CASE ", "NOT ", "EXISTS ", "CAST ", "- "] {
        for times in [150, 500, 900, 5_000] {
            let sql = format!("SELECT {}'1' DAY", word.repeat(times));
            assert!(db.query(&sql, ()).is_err(), "{word} {times}");
        }
    }
}
