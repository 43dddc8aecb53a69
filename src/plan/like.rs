//! The range of texts that a LIKE pattern allows.

use crate::plan::axis::{Axis, Cut, IntervalSet};
use crate::types::Value;

/// What a pattern says about a text.
#[derive(Debug)]
pub(super) struct Pattern {
    /// What every match begins with.
    prefix: String,
    rest: Rest,
}

#[derive(Debug, PartialEq)]
enum Rest {
    /// The prefix is the whole text.
    Nothing,
    /// Anything may follow.
    Anything,
    /// More than a range can say.
    More,
}

impl Pattern {
    pub(super) fn parse(pattern: &str, escape: char) -> Pattern {
        let mut prefix = String::new();
        let mut chars = pattern.chars();
        while let Some(c) = chars.next() {
            if c == escape {
                // An escape at the very end stands for itself, as Arrow has it.
                prefix.push(chars.next().unwrap_or(c));
            } else if c == '%' {
                let rest = if chars.all(|c| c == '%') && escape != '%' {
                    Rest::Anything
                } else {
                    Rest::More
                };
                return Pattern { prefix, rest };
            } else if c == '_' {
                return Pattern {
                    prefix,
                    rest: Rest::More,
                };
            } else {
                prefix.push(c);
            }
        }
        Pattern {
            prefix,
            rest: Rest::Nothing,
        }
    }

    /// The pattern of every text that begins with this one.
    pub(super) fn starting_with(prefix: &str) -> Pattern {
        Pattern {
            prefix: prefix.to_owned(),
            rest: Rest::Anything,
        }
    }

    /// Whether [`Pattern::texts`] holds the matches and nothing else.
    pub(super) fn is_exact(&self) -> bool {
        self.rest != Rest::More
    }

    /// The texts that may match.
    pub(super) fn texts(self, axis: &Axis) -> IntervalSet {
        if self.rest == Rest::Nothing {
            return IntervalSet::point(Value::Text(self.prefix));
        }
        let upper = match successor(&self.prefix) {
            Some(text) => Cut::Before(Value::Text(text)),
            None => axis.values_end(),
        };
        IntervalSet::between(Cut::Before(Value::Text(self.prefix)), upper)
    }
}

/// The smallest text that is larger than every text with this prefix: the order of UTF-8 bytes is
/// the order of code points.
fn successor(prefix: &str) -> Option<String> {
    let mut text = prefix.to_owned();
    while let Some(last) = text.pop() {
        let mut code = u32::from(last) + 1;
        if code == 0xD800 {
            code = 0xE000;
        }
        if let Some(next) = char::from_u32(code) {
            text.push(next);
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_successor_skips_what_is_no_character() {
        assert_eq!(successor("ab").as_deref(), Some("ac"));
        assert_eq!(successor("a\u{10FFFF}").as_deref(), Some("b"));
        assert_eq!(successor("\u{D7FF}").as_deref(), Some("\u{E000}"));
        assert_eq!(successor("\u{10FFFF}"), None);
        assert_eq!(successor(""), None);
    }
}
