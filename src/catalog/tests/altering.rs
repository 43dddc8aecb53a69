//! Definitions that change and rows that do not.

use super::*;
use crate::error::Result;

fn alter(
    catalog: &Catalog,
    name: &str,
    change: impl FnOnce(&mut TableDef) -> Result<()>,
) -> Result<bool> {
    let runtime = runtime();
    let altered = catalog.alter_table("public", name, false, WAIT, runtime.handle(), |entry| {
        let mut def = TableDef::clone(&entry.def);
        change(&mut def)?;
        Ok((def, Vec::new()))
    });
    runtime.block_on(altered)
}

fn entry(catalog: &Catalog, name: &str) -> Arc<Entry> {
    let state = catalog.state();
    state.find_table("public", name).cloned().unwrap()
}

/// Columns as `name id`.
fn ids(entry: &Entry) -> Vec<String> {
    let columns = entry.def.columns.iter();
    columns.map(|c| format!("{} {}", c.name, c.id)).collect()
}

fn added(name: &str, sql_type: SqlType, missing: Value) -> ColumnDef {
    ColumnDef {
        missing,
        ..column(name, sql_type)
    }
}

#[test]
fn a_changed_definition_survives_and_its_rows_stay_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path());
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    catalog.create_table(full_named("t"), false).unwrap();
    let old = entry(&catalog, "t");
    let version = catalog.state().version();
    let changed = alter(&catalog, "t", |def| {
        def.drop_column(0)?;
        def.drop_column(def.find_column("c5").unwrap())?;
        def.rename_column(def.find_column("größe").unwrap(), "a, b")?;
        def.add_column(added("new", SqlType::Integer, Value::Integer(7)))?;
        def.name = "u".into();
        Ok(())
    });
    assert!(changed.unwrap());
    let new = entry(&catalog, "u");
    assert!(catalog.state().find_table("public", "t").is_none());
    assert!(catalog.state().version() > version);
    assert!(!catalog.is_current(&old) && catalog.is_current(&new));
    assert_eq!((new.def.id, new.handle.id()), (old.def.id, old.handle.id()));
    assert!(Arc::ptr_eq(&new.ddl, &old.ddl) && Arc::ptr_eq(&new.latches, &old.latches));
    assert_eq!(new.def.key_layout(), old.def.key_layout());
    let key: Vec<&str> = new
        .def
        .key
        .iter()
        .map(|part| new.def.columns[part.column].name.as_str())
        .collect();
    assert_eq!(key, ["a, b", "A \"quoted\", name", "c2"]);
    let def = Arc::clone(&new.def);
    drop((catalog, store, old, new));

    let reopened = Catalog::open(open_store(folder.path())).unwrap();
    assert_eq!(entry(&reopened, "u").def, def);
}

#[test]
fn an_id_is_never_given_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut catalog = Catalog::open(open_store(folder.path())).unwrap();
    catalog.create_table(simple("t"), false).unwrap();
    alter(&catalog, "t", |def| def.drop_column(1)).unwrap();
    for round in 0_u16..3 {
        // The last column is gone, and with it the largest id in the catalog's rows.
        drop(catalog);
        catalog = Catalog::open(open_store(folder.path())).unwrap();
        assert_eq!(ids(&entry(&catalog, "t")), ["k 1"]);
        alter(&catalog, "t", |def| {
            def.add_column(column("v", SqlType::Varchar(None)))
        })
        .unwrap();
        let expected = format!("v {}", 3 + round);
        assert_eq!(ids(&entry(&catalog, "t")), ["k 1", expected.as_str()]);
        alter(&catalog, "t", |def| def.drop_column(1)).unwrap();
    }
    // Nor by TRUNCATE, whose readers may still see the rows before it.
    let runtime = runtime();
    runtime
        .block_on(catalog.truncate_table("public", "t", WAIT, runtime.handle()))
        .unwrap();
    alter(&catalog, "t", |def| {
        def.add_column(column("w", SqlType::Date))
    })
    .unwrap();
    assert_eq!(ids(&entry(&catalog, "t")), ["k 1", "w 6"]);
}

