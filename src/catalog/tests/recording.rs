//! The steps that each change makes in the store, in their order: what is synced when.

use parking_lot::Mutex;

use super::*;
use crate::error::{Error, Result};
use crate::store::{Snapshot, TableHandle};

/// A store that notes what is asked of it, and may fail at one of the steps.
#[derive(Debug)]
struct Recorder {
    store: RocksStore,
    steps: Mutex<Vec<String>>,
    fails_at: Mutex<Option<&'static str>>,
}

impl Recorder {
    fn note(&self, step: String) -> Result<()> {
        let fails = self
            .fails_at
            .lock()
            .is_some_and(|fails_at| step == fails_at);
        self.steps.lock().push(step);
        match fails {
            true => Err(Error::io("the disk is full")),
            false => Ok(()),
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.steps.lock())
    }
}

impl Store for Recorder {
    fn create_table(&self, id: u32) -> Result<()> {
        self.note(format!("create {id}"))?;
        self.store.create_table(id)
    }

    fn drop_table(&self, id: u32) -> Result<()> {
        self.note(format!("drop {id}"))?;
        self.store.drop_table(id)
    }

    fn tables(&self) -> Result<Vec<u32>> {
        self.store.tables()
    }

    fn open_table(&self, id: u32, salted: bool) -> Result<Option<TableHandle>> {
        self.store.open_table(id, salted)
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.store.snapshot()
    }

    fn sequence(&self) -> u64 {
        self.store.sequence()
    }

    fn get(
        &self,
        table: &TableHandle,
        bucket: u8,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<bool> {
        self.store.get(table, bucket, key, found)
    }

    fn multi_get(
        &self,
        table: &TableHandle,
        keys: &[(u8, Vec<u8>)],
        found: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        self.store.multi_get(table, keys, found)
    }

    fn write(&self, batch: WriteBatch) -> Result<()> {
        let tables: Vec<String> = batch.tables().iter().map(|t| t.id().to_string()).collect();
        self.note(format!("write {}", tables.join("+")))?;
        self.store.write(batch)
    }

    fn sync(&self) -> Result<()> {
        self.note("sync".into())?;
        self.store.sync()
    }
}

fn recorded() -> (Arc<Recorder>, Catalog) {
    let recorder = Arc::new(Recorder {
        store: RocksStore::in_memory(&StoreOptions::default()).unwrap(),
        steps: Mutex::default(),
        fails_at: Mutex::default(),
    });
    let catalog = Catalog::open(recorder.clone()).unwrap();
    (recorder, catalog)
}

#[test]
fn the_steps_are_those_of_the_protocol() {
    let (runtime, (recorder, catalog)) = (runtime(), recorded());
    let expected = [
        "create 1", "create 2", "create 3", "create 4", "write 4", "sync",
    ];
    assert_eq!(recorder.take(), expected);

    catalog.create_table(simple("t"), false).unwrap();
    let expected = ["write 4", "sync", "create 100", "write 1+2", "sync"];
    assert_eq!(recorder.take(), expected);

    runtime
        .block_on(catalog.truncate_table("public", "t", WAIT, runtime.handle()))
        .unwrap();
    let expected = [
        "write 4",
        "sync",
        "create 101",
        "write 1",
        "sync",
        "drop 100",
    ];
    assert_eq!(recorder.take(), expected);

    let drop = catalog.drop_table("public", "t", false, WAIT, runtime.handle());
    runtime.block_on(drop).unwrap();
    assert_eq!(recorder.take(), ["write 1+2", "sync", "drop 101"]);
}

#[test]
fn a_step_that_fails_leaves_the_catalog_as_it_was() {
    let runtime = runtime();
    for step in ["write 4", "sync", "create 101", "write 1+2", "write 1"] {
        let (recorder, catalog) = recorded();
        catalog.create_table(simple("t"), false).unwrap();
        let before = catalog.state();
        *recorder.fails_at.lock() = Some(step);
        let results = [
            catalog.create_table(simple("u"), false).map(|_| ()),
            runtime.block_on(catalog.truncate_table("public", "t", WAIT, runtime.handle())),
            runtime
                .block_on(catalog.drop_table("public", "t", false, WAIT, runtime.handle()))
                .map(|_| ()),
        ];
        let failed = results.iter().filter(|result| result.is_err()).count();
        assert!(failed > 0, "{step}");
        for error in results.into_iter().filter_map(Result::err) {
            assert_eq!(error.kind(), ErrorKind::Io);
        }
        if failed == 3 {
            assert!(Arc::ptr_eq(&before, &catalog.state()));
        }
        *recorder.fails_at.lock() = None;
        catalog.create_table(simple("v"), false).unwrap();
        assert!(catalog.state().find_table("public", "v").is_some());
    }
}
