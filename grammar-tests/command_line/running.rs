//! Sources of statements, exit codes, and what goes to which stream.

use std::fs;
use std::process::Stdio;

use super::{Ran, command, rocksalt, rocksalt_reading};

fn ran(code: i32, out: &str, err: &str) -> Ran {
    Ran {
        code: Some(code),
        out: out.to_owned(),
        err: err.to_owned(),
    }
}

#[test]
fn sources_run_in_the_order_given() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.sql");
    fs::write(&file, "\u{feff}SELECT 2 AS n;\n-- and\nSELECT 3 AS n").unwrap();
    let file = file.to_str().unwrap();
    let arguments = [
        "--format",
        "csv",
        "-c",
        "SELECT 1 AS n;",
        "-f",
        file,
        "-f",
        "-",
        "-c",
        "SELECT 5 AS n",
    ];
    let out = "n\n1\nn\n2\nn\n3\nn\n4\nn\n5\n";
    assert_eq!(
        rocksalt_reading(&arguments, b"SELECT 4 AS n;"),
        ran(0, out, "")
    );
}

#[test]
fn standard_input_is_the_source_if_none_is_named() {
    let input = b"SELECT 1\n AS n\n;\n\nSELECT 2 AS n; SELECT 3 AS n";
    let out = "n\n1\nn\n2\nn\n3\n";
    assert_eq!(
        rocksalt_reading(&["--format", "csv"], input),
        ran(0, out, "")
    );
    assert_eq!(rocksalt_reading(&["--format", "csv"], b""), ran(0, "", ""));
    assert_eq!(
        rocksalt_reading(&[], b" -- nothing\n;; /* ; */ ;\n"),
        ran(0, "", "")
    );
}

#[test]
fn a_write_that_returns_rows_prints_them() {
    let sql = "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR); \
         UPSERT INTO t VALUES (2, 'b'), (1, 'a') RETURNING *; \
         ALTER TABLE t RENAME COLUMN v TO w; DELETE FROM t WHERE k = 1 RETURNING w AS gone";
    let out = "k,v\n2,b\n1,a\ngone\na\n";
    assert_eq!(rocksalt(&["--format", "csv", "-c", sql]), ran(0, out, ""));
}

#[test]
fn a_failed_statement_ends_the_run_unless_told_otherwise() {
    let sql = "SELECT 1 AS n; SELECT * FROM nowhere; SELECT 2 AS n";
    let stopped = rocksalt(&["--format", "csv", "-c", sql, "-c", "SELECT 3 AS n"]);
    assert_eq!((stopped.code, stopped.out.as_str()), (Some(1), "n\n1\n"));
    assert!(
        stopped.err.starts_with("error: not found: "),
        "{}",
        stopped.err
    );
    let went_on = rocksalt(&[
        "--keep-going",
        "--format",
        "csv",
        "-c",
        sql,
        "-c",
        "SELECT 3 AS n",
    ]);
    assert_eq!(
        (went_on.code, went_on.out.as_str()),
        (Some(1), "n\n1\nn\n2\nn\n3\n")
    );
    assert_eq!(went_on.err, stopped.err);
}

#[test]
fn an_error_points_into_the_line_of_its_statement() {
    let error = rocksalt(&["-c", "SELECT 1\nFROM nowhere"]).err;
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].starts_with("error: not found: "), "{error}");
    assert_eq!(lines[1..], ["  line 2: FROM nowhere", "               ^"]);
    // The second statement of a file, which begins in the file's third line.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("load.sql");
    fs::write(&file, "SELECT 1;\n\n  SELECT 'äöü',\n\tnonsense(;").unwrap();
    let file = file.to_str().unwrap();
    let error = rocksalt(&["-f", file]).err;
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].starts_with("error: syntax: "), "{error}");
    let label = format!("  {file}:4: ");
    assert_eq!(lines[1], format!("{label} nonsense("));
    assert_eq!(
        lines[2].find('^'),
        Some(label.len() + " nonsense(".len()),
        "{error}"
    );
}

#[test]
fn the_streams_keep_the_order_of_statements() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("both");
    let both = fs::File::create(&path).unwrap();
    let sql = "SELECT 1 AS n; SELECT * FROM nowhere; SELECT 2 AS n; SELECT * FROM nowhere";
    let status = command()
        .args(["--keep-going", "--format", "csv", "-c", sql])
        .stdin(Stdio::null())
        .stdout(both.try_clone().unwrap())
        .stderr(both)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
    let both = fs::read_to_string(path).unwrap();
    // Each error has a caret's two lines below it.
    let order: Vec<&str> = both.lines().filter(|line| !line.starts_with(' ')).collect();
    let error = order[2];
    assert!(error.starts_with("error: not found: "), "{both}");
    assert_eq!(order, ["n", "1", error, "n", "2", error]);
}

#[test]
fn an_error_in_the_middle_of_a_result_leaves_no_whole_result() {
    let sql = "SELECT 1 / (value - 20000) AS n FROM generate_series(1, 30000)";
    let failed = rocksalt(&["--format", "json", "-c", sql]);
    assert_eq!(failed.code, Some(1));
    assert!(!failed.out.contains(']'), "the array is closed");
    assert!(failed.err.starts_with("error: invalid: "), "{}", failed.err);
}

#[test]
fn wrong_usage_is_2_and_help_is_0() {
    for arguments in [
        &["--nonsense"][..],
        &["--format", "xml"],
        &["-c"],
        &["a", "b"],
        &["--recover"],
    ] {
        let wrong = rocksalt(arguments);
        assert_eq!(
            (wrong.code, wrong.out.as_str()),
            (Some(2), ""),
            "{arguments:?}"
        );
        assert!(wrong.err.starts_with("error: "), "{}", wrong.err);
    }
    let help = rocksalt(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
    for option in [
        "--command",
        "--file",
        "--format",
        "--null",
        "--keep-going",
        "--recover",
    ] {
        assert!(help.out.contains(option), "{option}");
    }
    let version = format!("rocksalt {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(rocksalt(&["--version"]), ran(0, &version, ""));
}

#[test]
fn a_source_that_cannot_be_read_is_an_error() {
    let missing = rocksalt(&["-f", "no-such-file.sql"]);
    assert_eq!((missing.code, missing.out.as_str()), (Some(1), ""));
    assert!(
        missing
            .err
            .starts_with("error: io: cannot read no-such-file.sql: "),
        "{}",
        missing.err
    );
    let bytes = rocksalt_reading(
        &["--format", "csv"],
        b"SELECT 1 AS n;\nSELECT '\xff' AS n;\n",
    );
    assert_eq!(
        bytes,
        ran(1, "n\n1\n", "error: invalid: standard input:2: not UTF-8\n")
    );
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let long = "SELECT value FROM generate_series(1, 1000000)";
    for (sql, code) in [(long.to_owned(), 0), (format!("{long}; SELECT 1"), 1)] {
        let mut child = command()
            .args(["--format", "csv", "-c", &sql])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        // A statement that was not reached is told by the code.
        assert_eq!(output.status.code(), Some(code));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = command()
        .args(["-c", "SELECT 1"])
        .stdin(Stdio::null())
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.starts_with("error: io: cannot write the output: "),
        "{error}"
    );
}
