//! EXPLAIN ANALYZE: what scans did, counted against arithmetic.

use rocksalt::blocking::{Database, Outcome};
use rocksalt::{Analyzed, Params, Plan, PlanFormat, params};

use crate::support::*;

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

#[test]
fn a_point_get_is_a_get_and_no_seek() {
    everywhere(|db, buckets| {
        let one = count(db, "SELECT * FROM t WHERE a = 3 AND b = 4");
        assert_eq!((one.gets, one.seeks, one.rows_skipped), (1, 0, 0));
        assert_eq!(read_and_returned(&one), (1, 1));
        assert_eq!(one.buckets.len(), 1);
        assert_eq!(one.slowest(), one.buckets.first());
        assert!(u64::from(one.buckets[0].bucket) < buckets);

        let none = count(db, "SELECT * FROM t WHERE a = 3 AND b = 20");
        assert_eq!((none.gets, none.bytes), (1, 0));
        assert_eq!(read_and_returned(&none), (0, 0));

        // Every key is read, of the row whose v is not 12 nothing is returned.
        let some = count(
            db,
            "SELECT * FROM t WHERE (a, b) IN ((3, 4), (2, 6), (5, 5), (10, 0)) AND v = 12",
        );
        assert_eq!(some.gets, 4);
        assert_eq!(read_and_returned(&some), (3, 2));
        assert!(some.buckets.len() as u64 <= buckets.min(4));
        let rows: u64 = some.buckets.iter().map(|bucket| bucket.rows).sum();
        assert_eq!(rows, 3);
    });
}

#[test]
fn a_range_is_a_seek_in_each_bucket_at_most() {
    everywhere(|db, buckets| {
        // Where a bucket begins with the row that ended the one before, no seek is needed.
        let range = count(db, "SELECT * FROM t WHERE a = 3");
        assert_eq!(range.gets, 0);
        assert!((1..=buckets).contains(&range.seeks), "{range}");
        assert_eq!(read_and_returned(&range), (B, B));

        // A merge has an iterator for each.
        let reverse = count(
            db,
            "SELECT a, b FROM t WHERE a >= 3 ORDER BY a DESC, b DESC",
        );
        assert_eq!(reverse.seeks, buckets);
        assert_eq!(read_and_returned(&reverse), (7 * B, 7 * B));
        // Two INTEGERs of four bytes each; values are not looked at.
        assert_eq!(reverse.bytes, 7 * B * 8);

        let filtered = count(db, "SELECT b FROM t WHERE v = 12");
        assert!((1..=buckets).contains(&filtered.seeks), "{filtered}");
        // 1 * 12, 2 * 6, 3 * 4, 4 * 3, 6 * 2.
        assert_eq!(read_and_returned(&filtered), (A * B, 5));
        assert!(filtered.bytes > A * B * 8);

        let counted = count(db, "SELECT count(*) FROM t");
        assert_eq!(read_and_returned(&counted), (A * B, A * B));
    });
}

#[test]
fn a_skip_scan_decodes_only_the_rows_of_its_ranges() {
    everywhere(|db, buckets| {
        for (sql, rows) in [
            ("SELECT * FROM t WHERE b = 5", A),
            ("SELECT * FROM t WHERE a IN (2, 5, 7) AND b > 15", 3 * 4),
        ] {
            let skip = count(db, sql);
            assert_eq!(read_and_returned(&skip), (rows, rows), "{sql}");
            assert!(skip.seeks >= 1, "{sql}: {skip}");
            // A row is stepped over once at most, and one a range and bucket is met behind it.
            let over = skip.rows_read + skip.rows_skipped;
            assert!(over <= A * B + 3 * buckets, "{sql}: {skip}");
        }
    });
}

