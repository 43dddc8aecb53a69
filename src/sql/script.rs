//! Scripts: many statements in one text.

use crate::error::{Position, Result};
use crate::sql::lexeme::{Lexeme, Lexemes};
use crate::sql::parse::{Parsed, parse};

/// One statement of a script, not yet read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The statement, without the semicolon and without what stands before its first word.
    pub text: &'a str,
    /// Where it begins in the script, in bytes.
    pub offset: usize,
    /// Where it begins in the script.
    pub position: Position,
}

impl Piece<'_> {
    /// Reads the statement; the positions in it count from its own begin.
    ///
    /// # Errors
    /// Those of [`parse`], placed in the script.
    pub fn parse(&self) -> Result<Parsed> {
        parse(self.text).map_err(|e| e.moved(|position| self.place(position)))
    }

    /// Where in the script a position of the statement is.
    pub fn place(&self, position: Position) -> Position {
        Position {
            line: self.position.line + position.line.saturating_sub(1),
            column: match position.line {
                0 | 1 => self.position.column + position.column.saturating_sub(1),
                _ => position.column,
            },
        }
    }
}

/// The statements of a script, in order. Semicolons in strings, quoted names and comments end
/// nothing; a statement of nothing but comments is none. Never fails: what is no statement, or has
/// no end, is a piece whose [`Piece::parse`] says so.
pub fn split(script: &str) -> Split<'_> {
    Split {
        script,
        lexemes: Lexemes::new(script),
        seen: 0,
        position: Position { line: 1, column: 1 },
    }
}

/// The iterator of [`split`].
pub struct Split<'a> {
    script: &'a str,
    lexemes: Lexemes<'a>,
    /// How far `position` has come, in bytes.
    seen: usize,
    position: Position,
}

impl<'a> Split<'a> {
    /// The position of a byte offset behind the last one asked for.
    fn position_at(&mut self, offset: usize) -> Position {
        for c in self
            .script
            .get(self.seen..offset)
            .unwrap_or_default()
            .chars()
        {
            if c == '\n' {
                self.position.line += 1;
                self.position.column = 1;
            } else {
                self.position.column += 1;
            }
        }
        self.seen = offset;
        self.position
    }
}

impl<'a> Iterator for Split<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let (mut start, mut end) = (None, 0);
        loop {
            let at = self.lexemes.offset();
            match self.lexemes.next() {
                Some(Lexeme::Space) => {}
                Some(Lexeme::Other | Lexeme::Open) => {
                    start.get_or_insert(at);
                    end = self.lexemes.offset();
                }
                Some(Lexeme::Semicolon) if start.is_none() => {}
                Some(Lexeme::Semicolon) | None => break,
            }
        }
        let offset = start?;
        let position = self.position_at(offset);
        let text = self.script.get(offset..end).unwrap_or_default();
        Some(Piece {
            text,
            offset,
            position,
        })
    }
}

/// Whether what was typed can be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// There is nothing but white space and comments.
    Empty,
    /// The last statement has not come to its semicolon, or a string or comment has no end.
    Incomplete,
    /// The text ends with the semicolon of its last statement.
    Complete,
}

/// Whether what was typed can be executed.
pub fn completeness(text: &str) -> Completeness {
    let mut state = Completeness::Empty;
    for lexeme in Lexemes::new(text) {
        state = match lexeme {
            Lexeme::Space => state,
            Lexeme::Semicolon if state == Completeness::Empty => state,
            Lexeme::Semicolon => Completeness::Complete,
            Lexeme::Other | Lexeme::Open => Completeness::Incomplete,
        };
    }
    state
}
