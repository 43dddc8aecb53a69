//! COPY FROM.

use sqlparser::tokenizer::Token;

use crate::error::{Error, Position, Result};
use crate::sql::reader::Reader;
use crate::sql::statement::CopyFrom;
use crate::sql::write::columns;

/// Everything after `COPY`.
pub(super) fn copy(reader: &mut Reader) -> Result<CopyFrom> {
    if reader.peek() == &Token::LParen {
        return Err(reader.unsupported(
            "COPY of a query is not supported: write rocksalt --format csv -c 'SELECT ...' > file",
        ));
    }
    let table = reader.table_name()?;
    let columns = if reader.peek() == &Token::LParen {
        columns(reader)?
    } else {
        Vec::new()
    };
    if reader.at("TO") {
        return Err(reader.unsupported(
            "COPY TO is not supported: write rocksalt --format csv -c 'SELECT ...' > file",
        ));
    }
    reader.expect("FROM")?;
    if let Some(word) = reader.at_any(&["STDIN", "PROGRAM"]) {
        return Err(reader.unsupported(format!("COPY FROM {word} is not supported")));
    }
    let path_position = Some(reader.position());
    let path = string(reader, "the name of a file in quotes")?;
    let mut options = Options::default();
    reader.eat("WITH");
    if reader.peek() == &Token::LParen {
        reader.list(|r| option(r, &mut options))?;
    } else if matches!(reader.peek(), Token::Word(_)) {
        return Err(reader.expected("the options in parentheses: (FORMAT csv, HEADER true)"));
    }
    Ok(CopyFrom {
        table,
        columns,
        path,
        path_position,
        header: options.header.unwrap_or(true),
        delimiter: options.delimiter.unwrap_or(b','),
        null: options.null.unwrap_or_default(),
    })
}

#[derive(Default)]
struct Options {
    format: bool,
    header: Option<bool>,
    delimiter: Option<u8>,
    null: Option<String>,
}

fn option(reader: &mut Reader, options: &mut Options) -> Result<()> {
    let position = reader.position();
    let name = reader.name("an option")?.value.to_ascii_uppercase();
    let twice = match name.as_str() {
        "FORMAT" => options.format,
        "HEADER" => options.header.is_some(),
        "DELIMITER" => options.delimiter.is_some(),
        "NULL" => options.null.is_some(),
        _ => {
            return Err(Error::invalid(format!(
                "unknown option {name}: COPY has FORMAT, HEADER, DELIMITER and NULL"
            ))
            .at(position));
        }
    };
    if twice {
        return Err(Error::invalid(format!("{name} is given twice")).at(position));
    }
    let position = reader.position();
    match name.as_str() {
        "FORMAT" => {
            format(reader, position)?;
            options.format = true;
        }
        "HEADER" => options.header = Some(header(reader, position)?),
        "DELIMITER" => options.delimiter = Some(delimiter(reader, position)?),
        _ => options.null = Some(string(reader, "the text that means NULL, in quotes")?),
    }
    Ok(())
}

fn format(reader: &mut Reader, position: Position) -> Result<()> {
    let format = match reader.peek() {
        Token::Word(word) => word.value.clone(),
        Token::SingleQuotedString(text) => text.clone(),
        _ => return Err(reader.expected("a format: csv")),
    };
    if !format.eq_ignore_ascii_case("csv") {
        return Err(Error::unsupported(format!(
            "the format {format} is not supported: COPY reads csv"
        ))
        .at(position));
    }
    reader.next();
    Ok(())
}

/// HEADER alone is HEADER true.
fn header(reader: &mut Reader, position: Position) -> Result<bool> {
    let value = match reader.peek() {
        Token::Comma | Token::RParen => return Ok(true),
        Token::Word(word) => word.value.to_ascii_lowercase(),
        Token::SingleQuotedString(text) => text.to_ascii_lowercase(),
        Token::Number(digits, false) => digits.clone(),
        _ => return Err(reader.expected("true or false")),
    };
    let header = match value.as_str() {
        "true" | "on" | "1" => true,
        "false" | "off" | "0" => false,
        _ => return Err(Error::invalid("HEADER is true or false").at(position)),
    };
    reader.next();
    Ok(header)
}

fn delimiter(reader: &mut Reader, position: Position) -> Result<u8> {
    let text = string(reader, "a delimiter in quotes")?;
    match text.as_bytes() {
        br"\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | 0) => Ok(*byte),
        _ => Err(Error::invalid(
            "DELIMITER is one ASCII character, no quote and no line end ('\\t' for a tab)",
        )
        .at(position)),
    }
}

fn string(reader: &mut Reader, what: &str) -> Result<String> {
    match reader.peek() {
        Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) => {
            let text = text.clone();
            reader.next();
            Ok(text)
        }
        _ => Err(reader.expected(what)),
    }
}
