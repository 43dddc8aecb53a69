//! CHECK INDEX of indexes that were damaged behind its back.

use std::collections::BTreeSet;
use std::path::Path;

use super::raw::{self, Family};
use crate::support::{folder, rows, run};

/// A table of `count` rows and its index of one kind, and the ids of both.
fn made(path: &Path, salt: &str, index: &str, count: usize) -> (u32, u32) {
    let db = folder(path);
    run(
        &db,
        &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER NULL, n VARCHAR){salt}"),
    );
    run(
        &db,
        &format!(
            "UPSERT INTO t SELECT value, value * 2, 'n' || value FROM generate_series(1, {count})"
        ),
    );
    run(&db, &format!("CREATE {index}"));
    assert_eq!(rows(&db, "CHECK INDEX i"), [""; 0]);
    let id = |sql: &str| rows(&db, sql)[0].parse().unwrap();
    (
        id("SELECT table_id FROM system.tables WHERE table_name = 't'"),
        id("SELECT index_id FROM system.indexes"),
    )
}

/// The row of the table with key `k`, found by the bytes of its text column.
fn find(family: &Family, text: &str) -> Vec<u8> {
    let ends = |value: &&[u8]| value.windows(text.len()).any(|w| w == text.as_bytes());
    let mut found = family
        .iter()
        .filter(|(key, value)| ends(&&key[..]) || ends(&&value[..]));
    let key = found.next().unwrap().0.clone();
    assert!(found.next().is_none(), "{text} stands in one row");
    key
}

const SALTS: [(&str, &str); 4] = [
    ("", ""),
    (" SALT_BUCKETS = 4", " SALT_BUCKETS = 7"),
    ("", " SALT_BUCKETS = 3"),
    (" SALT_BUCKETS = 256", " SALT_BUCKETS = 0"),
];

/// Each kind of index, and how the entry of a row is shown.
const INDEXES: [(&str, &str); 5] = [
    ("INDEX i ON t (n)", "('n{k}')"),
    ("INDEX i ON t (n DESC, v)", "('n{k}', {v})"),
    ("UNIQUE INDEX i ON t (n)", "('n{k}')"),
    ("UNIQUE INDEX i ON t (v, n)", "({v}, 'n{k}')"),
    ("INDEX i ON t (v DESC) INCLUDE (n)", "({v})"),
];

fn entry(shown: &str, k: usize) -> String {
    let shown = shown.replace("{k}", &k.to_string());
    shown.replace("{v}", &(2 * k).to_string())
}

#[test]
fn each_difference_is_found() {
    for (salt, index_salt) in SALTS {
        for (index, shown) in INDEXES {
            let of = format!("{index}{salt} / {index_salt}");
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path();
            let index = format!("{index}{index_salt}");
            let (table, index) = made(path, salt, &index, 50);
            let before = raw::read(path);
            let row = |text: &str| find(&before[&table], text);
            let all: Vec<&Vec<u8>> = before[&index].keys().collect();
            assert_eq!(all.len(), 50, "{of}");

            // An entry whose row is gone.
            raw::change(path, table, &[(row("n33"), None)]);
            let expected = format!("stale|(33)|{}", entry(shown, 33));
            assert_eq!(rows(&folder(path), "CHECK INDEX i"), [expected], "{of}");
            let value = before[&table][&row("n33")].clone();
            raw::change(path, table, &[(row("n33"), Some(value))]);
            assert_eq!(rows(&folder(path), "CHECK INDEX i"), [""; 0], "{of}");

            // A row whose entry is gone: every one of them once, so that each row is named once.
            let mut named = BTreeSet::new();
            for key in all.iter().step_by(17) {
                raw::change(path, index, &[(key.to_vec(), None)]);
                let found = rows(&folder(path), "CHECK INDEX i");
                assert_eq!(found.len(), 1, "{of}: {found:?}");
                let k = found[0].strip_prefix("missing|(").unwrap();
                let k: usize = k.split(')').next().unwrap().parse().unwrap();
                assert_eq!(found[0], format!("missing|({k})|{}", entry(shown, k)));
                assert!(named.insert(k), "{of}: {k} twice");
                let value = before[&index][*key].clone();
                raw::change(path, index, &[(key.to_vec(), Some(value))]);
            }
            assert_eq!(rows(&folder(path), "CHECK INDEX i"), [""; 0], "{of}");

            // A row that changed while its entry did not: the old entry is stale, the new missing.
            let (one, other) = (row("n11"), row("n44"));
            let value = before[&table][&other].clone();
            raw::change(path, table, &[(one.clone(), Some(value))]);
            let found = rows(&folder(path), "CHECK INDEX i");
            let stale = format!("stale|(11)|{}", entry(shown, 11));
            assert!(found.contains(&stale), "{of}: {found:?}");
            assert_eq!(found.len(), 2, "{of}: {found:?}");
            let second = found.iter().find(|found| **found != stale).unwrap();
            assert!(
                second.ends_with(&format!("|(11)|{}", entry(shown, 44))),
                "{of}: {found:?}"
            );

            let value = before[&table][&one].clone();
            raw::change(path, table, &[(one, Some(value))]);
            raw::change(path, index, &[(all[7].clone(), None)]);
            run(&folder(path), "REINDEX i");
            let again = rows(&folder(path), "CHECK INDEX i");
            assert_eq!(again, [""; 0], "{of}");
        }
    }
}

