//! A copy of the folder at each crash point is opened as if the process had died there.

use super::*;
use crate::store::copy_folder;

/// Runs `change` on a database that has table `t` with a row, and opens each state of the folder
/// that a crash could leave. Returns the crash points with what `look` saw in each.
fn crash_everywhere<T: 'static>(
    change: impl FnOnce(&Catalog),
    look: impl Fn(&dyn Store, &Catalog) -> T,
) -> Vec<(&'static str, T)> {
    crash_after(|_, _| {}, change, look)
}

/// The same after `prepare`.
pub(super) fn crash_after<T: 'static>(
    prepare: impl FnOnce(&dyn Store, &Catalog),
    change: impl FnOnce(&Catalog),
    look: impl Fn(&dyn Store, &Catalog) -> T,
) -> Vec<(&'static str, T)> {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path());
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    catalog.create_table(simple("t"), false).unwrap();
    let table = catalog
        .state()
        .find_table("public", "t")
        .unwrap()
        .handle
        .clone();
    let mut batch = WriteBatch::new();
    batch.put(&table, 0, b"key", b"value");
    store.write(batch).unwrap();
    prepare(&*store, &catalog);
    store.sync().unwrap();

    let copies = Rc::new(RefCell::new(Vec::new()));
    let taken = Rc::clone(&copies);
    let from = folder.path().to_owned();
    let take_copy = move |name| {
        let copy = tempfile::tempdir().unwrap();
        copy_folder(&from, copy.path());
        taken.borrow_mut().push((name, copy));
    };
    at_crash_points(take_copy, || change(&catalog));

    let copies = copies.take();
    let opened = copies.into_iter().map(|(name, copy)| {
        let store = open_store(copy.path());
        let catalog = Catalog::open(Arc::clone(&store)).unwrap();
        let tables = user_tables(&catalog);
        let indexes = tables.iter().flat_map(|table| table.indexes.iter());
        let indexes = indexes.map(|index| index.def.id);
        let named: BTreeSet<u32> = tables.iter().map(|e| e.def.id).chain(indexes).collect();
        assert_eq!(
            user_families(&*store),
            named,
            "{name}: no family without a table or an index"
        );
        let seen = look(&*store, &catalog);
        // Whatever was left behind is no obstacle, and gives no id a second time.
        catalog.create_table(simple("next"), false).unwrap();
        let next = catalog.state().find_table("public", "next").unwrap().def.id;
        assert!(named.iter().all(|id| *id < next), "{name}");
        (name, seen)
    });
    opened.collect()
}

fn exists(catalog: &Catalog, name: &str) -> bool {
    catalog.state().find_table("public", name).is_some()
}

pub(super) fn has_row(store: &dyn Store, catalog: &Catalog) -> bool {
    let table = catalog
        .state()
        .find_table("public", "t")
        .unwrap()
        .handle
        .clone();
    store.get(&table, 0, b"key", &mut |_| Ok(())).unwrap()
}

