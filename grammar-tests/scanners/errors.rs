//! What is wrong with a scan, said when it is opened.

use std::ops::Bound;
use std::time::Duration;

use rocksalt::blocking::{Database, TableScan};
use rocksalt::{Value, params};

use super::scan;
use crate::support::{after, run};

fn error(scan: TableScan) -> String {
    let sorted = scan.clone().sorted().unwrap_err().to_string();
    let unordered = scan.unordered(4).unwrap_err().to_string();
    assert_eq!(sorted, unordered);
    sorted
}

fn db() -> Database {
    after(&[
        "CREATE TABLE t (a VARCHAR, b TINYINT NULL, d DECIMAL(5, 2), v INTEGER,
         PRIMARY KEY (a, b DESC, d)) SALT_BUCKETS = 4",
        "CREATE TABLE u (k INTEGER PRIMARY KEY)",
    ])
}

#[test]
fn bounds_that_are_none() {
    let db = db();
    insta::assert_snapshot!(error(scan(&db).range("b".."a")), @"invalid: the range starts at 'b' and ends before, at 'a'");
    insta::assert_snapshot!(error(scan(&db).range(("a", 1)..("a", 2))), @"invalid: the range starts at ('a', 1) and ends before, at ('a', 2); on a DESC column the larger value comes first");
    insta::assert_snapshot!(error(scan(&db).range("b"..="a")), @"invalid: the range starts at 'b' and ends before, at 'a'");
    insta::assert_snapshot!(error(scan(&db).range((Bound::Excluded(("b", 1)), Bound::Included(("a", 2))))), @"invalid: the range starts at ('b', 1) and ends before, at ('a', 2); on a DESC column the larger value comes first");
    insta::assert_snapshot!(error(scan(&db).range(("a", 1, 1, 1)..)), @"invalid: the key of t has 3 columns and a bound of 4 values was given");
    insta::assert_snapshot!(error(scan(&db).prefix(("a", 1, 1, 1))), @"invalid: the key of t has 3 columns and a bound of 4 values was given");
    insta::assert_snapshot!(error(db.table("u").unwrap().scan().range(..(1, 2))), @"invalid: the key of u has 1 column and a bound of 2 values was given");
    insta::assert_snapshot!(error(scan(&db).range(1..2)), @"invalid: a of t: 1 is an INTEGER, not a VARCHAR; use CAST(... AS VARCHAR)");
    insta::assert_snapshot!(error(scan(&db).range(("a", "x")..)), @"invalid: b of t: 'x' is not a TINYINT");
    insta::assert_snapshot!(error(scan(&db).range(("a", 300)..)), @"invalid: b of t: 300 is out of range for TINYINT");
    insta::assert_snapshot!(error(scan(&db).range(("a", 1.5)..)), @"invalid: b of t: 1.5 would lose its fraction as TINYINT");
    insta::assert_snapshot!(error(scan(&db).prefix(("a", 1, "1.005"))), @"invalid: d of t: '1.005' is between two values of a DECIMAL(5, 2)");
    insta::assert_snapshot!(error(scan(&db).prefix(Value::Null)), @"invalid: a of t is NOT NULL: no key is NULL");
    insta::assert_snapshot!(error(scan(&db).range((Value::from("a"), Value::Null, Value::Null)..)), @"invalid: d of t is NOT NULL: no key is NULL");
    // NULL is a value of a column that has it, the largest.
    assert!(scan(&db).prefix(("a", None::<i32>)).sorted().is_ok());
    assert!(
        scan(&db)
            .range(("a", None::<i32>)..("a", Some(1)))
            .sorted()
            .is_ok()
    );
    insta::assert_snapshot!(error(scan(&db).range(("a", Some(1))..("a", None::<i32>))), @"invalid: the range starts at ('a', 1) and ends before, at ('a', NULL); on a DESC column the larger value comes first");
}

