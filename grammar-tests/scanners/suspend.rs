//! Tokens: a scan that is suspended anywhere goes on behind the last row that it returned.

use rocksalt::blocking::{Database, Scanner, TableScan};
use rocksalt::{ErrorKind, ScanToken, params};

use super::{BUCKETS, all, rows, scan, sorted, table};
use crate::support::{after, folder, run, texts};

/// The rows of a scan that is suspended after each batch; `between` has its turn meanwhile.
fn in_pieces(db: &Database, scanner: Scanner, mut between: impl FnMut(&[String])) -> Vec<String> {
    let mut token = scanner.suspend();
    drop(scanner);
    let mut found = Vec::new();
    loop {
        let again: ScanToken = token.to_string().parse().unwrap();
        assert_eq!(again, token);
        let mut scanner = db.resume(&again).unwrap();
        let Some(batch) = scanner.next() else {
            return found;
        };
        let batch = texts(&[batch.unwrap()]);
        token = scanner.suspend();
        drop(scanner);
        between(&batch);
        found.extend(batch);
    }
}

#[test]
fn pieces_are_together_the_whole() {
    for buckets in BUCKETS {
        let db = table(buckets, "DESC", "ASC");
        let range = || scan(&db).range("b".."").filter("b <> 7").keys_only();
        let scans: [(&str, TableScan); 6] = [
            ("all", scan(&db)),
            ("reverse", scan(&db).reverse()),
            ("range", range()),
            ("range in reverse", range().reverse()),
            ("limit", scan(&db).limit(13)),
            (
                "parameters",
                scan(&db).filter_with("v LIKE ? AND b > ?", params!["a%", -2]),
            ),
        ];
        for (name, scan) in scans {
            let whole = rows(scan.clone().sorted().unwrap());
            for size in [3, 8, 1000] {
                let pieces = scan.clone().batch_size(size).sorted().unwrap();
                let found = in_pieces(&db, pieces, |_| {});
                assert_eq!(found, whole, "{name}, {buckets} buckets, batches of {size}");
            }
        }
        for most in [1, 3] {
            let scanners = range().batch_size(2).unordered(most).unwrap();
            let pieces = scanners.into_iter().map(|one| in_pieces(&db, one, |_| {}));
            let found = sorted(pieces.flatten().collect());
            assert_eq!(found, all(range().unordered(1).unwrap()), "{most} splits");
        }
    }
}

