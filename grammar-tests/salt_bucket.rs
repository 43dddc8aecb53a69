//! `salt_bucket(t)`: the bucket of a row, computed by the code that writes put it there with.

use std::collections::BTreeMap;

use rocksalt::blocking::Database;
use rocksalt::params;
use xxhash_rust::xxh3::xxh3_64;

use crate::support::{DIRECTIONS, affected, after, error, plan, rows, rows_with};

const EVENTS: &str = "CREATE TABLE events (v INTEGER, host VARCHAR, n BIGINT, \
                      CONSTRAINT pk PRIMARY KEY (host, n)) SALT_BUCKETS = 16";

fn db() -> Database {
    after(&[
        EVENTS,
        "CREATE TABLE \"Odd one\" (\"K\" INTEGER PRIMARY KEY) SALT_BUCKETS = 3",
        "CREATE TABLE plain (n BIGINT PRIMARY KEY)",
        "UPSERT INTO events SELECT value % 7, 'h' || CAST(value % 3 AS VARCHAR), value \
         FROM generate_series(1, 300)",
        "UPSERT INTO \"Odd one\" SELECT value FROM generate_series(1, 20)",
        "UPSERT INTO plain SELECT value FROM generate_series(1, 20)",
    ])
}

/// A text and a number as `docs/format.md` writes them into a key; DESC inverts every byte.
fn encoded(host: &str, n: i64, host_descends: bool) -> Vec<u8> {
    let mut text: Vec<u8> = host.bytes().chain([0x00, 0x01]).collect();
    if host_descends {
        text.iter_mut().for_each(|byte| *byte = !*byte);
    }
    let number = (n as u64 ^ (1 << 63)).to_be_bytes();
    text.into_iter().chain(number).collect()
}

#[test]
fn it_is_the_hash_of_the_key() {
    for buckets in [1_u64, 3, 16, 256] {
        for direction in DIRECTIONS {
            let db = after(&[
                &format!(
                    "CREATE TABLE t (v INTEGER, n BIGINT, host VARCHAR, \
                     PRIMARY KEY (host {direction}, n)) SALT_BUCKETS = {buckets}"
                ),
                &format!(
                    "CREATE TABLE s (v INTEGER, n BIGINT, host VARCHAR, \
                     PRIMARY KEY (host {direction}, n)) SALT_BUCKETS = {buckets}, SALT_COLUMNS = (host)"
                ),
                "UPSERT INTO t SELECT 1, value - 50, 'h' || CAST(value % 5 AS VARCHAR) \
                 FROM generate_series(1, 100)",
                "UPSERT INTO s SELECT * FROM t",
            ]);
            let descends = direction == "DESC";
            let host_bytes = |host: &str| {
                let whole = encoded(host, 0, descends);
                whole[..whole.len() - 8].to_vec()
            };
            let of_host = |host: &str| xxh3_64(&host_bytes(host)) % buckets;
            let of_key = |host: &str, n| xxh3_64(&encoded(host, n, descends)) % buckets;
            let got = rows(&db, "SELECT host, n, salt_bucket(t) FROM t ORDER BY n");
            let expected: Vec<String> = (1..=100)
                .map(|value| (format!("h{}", value % 5), value - 50))
                .map(|(host, n)| format!("{host}|{n}|{}", of_key(&host, n)))
                .collect();
            assert_eq!(got, expected, "{buckets} buckets, {direction}");
            let got = rows(
                &db,
                "SELECT DISTINCT host, salt_bucket(s) FROM s ORDER BY host",
            );
            let expected: Vec<String> = (0..5)
                .map(|host| format!("h{host}"))
                .map(|host| format!("{host}|{}", of_host(&host)))
                .collect();
            assert_eq!(got, expected, "{buckets} buckets, {direction}, by host");
        }
    }
}

#[test]
fn it_stands_wherever_an_expression_stands() {
    let db = db();
    let all = rows(&db, "SELECT salt_bucket(events), n FROM events ORDER BY n");
    let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
    for row in &all {
        let (bucket, _) = row.split_once('|').unwrap();
        *counts.entry(bucket.parse().unwrap()).or_default() += 1;
    }
    assert_eq!(counts.values().sum::<usize>(), 300);
    let grouped: Vec<String> = counts.iter().map(|(b, n)| format!("{b}|{n}")).collect();
    assert_eq!(
        rows(
            &db,
            "SELECT salt_bucket(events), count(*) FROM events GROUP BY salt_bucket(events) \
             ORDER BY salt_bucket(events)"
        ),
        grouped
    );
    assert_eq!(
        rows(
            &db,
            "SELECT salt_bucket(e) AS b, count(*) FROM events AS e GROUP BY b \
             HAVING count(*) > 0 ORDER BY salt_bucket(e)"
        ),
        grouped
    );
    for (bucket, count) in &counts {
        let sql = format!("SELECT count(*) FROM events WHERE salt_bucket(events) = {bucket}");
        assert_eq!(rows(&db, &sql), [count.to_string()]);
        let sql = format!(
            "SELECT n FROM events e WHERE salt_bucket(e) IN ({bucket}, 99) AND n > 10 ORDER BY n"
        );
        let expected: Vec<String> = all
            .iter()
            .filter_map(|row| row.strip_prefix(&format!("{bucket}|")))
            .filter(|n| n.parse::<i64>().unwrap() > 10)
            .map(str::to_owned)
            .collect();
        assert_eq!(rows(&db, &sql), expected);
    }
    assert_eq!(
        rows(
            &db,
            "SELECT n FROM events ORDER BY salt_bucket(events) DESC, n LIMIT 1"
        )
        .len(),
        1
    );
}

