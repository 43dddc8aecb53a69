//! A pseudo-terminal with the binary in it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::command;

/// Far longer than anything takes, also on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// The binary at a terminal of its own; ends it when dropped.
pub(super) struct Terminal {
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    child: Child,
    unread: String,
    /// The user's data folder, which holds the history.
    pub data: tempfile::TempDir,
}

impl Terminal {
    /// Starts the binary and waits for its prompt.
    pub(super) fn start(arguments: &[&str]) -> Terminal {
        Terminal::start_in(arguments, tempfile::tempdir().unwrap())
    }

    /// The same with the history of an earlier terminal.
    pub(super) fn start_in(arguments: &[&str], data: tempfile::TempDir) -> Terminal {
        let (ours, theirs) = open();
        let mut command = command();
        command
            .args(arguments)
            .env("TERM", "xterm")
            .env("XDG_DATA_HOME", data.path())
            .env("HOME", data.path())
            .stdin(Stdio::from(theirs.try_clone().unwrap()))
            .stdout(Stdio::from(theirs.try_clone().unwrap()))
            .stderr(Stdio::from(theirs));
        // SAFETY: both calls may be made between fork and exec; they make the terminal the
        // child's own, so that Ctrl-C reaches it as a signal.
        unsafe {
            command.pre_exec(|| {
                if libc::setsid() < 0 || libc::ioctl(0, libc::TIOCSCTTY as _, 0) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        drop(command);
        let mut reader = ours.try_clone().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mut terminal = Terminal {
            keyboard: ours,
            screen,
            child,
            unread: String::new(),
            data,
        };
        terminal.expect("rocksalt> ");
        terminal
    }

    /// Types keys: `\r` is Enter, `\x03` Ctrl-C, `\x04` Ctrl-D.
    pub(super) fn type_keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads until the screen has shown `text`; returns what it showed before.
    pub(super) fn expect(&mut self, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let shown = plain(&self.unread);
            if let Some(index) = shown.find(text) {
                self.unread = shown[index + text.len()..].to_owned();
                return shown[..index].to_owned();
            }
            match self
                .screen
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(bytes) => self.unread.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Timeout) => panic!("waited for {text:?}, saw:\n{shown}"),
                Err(RecvTimeoutError::Disconnected) => panic!("ended before {text:?}:\n{shown}"),
            }
        }
    }

    /// Types a statement or command and Enter; returns what is shown until the next prompt.
    pub(super) fn ask(&mut self, text: &str) -> String {
        self.type_keys(&format!("{text}\r"));
        // The editor ends a line that was entered by switching bracketed paste off, which leaves
        // only the line end.
        let shown = self.expect("\nrocksalt> ");
        shown
            .split_once('\n')
            .map_or(String::new(), |(_, answer)| answer.to_owned())
    }

    /// Waits for the binary to end; its exit code.
    pub(super) fn ended(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it goes on, having shown:\n{}", plain(&self.unread));
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Both ends of a new pseudo-terminal of 24 lines by 200 columns.
fn open() -> (File, OwnedFd) {
    let (mut ours, mut theirs) = (-1, -1);
    let mut size = libc::winsize {
        ws_row: 24,
        ws_col: 200,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let (name, modes) = (std::ptr::null_mut(), std::ptr::null_mut::<libc::termios>());
    // SAFETY: every pointer is valid or null where null is allowed; on success both descriptors
    // are new and belong to us alone.
    unsafe {
        let result = libc::openpty(
            &mut ours,
            &mut theirs,
            name,
            modes as _,
            &mut size as *mut _ as _,
        );
        assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
        libc::fcntl(ours, libc::F_SETFD, libc::FD_CLOEXEC);
        libc::fcntl(theirs, libc::F_SETFD, libc::FD_CLOEXEC);
        (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs))
    }
}

/// What a terminal would show: no escape sequences, no carriage returns.
fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\x1b' => {
                if characters.next_if_eq(&'[').is_some() {
                    while characters.next_if(|c| !('@'..='~').contains(c)).is_some() {}
                    characters.next();
                }
            }
            '\r' => {}
            other => shown.push(other),
        }
    }
    shown
}