#[test]
fn create_is_done_or_undone() {
    let seen = crash_everywhere(
        |catalog| assert!(catalog.create_table(full_named("new"), false).unwrap()),
        |store, catalog| {
            assert!(has_row(store, catalog), "the other table is as it was");
            exists(catalog, "new")
        },
    );
    let expected = [
        ("id reserved", false),
        ("family created", false),
        ("create: catalog rows written", true),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn drop_is_done_or_undone() {
    let runtime = runtime();
    let seen = crash_everywhere(
        |catalog| {
            let drop = catalog.drop_table("public", "t", false, WAIT, runtime.handle());
            assert!(runtime.block_on(drop).unwrap());
        },
        |_, catalog| exists(catalog, "t"),
    );
    assert_eq!(
        seen,
        [
            ("drop: catalog rows gone", false),
            ("drop: family gone", false)
        ]
    );
}

#[test]
fn truncate_is_done_or_undone() {
    let runtime = runtime();
    let seen = crash_everywhere(
        |catalog| {
            let truncate = catalog.truncate_table("public", "t", WAIT, runtime.handle());
            runtime.block_on(truncate).unwrap();
        },
        has_row,
    );
    let expected = [
        ("id reserved", true),
        ("family created", true),
        ("truncate: new id in the catalog", false),
        ("truncate: old family gone", false),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn alter_is_done_or_undone() {
    let runtime = runtime();
    let seen = crash_everywhere(
        |catalog| {
            let alter = catalog.alter_table("public", "t", false, WAIT, runtime.handle(), |t| {
                let mut def = TableDef::clone(&t.def);
                def.add_column(ColumnDef {
                    missing: Value::Integer(7),
                    ..column("added", SqlType::Integer)
                })?;
                def.drop_column(1)?;
                def.name = "u".into();
                Ok((def, Vec::new()))
            });
            assert!(runtime.block_on(alter).unwrap());
        },
        |store, catalog| {
            assert!(!exists(catalog, "t"));
            let entry = catalog.state().find_table("public", "u").cloned().unwrap();
            let names: Vec<String> = entry.def.columns.iter().map(|c| c.name.clone()).collect();
            assert!(
                store
                    .get(&entry.handle, 0, b"key", &mut |_| Ok(()))
                    .unwrap()
            );
            names.join(", ")
        },
    );
    let expected = [("alter: catalog rows written", "k, added".to_owned())];
    assert_eq!(seen, expected);
}

#[test]
fn an_alter_that_did_not_reach_the_disk_never_was() {
    // The log of a batch that is cut off anywhere is a torn tail: the definition before it.
    let folder = tempfile::tempdir().unwrap();
    let runtime = runtime();
    let log = |from: &Path| -> std::path::PathBuf {
        let logs = std::fs::read_dir(from).unwrap().map(|e| e.unwrap().path());
        logs.filter(|path| path.extension().is_some_and(|e| e == "log"))
            .max()
            .unwrap()
    };
    let store = open_store(folder.path());
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    catalog.create_table(full_named("t"), false).unwrap();
    let before = std::fs::metadata(log(folder.path())).unwrap().len();
    let alter = catalog.alter_table("public", "t", false, WAIT, runtime.handle(), |t| {
        let mut def = TableDef::clone(&t.def);
        def.drop_column(0)?;
        def.name = "u".into();
        Ok((def, Vec::new()))
    });
    runtime.block_on(alter).unwrap();
    let after = std::fs::metadata(log(folder.path())).unwrap().len();
    assert!(after > before);
    let mut undone = 0;
    for step in 0..20 {
        let length = before + (after - before) * step / 19;
        let copy = tempfile::tempdir().unwrap();
        copy_folder(folder.path(), copy.path());
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(log(copy.path()))
            .unwrap();
        file.set_len(length).unwrap();
        let catalog = Catalog::open(open_store(copy.path())).unwrap();
        let whole = length == after;
        assert_eq!(exists(&catalog, "u"), whole, "{length} of {after}");
        assert_eq!(exists(&catalog, "t"), !whole, "{length} of {after}");
        let table = user_tables(&catalog).remove(0);
        assert_eq!(table.def.columns.len(), 21 - usize::from(whole));
        undone += usize::from(!whole);
    }
    assert_eq!(undone, 19);
}

#[test]
fn a_database_whose_first_open_was_cut_short_opens() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path());
    let copies = Rc::new(RefCell::new(Vec::new()));
    let taken = Rc::clone(&copies);
    let from = folder.path().to_owned();
    let take_copy = move |_| {
        let copy = tempfile::tempdir().unwrap();
        copy_folder(&from, copy.path());
        taken.borrow_mut().push(copy);
    };
    at_crash_points(take_copy, || Catalog::open(Arc::clone(&store)).unwrap());
    let copies = copies.take();
    assert_eq!(copies.len(), 4, "after each family");
    for copy in copies {
        let catalog = Catalog::open(open_store(copy.path())).unwrap();
        catalog.create_table(simple("t"), false).unwrap();
        assert_eq!(
            catalog.state().find_table("public", "t").unwrap().def.id,
            100
        );
    }
}
