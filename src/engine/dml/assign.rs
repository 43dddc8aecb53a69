//! What a query's columns become when they are assigned to a table's columns.

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, Result as DataFusionResult};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, Projection};

use crate::catalog::TableDef;
use crate::engine::dml::checked::checked;
use crate::engine::{from_datafusion, to_datafusion};
use crate::error::Result;
use crate::types::{SqlType, Value, assign_array, assign_value};

/// A column that is written: what messages call it, and its type.
#[derive(Debug, Clone)]
pub(super) struct Assignee {
    pub(super) name: String,
    pub(super) sql_type: SqlType,
}

impl Assignee {
    pub(super) fn of(def: &TableDef, column: usize) -> Self {
        let column = &def.columns[column];
        Assignee {
            name: column.name.clone(),
            sql_type: column.sql_type,
        }
    }

    /// An array of what a query returned, as an array of this column.
    pub(super) fn assign(&self, array: &ArrayRef) -> Result<ArrayRef> {
        assign_array(array, &self.sql_type).map_err(|e| e.context(&self.name))
    }
}

/// `plan` with the literals that stand directly in its SELECT list converted as quoted literals
/// are: column `i` of it is assigned to `to[i]`, where that is known. The plan has its values and
/// has not been analyzed: the analyzer would give the literals of a UNION one type.
pub(super) fn assign_literals(plan: LogicalPlan, to: &[Option<Assignee>]) -> Result<LogicalPlan> {
    let assign = |column: usize, expr: Expr, _: &DFSchema| {
        let Some(Some(to)) = to.get(column) else {
            return Ok(Transformed::no(expr));
        };
        Ok(match literal(&expr) {
            Some(value @ Value::Text(_)) => {
                let value = assign_value(&value, true, &to.sql_type)
                    .map_err(|e| to_datafusion(e.context(&to.name)))?;
                let typed = value.to_scalar().cast_to(&to.sql_type.arrow())?;
                Transformed::yes(Expr::Literal(typed, None))
            }
            _ => Transformed::no(expr),
        })
    };
    rewrite(plan, Reach::SelectList, &assign)
}

/// `plan` with the integer arithmetic that makes its columns checked. The plan is analyzed.
pub(super) fn check_arithmetic(plan: LogicalPlan) -> Result<LogicalPlan> {
    rewrite(plan, Reach::Everywhere, &|_, expr, schema| {
        checked(expr, schema)
    })
}

fn literal(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Literal(scalar, _) => Value::from_scalar(scalar).ok(),
        Expr::Alias(alias) => literal(&alias.expr),
        _ => None,
    }
}

/// How far the expressions are followed that make the columns of a plan.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    /// To those that stand in the query's own SELECT list.
    SelectList,
    /// Into the queries of FROM and of UNION too.
    Everywhere,
}

/// Rewrites an expression, given the column of the plan that it makes and its input's schema.
type Rewrite<'a> = dyn Fn(usize, Expr, &DFSchema) -> DataFusionResult<Transformed<Expr>> + 'a;

fn rewrite(plan: LogicalPlan, reach: Reach, rewrite: &Rewrite<'_>) -> Result<LogicalPlan> {
    let columns: Vec<Option<usize>> = (0..plan.schema().fields().len()).map(Some).collect();
    let rewritten = rewrite_columns(plan, &columns, reach, rewrite);
    rewritten.map(|plan| plan.data).map_err(from_datafusion)
}

/// `columns`: which column of the whole plan each column of this one becomes, if any.
fn rewrite_columns(
    plan: LogicalPlan,
    columns: &[Option<usize>],
    reach: Reach,
    rewrite: &Rewrite<'_>,
) -> DataFusionResult<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Projection(projection) => project(projection, columns, reach, rewrite),
        LogicalPlan::Sort(_) | LogicalPlan::Limit(_) | LogicalPlan::Distinct(Distinct::All(_)) => {
            rewrite_children(plan, columns, reach, rewrite)
        }
        LogicalPlan::Union(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::Filter(_)
            if reach == Reach::Everywhere =>
        {
            rewrite_children(plan, columns, reach, rewrite)
        }
        other => Ok(Transformed::no(other)),
    }
}

/// For a plan whose columns are those of each of its children.
fn rewrite_children(
    plan: LogicalPlan,
    columns: &[Option<usize>],
    reach: Reach,
    rewrite: &Rewrite<'_>,
) -> DataFusionResult<Transformed<LogicalPlan>> {
    let rewritten = plan.map_children(|child| rewrite_columns(child, columns, reach, rewrite))?;
    match rewritten.transformed {
        true => rewritten.map_data(LogicalPlan::recompute_schema),
        false => Ok(rewritten),
    }
}

/// Columns that a projection only passes on are followed further: an ORDER BY of what is not in
/// the SELECT list is planned as one projection over another.
fn project(
    projection: Projection,
    columns: &[Option<usize>],
    reach: Reach,
    rewrite: &Rewrite<'_>,
) -> DataFusionResult<Transformed<LogicalPlan>> {
    let Projection {
        expr: exprs, input, ..
    } = projection;
    let schema = input.schema().clone();
    let mut below = vec![None; schema.fields().len()];
    let names = NamePreserver::new_for_projection();
    let mut any = false;
    let exprs = exprs
        .into_iter()
        .zip(columns.iter().chain(std::iter::repeat(&None)))
        .map(|(expr, column)| {
            let Some(column) = column else {
                return Ok(expr);
            };
            if let Some(passed) = passed_on(&expr) {
                if let Some(slot) = schema.maybe_index_of_column(passed) {
                    below[slot] = Some(*column);
                }
                return Ok(expr);
            }
            let name = names.save(&expr);
            let rewritten = rewrite(*column, expr, &schema)?;
            any |= rewritten.transformed;
            Ok(match rewritten.transformed {
                true => name.restore(rewritten.data),
                false => rewritten.data,
            })
        })
        .collect::<DataFusionResult<Vec<_>>>()?;
    let input = rewrite_columns(Arc::unwrap_or_clone(input), &below, reach, rewrite)?;
    any |= input.transformed;
    let plan = LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(input.data))?);
    Ok(Transformed::new_transformed(plan, any))
}

fn passed_on(expr: &Expr) -> Option<&Column> {
    match expr {
        Expr::Column(column) => Some(column),
        Expr::Alias(alias) => passed_on(&alias.expr),
        _ => None,
    }
}
