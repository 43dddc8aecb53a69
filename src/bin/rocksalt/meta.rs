//! The commands of the prompt that are not SQL.

/// What a line asks of the prompt itself.
#[derive(Debug, PartialEq)]
pub(crate) enum Meta {
    /// `\q`, `quit`, `exit`
    Quit,
    /// `\?`
    Help,
    /// `\timing`: whether it is switched on, off, or over
    Timing(Option<bool>),
    /// `\x`
    Expanded,
    /// `\i FILE`
    File(String),
    /// `\d`
    Tables,
    /// `\d t`
    Table(String),
    /// Anything else after a backslash, with what is wrong with it.
    Wrong(String),
}

/// What `\?` prints.
pub(crate) const HELP: &str = "\
A statement ends with ;   SELECT, UPSERT, CREATE TABLE, COPY, EXPLAIN [ANALYZE], ...
\\d            the tables
\\d TABLE      the columns of a table, and the statement that creates it
\\i FILE       run the statements in a file
\\x            show rows with one column a line, or no longer
\\timing       show how long a statement took, or stop showing it
\\?            this help (also help)
\\q            leave; also quit, exit and Ctrl-D
Ctrl-C        end the running statement, or drop what is typed
The prompt shows the first 1000 rows of a result; all of them come from the command line:
rocksalt FOLDER --format csv -c 'SELECT ...' > FILE
";

impl Meta {
    /// What a line asks for that stands between two statements, if it is not SQL.
    pub(crate) fn parse(line: &str) -> Option<Meta> {
        let line = line.trim().trim_end_matches(';').trim_end();
        if line.eq_ignore_ascii_case("quit") || line.eq_ignore_ascii_case("exit") {
            return Some(Meta::Quit);
        }
        if line.eq_ignore_ascii_case("help") {
            return Some(Meta::Help);
        }
        // No statement begins with a dot.
        if let Some(name) = line.strip_prefix('.')
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
        {
            return Some(Meta::Wrong(match name {
                "help" => "there is no .help; write \\?".to_owned(),
                "exit" | "quit" => format!("there is no .{name}; write \\q"),
                "tables" | "schema" => format!("there is no .{name}; write \\d"),
                _ => "commands begin with a backslash; \\? shows what there is".to_owned(),
            }));
        }
        let command = line.strip_prefix('\\')?;
        let (name, argument) = match command.split_once(char::is_whitespace) {
            Some((name, argument)) => (name, Some(argument.trim())),
            None => (command, None),
        };
        Some(match (name, argument) {
            ("q", None) => Meta::Quit,
            ("?" | "h" | "help", _) => Meta::Help,
            ("x", None) => Meta::Expanded,
            ("i", Some(file)) => Meta::File(unquoted(file).to_owned()),
            ("i", None) => Meta::Wrong("\\i takes the name of a file".to_owned()),
            ("timing", None) => Meta::Timing(None),
            ("timing", Some("on")) => Meta::Timing(Some(true)),
            ("timing", Some("off")) => Meta::Timing(Some(false)),
            ("timing", Some(_)) => Meta::Wrong("\\timing takes on, off or nothing".to_owned()),
            ("d" | "dt" | "d+", None) => Meta::Tables,
            ("d" | "dt" | "d+", Some(table)) => Meta::Table(table.to_owned()),
            ("q" | "x", Some(_)) => Meta::Wrong(format!("\\{name} takes nothing")),
            _ => Meta::Wrong(format!("there is no \\{name}; \\? shows what there is")),
        })
    }
}

/// The name of a file without the quotes around it, if it has any.
fn unquoted(file: &str) -> &str {
    file.strip_prefix('\'')
        .and_then(|file| file.strip_suffix('\''))
        .unwrap_or(file)
}
