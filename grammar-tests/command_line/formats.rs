//! How values and results look in each format.

use super::{printed, rocksalt};

/// One value of each kind; what each is in text is fixed by the documents.
const KINDS: &str = "SELECT TRUE AS b, CAST(-7 AS BIGINT) AS i, CAST(0.1 AS DOUBLE) AS d, \
    CAST(1.50 AS DECIMAL(38, 2)) AS n, 'it''s' AS s, X'00ff' AS x, DATE '2013-01-01' AS dt, \
    TIMESTAMP '2013-01-01T10:00:00' AS ts, TIMESTAMP '2013-01-01T10:00:00.25' AS f, NULL AS nil";

#[test]
fn each_kind_of_value_in_each_format() {
    assert_eq!(
        printed("csv", KINDS),
        "b,i,d,n,s,x,dt,ts,f,nil\n\
         true,-7,0.1,1.50,it's,\\x00ff,2013-01-01,2013-01-01T10:00:00,2013-01-01T10:00:00.250,NULL\n"
    );
    assert_eq!(
        printed("tsv", KINDS),
        "b\ti\td\tn\ts\tx\tdt\tts\tf\tnil\n\
         true\t-7\t0.1\t1.50\tit's\t\\\\x00ff\t2013-01-01\t2013-01-01T10:00:00\t\
         2013-01-01T10:00:00.250\tNULL\n"
    );
    assert_eq!(
        printed("json", KINDS),
        "[{\"b\":true,\"i\":-7,\"d\":0.1,\"n\":1.50,\"s\":\"it's\",\"x\":\"\\\\x00ff\",\
         \"dt\":\"2013-01-01\",\"ts\":\"2013-01-01T10:00:00\",\
         \"f\":\"2013-01-01T10:00:00.250\",\"nil\":null}]\n"
    );
    assert_eq!(
        printed("markdown", KINDS),
        "| b | i | d | n | s | x | dt | ts | f | nil |\n\
         | --- | ---: | ---: | ---: | --- | --- | --- | --- | --- | --- |\n\
         | true | -7 | 0.1 | 1.50 | it's | \\x00ff | 2013-01-01 | 2013-01-01T10:00:00 | \
         2013-01-01T10:00:00.250 | NULL |\n"
    );
    assert_eq!(
        printed(
            "table",
            "SELECT 5 AS number, 'a' AS name UNION ALL SELECT 1000000, 'bcdef' ORDER BY 1"
        ),
        concat!(
            "  number | name\n",
            "---------+-------\n",
            "       5 | a\n",
            " 1000000 | bcdef\n",
            "(2 rows)\n",
        )
    );
}

#[test]
fn text_that_a_format_could_mistake_is_quoted_or_escaped() {
    let sql = "SELECT 'a,b' AS a, 'say \"x\"' AS b, E'l1\\nl2' AS c, E't\\tb\\\\' AS d, 'p|q' AS e, '' AS f";
    assert_eq!(
        printed("csv", sql),
        "a,b,c,d,e,f\n\"a,b\",\"say \"\"x\"\"\",\"l1\nl2\",t\tb\\,p|q,\n"
    );
    assert_eq!(
        printed("tsv", sql),
        "a\tb\tc\td\te\tf\na,b\tsay \"x\"\tl1\\nl2\tt\\tb\\\\\tp|q\t\n"
    );
    assert_eq!(
        printed("json", sql),
        "[{\"a\":\"a,b\",\"b\":\"say \\\"x\\\"\",\"c\":\"l1\\nl2\",\"d\":\"t\\tb\\\\\",\"e\":\"p|q\",\"f\":\"\"}]\n"
    );
    assert_eq!(
        printed("markdown", "SELECT 'p|q' AS e, E'l1\\nl2' AS c"),
        "| e | c |\n| --- | --- |\n| p\\|q | l1<br>l2 |\n"
    );
    // A line end would break the table, an escape sequence the terminal.
    assert_eq!(
        printed("table", "SELECT E'l1\\nl2' AS c, chr(27) AS e"),
        " c      | e\n--------+--------\n l1\\nl2 | \\u{1b}\n(1 row)\n"
    );
}

#[test]
fn a_csv_text_that_reads_as_null_is_quoted() {
    let ran = rocksalt(&[
        "--format",
        "csv",
        "--null",
        "",
        "-c",
        "SELECT '' AS a, NULL AS b",
    ]);
    assert_eq!(ran.out, "a,b\n\"\",\n");
    assert_eq!(
        printed("csv", "SELECT 'NULL' AS a, NULL AS b"),
        "a,b\n\"NULL\",NULL\n"
    );
}

#[test]
fn null_looks_as_asked_but_in_json() {
    for (format, expected) in [
        ("table", " a | b\n---+---\n ∅ | ∅\n(1 row)\n"),
        ("csv", "a,b\n∅,∅\n"),
        ("tsv", "a\tb\n∅\t∅\n"),
        ("markdown", "| a | b |\n| --- | --- |\n| ∅ | ∅ |\n"),
        ("json", "[{\"a\":null,\"b\":null}]\n"),
    ] {
        let sql = "SELECT NULL AS a, CAST(NULL AS VARCHAR) AS b";
        let ran = rocksalt(&["--format", format, "--null", "∅", "-c", sql]);
        assert_eq!(ran.out, expected);
    }
}

