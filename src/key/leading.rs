//! The first columns of a key.

use crate::error::{Error, Result};
use crate::key::{KeyColumn, KeyLayout};

/// The first columns of a key, which it can be cut after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeadingColumns(Vec<KeyColumn>);

impl LeadingColumns {
    /// The first `columns` columns of a key.
    ///
    /// # Errors
    /// `Internal` if the key has fewer.
    pub fn of(layout: &KeyLayout, columns: usize) -> Result<Self> {
        match layout.columns().get(..columns) {
            Some(columns) => Ok(LeadingColumns(columns.to_vec())),
            None => Err(Error::internal(format!(
                "a key has no {columns} leading columns"
            ))),
        }
    }

    /// Whether it is no column at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bytes of `key`, a row key without its salt, they take.
    ///
    /// # Errors
    /// `Corrupt` if the key does not decode.
    #[inline]
    pub fn width(&self, key: &[u8]) -> Result<usize> {
        let mut rest = key;
        self.0
            .iter()
            .try_for_each(|column| column.skip(&mut rest))?;
        Ok(key.len() - rest.len())
    }
}
