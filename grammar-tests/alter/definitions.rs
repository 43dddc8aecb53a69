//! What the catalog says after a change, and what is refused.

use crate::support::{after, error, memory, plan, rows, run, try_rows};

const TABLE: &str = "CREATE TABLE t (a VARCHAR, b INTEGER NULL, c INTEGER, d DATE DEFAULT \
     '2013-01-01', CONSTRAINT pk PRIMARY KEY (b DESC, a)) SALT_BUCKETS = 4, SALT_COLUMNS = (a)";

#[test]
fn the_catalog_follows() {
    let db = after(&[
        TABLE,
        "ALTER TABLE t RENAME COLUMN a TO \"First\", RENAME COLUMN b TO second",
        "ALTER TABLE t DROP COLUMN c, ADD COLUMN e VARCHAR(3) NOT NULL DEFAULT 'x' || 'y'",
        "ALTER TABLE t RENAME TO \"T 2\"",
    ]);
    assert_eq!(rows(&db, "SHOW TABLES"), ["T 2"]);
    insta::assert_snapshot!(rows(&db, "SHOW CREATE TABLE \"T 2\"").concat(), @r#"
CREATE TABLE "T 2" (
  "First" VARCHAR NOT NULL,
  second INTEGER NULL,
  d DATE DEFAULT '2013-01-01',
  e VARCHAR(3) NOT NULL DEFAULT 'x' || 'y',
  CONSTRAINT pk PRIMARY KEY (second DESC, "First")
) SALT_BUCKETS = 4, SALT_COLUMNS = ("First")
"#);
    insta::assert_snapshot!(rows(&db, "DESCRIBE \"T 2\"").join("\n"), @r"
First|VARCHAR|false|NULL|2
second|INTEGER|true|NULL|1 DESC
d|DATE|true|'2013-01-01'|NULL
e|VARCHAR(3)|false|'x' || 'y'|NULL
");
    insta::assert_snapshot!(rows(&db, "SELECT salt_columns, next_column_id, format_version FROM system.tables WHERE table_name = 'T 2'").join("\n"), @r#""First"|6|2"#);
    insta::assert_snapshot!(rows(&db, "SELECT ordinal_position, column_name, column_id, encode(stored_default, 'hex') FROM system.columns WHERE table_name = 'T 2' ORDER BY 1").join("\n"), @r"
1|First|1|NULL
2|second|2|NULL
3|d|4|NULL
4|e|5|010105000002007879
");
    insta::assert_snapshot!(rows(&db, "SELECT column_name, ordinal_position, is_nullable, data_type FROM information_schema.columns WHERE table_name = 'T 2' ORDER BY 2").join("\n"), @r"
First|0|NO|Utf8
second|1|YES|Int32
d|2|YES|Date32
e|3|NO|Utf8
");
    // What it shows makes the same table again.
    let again = memory();
    let create = rows(&db, "SHOW CREATE TABLE \"T 2\"").concat();
    run(&again, &create);
    assert_eq!(rows(&again, "SHOW CREATE TABLE \"T 2\"").concat(), create);
}

#[test]
fn plans_know_the_new_names() {
    let db = after(&[
        TABLE,
        "ALTER TABLE t RENAME COLUMN a TO host, RENAME COLUMN b TO n, RENAME TO u",
    ]);
    insta::assert_snapshot!(plan(&db, "SELECT * FROM u WHERE host = 'h' AND n = 1"), @"PointGet: u, buckets 1/4, keys [(1, 'h')]");
    insta::assert_snapshot!(plan(&db, "SELECT * FROM u WHERE n = 1 AND d IS NULL"), @"
RangeScan: u, buckets 4/4, ranges [1 .. 1], filter d IS NULL
note: u reads 4/4 buckets: host not bound by equality; SALT_COLUMNS = (n) or an index on d would read 1 bucket: CREATE INDEX u_d_idx ON u (d)
");
}

#[test]
fn prepared_statements_notice() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)",
        "UPSERT INTO t VALUES (1, 'a')",
    ]);
    let all = db.prepare("SELECT * FROM t").unwrap();
    let put = db.prepare("UPSERT INTO t VALUES (2, 'b')").unwrap();
    let width = || all.query(()).unwrap().schema().fields().len();
    assert_eq!(width(), 2);
    run(&db, "ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 1");
    assert_eq!(width(), 3);
    let error = put.execute(()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid: t has 3 columns and a row has 2 values at line 1, column 23"
    );
    run(&db, "ALTER TABLE t DROP COLUMN c");
    assert_eq!((width(), put.execute(()).unwrap()), (2, 1));
    run(&db, "ALTER TABLE t RENAME TO u");
    assert!(all.query(()).is_err() && put.execute(()).is_err());
    run(&db, "ALTER TABLE u RENAME TO t");
    assert_eq!((width(), put.execute(()).unwrap()), (2, 1));
}

#[test]
fn conditions() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)",
        "UPSERT INTO t VALUES (1, 'a')",
        "ALTER TABLE IF EXISTS nowhere ADD COLUMN c INTEGER",
        "ALTER TABLE IF EXISTS t ADD COLUMN IF NOT EXISTS v INTEGER",
        "ALTER TABLE t ADD IF NOT EXISTS c INTEGER DEFAULT 3, ADD IF NOT EXISTS c INTEGER DEFAULT 4",
        "ALTER TABLE t DROP COLUMN IF EXISTS x, DROP IF EXISTS v",
    ]);
    assert_eq!(rows(&db, "SELECT * FROM t"), ["1|3"]);
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let db = after(&[
        TABLE,
        "CREATE TABLE u (k INTEGER PRIMARY KEY)",
        "UPSERT INTO t VALUES ('x', 1, 2, NULL)",
    ]);
    let before = rows(&db, "SHOW CREATE TABLE t");
    let refused = [
        "ALTER TABLE nowhere ADD COLUMN x INTEGER",
        "ALTER TABLE system.tables ADD COLUMN x INTEGER",
        "ALTER TABLE t ADD COLUMN c INTEGER",
        "ALTER TABLE t ADD COLUMN x INTEGER PRIMARY KEY",
        "ALTER TABLE t ADD COLUMN x INTEGER NOT NULL",
        "ALTER TABLE t ADD COLUMN x INTEGER NOT NULL DEFAULT NULL",
        "ALTER TABLE t ADD COLUMN x DOUBLE DEFAULT random()",
        "ALTER TABLE t ADD COLUMN x VARCHAR DEFAULT uuid()",
        "ALTER TABLE t ADD COLUMN x DATE DEFAULT 'yesterday'",
        "ALTER TABLE t ADD COLUMN x TINYINT DEFAULT 100 + 100",
        "ALTER TABLE t ADD COLUMN x INTEGER DEFAULT 1 / 0",
        "ALTER TABLE t ADD COLUMN x INTEGER DEFAULT c",
        "ALTER TABLE t DROP COLUMN x",
        "ALTER TABLE t DROP COLUMN a",
        "ALTER TABLE t RENAME COLUMN x TO y",
        "ALTER TABLE t RENAME COLUMN c TO d",
        "ALTER TABLE t RENAME COLUMN c TO c",
        "ALTER TABLE t RENAME TO u",
        "ALTER TABLE t RENAME TO t",
        // All of its actions or none.
        "ALTER TABLE t DROP COLUMN c, ADD COLUMN x INTEGER, RENAME COLUMN c TO y",
        "ALTER TABLE t DROP COLUMN d, RENAME TO u",
    ];
    let errors: Vec<String> = refused.iter().map(|sql| error(&db, sql)).collect();
    insta::assert_snapshot!(errors.join("\n"));
    assert_eq!(rows(&db, "SHOW CREATE TABLE t"), before);
    assert_eq!(rows(&db, "SELECT * FROM t"), ["x|1|2|NULL"]);

    // In an empty table a column needs no default to be NOT NULL.
    run(&db, "DELETE FROM t");
    run(&db, "ALTER TABLE t ADD COLUMN x INTEGER NOT NULL");
    assert!(error(&db, "UPSERT INTO t (a, b) VALUES ('x', 1)").starts_with("constraint: "));
}

#[test]
fn a_dropped_column_is_gone_for_statements() {
    let db = after(&[TABLE, "ALTER TABLE t DROP COLUMN c"]);
    for sql in [
        "SELECT c FROM t",
        "SELECT * FROM t WHERE c = 1",
        "UPSERT INTO t (a, b, c) VALUES ('x', 1, 2)",
        "UPDATE t SET c = 1",
    ] {
        assert!(error(&db, sql).starts_with("not found: "), "{sql}");
    }
    assert!(try_rows(&db, "SELECT d FROM t").is_ok());
}
