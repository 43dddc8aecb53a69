//! One array of objects a result, one object a line.
//!
//! Numbers are numbers with all their digits, also those that a reader with 64-bit floats would
//! round (beyond 2^53, or a DECIMAL of 38 digits): JSON sets no limit, and a text in their place
//! would change its type with its size. Infinities and NaN, which JSON has not, are texts. Lists
//! are arrays, structures objects. A name that comes twice in a result gets a number.

use std::collections::HashSet;
use std::io::Write;

use rocksalt::arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeListArray, GenericListArray, OffsetSizeTrait, RecordBatch,
};
use rocksalt::arrow::datatypes::{DataType, Schema};
use rocksalt::{Error, ErrorKind, push_json_string};

use super::Layout;
use super::cells::Cells;
use crate::failure::Failure;

/// A result in JSON.
pub(super) struct Json {
    keys: Vec<String>,
    begun: bool,
}

impl Json {
    pub(super) fn new(schema: &Schema) -> Self {
        let names = schema.fields().iter().map(|field| field.name().as_str());
        Json {
            keys: distinct(names).iter().map(|name| quoted(name)).collect(),
            begun: false,
        }
    }
}

impl Layout for Json {
    fn rows(&mut self, batch: &RecordBatch, out: &mut dyn Write) -> Result<(), Failure> {
        let columns: Vec<Node> = batch
            .columns()
            .iter()
            .map(Node::new)
            .collect::<Result<_, _>>()?;
        let mut line = String::new();
        for row in 0..batch.num_rows() {
            line.clear();
            line.push_str(if self.begun { ",\n{" } else { "[{" });
            self.begun = true;
            write_members(&self.keys, &columns, row, &mut line)?;
            line.push('}');
            out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    fn end(&mut self, _count: u64, out: &mut dyn Write) -> Result<(), Failure> {
        Ok(out.write_all(if self.begun { b"]\n" } else { b"[]\n" })?)
    }
}

/// An array with one object that has one text.
pub(super) fn write_text(name: &str, text: &str, out: &mut dyn Write) -> Result<(), Failure> {
    Ok(writeln!(out, "[{{{}:{}}}]", quoted(name), quoted(text))?)
}

/// An array with one object that has one member, which is JSON already.
pub(super) fn write_document(name: &str, json: &str, out: &mut dyn Write) -> Result<(), Failure> {
    Ok(writeln!(out, "[{{{}:{json}}}]", quoted(name))?)
}

/// A column, or what is inside of one.
enum Node<'a> {
    Bare(Cells<'a>),
    Number(Cells<'a>),
    Text(Cells<'a>),
    List(&'a dyn Array, Box<dyn Fn(usize) -> ArrayRef + 'a>),
    Structure(&'a dyn Array, Vec<String>, Vec<Node<'a>>),
}

impl<'a> Node<'a> {
    fn new(array: &'a ArrayRef) -> Result<Node<'a>, Error> {
        fn list<O: OffsetSizeTrait>(array: &GenericListArray<O>) -> Node<'_> {
            Node::List(array, Box::new(|row| array.value(row)))
        }
        fn value_type(data_type: &DataType) -> &DataType {
            match data_type {
                DataType::Dictionary(_, inner) => value_type(inner),
                other => other,
            }
        }
        Ok(match value_type(array.data_type()) {
            DataType::List(_) => list::<i32>(array.as_list()),
            DataType::LargeList(_) => list::<i64>(array.as_list()),
            DataType::FixedSizeList(_, _) => {
                let array: &FixedSizeListArray = array.as_fixed_size_list();
                Node::List(array, Box::new(|row| array.value(row)))
            }
            DataType::Struct(fields) => {
                let array = array.as_struct();
                let names = distinct(fields.iter().map(|field| field.name().as_str()));
                let keys = names.iter().map(|name| quoted(name)).collect();
                let members = array
                    .columns()
                    .iter()
                    .map(Node::new)
                    .collect::<Result<_, _>>()?;
                Node::Structure(array, keys, members)
            }
            DataType::Boolean | DataType::Null => Node::Bare(Cells::new(array)?),
            inner if inner.is_numeric() => Node::Number(Cells::new(array)?),
            _ => Node::Text(Cells::new(array)?),
        })
    }

    fn write(&self, row: usize, line: &mut String) -> Result<(), Error> {
        let is_null = match self {
            Node::Bare(cells) | Node::Number(cells) | Node::Text(cells) => cells.is_null(row),
            Node::List(array, _) | Node::Structure(array, _, _) => array.is_null(row),
        };
        if is_null {
            line.push_str("null");
            return Ok(());
        }
        match self {
            Node::Bare(cells) => cells.write(row, line)?,
            Node::Number(cells) => {
                let from = line.len();
                cells.write(row, line)?;
                // `inf` and `NaN`.
                if line[from..]
                    .bytes()
                    .next_back()
                    .is_some_and(|b| b.is_ascii_alphabetic())
                {
                    line.insert(from, '"');
                    line.push('"');
                }
            }
            Node::Text(cells) => {
                let mut text = String::new();
                cells.write(row, &mut text)?;
                push_json_string(line, &text);
            }
            Node::List(_, values) => {
                let values = values(row);
                let values_node = Node::new(&values)?;
                line.push('[');
                for index in 0..values.len() {
                    if index > 0 {
                        line.push(',');
                    }
                    values_node.write(index, line)?;
                }
                line.push(']');
            }
            Node::Structure(_, keys, members) => {
                line.push('{');
                write_members(keys, members, row, line)?;
                line.push('}');
            }
        }
        Ok(())
    }
}

fn write_members(
    keys: &[String],
    values: &[Node<'_>],
    row: usize,
    line: &mut String,
) -> Result<(), Error> {
    if keys.len() != values.len() {
        let message = "a batch has other columns than its result";
        return Err(Error::new(ErrorKind::Internal, message));
    }
    for (index, (key, value)) in keys.iter().zip(values).enumerate() {
        if index > 0 {
            line.push(',');
        }
        line.push_str(key);
        line.push(':');
        value.write(row, line)?;
    }
    Ok(())
}

/// The names in order; one that was there already gets the first free number behind it.
fn distinct<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
    let all: HashSet<&str> = names.clone().collect();
    let mut taken: HashSet<String> = HashSet::new();
    let unused = |name: &str, taken: &HashSet<String>| {
        (1..)
            .map(|number| format!("{name}_{number}"))
            .find(|numbered| !taken.contains(numbered) && !all.contains(numbered.as_str()))
    };
    names
        .map(|name| {
            let own = match taken.contains(name) {
                true => unused(name, &taken).unwrap_or_else(|| name.to_owned()),
                false => name.to_owned(),
            };
            taken.insert(own.clone());
            own
        })
        .collect()
}

fn quoted(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 2);
    push_json_string(&mut line, text);
    line
}
