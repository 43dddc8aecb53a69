//! The function over the columns of the key of one table.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::Int32Array;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result as DataFusionResult;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::catalog::{CatalogState, TableDef};
use crate::codec::ColumnReader;
use crate::engine::error::to_datafusion;
use crate::error::Result;
use crate::plan::{self, SALT_BUCKET};

/// Computes the bucket of a row from the columns of its key, in key order. NULL where there is no
/// row: a column that is NOT NULL is NULL on the empty side of an outer join.
#[derive(Debug)]
struct SaltBucket {
    def: Arc<TableDef>,
    signature: Signature,
    /// The name that says of which table it is.
    names: [String; 1],
}

impl PartialEq for SaltBucket {
    fn eq(&self, other: &Self) -> bool {
        self.def == other.def
    }
}

impl Eq for SaltBucket {}

impl Hash for SaltBucket {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.def.id.hash(state);
    }
}

/// The function that a call names.
pub(in crate::engine) fn find(catalog: &CatalogState, name: &str) -> Option<Arc<ScalarUDF>> {
    let id: u32 = name
        .strip_prefix(SALT_BUCKET)?
        .strip_prefix(' ')?
        .parse()
        .ok()?;
    let entry = catalog.tables().find(|entry| entry.def.id == id)?;
    let layout = entry.def.key_layout();
    let types = layout.columns().iter().map(|c| c.sql_type.arrow());
    Some(Arc::new(ScalarUDF::from(SaltBucket {
        signature: Signature::exact(types.collect(), Volatility::Immutable),
        names: [plan::salt_bucket_of(&entry.def)],
        def: entry.def.clone(),
    })))
}

/// How EXPLAIN writes a call, if the function is this one.
pub(in crate::engine) fn text(function: &ScalarUDF) -> Option<String> {
    let function = function.inner().as_ref() as &dyn Any;
    let function: &SaltBucket = function.downcast_ref()?;
    Some(format!(
        "{SALT_BUCKET}({})",
        plan::table_text(&function.def)
    ))
}

impl SaltBucket {
    fn buckets(&self, args: &[ColumnarValue], rows: usize) -> Result<Int32Array> {
        let layout = self.def.key_layout();
        let arrays = args
            .iter()
            .map(|arg| arg.to_array(rows))
            .collect::<DataFusionResult<Vec<_>>>()
            .map_err(crate::engine::from_datafusion)?;
        let columns = arrays
            .iter()
            .zip(layout.columns())
            .map(|(array, column)| ColumnReader::new(array, &column.sql_type))
            .collect::<Result<Vec<_>>>()?;
        let is_row = |row: usize| {
            let mut columns = arrays.iter().zip(layout.columns());
            columns.all(|(array, column)| column.nullable || array.is_valid(row))
        };
        let mut key = Vec::new();
        let bucket = |row: usize| {
            if !is_row(row) {
                return Ok(None);
            }
            key.clear();
            layout
                .encode_row(&columns, row, &mut key)
                .map(|bucket| Some(i32::from(bucket)))
        };
        (0..rows).map(bucket).collect()
    }
}

impl ScalarUDFImpl for SaltBucket {
    fn name(&self) -> &str {
        SALT_BUCKET
    }

    fn aliases(&self) -> &[String] {
        &self.names
    }

    /// The call as it was written, as far as the columns still say.
    fn schema_name(&self, args: &[Expr]) -> DataFusionResult<String> {
        let table = match args.first() {
            Some(Expr::Column(column)) => column.relation.as_ref(),
            _ => None,
        };
        Ok(match table {
            Some(table) => format!("{SALT_BUCKET}({table})"),
            None => format!("{SALT_BUCKET}({})", plan::table_text(&self.def)),
        })
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> DataFusionResult<DataType> {
        Ok(DataType::Int32)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> DataFusionResult<ColumnarValue> {
        let buckets = self.buckets(&args.args, args.number_rows);
        let buckets = buckets.map_err(to_datafusion)?;
        Ok(ColumnarValue::Array(Arc::new(buckets)))
    }
}
