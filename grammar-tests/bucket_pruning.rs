//! `salt_bucket(t)` in WHERE: what it names is all that is read.

use rocksalt::blocking::{Database, Session};
use rocksalt::{ErrorKind, ScanKind, params};

use crate::support::*;

/// A row and its bucket.
#[derive(Debug, Clone)]
struct Row {
    host: String,
    n: i64,
    bucket: i64,
}

/// `t` with 120 rows.
fn table(key: &str, buckets: i64, salt: &str) -> Database {
    after(&[
        &format!(
            "CREATE TABLE t (host VARCHAR, n BIGINT, v INTEGER, PRIMARY KEY ({key})) \
             SALT_BUCKETS = {buckets}{salt}"
        ),
        "UPSERT INTO t SELECT 'h' || CAST(value % 5 AS VARCHAR), value - 40, value % 7 \
         FROM generate_series(1, 120)",
    ])
}

/// The rows of `t` by host and number. That the bucket is the hash of the key is tested where the
/// function is.
fn all(db: &Database) -> Vec<Row> {
    let sql = "SELECT host, n, salt_bucket(t) FROM t ORDER BY host, n";
    let row = |row: String| {
        let parts: Vec<&str> = row.split('|').collect();
        Row {
            host: parts[0].to_owned(),
            n: parts[1].parse().unwrap(),
            bucket: parts[2].parse().unwrap(),
        }
    };
    rows(db, sql).into_iter().map(row).collect()
}

/// Tables of several numbers of buckets, both directions of the key, whole and in part hashed.
fn everywhere(check: impl Fn(&Database, i64, &str)) {
    for (buckets, key, salt) in [
        (1, "host, n", ""),
        (3, "host DESC, n DESC", ", SALT_COLUMNS = (n)"),
        (16, "host, n", ", SALT_COLUMNS = (n)"),
        (16, "host DESC, n", ""),
        (256, "host, n DESC", ""),
    ] {
        let context = format!("({key}) {buckets}{salt}");
        check(&table(key, buckets, salt), buckets, &context);
    }
}

fn verified(db: &Database) -> Session {
    let session = db.session();
    session.execute("SET verify_plans = on", ()).unwrap();
    session
}

type Condition = (String, Box<dyn Fn(&Row) -> bool>);

/// Conditions with what they mean, for the bucket `k` of `buckets`.
fn conditions(k: i64, buckets: i64) -> Vec<Condition> {
    fn of(sql: String, holds: impl Fn(&Row) -> bool + 'static) -> Condition {
        (sql, Box::new(holds))
    }
    let next = (k + 1) % buckets;
    vec![
        of(format!("salt_bucket(t) = {k}"), move |r| r.bucket == k),
        of(format!("{k} = salt_bucket(t)"), move |r| r.bucket == k),
        of(format!("salt_bucket(t) = '{k}'"), move |r| r.bucket == k),
        of(format!("salt_bucket(t) <> {k}"), move |r| r.bucket != k),
        of(format!("salt_bucket(t) < {k}"), move |r| r.bucket < k),
        of(format!("salt_bucket(t) <= {k}.5"), move |r| r.bucket <= k),
        of(format!("salt_bucket(t) > {k}"), move |r| r.bucket > k),
        of(format!("salt_bucket(t) >= {k}"), move |r| r.bucket >= k),
        of(
            format!("salt_bucket(t) BETWEEN {k} AND {k} + 2"),
            move |r| (k..=k + 2).contains(&r.bucket),
        ),
        of(
            format!("salt_bucket(t) IN ({k}, 999, {next}, {k})"),
            move |r| r.bucket == k || r.bucket == next,
        ),
        of(format!("salt_bucket(t) NOT IN ({k}, 999)"), move |r| {
            r.bucket != k
        }),
        of(format!("salt_bucket(t) IN ({k}, NULL)"), move |r| {
            r.bucket == k
        }),
        of(format!("salt_bucket(t) NOT IN ({k}, NULL)"), |_| false),
        of("salt_bucket(t) IS NULL".to_owned(), |_| false),
        of("salt_bucket(t) IS NOT NULL".to_owned(), |_| true),
        of(format!("salt_bucket(t) = {buckets}"), |_| false),
        of("salt_bucket(t) = -1".to_owned(), |_| false),
        of("salt_bucket(t) = 1.5".to_owned(), |_| false),
        of(format!("salt_bucket(t) = {k} AND host = 'h1'"), move |r| {
            r.bucket == k && r.host == "h1"
        }),
        of(
            format!("salt_bucket(t) = {k} AND n BETWEEN 0 AND 30"),
            move |r| r.bucket == k && (0..=30).contains(&r.n),
        ),
        of(
            format!("salt_bucket(t) = {k} AND host IN ('h1', 'h3') AND n > 0"),
            move |r| r.bucket == k && (r.host == "h1" || r.host == "h3") && r.n > 0,
        ),
        of(
            format!("salt_bucket(t) = {k} AND salt_bucket(t) = {next}"),
            move |r| r.bucket == k && r.bucket == next,
        ),
        of(format!("salt_bucket(t) = {k} OR n = 7"), move |r| {
            r.bucket == k || r.n == 7
        }),
        of(
            format!("salt_bucket(t) = {k} OR (host = 'h2' AND n = 1)"),
            move |r| r.bucket == k || (r.host == "h2" && r.n == 1),
        ),
        of(
            format!("(salt_bucket(t) = {k} AND n > 50) OR (salt_bucket(t) = {next} AND n < 20)"),
            move |r| (r.bucket == k && r.n > 50) || (r.bucket == next && r.n < 20),
        ),
        of(
            format!("NOT (salt_bucket(t) = {k} OR host = 'h0')"),
            move |r| r.bucket != k && r.host != "h0",
        ),
        of(
            format!("salt_bucket(t) = {k} AND salt_bucket(t) % 2 = 0"),
            move |r| r.bucket == k && r.bucket % 2 == 0,
        ),
        of(
            format!("(salt_bucket(t) = {k}) IS NOT TRUE AND host >= 'h3'"),
            move |r| r.bucket != k && r.host.as_str() >= "h3",
        ),
    ]
}

