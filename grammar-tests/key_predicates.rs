//! Predicates on key columns against the same rows in a table that is keyed by something else,
//! where every predicate is a filter that DataFusion evaluates.

use rocksalt::blocking::Database;

use crate::support::*;

const COLUMNS: &str = "id INTEGER NOT NULL, a INTEGER, p BOOLEAN NULL, s VARCHAR NULL, d DATE NULL";

/// The rows `(id, a, p, s, d)` of some keys with gaps and NULLs.
fn values() -> String {
    let mut values = Vec::new();
    for a in [-2, 0, 1, 2, 3, 7] {
        for (s, day) in [
            ("'a'", 1),
            ("'ab'", 1),
            ("'b'", 2),
            ("'b'", 9),
            ("NULL", 4),
            ("''", 0),
        ] {
            for p in ["TRUE", "FALSE", "NULL"] {
                let d = match day {
                    0 => "NULL".to_owned(),
                    day => format!("DATE '2013-01-0{day}'"),
                };
                values.push(format!("({}, {a}, {p}, {s}, {d})", values.len()));
            }
        }
    }
    values.join(", ")
}

/// `t`, keyed by what is asked for, and `u`, keyed by `id`.
fn pair(key: &str, salt: &str) -> Database {
    let db = memory();
    run(
        &db,
        &format!("CREATE TABLE t ({COLUMNS}, PRIMARY KEY ({key})){salt}"),
    );
    run(
        &db,
        &format!("CREATE TABLE u ({COLUMNS}, PRIMARY KEY (id))"),
    );
    for table in ["t", "u"] {
        run(&db, &format!("UPSERT INTO {table} VALUES {}", values()));
    }
    db
}

fn compare(db: &Database, predicate: &str, context: &str) {
    let query = |table: &str, what: &str, rest: &str| {
        rows(
            db,
            &format!("SELECT {what} FROM {table} WHERE {predicate}{rest}"),
        )
    };
    let expected = query("u", "id", " ORDER BY id");
    assert_eq!(
        query("t", "id", " ORDER BY id"),
        expected,
        "{predicate} {context}"
    );
    assert_eq!(
        query("t", "count(*)", ""),
        [expected.len().to_string()],
        "{predicate} {context}"
    );
    // In key order, from both ends, and a page of it.
    for order in ["a, s, d, p, id", "a DESC, s DESC, d DESC, p DESC, id DESC"] {
        let order = format!(" ORDER BY {order}");
        let expected = query("u", "id", &order);
        assert_eq!(
            query("t", "id", &order),
            expected,
            "{predicate}{order} {context}"
        );
        let page = query("t", "id", &format!("{order} LIMIT 5 OFFSET 2"));
        let expected: Vec<String> = expected.into_iter().skip(2).take(5).collect();
        assert_eq!(
            page, expected,
            "{predicate}{order} LIMIT 5 OFFSET 2 {context}"
        );
    }
}

fn compare_all(predicates: &[&str]) {
    for key in ["a, s, d, p, id", "a DESC, s, d DESC, p, id DESC"] {
        for salt in [
            "",
            " SALT_BUCKETS = 3",
            " SALT_BUCKETS = 16",
            " SALT_BUCKETS = 16, SALT_COLUMNS = (a)",
            " SALT_BUCKETS = 256, SALT_COLUMNS = (a, d)",
        ] {
            let db = pair(key, salt);
            for predicate in predicates {
                compare(&db, predicate, &format!("[{key}]{salt}"));
            }
        }
    }
}

#[test]
fn behind_gaps_and_intervals() {
    compare_all(&[
        "s = 'b'",
        "s IS NULL",
        "s > 'a'",
        "s IN ('a', 'b') AND p",
        "a = 1 AND d = '2013-01-02'",
        "a IN (1, 3) AND d BETWEEN '2013-01-01' AND '2013-01-04'",
        "a > 0 AND s = 'b' AND d > '2013-01-02'",
        "a BETWEEN 0 AND 3 AND s LIKE 'a%' AND NOT p",
        "s <> 'a' AND d IS NOT NULL AND p IS NOT TRUE",
        "(a = 1 AND d = '2013-01-01') OR (a = 3 AND p)",
        "s = 'b' OR d = '2013-01-04'",
        "s LIKE '%b' AND d < '2013-01-05'",
        "p",
        "NOT p",
        "p IS NULL AND a >= 2",
        "s > 'b' AND s < 'a'",
        "d > '2013-01-04' OR p IS NULL OR s = ''",
    ]);
}

