//! Statements from -c, -f and standard input, one after the other.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};

use rocksalt::{Error, ErrorKind};

use crate::args::Source;
use crate::caret;
use crate::shell::Shell;
use crate::split::{Piece, Splitter};

/// How a script ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ended {
    /// Every statement succeeded.
    Well,
    /// A statement failed, or its source could not be read.
    Badly,
}

/// Runs every statement of the sources; stops at the first that fails, unless `keep_going`.
pub(crate) async fn run<W: Write>(
    shell: &mut Shell<W>,
    sources: Vec<Source>,
    keep_going: bool,
) -> Ended {
    let mut ended = Ended::Well;
    for source in sources {
        let mut statements = Statements::of(source);
        while let Some(piece) = statements.next() {
            let failure = match piece {
                Ok(ref piece) if piece.text.starts_with('\\') => caret::show(
                    &command_of_the_prompt(&piece.text),
                    piece,
                    &statements.origin,
                ),
                Ok(ref piece) => match shell.run(&piece.text).await {
                    Ok(_) => continue,
                    Err(failure) if failure.is_broken_pipe() => {
                        // Whoever read the output has seen enough; statements left undone are
                        // another matter.
                        let done = statements.next().is_none() && ended == Ended::Well;
                        return if done { Ended::Well } else { Ended::Badly };
                    }
                    Err(failure) => caret::show(&failure.into_error(), piece, &statements.origin),
                },
                Err(ref error) => caret::show_bare(error),
            };
            let _ = io::stderr().write_all(failure.as_bytes());
            ended = Ended::Badly;
            if !keep_going {
                return ended;
            }
        }
    }
    ended
}

/// The statements of one source, read as they are asked for.
pub(crate) struct Statements {
    /// What an error calls the source.
    pub(crate) origin: String,
    lines: Result<Box<dyn BufRead>, Error>,
    splitter: Splitter,
    ready: VecDeque<Piece>,
    line: u64,
    ended: bool,
}

impl Statements {
    pub(crate) fn of(source: Source) -> Statements {
        let (origin, lines): (_, Result<Box<dyn BufRead>, _>) = match source {
            Source::Command(text) => (String::new(), Ok(Box::new(io::Cursor::new(text)))),
            Source::Stdin => (String::new(), Ok(Box::new(io::stdin().lock()))),
            Source::File(path) => {
                let origin = path.display().to_string();
                let file = File::open(&path).map_err(|e| cannot_read(&origin, &e));
                (origin, file.map(|file| Box::new(BufReader::new(file)) as _))
            }
        };
        Statements {
            origin,
            lines,
            splitter: Splitter::new(),
            ready: VecDeque::new(),
            line: 0,
            ended: false,
        }
    }

    /// The next statement, or why it cannot be read.
    pub(crate) fn next(&mut self) -> Option<Result<Piece, Error>> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(Ok(piece));
            }
            if self.ended {
                return None;
            }
            match self.read_line() {
                Ok(Some(line)) => self.ready.extend(self.splitter.push_line(&line)),
                Ok(None) => {
                    self.ended = true;
                    return self.splitter.rest().map(Ok);
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
    }

    fn read_line(&mut self) -> Result<Option<String>, Error> {
        let lines = match &mut self.lines {
            Ok(lines) => lines,
            Err(_) => {
                return std::mem::replace(&mut self.lines, Ok(Box::new(io::empty()))).map(|_| None);
            }
        };
        let mut bytes = Vec::new();
        let name = if self.origin.is_empty() {
            "standard input"
        } else {
            &self.origin
        };
        if lines
            .read_until(b'\n', &mut bytes)
            .map_err(|e| cannot_read(name, &e))?
            == 0
        {
            return Ok(None);
        }
        self.line += 1;
        let mut line = String::from_utf8(bytes).map_err(|_| {
            Error::new(
                ErrorKind::Invalid,
                format!("{name}:{}: not UTF-8", self.line),
            )
        })?;
        // Some editors mark UTF-8 by a byte order mark.
        if self.line == 1 && line.starts_with('\u{feff}') {
            line.remove(0);
        }
        Ok(Some(line))
    }
}

/// What to write instead of a command that begins with a backslash.
pub(crate) fn command_of_the_prompt(text: &str) -> Error {
    let command: String = text
        .chars()
        .take_while(|c| !c.is_whitespace())
        .take(20)
        .collect();
    let instead = match command.as_str() {
        "\\d" | "\\dt" | "\\d+" => "; write SHOW TABLES or DESCRIBE t",
        _ => "",
    };
    let message = format!("{command} is a command of the prompt, and no SQL{instead}");
    Error::new(ErrorKind::Syntax, message)
}

fn cannot_read(name: &str, error: &io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("cannot read {name}: {error}"))
}
