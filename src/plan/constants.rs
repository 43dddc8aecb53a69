//! Constants take the type of the column that they are compared with.
//!
//! DataFusion would rather cast the column, which hides it from the where-optimizer, overflows
//! where the wider type is narrower in range (nanoseconds end in the year 2262) and compares
//! numbers as text. So before its type coercion a quoted literal becomes a value of the column's
//! type, a number that the column can hold exactly too, and CHAR's trailing spaces go.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DataFusionError, JoinType, TableReference};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan};

use crate::catalog::TableDef;
use crate::error::{Error, Result};
use crate::plan::chain::balanced;
use crate::plan::lists::merge_lists;
use crate::plan::typed::{is_comparison, type_comparison};
use crate::types::SqlType;

/// Gives the constants of a plan the types of the columns that they are compared with.
///
/// `column_type` knows the columns of rocksalt tables: the type of a column of a table as the
/// plan's scans name them, `None` for every other table. Comparisons with columns that come from
/// such a scan, also by way of aliases, joins, subqueries and other queries in FROM, are changed:
/// `=`, `<>`, `<`, `<=`, `>`, `>=`, IS \[NOT\] DISTINCT FROM, BETWEEN, IN, and of CHAR columns
/// LIKE. The plan must not have gone through DataFusion's analyzer yet.
///
/// # Errors
/// `Invalid` for a quoted literal that is not a value of the column's type, and for what is no text
/// beside a column of text.
pub fn type_constants(
    plan: LogicalPlan,
    column_type: &dyn Fn(&TableReference, &str) -> Option<SqlType>,
) -> Result<LogicalPlan> {
    let mut refused = None;
    let typed = plan.transform_up_with_subqueries(|node| {
        if let LogicalPlan::TableScan(_) = node {
            return Ok(Transformed::no(node));
        }
        // Found when the first comparison asks.
        let mut inputs: Option<Vec<Input>> = None;
        let sources: Vec<LogicalPlan> = node.inputs().into_iter().cloned().collect();
        let names = NamePreserver::new(&node);
        let typed = node.map_expressions(|expr| {
            if !has_comparison(&expr) {
                return Ok(Transformed::no(expr));
            }
            let inputs = inputs.get_or_insert_with(|| {
                sources
                    .iter()
                    .map(|plan| Input::new(plan, column_type))
                    .collect()
            });
            let find = |column: &Column| inputs.iter().find_map(|input| input.find(column));
            let name = names.save(&expr);
            Ok(type_expr(expr, &find, &mut refused)?.update_data(|expr| name.restore(expr)))
        })?;
        if typed.transformed {
            typed.map_data(LogicalPlan::recompute_schema)
        } else {
            Ok(typed)
        }
    });
    match (typed, refused) {
        (_, Some(error)) => Err(error),
        (Ok(typed), None) => Ok(typed.data),
        (Err(error), None) => Err(Error::internal(error.to_string()).with_source(error)),
    }
}

/// [`type_constants`] for filters on one table.
///
/// # Errors
/// As [`type_constants`].
pub fn type_filters(filters: Vec<Expr>, def: &TableDef) -> Result<Vec<Expr>> {
    let find = |column: &Column| {
        let column = def.columns.get(def.find_column(&column.name)?)?;
        Some(column.sql_type)
    };
    let mut refused = None;
    filters
        .into_iter()
        .map(|filter| match type_expr(filter, &find, &mut refused) {
            Ok(typed) => Ok(typed.data),
            Err(error) => Err(refused
                .take()
                .unwrap_or_else(|| Error::internal(error.to_string()))),
        })
        .collect()
}

/// The output columns of a plan that are columns of rocksalt tables.
struct Input<'a> {
    plan: &'a LogicalPlan,
    types: Vec<Option<SqlType>>,
}

impl<'a> Input<'a> {
    fn new(
        plan: &'a LogicalPlan,
        column_type: &dyn Fn(&TableReference, &str) -> Option<SqlType>,
    ) -> Self {
        Input {
            plan,
            types: output_types(plan, column_type),
        }
    }