#[test]
fn json_keeps_all_digits_all_columns_and_the_shape_of_values() {
    assert_eq!(
        printed(
            "json",
            "SELECT 9007199254740993 AS big, 12345678901234567890.123456789012345678 AS dec"
        ),
        "[{\"big\":9007199254740993,\"dec\":12345678901234567890.123456789012345678}]\n"
    );
    assert_eq!(
        printed(
            "json",
            "SELECT CAST('NaN' AS DOUBLE) AS n, CAST('-inf' AS DOUBLE) AS i, CAST('1e300' AS DOUBLE) * 10 AS f"
        ),
        "[{\"n\":\"NaN\",\"i\":\"-inf\",\"f\":1e301}]\n"
    );
    assert_eq!(
        printed(
            "json",
            "SELECT make_array(1, NULL, 3) AS l, named_struct('a', 1, 'b', 'x') AS s"
        ),
        "[{\"l\":[1,null,3],\"s\":{\"a\":1,\"b\":\"x\"}}]\n"
    );
    let join = "SELECT * FROM (VALUES (1)) AS t(k) JOIN (VALUES (1)) AS u(k) ON t.k = u.k";
    assert_eq!(printed("json", join), "[{\"k\":1,\"k_1\":1}]\n");
}

#[test]
fn results_without_rows_keep_their_columns() {
    for (format, expected) in [
        ("table", " a | b\n---+---\n(0 rows)\n"),
        ("csv", "a,b\n"),
        ("tsv", "a\tb\n"),
        ("markdown", "| a | b |\n| ---: | --- |\n"),
        ("json", "[]\n"),
    ] {
        assert_eq!(
            printed(format, "SELECT 1 AS a, 'x' AS b WHERE FALSE"),
            expected
        );
    }
}

#[test]
fn statements_without_a_result_speak_in_table_and_markdown_only() {
    let sql = "CREATE TABLE t (k INTEGER PRIMARY KEY); UPSERT INTO t VALUES (1), (2), (3); \
               DELETE FROM t WHERE k = 2; SELECT k FROM t ORDER BY k";
    assert_eq!(
        printed("table", sql),
        "ok\n3 rows affected\n1 row affected\n k\n---\n 1\n 3\n(2 rows)\n"
    );
    assert_eq!(
        printed("markdown", sql),
        "ok\n\n3 rows affected\n\n1 row affected\n\n| k |\n| ---: |\n| 1 |\n| 3 |\n"
    );
    assert_eq!(printed("csv", sql), "k\n1\n3\n");
    assert_eq!(printed("tsv", sql), "k\n1\n3\n");
    assert_eq!(printed("json", sql), "[{\"k\":1},\n{\"k\":3}]\n");
}

#[test]
fn plans_and_create_statements_are_bare_but_in_json() {
    let table = "CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 16";
    let plan = "EXPLAIN SELECT * FROM t WHERE k = 1";
    let shown = printed("csv", &format!("{table}; SHOW CREATE TABLE t"));
    assert!(shown.starts_with("CREATE TABLE t ("), "{shown}");
    for format in ["table", "csv", "tsv", "markdown"] {
        let out = printed(format, &format!("{table}; {plan}; SHOW CREATE TABLE t"));
        let out = out.trim_start_matches("ok\n").trim_start();
        assert!(
            out.starts_with("PointGet: t, buckets 1/16, keys [1]\n"),
            "{format}: {out}"
        );
        assert_eq!(
            out.split_once('\n').unwrap().1.trim_start(),
            shown,
            "{format}"
        );
    }
    let out = printed("json", &format!("{table}; {plan}"));
    assert!(
        out.starts_with("[{\"plan\":\"PointGet: t, buckets 1/16, keys [1]"),
        "{out}"
    );
    let out = printed("json", &format!("{table}; SHOW CREATE TABLE t"));
    assert!(
        out.starts_with("[{\"") && out.contains("CREATE TABLE t ("),
        "{out}"
    );
}

#[test]
fn a_plan_in_json_is_a_document_in_every_format() {
    let table = "CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 16";
    let plan = "EXPLAIN (FORMAT JSON) SELECT * FROM t WHERE k = 1";
    let bare = printed("csv", &format!("{table}; {plan}"));
    assert!(bare.starts_with("{\n  \"node\": \"PointGet\",\n"), "{bare}");
    for format in ["table", "tsv", "markdown"] {
        let out = printed(format, &format!("{table}; {plan}"));
        assert_eq!(
            out.trim_start_matches("ok\n").trim_start(),
            bare,
            "{format}"
        );
    }
    let out = printed("json", &format!("{table}; {plan}"));
    assert_eq!(out, format!("[{{\"plan\":{}}}]\n", bare.trim_end()));
}

/// Rows enough to pass through every buffer, more than a table keeps to align its columns.
#[test]
fn long_results_are_whole_in_every_format() {
    let sql = "SELECT value AS v FROM generate_series(1, 12345)";
    let numbers = || (1..=12_345u32).map(|n| n.to_string());
    let expected: String = numbers().map(|n| n + "\n").collect();
    assert_eq!(printed("csv", sql), format!("v\n{expected}"));
    let table = printed("table", sql);
    let lines: Vec<&str> = table.lines().map(str::trim).collect();
    assert_eq!(lines[2..lines.len() - 1], numbers().collect::<Vec<_>>());
    assert_eq!(lines.last(), Some(&"(12345 rows)"));
    let json = printed("json", sql);
    let objects: Vec<String> = numbers().map(|n| format!("{{\"v\":{n}}}")).collect();
    assert_eq!(json, format!("[{}]\n", objects.join(",\n")));
}
