//! `x IN (SELECT ...)` beside OR, or under NOT, is unknown where NULL is in the way.
//!
//! As a condition of its own DataFusion makes it a semi join, or an anti join that knows NULL.
//! Anywhere else it becomes a mark, which is TRUE or FALSE and never NULL, so that
//! `x NOT IN (SELECT ...) OR ...` would hold for rows for which nobody knows. There what the mark
//! leaves out is written beside it:
//!
//! ```text
//! x IN (S)  =  mark OR (NULL AND (x IS NULL AND EXISTS (S)  OR  EXISTS (S WHERE column IS NULL)))
//! ```

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Expr, ExprSchemable, Filter, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::scalar::ScalarValue;

/// The plan with every such condition written out.
pub(in crate::engine) fn unknown_subqueries(plan: LogicalPlan) -> Result<LogicalPlan> {
    let changed = plan.transform_up_with_subqueries(|node| {
        let LogicalPlan::Filter(filter) = node else {
            return Ok(Transformed::no(node));
        };
        if !has_in_subquery(&filter.predicate) {
            return Ok(Transformed::no(LogicalPlan::Filter(filter)));
        }
        let schema = filter.input.schema().clone();
        let conjuncts = split_conjunction_owned(filter.predicate)
            .into_iter()
            .map(|conjunct| match conjunct {
                Expr::InSubquery(_) => Ok(conjunct),
                Expr::Not(inner) => match *inner {
                    Expr::InSubquery(test) => Ok(Expr::InSubquery(InSubquery {
                        negated: !test.negated,
                        ..test
                    })),
                    inner => write_out(Expr::Not(Box::new(inner)), &schema),
                },
                conjunct => write_out(conjunct, &schema),
            })
            .collect::<Result<Vec<_>>>()?;
        let predicate = conjunction(conjuncts).unwrap_or_else(|| lit(true));
        let filter = Filter::try_new(predicate, filter.input)?;
        Ok(Transformed::yes(LogicalPlan::Filter(filter)))
    })?;
    Ok(changed.data)
}

fn has_in_subquery(expr: &Expr) -> bool {
    expr.exists(|e| Ok(matches!(e, Expr::InSubquery(_))))
        .unwrap_or(true)
}

fn write_out(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    let changed = expr.transform_up(|expr| match expr {
        Expr::InSubquery(test) => Ok(Transformed::yes(with_unknown(test, schema)?)),
        other => Ok(Transformed::no(other)),
    })?;
    Ok(changed.data)
}

/// The test with NULL where the answer is not known.
fn with_unknown(test: InSubquery, schema: &DFSchema) -> Result<Expr> {
    let exists = |plan: Arc<LogicalPlan>| {
        Expr::Exists(Exists {
            subquery: test.subquery.with_plan(plan),
            negated: false,
        })
    };
    let plan = &test.subquery.subquery;
    let mut unknown: Option<Expr> = None;
    if test.expr.nullable(schema)? {
        let is_null = test.expr.clone().is_null();
        unknown = Some(is_null.and(exists(plan.clone())));
    }
    if plan.schema().field(0).is_nullable() {
        let column = Expr::Column(plan.schema().columns().swap_remove(0));
        let nulls = LogicalPlanBuilder::from(plan.clone())
            .filter(column.is_null())?
            .build()?;
        let nulls = exists(nulls.into());
        unknown = Some(match unknown {
            Some(unknown) => unknown.or(nulls),
            None => nulls,
        });
    }
    let negated = test.negated;
    let mark = Expr::InSubquery(InSubquery {
        negated: false,
        ..test
    });
    let known = match unknown {
        Some(unknown) => mark.or(Expr::Literal(ScalarValue::Boolean(None), None).and(unknown)),
        None => mark,
    };
    Ok(match negated {
        true => Expr::Not(Box::new(known)),
        false => known,
    })
}
