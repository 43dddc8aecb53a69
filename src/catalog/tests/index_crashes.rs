//! Whatever a crash interrupts, an index is there whole or not at all.

use super::crashes::{crash_after, has_row};
use super::*;

/// `INDEX i ON t (v)`.
fn index_of(entry: &Entry) -> IndexDef {
    IndexDef {
        id: 0,
        name: "i".into(),
        unique: false,
        parts: vec![IndexPart {
            source: IndexSource::Column(entry.def.columns[1].id),
            descending: true,
        }],
        included: Vec::new(),
        predicate: None,
        buckets: Some(7),
    }
}

fn put(store: &dyn Store, index: &IndexEntry, entry: &[u8]) {
    let mut batch = WriteBatch::new();
    batch.put(&index.handle, 3, entry, b"");
    store.write(batch).unwrap();
}

/// Makes the index with one entry, `first`, as a build does: half of it without the table's lock.
fn create(store: &dyn Store, catalog: &Catalog, first: &[u8]) {
    let runtime = runtime();
    let begun = catalog.begin_index("public", "t", false, runtime.handle(), |entry| {
        Ok(index_of(entry))
    });
    let (_, index) = runtime.block_on(begun).unwrap().unwrap();
    put(store, &index, first);
    finish(catalog, &index);
}

fn finish(catalog: &Catalog, index: &IndexEntry) {
    let runtime = runtime();
    let progress = catalog.index_progress(index, Progress::Entries(1));
    progress.unwrap();
    for now in [false, true] {
        let finished = catalog.finish_index("public", "t", index, runtime.handle(), |_| Ok(now));
        assert_eq!(runtime.block_on(finished).unwrap(), now);
        assert!(catalog.has_index(index));
    }
}

/// What there is of the index: which of the entries, or that it is none.
fn look(store: &dyn Store, catalog: &Catalog) -> String {
    let rows = catalog.indexes.rows(store).unwrap();
    let entry = catalog.state().find_table("public", "t").cloned().unwrap();
    assert_eq!(rows.len(), entry.indexes.len());
    let Some(index) = entry.indexes.first() else {
        return "none".into();
    };
    assert!(index.is_ready() && index.def.name == "i");
    assert_eq!(
        index.def,
        IndexDef {
            id: index.def.id,
            ..index_of(&entry)
        }
    );
    let has = |entry: &[u8]| store.get(&index.handle, 3, entry, &mut |_| Ok(()));
    let mut seen = String::from("entries:");
    for entry in ["old", "new"] {
        if has(entry.as_bytes()).unwrap() {
            seen = format!("{seen} {entry}");
        }
    }
    seen
}

fn expect(seen: Vec<(&'static str, String)>, expected: &[(&'static str, &str)]) {
    let seen: Vec<(&str, &str)> = seen.iter().map(|(name, seen)| (*name, &seen[..])).collect();
    assert_eq!(seen, expected);
}

/// The store, which `change` is to write to as well.
fn with_store(
    prepare: impl FnOnce(&dyn Store, &Catalog),
    change: impl FnOnce(&dyn Store, &Catalog),
) -> Vec<(&'static str, String)> {
    crash_after(prepare, |catalog| change(&*catalog.store, catalog), look)
}

#[test]
fn create_index_is_done_or_undone() {
    let seen = with_store(|_, _| {}, |store, catalog| create(store, catalog, b"new"));
    expect(
        seen,
        &[
            ("id reserved", "none"),
            ("family created", "none"),
            ("create index: row written", "none"),
            ("create index: index ready", "entries: new"),
        ],
    );
}

#[test]
fn reindex_is_done_or_undone() {
    let rebuild = |store: &dyn Store, catalog: &Catalog| {
        let runtime = runtime();
        let begun = catalog.begin_rebuild("public", "i", runtime.handle());
        let (_, index) = runtime.block_on(begun).unwrap();
        put(store, &index, b"new");
        finish(catalog, &index);
    };
    let seen = with_store(|store, catalog| create(store, catalog, b"old"), rebuild);
    expect(
        seen,
        &[
            ("id reserved", "entries: old"),
            ("family created", "entries: old"),
            ("create index: index ready", "entries: new"),
        ],
    );
}

