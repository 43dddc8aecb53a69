//! DataFusion's errors as ours, and ours through DataFusion.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, SchemaError, Span};

use crate::error::{Error, ErrorKind, Position};
use crate::plan;

/// Columns that a message lists when none of them is close to the name that was asked for.
const LISTED_COLUMNS: usize = 16;

/// Wraps an error of ours for its way through DataFusion; [`from_datafusion`] gets it back.
pub(crate) fn to_datafusion(error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// What an error of DataFusion means to a user: a kind, a message without DataFusion's prefixes,
/// and the position if there is one.
pub(crate) fn from_datafusion(error: DataFusionError) -> Error {
    match error {
        DataFusionError::External(source) => from_source(source),
        DataFusionError::Diagnostic(diagnostic, inner) => {
            from_datafusion(*inner).at(diagnostic.span.map(position))
        }
        DataFusionError::Context(_, inner) => from_datafusion(*inner),
        DataFusionError::Shared(shared) => match Arc::try_unwrap(shared) {
            Ok(inner) => from_datafusion(inner),
            Err(shared) => from_shared(&shared),
        },
        DataFusionError::Collection(errors) => match errors.into_iter().next() {
            Some(first) => from_datafusion(first),
            None => Error::internal("a collection of no errors"),
        },
        DataFusionError::ArrowError(error, _) => from_arrow(*error),
        DataFusionError::IoError(error) => Error::io(error.to_string()).with_source(error),
        other => from_shared(&other),
    }
}

/// The position of a span's start.
pub(super) fn position(span: Span) -> Position {
    Position {
        line: span.start.line,
        column: span.start.column,
    }
}

fn from_source(source: Box<dyn std::error::Error + Send + Sync>) -> Error {
    match source.downcast::<Error>() {
        Ok(ours) => *ours,
        Err(source) => match source.downcast::<DataFusionError>() {
            Ok(inner) => from_datafusion(*inner),
            Err(source) => match source.downcast::<ArrowError>() {
                Ok(inner) => from_arrow(*inner),
                Err(source) => Error::internal(source.to_string()).with_source(source),
            },
        },
    }
}

fn from_arrow(error: ArrowError) -> Error {
    match error {
        ArrowError::ExternalError(source) => from_source(source),
        ArrowError::IoError(message, source) => Error::io(message).with_source(source),
        other => from_shared_arrow(&other),
    }
}

/// The same for an error that several receivers share, so that it cannot be taken apart.
fn from_shared(error: &DataFusionError) -> Error {
    match error {
        DataFusionError::External(source) => match source.downcast_ref::<Error>() {
            Some(ours) => copy(ours),
            None => match source.downcast_ref::<DataFusionError>() {
                Some(inner) => from_shared(inner),
                None => Error::internal(source.to_string()),
            },
        },
        DataFusionError::Diagnostic(diagnostic, inner) => {
            from_shared(inner).at(diagnostic.span.map(position))
        }
        DataFusionError::Context(_, inner) => from_shared(inner),
        DataFusionError::Shared(inner) => from_shared(inner),
        DataFusionError::Collection(errors) => match errors.first() {
            Some(first) => from_shared(first),
            None => Error::internal("a collection of no errors"),
        },
        DataFusionError::SchemaError(error, _) => from_schema(error),
        DataFusionError::ArrowError(error, _) => from_shared_arrow(error),
        DataFusionError::IoError(error) => Error::io(error.to_string()),
        DataFusionError::SQL(error, _) => Error::syntax(tidy(&error.to_string())),
        DataFusionError::NotImplemented(message) => Error::unsupported(tidy(message)),
        DataFusionError::Plan(message) => from_plan(message),
        DataFusionError::Configuration(message) | DataFusionError::Execution(message) => {
            Error::invalid(tidy(message))
        }
        DataFusionError::ResourcesExhausted(message) => Error::limit(tidy(message)),
        DataFusionError::ExecutionJoin(error) if error.is_cancelled() => {
            Error::cancelled("the statement was cancelled")
        }
        DataFusionError::Internal(message) if message.contains("run range queries") => {
            Error::unsupported(
                "a window in the order of such a column needs a frame of rows: write ROWS BETWEEN \
                 UNBOUNDED PRECEDING AND CURRENT ROW behind its ORDER BY",
            )
        }
        other => Error::internal(tidy(&other.message())),
    }
}

fn from_shared_arrow(error: &ArrowError) -> Error {
    match error {
        ArrowError::ExternalError(source) => match source.downcast_ref::<Error>() {
            Some(ours) => copy(ours),
            None => match source.downcast_ref::<DataFusionError>() {
                Some(inner) => from_shared(inner),
                None => Error::internal(source.to_string()),
            },
        },
        ArrowError::DivideByZero => Error::invalid("division by zero"),
        ArrowError::CastError(message)
        | ArrowError::ParseError(message)
        | ArrowError::InvalidArgumentError(message)
        | ArrowError::ComputeError(message)
        | ArrowError::ArithmeticOverflow(message) => Error::invalid(tidy(message)),
        ArrowError::MemoryError(message) => Error::limit(tidy(message)),
        ArrowError::NotYetImplemented(message) => Error::unsupported(tidy(message)),
        ArrowError::IoError(message, _) => Error::io(tidy(message)),
        ArrowError::OffsetOverflowError(_) => Error::limit("a column of one batch is too large"),
        other => Error::internal(tidy(&other.to_string())),
    }
}

fn from_schema(error: &SchemaError) -> Error {
    match error {
        SchemaError::FieldNotFound {
            field,
            valid_fields,
        } => {
            let mut message = format!("column {} does not exist", field.quoted_flat_name());
            let mut valid: Vec<_> = valid_fields.iter().map(|c| c.quoted_flat_name()).collect();
            let mut seen = HashSet::new();
            valid.retain(|name| seen.insert(name.clone()));
            if let Some(close) = between(&error.to_string(), "Did you mean '", "'?") {
                message.push_str(&format!("; did you mean {close}?"));
            } else if (1..=LISTED_COLUMNS).contains(&valid.len()) {
                message.push_str(&format!("; there are {}", valid.join(", ")));
            }
            Error::not_found(message)
        }
        SchemaError::AmbiguousReference { field } => {
            Error::invalid(format!("column {} is ambiguous", field.quoted_flat_name()))
        }
        SchemaError::DuplicateQualifiedField { qualifier, name } => Error::invalid(format!(
            "column {}.{name} appears twice",
            qualifier.to_quoted_string()
        )),
        SchemaError::DuplicateUnqualifiedField { name } => {
            Error::invalid(format!("column {name} appears twice"))
        }
    }
}

/// An error of planning. Those that users meet most often are told in our words.
fn from_plan(message: &str) -> Error {
    if let Some(name) = between(message, "Invalid function '", "'") {
        let mut text = format!("function {name} does not exist");
        let known_as = match name {
            "group_concat" => Some("string_agg"),
            "strftime" => Some("to_char"),
            "len" => Some("length"),
            _ => None,
        };
        let near = between(message, "Did you mean '", "'?").filter(|close| is_close(name, close));
        if let Some(close) = known_as.or(near) {
            text.push_str(&format!("; did you mean {close}?"));
        }
        return Error::not_found(text);
    }
    if message.contains("must appear in the GROUP BY clause")
        && let Some(column) = between(message, "column \"", "\" must appear")
    {
        return Error::invalid(format!(
            "column {column} must appear in GROUP BY or in an aggregate function"
        ));
    }
    if let (Some(name), Some(given)) = (
        between(message, "Function '", "' failed to match any signature"),
        between(message, "but received ", " (DataType"),
    ) {
        return Error::invalid(format!("function {name} does not take a {given}"));
    }
    // What follows says the same once more, in the engine's words.
    let end = [
        " No function matches the given name",
        ": Invalid argument error: ",
    ]
    .iter()
    .filter_map(|tail| message.find(tail))
    .min();
    let message = end.and_then(|end| message.get(..end)).unwrap_or(message);
    Error::invalid(tidy(message))
}

/// Whether a name could be a slip of the pen for another: at most a third of it is different.
pub(super) fn is_close(name: &str, other: &str) -> bool {
    let other: Vec<char> = other.chars().collect();
    // The edits that make each prefix of `other` of what was read of `name`.
    let mut edits: Vec<usize> = (0..=other.len()).collect();
    let mut length = 0;
    for (row, c) in name.chars().enumerate() {
        length = row + 1;
        let mut diagonal = row;
        let mut left = length;
        for (column, o) in other.iter().enumerate() {
            let above = edits.get(column + 1).copied().unwrap_or_default();
            let change = diagonal + usize::from(c != *o);
            if let Some(edit) = edits.get_mut(column) {
                *edit = left;
            }
            left = change.min(above + 1).min(left + 1);
            diagonal = above;
        }
        if let Some(edit) = edits.last_mut() {
            *edit = left;
        }
    }
    edits
        .last()
        .is_some_and(|edits| edits * 3 <= length.max(other.len()))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(middle, _)| middle)
}

