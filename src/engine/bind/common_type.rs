//! The common type of values that meet: in a comparison, a CASE, a UNION, `coalesce(a, b)`.
//!
//! DataFusion's choice loses values in two places. A DOUBLE beside a DECIMAL becomes a DECIMAL,
//! which has no `1e300` and makes `1e-20` zero; and a TIMESTAMP beside a DATE becomes nanoseconds,
//! which end in the year 2262. Here the first become DOUBLE, as in PostgreSQL and DuckDB, and the
//! second TIMESTAMP, which is microseconds.
//!
//! A column compared with a literal is left alone: there the literal takes the column's type.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{Cast, InSubquery};
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Operator, Union,
};

use crate::engine::bind::expressions::{changed, recomputed};

const TIMESTAMP: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);

/// Functions that return one of their arguments.
const CHOICES: [&str; 6] = ["coalesce", "nullif", "nvl", "ifnull", "greatest", "least"];

/// The plan with casts to the common type where DataFusion's would lose values.
pub(in crate::engine) fn common_types(plan: LogicalPlan) -> Result<LogicalPlan> {
    let changed = plan.transform_up_with_subqueries(|node| {
        let node = match node {
            LogicalPlan::Union(union) => return union_of_common_types(union),
            node => node,
        };
        let changed = changed(node, meet)?;
        let changed = match changed.data {
            LogicalPlan::Join(mut join) => {
                for (left, right) in &mut join.on {
                    let schemas = [join.left.schema(), join.right.schema()];
                    let types = [left.get_type(schemas[0]), right.get_type(schemas[1])];
                    if let Some(common) = common_type(types.into_iter().flatten()) {
                        cast(left, schemas[0], &common);
                        cast(right, schemas[1], &common);
                    }
                }
                Transformed::yes(LogicalPlan::Join(join))
            }
            data => Transformed { data, ..changed },
        };
        recomputed(changed)
    })?;
    Ok(changed.data)
}

/// Casts the values that meet in one expression.
fn meet(mut expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let changed = match &mut expr {
        Expr::BinaryExpr(binary) => {
            // Comparisons are the operators that bounds pass through.
            let compares = binary.op.supports_propagation()
                || matches!(
                    binary.op,
                    Operator::IsDistinctFrom | Operator::IsNotDistinctFrom
                );
            let minus = binary.op == Operator::Minus && is_time(&binary.left, schema);
            let (left, right) = (&mut *binary.left, &mut *binary.right);
            (minus || compares && !takes_column_type(left, right))
                && unite(&mut [left, right], schema)
        }
        Expr::Between(between) => {
            let (expr, low, high) = (&mut *between.expr, &mut *between.low, &mut *between.high);
            !(takes_column_type(expr, low) && takes_column_type(expr, high))
                && unite(&mut [expr, low, high], schema)
        }
        Expr::InList(list) => {
            let column = &mut *list.expr;
            let is_float = column.get_type(schema).is_ok_and(|t| t.is_floating());
            let typed = list.list.iter().all(|item| takes_column_type(column, item));
            let mut parts = vec![column];
            parts.extend(&mut list.list);
            (is_float || !typed) && unite(&mut parts, schema)
        }
        Expr::Case(case) => {
            let (mut tests, mut results) = (Vec::new(), Vec::new());
            for (when, then) in &mut case.when_then_expr {
                tests.push(&mut **when);
                results.push(&mut **then);
            }
            results.extend(case.else_expr.as_deref_mut());
            let tested = match case.expr.as_deref_mut() {
                Some(value) => {
                    tests.push(value);
                    unite(&mut tests, schema)
                }
                None => false,
            };
            unite(&mut results, schema) || tested
        }
        Expr::ScalarFunction(function) if CHOICES.contains(&function.func.name()) => {
            unite(&mut function.args.iter_mut().collect::<Vec<_>>(), schema)
        }
        Expr::InSubquery(test) => unite_with_subquery(test, schema)?,
        _ => false,
    };
    Ok(match changed {
        true => Transformed::yes(expr),
        false => Transformed::no(expr),
    })
}

/// Whether the two are a column and a literal, which takes the column's type later.
fn takes_column_type(a: &Expr, b: &Expr) -> bool {
    matches!(
        (a, b),
        (Expr::Column(_), Expr::Literal(..)) | (Expr::Literal(..), Expr::Column(_))
    )
}

