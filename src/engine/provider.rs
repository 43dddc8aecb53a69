//! A stored table, as DataFusion sees it.

use std::any::Any;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result as DataFusionResult};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{
    ColumnarValue, Expr, TableProviderFilterPushDown, TableSource, TableType,
};
use datafusion::physical_expr::create_physical_expr;
use datafusion::physical_plan::ExecutionPlan;
use futures::future::BoxFuture;

use crate::catalog::Entry;
use crate::engine::error::to_datafusion;
use crate::engine::scan_exec::ScanExec;
use crate::engine::scope;
use crate::engine::symbol;
use crate::plan;

/// A table of one state of the catalog. It knows no snapshot: that comes with each execution.
#[derive(Debug)]
pub(crate) struct StoredTable {
    entry: Arc<Entry>,
    schema: SchemaRef,
}

impl StoredTable {
    pub(crate) fn new(entry: Arc<Entry>) -> Self {
        let schema = entry.def.arrow_schema();
        StoredTable { entry, schema }
    }

    pub(crate) fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }
}

/// The table that a scan of a plan reads, if it is a stored one.
pub(super) fn stored_entry(source: &Arc<dyn TableSource>) -> Option<Arc<Entry>> {
    let provider = source_as_provider(source).ok()?;
    let provider: &dyn Any = provider.as_ref();
    Some(provider.downcast_ref::<StoredTable>()?.entry.clone())
}

/// Whether a scan can evaluate a filter itself: it gives the same answer for a row each time, and
/// needs nothing but the row.
pub(super) fn can_filter(expr: &Expr) -> bool {
    let mut can = true;
    let walked = expr.apply(|e| {
        can &= !matches!(
            e,
            Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::SetComparison(_)
                | Expr::ScalarSubquery(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::AggregateFunction(_)
                | Expr::WindowFunction(_)
                | Expr::Unnest(_)
                | Expr::GroupingSet(_)
        ) && !e.is_volatile_node();
        Ok(if can {
            TreeNodeRecursion::Continue
        } else {
            TreeNodeRecursion::Stop
        })
    });
    can && walked.is_ok()
}

/// The filter with the values of its expressions without columns. The optimizer has folded them,
/// but for those that fail: they fail here.
pub(super) fn evaluate_symbols(filter: Expr, props: &ExecutionProps) -> DataFusionResult<Expr> {
    let filter = filter.transform_down(|expr| {
        if matches!(expr, Expr::Literal(..)) {
            return Ok(Transformed::new(expr, false, TreeNodeRecursion::Jump));
        }
        if expr.any_column_refs() {
            return Ok(Transformed::no(expr));
        }
        let (schema, planning) = (DFSchema::empty(), PhysicalPlanningContext::default());
        let value = create_physical_expr(&expr, &schema, props, &planning)?
            .evaluate(&RecordBatch::new_empty(Arc::new(Schema::empty())))?;
        let ColumnarValue::Scalar(scalar) = value else {
            return Ok(Transformed::no(expr));
        };
        Ok(Transformed::new(
            Expr::Literal(scalar, None),
            true,
            TreeNodeRecursion::Jump,
        ))
    })?;
    Ok(filter.data)
}

impl TableProvider for StoredTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        Ok(filters
            .iter()
            .map(|filter| match can_filter(filter) {
                true => TableProviderFilterPushDown::Exact,
                false => TableProviderFilterPushDown::Unsupported,
            })
            .collect())
    }

    fn scan<'a, 'b, 'c, 'd, 'f>(
        &'a self,
        state: &'b dyn Session,
        projection: Option<&'c Vec<usize>>,
        filters: &'d [Expr],
        limit: Option<usize>,
    ) -> BoxFuture<'f, DataFusionResult<Arc<dyn ExecutionPlan>>>
    where
        'a: 'f,
        'b: 'f,
        'c: 'f,
        'd: 'f,
    {
        let columns = match projection {
            Some(columns) => columns.clone(),
            None => (0..self.schema.fields().len()).collect(),
        };
        let planned = || {
            let filters = filters
                .iter()
                .map(symbol::parameters)
                .collect::<Result<Vec<_>, _>>()?;
            let def = &self.entry.def;
            let mut path = plan::narrow(def, &filters).map_err(to_datafusion)?;
            if path.is_symbolic() && scope::is_execution(state) {
                let values = filters
                    .into_iter()
                    .map(|filter| evaluate_symbols(filter, state.execution_props()));
                let filters = values.collect::<Result<Vec<_>, _>>()?;
                path = plan::narrow(def, &filters).map_err(to_datafusion)?;
            }
            let scan = ScanExec::new(self.entry.clone(), path, columns, limit, state)?;
            Ok(Arc::new(scan) as Arc<dyn ExecutionPlan>)
        };
        Box::pin(std::future::ready(planned()))
    }
}
