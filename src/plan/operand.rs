//! The two sides of a comparison: a key column, and what it is compared with.

use std::fmt;

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::expr::Cast;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, Volatility};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::scalar::ScalarValue;

use crate::catalog::TableDef;
use crate::plan::locate::utc;
use crate::plan::text;
use crate::types::{SqlType, Value};

/// A part of a key or of a bound of a key range.
#[derive(Debug, Clone)]
pub enum Operand {
    /// A value of the key column's type, or NULL.
    Value(Value),
    /// An expression without columns whose value comes with the execution: a parameter, `now()`.
    Symbol(Expr),
}

/// Values are equal as keys are: NaN equals itself.
impl PartialEq for Operand {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Operand::Value(a), Operand::Value(b)) => a.key_cmp(b).is_some_and(|o| o.is_eq()),
            (Operand::Symbol(a), Operand::Symbol(b)) => a == b,
            _ => false,
        }
    }
}

impl Operand {
    /// The value, if it is known.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Operand::Value(value) => Some(value),
            Operand::Symbol(_) => None,
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Value(value) => text::write_value(f, value),
            Operand::Symbol(expr) => f.write_str(&text::expr_text(expr, None)),
        }
    }
}

/// What a key column is compared with.
#[derive(Debug, Clone)]
pub(super) enum Constant {
    Literal(ScalarValue),
    Symbol(Expr),
}

/// The constant that an expression is, if it is one.
pub(super) fn constant(expr: &Expr) -> Option<Constant> {
    match expr {
        Expr::Literal(scalar, _) => return Some(Constant::Literal(scalar.clone())),
        Expr::Alias(alias) => return constant(&alias.expr),
        Expr::Cast(Cast { expr, field }) => {
            if let Some(Constant::Literal(scalar)) = constant(expr)
                && let Ok(scalar) = scalar.cast_to(field.data_type())
            {
                return Some(Constant::Literal(scalar));
            }
        }
        Expr::Negative(expr) => {
            if let Some(Constant::Literal(scalar)) = constant(expr)
                && let Ok(scalar) = scalar.arithmetic_negate()
            {
                return Some(Constant::Literal(scalar));
            }
        }
        _ => {}
    }
    if !is_symbol(expr) {
        return None;
    }
    Some(match fold(expr) {
        Some(scalar) => Constant::Literal(scalar),
        None => Constant::Symbol(expr.clone()),
    })
}

/// A longer expression waits for the optimizer.
const MAX_FOLDED: usize = 64;

/// The value of an expression of literals, as DataFusion folds it; `None` if it has none, or waits
/// for values or for the execution.
fn fold(symbol: &Expr) -> Option<ScalarValue> {
    let mut nodes = 0;
    let waits = symbol.exists(|e| {
        nodes += 1;
        Ok(nodes > MAX_FOLDED
            || match e {
                Expr::Placeholder(_) => true,
                Expr::ScalarFunction(function) => {
                    function.func.signature().volatility != Volatility::Immutable
                }
                _ => false,
            })
    });
    if waits.unwrap_or(true) {
        return None;
    }
    let simplifier = ExprSimplifier::new(SimplifyContext::default());
    let coerced = simplifier.coerce(symbol.clone(), &DFSchema::empty()).ok()?;
    match simplifier.simplify(coerced).ok()? {
        Expr::Literal(scalar, _) => Some(scalar),
        _ => None,
    }
}

/// Whether an expression reads nothing of a row and gives one value for the whole statement.
pub(super) fn is_symbol(expr: &Expr) -> bool {
    let mut symbol = true;
    let walked = expr.apply(|e| {
        symbol &= match e {
            Expr::Literal(..)
            | Expr::Placeholder(_)
            | Expr::Cast(_)
            | Expr::TryCast(_)
            | Expr::BinaryExpr(_)
            | Expr::Negative(_)
            | Expr::Not(_)
            | Expr::Case(_)
            | Expr::Alias(_)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_) => true,
            Expr::ScalarFunction(_) => !e.is_volatile_node(),
            _ => false,
        };
        Ok(if symbol {
            TreeNodeRecursion::Continue
        } else {
            TreeNodeRecursion::Stop
        })
    });
    symbol && walked.is_ok()
}

/// A key column as one side of a comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnSide {
    /// Its place in the key.
    pub key: usize,
    pub via: Via,
}

