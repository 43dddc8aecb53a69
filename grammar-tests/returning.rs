//! RETURNING: the rows that a statement wrote, or deleted.

use proptest::prelude::*;
use rocksalt::blocking::{Database, Outcome};
use rocksalt::{ErrorKind, params};
use rusqlite::Connection;

use crate::support::{
    DIRECTIONS, SALTS, after, error, memory, plan, rows, rows_of_sqlite, rows_with, run,
};

/// A table of three rows, in each way of salting and both directions of its key.
fn each_table(test: impl Fn(&Database)) {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = memory();
            run(
                &db,
                &format!(
                    "CREATE TABLE t (v VARCHAR, k INTEGER, n BIGINT DEFAULT 7, PRIMARY KEY (k {direction})){salt}"
                ),
            );
            run(
                &db,
                "UPSERT INTO t VALUES ('a', 1, 10), ('b', 2, 20), (NULL, 3, NULL)",
            );
            test(&db);
        }
    }
}

const ALL: &str = "SELECT * FROM t ORDER BY k";

#[test]
fn upsert_and_insert_return_what_is_written_in_their_order() {
    each_table(|db| {
        assert_eq!(
            rows(
                db,
                "UPSERT INTO t VALUES ('x', 9, 1), ('y', 2, 2), ('z', 5, 3) RETURNING *"
            ),
            ["x|9|1", "y|2|2", "z|5|3"]
        );
        // What a row keeps and what it gets by default is returned too.
        assert_eq!(
            rows(
                db,
                "UPSERT INTO t (k, v) VALUES (1, 'A'), (6, 'six'), (3, 'C') RETURNING *"
            ),
            ["A|1|10", "six|6|7", "C|3|NULL"]
        );
        assert_eq!(
            rows(
                db,
                "INSERT INTO t (k) VALUES (8), (4) RETURNING n, k + 1, v IS NULL AS empty"
            ),
            ["7|9|true", "7|5|true"]
        );
        assert_eq!(
            rows(
                db,
                "UPSERT INTO t SELECT 'q', k, k FROM t WHERE k < 4 ORDER BY k DESC RETURNING k, v"
            ),
            ["3|q", "2|q", "1|q"]
        );
        // Of the same key twice one row is written.
        assert_eq!(
            rows(
                db,
                "UPSERT INTO t VALUES ('x', 1, 1), ('y', 2, 2), ('z', 1, 3) RETURNING v, k"
            ),
            ["y|2", "z|1"]
        );
        assert_eq!(
            error(db, "INSERT INTO t (k) VALUES (20), (1) RETURNING k"),
            "constraint: duplicate key (1) in t"
        );
        assert_eq!(rows(db, "SELECT v FROM t WHERE k = 20").len(), 0);
    });
}

#[test]
fn update_returns_the_new_rows_and_delete_the_old_ones() {
    each_table(|db| {
        assert_eq!(
            rows(
                db,
                "UPDATE t AS x SET n = n + k, v = upper(v) WHERE k < 3 RETURNING x.k, v, x.n * 2 AS twice"
            )
            .len(),
            2
        );
        let mut moved = rows(db, "UPDATE t SET k = k + 1 RETURNING *");
        moved.sort();
        assert_eq!(moved, ["A|2|11", "B|3|22", "NULL|4|NULL"]);
        let mut gone = rows(
            db,
            "DELETE FROM t y WHERE n IS NOT NULL RETURNING y.*, -y.k",
        );
        gone.sort();
        assert_eq!(gone, ["A|2|11|-2", "B|3|22|-3"]);
        assert_eq!(
            rows(db, "DELETE FROM t WHERE k = 99 RETURNING *"),
            Vec::<String>::new()
        );
        assert_eq!(rows(db, ALL), ["NULL|4|NULL"]);
        assert_eq!(rows(db, "DELETE FROM t RETURNING 1 + 1"), ["2"]);
        assert_eq!(rows(db, ALL), Vec::<String>::new());
    });
}