/// A crash in the middle of a rebuild, after its progress was told.
#[test]
fn an_index_that_was_being_rebuilt_is_the_old_one() {
    let rebuild = |store: &dyn Store, catalog: &Catalog| {
        let runtime = runtime();
        let begun = catalog.begin_rebuild("public", "i", runtime.handle());
        let (_, index) = runtime.block_on(begun).unwrap();
        put(store, &index, b"new");
        catalog
            .index_progress(&index, Progress::CatchingUp(5))
            .unwrap();
        // Any change has crash points; this one has nothing to do with the index.
        catalog.create_table(simple("other"), false).unwrap();
    };
    let seen = with_store(|store, catalog| create(store, catalog, b"old"), rebuild);
    let after: Vec<&str> = seen.iter().map(|(_, seen)| seen.as_str()).collect();
    assert_eq!(after, ["entries: old"; 5], "{seen:?}");
}

#[test]
fn an_index_that_was_abandoned_is_none() {
    let abandon = |store: &dyn Store, catalog: &Catalog| {
        let runtime = runtime();
        let begun = catalog.begin_index("public", "t", false, runtime.handle(), |entry| {
            Ok(index_of(entry))
        });
        let (_, index) = runtime.block_on(begun).unwrap().unwrap();
        put(store, &index, b"new");
        catalog.abandon_index(&index).unwrap();
        assert!(!catalog.has_index(&index));
        // Once more is no error.
        catalog.abandon_index(&index).unwrap();
        create(store, catalog, b"old");
    };
    let seen = with_store(|_, _| {}, abandon);
    let after: Vec<&str> = seen.iter().map(|(_, seen)| seen.as_str()).collect();
    assert_eq!(after[..after.len() - 1], vec!["none"; after.len() - 1]);
    assert_eq!(after[after.len() - 1], "entries: old");
}

#[test]
fn drop_index_is_done_or_undone() {
    let runtime = runtime();
    let seen = with_store(
        |store, catalog| create(store, catalog, b"old"),
        |_, catalog| {
            let drop = catalog.drop_index("public", "i", None, false, WAIT, runtime.handle());
            assert!(runtime.block_on(drop).unwrap());
        },
    );
    expect(seen, &[("drop index: row gone", "none")]);
}

#[test]
fn truncate_empties_table_and_index_together() {
    let runtime = runtime();
    let truncate = |catalog: &Catalog| {
        let truncate = catalog.truncate_table("public", "t", WAIT, runtime.handle());
        runtime.block_on(truncate).unwrap();
    };
    let seen = crash_after(
        |store, catalog| create(store, catalog, b"old"),
        truncate,
        |store, catalog| format!("row {}, {}", has_row(store, catalog), look(store, catalog)),
    );
    let (before, after) = ("row true, entries: old", "row false, entries:");
    expect(
        seen,
        &[
            ("id reserved", before),
            ("family created", before),
            ("id reserved", before),
            ("family created", before),
            ("truncate: new id in the catalog", after),
            ("truncate: old family gone", after),
        ],
    );
}

/// A build that fails takes its index away without the table's lock, also while another statement has
/// it: what that one publishes does not bring the index back.
#[test]
fn an_index_that_is_abandoned_meanwhile_stays_away() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(open_store(folder.path())).unwrap();
    catalog.create_table(simple("t"), false).unwrap();
    let (runtime, schema) = (runtime(), "public");
    let begin = |name: &str, meanwhile: &dyn Fn()| {
        let begun = catalog.begin_index(schema, "t", false, runtime.handle(), |entry| {
            meanwhile();
            Ok(IndexDef {
                name: name.into(),
                ..index_of(entry)
            })
        });
        runtime.block_on(begun).unwrap().unwrap().1
    };
    let names = || {
        let state = catalog.state();
        let entry = state.find_table(schema, "t").unwrap();
        entry.index_names().join(" ")
    };
    let ended = begin("ended", &|| ());
    let a = begin("a", &|| catalog.abandon_index(&ended).unwrap());
    assert_eq!(names(), "a");
    let ended = begin("ended", &|| ());
    let finished = catalog.finish_index(schema, "t", &a, runtime.handle(), |_| {
        catalog.abandon_index(&ended).map(|()| true)
    });
    assert!(runtime.block_on(finished).unwrap());
    assert_eq!(names(), "a");
}
