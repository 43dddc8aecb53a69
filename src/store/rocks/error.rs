//! RocksDB's errors as ours.
//!
//! The binding has only the text of a RocksDB status; its kind is the text before the first
//! colon.

use rocksdb::ErrorKind as Kind;

use crate::error::Error;

/// The error of a read or write.
pub(super) fn from_rocksdb(error: rocksdb::Error) -> Error {
    let text = error.as_ref();
    let detail = text
        .split_once(": ")
        .map_or(text, |(_, detail)| detail)
        .to_owned();
    let ours = match error.kind() {
        Kind::Corruption => Error::corrupt(detail),
        // A data file that is gone is damage, not a refusal of the system.
        Kind::IOError if detail.contains("No such file") && detail.contains(".sst") => {
            Error::corrupt(detail)
        }
        Kind::IOError => Error::io(detail),
        Kind::NotSupported => Error::unsupported(detail),
        Kind::ShutdownInProgress => Error::closed(detail),
        Kind::Busy | Kind::TimedOut | Kind::TryAgain | Kind::Aborted | Kind::Incomplete => {
            Error::unavailable(detail)
        }
        _ => Error::internal(text.to_owned()),
    };
    ours.with_source(error)
}

/// The error of reading the MANIFEST, which comes before all else.
pub(super) fn opening_manifest(error: rocksdb::Error) -> Error {
    match error.kind() {
        Kind::Corruption => from_rocksdb(error).context("the MANIFEST is damaged"),
        // CURRENT is there, or the MANIFEST would not be looked for.
        Kind::IOError if error.as_ref().contains("No such file") => {
            Error::corrupt("the MANIFEST is missing").with_source(error)
        }
        _ => from_rocksdb(error),
    }
}

/// The error of opening a database whose MANIFEST could be read. `recovering`: whether the log
/// is read up to its first damaged record.
pub(super) fn opening(error: rocksdb::Error, recovering: bool) -> Error {
    let text = error.as_ref();
    if text.contains("lock hold by current process") || text.contains("While lock file") {
        return Error::unavailable("the database is in use by another process").with_source(error);
    }
    let names_a_file = [".sst", "MANIFEST", "CURRENT"]
        .iter()
        .any(|name| text.contains(name));
    match error.kind() {
        // What RocksDB says of a damaged log record does not name the file.
        Kind::Corruption if !names_a_file && !recovering => from_rocksdb(error).context(
            "a record of the write-ahead log is damaged; to open the database as it was before \
             that record, and lose what was written after it, use `rocksalt --recover` or \
             `builder().recover_to_point_in_time()`",
        ),
        _ => from_rocksdb(error),
    }
}
