//! Loose scans: the ends of groups, rather than all of their rows.

use crate::key_grid::{any_order, everywhere, plain, twin, with_key};
use crate::support::*;

/// Queries over the grid whose answers have one right order or none, each with whether the key
/// (a, b, c), whatever its directions, allows a loose scan of it.
const QUERIES: &[(&str, bool)] = &[
    ("SELECT DISTINCT a FROM t", true),
    ("SELECT a FROM t GROUP BY a", true),
    ("SELECT DISTINCT b, a FROM t", true),
    ("SELECT DISTINCT a, b, c FROM t", false),
    ("SELECT DISTINCT b FROM t", true),
    ("SELECT DISTINCT c FROM t", false),
    ("SELECT DISTINCT b FROM t WHERE a = 2", true),
    ("SELECT DISTINCT a FROM t WHERE a IN (1, 3, 4)", true),
    ("SELECT DISTINCT a FROM t WHERE a > 1 AND a < 4", true),
    ("SELECT DISTINCT a FROM t WHERE a % 2 = 1", true),
    ("SELECT DISTINCT a % 2 FROM t", true),
    ("SELECT DISTINCT a FROM t WHERE v > 6", false),
    ("SELECT DISTINCT a FROM t WHERE v = 6", false),
    ("SELECT DISTINCT v FROM t WHERE v = 6 AND a > 1", false),
    (
        "SELECT DISTINCT a FROM t WHERE a IN (1, 2) AND b IN (2, 3)",
        true,
    ),
    ("SELECT count(DISTINCT a) FROM t", true),
    ("SELECT count(DISTINCT a), sum(DISTINCT b) FROM t", true),
    (
        "SELECT a, count(DISTINCT b), min(b) FROM t GROUP BY a",
        true,
    ),
    ("SELECT a, count(*) FROM t GROUP BY a", false),
    ("SELECT a, sum(b) FROM t GROUP BY a", false),
    ("SELECT min(a), max(a) FROM t WHERE a IS NOT NULL", true),
    ("SELECT min(a) FROM t", true),
    ("SELECT max(a) FROM t", true),
    ("SELECT min(b), max(b) FROM t WHERE a = 3", true),
    ("SELECT max(b) FROM t WHERE a = 3 AND b < 3", true),
    ("SELECT max(b), min(b) FROM t WHERE a = 4", true),
    ("SELECT max(a) FROM t WHERE a > 100", true),
    ("SELECT a, min(b) FROM t GROUP BY a", true),
    ("SELECT a, max(b) FROM t GROUP BY a", true),
    ("SELECT a, b, max(c), min(c) FROM t GROUP BY a, b", true),
    ("SELECT a, b, max(c) FROM t WHERE a = 1 GROUP BY a, b", true),
    ("SELECT a, max(c) FROM t GROUP BY a", true),
    ("SELECT b, max(c), min(c) FROM t GROUP BY b", true),
    ("SELECT min(b), max(c) FROM t", true),
    ("SELECT max(c) FROM t WHERE a IN (1, 2) AND b = 3", true),
    ("SELECT min(c) FROM t WHERE a % 2 = 1 AND b > 1", true),
    ("SELECT min(c) FROM t WHERE v > 5", false),
    ("SELECT min(v) FROM t", false),
    ("SELECT c, min(b) FROM t GROUP BY c", false),
    (
        "SELECT b, first_value(v ORDER BY c, a) FROM t GROUP BY b",
        true,
    ),
    (
        "SELECT b, c, v FROM (SELECT *, row_number() OVER (PARTITION BY b ORDER BY c DESC, a, v) AS r FROM t) WHERE r = 1",
        true,
    ),
    (
        "SELECT a, max(b) FILTER (WHERE b < 3) FROM t GROUP BY a",
        true,
    ),
    ("SELECT a, b, max(a) FROM t GROUP BY ROLLUP (a, b)", true),
    (
        "SELECT DISTINCT ON (a) a, b, c, v FROM t ORDER BY a, b, c",
        true,
    ),
    (
        "SELECT DISTINCT ON (a) a, b, c, v FROM t ORDER BY a, b DESC, c DESC",
        true,
    ),
    (
        "SELECT DISTINCT ON (a, b) a, b, c, v FROM t ORDER BY a, b, c DESC",
        true,
    ),
    (
        "SELECT DISTINCT ON (a, b) a, b, c, v FROM t ORDER BY a, b, c",
        true,
    ),
    (
        "SELECT a, b, first_value(v ORDER BY c), last_value(v ORDER BY c) FROM t GROUP BY a, b",
        true,
    ),
    (
        "SELECT a, b, first_value(v ORDER BY c DESC) FROM t GROUP BY a, b",
        true,
    ),
    (
        "SELECT a, b, first_value(v) IGNORE NULLS OVER (PARTITION BY a, b ORDER BY c) FROM t",
        false,
    ),
    (
        "SELECT a, b, c, v FROM (SELECT *, row_number() OVER (PARTITION BY a, b ORDER BY c) AS r FROM t) WHERE r = 1",
        true,
    ),
    (
        "SELECT a, b, c, v FROM (SELECT *, row_number() OVER (PARTITION BY a, b ORDER BY c DESC) AS r FROM t) WHERE 2 > r",
        true,
    ),
    (
        "SELECT a, b, c FROM (SELECT *, row_number() OVER (PARTITION BY a, b ORDER BY c DESC) AS r FROM t WHERE a < 4) WHERE r <= 1 AND c > 0",
        true,
    ),
    (
        "SELECT a, b, c, v FROM (SELECT *, row_number() OVER (PARTITION BY a, b ORDER BY c) AS r FROM t) WHERE r <= 2",
        false,
    ),
    (
        "SELECT a, b, n FROM (SELECT *, row_number() OVER (PARTITION BY a, b ORDER BY c) AS r, count(*) OVER (PARTITION BY a, b) AS n FROM t) WHERE r = 1",
        false,
    ),
    (
        "SELECT a, b, n FROM (SELECT *, row_number() OVER (PARTITION BY a, b ORDER BY c) AS r, count(*) OVER (PARTITION BY a, b ORDER BY c) AS n FROM t) WHERE r = 1",
        false,
    ),
    (
        "SELECT a, b, c FROM (SELECT *, rank() OVER (PARTITION BY a ORDER BY b) AS r FROM t) WHERE r = 1",
        false,
    ),
    ("SELECT count(*) FROM (SELECT DISTINCT a, b FROM t)", true),
    (
        "SELECT x.a, x.b, x.c FROM t x WHERE c = (SELECT max(c) FROM t y WHERE y.a = x.a AND y.b = x.b)",
        true,
    ),
    (
        "SELECT a FROM t WHERE a < 3 INTERSECT SELECT b FROM t",
        true,
    ),
];

