//! The one pass over the syntax tree: what DataFusion would read otherwise is written out.
//!
//! - TIMESTAMP and TIME get precision 6: DataFusion reads them as nanoseconds.
//! - A number with an exponent becomes a DOUBLE: DataFusion, told to read numbers with a point as
//!   exact decimals, takes 1e300 for one and has no room for it.
//! - Row values are expanded (see [`row`]): DataFusion compares structs.
//! - Long chains of AND and OR become balanced trees (see [`chain`]).
//! - `FROM t` becomes `SELECT * FROM t`.
//! - What DataFusion would drop or take for something else is refused (see [`ignored`]).
//!
//! **Invariants.** The pass is idempotent, also across the text: the canonical text of what it
//! leaves reads back as the same tree. No tree that leaves it is deeper than [`MAX_DEPTH`]: code
//! that walks, clones or drops a tree by recursion needs no care of its own.

mod chain;
mod ignored;
mod row;

use std::ops::ControlFlow;

use sqlparser::ast::{
    ArrayElemTypeDef, CastKind, DataType, ExactNumberInfo, Expr, Query, Select, SelectFlavor,
    SelectItem, SetExpr, Spanned, TableFactor, TypedString, Value as Literal, ValueWithSpan, Visit,
    VisitMut, Visitor, VisitorMut, WildcardAdditionalOptions,
};

use crate::error::{Error, Position, Result};
use crate::sql::name::start_of;
use crate::sql::statement::{
    AlterAction, Assigned, ConflictAction, IndexSource, Source, Statement,
};

/// How deep a tree may be.
pub(super) const MAX_DEPTH: usize = 1_000;

/// Why WITH stands in front of no writing statement.
pub(super) const WITH_BEFORE_WRITE: &str =
    "WITH before a writing statement is not supported: write UPSERT INTO t WITH ... SELECT ...";

/// Runs the pass over every expression and query of a statement.
pub(super) fn rewrite(statement: &mut Statement) -> Result<()> {
    run(|pass| visit(statement, pass))
}

/// Runs the pass over an expression.
pub(super) fn rewrite_expr(expr: &mut Expr) -> Result<()> {
    run(|pass| expr.visit(pass))
}

fn run(visit: impl FnOnce(&mut Pass) -> ControlFlow<Box<Error>>) -> Result<()> {
    let mut pass = Pass {
        depth: 0,
        budget: row::Budget::default(),
    };
    match visit(&mut pass) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(*error),
    }
}

fn visit(statement: &mut Statement, pass: &mut Pass) -> ControlFlow<Box<Error>> {
    match statement {
        Statement::CreateTable(create) => create
            .columns
            .iter_mut()
            .filter_map(|c| c.default.as_mut())
            .try_for_each(|e| e.visit(pass)),
        Statement::AlterTable(alter) => {
            let defaults = alter.actions.iter_mut().filter_map(|action| match action {
                AlterAction::AddColumn { column, .. } => column.default.as_mut(),
                _ => None,
            });
            defaults.into_iter().try_for_each(|e| e.visit(pass))
        }
        Statement::Upsert(insert) | Statement::Insert(insert) => {
            match &mut insert.source {
                Source::Query(query) => query.visit(pass)?,
                Source::DefaultValues => {}
                Source::Values(rows) => rows
                    .iter_mut()
                    .flatten()
                    .try_for_each(|value| assigned(value, pass))?,
            }
            if let Some(clause) = &mut insert.on_conflict
                && let ConflictAction::Update {
                    assignments,
                    selection,
                } = &mut clause.action
            {
                assignments
                    .iter_mut()
                    .try_for_each(|(_, value)| assigned(value, pass))?;
                selection.iter_mut().try_for_each(|e| e.visit(pass))?;
            }
            VisitMut::visit(&mut insert.returning, pass)
        }
        Statement::Update(update) => {
            update
                .assignments
                .iter_mut()
                .try_for_each(|(_, value)| assigned(value, pass))?;
            VisitMut::visit(&mut update.selection, pass)?;
            VisitMut::visit(&mut update.returning, pass)
        }
        Statement::Delete(delete) => {
            VisitMut::visit(&mut delete.selection, pass)?;
            VisitMut::visit(&mut delete.returning, pass)
        }
        Statement::Explain(explain) => visit(&mut explain.statement, pass),
        Statement::Query(query) => query.visit(pass),
        Statement::CreateIndex(create) => {
            for part in &mut create.parts {
                if let IndexSource::Expr(expr) = &mut part.source {
                    expr.visit(pass)?;
                }
            }
            VisitMut::visit(&mut create.predicate, pass)
        }
        Statement::DropTable { .. }
        | Statement::DropIndex { .. }
        | Statement::RenameIndex { .. }
        | Statement::CheckIndex { .. }
        | Statement::Reindex { .. }
        | Statement::Truncate { .. }
        | Statement::ShowTables
        | Statement::ShowCreateTable { .. }
        | Statement::Describe { .. }
        | Statement::CopyFrom(_)
        | Statement::Set { .. }
        | Statement::Show { .. } => ControlFlow::Continue(()),
    }
}

fn assigned(value: &mut Assigned, pass: &mut Pass) -> ControlFlow<Box<Error>> {
    match value {
        Assigned::Default => ControlFlow::Continue(()),
        Assigned::Expr(expr) => expr.visit(pass),
    }
}

struct Pass {
    depth: usize,
    budget: row::Budget,
}

impl Pass {
    fn enter(&mut self, at: impl FnOnce() -> Option<Position>) -> ControlFlow<Box<Error>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let error = Error::limit(format!(
                "an expression or a query is more than {MAX_DEPTH} operators deep"
            ));
            return ControlFlow::Break(Box::new(error.at(at())));
        }
        ControlFlow::Continue(())
    }
}

