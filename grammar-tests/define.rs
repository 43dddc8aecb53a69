//! Tables made, shown, emptied and dropped.

use rocksalt::blocking::Database;

use crate::support::{SALTS, after, error, folder, memory, rows, run};

/// Tables of every type and property that CREATE TABLE knows.
const TABLES: &[&str] = &[
    "CREATE TABLE foo (host VARCHAR, date DATE CONSTRAINT pk PRIMARY KEY (host, date)) SALT_BUCKETS=20",
    "CREATE TABLE IF NOT EXISTS public.a (k INTEGER PRIMARY KEY DESC)",
    "CREATE TABLE types (a BOOLEAN, b TINYINT, c SMALLINT, d INTEGER, e BIGINT, f TINYINT UNSIGNED, \
     g SMALLINT UNSIGNED, h INTEGER UNSIGNED, i BIGINT UNSIGNED, j REAL, k DOUBLE, l DECIMAL(9, 2), \
     m CHAR(3), n VARCHAR, o VARCHAR(9), p VARBINARY, q VARBINARY(4), r DATE, s TIME, t TIMESTAMP, \
     u DECIMAL, v DECIMAL(5), w TEXT, x FLOAT, PRIMARY KEY (e, n DESC, r)) SALT_BUCKETS = 256",
    "CREATE TABLE nulls (a INTEGER NULL, b VARCHAR NULL, c INTEGER NOT NULL, d INTEGER, \
     PRIMARY KEY (a DESC, b)) SALT_BUCKETS = 7, SALT_COLUMNS = (b)",
    "CREATE TABLE defaults (k INTEGER DEFAULT 1 + 1 PRIMARY KEY, s VARCHAR DEFAULT 'it''s', \
     n DECIMAL(6, 2) DEFAULT -1.5, at TIMESTAMP DEFAULT now(), r DOUBLE DEFAULT random(), \
     day DATE DEFAULT '2013-01-01', b BOOLEAN NOT NULL DEFAULT TRUE, x VARCHAR DEFAULT NULL)",
    "CREATE TABLE \"Mixed Case\" (\"Key\" INTEGER, \"a \"\"quoted\"\"\" VARCHAR, \"select\" INTEGER, \
     CONSTRAINT \"The Key\" PRIMARY KEY (\"Key\", \"select\")) SALT_BUCKETS = 3, SALT_COLUMNS = (\"select\")",
];

fn show_create(db: &Database, table: &str) -> String {
    rows(db, &format!("SHOW CREATE TABLE {table}")).concat()
}

/// A statement of several lines on one.
fn one_line(create: &str) -> String {
    create
        .replace("(\n  ", "(")
        .replace(",\n  ", ", ")
        .replace("\n)", ")")
}

const NAMES: &[&str] = &["foo", "a", "types", "nulls", "defaults", "\"Mixed Case\""];

#[test]
fn show_create_table_makes_the_same_table_again() {
    let db = after(TABLES);
    let again = memory();
    for name in NAMES {
        let create = show_create(&db, name);
        run(&again, &create);
        assert_eq!(show_create(&again, name), create);
        assert_eq!(
            rows(&again, &format!("DESCRIBE {name}")),
            rows(&db, &format!("DESCRIBE {name}"))
        );
    }
    assert_eq!(
        show_create(&db, "foo"),
        "CREATE TABLE foo (\n  host VARCHAR NOT NULL,\n  date DATE NOT NULL,\n  \
         CONSTRAINT pk PRIMARY KEY (host, date)\n) SALT_BUCKETS = 20"
    );
    insta::assert_snapshot!(one_line(&show_create(&db, "nulls")), @"CREATE TABLE nulls (a INTEGER NULL, b VARCHAR NULL, c INTEGER NOT NULL, d INTEGER, PRIMARY KEY (a DESC, b)) SALT_BUCKETS = 7, SALT_COLUMNS = (b)");
    insta::assert_snapshot!(one_line(&show_create(&db, "defaults")), @"CREATE TABLE defaults (k INTEGER NOT NULL DEFAULT 1 + 1, s VARCHAR DEFAULT 'it''s', n DECIMAL(6, 2) DEFAULT -1.5, at TIMESTAMP DEFAULT now(), r DOUBLE DEFAULT random(), day DATE DEFAULT '2013-01-01', b BOOLEAN NOT NULL DEFAULT true, x VARCHAR DEFAULT NULL, PRIMARY KEY (k))");
    insta::assert_snapshot!(one_line(&show_create(&db, "\"Mixed Case\"")), @"CREATE TABLE \"Mixed Case\" (\"Key\" INTEGER NOT NULL, \"a \"\"quoted\"\"\" VARCHAR, \"select\" INTEGER NOT NULL, CONSTRAINT \"The Key\" PRIMARY KEY (\"Key\", \"select\")) SALT_BUCKETS = 3, SALT_COLUMNS = (\"select\")");
    insta::assert_snapshot!(rows(&db, "DESCRIBE nulls").join("\n"), @r#"
a|INTEGER|true|NULL|1 DESC
b|VARCHAR|true|NULL|2
c|INTEGER|false|NULL|NULL
d|INTEGER|true|NULL|NULL
"#);
    assert_eq!(
        rows(&db, "SHOW TABLES"),
        ["Mixed Case", "a", "defaults", "foo", "nulls", "types"]
    );
}

#[test]
fn a_reopened_database_knows_its_tables() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("db");
    let db = folder(&path);
    TABLES.iter().for_each(|sql| run(&db, sql));
    let before: Vec<String> = NAMES.iter().map(|name| show_create(&db, name)).collect();
    run(&db, "UPSERT INTO defaults (k) VALUES (DEFAULT)");
    drop(db);
    let db = folder(&path);
    let now: Vec<String> = NAMES.iter().map(|name| show_create(&db, name)).collect();
    assert_eq!(now, before);
    run(&db, "UPSERT INTO defaults (k) VALUES (3)");
    assert_eq!(
        rows(&db, "SELECT k, s, n, day, b, x FROM defaults ORDER BY k"),
        [
            "2|it's|-1.50|2013-01-01|true|NULL",
            "3|it's|-1.50|2013-01-01|true|NULL"
        ]
    );
}

