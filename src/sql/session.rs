//! SET and SHOW.

use sqlparser::tokenizer::Token;

use crate::error::Result;
use crate::sql::name::Name;
use crate::sql::reader::Reader;
use crate::sql::statement::{SettingValue, Statement};

/// Everything after `SET`.
pub(super) fn set(reader: &mut Reader) -> Result<Statement> {
    let scoped = [
        "SESSION",
        "LOCAL",
        "GLOBAL",
        "TIME",
        "TRANSACTION",
        "ROLE",
        "NAMES",
    ];
    if let Some(word) = reader.at_any(&scoped)
        && matches!(reader.peek_nth(1), Token::Word(w) if !w.value.eq_ignore_ascii_case("to"))
    {
        return Err(reader.unsupported(format!(
            "SET {word} is not supported: write SET name = value"
        )));
    }
    let name = setting(reader)?;
    if !reader.eat_token(&Token::Eq) && !reader.eat("TO") {
        return Err(reader.expected("= or TO"));
    }
    if reader.eat("DEFAULT") {
        return Ok(Statement::Set { name, value: None });
    }
    let negative = reader.eat_token(&Token::Minus);
    let value = match reader.peek() {
        Token::Number(digits, false) if negative => SettingValue::Number(format!("-{digits}")),
        Token::Number(digits, false) => SettingValue::Number(digits.clone()),
        Token::SingleQuotedString(text) if !negative => SettingValue::Text(text.clone()),
        Token::Word(word) if !negative => SettingValue::Word(match word.quote_style {
            Some(_) => word.value.clone(),
            None => word.value.to_ascii_lowercase(),
        }),
        _ => return Err(reader.expected("a value: a string, a number or a word")),
    };
    reader.next();
    Ok(Statement::Set {
        name,
        value: Some(value),
    })
}

/// What other databases show, and no setting is called.
const LISTS: &[&str] = &[
    "DATABASES",
    "SCHEMAS",
    "INDEX",
    "INDEXES",
    "KEYS",
    "VIEWS",
    "FUNCTIONS",
    "TABLE",
];

/// Everything after `SHOW`.
pub(super) fn show(reader: &mut Reader) -> Result<Statement> {
    if reader.eat("TABLES") {
        return Ok(Statement::ShowTables);
    }
    if reader.eat("CREATE") {
        if !reader.at("TABLE") {
            return Err(reader.expected("TABLE"));
        }
        reader.expect("TABLE")?;
        return Ok(Statement::ShowCreateTable {
            table: reader.table_name()?,
        });
    }
    if reader.eat("ALL") {
        return Ok(Statement::Show { name: None });
    }
    if reader.at("COLUMNS") || reader.at("FIELDS") {
        return Err(reader.unsupported("SHOW COLUMNS is not supported: write DESCRIBE t"));
    }
    if let Some(word) = reader.at_any(LISTS) {
        return Err(reader.unsupported(format!(
            "SHOW {word} is not supported: write SHOW TABLES or SHOW CREATE TABLE t"
        )));
    }
    Ok(Statement::Show {
        name: Some(setting(reader)?),
    })
}

/// The name of a setting, perhaps with dots.
fn setting(reader: &mut Reader) -> Result<Name> {
    let mut name = reader.name("the name of a setting")?;
    while reader.eat_token(&Token::Period) {
        let part = reader.name("a name after the dot")?;
        name.value = format!("{}.{}", name.value, part.value);
    }
    Ok(name)
}
