//! Text to tokens, and what can be said of them before anything is parsed.

use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, TokenizerError, Whitespace};

use crate::error::{Error, Position, Result};
use crate::sql::dialect::RocksaltDialect;
use crate::sql::hint;
use crate::sql::lexeme::{Lexeme, Lexemes};
use crate::sql::name::{position_of, start_of};

/// The tokens of one statement, without white space, and of comments only hints.
pub(super) struct Tokens {
    /// The tokens; none of them is a semicolon.
    pub(super) tokens: Vec<TokenWithSpan>,
    /// Where the last token ends.
    pub(super) end: Position,
}

/// The tokens of the only statement in `text`.
pub(super) fn one_statement(text: &str) -> Result<Tokens> {
    let mut all = Vec::new();
    Tokenizer::new(&RocksaltDialect::new(0), text)
        .tokenize_with_location_into_buf(&mut all)
        .map_err(|error| tokenizer_error(error, text))?;
    let mut tokens = Vec::with_capacity(all.len());
    let mut ended = false;
    for mut token in all {
        match token.token {
            Token::Whitespace(Whitespace::MultiLineComment(ref comment)) if !ended => {
                let behind = |verb: &&str| {
                    let last = tokens.last();
                    last.is_some_and(|last: &TokenWithSpan| is_word(&last.token, verb))
                };
                if let Some(text) = hint::text(comment) {
                    let hints = hint::index_hints(text);
                    if hint::VERBS.iter().any(behind) {
                        hints.map_err(|e| e.at(start_of(token.span)))?;
                        tokens.push(token);
                    } else if hints.is_ok_and(|hints| !hints.is_empty()) {
                        // It would do nothing, and say nothing.
                        return Err(Error::syntax(
                            "a hint stands right behind SELECT, UPDATE or DELETE",
                        )
                        .at(start_of(token.span)));
                    }
                }
            }
            Token::Whitespace(_) => {}
            Token::SemiColon => ended = !tokens.is_empty(),
            _ if ended => {
                return Err(
                    Error::invalid("only one statement can be executed in a call")
                        .at(start_of(token.span)),
                );
            }
            _ => {
                // DataFusion does not know `U&'...'`, the only form with escapes for zero bytes.
                if let Token::UnicodeStringLiteral(text) = token.token {
                    token.token = Token::SingleQuotedString(text);
                }
                tokens.push(token);
            }
        }
    }
    match tokens.last() {
        Some(last) => {
            let end = position_of(last.span.end).unwrap_or(Position { line: 1, column: 1 });
            Ok(Tokens { tokens, end })
        }
        None => Err(Error::syntax("there is no statement in the text")),
    }
}

fn tokenizer_error(error: TokenizerError, text: &str) -> Error {
    let Location { line, column } = error.location;
    let mut position = Position { line, column };
    let message = match error.message.as_str() {
        m if m.starts_with("Unterminated string literal") => "this string has no end".to_owned(),
        m if m.starts_with("Unterminated encoded string") => "this string has no end".to_owned(),
        m if m.starts_with("Unterminated dollar-quoted") => {
            "a string in dollar quotes has no end".to_owned()
        }
        m if m.starts_with("Expected close delimiter") => "this quoted name has no end".to_owned(),
        m if m.starts_with("Unexpected EOF while in a multi-line comment") => {
            // The tokenizer is at the end of the text, where nothing can be seen.
            position = open_end(text).unwrap_or(position);
            "this comment has no end".to_owned()
        }
        m => printable(&lower_first(m)),
    };
    Error::syntax(message).at(position)
}

/// Where that begins which has no end.
fn open_end(text: &str) -> Option<Position> {
    let mut lexemes = Lexemes::new(text);
    loop {
        let start = lexemes.offset();
        if lexemes.next()? == Lexeme::Open {
            return position_at(text, start);
        }
    }
}

/// The line and column of a byte.
fn position_at(text: &str, offset: usize) -> Option<Position> {
    let before = text.get(..offset)?;
    let line = before.rsplit('\n').next()?;
    Some(Position {
        line: before.matches('\n').count() as u64 + 1,
        column: line.chars().count() as u64 + 1,
    })
}

