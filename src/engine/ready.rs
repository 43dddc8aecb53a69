//! Futures of DataFusion that have nothing to wait for.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// How often a future is polled before it counts as one that waits.
const POLLS: usize = 1_000;

/// The result of a future that never waits for anything outside: planning is asynchronous only in
/// its signature. It is taken out of tokio's cooperative budget, which could suspend it, and is
/// never handed to an executor, so that it can be asked for anywhere.
pub(super) fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(tokio::task::unconstrained(future));
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..POLLS {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Some(value);
        }
    }
    None
}
