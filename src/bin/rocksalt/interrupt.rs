//! Ctrl-C while a statement runs.
//!
//! A statement looks up only between two steps of its plan, and a step may take minutes (a join
//! that finds nothing, say). So it runs on a thread of its own, and the prompt waits for it or for
//! the user, whoever comes first.

use std::io;
use std::time::Duration;

use rocksalt::{Error, ErrorKind, Result};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinError, spawn_blocking};

/// How long a statement has to end after Ctrl-C before the prompt returns without it.
const GRACE: Duration = Duration::from_millis(500);

/// What the user interrupts.
pub(crate) struct Interrupts {
    /// Changes at each Ctrl-C.
    pressed: watch::Receiver<()>,
    /// It was pressed, and something finished all the same: what comes next will not begin.
    stopping: bool,
}

impl Interrupts {
    /// Takes Ctrl-C over from now on, for as long as the runtime lives.
    pub(crate) fn listen(runtime: &Runtime) -> io::Result<Interrupts> {
        let (sender, pressed) = watch::channel(());
        let _entered = runtime.enter();
        // The line editor puts a handler of its own in place while it reads, and then the one back
        // that it found: this one has to be there first.
        #[cfg(unix)]
        let mut signals =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
        #[cfg(windows)]
        let mut signals = tokio::signal::windows::ctrl_c()?;
        runtime.spawn(
            async move { while signals.recv().await.is_some() && sender.send(()).is_ok() {} },
        );
        Ok(Interrupts {
            pressed,
            stopping: false,
        })
    }

    /// Forgets a Ctrl-C that came while nothing ran.
    pub(crate) fn forget(&mut self) {
        self.pressed.mark_unchanged();
        self.stopping = false;
    }

    /// The result of `work`, or an error if the user interrupts it, which drops it.
    pub(crate) async fn unless_pressed<T: Send + 'static>(
        &mut self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T> {
        if self.stopping {
            return Err(interrupted());
        }
        let (stop, stopped) = oneshot::channel::<()>();
        let here = Handle::current();
        let mut task = spawn_blocking(move || {
            here.block_on(async {
                tokio::select! {
                    biased;
                    _ = stopped => None,
                    result = work => Some(result),
                }
            })
        });
        tokio::select! {
            Ok(()) = self.pressed.changed() => {}
            finished = &mut task => return result_of(finished),
        }
        self.stopping = true;
        drop(stop);
        match tokio::time::timeout(GRACE, task).await {
            Ok(finished) => result_of(finished),
            Err(_) => Err(Error::new(
                ErrorKind::Cancelled,
                "the statement was told to stop; it may end or succeed in the background",
            )),
        }
    }
}

fn result_of<T>(finished: Result<Option<T>, JoinError>) -> Result<T> {
    match finished {
        Ok(Some(result)) => Ok(result),
        Ok(None) => Err(Error::new(
            ErrorKind::Cancelled,
            "the statement was interrupted",
        )),
        Err(error) => Err(Error::new(
            ErrorKind::Internal,
            format!("the statement: {error}"),
        )),
    }
}

fn interrupted() -> Error {
    Error::new(ErrorKind::Cancelled, "the statement was interrupted")
}