#[test]
fn it_takes_every_name_that_a_table_has_in_its_from() {
    let db = db();
    let one = |from: &str, called: &str| {
        let sql = format!("SELECT salt_bucket({called}) FROM {from} WHERE n = 17");
        rows(&db, &sql)
    };
    let expected = one("events", "events");
    assert_eq!(expected.len(), 1);
    for (from, called) in [
        ("events", "public.events"),
        ("events", "rocksalt.public.events"),
        ("events", "EVENTS"),
        ("events", "\"events\""),
        ("public.events", "events"),
        ("public.events", "public.events"),
        ("rocksalt.public.events", "events"),
        ("events e", "e"),
        ("events AS \"E\"", "\"E\""),
        ("events AS x (a, b, n)", "x"),
        ("(events)", "events"),
    ] {
        assert_eq!(one(from, called), expected, "{from}, {called}");
    }
    assert_eq!(
        rows(
            &db,
            "SELECT SALT_BUCKET(\"Odd one\") FROM \"Odd one\" WHERE \"K\" = 3"
        )
        .len(),
        1
    );
    // Both sides of a join, one of them twice.
    let joined = rows(
        &db,
        "SELECT a.n, salt_bucket(a), b.n, salt_bucket(b) FROM events a \
         JOIN events b ON a.n + 1 = b.n AND salt_bucket(a) <> salt_bucket(b) ORDER BY a.n",
    );
    let of_n: BTreeMap<String, String> = rows(&db, "SELECT n, salt_bucket(events) FROM events")
        .iter()
        .filter_map(|row| row.split_once('|'))
        .map(|(n, bucket)| (n.to_owned(), bucket.to_owned()))
        .collect();
    let expected: Vec<String> = (1..300)
        .map(|n| (n.to_string(), (n + 1).to_string()))
        .filter(|(a, b)| of_n[a] != of_n[b])
        .map(|(a, b)| format!("{a}|{}|{b}|{}", of_n[&a], of_n[&b]))
        .collect();
    assert_eq!(joined, expected);
}

#[test]
fn a_row_that_an_outer_join_has_not_has_no_bucket() {
    let db = db();
    let sql = "SELECT p.n, salt_bucket(e) IS NULL FROM plain p \
               LEFT JOIN events e ON e.n = p.n * 100 AND e.host <> 'x' WHERE p.n IN (1, 4) ORDER BY p.n";
    assert_eq!(rows(&db, sql), ["1|false", "4|true"]);
}

#[test]
fn subqueries_have_tables_of_their_own() {
    let db = db();
    let of_17 = rows(&db, "SELECT salt_bucket(events) FROM events WHERE n = 17");
    for sql in [
        "SELECT b FROM (SELECT salt_bucket(events) AS b, n FROM events) x WHERE n = 17",
        "WITH events AS (SELECT salt_bucket(events) AS b FROM events WHERE n = 17) SELECT b FROM events",
        "WITH x AS (SELECT * FROM plain) SELECT salt_bucket(events) FROM events, x WHERE events.n = x.n AND x.n = 17",
        "SELECT (SELECT max(salt_bucket(e)) FROM events e WHERE e.n = p.n) FROM plain p WHERE p.n = 17",
        "SELECT salt_bucket(events) FROM events WHERE n = 17 UNION ALL SELECT salt_bucket(o) FROM \"Odd one\" o WHERE \"K\" = 100",
        "SELECT salt_bucket(e) FROM events e WHERE EXISTS (SELECT 1 FROM plain p WHERE p.n = e.n AND p.n = 17)",
        "SELECT salt_bucket(e) FROM events e WHERE EXISTS (SELECT 1 FROM plain p WHERE p.n = e.n AND p.n = 17 AND salt_bucket(e) >= 0)",
    ] {
        assert_eq!(rows(&db, sql), of_17, "{sql}");
    }
}

