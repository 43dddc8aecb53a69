//! The grammar: what is read, what its canonical text is, and what each error says.

mod depth;
mod errors;
mod parameters;
mod productions;
mod rows;
mod scripts;

use rocksalt::Error;
use rocksalt::sql::parse;

/// The canonical text of a statement.
fn canonical(text: &str) -> String {
    match parse(text) {
        Ok(parsed) => parsed.statement.to_string(),
        Err(error) => panic!("{text}\n{error}"),
    }
}

/// The error of a text that is no good statement, with a caret under its place.
fn refused(text: &str) -> String {
    match parse(text) {
        Ok(parsed) => panic!("{text}\nis read as\n{}", parsed.statement),
        Err(error) => with_caret(text, &error),
    }
}

/// An error as a prompt shows it.
fn with_caret(text: &str, error: &Error) -> String {
    let mut shown = String::new();
    if let Some(position) = error.position() {
        let line = text
            .split('\n')
            .nth(position.line as usize - 1)
            .unwrap_or_default();
        let indent = " ".repeat(position.column as usize - 1);
        shown = format!("{line}\n{indent}^\n");
    }
    shown + &format!("{}: {}", error.kind(), error.message())
}

/// Snapshots hold what is asserted, not how it came about.
fn snapshot_settings() -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind_to_scope()
}
