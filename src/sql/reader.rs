//! sqlparser's parser with our words, names, positions and errors.

use sqlparser::ast::{DataType, Expr, OptimizerHint, Query, SelectItem};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

use crate::error::{Error, Position, Result};
use crate::sql::dialect::RocksaltDialect;
use crate::sql::hint;
use crate::sql::name::{Name, TableName, start_of};
use crate::sql::tokens::{Tokens, is_word, lower_first, printable};

/// How deep expressions and queries may be nested in parentheses.
pub(super) const MAX_NESTING: usize = 200;

/// What the parser may recurse for them: the parentheses of a table and of a query in it are two
/// calls each.
const MAX_RECURSION: usize = 1_000;

/// Reads the tokens of one statement from left to right.
pub(super) struct Reader<'a> {
    dialect: &'a RocksaltDialect,
    parser: Parser<'a>,
    end: Position,
}

impl<'a> Reader<'a> {
    pub(super) fn new(dialect: &'a RocksaltDialect, tokens: Tokens) -> Self {
        let parser = Parser::new(dialect)
            .with_recursion_limit(MAX_RECURSION)
            .with_tokens_with_locations(tokens.tokens);
        Reader {
            dialect,
            parser,
            end: tokens.end,
        }
    }

    /// The next token, [`Token::EOF`] at the end.
    pub(super) fn peek(&self) -> &Token {
        self.peek_nth(0)
    }

    /// The token after `n` others.
    pub(super) fn peek_nth(&self, n: usize) -> &Token {
        &self.parser.peek_nth_token_ref(n).token
    }

    /// Where the next token begins, or the last one ended.
    pub(super) fn position(&self) -> Position {
        start_of(self.parser.peek_token_ref().span).unwrap_or(self.end)
    }

    pub(super) fn next(&mut self) -> TokenWithSpan {
        self.parser.next_token()
    }

    /// Whether the next token is the word.
    pub(super) fn at(&self, word: &str) -> bool {
        is_word(self.peek(), word)
    }

