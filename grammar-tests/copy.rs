//! COPY FROM: files good and bad.

use std::io::Write;
use std::path::Path;

use rocksalt::blocking::Database;

use crate::support::{SALTS, affected, memory, rows, run};

const CREATE: &str = "CREATE TABLE t (k INTEGER, day DATE, v VARCHAR, b BOOLEAN, \
    n DECIMAL(8, 2) DEFAULT 1.5, at TIMESTAMP, PRIMARY KEY (k, day))";

/// A database with the table, and files in a folder.
fn with_files(files: &[(&str, &str)], test: impl Fn(&Database, &Path)) {
    for salt in SALTS {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let bytes = match name.ends_with(".gz") {
                true => {
                    let mut gz = flate2::write::GzEncoder::new(Vec::new(), Default::default());
                    gz.write_all(text.as_bytes()).unwrap();
                    gz.finish().unwrap()
                }
                false => text.as_bytes().to_vec(),
            };
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let db = memory();
        run(&db, &format!("{CREATE}{salt}"));
        test(&db, folder.path());
    }
}

fn copy(folder: &Path, target: &str, file: &str, options: &str) -> String {
    format!(
        "COPY {target} FROM '{}'{options}",
        folder.join(file).display()
    )
}

/// The error of a COPY, the folder left out of it.
fn refused(db: &Database, folder: &Path, sql: &str) -> String {
    let error = db.execute(sql, ()).unwrap_err();
    let folder = format!("{}/", folder.display());
    format!("{}: {}", error.kind(), error.message().replace(&folder, ""))
}

const ALL: &str = "SELECT * FROM t ORDER BY k, day";

#[test]
fn a_header_matches_columns_by_name() {
    let file = "v,at,b,day,k\n\
        a,2013-01-31T10:00:00Z,t,2013-01-01,1\n\
        \"b, \"\"c\"\"\nd\",2013-01-31 10:00:00.5,FALSE,2013-01-02,2\n\
        ,,,2013-01-03,3\n";
    with_files(
        &[
            ("f.csv", file),
            ("f.csv.gz", file),
            ("bom.csv", &format!("\u{feff}{file}")),
        ],
        |db, folder| {
            for name in ["f.csv", "f.csv.gz", "bom.csv"] {
                assert_eq!(affected(db, &copy(folder, "t", name, "")), 3);
                assert_eq!(
                    rows(db, ALL),
                    [
                        "1|2013-01-01|a|true|1.50|2013-01-31T10:00:00",
                        "2|2013-01-02|b, \"c\"\nd|false|1.50|2013-01-31T10:00:00.500",
                        "3|2013-01-03|NULL|NULL|1.50|NULL",
                    ]
                );
                run(db, "TRUNCATE TABLE t");
            }
        },
    );
}

#[test]
fn without_a_header_columns_are_matched_by_place() {
    let file = "1;2013-01-01;a;1;2.345;\n2;2013-01-01;NA;0;NA;NA\n3;2013-01-01;;f;-1;NA";
    with_files(&[("f.csv", file)], |db, folder| {
        let options = " (HEADER false, DELIMITER ';', NULL 'NA')";
        let error = refused(db, folder, &copy(folder, "t", "f.csv", options));
        // An empty field is no NULL any more.
        assert!(
            error.starts_with("invalid: f.csv, record 1 (line 1), column at: "),
            "{error}"
        );
        let sql = copy(
            folder,
            "t (k, day, v, b, n, at)",
            "f.csv",
            " (HEADER false, DELIMITER ';')",
        );
        assert!(
            refused(db, folder, &sql).starts_with("invalid: f.csv, record 2 (line 2), column n: ")
        );
        assert_eq!(rows(db, "SELECT k, v, b, n FROM t"), ["1|a|true|2.35"]);
    });
}

#[test]
fn some_columns_are_merged_into_rows_that_exist() {
    with_files(
        &[("f.csv", "1,2013-01-01,x\n2,2013-01-01,y\n")],
        |db, folder| {
            run(
                db,
                "UPSERT INTO t VALUES (1, '2013-01-01', 'a', true, 7, NULL)",
            );
            assert_eq!(
                affected(
                    db,
                    &copy(folder, "t (k, day, v)", "f.csv", " (HEADER false)")
                ),
                2
            );
            assert_eq!(
                rows(db, ALL),
                [
                    "1|2013-01-01|x|true|7.00|NULL",
                    "2|2013-01-01|y|NULL|1.50|NULL"
                ]
            );
        },
    );
}

#[test]
fn a_load_can_be_repeated() {
    let mut file = String::from("k,day,v,b,at\n");
    for k in 0..30_000 {
        file.push_str(&format!("{k},2013-01-01,value {k},t,\n"));
    }
    with_files(&[("f.csv.gz", &file)], |db, folder| {
        for _ in 0..2 {
            assert_eq!(affected(db, &copy(folder, "t", "f.csv.gz", "")), 30_000);
            assert_eq!(
                rows(db, "SELECT count(*), sum(k), count(DISTINCT v) FROM t"),
                ["30000|449985000|30000"]
            );
        }
    });
}

