//! One sync serves many, nothing is acknowledged before it, and the end is clean.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::executor::block_on;
use parking_lot::Mutex;

use super::*;
use crate::error::ErrorKind;
use crate::store::{Change, Watch, Watched};

/// Syncs are slow, counted, and may fail, as writes may.
#[derive(Debug, Default)]
struct SlowDisk {
    syncs: AtomicUsize,
    writes: AtomicUsize,
    fails: Mutex<Option<&'static str>>,
}

impl SlowDisk {
    fn step(&self, step: &str) -> Result<()> {
        match *self.fails.lock() {
            Some(fails) if fails == step => Err(Error::io(format!("cannot {step}"))),
            _ => Ok(()),
        }
    }
}

impl Watch for SlowDisk {
    fn before(&self, change: &Change<'_>) -> Result<()> {
        match change {
            Change::Write(batch) => {
                self.step("write")?;
                self.writes.fetch_add(batch.len(), Ordering::SeqCst);
            }
            Change::Sync => {
                thread::sleep(Duration::from_millis(20));
                self.step("sync")?;
                self.syncs.fetch_add(1, Ordering::SeqCst);
            }
            Change::Create(_) | Change::Drop(_) => {}
        }
        Ok(())
    }
}

fn slow_disk() -> Arc<Watched<SlowDisk>> {
    let disk = Watched::new(SlowDisk::default());
    disk.store.create_table(100).unwrap();
    disk
}

impl Watched<SlowDisk> {
    fn batch(&self, key: u8) -> WriteBatch {
        let table = self.store.open_table(100, false).unwrap().unwrap();
        let mut batch = WriteBatch::new();
        batch.put(&table, 0, &[key], &[]);
        batch
    }

    fn has(&self, key: u8) -> bool {
        let table = self.store.open_table(100, false).unwrap().unwrap();
        self.store.get(&table, 0, &[key], &mut |_| Ok(())).unwrap()
    }
}

#[test]
fn one_sync_serves_all_who_wait() {
    let disk = slow_disk();
    let committer = Committer::new(disk.clone()).unwrap();
    let commits: Vec<Commit> = (0..50)
        .map(|key| committer.commit(disk.batch(key), ()))
        .collect();
    for commit in commits {
        block_on(commit).unwrap();
    }
    assert_eq!(disk.writes.load(Ordering::SeqCst), 50);
    assert!((0..50).all(|key| disk.has(key)));
    let syncs = disk.syncs.load(Ordering::SeqCst);
    assert!(
        (1..=5).contains(&syncs),
        "{syncs} syncs for 50 commits that came at once"
    );
}

#[test]
fn nothing_is_acknowledged_before_its_sync() {
    let disk = slow_disk();
    let committer = Committer::new(disk.clone()).unwrap();
    for key in 0..5 {
        let before = disk.syncs.load(Ordering::SeqCst);
        futures::executor::block_on(committer.commit(disk.batch(key), ())).unwrap();
        assert_eq!(disk.syncs.load(Ordering::SeqCst), before + 1);
    }
    block_on(committer.sync()).unwrap();
    assert_eq!(disk.syncs.load(Ordering::SeqCst), 6);
}

/// Notes when it is dropped how many rows were written and how many syncs were made by then.
struct Held(Arc<Watched<SlowDisk>>, Arc<Mutex<Option<(usize, usize)>>>);

impl Drop for Held {
    fn drop(&mut self) {
        let (writes, syncs) = (&self.0.writes, &self.0.syncs);
        *self.1.lock() = Some((writes.load(Ordering::SeqCst), syncs.load(Ordering::SeqCst)));
    }
}

#[test]
fn latches_end_with_the_write_and_before_the_sync() {
    let disk = slow_disk();
    let committer = Committer::new(disk.clone()).unwrap();
    let noted = Arc::new(Mutex::default());
    block_on(committer.commit(disk.batch(1), Held(disk.clone(), noted.clone()))).unwrap();
    assert_eq!(*noted.lock(), Some((1, 0)));
}

#[test]
fn a_failure_is_told_to_those_whom_it_hits() {
    let disk = slow_disk();
    let committer = Committer::new(disk.clone()).unwrap();
    for step in ["write", "sync"] {
        *disk.fails.lock() = Some(step);
        let error = block_on(committer.commit(disk.batch(1), ())).unwrap_err();
        assert_eq!(
            (error.kind(), error.message().contains(step)),
            (ErrorKind::Io, true)
        );
        *disk.fails.lock() = None;
        block_on(committer.commit(disk.batch(2), ())).unwrap();
    }
}

#[test]
fn dropping_it_finishes_what_was_asked() {
    let disk = slow_disk();
    let committer = Committer::new(disk.clone()).unwrap();
    let commits: Vec<Commit> = (0..10)
        .map(|key| committer.commit(disk.batch(key), ()))
        .collect();
    drop(committer);
    assert_eq!(
        Arc::strong_count(&disk),
        1,
        "the thread has let go of the store"
    );
    for commit in commits {
        block_on(commit).unwrap();
    }
}

#[test]
fn it_may_be_dropped_in_async_code_and_by_its_own_thread() {
    let disk = slow_disk();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let committer = Committer::new(disk.clone()).unwrap();
        committer.commit(disk.batch(1), ()).await.unwrap();
        // Blocking within a task works too.
        block_on(committer.commit(disk.batch(2), ())).unwrap();
    });
    // The last owner of the committer goes with what a request holds.
    let committer = Arc::new(Committer::new(disk.clone()).unwrap());
    let commit = committer.commit(disk.batch(3), Arc::clone(&committer));
    drop(committer);
    block_on(commit).unwrap();
    assert!(disk.has(3));
}
