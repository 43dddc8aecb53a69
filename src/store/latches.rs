//! Who may write which rows of a table.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{Either, select};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};

#[cfg(test)]
mod tests;

/// The latches of one table's rows.
///
/// A writer takes the latches of all its rows at once or waits for all of them, so there is no
/// order to keep and no deadlock to fear. Those who wait are served in turn: one who comes later
/// goes ahead only where he is in nobody's way, so that a latch on the whole table is not
/// starved.
///
/// A row's latch is the 64-bit hash of its key: two rows that share a hash share a latch, which
/// costs a wait and nothing else.
#[derive(Default)]
pub struct Latches {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rows: Rows,
    whole: bool,
    /// By number, the one who has waited longest first.
    waiting: BTreeMap<u64, Waiter>,
    next: u64,
}

struct Waiter {
    request: LatchRequest,
    grant: oneshot::Sender<()>,
}

/// The rows that are to be latched, or the whole table.
#[derive(Clone)]
pub struct LatchRequest(Wanted);

#[derive(Clone)]
enum Wanted {
    Rows(Arc<Rows>),
    Whole,
}

/// Latches that are held; dropping lets go of them.
#[must_use = "dropping lets go of the latches"]
pub struct LatchGuard {
    latches: Arc<Latches>,
    request: LatchRequest,
}

type Rows = HashSet<u64, BuildHasherDefault<Hashed>>;

/// The hash of what is a hash already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }
}

impl LatchRequest {
    /// From so many rows on the whole table is latched.
    pub const WHOLE_TABLE_ROWS: usize = 10_000;

    /// The rows of these keys, without their salt bytes, which may repeat; the whole table when
    /// they are more than [`LatchRequest::WHOLE_TABLE_ROWS`].
    pub fn rows<K: AsRef<[u8]>>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut rows = Rows::default();
        for key in keys {
            rows.insert(xxh3_64(key.as_ref()));
            if rows.len() > Self::WHOLE_TABLE_ROWS {
                return LatchRequest::table();
            }
        }
        LatchRequest(Wanted::Rows(Arc::new(rows)))
    }

    /// The whole table.
    pub fn table() -> Self {
        LatchRequest(Wanted::Whole)
    }

    /// What both ask for.
    pub fn and(&self, other: &LatchRequest) -> Self {
        match (&self.0, &other.0) {
            (Wanted::Rows(a), Wanted::Rows(b)) if a.len() + b.len() <= Self::WHOLE_TABLE_ROWS => {
                LatchRequest(Wanted::Rows(Arc::new(a.union(b).copied().collect())))
            }
            _ => LatchRequest::table(),
        }
    }

    /// Whether it asks for the whole table.
    pub fn is_table(&self) -> bool {
        matches!(self.0, Wanted::Whole)
    }
}

impl Latches {
    /// Latches of which none is held.
    pub fn new() -> Arc<Self> {
        Arc::new(Latches::default())
    }

    /// The latches, if they can be had now: for a caller's thread that must not wait.
    pub fn try_acquire(self: &Arc<Self>, request: &LatchRequest) -> Option<LatchGuard> {
        let mut state = self.state.lock();
        state.try_take(request).then(|| self.guard(request.clone()))
    }

    /// The latches as soon as they can be had, in any executor; `timers` is the runtime that
    /// keeps the time.
    ///
    /// # Errors
    /// [`Conflict`](crate::ErrorKind::Conflict) after `timeout`.
    pub async fn acquire(
        self: &Arc<Self>,
        request: LatchRequest,
        timeout: Duration,
        timers: &Handle,
    ) -> Result<LatchGuard> {
        let waiting = match self.enqueue(request) {
            Ok(guard) => return Ok(guard),
            Err(waiting) => waiting,
        };
        let timer = {
            let _within = timers.enter();
            Box::pin(tokio::time::sleep(timeout))
        };
        match select(waiting, timer).await {
            Either::Left((guard, _)) => Ok(guard),
            Either::Right(((), waiting)) => {
                drop(waiting);
                Err(timed_out(timeout))
            }
        }
    }

    fn enqueue(self: &Arc<Self>, request: LatchRequest) -> Result<LatchGuard, Waiting> {
        let mut state = self.state.lock();
        if state.try_take(&request) {
            return Ok(self.guard(request));
        }
        let number = state.next;
        state.next += 1;
        let (grant, granted) = oneshot::channel();
        state.waiting.insert(
            number,
            Waiter {
                request: request.clone(),
                grant,
            },
        );
        Err(Waiting {
            latches: Arc::clone(self),
            number,
            request: Some(request),
            granted,
        })
    }

    fn guard(self: &Arc<Self>, request: LatchRequest) -> LatchGuard {
        LatchGuard {
            latches: Arc::clone(self),
            request,
        }
    }
}

fn timed_out(timeout: Duration) -> Error {
    Error::conflict(format!(
        "other statements held rows to be written for more than {timeout:?}"
    ))
}