#[test]
fn errors_name_file_record_and_column() {
    let files = [
        ("empty.csv", ""),
        ("unknown.csv", "k,day,colour\n1,2013-01-01,red\n"),
        ("missing.csv", "k,day,v\n"),
        ("twice.csv", "k,day,v,b,at,v\n"),
        (
            "narrow.csv",
            "k,day,v,b,at\n1,2013-01-01,a,t,\n2,2013-01-01,a,t\n",
        ),
        ("wide.csv", "k,day,v,b,at\n1,2013-01-01,a,t,,\n"),
        (
            "value.csv",
            "k,day,v,b,at\n1,2013-01-01,a,t,\n2,2013-02-30,a,t,\n",
        ),
        ("bool.csv", "k,day,v,b,at\n1,2013-01-01,a,maybe,\n"),
        ("null.csv", "k,day,v,b,at\n1,,a,t,\n"),
        (
            "lines.csv",
            "k,day,v,b,at\n1,2013-01-01,\"a\n\n\",t,\n9999999999,2013-01-01,a,t,\n",
        ),
        (
            "open.csv",
            "k,day,v,b,at\n1,2013-01-01,a,t,\n2,2013-01-01,\"a,t,\n3,2013-01-01,a,t,\n",
        ),
        ("text.csv.gz.csv", "k"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    std::fs::write(
        folder.join("latin.csv"),
        b"k,day,v,b,at\n1,2013-01-01,\xff,t,\n",
    )
    .unwrap();
    std::fs::write(folder.join("torn.csv.gz"), b"no gzip").unwrap();
    let db = memory();
    run(&db, CREATE);
    let error = |file: &str| refused(&db, folder, &copy(folder, "t", file, ""));
    insta::assert_snapshot!(error("empty.csv"), @"invalid: empty.csv: no header: the file is empty");
    insta::assert_snapshot!(error("open.csv"), @"invalid: open.csv: record 2: a quoted field has no end (1 row is committed)");
    insta::assert_snapshot!(error("unknown.csv"), @r#"not found: unknown.csv: t has no column "colour", which the header names"#);
    insta::assert_snapshot!(error("missing.csv"), @r#"invalid: missing.csv: the header does not name column "b", which has no DEFAULT: to load without it, list the columns after the table"#);
    insta::assert_snapshot!(error("twice.csv"), @r#"invalid: twice.csv: the header names column "v" twice"#);
    insta::assert_snapshot!(error("narrow.csv"), @"invalid: narrow.csv, record 2 (line 3): 4 fields where 5 are expected (1 row is committed)");
    insta::assert_snapshot!(error("wide.csv"), @"invalid: wide.csv, record 1 (line 2): 6 fields where 5 are expected (0 rows are committed)");
    insta::assert_snapshot!(error("value.csv"), @"invalid: value.csv, record 2 (line 3), column day: '2013-02-30' is not a DATE (1 row is committed)");
    insta::assert_snapshot!(error("bool.csv"), @"invalid: bool.csv, record 1 (line 2), column b: 'maybe' is not a BOOLEAN (0 rows are committed)");
    insta::assert_snapshot!(error("null.csv"), @"constraint: null.csv, record 1 (line 2): NULL in column day of t, which is NOT NULL (0 rows are committed)");
    insta::assert_snapshot!(error("lines.csv"), @"invalid: lines.csv, record 2 (line 5), column k: '9999999999' is out of range for INTEGER (1 row is committed)");
    insta::assert_snapshot!(error("latin.csv"), @"invalid: latin.csv, record 1 (line 2), column v: not UTF-8 (0 rows are committed)");
    insta::assert_snapshot!(error("torn.csv.gz"), @"io: torn.csv.gz: unexpected end of file");
    insta::assert_snapshot!(error("nowhere.csv"), @"io: cannot read nowhere.csv: No such file or directory (os error 2)");
    insta::assert_snapshot!(error(""), @"io: cannot read : is a directory");
    insta::assert_snapshot!(
        refused(&db, folder, &copy(folder, "t (k, day)", "narrow.csv", "")), @r#"invalid: narrow.csv: the header names column "v", which the column list does not"#);
    insta::assert_snapshot!(
        refused(&db, folder, &copy(folder, "t (k, colour)", "narrow.csv", "")), @"not found: t has no column colour");
    insta::assert_snapshot!(
        refused(&db, folder, &copy(folder, "u", "narrow.csv", "")), @"not found: table u does not exist");
    insta::assert_snapshot!(
        refused(&db, folder, &copy(folder, "system.tables", "narrow.csv", "")), @"invalid: the tables of schema system cannot be written");
}

#[test]
fn what_precedes_the_faulty_record_is_committed() {
    let mut file = String::from("k,day,v,b,at\n");
    for k in 0..20_000 {
        file.push_str(&format!("{k},2013-01-01,{},t,\n", "x".repeat(600)));
    }
    file.push_str("wrong,2013-01-01,a,t,\n1,2013-01-01,again,t,\n");
    with_files(&[("f.csv", &file)], |db, folder| {
        let error = refused(db, folder, &copy(folder, "t", "f.csv", ""));
        assert!(
            error.starts_with("invalid: f.csv, record 20001 (line 20002), column k: 'wrong'"),
            "{error}"
        );
        assert!(error.ends_with("(20000 rows are committed)"), "{error}");
        assert_eq!(rows(db, "SELECT count(*) FROM t"), ["20000"]);
    });
}

#[test]
fn defaults_of_columns_that_the_file_does_not_have() {
    let db = memory();
    run(
        &db,
        "CREATE TABLE d (k INTEGER PRIMARY KEY, r DOUBLE DEFAULT random(), at TIMESTAMP DEFAULT now())",
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.csv"), "k\n1\n2\n3\n").unwrap();
    assert_eq!(affected(&db, &copy(folder.path(), "d", "f.csv", "")), 3);
    assert_eq!(
        rows(&db, "SELECT count(DISTINCT r), count(DISTINCT at) FROM d"),
        ["3|1"]
    );
}
