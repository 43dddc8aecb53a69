//! The floors of the library: a module imports only from those above it in the list, so there is
//! no circle between them either.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up; the order is that of docs/architecture.md.
const FLOORS: [&str; 11] = [
    "error", "types", "codec", "key", "store", "catalog", "table", "sql", "plan", "engine",
    "database",
];

/// What a floor may use, where that is less than everything above it.
const ALONE: [(&str, &[&str]); 1] = [("sql", &["error", "types"])];

#[test]
fn no_module_imports_from_a_floor_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let exports = root_exports(&fs::read_to_string(source.join("lib.rs")).unwrap());
    let mut wrong = Vec::new();
    let mut checked = 0;
    for file in rust_files(&source) {
        let path = file.strip_prefix(&source).unwrap();
        let floor = path
            .iter()
            .next()
            .unwrap()
            .to_str()
            .unwrap()
            .trim_end_matches(".rs");
        if matches!(floor, "lib" | "bin") {
            continue;
        }
        let Some(level) = FLOORS.iter().position(|f| *f == floor) else {
            wrong.push(format!("{}: {floor} is no floor", path.display()));
            continue;
        };
        let allowed = ALONE
            .iter()
            .find(|(f, _)| *f == floor)
            .map_or(&FLOORS[..level], |(_, a)| a);
        for name in imports(&fs::read_to_string(&file).unwrap(), depth(path)) {
            let from = exports.get(&name).unwrap_or(&name);
            checked += 1;
            if from != floor && !allowed.contains(&from.as_str()) {
                wrong.push(format!("{} uses crate::{name}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(
        checked > 100,
        "only {checked} imports were found: does the test still see them?"
    );
}

#[test]
fn imports_are_found_however_they_are_written() {
    let text = "
        use crate::error::Error; // crate::comment::X
        use crate::{key::Salting, plan, types::{SqlType, Value}};
        fn f() -> crate::store::Store { \"crate::text::X\" }
        use super::super::engine::Engine;
        use super::sibling;
        /// [`crate::doc::X`]
    ";
    let found = imports(text, 1);
    assert_eq!(found, ["error", "key", "plan", "types", "store", "engine"]);
    assert_eq!(
        root_exports("pub use error::{Error, Result};\npub use types::Value;")["Result"],
        "error"
    );
}

/// The names right below the crate's root that a text refers to; `depth` is how many `super` lead
/// from the file to its floor.
fn imports(text: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    let to_root = "super::".repeat(depth + 1);
    for line_start in code(text).split("crate::").skip(1) {
        names_at(line_start, &mut found);
    }
    let mut by_super = Vec::new();
    for after in code(text).split(&to_root).skip(1) {
        names_at(after, &mut by_super);
    }
    // From a module inside of the file, so many `super` lead to the floor itself.
    found.extend(
        by_super
            .into_iter()
            .filter(|name| FLOORS.contains(&name.as_str())),
    );
    found
}

/// The first name of a path, or of each path in braces.
fn names_at(text: &str, found: &mut Vec<String>) {
    let name = |text: &str| -> String {
        text.trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let Some(group) = text.strip_prefix('{') else {
        found.push(name(text));
        return;
    };
    let mut depth = 0;
    let mut start = 0;
    for (index, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.push(name(&group[start..index]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(name(&group[start..index]));
                start = index + 1;
            }
            _ => {}
        }
    }
    found.retain(|name| !name.is_empty());
}

/// A text without its comments and strings.
fn code(text: &str) -> String {
    let mut code = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        for (index, part) in line.split('"').enumerate() {
            if index % 2 == 0 {
                code.push_str(part);
            }
        }
        code.push('\n');
    }
    code
}

/// Which floor each name comes from that lib.rs exports.
fn root_exports(lib: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for statement in code(lib).split("pub use ").skip(1) {
        let path = statement.split(';').next().unwrap_or_default();
        let Some((floor, names)) = path.split_once("::") else {
            continue;
        };
        let names = names.replace(['{', '}', '\n'], " ");
        for name in names.split([',', ':', ' ']).filter(|name| !name.is_empty()) {
            exports.insert(name.to_owned(), floor.trim().to_owned());
        }
    }
    // A macro stands in the root, wherever it is written.
    exports.insert("params".to_owned(), "database".to_owned());
    exports
}

/// How far below its floor's own module a file's module is.
fn depth(path: &Path) -> usize {
    let parts = path.iter().count();
    if path.ends_with("mod.rs") || parts == 1 {
        parts.saturating_sub(2)
    } else {
        parts - 1
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
