//! The folder of a database: whose it is, and that only one process has it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// The newest format that this code reads, and the one that it writes.
const FORMAT: u32 = 1;
const MARKER: &str = "ROCKSALT";
const NEW_MARKER: &str = "ROCKSALT.new";
const SPILL: &str = "tmp";
/// How long a folder may still be locked by a database that is being closed.
const CLOSING: Duration = Duration::from_millis(500);

/// A folder that is ours, locked until this is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// The marker. RocksDB has a lock of its own, but renames its log before it asks for it.
    _lock: File,
}

impl Folder {
    /// Makes sure that `path` is ours: a folder with our marker, or one that is empty or missing,
    /// which gets it. Changes nothing in a folder that it refuses.
    pub(super) fn claim(path: &Path) -> Result<Folder> {
        let refused = |error: io::Error| io_error("open", path, error);
        match fs::metadata(path) {
            Ok(found) if !found.is_dir() => {
                return Err(Error::invalid(format!("{} is a file", path.display())));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => create(path)?,
            Err(error) => return Err(refused(error)),
        }
        let marker = path.join(MARKER);
        match fs::read(&marker) {
            Ok(text) => check(path, &text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                for entry in fs::read_dir(path).map_err(refused)? {
                    // A crash while the marker was written leaves its draft.
                    if entry.map_err(refused)?.file_name() != NEW_MARKER {
                        return Err(Error::invalid(format!(
                            "{} is not empty and no rocksalt database",
                            path.display()
                        )));
                    }
                }
                write_marker(path).map_err(refused)?;
            }
            Err(error) => return Err(refused(error)),
        }
        let lock = File::open(&marker).map_err(refused)?;
        match lock_soon(&lock) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::unavailable(format!(
                    "the database in {} is in use by another process: one process opens a folder at \
                     a time",
                    path.display()
                )));
            }
            // A file system without locks: RocksDB's own lock has to do.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(refused(error)),
        }
        Ok(Folder {
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// Whether RocksDB has created its database. Without CURRENT it would create a new one, even
    /// over the files of an old one.
    pub(super) fn has_database(&self) -> Result<bool> {
        let refused = |error| io_error("read", &self.path, error);
        if self.path.join("CURRENT").try_exists().map_err(refused)? {
            return Ok(true);
        }
        for entry in fs::read_dir(&self.path).map_err(refused)? {
            let name = entry.map_err(refused)?.file_name();
            let kind = Path::new(&name).extension().and_then(|kind| kind.to_str());
            if matches!(kind, Some("sst" | "log")) {
                return Err(Error::corrupt(format!(
                    "{} has data and no file CURRENT",
                    self.path.display()
                )));
            }
        }
        Ok(false)
    }

    /// Removes what queries of an earlier process have spilled.
    pub(super) fn empty_spill_folder(&self) -> Result<()> {
        match fs::remove_dir_all(self.spill_path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(io_error("empty", &self.spill_path(), error))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn spill_path(&self) -> PathBuf {
        self.path.join(SPILL)
    }
}

/// Locks `file`, which may take a moment: a database that was closed just now has the lock until a
/// thread of its scans ends the batch that it is in.
fn lock_soon(file: &File) -> std::result::Result<(), TryLockError> {
    let patience = Instant::now() + CLOSING;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < patience => {
                thread::sleep(Duration::from_millis(5));
            }
            ended => return ended,
        }
    }
}

/// Creates a folder and those above it, each on disk when this returns.
fn create(path: &Path) -> Result<()> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .collect();
    fs::create_dir_all(path).map_err(|error| io_error("create", path, error))?;
    for folder in missing {
        let above = folder
            .parent()
            .filter(|above| !above.as_os_str().is_empty());
        sync_folder(above.unwrap_or(Path::new(".")))
            .map_err(|error| io_error("create", folder, error))?;
    }
    Ok(())
}

/// Writes the marker: a crash leaves all of it or none.
fn write_marker(path: &Path) -> io::Result<()> {
    let draft = path.join(NEW_MARKER);
    let mut file = File::create(&draft)?;
    writeln!(file, "format {FORMAT}")?;
    file.sync_all()?;
    fs::rename(&draft, path.join(MARKER))?;
    sync_folder(path)
}

fn check(path: &Path, marker: &[u8]) -> Result<()> {
    let format = std::str::from_utf8(marker).ok().and_then(|text| {
        text.lines()
            .next()?
            .strip_prefix("format ")?
            .parse::<u32>()
            .ok()
    });
    match format {
        Some(1..=FORMAT) => Ok(()),
        Some(newer) if newer > FORMAT => Err(Error::unsupported(format!(
            "the database in {} has format {newer}, this rocksalt reads formats up to {FORMAT}",
            path.display()
        ))),
        _ => Err(Error::corrupt(format!(
            "{} is damaged",
            path.join(MARKER).display()
        ))),
    }
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Elsewhere a folder cannot be opened as a file, and its entries are the system's concern.
#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

fn io_error(verb: &str, path: &Path, error: io::Error) -> Error {
    Error::io(format!("cannot {verb} {}: {error}", path.display())).with_source(error)
}
