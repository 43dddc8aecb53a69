//! Constants beside key columns: of other types, beyond what the column can hold, written in other
//! ways. What is expected is worked out here, from the digits and characters alone.

use std::cmp::Ordering;

use rocksalt::ScanKind;
use rocksalt::blocking::Database;

use crate::support::*;

/// The order of two numbers in digits, `-12.50`.
fn compare(a: &str, b: &str) -> Ordering {
    let parts = |text: &str| {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let whole = whole.trim_start_matches('0').to_owned();
        let fraction = fraction.trim_end_matches('0').to_owned();
        let zero = whole.is_empty() && fraction.is_empty();
        (negative && !zero, whole.len(), whole, fraction)
    };
    let ((a_negative, a_len, a, a_rest), (b_negative, b_len, b, b_rest)) = (parts(a), parts(b));
    let order = (a_len, a, a_rest).cmp(&(b_len, b, b_rest));
    match (a_negative, b_negative) {
        (false, false) => order,
        (true, true) => order.reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

#[test]
fn digits_compare_as_numbers() {
    let ascending = [
        "-100", "-12.5", "-12.49", "-0.01", "0.00", "0.001", "0.01", "9", "10.0",
    ];
    for (at, a) in ascending.iter().enumerate() {
        for (other, b) in ascending.iter().enumerate() {
            assert_eq!(compare(a, b), at.cmp(&other), "{a} {b}");
        }
    }
    assert_eq!(compare("-0", "0.0"), Ordering::Equal);
    assert_eq!(compare("007.50", "7.5"), Ordering::Equal);
}

type Operator = (&'static str, fn(Ordering) -> bool);

const OPERATORS: [Operator; 6] = [
    ("=", Ordering::is_eq),
    ("<>", Ordering::is_ne),
    ("<", Ordering::is_lt),
    ("<=", Ordering::is_le),
    (">", Ordering::is_gt),
    (">=", Ordering::is_ge),
];

/// A table whose key begins with a nullable column `x`, with these values, each as SQL writes it,
/// and NULL: row `i` has `values[i]`.
fn keyed(sql_type: &str, direction: &str, salt: &str, values: &[String]) -> Database {
    let db = after(&[&format!(
        "CREATE TABLE t (x {sql_type} NULL, id INTEGER, PRIMARY KEY (x {direction}, id)){salt}"
    )]);
    let all = values.iter().map(String::as_str).chain(["NULL"]);
    let rows: Vec<String> = all
        .enumerate()
        .map(|(id, value)| format!("({value}, {id})"))
        .collect();
    run(&db, &format!("UPSERT INTO t VALUES {}", rows.join(", ")));
    db
}

/// The rows of a predicate must be those of these places.
#[track_caller]
fn expect(db: &Database, predicate: &str, expected: impl Iterator<Item = usize>, context: &str) {
    let sql = format!("SELECT id FROM t WHERE {predicate} ORDER BY id");
    let expected: Vec<String> = expected.map(|id| id.to_string()).collect();
    assert_eq!(rows(db, &sql), expected, "{predicate} {context}");
}

/// A number as SQL writes it, and its digits.
const NUMBERS: &[(&str, &str)] = &[
    ("5.0", "5"),
    ("-0.0", "0"),
    ("5.005", "5.005"),
    ("-5.5", "-5.5"),
    ("2 * 3 - 1", "5"),
    ("127.5", "127.5"),
    ("256", "256"),
    ("999.995", "999.995"),
    ("2147483648", "2147483648"),
    ("-99999999999.5", "-99999999999.5"),
    (
        "99999999999999999999999999999999999999",
        "99999999999999999999999999999999999999",
    ),
    (
        "-999999999999999999999999999999999999999999999",
        "-999999999999999999999999999999999999999999999",
    ),
    (
        "0.00000000000000000000000000000000000000000000001",
        "0.00000000000000000000000000000000000000000000001",
    ),
    ("1e30", "1000000000000000000000000000000"),
    ("2.5e-1", "0.25"),
];

#[test]
fn numbers() {
    let types: &[(&str, &[&str])] = &[
        ("TINYINT", &["-128", "-1", "0", "5", "127"]),
        ("TINYINT UNSIGNED", &["0", "5", "255"]),
        (
            "INTEGER",
            &["-2147483648", "-6", "-5", "0", "5", "6", "2147483647"],
        ),
        (
            "BIGINT",
            &["-9223372036854775808", "5", "9223372036854775807"],
        ),
        (
            "DECIMAL(5, 2)",
            &["-999.99", "-5.50", "0", "0.25", "5", "5.01", "999.99"],
        ),
        (
            "DECIMAL",
            &[
                "-9999999999999999999999999999.9999999999",
                "5",
                "5.005",
                "127.5",
            ],
        ),
        (
            "DECIMAL(38, 0)",
            &["-99999999999999999999999999999999999999", "0", "5"],
        ),
        ("DOUBLE", &["-5.5", "0", "0.25", "5", "256"]),
    ];
    for (number, (sql_type, values)) in types.iter().enumerate() {
        let written: Vec<String> = values.iter().map(|v| (*v).to_owned()).collect();
        let (direction, salt) = (DIRECTIONS[number % 2], SALTS[number % SALTS.len()]);
        let db = keyed(sql_type, direction, salt, &written);
        let context = format!("{sql_type} {direction}{salt}");
        let check = |predicate: String, null: bool, holds: &dyn Fn(&str) -> bool| {
            let found = values.iter().enumerate().filter(|(_, value)| holds(value));
            let found = found.map(|(id, _)| id);
            let null = null.then_some(values.len());
            expect(&db, &predicate, found.chain(null), &context);
        };
        for (sql, digits) in NUMBERS {
            // A DOUBLE is compared with the number nearest to the digits.
            if *sql_type == "DOUBLE" && digits.len() > 15 {
                continue;
            }
            let order = |value: &str| compare(value, digits);
            for (op, is) in [OPERATORS[0], OPERATORS[2], OPERATORS[5]] {
                check(format!("x {op} {sql}"), false, &|v| is(order(v)));
            }
            for (op, is) in [OPERATORS[1], OPERATORS[3], OPERATORS[4]] {
                // Under NOT, DataFusion wants a type that holds both, of 76 digits at most.
                let not = match sql.starts_with("0.0") && *sql_type == "DECIMAL(38, 0)" {
                    true => format!("x {op} {sql} IS FALSE"),
                    false => format!("NOT (x {op} {sql})"),
                };
                check(not, false, &|v| !is(order(v)));
            }
            let five = |value: &str| compare(value, "5").is_eq();
            check(format!("x IN ({sql}, 5, NULL)"), false, &|v| {
                order(v).is_eq() || five(v)
            });
            check(format!("x NOT IN ({sql}, 5)"), false, &|v| {
                order(v).is_ne() && !five(v)
            });
            // Numbers for which together there is no type.
            let far = "10000000000000000000000000000000000000";
            check(format!("x NOT IN ({far}, 4.345, {sql})"), false, &|v| {
                order(v).is_ne()
            });
            check(
                format!("x IN ({sql}, {far}, -{far}, 0.0000001)"),
                false,
                &|v| order(v).is_eq(),
            );
            check(format!("x BETWEEN -4.345 AND {far}"), false, &|v| {
                compare(v, "-4.345").is_ge()
            });
            check(format!("x BETWEEN -6 AND {sql}"), false, &|v| {
                order(v).is_le() && compare(v, "-6").is_ge()
            });
            check(format!("x IS DISTINCT FROM {sql}"), true, &|v| {
                order(v).is_ne()
            });
        }
        check("x NOT IN (7, 99999999999, NULL)".to_owned(), false, &|_| {
            false
        });
    }
}

/// What no value of the column can be equal to, or all of them are less than, needs no filter and
/// reads no more than it must.
#[test]
fn plans_beyond_the_range_of_a_column() {
    for sql_type in [
        "SMALLINT",
        "INTEGER UNSIGNED",
        "DECIMAL(5, 2)",
        "DECIMAL(10, 0)",
    ] {
        let db = keyed(sql_type, "ASC", " SALT_BUCKETS = 16", &["1".to_owned()]);
        for number in [
            "99999999999",
            "1e30",
            "99999999999999999999.5",
            "999999999999999999999999999999999999999999999",
        ] {
            let scan = |predicate: &str| {
                let plan = db
                    .explain(&format!("SELECT * FROM t WHERE {predicate}"))
                    .unwrap();
                plan.scans()[0].clone()
            };
            let context = format!("{sql_type} {number}");
            for empty in ["x = {}", "x > {}", "x >= {}", "x <= -{}", "x IN ({}, -{})"] {
                let predicate = empty.replace("{}", number);
                assert_eq!(
                    scan(&predicate).kind,
                    ScanKind::Empty,
                    "{predicate} {context}"
                );
            }
            for all in ["x < {}", "x <> {}", "x >= -{}", "x NOT IN ({}, -{})"] {
                let scan = scan(&all.replace("{}", number));
                assert_eq!(scan.keys, [".. NULL)"], "{all} {context}");
                assert_eq!(scan.filter, None, "{all} {context}");
            }
            let list = scan(&format!("x IN (1, {number}) AND id = 0"));
            assert_eq!(
                (list.kind, list.buckets_read),
                (ScanKind::PointGet, 1),
                "{context}"
            );
        }
    }
}

/// Texts beside CHAR without their trailing spaces.
const TEXTS: &[(&str, &str)] = &[
    ("'a  '", "a"),
    ("'a' || '  '", "a"),
    ("lower('A  ')", "a"),
    ("CAST('a ' AS VARCHAR)", "a"),
    ("CAST('a ' AS CHAR(9))", "a"),
    ("coalesce(NULL, 'a ')", "a"),
    ("CASE WHEN 1 = 1 THEN 'a ' END", "a"),
    ("concat('a', ' b', '  ')", "a b"),
    ("' '", ""),
    ("substr('   ', 2)", ""),
    ("upper('ab   ')", "AB"),
    ("' a '", " a"),
];

#[test]
fn texts_beside_char() {
    let values = ["", " a", "AB", "a", "a b", "b"];
    let written: Vec<String> = values.iter().map(|value| format!("'{value}'")).collect();
    // The same column where it is no part of the key.
    let mut tables = vec![after(&[
        "CREATE TABLE t (id INTEGER PRIMARY KEY, x CHAR(3))",
    ])];
    for (value, id) in written.iter().zip(0..) {
        run(&tables[0], &format!("UPSERT INTO t VALUES ({id}, {value})"));
    }
    tables.push(keyed("CHAR(3)", "ASC", SALTS[2], &written));
    tables.push(keyed("CHAR(3)", "DESC", SALTS[4], &written));
    for (table, db) in tables.iter().enumerate() {
        let check = |predicate: &str, is: &dyn Fn(&str) -> bool| {
            let all = values.iter().enumerate();
            let found = all.filter(|(_, value)| is(value)).map(|(id, _)| id);
            expect(db, predicate, found, &format!("in table {table}"));
        };
        for (sql, text) in TEXTS {
            for (op, is) in OPERATORS {
                check(&format!("x {op} {sql}"), &|value| is(value.cmp(text)));
            }
            check(&format!("NOT ({sql} < x)"), &|value| *text >= value);
            check(&format!("x IN ({sql}, 'b  ')"), &|v| v == *text || v == "b");
            let between = format!("x BETWEEN {sql} AND 'a b   '");
            check(&between, &|value| *text <= value && value <= "a b");
            check(&format!("x IS NOT DISTINCT FROM {sql}"), &|v| v == *text);
        }
        // Of nothing else they go.
        for (sql, text) in [
            ("(SELECT 'a ')", "a "),
            ("(SELECT 'a')", "a"),
            (
                "CASE WHEN now() > TIMESTAMP '2000-01-01' THEN 'a ' END",
                "a ",
            ),
        ] {
            for (op, is) in OPERATORS {
                check(&format!("x {op} {sql}"), &|value| is(value.cmp(text)));
            }
        }
    }
}

/// A text in a plan can be copied into a statement.
#[test]
fn texts_of_plans_read_back() {
    let texts = [
        "",
        "\0",
        "\0\0",
        "a\0b",
        "\0'\\",
        "it's",
        "a\\b",
        "E'x'",
        "U&'x'",
        "\n\t\r",
        "\\0000\0",
        "é\u{1}",
        "\u{7f}\0\u{9f}",
        "a\u{10FFFF}\0",
        "x\\\n",
    ];
    for (number, salt) in SALTS.iter().enumerate().step_by(3) {
        let direction = DIRECTIONS[number % 2];
        let db = after(&[&format!(
            "CREATE TABLE t (x VARCHAR, PRIMARY KEY (x {direction})){salt}"
        )]);
        for text in texts {
            db.execute("UPSERT INTO t VALUES (?)", rocksalt::params![text])
                .unwrap();
        }
        for text in texts {
            let quoted = format!("'{}'", text.replace('\'', "''"));
            let plan = db
                .explain(&format!("SELECT * FROM t WHERE x = {quoted}"))
                .unwrap();
            let [key] = plan.scans()[0].keys.as_slice() else {
                panic!("{plan}");
            };
            assert!(key.chars().all(|c| !c.is_control()), "{key:?}");
            let again = db
                .explain(&format!("SELECT * FROM t WHERE x = {key}"))
                .unwrap();
            assert_eq!(again.scans()[0].keys, plan.scans()[0].keys);
            let found = db
                .query(&format!("SELECT x FROM t WHERE x = {key}"), ())
                .unwrap();
            let batches = found.collect().unwrap();
            let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
            assert_eq!(rows, 1, "{key}");
            let count = format!("SELECT count(*) FROM t WHERE x <= {key}");
            let smaller = texts.iter().filter(|other| **other <= text).count();
            assert_eq!(
                crate::support::rows(&db, &count),
                [smaller.to_string()],
                "{key}"
            );
        }
    }
}

/// Quoted booleans wherever a condition stands.
#[test]
fn quoted_booleans() {
    let values = [Some(true), Some(false)];
    let written = ["TRUE".to_owned(), "FALSE".to_owned()];
    for (number, salt) in SALTS.iter().enumerate().skip(2) {
        let db = keyed("BOOLEAN", DIRECTIONS[number % 2], salt, &written);
        let expect = |predicate: &str, is: &dyn Fn(bool) -> bool, null: bool| {
            let all = values.iter().enumerate();
            let found = all
                .filter(|(_, value)| value.is_some_and(is))
                .map(|(id, _)| id);
            let null = null.then_some(values.len());
            expect(&db, predicate, found.chain(null), salt);
        };
        for (quoted, value) in [("'true'", true), ("'F'", false)] {
            for (op, is) in OPERATORS {
                for compared in [format!("x {op} {quoted}"), format!("({quoted} {op} x)")] {
                    let swapped = compared.starts_with('(');
                    let is = move |v: bool| match swapped {
                        true => is(value.cmp(&v)),
                        false => is(v.cmp(&value)),
                    };
                    expect(&compared, &is, false);
                    expect(&format!("NOT ({compared})"), &|v| !is(v), false);
                    expect(&format!("NOT NOT ({compared})"), &is, false);
                    expect(&format!("({compared}) IS NOT TRUE"), &|v| !is(v), true);
                    expect(&format!("NOT ({compared} OR id = 7)"), &|v| !is(v), false);
                    let case = format!("CASE WHEN {compared} THEN TRUE ELSE FALSE END");
                    expect(&case, &is, false);
                }
            }
            expect(&format!("x IN ({quoted})"), &|v| v == value, false);
            expect(&format!("NOT (x IN ({quoted}))"), &|v| v != value, false);
            expect(
                &format!("x IS DISTINCT FROM {quoted}"),
                &|v| v != value,
                true,
            );
        }
        assert_eq!(
            rows(
                &db,
                "SELECT x = 'true', NOT (x <> 'false') FROM t ORDER BY id"
            ),
            ["true|false", "false|true", "NULL|NULL"]
        );
        let message = error(&db, "SELECT id FROM t WHERE NOT (x = 'maybe')");
        assert!(message.contains("BOOLEAN"), "{message}");
    }
}
