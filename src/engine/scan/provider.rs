//! A stored table, as DataFusion sees it.

use std::any::Any;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result as DataFusionResult};
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{
    ColumnarValue, Expr, TableProviderFilterPushDown, TableSource, TableType,
};
use datafusion::physical_expr::create_physical_expr;
use datafusion::physical_plan::ExecutionPlan;
use futures::future::BoxFuture;

use crate::catalog::{CatalogState, Entry};
use crate::engine::error::to_datafusion;
use crate::engine::index::{Hint, Ways};
use crate::engine::scan::exec::ScanExec;
use crate::engine::scope;
use crate::engine::symbol;
use crate::error::{Error, Result};
use crate::plan;

/// A table of one state of the catalog. It knows no snapshot: that comes with each execution.
#[derive(Debug)]
pub(crate) struct StoredTable {
    entry: Arc<Entry>,
    schema: SchemaRef,
    /// The state of the catalog that it is of.
    catalog: Arc<CatalogState>,
    /// What the statement says of its indexes.
    hint: Hint,
}

impl StoredTable {
    pub(crate) fn new(entry: Arc<Entry>, catalog: Arc<CatalogState>) -> Self {
        let schema = entry.def.arrow_schema();
        StoredTable {
            entry,
            schema,
            catalog,
            hint: Hint::None,
        }
    }

    /// The same table, of whose indexes the statement says that.
    pub(in crate::engine) fn with_hint(&self, hint: Hint) -> Self {
        StoredTable {
            entry: self.entry.clone(),
            schema: self.schema.clone(),
            catalog: self.catalog.clone(),
            hint,
        }
    }

    /// The indexes that a scan may read.
    fn ways(&self, state: &dyn Session) -> DataFusionResult<Option<Arc<Ways>>> {
        if self.entry.indexes.is_empty() {
            return Ok(None);
        }
        let state: &dyn Any = state.as_any();
        match state.downcast_ref::<SessionState>() {
            Some(state) => Ways::of(&self.entry, &self.hint, &self.catalog, state),
            None => Ok(None),
        }
    }

    pub(crate) fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }
}

/// The table that a scan of a plan reads, if it is a stored one.
pub(in crate::engine) fn stored_entry(source: &Arc<dyn TableSource>) -> Option<Arc<Entry>> {
    let provider = source_as_provider(source).ok()?;
    let provider: &dyn Any = provider.as_ref();
    Some(provider.downcast_ref::<StoredTable>()?.entry.clone())
}

/// The table that a scan of a plan reads, with what the statement says of its indexes; `None` if it
/// is no stored one.
///
/// # Errors
/// `NotFound` for an index that it does not have.
pub(in crate::engine) fn hinted_source(
    source: &Arc<dyn TableSource>,
    hint: Hint,
) -> Result<Option<Arc<dyn TableSource>>> {
    let Ok(provider) = source_as_provider(source) else {
        return Ok(None);
    };
    let provider: &dyn Any = provider.as_ref();
    let Some(table) = provider.downcast_ref::<StoredTable>() else {
        return Ok(None);
    };
    if let Hint::Index(names) = &hint {
        let unknown = names.iter().find(|name| {
            let mut indexes = table.entry.indexes.iter();
            !indexes.any(|index| index.def.name == **name)
        });
        if let Some(name) = unknown {
            let table = table.entry.def.display_name();
            return Err(Error::not_found(format!(
                "a hint names index {name}, which table {table} does not have"
            )));
        }
    }
    Ok(Some(provider_as_source(Arc::new(table.with_hint(hint)))))
}

/// What the statement says of the indexes of the table.
pub(in crate::engine) fn hint_of(source: &Arc<dyn TableSource>) -> Hint {
    let Ok(provider) = source_as_provider(source) else {
        return Hint::None;
    };
    let provider: &dyn Any = provider.as_ref();
    match provider.downcast_ref::<StoredTable>() {
        Some(table) => table.hint.clone(),
        None => Hint::None,
    }
}

/// Whether a scan can evaluate a filter itself: it gives the same answer for a row each time, and
/// needs nothing but the row.
pub(in crate::engine) fn can_filter(expr: &Expr) -> bool {
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
pub(in crate::engine) fn evaluate_symbols(
    filter: Expr,
    props: &ExecutionProps,
) -> DataFusionResult<Expr> {
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
                .collect::<DataFusionResult<Vec<_>>>()?;
            let with_values = |filters: Vec<Expr>| {
                let values = filters
                    .into_iter()
                    .map(|filter| evaluate_symbols(filter, state.execution_props()));
                values.collect::<DataFusionResult<Vec<_>>>()
            };
            let executed = scope::is_execution(state);
            if let Some(ways) = self.ways(state)? {
                let filters = if executed {
                    with_values(filters)?
                } else {
                    filters
                };
                return ScanExec::by_ways(ways, &filters, columns, limit, state);
            }
            let def = &self.entry.def;
            let mut path = plan::narrow(def, &filters).map_err(to_datafusion)?;
            if executed && path.is_symbolic() {
                path = plan::narrow(def, &with_values(filters)?).map_err(to_datafusion)?;
            }
            let scan = ScanExec::new(self.entry.clone(), path, columns, limit, state)?;
            Ok(Arc::new(scan) as Arc<dyn ExecutionPlan>)
        };
        Box::pin(std::future::ready(planned()))
    }
}
