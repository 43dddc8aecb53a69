//! Text into statements, line by line, while it is still being typed or read.

use rocksalt::sql::{Completeness, completeness, split};

/// One statement of a text, without its `;`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    /// The text, without what stands before its first word.
    pub text: String,
    /// The line of the source that the text begins in, from 1.
    pub line: u64,
}

/// Cuts lines into statements as they come.
#[derive(Debug)]
pub(crate) struct Splitter {
    /// What has not ended yet.
    text: String,
    /// The line of the source that it begins in.
    line: u64,
}

impl Splitter {
    /// A splitter whose first line is line 1.
    pub(crate) fn new() -> Splitter {
        Splitter {
            text: String::new(),
            line: 1,
        }
    }

    /// Takes in a line, with its line end if it has one; returns the statements that end in it.
    pub(crate) fn push_line(&mut self, line: &str) -> Vec<Piece> {
        self.text.push_str(line);
        // Nothing else ends a statement: a long one is not looked at again for each of its lines.
        if !line.contains(';') {
            return Vec::new();
        }
        let is_open = !self.is_between_statements();
        let mut pieces: Vec<_> = split(&self.text).collect();
        let rest = if is_open {
            pieces.pop().map(|piece| piece.offset)
        } else {
            None
        };
        let finished = pieces.into_iter().map(|piece| self.own(&piece)).collect();
        self.drop_until(rest.unwrap_or(self.text.len()));
        finished
    }

    /// The unfinished statement at the end of the text, if there is one.
    pub(crate) fn rest(&mut self) -> Option<Piece> {
        let rest = split(&self.text).next().map(|piece| self.own(&piece));
        self.drop_until(self.text.len());
        rest
    }

    /// Whether nothing of a statement has come in since the last `;`.
    pub(crate) fn is_between_statements(&self) -> bool {
        completeness(&self.text) != Completeness::Incomplete
    }

    /// Whether what has come in stands in a string, a quoted name or a comment without an end.
    pub(crate) fn is_in_quotes(&self) -> bool {
        completeness(&format!("{};", self.text)) == Completeness::Incomplete
    }

    fn own(&self, piece: &rocksalt::sql::Piece<'_>) -> Piece {
        Piece {
            text: piece.text.to_owned(),
            line: self.line + piece.position.line - 1,
        }
    }

    fn drop_until(&mut self, offset: usize) {
        let dropped = self.text.drain(..offset);
        self.line += dropped.filter(|character| *character == '\n').count() as u64;
    }
}
