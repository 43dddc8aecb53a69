//! The prompt, as someone at a terminal meets it.

use std::fs;

use super::terminal::Terminal;

#[test]
fn a_statement_goes_on_until_its_semicolon() {
    let mut terminal = Terminal::start(&[]);
    terminal.type_keys("SELECT 40\r+\r2 AS answer;\r");
    terminal.expect(" answer\n--------\n     42\n(1 row)\n");
    terminal.expect("rocksalt> ");
    assert_eq!(terminal.ask("SELECT ';' AS s;"), " s\n---\n ;\n(1 row)");
}

#[test]
fn a_paste_may_hold_several_statements_and_commands() {
    // As a terminal pastes that knows bracketed paste, and as one that does not.
    let text = "SELECT 1 AS a;\nSELECT\n2 AS a;\n\\timing\nSELECT 3\n AS a;";
    for keys in [
        format!("\x1b[200~{text}\x1b[201~\r"),
        format!("{}\r", text.replace('\n', "\r")),
    ] {
        let mut terminal = Terminal::start(&[]);
        terminal.type_keys(&keys);
        terminal.expect("\n 1\n(1 row)\n");
        terminal.expect("\n 2\n(1 row)\n");
        terminal.expect("timing is on\n");
        terminal.expect("\n 3\n(1 row)\n");
        terminal.expect("time: ");
    }
}

#[test]
fn ctrl_c_drops_what_is_typed() {
    let mut terminal = Terminal::start(&[]);
    terminal.type_keys("SELECT 1,\r'unclosed\x03");
    terminal.expect("\nrocksalt> ");
    assert_eq!(terminal.ask("SELECT 2 AS a;"), " a\n---\n 2\n(1 row)");
}

#[test]
fn ctrl_c_ends_a_running_statement_and_the_prompt_lives_on() {
    let mut terminal = Terminal::start(&[]);
    terminal.ask("CREATE TABLE t (k BIGINT PRIMARY KEY) SALT_BUCKETS = 4;");
    for endless in [
        // Rows without end, shown and then counted.
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT n FROM r",
        "SELECT value FROM generate_series(1, 1000000000000)",
        // No row before the end.
        "SELECT count(*) FROM generate_series(1, 1000000) AS a(x), generate_series(1, 1000000) AS b(y) WHERE x * y = 7",
        "UPSERT INTO t SELECT x * 1000000 + y FROM generate_series(1, 1000000) AS a(x), generate_series(1, 1000000) AS b(y) WHERE x * y < 0",
    ] {
        terminal.type_keys(&format!("{endless};\r"));
        terminal.expect(";");
        // Long enough for the statement to be under way, whatever else this machine does.
        std::thread::sleep(std::time::Duration::from_millis(700));
        terminal.type_keys("\x03");
        terminal.expect("error: cancelled: ");
        terminal.expect("rocksalt> ");
        assert_eq!(terminal.ask("SELECT 2 AS a;"), " a\n---\n 2\n(1 row)");
    }
    assert_eq!(
        terminal.ask("SELECT count(*) AS n FROM t;"),
        " n\n---\n 0\n(1 row)"
    );
}

#[test]
fn each_way_to_leave_leaves() {
    for keys in ["\x04", "\\q\r", "quit\r", "exit;\r", "QUIT\r"] {
        let mut terminal = Terminal::start(&[]);
        terminal.type_keys(keys);
        assert_eq!(terminal.ended(), Some(0), "{keys:?}");
    }
}

#[test]
fn backslash_d_shows_tables_and_one_table() {
    let mut terminal = Terminal::start(&[]);
    terminal.ask("CREATE TABLE host_load (host VARCHAR, at TIMESTAMP, load DOUBLE, PRIMARY KEY (host, at)) SALT_BUCKETS = 16;");
    let tables = terminal.ask("\\d");
    assert!(
        tables.contains("host_load") && tables.contains("(1 row)"),
        "{tables}"
    );
    let table = terminal.ask("\\d host_load");
    for part in [
        "host",
        "VARCHAR",
        "TIMESTAMP",
        "DOUBLE",
        "(3 rows)",
        "CREATE TABLE host_load (",
        "SALT_BUCKETS",
    ] {
        assert!(table.contains(part), "{part} in\n{table}");
    }
    let error = terminal.ask("\\d nowhere");
    assert!(error.contains("error: not found: "), "{error}");
}

