//! RocksDB against a sorted map, and what a folder must survive.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use rocksdb::statistics::Ticker;

use super::*;
use crate::error::ErrorKind;
use crate::store::cursor::tests::selection::any_selection;
use crate::store::cursor::tests::{Map, case};

mod damage;
mod folder;
mod load;

fn options() -> StoreOptions {
    StoreOptions {
        cache_size: 1 << 20,
        write_buffer_size: 4 << 20,
        ..Default::default()
    }
}

fn in_memory() -> RocksStore {
    RocksStore::in_memory(&options()).unwrap()
}

fn put(store: &RocksStore, table: &TableHandle, bucket: u8, key: &[u8], value: &[u8]) {
    let mut batch = WriteBatch::new();
    batch.put(table, bucket, key, value);
    store.write(batch).unwrap();
}

fn get(snapshot: &dyn Snapshot, table: &TableHandle, bucket: u8, key: &[u8]) -> Option<Vec<u8>> {
    let mut value = None;
    let found = |bytes: &[u8]| {
        value = Some(bytes.to_vec());
        Ok(())
    };
    let there = snapshot.get(table, bucket, key, &mut { found }).unwrap();
    assert_eq!(there, value.is_some());
    value
}

/// A new table with the rows of `map`, which has salt bytes if `salted`.
fn table_of(store: &RocksStore, id: u32, salted: bool, map: &Map) -> TableHandle {
    store.create_table(id).unwrap();
    let table = store.open_table(id, salted).unwrap().unwrap();
    put_all(store, &table, map);
    table
}

fn put_all(store: &RocksStore, table: &TableHandle, map: &Map) {
    let mut batch = WriteBatch::new();
    for (key, value) in map {
        match table.salted() {
            true => batch.put(table, key[0], &key[1..], value),
            false => batch.put(table, 0, key, value),
        }
    }
    store.write(batch).unwrap();
}

#[test]
fn scans_of_memtables_and_files_agree_with_a_map() {
    let store = in_memory();
    let next = std::cell::Cell::new(100);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(128));
    runner
        .run(&(case(), any::<bool>()), |(case, in_files)| {
            let id = next.replace(next.get() + 1);
            let salted = case.buckets > 0;
            let table = table_of(&store, id, salted, &case.deleted_map());
            let mut batch = WriteBatch::new();
            for key in case.deleted_map().keys() {
                match salted {
                    true => batch.delete(&table, key[0], &key[1..]),
                    false => batch.delete(&table, 0, key),
                }
            }
            store.write(batch).unwrap();
            put_all(&store, &table, &case.map());
            if in_files {
                store.compact(&table).unwrap();
            }
            let snapshot = RocksSnapshot::new(OwnedSnapshot::take(&store.db));
            case.check(|| snapshot.source(&table).unwrap());
            store.drop_table(id).unwrap();
            Ok(())
        })
        .unwrap();
}

#[test]
fn scans_of_memtables_and_files_read_the_rows_that_are_asked_for() {
    let store = in_memory();
    let next = std::cell::Cell::new(100);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(64));
    runner
        .run(
            &(any_selection(), any::<bool>()),
            |(selection, in_files)| {
                let id = next.replace(next.get() + 1);
                let salted = selection.buckets > 0;
                let table = table_of(&store, id, salted, &selection.map());
                // Behind every third row, more deleted ones than a wary iterator takes.
                let mut batch = WriteBatch::new();
                for key in selection.map().keys().step_by(3) {
                    for last in 0..4 {
                        let key = [key, &[0, last][..]].concat();
                        match salted {
                            true => batch.delete(&table, key[0], &key[1..]),
                            false => batch.delete(&table, 0, &key),
                        }
                    }
                }
                store.write(batch).unwrap();
                if in_files {
                    store.compact(&table).unwrap();
                }
                let snapshot = RocksSnapshot::new(OwnedSnapshot::take(&store.db));
                selection.check(|| snapshot.source(&table).unwrap());
                store.drop_table(id).unwrap();
                Ok(())
            },
        )
        .unwrap();
}

