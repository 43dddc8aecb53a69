//! What one execution of a scan returned.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result as DataFusionResult;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use futures::{Stream, StreamExt};
use parking_lot::Mutex;

use crate::engine::error::to_datafusion;
use crate::engine::verify::Asked;
use crate::engine::verify::digest::Digest;
use crate::error::Result;

/// Hashes of rows that are kept one by one: of more rows only the sum is known, which says nothing
/// of a part of them.
const KEPT: usize = 1 << 20;

/// What one execution of a scan returned, of all its partitions.
#[derive(Debug)]
pub(in crate::engine) struct Witness {
    pub(super) asked: Asked,
    partitions: Mutex<Vec<Partition>>,
    returned: Mutex<Returned>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Partition {
    Waiting,
    Begun,
    /// It returned all that it had.
    Ended,
}

/// The rows that were returned so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Returned {
    pub(super) rows: u64,
    /// The sum of their hashes.
    pub(super) sum: u128,
    /// The hashes of the first [`KEPT`] of them.
    pub(super) kept: Vec<u128>,
}

impl Witness {
    pub(super) fn new(asked: Asked, partitions: usize) -> Self {
        Witness {
            asked,
            partitions: Mutex::new(vec![Partition::Waiting; partitions]),
            returned: Mutex::default(),
        }
    }

    /// Whether a partition begins here: one that has begun belongs to another execution.
    pub(super) fn begin(&self, partition: usize) -> bool {
        let mut partitions = self.partitions.lock();
        match partitions.get_mut(partition) {
            Some(waiting @ Partition::Waiting) => {
                *waiting = Partition::Begun;
                true
            }
            _ => false,
        }
    }

    /// The partition returned all that it had.
    pub(in crate::engine) fn end(&self, partition: usize) {
        if let Some(partition) = self.partitions.lock().get_mut(partition) {
            *partition = Partition::Ended;
        }
    }

    /// Whether every partition did. Nobody asked for more of the others.
    pub(super) fn is_whole(&self) -> bool {
        let partitions = self.partitions.lock();
        partitions.iter().all(|p| *p == Partition::Ended)
    }

    pub(super) fn returned(&self) -> Returned {
        self.returned.lock().clone()
    }

    /// Takes down the rows of a batch that was returned.
    pub(in crate::engine) fn see(&self, batch: &RecordBatch) -> Result<()> {
        self.see_with(&Digest::new(&batch.schema())?, batch)
    }

    fn see_with(&self, digest: &Digest, batch: &RecordBatch) -> Result<()> {
        let mut returned = self.returned.lock();
        let Returned { rows, sum, kept } = &mut *returned;
        digest.rows(batch, |hash| {
            *rows += 1;
            *sum = sum.wrapping_add(hash);
            if kept.len() < KEPT {
                kept.push(hash);
            }
        })
    }
}

/// The same rows, which the witness sees pass by.
pub(in crate::engine) fn watched(
    stream: SendableRecordBatchStream,
    witness: Arc<Witness>,
    partition: usize,
) -> DataFusionResult<SendableRecordBatchStream> {
    let digest = Digest::new(&stream.schema()).map_err(to_datafusion)?;
    Ok(Box::pin(Watched {
        stream,
        witness,
        partition,
        digest,
    }))
}

struct Watched {
    stream: SendableRecordBatchStream,
    witness: Arc<Witness>,
    partition: usize,
    digest: Digest,
}

impl Stream for Watched {
    type Item = DataFusionResult<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.stream.poll_next_unpin(context);
        match &polled {
            Poll::Ready(Some(Ok(batch))) => {
                if let Err(error) = self.witness.see_with(&self.digest, batch) {
                    return Poll::Ready(Some(Err(to_datafusion(error))));
                }
            }
            Poll::Ready(None) => self.witness.end(self.partition),
            _ => {}
        }
        polled
    }
}

impl RecordBatchStream for Watched {
    fn schema(&self) -> SchemaRef {
        self.stream.schema()
    }
}
