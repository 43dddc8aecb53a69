//! Filters of a scan: WHERE, by the same code.

use rocksalt::{Value, params};

use super::{BUCKETS, all, rows, scan, sorted, table};
use crate::support::{after, rows as sql, rows_with};

#[test]
fn a_filter_is_where() {
    for buckets in BUCKETS {
        let db = table(buckets, "DESC", "ASC");
        for filter in [
            // Prefix, anywhere and postfix, of a key column and of another.
            "a LIKE 'a%'",
            "a LIKE '%b%'",
            "a LIKE '%b'",
            "v LIKE 'a:%'",
            "v LIKE '%:7%'",
            "v LIKE '%47'",
            "v NOT LIKE '%a%'",
            "starts_with(a, 'a')",
            "a = 'a' AND b = 7",
            "a IN ('a', 'b', 'nowhere') AND b IN (7, 0)",
            "(a, b) > ('a', 0)",
            "(a, b) >= ('ab', 7) AND (a, b) < ('c', 0)",
            "b IS NULL",
            "b IS NOT NULL AND v IS NULL",
            "b BETWEEN -1 AND 7 OR a = 'c'",
            "t.b + 1 > 0 AND length(t.v) < 6",
            "upper(a) = 'AB'",
            "b = 7.0 OR b = '0' OR b = 2147483648",
            "v = 'a:7' -- a comment",
            "a = b::VARCHAR",
            "NOT (a = 'a' OR b > 0)",
            "TRUE",
            "1 = 1",
            "FALSE",
            "NULL",
            "b > NULL",
        ] {
            let query = format!("SELECT v, b FROM t WHERE {filter}\n");
            let wanted = sorted(sql(&db, &query));
            let filtered = || scan(&db).filter(filter).columns(["v", "b"]);
            let found = sorted(rows(filtered().sorted().unwrap()));
            assert_eq!(found, wanted, "{buckets} buckets: {filter}");
            assert_eq!(all(filtered().unordered(3).unwrap()), wanted, "{filter}");
            let ordered = format!("SELECT v, b FROM t WHERE {filter}\nORDER BY a, b DESC");
            let backward = rows(filtered().reverse().sorted().unwrap());
            assert_eq!(backward, sql(&db, &ordered), "{filter}");
        }
    }
}

#[test]
fn a_filter_and_a_range_both_hold() {
    for buckets in BUCKETS {
        let db = table(buckets, "ASC", "ASC");
        for filter in [
            "a >= 'ab'",
            "a = 'a' AND b > 0",
            "b IN (7, -1)",
            "a IN ('a', 'c')",
            "(a, b) > ('a', 0)",
        ] {
            let query = format!(
                "SELECT a, b FROM t WHERE {filter} AND a < 'c'
                 AND (a > 'a' OR a = 'a' AND (b >= 0 OR b IS NULL)) ORDER BY a, b"
            );
            let range = scan(&db)
                .keys_only()
                .filter(filter)
                .range(vec![Value::from("a"), 0.into()]..);
            let range = range.range(.."c");
            let found = rows(range.sorted().unwrap());
            assert_eq!(found, sql(&db, &query), "{buckets} buckets: {filter}");
        }
    }
}

#[test]
fn parameters_come_by_place_and_by_name() {
    let db = table(16, "ASC", "ASC");
    let wanted = rows_with(
        &db,
        "SELECT * FROM t WHERE a = ? AND b > ? ORDER BY b",
        params!["a", 0],
    );
    assert_eq!(wanted.len(), 2);
    for scan in [
        scan(&db).filter_with("a = ? AND b > ?", params!["a", 0]),
        scan(&db).filter_with("b > $2 AND a = $1", params!["a", 0]),
        scan(&db).filter_with("a = :a AND b > :b", params! { b: 0, a: "a" }),
        scan(&db)
            .filter_with("a = ?", params!["a"])
            .filter_with("b > ?", params![0]),
        scan(&db)
            .filter_with("b > :x", params! { x: 0 })
            .filter_with("a = :x", params! { x: "a" }),
        scan(&db).filter("b > 0").filter_with("a = ?", ["a"]),
    ] {
        assert_eq!(rows(scan.sorted().unwrap()), wanted);
    }
}

