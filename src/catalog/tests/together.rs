//! Changes of the catalog beside each other, and beside writers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;

#[test]
fn create_and_drop_of_one_name_from_many_threads() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path());
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    let runtime = runtime();
    let (created, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (catalog, runtime, created, dropped) = (&catalog, &runtime, &created, &dropped);
            scope.spawn(move || {
                for round in 0..25 {
                    if (thread + round) % 2 == 0 {
                        match catalog.create_table(simple("t"), false) {
                            Ok(true) => drop(created.fetch_add(1, Ordering::Relaxed)),
                            Ok(false) => panic!("without IF NOT EXISTS"),
                            Err(error) => assert_eq!(error.kind(), ErrorKind::AlreadyExists),
                        }
                    } else {
                        let drop_t =
                            catalog.drop_table("public", "t", true, WAIT, runtime.handle());
                        if runtime.block_on(drop_t).unwrap() {
                            dropped.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    let (created, dropped) = (created.into_inner(), dropped.into_inner());
    let left = user_tables(&catalog);
    assert_eq!(created, dropped + left.len());
    assert!(created > 0 && dropped > 0);
    let named: BTreeSet<u32> = left.iter().map(|entry| entry.def.id).collect();
    assert_eq!(user_families(&*store), named);
    drop((catalog, store, left));
    let reopened = Catalog::open(open_store(folder.path())).unwrap();
    assert_eq!(user_tables(&reopened).len(), named.len());
}

#[test]
fn a_change_waits_for_the_writers_and_not_for_ever() {
    let (catalog, runtime) = (in_memory(), runtime());
    catalog.create_table(simple("t"), false).unwrap();
    let entry = Arc::clone(catalog.state().find_table("public", "t").unwrap());
    let writer = entry.try_lock_shared().unwrap();
    let short = Duration::from_millis(50);
    let drop_t = catalog.drop_table("public", "t", false, short, runtime.handle());
    // Any executor will do: this one knows nothing of tokio.
    let error = futures::executor::block_on(drop_t).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.message().starts_with("table t was locked"), "{error}");
    assert!(catalog.is_current(&entry));

    let second = entry.try_lock_shared();
    assert!(second.is_some(), "who gave up stands in nobody's way");
    drop((writer, second));
    let drop_t = catalog.drop_table("public", "t", false, WAIT, runtime.handle());
    assert!(futures::executor::block_on(drop_t).unwrap());
    assert!(!catalog.is_current(&entry));
}

#[test]
fn writers_beside_truncate_and_drop_never_break_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path());
    let catalog = Catalog::open(Arc::clone(&store)).unwrap();
    let runtime = runtime();
    let stop = AtomicBool::new(false);
    let written = AtomicUsize::new(0);
    catalog.create_table(simple("t"), false).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let Some(entry) = catalog.state().find_table("public", "t").cloned() else {
                        continue;
                    };
                    let lock = entry.lock_shared(WAIT, runtime.handle());
                    let _lock = futures::executor::block_on(lock).unwrap();
                    if !catalog.is_current(&entry) {
                        continue;
                    }
                    let mut batch = WriteBatch::new();
                    batch.put(&entry.handle, 0, b"key", b"value");
                    store.write(batch).unwrap();
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for round in 0..20 {
            let handle = runtime.handle();
            if round % 2 == 0 {
                let truncate = catalog.truncate_table("public", "t", WAIT, handle);
                runtime.block_on(truncate).unwrap();
            } else {
                let drop_t = catalog.drop_table("public", "t", false, WAIT, handle);
                assert!(runtime.block_on(drop_t).unwrap());
                catalog.create_table(simple("t"), false).unwrap();
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(written.into_inner() > 0);
    store.sync().unwrap();
    let entry = Arc::clone(catalog.state().find_table("public", "t").unwrap());
    let mut batch = WriteBatch::new();
    batch.put(&entry.handle, 0, b"key", b"last");
    store.write(batch).unwrap();
    store.sync().unwrap();
}