#[test]
fn a_loose_scan_seeks_twice_a_group_at_most() {
    everywhere(|db, buckets| {
        for (sql, ends) in [
            ("SELECT DISTINCT a FROM t", 1),
            ("SELECT a, max(b) FROM t GROUP BY a", 1),
            ("SELECT a, min(b), max(b) FROM t GROUP BY a", 2),
        ] {
            let plan = analyze(db, sql);
            assert!(plan.to_string().contains("LooseScan"), "{plan}");
            let loose = count(db, sql);
            assert!(loose.seeks <= (2 * A + 1) * buckets, "{sql}: {loose}");
            assert!(loose.rows_read <= ends * A * buckets, "{sql}: {loose}");
            assert!(loose.rows_read >= A, "{sql}: {loose}");
            assert_eq!(loose.rows_returned, loose.rows_read, "{sql}");
            // In one bucket nothing is read twice.
            if buckets == 1 {
                assert_eq!(loose.rows_read, ends * A, "{sql}: {loose}");
            }
        }
        let least = count(db, "SELECT min(a) FROM t");
        assert!(
            least.rows_read <= buckets && least.seeks <= 2 * buckets,
            "{least}"
        );
    });
}

#[test]
fn an_ordered_limit_seeks_once_a_bucket_and_decodes_what_it_returns() {
    everywhere(|db, buckets| {
        for order in DIRECTIONS {
            let plan = format!("SELECT * FROM t ORDER BY a {order}, b {order} LIMIT 10");
            let merged = count(db, &plan);
            assert_eq!(merged.seeks, buckets, "{order}: {merged}");
            assert!(merged.rows_read <= 10 + buckets, "{order}: {merged}");
            assert_eq!(merged.rows_returned, 10, "{order}: {merged}");
        }
        let any = count(db, "SELECT * FROM t LIMIT 10");
        assert_eq!(read_and_returned(&any), (10, 10));
        assert!(any.seeks <= buckets);
    });
}

#[test]
fn buckets_have_the_rows_that_salt_bucket_says() {
    for (salt, buckets) in [
        (SALTS[1], 1),
        (SALTS[2], 3),
        (SALTS[3], 16),
        (SALTS[4], 256),
    ] {
        for direction in DIRECTIONS {
            let db = grid(salt, direction);
            let expected = rows(
                &db,
                "SELECT salt_bucket(t) AS bucket, count(*) FROM t GROUP BY 1 ORDER BY 1",
            );
            let all = count(&db, "SELECT v FROM t");
            let there = all.buckets.iter().filter(|bucket| bucket.rows > 0);
            let there: Vec<String> = there.map(|b| format!("{}|{}", b.bucket, b.rows)).collect();
            assert_eq!(there, expected, "{buckets} buckets");
            let slowest = all.slowest().unwrap();
            assert!(all.buckets.iter().all(|bucket| bucket.time <= slowest.time));
            assert!(
                all.to_string().contains(&format!(
                    ", slowest bucket {}: {} row",
                    slowest.bucket, slowest.rows
                )),
                "{all}"
            );
        }
    }
}

#[test]
fn each_scan_counts_for_itself() {
    everywhere(|db, buckets| {
        // `few` is read, and its keys are looked up: three of the four are there.
        let join = "SELECT few.id, t.v FROM t JOIN few ON t.a = few.a AND t.b = few.b";
        assert_eq!(rows(db, join).len(), 3);
        let join = counts(db, join);
        assert_eq!(read_and_returned(&join[0]), (4, 4));
        assert_eq!(read_and_returned(&join[1]), (3, 3));
        assert_eq!((join[1].gets, join[1].seeks), (4, 0));

        // Two values of `a`, each of which is one range.
        let prefix = counts(db, "SELECT few.id, t.v FROM t JOIN few ON t.a = few.a");
        assert_eq!(read_and_returned(&prefix[0]), (4, 4));
        assert_eq!(read_and_returned(&prefix[1]), (2 * B, 2 * B));
        assert!(
            (1..=2 * buckets).contains(&prefix[1].seeks),
            "{}",
            prefix[1]
        );

        let none = "SELECT t.v FROM t JOIN few ON t.a = few.a AND t.b = few.b WHERE few.id > 4";
        let none = counts(db, none);
        assert_eq!(read_and_returned(&none[0]), (0, 0));
        assert!(none[0].seeks >= 1);
        assert_eq!((none[1].gets, none[1].seeks, none[1].rows_read), (0, 0, 0));

        let subquery = counts(db, "SELECT * FROM t WHERE a = (SELECT max(a) FROM few)");
        assert_eq!(read_and_returned(&subquery[0]), (B, B));
        assert_eq!(read_and_returned(&subquery[1]), (4, 4));

        let union = counts(
            db,
            "SELECT v FROM t WHERE a = 1 UNION ALL SELECT v FROM t WHERE a > 6 UNION ALL \
             SELECT id FROM few",
        );
        let each: Vec<_> = union.iter().map(read_and_returned).collect();
        assert_eq!(each, [(B, B), (3 * B, 3 * B), (4, 4)]);

        let twice = counts(db, "WITH c AS (SELECT * FROM few) SELECT 1 FROM c x, c y");
        let each: Vec<_> = twice.iter().map(read_and_returned).collect();
        assert_eq!(each, [(4, 4), (4, 4)]);

        let empty = count(db, "SELECT * FROM t WHERE a = 1 AND a = 2");
        let zeros = "rows read 0, rows returned 0, bytes 0 | seeks 0";
        assert_eq!(empty.to_string(), zeros);
        assert_eq!(analyze(db, "SELECT 1 AS one").scans(), []);
    });
}

