//! The folder of the database: kept, foreign, held by another process.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::{command, rocksalt};

#[test]
fn a_folder_keeps_what_was_written_and_memory_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("db");
    let path = path.to_str().unwrap();
    let made = rocksalt(&[
        path,
        "-c",
        "CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4",
    ]);
    assert_eq!((made.code, made.err.as_str()), (Some(0), ""));
    assert_eq!(
        rocksalt(&[path, "-c", "UPSERT INTO t VALUES (1), (2)"]).out,
        "2 rows affected\n"
    );
    assert_eq!(
        rocksalt(&[path, "--format", "csv", "-c", "SELECT count(*) AS n FROM t"]).out,
        "n\n2\n"
    );
    assert_eq!(rocksalt(&["-c", "SELECT * FROM t"]).code, Some(1));
}

#[test]
fn a_file_and_a_foreign_folder_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    fs::write(&file, "mine").unwrap();
    for path in [file.as_path(), folder.path()] {
        for extra in [&[][..], &["--recover"]] {
            let mut arguments = vec![path.to_str().unwrap(), "-c", "SELECT 1"];
            arguments.extend(extra);
            let refused = rocksalt(&arguments);
            assert_eq!(
                (refused.code, refused.out.as_str()),
                (Some(1), ""),
                "{path:?}"
            );
            assert!(
                refused.err.starts_with("error: invalid: "),
                "{}",
                refused.err
            );
        }
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "something was put there"
    );
}

#[test]
fn a_database_open_in_another_process_is_unavailable_until_it_closes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let path = path.to_str().unwrap();
    let mut holder = command()
        .args([path, "--format", "csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = holder.stdin.take().unwrap();
    let mut output = BufReader::new(holder.stdout.take().unwrap());
    // It answers while its input is still open, so it holds the folder now.
    input.write_all(b"SELECT 7 AS n;\n").unwrap();
    let mut lines = String::new();
    output.read_line(&mut lines).unwrap();
    output.read_line(&mut lines).unwrap();
    assert_eq!(lines, "n\n7\n");
    let refused = rocksalt(&[path, "-c", "SELECT 1"]);
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""));
    assert_eq!(
        refused.err,
        format!(
            "error: unavailable: the database in {path} is in use by another process: one process \
             opens a folder at a time\n"
        )
    );
    drop(input);
    assert!(holder.wait().unwrap().success());
    assert_eq!(
        rocksalt(&[path, "--format", "csv", "-c", "SELECT 1 AS n"]).out,
        "n\n1\n"
    );
}

/// A record in the middle of the log is damaged: acknowledged rows lie behind it, so nothing is
/// given up until someone says so.
#[test]
fn a_damaged_log_is_opened_only_when_asked_to_recover() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let path = path.to_str().unwrap();
    let made = rocksalt(&[
        path,
        "-c",
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)",
    ]);
    assert_eq!((made.code, made.err.as_str()), (Some(0), ""));
    let rows: String = (0..200)
        .map(|k| format!("UPSERT INTO t VALUES ({k}, 'row-{k:03}');"))
        .collect();
    assert_eq!(rocksalt(&[path, "-c", &rows]).code, Some(0));
    let damaged = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "log"))
        .filter_map(|file| {
            let mut bytes = fs::read(&file).unwrap();
            let at = bytes.windows(7).position(|text| text == b"row-100")?;
            bytes[at] ^= 1;
            fs::write(&file, bytes).unwrap();
            Some(file)
        })
        .count();
    assert_eq!(damaged, 1, "the row is in one log");
    let count = ["--format", "csv", "-c", "SELECT count(*) AS n FROM t"];
    let refused = rocksalt(&[&[path], &count[..]].concat());
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""));
    assert!(
        refused.err.starts_with("error: corrupt: "),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("--recover"),
        "the way out is named: {}",
        refused.err
    );
    let recovered = rocksalt(&[&[path, "--recover"], &count[..]].concat());
    assert_eq!(
        (recovered.out.as_str(), recovered.err.as_str()),
        ("n\n100\n", "")
    );
    // From then on it opens as ever.
    assert_eq!(rocksalt(&[&[path], &count[..]].concat()).out, "n\n100\n");
}