#[test]
fn ids_end() {
    let mut def = simple("t");
    def.next_column_id = 65_535;
    def.add_column(column("last", SqlType::Date)).unwrap();
    assert_eq!(def.columns[2].id, u16::MAX);
    let error = def.add_column(column("more", SqlType::Date)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn stored_defaults_come_back_whatever_their_type() {
    use crate::types::nasty::any_value;
    use proptest::strategy::{Strategy, ValueTree};
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(open_store(folder.path())).unwrap();
    catalog.create_table(simple("t"), false).unwrap();
    let mut texts = Vec::new();
    for (i, column) in full().columns.iter().enumerate() {
        let value = any_value(column.sql_type)
            .new_tree(&mut runner)
            .unwrap()
            .current();
        texts.push(value.to_string());
        alter(&catalog, "t", |def| {
            def.add_column(added(&format!("a{i}"), column.sql_type, value))
        })
        .unwrap();
    }
    assert_eq!(entry(&catalog, "t").def.format_version, 2);
    drop(catalog);
    let catalog = Catalog::open(open_store(folder.path())).unwrap();
    let t = entry(&catalog, "t");
    let read: Vec<String> = t.def.columns[2..]
        .iter()
        .map(|c| c.missing.to_string())
        .collect();
    assert_eq!(read, texts);

    // Without such a column every reader of format 1 can read the table again.
    alter(&catalog, "t", |def| {
        while def.columns.len() > 2 {
            def.drop_column(2)?;
        }
        def.add_column(column("null", SqlType::Date))
    })
    .unwrap();
    assert_eq!(entry(&catalog, "t").def.format_version, 1);
}

#[test]
fn what_cannot_be_changes_nothing() {
    let catalog = in_memory();
    catalog.create_table(simple("t"), false).unwrap();
    catalog.create_table(simple("u"), false).unwrap();
    let before = catalog.state();
    let refused = |change: fn(&mut TableDef) -> Result<()>| {
        let error = alter(&catalog, "t", change).unwrap_err();
        (error.kind(), error.message().to_owned())
    };
    let expected = [
        (
            refused(|def| def.drop_column(0)),
            ErrorKind::Invalid,
            "column k is in the primary key of t and cannot be dropped",
        ),
        (
            refused(|def| def.add_column(column("v", SqlType::Date))),
            ErrorKind::AlreadyExists,
            "t has a column v",
        ),
        (
            refused(|def| def.rename_column(0, "v")),
            ErrorKind::AlreadyExists,
            "t has a column v",
        ),
        (
            refused(|def| {
                def.name = "u".into();
                Ok(())
            }),
            ErrorKind::AlreadyExists,
            "table u exists",
        ),
    ];
    for ((kind, message), expected_kind, expected) in expected {
        assert_eq!((kind, message.as_str()), (expected_kind, expected));
    }
    let error = alter(&catalog, "nowhere", |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(catalog.is_state(&before));
}

#[test]
fn a_stored_default_that_is_none_is_corrupt() {
    for bytes in [
        &b""[..],
        // Another column's, NULL, of another width, and with something behind it.
        b"\x01\x01\x09\x04\x00\x07\x00\x00\x00",
        b"\x01\x01\x03\x04\x01\x00\x00\x00\x00",
        b"\x01\x01\x03\x08\x00\x07\x00\x00\x00\x00\x00\x00\x00",
        b"\x01\x01\x03\x04\x00\x07\x00\x00\x00\x00",
    ] {
        let store: Arc<dyn Store> =
            Arc::new(RocksStore::in_memory(&StoreOptions::default()).unwrap());
        let catalog = Catalog::open(Arc::clone(&store)).unwrap();
        catalog.create_table(simple("t"), false).unwrap();
        alter(&catalog, "t", |def| {
            def.add_column(added("n", SqlType::Integer, Value::Integer(7)))
        })
        .unwrap();
        let system = crate::catalog::system_rows::SystemTable::open(
            &*store,
            crate::catalog::system::columns(),
        )
        .unwrap();
        let mut row = system.rows(&*store).unwrap().pop().unwrap();
        assert_eq!(
            row[10],
            Value::Binary(b"\x01\x01\x03\x04\x00\x07\x00\x00\x00".to_vec())
        );
        row[10] = Value::Binary(bytes.to_vec());
        let mut batch = WriteBatch::new();
        system.put(&mut batch, &row).unwrap();
        store.write(batch).unwrap();
        drop(catalog);
        let error = Catalog::open(store).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{bytes:x?}");
    }
}