#[test]
fn a_recursive_query_counts_all_of_its_executions() {
    let db = after(&[
        "CREATE TABLE parents (child INTEGER PRIMARY KEY, parent INTEGER)",
        "UPSERT INTO parents VALUES (4, 3), (3, 2), (2, 1)",
    ]);
    let sql = "WITH RECURSIVE up AS (SELECT 4 AS n UNION ALL \
               SELECT p.parent FROM up JOIN parents p ON p.child = up.n) SELECT n FROM up";
    assert_eq!(rows(&db, sql), ["4", "3", "2", "1"]);
    // The rows 4, 3, 2 and 1 each look for a parent; whether by a get or by a scan of all is not
    // what this is about.
    let all = count(&db, sql);
    assert!(all.rows_returned >= 3, "{all}");
    assert!(all.gets == 4 || all.rows_read == 4 * 3, "{all}");
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

#[test]
fn what_is_left_of_the_mark_is_the_same_each_time() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let [one, other] = [(), ()].map(|()| grid(salt, direction));
            for sql in STEADY {
                let first = steady(&analyze(&one, sql));
                assert_eq!(first, steady(&analyze(&other, sql)));
                assert!(first.contains("rows read"), "{first}");
            }
        }
    }
}

#[test]
fn plans_with_counts() {
    let db = grid(SALTS[3], "DESC");
    let shown = STEADY.map(|sql| format!("{sql}\n\n{}\n", steady(&analyze(&db, sql))));
    insta::assert_snapshot!(shown.join("\n"));
}

/// Apart from the counts the plan is the one that EXPLAIN prints.
#[test]
fn the_plan_is_the_one_of_explain() {
    let db = grid(SALTS[2], "ASC");
    for sql in STEADY.iter().filter(|sql| !sql.contains("VALUES")) {
        let analyzed = analyze(&db, sql).to_string();
        let lines = analyzed.lines().map(|line| match line.split_once(" | ") {
            Some((plan, _)) => plan,
            None => line,
        });
        let lines: Vec<&str> = lines.collect();
        assert_eq!(lines.join("\n"), plan(&db, sql), "{sql}");
    }
}

/// With the value of now() nothing is left to be read.
#[test]
fn where_now_decides_the_plan_is_the_one_that_was_executed() {
    let db = grid(SALTS[2], "ASC");
    let sql = "SELECT * FROM few WHERE now() < '2013-01-01' AND id > 1";
    assert!(plan(&db, sql).starts_with("RangeScan: few, buckets 3/3"));
    assert_eq!(analyze(&db, sql).to_string(), "Empty");
    let write = format!("UPSERT INTO few {sql}");
    let empty = "Upsert: few\n└─ Empty";
    assert_eq!(analyze(&db, &write).to_string(), empty);
}

