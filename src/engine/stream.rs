//! The rows of a query as a stream for any executor.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, FieldRef, Fields, Schema, SchemaRef};
use datafusion::execution::SendableRecordBatchStream;
use futures::future::BoxFuture;
use futures::{FutureExt, Stream};

use crate::engine::Engine;
use crate::engine::bind::column_names::ColumnNames;
use crate::engine::error::from_datafusion;
use crate::engine::verify::Verifier;
use crate::error::Result;

/// The rows of a query. Dropping it ends the query.
pub(crate) struct RowStream {
    schema: SchemaRef,
    source: Source,
    /// What is still to be done when the last row was returned; its error is the last item.
    verification: Option<BoxFuture<'static, Result<()>>>,
}

enum Source {
    /// The rows are there.
    Batch(Option<RecordBatch>),
    /// DataFusion makes them. Its operators spawn tasks, on the runtime of the engine whatever
    /// executor polls the stream.
    /// `converts`: columns of theirs have types or names that no column of ours has.
    Running {
        stream: SendableRecordBatchStream,
        engine: Engine,
        converts: bool,
    },
    Ended,
}

impl RowStream {
    pub(crate) fn of(batch: RecordBatch) -> Self {
        RowStream {
            schema: batch.schema(),
            source: Source::Batch(Some(batch)),
            verification: None,
        }
    }

    pub(super) fn running(stream: SendableRecordBatchStream, engine: Engine) -> Self {
        let made = stream.schema();
        let schema = plain_schema(&made);
        let converts = !Arc::ptr_eq(&schema, &made);
        RowStream {
            schema,
            source: Source::Running {
                stream,
                engine,
                converts,
            },
            verification: None,
        }
    }

    /// The same rows, verified after the last of them.
    pub(super) fn verified_by(mut self, verifier: Option<Arc<Verifier>>) -> Self {
        self.verification = verifier.map(|verifier| verifier.finish().boxed());
        self
    }

    /// The same rows, their columns called otherwise.
    pub(super) fn named(mut self, names: &ColumnNames) -> Result<Self> {
        if names.is_empty() {
            return Ok(self);
        }
        self.schema = names.rename(&self.schema);
        match &mut self.source {
            Source::Batch(Some(batch)) => *batch = convert(batch, &self.schema)?,
            Source::Running { converts, .. } => *converts = true,
            Source::Batch(None) | Source::Ended => {}
        }
        Ok(self)
    }

    /// The columns of every batch.
    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl Stream for RowStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let schema = self.schema.clone();
        match &mut self.source {
            Source::Batch(batch) => match batch.take().filter(|batch| batch.num_rows() > 0) {
                Some(batch) => Poll::Ready(Some(Ok(batch))),
                None => self.poll_end(context),
            },
            Source::Running {
                stream,
                engine,
                converts,
            } => {
                let polled = {
                    let _runtime = engine.runtime().enter();
                    stream.as_mut().poll_next(context)
                };
                match polled {
                    Poll::Pending => Poll::Pending,
                    Poll::Ready(Some(Ok(batch))) => Poll::Ready(Some(match converts {
                        true => convert(&batch, &schema),
                        false => Ok(batch),
                    })),
                    Poll::Ready(Some(Err(error))) => {
                        self.source = Source::Ended;
                        self.verification = None;
                        Poll::Ready(Some(Err(from_datafusion(error))))
                    }
                    Poll::Ready(None) => {
                        self.source = Source::Ended;
                        self.poll_end(context)
                    }
                }
            }
            Source::Ended => self.poll_end(context),
        }
    }
}

impl RowStream {
    /// What comes after the last row.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<RecordBatch>>> {
        let Some(verification) = &mut self.verification else {
            return Poll::Ready(None);
        };
        match verification.poll_unpin(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(verified) => {
                self.verification = None;
                Poll::Ready(verified.err().map(Err))
            }
        }
    }
}

/// The schema with the text and binary types that columns have: some functions return others of
/// Arrow's.
pub(super) fn plain_schema(schema: &SchemaRef) -> SchemaRef {
    let plain = |data_type: &DataType| match data_type {
        DataType::Utf8View | DataType::LargeUtf8 => Some(DataType::Utf8),
        DataType::BinaryView | DataType::LargeBinary => Some(DataType::Binary),
        _ => None,
    };
    if schema
        .fields()
        .iter()
        .all(|field| plain(field.data_type()).is_none())
    {
        return schema.clone();
    }
    let field = |field: &FieldRef| match plain(field.data_type()) {
        Some(data_type) => Arc::new(field.as_ref().clone().with_data_type(data_type)),
        None => field.clone(),
    };
    let fields: Fields = schema.fields().iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn convert(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(column, field)| cast(column, field.data_type()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| from_datafusion(e.into()))?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
        .map_err(|e| from_datafusion(e.into()))
}

impl fmt::Debug for RowStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowStream")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
