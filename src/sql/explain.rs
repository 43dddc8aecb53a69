//! EXPLAIN and its options.

use std::fmt::{self, Display, Formatter};

use sqlparser::tokenizer::Token;

use crate::error::{Error, Result};
use crate::sql::parse::statement;
use crate::sql::reader::Reader;
use crate::sql::statement::Statement;
use crate::sql::tokens::is_word;

/// `EXPLAIN [ANALYZE] statement`, `EXPLAIN (ANALYZE, FORMAT JSON) statement`
#[derive(Debug, Clone, PartialEq)]
pub struct Explain {
    /// Whether the statement is executed and its scans are counted.
    pub analyze: bool,
    /// How the plan is written.
    pub format: ExplainFormat,
    /// A query or a writing statement.
    pub statement: Box<Statement>,
}

/// How EXPLAIN writes a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ExplainFormat {
    /// One line a node.
    #[default]
    Text,
    /// One JSON object a node.
    Json,
}

/// Words that stand after EXPLAIN in other systems.
const ELSEWHERE: &[&str] = &["VERBOSE", "FORMAT", "QUERY", "ESTIMATE", "EXTENDED"];

/// Everything after `EXPLAIN`.
pub(super) fn explain(reader: &mut Reader) -> Result<Statement> {
    let mut options = Options::default();
    if has_options(reader) {
        options.read(reader)?;
    } else if reader.eat("ANALYZE") {
        options.analyze = Some(true);
    }
    if let Some(word) = reader.at_any(ELSEWHERE) {
        let instead = match word {
            "FORMAT" => ": write EXPLAIN (FORMAT JSON)",
            _ => "",
        };
        return Err(reader.unsupported(format!("EXPLAIN {word} is not supported{instead}")));
    }
    let position = reader.position();
    if reader.at("EXPLAIN") {
        return Err(reader.expected("a query or a writing statement"));
    }
    let explained = statement(reader)?;
    match explained {
        Statement::Query(_)
        | Statement::Upsert(_)
        | Statement::Insert(_)
        | Statement::Update(_)
        | Statement::Delete(_) => Ok(Statement::Explain(Explain {
            analyze: options.analyze.unwrap_or_default(),
            format: options.format.unwrap_or_default(),
            statement: Box::new(explained),
        })),
        other => Err(
            Error::unsupported(format!("EXPLAIN of {} is not supported", other.kind()))
                .at(position),
        ),
    }
}

/// Whether the parenthesis that may follow is one of options, and not of a query.
fn has_options(reader: &Reader) -> bool {
    let inside = reader.peek_nth(1);
    let opens_query = ["SELECT", "WITH", "VALUES", "FROM", "TABLE"]
        .iter()
        .any(|word| is_word(inside, word));
    reader.peek() == &Token::LParen && inside != &Token::LParen && !opens_query
}

#[derive(Default)]
struct Options {
    analyze: Option<bool>,
    format: Option<ExplainFormat>,
}

impl Options {
    fn read(&mut self, reader: &mut Reader) -> Result<()> {
        reader.list(|reader| self.option(reader)).map(drop)
    }

    fn option(&mut self, reader: &mut Reader) -> Result<()> {
        let position = reader.position();
        let twice = |name: &str| Err(Error::invalid(format!("{name} is given twice")).at(position));
        if reader.eat("ANALYZE") {
            return match self.analyze.replace(switch(reader)?) {
                None => Ok(()),
                Some(_) => twice("ANALYZE"),
            };
        }
        if !reader.eat("FORMAT") {
            return Err(reader.expected("ANALYZE or FORMAT"));
        }
        let format = if reader.eat("TEXT") {
            ExplainFormat::Text
        } else if reader.eat("JSON") {
            ExplainFormat::Json
        } else {
            return Err(reader.expected("TEXT or JSON"));
        };
        match self.format.replace(format) {
            None => Ok(()),
            Some(_) => twice("FORMAT"),
        }
    }
}

/// The value of an option that is on or off; on without one.
fn switch(reader: &mut Reader) -> Result<bool> {
    if reader.eat("TRUE") || reader.eat("ON") {
        Ok(true)
    } else if reader.eat("FALSE") || reader.eat("OFF") {
        Ok(false)
    } else if matches!(reader.peek(), Token::Comma | Token::RParen) {
        Ok(true)
    } else {
        Err(reader.expected("TRUE, FALSE, ON or OFF"))
    }
}

impl Display for Explain {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.analyze, self.format) {
            (false, ExplainFormat::Text) => "EXPLAIN ",
            (true, ExplainFormat::Text) => "EXPLAIN ANALYZE ",
            (false, ExplainFormat::Json) => "EXPLAIN (FORMAT JSON) ",
            (true, ExplainFormat::Json) => "EXPLAIN (ANALYZE, FORMAT JSON) ",
        })?;
        write!(f, "{}", self.statement)
    }
}
