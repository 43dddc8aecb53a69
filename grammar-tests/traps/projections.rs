//! Filters that stay above a scan, and the columns that are picked above and below them.
//!
//! DataFusion moves projections below filters that pick columns of their own as if they did not.

use crate::support::*;

/// `r` has the rows (j, 10 j, 100 j, 1000 j) for j in 1..=8, `l` has (j, j) for j in 1..=4.
fn tables(salt: &str, direction: &str) -> rocksalt::blocking::Database {
    let right: Vec<String> = (1..=8)
        .map(|j| format!("({j}, {}, {}, {})", 10 * j, 100 * j, 1000 * j))
        .collect();
    after(&[
        &format!("CREATE TABLE l (j BIGINT, k BIGINT, PRIMARY KEY (j {direction})){salt}"),
        &format!(
            "CREATE TABLE r (j BIGINT, k BIGINT, a BIGINT, b BIGINT, PRIMARY KEY (j {direction})){salt}"
        ),
        "UPSERT INTO l VALUES (1, 1), (2, 2), (3, 3), (4, 4)",
        &format!("UPSERT INTO r VALUES {}", right.join(", ")),
    ])
}

#[test]
fn columns_above_a_filter_are_those_that_were_asked_for() {
    // Every j of r but 1 and 2.
    const JOIN: &str = "FROM l RIGHT JOIN r ON l.j = r.j WHERE coalesce(l.k, 100) >= 3";
    const ALL: &str = "FROM r WHERE random() >= 0";
    let from_three = |f: fn(i64) -> String| (3..=8).map(f).collect::<Vec<_>>();
    let from_one = |f: fn(i64) -> String| (1..=8).map(f).collect::<Vec<_>>();
    let cases = [
        (
            format!("SELECT r.k, r.a + r.b {JOIN} ORDER BY 1"),
            from_three(|j| format!("{}|{}", 10 * j, 1100 * j)),
        ),
        (
            format!("SELECT k, s FROM (SELECT r.a + r.b AS s, r.b, r.k {JOIN} LIMIT 9) ORDER BY 1"),
            from_three(|j| format!("{}|{}", 10 * j, 1100 * j)),
        ),
        (
            format!(
                "SELECT b - k AS d FROM (SELECT r.b, r.a, r.k {JOIN} ORDER BY r.j LIMIT 9) ORDER BY 1"
            ),
            from_three(|j| (990 * j).to_string()),
        ),
        (
            format!(
                "SELECT b, j - a AS d FROM (SELECT b, a, j {ALL} ORDER BY j LIMIT 9) ORDER BY b"
            ),
            from_one(|j| format!("{}|{}", 1000 * j, -99 * j)),
        ),
        (
            format!(
                "SELECT b - a AS d FROM (SELECT b, a, j {ALL} ORDER BY j DESC LIMIT 9) ORDER BY d"
            ),
            from_one(|j| (900 * j).to_string()),
        ),
        (
            format!("SELECT b, j - a AS d FROM (SELECT b, a, j {ALL} LIMIT 9) ORDER BY b"),
            from_one(|j| format!("{}|{}", 1000 * j, -99 * j)),
        ),
        (
            format!(
                "SELECT b, row_number() OVER (ORDER BY j) FROM (SELECT b, a, j {ALL} ORDER BY j LIMIT 9) \
                 WHERE a > 0 ORDER BY b"
            ),
            from_one(|j| format!("{}|{j}", 1000 * j)),
        ),
        (
            format!(
                "SELECT x.b - x.a AS d FROM (SELECT b, a, j {ALL} ORDER BY j LIMIT 9) x \
                 JOIN (SELECT b, a, j {ALL} ORDER BY j LIMIT 9) y ON x.a = y.a ORDER BY 1"
            ),
            from_one(|j| (900 * j).to_string()),
        ),
    ];
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = tables(salt, direction);
            for (sql, expected) in &cases {
                assert_eq!(rows(&db, sql), *expected, "{sql}\n[{salt}] {direction}");
            }
        }
    }
}
