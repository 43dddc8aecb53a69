//! Row keys and row values into record batches.

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;

use crate::codec::{KeyColumn, RowDecoder, StoredColumn};
use crate::error::{Error, Result};
use crate::types::{ColumnBuilder, SqlType};

/// Where a column of a batch comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnSource {
    /// The row key: the place of the column in it.
    Key(usize),
    /// The row value.
    Stored(StoredColumn),
}

/// Decodes the wanted columns of rows into a record batch: what every scan writes to.
///
/// Key columns that nobody wants are stepped over, and those after the last wanted one are not
/// looked at; row values not at all, if no column is in them.
#[derive(Debug)]
pub struct BatchDecoder {
    schema: SchemaRef,
    key_steps: Vec<KeyStep>,
    stored: RowDecoder,
    /// For each column of `stored`, its place in the batch.
    stored_targets: Vec<usize>,
    builders: Vec<ColumnBuilder>,
    row_size: usize,
    rows: usize,
    /// The key of the row that was pushed or passed last, for a reader that must be able to go on after it.
    last_key: Option<Vec<u8>>,
}

/// A key column on the way to the last one that is wanted.
#[derive(Debug)]
struct KeyStep {
    column: KeyColumn,
    targets: Vec<usize>,
}

impl BatchDecoder {
    /// A decoder of batches of `schema`, whose columns come from `sources`, one for each field;
    /// `key` are all key columns in key order. A schema without columns gives batches that only
    /// count rows.
    ///
    /// # Errors
    /// `Internal` if the schema's types are not those of the sources.
    pub fn new(schema: SchemaRef, key: Vec<KeyColumn>, sources: Vec<ColumnSource>) -> Result<Self> {
        let mut key_steps: Vec<KeyStep> = Vec::new();
        let (mut stored, mut stored_targets) = (Vec::new(), Vec::new());
        let mut types: Vec<SqlType> = Vec::with_capacity(sources.len());
        for (target, source) in sources.into_iter().enumerate() {
            match source {
                ColumnSource::Key(place) => {
                    let Some(wanted) = key.get(place) else {
                        return Err(Error::internal(format!("the key has no column {place}")));
                    };
                    types.push(wanted.sql_type);
                    for column in key.iter().take(place + 1).skip(key_steps.len()) {
                        key_steps.push(KeyStep {
                            column: *column,
                            targets: Vec::new(),
                        });
                    }
                    key_steps[place].targets.push(target);
                }
                ColumnSource::Stored(column) => {
                    types.push(column.sql_type);
                    stored.push(column);
                    stored_targets.push(target);
                }
            }
        }
        let expected = schema
            .fields()
            .iter()
            .map(|field| field.data_type().clone());
        if !expected.eq(types.iter().map(SqlType::arrow)) {
            return Err(Error::internal(
                "a schema whose types are not those of its columns",
            ));
        }
        let fixed = |sql_type: &SqlType| super::key_column::fixed_width(sql_type).unwrap_or(4);
        Ok(BatchDecoder {
            schema,
            key_steps,
            stored: RowDecoder::new(stored),
            stored_targets,
            row_size: types.iter().map(fixed).sum(),
            builders: types.iter().map(|t| ColumnBuilder::new(*t, 0)).collect(),
            rows: 0,
            last_key: None,
        })
    }

    /// Keeps the key of the row that is pushed or passed last, over all batches.
    pub fn keep_last_key(&mut self) {
        self.last_key = Some(Vec::new());
    }

    /// Takes note of a row that is not decoded, if last keys are kept.
    #[inline]
    pub fn pass(&mut self, key_without_salt: &[u8]) {
        if let Some(last) = &mut self.last_key {
            last.clear();
            last.extend_from_slice(key_without_salt);
        }
    }

    /// The key of the row that was pushed or passed last, without salt byte; empty before that and
    /// `None` if it is not kept.
    pub fn last_key(&self) -> Option<&[u8]> {
        self.last_key.as_deref()
    }

    /// Whether [`push`](BatchDecoder::push) looks at row values at all.
    pub fn needs_value(&self) -> bool {
        !self.stored_targets.is_empty()
    }

    /// Decodes a row. After an error the rows of this batch are lost: `finish` it and go no
    /// further.
    #[inline]
    pub fn push(&mut self, key_without_salt: &[u8], value: &[u8]) -> Result<()> {
        let mut rest = key_without_salt;
        for step in &self.key_steps {
            match step.targets.as_slice() {
                [] => step.column.skip(&mut rest)?,
                targets => {
                    let start = rest;
                    for target in targets {
                        rest = start;
                        step.column
                            .decode_into(&mut rest, &mut self.builders[*target])?;
                    }
                }
            }
        }
        if !self.stored_targets.is_empty() {
            let (builders, targets) = (&mut self.builders, &self.stored_targets);
            self.stored.decode_cells(value, |column, cell| {
                builders[targets[column]].append_cell(cell)
            })?;
        }
        self.rows += 1;
        self.pass(key_without_salt);
        Ok(())
    }

    /// How many rows were pushed since the last batch.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// The size of the batch so far, in bytes.
    pub fn bytes(&self) -> usize {
        let variable: usize = self
            .builders
            .iter()
            .map(ColumnBuilder::variable_bytes)
            .sum();
        self.rows * self.row_size + variable
    }

    /// The rows pushed since the last batch, as a batch; then the decoder begins the next one.
    /// Text that is not UTF-8 is `Corrupt`.
    pub fn finish(&mut self) -> Result<RecordBatch> {
        let rows = std::mem::take(&mut self.rows);
        // All of them, so that an error leaves none with rows of a lost batch.
        let columns: Vec<_> = self
            .builders
            .iter_mut()
            .map(ColumnBuilder::finish)
            .collect();
        let columns = columns.into_iter().collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .map_err(|e| Error::corrupt("rows that are no batch").with_source(e))
    }
}
