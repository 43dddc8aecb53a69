//! The fixed text of a physical expression.

use std::fmt::Write;
use std::sync::Arc;

use datafusion::logical_expr::{Expr as LogicalExpr, Operator};
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, CastExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr,
    Literal, NegativeExpr, NotExpr, TryCastExpr,
};
use datafusion::physical_expr::scalar_subquery::ScalarSubqueryExpr;
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr, ScalarFunctionExpr};
use datafusion::physical_expr_common::physical_expr::fmt_sql;
use datafusion::scalar::ScalarValue;

use crate::engine::explain::names::Name;
use crate::engine::functions::salt_bucket;
use crate::engine::optimize::logical::subquery_name;
use crate::plan;

type Expr = Arc<dyn PhysicalExpr>;

/// The text of an expression over columns of these names.
pub(super) fn text(expr: &Expr, names: &[Name]) -> String {
    if let Some(column) = expr.downcast_ref::<Column>() {
        return match names.get(column.index()) {
            Some(name) => name.text.clone(),
            None => column.name().to_owned(),
        };
    }
    if let Some(literal) = expr.downcast_ref::<Literal>() {
        return scalar(literal.value());
    }
    if let Some(binary) = expr.downcast_ref::<BinaryExpr>() {
        let side = |side: &Expr| operand(side, binary.op(), names);
        return format!(
            "{} {} {}",
            side(binary.left()),
            binary.op(),
            side(binary.right())
        );
    }
    if let Some(cast) = expr.downcast_ref::<CastExpr>() {
        let to = plan::type_text(cast.cast_type());
        return format!("CAST({} AS {to})", text(cast.expr(), names));
    }
    if let Some(cast) = expr.downcast_ref::<TryCastExpr>() {
        let to = plan::type_text(cast.cast_type());
        return format!("TRY_CAST({} AS {to})", text(cast.expr(), names));
    }
    if let Some(is_null) = expr.downcast_ref::<IsNullExpr>() {
        return format!("{} IS NULL", factor(is_null.arg(), names));
    }
    if let Some(is_not_null) = expr.downcast_ref::<IsNotNullExpr>() {
        return format!("{} IS NOT NULL", factor(is_not_null.arg(), names));
    }
    if let Some(not) = expr.downcast_ref::<NotExpr>() {
        return format!("NOT {}", factor(not.arg(), names));
    }
    if let Some(negative) = expr.downcast_ref::<NegativeExpr>() {
        return format!("-{}", factor(negative.arg(), names));
    }
    if let Some(list) = expr.downcast_ref::<InListExpr>() {
        let not = if list.negated() { "NOT " } else { "" };
        let listed = texts(list.list(), names);
        return format!("{} {not}IN ({listed})", factor(list.expr(), names));
    }
    if let Some(like) = expr.downcast_ref::<LikeExpr>() {
        let not = if like.negated() { "NOT " } else { "" };
        let word = if like.case_insensitive() {
            "ILIKE"
        } else {
            "LIKE"
        };
        let (value, pattern) = (factor(like.expr(), names), factor(like.pattern(), names));
        return format!("{value} {not}{word} {pattern}");
    }
    if let Some(case) = expr.downcast_ref::<CaseExpr>() {
        let mut out = String::from("CASE");
        if let Some(value) = case.expr() {
            let _ = write!(out, " {}", text(value, names));
        }
        for (when, then) in case.when_then_expr() {
            let _ = write!(
                out,
                " WHEN {} THEN {}",
                text(when, names),
                text(then, names)
            );
        }
        if let Some(otherwise) = case.else_expr() {
            let _ = write!(out, " ELSE {}", text(otherwise, names));
        }
        out.push_str(" END");
        return out;
    }
    if let Some(function) = expr.downcast_ref::<ScalarFunctionExpr>() {
        // A parameter without a value stands as a function of its name.
        if function.name().starts_with('$') {
            return function.name().to_owned();
        }
        if let Some(call) = salt_bucket::text(function.fun()) {
            return call;
        }
        // What the engine put around an expression is not part of what was asked.
        match (function.name(), function.args()) {
            ("or_null", [value]) => return text(value, names),
            ("checked_add", [left, right]) => return checked(left, &Operator::Plus, right, names),
            ("checked_subtract", [left, right]) => {
                return checked(left, &Operator::Minus, right, names);
            }
            ("checked_multiply", [left, right]) => {
                return checked(left, &Operator::Multiply, right, names);
            }
            _ => {}
        }
        return format!("{}({})", function.name(), texts(function.args(), names));
    }
    if let Some(subquery) = expr.downcast_ref::<ScalarSubqueryExpr>() {
        return subquery_name(subquery);
    }
    fmt_sql(expr.as_ref()).to_string()
}

/// The texts of several expressions, separated by commas.
pub(super) fn texts(exprs: &[Expr], names: &[Name]) -> String {
    exprs
        .iter()
        .map(|expr| text(expr, names))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The text of a sort order. Where NULL stands is said only when it is not the dialect's default.
pub(super) fn sort<'a>(
    order: impl IntoIterator<Item = &'a PhysicalSortExpr>,
    names: &[Name],
) -> String {
    let term = |sort: &PhysicalSortExpr| {
        let direction = if sort.options.descending { " DESC" } else { "" };
        let nulls = match (sort.options.descending, sort.options.nulls_first) {
            (true, false) => " NULLS LAST",
            (false, true) => " NULLS FIRST",
            _ => "",
        };
        format!("{}{direction}{nulls}", text(&sort.expr, names))
    };
    order.into_iter().map(term).collect::<Vec<_>>().join(", ")
}

/// A constant, as a literal of the dialect where it has one.
fn scalar(value: &ScalarValue) -> String {
    plan::expr_text(&LogicalExpr::Literal(value.clone(), None), None)
}

/// An operator that the engine made a function, so that it can fail.
fn checked(left: &Expr, op: &Operator, right: &Expr, names: &[Name]) -> String {
    let side = |side: &Expr| operand(side, op, names);
    format!("{} {op} {}", side(left), side(right))
}

/// The operand of a prefix or postfix operator.
fn factor(expr: &Expr, names: &[Name]) -> String {
    match is_compound(expr) {
        true => format!("({})", text(expr, names)),
        false => text(expr, names),
    }
}

/// The operand of a binary operator, with parentheses where it binds less tightly, or as tightly
/// and the operator is another.
fn operand(expr: &Expr, outer: &Operator, names: &[Name]) -> String {
    let bare = match expr.downcast_ref::<BinaryExpr>() {
        Some(inner) => {
            let associative = matches!(outer, Operator::And | Operator::Or | Operator::Plus);
            inner.op().precedence() > outer.precedence() || (inner.op() == outer && associative)
        }
        None => !is_compound(expr) || matches!(outer, Operator::And | Operator::Or),
    };
    if bare {
        text(expr, names)
    } else {
        format!("({})", text(expr, names))
    }
}

fn is_compound(expr: &Expr) -> bool {
    let checked = |f: &ScalarFunctionExpr| f.name().starts_with("checked_");
    expr.is::<BinaryExpr>()
        || expr
            .downcast_ref::<ScalarFunctionExpr>()
            .is_some_and(checked)
        || expr.is::<NotExpr>()
        || expr.is::<IsNullExpr>()
        || expr.is::<IsNotNullExpr>()
        || expr.is::<InListExpr>()
        || expr.is::<LikeExpr>()
}
