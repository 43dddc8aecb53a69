//! Why a statement's result did not reach the reader.

use std::io;

use rocksalt::{Error, ErrorKind};

/// The statement failed, or its output could not be written.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The statement, or its source, is at fault.
    Statement(Error),
    /// Nobody reads what is written, or it cannot be written.
    Output(io::Error),
}

impl Failure {
    /// Whether the reader of the output went away, which needs no words.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The failure as an error to be shown.
    pub(crate) fn into_error(self) -> Error {
        match self {
            Failure::Statement(error) => error,
            Failure::Output(error) => {
                Error::new(ErrorKind::Io, format!("cannot write the output: {error}"))
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Statement(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}