impl State {
    /// Takes the latches if nobody holds one of them or waits for one.
    fn try_take(&mut self, request: &LatchRequest) -> bool {
        let free = self.is_free(request)
            && !self
                .waiting
                .values()
                .any(|waiter| waiter.request.overlaps(request));
        if free {
            self.take(request);
        }
        free
    }

    fn is_free(&self, request: &LatchRequest) -> bool {
        !self.whole
            && match &request.0 {
                Wanted::Whole => self.rows.is_empty(),
                Wanted::Rows(rows) => disjoint(rows, &self.rows),
            }
    }

    fn take(&mut self, request: &LatchRequest) {
        match &request.0 {
            Wanted::Whole => self.whole = true,
            Wanted::Rows(rows) => self.rows.extend(rows.iter()),
        }
    }

    fn release(&mut self, request: &LatchRequest) {
        match &request.0 {
            Wanted::Whole => self.whole = false,
            Wanted::Rows(rows) => rows.iter().for_each(|row| {
                self.rows.remove(row);
            }),
        }
        self.grant_waiting();
    }

    /// Serves those who wait, in turn; whoever is passed over keeps what he waits for from those
    /// behind him.
    fn grant_waiting(&mut self) {
        let mut kept = Rows::default();
        let numbers: Vec<u64> = self.waiting.keys().copied().collect();
        for number in numbers {
            let Some(request) = self.waiting.get(&number).map(|w| w.request.clone()) else {
                continue;
            };
            let free = self.is_free(&request)
                && match &request.0 {
                    Wanted::Whole => kept.is_empty(),
                    Wanted::Rows(rows) => disjoint(rows, &kept),
                };
            if free {
                self.take(&request);
                if let Some(waiter) = self.waiting.remove(&number) {
                    // The receiver lives until its `Waiting` has looked at this state.
                    let _ = waiter.grant.send(());
                }
                continue;
            }
            match &request.0 {
                Wanted::Whole => break,
                Wanted::Rows(rows) => kept.extend(rows.iter()),
            }
        }
    }
}

impl LatchRequest {
    fn overlaps(&self, other: &LatchRequest) -> bool {
        match (&self.0, &other.0) {
            (Wanted::Rows(a), Wanted::Rows(b)) => !disjoint(a, b),
            _ => true,
        }
    }
}

fn disjoint(a: &Rows, b: &Rows) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter().all(|row| !many.contains(row))
}

/// A place among those who wait; dropping gives it up.
struct Waiting {
    latches: Arc<Latches>,
    number: u64,
    /// `None` once it has become a guard.
    request: Option<LatchRequest>,
    granted: oneshot::Receiver<()>,
}

impl Future for Waiting {
    type Output = LatchGuard;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<LatchGuard> {
        match Pin::new(&mut self.granted).poll(context) {
            Poll::Ready(Ok(())) => match self.request.take() {
                Some(request) => Poll::Ready(self.latches.guard(request)),
                None => Poll::Pending,
            },
            // A grant is never dropped while its `Waiting` is there.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(request) = &self.request else { return };
        let mut state = self.latches.state.lock();
        match state.waiting.remove(&self.number) {
            // Whoever stood behind it may be free to go.
            Some(_) => state.grant_waiting(),
            // Granted a moment ago, and nobody came for it.
            None => state.release(request),
        }
    }
}

impl LatchGuard {
    /// Holds these latches too, if nobody else holds one of them. It waits for nobody, so that
    /// those who do so cannot wait for each other.
    pub fn try_extend(&mut self, more: &LatchRequest) -> bool {
        if self.covers(more) {
            return true;
        }
        let (Wanted::Rows(held), Wanted::Rows(more)) = (&self.request.0, &more.0) else {
            return false;
        };
        let fresh: Rows = more.difference(held).copied().collect();
        let mut state = self.latches.state.lock();
        if !disjoint(&fresh, &state.rows) {
            return false;
        }
        state.rows.extend(fresh.iter());
        let all = held.union(&fresh).copied().collect();
        self.request = LatchRequest(Wanted::Rows(Arc::new(all)));
        true
    }

    /// What is held.
    pub fn request(&self) -> &LatchRequest {
        &self.request
    }

    /// Whether it holds every latch that `request` asks for.
    pub fn covers(&self, request: &LatchRequest) -> bool {
        match (&self.request.0, &request.0) {
            (Wanted::Whole, _) => true,
            (Wanted::Rows(_), Wanted::Whole) => false,
            (Wanted::Rows(held), Wanted::Rows(wanted)) => {
                wanted.iter().all(|row| held.contains(row))
            }
        }
    }
}

impl Drop for LatchGuard {
    fn drop(&mut self) {
        self.latches.state.lock().release(&self.request);
    }
}

impl fmt::Debug for Latches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.lock();
        f.debug_struct("Latches")
            .field("rows", &state.rows.len())
            .field("whole", &state.whole)
            .field("waiting", &state.waiting.len())
            .finish()
    }
}

impl fmt::Debug for LatchRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Wanted::Rows(rows) => write!(f, "{} rows", rows.len()),
            Wanted::Whole => f.write_str("the whole table"),
        }
    }
}

impl fmt::Debug for LatchGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LatchGuard({:?})", self.request)
    }
}
