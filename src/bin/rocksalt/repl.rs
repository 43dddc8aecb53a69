//! The prompt.
//!
//! Lines go through the same splitter as a script's, so one paste may hold many statements. A
//! statement without its `;` goes on behind another prompt; a command may stand on any of its
//! lines, and leaves it as it is.

use std::io::{self, Write};
use std::time::Duration;

use rocksalt::{Error, ErrorKind, Session};
use rustyline::error::ReadlineError;
use rustyline::{Cmd, Config, DefaultEditor, KeyCode, KeyEvent, Modifiers};
use tokio::runtime::Runtime;

use crate::args::{Args, Source};
use crate::caret;
use crate::format::Printer;
use crate::history::History;
use crate::interrupt::Interrupts;
use crate::meta::{HELP, Meta};
use crate::script::{Ended, Statements};
use crate::shell::Shell;
use crate::split::{Piece, Splitter};

const PROMPT: &str = "rocksalt> ";
/// The prompt of a statement that has not come to its `;`.
const CONTINUATION: &str = "       -> ";
/// A result longer than this is counted, not shown.
const SHOWN_ROWS: u64 = 1_000;

/// Reads and runs statements until the user leaves.
pub(crate) fn run<W: Write>(
    runtime: &Runtime,
    session: Session,
    printer: Printer<W>,
    args: &Args,
) -> Result<Ended, Error> {
    let interrupts = Interrupts::listen(runtime)
        .map_err(|e| Error::new(ErrorKind::Io, format!("cannot listen to Ctrl-C: {e}")))?;
    let config = Config::builder()
        .max_history_size(10_000)
        .map_err(no_terminal)?
        .build();
    let mut editor = DefaultEditor::with_config(config).map_err(no_terminal)?;
    // There is no completion, and a paste that comes as keys must keep its tabs.
    editor.bind_sequence(
        KeyEvent(KeyCode::Tab, Modifiers::NONE),
        Cmd::Insert(1, "\t".to_owned()),
    );
    let history = History::load(&mut editor);
    let shell = Shell::new(session, printer.with_limit(SHOWN_ROWS));
    let shell = shell.interrupted_by(interrupts);
    let mut prompt = Prompt {
        runtime,
        shell,
        timing: false,
        input: Input::new(),
    };
    notice(&match &args.path {
        None => format!(
            "rocksalt {}, in memory: nothing is kept",
            env!("CARGO_PKG_VERSION")
        ),
        Some(path) => format!("rocksalt {}, {}", env!("CARGO_PKG_VERSION"), path.display()),
    });
    notice("\\? for help, \\q to leave");
    // What is typed until a statement is whole comes back as one.
    let mut entry = String::new();
    loop {
        let begins = prompt.input.is_between_statements();
        match editor.readline(if begins { PROMPT } else { CONTINUATION }) {
            Ok(text) => {
                if !entry.is_empty() {
                    entry.push('\n');
                }
                entry.push_str(&text);
                let goes_on = prompt.take(&text);
                if !goes_on || prompt.input.is_between_statements() {
                    if !entry.trim().is_empty() {
                        history.add(&mut editor, &entry);
                    }
                    entry.clear();
                }
                if !goes_on {
                    return Ok(Ended::Well);
                }
            }
            Err(ReadlineError::Interrupted) => {
                entry.clear();
                prompt.input = Input::new();
            }
            // A resized window asks to read again.
            Err(ReadlineError::Signal(_)) => {}
            Err(ReadlineError::Eof) => return Ok(Ended::Well),
            Err(error) => return Err(no_terminal(error)),
        }
    }
}

struct Prompt<'a, W> {
    runtime: &'a Runtime,
    shell: Shell<W>,
    timing: bool,
    input: Input,
}

