//! CREATE TABLE: a loop of our own over the columns.
//!
//! sqlparser takes `date DATE CONSTRAINT pk PRIMARY KEY (host, date)` for a column with a
//! constraint of its own; Phoenix, and with it this dialect, for the table's constraint with the
//! comma left out. A PRIMARY KEY that a parenthesis follows is the table's.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, Value, Visit, Visitor};
use sqlparser::tokenizer::Token;

use crate::error::{Error, Position, Result};
use crate::sql::data_type::sql_type;
use crate::sql::name::{Name, start_of};
use crate::sql::reader::Reader;
use crate::sql::statement::{Column, CreateTable, KeyPart};
use crate::types::SqlType;

/// What a message says of UNIQUE in a table.
pub(super) const INSTEAD_OF_UNIQUE: &str = ": CREATE UNIQUE INDEX does it";

/// The largest number of buckets: the salt is one byte.
const MAX_BUCKETS: u16 = 256;

/// What stands in for CREATE TABLE AS, as messages show it.
const INSTEAD_OF_AS: &str =
    "write CREATE TABLE with its columns and its key, then UPSERT INTO ... SELECT ...";

/// Everything after `CREATE TABLE`.
pub(super) fn create_table(reader: &mut Reader) -> Result<CreateTable> {
    let if_not_exists = reader.eat_all(&["IF", "NOT", "EXISTS"]);
    let table = reader.table_name()?;
    if reader.at("AS") || reader.at("SELECT") {
        return Err(
            reader.unsupported(format!("CREATE TABLE AS is not supported: {INSTEAD_OF_AS}"))
        );
    }
    if reader.at("LIKE") || reader.at("CLONE") {
        let word = reader.peek().to_string().to_ascii_uppercase();
        return Err(reader.unsupported(format!("CREATE TABLE {word} is not supported")));
    }
    let mut draft = Draft::default();
    reader.expect_token(&Token::LParen)?;
    loop {
        element(reader, &mut draft)?;
        if reader.eat_token(&Token::RParen) {
            break;
        }
        // The comma before the table's key may be missing.
        if !reader.eat_token(&Token::Comma) && !at_key(reader) {
            return Err(reader.expected(", or )"));
        }
    }
    let (salt_buckets, salt_columns) = properties(reader)?;
    let (columns, key_name, key) = draft.finish(reader.position())?;
    check_salt_columns(&salt_columns, &key)?;
    let create = CreateTable {
        table,
        if_not_exists,
        columns,
        key_name,
        key,
        salt_buckets,
        salt_columns,
    };
    if reader.at("AS") || reader.at("SELECT") {
        return Err(
            reader.unsupported(format!("CREATE TABLE AS is not supported: {INSTEAD_OF_AS}"))
        );
    }
    Ok(create)
}

/// The column that ALTER TABLE adds, declared as in CREATE TABLE.
pub(super) fn added_column(reader: &mut Reader) -> Result<Column> {
    let mut draft = Draft::default();
    let start = reader.position();
    column(reader, &mut draft)?;
    let key = draft.key.map(|key| key.position);
    if let Some(position) = key.or_else(|| at_key(reader).then(|| reader.position())) {
        return Err(Error::invalid(
            "a column of the primary key cannot be added: create another table and UPSERT INTO it \
             SELECT ... FROM this one",
        )
        .at(position));
    }
    match draft.columns.pop() {
        Some(column) => Ok(column.finish(false)),
        None => Err(Error::internal("a column was read and is not there").at(start)),
    }
}

/// A column or the primary key.
fn element(reader: &mut Reader, draft: &mut Draft) -> Result<()> {
    let position = reader.position();
    if at_key(reader) {
        let name = if reader.eat("CONSTRAINT") {
            Some(reader.name("the name of the key")?)
        } else {
            None
        };
        reader.expect("PRIMARY")?;
        reader.expect("KEY")?;
        let parts = reader.list(|r| {
            let column = r.name("a column of the key")?;
            Ok(KeyPart {
                column,
                descending: direction(r),
            })
        })?;
        return draft.set_key(DraftKey {
            name,
            parts,
            position,
            inline: false,
        });
    }
    let refused = [
        "UNIQUE",
        "CHECK",
        "FOREIGN",
        "INDEX",
        "EXCLUDE",
        "CONSTRAINT",
    ];
    if let Some(word) = reader.at_any(&refused)
        // A column may be called so; then a type follows.
        && (word == "CONSTRAINT" || reader.peek_nth(1) == &Token::LParen
            || is_constraint_tail(reader.peek_nth(1)))
    {
        let word = if word == "CONSTRAINT" {
            constraint_kind(reader)
        } else {
            word.to_owned()
        };
        let instead = match word.as_str() {
            "UNIQUE" => INSTEAD_OF_UNIQUE,
            "INDEX" => ": CREATE INDEX makes one",
            _ => "",
        };
        return Err(reader.unsupported(format!("{word} in CREATE TABLE is not supported{instead}")));
    }
    column(reader, draft)
}

