//! The API: what may be called where, and what it says when it may not.

use std::time::Duration;

use futures::StreamExt;
use rocksalt::{Database, Durability, ErrorKind, Outcome, Value, blocking, params};

use crate::support::{after, memory, rows};

fn tokio_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
}

#[test]
fn blocking_calls_work_inside_every_tokio_runtime() {
    let test = || {
        let db = blocking::Database::in_memory().unwrap();
        db.execute(
            "CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 3",
            (),
        )
        .unwrap();
        // More calls than tokio lets a task make in one turn.
        for k in 0..300 {
            db.execute("UPSERT INTO t VALUES (?)", params![k]).unwrap();
        }
        assert_eq!(
            rows(&db, "SELECT count(*) FROM t a JOIN t b USING (k)"),
            ["300"]
        );
    };
    tokio_runtime().block_on(async { test() });
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    threads.block_on(async { tokio::spawn(async move { test() }).await.unwrap() });
}

#[test]
fn the_last_database_may_be_dropped_inside_an_async_function() {
    let test = async || {
        let db = Database::in_memory().await.unwrap();
        db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())
            .await
            .unwrap();
        let mut unread = db.query("SELECT * FROM t a, t b", ()).await.unwrap();
        let statement = db.prepare("SELECT 1").await.unwrap();
        drop(db);
        // What came from a database keeps it open.
        assert!(unread.next().await.is_none());
        statement.query(()).await.unwrap().collect().await.unwrap();
    };
    tokio_runtime().block_on(test());
    futures::executor::block_on(test());
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    threads.block_on(test());
}

#[test]
fn dropping_rows_and_futures_cancels() {
    futures::executor::block_on(async {
        let db = Database::builder().threads(1).in_memory().await.unwrap();
        db.execute(
            "CREATE TABLE t (k BIGINT PRIMARY KEY) SALT_BUCKETS = 16",
            (),
        )
        .await
        .unwrap();
        db.execute(
            "UPSERT INTO t SELECT value FROM generate_series(1, 2000)",
            (),
        )
        .await
        .unwrap();
        // Years of work, were they not dropped.
        let endless = "SELECT count(*) FROM t a, t b, t c, t d WHERE a.k + b.k + c.k + d.k < 0";
        for _ in 0..3 {
            let rows = db.query(endless, ()).await.unwrap();
            let timeout = tokio_timeout(Duration::from_millis(30), rows.collect()).await;
            assert!(timeout.is_none());
        }
        let write = format!("UPSERT INTO t {endless}");
        let timeout = tokio_timeout(Duration::from_millis(30), db.execute(&write, ())).await;
        assert!(timeout.is_none());
        assert_eq!(
            db.execute("DELETE FROM t WHERE k = 1", ()).await.unwrap(),
            1
        );
    });
}

/// The result of a future, or `None` if time runs out first; in any executor.
async fn tokio_timeout<F: Future>(time: Duration, future: F) -> Option<F::Output> {
    use futures::future::{Either, select};
    let (sender, receiver) = futures::channel::oneshot::channel::<()>();
    std::thread::spawn(move || {
        std::thread::sleep(time);
        let _ = sender.send(());
    });
    match select(Box::pin(future), receiver).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}

#[test]
fn everything_is_send() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    futures::executor::block_on(async {
        let db = is_send(Database::in_memory().await.unwrap());
        let session = is_send(db.session());
        is_send(session.run("CREATE TABLE t (k INTEGER PRIMARY KEY)"))
            .await
            .unwrap();
        is_send(db.execute("UPSERT INTO t VALUES (?)", params![1]))
            .await
            .unwrap();
        let statement = is_send(is_send(db.prepare("SELECT * FROM t")).await.unwrap());
        let rows = is_send(is_send(statement.query(())).await.unwrap());
        is_send(rows.collect()).await.unwrap();
        is_send(db.explain("SELECT 1")).await.unwrap();
        is_send(session.script("SELECT 1")).await.unwrap();
    });
}

