//! ALTER TABLE: the definition that its actions make of the one before.

use std::sync::Arc;

use crate::catalog::{CatalogState, Entry, TableDef};
use crate::engine::define::{column_definition, schema_of};
use crate::engine::dml::{Writes, find_column};
use crate::error::{Error, Result};
use crate::key::{BucketSet, KeyRange, expand};
use crate::sql::{AlterAction, AlterTable, Column};
use crate::table::{Progress, ReadRequest, Reader, Target};

impl Writes<'_> {
    pub(super) async fn alter_table(&self, alter: &AlterTable) -> Result<()> {
        let altered = self
            .catalog
            .alter_table(
                schema_of(&alter.table),
                &alter.table.name.value,
                alter.if_exists,
                self.settings.lock_timeout,
                self.engine.runtime(),
                |entry| self.altered(entry, &alter.actions),
            )
            .await;
        altered.map_err(|e| e.at(alter.table.position()))?;
        Ok(())
    }

    /// What the actions make of a table, one after the other.
    fn altered(&self, entry: &Entry, actions: &[AlterAction]) -> Result<TableDef> {
        let state = self.catalog.state();
        let mut def = TableDef::clone(&entry.def);
        for action in actions {
            match action {
                AlterAction::AddColumn {
                    column,
                    if_not_exists,
                } => {
                    if !*if_not_exists || def.find_column(&column.name.value).is_none() {
                        self.add_column(&state, entry, &mut def, column)?;
                    }
                }
                AlterAction::DropColumn { column, if_exists } => {
                    if !*if_exists || def.find_column(&column.value).is_some() {
                        let index = find_column(&def, column)?;
                        def.drop_column(index).map_err(|e| e.at(column.position))?;
                    }
                }
                AlterAction::RenameColumn { column, to } => {
                    let index = find_column(&def, column)?;
                    def.rename_column(index, &to.value)
                        .map_err(|e| e.at(to.position))?;
                }
                AlterAction::RenameTable { to } => {
                    if state.find_table(&def.schema, &to.value).is_some() {
                        let error = Error::already_exists(format!("table {to} exists"));
                        return Err(error.at(to.position));
                    }
                    def.name.clone_from(&to.value);
                }
            }
        }
        Ok(def)
    }

    fn add_column(
        &self,
        state: &Arc<CatalogState>,
        entry: &Entry,
        def: &mut TableDef,
        column: &Column,
    ) -> Result<()> {
        let mut added = column_definition(column);
        if let Some(default) = &column.default {
            added.missing = self.stored_default(state, default, &added)?;
        }
        if !added.nullable && added.missing.is_null() && !self.is_empty(entry)? {
            return Err(Error::constraint(format!(
                "column {} is NOT NULL and has no DEFAULT, and {} has rows",
                column.name,
                def.display_name()
            ))
            .at(column.name.position));
        }
        def.add_column(added)
            .map_err(|e| e.at(column.name.position))
    }

    /// Whether a table has no row. With its exclusive lock held it stays so.
    fn is_empty(&self, entry: &Entry) -> Result<bool> {
        let layout = entry.def.key_layout();
        let buckets = BucketSet::all(layout.buckets());
        let ranges = expand(&[KeyRange::all()], &layout, &buckets)?;
        let request = ReadRequest {
            limit: Some(1),
            ..ReadRequest::new(
                entry.def.clone(),
                entry.handle.clone(),
                Vec::new(),
                Target::Ranges(ranges),
            )
        };
        let mut reader = Reader::open(&request, &self.store.snapshot(), Arc::default())?;
        loop {
            match reader.read()? {
                Progress::Batch(_) => return Ok(false),
                Progress::Nothing => {}
                Progress::End => return Ok(true),
            }
        }
    }
}