#[test]
fn columns_and_sizes_that_are_none() {
    let db = db();
    insta::assert_snapshot!(error(scan(&db).columns(["v", "w"])), @"not found: column w of table t does not exist");
    insta::assert_snapshot!(error(scan(&db).columns(["V"])), @"not found: column V of table t does not exist");
    insta::assert_snapshot!(error(scan(&db).columns(["v", "a", "v"])), @"invalid: column v is named twice");
    insta::assert_snapshot!(error(scan(&db).batch_size(0)), @"invalid: batch_size is 0: a batch has at least one row");
    insta::assert_snapshot!(error(scan(&db).time_limit(Duration::ZERO)), @"invalid: time_limit is 0: a batch takes some time");
    insta::assert_snapshot!(scan(&db).unordered(0).unwrap_err(), @"invalid: max_splits is 0: an unordered scan has at least one part");
    insta::assert_snapshot!(scan(&db).limit(1).unordered(4).unwrap_err(), @"invalid: limit() needs an order: use sorted()");
    insta::assert_snapshot!(scan(&db).reverse().unordered(4).unwrap_err(), @"invalid: reverse() needs an order: use sorted()");
    let table = db.table("t").unwrap();
    run(&db, "DROP TABLE t");
    insta::assert_snapshot!(error(table.scan()), @"not found: table t does not exist");
}

#[test]
fn filters_that_are_none() {
    let db = db();
    let error = |sql: &str| error(scan(&db).filter(sql));
    insta::assert_snapshot!(error(""), @"syntax: filter: there is no condition in the text");
    insta::assert_snapshot!(error("v ="), @"syntax: filter: expected an expression, found the end of the statement at line 1, column 4");
    insta::assert_snapshot!(error("v = 1 ORDER BY v"), @"syntax: filter: expected the end of the statement, found ORDER at line 1, column 7");
    insta::assert_snapshot!(error("v = 1; DROP TABLE t"), @"invalid: filter: only one statement can be executed in a call at line 1, column 8");
    insta::assert_snapshot!(error("v = 1) OR (TRUE"), @"syntax: filter: expected the end of the statement, found ) at line 1, column 6");
    insta::assert_snapshot!(error("v > 1 AND\n w = 1"), @"not found: filter: column w does not exist; there are t.a, t.b, t.d, t.v at line 2, column 2");
    insta::assert_snapshot!(error("u.k = 1"), @"not found: filter: column u.k does not exist; there are t.a, t.b, t.d, t.v at line 1, column 1");
    insta::assert_snapshot!(error("v = 'x'"), @"invalid: filter: 'x' is not an INTEGER at line 1, column 5");
    insta::assert_snapshot!(error("v"), @"invalid: filter: cannot create filter with non-boolean predicate 't.v' returning INTEGER");
    insta::assert_snapshot!(error("nosuch(v) = 1"), @"not found: filter: function nosuch does not exist at line 1, column 1");
    insta::assert_snapshot!(error("v = ?"), @"invalid: filter: the statement takes 1 parameter and 0 were given");
    insta::assert_snapshot!(error("v IN (SELECT k FROM u)"), @"invalid: filter: the condition of a scan has no subquery at line 1, column 7");
    insta::assert_snapshot!(error("EXISTS (SELECT 1)"), @"invalid: filter: the condition of a scan has no subquery at line 1, column 9");
    insta::assert_snapshot!(error("v = (SELECT max(k) FROM u)"), @"invalid: filter: the condition of a scan has no subquery at line 1, column 6");
    insta::assert_snapshot!(error("max(v) = 1"), @"invalid: filter: max() in the condition of a scan: it is about several rows at line 1, column 1");
    insta::assert_snapshot!(error("v > 0 AND row_number() OVER () = 1"), @"invalid: filter: row_number() in the condition of a scan: it is about several rows at line 1, column 11");
    insta::assert_snapshot!(error("v > random()"), @"invalid: filter: random() in the condition of a scan: it has another value each time at line 1, column 5");
    insta::assert_snapshot!(error("v = unnest([1, 2])"), @"invalid: filter: unnest() in the condition of a scan: it makes rows at line 1, column 5");
    let with = |sql: &str, params| scan(&db).filter_with(sql, params).sorted().unwrap_err();
    insta::assert_snapshot!(with("v = ?", params![1, 2]), @"invalid: filter: the statement takes 1 parameter and 2 were given");
    insta::assert_snapshot!(with("v = :x", params! { y: 1 }), @"invalid: filter: the statement has no parameter :y");
    insta::assert_snapshot!(with("v = ?", params!["x"]), @"invalid: filter: 'x' is not an INTEGER");
}

#[test]
fn a_faulty_row_is_an_error_of_the_scan() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 3",
        "UPSERT INTO t VALUES (0), (1)",
    ]);
    let scanner = scan(&db).filter("1 / k = 1").sorted().unwrap();
    insta::assert_snapshot!(scanner.collect().unwrap_err(), @"invalid: division by zero");
}
