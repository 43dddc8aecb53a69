//! The entries of a whole table, sorted.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, LargeBinaryBuilder, RecordBatch, UInt8Builder};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::StreamExt;

use crate::catalog::Entry;
use crate::engine::error::to_datafusion;
use crate::engine::from_datafusion;
use crate::engine::index::check::everything;
use crate::error::{Error, Result};
use crate::store::Snapshot;
use crate::table::{IndexTarget, ReadRequest, Scan, ScanPool, Target};

/// The entries of all rows of a table in one snapshot, as batches of bucket, key and value in the
/// order of (bucket, key). DataFusion sorts them: beyond its share of the memory it spills.
///
/// # Errors
/// Those of planning; the stream has those of reading, of the index's expressions and of the sort.
pub(super) fn sorted_entries(
    entry: &Entry,
    target: Arc<IndexTarget>,
    snapshot: Arc<dyn Snapshot>,
    pool: Arc<ScanPool>,
    context: Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let ranges = everything(&entry.def.key_layout())?;
    let request = ReadRequest::new(
        entry.def.clone(),
        entry.handle.clone(),
        (0..entry.def.columns.len()).collect(),
        Target::Ranges(ranges),
    );
    let schema = schema();
    let entries = TableEntries {
        schema: schema.clone(),
        request,
        target,
        snapshot,
        pool,
    };
    let input = StreamingTableExec::try_new(
        schema.clone(),
        vec![Arc::new(entries)],
        None,
        Vec::<LexOrdering>::new(),
        false,
        None,
    );
    let by = |at: usize| {
        let column = Column::new(schema.field(at).name(), at);
        PhysicalSortExpr::new_default(Arc::new(column))
    };
    let order = LexOrdering::new([by(0), by(1)]);
    let order = order.ok_or_else(|| Error::internal("entries are sorted by nothing"))?;
    let sort = SortExec::new(order, Arc::new(input.map_err(from_datafusion)?));
    sort.execute(0, context).map_err(from_datafusion)
}

/// The entries, which may be so large that a batch of them has more bytes than 32 bits count.
fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("bucket", DataType::UInt8, false),
        Field::new("key", DataType::LargeBinary, false),
        Field::new("value", DataType::LargeBinary, false),
    ]))
}

/// The entries of all rows, in the order in which they are read.
struct TableEntries {
    schema: SchemaRef,
    request: ReadRequest,
    target: Arc<IndexTarget>,
    snapshot: Arc<dyn Snapshot>,
    pool: Arc<ScanPool>,
}

impl TableEntries {
    fn entries(
        target: &IndexTarget,
        schema: &SchemaRef,
        rows: &RecordBatch,
    ) -> Result<RecordBatch> {
        let entries = target.entries(rows)?;
        let mut buckets = UInt8Builder::new();
        let (mut keys, mut values) = (LargeBinaryBuilder::new(), LargeBinaryBuilder::new());
        for entry in (0..rows.num_rows()).filter_map(|row| entries.get(row)) {
            buckets.append_value(entry.bucket);
            keys.append_value(entry.key);
            values.append_value(entry.value);
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(buckets.finish()),
            Arc::new(keys.finish()),
            Arc::new(values.finish()),
        ];
        RecordBatch::try_new(schema.clone(), columns).map_err(|e| from_datafusion(e.into()))
    }
}

impl PartitionStream for TableEntries {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let scan = Scan::new(
            self.pool.clone(),
            self.request.clone(),
            self.snapshot.clone(),
            Arc::default(),
        );
        let (target, schema) = (self.target.clone(), self.schema.clone());
        let entries = scan.map(move |rows| {
            rows.and_then(|rows| Self::entries(&target, &schema, &rows))
                .map_err(to_datafusion)
        });
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), entries))
    }
}

impl fmt::Debug for TableEntries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableEntries")
            .field("target", &self.target)
            .finish_non_exhaustive()
    }
}
