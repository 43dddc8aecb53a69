//! CREATE INDEX and the other statements about an index.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, Spanned, Visit, Visitor};
use sqlparser::tokenizer::Token;

use crate::error::{Error, Position, Result};
use crate::sql::create_table::{bucket_count, expect_eq};
use crate::sql::name::{Name, start_of};
use crate::sql::reader::Reader;
use crate::sql::statement::{CreateIndex, IndexPart, IndexSource, Statement};

/// Everything after `CREATE [UNIQUE] INDEX`.
pub(super) fn create_index(reader: &mut Reader, unique: bool) -> Result<CreateIndex> {
    if reader.at("CONCURRENTLY") {
        return Err(reader.unsupported(
            "CONCURRENTLY is not supported: every index is built while its table is written; leave \
             the word out",
        ));
    }
    let if_not_exists = reader.eat_all(&["IF", "NOT", "EXISTS"]);
    if reader.at("ON") {
        return Err(reader.expected("the name of the index"));
    }
    let index = reader.name("the name of the index")?;
    if reader.peek() == &Token::Period {
        return Err(reader.unsupported("an index is in the schema of its table: name it alone"));
    }
    reader.expect("ON")?;
    let table = reader.table_name()?;
    if reader.at("USING") {
        return Err(reader.unsupported("USING is not supported: every index is sorted"));
    }
    let parts = reader.list(part)?;
    let mut included = Vec::new();
    if reader.eat("INCLUDE") {
        included = reader.list(|r| r.name("a column to include"))?;
    }
    let mut predicate = None;
    if reader.eat("WHERE") {
        let expr = reader.expr()?;
        refuse_queries(&expr, "the condition of an index")?;
        predicate = Some(expr);
    }
    let salt_buckets = salt_buckets(reader)?;
    if let Some(word) = reader.at_any(&["INCLUDE", "WHERE", "SALT_BUCKETS"]) {
        return Err(Error::syntax(format!(
            "{word} does not stand here: behind the columns come INCLUDE (...), WHERE and \
             SALT_BUCKETS = n, each once and in this order"
        ))
        .at(reader.position()));
    }
    refuse_repeats(&parts, &included)?;
    Ok(CreateIndex {
        index,
        if_not_exists,
        unique,
        table,
        parts,
        included,
        predicate,
        salt_buckets,
    })
}

/// Whether an expression is a call, also by a syntax of its own.
fn is_call(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Function(_)
            | Expr::Substring { .. }
            | Expr::Trim { .. }
            | Expr::Floor { .. }
            | Expr::Ceil { .. }
            | Expr::Position { .. }
            | Expr::Overlay { .. }
            | Expr::Extract { .. }
            | Expr::Cast { .. }
    )
}

/// A column, or an expression in parentheses; a call needs none.
fn part(reader: &mut Reader) -> Result<IndexPart> {
    let next = reader.peek_nth(1);
    let alone = matches!(next, Token::Comma | Token::RParen | Token::EOF)
        || ["ASC", "DESC", "NULLS"]
            .iter()
            .any(|word| crate::sql::tokens::is_word(next, word));
    let source = if alone && matches!(reader.peek(), Token::Word(_)) {
        IndexSource::Column(reader.name("a column of the index")?)
    } else {
        let position = reader.position();
        let in_parentheses = reader.peek() == &Token::LParen;
        let mut expr = reader.expr()?;
        if !in_parentheses && !is_call(&expr) {
            return Err(Error::syntax(
                "an expression of an index stands in parentheses: ((a + b))",
            )
            .at(position));
        }
        while let Expr::Nested(inner) = expr {
            expr = *inner;
        }
        refuse_queries(&expr, "an index")?;
        match expr {
            Expr::Identifier(ident) => IndexSource::Column(Name::from_ident(ident)),
            expr => IndexSource::Expr(expr),
        }
    };
    let descending = reader.eat("DESC") || {
        reader.eat("ASC");
        false
    };
    if reader.at("NULLS") {
        return Err(reader.unsupported(
            "NULLS FIRST and NULLS LAST are not supported: NULL is larger than every value, last in \
             an ASC column and first in a DESC one",
        ));
    }
    Ok(IndexPart { source, descending })
}

