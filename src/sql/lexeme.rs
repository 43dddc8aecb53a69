//! Text cut just fine enough to find the semicolons that end statements.
//!
//! Unlike sqlparser's tokenizer it makes no tokens and never fails: what has no end runs to the
//! end of the text. Where the tokenizer succeeds, both see the same semicolons.

/// What a piece of text is, as far as the end of a statement is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lexeme {
    /// White space or a comment.
    Space,
    /// `;`
    Semicolon,
    /// Anything else.
    Other,
    /// A string, a quoted name or a comment without an end.
    Open,
}

/// The lexemes of a text, from left to right.
pub(super) struct Lexemes<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexemes<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lexemes { text, at: 0 }
    }

    /// Where the next lexeme begins.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn step(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn eat_while(&mut self, mut belongs: impl FnMut(char) -> bool) -> usize {
        let start = self.at;
        while self.peek().is_some_and(&mut belongs) {
            self.step();
        }
        self.at - start
    }

    /// Steps behind the next `end`.
    fn eat_through(&mut self, end: &str) -> Lexeme {
        match self.rest().find(end) {
            Some(found) => {
                self.at += found + end.len();
                Lexeme::Other
            }
            None => self.open(),
        }
    }

    fn open(&mut self) -> Lexeme {
        self.at = self.text.len();
        Lexeme::Open
    }

    /// After an opening quote: to the closing one, where a doubled one is part of the text.
    fn quoted(&mut self, quote: char, backslash: bool) -> Lexeme {
        while let Some(c) = self.step() {
            if c == '\\' && backslash {
                self.step();
            } else if c == quote {
                if self.peek() != Some(quote) {
                    return Lexeme::Other;
                }
                self.step();
            }
        }
        Lexeme::Open
    }

    fn line_comment(&mut self) -> Lexeme {
        self.eat_while(|c| c != '\n');
        self.step();
        Lexeme::Space
    }

    fn block_comment(&mut self) -> Lexeme {
        let mut depth = 1;
        while depth > 0 {
            if self.eat("/*") {
                depth += 1;
            } else if self.eat("*/") {
                depth -= 1;
            } else if self.step().is_none() {
                return Lexeme::Open;
            }
        }
        Lexeme::Space
    }

    /// After `$`: a string in dollar quotes, or a parameter.
    fn dollar(&mut self) -> Lexeme {
        if self.eat("$") {
            return self.eat_through("$$");
        }
        let start = self.at;
        self.eat_while(|c| c.is_alphanumeric() || c == '_');
        let tag = self.text.get(start..self.at).unwrap_or_default();
        if self.eat("$") {
            self.eat_through(&format!("${tag}$"))
        } else {
            Lexeme::Other
        }
    }

    /// After the first letter of a word, which may be the prefix of a string.
    fn word(&mut self, first: char) -> Lexeme {
        let quote = self.peek().filter(|c| matches!(c, '\'' | '"'));
        match (first.to_ascii_lowercase(), quote) {
            ('b', Some(quote)) => {
                self.step();
                self.quoted(quote, false)
            }
            ('r', Some(quote)) => self.raw(quote),
            ('n', Some('\'')) => {
                self.step();
                self.quoted('\'', false)
            }
            ('e' | 'x', Some('\'')) => {
                self.step();
                self.quoted('\'', true)
            }
            ('u', _) if self.eat("&'") => self.quoted('\'', false),
            _ => {
                self.eat_while(is_word_part);
                Lexeme::Other
            }
        }
    }

    /// `R'...'` and `R'''...'''`
    fn raw(&mut self, quote: char) -> Lexeme {
        let three: String = [quote; 3].iter().collect();
        if self.eat(&three) {
            return self.eat_through(&three);
        }
        self.step();
        if self.peek() == Some(quote) {
            self.step();
            return Lexeme::Other;
        }
        self.quoted(quote, false)
    }

    /// After the first character of a number, or a dot.
    fn number(&mut self, first: char) -> Lexeme {
        let mut digits = 0;
        if first != '.' {
            digits = 1 + self.eat_while(|c| c.is_ascii_digit());
            if first == '0' && digits == 1 && self.eat("x") {
                self.eat_while(|c| c.is_ascii_hexdigit());
                return Lexeme::Other;
            }
            if self.eat(".") {
                digits += self.eat_while(|c| c.is_ascii_digit());
            }
        } else {
            digits += self.eat_while(|c| c.is_ascii_digit());
        }
        if digits > 0 {
            self.exponent();
            self.eat("L");
        }
        Lexeme::Other
    }

    fn exponent(&mut self) {
        let start = self.at;
        if self.eat("e") || self.eat("E") {
            if !self.eat("+") {
                self.eat("-");
            }
            if self.eat_while(|c| c.is_ascii_digit()) == 0 {
                self.at = start;
            }
        }
    }

    /// After `#` or `@`, which begin an operator or a word.
    fn sign(&mut self, first: char) -> Lexeme {
        match self.peek() {
            Some('-' | '>') if first == '#' => {
                self.step();
            }
            Some('>' | '?') if first == '@' => {
                self.step();
            }
            Some('@') if first == '@' => {
                self.step();
                if self.peek().is_some_and(|c| c != ' ') {
                    self.step();
                    self.eat_while(is_word_part);
                }
            }
            None | Some(' ') => {}
            Some('\'' | '"' | '`') if first == '@' => {}
            Some(_) => {
                self.step();
                self.eat_while(is_word_part);
            }
        }
        Lexeme::Other
    }
}

impl Iterator for Lexemes<'_> {
    type Item = Lexeme;

    fn next(&mut self) -> Option<Lexeme> {
        let first = self.step()?;
        Some(match first {
            ';' => Lexeme::Semicolon,
            '\'' | '"' | '`' => self.quoted(first, false),
            '-' if self.eat("-") => self.line_comment(),
            '/' if self.eat("*") => self.block_comment(),
            // Operators whose second half could begin something else.
            '/' => {
                self.eat("/");
                Lexeme::Other
            }
            '|' => {
                if !self.eat("/") && self.eat("|") {
                    self.eat("/");
                }
                Lexeme::Other
            }
            '^' | '<' => {
                self.eat("@");
                Lexeme::Other
            }
            '$' => self.dollar(),
            '#' | '@' => self.sign(first),
            '0'..='9' | '.' => self.number(first),
            c if c.is_alphabetic() || c == '_' => self.word(c),
            c if c.is_whitespace() => {
                self.eat_while(char::is_whitespace);
                Lexeme::Space
            }
            _ => Lexeme::Other,
        })
    }
}

fn is_word_part(c: char) -> bool {
    c.is_alphabetic() || c.is_ascii_digit() || matches!(c, '@' | '$' | '#' | '_')
}
