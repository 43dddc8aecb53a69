//! The filter that a scan evaluates.

use std::sync::Arc;

use datafusion::arrow::array::{Array, BooleanArray, RecordBatch};
use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::Session;
use datafusion::common::{DFSchema, Result as DataFusionResult};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{ColumnarValue, Expr};
use datafusion::physical_expr::{PhysicalExpr, create_physical_expr};

use crate::catalog::TableDef;
use crate::engine::error::{from_datafusion, to_datafusion};
use crate::error::{Error, Result};
use crate::table::{RowFilter, RowPredicate, request_schema};

/// Builds the filter of a scan that returns `columns`. The expressions have their final types.
pub(in crate::engine) fn residual(
    def: &TableDef,
    columns: &[usize],
    filters: &[Expr],
    state: &dyn Session,
) -> DataFusionResult<Option<RowFilter>> {
    residual_with(def, columns, filters, state.execution_props())
}

pub(in crate::engine) fn residual_with(
    def: &TableDef,
    columns: &[usize],
    filters: &[Expr],
    props: &ExecutionProps,
) -> DataFusionResult<Option<RowFilter>> {
    let Some(predicate) = conjunction(filters.iter().cloned()) else {
        return Ok(None);
    };
    let mut extra: Vec<usize> = predicate
        .column_refs()
        .into_iter()
        .filter_map(|column| def.find_column(&column.name))
        .filter(|index| !columns.contains(index))
        .collect();
    extra.sort_unstable();
    extra.dedup();
    let read: Vec<usize> = columns.iter().chain(&extra).copied().collect();
    let schema = DFSchema::try_from(request_schema(def, &read).map_err(to_datafusion)?)?;
    let planning = PhysicalPlanningContext::default();
    let expr = create_physical_expr(&predicate, &schema, props, &planning)?;
    Ok(Some(RowFilter {
        columns: extra,
        predicate: Arc::new(Predicate(expr)),
    }))
}

/// A physical expression as the predicate of a scan.
#[derive(Debug)]
struct Predicate(Arc<dyn PhysicalExpr>);

impl RowPredicate for Predicate {
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        let rows = batch.num_rows();
        let value = self.0.evaluate(batch).map_err(from_datafusion)?;
        if let ColumnarValue::Scalar(scalar) = &value
            && scalar.is_null()
        {
            return Ok(BooleanArray::from(vec![false; rows]));
        }
        let array = value.into_array(rows).map_err(from_datafusion)?;
        match array.as_any().downcast_ref::<BooleanArray>() {
            Some(kept) => Ok(kept.clone()),
            None if array.data_type() == &DataType::Null => {
                Ok(BooleanArray::from(vec![false; rows]))
            }
            None => Err(Error::invalid(format!(
                "a filter of type {}",
                array.data_type()
            ))),
        }
    }
}
