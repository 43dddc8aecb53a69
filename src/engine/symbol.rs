//! A parameter without a value, in a plan that is only explained.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result as DataFusionResult, exec_err};
use datafusion::logical_expr::expr::{Placeholder, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{
    ColumnarValue, Expr, Limit, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility, lit,
};

/// Set in a limit that stands for a parameter.
const FETCH: i64 = 1 << 61;
/// Set in an offset that stands for a parameter.
const SKIP: i64 = 1 << 60;
/// Where the number of the limit's parameter begins, and of the offset's. Below them is room for
/// a number that the statement gives: a scan stops after limit and offset together.
const FETCH_NUMBER: u32 = 48;
const SKIP_NUMBER: u32 = 36;
const NUMBER_MASK: i64 = (1 << 12) - 1;

/// A function of no arguments that stands for a parameter. It has the parameter's type, so that a
/// physical plan can be made, and no value: evaluating it is an error, which leaves it where it
/// is when the optimizer tries to fold it.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Symbol {
    name: String,
    data_type: DataType,
    signature: Signature,
}

impl ScalarUDFImpl for Symbol {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema_name(&self, _: &[Expr]) -> DataFusionResult<String> {
        Ok(self.name.clone())
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> DataFusionResult<DataType> {
        Ok(self.data_type.clone())
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> DataFusionResult<ColumnarValue> {
        exec_err!("parameter {} has no value", self.name)
    }
}

/// Replaces every parameter of a plan by its symbol. One whose type nothing says is a text.
pub(super) fn symbolic(plan: LogicalPlan) -> DataFusionResult<LogicalPlan> {
    plan.transform_up_with_subqueries(|plan| {
        let plan = match plan {
            LogicalPlan::Limit(Limit { skip, fetch, input }) => LogicalPlan::Limit(Limit {
                skip: skip.map(|expr| limit_symbol(expr, SKIP, SKIP_NUMBER)),
                fetch: fetch.map(|expr| limit_symbol(expr, FETCH, FETCH_NUMBER)),
                input,
            }),
            plan => plan,
        };
        let schema = plan.schema().clone();
        // An aggregate's column is called by its text, the symbol in it included.
        let names = NamePreserver::new(&plan);
        plan.map_expressions(|expr| {
            let name = names.save(&expr);
            let (expr, has_placeholder) = expr.infer_placeholder_types(&schema)?;
            if !has_placeholder {
                return Ok(Transformed::no(expr));
            }
            let symbolic = expr.transform_up(|expr| {
                Ok(match expr {
                    Expr::Placeholder(placeholder) => Transformed::yes(symbol(placeholder)),
                    other => Transformed::no(other),
                })
            })?;
            Ok(symbolic.update_data(|expr| name.restore(expr)))
        })?
        .map_data(LogicalPlan::recompute_schema)
    })
    .map(|plan| plan.data)
}

fn symbol(placeholder: Placeholder) -> Expr {
    let data_type = placeholder
        .field
        .map(|field| field.data_type().clone())
        .filter(|data_type| !data_type.is_null())
        .unwrap_or(DataType::Utf8);
    let name = placeholder.id;
    let symbol = Symbol {
        name,
        data_type,
        signature: Signature::nullary(Volatility::Immutable),
    };
    Expr::ScalarFunction(ScalarFunction::new_udf(
        Arc::new(ScalarUDF::from(symbol)),
        Vec::new(),
    ))
}

/// The symbols of an expression as the parameters that they stand for, as the where-optimizer
/// knows and prints them.
pub(super) fn parameters(expr: &Expr) -> DataFusionResult<Expr> {
    let mut has_symbol = false;
    expr.apply(|e| {
        has_symbol |= parameter_name(e).is_some();
        Ok(if has_symbol {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
        })
    })?;
    if !has_symbol {
        return Ok(expr.clone());
    }
    let restored = expr.clone().transform_up(|e| {
        let Some((id, data_type)) = parameter_name(&e) else {
            return Ok(Transformed::no(e));
        };
        let field = datafusion::arrow::datatypes::Field::new("", data_type, true);
        let placeholder = Placeholder::new_with_field(id, Some(Arc::new(field)));
        Ok(Transformed::yes(Expr::Placeholder(placeholder)))
    })?;
    Ok(restored.data)
}

/// Whether an expression holds a parameter.
pub(super) fn has_parameter(expr: &Expr) -> bool {
    expr.exists(|e| Ok(matches!(e, Expr::Placeholder(_))))
        .unwrap_or(true)
}

fn parameter_name(expr: &Expr) -> Option<(String, DataType)> {
    let Expr::ScalarFunction(function) = expr else {
        return None;
    };
    let symbol = function.func.inner().as_ref() as &dyn std::any::Any;
    let symbol = symbol.downcast_ref::<Symbol>()?;
    Some((symbol.name.clone(), symbol.data_type.clone()))
}

/// Physical plans hold limits as numbers: a parameter becomes one that no statement has.
fn limit_symbol(expr: Box<Expr>, flag: i64, shift: u32) -> Box<Expr> {
    match expr.as_ref() {
        Expr::Placeholder(placeholder) => {
            let number = placeholder
                .id
                .trim_start_matches('$')
                .parse::<i64>()
                .unwrap_or_default();
            Box::new(lit(flag + ((number & NUMBER_MASK) << shift)))
        }
        _ => expr,
    }
}

/// Whether a limit stands for a parameter.
pub(super) fn is_symbol(rows: usize) -> bool {
    rows >= SKIP as usize
}

/// A limit as it is printed: a number, or the parameters that it is the sum of.
pub(super) fn limit_text(rows: usize) -> String {
    let bits = i64::try_from(rows).unwrap_or(i64::MAX);
    let mut terms = Vec::new();
    for (flag, shift) in [(FETCH, FETCH_NUMBER), (SKIP, SKIP_NUMBER)] {
        if bits & flag != 0 {
            terms.push(format!("${}", (bits >> shift) & NUMBER_MASK));
        }
    }
    let number = if terms.is_empty() {
        bits
    } else {
        bits & ((1 << SKIP_NUMBER) - 1)
    };
    if number != 0 || terms.is_empty() {
        terms.push(number.to_string());
    }
    terms.join(" + ")
}
