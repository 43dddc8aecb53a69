//! Scripts are cut where the tokenizer sees semicolons; nothing panics on any text.

use proptest::prelude::*;
use rocksalt::sql::{Completeness, completeness, parse, split};
use sqlparser::dialect::GenericDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

#[test]
fn statements_and_their_places() {
    let script = "-- first\nSELECT 'a;b'; ;\n  /* ; */ UPSERT INTO t\n VALUES (\"x;\") ; SELECT $$;$$, 1e5;é;";
    let pieces: Vec<_> = split(script).collect();
    let texts: Vec<_> = pieces.iter().map(|piece| piece.text).collect();
    assert_eq!(
        texts,
        [
            "SELECT 'a;b'",
            "UPSERT INTO t\n VALUES (\"x;\")",
            "SELECT $$;$$, 1e5",
            "é"
        ]
    );
    for piece in &pieces {
        assert!(script[piece.offset..].starts_with(piece.text));
    }
    let places: Vec<_> = pieces
        .iter()
        .map(|p| (p.position.line, p.position.column))
        .collect();
    assert_eq!(places, [(2, 1), (3, 11), (4, 18), (4, 36)]);
}

#[test]
fn errors_are_placed_in_the_script() {
    let script = "SELECT 1;\n  SELECT 1 +;\nSELECT\n 'abc";
    let errors: Vec<_> = split(script).map(|piece| piece.parse()).collect();
    let place = |i: usize| {
        let position = errors[i].as_ref().unwrap_err().position().unwrap();
        (position.line, position.column)
    };
    assert!(errors[0].is_ok());
    assert_eq!(place(1), (2, 13));
    assert_eq!(place(2), (4, 2));
}

#[test]
fn what_is_typed() {
    use Completeness::{Complete, Empty, Incomplete};
    for (text, expected) in [
        ("", Empty),
        (" -- c\n", Empty),
        (";", Empty),
        ("SELECT 1", Incomplete),
        ("SELECT 1;", Complete),
        ("SELECT 1; -- done", Complete),
        ("SELECT 1; SELECT", Incomplete),
        ("SELECT ';", Incomplete),
        ("SELECT ';'", Incomplete),
        ("SELECT (;", Complete),
        ("SELECT 1 /* ;", Incomplete),
        ("/* open", Incomplete),
        ("SELECT \"a;", Incomplete),
        ("SELECT $a$ ; $b$ ;", Incomplete),
        ("SELECT E'\\';", Incomplete),
        ("SELECT '\\';", Complete),
    ] {
        assert_eq!(completeness(text), expected, "{text}");
    }
}

/// The semicolons that sqlparser's tokenizer sees, as character offsets.
fn semicolons(text: &str) -> Option<Vec<usize>> {
    let tokens = Tokenizer::new(&GenericDialect, text)
        .tokenize_with_location()
        .ok()?;
    let lines: Vec<usize> = std::iter::once(0)
        .chain(
            text.chars()
                .enumerate()
                .filter(|(_, c)| *c == '\n')
                .map(|(i, _)| i + 1),
        )
        .collect();
    let ends = tokens.iter().filter(|t| t.token == Token::SemiColon);
    Some(
        ends.map(|t| lines[t.span.start.line as usize - 1] + t.span.start.column as usize - 1)
            .collect(),
    )
}

fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        Just("SELECT "),
        Just("1"),
        Just("0x"),
        Just("e"),
        Just("E"),
        Just("'"),
        Just("''"),
        Just("\""),
        Just("`"),
        Just(";"),
        Just(";"),
        Just(" "),
        Just("\n"),
        Just("--"),
        Just("-"),
        Just("/*"),
        Just("*/"),
        Just("/"),
        Just("$"),
        Just("$$"),
        Just("$a$"),
        Just("\\"),
        Just("x"),
        Just("r"),
        Just("b"),
        Just("u&"),
        Just("n"),
        Just("#"),
        Just("@"),
        Just("|"),
        Just("^"),
        Just("<"),
        Just("."),
        Just("+"),
        Just("("),
        Just(")"),
        Just(","),
        Just("é"),
        Just("_"),
        Just("?"),
        Just(":a"),
        Just("::"),
        Just("["),
        Just("]"),
        Just("=")
    ];
    prop::collection::vec(fragment, 0..24).prop_map(|parts| parts.concat())
}