#[test]
fn commands_say_what_they_did_and_what_is_wrong() {
    let mut terminal = Terminal::start(&[]);
    assert_eq!(terminal.ask("\\timing"), "timing is on");
    let timed = terminal.ask("SELECT 1 AS a;");
    let time = timed.strip_prefix(" a\n---\n 1\n(1 row)\ntime: ").unwrap();
    assert!(time.strip_suffix(" ms").unwrap().parse::<f64>().unwrap() > 0.0);
    assert_eq!(terminal.ask("\\timing off"), "timing is off");
    assert_eq!(terminal.ask("SELECT 1 AS a;"), " a\n---\n 1\n(1 row)");
    let help = terminal.ask("\\?");
    for command in ["\\d", "\\timing", "\\q", "\\?", "Ctrl-C"] {
        assert!(help.contains(command), "{command} in\n{help}");
    }
    assert_eq!(
        terminal.ask("\\nonsense"),
        "error: invalid: there is no \\nonsense; \\? shows what there is"
    );
}

#[test]
fn an_error_has_its_caret_and_the_prompt_lives_on() {
    let mut terminal = Terminal::start(&[]);
    let error = terminal.ask("SELECT * FROM nowhere;");
    assert!(error.starts_with("error: not found: "), "{error}");
    assert!(
        error.ends_with("\n  line 1: SELECT * FROM nowhere\n                        ^"),
        "{error}"
    );
    assert_eq!(terminal.ask("SELECT 2 AS a;"), " a\n---\n 2\n(1 row)");
}

#[test]
fn a_thousand_rows_are_shown_and_the_others_counted() {
    let mut terminal = Terminal::start(&["--format", "table"]);
    let shown = terminal.ask("SELECT value AS v FROM generate_series(1, 2500);");
    let lines: Vec<&str> = shown.lines().map(str::trim).collect();
    assert_eq!(lines[..2], ["v", "------"]);
    assert_eq!(
        lines[2..1_002],
        (1..=1_000).map(|n| n.to_string()).collect::<Vec<_>>()
    );
    assert_eq!(
        lines[1_002..],
        [
            "... 1500 more rows; -c and -f print all of them",
            "(2500 rows)"
        ]
    );
    let whole = terminal.ask("SELECT value AS v FROM generate_series(1, 1000);");
    assert!(whole.ends_with(" 1000\n(1000 rows)"), "{whole}");
}

#[test]
fn what_was_typed_comes_back_in_the_next_prompt() {
    let mut terminal = Terminal::start(&[]);
    terminal.ask("SELECT 41\r + 1 AS answer;");
    terminal.type_keys("\\q\r");
    assert_eq!(terminal.ended(), Some(0));
    let data = std::mem::replace(&mut terminal.data, tempfile::tempdir().unwrap());
    let mut next = Terminal::start_in(&[], data);
    next.type_keys("\x1b[A\x1b[A\r");
    next.expect("\n     42\n(1 row)\n");
}

#[test]
fn a_history_that_cannot_be_kept_keeps_nobody_out() {
    let data = tempfile::tempdir().unwrap();
    fs::write(
        data.path().join("rocksalt"),
        "a file where the folder should be",
    )
    .unwrap();
    let mut terminal = Terminal::start_in(&[], data);
    assert_eq!(terminal.ask("SELECT 2 AS a;"), " a\n---\n 2\n(1 row)");
}

/// The prompt of a statement that goes on.
const CONTINUATION: &str = "\n       -> ";

#[test]
fn a_statement_that_goes_on_has_a_prompt_of_its_own() {
    let mut terminal = Terminal::start(&[]);
    for line in ["SELECT 1", ".tables", "AS a", "help"] {
        terminal.type_keys(&format!("{line}\r"));
        terminal.expect(CONTINUATION);
    }
    terminal.type_keys("\x03");
    terminal.expect("\nrocksalt> ");
    // What was dropped is gone.
    assert_eq!(terminal.ask("SELECT 2 AS a;"), " a\n---\n 2\n(1 row)");
    // A comment is no statement yet.
    assert_eq!(terminal.ask("-- nothing"), "");
}

