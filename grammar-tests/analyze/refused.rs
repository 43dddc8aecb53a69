//! Parameters, settings, and what cannot be analyzed.

use super::*;

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
