//! One comparison of a column with constants, rewritten so that these have the column's type.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::expr::{Between, BinaryExpr, InList, Like};
use datafusion::logical_expr::{Expr, Operator, cast};
use datafusion::scalar::ScalarValue;

use crate::error::{Error, Result};
use crate::plan::axis::{Axis, Cut};
use crate::plan::constants::{Find, bare_column};
use crate::plan::locate::{float, locate, number};
use crate::plan::operand::{Constant, Via, constant};
use crate::plan::ordinal::{ordinal_range, ordinal_value};
use crate::types::{SqlType, Value, assign_value, canonical, comparable_value};

/// The value of a key column that is equal to a constant, and no other is; `None` if there is none,
/// or if that is not certain without a closer look.
pub(super) fn key_value(scalar: &ScalarValue, sql_type: &SqlType) -> Option<Value> {
    let float = matches!(
        scalar.data_type(),
        DataType::Float16 | DataType::Float32 | DataType::Float64
    );
    if scalar.is_null() || float && !matches!(sql_type, SqlType::Real | SqlType::Double) {
        return None;
    }
    match Typed::of_scalar(scalar, is_text(scalar), sql_type) {
        Ok(Some(Typed::Value(value, t))) if t == *sql_type => Some(value),
        _ => None,
    }
}

