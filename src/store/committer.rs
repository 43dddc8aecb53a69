//! One sync for all who wait for it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Poll};
use std::thread::{self, JoinHandle};

use futures::channel::oneshot;

use crate::error::{Error, Result};
use crate::store::{Store, WriteBatch};

#[cfg(test)]
mod tests;

/// The thread that makes writes durable.
///
/// It takes everything that waits, writes each batch, syncs the log once, and then acknowledges
/// them all: while the disk syncs, the next group gathers. A batch that fails fails alone; a
/// failed sync fails every write of its group.
///
/// Dropping it waits for the group at work, never for a caller, so it may be dropped anywhere,
/// inside async code too.
pub struct Committer {
    /// `None` once dropping has begun.
    requests: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

struct Request {
    batch: WriteBatch,
    /// What the writer holds until its batch is written: its latches.
    held: Box<dyn Send>,
    acknowledge: oneshot::Sender<Result<()>>,
}

/// An acknowledgement to come: a future for any executor.
///
/// Dropping it does not take the write back.
#[must_use = "a write is durable when its commit says so"]
pub struct Commit(oneshot::Receiver<Result<()>>);

impl Committer {
    /// Starts the thread of a store.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn new(store: Arc<dyn Store>) -> Result<Committer> {
        let (requests, waiting) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("rocksalt-commit".into())
            .spawn(move || run(&*store, &waiting))
            .map_err(|error| Error::io("cannot start a thread").with_source(error))?;
        Ok(Committer {
            requests: Some(requests),
            thread: Some(thread),
        })
    }

    /// Makes durable what is written already.
    pub fn sync(&self) -> Commit {
        self.commit(WriteBatch::new(), ())
    }

    /// Writes a batch and makes it durable. `held` is dropped as soon as the batch is written,
    /// before the sync: whoever waits for those latches sees the rows, and syncs after us.
    pub fn commit(&self, batch: WriteBatch, held: impl Send + 'static) -> Commit {
        let (acknowledge, commit) = oneshot::channel();
        if let Some(requests) = &self.requests {
            // Without its thread the request is dropped, and the commit says that it is closed.
            let _ = requests.send(Request {
                batch,
                held: Box::new(held),
                acknowledge,
            });
        }
        Commit(commit)
    }
}

impl Future for Commit {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.0)
            .poll(context)
            .map(|answer| answer.unwrap_or_else(|_| Err(Error::closed("the database was closed"))))
    }
}

fn run(store: &dyn Store, requests: &mpsc::Receiver<Request>) {
    while let Ok(first) = requests.recv() {
        let mut group = Vec::new();
        for Request {
            batch,
            held,
            acknowledge,
        } in std::iter::once(first).chain(requests.try_iter())
        {
            let written = store.write(batch);
            drop(held);
            match written {
                Ok(()) => group.push(acknowledge),
                Err(error) => drop(acknowledge.send(Err(error))),
            }
        }
        if group.is_empty() {
            continue;
        }
        let synced = store.sync();
        for acknowledge in group {
            let answer = match &synced {
                Ok(()) => Ok(()),
                Err(error) => Err(Error::new(error.kind(), error.message())),
            };
            // Whoever asked may have stopped listening.
            let _ = acknowledge.send(answer);
        }
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // What a request held may have held the committer: then this is the thread itself.
            if thread.thread().id() != thread::current().id() {
                // A panic of the thread was reported to each waiting commit as closed.
                let _ = thread.join();
            }
        }
    }
}

impl fmt::Debug for Committer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Committer").finish_non_exhaustive()
    }
}

impl fmt::Debug for Commit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Commit").finish_non_exhaustive()
    }
}