fn is_time(expr: &Expr, schema: &DFSchema) -> bool {
    expr.get_type(schema)
        .is_ok_and(|t| matches!(t, DataType::Timestamp(..)))
}

/// Casts the expressions to their common type, if DataFusion's would lose values.
fn unite(exprs: &mut [&mut Expr], schema: &DFSchema) -> bool {
    // The type of a parameter is not known; what it meets is left alone.
    let types = exprs.iter().map(|expr| expr.get_type(schema));
    let Ok(types) = types.collect::<Result<Vec<_>>>() else {
        return false;
    };
    let Some(common) = common_type(types) else {
        return false;
    };
    exprs
        .iter_mut()
        .for_each(|expr| cast(expr, schema, &common));
    true
}

/// The type in which values of these types meet, where DataFusion would choose one that loses
/// some of them; `None` where its choice will do.
fn common_type(types: impl IntoIterator<Item = DataType>) -> Option<DataType> {
    let (mut float, mut decimal, mut date, mut micros, mut other_time) = Default::default();
    for data_type in types {
        match data_type {
            t if t.is_floating() => float = true,
            t if t.is_decimal() => decimal = true,
            DataType::Date32 => date = true,
            t if t == TIMESTAMP => micros = true,
            DataType::Timestamp(..) => other_time = true,
            _ => {}
        }
    }
    match () {
        () if float && decimal => Some(DataType::Float64),
        () if micros && (date || other_time) => Some(TIMESTAMP),
        () => None,
    }
}

/// Casts an expression that is of another type to `common`, if it is one of the types that meet.
fn cast(expr: &mut Expr, schema: &DFSchema, common: &DataType) {
    let Ok(data_type) = expr.get_type(schema) else {
        return;
    };
    let meets = match common {
        DataType::Float64 => data_type.is_decimal(),
        _ => matches!(data_type, DataType::Date32 | DataType::Timestamp(..)),
    };
    if !meets || data_type == *common {
        return;
    }
    let inner = std::mem::take(expr);
    *expr = match &inner {
        Expr::Literal(value, _) => match value.cast_to(common) {
            Ok(value) => Expr::Literal(value, None),
            Err(_) => Expr::Cast(Cast::new(Box::new(inner), common.clone())),
        },
        _ => Expr::Cast(Cast::new(Box::new(inner), common.clone())),
    };
}

fn unite_with_subquery(test: &mut InSubquery, schema: &DFSchema) -> Result<bool> {
    let plan = &test.subquery.subquery;
    let column = plan.schema().field(0).data_type().clone();
    let Ok(value) = test.expr.get_type(schema) else {
        return Ok(false);
    };
    let Some(common) = common_type([value, column]) else {
        return Ok(false);
    };
    cast(&mut test.expr, schema, &common);
    let plan = with_types(plan, &[Some(common)])?;
    test.subquery = test.subquery.with_plan(plan);
    Ok(true)
}

fn union_of_common_types(union: Union) -> Result<Transformed<LogicalPlan>> {
    let common: Vec<Option<DataType>> = (0..union.schema.fields().len())
        .map(|i| {
            let fields = union
                .inputs
                .iter()
                .map(|plan| plan.schema().fields().get(i));
            common_type(fields.flatten().map(|field| field.data_type().clone()))
        })
        .collect();
    if common.iter().all(Option::is_none) {
        return Ok(Transformed::no(LogicalPlan::Union(union)));
    }
    let inputs = union.inputs.iter().map(|plan| with_types(plan, &common));
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    let union = Union::try_new_with_loose_types(inputs)?;
    Ok(Transformed::yes(LogicalPlan::Union(union)))
}

/// A projection of the plan's columns, some cast.
fn with_types(plan: &Arc<LogicalPlan>, types: &[Option<DataType>]) -> Result<Arc<LogicalPlan>> {
    let schema = plan.schema().clone();
    let columns = schema
        .columns()
        .into_iter()
        .zip(types)
        .map(|(column, common)| {
            let mut expr = Expr::Column(column.clone());
            if let Some(common) = common {
                cast(&mut expr, &schema, common);
            }
            match expr {
                Expr::Column(_) => expr,
                cast => cast.alias_qualified(column.relation, column.name),
            }
        });
    let columns: Vec<Expr> = columns.collect();
    let plan = LogicalPlanBuilder::from(plan.clone()).project(columns)?;
    Ok(Arc::new(plan.build()?))
}
