//! Chains of ANDs and ORs, however long.
//!
//! The parser nests `a OR b OR c ...` to the left, as deep as there are terms, and whoever clones,
//! prints or walks that by recursion needs a stack as deep. A balanced tree of the same terms in
//! the same order means the same and is a dozen levels deep.

use datafusion::logical_expr::expr::BinaryExpr;
use datafusion::logical_expr::{Expr, Operator};

/// The terms of a chain of one logical operator, left to right, without recursion.
pub(super) fn flatten(expr: &Expr, op: Operator) -> Vec<&Expr> {
    let mut terms = Vec::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::BinaryExpr(binary) if binary.op == op => {
                open.push(&binary.right);
                open.push(&binary.left);
            }
            Expr::Alias(alias) => open.push(&alias.expr),
            other => terms.push(other),
        }
    }
    terms
}

/// The operator, if an expression is a chain of a logical one.
fn chain_operator(expr: &Expr) -> Option<Operator> {
    match expr {
        Expr::BinaryExpr(BinaryExpr {
            op: op @ (Operator::And | Operator::Or),
            ..
        }) => Some(*op),
        _ => None,
    }
}

/// A copy of an expression with its chains balanced.
pub(super) fn balanced_copy(expr: &Expr) -> Expr {
    match chain_operator(expr) {
        Some(op) => balance(
            flatten(expr, op).into_iter().map(balanced_copy).collect(),
            op,
        ),
        None => expr.clone(),
    }
}

/// An expression with its chains balanced.
pub(super) fn balanced(expr: Expr) -> Expr {
    let Some(op) = chain_operator(&expr) else {
        return expr;
    };
    let mut terms = Vec::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::BinaryExpr(binary) if binary.op == op => {
                open.push(*binary.right);
                open.push(*binary.left);
            }
            other => terms.push(balanced(other)),
        }
    }
    balance(terms, op)
}

/// Joins neighbours until one is left.
fn balance(mut terms: Vec<Expr>, op: Operator) -> Expr {
    while terms.len() > 1 {
        let mut joined = Vec::with_capacity(terms.len().div_ceil(2));
        let mut rest = terms.into_iter();
        while let Some(left) = rest.next() {
            joined.push(match rest.next() {
                Some(right) => Expr::BinaryExpr(BinaryExpr {
                    left: Box::new(left),
                    op,
                    right: Box::new(right),
                }),
                None => left,
            });
        }
        terms = joined;
    }
    // A chain has terms.
    terms.pop().unwrap_or_default()
}