#[test]
fn as_json() {
    let db = grid(SALTS[3], "ASC");
    let document = |sql: &str| match db.run(sql) {
        Ok(Outcome::Plan(plan)) => {
            assert_eq!(plan.format(), PlanFormat::Json);
            plan.to_string()
        }
        other => panic!("{sql}\n{other:?}"),
    };
    let range = document("EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM t WHERE a = 3");
    for (member, value) in [("gets", "0"), ("rows_read", "20"), ("rows_returned", "20")] {
        assert_eq!(
            json(&range, &format!("$.analyzed.{member}")),
            value,
            "{member}"
        );
    }
    let members = "SELECT group_concat(key) FROM json_each(?1, '$.analyzed')";
    let sqlite = rusqlite::Connection::open_in_memory().unwrap();
    let of = |sql: &str| -> String { sqlite.query_row(sql, [&range], |row| row.get(0)).unwrap() };
    assert_eq!(
        of(members),
        "gets,rows_read,rows_returned,bytes,seeks,rows_skipped,slowest_bucket,buckets"
    );
    assert_eq!(
        of("SELECT group_concat(DISTINCT x.key) \
            FROM json_each(?1, '$.analyzed.buckets') b, json_each(b.value) x"),
        "bucket,rows,milliseconds"
    );
    assert_eq!(
        of("SELECT sum(json_extract(value, '$.rows')) || '' \
            FROM json_each(?1, '$.analyzed.buckets')"),
        "20"
    );
    // The slowest is the bucket of the longest time.
    assert_eq!(
        of("SELECT (max(json_extract(value, '$.milliseconds')) = \
            (SELECT json_extract(value, '$.milliseconds') FROM json_each(?1, '$.analyzed.buckets') \
             WHERE json_extract(value, '$.bucket') = json_extract(?1, '$.analyzed.slowest_bucket'))) \
            || '' FROM json_each(?1, '$.analyzed.buckets')"),
        "1"
    );
    let unsalted = after(&[
        "CREATE TABLE u (k INTEGER PRIMARY KEY)",
        "UPSERT INTO u VALUES (1)",
    ]);
    let plan = unsalted.analyze("SELECT * FROM u", ()).unwrap().to_json();
    assert_eq!(json(&plan, "$.analyzed.slowest_bucket"), "null");
    assert_eq!(json(&plan, "$.analyzed.rows_read"), "1");
    // Without ANALYZE there is no such member.
    let explained = document("EXPLAIN (FORMAT JSON) SELECT * FROM t WHERE a = 3");
    assert!(!explained.contains("analyzed"), "{explained}");
}

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

#[test]
fn parameters_need_their_values() {
    everywhere(|db, _| {
        let sql = "SELECT * FROM t WHERE a = ? AND b >= ?";
        let refused = "invalid: the statement takes 2 parameters and 0 were given";
        let explain = format!("EXPLAIN ANALYZE {sql}");
        assert_eq!(error(db, &explain), refused);
        for error in [
            db.explain(&explain).unwrap_err(),
            db.prepare(&explain).unwrap().explain().unwrap_err(),
            db.analyze(sql, ()).unwrap_err(),
        ] {
            assert_eq!(error.to_string(), refused);
        }
        for plan in [
            db.analyze(sql, params![3, 15]).unwrap(),
            db.analyze(&explain, params![3, 15]).unwrap(),
            db.session().analyze(sql, params![3, 15]).unwrap(),
            db.prepare(sql).unwrap().analyze(params![3, 15]).unwrap(),
        ] {
            let scan = &plan.scans()[0];
            assert_eq!(scan.keys.len(), 1, "{plan}");
            assert!(!plan.to_string().contains('$'), "{plan}");
            assert_eq!(read_and_returned(scan.analyzed.as_ref().unwrap()), (5, 5));
        }
        let json = format!("EXPLAIN (ANALYZE, FORMAT JSON) {sql}");
        let plan = db.analyze(&json, params![3, 15]).unwrap();
        assert_eq!(plan.format(), PlanFormat::Json);
        let write = "UPDATE t SET v = v + :n WHERE a = :a";
        assert_eq!(
            error(db, &format!("EXPLAIN ANALYZE {write}")),
            "invalid: parameter :n has no value"
        );
        let statement = db.prepare(write).unwrap();
        for _ in 0..2 {
            let plan = statement.analyze(params! { a: 1, n: 100 }).unwrap();
            assert_eq!(plan.scans()[0].analyzed.as_ref().unwrap().rows_read, B);
        }
        assert_eq!(
            rows(db, "SELECT sum(v) FROM t WHERE a = 1"),
            [(190 + 200 * B).to_string()]
        );
    });
}