/// Where two conditions meet, each stays whole.
#[test]
fn each_filter_stands_in_parentheses_of_its_own() {
    let db = table(3, "ASC", "ASC");
    let both = scan(&db)
        .filter("a = 'a' OR a = 'b'")
        .filter("b = 7 OR b = 0");
    assert_eq!(
        rows(both.keys_only().sorted().unwrap()),
        ["a|0", "a|7", "b|0", "b|7"]
    );
}

/// What the filter needs is not what is returned.
#[test]
fn columns_that_only_the_filter_needs_are_not_returned() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, u VARCHAR, v VARCHAR, w VARCHAR) SALT_BUCKETS = 3",
        "UPSERT INTO t VALUES (1, 'a', 'x', 'p'), (2, 'b', 'y', 'q'), (3, 'a', 'y', 'r')",
    ]);
    let found = scan(&db).filter("u = 'a' AND v = 'y'").columns(["w", "u"]);
    assert_eq!(rows(found.sorted().unwrap()), ["r|a"]);
    let keys = scan(&db).filter("u = 'a'").keys_only();
    assert_eq!(rows(keys.sorted().unwrap()), ["1", "3"]);
    let counted = scan(&db)
        .filter("u = 'a'")
        .columns::<&str>([])
        .sorted()
        .unwrap();
    assert_eq!(counted.collect().unwrap()[0].num_rows(), 2);
}

/// A table whose names need quotes, and one of the catalog.
#[test]
fn names_are_found_as_the_schema_has_them() {
    let db = after(&[
        r#"CREATE TABLE "T ""1" ("Key" INTEGER PRIMARY KEY, "select" VARCHAR)"#,
        r#"UPSERT INTO "T ""1" VALUES (1, 'a'), (2, 'b')"#,
    ]);
    let table = db.table(r#""T ""1""#).unwrap();
    let found = table
        .scan()
        .filter(r#""select" = 'b' AND "Key" > 0"#)
        .columns(["Key"]);
    assert_eq!(rows(found.sorted().unwrap()), ["2"]);
    let system = db.table("system.tables").unwrap().scan();
    let system = system
        .filter("table_name LIKE 'T%'")
        .columns(["table_name"]);
    assert_eq!(rows(system.sorted().unwrap()), ["T \"1"]);
}

/// now() is one moment for the whole of a scan, before and after it was suspended.
#[test]
fn now_is_when_the_scan_began() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, at TIMESTAMP) SALT_BUCKETS = 3",
        "UPSERT INTO t SELECT value, now() + INTERVAL '200 milliseconds' FROM generate_series(1, 9)",
    ]);
    let mut scanner = scan(&db)
        .filter("at > now()")
        .batch_size(1)
        .sorted()
        .unwrap();
    assert_eq!(scanner.next().unwrap().unwrap().num_rows(), 1);
    let token = scanner.suspend();
    std::thread::sleep(std::time::Duration::from_millis(250));
    assert_eq!(
        rows(scan(&db).filter("at > now()").sorted().unwrap()).len(),
        0
    );
    assert_eq!(rows(db.resume(&token).unwrap()).len(), 8);
}

/// A name that would end a comment is a name.
#[test]
fn a_table_is_filtered_whatever_it_is_called() {
    for name in ["a*/b", "a\"b", "SELECT", "x, NO_INDEX(y)", "--"] {
        let quoted = format!("\"{}\"", name.replace('"', "\"\""));
        let db = after(&[
            &format!("CREATE TABLE {quoted} (k INTEGER PRIMARY KEY, v INTEGER) SALT_BUCKETS = 3"),
            &format!("UPSERT INTO {quoted} SELECT value, value % 3 FROM generate_series(1, 9)"),
            &format!("CREATE INDEX i ON {quoted} (v)"),
        ]);
        let scan = db.table(&quoted).unwrap().scan().filter("v = 1");
        assert_eq!(
            rows(scan.sorted().unwrap()),
            ["1|1", "4|1", "7|1"],
            "{name}"
        );
    }
}
