//! UPSERT, INSERT, UPDATE and DELETE.

use std::collections::HashSet;

use sqlparser::ast::{Expr, Query, SelectItem, SetExpr, Spanned};
use sqlparser::tokenizer::Token;

use crate::error::{Error, Result};
use crate::sql::name::{Name, TableName, start_of};
use crate::sql::on_conflict::{on_conflict, on_duplicate_key};
use crate::sql::reader::Reader;
use crate::sql::statement::{Assigned, Delete, Insert, Source, Update};
use crate::sql::tokens::is_word;

/// Everything after `UPSERT`.
pub(super) fn upsert(reader: &mut Reader) -> Result<Insert> {
    let mut insert = rows(reader)?;
    insert.on_conflict = on_duplicate_key(reader, &insert.table)?;
    insert.returning = returning(reader)?;
    Ok(insert)
}

/// Everything after `INSERT`.
pub(super) fn insert(reader: &mut Reader) -> Result<Insert> {
    let mut insert = rows(reader)?;
    insert.on_conflict = on_conflict(reader, &insert.table)?;
    insert.returning = returning(reader)?;
    Ok(insert)
}

/// What UPSERT and INSERT have in common: the table and the rows.
fn rows(reader: &mut Reader) -> Result<Insert> {
    if reader.at("OR") || reader.at("IGNORE") || reader.at("OVERWRITE") {
        let word = reader.peek().to_string().to_ascii_uppercase();
        return Err(reader.unsupported(format!(
            "{word} is not supported here: write UPSERT INTO t VALUES (...), which replaces a row of \
             the same key; with a list of columns it keeps the others"
        )));
    }
    reader.expect("INTO")?;
    let table = reader.table_name()?;
    let columns = if at_columns(reader) {
        columns(reader)?
    } else {
        Vec::new()
    };
    let source = if reader.eat_all(&["DEFAULT", "VALUES"]) {
        if let Some(first) = columns.first() {
            return Err(Error::syntax("DEFAULT VALUES takes no list of columns").at(first.position));
        }
        Source::DefaultValues
    } else {
        source(reader, &columns)?
    };
    Ok(Insert {
        table,
        columns,
        source,
        on_conflict: None,
        returning: Vec::new(),
    })
}

/// A parenthesis opens a list of columns unless a query is in it.
fn at_columns(reader: &Reader) -> bool {
    let opens_query = |token: &Token| {
        *token == Token::LParen
            || ["SELECT", "WITH", "VALUES", "FROM", "TABLE"]
                .iter()
                .any(|w| is_word(token, w))
    };
    reader.peek() == &Token::LParen && !opens_query(reader.peek_nth(1))
}

/// `(a, b, ...)`, none of them twice.
pub(super) fn columns(reader: &mut Reader) -> Result<Vec<Name>> {
    let columns = reader.list(|r| r.name("the name of a column"))?;
    let mut seen = HashSet::new();
    match columns
        .iter()
        .find(|name| !seen.insert(name.value.as_str()))
    {
        Some(twice) => {
            Err(Error::invalid(format!("column {twice} is listed twice")).at(twice.position))
        }
        None => Ok(columns),
    }
}

