//! The columns of a row key and how they are salted.

use crate::codec::{ColumnReader, KeyColumn};
use crate::error::{Error, Result};
use crate::key::Salting;
use crate::types::Value;

/// The columns of a row key in key order, and their salting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyLayout {
    columns: Vec<KeyColumn>,
    salting: Option<Salting>,
}

impl KeyLayout {
    /// The layout of a key of these columns.
    pub fn new(columns: Vec<KeyColumn>, salting: Option<Salting>) -> Self {
        KeyLayout { columns, salting }
    }

    /// The key columns, in key order.
    pub fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    /// How the key is salted, if it is.
    pub fn salting(&self) -> Option<&Salting> {
        self.salting.as_ref()
    }

    /// How many buckets there are: 1 for an unsalted table.
    pub fn buckets(&self) -> u16 {
        self.salting.as_ref().map_or(1, Salting::buckets)
    }

    /// The key columns that are hashed, ascending: none of an unsalted table.
    pub fn salt_columns(&self) -> Vec<usize> {
        match &self.salting {
            None => Vec::new(),
            Some(salting) => match salting.columns() {
                Some(columns) => columns.to_vec(),
                None => (0..self.columns.len()).collect(),
            },
        }
    }

    /// Appends the key columns `values`, or a prefix of them, without the salt byte. The values
    /// have the column's own types; NULL in a NOT NULL column is a `Constraint` error.
    pub fn encode_prefix(&self, values: &[Value], out: &mut Vec<u8>) -> Result<()> {
        if values.len() > self.columns.len() {
            return Err(Error::internal(format!(
                "{} values in a key of {} columns",
                values.len(),
                self.columns.len()
            )));
        }
        self.columns
            .iter()
            .zip(values)
            .try_for_each(|(column, value)| column.encode_value(value, out))
    }

    /// The bucket and the row key (without salt byte) of a full key.
    pub fn encode(&self, values: &[Value]) -> Result<(u8, Vec<u8>)> {
        let mut key = Vec::new();
        let bucket = self.encode_into(values, &mut key)?;
        Ok((bucket, key))
    }

    /// Appends the row key (without salt byte) of a full key; its bucket.
    pub fn encode_into(&self, values: &[Value], out: &mut Vec<u8>) -> Result<u8> {
        if values.len() < self.columns.len() {
            return Err(Error::internal(format!(
                "{} values are not a key of {} columns",
                values.len(),
                self.columns.len()
            )));
        }
        let start = out.len();
        self.encode_prefix(values, out)?;
        self.bucket_of(&out[start..])
    }

    /// Appends the row key (without salt byte) of row `row` of these arrays, one for each key
    /// column; its bucket. What [`encode_into`](KeyLayout::encode_into) is for values.
    pub fn encode_row(
        &self,
        columns: &[ColumnReader<'_>],
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<u8> {
        if columns.len() != self.columns.len() {
            return Err(Error::internal(format!(
                "{} arrays are not a key of {} columns",
                columns.len(),
                self.columns.len()
            )));
        }
        let start = out.len();
        for (column, array) in self.columns.iter().zip(columns) {
            column.encode_at(array, row, out)?;
        }
        self.bucket_of(&out[start..])
    }

    /// The bucket of all rows whose salt columns have these values, given in key order. An
    /// unsalted table has none of them.
    pub fn bucket_of_salt(&self, values: &[Value]) -> Result<u8> {
        let salt_columns = self.salt_columns();
        if values.len() != salt_columns.len() {
            return Err(Error::internal(format!(
                "{} values for {} salt columns",
                values.len(),
                salt_columns.len()
            )));
        }
        let mut salt = Vec::new();
        for (column, value) in salt_columns.iter().zip(values) {
            self.columns[*column].encode_value(value, &mut salt)?;
        }
        Ok(self
            .salting
            .as_ref()
            .map_or(0, |salting| salting.bucket(&salt)))
    }

    /// The bucket of an encoded row key (without salt byte). A key that does not decode is
    /// `Corrupt`.
    pub fn bucket_of(&self, key: &[u8]) -> Result<u8> {
        let Some(salting) = &self.salting else {
            return Ok(0);
        };
        let Some(salt_columns) = salting.columns() else {
            return Ok(salting.bucket(key));
        };
        // Bytes of the salt columns seen so far. While these are adjacent they are a piece of the
        // key, and nothing is copied.
        let mut piece = 0..0;
        let mut salt = Vec::new();
        let mut left = salt_columns;
        let mut rest = key;
        for (i, column) in self.columns.iter().enumerate() {
            let Some((next, others)) = left.split_first() else {
                break;
            };
            let start = key.len() - rest.len();
            column.skip(&mut rest)?;
            if i != *next {
                continue;
            }
            left = others;
            let end = key.len() - rest.len();
            if piece.is_empty() {
                piece = start..end;
            } else if piece.end == start {
                piece.end = end;
            } else {
                salt.extend_from_slice(&key[piece]);
                piece = start..end;
            }
        }
        if salt.is_empty() {
            return Ok(salting.bucket(&key[piece]));
        }
        salt.extend_from_slice(&key[piece]);
        Ok(salting.bucket(&salt))
    }

    /// A key as messages show it: its values in parentheses. A key that does not decode is
    /// `Corrupt`.
    pub fn key_text(&self, key: &[u8]) -> Result<String> {
        let values = self.decode(key)?;
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        Ok(format!("({})", values.join(", ")))
    }

    /// The values of an encoded row key (without salt byte), in key order. A key that does not
    /// decode, or has bytes after its last column, is `Corrupt`.
    pub fn decode(&self, key: &[u8]) -> Result<Vec<Value>> {
        let mut rest = key;
        let values = self
            .columns
            .iter()
            .map(|column| column.decode_value(&mut rest))
            .collect::<Result<Vec<_>>>()?;
        if !rest.is_empty() {
            return Err(Error::corrupt(format!(
                "a key has {} bytes after its last column",
                rest.len()
            )));
        }
        Ok(values)
    }
}