impl Pass {
    /// Refuses an expansion that is too deep where it stands.
    fn measure(&self, expr: &Expr) -> ControlFlow<Box<Error>> {
        struct Height {
            depth: usize,
            deepest: usize,
        }
        impl Visitor for Height {
            type Break = ();
            fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
                ControlFlow::Continue(())
            }
            fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
                self.depth -= 1;
                ControlFlow::Continue(())
            }
        }
        let mut height = Height {
            depth: self.depth,
            deepest: self.depth,
        };
        let _ = expr.visit(&mut height);
        match height.deepest > MAX_DEPTH {
            true => {
                let message = format!("row values make more than {MAX_DEPTH} operators deep");
                ControlFlow::Break(Box::new(Error::limit(message).at(start_of(expr.span()))))
            }
            false => ControlFlow::Continue(()),
        }
    }
}

impl VisitorMut for Pass {
    type Break = Box<Error>;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Self::Break> {
        check_query(query)?;
        self.enter(|| None)
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Self::Break> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Self::Break> {
        let message = if select.into.is_some() {
            "SELECT INTO is not supported: write CREATE TABLE with its columns and its key, then \
             UPSERT INTO ... SELECT ..."
        } else if select.top.is_some() {
            "SELECT TOP is not supported: write LIMIT at the end"
        } else if let Some(message) = ignored::of_select(select) {
            message
        } else {
            if matches!(select.flavor, SelectFlavor::FromFirstNoSelect) {
                select.flavor = SelectFlavor::Standard;
                select.projection =
                    vec![SelectItem::Wildcard(WildcardAdditionalOptions::default())];
            }
            return ControlFlow::Continue(());
        };
        let position = start_of(select.select_token.0.span);
        ControlFlow::Break(Box::new(Error::unsupported(message).at(position)))
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Self::Break> {
        match ignored::of_table(factor) {
            None => ControlFlow::Continue(()),
            Some(message) => {
                let error = Error::unsupported(message).at(start_of(factor.span()));
                ControlFlow::Break(Box::new(error))
            }
        }
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        chain::balance(expr);
        match expr {
            Expr::Cast { data_type, .. } | Expr::TypedString(TypedString { data_type, .. }) => {
                set_precision(data_type);
            }
            Expr::Convert {
                data_type: Some(data_type),
                ..
            } => set_precision(data_type),
            Expr::Value(literal) => match approximate(literal) {
                Ok(Some(double)) => *expr = double,
                Ok(None) => {}
                Err(error) => return ControlFlow::Break(Box::new(error)),
            },
            _ => {}
        }
        self.enter(|| start_of(expr.span()))
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        self.depth -= 1;
        match row::expand(expr, &mut self.budget) {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => self.measure(expr),
            Err(error) => ControlFlow::Break(Box::new(error)),
        }
    }
}

/// The cast that a number with an exponent stands for: the standard's approximate literal.
fn approximate(literal: &ValueWithSpan) -> Result<Option<Expr>> {
    let digits = match &literal.value {
        Literal::Number(digits, false) if digits.contains(['e', 'E']) => digits,
        _ => return Ok(None),
    };
    if digits.parse().is_ok_and(f64::is_infinite) {
        let error = Error::invalid(format!("{digits} is out of range for DOUBLE"));
        return Err(error.at(start_of(literal.span)));
    }
    Ok(Some(Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(Expr::Value(ValueWithSpan {
            value: Literal::SingleQuotedString(digits.clone()),
            span: literal.span,
        })),
        data_type: DataType::Double(ExactNumberInfo::None),
        array: false,
        format: None,
    }))
}

/// Microseconds, in an array too.
fn set_precision(data_type: &mut DataType) {
    match data_type {
        DataType::Timestamp(precision @ None, _)
        | DataType::Time(precision @ None, _)
        | DataType::Datetime(precision @ None) => *precision = Some(6),
        DataType::Array(
            ArrayElemTypeDef::AngleBracket(inner)
            | ArrayElemTypeDef::SquareBracket(inner, _)
            | ArrayElemTypeDef::Parenthesis(inner),
        ) => set_precision(inner),
        DataType::Struct(fields, _) => {
            fields
                .iter_mut()
                .for_each(|field| set_precision(&mut field.field_type));
        }
        _ => {}
    }
}

/// Refuses what stands where a query may stand and is none, and what DataFusion ignores.
fn check_query(query: &Query) -> ControlFlow<Box<Error>> {
    let refuse = |message: &str, at: Option<Position>| {
        ControlFlow::Break(Box::new(Error::unsupported(message).at(at)))
    };
    if !query.locks.is_empty() || query.for_clause.is_some() {
        return refuse(
            "FOR UPDATE and its kin are not supported",
            start_of(query.span()),
        );
    }
    let mut body = &*query.body;
    let mut operators = 0;
    loop {
        match body {
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement)
            | SetExpr::Merge(statement) => {
                return refuse(WITH_BEFORE_WRITE, start_of(statement.span()));
            }
            SetExpr::Table(_) => {
                return refuse(
                    "TABLE t is not supported as a query: write SELECT * FROM t",
                    start_of(query.span()),
                );
            }
            SetExpr::SetOperation { left, .. } => {
                operators += 1;
                if operators > MAX_DEPTH {
                    let message =
                        format!("a query has more than {MAX_DEPTH} set operations in a row");
                    let error = Error::limit(message).at(start_of(left.span()));
                    return ControlFlow::Break(Box::new(error));
                }
                body = left;
            }
            _ => return ControlFlow::Continue(()),
        }
    }
}
