//! What the documents name exists.

use std::fs;
use std::path::Path;

const FOLDERS: [&str; 7] = [
    "src/",
    "docs/",
    "examples/",
    "grammar-tests/",
    "scripts/",
    "benches/",
    ".ci/",
];

#[test]
fn files_that_the_documents_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = vec![root.join("README.md")];
    for entry in fs::read_dir(root.join("docs")).unwrap() {
        documents.push(entry.unwrap().path());
    }
    documents.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    let (mut missing, mut named) = (Vec::new(), 0);
    for document in &documents {
        let text = fs::read_to_string(document).unwrap();
        let folder = document.parent().unwrap();
        // `src/key/mod.rs` in code, from the root; [text](file) as a link, from the document.
        let in_code = text.split('`').skip(1).step_by(2).map(|name| (name, root));
        let in_code = in_code.filter(|(name, _)| FOLDERS.iter().any(|f| name.starts_with(f)));
        let links = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', '#']).next());
        let links = links.filter(|link| !link.is_empty() && !link.contains(':'));
        for (name, base) in in_code.chain(links.map(|link| (link, folder))) {
            let path = name.split_whitespace().next().unwrap_or_default();
            if path.contains(['*', '{', '<']) {
                continue;
            }
            named += 1;
            if !base.join(path).exists() {
                missing.push(format!("{}: {path}", document.display()));
            }
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
    assert!(
        named > 10,
        "only {named} names were found: does the test still see them?"
    );
}

#[test]
fn the_architecture_is_short_enough_to_stay_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    assert!(text.lines().count() <= 200);
}

/// The program in README is the example that CI runs, line by line.
#[test]
fn the_program_in_readme_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let program = readme
        .split("```rust\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let example = fs::read_to_string(root.join("examples/quick_start.rs")).unwrap();
    let code = example.split_once("\n\n").unwrap().1;
    assert_eq!(program, code);
}

/// `EXPLAIN ...;`, an empty line, and the plan: in blocks without a language, on the tables of the
/// page's SQL blocks.
#[test]
fn the_plans_on_the_page_of_access_paths_are_what_explain_prints() {
    plans_are_what_explain_prints("docs/access-paths.md");
}

#[test]
fn the_plans_on_the_page_of_indexes_are_what_explain_prints() {
    plans_are_what_explain_prints("docs/indexes.md");
}

fn plans_are_what_explain_prints(page: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(page)).unwrap();
    let db = rocksalt::blocking::Database::in_memory().unwrap();
    let session = db.session();
    let (mut wrong, mut shown) = (Vec::new(), 0);
    for block in text.split("```").skip(1).step_by(2) {
        let (language, block) = block.split_once('\n').unwrap();
        match language {
            "sql" => drop(session.script(block).unwrap()),
            "" => {
                let (statements, plan) = block.split_once("\n\n").unwrap();
                let mut statements: Vec<&str> = statements.split_inclusive(";\n").collect();
                let explain = statements.pop().unwrap();
                for statement in statements {
                    session.run(statement).unwrap();
                }
                let is = session.explain(explain).unwrap().to_string();
                if is.trim_end() != plan.trim_end() {
                    wrong.push(format!("{explain}\n{is}"));
                }
                session.run("SET row_key_order = DEFAULT").unwrap();
                shown += 1;
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
    assert!(shown > 10, "only {shown} plans were found");
}
