//! How a future of the database runs: in any executor, and in none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use tokio::runtime::Handle;

use crate::error::{Error, Result};

/// A future polled inside the database's own runtime, whatever executor polls it: timers and
/// tasks that it starts live there.
pub(super) struct Entered<F> {
    runtime: Handle,
    future: Pin<Box<F>>,
    long: bool,
}

/// The stack for long statements, of which the system lends no more than is used: binding,
/// planning and execution all work by recursion over trees as deep as the statement.
const STACK: usize = 128 << 20;

/// Calls `f`, on a stack of its own if it is about a long statement.
pub(super) fn with_stack<T>(long: bool, f: impl FnOnce() -> T) -> T {
    match long {
        true => stacker::maybe_grow(STACK / 2, STACK, f),
        false => f(),
    }
}

/// The same for a part of a statement. A panic in it ends the statement and not the program: what it
/// had begun is dropped, and nothing was written, because a write is one batch.
pub(super) fn contained<T>(long: bool, f: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(|| with_stack(long, f)))
        .map_err(|panic| Error::of_panic("the statement", panic.as_ref()))
}

impl<F> Entered<F> {
    pub(super) fn new(runtime: Handle, future: F) -> Self {
        Entered {
            runtime,
            future: Box::pin(future),
            long: false,
        }
    }

    /// The same for a future that is about a statement, long or not.
    pub(super) fn long(mut self, long: bool) -> Self {
        self.long = long;
        self
    }
}

impl<T, F: Future<Output = Result<T>>> Future for Entered<F> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        let this = &mut *self;
        let _entered = this.runtime.enter();
        contained(this.long, || this.future.as_mut().poll(cx))
            .unwrap_or_else(|panic| Poll::Ready(Err(panic)))
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future on this thread. It works inside every runtime, because the work that it
/// waits for never needs this thread; and it is exempt from the turns that tokio gives its tasks,
/// because the task around this call cannot take its next turn before the call returns.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(tokio::task::unconstrained(future));
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
        std::thread::park();
    }
}
