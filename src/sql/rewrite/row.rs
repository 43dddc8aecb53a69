//! Row values: `(a, b) > (1, 2)` written out.
//!
//! | row values | written out |
//! | --- | --- |
//! | `(a, b) = (x, y)` | `a = x AND b = y` |
//! | `(a, b) <> (x, y)` | `a <> x OR b <> y` |
//! | `(a, b) < (x, y)` | `a < x OR (a = x AND b < y)` |
//! | `(a, b) <= (x, y)` | `a < x OR (a = x AND b <= y)` |
//! | `r BETWEEN l AND h` | `r >= l AND r <= h` |
//! | `r IN (s, t)` | `r = s OR r = t` |
//! | `r IS [NOT] DISTINCT FROM s` | `a IS DISTINCT FROM x OR ...`, and its negation |
//! | `r IS [NOT] NULL` | each part is, each part is not |
//!
//! With unknown each of them is what the standard says: `(a, b) < (x, y)` is unknown if the first
//! parts that are not equal are not comparable. An expression in a row stands in the result as
//! often as the table shows, and a volatile one is evaluated as often.

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Spanned, UnaryOperator,
    Value, Visit, Visitor,
};

use crate::error::{Error, Position, Result};
use crate::sql::name::start_of;
use crate::sql::rewrite::chain::join;

/// What the expansions of one statement may still copy, in expressions.
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Budget(2_000_000)
    }
}

impl Budget {
    fn spend(&mut self, expr: &Expr, copies: usize) -> Result<()> {
        match self.0.checked_sub(size(expr).saturating_mul(copies)) {
            Some(rest) => {
                self.0 = rest;
                Ok(())
            }
            None => Err(
                Error::limit("the row values of the statement are too large")
                    .at(start_of(expr.span())),
            ),
        }
    }
}

/// The longest rows that are compared by order: a part of one stands as deep as there are parts
/// before it.
const MAX_ORDERED: usize = 100;

/// How many single values there are in a row and the rows in it.
fn leaves(expr: &Expr) -> usize {
    match parts(expr) {
        Some(parts) => parts.into_iter().map(leaves).sum(),
        None => 1,
    }
}

/// How many expressions there are in an expression.
fn size(expr: &Expr) -> usize {
    struct Count(usize);
    impl Visitor for Count {
        type Break = ();
        fn pre_visit_expr(&mut self, _: &Expr) -> std::ops::ControlFlow<()> {
            self.0 += 1;
            std::ops::ControlFlow::Continue(())
        }
    }
    let mut count = Count(0);
    let _ = expr.visit(&mut count);
    count.0
}

/// Replaces a predicate over row values by its expansion, in parentheses, and returns
/// whether it was one; anything else is left.
/// The parts of the rows are expanded already.
pub(super) fn expand(expr: &mut Expr, budget: &mut Budget) -> Result<bool> {
    let expansion = match expr {
        Expr::BinaryOp { left, op, right } if is_comparison(op) => {
            if !is_row(left) && !is_row(right) {
                return Ok(false);
            }
            compare(left, op, right, budget)?
        }
        Expr::Between {
            expr: row,
            negated,
            low,
            high,
        } => {
            if !is_row(row) && !is_row(low) && !is_row(high) {
                return Ok(false);
            }
            let above = compare(row, &BinaryOperator::GtEq, low, budget)?;
            let below = compare(row, &BinaryOperator::LtEq, high, budget)?;
            negate(
                *negated,
                join(vec![nest(above), nest(below)], &BinaryOperator::And),
            )
        }
        Expr::InList {
            expr: row,
            list,
            negated,
        } => {
            if !is_row(row) && !list.iter().any(is_row) {
                return Ok(false);
            }
            let equal = list
                .iter()
                .map(|item| compare(row, &BinaryOperator::Eq, item, budget).map(nest));
            let equal = equal.collect::<Result<Vec<_>>>()?;
            negate(*negated, join(equal, &BinaryOperator::Or))
        }
        Expr::InSubquery { expr: row, .. } if is_row(row) => {
            return Err(Error::unsupported(
                "a row value IN a query is not supported: write EXISTS (SELECT ... WHERE ...)",
            )
            .at(position(row)));
        }
        Expr::AnyOp { left, .. } | Expr::AllOp { left, .. } if is_row(left) => {
            return Err(
                Error::unsupported("a row value with ANY or ALL is not supported")
                    .at(position(left)),
            );
        }
        Expr::IsDistinctFrom(left, right) if is_row(left) || is_row(right) => {
            distinct(left, right, false, budget)?
        }
        Expr::IsNotDistinctFrom(left, right) if is_row(left) || is_row(right) => {
            distinct(left, right, true, budget)?
        }
        Expr::IsNull(row) => match parts(row) {
            Some(parts) => each(parts, Expr::IsNull),
            None => return Ok(false),
        },
        Expr::IsNotNull(row) => match parts(row) {
            Some(parts) => each(parts, Expr::IsNotNull),
            None => return Ok(false),
        },
        _ => return Ok(false),
    };
    *expr = nest(expansion);
    Ok(true)
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}