#[test]
fn the_ends_of_groups_give_the_answer_of_all_rows() {
    let plain = plain();
    let answer = |(query, loose): &'static (&str, bool)| {
        let answer = any_order(twin(&plain, query));
        (*query, *loose, answer)
    };
    let answers: Vec<_> = QUERIES.iter().map(answer).collect();
    everywhere(|db, name| {
        for (query, loose, answer) in &answers {
            assert_eq!(any_order(rows(db, query)), *answer, "{name}: {query}");
            let plan = plan(db, query);
            let chosen = plan.contains("LooseScan: t");
            assert_eq!(chosen, *loose, "{name}: {query}\n{plan}");
        }
    });
}

#[test]
fn every_limit_of_distinct_values_is_a_prefix() {
    everywhere(|db, name| {
        for query in [
            "SELECT DISTINCT a FROM t ORDER BY a",
            "SELECT DISTINCT a, b FROM t WHERE a <> 2 ORDER BY a DESC, b",
            "SELECT a, b, max(c) FROM t GROUP BY a, b ORDER BY a, b",
            "SELECT DISTINCT ON (a, b) a, b, c FROM t ORDER BY a, b, c DESC",
        ] {
            let all = twin(db, query);
            for limit in 1..=all.len() + 1 {
                let query = format!("{query} LIMIT {limit}");
                assert_eq!(
                    rows(db, &query),
                    all[..limit.min(all.len())],
                    "{name}: {query}"
                );
            }
        }
        for limit in 1..=6 {
            let query = format!("SELECT DISTINCT a FROM t LIMIT {limit}");
            assert_eq!(rows(db, &query).len(), limit.min(5), "{name}: {query}");
        }
    });
}

#[test]
fn plans() {
    let db = with_key("a, b DESC, c", " SALT_BUCKETS = 16");
    let plans: Vec<String> = QUERIES
        .iter()
        .map(|(query, _)| format!("{query}\n{}\n", plan(&db, query)))
        .collect();
    insta::assert_snapshot!(plans.join("\n"));
}

