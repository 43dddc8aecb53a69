//! What someone tried who knew nothing but README: mistakes, habits from other databases, and
//! attempts to break it.

use std::path::Path;

use crate::command_line::{Ran, rocksalt, rocksalt_reading};
use crate::support::{affected, after, error, rows};

const TABLES: &[&str] = &[
    "CREATE TABLE airlines (carrier CHAR(2) PRIMARY KEY, name VARCHAR)",
    "CREATE TABLE wide (id INTEGER PRIMARY KEY, a VARCHAR, f REAL, d DECIMAL(10, 2), n BIGINT) SALT_BUCKETS = 4",
    "UPSERT INTO airlines VALUES ('UA', 'United'), ('AA', 'American')",
];

#[track_caller]
fn succeeded(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    &ran.out
}

#[test]
fn what_other_databases_have_has_a_way_out() {
    let db = after(TABLES);
    for (sql, message) in [
        (
            "show databases",
            "unsupported: SHOW DATABASES is not supported: write SHOW TABLES or SHOW CREATE TABLE t at line 1, column 6",
        ),
        (
            "show schemas",
            "unsupported: SHOW SCHEMAS is not supported: write SHOW TABLES or SHOW CREATE TABLE t at line 1, column 6",
        ),
        (
            "show indexes from wide",
            "unsupported: SHOW INDEXES is not supported: write SHOW TABLES or SHOW CREATE TABLE t at line 1, column 6",
        ),
        (
            "show columns from wide",
            "unsupported: SHOW COLUMNS is not supported: write DESCRIBE t at line 1, column 6",
        ),
        (
            "insert or replace into wide (id) values (1)",
            "unsupported: OR is not supported here: write UPSERT INTO t VALUES (...), which replaces a row of the same key; with a list of columns it keeps the others at line 1, column 8",
        ),
        (
            "insert into wide (id) values (1) on duplicate key update id = 1",
            "unsupported: ON DUPLICATE KEY stands after UPSERT; after INSERT write ON CONFLICT ... DO NOTHING or DO UPDATE SET at line 1, column 34",
        ),
        (
            "create table x (id integer auto_increment primary key)",
            "unsupported: AUTO_INCREMENT of a column is not supported: give the values at line 1, column 28",
        ),
        (
            "create table x (id serial primary key)",
            "syntax: there is no type SERIAL: write BIGINT, and give the values at line 1, column 20",
        ),
        (
            "copy wide to 'x.csv'",
            "unsupported: COPY TO is not supported: write rocksalt --format csv -c 'SELECT ...' > file at line 1, column 11",
        ),
        (
            "select top 5 * from wide",
            "unsupported: SELECT TOP is not supported: write LIMIT at the end at line 1, column 1",
        ),
        (
            "select * from wide tablesample bernoulli (10)",
            "unsupported: TABLESAMPLE is not supported: write WHERE random() < 0.1 at line 1, column 15",
        ),
        (
            "select * from (select 1) as x tablesample (5 rows)",
            "unsupported: TABLESAMPLE is not supported: write WHERE random() < 0.1 at line 1, column 16",
        ),
        (
            "select * from wide with (nolock)",
            "unsupported: WITH behind a table is not supported at line 1, column 15",
        ),
        (
            "select * from wide partition (p)",
            "unsupported: PARTITION behind a table is not supported at line 1, column 15",
        ),
        (
            "select * from generate_series(1, 3) with ordinality",
            "unsupported: WITH ORDINALITY is not supported: write row_number() OVER () at line 1, column 15",
        ),
        (
            "select id from wide start with id = 1 connect by id = 1",
            "unsupported: CONNECT BY is not supported: write WITH RECURSIVE at line 1, column 1",
        ),
        (
            "select id from wide group by id with rollup",
            "unsupported: WITH after GROUP BY is not supported: write GROUP BY ROLLUP (...), CUBE (...) or GROUPING SETS (...) at line 1, column 1",
        ),
        (
            "select rank() over (order by time '10:00:00') from wide",
            "unsupported: a window in the order of such a column needs a frame of rows: write ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW behind its ORDER BY",
        ),
        (
            "begin",
            "unsupported: BEGIN is not supported: each statement is a transaction of its own at line 1, column 1",
        ),
    ] {
        assert_eq!(error(&db, sql), message, "{sql}");
    }
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let db = after(TABLES);
    for (sql, message) in [
        (
            "SELECT 1\n /* a\ncomment /* in */ a comment",
            "syntax: this comment has no end at line 2, column 2",
        ),
        (
            "/* ü */ SELECT 'ü' /*",
            "syntax: this comment has no end at line 1, column 20",
        ),
        (
            "select 1 \0",
            "syntax: expected the end of the statement, found \\u{0} at line 1, column 10",
        ),
        (
            "select 1 2 '\x1b[2J'",
            "syntax: expected the end of the statement, found 2 at line 1, column 10",
        ),
        (
            "\x1b[2J",
            "syntax: expected a statement, found \\u{1b} at line 1, column 1",
        ),
        (
            "selct 1",
            "syntax: expected a statement, found selct at line 1, column 1",
        ),
        (
            "select 'unclosed",
            "syntax: this string has no end at line 1, column 8",
        ),
        (
            "select \"unclosed",
            "syntax: this quoted name has no end at line 1, column 8",
        ),
        (
            "select (1",
            "syntax: expected ), found the end of the statement at line 1, column 10",
        ),
        (
            "select [1,2",
            "syntax: expected ], found the end of the statement at line 1, column 12",
        ),
        (
            "select 1 select 2",
            "syntax: expected the end of the statement, found select at line 1, column 10",
        ),
        (
            "upsert into wide (id, n) values (1, 1.5)",
            "invalid: n: 1.5 would lose its fraction as BIGINT at line 1, column 37",
        ),
        (
            "upsert into wide (id) values (null)",
            "constraint: NULL in column id of wide, which is NOT NULL at line 1, column 31",
        ),
    ] {
        assert_eq!(error(&db, sql), message, "{sql:?}");
    }
    assert_eq!(rows(&db, "SELECT * FROM wide"), [""; 0]);
}

