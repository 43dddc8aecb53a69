//! Long and deep statements: read or refused, never the end of the stack.

use rocksalt::ErrorKind;
use rocksalt::sql::{Statement, parse};

/// `a OR b OR ...`: as deep as the logarithm, so that it can be cloned, compared and dropped.
#[test]
fn long_chains_are_balanced() {
    for (op, terms) in [("OR", 5_000), ("AND", 5_000), ("OR", 20_000)] {
        let chain: Vec<String> = (0..terms).map(|i| format!("k = {i}")).collect();
        let text = format!("SELECT * FROM t WHERE {}", chain.join(&format!(" {op} ")));
        let statement = parse(&text).unwrap().statement;
        assert_eq!(statement.to_string(), text);
        assert!(statement.clone() == statement);
        assert!(format!("{statement:?}").len() > text.len());
    }
}

#[test]
fn long_lists_of_rows_are_balanced() {
    let rows: Vec<String> = (0..5_000).map(|i| format!("({i}, 'x')")).collect();
    let text = format!("DELETE FROM t WHERE (a, b) IN ({})", rows.join(", "));
    let statement = parse(&text).unwrap().statement;
    let Statement::Delete(delete) = &statement else {
        panic!("{statement}")
    };
    let rows: Vec<String> = (0..5_000)
        .map(|i| format!("(a = {i} AND b = 'x')"))
        .collect();
    let expected = format!("({})", rows.join(" OR "));
    assert_eq!(delete.selection.as_ref().unwrap().to_string(), expected);
    assert_eq!(parse(&statement.to_string()).unwrap().statement, statement);
}

/// What cannot be balanced is refused, however long it is and wherever it is wrong.
#[test]
fn deep_statements_are_limits() {
    let repeat = |n: usize, text: &str| text.repeat(n);
    let mut texts = Vec::new();
    for n in [1_100, 20_000, 200_000] {
        texts.push(format!("SELECT 1{}", repeat(n, " + 1")));
        texts.push(format!("SELECT 1{}", repeat(n, "::int")));
        texts.push(format!("SELECT a{} FROM t", repeat(n, " IS NULL")));
        texts.push(format!("SELECT 1{}", repeat(n, " UNION ALL SELECT 1")));
        texts.push(format!("SELECT {}1", repeat(n, "- ")));
        texts.push(format!("SELECT {}1{}", repeat(n, "("), repeat(n, ")")));
        texts.push(format!("{}SELECT 1{}", repeat(n, "("), repeat(n, ")")));
        texts.push(format!(
            "SELECT * FROM {}t{}",
            repeat(n, "("),
            repeat(n, ")")
        ));
        texts.push(format!("SELECT {}x", repeat(n, "f(")));
        texts.push(format!("SELECT a{}", repeat(n, "[1")));
    }
    for text in texts {
        let error = parse(&text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{}\n{error}", &text[..60]);
    }
}

/// A comparison of rows by order is written out one level a part.
#[test]
fn long_rows_are_compared_or_refused() {
    let row = |n: usize, part: &str| format!("({})", vec![part; n].join(", "));
    for op in ["<", "<=", ">", ">="] {
        let text = |n| format!("SELECT * FROM t WHERE {} {op} {}", row(n, "k"), row(n, "1"));
        assert!(parse(&text(100)).is_ok());
        for n in [101, 500, 5_000] {
            let error = parse(&text(n)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Limit);
            assert!(error.position().is_some());
        }
    }
    // Every level of rows in rows counts, and so does what is compared inside of a part.
    let nested = |part: &str| {
        let inner = vec![part; 40].join(", ");
        format!("{}{part}{}", format!("({inner}, ").repeat(8), ")".repeat(8))
    };
    let mut inside = "k".to_owned();
    for _ in 0..6 {
        let (keys, ones) = (vec!["k"; 89].join(", "), vec!["1"; 90].join(", "));
        inside = format!("(({keys}, {inside}) < ({ones}))");
    }
    let ends = (row(500, "1"), row(500, "2"));
    for text in [
        format!("SELECT * FROM t WHERE {} < {}", nested("k"), nested("1")),
        format!(
            "SELECT * FROM t WHERE {} BETWEEN {} AND {}",
            row(500, "k"),
            ends.0,
            ends.1
        ),
        format!("SELECT * FROM t WHERE {inside}"),
    ] {
        let kind = parse(&text).map(drop).unwrap_err().kind();
        assert_eq!(kind, ErrorKind::Limit);
    }
}

/// These are wrong and deep: any error will do.
#[test]
fn deep_nonsense_is_an_error() {
    for n in [100, 1_000, 20_000] {
        for open in [
            "ARRAY<",
            "STRUCT<a ",
            "Nullable(",
            "Map(",
            "x IN (",
            "CASE WHEN ",
            "(a, ",
            "{",
        ] {
            assert!(parse(&format!("SELECT {}", open.repeat(n))).is_err());
            assert!(parse(&format!("SELECT CAST(1 AS {}", open.repeat(n))).is_err());
            assert!(parse(&format!("CREATE TABLE t (a {}", open.repeat(n))).is_err());
        }
        assert!(parse(&format!("SELECT 1{} FROM", " OR 1".repeat(n))).is_err());
    }
}

/// The parser tries some words in two ways, and again inside: the time must not double each time.
#[test]
fn errors_inside_nested_calls_are_found_in_time() {
    let started = std::time::Instant::now();
    for word in [
        "CAST(",
        "CASE (",
        "NOT (",
        "EXTRACT(",
        "SUBSTRING(",
        "CONVERT(",
        "((SELECT * FROM ",
    ] {
        for n in [10, 30, 60, 190] {
            let text = format!("SELECT {}1 1", word.repeat(n));
            assert!(parse(&text).is_err());
        }
    }
    assert!(started.elapsed().as_secs() < 120, "{:?}", started.elapsed());
}

/// Parentheses as people write them, and generators too.
#[test]
fn usual_nesting_is_read() {
    let text = format!("SELECT {}1{}", "(".repeat(60), ")".repeat(60));
    assert_eq!(parse(&text).unwrap().statement.to_string(), text);
    let text = format!("SELECT 1{}", " + 1".repeat(500));
    assert_eq!(parse(&text).unwrap().statement.to_string(), text);
    let text = format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(300));
    assert_eq!(parse(&text).unwrap().statement.to_string(), text);
}
