//! Rows by their keys: what is worked out for one get serves the next.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use parking_lot::Mutex;

use crate::catalog::TableDef;
use crate::codec::RowDecoder;
use crate::database::Row;
use crate::error::{Error, Result};
use crate::key::KeyLayout;
use crate::store::{Store, TableHandle};
use crate::types::{Value, assign_value};

/// Gets rows of one definition of a table.
#[derive(Debug)]
pub(super) struct RowReader {
    def: Arc<TableDef>,
    layout: KeyLayout,
    schema: SchemaRef,
    /// The columns that stand in row values, as indices into those of the table.
    stored: Vec<usize>,
    /// Decoders that no get uses now; each knows the headers of the rows that it has seen.
    decoders: Mutex<Vec<RowDecoder>>,
}

impl RowReader {
    pub(super) fn new(def: &Arc<TableDef>) -> Self {
        let stored = (0..def.columns.len()).filter(|c| def.key_position(*c).is_none());
        RowReader {
            layout: def.key_layout(),
            schema: def.arrow_schema(),
            stored: stored.collect(),
            decoders: Mutex::default(),
            def: def.clone(),
        }
    }

    /// Whether it is of this definition.
    pub(super) fn is_of(&self, def: &Arc<TableDef>) -> bool {
        Arc::ptr_eq(&self.def, def)
    }

    /// The row of a key.
    ///
    /// # Errors
    /// `Invalid` when the values are not those of a key, and those of the store.
    pub(super) fn get(
        &self,
        store: &dyn Store,
        handle: &TableHandle,
        key: &[Value],
    ) -> Result<Option<Row>> {
        let Some(typed) = self.typed(key)? else {
            return Ok(None);
        };
        let (bucket, key) = self.layout.encode(&typed)?;
        let decoder = self.decoders.lock().pop();
        let mut decoder = decoder.unwrap_or_else(|| self.decoder());
        let mut row: Option<Vec<Value>> = None;
        store.get(handle, bucket, &key, &mut |value| {
            let mut values = vec![Value::Null; self.def.columns.len()];
            // The stored bytes and not the ones given: they are the same, normalized.
            for (part, value) in self.def.key.iter().zip(self.layout.decode(&key)?) {
                values[part.column] = value;
            }
            for (column, value) in self.stored.iter().zip(decoder.decode_values(value)?) {
                values[*column] = value;
            }
            row = Some(values);
            Ok(())
        })?;
        self.decoders.lock().push(decoder);
        Ok(row.map(|values| Row::new(self.schema.clone(), values)))
    }

    /// The values in the types of the key columns; `None` if no row can have them.
    fn typed(&self, key: &[Value]) -> Result<Option<Vec<Value>>> {
        let def = &self.def;
        if key.len() != def.key.len() {
            return Err(Error::invalid(format!(
                "the key of {} has {} columns and {} given",
                def.display_name(),
                def.key.len(),
                match key.len() {
                    1 => "1 value was".to_owned(),
                    n => format!("{n} values were"),
                }
            )));
        }
        let mut typed = Vec::with_capacity(key.len());
        for (part, value) in def.key.iter().zip(key) {
            let column = &def.columns[part.column];
            let quoted = matches!(value, Value::Text(_));
            let value = assign_value(value, quoted, &column.sql_type);
            let value = value.map_err(|e| e.context(&column.name))?;
            if value.is_null() && !column.nullable {
                return Ok(None);
            }
            typed.push(value);
        }
        Ok(Some(typed))
    }

    fn decoder(&self) -> RowDecoder {
        let stored = self.stored.iter().map(|c| self.def.columns[*c].stored());
        RowDecoder::new(stored.collect())
    }
}