/// Whatever is in the table, and whether a row is read, planned or written.
#[test]
fn a_number_beside_a_text_is_an_error_before_anything_is_read() {
    for salt in ["", " SALT_BUCKETS = 3"] {
        let empty = format!("CREATE TABLE t (k CHAR(2) PRIMARY KEY, v VARCHAR){salt}");
        for rows in [0, 2] {
            let db = after(&[&empty]);
            (0..rows).for_each(|n| {
                affected(&db, &format!("UPSERT INTO t VALUES ('{n}E', 'x')"));
            });
            for sql in [
                "SELECT * FROM t WHERE k = 5",
                "EXPLAIN SELECT * FROM t WHERE k = 5",
                "DELETE FROM t WHERE k = 5",
            ] {
                let error = error(&db, sql);
                let wanted = "invalid: 5 is no text and is compared with a CHAR(2)";
                assert!(error.starts_with(wanted), "{sql}: {error}");
            }
        }
    }
}

#[test]
fn an_upsert_replaces_or_keeps_as_its_message_says() {
    let db = after(TABLES);
    let get = "SELECT id, a, f FROM wide";
    affected(&db, "UPSERT INTO wide (id, a) VALUES (77, 'z')");
    affected(&db, "UPSERT INTO wide (id, f) VALUES (77, 2.5)");
    assert_eq!(rows(&db, get), ["77|z|2.5"]);
    affected(&db, "UPSERT INTO wide VALUES (77, NULL, 1, 12.345, 1)");
    assert_eq!(rows(&db, get), ["77|NULL|1.0"]);
    // As documented: a DECIMAL is rounded.
    assert_eq!(rows(&db, "SELECT d FROM wide"), ["12.35"]);
}

