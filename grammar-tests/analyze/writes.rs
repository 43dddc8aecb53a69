//! Statements that write.

use super::*;

#[test]
fn writing_statements_are_executed_once() {
    everywhere(|db, _| {
        let sum = || rows(db, "SELECT count(*), sum(v) FROM t WHERE a = 9").remove(0);
        let nines = 9 * 190;
        assert_eq!(sum(), format!("{B}|{nines}"));
        let update = count(db, "UPDATE t SET v = v + 1 WHERE a = 9");
        assert_eq!(read_and_returned(&update), (B, B));
        assert_eq!(sum(), format!("{B}|{}", nines + B));
        let upsert = counts(
            db,
            "UPSERT INTO t SELECT * FROM t WHERE a = 9 ON DUPLICATE KEY UPDATE v = v + 1",
        );
        assert_eq!(read_and_returned(&upsert[0]), (B, B));
        assert_eq!(sum(), format!("{B}|{}", nines + 2 * B));
        // What RETURNING returns goes nowhere.
        count(
            db,
            "UPDATE t SET v = v + 1 WHERE a = 9 RETURNING v, a / (v - v + 1)",
        );
        assert_eq!(sum(), format!("{B}|{}", nines + 3 * B));
        let delete = count(db, "DELETE FROM t WHERE a = 9 AND b >= 5 RETURNING *");
        assert_eq!(read_and_returned(&delete), (15, 15));
        assert_eq!(rows(db, "SELECT count(*) FROM t WHERE a = 9"), ["5"]);

        let insert = analyze(db, "INSERT INTO few VALUES (10, 1, 1), (11, 1, 1)");
        assert_eq!(insert.to_string(), "Insert: few\n└─ Values: 2 rows");
        assert_eq!(rows(db, "SELECT count(*) FROM few"), ["6"]);
    });
}

#[test]
fn after_an_error_nothing_is_written() {
    everywhere(|db, _| {
        let all = |table: &str| rows(db, &format!("SELECT * FROM {table} ORDER BY 1, 2"));
        let before = [all("t"), all("few")];
        for (sql, expected) in [
            ("UPDATE t SET v = 10 / (b - 7)", "invalid: division by zero"),
            ("INSERT INTO few VALUES (9, 1, 1), (1, 1, 1)", "constraint"),
            (
                "UPSERT INTO few SELECT v, a, b FROM t WHERE v / (a - 9) < 0",
                "invalid: division",
            ),
            ("DELETE FROM t WHERE 1 / (a - 3) = 0", "invalid: division"),
            (
                "UPDATE t SET v = v + 1 RETURNING 1 / (a - 3)",
                "invalid: division",
            ),
            ("SELECT 1 / (a - 3) AS x FROM t", "invalid: division"),
        ] {
            let error = error(db, &format!("EXPLAIN ANALYZE {sql}"));
            assert!(error.starts_with(expected), "{sql}\n{error}");
            assert_eq!([all("t"), all("few")], before, "{sql}");
        }
    });
}

#[test]
fn rounds_that_have_to_be_repeated_write_once() {
    let db = after(&[
        "CREATE TABLE c (k INTEGER PRIMARY KEY, n INTEGER) SALT_BUCKETS = 3",
        "UPSERT INTO c VALUES (1, 0), (2, 0), (3, 0)",
    ]);
    let (threads, times) = (4, 25);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..times {
                    let plan = analyze(&db, "UPDATE c SET n = n + 1 WHERE n >= 0");
                    let counts = plan.scans()[0].analyzed.clone().unwrap();
                    // Each round reads the three rows once more.
                    assert!([3, 6, 9].contains(&counts.rows_read), "{plan}");
                    assert_eq!(counts.rows_returned, counts.rows_read, "{plan}");
                }
            });
        }
    });
    let n = (threads * times).to_string();
    assert_eq!(rows(&db, "SELECT n FROM c"), [n.as_str(); 3]);
}