    /// Whether the next tokens are the words.
    pub(super) fn at_all(&self, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(i, word)| is_word(self.peek_nth(i), word))
    }

    /// The first of the words that the next token is.
    pub(super) fn at_any<'w>(&self, words: &[&'w str]) -> Option<&'w str> {
        words.iter().find(|word| self.at(word)).copied()
    }

    /// Steps over the word if it is next.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        self.eat_all(&[word])
    }

    /// Steps over the words if they are next, all of them.
    pub(super) fn eat_all(&mut self, words: &[&str]) -> bool {
        let found = self.at_all(words);
        if found {
            words.iter().for_each(|_| self.parser.advance_token());
        }
        found
    }

    pub(super) fn expect(&mut self, word: &str) -> Result<()> {
        if self.eat(word) {
            Ok(())
        } else {
            Err(self.expected(word))
        }
    }

    /// Steps over a token of punctuation if it is next.
    pub(super) fn eat_token(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.parser.advance_token();
        }
        found
    }

    pub(super) fn expect_token(&mut self, token: &Token) -> Result<()> {
        if self.eat_token(token) {
            Ok(())
        } else {
            Err(self.expected(&token.to_string()))
        }
    }

    pub(super) fn expect_end(&self) -> Result<()> {
        match self.peek() {
            Token::EOF => Ok(()),
            _ => Err(self.expected("the end of the statement")),
        }
    }

    /// A name, quoted or not.
    pub(super) fn name(&mut self, what: &str) -> Result<Name> {
        match self.peek() {
            Token::Word(_) => {
                let ident = self.parser.parse_identifier().map_err(|e| self.error(e))?;
                Ok(Name::from_ident(ident))
            }
            _ => Err(self.expected(what)),
        }
    }

    /// The name of a table: `t`, `schema.t` or `rocksalt.schema.t`.
    pub(super) fn table_name(&mut self) -> Result<TableName> {
        self.qualified_name("table")
    }

    /// The name of an index, qualified as a table's.
    pub(super) fn index_name(&mut self) -> Result<TableName> {
        self.qualified_name("index")
    }

    fn qualified_name(&mut self, what: &str) -> Result<TableName> {
        let mut parts = vec![self.name(&format!("the name of {}", with_article(what)))?];
        while self.eat_token(&Token::Period) {
            parts.push(self.name("a name after the dot")?);
        }
        let (catalog, schema, name) = match <[Name; 3]>::try_from(parts) {
            Ok([catalog, schema, name]) => (Some(catalog), Some(schema), Some(name)),
            Err(mut parts) if parts.len() < 3 => {
                let name = parts.pop();
                (None, parts.pop(), name)
            }
            Err(parts) => (parts.into_iter().next(), None, None),
        };
        let named_rocksalt = catalog.as_ref().is_none_or(|c| c.value == "rocksalt");
        match name {
            Some(name) if named_rocksalt => Ok(TableName { schema, name }),
            _ => Err(Error::invalid(format!(
                "{} is named t, schema.t or rocksalt.schema.t",
                with_article(what)
            ))
            .at(catalog.and_then(|c| c.position))),
        }
    }

    /// The hints that stand next.
    pub(super) fn hints(&mut self) -> Vec<OptimizerHint> {
        let mut hints = Vec::new();
        while let Token::Whitespace(space) = self.parser.peek_token_no_skip().token {
            if let Whitespace::MultiLineComment(comment) = &space
                && let Some(text) = hint::text(comment)
            {
                hints.push(hint::optimizer_hint(text));
            }
            self.parser.next_token_no_skip();
        }
        hints
    }

    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.parser.parse_expr().map_err(|e| self.error(e))
    }

    /// The expression after DEFAULT, which ends before a `NOT NULL`: alone the parser would read
    /// `DEFAULT 1 NOT NULL` as `DEFAULT (1 IS NOT NULL)`.
    pub(super) fn default_expr(&mut self) -> Result<Expr> {
        let mut depth = 0_usize;
        let mut tokens = Vec::new();
        loop {
            let n = tokens.len();
            match self.peek_nth(n) {
                Token::EOF => return self.expr(),
                Token::Comma | Token::RParen if depth == 0 => return self.expr(),
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                not if depth == 0
                    && is_word(not, "NOT")
                    && is_word(self.peek_nth(n + 1), "NULL")
                    && !tokens
                        .last()
                        .is_some_and(|t: &TokenWithSpan| is_word(&t.token, "IS")) =>
                {
                    break;
                }
                _ => {}
            }
            tokens.push(self.parser.peek_nth_token_ref(n).clone());
        }
        let count = tokens.len();
        let end = start_of(self.parser.peek_nth_token_ref(count).span).unwrap_or(self.end);
        let mut inner = Reader::new(self.dialect, Tokens { tokens, end });
        let expr = inner.expr()?;
        inner.expect_end()?;
        (0..count).for_each(|_| self.parser.advance_token());
        Ok(expr)
    }

    pub(super) fn query(&mut self) -> Result<Box<Query>> {
        self.parser.parse_query().map_err(|e| self.error(e))
    }

    /// An item of a SELECT list.
    pub(super) fn select_item(&mut self) -> Result<SelectItem> {
        self.parser.parse_select_item().map_err(|e| self.error(e))
    }

    pub(super) fn data_type(&mut self) -> Result<DataType> {
        self.parser.parse_data_type().map_err(|e| self.error(e))
    }

    /// `(item, item, ...)`, at least one item.
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.expect_token(&Token::LParen)?;
        let mut items = vec![item(self)?];
        while self.eat_token(&Token::Comma) {
            items.push(item(self)?);
        }
        if self.eat_token(&Token::RParen) {
            Ok(items)
        } else {
            Err(self.expected(", or )"))
        }
    }

    /// The syntax error that something else should come next.
    pub(super) fn expected(&self, what: &str) -> Error {
        let message = match self.peek() {
            Token::EOF => format!("expected {what}, found the end of the statement"),
            found => format!("expected {what}, found {found}"),
        };
        Error::syntax(printable(&message)).at(self.position())
    }

    /// What is next is known and not done.
    pub(super) fn unsupported(&self, message: impl Into<String>) -> Error {
        Error::unsupported(message).at(self.position())
    }

    /// sqlparser's error as ours.
    fn error(&self, error: ParserError) -> Error {
        let text = match error {
            ParserError::TokenizerError(text) | ParserError::ParserError(text) => text,
            ParserError::RecursionLimitExceeded => {
                return Error::limit("the statement is nested too deeply").at(self.position());
            }
        };
        let (text, position) = split_location(&text);
        let text = match text
            .strip_prefix("Expected: ")
            .map(|t| t.split_once(", found: "))
        {
            Some(Some(("identifier", "EOF"))) => {
                "expected a name, found the end of the statement".to_owned()
            }
            Some(Some(("identifier", found))) => format!("expected a name, found {found}"),
            Some(Some((what, "EOF"))) => {
                format!("expected {what}, found the end of the statement")
            }
            Some(Some((what, found))) => format!("expected {what}, found {found}"),
            _ => lower_first(text),
        };
        Error::syntax(printable(&text)).at(position.unwrap_or(self.end))
    }
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

/// sqlparser's message without ` at Line: 1, Column: 2`, and that place.
fn split_location(text: &str) -> (&str, Option<Position>) {
    let split = || {
        let (message, place) = text.rsplit_once(" at Line: ")?;
        let (line, column) = place.split_once(", Column: ")?;
        let position = Position {
            line: line.parse().ok()?,
            column: column.parse().ok()?,
        };
        Some((message, Some(position)))
    };
    split().unwrap_or((text, None))
}