/// What is ready and was not returned is not lost.
#[test]
fn a_token_stands_behind_what_was_returned_and_not_behind_what_was_read() {
    let db = table(3, "ASC", "ASC");
    let whole = rows(scan(&db).sorted().unwrap());
    let mut scanner = scan(&db).batch_size(1).sorted().unwrap();
    for read in 0..whole.len() {
        assert_eq!(rows(db.resume(&scanner.suspend()).unwrap()), whole[read..]);
        assert_eq!(
            texts(&[scanner.next().unwrap().unwrap()]),
            whole[read..=read]
        );
        // Time enough for the batch after it.
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(scanner.next().is_none());
    assert!(db.resume(&scanner.suspend()).unwrap().next().is_none());
}

/// It goes on at a key, so the row of it need not be there.
#[test]
fn rows_that_come_and_go_meanwhile_are_neither_repeated_nor_in_the_way() {
    for buckets in [0, 3, 16] {
        for direction in ["ASC", "DESC"] {
            let create = |salt: &str| {
                format!("CREATE TABLE t (k INTEGER, PRIMARY KEY (k {direction})){salt}")
            };
            let salt = match buckets {
                0 => String::new(),
                n => format!(" SALT_BUCKETS = {n}"),
            };
            let load = "UPSERT INTO t SELECT value * 10 FROM generate_series(1, 40)";
            let db = after(&[&create(&salt), load]);
            let whole = rows(scan(&db).sorted().unwrap());
            // What was returned goes, and more appears behind and before it.
            let between = |batch: &[String]| {
                for k in batch {
                    let (behind, ahead) = match direction {
                        "ASC" => (-1, 1),
                        _ => (1, -1),
                    };
                    run(&db, &format!("DELETE FROM t WHERE k = {k}"));
                    run(&db, &format!("UPSERT INTO t VALUES ({k} + {behind})"));
                    if k.ends_with("50") {
                        run(&db, &format!("UPSERT INTO t VALUES ({k} + {ahead})"));
                    }
                }
            };
            let pieces = scan(&db).batch_size(1).sorted().unwrap();
            let found = in_pieces(&db, pieces, between);
            let (old, new): (Vec<String>, Vec<String>) =
                found.into_iter().partition(|k| k.ends_with('0'));
            assert_eq!(old, whole);
            // 50, 150, 250, 350: their neighbours ahead were there in time.
            assert_eq!(new.len(), 4, "{new:?}");
        }
    }
}

#[test]
fn tokens_outlive_the_process() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("db");
    let db = folder(&path);
    run(
        &db,
        "CREATE TABLE t (a VARCHAR, b INTEGER, PRIMARY KEY (a, b DESC)) SALT_BUCKETS = 16",
    );
    run(
        &db,
        "UPSERT INTO t SELECT 'x' || (value % 7), value FROM generate_series(1, 50)",
    );
    let whole = rows(scan(&db).sorted().unwrap());
    let filtered = "a LIKE '%3' OR b > 40";
    let some = sorted(rows(scan(&db).filter(filtered).sorted().unwrap()));
    let mut ordered = scan(&db)
        .batch_size(13)
        .sorted()
        .unwrap()
        .suspend()
        .to_string();
    let unordered = scan(&db)
        .filter(filtered)
        .batch_size(3)
        .unordered(2)
        .unwrap();
    let mut unordered: Vec<Vec<u8>> = unordered
        .into_iter()
        .map(|scanner| scanner.suspend().as_bytes().to_vec())
        .collect();
    drop(db);
    let (mut in_order, mut in_no_order) = (Vec::new(), Vec::new());
    for _ in 0..8 {
        let db = folder(&path);
        let mut scanner = db.resume(&ordered.parse().unwrap()).unwrap();
        if let Some(batch) = scanner.next() {
            in_order.extend(texts(&[batch.unwrap()]));
        }
        ordered = scanner.suspend().to_string();
        for token in &mut unordered {
            let mut scanner = db.resume(&ScanToken::from_bytes(token).unwrap()).unwrap();
            for batch in scanner.by_ref().take(2) {
                in_no_order.extend(texts(&[batch.unwrap()]));
            }
            *token = scanner.suspend().as_bytes().to_vec();
        }
    }
    assert_eq!(in_order, whole);
    assert_eq!(sorted(in_no_order), some);
}

#[test]
fn another_table_of_the_same_name_is_an_error() {
    let create = "CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 3";
    let db = after(&[create, "UPSERT INTO t VALUES (1), (2)"]);
    let mut scanner = scan(&db).batch_size(1).sorted().unwrap();
    scanner.next().unwrap().unwrap();
    let token = scanner.suspend();
    let error = |db: &Database| {
        let error = db.resume(&token).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        error.to_string()
    };
    run(&db, "TRUNCATE TABLE t");
    insta::assert_snapshot!(error(&db), @"not found: table t was truncated, or dropped and made again, since the scan was suspended");
    run(&db, "DROP TABLE t");
    insta::assert_snapshot!(error(&db), @"not found: table t was dropped since the scan was suspended");
    run(&db, create);
    insta::assert_snapshot!(error(&db), @"not found: table t was truncated, or dropped and made again, since the scan was suspended");
    // One that had its chance to get the same number.
    let other = after(&["CREATE TABLE t (k VARCHAR PRIMARY KEY) SALT_BUCKETS = 3"]);
    insta::assert_snapshot!(error(&other), @"not found: table t has another key than the table of the scan, which was suspended on another database");
    // The scan that was under way reads on.
    assert_eq!(rows(scanner), ["2"]);
}

