//! Which folders are opened.

use super::*;

/// The names and bytes of all files in a folder.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read(path).unwrap_or_default())
    });
    let mut contents: Vec<_> = entries.collect();
    contents.sort();
    contents
}

/// Opening fails with `kind`, says `message`, and leaves the folder as it was.
fn assert_refused(folder: &Path, kind: ErrorKind, message: &str) {
    let before = contents(folder);
    let error = RocksStore::open(folder, &options()).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.message().contains(message), "{error}");
    assert_eq!(contents(folder), before);
}

#[test]
fn a_new_folder_gets_its_marker() {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("a/b/data");
    let store = RocksStore::open(&folder, &options()).unwrap();
    assert_eq!(
        fs::read_to_string(folder.join("ROCKSALT")).unwrap(),
        "format 1\n"
    );
    assert_eq!(store.path(), Some(folder.as_path()));
    drop(store);
    RocksStore::open(&folder, &options()).unwrap();
}

#[test]
fn a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "text").unwrap();
    let error = RocksStore::open(&file, &options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(fs::read_to_string(&file).unwrap(), "text");
}

#[test]
fn a_foreign_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letter.txt"), "text").unwrap();
    assert_refused(
        folder.path(),
        ErrorKind::Invalid,
        "is not empty and no rocksalt database",
    );
    // Another RocksDB database is foreign too.
    let folder = tempfile::tempdir().unwrap();
    drop(DB::open_default(folder.path()).unwrap());
    assert_refused(
        folder.path(),
        ErrorKind::Invalid,
        "is not empty and no rocksalt database",
    );
}

#[test]
fn a_newer_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(RocksStore::open(folder.path(), &options()).unwrap());
    fs::write(folder.path().join("ROCKSALT"), "format 2\nmore\n").unwrap();
    assert_refused(folder.path(), ErrorKind::Unsupported, "format 2");
}

#[test]
fn a_damaged_marker_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(RocksStore::open(folder.path(), &options()).unwrap());
    for marker in ["", "format", "format 0\n", "format x\n", "\0\0\0\0"] {
        fs::write(folder.path().join("ROCKSALT"), marker).unwrap();
        assert_refused(folder.path(), ErrorKind::Corrupt, "ROCKSALT is damaged");
    }
}

#[test]
fn a_database_that_is_open_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    // Its files may change: the one who has it open writes its own log meanwhile.
    let refused = || {
        let error = RocksStore::open(folder.path(), &options()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.message().contains("in use"), "{error}");
    };
    refused();
    let reader = store.snapshot();
    drop(store);
    refused();
    drop(reader);
    RocksStore::open(folder.path(), &options()).unwrap();
}

#[test]
fn rocksdb_s_own_lock_is_respected() {
    let folder = tempfile::tempdir().unwrap();
    drop(RocksStore::open(folder.path(), &options()).unwrap());
    // A tool of RocksDB's that knows nothing of the marker.
    let tool = DB::open_default(folder.path()).unwrap();
    let error = RocksStore::open(folder.path(), &options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    drop(tool);
}

#[test]
fn a_crash_while_the_folder_is_made_leaves_one_that_opens() {
    // Before the marker, with its draft, and after it.
    for files in [&[][..], &["ROCKSALT.new"], &["ROCKSALT"]] {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            fs::write(folder.path().join(file), "format 1\n").unwrap();
        }
        RocksStore::open(folder.path(), &options()).unwrap();
    }
}

#[test]
fn data_without_current_is_not_made_a_new_database() {
    let folder = tempfile::tempdir().unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let table = table_of(&store, 100, false, &Map::from([(vec![1], vec![1])]));
    store.compact(&table).unwrap();
    drop((table, store));
    fs::remove_file(folder.path().join("CURRENT")).unwrap();
    assert_refused(folder.path(), ErrorKind::Corrupt, "CURRENT");
}

#[test]
fn what_was_spilled_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let store = RocksStore::open(folder.path(), &options()).unwrap();
    let spill = store.spill_path().unwrap();
    assert_eq!(spill, folder.path().join("tmp"));
    fs::create_dir_all(spill.join("deep")).unwrap();
    fs::write(spill.join("deep/file"), "rows").unwrap();
    drop(store);
    RocksStore::open(folder.path(), &options()).unwrap();
    assert!(!spill.exists());
}

#[test]
fn a_store_in_memory_touches_no_disk() {
    let store = in_memory();
    assert_eq!((store.path(), store.spill_path()), (None, None));
    table_of(&store, 100, false, &Map::from([(vec![1], vec![1])]));
    store.sync().unwrap();
    let disk = std::env::temp_dir();
    assert!(!disk.join("ROCKSALT").exists() && !disk.join("CURRENT").exists());
}