fn is_text(scalar: &ScalarValue) -> bool {
    matches!(
        scalar.data_type(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

pub(super) fn is_comparison(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(binary) => is_comparison_operator(binary.op),
        Expr::Between(_) | Expr::InList(_) | Expr::Like(_) => true,
        _ => false,
    }
}

fn is_comparison_operator(op: Operator) -> bool {
    use Operator::*;
    matches!(
        op,
        Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom
    )
}

/// Changes an expression if it is such a comparison; its operands are done already.
pub(super) fn type_comparison(expr: Expr, find: &Find<'_>) -> Result<Transformed<Expr>> {
    let column_type = |expr: &Expr| bare_column(expr).and_then(find);
    match expr {
        Expr::BinaryExpr(binary) if is_comparison_operator(binary.op) => {
            if let Some(sql_type) = column_type(&binary.left) {
                if let Some(typed) = Typed::of(&binary.right, &sql_type)? {
                    return Ok(Transformed::yes(typed.compare(*binary.left, binary.op)));
                }
            } else if let Some(sql_type) = column_type(&binary.right)
                && let Some(op) = binary.op.swap()
                && let Some(typed) = Typed::of(&binary.left, &sql_type)?
            {
                return Ok(Transformed::yes(typed.compare(*binary.right, op)));
            }
            Ok(Transformed::no(Expr::BinaryExpr(binary)))
        }
        Expr::Between(between) => {
            let Some(sql_type) = column_type(&between.expr) else {
                return Ok(Transformed::no(Expr::Between(between)));
            };
            let low = Typed::of(&between.low, &sql_type)?;
            let high = Typed::of(&between.high, &sql_type)?;
            Ok(type_between(between, low, high))
        }
        Expr::InList(list) => {
            let Some(sql_type) = column_type(&list.expr) else {
                return Ok(Transformed::no(Expr::InList(list)));
            };
            type_list(list, &sql_type)
        }
        Expr::Like(like) => {
            let is_char = matches!(column_type(&like.expr), Some(SqlType::Char(_)));
            Ok(if is_char {
                type_like(like)
            } else {
                Transformed::no(Expr::Like(like))
            })
        }
        expr => Ok(Transformed::no(expr)),
    }
}

/// A constant on the line of a column.
enum Typed {
    /// A value of the column's type.
    Value(Value, SqlType),
    /// Between this value and the next, or beyond the last one.
    After(Value, SqlType),
    /// Before this value, which is the first one.
    Before(Value, SqlType),
    /// A DOUBLE beside a DECIMAL, which is a DOUBLE there too.
    Double(f64),
}

/// Whether an exact number beside a column of exact numbers is so far out, or has so many digits,
/// that DataFusion has no type for both, or overflows the one that it takes for them and others.
fn is_far(scalar: &ScalarValue, sql_type: &SqlType) -> bool {
    let Some((number, digits)) = number(scalar) else {
        return false;
    };
    let whole = match scalar.data_type() {
        DataType::Decimal128(precision, scale) => i32::from(precision) - i32::from(scale),
        // As many as the widest integer has.
        _ => 20,
    };
    match *sql_type {
        SqlType::Decimal { precision, scale } => {
            let own = i32::from(precision) - i32::from(scale);
            let power = 10_i128.checked_pow(u32::try_from(own + i32::from(digits)).unwrap_or(0));
            let beyond = power.is_some_and(|power| number.unsigned_abs() >= power.unsigned_abs());
            beyond || whole.max(own) + i32::from(scale).max(i32::from(digits)) > 38
        }
        _ => whole > 20,
    }
}

fn is_exact(sql_type: &SqlType) -> bool {
    use SqlType::*;
    matches!(
        sql_type,
        TinyInt
            | SmallInt
            | Integer
            | BigInt
            | UTinyInt
            | USmallInt
            | UInteger
            | UBigInt
            | Decimal { .. }
    )
}

impl Typed {
    /// What a literal is in a column; `None` if it is left as it is: NULL, what is no literal, and
    /// constants of other types that the column cannot hold.
    fn of(expr: &Expr, sql_type: &SqlType) -> Result<Option<Typed>> {
        let Some(Constant::Literal(scalar)) = constant(expr) else {
            return Ok(None);
        };
        if scalar.is_null() {
            return Ok(None);
        }
        let quoted = matches!(expr, Expr::Literal(..)) && is_text(&scalar);
        Typed::of_scalar(&scalar, quoted, sql_type)
    }

    fn of_scalar(scalar: &ScalarValue, quoted: bool, sql_type: &SqlType) -> Result<Option<Typed>> {
        if !quoted && matches!(sql_type, SqlType::Date | SqlType::Time | SqlType::Timestamp) {
            return Ok(Typed::placed(scalar, sql_type));
        }
        let Ok(value) = Value::from_scalar(scalar) else {
            // A number of more digits than any column has.
            return Ok(Typed::placed(scalar, sql_type));
        };
        if let Some(value) = comparable_value(&value, quoted, sql_type) {
            return Ok(Some(Typed::Value(value, *sql_type)));
        }
        let is_text = matches!(value, Value::Text(_));
        if matches!(sql_type, SqlType::Char(_) | SqlType::Varchar(_)) && !is_text {
            // DataFusion would read every row's text as a number, and fail at the first that is none.
            return Err(Error::invalid(format!(
                "{value} is no text and is compared with a {sql_type}: quote it, or cast the column"
            )));
        }
        if !quoted {
            let double = float(scalar).filter(|_| scalar.data_type().is_floating());
            return Ok(match (double, sql_type) {
                (Some(double), SqlType::Decimal { .. }) => Some(Typed::Double(canonical(double))),
                (None, exact) if is_exact(exact) && is_far(scalar, exact) => {
                    Typed::placed(scalar, exact)
                }
                _ => None,
            });
        }
        let assigned = assign_value(&value, true, sql_type)?;
        Ok(match (sql_type, value) {
            (SqlType::Decimal { .. }, Value::Text(text)) => long_decimal(&text, sql_type)?,
            (SqlType::Time | SqlType::Timestamp, _) => Some(Typed::After(assigned, *sql_type)),
            _ => None,
        })
    }

    /// Where an exact number lies that no value of a column is equal to.
    fn gap(expr: &Expr, sql_type: &SqlType) -> Option<Typed> {
        let Some(Constant::Literal(scalar)) = constant(expr) else {
            return None;
        };
        number(&scalar).filter(|_| is_exact(sql_type))?;
        Typed::placed(&scalar, sql_type)
    }

    /// Where a constant lies among the values of a column.
    fn placed(scalar: &ScalarValue, sql_type: &SqlType) -> Option<Typed> {
        let axis = Axis {
            sql_type: *sql_type,
            nullable: true,
        };
        let place = locate(&axis, Via::Exact, scalar)?;
        let (first, last) = ordinal_range(sql_type)?;
        Some(match (place.before, place.after) {
            (Cut::Before(value), Cut::After(_)) => Typed::Value(value, *sql_type),
            (Cut::After(value), _) => Typed::After(value, *sql_type),
            (Cut::Start, _) => Typed::Before(ordinal_value(sql_type, first)?, *sql_type),
            _ => Typed::After(ordinal_value(sql_type, last)?, *sql_type),
        })
    }

    fn literal(value: Value, sql_type: &SqlType) -> Expr {
        let scalar = value.to_scalar();
        // The parts of a decimal's type are in the value; of text and binary there is one type.
        let scalar = scalar.cast_to(&sql_type.arrow()).unwrap_or(scalar);
        Expr::Literal(scalar, None)
    }

    /// `column op constant`, also NULL where that is.
    fn compare(self, column: Expr, op: Operator) -> Expr {
        use Operator::*;
        let comparison = |column: Expr, op, right: Expr| {
            Expr::BinaryExpr(BinaryExpr {
                left: Box::new(column),
                op,
                right: Box::new(right),
            })
        };
        match self {
            Typed::Value(value, sql_type) => {
                comparison(column, op, Typed::literal(value, &sql_type))
            }
            Typed::After(value, sql_type) => {
                let literal = Typed::literal(value, &sql_type);
                match op {
                    Lt | LtEq => comparison(column, LtEq, literal),
                    Gt | GtEq => comparison(column, Gt, literal),
                    // No value is equal to it, and NULL is unknown: neither half can be both.
                    Eq => comparison(column.clone(), Lt, literal.clone())
                        .and(comparison(column, Gt, literal)),
                    NotEq => comparison(column.clone(), LtEq, literal.clone())
                        .or(comparison(column, Gt, literal)),
                    IsDistinctFrom => Expr::Literal(ScalarValue::Boolean(Some(true)), None),
                    _ => Expr::Literal(ScalarValue::Boolean(Some(false)), None),
                }
            }
            Typed::Before(value, sql_type) => match op {
                Lt | LtEq => comparison(column, Lt, Typed::literal(value, &sql_type)),
                Gt | GtEq => comparison(column, GtEq, Typed::literal(value, &sql_type)),
                // Between two values or before all of them makes no difference to equality.
                _ => Typed::After(value, sql_type).compare(column, op),
            },
            Typed::Double(double) => {
                let column = cast(column, DataType::Float64);
                let literal = Expr::Literal(ScalarValue::Float64(Some(double)), None);
                comparison(column, op, literal)
            }
        }
    }
}

/// A quoted number with more digits after the point than the column has.
fn long_decimal(text: &str, sql_type: &SqlType) -> Result<Option<Typed>> {
    let wide = SqlType::Decimal {
        precision: 38,
        scale: 19,
    };
    Ok(
        match comparable_value(&Value::Text(text.to_owned()), true, &wide) {
            Some(value) => Some(Typed::Value(value, wide)),
            None => Some(Typed::Value(
                assign_value(&Value::Text(text.to_owned()), true, sql_type)?,
                *sql_type,
            )),
        },
    )
}

fn type_between(between: Between, low: Option<Typed>, high: Option<Typed>) -> Transformed<Expr> {
    let Between {
        expr,
        negated,
        low: low_expr,
        high: high_expr,
    } = between;
    match (low, high) {
        (None, None) => Transformed::no(Expr::Between(Between::new(
            expr, negated, low_expr, high_expr,
        ))),
        (low @ (None | Some(Typed::Value(..))), high @ (None | Some(Typed::Value(..)))) => {
            let bound = |typed: Option<Typed>, old: Box<Expr>| match typed {
                Some(Typed::Value(value, sql_type)) => Box::new(Typed::literal(value, &sql_type)),
                _ => old,
            };
            let (low, high) = (bound(low, low_expr), bound(high, high_expr));
            Transformed::yes(Expr::Between(Between::new(expr, negated, low, high)))
        }
        (low, high) => {
            let bound = |typed: Option<Typed>, old: Box<Expr>, op: Operator| match typed {
                Some(typed) => typed.compare(expr.as_ref().clone(), op),
                None => Expr::BinaryExpr(BinaryExpr {
                    left: expr.clone(),
                    op,
                    right: old,
                }),
            };
            let both =
                bound(low, low_expr, Operator::GtEq).and(bound(high, high_expr, Operator::LtEq));
            Transformed::yes(if negated {
                Expr::Not(Box::new(both))
            } else {
                both
            })
        }
    }
}

/// A list takes the column's type if each of its literals does; one that lies between two values
/// is equal to nothing and only keeps the others from their type, so it goes. A float beside a column
/// that is none stands alone: in the list it would make floats of all the others. NULL leaves, too:
/// `x IN (1, NULL)` is `x IN (1) OR NULL`, and DataFusion loses a NULL when it merges lists.
fn type_list(list: InList, sql_type: &SqlType) -> Result<Transformed<Expr>> {
    let InList {
        expr: column,
        list,
        negated,
    } = list;
    let null = |item: &Expr| matches!(constant(item), Some(Constant::Literal(s)) if s.is_null());
    let (nulls, items): (Vec<Expr>, Vec<Expr>) = list.into_iter().partition(null);
    let unknown = Expr::Literal(ScalarValue::Boolean(None), None);
    if items.is_empty() && !nulls.is_empty() {
        return Ok(Transformed::yes(unknown));
    }
    let mut typed = Vec::with_capacity(items.len());
    let mut equals = Vec::with_capacity(items.len());
    let mut floats = Vec::new();
    let mut between = None;
    let mut mixed = false;
    let equality = if negated {
        Operator::NotEq
    } else {
        Operator::Eq
    };
    let column_is_float = matches!(sql_type, SqlType::Real | SqlType::Double);
    for item in &items {
        let one = Typed::of(item, sql_type)?;
        match one.or_else(|| Typed::gap(item, sql_type)) {
            Some(Typed::Value(value, t)) if t == *sql_type => typed.push(Typed::literal(value, &t)),
            Some(gap @ (Typed::After(..) | Typed::Before(..))) => {
                between = Some(gap);
                continue;
            }
            None if constant(item).is_none_or(|c| matches!(c, Constant::Symbol(_))) => {
                typed.push(item.clone());
            }
            Some(double @ Typed::Double(_)) => {
                floats.push(double.compare(column.as_ref().clone(), equality));
                continue;
            }
            _ if is_float(item) && !column_is_float => {
                floats.push(Expr::BinaryExpr(BinaryExpr {
                    left: column.clone(),
                    op: equality,
                    right: Box::new(item.clone()),
                }));
                continue;
            }
            _ => mixed = true,
        }
        equals.push(item.clone());
    }
    let either = |a: Expr, b: Expr| if negated { a.and(b) } else { a.or(b) };
    let in_list = |list| {
        Expr::InList(InList {
            expr: column.clone(),
            list,
            negated,
        })
    };
    let listed = match between {
        _ if mixed => Some(in_list(equals)),
        _ if !typed.is_empty() => Some(in_list(typed)),
        Some(gap) => Some(gap.compare(column.as_ref().clone(), equality)),
        None => None,
    };
    let unknown = (!nulls.is_empty()).then_some(unknown);
    let all = listed.into_iter().chain(floats).chain(unknown);
    // Without anything it was an empty list.
    Ok(Transformed::yes(
        all.reduce(either).unwrap_or_else(|| in_list(Vec::new())),
    ))
}

fn is_float(expr: &Expr) -> bool {
    matches!(constant(expr), Some(Constant::Literal(scalar)) if scalar.data_type().is_floating())
}

/// A pattern for CHAR without trailing spaces, unless the last one is escaped.
fn type_like(like: Like) -> Transformed<Expr> {
    if let Some(Constant::Literal(scalar)) = constant(&like.pattern)
        && let Some(Some(text)) = scalar.try_as_str()
    {
        let escape = like.escape_char.unwrap_or('\\');
        let trimmed = text.trim_end_matches(' ');
        let escapes = trimmed.chars().rev().take_while(|c| *c == escape).count();
        if trimmed.len() < text.len() && escapes % 2 == 0 {
            let pattern = Box::new(Expr::Literal(
                ScalarValue::Utf8(Some(trimmed.to_owned())),
                None,
            ));
            return Transformed::yes(Expr::Like(Like { pattern, ..like }));
        }
    }
    Transformed::no(Expr::Like(like))
}
