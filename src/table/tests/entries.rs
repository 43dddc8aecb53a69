//! The bytes of index entries, by hand from `docs/format.md`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, Int32Array, RecordBatch, StringArray};

use crate::catalog::{ColumnDef, IndexDef, IndexEntry, IndexPart, IndexSource, KeyPart, TableDef};
use crate::error::Result;
use crate::key::Salting;
use crate::store::TableHandle;
use crate::table::{EntryCodec, IndexColumns, IndexExprs, IndexTarget, RowKeys};
use crate::types::{SqlType, Value};

/// `t (a INTEGER, b VARCHAR NULL, c INTEGER NULL, PRIMARY KEY (a DESC, b))`
fn table() -> TableDef {
    let column = |id: u16, name: &str, sql_type: SqlType, nullable: bool| ColumnDef {
        id,
        name: name.to_owned(),
        sql_type,
        nullable,
        default: None,
        missing: Value::Null,
    };
    let part = |column: usize, descending: bool| KeyPart { column, descending };
    TableDef {
        id: 100,
        schema: "public".to_owned(),
        name: "t".to_owned(),
        columns: vec![
            column(0, "a", SqlType::Integer, false),
            column(1, "b", SqlType::Varchar(None), true),
            column(2, "c", SqlType::Integer, true),
        ],
        next_column_id: 3,
        key_name: None,
        key: vec![part(0, true), part(1, false)],
        salting: Some(Salting::new(4, None)),
        null_keys_repeat: false,
        format_version: 3,
    }
}

fn rows() -> RecordBatch {
    let a: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let b: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), None, Some("")]));
    let c: ArrayRef = Arc::new(Int32Array::from(vec![Some(7), Some(-1), None]));
    RecordBatch::try_new(table().arrow_schema(), vec![a, b, c]).unwrap()
}

fn column(id: u16, descending: bool) -> IndexPart {
    IndexPart {
        source: IndexSource::Column(id),
        descending,
    }
}

fn target(
    unique: bool,
    parts: Vec<IndexPart>,
    included: Vec<u16>,
    exprs: Option<Arc<dyn IndexExprs>>,
) -> IndexTarget {
    let def = IndexDef {
        id: 101,
        name: "i".to_owned(),
        unique,
        parts,
        included,
        predicate: None,
        buckets: None,
    };
    let handle = TableHandle::new(101, false, Arc::new(()));
    let index = Arc::new(IndexEntry::new(def, &table(), handle, None).unwrap());
    let codec = Arc::new(EntryCodec::new(&index, exprs));
    IndexTarget::new(index, codec)
}

fn hex(bytes: &[u8]) -> String {
    let bytes = bytes.iter().map(|byte| format!("{byte:02x}"));
    bytes.collect::<Vec<_>>().join(" ")
}

/// The entries of the rows, each as key `|` value.
fn entries(target: &IndexTarget) -> Vec<String> {
    let entries = target.entries(&rows()).unwrap();
    let entry = |row: usize| match entries.get(row) {
        Some(entry) => format!("{} | {}", hex(entry.key), hex(entry.value)),
        None => "-".to_owned(),
    };
    (0..3).map(entry).collect()
}

#[test]
fn the_rest_of_the_tables_key_follows_the_indexed_columns() {
    // c, then a DESC as in the table, then b.
    let index = target(false, vec![column(2, false)], vec![], None);
    assert_eq!(
        entries(&index),
        [
            "01 80 00 00 07 7f ff ff fe 01 78 00 01 | 01 00",
            "01 7f ff ff ff 7f ff ff fd 02 | 01 00",
            "02 7f ff ff fc 01 00 01 | 01 00",
        ]
    );
    // b DESC is a column of the table's key: it stands once.
    let index = target(false, vec![column(1, true)], vec![2], None);
    assert_eq!(
        entries(&index),
        [
            "fe 87 ff fe 7f ff ff fe | 01 01 02 04 00 07 00 00 00",
            "fd 7f ff ff fd | 01 01 02 04 00 ff ff ff ff",
            "fe ff fe 7f ff ff fc | 01 01 02 04 01 00 00 00 00",
        ]
    );
}

#[test]
fn a_unique_entry_has_the_tables_key_in_its_value() {
    let index = target(true, vec![column(2, true)], vec![], None);
    // a and b by their ids; with NULL the row key stands behind it as well.
    assert_eq!(
        entries(&index),
        [
            "fe 7f ff ff f8 | 01 02 00 04 01 00 00 01 00 00 00 01 00 78",
            "fe 80 00 00 00 | 01 02 00 04 01 00 02 02 00 00 00 00 00",
            "fd 7f ff ff fc 01 00 01 | 01 02 00 04 01 00 00 03 00 00 00 00 00",
        ]
    );
    let entries = index.entries(&rows()).unwrap();
    let unique: Vec<bool> = (0..3).map(|i| entries.get(i).unwrap().is_unique).collect();
    assert_eq!(unique, [true, true, false]);
}

/// Which row an entry is of can be read from it, also where the row has another bucket.
#[test]
fn an_entry_leads_back_to_its_row() {
    let layout = table().key_layout();
    let keys = [
        [Value::Integer(1), Value::Text("x".into())],
        [Value::Integer(2), Value::Null],
        [Value::Integer(3), Value::Text(String::new())],
    ];
    let keys = keys.map(|key| layout.encode(&key).unwrap());
    for unique in [false, true] {
        for parts in [
            vec![column(2, true)],
            vec![column(1, true), column(2, false)],
        ] {
            let index = target(unique, parts, vec![], None);
            let entries = index.entries(&rows()).unwrap();
            let mut read = RowKeys::new(index.index(), &table()).unwrap();
            for row in 0..3 {
                let entry = entries.get(row).unwrap();
                read.push(entry.key, entry.value).unwrap();
            }
            assert_eq!(read.take().unwrap(), keys);
        }
    }
}

/// `c + 1 WHERE a <> 2`, whose condition is NULL in the third row.
#[derive(Debug)]
struct Computed;

impl IndexExprs for Computed {
    fn compute(&self, rows: &RecordBatch) -> Result<IndexColumns> {
        assert_eq!(rows.num_columns(), 3);
        let exprs: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(vec![Some(8), Some(0), None]))];
        let kept = Some(BooleanArray::from(vec![Some(true), Some(false), None]));
        Ok(IndexColumns { exprs, kept })
    }
}

#[test]
fn an_expression_is_nullable_and_a_condition_leaves_rows_out() {
    let part = IndexPart {
        source: IndexSource::Expr {
            text: "c + 1".to_owned(),
            sql_type: SqlType::Integer,
        },
        descending: false,
    };
    let index = target(
        false,
        vec![part, column(1, false)],
        vec![],
        Some(Arc::new(Computed)),
    );
    assert_eq!(
        entries(&index),
        ["01 80 00 00 08 01 78 00 01 7f ff ff fe | 01 00", "-", "-"]
    );
}