#[test]
fn what_is_no_token_is_refused() {
    let db = after(&["CREATE TABLE t (k INTEGER PRIMARY KEY)"]);
    let token = scan(&db)
        .filter_with("k > ?", params![7])
        .range(1..9)
        .sorted()
        .unwrap()
        .suspend();
    let text = token.to_string();
    assert_eq!(text.to_uppercase().parse::<ScanToken>().unwrap(), token);
    let error = |text: &str| {
        let error = text.parse::<ScanToken>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        error.to_string()
    };
    insta::assert_snapshot!(error("no token"), @"invalid: a token is an even number of hexadecimal digits");
    insta::assert_snapshot!(error(""), @"invalid: this is no token of a suspended scan");
    insta::assert_snapshot!(error(&text[1..]), @"invalid: a token is an even number of hexadecimal digits");
    insta::assert_snapshot!(error(&text[2..]), @"invalid: this is no token of a suspended scan");
    // Every change of a digit, and every end.
    for at in 0..text.len() {
        for digit in ["0", "7", "f"] {
            let mut changed = text.clone();
            changed.replace_range(at..=at, digit);
            if changed != text {
                error(&changed);
            }
        }
        error(&text[..at]);
    }
}

/// A scan that met an error can be resumed before it.
#[test]
fn after_an_error_a_token_stands_before_it() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 3",
        "UPSERT INTO t VALUES (-2), (-1), (0), (1), (2)",
    ]);
    let mut scanner = scan(&db)
        .filter("10 / k <> 7")
        .batch_size(1)
        .sorted()
        .unwrap();
    let first: Vec<String> = (0..2)
        .flat_map(|_| texts(&[scanner.next().unwrap().unwrap()]))
        .collect();
    assert_eq!(first, ["-2", "-1"]);
    let error = scanner.next().unwrap().unwrap_err();
    insta::assert_snapshot!(error, @"invalid: division by zero");
    let token = scanner.suspend();
    assert!(scanner.next().is_none());
    run(&db, "DELETE FROM t WHERE k = 0");
    assert_eq!(rows(db.resume(&token).unwrap()), ["1", "2"]);
}

/// A table keeps its tokens over ALTER TABLE, as long as what they name is there.
#[test]
fn a_table_that_was_altered_is_the_same_table() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR, w VARCHAR) SALT_BUCKETS = 3",
        "UPSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', 'z')",
    ]);
    let token = |scan: TableScan| {
        let mut scanner = scan.batch_size(1).sorted().unwrap();
        scanner.next().unwrap().unwrap();
        scanner.suspend()
    };
    let keys = token(scan(&db).keys_only());
    let values = token(scan(&db).columns(["v"]));
    let filtered = token(scan(&db).keys_only().filter("w >= 'x'"));
    let resumed = |token: &ScanToken| rows(db.resume(token).unwrap());
    let error = |token: &ScanToken| {
        let error = db.resume(token).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        error.to_string()
    };

    run(&db, "ALTER TABLE t ADD COLUMN u INTEGER DEFAULT 7");
    run(&db, "ALTER TABLE t RENAME TO s");
    assert_eq!(resumed(&keys), ["2", "3"]);
    assert_eq!(resumed(&values), ["b", "c"]);
    assert_eq!(resumed(&filtered), ["2", "3"]);

    run(&db, "ALTER TABLE s RENAME COLUMN v TO renamed");
    run(&db, "ALTER TABLE s DROP COLUMN w");
    assert_eq!(resumed(&keys), ["2", "3"]);
    insta::assert_snapshot!(error(&values), @"not found: column v of s was renamed to renamed since the scan was suspended");
    insta::assert_snapshot!(error(&filtered), @"not found: filter: column w does not exist; there are s.k, s.renamed, s.u at line 1, column 1");
    run(&db, "ALTER TABLE s DROP COLUMN renamed");
    run(&db, "ALTER TABLE s ADD COLUMN v VARCHAR");
    insta::assert_snapshot!(error(&values), @"not found: column v of s was dropped since the scan was suspended");

    // A row from before has the default of a column that came after.
    let added = db.table("s").unwrap().scan().columns(["k", "u"]);
    assert_eq!(
        rows(added.filter("u = 7").sorted().unwrap()),
        ["1|7", "2|7", "3|7"]
    );
}
