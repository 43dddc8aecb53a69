//! What the texts of an index say, in the terms in which queries say it.

use std::sync::Arc;

use datafusion::common::Column;
use datafusion::common::Result as DataFusionResult;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::utils::split_conjunction_owned;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::physical_expr::PhysicalExpr;

use crate::catalog::{CatalogState, IndexEntry, IndexSource, TableDef};
use crate::engine::bind::read_query;
use crate::engine::dml::{select_from, stored_expr};
use crate::engine::from_datafusion;
use crate::engine::optimize::logical::{Logical, Subqueries};
use crate::engine::query::typed;
use crate::error::{Error, Result};
use crate::sql::TableName;

/// The expressions and the condition of an index, bound, typed and simplified as those of a query
/// are, so that what a query says of them is found by comparing trees.
#[derive(Debug, Clone, Default)]
pub(in crate::engine) struct Terms {
    /// Each indexed expression with the column of the index as a table that it is.
    exprs: Vec<(Expr, Column)>,
    /// The conjuncts of the condition of the rows that have an entry.
    pub(in crate::engine) predicate: Vec<Expr>,
}

impl Terms {
    /// Of an index of a table; nothing for one of plain columns and all rows.
    ///
    /// # Errors
    /// Those of binding its texts, which were bound before.
    pub(in crate::engine) fn of(
        index: &IndexEntry,
        table: &TableDef,
        catalog: &Arc<CatalogState>,
        state: &SessionState,
    ) -> Result<Terms> {
        let mut terms = Terms::default();
        let mut behind = index.view.columns.iter().skip(table.columns.len());
        let read = |text: &str| expression(text, table, catalog, state);
        for part in &index.def.parts {
            let IndexSource::Expr { text, .. } = &part.source else {
                continue;
            };
            let column = behind
                .next()
                .ok_or_else(|| Error::internal("an index has no column of its expression"))?;
            terms
                .exprs
                .push((read(text)?, Column::new_unqualified(&column.name)));
        }
        if let Some(text) = &index.def.predicate {
            // As a condition: the optimizer makes of it what it makes of a WHERE.
            terms.predicate = condition(text, table, catalog, state)?;
        }
        Ok(terms)
    }

    /// Whether it is of plain columns.
    pub(in crate::engine) fn has_exprs(&self) -> bool {
        !self.exprs.is_empty()
    }

    /// The expression with the columns of the index in the place of what they hold.
    pub(in crate::engine) fn over_entries(&self, expr: Expr) -> DataFusionResult<Expr> {
        let replaced =
            expr.transform_down(|e| match self.exprs.iter().find(|(known, _)| *known == e) {
                Some((_, column)) => Ok(Transformed::yes(Expr::Column(column.clone()))),
                None => Ok(Transformed::no(e)),
            })?;
        Ok(replaced.data)
    }

    /// The column of the index that an expression over the columns `read` of a scan is, as an index
    /// into those of the index as a table.
    pub(in crate::engine) fn column_of(
        &self,
        expr: &Arc<dyn PhysicalExpr>,
        view: &TableDef,
        read: &[usize],
    ) -> Option<usize> {
        if self.exprs.is_empty() {
            return None;
        }
        let logical = Logical {
            def: view,
            columns: read,
            subqueries: Subqueries::Symbols,
        };
        let expr = logical.expr(expr)?;
        let (_, column) = self.exprs.iter().find(|(known, _)| *known == expr)?;
        view.find_column(&column.name)
    }

    /// The expression over the columns of the table.
    pub(in crate::engine) fn over_rows(&self, expr: Expr) -> DataFusionResult<Expr> {
        let replaced = expr.transform_up(|e| {
            let known = match &e {
                Expr::Column(column) => self.exprs.iter().find(|(_, known)| known == column),
                _ => None,
            };
            match known {
                Some((expr, _)) => Ok(Transformed::yes(expr.clone())),
                None => Ok(Transformed::no(e)),
            }
        })?;
        Ok(replaced.data)
    }
}

fn optimized(
    item: sqlparser::ast::Expr,
    selection: Option<sqlparser::ast::Expr>,
    table: &TableDef,
    catalog: &Arc<CatalogState>,
    state: &SessionState,
) -> Result<LogicalPlan> {
    let schema = Some(table.schema.as_str()).filter(|schema| *schema != "public");
    let name = TableName::new(schema, &table.name);
    let query = select_from(&name, None, vec![(item, "indexed".to_owned())], selection)?;
    let plan = read_query(state, catalog, &query)?;
    state.optimize(&typed(plan)?).map_err(from_datafusion)
}

/// An expression over a row.
fn expression(
    text: &str,
    table: &TableDef,
    catalog: &Arc<CatalogState>,
    state: &SessionState,
) -> Result<Expr> {
    let plan = optimized(stored_expr(text)?, None, table, catalog, state)?;
    let LogicalPlan::Projection(projection) = &plan else {
        return Err(unexpected(text));
    };
    let expr = projection.expr.first().ok_or_else(|| unexpected(text))?;
    let expr = expr.clone().unalias_nested().data;
    let expr = inlined(expr, &projection.input).map_err(from_datafusion)?;
    Ok(unnormalize_col(expr))
}

/// The expression without what the optimizer computes below it because it stands twice in it: a
/// condition that moves into a scan never has that.
fn inlined(expr: Expr, input: &LogicalPlan) -> DataFusionResult<Expr> {
    let LogicalPlan::Projection(below) = input else {
        return Ok(expr);
    };
    let expr = expr.transform_up(|e| {
        let found = match &e {
            Expr::Column(column) => below.schema.maybe_index_of_column(column),
            _ => None,
        };
        match found.and_then(|at| below.expr.get(at)) {
            Some(computed) => Ok(Transformed::yes(computed.clone().unalias_nested().data)),
            None => Ok(Transformed::no(e)),
        }
    })?;
    inlined(expr.data, &below.input)
}

/// The conjuncts of a condition on a row.
fn condition(
    text: &str,
    table: &TableDef,
    catalog: &Arc<CatalogState>,
    state: &SessionState,
) -> Result<Vec<Expr>> {
    let plan = optimized(
        stored_expr("1")?,
        Some(stored_expr(text)?),
        table,
        catalog,
        state,
    )?;
    let mut conjuncts = Vec::new();
    let mut node = &plan;
    loop {
        node = match node {
            LogicalPlan::Projection(projection) => &projection.input,
            LogicalPlan::Filter(filter) => {
                let predicate = filter.predicate.clone();
                conjuncts.push(inlined(predicate, &filter.input).map_err(from_datafusion)?);
                &filter.input
            }
            LogicalPlan::TableScan(scan) => {
                conjuncts.extend(scan.filters.iter().cloned());
                break;
            }
            // A condition that is never true.
            LogicalPlan::EmptyRelation(_) => {
                conjuncts.push(datafusion::logical_expr::lit(false));
                break;
            }
            _ => return Err(unexpected(text)),
        };
    }
    let conjuncts = conjuncts.into_iter().flat_map(split_conjunction_owned);
    let plain = conjuncts.map(|term| unnormalize_col(term.unalias_nested().data));
    Ok(plain.collect())
}

fn unexpected(text: &str) -> Error {
    Error::internal(format!("{text} of an index is read as another query"))
}
