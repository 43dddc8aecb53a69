//! A list of names in one text.

/// The names as SQL identifiers with `, ` between them: bare where they fold to themselves, else
/// quoted.
pub(super) fn join<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(identifier).collect();
    names.join(", ")
}

fn identifier(name: &str) -> String {
    let bare = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if bare {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// The names of which `text` was joined, or `None` if it was not.
pub(super) fn split(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = text;
    loop {
        let name;
        match rest.strip_prefix('"') {
            Some(quoted) => (name, rest) = quoted_name(quoted)?,
            None => {
                let end = rest.find(", ").unwrap_or(rest.len());
                name = rest[..end].to_owned();
                rest = &rest[end..];
            }
        }
        names.push(name);
        if rest.is_empty() {
            return Some(names);
        }
        rest = rest.strip_prefix(", ")?;
    }
}

/// The parts of a text with `, ` between them, which are no parts where they stand in quotes or
/// parentheses; `None` if one of these stays open.
pub(super) fn split_parts(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let end = scan(text, |depth, at| {
        if depth == 0 && text[at..].starts_with(", ") {
            parts.push(text[start..at].to_owned());
            start = at + 2;
        }
        false
    });
    parts.push(text[start..].to_owned());
    (end == Some(text.len())).then_some(parts)
}

/// Where in `text`, which follows an opening parenthesis, that one is closed.
pub(super) fn closing_parenthesis(text: &str) -> Option<usize> {
    scan(text, |depth, at| depth == 0 && text[at..].starts_with(')')).filter(|at| *at < text.len())
}

/// Calls `found` with the depth of parentheses and the place of each character outside of quotes,
/// until it says that this is the place; the place, or the end of the text. `None` if a quote or a
/// parenthesis stays open.
fn scan(text: &str, mut found: impl FnMut(usize, usize) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match quote {
            // A quote that is doubled ends and begins again.
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if found(depth, at) => return Some(at),
            None => match c {
                '\'' | '"' => quote = Some(c),
                '(' => depth += 1,
                ')' => depth = depth.checked_sub(1)?,
                _ => {}
            },
        }
    }
    (depth == 0 && quote.is_none()).then_some(text.len())
}

/// The name before the closing quote, and what comes after that.
fn quoted_name(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once('"')?;
        name.push_str(before);
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return Some((name, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_need_quotes_come_back() {
        let cases: &[(&[&str], &str)] = &[
            (&["a"], "a"),
            (&["host", "date_2"], "host, date_2"),
            (&["A", "b c", "1st"], "\"A\", \"b c\", \"1st\""),
            (
                &["x, y", "say \"hi\"", "\""],
                "\"x, y\", \"say \"\"hi\"\"\", \"\"\"\"",
            ),
            (&["größe"], "\"größe\""),
        ];
        for (names, text) in cases {
            assert_eq!(join(names.iter().copied()), *text);
            assert_eq!(
                split(text).as_deref(),
                Some(names.map_owned().as_slice()),
                "{text}"
            );
        }
        assert_eq!(split("\"open"), None);
        assert_eq!(split("\"a\"b"), None);
    }

    trait MapOwned {
        fn map_owned(&self) -> Vec<String>;
    }

    impl MapOwned for &[&str] {
        fn map_owned(&self) -> Vec<String> {
            self.iter().map(|name| (*name).to_owned()).collect()
        }
    }
}
