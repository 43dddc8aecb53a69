//! Where a statement ends.

use super::rocksalt_reading;

/// Each text is one statement of one value, whatever marks stand in it.
#[test]
fn a_semicolon_ends_a_statement_only_outside_of_strings_names_and_comments() {
    let cases = [
        ("SELECT 'a;b' AS v", "a;b"),
        ("SELECT 'it''s; fine' AS v", "it's; fine"),
        ("SELECT ';''' AS v", ";'"),
        ("SELECT v FROM (SELECT 'q' AS \"x;y\", 'n' AS v)", "n"),
        ("SELECT E'it\\'s; \\\\' AS v", "it's; \\"),
        ("SELECT 'a\\' AS v", "a\\"),
        ("SELECT $$a;'b$$ AS v", "a;'b"),
        ("SELECT $t$;$$;$t$ AS v", ";$$;"),
        ("SELECT 1 -- one; two\n + 1 AS v", "2"),
        ("SELECT 1 /* ; /* nested; */ ; */ + 1 AS v", "2"),
        ("SELECT 2 - -1 AS v", "3"),
        ("SELECT 8 / 2 AS v", "4"),
        ("/* first */ SELECT 'ä;ö' AS v", "ä;ö"),
        ("SELECT 'two\nlines;' AS v", "\"two\nlines;\""),
    ];
    let mut input = String::new();
    let mut expected = String::new();
    for (sql, value) in cases {
        input.push_str(&format!("{sql};"));
        // Each also where a line ends.
        input.push_str(&format!("{sql}\n;\n"));
        expected.push_str(&format!("v\n{value}\nv\n{value}\n"));
    }
    let ran = rocksalt_reading(&["--format", "csv", "--null", "-"], input.as_bytes());
    assert_eq!(
        (ran.err.as_str(), ran.out.as_str()),
        ("", expected.as_str())
    );
}

#[test]
fn what_is_not_closed_at_the_end_is_a_syntax_error() {
    for unclosed in [
        "SELECT 'a;",
        "SELECT \"a;",
        "SELECT 1 /* ;",
        "/* ;",
        "SELECT $$;",
        "SELECT (1;",
    ] {
        let ran = rocksalt_reading(&["--format", "csv"], unclosed.as_bytes());
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{unclosed}");
        assert!(
            ran.err.starts_with("error: syntax: "),
            "{unclosed}: {}",
            ran.err
        );
    }
}

/// A statement of many lines is scanned once: twice the lines take about twice the time.
#[test]
fn a_statement_of_very_many_lines_is_read() {
    let mut sql = String::from("SELECT count(*) AS n FROM (VALUES\n(0)");
    for n in 1..20_000 {
        sql.push_str(&format!(",\n({n})"));
    }
    sql.push_str(") AS t(v);\n");
    let ran = rocksalt_reading(&["--format", "csv"], sql.as_bytes());
    assert_eq!((ran.err.as_str(), ran.out.as_str()), ("", "n\n20000\n"));
}
