//! Parameters: `?`, `$1` and `:name`, numbered before the text is parsed.
//!
//! DataFusion takes every `?` for one and the same parameter, and sqlparser reads `:name` in some
//! places and not in others; in the token stream both are unambiguous.

use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use crate::error::{Error, Position, Result};
use crate::sql::name::start_of;

/// The largest number of parameters of one statement.
const MAX_PARAMETERS: usize = 65_535;

/// How a statement writes its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterStyle {
    /// `?`
    Question,
    /// `$1`
    Dollar,
    /// `:name`
    Named,
}

impl ParameterStyle {
    fn example(self) -> &'static str {
        match self {
            ParameterStyle::Question => "?",
            ParameterStyle::Dollar => "$1",
            ParameterStyle::Named => ":name",
        }
    }
}

/// The parameters of a statement. In its syntax tree they are `$1`, `$2`, ..., however they were
/// written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    style: Option<ParameterStyle>,
    names: Vec<String>,
    positions: Vec<Option<Position>>,
}

impl Parameters {
    /// How many values the statement takes.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether it takes none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// How the parameters are written, if there are any.
    pub fn style(&self) -> Option<ParameterStyle> {
        self.style
    }

    /// The names of `:name` parameters, exactly as written, in the order of their numbers: the
    /// first is `$1`. Empty in the other styles.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Where parameter `index` (from 0) first stands.
    pub fn position(&self, index: usize) -> Option<Position> {
        *self.positions.get(index)?
    }

    /// The parameter as it is written: `$2`, `:name`, and `?` as `$2` too.
    pub fn display_name(&self, index: usize) -> String {
        match self.names.get(index) {
            Some(name) => format!(":{name}"),
            None => format!("${}", index + 1),
        }
    }

    fn use_style(&mut self, style: ParameterStyle, span: Span) -> Result<()> {
        match self.style {
            Some(first) if first != style => Err(Error::invalid(format!(
                "parameters are written in two styles, {} and {}",
                first.example(),
                style.example()
            ))
            .at(start_of(span))),
            _ => {
                self.style = Some(style);
                Ok(())
            }
        }
    }

    /// Notes that parameter `number` (from 1) stands at `span`.
    fn note(&mut self, number: usize, span: Span) -> Result<()> {
        if number > MAX_PARAMETERS {
            return Err(Error::limit(format!(
                "a statement takes at most {MAX_PARAMETERS} parameters"
            ))
            .at(start_of(span)));
        }
        if self.positions.len() < number {
            self.positions.resize(number, None);
        }
        if let Some(slot) = self.positions.get_mut(number - 1) {
            *slot = slot.or(start_of(span));
        }
        Ok(())
    }
}

/// Numbers the parameters among `tokens`: each becomes one placeholder token `$n`.
pub(super) fn number(tokens: Vec<TokenWithSpan>) -> Result<(Vec<TokenWithSpan>, Parameters)> {
    let mut parameters = Parameters::default();
    let mut numbered: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut rest = tokens.into_iter().peekable();
    while let Some(TokenWithSpan { token, span }) = rest.next() {
        let (number, span) = match token {
            Token::Placeholder(text) => (placeholder(&mut parameters, &text, span)?, span),
            Token::Colon if !ends_operand_at(numbered.last(), span) => {
                match rest.next_if(|next| next.span.start == span.end && is_name(&next.token)) {
                    Some(TokenWithSpan {
                        token: Token::Word(word),
                        span: end,
                    }) => {
                        let span = Span::new(span.start, end.end);
                        (named(&mut parameters, word.value, span)?, span)
                    }
                    _ => {
                        numbered.push(TokenWithSpan { token, span });
                        continue;
                    }
                }
            }
            _ => {
                numbered.push(TokenWithSpan { token, span });
                continue;
            }
        };
        numbered.push(TokenWithSpan {
            token: Token::Placeholder(format!("${number}")),
            span,
        });
    }
    if let Some(gap) = parameters.positions.iter().position(Option::is_none) {
        let last = parameters.len();
        return Err(Error::invalid(format!(
            "the statement has a parameter ${last} and none that is ${}",
            gap + 1
        ))
        .at(parameters.position(last - 1)));
    }
    Ok((numbered, parameters))
}

fn placeholder(parameters: &mut Parameters, text: &str, span: Span) -> Result<usize> {
    let number = match text.strip_prefix('$') {
        None if text == "?" => {
            parameters.use_style(ParameterStyle::Question, span)?;
            parameters.len() + 1
        }
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            parameters.use_style(ParameterStyle::Dollar, span)?;
            // More digits than a usize holds are too many parameters as well.
            match digits.parse::<usize>().unwrap_or(usize::MAX) {
                0 => {
                    return Err(Error::invalid("parameters are counted from $1").at(start_of(span)));
                }
                number => number,
            }
        }
        _ => {
            return Err(
                Error::syntax(format!("'{text}' is no parameter: write ?, $1 or :name"))
                    .at(start_of(span)),
            );
        }
    };
    parameters.note(number, span)?;
    Ok(number)
}

fn named(parameters: &mut Parameters, name: String, span: Span) -> Result<usize> {
    parameters.use_style(ParameterStyle::Named, span)?;
    let known = parameters.names.iter().position(|known| *known == name);
    let number = known.unwrap_or(parameters.names.len()) + 1;
    parameters.note(number, span)?;
    if known.is_none() {
        parameters.names.push(name);
    }
    Ok(number)
}

fn is_name(token: &Token) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none())
}

/// Whether `token` ends an operand and touches what begins at `span`: in `a[1:n]`, `{'k':v}` and
/// `doc:field` the colon is an operator.
fn ends_operand_at(token: Option<&TokenWithSpan>, span: Span) -> bool {
    token.is_some_and(|before| {
        before.span.end == span.start
            && !matches!(
                before.token,
                Token::LParen
                    | Token::LBracket
                    | Token::LBrace
                    | Token::Comma
                    | Token::Eq
                    | Token::DoubleEq
                    | Token::Neq
                    | Token::Lt
                    | Token::Gt
                    | Token::LtEq
                    | Token::GtEq
                    | Token::Plus
                    | Token::Minus
                    | Token::Mul
                    | Token::Div
                    | Token::Mod
                    | Token::StringConcat
                    | Token::Ampersand
                    | Token::Pipe
                    | Token::Caret
                    | Token::Tilde
                    | Token::ShiftLeft
                    | Token::ShiftRight
                    | Token::RArrow
                    | Token::Colon
            )
    })
}