#[test]
fn small_intervals() {
    compare_all(&[
        "a >= 0 AND a < 3",
        "a BETWEEN 0 AND 3 AND d BETWEEN '2013-01-01' AND '2013-01-03'",
        "a BETWEEN -2 AND 1 AND s = 'b' AND d >= '2013-01-01' AND d < '2013-01-04' AND p",
        "a BETWEEN 1 AND 2 AND s = 'b' AND d = '2013-01-02' AND p AND id BETWEEN 40 AND 60",
        "a = 1 AND s = 'b' AND d = '2013-01-02' AND p IS NOT TRUE AND id BETWEEN 40 AND 50",
        "a > 0 AND a < 3 AND (d = '2013-01-01' OR d > '2013-01-08')",
    ]);
}

/// The rows `(id, ts, day, x, m)` around months, days, whole numbers, before and after 1970.
fn instants() -> String {
    let times = [
        "0001-01-01T00:00:00",
        "1677-09-21T00:12:44",
        "1969-12-31T23:59:59.999999",
        "1970-01-01T00:00:00",
        "2012-02-29T12:00:00",
        "2013-04-30T23:59:59.999999",
        "2013-05-01T00:00:00",
        "2013-05-01T10:30:00",
        "2013-05-31T23:00:00",
        "2013-06-01T00:00:00",
        "2262-04-11T23:47:16",
        "9999-12-31T23:59:59",
    ];
    let numbers = ["-2.5", "-2", "-0.5", "0", "0.5", "1", "2.99", "100.00"];
    let mut values = Vec::new();
    for (at, time) in times.iter().enumerate() {
        for (step, number) in numbers.iter().enumerate() {
            let day = if (at + step) % 7 == 0 {
                "NULL".to_owned()
            } else {
                format!("'{}'", &time[..10])
            };
            values.push(format!(
                "({}, '{time}', {day}, {number}, {number})",
                values.len()
            ));
        }
    }
    values.join(", ")
}

/// The rows that DataFusion's nanoseconds can say.
const NANOS: &str = "ts > '1678-01-01' AND ts < '2262-01-01'";