#[test]
fn execute_and_query_refuse_each_others_statements_before_they_run() {
    let db = memory();
    let execute = |sql: &str| db.execute(sql, ()).unwrap_err().to_string();
    let query = |sql: &str| db.query(sql, ()).unwrap_err().to_string();
    insta::assert_snapshot!(execute("SELECT 1"), @"invalid: SELECT returns rows: execute() is for statements that do not");
    insta::assert_snapshot!(execute("SHOW TABLES"), @"invalid: SHOW TABLES returns rows: execute() is for statements that do not");
    insta::assert_snapshot!(execute("EXPLAIN SELECT 1"), @"invalid: EXPLAIN returns rows: execute() is for statements that do not");
    insta::assert_snapshot!(query("CREATE TABLE t (k INTEGER PRIMARY KEY)"), @"invalid: CREATE TABLE returns no rows: use execute()");
    insta::assert_snapshot!(query("EXPLAIN SELECT 1"), @"invalid: EXPLAIN returns no rows: use explain() or run()");
    assert!(rows(&db, "SHOW TABLES").is_empty());
}

#[test]
fn one_statement_a_call() {
    let db = memory();
    insta::assert_snapshot!(db.execute("DROP TABLE a; DROP TABLE b", ()).unwrap_err(), @"invalid: only one statement can be executed in a call at line 1, column 15");
    insta::assert_snapshot!(db.execute("", ()).unwrap_err(), @"syntax: there is no statement in the text");
    insta::assert_snapshot!(db.execute(" -- nothing", ()).unwrap_err(), @"syntax: there is no statement in the text");
    db.execute("CREATE TABLE a (k INTEGER PRIMARY KEY);", ())
        .unwrap();
}

#[test]
fn settings_belong_to_a_session() {
    let db = memory();
    let session = db.session();
    insta::assert_snapshot!(db.execute("SET lock_timeout = '1s'", ()).unwrap_err(), @"invalid: SET lock_timeout needs a session: call session() and run it there at line 1, column 5");
    session.execute("SET lock_timeout = 1500", ()).unwrap();
    session.execute("SET durability = buffered", ()).unwrap();
    let show = |session: &blocking::Session, name: &str| {
        let batches = session
            .query(&format!("SHOW {name}"), ())
            .unwrap()
            .collect()
            .unwrap();
        format!("{:?}", batches[0].column(0))
    };
    assert!(show(&session, "lock_timeout").contains("1500ms"));
    assert!(show(&db.session(), "lock_timeout").contains("10s"));
    session.execute("SET lock_timeout = DEFAULT", ()).unwrap();
    assert!(show(&session, "lock_timeout").contains("10s"));
    insta::assert_snapshot!(session.execute("SET colour = 'red'", ()).unwrap_err(), @"not found: no setting colour; there are durability, lock_timeout, max_fanout, max_statement_bytes, row_key_order, verify_plans at line 1, column 5");
    insta::assert_snapshot!(session.execute("SET durability = 'perhaps'", ()).unwrap_err(), @"invalid: durability cannot be 'perhaps': it is 'synced' or 'buffered' at line 1, column 5");
    insta::assert_snapshot!(
        session.execute("SET datafusion.execution.batch_size = 1", ()).unwrap_err(), @"unsupported: datafusion.execution.batch_size: the settings of DataFusion are fixed; what can be set is durability, lock_timeout, max_fanout, max_statement_bytes, row_key_order, verify_plans at line 1, column 5");
    insta::assert_snapshot!(session.query("SHOW colour", ()).unwrap_err(), @"not found: no setting colour; there are durability, lock_timeout, max_fanout, max_statement_bytes, row_key_order, verify_plans at line 1, column 6");
    assert_eq!(
        session.query("SHOW ALL", ()).unwrap().collect().unwrap()[0].num_rows(),
        6
    );
}

#[test]
fn run_tells_what_a_statement_came_to() {
    futures::executor::block_on(async {
        let db = Database::in_memory().await.unwrap();
        let create = "CREATE TABLE t (k INTEGER PRIMARY KEY)";
        assert!(matches!(db.run(create).await.unwrap(), Outcome::Done));
        assert!(matches!(
            db.run("UPSERT INTO t VALUES (1), (2)").await.unwrap(),
            Outcome::Affected(2)
        ));
        assert!(matches!(
            db.run("SELECT * FROM t").await.unwrap(),
            Outcome::Rows(_)
        ));
        assert!(matches!(
            db.run("EXPLAIN DELETE FROM t").await.unwrap(),
            Outcome::Plan(_)
        ));
    });
}

