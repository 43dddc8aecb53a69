//! UPDATE and DELETE.

use std::sync::Arc;

use crate::engine::dml::query::{column, hinted, select_from};
use crate::engine::dml::select_list::SelectList;
use crate::engine::dml::work::{Feed, Sink, SlotSource, Work};
use crate::engine::dml::{Locked, Writes, find_column};
use crate::error::Result;
use crate::sql::{Delete, Update};
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
        let mut list = SelectList::default();
        let plain = |list: &mut SelectList, index: usize| {
            let name = &def.columns[index].name;
            list.push(column(name), name.clone(), None)
        };
        let old_key: Vec<usize> = def
            .key
            .iter()
            .map(|part| plain(&mut list, part.column))
            .collect();
        let mut slots = Vec::with_capacity(target.columns().len());
        for (slot, index) in target.columns().iter().enumerate() {
            slots.push(match assigned[*index] {
                None if slot < old_key.len() => SlotSource::Query {
                    index: slot,
                    assignee: None,
                },
                None => SlotSource::Query {
                    index: plain(&mut list, *index),
                    assignee: None,
                },
                Some(assigned) => {
                    // The old key column of that name is in the list already.
                    let new_name = || {
                        let mut name = format!("new {}", def.columns[*index].name);
                        while def.find_column(&name).is_some() {
                            name.push('\'');
                        }
                        name
                    };
                    self.assigned_slot(locked, *index, assigned, values, &mut list, new_name)?
                }
            });
        }
        let mut query = select_from(
            &update.table,
            update.alias.as_ref(),
            list.items,
            update.selection.clone(),
        )?;
        hinted(&mut query, &update.hints);
        Ok(Work::Feed(Feed {
            query: Arc::new(self.engine.bind_query(&locked.state, &query)?),
            assignees: list.assignees,
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
        let mut query = select_from(
            &delete.table,
            delete.alias.as_ref(),
            items.collect(),
            delete.selection.clone(),
        )?;
        hinted(&mut query, &delete.hints);
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