#[test]
fn a_snapshot_sees_nothing_written_after_it() {
    let store = in_memory();
    let table = table_of(
        &store,
        100,
        true,
        &Map::from([(vec![7, 1], b"old".to_vec())]),
    );
    let before = store.snapshot();
    assert_eq!(before.sequence(), store.sequence());

    let mut batch = WriteBatch::new();
    batch.put(&table, 7, &[1], b"new");
    batch.put(&table, 7, &[2], b"new");
    batch.delete(&table, 7, &[3]);
    assert_eq!((batch.len(), batch.bytes()), (3, 12));
    store.write(batch).unwrap();

    assert!(before.sequence() < store.sequence());
    assert_eq!(get(&*before, &table, 7, &[1]).unwrap(), b"old");
    assert_eq!(get(&*before, &table, 7, &[2]), None);
    let after = store.snapshot();
    assert_eq!(get(&*after, &table, 7, &[1]).unwrap(), b"new");
    assert_eq!(get(&*after, &table, 7, &[2]).unwrap(), b"new");
    assert_eq!(
        get(&*after, &table, 8, &[2]),
        None,
        "another bucket is another row"
    );
}

#[test]
fn many_gets_answer_by_index() {
    for salted in [false, true] {
        let store = in_memory();
        store.create_table(100).unwrap();
        let table = store.open_table(100, salted).unwrap().unwrap();
        let mut batch = WriteBatch::new();
        // Every third key, more than one call takes, one of them longer than the stack buffer.
        let key = |i: u32| [i.to_be_bytes().to_vec(), vec![0; (i as usize % 2) * 200]].concat();
        for i in (0..1000).step_by(3) {
            batch.put(&table, (i % 4) as u8, &key(i), &i.to_le_bytes());
        }
        store.write(batch).unwrap();
        let mut keys: Vec<(u8, Vec<u8>)> =
            (0..1000).rev().map(|i| ((i % 4) as u8, key(i))).collect();
        for sorted in [false, true] {
            if sorted {
                keys.sort();
            }
            let expected: Vec<usize> = (0..1000)
                .filter(|&i| {
                    let number: [u8; 4] = keys[i].1[..4].try_into().unwrap();
                    u32::from_be_bytes(number).is_multiple_of(3)
                })
                .collect();
            let mut found = Vec::new();
            let mut take = |i: usize, value: &[u8]| {
                assert_eq!(
                    keys[i].1[..4].iter().rev().copied().collect::<Vec<_>>(),
                    value
                );
                found.push(i);
                Ok(())
            };
            store
                .snapshot()
                .multi_get(&table, &keys, &mut take)
                .unwrap();
            assert_eq!(found, expected);
        }
        let mut latest = 0;
        store
            .multi_get(&table, &keys, &mut |_, _| {
                latest += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(latest, 334);
        assert!(store.get(&table, 3, &key(999), &mut |_| Ok(())).unwrap());
        assert!(!store.get(&table, 2, &key(998), &mut |_| Ok(())).unwrap());
    }
}

#[test]
fn a_dropped_table_is_read_to_the_end_and_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let rows: Map = (0..100).map(|i| (vec![1, i], vec![i])).collect();
    let table = table_of(&store, 100, true, &rows);
    store.compact(&table).unwrap();
    let files = |folder: &Path| {
        let entries = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries
            .filter(|path| path.extension().is_some_and(|kind| kind == "sst"))
            .count()
    };
    assert_eq!(files(folder.path()), 1);

    let old = RocksSnapshot::new(OwnedSnapshot::take(&store.db));
    store.drop_table(100).unwrap();
    assert!(store.open_table(100, true).unwrap().is_none());
    assert!(store.tables().unwrap().is_empty());
    assert_eq!(get(&old, &table, 1, &[5]), Some(vec![5]));
    let mut iter =
        crate::store::cursor::Source::open(&old.source(&table).unwrap(), &[], None, false);
    crate::store::cursor::RawIterator::seek(&mut iter, &[1, 99]);
    drop(old);
    assert_eq!(
        crate::store::cursor::RawIterator::value(&iter),
        Some(&[99][..])
    );

    let mut batch = WriteBatch::new();
    batch.put(&table, 1, &[5], &[6]);
    assert_eq!(store.write(batch).unwrap_err().kind(), ErrorKind::NotFound);
    // RocksDB itself was not asked, and so is not in its error state.
    let other = table_of(&store, 101, false, &Map::new());
    put(&store, &other, 0, &[1], &[1]);

    assert_eq!(files(folder.path()), 1, "a reader holds the file");
    drop((iter, table));
    let gone = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        files(folder.path()) == 0
    });
    assert!(gone, "the last reader's end deletes the file");
}

