//! Orders that the key serves beyond its own: behind lists, as a setting, and page by page.

use rocksalt::blocking::Outcome;
use rocksalt::params;

use crate::key_grid::{any_order, everywhere, size, twin, with_key};
use crate::support::*;

/// `LIMIT n` must be the first n rows of the whole answer, whatever n.
#[track_caller]
fn every_limit_is_a_prefix(db: &rocksalt::blocking::Database, query: &str, name: &str) {
    let all = rows(db, query);
    for limit in 1..=all.len() + 1 {
        let some = rows(db, &format!("{query} LIMIT {limit}"));
        assert_eq!(
            some,
            all[..limit.min(all.len())],
            "{name}: {query} LIMIT {limit}"
        );
    }
    let page = rows(db, &format!("{query} LIMIT 4 OFFSET 3"));
    let end = all.len().min(7);
    assert_eq!(page, all[end.min(3)..end], "{name}: {query}");
}

#[test]
fn behind_a_list_the_next_columns_order() {
    everywhere(|db, name| {
        // Of the two directions one or the other is that of the key, forward or in reverse.
        for order in ["b", "b DESC"] {
            for list in [
                "a IN (1, 3)",
                "a IN (2, 3, 9, 2, NULL)",
                "a = 2 OR a IS NULL",
            ] {
                let query = format!("SELECT b FROM t WHERE {list} ORDER BY {order}");
                assert_eq!(rows(db, &query), twin(db, &query), "{name}: {query}");
                let plan = plan(db, &query);
                assert!(!plan.contains("Sort"), "{name}: {query}\n{plan}");
                assert!(plan.contains(&format!("KeyMerge: {order}")), "{plan}");
            }
        }
    });
}

#[test]
fn behind_a_list_every_limit_is_a_prefix() {
    everywhere(|db, name| {
        for query in [
            "SELECT a, b, c FROM t WHERE a IN (1, 3) ORDER BY b",
            "SELECT a, b, c, v FROM t WHERE a IN (1, 2, 3, 4) ORDER BY b DESC",
            "SELECT c, v FROM t WHERE a IN (1, 2) AND b IN (1, 3) ORDER BY c",
        ] {
            assert_eq!(
                any_order(rows(db, query)),
                any_order(twin(db, query)),
                "{name}: {query}"
            );
            every_limit_is_a_prefix(db, query, name);
        }
        // Two columns behind the list, in one direction of the key or the other.
        let query = "SELECT b, c FROM t WHERE a IN (1, 2, 3) AND b > 1 ORDER BY b, c";
        assert_eq!(rows(db, query), twin(db, query), "{name}: {query}");
        let query = "SELECT b, c FROM t WHERE a IN (1, 2, 3) AND b < 4 ORDER BY b DESC, c";
        assert_eq!(rows(db, query), twin(db, query), "{name}: {query}");
    });
}

#[test]
fn keys_behind_a_list_come_in_the_order_of_the_rest() {
    everywhere(|db, name| {
        for order in ["b, c", "b DESC, c DESC", "b, c DESC", "b DESC, c"] {
            let query = format!(
                "SELECT b, c FROM t WHERE a IN (1, 2, 3) AND b IN (1, 2, 4) AND c IN (0, 1) \
                 ORDER BY {order}"
            );
            assert_eq!(rows(db, &query), twin(db, &query), "{name}: {query}");
        }
        every_limit_is_a_prefix(
            db,
            "SELECT a, b, c FROM t WHERE a IN (3, 2) AND b IN (1, 2, 4) AND c = 0 ORDER BY b",
            name,
        );
    });
}

#[test]
fn what_a_list_does_not_order_is_sorted() {
    let db = with_key("a, b, c", " SALT_BUCKETS = 16");
    let plans = [
        // Rows of several ranges share b and c: what follows them is not decided by the key.
        "SELECT * FROM t WHERE a IN (1, 2) ORDER BY b, c, v",
        "SELECT * FROM t WHERE a IN (1, 2) ORDER BY b, a",
        "SELECT * FROM t WHERE a > 1 ORDER BY b",
        "SELECT * FROM t WHERE a IN (1, 2) OR a > 7 ORDER BY b",
        "SELECT * FROM t WHERE a IN (1, 2) AND b = 3 ORDER BY c LIMIT 5",
        "SELECT * FROM t WHERE a IN (1, 2) AND b IN (3, 4) ORDER BY b, c DESC",
    ]
    .map(|query| format!("{query}\n{}\n", plan(&db, query)));
    insta::assert_snapshot!(plans.join("\n"));
}

