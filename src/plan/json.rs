//! JSON, as much of it as a plan needs.

use std::fmt::{self, Display, Formatter, Write};

/// A value, its members in the order in which they are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// A number, written as JSON has it.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// A list of texts.
    pub(super) fn texts(texts: &[String]) -> Json {
        Json::List(texts.iter().cloned().map(Json::Text).collect())
    }

    fn is_flat(&self) -> bool {
        match self {
            Json::List(items) => !items.iter().any(|item| matches!(item, Json::Object(_))),
            Json::Object(members) => members.is_empty(),
            _ => true,
        }
    }

    fn write(&self, out: &mut String, indent: usize) {
        let line = |out: &mut String, depth: usize| {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        };
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Number(digits) => out.push_str(digits),
            Json::Text(text) => push_json_string(out, text),
            Json::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    match (at, self.is_flat()) {
                        (0, true) => {}
                        (_, true) => out.push_str(", "),
                        (0, false) => line(out, indent + 1),
                        (_, false) => {
                            out.push(',');
                            line(out, indent + 1);
                        }
                    }
                    item.write(out, indent + 1);
                }
                if !self.is_flat() {
                    line(out, indent);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    line(out, indent + 1);
                    push_json_string(out, name);
                    out.push_str(": ");
                    value.write(out, indent + 1);
                }
                if !members.is_empty() {
                    line(out, indent);
                }
                out.push('}');
            }
        }
    }
}

impl From<Option<String>> for Json {
    fn from(text: Option<String>) -> Json {
        text.map_or(Json::Null, Json::Text)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Json {
        Json::Number(number.to_string())
    }
}

/// Indented by two spaces, one member a line, lists of plain values on one line.
impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(&mut out, 0);
        f.write_str(&out)
    }
}

/// Appends a text as a JSON string, quotes included.
pub fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if (control as u32) < 0x20 || control == '\u{7f}' => {
                // Writing to a String does not fail.
                let _ = write!(out, "\\u{:04x}", control as u32);
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
