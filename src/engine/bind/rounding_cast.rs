//! A cast that rounds a DECIMAL, beside what it is compared with.
//!
//! DataFusion takes such a cast away from a comparison with a literal, as if it kept values apart:
//! of `CAST(m AS INTEGER) = 2` it would make `m = 2.00`, which 2.5 is not. So the rounding is
//! written as a function, under a cast that then changes nothing: `CAST(trunc(m) AS INTEGER)`.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::functions::math::expr_fn::{round, trunc};
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, Operator, lit};

use crate::engine::bind::expressions::{changed, recomputed};

/// The plan with the rounding of such casts written out.
pub(in crate::engine) fn written_out(plan: LogicalPlan) -> Result<LogicalPlan> {
    let changed = plan.transform_up_with_subqueries(|node| recomputed(changed(node, compared)?))?;
    Ok(changed.data)
}

fn compared(mut expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    use Operator::{IsDistinctFrom, IsNotDistinctFrom};
    let changed = match &mut expr {
        Expr::BinaryExpr(binary)
            if binary.op.supports_propagation()
                || matches!(binary.op, IsDistinctFrom | IsNotDistinctFrom) =>
        {
            let left = round_first(&mut binary.left, schema);
            round_first(&mut binary.right, schema) || left
        }
        Expr::Between(between) => round_first(&mut between.expr, schema),
        Expr::InList(list) => round_first(&mut list.expr, schema),
        _ => false,
    };
    Ok(match changed {
        true => Transformed::yes(expr),
        false => Transformed::no(expr),
    })
}

/// Rounds what a cast would round, as it would; false for any other expression.
fn round_first(expr: &mut Expr, schema: &DFSchema) -> bool {
    let (inner, to) = match expr {
        Expr::Cast(cast) => (&mut cast.expr, cast.field.data_type()),
        Expr::TryCast(cast) => (&mut cast.expr, cast.field.data_type()),
        _ => return false,
    };
    let Ok(DataType::Decimal128(_, digits)) = inner.get_type(schema) else {
        return false;
    };
    let rounded: fn(Expr, i8) -> Expr = match to {
        to if to.is_integer() && digits > 0 => |inner, _| trunc(vec![inner]),
        DataType::Decimal128(_, kept) if *kept < digits => {
            |inner, kept| round(vec![inner, lit(i64::from(kept))])
        }
        _ => return false,
    };
    let kept = match to {
        DataType::Decimal128(_, kept) => *kept,
        _ => 0,
    };
    **inner = rounded(std::mem::take(inner), kept);
    true
}
