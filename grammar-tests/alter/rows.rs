//! What rows read that were written before a change, and what becomes of them.

use std::sync::Arc;

use rocksalt::arrow::array::{Int32Array, RecordBatch, StringArray};
use rocksalt::blocking::Database;
use rocksalt::{Value, params};

use crate::support::{DIRECTIONS, SALTS, affected, after, folder, memory, rows, run};

/// A table of two rows, in each way of salting and both directions of its key.
fn each_table(test: impl Fn(&Database)) {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = memory();
            run(
                &db,
                &format!(
                    "CREATE TABLE t (k INTEGER, v VARCHAR, n BIGINT NOT NULL DEFAULT 7, \
                     PRIMARY KEY (k {direction})){salt}"
                ),
            );
            run(&db, "UPSERT INTO t VALUES (1, 'a', 10), (2, 'b', 20)");
            test(&db);
        }
    }
}

const ALL: &str = "SELECT * FROM t ORDER BY k";

#[test]
fn old_rows_read_the_default_that_was_stored_and_new_rows_the_declared_one() {
    each_table(|db| {
        run(db, "ALTER TABLE t ADD COLUMN c VARCHAR(5) DEFAULT 'five'");
        run(db, "ALTER TABLE t ADD d DATE");
        assert_eq!(rows(db, ALL), ["1|a|10|five|NULL", "2|b|20|five|NULL"]);
        run(db, "UPSERT INTO t (k) VALUES (3)");
        run(db, "UPSERT INTO t VALUES (4, 'd', 40, NULL, '2013-01-01')");
        assert_eq!(
            rows(db, ALL),
            [
                "1|a|10|five|NULL",
                "2|b|20|five|NULL",
                "3|NULL|7|five|NULL",
                "4|d|40|NULL|2013-01-01"
            ]
        );
        // As a filter, as an aggregate, and by the key.
        assert_eq!(
            rows(db, "SELECT k FROM t WHERE c = 'five' ORDER BY k DESC"),
            ["3", "2", "1"]
        );
        assert_eq!(rows(db, "SELECT count(c), count(d) FROM t"), ["3|1"]);
        assert_eq!(rows(db, "SELECT c FROM t WHERE k = 2"), ["five"]);
        let table = db.table("t").unwrap();
        let row = table.get(1).unwrap().unwrap();
        assert_eq!(row.get("c"), Some(&Value::from("five")));
        assert_eq!(row.get("d"), Some(&Value::Null));
    });
}

#[test]
fn an_old_row_that_is_written_keeps_what_it_read() {
    each_table(|db| {
        run(db, "ALTER TABLE t ADD COLUMN c INTEGER NOT NULL DEFAULT 5");
        // A part of a row is merged over the old one.
        run(db, "UPSERT INTO t (k, v) VALUES (1, 'x')");
        run(db, "UPDATE t SET n = n + c WHERE k = 2");
        assert_eq!(rows(db, ALL), ["1|x|10|5", "2|b|25|5"]);
        // From now on these rows have it themselves: another default changes nothing for them.
        run(
            db,
            "ALTER TABLE t DROP COLUMN c, ADD COLUMN c INTEGER DEFAULT 6",
        );
        assert_eq!(rows(db, ALL), ["1|x|10|6", "2|b|25|6"]);
        run(db, "UPSERT INTO t (k, c) VALUES (1, 1)");
        run(db, "UPDATE t SET c = c + 1 WHERE k = 2");
        run(db, "UPDATE t SET k = k + 10");
        assert_eq!(rows(db, ALL), ["11|x|10|1", "12|b|25|7"]);
        assert_eq!(affected(db, "DELETE FROM t WHERE c = 7"), 1);
    });
}

#[test]
fn a_column_of_a_name_that_was_dropped_is_another_column() {
    each_table(|db| {
        run(db, "ALTER TABLE t DROP v");
        assert_eq!(rows(db, ALL), ["1|10", "2|20"]);
        run(db, "ALTER TABLE t ADD v INTEGER");
        assert_eq!(rows(db, ALL), ["1|10|NULL", "2|20|NULL"]);
        run(db, "UPSERT INTO t VALUES (2, 21, 5)");
        run(
            db,
            "ALTER TABLE t DROP COLUMN n, DROP COLUMN v, ADD COLUMN v VARCHAR DEFAULT 'v'",
        );
        assert_eq!(rows(db, ALL), ["1|v", "2|v"]);
        run(db, "ALTER TABLE t DROP COLUMN v");
        assert_eq!(rows(db, ALL), ["1", "2"]);
        run(db, "UPSERT INTO t VALUES (3)");
        run(
            db,
            "ALTER TABLE t ADD COLUMN n BIGINT, ADD COLUMN v VARCHAR",
        );
        assert_eq!(rows(db, ALL), ["1|NULL|NULL", "2|NULL|NULL", "3|NULL|NULL"]);
    });
}

