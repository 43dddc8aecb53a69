//! Definitions survive, and a crash between two steps leaves the old state or the new one.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;

use super::crash::at_crash_points;
use super::*;
use crate::error::ErrorKind;
use crate::key::Salting;
use crate::store::{RocksStore, Store, StoreOptions, WriteBatch};
use crate::types::{SqlType, Value};

mod altering;
mod crashes;
mod index_crashes;
mod recording;
mod together;

fn open_store(path: &Path) -> Arc<dyn Store> {
    let options = StoreOptions {
        cache_size: 1 << 20,
        write_buffer_size: 4 << 20,
        ..Default::default()
    };
    Arc::new(RocksStore::open(path, &options).unwrap())
}

fn in_memory() -> Catalog {
    Catalog::open(Arc::new(
        RocksStore::in_memory(&StoreOptions::default()).unwrap(),
    ))
    .unwrap()
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap()
}

const WAIT: Duration = Duration::from_secs(30);

fn column(name: &str, sql_type: SqlType) -> ColumnDef {
    ColumnDef {
        id: 0,
        name: name.into(),
        sql_type,
        nullable: true,
        default: None,
        missing: Value::Null,
    }
}

/// `CREATE TABLE name (k BIGINT PRIMARY KEY, v VARCHAR)`.
fn simple(name: &str) -> TableDef {
    TableDef {
        id: 0,
        schema: "public".into(),
        name: name.into(),
        columns: vec![
            ColumnDef {
                nullable: false,
                ..column("k", SqlType::BigInt)
            },
            column("v", SqlType::Varchar(None)),
        ],
        next_column_id: 0,
        key_name: None,
        key: vec![KeyPart {
            column: 0,
            descending: false,
        }],
        salting: None,
        null_keys_repeat: false,
        format_version: 0,
    }
}

/// Everything that a definition can have.
fn full() -> TableDef {
    use SqlType::*;
    let types = [
        Boolean,
        TinyInt,
        SmallInt,
        Integer,
        BigInt,
        UTinyInt,
        USmallInt,
        UInteger,
        UBigInt,
        Real,
        Double,
        Decimal {
            precision: 38,
            scale: 10,
        },
        Decimal {
            precision: 5,
            scale: 0,
        },
        Char(3),
        Varchar(None),
        Varchar(Some(1)),
        Varbinary(None),
        Varbinary(Some(16)),
        Date,
        Time,
        Timestamp,
    ];
    let mut columns: Vec<ColumnDef> = types
        .iter()
        .enumerate()
        .map(|(i, t)| column(&format!("c{i}"), *t))
        .collect();
    columns[1].default = Some("1 + 2".into());
    columns[2].nullable = false;
    columns[14].name = "A \"quoted\", name".into();
    columns[14].default = Some("'it''s'".into());
    columns[20].name = "größe".into();
    columns[20].nullable = false;
    TableDef {
        name: "Table, \"quoted\"".into(),
        columns,
        key_name: Some("PK of it".into()),
        // Neither in declared order nor at the start; one part nullable, one DESC.
        key: vec![
            KeyPart {
                column: 20,
                descending: true,
            },
            KeyPart {
                column: 14,
                descending: false,
            },
            KeyPart {
                column: 2,
                descending: true,
            },
        ],
        salting: Some(Salting::new(256, Some(vec![1, 2]))),
        ..simple("")
    }
}

/// What a definition is apart from the ids that the catalog gives.
fn without_ids(def: &TableDef) -> TableDef {
    let mut def = TableDef {
        id: 0,
        next_column_id: 0,
        format_version: 0,
        ..def.clone()
    };
    def.columns.iter_mut().for_each(|column| column.id = 0);
    def
}

fn user_tables(catalog: &Catalog) -> Vec<Arc<Entry>> {
    catalog
        .state()
        .tables()
        .filter(|entry| !entry.is_system())
        .cloned()
        .collect()
}

fn user_families(store: &dyn Store) -> BTreeSet<u32> {
    store
        .tables()
        .unwrap()
        .into_iter()
        .filter(|id| *id >= 100)
        .collect()
}