/// How type coercion changed the column before the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Via {
    /// Not at all, or into a type that holds every value of it exactly.
    Exact,
    /// Into REAL, rounded to the nearest.
    Real,
    /// Into DOUBLE, rounded to the nearest.
    Double,
}

/// The key column that an expression is, apart from casts that keep the order of its values.
pub(super) fn column_side(def: &TableDef, expr: &Expr) -> Option<ColumnSide> {
    match expr {
        Expr::Column(column) => {
            let key = def.key_position(def.find_column(&column.name)?)?;
            Some(ColumnSide {
                key,
                via: Via::Exact,
            })
        }
        Expr::Alias(alias) => column_side(def, &alias.expr),
        Expr::Cast(Cast { expr, field }) => {
            // One cast alone: what is under it has the column's own type.
            let mut inner = expr.as_ref();
            while let Expr::Alias(alias) = inner {
                inner = &alias.expr;
            }
            let Expr::Column(_) = inner else { return None };
            let side = column_side(def, inner)?;
            let sql_type = &def.columns[def.key[side.key].column].sql_type;
            Some(ColumnSide {
                via: widening(sql_type, field.data_type())?,
                ..side
            })
        }
        _ => None,
    }
}

/// How a cast into `to` maps the values of a column, if it keeps their order.
pub(super) fn widening(from: &SqlType, to: &DataType) -> Option<Via> {
    use DataType::*;
    if from.arrow() == *to {
        return Some(Via::Exact);
    }
    let exact = match (from, to) {
        (SqlType::Boolean, _) => false,
        (SqlType::Decimal { .. }, Float64) => return Some(Via::Double),
        (SqlType::Char(_) | SqlType::Varchar(_), Utf8 | LargeUtf8 | Utf8View) => true,
        (SqlType::Varbinary(_), Binary | LargeBinary | BinaryView) => true,
        (SqlType::Real, Float64) => true,
        (SqlType::Date, Timestamp(_, zone)) => utc(zone),
        (SqlType::Date, Date64) => true,
        (SqlType::Timestamp, Timestamp(TimeUnit::Microsecond | TimeUnit::Nanosecond, zone)) => {
            utc(zone)
        }
        (SqlType::Time, Time64(_)) => true,
        (SqlType::Decimal { precision, scale }, Decimal128(p, s) | Decimal256(p, s)) => {
            let (digits, scale) = (i32::from(precision - scale), i32::from(*scale));
            i32::from(*s) >= scale && i32::from(*p) - i32::from(*s) >= digits
        }
        (from, to) => match (integer_bits(from), to) {
            (Some(_), Float32) => return Some(Via::Real),
            (Some(_), Float64) => return Some(Via::Double),
            (Some((signed, bits)), Decimal128(p, s) | Decimal256(p, s)) => {
                let digits = match (signed, bits) {
                    (_, 8) => 3,
                    (_, 16) => 5,
                    (_, 32) => 10,
                    (true, _) => 19,
                    (false, _) => 20,
                };
                *s >= 0 && i32::from(*p) - i32::from(*s) >= digits
            }
            (Some((signed, bits)), to) => match arrow_integer_bits(to) {
                Some((true, wider)) => wider > bits || signed && wider == bits,
                Some((false, wider)) => !signed && wider >= bits,
                None => false,
            },
            _ => false,
        },
    };
    exact.then_some(Via::Exact)
}

fn integer_bits(sql_type: &SqlType) -> Option<(bool, u32)> {
    arrow_integer_bits(&sql_type.arrow())
}

fn arrow_integer_bits(data_type: &DataType) -> Option<(bool, u32)> {
    Some(match data_type {
        DataType::Int8 => (true, 8),
        DataType::Int16 => (true, 16),
        DataType::Int32 => (true, 32),
        DataType::Int64 => (true, 64),
        DataType::UInt8 => (false, 8),
        DataType::UInt16 => (false, 16),
        DataType::UInt32 => (false, 32),
        DataType::UInt64 => (false, 64),
        _ => return None,
    })
}

/// The column that an expression is, under a cast or not.
pub(super) fn column_of(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Column(_) => Some(expr),
        Expr::Alias(alias) => column_of(&alias.expr),
        Expr::Cast(cast) => match cast.expr.as_ref() {
            column @ Expr::Column(_) => Some(column),
            _ => None,
        },
        _ => None,
    }
}
