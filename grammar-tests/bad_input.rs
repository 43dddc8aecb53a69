//! What must not be written: each error with its place, and the database as it was.

use rocksalt::blocking::Database;

use crate::support::{after, error, rows};

fn database() -> Database {
    after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR(5) NOT NULL, n SMALLINT, d DATE, x DECIMAL(5, 2), \
         c CHAR(2), b VARBINARY(2), f REAL, z BOOLEAN, a TIME) SALT_BUCKETS = 3",
        "CREATE TABLE s (k INTEGER PRIMARY KEY, n INTEGER, w VARCHAR)",
        "UPSERT INTO t (k, v) VALUES (1, 'a')",
        "UPSERT INTO s VALUES (1, 1, '1'), (2, 0, 'x'), (3, 1, '3')",
    ])
}

#[test]
fn definitions() {
    let db = database();
    let e = |sql: &str| error(&db, sql);
    insta::assert_snapshot!(e("CREATE TABLE t (k INTEGER PRIMARY KEY)"), @"already exists: table t exists at line 1, column 14");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER)"), @"invalid: the table has no primary key: write PRIMARY KEY after the type of a column, or PRIMARY KEY (a, b) after the columns at line 1, column 27");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY, k VARCHAR)"), @"invalid: column k is declared twice at line 1, column 40");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER, PRIMARY KEY (j))"), @"not found: the primary key names j, which is no column at line 1, column 41");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY) SALT_BUCKETS = 257"), @"invalid: SALT_BUCKETS = 257: it must be a whole number, 1 to 256, or 0 for unsalted at line 1, column 55");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY) SALT_BUCKETS = -1"), @"invalid: SALT_BUCKETS = -1: it must be a whole number, 1 to 256, or 0 for unsalted at line 1, column 55");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY) SALT_BUCKETS = 1.5"), @"invalid: SALT_BUCKETS = 1.5: it must be a whole number, 1 to 256, or 0 for unsalted at line 1, column 55");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY) SALT_BUCKETS = 'x'"), @"invalid: SALT_BUCKETS = 'x': it must be a whole number, 1 to 256, or 0 for unsalted at line 1, column 55");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY, v INTEGER) SALT_BUCKETS = 2, SALT_COLUMNS = (v)"), @"invalid: SALT_COLUMNS: v is no column of the primary key at line 1, column 85");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY) SALT_BUCKETS = 2, SALT_COLUMNS = (k, k)"), @"invalid: SALT_COLUMNS: k stands twice at line 1, column 77");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY) SALT_COLUMNS = (k)"), @"invalid: SALT_COLUMNS needs SALT_BUCKETS: the table is not salted at line 1, column 40");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY) COMPRESSION = 'x'"), @"invalid: unknown property COMPRESSION: a table has SALT_BUCKETS and SALT_COLUMNS at line 1, column 40");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY, n INTEGER DEFAULT 'x')"), @"invalid: DEFAULT of n: 'x' is not an INTEGER at line 1, column 58");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY, n INTEGER DEFAULT 1.5 + 1)"), @"invalid: DEFAULT of n: 2.5 would lose its fraction as INTEGER at line 1, column 58");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY, n INTEGER DEFAULT nothing())"), @"not found: DEFAULT of n: function nothing does not exist at line 1, column 58");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY, n INTEGER DEFAULT 1 / 0)"), @"invalid: DEFAULT of n: division by zero at line 1, column 58");
    insta::assert_snapshot!(e("CREATE TABLE u (k INTEGER PRIMARY KEY, n INTEGER DEFAULT k)"), @"invalid: the DEFAULT of column n cannot refer to a column, k at line 1, column 58");
    insta::assert_snapshot!(e("CREATE TABLE system.u (k INTEGER PRIMARY KEY)"), @"invalid: the tables of schema system cannot be written at line 1, column 14");
    insta::assert_snapshot!(e("CREATE TABLE other.u (k INTEGER PRIMARY KEY)"), @"unsupported: schema other: tables are in schema public at line 1, column 14");
    insta::assert_snapshot!(e("DROP TABLE u"), @"not found: table u does not exist at line 1, column 12");
    insta::assert_snapshot!(e("TRUNCATE TABLE u"), @"not found: table u does not exist at line 1, column 16");
    insta::assert_snapshot!(e("DROP TABLE system.tables"), @"invalid: the tables of schema system cannot be written at line 1, column 12");
    insta::assert_snapshot!(e("TRUNCATE TABLE system.tables"), @"invalid: the tables of schema system cannot be written at line 1, column 16");
    insta::assert_snapshot!(e("SHOW CREATE TABLE u"), @"not found: table u does not exist at line 1, column 19");
    insta::assert_snapshot!(e("DESCRIBE u"), @"not found: table u does not exist at line 1, column 10");
    assert_eq!(rows(&db, "SHOW TABLES"), ["s", "t"]);
}