#[test]
fn every_feature_of_a_definition_survives() {
    let folder = tempfile::tempdir().unwrap();
    let salted = TableDef {
        salting: Some(Salting::new(3, None)),
        ..simple("salted")
    };
    let definitions = [full(), simple("plain"), salted];
    let catalog = Catalog::open(open_store(folder.path())).unwrap();
    for def in &definitions {
        assert!(catalog.create_table(def.clone(), false).unwrap());
    }
    let defs = |catalog: &Catalog| -> Vec<TableDef> {
        user_tables(catalog)
            .iter()
            .map(|entry| TableDef::clone(&entry.def))
            .collect()
    };
    let before = defs(&catalog);
    drop(catalog);

    let catalog = Catalog::open(open_store(folder.path())).unwrap();
    assert_eq!(before, defs(&catalog));
    for def in &definitions {
        let entry = catalog
            .state()
            .find_table("public", &def.name)
            .unwrap()
            .clone();
        assert_eq!(without_ids(&entry.def), *def);
        assert_eq!(entry.handle.id(), entry.def.id);
        assert_eq!(entry.handle.salted(), def.salting.is_some());
        let ids: Vec<u16> = entry.def.columns.iter().map(|column| column.id).collect();
        assert!(ids.iter().copied().eq(1..=def.columns.len() as u16));
        assert_eq!(entry.def.next_column_id, def.columns.len() as u32 + 1);
        assert_eq!(entry.def.format_version, 1);
    }
    let ids: BTreeSet<u32> = before.iter().map(|def| def.id).collect();
    assert_eq!(ids, BTreeSet::from([100, 101, 102]));
}

#[test]
fn the_catalog_has_definitions_of_its_own_tables() {
    let catalog = in_memory();
    let state = catalog.state();
    let tables = state.find_table("system", "tables").unwrap();
    assert!(tables.is_system());
    assert_eq!(
        (tables.def.id, tables.handle.id(), tables.handle.salted()),
        (1, 1, false)
    );
    for name in [
        "table_name",
        "salt_buckets",
        "salt_columns",
        "format_version",
    ] {
        assert!(tables.def.find_column(name).is_some(), "{name}");
    }
    assert_eq!(state.find_table("system", "columns").unwrap().def.id, 2);
    assert_eq!(state.find_table("system", "indexes").unwrap().def.id, 3);
    assert!(state.find_table("system", "counters").is_none());
    let all: Vec<&str> = state
        .tables()
        .map(|entry| entry.def.name.as_str())
        .collect();
    assert_eq!(all, ["columns", "indexes", "tables"]);
}

#[test]
fn a_name_is_taken_once() {
    let (catalog, runtime) = (in_memory(), runtime());
    assert!(catalog.create_table(simple("t"), false).unwrap());
    let error = catalog.create_table(simple("t"), false).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::AlreadyExists, "table t exists")
    );
    assert!(!catalog.create_table(full_named("t"), true).unwrap());
    assert_eq!(
        without_ids(&catalog.state().find_table("public", "t").unwrap().def),
        simple("t")
    );

    let drop_t = |if_exists| {
        runtime.block_on(catalog.drop_table("public", "t", if_exists, WAIT, runtime.handle()))
    };
    let version = catalog.state().version();
    assert!(drop_t(false).unwrap());
    assert!(catalog.state().version() > version);
    let error = drop_t(false).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::NotFound, "table t does not exist")
    );
    assert!(!drop_t(true).unwrap());
    assert!(catalog.create_table(simple("t"), false).unwrap());
    assert_eq!(
        catalog.state().find_table("public", "t").unwrap().def.id,
        101,
        "no id twice"
    );
}

fn full_named(name: &str) -> TableDef {
    TableDef {
        name: name.into(),
        ..full()
    }
}

#[test]
fn system_tables_are_not_changed() {
    let (catalog, runtime) = (in_memory(), runtime());
    let kind = |result: crate::Result<bool>| result.unwrap_err().kind();
    let def = TableDef {
        schema: "system".into(),
        ..simple("mine")
    };
    assert_eq!(kind(catalog.create_table(def, true)), ErrorKind::Invalid);
    let drop = catalog.drop_table("system", "tables", true, WAIT, runtime.handle());
    assert_eq!(kind(runtime.block_on(drop)), ErrorKind::Invalid);
    let alter = catalog.alter_table("system", "tables", true, WAIT, runtime.handle(), |_| {
        panic!("nothing is to be changed")
    });
    assert_eq!(kind(runtime.block_on(alter)), ErrorKind::Invalid);
    let truncate = catalog.truncate_table("system", "columns", WAIT, runtime.handle());
    assert_eq!(
        runtime.block_on(truncate).unwrap_err().kind(),
        ErrorKind::Invalid
    );
}