/// Whether the table's primary key is next: `[CONSTRAINT name] PRIMARY KEY (`.
fn at_key(reader: &Reader) -> bool {
    let named = reader.at("CONSTRAINT") && matches!(reader.peek_nth(1), Token::Word(_));
    let n = if named { 2 } else { 0 };
    crate::sql::tokens::is_word(reader.peek_nth(n), "PRIMARY")
        && crate::sql::tokens::is_word(reader.peek_nth(n + 1), "KEY")
        && (named || reader.peek_nth(n + 2) == &Token::LParen)
}

fn is_constraint_tail(token: &Token) -> bool {
    crate::sql::tokens::is_word(token, "KEY") || crate::sql::tokens::is_word(token, "USING")
}

/// What `CONSTRAINT name ...` constrains.
fn constraint_kind(reader: &Reader) -> String {
    match reader.peek_nth(2) {
        Token::Word(word) => word.value.to_ascii_uppercase(),
        _ => "CONSTRAINT".to_owned(),
    }
}

fn direction(reader: &mut Reader) -> bool {
    reader.eat("DESC") || {
        reader.eat("ASC");
        false
    }
}

fn column(reader: &mut Reader, draft: &mut Draft) -> Result<()> {
    let name = reader.name("the name of a column")?;
    if reader.peek() == &Token::Period {
        return Err(reader.unsupported("column families are not supported"));
    }
    let untyped = ["PRIMARY", "NOT", "NULL", "DEFAULT", "CONSTRAINT"];
    if reader.at_any(&untyped).is_some() || !matches!(reader.peek(), Token::Word(_)) {
        return Err(reader.expected(&format!("the type of column {name}")));
    }
    let type_position = reader.position();
    let sql_type = reader
        .data_type()
        .and_then(|spelling| sql_type(&spelling))
        .map_err(|e| e.at(type_position))?;
    let mut column = DraftColumn {
        name,
        sql_type,
        null: None,
        default: None,
    };
    loop {
        let position = reader.position();
        if at_key(reader) {
            break;
        } else if reader.eat_all(&["PRIMARY", "KEY"]) {
            let part = KeyPart {
                column: column.name.clone(),
                descending: direction(reader),
            };
            draft.set_key(DraftKey {
                name: None,
                parts: vec![part],
                position,
                inline: true,
            })?;
        } else if reader.eat_all(&["NOT", "NULL"]) {
            column.declare_null(false, position)?;
        } else if reader.eat("NULL") {
            column.declare_null(true, position)?;
        } else if reader.eat("DEFAULT") {
            if column.default.is_some() {
                return Err(
                    Error::syntax(format!("column {} has two defaults", column.name)).at(position),
                );
            }
            let expr = reader.default_expr()?;
            check_default(&column.name, &expr)?;
            column.default = Some(expr);
        } else {
            break;
        }
    }
    let refused = [
        "UNIQUE",
        "CHECK",
        "REFERENCES",
        "GENERATED",
        "COLLATE",
        "AUTO_INCREMENT",
        "AUTOINCREMENT",
        "IDENTITY",
        "COMMENT",
        "CONSTRAINT",
        "CHARACTER",
        "ON",
    ];
    // Without a comma before it the table's key follows the last column.
    if !at_key(reader)
        && let Some(word) = reader.at_any(&refused)
    {
        let word = if word == "CONSTRAINT" {
            constraint_kind(reader)
        } else {
            word.to_owned()
        };
        let instead = match word.as_str() {
            "AUTO_INCREMENT" | "AUTOINCREMENT" | "IDENTITY" | "GENERATED" => ": give the values",
            "UNIQUE" => INSTEAD_OF_UNIQUE,
            _ => "",
        };
        return Err(reader.unsupported(format!("{word} of a column is not supported{instead}")));
    }
    draft.add(column)
}

