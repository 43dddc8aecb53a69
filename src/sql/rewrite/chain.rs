//! Chains of AND or OR: `a OR b OR c` is read as a tree that leans left, one level a term.
//!
//! AND and OR are associative, also with unknown, so a long chain may be any tree over its terms.
//! A balanced one is as deep as the logarithm of its length, and so can be walked by recursion.

use sqlparser::ast::{BinaryOperator, Expr, Value};

/// The longest chain that is left as it is read.
const LEANING: usize = 64;

/// Makes the chain that `expr` is the top of a balanced tree, if it is a long one.
pub(super) fn balance(expr: &mut Expr) {
    let Expr::BinaryOp { op, .. } = expr else {
        return;
    };
    if !matches!(op, BinaryOperator::And | BinaryOperator::Or) {
        return;
    }
    let op = op.clone();
    if length(expr, &op) <= LEANING {
        return;
    }
    let whole = std::mem::replace(expr, Expr::value(Value::Null));
    *expr = join(terms(whole, &op), &op);
}

/// The terms joined by `op`: leaning left if they are few, else balanced.
pub(super) fn join(terms: Vec<Expr>, op: &BinaryOperator) -> Expr {
    let binary = |left: Expr, right: Expr| Expr::BinaryOp {
        left: Box::new(left),
        op: op.clone(),
        right: Box::new(right),
    };
    if terms.len() <= LEANING {
        return terms
            .into_iter()
            .reduce(binary)
            .unwrap_or_else(|| Expr::value(Value::Null));
    }
    let mut level = terms;
    while level.len() > 1 {
        let mut next = Vec::with_capacity(level.len().div_ceil(2));
        let mut rest = level.into_iter();
        while let Some(left) = rest.next() {
            next.push(match rest.next() {
                Some(right) => binary(left, right),
                None => left,
            });
        }
        level = next;
    }
    level
        .into_iter()
        .next()
        .unwrap_or_else(|| Expr::value(Value::Null))
}

/// How many terms the chain has, counted no further than needed.
fn length(expr: &Expr, op: &BinaryOperator) -> usize {
    let mut count = 0;
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::BinaryOp {
                left,
                op: inner,
                right,
            } if inner == op => {
                open.push(right);
                open.push(left);
            }
            _ => count += 1,
        }
        if count > LEANING {
            break;
        }
    }
    count
}

/// The terms of the chain, from left to right.
fn terms(expr: Expr, op: &BinaryOperator) -> Vec<Expr> {
    let mut terms = Vec::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::BinaryOp {
                left,
                op: inner,
                right,
            } if inner == *op => {
                open.push(*right);
                open.push(*left);
            }
            term => terms.push(term),
        }
    }
    terms
}