#[test]
fn names() {
    let db = database();
    let e = |sql: &str| error(&db, sql);
    insta::assert_snapshot!(e("UPSERT INTO u VALUES (1)"), @"not found: table u does not exist at line 1, column 13");
    insta::assert_snapshot!(e("UPSERT INTO t (k, w) VALUES (1, 2)"), @"not found: t has no column w at line 1, column 19");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v, k) VALUES (1, 'a', 2)"), @"invalid: column k is listed twice at line 1, column 22");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v) SELECT k, q FROM s"), @"not found: column q does not exist; there are s.k, s.n, s.w at line 1, column 32");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v) SELECT k, w FROM nowhere"), @"not found: table nowhere does not exist at line 1, column 39");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v) VALUES (1, w)"), @"not found: column w does not exist at line 1, column 33");
    insta::assert_snapshot!(e("UPDATE t SET w = 1"), @"not found: t has no column w at line 1, column 14");
    insta::assert_snapshot!(e("UPDATE t SET n = w"), @"not found: column w does not exist; there are t.k, t.v, t.n, t.d, t.x, t.c, t.b, t.f, t.z, t.a at line 1, column 18");
    insta::assert_snapshot!(e("UPDATE t SET n = 1 WHERE w = 1"), @"not found: column w does not exist; there are t.k, t.v, t.n, t.d, t.x, t.c, t.b, t.f, t.z, t.a at line 1, column 26");
    insta::assert_snapshot!(e("DELETE FROM t WHERE w = 1"), @"not found: column w does not exist; there are t.k, t.v, t.n, t.d, t.x, t.c, t.b, t.f, t.z, t.a at line 1, column 21");
    insta::assert_snapshot!(e("DELETE FROM u"), @"not found: table u does not exist at line 1, column 13");
    insta::assert_snapshot!(e("UPSERT INTO system.tables VALUES (1)"), @"invalid: the tables of schema system cannot be written at line 1, column 13");
    insta::assert_snapshot!(e("DELETE FROM system.columns"), @"invalid: the tables of schema system cannot be written at line 1, column 13");
    insta::assert_snapshot!(e("UPDATE information_schema.tables SET table_name = 'x'"), @"invalid: the tables of schema information_schema cannot be written at line 1, column 8");
    assert_eq!(rows(&db, "SELECT k, v FROM t"), ["1|a"]);
}

#[test]
fn widths() {
    let db = database();
    let e = |sql: &str| error(&db, sql);
    insta::assert_snapshot!(e("UPSERT INTO s VALUES (1, 2)"), @"invalid: s has 3 columns and a row has 2 values at line 1, column 23");
    insta::assert_snapshot!(e("UPSERT INTO s VALUES (1, 2, 'x', 4)"), @"invalid: s has 3 columns and a row has 4 values at line 1, column 23");
    insta::assert_snapshot!(e("UPSERT INTO s VALUES (1, 2, 'x'), (1, 2)"), @"invalid: row 2 has 2 values, the first one has 3 at line 1, column 36");
    insta::assert_snapshot!(e("UPSERT INTO s (k, n) VALUES (1)"), @"invalid: row 1 has 1 value for 2 listed columns at line 1, column 30");
    insta::assert_snapshot!(e("UPSERT INTO s SELECT k, n FROM s"), @"invalid: s has 3 columns and the query returns 2 at line 1, column 15");
    insta::assert_snapshot!(e("INSERT INTO s (k) SELECT k, n FROM s"), @"invalid: 1 column is listed and the query returns 2 at line 1, column 19");
    assert_eq!(rows(&db, "SELECT count(*) FROM s"), ["3"]);
}