#[test]
fn the_rows_are_those_of_the_buckets() {
    everywhere(|db, buckets, context| {
        let (rows, session) = (all(db), verified(db));
        let query = |sql: &str| match session.query(sql, ()).and_then(text) {
            Ok(rows) => rows,
            Err(error) => panic!("{sql} {context}\n{error}"),
        };
        let some = rows[17].bucket;
        for k in [some, buckets - 1] {
            for (sql, holds) in conditions(k, buckets) {
                let at = format!("{sql} {context}");
                let found: Vec<String> = (rows.iter().filter(|row| holds(row)))
                    .map(|row| format!("{}|{}", row.host, row.n))
                    .collect();
                let of_t = format!("FROM t WHERE {sql}");
                let ascending = query(&format!("SELECT host, n {of_t} ORDER BY host, n"));
                assert_eq!(ascending, found, "{at}");
                let count = query(&format!("SELECT count(*) {of_t}"));
                assert_eq!(count, [found.len().to_string()], "{at}");
                let page = query(&format!(
                    "SELECT host, n {of_t} ORDER BY host DESC, n DESC LIMIT 3 OFFSET 1"
                ));
                let expected = found.iter().rev().skip(1).take(3).cloned();
                assert_eq!(page, expected.collect::<Vec<_>>(), "{at}");
                let some = query(&format!("SELECT host, n {of_t} LIMIT 2"));
                assert_eq!(some.len(), found.len().min(2), "{at}");
                assert!(some.iter().all(|row| found.contains(row)), "{at}");
            }
        }
    });
}

#[test]
fn the_plan_names_as_many_buckets_as_are_read() {
    everywhere(|db, buckets, context| {
        for k in [0, buckets / 2, buckets - 1] {
            for (sql, named) in [
                (format!("salt_bucket(t) = {k}"), 1),
                (format!("salt_bucket(t) < {k}"), k),
                (format!("salt_bucket(t) >= {k}"), buckets - k),
                (format!("salt_bucket(t) <> {k}"), buckets - 1),
                (format!("salt_bucket(t) IN ({k}, {buckets})"), 1),
                (format!("salt_bucket(t) = {k} AND host > 'h1'"), 1),
                (
                    format!("salt_bucket(t) = {k} AND v = 3 ORDER BY host LIMIT 2"),
                    1,
                ),
                (format!("salt_bucket(t) = {k} OR v = 3"), buckets),
                (format!("salt_bucket(t) = {buckets}"), 0),
            ] {
                let plan = db.explain(&format!("SELECT * FROM t WHERE {sql}")).unwrap();
                let scan = &plan.scans()[0];
                let read = i64::from(scan.buckets_read);
                assert_eq!(read, named, "{sql} {context}\n{plan}");
                assert!(scan.buckets_exact, "{sql} {context}");
                assert_eq!(scan.kind == ScanKind::Empty, named == 0, "{sql} {context}");
                let filter = scan.filter.as_deref().unwrap_or_default();
                let is_filter = filter.contains("salt_bucket");
                assert_eq!(is_filter, sql.contains("OR v"), "{sql} {context}\n{plan}");
            }
        }
    });
}

