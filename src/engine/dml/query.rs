//! The SELECT that feeds a writing statement, as a syntax tree.

use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{Expr, Ident, OptimizerHint, Query, SelectItem, SetExpr};

use crate::error::{Error, Result};
use crate::sql::{self, Name, Statement, TableName};

/// `SELECT items FROM table AS alias WHERE selection`, each item with the name of its column.
pub(in crate::engine) fn select_from(
    table: &TableName,
    alias: Option<&Name>,
    items: Vec<(Expr, String)>,
    selection: Option<Expr>,
) -> Result<Query> {
    let items = items.into_iter().map(item).collect();
    select(&aliased(table, alias), items, selection)
}

/// `SELECT items FROM table AS alias`, the items as they are written.
pub(super) fn select_items(
    table: &TableName,
    alias: Option<&Name>,
    items: &[SelectItem],
) -> Result<Query> {
    select(&aliased(table, alias), items.to_vec(), None)
}

/// Gives the SELECT the hints of the statement that it feeds.
pub(super) fn hinted(query: &mut Query, hints: &[OptimizerHint]) {
    if let SetExpr::Select(select) = query.body.as_mut() {
        select.optimizer_hints = hints.to_vec();
        // Its place is not one of the statement's text.
        select.select_token = AttachedToken::empty();
    }
}

fn aliased(table: &TableName, alias: Option<&Name>) -> String {
    match alias {
        Some(alias) => format!("{table} AS {alias}"),
        None => table.to_string(),
    }
}

/// `SELECT items FROM table, table AS beside WHERE selection`: the columns of two rows of a table,
/// or without `beside` those of one.
pub(super) fn select_beside(
    table: &TableName,
    beside: Option<&str>,
    items: Vec<(Expr, String)>,
    selection: Option<Expr>,
) -> Result<Query> {
    let items = items.into_iter().map(item).collect();
    match beside {
        Some(beside) => select(&format!("{table}, {table} AS {beside}"), items, selection),
        None => select(&table.to_string(), items, selection),
    }
}

fn select(from: &str, items: Vec<SelectItem>, selection: Option<Expr>) -> Result<Query> {
    let mut query = template(&format!("SELECT 1 FROM {from}"))?;
    let SetExpr::Select(select) = query.body.as_mut() else {
        return Err(no_select());
    };
    select.projection = items;
    select.selection = selection;
    Ok(query)
}

/// `SELECT exprs`, their columns named by their number.
pub(super) fn select_values(exprs: Vec<Expr>) -> Result<Query> {
    let mut query = template("SELECT 1")?;
    let SetExpr::Select(select) = query.body.as_mut() else {
        return Err(no_select());
    };
    let numbered = exprs.into_iter().enumerate();
    select.projection = numbered
        .map(|(i, expr)| item((expr, i.to_string())))
        .collect();
    Ok(query)
}

/// `query` with a name of its own for every column that it computes or that stands twice: to a
/// statement that writes names mean nothing, and DataFusion refuses a SELECT list that repeats
/// one, where a CAST has the name of its operand.
pub(super) fn distinct_names(query: &Query) -> Query {
    let mut query = query.clone();
    name_columns(&mut query.body);
    query
}

fn name_columns(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => {
            let mut seen = Vec::new();
            for (number, item) in select.projection.iter_mut().enumerate() {
                let SelectItem::UnnamedExpr(expr) = item else {
                    continue;
                };
                let plain = matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
                if plain && !seen.contains(expr) {
                    seen.push(expr.clone());
                    continue;
                }
                let alias = Ident::with_quote('"', format!("column {}", number + 1));
                *item = SelectItem::ExprWithAlias {
                    expr: expr.clone(),
                    alias,
                };
            }
        }
        SetExpr::Query(query) => name_columns(&mut query.body),
        // The names of the first query are those of all.
        SetExpr::SetOperation { left, right, .. } => {
            name_columns(left);
            name_columns(right);
        }
        _ => {}
    }
}

/// The expression that a DEFAULT was stored as.
pub(in crate::engine) fn stored_expr(text: &str) -> Result<Expr> {
    let query = template(&format!("SELECT {text}"))?;
    match *query.body {
        SetExpr::Select(select) => match select.projection.into_iter().next() {
            Some(SelectItem::UnnamedExpr(expr)) => Ok(expr),
            _ => Err(no_select()),
        },
        _ => Err(no_select()),
    }
}

/// The name of a column as an expression.
pub(super) fn column(name: &str) -> Expr {
    Expr::Identifier(Ident::with_quote('"', name))
}

fn item((expr, name): (Expr, String)) -> SelectItem {
    match &expr {
        Expr::Identifier(ident) if ident.value == name => SelectItem::UnnamedExpr(expr),
        _ => SelectItem::ExprWithAlias {
            expr,
            alias: Ident::with_quote('"', name),
        },
    }
}

fn template(text: &str) -> Result<Query> {
    match sql::parse(text)?.statement {
        Statement::Query(query) => Ok(*query),
        _ => Err(no_select()),
    }
}

fn no_select() -> Error {
    Error::internal("a SELECT of ours reads as another statement")
}