/// `left op right` of two rows; of two parts that are no rows the comparison itself.
fn compare(left: &Expr, op: &BinaryOperator, right: &Expr, budget: &mut Budget) -> Result<Expr> {
    let Some((lefts, rights)) = pair(left, right)? else {
        budget.spend(left, 1)?;
        budget.spend(right, 1)?;
        return Ok(binary(operand(left), op.clone(), operand(right)));
    };
    let pairs = || lefts.iter().copied().zip(rights.iter().copied());
    match op {
        BinaryOperator::Eq | BinaryOperator::NotEq => {
            let joined_by = match op {
                BinaryOperator::Eq => BinaryOperator::And,
                _ => BinaryOperator::Or,
            };
            let terms = pairs().map(|(l, r)| part(l, op, r, budget));
            Ok(join(terms.collect::<Result<Vec<_>>>()?, &joined_by))
        }
        _ => {
            let strict = match op {
                BinaryOperator::Lt | BinaryOperator::LtEq => BinaryOperator::Lt,
                _ => BinaryOperator::Gt,
            };
            let length = leaves(left);
            if length > MAX_ORDERED {
                return Err(Error::limit(format!(
                    "row values of {length} are compared by {op}: {MAX_ORDERED} is the most"
                ))
                .at(position(left)));
            }
            let mut expansion = None;
            for (l, r) in pairs().rev() {
                expansion = Some(match expansion {
                    None => part(l, op, r, budget)?,
                    Some(rest) => {
                        let less = part(l, &strict, r, budget)?;
                        let equal = part(l, &BinaryOperator::Eq, r, budget)?;
                        let rest = nest(binary(equal, BinaryOperator::And, rest));
                        nest(binary(less, BinaryOperator::Or, rest))
                    }
                });
            }
            // The caller adds the outer parentheses.
            Ok(match expansion {
                Some(Expr::Nested(inner)) => *inner,
                Some(other) => other,
                None => Expr::value(Value::Null),
            })
        }
    }
}

/// The comparison of two parts, in parentheses if they are rows themselves.
fn part(left: &Expr, op: &BinaryOperator, right: &Expr, budget: &mut Budget) -> Result<Expr> {
    let compared = compare(left, op, right, budget)?;
    Ok(if is_row(left) {
        nest(compared)
    } else {
        compared
    })
}

fn distinct(left: &Expr, right: &Expr, negated: bool, budget: &mut Budget) -> Result<Expr> {
    let Some((lefts, rights)) = pair(left, right)? else {
        budget.spend(left, 1)?;
        budget.spend(right, 1)?;
        let (left, right) = (Box::new(operand(left)), Box::new(operand(right)));
        return Ok(match negated {
            true => Expr::IsNotDistinctFrom(left, right),
            false => Expr::IsDistinctFrom(left, right),
        });
    };
    let joined_by = if negated {
        BinaryOperator::And
    } else {
        BinaryOperator::Or
    };
    let terms = lefts.into_iter().zip(rights).map(|(l, r)| {
        let compared = distinct(l, r, negated, budget)?;
        Ok(if is_row(l) { nest(compared) } else { compared })
    });
    Ok(join(terms.collect::<Result<Vec<_>>>()?, &joined_by))
}

fn each(parts: Vec<&Expr>, test: fn(Box<Expr>) -> Expr) -> Expr {
    let terms = parts.into_iter().map(|part| match self::parts(part) {
        Some(inner) => nest(each(inner, test)),
        None => test(Box::new(operand(part))),
    });
    join(terms.collect(), &BinaryOperator::And)
}

type Pair<'a> = (Vec<&'a Expr>, Vec<&'a Expr>);

/// The parts of two rows; `None` if neither is a row.
fn pair<'a>(left: &'a Expr, right: &'a Expr) -> Result<Option<Pair<'a>>> {
    match (parts(left), parts(right)) {
        (None, None) => Ok(None),
        (Some(lefts), Some(rights)) if lefts.len() == rights.len() => Ok(Some((lefts, rights))),
        (Some(lefts), Some(rights)) => Err(Error::invalid(format!(
            "row values of different lengths are compared, {} and {}",
            lefts.len(),
            rights.len()
        ))
        .at(position(left).or(position(right)))),
        (Some(row), None) => Err(not_a_row(row.len(), right)),
        (None, Some(row)) => Err(not_a_row(row.len(), left)),
    }
}

fn not_a_row(length: usize, other: &Expr) -> Error {
    match other {
        Expr::Subquery(_) => Error::unsupported(
            "a row value compared with a query is not supported: write EXISTS (SELECT ... WHERE ...)",
        ),
        _ => Error::invalid(format!(
            "a row value of {length} is compared with a single value"
        )),
    }
    .at(position(other))
}

fn is_row(expr: &Expr) -> bool {
    parts(expr).is_some()
}

/// The parts of `(a, b)` or `ROW(a, b)`.
fn parts(expr: &Expr) -> Option<Vec<&Expr>> {
    match expr {
        Expr::Tuple(parts) => Some(parts.iter().collect()),
        Expr::Nested(inner) if matches!(**inner, Expr::Tuple(_)) => parts(inner),
        Expr::Function(function) if function.name.to_string().eq_ignore_ascii_case("row") => {
            let FunctionArguments::List(list) = &function.args else {
                return None;
            };
            let part = |arg| match arg {
                &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref part)) => Some(part),
                _ => None,
            };
            list.args.iter().map(part).collect()
        }
        _ => None,
    }
}

fn position(expr: &Expr) -> Option<Position> {
    start_of(expr.span())
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp {
        left: Box::new(left),
        op,
        right: Box::new(right),
    }
}

fn negate(negated: bool, expr: Expr) -> Expr {
    match negated {
        true => Expr::UnaryOp {
            op: UnaryOperator::Not,
            expr: Box::new(nest(expr)),
        },
        false => expr,
    }
}

fn nest(expr: Expr) -> Expr {
    Expr::Nested(Box::new(expr))
}

/// A copy of a part that can stand beside any operator.
fn operand(part: &Expr) -> Expr {
    match part {
        Expr::Identifier(_)
        | Expr::CompoundIdentifier(_)
        | Expr::Value(_)
        | Expr::TypedString(_)
        | Expr::Function(_)
        | Expr::Nested(_)
        | Expr::Subquery(_) => part.clone(),
        _ => nest(part.clone()),
    }
}