#[test]
fn keys_outside_of_the_bucket_are_not_looked_for() {
    everywhere(|db, buckets, context| {
        let session = verified(db);
        let get = "SELECT n FROM t WHERE host = $1 AND n = $2 AND salt_bucket(t) = $3";
        let statement = session.prepare(get).unwrap();
        for row in all(db).iter().step_by(29) {
            for bucket in [row.bucket, (row.bucket + 1) % buckets, buckets, -1] {
                let is_own = bucket == row.bucket;
                let sql = format!(
                    "SELECT n FROM t WHERE host = '{}' AND n = {} AND salt_bucket(t) = {bucket}",
                    row.host, row.n
                );
                let plan = db.explain(&sql).unwrap();
                let kind = match is_own {
                    true => ScanKind::PointGet,
                    false => ScanKind::Empty,
                };
                assert_eq!(plan.scans()[0].kind, kind, "{sql} {context}\n{plan}");
                let expected = match is_own {
                    true => vec![row.n.to_string()],
                    false => Vec::new(),
                };
                assert_eq!(rows(db, &sql), expected, "{sql} {context}");
                let host = row.host.as_str();
                let found = statement.query(params![host, row.n, bucket]).unwrap();
                assert_eq!(text(found).unwrap(), expected, "{sql} {context}");
            }
        }
        let list = "host IN ('h0', 'h1', 'h2', 'h3', 'h4') AND n IN (1, 2, 3, 4, 5, 6, 7, 8, 9)";
        let few: Vec<Row> = (all(db).into_iter())
            .filter(|row| (1..=9).contains(&row.n))
            .collect();
        let mut seen = 0;
        for bucket in 0..buckets {
            let sql =
                format!("SELECT n FROM t WHERE {list} AND salt_bucket(t) = {bucket} ORDER BY n");
            let mut expected: Vec<i64> = (few.iter())
                .filter(|row| row.bucket == bucket)
                .map(|row| row.n)
                .collect();
            expected.sort_unstable();
            let expected: Vec<String> = expected.iter().map(i64::to_string).collect();
            assert_eq!(rows(db, &sql), expected, "{sql} {context}");
            seen += expected.len();
        }
        assert_eq!(seen, 9, "{context}");
    });
}

#[test]
fn a_parameter_names_it_when_its_value_is_there() {
    everywhere(|db, buckets, context| {
        let (rows, session) = (all(db), verified(db));
        session.execute("SET max_fanout = 2", ()).unwrap();
        for sql in [
            "SELECT n FROM t WHERE salt_bucket(t) = $1 AND n > 3 ORDER BY n",
            "SELECT n FROM t WHERE salt_bucket(t) IN ($1, $1) AND n > 3 ORDER BY n",
            "SELECT n FROM t WHERE salt_bucket(t) BETWEEN $1 AND $1 AND n > 3 ORDER BY n",
            "SELECT n FROM t WHERE n > 3 AND salt_bucket(t) >= $1 AND salt_bucket(t) < $1 + 1 ORDER BY n",
        ] {
            let statement = session.prepare(sql).unwrap();
            for bucket in [0, rows[5].bucket, buckets - 1, buckets, -7] {
                let mut expected: Vec<i64> = (rows.iter())
                    .filter(|row| row.bucket == bucket && row.n > 3)
                    .map(|row| row.n)
                    .collect();
                expected.sort_unstable();
                let expected: Vec<String> = expected.iter().map(i64::to_string).collect();
                let found = statement.query(params![bucket]).and_then(text);
                assert_eq!(found.unwrap(), expected, "{sql} {bucket} {context}");
            }
            let none = statement.query(params![None::<i64>]).and_then(text);
            assert_eq!(none.unwrap(), [""; 0], "{sql} {context}");
        }
    });
}