/// The text with its control characters escaped: a message is for a terminal.
pub(super) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown
}

/// The text with its first letter in lower case, unless the first word is in capitals.
pub(super) fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), second) if !second.is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// Whether a token is the unquoted word `word`, which is in capitals.
pub(super) fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(w) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case(word))
}

/// The words that join two operands, or come after one.
const OPERATORS: &[&str] = &[
    "AND",
    "AT",
    "BETWEEN",
    "COLLATE",
    "EXCEPT",
    "ILIKE",
    "IN",
    "INTERSECT",
    "IS",
    "LIKE",
    "MEMBER",
    "MINUS",
    "NOT",
    "OR",
    "OVERLAPS",
    "REGEXP",
    "RLIKE",
    "SIMILAR",
    "UNION",
    "XOR",
];

/// What the syntax tree of some tokens can be at most.
pub(super) struct Depth {
    /// How deep it is: each operator may stand over all that was before it in its parentheses, and
    /// each pair of parentheses over what is in it.
    pub(super) levels: usize,
    /// How many parentheses are open at once, those of types included.
    pub(super) nesting: usize,
    /// How often the parser may read the same text: it takes `((SELECT` after FROM for a query and
    /// for a join, and again in each one inside.
    pub(super) readings: usize,
}

/// How deep the syntax tree of the tokens can be.
pub(super) fn depth(tokens: &[TokenWithSpan]) -> Depth {
    /// What is known of one pair of parentheses: its deepest item, and the item being read.
    #[derive(Default)]
    struct Group {
        deepest: usize,
        item: usize,
        readings: usize,
    }
    let mut open: Vec<Group> = Vec::new();
    let mut group = Group::default();
    let (mut nesting, mut angles, mut parentheses) = (0, 0, 0);
    let mut readings = 1;
    // `INTERVAL INTERVAL ...`: the parser looks for the value of each in the next.
    let mut intervals = 0;
    for token in tokens {
        intervals = match &token.token {
            word if is_word(word, "INTERVAL") => intervals + 1,
            Token::Plus | Token::Minus => intervals,
            _ => 0,
        };
        nesting = nesting.max(open.len() + intervals);
        // `ARRAY<ARRAY<...`: only words stand between the brackets of nested types.
        angles = match &token.token {
            Token::Lt => angles + 1,
            Token::Word(_) => angles,
            _ => 0,
        };
        nesting = nesting.max(angles);
        match &token.token {
            Token::LParen | Token::LBracket | Token::LBrace => {
                let inside = group.readings.max(1);
                open.push(std::mem::take(&mut group));
                group.readings = inside;
                parentheses += 1;
                nesting = nesting.max(open.len());
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                let inner = group.deepest.max(group.item) + 1;
                group = open.pop().unwrap_or_default();
                group.item = group.item.max(inner);
            }
            Token::Comma => {
                group.deepest = group.deepest.max(group.item);
                group.item = 0;
            }
            Token::Word(word) if word.quote_style.is_none() => {
                if parentheses > 1 && is_query_word(&token.token) {
                    group.readings = group.readings.max(1).saturating_mul(parentheses);
                    readings = readings.max(group.readings);
                }
                if OPERATORS
                    .iter()
                    .any(|operator| word.value.eq_ignore_ascii_case(operator))
                {
                    group.item += 1;
                }
            }
            Token::Word(_) | Token::Number(..) | Token::SingleQuotedString(_) | Token::Period => {}
            _ => group.item += 1,
        }
        if token.token != Token::LParen {
            parentheses = 0;
        }
    }
    while let Some(outer) = open.pop() {
        let inner = group.deepest.max(group.item) + 1;
        group = outer;
        group.item = group.item.max(inner);
    }
    Depth {
        levels: group.deepest.max(group.item),
        nesting,
        readings,
    }
}

fn is_query_word(token: &Token) -> bool {
    ["SELECT", "WITH", "VALUES"]
        .iter()
        .any(|word| is_word(token, word))
}