#[test]
fn rows_that_exist_are_returned_as_they_become() {
    each_table(|db| {
        assert_eq!(
            rows(
                db,
                "UPSERT INTO t VALUES ('x', 2, 1), ('y', 5, 1), ('z', 2, 1) \
                 ON DUPLICATE KEY UPDATE n = n + 1 RETURNING k, v, n"
            ),
            ["2|b|22", "5|y|1"]
        );
        assert_eq!(
            rows(
                db,
                "UPSERT INTO t VALUES ('x', 2, 1), ('y', 6, 1) ON DUPLICATE KEY IGNORE RETURNING k, v"
            ),
            ["6|y"]
        );
        assert_eq!(
            rows(
                db,
                "INSERT INTO t VALUES ('p', 7, 0), ('q', 2, 30), ('r', 1, 0) ON CONFLICT (k) DO UPDATE \
                 SET n = excluded.n, v = t.v || excluded.v WHERE t.n < excluded.n RETURNING *"
            ),
            ["p|7|0", "bq|2|30"]
        );
        assert_eq!(
            rows(
                db,
                "INSERT INTO t (k) VALUES (1) ON CONFLICT DO NOTHING RETURNING *"
            ),
            Vec::<String>::new()
        );
    });
}

#[test]
fn names_and_types() {
    let db = after(&["CREATE TABLE t (k INTEGER PRIMARY KEY, \"V\" CHAR(3) NOT NULL, d DATE)"]);
    let result = db
        .query(
            "UPSERT INTO t VALUES (1, 'a', '2013-01-01') \
             RETURNING *, k + 1, \"V\" || 'x' AS vx, upper(\"V\"), d - INTERVAL '1 day' AS before, \
             CAST(d AS TIMESTAMP), NULL AS nothing",
            (),
        )
        .unwrap();
    let schema = result.schema();
    let fields: Vec<String> = schema
        .fields()
        .iter()
        .map(|f| format!("{} {} {}", f.name(), f.data_type(), f.is_nullable()))
        .collect();
    insta::assert_snapshot!(fields.join("\n"));
    let batches = result.collect().unwrap();
    assert!(batches.iter().all(|batch| batch.schema() == schema));
    // Without rows there is the same schema.
    let none = db
        .query("DELETE FROM t WHERE k = 5 RETURNING k, \"V\"", ())
        .unwrap();
    assert_eq!(none.schema().fields().len(), 2);
    assert_eq!(none.collect().unwrap().len(), 0);
}

#[test]
fn columns_of_one_name() {
    let db = after(&["CREATE TABLE t (k INTEGER PRIMARY KEY, \"returned 1\" VARCHAR)"]);
    let result = db
        .query(
            "UPSERT INTO t VALUES (7, '8') RETURNING k, t.*, K, t.k, CAST(k AS BIGINT), k AS \"A\", k AS a",
            (),
        )
        .unwrap();
    let names: Vec<String> = result
        .schema()
        .fields()
        .iter()
        .map(|f| f.name().clone())
        .collect();
    let cast = "CAST(k AS BIGINT)";
    assert_eq!(names, ["k", "k", "returned 1", "k", "k", cast, "A", "a"]);
    assert_eq!(
        rows(
            &db,
            "DELETE FROM t RETURNING *, k, CAST(\"returned 1\" AS INTEGER), k"
        ),
        ["7|8|7|8|7"]
    );
}

#[test]
fn parameters_and_time() {
    let db = after(&["CREATE TABLE t (k INTEGER PRIMARY KEY, at TIMESTAMP DEFAULT now())"]);
    assert_eq!(
        rows_with(
            &db,
            "UPSERT INTO t (k) VALUES (?) RETURNING k + ?, ? AS text, at = now()",
            params![1, 2, "x"]
        ),
        ["3|x|true"]
    );
    let next = db
        .prepare("UPSERT INTO t (k) VALUES (:k) RETURNING :k * 10 AS ten")
        .unwrap();
    for k in 1..4 {
        let batches = next.query(params! { k: k }).unwrap().collect().unwrap();
        assert_eq!(batches[0].num_rows(), 1);
    }
    assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["3"]);
}