#[test]
fn a_default_is_evaluated_once_for_old_rows() {
    each_table(|db| {
        run(db, "ALTER TABLE t ADD COLUMN at TIMESTAMP DEFAULT now()");
        let added = rows(db, "SELECT min(at) FROM t");
        assert_eq!(rows(db, "SELECT max(at) FROM t"), added);
        run(db, "UPSERT INTO t (k) VALUES (3)");
        assert_eq!(rows(db, "SELECT min(at) FROM t"), added);
        assert_eq!(
            rows(db, "SELECT count(DISTINCT at) FROM t WHERE k < 3"),
            ["1"]
        );
        assert_eq!(rows(db, "SELECT count(DISTINCT at) FROM t"), ["2"]);
        run(
            db,
            "ALTER TABLE t ADD COLUMN x INTEGER NOT NULL DEFAULT 2 * 3 + 1",
        );
        assert_eq!(rows(db, "SELECT x FROM t"), ["7", "7", "7"]);
    });
}

#[test]
fn a_renamed_column_keeps_its_values_and_its_place() {
    each_table(|db| {
        run(
            db,
            "ALTER TABLE t RENAME COLUMN v TO \"V 2\", RENAME k TO id",
        );
        run(
            db,
            "ALTER TABLE t RENAME n TO v, RENAME TO u, ADD COLUMN n INTEGER DEFAULT 1",
        );
        assert_eq!(
            rows(db, "SELECT \"V 2\", v, n FROM u WHERE id = 2"),
            ["b|20|1"]
        );
        run(db, "UPSERT INTO u (id, \"V 2\") VALUES (2, 'x'), (3, 'y')");
        assert_eq!(
            rows(db, "SELECT * FROM u ORDER BY id"),
            ["1|a|10|1", "2|x|20|1", "3|y|7|1"]
        );
        // The old name is free.
        run(db, "CREATE TABLE t (k VARCHAR PRIMARY KEY)");
        assert_eq!(rows(db, "SELECT count(*) FROM t"), ["0"]);
    });
}

/// A value of each type as a quoted literal, apart from NULL.
const TYPES: &[(&str, &str)] = &[
    ("BOOLEAN", "true"),
    ("TINYINT", "-128"),
    ("SMALLINT", "-1"),
    ("INTEGER", "2147483647"),
    ("BIGINT", "-9223372036854775808"),
    ("TINYINT UNSIGNED", "255"),
    ("SMALLINT UNSIGNED", "1"),
    ("INTEGER UNSIGNED", "4294967295"),
    ("BIGINT UNSIGNED", "18446744073709551615"),
    ("REAL", "NaN"),
    ("DOUBLE", "-Infinity"),
    (
        "DECIMAL(38, 10)",
        "-1234567890123456789012345678.0123456789",
    ),
    ("DECIMAL(5)", "-99999"),
    ("CHAR(3)", "é  "),
    ("VARCHAR", "it''s\n"),
    ("VARCHAR(2)", ""),
    ("VARBINARY", "\\x00ff"),
    ("DATE", "0001-01-01"),
    ("TIME", "23:59:59.999999"),
    ("TIMESTAMP", "9999-12-31T23:59:59.999999"),
];

