//! Latches exclude, wait in turn, give up in time, and lose nothing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use futures::task::noop_waker;
use tokio::runtime::Runtime;

use super::*;
use crate::error::ErrorKind;

const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(30);

fn rows(keys: &[u8]) -> LatchRequest {
    LatchRequest::rows(keys.iter().map(|key| [*key]))
}

fn timers() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap()
}

/// Whether a future is ready now.
fn poll<F: Future>(future: Pin<&mut F>) -> Option<F::Output> {
    match future.poll(&mut Context::from_waker(&noop_waker())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

#[test]
fn overlapping_rows_exclude_each_other_and_others_do_not() {
    let latches = Latches::new();
    let held = latches.try_acquire(&rows(&[1, 2, 3])).unwrap();
    assert!(latches.try_acquire(&rows(&[3, 4])).is_none());
    assert!(latches.try_acquire(&LatchRequest::table()).is_none());
    let other = latches.try_acquire(&rows(&[4, 5])).unwrap();
    drop(held);
    assert!(latches.try_acquire(&rows(&[1, 2, 3])).is_some());
    drop(other);
    let table = latches.try_acquire(&LatchRequest::table()).unwrap();
    assert!(latches.try_acquire(&rows(&[9])).is_none());
    drop(table);
    assert!(latches.try_acquire(&rows(&[9])).is_some());
}

#[test]
fn a_key_may_be_named_twice() {
    let latches = Latches::new();
    drop(latches.try_acquire(&rows(&[1, 1, 1])).unwrap());
    assert!(latches.try_acquire(&LatchRequest::table()).is_some());
}

#[test]
fn many_rows_are_the_whole_table() {
    let request = |n: u32| LatchRequest::rows((0..n).map(u32::to_be_bytes));
    assert!(!request(10_000).is_table());
    assert!(request(10_001).is_table());
    // The limit is of rows, not of mentions.
    let twice = (0..10_000u32).chain(0..10_000).map(u32::to_be_bytes);
    assert!(!LatchRequest::rows(twice).is_table());
}

#[test]
fn who_waits_is_served_in_turn() {
    let (latches, runtime) = (Latches::new(), timers());
    let wait = |request| Box::pin(latches.acquire(request, LONG, runtime.handle()));
    let first = latches.try_acquire(&rows(&[1])).unwrap();
    let mut table = wait(LatchRequest::table());
    assert!(poll(table.as_mut()).is_none());
    // Rows that nobody holds: but the table is waited for, and must not starve.
    let mut later = wait(rows(&[2]));
    assert!(poll(later.as_mut()).is_none());
    assert!(latches.try_acquire(&rows(&[3])).is_none());

    drop(first);
    assert!(poll(later.as_mut()).is_none());
    let table = poll(table.as_mut()).unwrap().unwrap();
    drop(table);
    assert!(poll(later.as_mut()).unwrap().is_ok());
}

#[test]
fn rows_that_are_in_nobodys_way_go_ahead() {
    let (latches, runtime) = (Latches::new(), timers());
    let first = latches.try_acquire(&rows(&[1])).unwrap();
    let mut second = Box::pin(latches.acquire(rows(&[1, 2]), LONG, runtime.handle()));
    assert!(poll(second.as_mut()).is_none());
    assert!(
        latches.try_acquire(&rows(&[2])).is_none(),
        "somebody has asked for it"
    );
    let third = latches.try_acquire(&rows(&[3])).unwrap();
    drop(first);
    assert!(poll(second.as_mut()).unwrap().is_ok());
    drop(third);
}

#[test]
fn who_gives_up_stands_in_nobodys_way() {
    let (latches, runtime) = (Latches::new(), timers());
    let held = latches.try_acquire(&rows(&[1])).unwrap();
    let mut table = Box::pin(latches.acquire(LatchRequest::table(), LONG, runtime.handle()));
    let mut later = Box::pin(latches.acquire(rows(&[2]), LONG, runtime.handle()));
    assert!(poll(table.as_mut()).is_none());
    assert!(poll(later.as_mut()).is_none());
    drop(table);
    assert!(
        poll(later.as_mut()).unwrap().is_ok(),
        "though the first one is still held"
    );

    // One that was granted and never collected.
    let mut again = Box::pin(latches.acquire(rows(&[1]), LONG, runtime.handle()));
    assert!(poll(again.as_mut()).is_none());
    drop(held);
    drop(again);
    assert!(latches.try_acquire(&LatchRequest::table()).is_some());
}

#[test]
fn a_wait_ends_in_conflict_in_any_executor() {
    let (latches, runtime) = (Latches::new(), timers());
    let held = latches.try_acquire(&rows(&[1])).unwrap();
    let started = Instant::now();
    // This executor has no timers of its own.
    let waited = futures::executor::block_on(latches.acquire(rows(&[1]), SHORT, runtime.handle()));
    assert_eq!(waited.unwrap_err().kind(), ErrorKind::Conflict);
    let waited = runtime.block_on(latches.acquire(LatchRequest::table(), SHORT, runtime.handle()));
    assert_eq!(waited.unwrap_err().kind(), ErrorKind::Conflict);
    assert!(started.elapsed() >= 2 * SHORT);
    drop(held);
    assert!(latches.try_acquire(&LatchRequest::table()).is_some());
}

#[test]
fn more_is_held_at_once_or_not_at_all() {
    let latches = Latches::new();
    let mut one = latches.try_acquire(&rows(&[1, 2])).unwrap();
    let other = latches.try_acquire(&rows(&[5])).unwrap();
    assert!(one.try_extend(&rows(&[2, 3])));
    assert!(one.covers(&rows(&[1, 2, 3])));
    assert!(latches.try_acquire(&rows(&[3])).is_none());
    // One of them is held by another: none is taken.
    assert!(!one.try_extend(&rows(&[4, 5])));
    drop(latches.try_acquire(&rows(&[4])).unwrap());
    assert!(!one.covers(&rows(&[4])));
    assert!(!one.try_extend(&LatchRequest::table()));
    drop(other);
    assert!(one.try_extend(&rows(&[4, 5])));
    drop(one);
    let mut table = latches.try_acquire(&LatchRequest::table()).unwrap();
    assert!(table.try_extend(&rows(&[1, 9])));
    drop(table);
    assert_eq!(
        format!("{latches:?}"),
        "Latches { rows: 0, whole: false, waiting: 0 }"
    );
}

#[test]
fn two_requests_are_one() {
    let both = rows(&[1, 2]).and(&rows(&[2, 3]));
    assert_eq!(format!("{both:?}"), "3 rows");
    assert!(rows(&[1]).and(&LatchRequest::table()).is_table());
    assert!(LatchRequest::table().and(&rows(&[1])).is_table());
    let many = |from: u32| LatchRequest::rows((from..from + 6_000).map(u32::to_be_bytes));
    assert!(many(0).and(&many(6_000)).is_table());
}

/// Each holds a row and wants that of the other: nobody waits while holding, so nobody waits for
/// ever.
#[test]
fn who_extends_waits_for_nobody() {
    let (latches, runtime) = (Latches::new(), timers());
    let count = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let (latches, handle, count) = (&latches, runtime.handle(), &count);
            scope.spawn(move || {
                for _ in 0..200 {
                    let (mine, other) = (rows(&[thread]), rows(&[(thread + 1) % 4]));
                    let guard = latches.acquire(mine.clone(), LONG, handle);
                    let mut guard = futures::executor::block_on(guard).unwrap();
                    if !guard.try_extend(&other) {
                        drop(guard);
                        let both = latches.acquire(mine.and(&other), LONG, handle);
                        guard = futures::executor::block_on(both).unwrap();
                    }
                    count.fetch_add(1, Ordering::Relaxed);
                    drop(guard);
                }
            });
        }
    });
    assert_eq!(count.into_inner(), 800);
}

#[test]
fn increments_from_many_threads_add_up() {
    let (latches, runtime) = (Latches::new(), timers());
    // Not atomic on purpose: a read and a write that the latch must keep together.
    let cells: Vec<AtomicU64> = (0..8).map(|_| AtomicU64::new(0)).collect();
    let add = |i: usize| {
        let read = cells[i].load(Ordering::Relaxed);
        std::thread::yield_now();
        cells[i].store(read + 1, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let (latches, handle) = (&latches, runtime.handle());
            scope.spawn(move || {
                for round in 0..500u16 {
                    let (a, b) = (thread.wrapping_add(round as u8) % 8, (round % 7) as u8);
                    let request = match round % 50 {
                        0 => LatchRequest::table(),
                        _ => rows(&[a, b]),
                    };
                    let guard = latches.acquire(request, LONG, handle);
                    let _held = futures::executor::block_on(guard).unwrap();
                    add(a.into());
                    add(b.into());
                }
            });
        }
    });
    let sum: u64 = cells.iter().map(|cell| cell.load(Ordering::Relaxed)).sum();
    assert_eq!(sum, 4 * 500 * 2);
    assert_eq!(
        format!("{latches:?}"),
        "Latches { rows: 0, whole: false, waiting: 0 }"
    );
}
