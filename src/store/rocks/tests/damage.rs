//! Damage on disk is reported as such, and never read as rows.

use super::*;

/// A database of `batches` batches that only the log has, closed.
fn logged(folder: &Path, batches: u8) {
    let store = RocksStore::open(folder, &options()).unwrap();
    store.create_table(100).unwrap();
    let table = store.open_table(100, false).unwrap().unwrap();
    for i in 0..batches {
        // Some bytes that can be found in the file.
        put(
            &store,
            &table,
            0,
            &[i],
            &[b"value-", &[b'a' + i; 200][..]].concat(),
        );
    }
    store.sync().unwrap();
}

fn file_of_kind(folder: &Path, is_it: impl Fn(&str) -> bool) -> std::path::PathBuf {
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = paths
        .filter(|path| is_it(&path.file_name().unwrap().to_string_lossy()))
        .filter(|path| fs::metadata(path).unwrap().len() > 0)
        .collect();
    found.sort();
    found.pop().unwrap()
}

fn log_file(folder: &Path) -> std::path::PathBuf {
    file_of_kind(folder, |name| name.ends_with(".log"))
}

/// Flips a bit of the first byte of `pattern`'s occurrence in the file.
fn flip(file: &Path, pattern: &[u8]) {
    let mut bytes = fs::read(file).unwrap();
    let at = bytes
        .windows(pattern.len())
        .position(|window| window == pattern)
        .unwrap();
    bytes[at] ^= 1;
    fs::write(file, bytes).unwrap();
}

fn rows(store: &RocksStore) -> usize {
    let table = store.open_table(100, false).unwrap().unwrap();
    let snapshot = store.snapshot();
    (0..=255)
        .filter(|i| get(&*snapshot, &table, 0, &[*i]).is_some())
        .count()
}

#[test]
fn a_damaged_record_in_the_middle_of_the_log_is_corrupt() {
    let folder = tempfile::tempdir().unwrap();
    logged(folder.path(), 10);
    flip(&log_file(folder.path()), b"value-e");
    let error = RocksStore::open(folder.path(), &options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.message().contains("rocksalt --recover"), "{error}");
    assert!(
        error
            .message()
            .contains("builder().recover_to_point_in_time()"),
        "{error}"
    );
    // Asking again gives the same answer: nothing was repaired in silence.
    let again = RocksStore::open(folder.path(), &options()).unwrap_err();
    assert_eq!(again.message(), error.message());

    let recover = StoreOptions {
        recover_to_point_in_time: true,
        ..options()
    };
    let store = RocksStore::open(folder.path(), &recover).unwrap();
    assert_eq!(rows(&store), 4, "the batches before the damaged one");
    drop(store);
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    assert_eq!(rows(&store), 4);
}

#[test]
fn a_torn_tail_of_the_log_is_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    logged(folder.path(), 10);
    let log = log_file(folder.path());
    let bytes = fs::read(&log).unwrap();
    let last = bytes
        .windows(7)
        .position(|window| window == b"value-j")
        .unwrap();
    // In the header of the last record, in its body, and right before its end.
    for end in [last - 20, last + 50, bytes.len() - 1] {
        let copy = tempfile::tempdir().unwrap();
        copy_folder(folder.path(), copy.path());
        fs::write(log_file(copy.path()), &bytes[..end]).unwrap();
        let store = RocksStore::open(copy.path(), &options()).unwrap();
        assert_eq!(rows(&store), 9);
    }
}

/// A limit of the format that `docs/format.md` admits.
#[test]
fn a_length_beyond_the_end_of_the_log_is_taken_for_a_torn_tail() {
    let folder = tempfile::tempdir().unwrap();
    logged(folder.path(), 10);
    let log = log_file(folder.path());
    let mut bytes = fs::read(&log).unwrap();
    let value = bytes
        .windows(7)
        .position(|window| window == b"value-j")
        .unwrap();
    // Before the value: number and count of the batch (8 + 4), type, family, and the lengths of
    // key and value with the key (1 + 1 + 1 + 1 + 2); before that the record's header: checksum
    // (4), length (2, little-endian), type (1).
    let header = value - 18 - 7;
    let length = u16::from_le_bytes([bytes[header + 4], bytes[header + 5]]);
    assert_eq!(usize::from(length), bytes.len() - header - 7);
    bytes[header + 5] ^= 0x10;
    fs::write(&log, bytes).unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    assert_eq!(rows(&store), 9);
}

