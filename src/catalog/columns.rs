//! Columns that come, go and change their name.
//!
//! Rows are not touched: they know columns by id. A column that a row lacks reads as
//! [`ColumnDef::missing`], one that the table lacks is not found in the row by anybody.

use crate::catalog::{ColumnDef, TableDef};
use crate::error::{Error, Result};

impl TableDef {
    /// Adds a column after the others. It gets an id that none had before, in the place of what
    /// stands there.
    ///
    /// # Errors
    /// [`AlreadyExists`](crate::ErrorKind::AlreadyExists) for a name that is taken,
    /// [`Limit`](crate::ErrorKind::Limit) when no id is left.
    pub fn add_column(&mut self, mut column: ColumnDef) -> Result<()> {
        self.refuse_name(&column.name)?;
        column.id = u16::try_from(self.next_column_id).map_err(|_| {
            Error::limit(format!(
                "{} has had {} columns, no id is left for another",
                self.display_name(),
                u16::MAX
            ))
        })?;
        self.next_column_id += 1;
        self.columns.push(column);
        Ok(())
    }

    /// Drops a column, an index into the columns.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for a column of the key.
    pub fn drop_column(&mut self, column: usize) -> Result<()> {
        if self.key_position(column).is_some() {
            return Err(Error::invalid(format!(
                "column {} is in the primary key of {} and cannot be dropped",
                self.columns[column].name,
                self.display_name()
            )));
        }
        self.columns.remove(column);
        for part in &mut self.key {
            part.column -= usize::from(part.column > column);
        }
        Ok(())
    }

    /// Gives a column, an index into the columns, another name.
    ///
    /// # Errors
    /// [`AlreadyExists`](crate::ErrorKind::AlreadyExists) for a name that is taken.
    pub fn rename_column(&mut self, column: usize, name: &str) -> Result<()> {
        self.refuse_name(name)?;
        self.columns[column].name = name.to_owned();
        Ok(())
    }

    fn refuse_name(&self, name: &str) -> Result<()> {
        match self.find_column(name) {
            None => Ok(()),
            Some(_) => Err(Error::already_exists(format!(
                "{} has a column {name}",
                self.display_name()
            ))),
        }
    }
}
