//! What becomes of a row whose key exists: ON DUPLICATE KEY as in Phoenix, ON CONFLICT as in
//! PostgreSQL.

use sqlparser::tokenizer::Token;

use crate::error::{Error, Result};
use crate::sql::name::TableName;
use crate::sql::reader::Reader;
use crate::sql::statement::{ConflictAction, OnConflict};
use crate::sql::tokens::is_word;
use crate::sql::write::{assignments, columns, selection};

/// `[ON DUPLICATE KEY IGNORE | UPDATE c = value, ...]`, after the rows of an UPSERT.
pub(super) fn on_duplicate_key(
    reader: &mut Reader,
    table: &TableName,
) -> Result<Option<OnConflict>> {
    if at_clause(reader, "CONFLICT") {
        return Err(reader.unsupported(
            "ON CONFLICT stands after INSERT; after UPSERT write ON DUPLICATE KEY IGNORE or UPDATE",
        ));
    }
    if !reader.eat_all(&["ON", "DUPLICATE"]) {
        return Ok(None);
    }
    reader.expect("KEY")?;
    let action = if reader.eat("IGNORE") {
        ConflictAction::Nothing
    } else if reader.eat("UPDATE") {
        ConflictAction::Update {
            assignments: assignments(reader, table, None)?,
            selection: None,
        }
    } else {
        return Err(reader.expected("IGNORE or UPDATE"));
    };
    Ok(Some(OnConflict {
        target: Vec::new(),
        action,
    }))
}

/// `[ON CONFLICT [(columns)] DO NOTHING | DO UPDATE SET c = value, ... [WHERE condition]]`, after
/// the rows of an INSERT.
pub(super) fn on_conflict(reader: &mut Reader, table: &TableName) -> Result<Option<OnConflict>> {
    if at_clause(reader, "DUPLICATE") {
        return Err(reader.unsupported(
            "ON DUPLICATE KEY stands after UPSERT; after INSERT write ON CONFLICT ... DO NOTHING or \
             DO UPDATE SET",
        ));
    }
    let position = reader.position();
    if !reader.eat_all(&["ON", "CONFLICT"]) {
        return Ok(None);
    }
    if reader.at("ON") {
        return Err(reader.unsupported(
            "ON CONSTRAINT is not supported: name the columns of the primary key or of a UNIQUE index in parentheses",
        ));
    }
    let target = match reader.peek() {
        Token::LParen if reader.peek_nth(2) == &Token::LParen => {
            return Err(reader.unsupported(
                "ON CONFLICT takes columns: those of the primary key or of a UNIQUE index, which \
                 has no expression and no WHERE",
            ));
        }
        Token::LParen => columns(reader)?,
        _ => Vec::new(),
    };
    if reader.at("WHERE") {
        return Err(reader.unsupported(
            "WHERE is not supported here: a UNIQUE index that has one is no target of ON CONFLICT",
        ));
    }
    reader.expect("DO")?;
    let action = if reader.eat("NOTHING") {
        ConflictAction::Nothing
    } else if reader.eat("UPDATE") {
        if target.is_empty() {
            return Err(Error::invalid(
                "DO UPDATE needs to know the key: ON CONFLICT (its columns) DO UPDATE SET ...",
            )
            .at(position));
        }
        reader.expect("SET")?;
        ConflictAction::Update {
            assignments: assignments(reader, table, None)?,
            selection: selection(reader)?,
        }
    } else {
        return Err(reader.expected("NOTHING or UPDATE"));
    };
    Ok(Some(OnConflict { target, action }))
}

fn at_clause(reader: &Reader, word: &str) -> bool {
    reader.at("ON") && is_word(reader.peek_nth(1), word)
}
