//! The file: statements, and the comments before each that say what is expected of its plan.

use rocksalt::sql::split;

use crate::plan_test::expectation::Expectation;

/// A statement and what is expected of its plan.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub(super) sql: &'a str,
    /// The line that it begins in, from 1.
    pub(super) line: u64,
    /// Each with its line.
    pub(super) expectations: Vec<(u64, Expectation)>,
}

/// Where an expectation belongs.
const BEFORE: &str = "an expectation stands before its statement";

/// The statements of a file; or the line that makes no sense, and why.
pub(super) fn cases(text: &str) -> Result<Vec<Case<'_>>, (u64, String)> {
    let mut cases = Vec::new();
    let mut end = 0;
    for piece in split(text) {
        let expectations = expectations(text, end, piece.offset)?;
        end = piece.offset + piece.text.len();
        // In a text of the statement it would be none, but no text has such a line.
        let mut lines = piece.text.lines().zip(piece.position.line..);
        if let Some((_, line)) = lines.find(|(line, _)| expected(line.trim()).is_some()) {
            return Err((line, BEFORE.to_owned()));
        }
        cases.push(Case {
            sql: piece.text,
            line: piece.position.line,
            expectations,
        });
    }
    match expectations(text, end, text.len())?.first() {
        Some((line, _)) => Err((*line, "no statement follows the expectation".to_owned())),
        None => Ok(cases),
    }
}

/// The expectations between two statements.
fn expectations(
    text: &str,
    from: usize,
    to: usize,
) -> Result<Vec<(u64, Expectation)>, (u64, String)> {
    let gap = text.get(from..to).unwrap_or_default();
    let mut found = Vec::new();
    for (offset, part) in parts(gap) {
        if let (";", Some((line, _))) = (part, found.first()) {
            return Err((*line, BEFORE.to_owned()));
        }
        let line = line_of(text, from + offset);
        let Some(expectation) = expected(part) else {
            if is_misspelt(part) {
                let message = "an expectation is written `-- expect: ...`".to_owned();
                return Err((line, message));
            }
            continue;
        };
        let before = text.get(..from + offset).unwrap_or_default();
        let before = before.rsplit('\n').next().unwrap_or_default();
        if !before.trim().is_empty() {
            let message = "an expectation stands on a line of its own".to_owned();
            return Err((line, message));
        }
        let expectation = Expectation::parse(expectation).map_err(|message| (line, message))?;
        found.push((line, expectation));
    }
    Ok(found)
}

/// What a comment expects, if it does.
fn expected(comment: &str) -> Option<&str> {
    let text = comment.strip_prefix("--")?.trim();
    Some(text.strip_prefix("expect:")?.trim())
}

/// Whether a comment looks like an expectation and is none, which would pass whatever the plan is.
fn is_misspelt(comment: &str) -> bool {
    let text = comment.trim_start_matches('-').trim_start();
    let word = text.split(|c: char| !c.is_alphanumeric()).next();
    word.is_some_and(|word| {
        let word = word.to_ascii_lowercase();
        word == "expect" || (word.starts_with("expect") && text.contains(':'))
    })
}

/// The comments to the end of a line and the semicolons between two statements, each with its
/// offset.
fn parts(gap: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let mut depth = 0_usize;
        loop {
            let (offset, left) = (rest, gap.get(rest..)?);
            let part = if left.starts_with("/*") {
                depth += 1;
                "/*"
            } else if depth > 0 && left.starts_with("*/") {
                depth -= 1;
                "*/"
            } else if depth == 0 && left.starts_with("--") {
                left.lines().next()?
            } else {
                left.get(..left.chars().next()?.len_utf8())?
            };
            rest += part.len();
            if depth == 0 && (part == ";" || part.starts_with("--")) {
                return Some((offset, part));
            }
        }
    })
}

fn line_of(text: &str, offset: usize) -> u64 {
    let before = text.get(..offset).unwrap_or_default();
    1 + before.matches('\n').count() as u64
}