    fn find(&self, column: &Column) -> Option<SqlType> {
        let at = self.plan.schema().maybe_index_of_column(column)?;
        *self.types.get(at)?
    }
}

fn output_types(
    plan: &LogicalPlan,
    column_type: &dyn Fn(&TableReference, &str) -> Option<SqlType>,
) -> Vec<Option<SqlType>> {
    let width = plan.schema().fields().len();
    let of_exprs = |input: &LogicalPlan, exprs: &mut dyn Iterator<Item = &Expr>| {
        let input = Input::new(input, column_type);
        exprs
            .map(|expr| input.find(bare_column(expr)?))
            .collect::<Vec<_>>()
    };
    let mut types = match plan {
        LogicalPlan::TableScan(scan) => plan
            .schema()
            .fields()
            .iter()
            .map(|field| column_type(&scan.table_name, field.name()))
            .collect(),
        LogicalPlan::SubqueryAlias(alias) => output_types(&alias.input, column_type),
        LogicalPlan::Subquery(subquery) => output_types(&subquery.subquery, column_type),
        LogicalPlan::Filter(filter) => output_types(&filter.input, column_type),
        LogicalPlan::Sort(sort) => output_types(&sort.input, column_type),
        LogicalPlan::Limit(limit) => output_types(&limit.input, column_type),
        LogicalPlan::Repartition(repartition) => output_types(&repartition.input, column_type),
        LogicalPlan::Distinct(Distinct::All(input)) => output_types(input, column_type),
        LogicalPlan::Distinct(Distinct::On(on)) => of_exprs(&on.input, &mut on.select_expr.iter()),
        LogicalPlan::Window(window) => output_types(&window.input, column_type),
        LogicalPlan::Projection(projection) => {
            of_exprs(&projection.input, &mut projection.expr.iter())
        }
        LogicalPlan::Aggregate(aggregate) => {
            of_exprs(&aggregate.input, &mut aggregate.group_expr.iter())
        }
        LogicalPlan::Join(join) => match join.join_type {
            JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => {
                output_types(&join.left, column_type)
            }
            JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => {
                output_types(&join.right, column_type)
            }
            JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => {
                let mut types = output_types(&join.left, column_type);
                types.extend(output_types(&join.right, column_type));
                types
            }
        },
        LogicalPlan::Union(union) => {
            let mut inputs = union
                .inputs
                .iter()
                .map(|input| output_types(input, column_type));
            let first = inputs.next().unwrap_or_default();
            inputs.fold(first, |all, types| {
                all.into_iter()
                    .zip(types)
                    .map(|(a, b)| a.filter(|_| a == b))
                    .collect()
            })
        }
        _ => Vec::new(),
    };
    // Window functions, aggregates and marks follow the columns that they were given.
    types.resize(width, None);
    types
}

pub(super) fn bare_column(expr: &Expr) -> Option<&Column> {
    match expr {
        Expr::Column(column) => Some(column),
        Expr::Alias(alias) => bare_column(&alias.expr),
        _ => None,
    }
}

fn has_comparison(expr: &Expr) -> bool {
    expr.exists(|e| Ok(is_comparison(e))).unwrap_or(true)
}

/// Finds the type of a column, if it is one of a rocksalt table.
pub(super) type Find<'a> = dyn Fn(&Column) -> Option<SqlType> + 'a;

/// Changes every comparison in an expression. An error of ours travels in `refused`, because the
/// walk is DataFusion's.
fn type_expr(
    expr: Expr,
    find: &Find<'_>,
    refused: &mut Option<Error>,
) -> Result<Transformed<Expr>, DataFusionError> {
    // Long chains are balanced on the way, so that no later pass needs a stack as deep.
    balanced(expr).transform_up(|expr| {
        let typed = type_comparison(expr, find).map_err(|error| {
            let shown = DataFusionError::Plan(error.message().to_owned());
            refused.get_or_insert(error);
            shown
        })?;
        typed.transform_data(|expr| Ok(merge_lists(expr)))
    })
}
