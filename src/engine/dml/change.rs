//! UPDATE and DELETE.

use std::sync::Arc;

use sqlparser::ast::Expr;

use crate::engine::dml::assign::Assignee;
use crate::engine::dml::constant::{Constant, constant, is_parameter};
use crate::engine::dml::query::{column, select_from};
use crate::engine::dml::work::{Feed, Sink, SlotSource, Work};
use crate::engine::dml::{Locked, Writes, find_column};
use crate::error::Result;
use crate::sql::{Assigned, Delete, Update};
use crate::table::WriteTarget;
use crate::types::Value;

impl Writes<'_> {
    /// What UPDATE writes: a SELECT of the old key, the columns that stay and the new
    /// expressions. Literals and parameters need no place in it.
    pub(super) fn update_work(
        &self,
        update: &Update,
        locked: &Locked,
        values: Option<&[Value]>,
    ) -> Result<Work> {
        let def = &locked.entry.def;
        let mut assigned = vec![None; def.columns.len()];
        for (name, value) in &update.assignments {
            assigned[find_column(def, name)?] = Some(value);
        }
        let target = WriteTarget::new(locked.entry.clone(), |_| true);
        let mut items: Vec<(Expr, String)> = Vec::new();
        let mut assignees = Vec::new();
        let plain = |items: &mut Vec<(Expr, String)>, index: usize| {
            let name = &def.columns[index].name;
            items.push((column(name), name.clone()));
            items.len() - 1
        };
        let old_key: Vec<usize> = def
            .key
            .iter()
            .map(|part| plain(&mut items, part.column))
            .collect();
        let mut slots = Vec::with_capacity(target.columns().len());
        for (slot, index) in target.columns().iter().enumerate() {
            slots.push(match assigned[*index] {
                None if slot < old_key.len() => SlotSource::Query {
                    index: slot,
                    assignee: None,
                },
                None => SlotSource::Query {
                    index: plain(&mut items, *index),
                    assignee: None,
                },
                Some(Assigned::Default) => self.default_slot(locked, *index)?,
                Some(Assigned::Expr(expr)) => {
                    let assignee = Assignee::of(def, *index);
                    match constant_of(expr, values)? {
                        Some(constant) => {
                            let value = constant
                                .assign(&assignee.sql_type)
                                .map_err(|e| e.context(&assignee.name))?;
                            SlotSource::Constant { value, assignee }
                        }
                        None => {
                            // The old key column of that name is in the list already.
                            let mut name = format!("new {}", assignee.name);
                            while def.find_column(&name).is_some() {
                                name.push('\'');
                            }
                            items.push((expr.clone(), name));
                            assignees.resize(items.len() - 1, None);
                            assignees.push(Some(assignee.clone()));
                            let index = items.len() - 1;
                            SlotSource::Query {
                                index,
                                assignee: Some(assignee),
                            }
                        }
                    }
                }
            });
        }
        let query = select_from(
            &update.table,
            update.alias.as_ref(),
            items,
            update.selection.clone(),
        )?;
        Ok(Work::Feed(Feed {
            query: Arc::new(self.engine.bind_query(&locked.state, &query)?),
            assignees,
            sink: Sink::Update { old_key, slots },
            given: (0..def.columns.len()).collect(),
            reads_target: true,
        }))
    }

    /// What DELETE writes: a SELECT of the key.
    pub(super) fn delete_work(&self, delete: &Delete, locked: &Locked) -> Result<Work> {
        let def = &locked.entry.def;
        let items = def.key.iter().map(|part| {
            let name = &def.columns[part.column].name;
            (column(name), name.clone())
        });
        let query = select_from(
            &delete.table,
            delete.alias.as_ref(),
            items.collect(),
            delete.selection.clone(),
        )?;
        Ok(Work::Feed(Feed {
            query: Arc::new(self.engine.bind_query(&locked.state, &query)?),
            assignees: Vec::new(),
            sink: Sink::Delete {
                key: (0..def.key.len()).collect(),
            },
            given: (0..def.columns.len()).collect(),
            reads_target: true,
        }))
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