#[test]
fn too_many_streams_are_sorted() {
    let db = after(&[
        "CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 256",
        "CREATE TABLE s (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) \
         SALT_BUCKETS = 256, SALT_COLUMNS = (a)",
        "UPSERT INTO t VALUES (1, 9), (2, 3), (3, 7), (4, 5), (5, 1)",
        "UPSERT INTO s VALUES (1, 9), (2, 3), (3, 7), (4, 5), (5, 1)",
    ]);
    for (table, list, merged) in [
        ("t", "1, 2, 3, 4", true),
        ("t", "1, 2, 3, 4, 5", false),
        ("s", "1, 2, 3, 4, 5", true),
    ] {
        let query = format!("SELECT b FROM {table} WHERE a IN ({list}) ORDER BY b");
        let plan = plan(&db, &query);
        assert_eq!(plan.contains("KeyMerge: b"), merged, "{plan}");
        assert_eq!(plan.contains("Sort: b"), !merged, "{plan}");
        let expected: &[&str] = match list.len() {
            10 => &["3", "5", "7", "9"],
            _ => &["1", "3", "5", "7", "9"],
        };
        assert_eq!(rows(&db, &query), expected);
    }
}

/// The rows of a query in a session.
#[track_caller]
fn in_session(session: &rocksalt::blocking::Session, query: &str) -> Vec<String> {
    match session.query(query, ()).and_then(text) {
        Ok(rows) => rows,
        Err(error) => panic!("{query}\n{error}"),
    }
}

#[test]
fn row_key_order_orders_every_plain_scan() {
    everywhere(|db, name| {
        let order = &name[1..name.find(')').unwrap()];
        let session = db.session();
        session.execute("SET row_key_order = on", ()).unwrap();
        for (query, limits) in [
            ("SELECT * FROM t", true),
            ("SELECT v FROM t", false),
            ("SELECT v + 1 AS w, b FROM t AS x WHERE v > 3", false),
            ("SELECT * FROM t WHERE a IN (3, 1) AND b >= 2", true),
            (
                "SELECT a, b, c FROM t WHERE a IN (3, 1) AND b IN (2, 1) AND c IN (1, 0)",
                true,
            ),
            (
                "SELECT w, c FROM (SELECT v * 2 AS w, c FROM t WHERE b IS NOT NULL) WHERE w > 4",
                false,
            ),
            (
                "WITH x AS (SELECT * FROM t) SELECT c, b FROM x WHERE c > (SELECT 0)",
                false,
            ),
        ] {
            // The twin is told the order, at the innermost SELECT and with the limit outside.
            let expected = match query {
                "SELECT w, c FROM (SELECT v * 2 AS w, c FROM t WHERE b IS NOT NULL) WHERE w > 4" => {
                    twin(
                        db,
                        &format!(
                            "SELECT v * 2 AS w, c FROM t WHERE b IS NOT NULL AND v * 2 > 4 ORDER BY {order}"
                        ),
                    )
                }
                "WITH x AS (SELECT * FROM t) SELECT c, b FROM x WHERE c > (SELECT 0)" => twin(
                    db,
                    &format!("SELECT c, b FROM t WHERE c > 0 ORDER BY {order}"),
                ),
                "SELECT * FROM t" => {
                    twin(db, &format!("SELECT a, b, c, v FROM t ORDER BY {order}"))
                }
                "SELECT * FROM t WHERE a IN (3, 1) AND b >= 2" => twin(
                    db,
                    &format!(
                        "SELECT a, b, c, v FROM t WHERE a IN (3, 1) AND b >= 2 ORDER BY {order}"
                    ),
                ),
                query => twin(db, &format!("{query} ORDER BY {order}")),
            };
            assert_eq!(in_session(&session, query), expected, "{name}: {query}");
            for limit in (1..=expected.len() + 1).filter(|_| limits) {
                assert_eq!(
                    in_session(&session, &format!("{query} LIMIT {limit}")),
                    expected[..limit.min(expected.len())],
                    "{name}: {query} LIMIT {limit}"
                );
            }
            let page = in_session(&session, &format!("{query} LIMIT 2 OFFSET 1"));
            assert_eq!(page, expected[1..3], "{name}: {query}");
        }
        let count = in_session(&session, "SELECT count(*) FROM t");
        assert_eq!(count, [size().to_string()]);
    });
}