#[test]
fn parameters_must_fit() {
    let db = memory();
    let error = |sql: &str, params: rocksalt::Params| match db.query(sql, params) {
        Ok(rows) => rows.collect().unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    insta::assert_snapshot!(error("SELECT ?, ?", params![1]), @"invalid: the statement takes 2 parameters and 1 was given");
    insta::assert_snapshot!(error("SELECT 1", params![1]), @"invalid: the statement takes 0 parameters and 1 was given");
    insta::assert_snapshot!(error("SELECT :a", params![1]), @"invalid: the statement names its parameters (:a) and values came by place");
    insta::assert_snapshot!(error("SELECT :a", params! { b: 1 }), @"invalid: the statement has no parameter :b");
    insta::assert_snapshot!(error("SELECT :a", params![]), @"invalid: parameter :a has no value");
    insta::assert_snapshot!(error("SELECT ?", params! { a: 1 }), @"invalid: values came by name and the statement's parameters have none");
    insta::assert_snapshot!(error("SELECT ?, :a", params![1]), @"invalid: parameters are written in two styles, ? and :name at line 1, column 11");
    insta::assert_snapshot!(error("SELECT $1, ?", params![1]), @"invalid: parameters are written in two styles, $1 and ? at line 1, column 12");
    insta::assert_snapshot!(error("SELECT 1 + ?", params!["x"]), @"invalid: cannot coerce arithmetic expression BIGINT + VARCHAR to valid types");
}

#[test]
fn a_statement_follows_the_catalog() {
    let db = memory();
    db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER)", ())
        .unwrap();
    let put = db.prepare("UPSERT INTO t VALUES (?, ?)").unwrap();
    let get = db.prepare("SELECT * FROM t WHERE k = ?").unwrap();
    let all = db.prepare("SELECT count(*) AS n FROM t").unwrap();
    put.execute(params![1, 2]).unwrap();
    assert_eq!(
        get.query(params![1]).unwrap().collect().unwrap()[0].num_columns(),
        2
    );
    db.execute("DROP TABLE t", ()).unwrap();
    assert_eq!(
        get.query(params![1]).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    assert_eq!(
        put.execute(params![1, 2]).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    db.execute(
        "CREATE TABLE t (v VARCHAR, k VARCHAR, w DATE, PRIMARY KEY (k)) SALT_BUCKETS = 3",
        (),
    )
    .unwrap();
    assert!(put.execute(params![1, 2]).is_err());
    db.execute("UPSERT INTO t VALUES ('a', '1', '2013-01-01')", ())
        .unwrap();
    assert_eq!(
        get.query(params!["1"]).unwrap().collect().unwrap()[0].num_columns(),
        3
    );
    db.execute("TRUNCATE TABLE t", ()).unwrap();
    let batches = all.query(()).unwrap().collect().unwrap();
    assert!(format!("{:?}", batches[0].column(0)).contains('0'));
}

#[test]
fn now_is_not_frozen_by_the_first_execution() {
    let db = memory();
    let now = db.prepare("SELECT now() AS at").unwrap();
    let at = || {
        format!(
            "{:?}",
            now.query(()).unwrap().collect().unwrap()[0].column(0)
        )
    };
    let first = at();
    std::thread::sleep(Duration::from_millis(2));
    assert_ne!(first, at());
}

#[test]
fn a_table_reads_and_writes_without_sql() {
    use rocksalt::arrow::array::{Int64Array, RecordBatch, StringArray};
    use std::sync::Arc;
    for salt in ["", " SALT_BUCKETS = 16"] {
        let db = memory();
        db.execute(
            &format!("CREATE TABLE t (v VARCHAR DEFAULT 'd', a VARCHAR, b INTEGER NULL, n INTEGER, PRIMARY KEY (a, b DESC)){salt}"),
            (),
        )
        .unwrap();
        let table = db.table("T").unwrap();
        // Wider integers than the column's, as long as their values fit.
        let batch = |b: Vec<Option<i64>>, v: Option<&str>| {
            let a = Arc::new(StringArray::from(vec!["x"; b.len()])) as _;
            let v = Arc::new(StringArray::from(vec![v; b.len()])) as _;
            let b = Arc::new(Int64Array::from(b)) as _;
            RecordBatch::try_from_iter_with_nullable([
                ("b", b, true),
                ("a", a, true),
                ("v", v, true),
            ])
            .unwrap()
        };
        assert_eq!(
            table
                .upsert(&batch(vec![Some(1), None], Some("p")))
                .unwrap(),
            2
        );
        let row = table.get(("x", 1)).unwrap().unwrap();
        assert_eq!(row.to_string(), "('p', 'x', 1, NULL)");
        assert_eq!(row.get("b"), Some(&Value::Integer(1)));
        assert!(table.get(("x", Value::Null)).unwrap().is_some());
        assert!(table.get(("x", "1")).unwrap().is_some());
        assert!(table.get((Value::Null, 1)).unwrap().is_none());
        if salt.is_empty() {
            insta::assert_snapshot!(table.get("x").unwrap_err(), @"invalid: the key of t has 2 columns and 1 value was given");
            insta::assert_snapshot!(table.get(("x", 1.5)).unwrap_err(), @"invalid: b: 1.5 would lose its fraction as INTEGER");
            insta::assert_snapshot!(table.upsert(&batch(vec![Some(1 << 40)], None)).unwrap_err(), @"invalid: b: 1099511627776 is out of range for INTEGER");
            let wrong =
                RecordBatch::try_from_iter([("z", Arc::new(Int64Array::from(vec![1])) as _)]);
            insta::assert_snapshot!(table.upsert(&wrong.unwrap()).unwrap_err(), @"not found: t has no column z");
            insta::assert_snapshot!(db.table("u").unwrap_err(), @"not found: table u does not exist");
        }
        db.execute("DROP TABLE t", ()).unwrap();
        assert_eq!(table.get(("x", 1)).unwrap_err().kind(), ErrorKind::NotFound);
    }
}

#[test]
fn a_script_stops_at_the_first_error() {
    let db = memory();
    let session = db.session();
    let error = session
        .script("CREATE TABLE t (k INTEGER PRIMARY KEY);\nUPSERT INTO t VALUES (1);\nUPSERT INTO u VALUES (1);\nDROP TABLE t")
        .unwrap_err();
    insta::assert_snapshot!(error, @"not found: table u does not exist at line 3, column 13");
    assert_eq!(rows(&db, "SELECT k FROM t"), ["1"]);
    assert_eq!(
        session
            .script(" ; ;; SELECT ';' AS a; -- the end\n")
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_folder_reopens_with_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    for durability in [Durability::Synced, Durability::Buffered] {
        let db =
            blocking::Database::build(Database::builder().durability(durability), &path).unwrap();
        db.execute(
            "CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, v VARCHAR DEFAULT 'd') SALT_BUCKETS = 3",
            (),
        )
        .unwrap();
        db.execute("INSERT INTO t (k) SELECT 1 + count(*) FROM t", ())
            .unwrap();
    }
    let db = blocking::Database::open(&path).unwrap();
    assert_eq!(rows(&db, "SELECT * FROM t ORDER BY k"), ["1|d", "2|d"]);
    let kind = blocking::Database::open(&path).unwrap_err().kind();
    assert_eq!(kind, ErrorKind::Unavailable);
}

#[test]
fn columns_without_a_name_are_called_by_their_text() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)",
        "UPSERT INTO t VALUES (1, 'a')",
    ]);
    for (sql, expected) in [
        ("SELECT 1", "1"),
        ("SELECT 'a' || 'b', (1 + 2)", "'a' || 'b'|1 + 2"),
        ("SELECT count(*), max(t.v) FROM t", "count(*)|max(t.v)"),
        ("SELECT -k, t.v, k AS n FROM t WHERE k = 1", "-k|v|n"),
        ("SELECT k + 1, *, upper(v) FROM t", "k + 1|k|v|upper(v)"),
        ("SELECT CAST(k AS TIMESTAMP) FROM t", "CAST(k AS TIMESTAMP)"),
        ("SELECT k + 1 FROM t UNION ALL SELECT 2 ORDER BY 1", "k + 1"),
        ("WITH c AS (SELECT 1 AS x) SELECT x + $1 FROM c", "x + $1"),
    ] {
        let statement = db.prepare(sql).unwrap();
        let rows = match sql.contains('$') {
            true => statement.query(params![1]).unwrap(),
            false => statement.query(()).unwrap(),
        };
        let schema = rows.schema();
        let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
        assert_eq!(names.join("|"), expected, "{sql}");
        for batch in rows.collect().unwrap() {
            assert_eq!(batch.schema(), schema, "{sql}");
        }
    }
}