#[test]
fn values() {
    let db = database();
    let e = |sql: &str| error(&db, sql);
    insta::assert_snapshot!(e("UPSERT INTO t (k, v) VALUES (2147483648, 'a')"), @"invalid: k: 2147483648 is out of range for INTEGER at line 1, column 30");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v) VALUES (2, 'a'), (1.7, 'b')"), @"invalid: row 2: k: 1.7 would lose its fraction as INTEGER at line 1, column 40");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v) VALUES ('two', 'a')"), @"invalid: k: 'two' is not an INTEGER at line 1, column 30");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v) VALUES (2, 'sixsix')"), @"invalid: v: 'sixsix' is too long for VARCHAR(5) at line 1, column 33");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v) VALUES (2, 7)"), @"invalid: v: 7 is a BIGINT, not a VARCHAR(5); use CAST(... AS VARCHAR(5)) at line 1, column 33");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v, c) VALUES (2, 'a', 'abc')"), @"invalid: c: 'abc' is too long for CHAR(2) at line 1, column 41");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v, b) VALUES (2, 'a', X'010203')"), @"invalid: b: X'010203' is too long for VARBINARY(2) at line 1, column 41");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v, d) VALUES (2, 'a', '2013-02-30')"), @"invalid: d: '2013-02-30' is not a DATE at line 1, column 41");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v, d) VALUES (2, 'a', TIMESTAMP '2013-02-03T10:00:00')"), @"invalid: d: TIMESTAMP '2013-02-03T10:00:00' would lose its time of day as DATE at line 1, column 51");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v, d) VALUES (2, 'a', 5)"), @"invalid: d: 5 is a BIGINT, not a DATE at line 1, column 41");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v, x) VALUES (2, 'a', 1000)"), @"invalid: x: 1000 is out of range for DECIMAL(5, 2) at line 1, column 41");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v, x) VALUES (2, 'a', 1e400)"), @"invalid: 1e400 is out of range for DOUBLE at line 1, column 41");
    insta::assert_snapshot!(e("SELECT -1E400"), @"invalid: 1E400 is out of range for DOUBLE at line 1, column 9");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v, z) VALUES (2, 'a', 1)"), @"invalid: z: 1 is a BIGINT, not a BOOLEAN at line 1, column 41");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v, a) VALUES (2, 'a', '25:00:00')"), @"invalid: a: '25:00:00' is not a TIME at line 1, column 41");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v) VALUES (2, NULL)"), @"constraint: NULL in column v of t, which is NOT NULL at line 1, column 33");
    insta::assert_snapshot!(e("UPSERT INTO t (k, v) VALUES (NULL, 'a')"), @"constraint: NULL in column k of t, which is NOT NULL at line 1, column 30");
    insta::assert_snapshot!(e("UPSERT INTO t (k) VALUES (2)"), @"constraint: column v of t is NOT NULL and has no DEFAULT");
    insta::assert_snapshot!(e("INSERT INTO t (k) VALUES (2)"), @"constraint: column v of t is NOT NULL and has no DEFAULT");
    insta::assert_snapshot!(e("UPSERT INTO t (v) VALUES ('a')"), @"constraint: column k of t is NOT NULL and has no DEFAULT");
    insta::assert_snapshot!(e("INSERT INTO t (k, v) VALUES (1, 'b')"), @"constraint: duplicate key (1) in t");
    insta::assert_snapshot!(e("UPDATE t SET v = NULL"), @"constraint: NULL in column v of t, which is NOT NULL");
    insta::assert_snapshot!(e("UPDATE t SET v = v || 'sixsix'"), @"invalid: v: 'asixsix' is too long for VARCHAR(5)");
    insta::assert_snapshot!(e("UPDATE t SET n = 40000"), @"invalid: n: 40000 is out of range for SMALLINT at line 1, column 18");
    insta::assert_snapshot!(e("UPDATE t SET n = k + 40000"), @"invalid: n: 40001 is out of range for SMALLINT");
    insta::assert_snapshot!(e("UPDATE t SET k = NULL"), @"constraint: NULL in column k of t, which is NOT NULL");
    insta::assert_snapshot!(e("UPDATE t SET d = v"), @"invalid: d: 'a' is a VARCHAR, not a DATE; use CAST(... AS DATE)");
    assert_eq!(
        rows(&db, "SELECT * FROM t"),
        ["1|a|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL"]
    );
    // A row that exists keeps what an UPSERT does not give, NOT NULL or not.
    assert_eq!(
        crate::support::affected(&db, "UPSERT INTO t (k, n) VALUES (1, 5)"),
        1
    );
}

