//! Integer arithmetic that fails where DataFusion's would wrap.
//!
//! A value that is assigned to a column must be the value that was asked for. The operators become
//! functions on the logical plan, because the optimizer folds constants and moves expressions
//! about before any physical expression could be told to check.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Datum};
use datafusion::arrow::compute::kernels::numeric;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::error::ArrowError;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable, Operator, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr_common::datum::apply;

/// `expr` with every `+`, `-`, `*` and unary minus of integers checked. Its operands have their
/// final types already: the analyzer has seen it.
pub(super) fn checked(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    expr.transform_up(|expr| {
        let integer = |e: &Expr| e.get_type(schema).is_ok_and(|t| t.is_integer());
        Ok(match expr {
            Expr::BinaryExpr(BinaryExpr {
                left,
                op: op @ (Operator::Plus | Operator::Minus | Operator::Multiply),
                right,
            }) if integer(&left) && integer(&right) => {
                Transformed::yes(call(op, vec![*left, *right]))
            }
            Expr::Negative(inner) if integer(&inner) => {
                let zero = ScalarValue::new_zero(&inner.get_type(schema)?)?;
                let zero = Expr::Literal(zero, None);
                Transformed::yes(call(Operator::Minus, vec![zero, *inner]))
            }
            other => Transformed::no(other),
        })
    })
}

fn call(op: Operator, args: Vec<Expr>) -> Expr {
    let function = Checked {
        op,
        signature: Signature::any(2, Volatility::Immutable),
    };
    Expr::ScalarFunction(ScalarFunction::new_udf(
        Arc::new(ScalarUDF::from(function)),
        args,
    ))
}

/// One checked operator over two integers of one type.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Checked {
    op: Operator,
    signature: Signature,
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &str {
        match self.op {
            Operator::Plus => "checked_add",
            Operator::Minus => "checked_subtract",
            _ => "checked_multiply",
        }
    }

    fn display_name(&self, args: &[Expr]) -> Result<String> {
        Ok(match args {
            [left, right] => format!("{left} {} {right}", self.op),
            _ => self.name().to_owned(),
        })
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        match arg_types {
            [left, right] if left == right => Ok(left.clone()),
            _ => datafusion::common::plan_err!("{} of {arg_types:?}", self.name()),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let kernel: fn(&dyn Datum, &dyn Datum) -> Result<ArrayRef, ArrowError> = match self.op {
            Operator::Plus => numeric::add,
            Operator::Minus => numeric::sub,
            _ => numeric::mul,
        };
        match args.args.as_slice() {
            [left, right] => apply(left, right, kernel),
            _ => datafusion::common::exec_err!("{} takes two values", self.name()),
        }
    }
}
