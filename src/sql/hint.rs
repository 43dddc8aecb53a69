//! Hints: what a comment right behind SELECT, UPDATE or DELETE says of indexes.
//!
//! ```text
//! SELECT /*+ INDEX(t i) */ ...       the index i of t is read
//! SELECT /*+ NO_INDEX(t) */ ...      no index of t is read
//! ```

use sqlparser::ast::{OptimizerHint, OptimizerHintStyle};
use sqlparser::tokenizer::{Token, Tokenizer};

use crate::error::{Error, Result};
use crate::sql::dialect::RocksaltDialect;
use crate::sql::name::Name;

/// What a hint says of one table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IndexHint {
    /// The table, by its name or its alias in the statement.
    pub(crate) table: Name,
    /// The indexes of which one is to be read; none, if no index is to be read.
    pub(crate) indexes: Vec<Name>,
}

/// The words behind which a comment can be a hint.
pub(super) const VERBS: [&str; 3] = ["SELECT", "UPDATE", "DELETE"];

/// The text of a hint, if the comment is one.
pub(super) fn text(comment: &str) -> Option<&str> {
    comment.strip_prefix('+')
}

/// What the text of a hint says.
///
/// # Errors
/// `Syntax` for what is no hint, `Unsupported` for one of another system.
pub(crate) fn index_hints(text: &str) -> Result<Vec<IndexHint>> {
    let tokens = Tokenizer::new(&RocksaltDialect::new(0), text).tokenize();
    let tokens = tokens.map_err(|_| expected("INDEX(t i) or NO_INDEX(t)", None))?;
    let mut tokens = tokens
        .into_iter()
        .filter(|token| !matches!(token, Token::Whitespace(_) | Token::Comma))
        .peekable();
    let mut hints: Vec<IndexHint> = Vec::new();
    while let Some(token) = tokens.next() {
        let takes_indexes = match &token {
            Token::Word(word) if word.value.eq_ignore_ascii_case("INDEX") => true,
            Token::Word(word) if word.value.eq_ignore_ascii_case("NO_INDEX") => false,
            Token::Word(word) => {
                let word = word.value.to_ascii_uppercase();
                return Err(Error::unsupported(format!(
                    "the hint {word} is not supported: INDEX(t i) and NO_INDEX(t) are"
                )));
            }
            other => return Err(expected("INDEX(t i) or NO_INDEX(t)", Some(other))),
        };
        match tokens.next() {
            Some(Token::LParen) => {}
            other => return Err(expected("(", other.as_ref())),
        }
        let mut names = Vec::new();
        loop {
            match tokens.next() {
                Some(Token::Word(word)) => names.push(Name::from_ident(
                    word.into_ident(sqlparser::tokenizer::Span::empty()),
                )),
                Some(Token::RParen) => break,
                other => return Err(expected("a name or )", other.as_ref())),
            }
        }
        let mut names = names.into_iter();
        let Some(table) = names.next() else {
            return Err(expected("the name of a table", Some(&Token::RParen)));
        };
        let indexes: Vec<Name> = names.collect();
        match (takes_indexes, indexes.first()) {
            (true, None) => return Err(expected("the name of an index", Some(&Token::RParen))),
            (false, Some(name)) => {
                return Err(Error::syntax(format!(
                    "in a hint: NO_INDEX takes a table alone, found {name}"
                )));
            }
            _ => {}
        }
        if hints.iter().any(|hint| hint.table == table) {
            return Err(Error::syntax(format!("in a hint: {table} stands twice")));
        }
        hints.push(IndexHint { table, indexes });
    }
    Ok(hints)
}

fn expected(what: &str, found: Option<&Token>) -> Error {
    let found = match found {
        Some(token) => token.to_string(),
        None => "the end of the hint".to_owned(),
    };
    Error::syntax(format!("in a hint: expected {what}, found {found}"))
}

/// A hint of this text as it stands in a syntax tree.
pub(crate) fn optimizer_hint(text: &str) -> OptimizerHint {
    OptimizerHint {
        prefix: String::new(),
        text: text.to_owned(),
        style: OptimizerHintStyle::MultiLine,
    }
}
