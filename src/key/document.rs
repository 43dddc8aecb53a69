//! Holds `docs/format.md` to the codecs: its fenced samples are read here, encoded and decoded.

use crate::codec::{KeyColumn, RowDecoder, RowEncoder, StoredColumn};
use crate::key::{KeyLayout, Salting};
use crate::types::{SqlType, Value, assign_text};

const DOCUMENT: &str = include_str!("../../docs/format.md");

/// The fenced blocks of a kind, each as its lines.
fn blocks(kind: &str) -> Vec<Vec<&'static str>> {
    let opening = format!("```{kind}");
    let mut blocks = Vec::new();
    let mut lines = DOCUMENT.lines();
    while lines.by_ref().any(|line| line == opening) {
        blocks.push(lines.by_ref().take_while(|line| *line != "```").collect());
    }
    assert!(!blocks.is_empty(), "docs/format.md has no block of {kind}");
    blocks
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.split([' ', '|'])
        .filter(|byte| !byte.is_empty())
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

fn value(text: &str, sql_type: &SqlType) -> Value {
    match text {
        "NULL" => Value::Null,
        text => assign_text(&text.replace("\\0", "\0"), sql_type).unwrap(),
    }
}

/// `type [NULL] [DESC]`
fn key_column(text: &str) -> KeyColumn {
    let (text, descending) = cut(text, " DESC");
    let (text, nullable) = cut(text, " NULL");
    let sql_type = SqlType::parse_stored(text).unwrap_or_else(|| panic!("no type: {text}"));
    KeyColumn {
        sql_type,
        nullable,
        descending,
    }
}

fn cut<'a>(text: &'a str, word: &str) -> (&'a str, bool) {
    text.strip_suffix(word)
        .map_or((text, false), |text| (text, true))
}

#[test]
fn key_columns_are_as_documented() {
    for line in blocks("key-column").concat() {
        let [column, text, hex] = line.splitn(3, " = ").collect::<Vec<_>>()[..] else {
            panic!("not a sample: {line}");
        };
        let column = key_column(column);
        let value = value(text, &column.sql_type);
        let mut encoded = Vec::new();
        column.encode_value(&value, &mut encoded).unwrap();
        assert_eq!(encoded, bytes(hex), "{line}");
        let mut rest = encoded.as_slice();
        let decoded = column.decode_value(&mut rest).unwrap();
        assert!(rest.is_empty(), "{line}");
        assert_eq!(decoded.to_string(), value.to_string(), "{line}");
    }
}

#[test]
fn salts_are_as_documented() {
    for line in blocks("salt").concat() {
        let (hashed, rest) = line.split_once(" mod ").unwrap();
        let (buckets, salt) = rest.split_once(" = ").unwrap();
        let salting = Salting::new(buckets.parse().unwrap(), None);
        assert_eq!(
            salting.bucket(&bytes(hashed)),
            salt.parse::<u8>().unwrap(),
            "{line}"
        );
    }
}

#[test]
fn row_keys_are_as_documented() {
    for line in blocks("row-key").concat() {
        let [head, texts, hex] = line.splitn(3, " = ").collect::<Vec<_>>()[..] else {
            panic!("not a sample: {line}");
        };
        let (columns, salting) = match head.strip_suffix(" unsalted") {
            Some(columns) => (columns, None),
            None => {
                let (columns, salting) = head.split_once(" salted (").unwrap();
                let (places, buckets) = salting.split_once(") into ").unwrap();
                let places = places
                    .split(", ")
                    .map(|n| n.parse::<usize>().unwrap() - 1)
                    .collect();
                (
                    columns,
                    Some(Salting::new(buckets.parse().unwrap(), Some(places))),
                )
            }
        };
        let columns: Vec<KeyColumn> = columns.split(", ").map(key_column).collect();
        let values: Vec<Value> = texts
            .split(", ")
            .zip(&columns)
            .map(|(text, column)| value(text, &column.sql_type))
            .collect();
        let is_salted = salting.is_some();
        let layout = KeyLayout::new(columns, salting);
        let (bucket, key) = layout.encode(&values).unwrap();
        let (salt, rest) = hex.split_once('|').unwrap();
        let salt_byte = is_salted.then_some(bucket);
        assert_eq!(Vec::from_iter(salt_byte), bytes(salt), "{line}");
        assert_eq!(key, bytes(rest), "{line}");
        assert_eq!(layout.decode(&key).unwrap(), values, "{line}");
    }
}

#[test]
fn row_values_are_as_documented() {
    for block in blocks("row-value") {
        let (hex, columns) = block.split_last().unwrap();
        let mut encoder_columns = Vec::new();
        let mut wanted = Vec::new();
        let mut values = Vec::new();
        for line in columns {
            let (column, text) = line.split_once(" = ").unwrap();
            let (id, sql_type) = column.split_once(' ').unwrap();
            let id = id.parse().unwrap();
            let sql_type = key_column(sql_type).sql_type;
            encoder_columns.push((id, sql_type));
            wanted.push(StoredColumn {
                id,
                sql_type,
                missing: Value::Null,
            });
            values.push(value(text, &sql_type));
        }
        let mut encoded = Vec::new();
        RowEncoder::new(encoder_columns)
            .encode_values(&values, &mut encoded)
            .unwrap();
        assert_eq!(encoded, bytes(hex), "{block:?}");
        let decoded = RowDecoder::new(wanted).decode_values(&encoded).unwrap();
        let text = |values: &[Value]| values.iter().map(Value::to_string).collect::<Vec<_>>();
        assert_eq!(text(&decoded), text(&values), "{block:?}");
    }
}