#[test]
fn row_key_order_shows_in_the_plans_of_its_session_alone() {
    let db = with_key("a, b DESC, c", " SALT_BUCKETS = 16");
    let session = db.session();
    let queries = [
        "SELECT * FROM t",
        "SELECT v FROM t WHERE v > 3 LIMIT 5",
        "SELECT v FROM t WHERE a = 1 AND b > 2 LIMIT 2 OFFSET 3",
        "SELECT count(*) FROM t",
        "SELECT DISTINCT v FROM t",
        "SELECT t.v FROM t JOIN plain p ON t.v = p.v",
        "SELECT v FROM t WHERE v IN (SELECT v FROM plain)",
        "SELECT * FROM t ORDER BY v",
        "SELECT v FROM t UNION ALL SELECT v FROM t",
        "SELECT * FROM plain LIMIT 2",
    ];
    let plans = |session: &rocksalt::blocking::Session| {
        queries
            .map(|query| format!("{query}\n{}\n", session.explain(query).unwrap()))
            .join("\n")
    };
    let off = plans(&session);
    assert!(!off.contains("KeyMerge"), "{off}");
    // The same text, prepared and cached before: it runs with the setting of the moment.
    let prepared = session.prepare(queries[1]).unwrap();
    session.execute("SET row_key_order = true", ()).unwrap();
    insta::assert_snapshot!(plans(&session));
    assert!(
        prepared
            .explain()
            .unwrap()
            .to_string()
            .contains("KeyMerge: a, b DESC, c")
    );
    assert!(
        !db.explain(queries[0])
            .unwrap()
            .to_string()
            .contains("KeyMerge")
    );
    let Ok(Outcome::Plan(plan)) = session.run("EXPLAIN SELECT * FROM t") else {
        panic!("EXPLAIN returns a plan");
    };
    assert!(plan.to_string().contains("KeyMerge"), "{plan}");
    session.execute("SET row_key_order = off", ()).unwrap();
    assert_eq!(plans(&session), off);
    assert!(!prepared.explain().unwrap().to_string().contains("KeyMerge"));
    let error = session.execute("SET row_key_order = 7", ()).unwrap_err();
    insta::assert_snapshot!(error, @"invalid: row_key_order cannot be '7': it is 'on' or 'off' at line 1, column 5");
}

#[test]
fn pages_by_key_are_the_whole_table() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = after(&[&format!(
                "CREATE TABLE t (a INTEGER, b INTEGER, v INTEGER, \
                 PRIMARY KEY (a {direction}, b {direction})){salt}"
            )]);
            let all: Vec<(i32, i32)> = (0..7).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
            let values: Vec<String> = all.iter().map(|(a, b)| format!("({a}, {b}, 0)")).collect();
            run(&db, &format!("UPSERT INTO t VALUES {}", values.join(", ")));
            for (order, after, start) in [("a, b", ">", (-1, 0)), ("a DESC, b DESC", "<", (99, 0))]
            {
                let mut expected = all.clone();
                if after == "<" {
                    expected.reverse();
                }
                let (mut seen, mut last) = (Vec::new(), start);
                loop {
                    let query = format!(
                        "SELECT a, b FROM t WHERE (a, b) {after} (?, ?) ORDER BY {order} LIMIT 4"
                    );
                    let page = rows_with(&db, &query, params![last.0, last.1]);
                    let page: Vec<(i32, i32)> = page
                        .iter()
                        .map(|row| {
                            let (a, b) = row.split_once('|').unwrap();
                            (a.parse().unwrap(), b.parse().unwrap())
                        })
                        .collect();
                    let Some(end) = page.last() else { break };
                    last = *end;
                    seen.extend(page);
                }
                assert_eq!(seen, expected, "{direction} {order}{salt}");
            }
        }
    }
}

/// Orders by expressions inside of others, of which nobody knows the bounds.
#[test]
fn nested_expressions_order() {
    let create = "CREATE TABLE t (a INTEGER, b INTEGER, v INTEGER, PRIMARY KEY (a, b))";
    let insert = "INSERT INTO t VALUES (1, 1, 6), (1, 2, NULL), (2, 1, -7), (2, 2, 15), (3, 1, 8)";
    let sqlite = rusqlite::Connection::open_in_memory().unwrap();
    sqlite
        .execute_batch(&format!("{create}; {insert}"))
        .unwrap();
    for salt in SALTS {
        let db = after(&[&format!("{create}{salt}"), insert]);
        for order in [
            "-(v % 7) NULLS LAST, a, b",
            "-(v % 7) DESC NULLS FIRST, b, a",
            "abs(v % 5) NULLS LAST, a DESC, b",
            "abs(v % 5) DESC NULLS FIRST, CASE WHEN v IS NULL THEN 1 ELSE 2 END, a, b",
            "-abs(-(v % 7)) NULLS LAST, v",
        ] {
            for limit in ["", " LIMIT 3"] {
                let query = format!("SELECT a, b, v FROM t ORDER BY {order}{limit}");
                let mut statement = sqlite.prepare(&query).unwrap();
                let cell = |row: &rusqlite::Row<'_>, at| {
                    let value: Option<i64> = row.get(at).unwrap();
                    value.map_or("NULL".to_owned(), |value| value.to_string())
                };
                let expected = statement.query_map((), |row| {
                    Ok([cell(row, 0), cell(row, 1), cell(row, 2)].join("|"))
                });
                let expected: Vec<String> = expected.unwrap().map(Result::unwrap).collect();
                assert_eq!(rows(&db, &query), expected, "{salt}: {query}");
            }
        }
    }
}
