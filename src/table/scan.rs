//! A read as a stream that the scan pool fills.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use datafusion::arrow::array::RecordBatch;
use futures::Stream;
use parking_lot::Mutex;

use crate::error::{Error, Result};
use crate::store::Snapshot;
use crate::table::{Position, Progress, ReadRequest, Reader, ScanCounters, ScanPool};

/// Batches that may stand ready before the consumer asks for one.
const LOOK_AHEAD: usize = 1;

/// A read as a stream of batches. Nothing is read before the first poll, and at most one batch
/// before it is polled for; dropping the stream ends the read.
pub struct Scan {
    shared: Arc<Shared>,
}

struct Shared {
    pool: Arc<ScanPool>,
    cancelled: AtomicBool,
    state: Mutex<State>,
}

struct State {
    work: Work,
    ready: VecDeque<Result<(RecordBatch, Position)>>,
    waker: Option<Waker>,
}

/// Where the read is. A job takes it along and puts it back.
enum Work {
    Planned(Box<Planned>),
    Open(Box<Reader>),
    Running,
    Ended,
}

struct Planned {
    request: ReadRequest,
    snapshot: Arc<dyn Snapshot>,
    counters: Arc<ScanCounters>,
}

impl Scan {
    /// A scan whose jobs run on `pool`.
    pub fn new(
        pool: Arc<ScanPool>,
        request: ReadRequest,
        snapshot: Arc<dyn Snapshot>,
        counters: Arc<ScanCounters>,
    ) -> Self {
        let work = Work::Planned(Box::new(Planned {
            request,
            snapshot,
            counters,
        }));
        let state = State {
            work,
            ready: VecDeque::new(),
            waker: None,
        };
        Scan {
            shared: Arc::new(Shared {
                pool,
                cancelled: AtomicBool::new(false),
                state: Mutex::new(state),
            }),
        }
    }
}

impl Stream for Scan {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_batch(context)
            .map(|item| item.map(|batch| batch.map(|(batch, _)| batch)))
    }
}

impl Scan {
    /// The next batch, and how far the read has come with it, if its request asks for positions.
    pub fn poll_batch(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<(RecordBatch, Position)>>> {
        let mut state = self.shared.state.lock();
        let next = state.ready.pop_front();
        let ended = next.is_none() && matches!(state.work, Work::Ended);
        if next.is_none() && !ended {
            match &mut state.waker {
                Some(waker) => waker.clone_from(context.waker()),
                none => *none = Some(context.waker().clone()),
            }
        }
        let work = match state.work {
            Work::Planned(_) | Work::Open(_) if state.ready.len() < LOOK_AHEAD => {
                Some(std::mem::replace(&mut state.work, Work::Running))
            }
            _ => None,
        };
        drop(state);
        if let Some(work) = work {
            spawn(self.shared.clone(), work);
        }
        match next {
            Some(item) => Poll::Ready(Some(item)),
            None if ended => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
        let mut state = self.shared.state.lock();
        state.waker = None;
        state.ready.clear();
        // A reader at rest lets go of its snapshot and files here, a running one in its job.
        if !matches!(state.work, Work::Running) {
            state.work = Work::Ended;
        }
    }
}

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan").finish_non_exhaustive()
    }
}

fn spawn(shared: Arc<Shared>, work: Work) {
    let pool = shared.pool.clone();
    pool.spawn(move || run(shared, work));
}

/// One job: fills one batch. When no row passed the filter, the read goes to the end of the
/// pool's queue, so that others have their turn.
fn run(shared: Arc<Shared>, work: Work) {
    if shared.cancelled.load(Ordering::Relaxed) {
        return;
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut reader = match work {
            Work::Planned(planned) => Box::new(Reader::open(
                &planned.request,
                &planned.snapshot,
                planned.counters,
            )?),
            Work::Open(reader) => reader,
            Work::Running | Work::Ended => return Ok(None),
        };
        let progress = reader.read()?;
        let position = reader.position()?;
        Ok(Some((reader, progress, position)))
    }))
    .unwrap_or_else(|panic| Err(Error::of_panic("a scan", panic.as_ref())));

    let mut state = shared.state.lock();
    if shared.cancelled.load(Ordering::Relaxed) {
        state.work = Work::Ended;
        return;
    }
    let again = match outcome {
        Ok(Some((reader, Progress::Batch(batch), position))) => {
            state.ready.push_back(Ok((batch, position)));
            state.work = if reader.is_done() {
                Work::Ended
            } else {
                Work::Open(reader)
            };
            None
        }
        Ok(Some((reader, Progress::Nothing, _))) if reader.is_done() => {
            state.work = Work::Ended;
            None
        }
        Ok(Some((reader, Progress::Nothing, _))) => Some(Work::Open(reader)),
        Ok(Some((_, Progress::End, _)) | None) => {
            state.work = Work::Ended;
            None
        }
        Err(error) => {
            state.ready.push_back(Err(error));
            state.work = Work::Ended;
            None
        }
    };
    let waker = if again.is_none() {
        state.waker.take()
    } else {
        None
    };
    drop(state);
    if let Some(work) = again {
        spawn(shared, work);
    } else if let Some(waker) = waker {
        waker.wake();
    }
}
