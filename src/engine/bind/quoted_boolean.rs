//! A quoted literal beside a BOOLEAN.
//!
//! Where DataFusion wants to know the type of a comparison as soon as it has read it, under NOT or in
//! a SELECT list, it must have an operator for its two sides, and it has none for a BOOLEAN and a
//! text. All other literals take the type of their column when the values of a statement are there.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{Expr, ExprSchemable};
use datafusion::scalar::ScalarValue;
use sqlparser::ast::BinaryOperator;

use crate::types::{SqlType, Value, comparable_value};

/// Reads the literal; one that is no boolean is left to those who say so.
#[derive(Debug)]
pub(in crate::engine) struct QuotedBoolean;

impl ExprPlanner for QuotedBoolean {
    fn plan_binary_op(
        &self,
        mut expr: RawBinaryExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawBinaryExpr>> {
        use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
        if matches!(expr.op, Eq | NotEq | Lt | LtEq | Gt | GtEq) {
            let RawBinaryExpr { left, right, .. } = &mut expr;
            read(left, right, schema);
            read(right, left, schema);
        }
        Ok(PlannerResult::Original(expr))
    }
}

fn read(literal: &mut Expr, other: &Expr, schema: &DFSchema) {
    if let Expr::Literal(ScalarValue::Utf8(Some(text)), _) = literal
        && other.get_type(schema).is_ok_and(|t| t == DataType::Boolean)
        && let Some(Value::Boolean(value)) =
            comparable_value(&Value::from(text.as_str()), true, &SqlType::Boolean)
    {
        *literal = Expr::Literal(ScalarValue::Boolean(Some(value)), None);
    }
}