#[test]
fn every_type_has_stored_defaults_also_after_a_restart() {
    for salt in ["", " SALT_BUCKETS = 16"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let db = folder(&path);
        run(
            &db,
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY){salt}"),
        );
        run(&db, "UPSERT INTO t VALUES (1)");
        let declared: Vec<String> = TYPES
            .iter()
            .enumerate()
            .map(|(i, (sql_type, value))| format!("c{i} {sql_type} NOT NULL DEFAULT '{value}'"))
            .collect();
        for column in &declared {
            run(&db, &format!("ALTER TABLE t ADD COLUMN {column}"));
        }
        // The same columns in a table that had them from the beginning.
        run(
            &db,
            &format!(
                "CREATE TABLE twin (k INTEGER PRIMARY KEY, {}){salt}",
                declared.join(", ")
            ),
        );
        run(&db, "UPSERT INTO twin (k) VALUES (1), (2)");
        let expected = rows(&db, "SELECT * FROM twin ORDER BY k");
        assert_eq!(rows(&db, ALL), expected[..1]);
        run(&db, "UPSERT INTO t (k) VALUES (2)");
        assert_eq!(rows(&db, ALL), expected);
        drop(db);

        let db = folder(&path);
        assert_eq!(rows(&db, ALL), expected);
        run(&db, "UPSERT INTO t (k, c0) VALUES (1, false)");
        run(&db, "UPSERT INTO twin (k, c0) VALUES (1, false)");
        assert_eq!(rows(&db, ALL), rows(&db, "SELECT * FROM twin ORDER BY k"));
    }
}

#[test]
fn more_columns_than_a_narrow_row_has_ids_for() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 3",
        "UPSERT INTO t VALUES (1, 'a')",
    ]);
    // Ids are not given twice, so that they pass 255 though there are never many columns.
    for round in 0..130 {
        run(
            &db,
            &format!("ALTER TABLE t ADD COLUMN a INTEGER DEFAULT {round}, ADD COLUMN b VARCHAR"),
        );
        run(
            &db,
            &format!("UPSERT INTO t (k, b) VALUES ({}, 'b')", round + 2),
        );
        let newest = format!("{}|NULL|{round}|b", round + 2);
        assert_eq!(
            rows(
                &db,
                &format!("SELECT * FROM t WHERE k IN (1, {}) ORDER BY k", round + 2)
            ),
            [format!("1|a|{round}|NULL"), newest]
        );
        run(&db, "ALTER TABLE t DROP COLUMN a, DROP COLUMN b");
    }
    assert_eq!(rows(&db, "SELECT count(*), count(v) FROM t"), ["131|1"]);
    let largest = "SELECT max(column_id) FROM system.columns WHERE table_name = 't'";
    assert_eq!(rows(&db, largest), ["2"]);
    run(&db, "ALTER TABLE t ADD COLUMN last INTEGER");
    assert_eq!(rows(&db, largest), ["263"]);
}

#[test]
fn batches_and_files_are_loaded_into_the_columns_that_there_are_now() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 3",
        "UPSERT INTO t VALUES (1, 'a'), (2, 'b')",
    ]);
    let table = db.table("t").unwrap();
    run(
        &db,
        "ALTER TABLE t RENAME COLUMN v TO w, ADD COLUMN c INTEGER NOT NULL DEFAULT 5",
    );
    assert_eq!(table.schema().unwrap().fields().len(), 3);
    let k = Arc::new(Int32Array::from(vec![2, 3])) as _;
    let w = Arc::new(StringArray::from(vec!["x", "y"])) as _;
    let batch = RecordBatch::try_from_iter([("k", k), ("w", w)]).unwrap();
    assert_eq!(table.upsert(&batch).unwrap(), 2);
    assert_eq!(rows(&db, ALL), ["1|a|5", "2|x|5", "3|y|5"]);

    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("t.csv");
    std::fs::write(&file, "w,k\nz,3\nnew,4\n").unwrap();
    run(&db, &format!("COPY t FROM '{}'", file.display()));
    run(&db, "ALTER TABLE t DROP COLUMN w");
    std::fs::write(&file, "1,6\n").unwrap();
    run(
        &db,
        &format!("COPY t FROM '{}' (HEADER false)", file.display()),
    );
    assert_eq!(rows(&db, ALL), ["1|6", "2|5", "3|5", "4|5"]);
}

#[test]
fn truncate_and_insert_between_changes() {
    each_table(|db| {
        run(db, "ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 5");
        run(db, "TRUNCATE TABLE t");
        assert_eq!(rows(db, ALL), Vec::<String>::new());
        run(db, "ALTER TABLE t ADD COLUMN d INTEGER NOT NULL");
        run(db, "INSERT INTO t (k, d) VALUES (1, 2)");
        assert_eq!(rows(db, ALL), ["1|NULL|7|5|2"]);
        db.execute("UPSERT INTO t (k, c) VALUES (?, ?)", params![1, 3])
            .unwrap();
        assert_eq!(rows(db, ALL), ["1|NULL|7|3|2"]);
    });
}