/// `[SALT_BUCKETS = n [, SALT_COLUMNS = (a, b)]]`, in any order.
fn properties(reader: &mut Reader) -> Result<(Option<u16>, Vec<Name>)> {
    let (mut buckets, mut columns, mut columns_position) = (None, None, None);
    let mut first = true;
    while matches!(reader.peek(), Token::Word(_)) && !reader.at("AS") && !reader.at("SELECT")
        || reader.peek() == &Token::Comma
    {
        if !first && !reader.eat_token(&Token::Comma) {
            return Err(reader.expected(", between two properties"));
        }
        first = false;
        let position = reader.position();
        let name = reader.name("a property, SALT_BUCKETS or SALT_COLUMNS")?;
        match name.value.as_str() {
            "salt_buckets" if buckets.is_some() => {
                return Err(Error::syntax("SALT_BUCKETS is given twice").at(position));
            }
            "salt_buckets" => {
                expect_eq(reader, "SALT_BUCKETS")?;
                buckets = Some(bucket_count(reader)?);
            }
            "salt_columns" if columns.is_some() => {
                return Err(Error::syntax("SALT_COLUMNS is given twice").at(position));
            }
            "salt_columns" => {
                expect_eq(reader, "SALT_COLUMNS")?;
                if let Token::Word(word) = reader.peek() {
                    let word = word.to_string();
                    return Err(Error::syntax(format!(
                        "SALT_COLUMNS takes a list in parentheses: SALT_COLUMNS = ({word})"
                    ))
                    .at(reader.position()));
                }
                columns = Some(reader.list(|r| r.name("a key column"))?);
                columns_position = Some(position);
            }
            "with" => {
                return Err(
                    Error::syntax("properties stand without WITH: SALT_BUCKETS = n").at(position),
                );
            }
            other => {
                return Err(Error::invalid(format!(
                    "unknown property {}: a table has SALT_BUCKETS and SALT_COLUMNS",
                    other.to_ascii_uppercase()
                ))
                .at(position));
            }
        }
    }
    let buckets = buckets.filter(|&n| n > 0);
    if columns.is_some() && buckets.is_none() {
        return Err(
            Error::invalid("SALT_COLUMNS needs SALT_BUCKETS: the table is not salted")
                .at(columns_position),
        );
    }
    Ok((buckets, columns.unwrap_or_default()))
}

pub(super) fn expect_eq(reader: &mut Reader, property: &str) -> Result<()> {
    if reader.eat_token(&Token::Eq) {
        Ok(())
    } else {
        Err(reader.expected(&format!("= after {property}")))
    }
}

/// The value of SALT_BUCKETS.
pub(super) fn bucket_count(reader: &mut Reader) -> Result<u16> {
    let position = reader.position();
    let negative = reader.eat_token(&Token::Minus);
    let token = reader.next().token;
    let text = format!("{}{token}", if negative { "-" } else { "" });
    match &token {
        Token::Number(digits, false) if !negative => {
            if let Ok(n) = digits.parse::<u16>()
                && n <= MAX_BUCKETS
            {
                return Ok(n);
            }
        }
        Token::Number(..) | Token::SingleQuotedString(_) => {}
        Token::EOF => {
            return Err(Error::syntax(
                "expected a number of buckets, found the end of the statement",
            )
            .at(position));
        }
        _ => {}
    }
    Err(Error::invalid(format!(
        "SALT_BUCKETS = {text}: it must be a whole number, 1 to {MAX_BUCKETS}, or 0 for unsalted"
    ))
    .at(position))
}

fn check_salt_columns(salt: &[Name], key: &[KeyPart]) -> Result<()> {
    let mut seen = HashSet::new();
    for name in salt {
        if !key.iter().any(|part| part.column == *name) {
            return Err(Error::invalid(format!(
                "SALT_COLUMNS: {name} is no column of the primary key"
            ))
            .at(name.position));
        }
        if !seen.insert(name.value.as_str()) {
            return Err(
                Error::invalid(format!("SALT_COLUMNS: {name} stands twice")).at(name.position)
            );
        }
    }
    Ok(())
}

