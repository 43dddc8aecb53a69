//! Lists of values that meet: `k IN (1, 2) AND k IN (3)`.
//!
//! DataFusion merges such lists into one and takes an empty one for FALSE, or for TRUE if it is
//! negated. Where the column is NULL that is wrong: the answer is unknown, which differs under NOT
//! and outside of WHERE. So they are merged here first.

use std::collections::HashSet;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use datafusion::scalar::ScalarValue;

/// `expr [NOT] IN (literals)`.
struct List<'a> {
    expr: &'a Expr,
    literals: Vec<&'a Expr>,
    negated: bool,
}

impl<'a> List<'a> {
    fn of(expr: &'a Expr) -> Option<List<'a>> {
        let is_value = |e: &Expr| matches!(e, Expr::Literal(value, _) if !value.is_null());
        match expr {
            Expr::InList(InList {
                expr,
                list,
                negated,
            }) if list.iter().all(is_value) => Some(List {
                expr,
                literals: list.iter().collect(),
                negated: *negated,
            }),
            Expr::BinaryExpr(BinaryExpr { left, op, right })
                if matches!(op, Operator::Eq | Operator::NotEq)
                    && matches!(**left, Expr::Column(_))
                    && is_value(right) =>
            {
                let negated = *op == Operator::NotEq;
                Some(List {
                    expr: left,
                    literals: vec![right],
                    negated,
                })
            }
            _ => None,
        }
    }
}

/// Merges the two sides of AND or OR, if both are lists of values of one expression; NOT of a list
/// is the other list.
pub(super) fn merge_lists(expr: Expr) -> Transformed<Expr> {
    let merged = match &expr {
        Expr::Not(inner) => List::of(inner).map(|list| {
            let literals = list.literals.iter().map(|e| (*e).clone()).collect();
            in_list(list.expr, literals, !list.negated)
        }),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Operator::And | Operator::Or => merged(left, *op, right),
            _ => None,
        },
        _ => None,
    };
    match merged {
        Some(merged) => Transformed::yes(merged),
        None => Transformed::no(expr),
    }
}

fn merged(left: &Expr, op: Operator, right: &Expr) -> Option<Expr> {
    let (a, b) = (List::of(left)?, List::of(right)?);
    let simple = |e: &Expr| matches!(e, Expr::BinaryExpr(_));
    if a.expr != b.expr
        || a.expr.is_volatile()
        || simple(left) && simple(right) && op != Operator::Or
    {
        return None;
    }
    // Of other types the same value is another literal; DataFusion does not merge such lists.
    let mut types = a
        .literals
        .iter()
        .chain(&b.literals)
        .map(|e| literal_type(e));
    let first = types.next();
    if !types.all(|t| Some(t) == first) {
        return None;
    }
    // `NOT IN (A)` is everything but A; OR is the AND of the opposites.
    let flip = op == Operator::Or;
    let (negated, keep): (bool, Vec<&Expr>) = match (a.negated != flip, b.negated != flip) {
        (false, false) => (false, both(&a.literals, &b.literals)),
        (true, true) => (true, either(&a.literals, &b.literals)),
        (false, true) => (false, without(&a.literals, &b.literals)),
        (true, false) => (false, without(&b.literals, &a.literals)),
    };
    let literals = keep.into_iter().cloned().collect();
    Some(in_list(a.expr, literals, negated != flip))
}

fn literal_type(literal: &Expr) -> Option<DataType> {
    match literal {
        Expr::Literal(value, _) => Some(value.data_type()),
        _ => None,
    }
}

fn both<'a>(a: &[&'a Expr], b: &[&'a Expr]) -> Vec<&'a Expr> {
    let b: HashSet<&Expr> = b.iter().copied().collect();
    a.iter().copied().filter(|e| b.contains(e)).collect()
}

fn either<'a>(a: &[&'a Expr], b: &[&'a Expr]) -> Vec<&'a Expr> {
    let seen: HashSet<&Expr> = a.iter().copied().collect();
    let rest = b.iter().copied().filter(|e| !seen.contains(e));
    a.iter().copied().chain(rest).collect()
}

fn without<'a>(a: &[&'a Expr], b: &[&'a Expr]) -> Vec<&'a Expr> {
    let b: HashSet<&Expr> = b.iter().copied().collect();
    a.iter().copied().filter(|e| !b.contains(e)).collect()
}

/// `expr [NOT] IN (literals)`, which for no literals is unknown where the expression is NULL.
fn in_list(expr: &Expr, literals: Vec<Expr>, negated: bool) -> Expr {
    let unknown = Expr::Literal(ScalarValue::Boolean(None), None);
    match (literals.is_empty(), negated) {
        (true, false) => expr.clone().is_null().and(unknown),
        (true, true) => expr.clone().is_not_null().or(unknown),
        (false, _) => expr.clone().in_list(literals, negated),
    }
}
