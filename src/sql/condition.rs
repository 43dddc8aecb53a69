//! A condition that stands alone, without a statement around it.

use sqlparser::ast::Expr;

use crate::error::{Error, Result};
use crate::sql::dialect::RocksaltDialect;
use crate::sql::parameters::Parameters;
use crate::sql::parse::{SHORT, with_room};
use crate::sql::reader::Reader;
use crate::sql::rewrite;
use crate::sql::tokens::{Tokens, one_statement};

/// What may stand behind WHERE, and its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The expression; its parameters are `$1`, `$2`, ....
    pub expr: Expr,
    /// The parameters that it takes.
    pub parameters: Parameters,
    /// Whether it is so long that it may be deep.
    pub(crate) long: bool,
}

/// Reads the condition in `text`, as it would be read behind WHERE.
///
/// # Errors
/// As of `parse`, the positions being those in `text`.
pub fn parse_condition(text: &str) -> Result<Condition> {
    if text.trim().is_empty() {
        return Err(Error::syntax("there is no condition in the text"));
    }
    with_room(one_statement(text)?, condition)
}

fn condition(Tokens { tokens, end }: Tokens, parameters: Parameters) -> Result<Condition> {
    let long = tokens.len() > SHORT;
    let dialect = RocksaltDialect::new(tokens.len());
    let mut reader = Reader::new(&dialect, Tokens { tokens, end });
    let start = reader.position();
    let mut expr = reader.expr()?;
    reader.expect_end()?;
    rewrite::rewrite_expr(&mut expr).map_err(|e| e.at(start))?;
    Ok(Condition {
        expr,
        parameters,
        long,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::sql::{Statement, parse};

    #[test]
    fn a_condition_reads_as_behind_where() {
        for text in [
            "a = 1",
            "(a, b) > (?, ?) AND c LIKE '%x'",
            "ts >= TIMESTAMP '2013-01-01' -- a comment",
            "a IN (:x, 2, :y) OR NOT b",
            "v > 1e3",
        ] {
            let condition = parse_condition(text).unwrap();
            let parsed = parse(&format!("SELECT * FROM t WHERE {text}")).unwrap();
            let Statement::Query(query) = parsed.statement else {
                panic!("{text}");
            };
            let selection = query.body.as_select().unwrap().selection.clone();
            assert_eq!(Some(condition.expr), selection, "{text}");
            assert_eq!(condition.parameters.len(), parsed.parameters.len());
            assert_eq!(condition.parameters.names(), parsed.parameters.names());
        }
    }

    #[test]
    fn nothing_may_follow_it() {
        for text in [
            "a = 1 ORDER BY a",
            "a = 1; DROP TABLE t",
            "a = 1) OR (TRUE",
            "a = 1 UNION SELECT 1",
            "a, b",
            "",
            " -- nothing",
            "WHERE a = 1",
            "a = 'x",
        ] {
            let error = parse_condition(text).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Syntax | ErrorKind::Invalid),
                "{text}: {error}"
            );
        }
    }
}