/// A DEFAULT stands alone: it is evaluated where there is no row, no query and no caller.
fn check_default(column: &Name, expr: &Expr) -> Result<()> {
    struct Check<'a>(&'a Name);
    impl Visitor for Check<'_> {
        type Break = Box<Error>;
        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Self::Break> {
            let message = format!("the DEFAULT of column {} cannot be a query", self.0);
            ControlFlow::Break(Box::new(Error::invalid(message)))
        }
        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Self::Break> {
            let found = match expr {
                Expr::Identifier(ident) => (ident.to_string(), ident.span),
                Expr::CompoundIdentifier(parts) => match parts.first() {
                    Some(first) => (expr.to_string(), first.span),
                    None => return ControlFlow::Continue(()),
                },
                Expr::Value(value) if matches!(value.value, Value::Placeholder(_)) => {
                    let message =
                        format!("the DEFAULT of column {} cannot have a parameter", self.0);
                    let error = Error::invalid(message).at(start_of(value.span));
                    return ControlFlow::Break(Box::new(error));
                }
                _ => return ControlFlow::Continue(()),
            };
            let message = format!(
                "the DEFAULT of column {} cannot refer to a column, {}",
                self.0, found.0
            );
            ControlFlow::Break(Box::new(Error::invalid(message).at(start_of(found.1))))
        }
    }
    match expr.visit(&mut Check(column)) {
        ControlFlow::Break(error) => Err(error.at(column.position)),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// A column while its statement is read: whether it is nullable is known when the key is.
struct DraftColumn {
    name: Name,
    sql_type: SqlType,
    null: Option<(bool, Position)>,
    default: Option<Expr>,
}

impl DraftColumn {
    fn declare_null(&mut self, nullable: bool, position: Position) -> Result<()> {
        if self.null.is_some() {
            return Err(Error::syntax(format!(
                "column {} is declared NULL or NOT NULL twice",
                self.name
            ))
            .at(position));
        }
        self.null = Some((nullable, position));
        Ok(())
    }

    fn finish(self, in_key: bool) -> Column {
        Column {
            name: self.name,
            sql_type: self.sql_type,
            nullable: self.null.map_or(!in_key, |(nullable, _)| nullable),
            default: self.default,
        }
    }
}

struct DraftKey {
    name: Option<Name>,
    parts: Vec<KeyPart>,
    position: Position,
    inline: bool,
}

#[derive(Default)]
struct Draft {
    columns: Vec<DraftColumn>,
    key: Option<DraftKey>,
}

impl Draft {
    fn add(&mut self, column: DraftColumn) -> Result<()> {
        if self.columns.iter().any(|c| c.name == column.name) {
            return Err(
                Error::invalid(format!("column {} is declared twice", column.name))
                    .at(column.name.position),
            );
        }
        self.columns.push(column);
        Ok(())
    }

    fn set_key(&mut self, key: DraftKey) -> Result<()> {
        match &self.key {
            None => {
                self.key = Some(key);
                Ok(())
            }
            Some(first) => {
                let message = if first.inline && key.inline {
                    "a second PRIMARY KEY: a key of several columns is written \
                     PRIMARY KEY (a, b) after the columns"
                } else {
                    "a second PRIMARY KEY"
                };
                Err(Error::invalid(message).at(key.position))
            }
        }
    }

    fn finish(self, end: Position) -> Result<(Vec<Column>, Option<Name>, Vec<KeyPart>)> {
        let Some(key) = self.key else {
            return Err(Error::invalid(
                "the table has no primary key: write PRIMARY KEY after the type of a column, or \
                 PRIMARY KEY (a, b) after the columns",
            )
            .at(end));
        };
        let mut seen = HashSet::new();
        for part in &key.parts {
            let name = &part.column;
            if !self.columns.iter().any(|c| c.name == *name) {
                return Err(Error::not_found(format!(
                    "the primary key names {name}, which is no column"
                ))
                .at(name.position));
            }
            if !seen.insert(name.value.clone()) {
                return Err(
                    Error::invalid(format!("the primary key names {name} twice")).at(name.position),
                );
            }
        }
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in self.columns {
            let in_key = seen.contains(&column.name.value);
            match column.null {
                Some((true, position)) if in_key && key.parts.len() == 1 => {
                    return Err(Error::invalid(format!(
                        "column {} is the whole primary key and cannot be NULL",
                        column.name
                    ))
                    .at(position));
                }
                _ => {}
            }
            columns.push(column.finish(in_key));
        }
        Ok((columns, key.name, key.parts))
    }
}