#[test]
fn a_handle_of_another_store_is_refused() {
    let (one, two) = (in_memory(), in_memory());
    let table = table_of(&one, 100, false, &Map::new());
    table_of(&two, 100, false, &Map::new());
    let mut batch = WriteBatch::new();
    batch.put(&table, 0, &[1], &[1]);
    assert_eq!(two.write(batch).unwrap_err().kind(), ErrorKind::Internal);
    let get = two.snapshot().get(&table, 0, &[1], &mut |_| Ok(()));
    assert_eq!(get.unwrap_err().kind(), ErrorKind::Internal);
}

#[test]
fn readers_may_outlive_their_store() {
    let store = in_memory();
    let table = table_of(&store, 100, false, &Map::from([(vec![1], vec![2])]));
    let snapshot = store.snapshot();
    drop(store);
    assert_eq!(get(&*snapshot, &table, 0, &[1]), Some(vec![2]));
    drop(table);
    drop(snapshot);
}

#[test]
fn writes_survive_without_a_sync_when_the_process_ends() {
    let folder = tempfile::tempdir().unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let table = table_of(&store, 100, true, &Map::from([(vec![255, 1], vec![1])]));
    // The files as they are while the database is open: those of a process that dies now.
    let copy = tempfile::tempdir().unwrap();
    copy_folder(folder.path(), copy.path());
    drop((store, table));

    let store = RocksStore::open(copy.path(), &options()).unwrap();
    assert_eq!(store.tables().unwrap(), [100]);
    let table = store.open_table(100, true).unwrap().unwrap();
    assert_eq!(get(&*store.snapshot(), &table, 255, &[1]), Some(vec![1]));
}

/// What a commit waits for is a sync of the log, and nothing less.
#[test]
fn a_sync_syncs_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let (mut database, family) = options::rocksdb_options(&options(), None);
    database.enable_statistics();
    let claimed = Folder::claim(folder.path()).unwrap();
    let store =
        RocksStore::open_families(folder.path(), &database, family, Vec::new(), Some(claimed))
            .unwrap();
    let table = table_of(&store, 100, false, &Map::new());
    let syncs = || database.get_ticker_count(Ticker::WalFileSynced);
    for i in 0..3 {
        let before = syncs();
        put(&store, &table, 0, &[i], &[]);
        assert_eq!(syncs(), before, "a write alone");
        store.sync().unwrap();
        assert_eq!(syncs(), before + 1);
    }
}

/// Copies the files of a database, which may be open: RocksDB deletes some on the way.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            match fs::copy(entry.path(), to.join(entry.file_name())) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
                _ => {}
            }
        }
    }
}

/// Through the public surface: what the engine sees of a scan.
#[test]
fn a_cursor_fills_batches_in_each_order() {
    use crate::codec::{BatchDecoder, ColumnSource, KeyColumn};
    use crate::key::{BucketRange, ByteRange};
    use crate::store::{Counters, CursorOrder, CursorRequest};
    use crate::types::SqlType;
    use datafusion::arrow::array::AsArray;
    use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Schema};

    let store = in_memory();
    store.create_table(100).unwrap();
    let table = store.open_table(100, true).unwrap().unwrap();
    let mut batch = WriteBatch::new();
    // An INTEGER key by hand: big-endian with the sign bit flipped.
    let key = |i: i32| (i as u32 ^ 0x8000_0000).to_be_bytes();
    for i in -500i32..500 {
        batch.put(&table, i.rem_euclid(256) as u8, &key(i), &[]);
    }
    store.write(batch).unwrap();

    let schema = Schema::new(vec![Field::new("k", DataType::Int32, false)]);
    let column = KeyColumn {
        sql_type: SqlType::Integer,
        nullable: false,
        descending: false,
    };
    let mut decoder =
        BatchDecoder::new(Arc::new(schema), vec![column], vec![ColumnSource::Key(0)]).unwrap();
    let ranges = || -> Vec<BucketRange> {
        let range = ByteRange {
            start: key(-100).to_vec(),
            end: Some(key(400).to_vec()),
        };
        (0..=255)
            .map(|bucket| BucketRange {
                bucket,
                range: range.clone(),
            })
            .collect()
    };
    let snapshot = store.snapshot();
    let mut all = |order| -> Vec<i32> {
        let request = CursorRequest::new(ranges(), order);
        let mut cursor = snapshot.cursor(&table, request).unwrap();
        let mut found = Vec::new();
        loop {
            let more = cursor.fill(&mut decoder, 64, usize::MAX).unwrap();
            let batch = decoder.finish().unwrap();
            found.extend_from_slice(batch.column(0).as_primitive::<Int32Type>().values());
            if !more {
                return found;
            }
        }
    };
    assert!(all(CursorOrder::Key).into_iter().eq(-100..400));
    assert!(
        all(CursorOrder::KeyReverse)
            .into_iter()
            .eq((-100..400).rev())
    );
    let mut any = all(CursorOrder::Any);
    assert_eq!(any[..2], [0, 256], "bucket 0 comes first");
    any.sort_unstable();
    assert!(any.into_iter().eq(-100..400));

    let request = CursorRequest::new(ranges(), CursorOrder::Key);
    let mut cursor = snapshot.cursor(&table, request).unwrap();
    assert!(cursor.fill(&mut decoder, 10, usize::MAX).unwrap());
    assert_eq!(decoder.len(), 10);
    assert_eq!(
        cursor.counters(),
        Counters {
            seeks: 256,
            steps: 256 + 9,
            rows: 10,
            bytes: 40
        }
    );
}