#[test]
fn functions_of_key_columns() {
    let columns = "id INTEGER NOT NULL, ts TIMESTAMP, day DATE NULL, x DOUBLE, m DECIMAL(5, 2)";
    for key in [
        "ts, x, m, day, id",
        "day DESC, ts DESC, m, x DESC, id",
        "x, day, ts, m DESC, id",
    ] {
        for salt in [
            "",
            " SALT_BUCKETS = 16",
            " SALT_BUCKETS = 16, SALT_COLUMNS = (ts)",
        ] {
            let db = memory();
            run(
                &db,
                &format!("CREATE TABLE t ({columns}, PRIMARY KEY ({key})){salt}"),
            );
            run(
                &db,
                &format!("CREATE TABLE u ({columns}, PRIMARY KEY (id))"),
            );
            run(
                &db,
                &format!("CREATE TABLE w ({columns}, PRIMARY KEY (id))"),
            );
            for table in ["t", "u"] {
                run(&db, &format!("UPSERT INTO {table} VALUES {}", instants()));
            }
            run(&db, &format!("UPSERT INTO w SELECT * FROM u WHERE {NANOS}"));
            for predicate in [
                "CAST(ts AS DATE) = '2013-05-01'",
                "ts::DATE BETWEEN '2013-04-30' AND DATE '2013-05-31'",
                "to_date(ts) IN ('1970-01-01', DATE '9999-12-31', NULL)",
                "CAST(ts AS DATE) <> '2013-05-01' AND x = 1",
                "DATE '2013-05-01' < CAST(ts AS DATE)",
                "date_trunc('day', ts) >= '2013-05-01'",
                "date_trunc('hour', ts) = '2013-05-01T10:00:00'",
                "date_bin(INTERVAL '1 day', ts) = '2013-05-01'",
                "date_bin(INTERVAL '1 day', ts) IS NULL",
                "date_bin(INTERVAL '1 day', ts) > '2013-05-01' AND m < 1",
                "date_bin(INTERVAL '1 month', ts) <> '2013-05-01'",
                "NOT (date_bin(INTERVAL '1 hour', ts) < '2013-05-01')",
                "extract(year FROM ts) = 2013",
                "date_part('year', ts) IN (1, 1969, 2013)",
                "date_part('year', day) < 1970",
                "floor(x) = 0",
                "ceil(x) <= -2",
                "ceil(x) = 0",
                "trunc(x) = 0 AND ts > '2013-05-01'",
                "floor(m) >= 1",
                "ceil(m) = 0",
                "CAST(x AS INTEGER) = 0",
                "CAST(m AS INTEGER) = 2",
                "floor(x) = 0.5",
                "date_trunc('day', ts) = '2013-05-01T10:00:00'",
                "ts >= TIMESTAMP '2013-05-02' - INTERVAL '1 day' AND ts < DATE '2013-05-01' + INTERVAL '1 month'",
                "ts < now() - INTERVAL '1 day' AND day = '2013-05-01'",
                "day > current_date() - INTERVAL '40 years'",
                "day = CAST('2013-05-01' AS DATE) AND ts > CAST('2013-05-01' AS TIMESTAMP)",
            ] {
                let expected = ids(&db, "u", predicate);
                assert_eq!(
                    ids(&db, "t", predicate),
                    expected,
                    "{predicate} [{key}]{salt}"
                );
            }
            // On the other rows these are errors; the ranges leave them out.
            for predicate in [
                "date_trunc('month', ts) = '2013-05-01'",
                "date_trunc('month', ts) = '2013-05-02'",
                "date_trunc('year', ts) < '2013-01-01'",
                "date_trunc('week', ts) >= DATE '2013-04-29'",
                "date_trunc('quarter', ts) IN ('2013-04-01', '1970-01-01')",
                "date_trunc('month', ts) BETWEEN '2012-01-01' AND '2013-04-01' AND x > 0",
                "date_trunc('month', day) = '2013-05-01'",
                "date_bin(INTERVAL '2 hours', ts, TIMESTAMP '2000-01-01T01:00:00') = '2013-05-01T09:00:00'",
            ] {
                let within = format!("{NANOS} AND {predicate}");
                let expected = ids(&db, "w", predicate);
                assert_eq!(
                    ids(&db, "t", &within),
                    expected,
                    "{predicate} [{key}]{salt}"
                );
            }
        }
    }
}

fn ids(db: &Database, table: &str, predicate: &str) -> Vec<String> {
    let sql = format!("SELECT id FROM {table} WHERE {predicate} ORDER BY id");
    rows(db, &sql)
}

