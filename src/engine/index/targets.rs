//! The indexes of a table for statements that write it.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use parking_lot::Mutex;

use crate::catalog::{Entry, IndexEntry, IndexSource, TableDef};
use crate::engine::dml::{RowExprs, Writes, select_from, stored_expr};
use crate::engine::from_datafusion;
use crate::error::Result;
use crate::sql::TableName;
use crate::table::{EntryCodec, IndexColumns, IndexExprs, IndexTarget, TableIndexes};

/// The codecs of indexes, their expressions compiled, by the ids of the indexes: a prepared
/// statement does not compile them each time. An index that is gone is not held by its codec.
#[derive(Debug, Default)]
pub(crate) struct Codecs(Mutex<HashMap<u32, Kept>>);

/// The index as a table, by which it is known again, and its codec.
type Kept = (Weak<TableDef>, Arc<EntryCodec>);

impl Codecs {
    fn find(&self, index: &IndexEntry) -> Option<Arc<EntryCodec>> {
        let codecs = self.0.lock();
        let (view, codec) = codecs.get(&index.def.id)?;
        // A column may have another name or place by now.
        let is_same = std::ptr::eq(view.as_ptr(), Arc::as_ptr(&index.view));
        is_same.then(|| codec.clone())
    }

    fn keep(&self, index: &IndexEntry, codec: &Arc<EntryCodec>) {
        let mut codecs = self.0.lock();
        codecs.retain(|_, (view, _)| view.strong_count() > 0);
        codecs.insert(index.def.id, (Arc::downgrade(&index.view), codec.clone()));
    }
}

impl Writes<'_> {
    /// What a statement that writes the table does for its indexes; nothing if it has none.
    pub(in crate::engine) fn table_indexes(
        &self,
        entry: &Entry,
    ) -> Result<Option<Arc<TableIndexes>>> {
        if entry.indexes.is_empty() {
            return Ok(None);
        }
        let mut indexes = TableIndexes::default();
        for index in entry.indexes.iter() {
            match &index.log {
                Some(log) => indexes.logs.push(log.clone()),
                None => indexes.targets.push(self.index_target(entry, index)?),
            }
        }
        Ok(Some(Arc::new(indexes)))
    }

    /// The target of one index.
    pub(in crate::engine) fn index_target(
        &self,
        entry: &Entry,
        index: &Arc<IndexEntry>,
    ) -> Result<Arc<IndexTarget>> {
        let codecs = self.engine.index_codecs();
        let codec = match codecs.find(index) {
            Some(codec) => codec,
            None => {
                let exprs = self.compiled(&entry.def, index)?;
                let exprs = exprs.map(|exprs| Arc::new(exprs) as Arc<dyn IndexExprs>);
                let codec = Arc::new(EntryCodec::new(index, exprs));
                codecs.keep(index, &codec);
                codec
            }
        };
        Ok(Arc::new(IndexTarget::new(index.clone(), codec)))
    }

    /// The expressions of an index and its condition; nothing if it has only columns.
    fn compiled(&self, def: &TableDef, index: &IndexEntry) -> Result<Option<Compiled>> {
        let exprs = index
            .def
            .parts
            .iter()
            .filter_map(|part| match &part.source {
                IndexSource::Expr { text, sql_type } => Some((text, sql_type.arrow())),
                IndexSource::Column(_) => None,
            });
        let (texts, types): (Vec<_>, Vec<_>) = exprs.unzip();
        if texts.is_empty() && index.def.predicate.is_none() {
            return Ok(None);
        }
        let mut items = Vec::with_capacity(texts.len() + 1);
        for (number, text) in texts.iter().enumerate() {
            items.push((stored_expr(text)?, format!("expression {number}")));
        }
        if items.is_empty() {
            items.push((stored_expr("1")?, "nothing".to_owned()));
        }
        let condition = index
            .def
            .predicate
            .as_deref()
            .map(stored_expr)
            .transpose()?;
        let schema = Some(def.schema.as_str()).filter(|schema| *schema != "public");
        let table = TableName::new(schema, &def.name);
        let query = select_from(&table, None, items, condition)?;
        let bound = self.engine.bind_query(&self.catalog.state(), &query)?;
        let plan = self.analyzed(bound.with_values(&[])?)?;
        Ok(Some(Compiled {
            exprs: self.row_exprs(&plan, "an index")?,
            types,
        }))
    }
}

/// The expressions and the condition of an index.
#[derive(Debug)]
struct Compiled {
    exprs: RowExprs,
    /// The type of each expression.
    types: Vec<DataType>,
}

impl IndexExprs for Compiled {
    fn compute(&self, rows: &RecordBatch) -> Result<IndexColumns> {
        // Where the condition is not true an expression may fail: it is asked for the rows alone
        // that have an entry.
        let kept = self.exprs.condition(rows)?;
        let computed = self.exprs.evaluate_where(rows, kept.as_ref())?;
        let columns = computed.iter().zip(&self.types);
        let columns = columns.map(|(array, data_type)| cast(array, data_type));
        let columns: Vec<ArrayRef> = columns
            .collect::<Result<_, _>>()
            .map_err(|e| from_datafusion(e.into()))?;
        Ok(IndexColumns {
            exprs: columns,
            kept,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{ColumnDef, IndexDef, IndexPart, KeyPart};
    use crate::store::TableHandle;
    use crate::types::{SqlType, Value};

    fn table() -> TableDef {
        let column = |id: u16, name: &str| ColumnDef {
            id,
            name: name.to_owned(),
            sql_type: SqlType::Integer,
            nullable: id > 0,
            default: None,
            missing: Value::Null,
        };
        TableDef {
            id: 100,
            schema: "public".to_owned(),
            name: "t".to_owned(),
            columns: vec![column(0, "k"), column(1, "v")],
            next_column_id: 2,
            key_name: None,
            key: vec![KeyPart {
                column: 0,
                descending: false,
            }],
            salting: None,
            null_keys_repeat: false,
            format_version: 3,
        }
    }

    /// An index whose files are there as long as `files` is referred to.
    fn index(id: u32, files: &Arc<()>) -> Arc<IndexEntry> {
        let def = IndexDef {
            id,
            name: "i".to_owned(),
            unique: false,
            parts: vec![IndexPart {
                source: IndexSource::Column(1),
                descending: false,
            }],
            included: Vec::new(),
            predicate: None,
            buckets: None,
        };
        let handle = TableHandle::new(id, false, files.clone());
        Arc::new(IndexEntry::new(def, &table(), handle, None).unwrap())
    }

    #[test]
    fn a_codec_is_found_again_and_keeps_no_index() {
        let codecs = Codecs::default();
        let files = Arc::new(());
        let old = index(101, &files);
        let codec = Arc::new(EntryCodec::new(&old, None));
        codecs.keep(&old, &codec);
        assert!(Arc::ptr_eq(&codecs.find(&old).unwrap(), &codec));
        // The same index of a table that was altered meanwhile.
        assert!(codecs.find(&index(101, &files)).is_none());

        let target = IndexTarget::new(old.clone(), codec);
        drop((old, target));
        assert_eq!(Arc::strong_count(&files), 1, "nothing keeps its files");
        let other = index(102, &files);
        codecs.keep(&other, &Arc::new(EntryCodec::new(&other, None)));
        assert_eq!(codecs.0.lock().len(), 1, "what is gone is forgotten");
    }
}