impl<W: Write> Prompt<'_, W> {
    /// Does what a text asks for; `false` if it asks to leave.
    fn take(&mut self, text: &str) -> bool {
        if self.input.is_between_statements() {
            // An error counts the lines of what was typed last.
            self.input = Input::new();
        }
        text.split('\n').all(|line| {
            let items = self.input.push_line(&format!("{line}\n"));
            items.into_iter().all(|item| self.obey(item))
        })
    }

    fn obey(&mut self, item: Item) -> bool {
        match item {
            Item::Statement(piece) => {
                self.statement(&piece);
            }
            Item::Meta(Meta::Quit) => return false,
            Item::Meta(Meta::Help) => notice(HELP.trim_end()),
            Item::Meta(Meta::Timing(on)) => {
                self.timing = on.unwrap_or(!self.timing);
                notice(if self.timing {
                    "timing is on"
                } else {
                    "timing is off"
                });
            }
            Item::Meta(Meta::Tables) => {
                self.sql("SHOW TABLES");
            }
            Item::Meta(Meta::Table(table)) => {
                if self.sql(&format!("DESCRIBE {table}")) {
                    self.sql(&format!("SHOW CREATE TABLE {table}"));
                }
            }
            Item::Meta(Meta::Expanded) => {
                notice(match self.shell.toggle_expanded() {
                    true => "rows have one column a line",
                    false => "rows have one line",
                });
            }
            Item::Meta(Meta::File(path)) => self.file(path),
            Item::Meta(Meta::Wrong(message)) => {
                show(&caret::show_bare(&Error::new(ErrorKind::Invalid, message)));
            }
        }
        true
    }

    /// Runs a statement that stands for a command; whether it succeeded. An error does not show
    /// it: it was not typed.
    fn sql(&mut self, text: &str) -> bool {
        self.run(text, |error| match error.kind() {
            ErrorKind::Syntax => {
                let message = "\\d takes the name of one table";
                caret::show_bare(&Error::new(ErrorKind::Invalid, message))
            }
            _ => caret::show_bare(error),
        })
    }

    /// Runs the statements in a file, until one fails.
    fn file(&mut self, path: String) {
        let mut statements = Statements::of(Source::File(path.into()));
        while let Some(piece) = statements.next() {
            let piece = match piece {
                Ok(piece) => piece,
                Err(error) => return show(&caret::show_bare(&error)),
            };
            if !self.run(&piece.text, |error| {
                caret::show(error, &piece, &statements.origin)
            }) {
                return;
            }
        }
    }

    fn statement(&mut self, piece: &Piece) -> bool {
        self.run(&piece.text, |error| caret::show(error, piece, ""))
    }

    /// Runs a statement; whether it succeeded.
    fn run(&mut self, sql: &str, shown: impl FnOnce(&Error) -> String) -> bool {
        match self.runtime.block_on(self.shell.run(sql)) {
            Ok(time) => {
                if self.timing {
                    notice(&format!("time: {}", milliseconds(time)));
                }
                true
            }
            Err(failure) => {
                show(&shown(&failure.into_error()));
                false
            }
        }
    }
}

/// What was typed, cut into what can be done.
struct Input {
    splitter: Splitter,
}

enum Item {
    Statement(Piece),
    Meta(Meta),
}

impl Input {
    fn new() -> Input {
        Input {
            splitter: Splitter::new(),
        }
    }

    fn push_line(&mut self, line: &str) -> Vec<Item> {
        if let Some(meta) = Meta::parse(line)
            && (self.is_between_statements()
                || line.trim_start().starts_with('\\') && !self.splitter.is_in_quotes())
        {
            return vec![Item::Meta(meta)];
        }
        self.splitter
            .push_line(line)
            .into_iter()
            .map(Item::Statement)
            .collect()
    }

    fn is_between_statements(&self) -> bool {
        self.splitter.is_between_statements()
    }
}

fn notice(text: &str) {
    show(&format!("{text}\n"));
}

fn show(text: &str) {
    // Without standard error there is nobody left to tell.
    let _ = io::stderr().write_all(text.as_bytes());
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1_000.0)
}

fn no_terminal(error: ReadlineError) -> Error {
    Error::new(
        ErrorKind::Io,
        format!("cannot read from the terminal: {error}"),
    )
}
