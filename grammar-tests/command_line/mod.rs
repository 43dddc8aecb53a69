//! The binary as its users meet it: arguments, input, output, exit codes, and the prompt.

mod formats;
mod killed;
mod opening;
mod plan_test;
#[cfg(unix)]
mod prompt;
mod running;
mod splitting;
#[cfg(unix)]
mod terminal;

use std::io::Write;
use std::process::{Command, Stdio};

/// What a run of the binary left.
#[derive(Debug, PartialEq)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_rocksalt"))
}

/// Runs the binary with nothing on standard input.
pub(crate) fn rocksalt(arguments: &[&str]) -> Ran {
    rocksalt_reading(arguments, b"")
}

/// Runs the binary with `input` on standard input.
pub(crate) fn rocksalt_reading(arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A child that stops at an error leaves the rest unread.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What the binary prints for one statement that succeeds.
fn printed(format: &str, sql: &str) -> String {
    let ran = rocksalt(&["--format", format, "-c", sql]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{sql}");
    ran.out
}