fn source(reader: &mut Reader, columns: &[Name]) -> Result<Source> {
    let position = reader.position();
    if !reader.at("VALUES")
        && !reader.at("SELECT")
        && !reader.at("WITH")
        && !reader.at("FROM")
        && !reader.at("TABLE")
        && reader.peek() != &Token::LParen
    {
        return Err(reader.expected("VALUES or a query"));
    }
    let query = reader.query()?;
    match plain_values(*query) {
        Err(query) => Ok(Source::Query(query)),
        Ok(rows) => {
            let width = match columns.len() {
                0 => rows.first().map_or(0, Vec::len),
                listed => listed,
            };
            if let Some((i, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != width) {
                let place = row
                    .first()
                    .and_then(|e| start_of(e.span()))
                    .unwrap_or(position);
                let message = if columns.is_empty() {
                    format!(
                        "row {} has {}, the first one has {width}",
                        i + 1,
                        values(row.len())
                    )
                } else {
                    format!(
                        "row {} has {} for {width} listed columns",
                        i + 1,
                        values(row.len())
                    )
                };
                return Err(Error::invalid(message).at(place));
            }
            let rows = rows
                .into_iter()
                .map(|row| row.into_iter().map(assigned).collect());
            Ok(Source::Values(rows.collect()))
        }
    }
}

fn values(n: usize) -> String {
    if n == 1 {
        "1 value".to_owned()
    } else {
        format!("{n} values")
    }
}

/// The rows of a query that is nothing but VALUES.
fn plain_values(query: Query) -> Result<Vec<Vec<Expr>>, Box<Query>> {
    let plain = query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && query.locks.is_empty()
        && query.for_clause.is_none()
        && query.pipe_operators.is_empty();
    match (plain, *query.body) {
        (true, SetExpr::Values(values)) => {
            Ok(values.rows.into_iter().map(|row| row.content).collect())
        }
        (_, body) => Err(Box::new(Query {
            body: Box::new(body),
            ..query
        })),
    }
}

/// sqlparser reads the keyword DEFAULT as a name.
fn assigned(expr: Expr) -> Assigned {
    match &expr {
        Expr::Identifier(ident)
            if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("default") =>
        {
            Assigned::Default
        }
        _ => Assigned::Expr(expr),
    }
}

/// Everything after `UPDATE`.
pub(super) fn update(reader: &mut Reader) -> Result<Update> {
    let hints = reader.hints();
    let table = reader.table_name()?;
    let alias = alias(reader, "SET")?;
    if reader.at("FROM") || reader.peek() == &Token::Comma || reader.at("JOIN") {
        return Err(reader.unsupported(UPDATE_FROM));
    }
    reader.expect("SET")?;
    let assignments = assignments(reader, &table, alias.as_ref())?;
    if reader.at("FROM") {
        return Err(reader.unsupported(UPDATE_FROM));
    }
    let selection = selection(reader)?;
    let returning = returning(reader)?;
    Ok(Update {
        hints,
        table,
        alias,
        assignments,
        selection,
        returning,
    })
}

const UPDATE_FROM: &str = "UPDATE of several tables is not supported: write SET c = (SELECT ...), \
     or UPSERT INTO ... SELECT ...";

/// `c = value, (a, b) = (1, 2), ...`, no column twice.
pub(super) fn assignments(
    reader: &mut Reader,
    table: &TableName,
    alias: Option<&Name>,
) -> Result<Vec<(Name, Assigned)>> {
    let mut assignments: Vec<(Name, Assigned)> = Vec::new();
    loop {
        assignment(reader, table, alias, &mut assignments)?;
        if !reader.eat_token(&Token::Comma) {
            break;
        }
    }
    let mut seen = HashSet::new();
    match assignments
        .iter()
        .find(|(column, _)| !seen.insert(column.value.as_str()))
    {
        Some((twice, _)) => {
            Err(Error::invalid(format!("column {twice} is set twice")).at(twice.position))
        }
        None => Ok(assignments),
    }
}

/// `c = value` or `(a, b) = (1, 2)`.
fn assignment(
    reader: &mut Reader,
    table: &TableName,
    alias: Option<&Name>,
    assignments: &mut Vec<(Name, Assigned)>,
) -> Result<()> {
    if reader.peek() != &Token::LParen {
        let column = target(reader, table, alias)?;
        reader.expect_token(&Token::Eq)?;
        assignments.push((column, assigned(reader.expr()?)));
        return Ok(());
    }
    let position = reader.position();
    let columns = reader.list(|r| target(r, table, alias))?;
    reader.expect_token(&Token::Eq)?;
    let value_position = reader.position();
    let values = match reader.expr()? {
        Expr::Tuple(values) => values,
        Expr::Subquery(_) => {
            return Err(Error::unsupported(
                "a row of columns set from a query is not supported: set each column",
            )
            .at(value_position));
        }
        value => vec![value],
    };
    if values.len() != columns.len() {
        return Err(Error::invalid(format!(
            "{} columns are set to {}",
            columns.len(),
            self::values(values.len())
        ))
        .at(position));
    }
    assignments.extend(columns.into_iter().zip(values.into_iter().map(assigned)));
    Ok(())
}

/// The column that is set, perhaps qualified by the table.
fn target(reader: &mut Reader, table: &TableName, alias: Option<&Name>) -> Result<Name> {
    let name = reader.name("the name of a column")?;
    if !reader.eat_token(&Token::Period) {
        return Ok(name);
    }
    if name != *alias.unwrap_or(&table.name) {
        return Err(
            Error::invalid(format!("{name} is not the table that is updated")).at(name.position),
        );
    }
    reader.name("the name of a column")
}

/// `[AS] alias`, where `next` is the word that follows if there is none.
fn alias(reader: &mut Reader, next: &str) -> Result<Option<Name>> {
    let words = [
        next,
        "SET",
        "WHERE",
        "USING",
        "FROM",
        "JOIN",
        "RETURNING",
        "ORDER",
        "LIMIT",
    ];
    if reader.eat("AS") {
        return reader.name("an alias").map(Some);
    }
    match reader.peek() {
        Token::Word(_) if reader.at_any(&words).is_none() => reader.name("an alias").map(Some),
        _ => Ok(None),
    }
}

/// Everything after `DELETE`.
pub(super) fn delete(reader: &mut Reader) -> Result<Delete> {
    let hints = reader.hints();
    reader.expect("FROM")?;
    let table = reader.table_name()?;
    let alias = alias(reader, "WHERE")?;
    if reader.at("USING") || reader.at("JOIN") || reader.peek() == &Token::Comma {
        return Err(reader.unsupported(
            "DELETE with several tables is not supported: write WHERE ... IN (SELECT ...) or \
             WHERE EXISTS (SELECT ...)",
        ));
    }
    let selection = selection(reader)?;
    let returning = returning(reader)?;
    Ok(Delete {
        hints,
        table,
        alias,
        selection,
        returning,
    })
}

pub(super) fn selection(reader: &mut Reader) -> Result<Option<Expr>> {
    if reader.eat("WHERE") {
        reader.expr().map(Some)
    } else {
        Ok(None)
    }
}

/// `[RETURNING item, ...]`, with which a statement ends.
fn returning(reader: &mut Reader) -> Result<Vec<SelectItem>> {
    refuse_tail(reader)?;
    let mut items = Vec::new();
    if reader.eat("RETURNING") {
        if matches!(reader.peek(), Token::EOF | Token::Comma) {
            return Err(reader.expected("an expression or *"));
        }
        items.push(reader.select_item()?);
        while reader.eat_token(&Token::Comma) {
            items.push(reader.select_item()?);
        }
    }
    Ok(items)
}

/// Clauses that may follow a writing statement elsewhere.
fn refuse_tail(reader: &Reader) -> Result<()> {
    let message = match reader.at_any(&["ORDER", "LIMIT"]) {
        Some("ORDER") => "ORDER BY is not supported here",
        Some("LIMIT") => "LIMIT is not supported here",
        _ => return Ok(()),
    };
    Err(reader.unsupported(message))
}
