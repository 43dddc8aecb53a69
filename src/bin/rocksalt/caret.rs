//! An error with the line of the statement that it points to.
//!
//! ```text
//! error: not found: table nowhere
//!   line 2: FROM nowhere
//!                ^
//! ```

use std::fmt::Write;

use rocksalt::Error;
use unicode_width::UnicodeWidthStr;

use crate::split::Piece;

/// Of a long line only what is near the caret is shown.
const BEFORE: usize = 60;
const AFTER: usize = 40;

/// The lines of an error in a statement, which came from `origin` (a file's name, empty if it
/// needs no name).
pub(crate) fn show(error: &Error, piece: &Piece, origin: &str) -> String {
    let mut text = show_bare(error);
    let Some(position) = error.position() else {
        // In a file, an error without a position still has its statement.
        if !origin.is_empty() {
            let first = piece.text.lines().next().unwrap_or_default();
            let (shown, _) = cut(first, 0);
            let _ = writeln!(text, "  {origin}:{}: {shown}", piece.line);
        }
        return text;
    };
    let line_number = piece.line.saturating_add(position.line.saturating_sub(1));
    let label = match origin {
        "" => format!("  line {line_number}: "),
        file => format!("  {file}:{line_number}: "),
    };
    let index = usize::try_from(position.line.saturating_sub(1)).unwrap_or(usize::MAX);
    // `split` keeps the empty line behind a last line end, where an error may point to.
    let Some(line) = piece.text.split('\n').nth(index) else {
        return text;
    };
    let column = usize::try_from(position.column.saturating_sub(1)).unwrap_or(usize::MAX);
    let (shown, before) = cut(line, column);
    let indent = label.width() + before.width();
    let _ = writeln!(text, "{label}{shown}\n{:indent$}^", "");
    text
}

/// The line of an error that belongs to no statement.
pub(crate) fn show_bare(error: &Error) -> String {
    let mut text = format!("error: {}: ", error.kind());
    for character in error.message().chars() {
        match character {
            c if c.is_control() && c != '\n' => text.extend(c.escape_default()),
            c => text.push(c),
        }
    }
    text.push('\n');
    text
}

/// What is shown of a line, and the part of it that stands before the character `column`.
fn cut(line: &str, column: usize) -> (String, String) {
    let characters: Vec<char> = line.trim_end().chars().map(printable).collect();
    let column = column.min(characters.len());
    let from = if column > BEFORE + 20 {
        column - BEFORE
    } else {
        0
    };
    let to = characters
        .len()
        .min(column.saturating_add(AFTER).max(from + BEFORE + AFTER));
    let left = if from > 0 { "…" } else { "" };
    let right = if to < characters.len() { "…" } else { "" };
    let before: String = left
        .chars()
        .chain(characters[from..column].iter().copied())
        .collect();
    let after: String = characters[column..to].iter().collect();
    (format!("{before}{after}{right}"), before)
}

/// A character that takes its place in the line: a tab would move the caret.
fn printable(character: char) -> char {
    if character.is_control() {
        ' '
    } else {
        character
    }
}