#[test]
fn what_returns_rows_is_a_query() {
    let db = after(&["CREATE TABLE t (k INTEGER PRIMARY KEY)"]);
    for (statement, kind) in [
        ("UPSERT INTO t VALUES (1) RETURNING k", "UPSERT"),
        ("INSERT INTO t VALUES (1) RETURNING k", "INSERT"),
        ("UPDATE t SET k = 1 RETURNING k", "UPDATE"),
        ("DELETE FROM t RETURNING k", "DELETE"),
    ] {
        let error = db.execute(statement, ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(
            error.message(),
            format!("{kind} ... RETURNING returns rows: execute() is for statements that do not")
        );
    }
    assert_eq!(
        rows(&db, "SELECT * FROM t"),
        Vec::<String>::new(),
        "before anything ran"
    );
    // The write is done whether anybody reads the rows or not.
    let Outcome::Rows(unread) = db.run("UPSERT INTO t VALUES (1), (2) RETURNING k").unwrap() else {
        panic!("no rows");
    };
    drop(unread);
    assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["2"]);
}

#[test]
fn where_returning_fails_nothing_is_written() {
    each_table(|db| {
        let before = rows(db, ALL);
        for sql in [
            "UPSERT INTO t VALUES ('x', 1, 1), ('y', 8, 2) RETURNING 1 / (k - 8)",
            "UPSERT INTO t (k) VALUES (1) RETURNING CAST(v AS INTEGER)",
            "INSERT INTO t VALUES ('x', 8, 1) ON CONFLICT DO NOTHING RETURNING 1 / (n - 1)",
            "UPDATE t SET n = 0 RETURNING 1 / n",
            "DELETE FROM t RETURNING 1 / (k - 2)",
        ] {
            assert!(error(db, sql).starts_with("invalid: "), "{sql}");
            assert_eq!(rows(db, ALL), before, "{sql}");
        }
    });
}

#[test]
fn what_makes_no_sense_says_why() {
    let db = after(&["CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 3"]);
    let refused = [
        "UPSERT INTO t VALUES (1, 'a') RETURNING w",
        "UPSERT INTO t VALUES (1, 'a') RETURNING u.*",
        "UPSERT INTO t VALUES (1, 'a') RETURNING excluded.k",
        "UPDATE t x SET v = 'a' RETURNING t.k",
        "DELETE FROM t RETURNING count(*)",
        "DELETE FROM t RETURNING row_number() OVER ()",
        "DELETE FROM t RETURNING (SELECT 1)",
        "DELETE FROM t RETURNING unnest([1, 2])",
        "DELETE FROM t RETURNING v + 1",
        "DELETE FROM t RETURNING *, t.*",
    ];
    let errors: Vec<String> = refused.iter().map(|sql| error(&db, sql)).collect();
    insta::assert_snapshot!(errors.join("\n"));
    assert!(db.prepare("DELETE FROM t WHERE k = ? RETURNING w").is_err());
    assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["0"]);
}

#[test]
fn rows_that_are_older_than_a_column() {
    each_table(|db| {
        run(
            db,
            "ALTER TABLE t ADD COLUMN c INTEGER NOT NULL DEFAULT 5, DROP COLUMN v, RENAME k TO id",
        );
        assert_eq!(
            rows(db, "UPSERT INTO t (id, n) VALUES (1, 0) RETURNING *"),
            ["1|0|5"]
        );
        assert_eq!(
            rows(db, "DELETE FROM t WHERE id = 2 RETURNING *"),
            ["2|20|5"]
        );
    });
}

#[test]
fn many_rows() {
    for salt in ["", " SALT_BUCKETS = 16"] {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR){salt}"),
        );
        let returned = rows(
            &db,
            "UPSERT INTO t SELECT 20001 - value, 'v' || value FROM generate_series(1, 20000) \
             ORDER BY value RETURNING k",
        );
        let expected: Vec<String> = (1..=20_000).rev().map(|k: i64| k.to_string()).collect();
        assert_eq!(returned, expected);
        let mut gone = rows(&db, "DELETE FROM t WHERE k % 2 = 0 RETURNING v");
        gone.sort();
        let mut expected: Vec<String> = (1..=20_000)
            .filter(|n| (20_001 - n) % 2 == 0)
            .map(|n| format!("v{n}"))
            .collect();
        expected.sort();
        assert_eq!(gone, expected);
    }
    let db = memory();
    let session = db.session();
    session
        .execute("CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)", ())
        .unwrap();
    session
        .execute(
            "UPSERT INTO t SELECT value, repeat('v', 1000) FROM generate_series(1, 1000)",
            (),
        )
        .unwrap();
    session
        .execute("SET max_statement_bytes = '100KiB'", ())
        .unwrap();
    let error = session.query("DELETE FROM t RETURNING *", ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["1000"]);
}