#[test]
fn floats_that_are_not_numbers_are_the_largest() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = after(&[
                &format!(
                    "CREATE TABLE t (a INTEGER, f DOUBLE, c INTEGER, \
                     PRIMARY KEY (a, f {direction}, c)){salt}"
                ),
                "UPSERT INTO t VALUES (1, 1.5, 0), (1, 'NaN', 0), (1, -2.5, 1), (2, 'NaN', 1), \
                 (3, -0.0, 0), (3, 0.0, 1)",
            ]);
            let name = format!("{direction}{salt}");
            assert_eq!(
                rows(&db, "SELECT min(f), max(f) FROM t WHERE a = 1"),
                ["-2.5|NaN"],
                "{name}"
            );
            assert_eq!(
                any_order(rows(&db, "SELECT DISTINCT a, f FROM t")),
                any_order(texts(&["1|1.5", "1|NaN", "1|-2.5", "2|NaN", "3|0.0"])),
                "{name}"
            );
            let ends = "SELECT a, min(f), max(f) FROM t GROUP BY a";
            assert_eq!(
                any_order(rows(&db, ends)),
                any_order(texts(&["1|-2.5|NaN", "2|NaN|NaN", "3|0.0|0.0"])),
                "{name}"
            );
            let plan = plan(&db, ends);
            assert!(plan.contains("groups (a), first and last"), "{plan}");
        }
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Versions 1..=n of key k are at 10, 20, ...; the value is the version times the key.
#[test]
fn the_latest_version_up_to_a_checkpoint() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = after(&[&format!(
                "CREATE TABLE t (k INTEGER, version INTEGER, v INTEGER, \
                 PRIMARY KEY (k, version {direction})){salt}"
            )]);
            let values: Vec<String> = (1..=12)
                .flat_map(|k| (1..=k).map(move |n| format!("({k}, {}, {})", n * 10, n * k)))
                .collect();
            run(&db, &format!("UPSERT INTO t VALUES {}", values.join(", ")));
            for checkpoint in [5, 10, 39, 40, 1000] {
                let query = format!(
                    "SELECT DISTINCT ON (k) * FROM t WHERE version <= {checkpoint} \
                     ORDER BY k, version DESC"
                );
                let expected: Vec<String> = (1..=12)
                    .filter_map(|k| {
                        let n = k.min(checkpoint / 10);
                        (n > 0).then(|| format!("{k}|{}|{}", n * 10, n * k))
                    })
                    .collect();
                assert_eq!(rows(&db, &query), expected, "{direction}{salt}: {query}");
            }
        }
    }
}

/// Values that come only with the execution bind ranges of a loose scan and of a merge too.
#[test]
fn values_of_subqueries_and_joins_leave_groups_and_orders_right() {
    let queries = [
        "SELECT a, max(c) FROM t WHERE c <= (SELECT min(c) + 1 FROM t) GROUP BY a",
        "SELECT a, b, max(c) FROM t WHERE c <= (SELECT min(c) + 1 FROM t) GROUP BY a, b",
        "SELECT DISTINCT b FROM t WHERE a = (SELECT max(a) - 1 FROM t WHERE a < 4)",
        "SELECT max(c) FROM t WHERE v > (SELECT 5)",
        "SELECT DISTINCT a FROM t WHERE a < (SELECT NULL)",
        "SELECT x.a, x.m FROM (SELECT a, max(b) AS m FROM t WHERE b < 3 GROUP BY a) x \
         JOIN (SELECT DISTINCT a FROM t WHERE a > 2) y ON x.a = y.a",
        "SELECT x.a, x.c, x.v FROM (SELECT DISTINCT ON (a, b) * FROM t ORDER BY a, b, c DESC) x \
         WHERE x.a IN (SELECT b FROM t WHERE a = 3)",
        "SELECT x.b, x.v FROM (SELECT *, row_number() OVER (PARTITION BY a, b ORDER BY c) AS r \
         FROM t) x JOIN t y ON x.a = y.b AND x.b = y.a WHERE x.r = 1 AND y.c = 0",
    ];
    let ordered = [
        "SELECT b FROM t WHERE a IN (1, 3) AND b >= (SELECT min(b) + 1 FROM t) ORDER BY b DESC",
        "SELECT b FROM t WHERE a = 2 OR a = (SELECT min(a) FROM t) ORDER BY b",
        "SELECT b FROM t WHERE a = (SELECT NULL) OR a = (SELECT 3) ORDER BY b LIMIT 4",
        "SELECT b FROM t WHERE a IN (1, 3) AND a > (SELECT 9) ORDER BY b",
        "SELECT b FROM t WHERE a IN (1, 3) AND c IN (SELECT b FROM t) ORDER BY b",
    ];
    let plan = plan(&with_key("a, b, c", " SALT_BUCKETS = 16"), queries[1]);
    insta::assert_snapshot!(plan, @r"
    ScalarSubquery
    ├─ Aggregate: group by (a, b), max(c)
    │  └─ LooseScan: t, buckets <=16/16, groups (a, b), last, ranges .. (*, *, subquery 1)], columns [a, b, c]
    └─ Subquery 1
       └─ Projection: CAST(min(c) AS BIGINT) + 1
          └─ Aggregate: min(c)
             └─ LooseScan: t, buckets 16/16, groups (a, b), columns [c]
    note: t reads 16/16 buckets: a, b, c not bound by equality
    ");
    everywhere(|db, name| {
        for query in queries {
            assert_eq!(
                any_order(rows(db, query)),
                any_order(twin(db, query)),
                "{name}: {query}"
            );
        }
        for query in ordered {
            assert_eq!(rows(db, query), twin(db, query), "{name}: {query}");
        }
    });
}
