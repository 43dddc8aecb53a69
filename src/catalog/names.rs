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