const STATEMENTS: &[&str] = &[
    "CREATE TABLE foo (host VARCHAR, date DATE CONSTRAINT pk PRIMARY KEY (host, date)) SALT_BUCKETS=20",
    "CREATE TABLE t (a INT NULL DEFAULT 1 + 2, b DECIMAL(10, 2), PRIMARY KEY (a DESC, b)) SALT_BUCKETS = 4, SALT_COLUMNS = (a)",
    "UPSERT INTO t (a, b) VALUES (1, 'x'), (DEFAULT, :p) ",
    "UPDATE t AS x SET a = 1, (b, c) = (2, 3) WHERE (a, b) > (1, 2)",
    "DELETE FROM t WHERE (a, b) IN ((1, 2), (3, 4)) AND c BETWEEN ? AND ?",
    "COPY t (a) FROM 'f.csv' (FORMAT csv, HEADER true, DELIMITER ',', NULL 'NA')",
    "SELECT a, count(*) FILTER (WHERE b > 1) OVER (PARTITION BY c ORDER BY d) FROM t JOIN u ON t.a = u.a WHERE CASE WHEN a THEN b ELSE c END GROUP BY 1 HAVING x ORDER BY 1 DESC LIMIT 5",
    "EXPLAIN WITH c AS (SELECT CAST(a AS TIMESTAMP) FROM t) SELECT * FROM c UNION ALL SELECT $1",
    "SET a.b = 'x'",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn pieces_end_where_the_tokenizer_sees_it(text in fragments()) {
        let pieces: Vec<_> = split(&text).collect();
        if let Some(ends) = semicolons(&text) {
            let chars: Vec<char> = text.chars().collect();
            let mut start = 0;
            let mut expected = Vec::new();
            for end in ends.into_iter().chain([chars.len()]) {
                let part: String = chars[start..end].iter().collect();
                let tokens = Tokenizer::new(&GenericDialect, &part).tokenize().unwrap_or_default();
                if tokens.iter().any(|t| !matches!(t, Token::Whitespace(_))) {
                    expected.push(part);
                }
                start = end + 1;
            }
            prop_assert_eq!(pieces.len(), expected.len(), "{}", text);
            for (piece, whole) in pieces.iter().zip(&expected) {
                prop_assert!(whole.contains(piece.text));
            }
        }
        for piece in pieces {
            let _ = piece.parse();
        }
        let _ = completeness(&text);
    }

    #[test]
    fn nothing_panics_on_any_text(text in ".{0,60}") {
        let _ = parse(&text);
        for piece in split(&text) {
            let _ = piece.parse();
        }
        let _ = completeness(&text);
    }

    /// A statement that lost, doubled or swapped words is read or refused, and what is read has a
    /// canonical text that reads back.
    #[test]
    fn mangled_statements(
        which in 0..STATEMENTS.len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3), 1..4),
    ) {
        let mut words: Vec<&str> = STATEMENTS[which]
            .split_inclusive([' ', '(', ')', ',', '='])
            .collect();
        for (at, other, kind) in cuts {
            let (at, other) = (at.index(words.len()), other.index(words.len()));
            match kind {
                0 if words.len() > 1 => drop(words.remove(at)),
                1 => words.insert(at, words[other]),
                _ => words.swap(at, other),
            }
        }
        let text = words.concat();
        if let Ok(parsed) = parse(&text) {
            let canonical = parsed.statement.to_string();
            match parse(&canonical) {
                Ok(again) => prop_assert_eq!(again.statement.to_string(), canonical, "{}", text),
                Err(error) => prop_assert!(false, "{text}\n{canonical}\n{error}"),
            }
        }
    }
}
