//! Scans by themselves: what goes wrong in a job, and when a job runs at all.

mod entries;
mod reads;

use std::sync::Arc;
use std::task::Poll;

use datafusion::arrow::array::{BooleanArray, RecordBatch};
use futures::StreamExt;

use crate::catalog::{Catalog, ColumnDef, KeyPart, TableDef};
use crate::error::{Error, ErrorKind, Result};
use crate::key::{BucketSet, KeyRange, Salting, expand};
use crate::store::{RocksStore, Snapshot, Store, StoreOptions, WriteBatch};
use crate::table::{ReadRequest, RowFilter, RowPredicate, Scan, ScanCounters, ScanPool, Target};
use crate::types::{SqlType, Value};

const ROWS: i64 = 50_000;

/// A table of one BIGINT, its key, in 16 buckets.
fn numbers() -> (Arc<dyn Snapshot>, ReadRequest) {
    let store: Arc<dyn Store> =
        Arc::new(RocksStore::in_memory(&StoreOptions::default()).expect("a store"));
    let catalog = Catalog::open(store.clone()).expect("a catalog");
    let column = ColumnDef {
        id: 0,
        name: "n".to_owned(),
        sql_type: SqlType::BigInt,
        nullable: false,
        default: None,
        missing: Value::Null,
    };
    let def = TableDef {
        id: 0,
        schema: "public".to_owned(),
        name: "numbers".to_owned(),
        columns: vec![column],
        next_column_id: 0,
        key_name: None,
        key: vec![KeyPart {
            column: 0,
            descending: false,
        }],
        salting: Some(Salting::new(16, None)),
        null_keys_repeat: false,
        format_version: 1,
    };
    catalog.create_table(def, false).expect("a table");
    let state = catalog.state();
    let entry = state.find_table("public", "numbers").expect("the table");
    let layout = entry.def.key_layout();
    let row = crate::codec::RowEncoder::new(Vec::new());
    let mut value = Vec::new();
    row.encode_values(&[], &mut value).expect("a row");
    let mut batch = WriteBatch::new();
    for n in 0..ROWS {
        let (bucket, key) = layout.encode(&[Value::BigInt(n)]).expect("a key");
        batch.put(&entry.handle, bucket, &key, &value);
    }
    store.write(batch).expect("a write");
    let ranges = expand(&[KeyRange::all()], &layout, &BucketSet::all(16)).expect("ranges");
    let target = Target::Ranges(ranges);
    let request = ReadRequest::new(entry.def.clone(), entry.handle.clone(), vec![0], target);
    (store.snapshot(), request)
}

#[derive(Debug)]
enum Fault {
    Panic,
    Error,
    NoRow,
}

impl RowPredicate for Fault {
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        match self {
            Fault::Panic => panic!("a predicate went wrong"),
            Fault::Error => Err(Error::invalid("no such number")),
            Fault::NoRow => Ok(BooleanArray::from(vec![false; batch.num_rows()])),
        }
    }
}

fn scan(fault: Option<Fault>, pool: &Arc<ScanPool>) -> (Scan, Arc<ScanCounters>) {
    let (snapshot, mut request) = numbers();
    request.filter = fault.map(|fault| RowFilter {
        columns: Vec::new(),
        predicate: Arc::new(fault),
    });
    let counters = Arc::new(ScanCounters::default());
    (
        Scan::new(pool.clone(), request, snapshot, counters.clone()),
        counters,
    )
}

#[test]
fn a_fault_in_a_job_is_an_error_and_the_end() {
    let pool = Arc::new(ScanPool::new(1).expect("a pool"));
    for (fault, kind) in [
        (Fault::Panic, ErrorKind::Internal),
        (Fault::Error, ErrorKind::Invalid),
    ] {
        let (mut scan, _) = scan(Some(fault), &pool);
        let first = futures::executor::block_on(scan.next());
        assert_eq!(first.expect("an item").expect_err("an error").kind(), kind);
        assert!(futures::executor::block_on(scan.next()).is_none());
    }
    let (scan, _) = scan(None, &pool);
    let rows = scan.map(|batch| batch.expect("a batch").num_rows());
    let rows: usize = futures::executor::block_on(rows.collect::<Vec<_>>())
        .into_iter()
        .sum();
    assert_eq!(rows as i64, ROWS);
}

#[test]
fn nothing_is_read_before_the_first_poll_and_one_batch_ahead_after_it() {
    let pool = Arc::new(ScanPool::new(1).expect("a pool"));
    let (mut scan, counters) = scan(None, &pool);
    // What was spawned before is done when a job behind it is.
    let settle = || {
        let (sender, receiver) = std::sync::mpsc::channel();
        pool.spawn(move || sender.send(()).expect("a receiver"));
        receiver.recv().expect("the job");
    };
    settle();
    assert_eq!(counters.batches(), 0);
    assert!(futures::executor::block_on(scan.next()).is_some());
    settle();
    settle();
    assert_eq!(counters.batches(), 2);
}

#[test]
fn a_dropped_scan_stops_while_no_row_passes() {
    let pool = Arc::new(ScanPool::new(1).expect("a pool"));
    let (mut scan, counters) = scan(Some(Fault::NoRow), &pool);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(matches!(scan.poll_next_unpin(&mut context), Poll::Pending));
    drop(scan);
    let (sender, receiver) = std::sync::mpsc::channel();
    pool.spawn(move || sender.send(()).expect("a receiver"));
    receiver.recv().expect("the job");
    let read = counters.rows();
    assert!(read < ROWS as u64, "{read}");
}