/// The message in the house style: no prefix of DataFusion's, a small first letter, no full stop,
/// types by their names in SQL.
fn tidy(message: &str) -> String {
    const PREFIXES: [&str; 11] = [
        "Error during planning: ",
        "Execution error: ",
        "Arrow error: ",
        "Schema error: ",
        "SQL error: ",
        "Internal error: ",
        "External error: ",
        "This feature is not implemented: ",
        "Compute error: ",
        "Cast error: ",
        "Parser error: ",
    ];
    let mut text = message.trim();
    while let Some(rest) = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix)) {
        text = rest.trim_start();
    }
    let text = text
        .split("\nThis issue was likely caused by a bug")
        .next()
        .unwrap_or(text);
    let text = text.strip_suffix('.').unwrap_or(text);
    let text = match text.split_once(": Invalid argument error: ") {
        Some((reason, _)) if reason.starts_with("Cannot get result type") => reason,
        _ => text,
    };
    if text == "Unsupported binary operator: PGOverlap" {
        return "the operator && is not supported".to_owned();
    }
    if let (Some(value), Some(to)) = (
        between(text, "Cannot cast string '", "' to value of "),
        between(text, "' to value of ", " type"),
    ) {
        return format!("cannot cast '{value}' to {}", type_names(to));
    }
    if let Some((value, to)) = text
        .strip_prefix("Can't cast value ")
        .and_then(|rest| rest.split_once(" to type "))
    {
        return format!("cannot cast {value} to {}", type_names(to));
    }
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && !second.is_uppercase() => {
            let rest = text.strip_prefix(first).unwrap_or_default();
            type_names(&first.to_lowercase().chain(rest.chars()).collect::<String>())
        }
        _ => type_names(text),
    }
}

/// The text with Arrow's types, outside of quotes, by their names in SQL.
fn type_names(text: &str) -> String {
    let word = |word: &str| -> String {
        let simple = word.starts_with(|c: char| c.is_ascii_uppercase()) && word != "Null";
        match word.parse::<DataType>() {
            Ok(data_type) if simple => plan::type_text(&data_type),
            _ => word.to_owned(),
        }
    };
    let text = &text
        .replace("Timestamp(µs)", "TIMESTAMP")
        .replace("Time64(µs)", "TIME");
    let mut out = String::with_capacity(text.len());
    let mut current = String::new();
    let mut quoted = false;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() && !quoted {
            current.push(c);
            continue;
        }
        out.push_str(&word(&std::mem::take(&mut current)));
        quoted ^= c == '\'';
        out.push(c);
    }
    out.push_str(&word(&current));
    out
}

fn copy(error: &Error) -> Error {
    Error::new(error.kind(), error.message()).at(error.position())
}

/// An error that only a defect of rocksalt can cause.
pub(super) fn defect(message: impl Into<String>) -> DataFusionError {
    to_datafusion(Error::new(ErrorKind::Internal, message))
}
