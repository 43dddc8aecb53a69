//! Names of tables and columns: folded, and with their place in the text.

use std::fmt;

use sqlparser::ast::Ident;
use sqlparser::keywords::{
    ALL_KEYWORDS, ALL_KEYWORDS_INDEX, Keyword, RESERVED_FOR_COLUMN_ALIAS, RESERVED_FOR_IDENTIFIER,
    RESERVED_FOR_TABLE_ALIAS,
};
use sqlparser::tokenizer::{Location, Span};

use crate::error::Position;

/// A name as the catalog knows it: an unquoted one is folded to lower case, a quoted one is kept.
/// Its `Display` is the spelling that reads back as the same name.
///
/// Two names are equal if they name the same thing, wherever they stand.
#[derive(Debug, Clone)]
pub struct Name {
    /// The folded or quoted text, without quotes.
    pub value: String,
    /// Where it stands in the text, if it comes from one.
    pub position: Option<Position>,
}

impl Name {
    /// A name that comes from no text.
    pub fn new(value: impl Into<String>) -> Self {
        Name {
            value: value.into(),
            position: None,
        }
    }

    pub(super) fn from_ident(ident: Ident) -> Self {
        let position = start_of(ident.span);
        let value = match ident.quote_style {
            Some(_) => ident.value,
            None => ident.value.to_ascii_lowercase(),
        };
        Name { value, position }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Name {}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_bare(&self.value) {
            f.write_str(&self.value)
        } else {
            write!(f, "\"{}\"", self.value.replace('"', "\"\""))
        }
    }
}

/// The name of a table, perhaps with its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    /// The schema, if one was written.
    pub schema: Option<Name>,
    /// The table.
    pub name: Name,
}

impl TableName {
    /// A table name that comes from no text.
    pub fn new(schema: Option<&str>, name: impl Into<String>) -> Self {
        TableName {
            schema: schema.map(Name::new),
            name: Name::new(name),
        }
    }

    /// Where the name begins, if it comes from a text.
    pub fn position(&self) -> Option<Position> {
        self.schema.as_ref().unwrap_or(&self.name).position
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(schema) = &self.schema {
            write!(f, "{schema}.")?;
        }
        write!(f, "{}", self.name)
    }
}

/// The position of a location that sqlparser knows.
pub(super) fn position_of(location: Location) -> Option<Position> {
    (location.line > 0).then_some(Position {
        line: location.line,
        column: location.column,
    })
}

/// Where a span begins, if it has a place.
pub(super) fn start_of(span: Span) -> Option<Position> {
    position_of(span.start)
}

/// Whether a name reads back as itself without quotes, wherever a name may stand.
fn is_bare(name: &str) -> bool {
    let mut bytes = name.bytes();
    let first = bytes
        .next()
        .is_some_and(|b| b.is_ascii_lowercase() || b == b'_');
    first
        && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        && !is_reserved(name)
}

/// Words that begin or end a clause or an expression.
const RESERVED: &[Keyword] = &[
    Keyword::ALL,
    Keyword::AND,
    Keyword::ANY,
    Keyword::AS,
    Keyword::ASC,
    Keyword::BETWEEN,
    Keyword::BY,
    Keyword::CASE,
    Keyword::CAST,
    Keyword::CHECK,
    Keyword::COLLATE,
    Keyword::CONSTRAINT,
    Keyword::CREATE,
    Keyword::CURRENT_DATE,
    Keyword::CURRENT_TIME,
    Keyword::CURRENT_TIMESTAMP,
    Keyword::DEFAULT,
    Keyword::DELETE,
    Keyword::DESC,
    Keyword::DISTINCT,
    Keyword::DROP,
    Keyword::ELSE,
    Keyword::EXTRACT,
    Keyword::FALSE,
    Keyword::FOREIGN,
    Keyword::IF,
    Keyword::ILIKE,
    Keyword::IN,
    Keyword::INSERT,
    Keyword::IS,
    Keyword::LIKE,
    Keyword::NOT,
    Keyword::NULL,
    Keyword::OR,
    Keyword::OVERLAY,
    Keyword::POSITION,
    Keyword::PRIMARY,
    Keyword::REFERENCES,
    Keyword::SOME,
    Keyword::SUBSTRING,
    Keyword::TABLE,
    Keyword::THEN,
    Keyword::TRUE,
    Keyword::TRY_CAST,
    Keyword::UNIQUE,
    Keyword::UPDATE,
    Keyword::WHEN,
];

fn is_reserved(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let Ok(index) = ALL_KEYWORDS.binary_search(&upper.as_str()) else {
        return false;
    };
    let Some(keyword) = ALL_KEYWORDS_INDEX.get(index) else {
        return false;
    };
    [
        RESERVED,
        RESERVED_FOR_COLUMN_ALIAS,
        RESERVED_FOR_TABLE_ALIAS,
        RESERVED_FOR_IDENTIFIER,
    ]
    .iter()
    .any(|list| list.contains(keyword))
}