#[test]
fn a_queue_hands_out_each_job_once() {
    let db = after(&[
        "CREATE TABLE jobs (k INTEGER PRIMARY KEY) SALT_BUCKETS = 3",
        "UPSERT INTO jobs SELECT value FROM generate_series(1, 60)",
    ]);
    let mut taken: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut mine = Vec::new();
                    loop {
                        let job = rows(
                            &db,
                            "DELETE FROM jobs WHERE k = (SELECT min(k) FROM jobs) RETURNING k",
                        );
                        match job.is_empty() {
                            true => return mine,
                            false => mine.extend(job),
                        }
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|w| w.join().unwrap())
            .collect()
    });
    taken.sort_by_key(|k| k.parse::<i32>().unwrap());
    let expected: Vec<String> = (1..=60).map(|k| k.to_string()).collect();
    assert_eq!(taken, expected);
}

#[test]
fn the_plan_says_so() {
    let db = after(&["CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 16"]);
    insta::assert_snapshot!(plan(&db, "DELETE FROM t WHERE k = 1 RETURNING k, upper(v) AS u"), @"
    Delete: t, returning k, upper(v) AS u
    └─ PointGet: t, buckets 1/16, keys [1], columns [k]
    ");
    insta::assert_snapshot!(plan(&db, "INSERT INTO t VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING *"), @"
    Insert: t, on conflict nothing, returning *
    └─ Values: 1 row
    ");
}

/// The statements of the twins; `{rows}` stands for rows of values.
const STATEMENTS: [&str; 6] = [
    "INSERT INTO t VALUES {rows} ON CONFLICT (k) DO NOTHING RETURNING k, s, n + 1 AS m",
    "INSERT INTO t VALUES {rows} ON CONFLICT (k) DO UPDATE SET n = t.n + excluded.n \
     WHERE t.n < 200 RETURNING *",
    "UPDATE t SET n = n + 1, s = s || 'x' WHERE n % 2 = 0 RETURNING n, s, k",
    "UPDATE t SET k = k + 100 WHERE k < 4 AND NOT EXISTS (SELECT 1 FROM t u WHERE u.k = t.k + 100) \
     RETURNING k, s",
    "DELETE FROM t WHERE k % 3 = 1 RETURNING *",
    "DELETE FROM t WHERE s IS NULL RETURNING k || '-' || n AS kn",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn sqlite_returns_the_same(
        statements in proptest::collection::vec(
            (0..STATEMENTS.len(), proptest::collection::btree_map(0_u8..8, any::<(Option<u8>, u8)>(), 1..6)),
            1..12,
        ),
        salt in 0..SALTS.len(),
        direction in 0..DIRECTIONS.len(),
    ) {
        let (db, twin) = (memory(), Connection::open_in_memory().unwrap());
        let (salt, direction) = (SALTS[salt], DIRECTIONS[direction]);
        run(&db, &format!("CREATE TABLE t (k INTEGER, s VARCHAR, n BIGINT, PRIMARY KEY (k {direction})){salt}"));
        twin.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, s TEXT, n INTEGER)", ()).unwrap();
        for (statement, values) in statements {
            let values: Vec<String> = values
                .iter()
                .map(|(k, (s, n))| {
                    let s = s.map_or("NULL".to_owned(), |s| format!("'{s}'"));
                    format!("({k}, {s}, {n})")
                })
                .collect();
            let sql = STATEMENTS[statement].replace("{rows}", &values.join(", "));
            let mut ours = rows(&db, &sql);
            ours.sort();
            prop_assert_eq!(ours, rows_of_sqlite(&twin, &sql), "{}", sql);
            let all = "SELECT k, s, n FROM t";
            let mut ours = rows(&db, all);
            ours.sort();
            prop_assert_eq!(ours, rows_of_sqlite(&twin, all), "after {}", sql);
        }
    }
}