#[test]
fn writes_can_ask_for_it() {
    let db = db();
    let count = |bucket| {
        let sql = format!("SELECT count(*) FROM events WHERE salt_bucket(events) = {bucket}");
        rows(&db, &sql)[0].parse::<u64>().unwrap()
    };
    let (three, four) = (count(3), count(4));
    assert!(three > 0 && four > 0);
    assert_eq!(
        affected(&db, "DELETE FROM events WHERE salt_bucket(events) = 3"),
        three
    );
    assert_eq!(count(3), 0);
    let sql = "UPDATE events e SET v = salt_bucket(e) + 100 WHERE salt_bucket(e) = 4";
    assert_eq!(affected(&db, sql), four);
    assert_eq!(
        rows(&db, "SELECT DISTINCT v FROM events WHERE v >= 100"),
        ["104"]
    );
    let copied = affected(
        &db,
        "UPSERT INTO plain SELECT n FROM events WHERE salt_bucket(events) = 4",
    );
    assert_eq!(copied, four);
}

#[test]
fn the_column_has_its_name_and_its_type() {
    let db = db();
    let result = db
        .query(
            "SELECT salt_bucket(events), salt_bucket(e2) FROM events, events e2 LIMIT 1",
            (),
        )
        .unwrap();
    let schema = result.schema();
    assert_eq!(schema.field(0).name(), "salt_bucket(events)");
    assert_eq!(schema.field(1).name(), "salt_bucket(e2)");
    assert_eq!(
        schema.field(0).data_type(),
        &rocksalt::arrow::datatypes::DataType::Int32
    );
}

#[test]
fn a_point_get_computes_it_too() {
    let db = db();
    let sql = "SELECT n, salt_bucket(e) FROM events e WHERE host = 'h2' AND n = 17";
    assert!(plan(&db, sql).contains("PointGet: events, buckets 1/16"));
    let of_17 = rows(
        &db,
        "SELECT n, salt_bucket(events) FROM events WHERE n = 17",
    );
    assert_eq!(rows(&db, sql), of_17);
    let bucket = of_17[0]
        .strip_prefix("17|")
        .unwrap()
        .parse::<i64>()
        .unwrap();
    for (value, found) in [(bucket, 1), (bucket + 1, 0)] {
        let sql = "SELECT n FROM events WHERE host = 'h2' AND n = 17 AND salt_bucket(events) = ?";
        assert_eq!(rows_with(&db, sql, params![value]).len(), found);
    }
}

#[test]
fn plans_show_it_as_it_is_written() {
    let db = db();
    insta::assert_snapshot!(
        plan(&db, "SELECT salt_bucket(events), count(*) FROM events GROUP BY salt_bucket(events)"),
        @r"
    Aggregate: group by (salt_bucket(events)), count(*)
    └─ FullScan: events, buckets 16/16, columns [host, n]
    "
    );
    insta::assert_snapshot!(
        plan(&db, "SELECT n FROM events WHERE v > 3 OR salt_bucket(events) = 7"),
        @r"
    FullScan: events, buckets 16/16, columns [n], filter v > 3 OR salt_bucket(events) = 7
    note: events reads 16/16 buckets: host, n not bound by equality
    "
    );
    insta::assert_snapshot!(
        plan(&db, "SELECT salt_bucket(\"Odd one\") AS b FROM \"Odd one\" ORDER BY b"),
        @r#"
    Sort: b
    └─ Projection: salt_bucket("Odd one") AS b
       └─ FullScan: "Odd one", buckets 3/3
    "#
    );
}

#[test]
fn what_has_no_buckets_is_refused_where_it_stands() {
    let db = db();
    let shown: Vec<String> = [
        "SELECT salt_bucket(plain) FROM plain",
        "SELECT salt_bucket(x) FROM events",
        "SELECT salt_bucket(events) FROM events e",
        "SELECT salt_bucket(events)",
        "SELECT 1 FROM events WHERE n = 1 AND salt_bucket(nowhere) = 2",
        "SELECT salt_bucket(x) FROM (SELECT * FROM events) x",
        "WITH events AS (SELECT 1 AS one) SELECT salt_bucket(events) FROM events",
        "WITH x AS (SELECT 1 AS one), y AS (SELECT salt_bucket(x) FROM x) SELECT * FROM y",
        "SELECT * FROM events ORDER BY salt_bucket(plain)",
        "SELECT salt_bucket(g) FROM generate_series(1, 2) g",
        "SELECT salt_bucket(tables) FROM information_schema.tables",
        "SELECT salt_bucket(tables) FROM system.tables",
        "SELECT salt_bucket() FROM events",
        "SELECT salt_bucket(1) FROM events",
        "SELECT salt_bucket(events, events) FROM events",
        "SELECT salt_bucket(events) OVER () FROM events",
        "SELECT salt_bucket(nowhere) FROM nowhere",
        "DELETE FROM plain WHERE salt_bucket(plain) = 1",
        "UPSERT INTO plain VALUES (salt_bucket(plain))",
    ]
    .iter()
    .map(|sql| format!("{sql}\n  {}", error(&db, sql)))
    .collect();
    insta::assert_snapshot!(shown.join("\n"));
}