#[test]
fn a_damaged_body_of_the_last_record_is_corrupt() {
    let folder = tempfile::tempdir().unwrap();
    logged(folder.path(), 10);
    flip(&log_file(folder.path()), b"value-j");
    let error = RocksStore::open(folder.path(), &options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
}

#[test]
fn a_damaged_manifest_is_corrupt() {
    let folder = tempfile::tempdir().unwrap();
    logged(folder.path(), 1);
    let manifest = file_of_kind(folder.path(), |name| name.starts_with("MANIFEST"));
    // The name of the family stands in a record's body.
    flip(&manifest, b"100");
    let error = RocksStore::open(folder.path(), &options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.message().contains("MANIFEST"), "{error}");
    assert!(!error.message().contains("--recover"), "{error}");
    fs::remove_file(manifest).unwrap();
    let error = RocksStore::open(folder.path(), &options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
}

#[test]
fn a_damaged_block_of_a_file_is_corrupt() {
    let folder = tempfile::tempdir().unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let rows: Map = (0..200).map(|i| (vec![3, i], vec![i; 50])).collect();
    let table = table_of(&store, 100, true, &rows);
    store.compact(&table).unwrap();
    drop((table, store));
    let file = file_of_kind(folder.path(), |name| name.ends_with(".sst"));
    let mut bytes = fs::read(&file).unwrap();
    // The first block of a file is one of rows.
    bytes[30] ^= 1;
    fs::write(&file, &bytes).unwrap();

    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let table = store.open_table(100, true).unwrap().unwrap();
    let snapshot = store.snapshot();
    let get = snapshot.get(&table, 3, &[7], &mut |_| Ok(()));
    assert_eq!(get.unwrap_err().kind(), ErrorKind::Corrupt);
    let keys = [(3, vec![7]), (3, vec![8])];
    let many = snapshot.multi_get(&table, &keys, &mut |_, _| Ok(()));
    assert_eq!(many.unwrap_err().kind(), ErrorKind::Corrupt);
    drop(snapshot);
    let snapshot = RocksSnapshot::new(OwnedSnapshot::take(&store.db));
    let mut iter =
        crate::store::cursor::Source::open(&snapshot.source(&table).unwrap(), &[], None, false);
    crate::store::cursor::RawIterator::seek(&mut iter, &[]);
    assert_eq!(crate::store::cursor::RawIterator::key(&iter), None);
    let status = crate::store::cursor::RawIterator::status(&iter);
    assert_eq!(status.unwrap_err().kind(), ErrorKind::Corrupt);
    drop((snapshot, iter, table, store));

    fs::remove_file(&file).unwrap();
    let error = RocksStore::open(folder.path(), &options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(!error.message().contains("--recover"), "{error}");
}

/// However much one table is written, none gets ahead of the others in files.
#[test]
fn going_back_is_possible_for_all_tables_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let quiet = table_of(&store, 100, false, &Map::from([(vec![0], vec![1])]));
    let busy = table_of(&store, 101, false, &Map::new());
    // More than one table may keep in memory, and less than all of them may.
    for i in 0..25u16 {
        put(&store, &busy, 0, &i.to_be_bytes(), &[7; 100_000]);
    }
    let has_files = |id: &str| {
        let files = store.db.live_files().unwrap();
        files.iter().any(|file| file.column_family_name == id)
    };
    let both = (0..500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        has_files("100") && has_files("101")
    });
    assert!(both, "the quiet table went into files with the busy one");

    put(&store, &quiet, 0, &[1], b"before the damage");
    put(&store, &busy, 0, b"x", b"damaged");
    put(&store, &quiet, 0, &[2], b"after the damage");
    store.sync().unwrap();
    drop((quiet, busy, store));
    flip(&log_file(folder.path()), b"damaged");
    let error = RocksStore::open(folder.path(), &options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    let recover = StoreOptions {
        recover_to_point_in_time: true,
        ..options()
    };
    let store = RocksStore::open(folder.path(), &recover).unwrap();
    assert_eq!(
        rows(&store),
        2,
        "the row that was there first, and the one before the damage"
    );
}
