//! The command line and the prompt of rocksalt: statements in, text out.
//!
//! `args` says what is asked for; `script` runs statements that are there already, `repl` those
//! that are being typed. Both cut text into statements with `split`, run them through one `shell`
//! (a session and its output) and print results with `format`. `plan_test` runs nothing: it looks
//! at plans.
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
mod plan_test;
mod repl;
mod script;
mod shell;
mod split;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use rocksalt::{Database, Error, ErrorKind};

use crate::args::{Args, Source};
use crate::format::Printer;
use crate::plan_test::Verdict;
use crate::script::Ended;
use crate::shell::Shell;

fn main() -> ExitCode {
    let args = Args::of_process();
    if let (Some(file), Some(schema)) = (&args.plan_test, &args.schema) {
        return test_plans(file, schema);
    }
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

/// The plans of the statements in a file, in a database in memory.
fn test_plans(file: &Path, schema: &Path) -> ExitCode {
    let mut out = BufWriter::new(io::stdout());
    let ended = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::new(ErrorKind::Io, format!("cannot start a thread: {e}")))
        .map_err(plan_test::Ended::Usage)
        .and_then(|runtime| {
            runtime.block_on(async {
                let session = Database::in_memory().await?.session();
                plan_test::run(&session, schema, file, &mut out).await
            })
        });
    match ended {
        Ok(Verdict::Kept) => ExitCode::SUCCESS,
        Ok(Verdict::Changed) => ExitCode::FAILURE,
        Err(plan_test::Ended::Usage(error)) => {
            let _ = out.flush();
            let _ = io::stderr().write_all(caret::show_bare(&error).as_bytes());
            ExitCode::from(2)
        }
        Err(plan_test::Ended::Output(failure)) => {
            if !failure.is_broken_pipe() {
                let error = caret::show_bare(&failure.into_error());
                let _ = io::stderr().write_all(error.as_bytes());
            }
            ExitCode::FAILURE
        }
    }
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
