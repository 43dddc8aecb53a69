//! The one error type of the crate.
//!
//! A kind exists only where a caller would act differently; everything else is in the message.
//! A statement's error carries the place in its SQL text, so that a prompt can show a caret.

use std::any::Any;
use std::fmt;

/// What a caller can do about an [`Error`].
///
/// ```
/// use rocksalt::{ErrorKind, blocking::Database};
/// let db = Database::in_memory()?;
/// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
/// db.execute("INSERT INTO t VALUES (1)", ())?;
/// match db.execute("INSERT INTO t VALUES (1)", ()).unwrap_err().kind() {
///     ErrorKind::Constraint => {} // the row is there already
///     kind => panic!("{kind}"),
/// }
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not a statement of the dialect.
    Syntax,
    /// A table, column or other named thing does not exist.
    NotFound,
    /// A thing of that name exists already.
    AlreadyExists,
    /// The statement or call is well formed and makes no sense: a wrong type, a value out of
    /// range, a division by zero, a parameter without a value.
    Invalid,
    /// A row would break a rule of its table: a duplicate key, NULL in NOT NULL.
    Constraint,
    /// Another statement was in the way; the same call may succeed when repeated.
    Conflict,
    /// More memory or a larger statement would be needed than is allowed.
    Limit,
    /// The caller cancelled the statement.
    Cancelled,
    /// rocksalt knows what is meant and does not do it (yet).
    Unsupported,
    /// What is on disk is damaged.
    Corrupt,
    /// The operating system refused a read or a write.
    Io,
    /// The database is held by another process, or a part of it is away.
    Unavailable,
    /// The database was closed.
    Closed,
    /// A defect of rocksalt.
    Internal,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorKind::Syntax => "syntax",
            ErrorKind::NotFound => "not found",
            ErrorKind::AlreadyExists => "already exists",
            ErrorKind::Invalid => "invalid",
            ErrorKind::Constraint => "constraint",
            ErrorKind::Conflict => "conflict",
            ErrorKind::Limit => "limit",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Corrupt => "corrupt",
            ErrorKind::Io => "io",
            ErrorKind::Unavailable => "unavailable",
            ErrorKind::Closed => "closed",
            ErrorKind::Internal => "internal",
        })
    }
}

/// A place in the text of a statement; both numbers count from 1, columns in characters.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// let error = db.run("SELECT 1 +").unwrap_err();
/// assert_eq!(error.position().map(|place| place.to_string()), Some("line 1, column 11".into()));
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a call failed: a kind to act on, a message to read, and where there is one, a position in
/// the SQL text and the error underneath.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// let error = db.query("SELECT 1 FROM nowhere", ()).unwrap_err();
/// assert_eq!(error.kind(), rocksalt::ErrorKind::NotFound);
/// assert_eq!(error.position().map(|p| (p.line, p.column)), Some((1, 15)));
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    position: Option<Position>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The result of every fallible call of the crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of a kind with a message: lower case, no full stop, values quoted as SQL.
    ///
    /// ```
    /// use rocksalt::{Error, ErrorKind};
    /// let error = Error::new(ErrorKind::Io, "cannot write the report");
    /// assert_eq!(error.to_string(), "io: cannot write the report");
    /// ```
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error {
            kind,
            message: message.into(),
            position: None,
            source: None,
        }
    }

    /// The same error with the place in the SQL text, unless it has one already: the place
    /// nearest to the fault is found first.
    #[must_use]
    pub(crate) fn at(mut self, position: impl Into<Option<Position>>) -> Self {
        self.position = self.position.or(position.into());
        self
    }

    /// The same error with its place moved, for a text that is part of a larger one.
    pub(crate) fn moved(mut self, place: impl FnOnce(Position) -> Position) -> Self {
        self.position = self.position.map(place);
        self
    }

    /// The same error with the one that caused it.
    #[must_use]
    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same error with `context: ` before its message.
    #[must_use]
    pub(crate) fn context(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// The error of a panic that was caught: `what` panicked.
    pub(crate) fn of_panic(what: &str, panic: &(dyn Any + Send)) -> Self {
        let why = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("without a message");
        Error::internal(format!("{what} panicked: {why}"))
    }

    /// What a caller can do about it.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// let error = db.run("SELEKT 1").unwrap_err();
    /// assert_eq!(error.kind(), rocksalt::ErrorKind::Syntax);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message alone, without kind and position.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// let error = db.run("SELECT * FROM nowhere").unwrap_err();
    /// assert_eq!(error.message(), "table nowhere does not exist");
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where in the SQL text the fault lies, if it lies there.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// let error = db.run("SELECT *\nFROM nowhere").unwrap_err();
    /// assert_eq!(error.position().map(|place| (place.line, place.column)), Some((2, 6)));
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn position(&self) -> Option<Position> {
        self.position
    }
}

macro_rules! constructors {
    ($($name:ident $kind:ident),* $(,)?) => {
        impl Error {
            $(
                #[doc = concat!("An error of kind [`ErrorKind::", stringify!($kind), "`].")]
                pub(crate) fn $name(message: impl Into<String>) -> Self {
                    Error::new(ErrorKind::$kind, message)
                }
            )*
        }
    };
}

constructors!(
    syntax Syntax,
    not_found NotFound,
    already_exists AlreadyExists,
    invalid Invalid,
    constraint Constraint,
    conflict Conflict,
    limit Limit,
    cancelled Cancelled,
    unsupported Unsupported,
    corrupt Corrupt,
    io Io,
    unavailable Unavailable,
    closed Closed,
    internal Internal,
);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)?;
        match self.position {
            Some(position) => write!(f, " at {position}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}
