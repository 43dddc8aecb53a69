//! Rows that are loaded by files.

use super::*;
use crate::error::Error;
use crate::store::PushRow;

/// Files in the folder for them.
fn files(folder: &Path) -> usize {
    match fs::read_dir(folder.join("tmp").join("load")) {
        Ok(entries) => entries.count(),
        Err(_) => 0,
    }
}

/// Loads `map` in calls of seven rows; its keys have salt bytes if the table does.
fn load(store: &RocksStore, table: &TableHandle, map: &Map) -> Result<()> {
    let mut rows = map.iter();
    store.load(table, &mut |push: &mut PushRow<'_>| {
        for _ in 0..7 {
            let Some((key, value)) = rows.next() else {
                return Ok(false);
            };
            match table.salted() {
                true => push(key[0], &key[1..], value)?,
                false => push(0, key, value)?,
            }
        }
        Ok(true)
    })
}

fn stored(store: &RocksStore, table: &TableHandle) -> Map {
    let family = rows::family(table, &store.db).unwrap();
    let rows = store
        .db
        .iterator_cf(family.owned.handle(), rocksdb::IteratorMode::Start);
    let rows = rows.map(|row| row.unwrap());
    rows.map(|(key, value)| (key.to_vec(), value.to_vec()))
        .collect()
}

fn some_rows(count: u32) -> Map {
    let key = |i: u32| [&[(i % 5) as u8][..], &i.to_be_bytes()].concat();
    (0..count)
        .map(|i| (key(i), i.to_le_bytes().to_vec()))
        .collect()
}

#[test]
fn what_is_loaded_is_there_and_survives() {
    let folder = tempfile::tempdir().unwrap();
    for count in [0, 1, 7, 1000] {
        for salted in [false, true] {
            let map = some_rows(count);
            let memory = in_memory();
            let table = table_of(&memory, 100, salted, &Map::new());
            load(&memory, &table, &map).unwrap();
            assert_eq!(stored(&memory, &table), map);

            let id = 100 + 2 * count + u32::from(salted);
            let store = RocksStore::open(folder.path(), &options()).unwrap();
            let table = table_of(&store, id, salted, &Map::new());
            let before = store.snapshot();
            load(&store, &table, &map).unwrap();
            assert_eq!(stored(&store, &table), map);
            assert_eq!(files(folder.path()), 0, "RocksDB has moved them");
            if let Some(key) = map.keys().next() {
                let (bucket, key) = match salted {
                    true => (key[0], &key[1..]),
                    false => (0, &key[..]),
                };
                assert_eq!(get(&*before, &table, bucket, key), None, "an old snapshot");
            }
            // The files as they are while the database is open: those of a process that dies now.
            let copy = tempfile::tempdir().unwrap();
            copy_folder(folder.path(), copy.path());
            let store = RocksStore::open(copy.path(), &options()).unwrap();
            let table = store.open_table(id, salted).unwrap().unwrap();
            assert_eq!(stored(&store, &table), map);
        }
    }
}

/// A row that is written after the load is newer than the one that was loaded.
#[test]
fn writes_after_a_load_win() {
    let folder = tempfile::tempdir().unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let table = table_of(&store, 100, true, &Map::new());
    let mut map = some_rows(1000);
    load(&store, &table, &map).unwrap();
    let mut batch = WriteBatch::new();
    for key in some_rows(1000).keys().step_by(3) {
        batch.delete(&table, key[0], &key[1..]);
        map.remove(key);
    }
    for key in some_rows(1000).keys().step_by(10) {
        batch.put(&table, key[0], &key[1..], b"new");
        map.insert(key.clone(), b"new".to_vec());
    }
    store.write(batch).unwrap();
    assert_eq!(stored(&store, &table), map);
    drop((store, table));
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let table = store.open_table(100, true).unwrap().unwrap();
    assert_eq!(stored(&store, &table), map);
}

#[test]
fn many_rows_are_more_than_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let table = table_of(&store, 100, false, &Map::new());
    let value = vec![7; 1 << 20];
    let (mut i, mut most) = (0, 0);
    store
        .load(&table, &mut |push: &mut PushRow<'_>| {
            push(0, &[i], &value)?;
            i += 1;
            most = most.max(files(folder.path()));
            Ok(i < 140)
        })
        .unwrap();
    assert!((2..=4).contains(&most), "{most} files for 140 MiB");
    assert_eq!(files(folder.path()), 0);
    let keys: Vec<Vec<u8>> = stored(&store, &table).into_keys().collect();
    assert!(keys.into_iter().eq((0..140).map(|i| vec![i])));
}

#[test]
fn a_load_that_fails_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let table = table_of(&store, 100, true, &Map::new());
    let mut calls = 0;
    let refused = store.load(&table, &mut |push: &mut PushRow<'_>| {
        calls += 1;
        match calls {
            5 => Err(Error::constraint("a duplicate")),
            _ => push(1, &[calls], &[]).map(|()| true),
        }
    });
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Constraint);

    // Out of order, which no file may be.
    let refused = store.load(&table, &mut |push: &mut PushRow<'_>| {
        push(1, &[5], &[])?;
        push(1, &[4], &[])?;
        Ok(false)
    });
    refused.unwrap_err();

    let refused = store.load(&table, &mut |push: &mut PushRow<'_>| {
        push(1, &[5], &[])?;
        store.drop_table(100)?;
        Ok(false)
    });
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(stored(&store, &table), Map::new());
    assert_eq!(files(folder.path()), 0);

    let other = table_of(&store, 101, true, &Map::new());
    load(&store, &other, &some_rows(10)).unwrap();
    assert_eq!(stored(&store, &other), some_rows(10));
}

#[test]
fn files_of_a_process_that_died_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    drop(RocksStore::open(folder.path(), &options()).unwrap());
    let left = folder.path().join("tmp").join("load");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("0.sst"), b"half a file").unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    assert_eq!(files(folder.path()), 0);
    let table = table_of(&store, 100, true, &Map::new());
    load(&store, &table, &some_rows(10)).unwrap();
    assert_eq!(stored(&store, &table), some_rows(10));
}
