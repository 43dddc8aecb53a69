//! Why a value does not go into a column, and what is said then.

use crate::error::Error;
use crate::types::number::Fault;
use crate::types::{SqlType, Value};

/// Why a value does not go into a column.
pub(super) enum Refusal {
    Malformed,
    OutOfRange,
    TooLong,
    LosesFraction,
    LosesDigits,
    LosesTimeOfDay,
    OtherType,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Malformed => Refusal::Malformed,
            Fault::OutOfRange => Refusal::OutOfRange,
        }
    }
}

impl Refusal {
    /// The error of the refused `value`.
    pub(super) fn into_error(self, value: &Value, to: &SqlType) -> Error {
        let shown = value.brief();
        Error::invalid(match self {
            Refusal::Malformed => format!("{shown} is not {} {to}", article(to)),
            Refusal::OutOfRange => format!("{shown} is out of range for {to}"),
            Refusal::TooLong => format!("{shown} is too long for {to}"),
            Refusal::LosesFraction => format!("{shown} would lose its fraction as {to}"),
            Refusal::LosesDigits => format!("{shown} would lose digits as {to}"),
            Refusal::LosesTimeOfDay => format!("{shown} would lose its time of day as {to}"),
            Refusal::OtherType => match value.sql_type() {
                Some(from) if is_text(&from) || is_text(to) => format!(
                    "{shown} is {} {from}, not {} {to}; use CAST(... AS {to})",
                    article(&from),
                    article(to)
                ),
                Some(from) => {
                    format!(
                        "{shown} is {} {from}, not {} {to}",
                        article(&from),
                        article(to)
                    )
                }
                None => format!("{shown} is not {} {to}", article(to)),
            },
        })
    }
}

fn article(sql_type: &SqlType) -> &'static str {
    match sql_type {
        SqlType::Integer | SqlType::UInteger => "an",
        _ => "a",
    }
}

/// Whether a type is one of text.
pub(super) fn is_text(sql_type: &SqlType) -> bool {
    matches!(sql_type, SqlType::Char(_) | SqlType::Varchar(_))
}