/// `[SALT_BUCKETS = n]`
fn salt_buckets(reader: &mut Reader) -> Result<Option<u16>> {
    if reader.eat("SALT_BUCKETS") {
        expect_eq(reader, "SALT_BUCKETS")?;
        return bucket_count(reader).map(Some);
    }
    let position = reader.position();
    match reader.peek() {
        Token::Word(word) if reader.peek_nth(1) == &Token::Eq => {
            let property = word.value.to_ascii_uppercase();
            let why = match property.as_str() {
                "SALT_COLUMNS" => ": its bucket is the hash of the indexed columns",
                _ => ": an index has SALT_BUCKETS",
            };
            Err(Error::invalid(format!("{property} is no property of an index{why}")).at(position))
        }
        Token::Word(word) if word.value.eq_ignore_ascii_case("ASYNC") => {
            Err(reader.unsupported("ASYNC is not supported: CREATE INDEX returns when it is built"))
        }
        _ => Ok(None),
    }
}

fn refuse_repeats(parts: &[IndexPart], included: &[Name]) -> Result<()> {
    let mut seen = HashSet::new();
    let indexed = parts.iter().filter_map(|part| match &part.source {
        IndexSource::Column(name) => Some(name),
        IndexSource::Expr(_) => None,
    });
    for name in indexed.chain(included) {
        if !seen.insert(name.value.as_str()) {
            return Err(
                Error::invalid(format!("column {name} stands twice in the index"))
                    .at(name.position),
            );
        }
    }
    Ok(())
}

/// Refuses a query where only a row is at hand.
fn refuse_queries(expr: &Expr, place: &str) -> Result<()> {
    struct Find;
    impl Visitor for Find {
        type Break = Option<Position>;

        fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
            ControlFlow::Break(start_of(query.span()))
        }
    }
    match expr.visit(&mut Find) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(position) => {
            Err(Error::invalid(format!("{place} cannot have a query in it")).at(position))
        }
    }
}

/// Everything after `DROP INDEX`.
pub(super) fn drop_index(reader: &mut Reader) -> Result<Statement> {
    if reader.at("CONCURRENTLY") {
        return Err(reader.unsupported("CONCURRENTLY is not supported: leave the word out"));
    }
    let if_exists = reader.eat_all(&["IF", "EXISTS"]);
    let index = reader.index_name()?;
    let table = match reader.eat("ON") {
        true => Some(reader.table_name()?),
        false => None,
    };
    if reader.peek() == &Token::Comma {
        return Err(reader.unsupported("several indexes in one statement are not supported"));
    }
    if reader.at("CASCADE") {
        return Err(reader.unsupported("CASCADE is not supported"));
    }
    reader.eat("RESTRICT");
    Ok(Statement::DropIndex {
        index,
        table,
        if_exists,
    })
}

/// Everything after `ALTER INDEX`.
pub(super) fn alter_index(reader: &mut Reader) -> Result<Statement> {
    if reader.at("IF") {
        return Err(reader.unsupported("IF EXISTS is not supported in ALTER INDEX"));
    }
    let index = reader.index_name()?;
    if !reader.eat("RENAME") {
        return Err(match reader.peek() {
            Token::Word(word) if !word.value.eq_ignore_ascii_case("TO") => {
                let word = word.value.to_ascii_uppercase();
                reader.unsupported(format!(
                    "ALTER INDEX ... {word} is not supported: RENAME TO is"
                ))
            }
            _ => reader.expected("RENAME TO"),
        });
    }
    reader.expect("TO")?;
    let to = reader.name("the new name of the index")?;
    if reader.peek() == &Token::Period {
        return Err(reader.unsupported("an index stays in its schema"));
    }
    Ok(Statement::RenameIndex { index, to })
}