#[test]
fn functions_of_key_columns_are_ranges() {
    let db = after(&[
        "CREATE TABLE t (ts TIMESTAMP, s VARCHAR, v INTEGER, PRIMARY KEY (ts, s)) SALT_BUCKETS = 16",
    ]);
    let plan = |predicate: &str| {
        let plan = db
            .explain(&format!("SELECT * FROM t WHERE {predicate}"))
            .unwrap();
        plan.root().text.replace("t, buckets 16/16, ranges ", "")
    };
    insta::assert_snapshot!(plan("date_trunc('month', ts) = '2013-05-01'"), @"RangeScan: [TIMESTAMP '2013-05-01T00:00:00' .. TIMESTAMP '2013-06-01T00:00:00')");
    insta::assert_snapshot!(plan("date_trunc('month', ts) = '2013-05-02'"), @"Empty: t");
    insta::assert_snapshot!(plan("date_trunc('month', ts) >= '2013-05-01'"), @"RangeScan: [TIMESTAMP '2013-05-01T00:00:00' .., filter date_trunc('month', ts) >= TIMESTAMP '2013-05-01T00:00:00'");
    insta::assert_snapshot!(plan("date_trunc('month', ts) >= '2013-05-01' AND date_trunc('month', ts) < '2013-07-01'"), @"RangeScan: [TIMESTAMP '2013-05-01T00:00:00' .. TIMESTAMP '2013-07-01T00:00:00')");
    insta::assert_snapshot!(plan("date_trunc('month', ts) BETWEEN '2013-05-01' AND '2013-06-01'"), @"RangeScan: [TIMESTAMP '2013-05-01T00:00:00' .. TIMESTAMP '2013-07-01T00:00:00')");
    insta::assert_snapshot!(plan("date_trunc('month', ts) = TIMESTAMP '2300-01-01'"), @"FullScan: t, buckets 16/16, filter date_trunc('month', ts) = TIMESTAMP '2300-01-01T00:00:00'");
    insta::assert_snapshot!(plan("CAST(ts AS DATE) >= '2013-05-01'"), @"RangeScan: [TIMESTAMP '2013-05-01T00:00:00' .., filter CAST(ts AS DATE) >= DATE '2013-05-01'");
    insta::assert_snapshot!(plan("extract(year FROM ts) = 2013 AND starts_with(s, 'U')"), @"SkipScan: [TIMESTAMP '2013-01-01T00:00:00' .. TIMESTAMP '2014-01-01T00:00:00') and [(*, 'U') .. (*, 'V'))");
    insta::assert_snapshot!(plan("date_bin(INTERVAL '15 minutes', ts) = '2013-05-01T10:15:00'"), @"RangeScan: [TIMESTAMP '2013-05-01T10:15:00' .. TIMESTAMP '2013-05-01T10:30:00')");
    insta::assert_snapshot!(plan("date_bin(INTERVAL '1 month', ts) <= '2013-05-01'"), @"RangeScan: (TIMESTAMP '1677-09-30T23:59:59.999999' .. TIMESTAMP '2013-06-01T00:00:00')");
    insta::assert_snapshot!(plan("ts >= TIMESTAMP '2013-05-02' - INTERVAL '1 day' AND ts < DATE '2013-05-01' + INTERVAL '1 month'"), @"RangeScan: [TIMESTAMP '2013-05-01T00:00:00' .. TIMESTAMP '2013-06-01T00:00:00')");
    insta::assert_snapshot!(plan("ts > now() - INTERVAL '1 day'"), @"RangeScan: t, buckets <=16/16, ranges (now() - INTERVAL '1 day' ..");
    insta::assert_snapshot!(plan("date_trunc('day', ts) = $1"), @"FullScan: t, buckets 16/16, filter date_trunc('day', ts) = $1");
}