#[test]
fn the_salt_stands_in_the_system_tables_and_nowhere_else() {
    let db = after(TABLES);
    assert_eq!(
        rows(
            &db,
            "SELECT table_name, salt_buckets FROM system.tables WHERE table_name IN ('foo', 'a') ORDER BY 1"
        ),
        ["a|0", "foo|20"]
    );
    assert_eq!(
        rows(
            &db,
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'foo' ORDER BY ordinal_position"
        ),
        ["host", "date"]
    );
    run(&db, "UPSERT INTO foo VALUES ('h', '2013-01-01')");
    assert_eq!(rows(&db, "SELECT * FROM foo"), ["h|2013-01-01"]);
}

#[test]
fn truncate_and_drop() {
    for salt in SALTS {
        let db = memory();
        run(
            &db,
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY){salt}"),
        );
        run(
            &db,
            "UPSERT INTO t SELECT value FROM generate_series(1, 100)",
        );
        let unread = db.query("SELECT count(*) FROM t", ()).unwrap();
        run(&db, "TRUNCATE TABLE t");
        assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["0"]);
        // A query reads the state that it started with.
        assert_eq!(unread.collect().unwrap()[0].num_rows(), 1);
        run(&db, "INSERT INTO t VALUES (1)");
        run(&db, "DROP TABLE t");
        assert!(error(&db, "SELECT * FROM t").starts_with("not found: "));
        run(&db, "DROP TABLE IF EXISTS t");
        run(
            &db,
            &format!("CREATE TABLE t (k VARCHAR PRIMARY KEY){salt}"),
        );
        assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["0"]);
    }
}

#[test]
fn a_lock_that_is_not_had_in_time_is_a_conflict() {
    let db = after(&["CREATE TABLE t (k BIGINT PRIMARY KEY)"]);
    run(
        &db,
        "UPSERT INTO t SELECT value FROM generate_series(1, 1000)",
    );
    let session = db.session();
    session.execute("SET lock_timeout = 20", ()).unwrap();
    futures::executor::block_on(async {
        let asynchronous = rocksalt::Database::from(db.clone());
        let endless =
            "UPSERT INTO t SELECT count(*) FROM t a, t b, t c, t d WHERE a.k + b.k + c.k + d.k < 0";
        let mut writing = Box::pin(asynchronous.execute(endless, ()));
        assert!(futures::poll!(writing.as_mut()).is_pending());
        let locked = |sql: &str| session.execute(sql, ()).unwrap_err();
        insta::assert_snapshot!(locked("DROP TABLE t"), @"conflict: table t was locked by another statement for more than 20ms at line 1, column 12");
        insta::assert_snapshot!(locked("TRUNCATE TABLE t"), @"conflict: table t was locked by another statement for more than 20ms at line 1, column 16");
        // Readers and writers of rows do not wait for it.
        assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["1000"]);
        run(&db, "UPSERT INTO t VALUES (0)");
        drop(writing);
        session.execute("DROP TABLE t", ()).unwrap();
    });
}
