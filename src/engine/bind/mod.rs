//! From a syntax tree to a logical plan: names and types, and what DataFusion binds otherwise than
//! the dialect says.

pub(super) mod binder;
pub(super) mod catalogs;
pub(super) mod column_names;
pub(super) mod common_type;
mod condition;
pub(super) mod expressions;
pub(super) mod in_subquery;
pub(super) mod or_null;
pub(super) mod quoted_boolean;
pub(super) mod rounding_cast;
pub(super) mod set_comparison;

use std::sync::Arc;

use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use sqlparser::ast;

use crate::catalog::CatalogState;
use crate::engine::error::from_datafusion;
use crate::engine::functions::salt_bucket;
use crate::engine::index;
use crate::error::Result;

pub(crate) use condition::Conditions;

/// The logical plan of a query, bound and analyzed, and not optimised.
pub(super) fn read_query(
    state: &SessionState,
    catalog: &Arc<CatalogState>,
    query: &ast::Query,
) -> Result<LogicalPlan> {
    let resolved = salt_bucket::resolve(catalog, query)?;
    let plan = binder::bind(state, catalog, &resolved)?;
    or_null::nullable_subqueries(plan)
        .and_then(common_type::common_types)
        .and_then(rounding_cast::written_out)
        .and_then(in_subquery::unknown_subqueries)
        .and_then(set_comparison::named_sets)
        .map_err(from_datafusion)
        .and_then(|plan| index::with_hints(plan, &resolved))
}