/// A cast of a DECIMAL to an integer cuts, one to fewer digits rounds half away from zero: what it
/// is compared with is compared with that. Expected is arithmetic on the cents.
#[test]
fn casts_that_round() {
    let cents: [i64; 19] = [
        -9999, -299, -250, -200, -199, -135, -125, -50, -49, 0, 4, 5, 49, 50, 125, 199, 200, 299,
        9999,
    ];
    type Number = fn(i64) -> i64;
    let whole: Number = |cents| cents / 100;
    let tenths: Number = |cents| cents.signum() * ((cents.abs() + 5) / 10);
    let ones: Number = |cents| cents.signum() * ((cents.abs() + 50) / 100);
    for (number, salt) in SALTS.iter().enumerate().step_by(2) {
        let direction = DIRECTIONS[number / 2 % 2];
        let db = after(&[
            &format!("CREATE TABLE t (m DECIMAL(6, 2) PRIMARY KEY {direction}){salt}"),
            "CREATE TABLE u (id INTEGER PRIMARY KEY, m DECIMAL(6, 2))",
        ]);
        for (id, cents) in cents.iter().enumerate() {
            let value = format!("CAST({cents} AS DECIMAL(6, 2)) / 100");
            run(&db, &format!("UPSERT INTO t VALUES ({value})"));
            run(&db, &format!("UPSERT INTO u VALUES ({id}, {value})"));
        }
        let expect = |predicate: &str, holds: &dyn Fn(i64) -> bool| {
            let found = cents.iter().filter(|cents| holds(**cents));
            let found: Vec<String> = found.map(i64::to_string).collect();
            for table in ["t", "u"] {
                let sql = format!(
                    "SELECT CAST(m * 100 AS BIGINT) FROM {table} WHERE {predicate} ORDER BY m"
                );
                assert_eq!(rows(&db, &sql), found, "{sql}{salt}");
            }
        };
        for (cast, of, unit) in [
            ("CAST(m AS INTEGER)", whole, 1),
            ("TRY_CAST(m AS INTEGER)", whole, 1),
            ("m::SMALLINT", whole, 1),
            ("CAST(m AS DECIMAL(6, 1))", tenths, 10),
            ("CAST(m AS DECIMAL(4))", ones, 1),
            ("CAST(m AS DECIMAL(8, 4))", |cents| cents, 100),
        ] {
            for constant in [-1, 2] {
                let scaled = constant * unit;
                expect(&format!("{cast} = {constant}"), &|c| of(c) == scaled);
                expect(&format!("{constant} < {cast}"), &|c| scaled < of(c));
                expect(&format!("{cast} <> {constant}"), &|c| of(c) != scaled);
                expect(&format!("NOT ({cast} >= {constant})"), &|c| of(c) < scaled);
                let list = format!("{cast} IN ({constant}, 99, 1.3)");
                let of_list = |c| [scaled, 99 * unit].contains(&of(c)) || of(c) * 10 == 13 * unit;
                expect(&list, &of_list);
                let between = format!("{cast} BETWEEN {constant} AND 1");
                expect(&between, &|c| (scaled..=unit).contains(&of(c)));
                let distinct = format!("{cast} IS DISTINCT FROM {constant}");
                expect(&distinct, &|c| of(c) != scaled);
            }
        }
        let plan = plan(&db, "SELECT * FROM t WHERE CAST(m AS INTEGER) = 2");
        assert!(plan.starts_with("RangeScan"), "{plan}");
    }
}

/// With an origin DataFusion casts the time to nanoseconds, which fails for a far one: a range that
/// leaves it out does not ask, any other fails as the filter does.
#[test]
fn a_function_that_fails_for_some_rows_fails_where_they_are_read() {
    let bin = "date_bin(INTERVAL '7 days', ts, TIMESTAMP '1900-01-31T00:00:00')";
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = after(&[&format!(
                "CREATE TABLE t (ts TIMESTAMP, PRIMARY KEY (ts {direction})){salt}"
            )]);
            run(
                &db,
                "UPSERT INTO t VALUES ('1600-05-05T01:02:03'), ('2013-05-01T00:00:00')",
            );
            for condition in [
                "IS DISTINCT FROM TIMESTAMP '1970-01-01'",
                "<> TIMESTAMP '1970-01-01'",
            ] {
                let found = error(&db, &format!("SELECT ts FROM t WHERE {bin} {condition}"));
                assert!(found.starts_with("invalid: "), "{condition}: {found}");
            }
            for (condition, expected) in [
                ("> TIMESTAMP '1970-01-01'", vec!["2013-05-01T00:00:00"]),
                // 41,363 days after the origin, which are whole weeks.
                ("= TIMESTAMP '2013-05-01'", vec!["2013-05-01T00:00:00"]),
                ("= TIMESTAMP '2013-05-02'", vec![]),
                ("IS NULL", vec![]),
            ] {
                let sql = format!("SELECT ts FROM t WHERE {bin} {condition}");
                assert_eq!(rows(&db, &sql), expected, "{condition}{salt} {direction}");
            }
        }
    }
}
