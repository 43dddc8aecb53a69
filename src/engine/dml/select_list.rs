//! The SELECT list that a statement makes, and what becomes of its columns.

use sqlparser::ast::Expr;

use crate::engine::dml::assign::Assignee;
use crate::engine::dml::constant::{Constant, constant, is_parameter};
use crate::engine::dml::work::SlotSource;
use crate::engine::dml::{Locked, Writes};
use crate::error::Result;
use crate::sql::Assigned;
use crate::types::Value;

/// A SELECT list under construction.
#[derive(Default)]
pub(super) struct SelectList {
    /// Each expression with the name of its column.
    pub(super) items: Vec<(Expr, String)>,
    /// What each column is assigned to, where its literals take that type.
    pub(super) assignees: Vec<Option<Assignee>>,
}

impl SelectList {
    /// Adds an expression; returns its place.
    pub(super) fn push(&mut self, expr: Expr, name: String, assignee: Option<Assignee>) -> usize {
        self.items.push((expr, name));
        self.assignees.push(assignee);
        self.items.len() - 1
    }
}

impl Writes<'_> {
    /// What an assignment puts into a column: literals and parameters need no place in the list,
    /// any other expression gets one of that name.
    pub(super) fn assigned_slot(
        &self,
        locked: &Locked,
        column: usize,
        assigned: &Assigned,
        values: Option<&[Value]>,
        list: &mut SelectList,
        name: impl FnOnce() -> String,
    ) -> Result<SlotSource> {
        let expr = match assigned {
            Assigned::Default => return self.default_slot(locked, column),
            Assigned::Expr(expr) => expr,
        };
        let assignee = Assignee::of(&locked.entry.def, column);
        Ok(match constant_of(expr, values)? {
            Some(constant) => {
                let value = constant
                    .assign(&assignee.sql_type)
                    .map_err(|e| e.context(&assignee.name))?;
                SlotSource::Constant { value, assignee }
            }
            None => SlotSource::Query {
                index: list.push(expr.clone(), name(), Some(assignee.clone())),
                assignee: Some(assignee),
            },
        })
    }
}

/// The constant that an expression is; without values a parameter is NULL, so that the plan is
/// the one that it will have with values.
fn constant_of(expr: &Expr, values: Option<&[Value]>) -> Result<Option<Constant>> {
    match values {
        Some(values) => constant(expr, values),
        None if is_parameter(expr) => Ok(Some(Constant::NULL)),
        None => constant(expr, &[]),
    }
}