#[test]
fn failures_while_executing() {
    let db = database();
    let e = |sql: &str| error(&db, sql);
    insta::assert_snapshot!(e("UPSERT INTO s SELECT k + 10, 1 / n, w FROM s"), @"invalid: division by zero");
    insta::assert_snapshot!(e("UPSERT INTO s SELECT k + 10, CAST(w AS INTEGER), w FROM s"), @"invalid: cannot cast 'x' to INTEGER");
    insta::assert_snapshot!(e("UPSERT INTO s SELECT k + 10, n, NULL + w FROM s"), @"invalid: cannot get result type for arithmetic operation VARCHAR + VARCHAR");
    insta::assert_snapshot!(e("UPSERT INTO s VALUES (9, 1 / 0, 'x')"), @"invalid: division by zero");
    insta::assert_snapshot!(e("UPSERT INTO s VALUES (9, 1, 'x'), (10, CAST('y' AS INTEGER), 'x')"), @"invalid: cannot cast 'y' to INTEGER");
    insta::assert_snapshot!(e("UPSERT INTO s VALUES (9, (SELECT n FROM s), 'x')"), @"invalid: scalar subquery returned more than one row");
    insta::assert_snapshot!(e("UPSERT INTO s VALUES (9, 2147483647 + 1, 'x')"), @"invalid: n: 2147483648 is out of range for INTEGER");
    insta::assert_snapshot!(e("UPDATE s SET n = 9223372036854775807 + k"), @"invalid: overflow happened on: 9223372036854775807 + 1");
    assert_eq!(rows(&db, "SELECT count(*), sum(n) FROM s"), ["3|2"]);
}

#[test]
fn statements_that_are_known_and_not_done() {
    let db = database();
    let e = |sql: &str| error(&db, sql);
    insta::assert_snapshot!(e("COPY s TO 'file.csv'"), @"unsupported: COPY TO is not supported: write rocksalt --format csv -c 'SELECT ...' > file at line 1, column 8");
    insta::assert_snapshot!(e("BEGIN"), @"unsupported: BEGIN is not supported: each statement is a transaction of its own at line 1, column 1");
    insta::assert_snapshot!(e("CREATE VIEW v AS SELECT 1"), @"unsupported: CREATE VIEW is not supported at line 1, column 8");
    insta::assert_snapshot!(e("CREATE TABLE v AS SELECT 1"), @"unsupported: CREATE TABLE AS is not supported: write CREATE TABLE with its columns and its key, then UPSERT INTO ... SELECT ... at line 1, column 16");
    insta::assert_snapshot!(e("EXPLAIN CREATE TABLE v (k INTEGER PRIMARY KEY)"), @"unsupported: EXPLAIN of CREATE TABLE is not supported at line 1, column 9");
    insta::assert_snapshot!(e("UPDATE t SET n = 1 FROM s"), @"unsupported: UPDATE of several tables is not supported: write SET c = (SELECT ...), or UPSERT INTO ... SELECT ... at line 1, column 20");
}

#[test]
fn hints() {
    let db = database();
    db.execute("CREATE TABLE flights (k INTEGER PRIMARY KEY)", ())
        .unwrap();
    let e = |sql: &str| error(&db, sql);
    insta::assert_snapshot!(e("SELECT * FROM flihgts"), @"not found: table flihgts does not exist; did you mean flights? at line 1, column 15");
    insta::assert_snapshot!(e("SELECT group_concat(w) FROM s"), @"not found: function group_concat does not exist; did you mean string_agg? at line 1, column 8");
    insta::assert_snapshot!(e("SELECT len(w) FROM s"), @"not found: function len does not exist; did you mean length? at line 1, column 8");
    insta::assert_snapshot!(e("SELECT foo(w) FROM s"), @"not found: function foo does not exist at line 1, column 8");
    insta::assert_snapshot!(e("SELECT * FROM s WHERE w = \"UA\""), @"not found: column \"UA\" does not exist; there are s.k, s.n, s.w; a text is written 'UA' at line 1, column 27");
    insta::assert_snapshot!(e("UPSERT INTO s VALUES (1, 2, \"bob\")"), @"not found: column bob does not exist; a text is written 'bob' at line 1, column 29");
    insta::assert_snapshot!(e("SELECT k, count(*) FROM s"), @"invalid: column s.k must appear in GROUP BY or in an aggregate function at line 1, column 8");
    insta::assert_snapshot!(e("SELECT CAST(w AS NONSENSE) FROM s"), @"syntax: there is no type NONSENSE");
    insta::assert_snapshot!(e("SELECT k && k FROM s"), @"unsupported: the operator && is not supported");
    db.execute("CREATE TABLE e (k TIMESTAMP PRIMARY KEY)", ())
        .unwrap();
    insta::assert_snapshot!(e("SELECT * FROM e WHERE k = abs(1)"), @"invalid: cannot infer common argument type for comparison operation TIMESTAMP = BIGINT");
}

