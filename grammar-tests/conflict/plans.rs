//! The plans of statements that say what becomes of rows that exist.

use crate::support::{after, plan};

#[test]
fn the_clause_stands_on_the_line_of_the_statement() {
    let db = after(&[
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR, n BIGINT) SALT_BUCKETS = 16",
        "CREATE TABLE s (k INTEGER PRIMARY KEY)",
    ]);
    insta::assert_snapshot!(plan(&db, "UPSERT INTO t (k) VALUES (1), (2) ON DUPLICATE KEY IGNORE"), @"
    Upsert: t, on duplicate key ignore
    └─ Values: 2 rows
    ");
    insta::assert_snapshot!(plan(&db, "UPSERT INTO t VALUES (1, ?, 1) ON DUPLICATE KEY UPDATE n = n + ?, v = DEFAULT"), @"
    Upsert: t, on duplicate key update n, v
    └─ Values: 1 row
    ");
    insta::assert_snapshot!(plan(&db, "INSERT INTO t (k) SELECT k FROM s WHERE k < 5 ON CONFLICT DO NOTHING"), @"
    Insert: t, on conflict nothing
    └─ RangeScan: s, unsalted, ranges .. 5)
    ");
    insta::assert_snapshot!(plan(&db, "INSERT INTO t (k) SELECT k FROM s ON CONFLICT (k) DO UPDATE SET n = excluded.n, v = 'x' WHERE t.n < excluded.n"), @"
    Insert: t, on conflict update n, v, filter t.n < excluded.n
    └─ FullScan: s, unsalted
    ");
}