/// A value that does not fit, and an entry in the bucket of another.
#[test]
fn wrong_values_and_buckets_are_found() {
    for (salt, index_salt) in SALTS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let index = format!("INDEX i ON t (v) INCLUDE (n){index_salt}");
        let (_, index) = made(path, salt, &index, 50);
        let before = raw::read(path)[&index].clone();
        let (key, value) = before.iter().nth(20).unwrap();
        let (other_key, other) = before.iter().nth(30).unwrap();
        assert_ne!(value, other);

        raw::change(path, index, &[(key.clone(), Some(other.clone()))]);
        let found = rows(&folder(path), "CHECK INDEX i");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("wrong|("), "{found:?}");
        raw::change(path, index, &[(key.clone(), Some(value.clone()))]);
        assert_eq!(rows(&folder(path), "CHECK INDEX i"), [""; 0]);

        let buckets = match index_salt.rsplit(' ').next().unwrap() {
            "" | "0" => continue,
            buckets => buckets.parse::<u8>().unwrap(),
        };
        let mut moved = other_key.clone();
        moved[0] = (moved[0] + 1) % buckets;
        raw::change(path, index, &[(moved.clone(), Some(other.clone()))]);
        let found = rows(&folder(path), "CHECK INDEX i");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("stale|("), "{found:?}");
        raw::change(path, index, &[(other_key.clone(), None)]);
        let found = rows(&folder(path), "CHECK INDEX i");
        assert_eq!(found.len(), 2, "{found:?}");
    }
}

/// An entry of a UNIQUE index that leads to another row, and one that holds something else.
#[test]
fn duplicates_of_a_unique_index_are_found() {
    for (salt, index_salt) in SALTS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let index = format!("UNIQUE INDEX i ON t (n) INCLUDE (v){index_salt}");
        let (_, index) = made(path, salt, &index, 50);
        let entries = raw::read(path)[&index].clone();
        let (key, value) = entries.iter().nth(20).unwrap();
        let (_, other) = entries.iter().nth(30).unwrap();
        raw::change(path, index, &[(key.clone(), Some(other.clone()))]);
        let found = rows(&folder(path), "CHECK INDEX i");
        // The row that lost its entry, and the entry that is not where its row has it.
        let kinds: Vec<&str> = found
            .iter()
            .map(|row| row.split('|').next().unwrap())
            .collect();
        assert_eq!(kinds, ["duplicate", "stale"], "{found:?}");

        // The bytes of an included number are the last ones.
        let mut wrong = value.clone();
        *wrong.last_mut().unwrap() ^= 1;
        raw::change(path, index, &[(key.clone(), Some(wrong))]);
        let found = rows(&folder(path), "CHECK INDEX i");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("wrong|("), "{found:?}");
    }
}

#[test]
fn the_answer_has_a_bound() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    let (_, index) = made(path, " SALT_BUCKETS = 4", "INDEX i ON t (n)", 1500);
    let entries = raw::read(path)[&index].clone();
    let gone: Vec<_> = entries.keys().map(|key| (key.clone(), None)).collect();
    raw::change(path, index, &gone[..1000]);
    assert_eq!(rows(&folder(path), "CHECK INDEX i").len(), 1000);
    raw::change(path, index, &gone);
    let found = rows(&folder(path), "CHECK INDEX i");
    assert_eq!(found.len(), 1001);
    assert_eq!(found[1000], "500 more||");
    let distinct: BTreeSet<&String> = found.iter().collect();
    assert_eq!(distinct.len(), 1001);
}
