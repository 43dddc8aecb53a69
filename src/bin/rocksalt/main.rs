//! The command line and the prompt of rocksalt: statements in, text out.
//!
//! `args` says what is asked for; `script` runs statements that are there already, `repl` those
//! that are being typed. Both cut text into statements with `split`, run them through one `shell`
//! (a session and its output) and print results with `format`.
//!
//! **Invariants.** Results go to standard output, errors and notices to standard error; each is
//! flushed after each statement. Nothing here knows about tables, keys or buckets: what is
//! printed is what the library says.

#![warn(unreachable_pub)]

mod args;
mod caret;
mod failure;
mod format;
mod history;
mod interrupt;
mod meta;
mod repl;
mod script;
mod shell;
mod split;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use rocksalt::{Database, Error, ErrorKind};

use crate::args::{Args, Source};
use crate::format::Printer;
use crate::script::Ended;
use crate::shell::Shell;

fn main() -> ExitCode {
    let args = Args::of_process();
    match run(args) {
        Ok(Ended::Well) => ExitCode::SUCCESS,
        Ok(Ended::Badly) => ExitCode::FAILURE,
        Err(error) => {
            let _ = io::stderr().write_all(caret::show_bare(&error).as_bytes());
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: Args) -> Result<Ended, Error> {
    // A worker of its own, so that Ctrl-C is noticed while this thread is busy.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|e| Error::new(ErrorKind::Io, format!("cannot start a thread: {e}")))?;
    let database = runtime.block_on(open(&args))?;
    let session = database.session();
    let out = BufWriter::new(io::stdout());
    let printer = Printer::new(out, args.format, args.null.clone());
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if args.sources.is_empty() && is_terminal {
        let ended = repl::run(&runtime, session, printer, &args);
        // A statement that was left behind must not keep the user here.
        runtime.shutdown_background();
        return ended;
    }
    if args.sources.is_empty() {
        args.sources.push(Source::Stdin);
    }
    let mut shell = Shell::new(session, printer);
    Ok(runtime.block_on(script::run(&mut shell, args.sources, args.keep_going)))
}

async fn open(args: &Args) -> Result<Database, Error> {
    match &args.path {
        None => Database::in_memory().await,
        Some(path) if args.recover => {
            Database::builder()
                .recover_to_point_in_time()
                .open(path)
                .await
        }
        Some(path) => Database::open(path).await,
    }
}