#[test]
fn what_has_no_plan_is_refused_where_it_stands() {
    let db = grid(SALTS[2], "ASC");
    let shown: Vec<String> = [
        "EXPLAIN ANALYZE CREATE TABLE x (k INTEGER PRIMARY KEY)",
        "EXPLAIN ANALYZE DROP TABLE t",
        "EXPLAIN ANALYZE TRUNCATE TABLE t",
        "EXPLAIN ANALYZE ALTER TABLE t RENAME TO u",
        "EXPLAIN ANALYZE SET durability = 'buffered'",
        "EXPLAIN ANALYZE SHOW TABLES",
        "EXPLAIN ANALYZE COPY t FROM 'file.csv'",
        "EXPLAIN ANALYZE EXPLAIN SELECT 1",
        "EXPLAIN (ANALYZE, FORMAT JSON) DESCRIBE t",
        "EXPLAIN ANALYZE",
        "EXPLAIN ANALYZE SELECT * FROM nowhere",
        "EXPLAIN ANALYZE UPDATE t SET nothing = 1",
    ]
    .iter()
    .map(|sql| format!("{sql}\n  {}", error(&db, sql)))
    .collect();
    insta::assert_snapshot!(shown.join("\n"));
    for (sql, expected) in [
        ("DROP TABLE t", "invalid: DROP TABLE has no plan"),
        ("SHOW TABLES", "invalid: SHOW TABLES has no plan"),
        ("EXPLAIN SELECT 1", "invalid: EXPLAIN has no plan"),
    ] {
        let error = db.analyze(sql, Params::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["200"]);
    let message = "invalid: EXPLAIN returns no rows: use explain() or run()";
    let explain = "EXPLAIN ANALYZE DELETE FROM t";
    assert_eq!(db.query(explain, ()).unwrap_err().to_string(), message);
    assert!(db.execute(explain, ()).is_err());
    assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["200"]);
}

#[test]
fn verify_plans_reads_once_more_and_counts_nothing() {
    everywhere(|db, _| {
        let session = db.session();
        session.run("SET verify_plans = on").unwrap();
        for sql in STEADY {
            let sql = format!("EXPLAIN ANALYZE {sql}");
            let with = steady(&session.explain(&sql).unwrap());
            assert_eq!(with, steady(&db.explain(&sql).unwrap()), "{sql}");
        }
    });
}

#[test]
fn max_fanout_refuses_what_explain_shows() {
    let db = grid(SALTS[3], "ASC");
    let session = db.session();
    session.run("SET max_fanout = 2").unwrap();
    for sql in [
        "SELECT * FROM t WHERE v = 1",
        "UPDATE t SET v = v + 1 WHERE v = 3",
        "UPSERT INTO few VALUES (9, (SELECT max(v) FROM t), 1)",
    ] {
        let error = session.run(&format!("EXPLAIN ANALYZE {sql}")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("limit: t would read 16/16 buckets, and max_fanout is 2"),
            "{error}"
        );
        session.run(&format!("EXPLAIN {sql}")).unwrap();
    }
    assert_eq!(rows(&db, "SELECT count(*) FROM t WHERE v = 3"), ["2"]);
    assert_eq!(rows(&db, "SELECT count(*) FROM few"), ["4"]);
    let plan = session
        .analyze("SELECT * FROM t WHERE a = 1 AND b = 1", ())
        .unwrap();
    assert_eq!(plan.scans()[0].analyzed.as_ref().unwrap().gets, 1);
}

#[test]
fn settings_of_the_session_hold() {
    let db = grid(SALTS[3], "ASC");
    let session = db.session();
    session.run("SET row_key_order = on").unwrap();
    let plan = session.analyze("SELECT * FROM t", ()).unwrap();
    assert!(plan.to_string().starts_with("KeyMerge: a, b\n"), "{plan}");
    let all = plan.scans()[0].analyzed.as_ref().unwrap();
    assert_eq!((all.seeks, all.rows_read), (16, A * B));
}
