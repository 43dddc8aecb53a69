//! The steps that each change makes in the store, in their order: what is synced when.

use parking_lot::Mutex;

use super::*;
use crate::error::{Error, Result};
use crate::store::{Change, Watch, Watched};

/// Notes what is asked of the store, and may fail at one of the steps.
#[derive(Debug, Default)]
struct Recorder {
    steps: Mutex<Vec<String>>,
    fails_at: Mutex<Option<&'static str>>,
}

impl Recorder {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.steps.lock())
    }
}

impl Watch for Recorder {
    fn before(&self, change: &Change<'_>) -> Result<()> {
        let step = match change {
            Change::Create(id) => format!("create {id}"),
            Change::Drop(id) => format!("drop {id}"),
            Change::Write(batch) => {
                let tables = batch.tables();
                let ids: Vec<String> = tables.iter().map(|t| t.id().to_string()).collect();
                format!("write {}", ids.join("+"))
            }
            Change::Sync => "sync".to_owned(),
        };
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
}

fn recorded() -> (Arc<Watched<Recorder>>, Catalog) {
    let recorder = Watched::new(Recorder::default());
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

    let alter = |name: &'static str| {
        let alter = catalog.alter_table("public", "t", false, WAIT, runtime.handle(), move |t| {
            let def = TableDef {
                name: name.into(),
                ..TableDef::clone(&t.def)
            };
            Ok((def, Vec::new()))
        });
        runtime.block_on(alter).unwrap();
    };
    alter("t");
    assert!(recorder.take().is_empty(), "nothing was changed");
    alter("u");
    assert_eq!(recorder.take(), ["write 1+2", "sync"]);

    let drop = catalog.drop_table("public", "u", false, WAIT, runtime.handle());
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
            runtime
                .block_on(
                    catalog.alter_table("public", "t", false, WAIT, runtime.handle(), |t| {
                        let mut def = TableDef::clone(&t.def);
                        def.drop_column(1)?;
                        Ok((def, Vec::new()))
                    }),
                )
                .map(|_| ()),
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
        if failed == 4 {
            assert!(Arc::ptr_eq(&before, &catalog.state()));
        }
        *recorder.fails_at.lock() = None;
        catalog.create_table(simple("v"), false).unwrap();
        assert!(catalog.state().find_table("public", "v").is_some());
    }
}