#[test]
fn long_deep_and_odd_statements_hold() {
    let db = after(TABLES);
    let list: Vec<String> = (0..5_000).map(|n| n.to_string()).collect();
    affected(&db, "UPSERT INTO wide (id) VALUES (4999), (5000)");
    let sql = format!("SELECT id FROM wide WHERE id IN ({})", list.join(", "));
    assert_eq!(rows(&db, &sql), ["4999"]);
    let long = "x".repeat(6 << 20);
    affected(
        &db,
        &format!("UPSERT INTO wide (id, a) VALUES (1, '{long}')"),
    );
    assert_eq!(
        rows(&db, "SELECT length(a) FROM wide WHERE id = 1"),
        [long.len().to_string()]
    );
    let deep = format!("SELECT {}1{}", "(".repeat(3_000), ")".repeat(3_000));
    let error = error(&db, &deep);
    assert!(error.starts_with("limit: "), "{error}");
    for (input, out) in [
        (
            &b"\xef\xbb\xbfSELECT 1 AS a;\r\nSELECT 2 AS a"[..],
            "a\n1\na\n2\n",
        ),
        (b";;;", ""),
        (b"-- nothing", ""),
        (b"", ""),
    ] {
        let ran = rocksalt_reading(&["--format", "csv"], input);
        assert_eq!(succeeded(&ran), out, "{input:?}");
    }
}

#[test]
fn a_backslash_command_outside_of_the_prompt_says_so() {
    let d = "error: syntax: \\d is a command of the prompt, and no SQL; write SHOW TABLES or DESCRIBE t\n";
    let timing = "error: syntax: \\timing is a command of the prompt, and no SQL\n";
    for (text, message) in [("\\d", d), ("\\d wide", d), ("\\timing", timing)] {
        for ran in [
            rocksalt(&["-c", text]),
            rocksalt_reading(&[], text.as_bytes()),
        ] {
            assert_eq!((ran.code, ran.err.as_str()), (Some(1), message), "{text}");
        }
    }
}

#[test]
fn show_create_table_can_be_read_and_run_again() {
    let ran = rocksalt(&["-c", TABLES[1], "-c", "SHOW CREATE TABLE wide"]);
    let create = "CREATE TABLE wide (\n  id INTEGER NOT NULL,\n  a VARCHAR,\n  f REAL,\n  \
                  d DECIMAL(10, 2),\n  n BIGINT,\n  PRIMARY KEY (id)\n) SALT_BUCKETS = 4;\n";
    assert_eq!(succeeded(&ran), format!("ok\n{create}"));
    let again = rocksalt_reading(&[], format!("{create}SHOW CREATE TABLE wide;").as_bytes());
    assert_eq!(succeeded(&again), format!("ok\n{create}"));
    // The value itself is the statement alone.
    assert_eq!(
        rows(&after(TABLES), "SHOW CREATE TABLE wide"),
        [create.trim_end().trim_end_matches(';')]
    );
}