/// What the cursors count is what RocksDB does.
#[test]
fn seeks_are_those_of_rocksdb() {
    use crate::store::cursor::tests::selection::any_selection;
    use proptest::strategy::ValueTree;

    let env = rocksdb::Env::mem_env().unwrap();
    let (mut database, family) = options::rocksdb_options(&options(), Some(&env));
    database.enable_statistics();
    let folder = std::env::temp_dir();
    let store = RocksStore::open_families(&folder, &database, family, Vec::new(), None).unwrap();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seeks = 0;
    for id in 100..164 {
        let selection = any_selection().new_tree(&mut runner).unwrap().current();
        let table = table_of(&store, id, selection.buckets > 0, &selection.map());
        let snapshot = RocksSnapshot::new(OwnedSnapshot::take(&store.db));
        seeks += selection.check(|| snapshot.source(&table).unwrap());
        assert_eq!(database.get_ticker_count(Ticker::NumberDbSeek), seeks);
    }
    assert!(seeks > 1000);
}

/// A scan that ends before many deleted rows does not walk through them, and loses no row.
#[test]
fn many_deleted_rows_beyond_a_range_end_no_scan() {
    use crate::key::{BucketRange, ByteRange};
    let store = in_memory();
    store.create_table(100).unwrap();
    let table = store.open_table(100, true).unwrap().unwrap();
    let mut batch = WriteBatch::new();
    let key = |i: u32| i.to_be_bytes();
    for bucket in 0..4 {
        for i in 0..3000 {
            batch.put(&table, bucket, &key(i), &[]);
        }
        for i in (10..2990).filter(|i| *i != 1500) {
            batch.delete(&table, bucket, &key(i));
        }
    }
    store.write(batch).unwrap();
    let ranges = |cuts: &[(u32, u32)]| -> Vec<BucketRange> {
        let of = |bucket| {
            cuts.iter().map(move |&(start, end)| BucketRange {
                bucket,
                range: ByteRange {
                    start: key(start).to_vec(),
                    end: Some(key(end).to_vec()),
                },
            })
        };
        (0..4).flat_map(of).collect()
    };
    let count = |cuts: &[(u32, u32)]| {
        use crate::store::cursor::Budget;
        let snapshot = RocksSnapshot::new(OwnedSnapshot::take(&store.db));
        let source = snapshot.source(&table).unwrap();
        let mut rows: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let more = crate::store::cursor::tests::sequence(source, ranges(cuts), |cursor| {
            cursor.fill_into(&mut rows, Budget::new(usize::MAX, usize::MAX))
        });
        assert!(!more.unwrap());
        rows.len()
    };
    assert_eq!(count(&[(0, 10)]), 4 * 10);
    assert_eq!(count(&[(5, 2995)]), 4 * (5 + 1 + 5));
    assert_eq!(
        count(&[(0, 1), (20, 30), (1400, 1600), (2999, 3000)]),
        4 * 3
    );
    assert_eq!(count(&[(11, 1500)]), 0);
}