#[test]
fn truncate_keeps_the_definition_and_the_locks_and_loses_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = runtime();
    let store = open_store(folder.path());
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    catalog.create_table(full_named("t"), false).unwrap();
    let old = Arc::clone(catalog.state().find_table("public", "t").unwrap());
    let mut batch = WriteBatch::new();
    batch.put(&old.handle, 9, b"key", b"value");
    store.write(batch).unwrap();
    let reader = store.snapshot();

    runtime
        .block_on(catalog.truncate_table("public", "t", WAIT, runtime.handle()))
        .unwrap();

    let new = Arc::clone(catalog.state().find_table("public", "t").unwrap());
    assert_eq!(without_ids(&new.def), without_ids(&old.def));
    assert_eq!(new.def.columns, old.def.columns);
    assert_ne!(new.def.id, old.def.id);
    assert!(Arc::ptr_eq(&new.ddl, &old.ddl) && Arc::ptr_eq(&new.latches, &old.latches));
    assert!(catalog.is_current(&new) && !catalog.is_current(&old));
    assert!(!store.get(&new.handle, 9, b"key", &mut |_| Ok(())).unwrap());
    assert!(
        reader.get(&old.handle, 9, b"key", &mut |_| Ok(())).unwrap(),
        "it reads on"
    );
    assert_eq!(user_families(&*store), BTreeSet::from([new.def.id]));
    let id = new.def.id;
    drop((catalog, store, old, new, reader));

    let store = open_store(folder.path());
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    let reopened = Arc::clone(catalog.state().find_table("public", "t").unwrap());
    assert_eq!(reopened.def.id, id);
    assert!(
        !store
            .get(&reopened.handle, 9, b"key", &mut |_| Ok(()))
            .unwrap()
    );
}

#[test]
fn a_catalog_that_contradicts_the_store_is_corrupt() {
    // The catalogued table has no family.
    let store: Arc<dyn Store> = Arc::new(RocksStore::in_memory(&StoreOptions::default()).unwrap());
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    catalog.create_table(simple("t"), false).unwrap();
    drop(catalog);
    store.drop_table(100).unwrap();
    let error = Catalog::open(Arc::clone(&store)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(error.message(), "table t (id 100) has no data on disk");

    // One of the catalog's own families is gone.
    for id in [1, 2, 3, 4] {
        let store: Arc<dyn Store> =
            Arc::new(RocksStore::in_memory(&StoreOptions::default()).unwrap());
        Catalog::open(Arc::clone(&store))
            .unwrap()
            .create_table(simple("t"), false)
            .unwrap();
        store.drop_table(id).unwrap();
        let error = Catalog::open(Arc::clone(&store)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "family {id}: {error}");
        assert_eq!(user_families(&*store).len(), 1, "nothing is dropped");
    }
}

#[test]
fn many_tables_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(open_store(folder.path())).unwrap();
    for i in 0..40 {
        catalog
            .create_table(simple(&format!("t{i:02}")), false)
            .unwrap();
    }
    drop(catalog);
    let catalog = Catalog::open(open_store(folder.path())).unwrap();
    let names: Vec<String> = user_tables(&catalog)
        .iter()
        .map(|e| e.def.name.clone())
        .collect();
    let expected: Vec<String> = (0..40).map(|i| format!("t{i:02}")).collect();
    assert_eq!(names, expected);
}

/// The bytes that `docs/format.md` shows.
#[test]
fn the_row_of_a_table_has_the_bytes_of_the_document() {
    let store: Arc<dyn Store> = Arc::new(RocksStore::in_memory(&StoreOptions::default()).unwrap());
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    let def = TableDef {
        key_name: Some("pk".into()),
        salting: Some(Salting::new(20, None)),
        ..simple("foo")
    };
    catalog.create_table(def, false).unwrap();
    let tables = store.open_table(1, false).unwrap().unwrap();
    let mut value = String::new();
    let mut take = |bytes: &[u8]| {
        value = bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .join(" ");
        Ok(())
    };
    assert!(
        store
            .get(&tables, 0, b"public\x00\x01foo\x00\x01", &mut take)
            .unwrap()
    );
    let document = include_str!("../../docs/format.md");
    let sample = document
        .lines()
        .find(|line| line.starts_with("01 06 03 04 04 04 05 00"))
        .unwrap();
    assert_eq!(value, sample.replace("| ", ""));
}
