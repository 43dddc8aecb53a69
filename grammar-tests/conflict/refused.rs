//! What makes no sense where a key exists.

use crate::support::{after, error, rows};

#[test]
fn each_says_why() {
    let db = after(&[
        "CREATE TABLE t (a VARCHAR, k INTEGER, v VARCHAR, n BIGINT NOT NULL, PRIMARY KEY (k, a)) \
         SALT_BUCKETS = 3",
        "UPSERT INTO t VALUES ('x', 1, 'a', 10)",
        "CREATE TABLE excluded (k INTEGER PRIMARY KEY, n BIGINT)",
    ]);
    let insert = |tail: &str| format!("INSERT INTO t VALUES ('x', 1, 'b', 2) {tail}");
    let upsert = |tail: &str| format!("UPSERT INTO t VALUES ('x', 1, 'b', 2) {tail}");
    let statements = [
        insert("ON CONFLICT (k) DO NOTHING"),
        insert("ON CONFLICT (v) DO UPDATE SET n = 1"),
        insert("ON CONFLICT (k, a, n) DO UPDATE SET n = 1"),
        insert("ON CONFLICT (k, w) DO NOTHING"),
        insert("ON CONFLICT (k, a) DO UPDATE SET a = 'y'"),
        insert("ON CONFLICT (k, a) DO UPDATE SET w = 1"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = w"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = excluded.w"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = u.n"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = NULL"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = NULLIF(n, 10)"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = 'ten'"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = v"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = sum(n)"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = row_number() OVER ()"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = (SELECT max(n) FROM t)"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = 1 WHERE n"),
        insert("ON CONFLICT (k, a) DO UPDATE SET n = 1 WHERE EXISTS (SELECT 1)"),
        upsert("ON DUPLICATE KEY UPDATE k = 2"),
        upsert("ON DUPLICATE KEY UPDATE n = w"),
        upsert("ON DUPLICATE KEY UPDATE n = excluded.n"),
        upsert("ON DUPLICATE KEY UPDATE n = n / 0"),
        upsert("ON DUPLICATE KEY UPDATE n = (SELECT 1)"),
        "INSERT INTO excluded VALUES (1, 1) ON CONFLICT (k) DO UPDATE SET n = 1".to_owned(),
        "INSERT INTO t (a, k) VALUES ('x', 1) ON CONFLICT DO NOTHING".to_owned(),
        "UPSERT INTO t VALUES ('x', NULL, 'b', 2) ON DUPLICATE KEY IGNORE".to_owned(),
        "UPSERT INTO t VALUES ('x', 1, 'b', NULL) ON DUPLICATE KEY IGNORE".to_owned(),
    ];
    let errors: Vec<String> = statements.iter().map(|sql| error(&db, sql)).collect();
    insta::assert_snapshot!(errors.join("\n"));
    assert_eq!(rows(&db, "SELECT * FROM t"), ["x|1|a|10"]);
}

#[test]
fn what_needs_no_values_is_found_when_it_is_prepared() {
    let db = after(&["CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT)"]);
    for sql in [
        "INSERT INTO t VALUES (?, 1) ON CONFLICT (n) DO NOTHING",
        "INSERT INTO t VALUES (?, 1) ON CONFLICT (k) DO UPDATE SET k = ?",
        "UPSERT INTO t VALUES (?, 1) ON DUPLICATE KEY UPDATE n = w + ?",
    ] {
        assert!(db.prepare(sql).is_err(), "{sql}");
    }
}