#[test]
fn max_fanout_counts_the_buckets_that_are_left() {
    let db = table("host, n", 16, "");
    let session = db.session();
    session.execute("SET max_fanout = 2", ()).unwrap();
    for sql in [
        "SELECT * FROM t WHERE salt_bucket(t) = 3",
        "SELECT * FROM t WHERE salt_bucket(t) IN (3, 5) AND v > 1",
        "SELECT * FROM t WHERE salt_bucket(t) >= 14 ORDER BY host, n LIMIT 3",
        "UPDATE t SET v = 1 WHERE salt_bucket(t) < 2",
    ] {
        assert!(session.run(sql).is_ok(), "{sql}");
    }
    let error = session
        .query("SELECT * FROM t WHERE salt_bucket(t) < 3", ())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    insta::assert_snapshot!(error.message(), @"t would read 3/16 buckets, and max_fanout is 2: host, n not bound by equality");
}

/// DataFusion applies a filter on one side of a join to the columns of the other side that equal
/// them; the other table has buckets of its own.
#[test]
fn the_bucket_of_one_table_is_not_that_of_another() {
    for (one, other) in [
        (16, "3"),
        (3, "16"),
        (256, "16"),
        (16, "16, SALT_COLUMNS = (host)"),
    ] {
        let db = table("host, n", one, "");
        run(
            &db,
            &format!(
                "CREATE TABLE u (host VARCHAR, n BIGINT, w INTEGER, PRIMARY KEY (host, n)) \
                 SALT_BUCKETS = {other}"
            ),
        );
        run(&db, "UPSERT INTO u SELECT host, n, v FROM t");
        for row in all(&db).iter().step_by(37) {
            let expected: Vec<String> = (all(&db).iter())
                .filter(|other| other.bucket == row.bucket)
                .map(|row| format!("{}|{}", row.host, row.n))
                .collect();
            for join in [
                "t JOIN u ON t.host = u.host AND t.n = u.n",
                "u JOIN t ON u.host = t.host AND u.n = t.n",
                "t LEFT JOIN u ON t.host = u.host AND t.n = u.n",
                "u RIGHT JOIN t ON t.host = u.host AND t.n = u.n",
                "t JOIN u USING (host, n)",
            ] {
                let sql = format!(
                    "SELECT u.host, u.n FROM {join} WHERE salt_bucket(t) = {} ORDER BY 1, 2",
                    row.bucket
                );
                assert_eq!(rows(&db, &sql), expected, "{one}, {other}: {sql}");
            }
        }
    }
}

#[test]
fn plans() {
    let db = table("host, n", 16, "");
    let shown = |sql: &str| plan(&db, &format!("SELECT * FROM t WHERE {sql}"));
    insta::assert_snapshot!(shown("salt_bucket(t) = 3"), @"FullScan: t, buckets 1/16");
    insta::assert_snapshot!(shown("salt_bucket(t) IN (3, 4) AND host = 'a' AND n > 5 ORDER BY n DESC LIMIT 2"), @r"
    KeyMerge: n DESC
    └─ RangeScan: t, buckets 2/16, ranges (('a', 5) .. 'a'], reverse, limit 2
    ");
    insta::assert_snapshot!(shown("salt_bucket(t) < 4 AND v = 7"), @"FullScan: t, buckets 4/16, filter v = 7");
    insta::assert_snapshot!(shown("salt_bucket(t) = $1"), @"FullScan: t, buckets <=1/16, filter salt_bucket(t) = $1");
    insta::assert_snapshot!(shown("salt_bucket(t) = $1 AND host = $2 AND n = $3"), @"PointGet: t, buckets <=1/16, keys [($2, $3)], filter salt_bucket(t) = $1");
    insta::assert_snapshot!(shown("salt_bucket(t) = 3 OR v = 7"), @r"
    FullScan: t, buckets 16/16, filter salt_bucket(t) = 3 OR v = 7
    note: t reads 16/16 buckets: host, n not bound by equality
    ");
    insta::assert_snapshot!(shown("salt_bucket(t) = 16"), @"Empty: t");
}