/// DataFusion panics where DISTINCT ON is ordered by one column twice. That ends the statement alone.
#[test]
fn a_panic_is_an_error() {
    let db = database();
    for _ in 0..2 {
        let error = error(
            &db,
            "SELECT DISTINCT ON (n) n, n AS d FROM s ORDER BY n, n DESC",
        );
        assert!(
            error.starts_with("internal: the statement panicked: "),
            "{error}"
        );
        let session = db.session();
        let one = session.query("SELECT 1", ()).unwrap().collect().unwrap();
        assert_eq!(one[0].num_rows(), 1);
    }
}

/// A hint that would not be read is an error; any other comment is none.
#[test]
fn hints_of_indexes() {
    let db = database();
    let e = |sql: &str| error(&db, sql);
    insta::assert_snapshot!(e("SELECT * /*+ NO_INDEX(s) */ FROM s"), @"syntax: a hint stands right behind SELECT, UPDATE or DELETE at line 1, column 10");
    insta::assert_snapshot!(e("EXPLAIN /*+ NO_INDEX(s) */ SELECT * FROM s"), @"syntax: a hint stands right behind SELECT, UPDATE or DELETE at line 1, column 9");
    insta::assert_snapshot!(e("UPDATE s /*+ INDEX(s i) */ SET w = 'x'"), @"syntax: a hint stands right behind SELECT, UPDATE or DELETE at line 1, column 10");
    insta::assert_snapshot!(e("UPSERT /*+ NO_INDEX(s) */ INTO s VALUES (1)"), @"syntax: a hint stands right behind SELECT, UPDATE or DELETE at line 1, column 8");
    insta::assert_snapshot!(e("SELECT /*+ NOINDEX(s) */ * FROM s"), @"unsupported: the hint NOINDEX is not supported: INDEX(t i) and NO_INDEX(t) are at line 1, column 8");
    for sql in [
        "SELECT /* + NO_INDEX(s) */ * FROM s",
        "SELECT * /*+-------- all --------+*/ FROM s",
        "SELECT * /*+*/ FROM s",
        "SELECT /*+ NO_INDEX(s) */ /*+-*/ * FROM s",
    ] {
        db.query(sql, ()).unwrap().collect().unwrap();
    }
}

/// CAST knows the spellings of CREATE TABLE.
#[test]
fn types_of_casts() {
    let db = database();
    let types = [
        ("DATETIME", "'2020-01-01'", "2020-01-01T00:00:00"),
        ("VARBINARY", "'a'", "61"),
        ("BYTEA", "'a'", "61"),
        ("CHARACTER VARYING", "1", "1"),
        ("CHARACTER VARYING(5)", "1", "1"),
        ("CHAR VARYING", "1", "1"),
        ("STRING", "1", "1"),
        ("DEC(5, 2)", "'1.5'", "1.50"),
        ("TINYINT UNSIGNED", "'255'", "255"),
        (
            "BIGINT UNSIGNED",
            "'18446744073709551615'",
            "18446744073709551615",
        ),
        ("FLOAT8", "'1.5'", "1.5"),
        ("TIME", "'10:00:00'", "10:00:00"),
    ];
    for (spelling, value, expected) in types {
        let sql = format!("SELECT CAST({value} AS {spelling}) AS x");
        assert_eq!(rows(&db, &sql), [expected], "{sql}");
        let name = spelling.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        crate::support::run(
            &db,
            &format!("CREATE TABLE c{name} (k {spelling} PRIMARY KEY)"),
        );
    }
}

/// A plan needs no values.
#[test]
fn explain_without_values() {
    use rocksalt::blocking::Outcome;
    let db = database();
    for sql in [
        "EXPLAIN SELECT * FROM s WHERE k = $1",
        "EXPLAIN SELECT * FROM s WHERE k = ?",
    ] {
        for outcome in [db.run(sql), db.session().run(sql)] {
            match outcome {
                Ok(Outcome::Plan(plan)) => {
                    assert_eq!(plan.to_string(), "PointGet: s, unsalted, keys [$1]");
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(
            crate::support::plan(&db, sql),
            "PointGet: s, unsalted, keys [$1]"
        );
    }
}