#[test]
fn words_of_other_prompts_are_answered_at_once() {
    let mut terminal = Terminal::start(&[]);
    for word in ["help", "HELP;", "\\h", "\\?"] {
        let help = terminal.ask(word);
        assert!(
            help.starts_with("A statement ends with ;"),
            "{word}: {help}"
        );
    }
    for (word, answer) in [
        (".help", "there is no .help; write \\?"),
        (".tables", "there is no .tables; write \\d"),
        (".exit", "there is no .exit; write \\q"),
        (
            ".mode csv",
            "commands begin with a backslash; \\? shows what there is",
        ),
        ("\\l", "there is no \\l; \\? shows what there is"),
        ("\\copy", "there is no \\copy; \\? shows what there is"),
        ("\\i", "\\i takes the name of a file"),
    ] {
        assert_eq!(
            terminal.ask(word),
            format!("error: invalid: {answer}"),
            "{word}"
        );
    }
}

#[test]
fn a_command_in_a_started_statement_leaves_it_as_it_is() {
    let mut terminal = Terminal::start(&[]);
    terminal.ask("CREATE TABLE users (id INTEGER PRIMARY KEY);");
    terminal.type_keys("SELECT count(*) AS n\r");
    terminal.expect(CONTINUATION);
    terminal.type_keys("\\d\r");
    terminal.expect(" table_name\n");
    terminal.expect(" users\n(1 row)\n");
    terminal.expect(&CONTINUATION[1..]);
    assert_eq!(terminal.ask("FROM users;"), " n\n---\n 0\n(1 row)");
    // In a string, a name or a comment it is text.
    terminal.type_keys("SELECT 'a\r\\d\r' AS s, 1 /*\r\\q\r*/ AS a;\r");
    terminal.expect(" s       | a\n");
    terminal.expect(" a\\n\\d\\n | 1\n");
}

#[test]
fn a_command_that_fails_does_not_show_what_was_not_typed() {
    let mut terminal = Terminal::start(&[]);
    assert_eq!(
        terminal.ask("\\d nosuch"),
        "error: not found: table nosuch does not exist"
    );
    assert_eq!(
        terminal.ask("\\d us*"),
        "error: invalid: \\d takes the name of one table"
    );
}

#[test]
fn what_users_of_psql_type_works() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("make it.sql");
    fs::write(
        &file,
        "CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR);\n\
         UPSERT INTO users VALUES (1, 'a'), (2, NULL);\nSELECT nothing;\nSELECT 7 AS seven;\n",
    )
    .unwrap();
    let mut terminal = Terminal::start(&[]);
    let shown = terminal.ask(&format!("\\i '{}'", file.display()));
    assert!(
        shown.starts_with("ok\n2 rows affected\nerror: not found: "),
        "{shown}"
    );
    assert!(shown.contains("make it.sql:3: SELECT nothing"), "{shown}");
    assert!(!shown.contains("seven"), "it went on:\n{shown}");
    let missing = terminal.ask("\\i nowhere.sql");
    assert!(
        missing.starts_with("error: io: cannot read nowhere.sql: "),
        "{missing}"
    );
    assert_eq!(
        terminal.ask("\\dt"),
        " table_name\n------------\n users\n(1 row)"
    );
    assert_eq!(terminal.ask("\\d+ users"), terminal.ask("\\d users"));
    assert_eq!(terminal.ask("\\x"), "rows have one column a line");
    assert_eq!(
        terminal.ask("SELECT * FROM users ORDER BY id;"),
        "-[ row 1 ]-\nid   | 1\nname | a\n-[ row 2 ]-\nid   | 2\nname | NULL\n(2 rows)"
    );
    assert_eq!(terminal.ask("\\x"), "rows have one line");
    assert_eq!(terminal.ask("SELECT 1 AS a;"), " a\n---\n 1\n(1 row)");
}

#[test]
fn a_tab_is_typed() {
    let mut terminal = Terminal::start(&["--format", "csv"]);
    assert_eq!(terminal.ask("SELECT\t1\tAS\ta;"), "a\n1");
    assert_eq!(
        terminal.ask("SELECT length('a\tb') AS n, ascii('\t') AS t;"),
        "n,t\n3,9"
    );
}
