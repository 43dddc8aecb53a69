//! CREATE, DROP and ALTER INDEX: what is kept of them, and what is refused.

use crate::support::{after, error, rows};

/// A table with an index of each kind, all of them empty.
fn tables() -> rocksalt::blocking::Database {
    after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, n VARCHAR, d DOUBLE) SALT_BUCKETS = 4",
        "CREATE INDEX t_v ON t (v DESC, lower(n)) INCLUDE (d, k) WHERE v > 0 AND t.n IS NOT NULL \
         SALT_BUCKETS = 7",
        "CREATE UNIQUE INDEX t_n ON t (n)",
        "CREATE INDEX t_d ON t ((CAST(t.d + v AS DECIMAL(9, 2)))) SALT_BUCKETS = 0",
    ])
}

const INDEXES: &str = "SELECT index_name, table_name, is_unique, salt_buckets, definition, \
                       included_columns, predicate, state FROM system.indexes";

#[test]
fn show_create_table_makes_the_same_indexes() {
    let db = tables();
    let shown = rows(&db, "SHOW CREATE TABLE t");
    insta::assert_snapshot!(shown.join("\n"));
    let again = after(&[]);
    for statement in shown.join("\n").split(";\n") {
        again.execute(statement, ()).unwrap();
    }
    assert_eq!(rows(&again, INDEXES), rows(&db, INDEXES));
    assert_eq!(rows(&again, "SHOW CREATE TABLE t"), shown);
}

#[test]
fn the_catalog_tells_all_of_an_index() {
    insta::assert_snapshot!(rows(&tables(), INDEXES).join("\n"));
}

/// Names follow what is renamed, and an index goes with a column that it needs.
#[test]
fn indexes_follow_their_table() {
    let db = tables();
    let run = |sql: &str| db.execute(sql, ()).unwrap();
    run("ALTER TABLE t RENAME COLUMN n TO \"N\", RENAME TO u");
    run("ALTER INDEX t_n RENAME TO \"U n\"");
    insta::assert_snapshot!(rows(&db, INDEXES).join("\n"));
    let names = || rows(&db, "SELECT index_name FROM system.indexes ORDER BY 1");
    let ids = || rows(&db, "SELECT index_id FROM system.indexes ORDER BY 1");
    // `d` is in an expression of one and included in another.
    run("ALTER TABLE u DROP COLUMN d");
    assert_eq!(names(), ["U n"]);
    let before = ids();
    run("TRUNCATE u");
    assert_eq!(names(), ["U n"]);
    assert_ne!(ids(), before);
    run("DROP INDEX \"U n\" ON u");
    run("DROP INDEX IF EXISTS \"U n\"");
    assert_eq!(names().len(), 0);
    run("CREATE INDEX i ON u (v)");
    run("CREATE INDEX IF NOT EXISTS i ON u (k)");
    run("DROP TABLE u");
    assert_eq!(names().len(), 0);
}

/// A table with an index is of a format that a rocksalt without indexes does not open.
#[test]
fn the_format_of_a_table_follows_its_indexes() {
    let db = tables();
    let format = || rows(&db, "SELECT format_version FROM system.tables");
    assert_eq!(format(), ["3"]);
    for index in ["t_v", "t_n", "t_d"] {
        assert_eq!(format(), ["3"]);
        db.execute(&format!("DROP INDEX {index}"), ()).unwrap();
    }
    assert_eq!(format(), ["1"]);
}

#[test]
fn what_is_no_index_is_refused() {
    let db = tables();
    let refused = [
        "CREATE INDEX t_n ON t (v)",
        "CREATE INDEX i ON nope (v)",
        "CREATE INDEX i ON system.tables (table_name)",
        "CREATE INDEX i ON t (nope)",
        "CREATE INDEX i ON t (v) INCLUDE (nope)",
        "CREATE INDEX i ON t ((nope + 1))",
        "CREATE INDEX i ON t ((v + 1), (v+1))",
        "CREATE INDEX i ON t ((sum(v)))",
        "CREATE INDEX i ON t ((row_number() OVER ()))",
        "CREATE INDEX i ON t ((1 + 2))",
        "CREATE INDEX i ON t ((v + random()))",
        "CREATE INDEX i ON t (([v, v]))",
        "CREATE INDEX i ON t (v) WHERE salt_bucket(t) = 1",
        "CREATE INDEX i ON t ((salt_bucket(t) + v))",
        "CREATE INDEX i ON t ((CAST(v AS DOUBLE) * 2))",
        "CREATE INDEX i ON t ((v + CAST(1 AS REAL)))",
        "CREATE INDEX i ON t (v) WHERE n",
        "CREATE INDEX i ON t (v) WHERE v > sum(v)",
        "CREATE INDEX i ON t (v) WHERE now() > TIMESTAMP '2020-01-01'",
        "CREATE INDEX i ON t (v) WHERE v > 1 INCLUDE (n)",
        "CREATE INDEX i ON t (v) SALT_BUCKETS = 3 WHERE v > 1",
        "CREATE INDEX i ON t (v + 1)",
        "CREATE TABLE x (k INTEGER PRIMARY KEY, v INTEGER UNIQUE)",
        "CREATE TABLE x (k INTEGER PRIMARY KEY, UNIQUE (k))",
        "CREATE TABLE x (k INTEGER PRIMARY KEY, INDEX (k))",
        "ALTER TABLE t ADD UNIQUE (v)",
        "ALTER TABLE t ADD INDEX (v)",
        "ALTER TABLE t DROP INDEX t_v",
        "ALTER INDEX IF EXISTS t_v RENAME TO x",
        "INSERT INTO t VALUES (1) ON CONFLICT (lower(n)) DO NOTHING",
        "INSERT INTO t VALUES (1) ON CONFLICT (n) WHERE v > 1 DO NOTHING",
        "REINDEX INDEX CONCURRENTLY t_v",
        "REINDEX t",
        "DROP INDEX nope",
        "DROP INDEX t_n ON u",
        "ALTER INDEX nope RENAME TO i",
        "ALTER INDEX t_n RENAME TO t_v",
        "CHECK INDEX nope",
        "REINDEX nope",
        "EXPLAIN CREATE INDEX i ON t (v)",
    ];
    let shown = refused.map(|sql| format!("{sql}\n{}\n", error(&db, sql)));
    insta::assert_snapshot!(shown.join("\n"));
    assert_eq!(rows(&db, INDEXES), rows(&tables(), INDEXES));
}