#[test]
fn a_header_that_does_not_fit_is_quoted() {
    let db = after(TABLES);
    let folder = tempfile::tempdir().unwrap();
    for (file, text, options, message) in [
        (
            "blank.csv",
            "ID, a\n1,x\n",
            "",
            "not found: blank.csv: wide has no column \" a\", which the header names",
        ),
        (
            "semicolons.csv",
            "id;a;f;d;n\n1;x;1;1;1\n",
            "",
            "not found: semicolons.csv: wide has no column \"id;a;f;d;n\", which the header names; if the header has several names, set DELIMITER",
        ),
        (
            "commas.csv",
            "id,a\n1,x\n",
            " (DELIMITER '\\t')",
            "not found: commas.csv: wide has no column \"id,a\", which the header names; if the header has several names, set DELIMITER",
        ),
        (
            "few.csv",
            "id,a\n1,x\n",
            "",
            "invalid: few.csv: the header does not name column \"f\", which has no DEFAULT: to load without it, list the columns after the table",
        ),
        (
            "fake.csv.gz",
            "this is text, and long enough for a header of gzip",
            "",
            "io: fake.csv.gz: invalid gzip header",
        ),
    ] {
        let path = folder.path().join(file);
        std::fs::write(&path, text).unwrap();
        let sql = format!("COPY wide FROM '{}'{options}", path.display());
        let error = db.execute(&sql, ()).unwrap_err();
        let place = format!("{}/", folder.path().display());
        let shown = format!("{}: {}", error.kind(), error.message().replace(&place, ""));
        assert_eq!(shown, message);
    }
    // What the message advises, onto a row that keeps its other columns.
    affected(&db, "UPSERT INTO wide VALUES (1, 'old', 2, 3, 4)");
    let few = folder.path().join("few.csv");
    affected(&db, &format!("COPY wide (id, a) FROM '{}'", few.display()));
    assert_eq!(rows(&db, "SELECT * FROM wide"), ["1|x|2.0|3.00|4"]);
}

/// docs/dialect.md, COPY: both sides agree on what NULL is.
#[test]
fn what_is_printed_as_csv_can_be_loaded_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let source = path("source");
    let fill = "UPSERT INTO wide VALUES (1, NULL, NULL, NULL, NULL), (2, '', 1, 1, 1), (3, 'NULL', 2, 2, 2), \
                (4, 'a,\"b\"\nc', 3, 3, 3)";
    succeeded(&rocksalt(&[&source, "-c", TABLES[1], "-c", fill]));
    let query = "SELECT * FROM wide ORDER BY id";
    for (null, empty) in [("", "-"), ("NA", "")] {
        let (file, target) = (path("f.csv"), path(&format!("target{null}")));
        let arguments = ["--format", "csv", "--null", null, "-c", query];
        let ran = rocksalt(&[&[source.as_str()], &arguments[..]].concat());
        std::fs::write(&file, succeeded(&ran)).unwrap();
        let options = match null {
            "" => String::new(),
            text => format!(" (NULL '{text}')"),
        };
        let copy = format!("COPY wide FROM '{file}'{options}");
        succeeded(&rocksalt(&[&target, "-c", TABLES[1], "-c", &copy]));
        let loaded = rocksalt(&[&target, "--format", "tsv", "--null", "-", "-c", query]);
        assert_eq!(
            succeeded(&loaded),
            format!(
                "id\ta\tf\td\tn\n1\t-\t-\t-\t-\n2\t{empty}\t1.0\t1.00\t1\n3\tNULL\t2.0\t2.00\t2\n\
                 4\ta,\"b\"\\nc\t3.0\t3.00\t3\n"
            )
        );
    }
}

/// The command in README, run where README is.
#[test]
fn the_sample_loads_as_readme_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let copy = "COPY flights FROM 'examples/data/flights.csv' (NULL 'NA')";
    let schema = "examples/flights/schema.sql";
    assert!(readme.contains(&format!("-f {schema} \\\n  -c \"{copy}\"")));
    let copy = copy.replace("examples", &root.join("examples").display().to_string());
    let ran = rocksalt(&[
        "-f",
        &root.join(schema).display().to_string(),
        "-c",
        &copy,
        "-c",
        &copy,
    ]);
    // Once more writes over the same rows.
    let lines = std::fs::read_to_string(root.join("examples/data/flights.csv"))
        .unwrap()
        .lines()
        .count();
    let loaded = format!("{} rows affected\n", lines - 1);
    assert_eq!(
        succeeded(&ran),
        format!("{}{loaded}{loaded}", "ok\n".repeat(6))
    );
}

#[test]
fn a_table_alone_is_all_of_it() {
    let db = after(TABLES);
    let all = ["AA|American", "UA|United"];
    assert_eq!(rows(&db, "FROM airlines"), all);
    assert_eq!(rows(&db, "SELECT * FROM (FROM airlines) AS x"), all);
}
