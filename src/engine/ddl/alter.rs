//! ALTER TABLE: the definition that its actions make of the one before.

use std::ops::ControlFlow;
use std::sync::Arc;

use sqlparser::ast::{Expr, Ident, VisitMut, VisitorMut};

use crate::catalog::{CatalogState, Entry, IndexEntry, IndexSource, TableDef};
use crate::engine::ddl::define::{column_definition, schema_of};
use crate::engine::dml::{Writes, find_column, stored_expr};
use crate::error::{Error, Result};
use crate::key::{BucketSet, KeyRange, expand};
use crate::sql::{AlterAction, AlterTable, Column};
use crate::table::{Progress, ReadRequest, Reader, Target};

impl Writes<'_> {
    pub(in crate::engine) async fn alter_table(&self, alter: &AlterTable) -> Result<()> {
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

    /// What the actions make of a table, one after the other, and which indexes stay: those that a
    /// dropped column is in go with it.
    fn altered(
        &self,
        entry: &Entry,
        actions: &[AlterAction],
    ) -> Result<(TableDef, Vec<Arc<IndexEntry>>)> {
        let state = self.catalog.state();
        let mut def = TableDef::clone(&entry.def);
        let mut indexes = entry.indexes.to_vec();
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
                        let id = def.columns[index].id;
                        def.drop_column(index).map_err(|e| e.at(column.position))?;
                        indexes = without_column(indexes, id, &column.value)?;
                    }
                }
                AlterAction::RenameColumn { column, to } => {
                    let index = find_column(&def, column)?;
                    def.rename_column(index, &to.value)
                        .map_err(|e| e.at(to.position))?;
                    indexes = with_column_renamed(indexes, &column.value, &to.value)?;
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
        Ok((def, indexes))
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

/// The indexes that a column is not in.
fn without_column(
    indexes: Vec<Arc<IndexEntry>>,
    id: u16,
    name: &str,
) -> Result<Vec<Arc<IndexEntry>>> {
    let mut kept = Vec::with_capacity(indexes.len());
    for index in indexes {
        let mut reads = index.def.uses_column(id);
        for text in texts(&mut IndexEntry::clone(&index)) {
            reads |= names_column(text, name)?;
        }
        if !reads {
            kept.push(index);
        }
    }
    Ok(kept)
}

/// The indexes with another name for a column in their expressions.
fn with_column_renamed(
    indexes: Vec<Arc<IndexEntry>>,
    name: &str,
    to: &str,
) -> Result<Vec<Arc<IndexEntry>>> {
    let renamed = |index: Arc<IndexEntry>| {
        let mut index = IndexEntry::clone(&index);
        for text in texts(&mut index) {
            let mut expr = stored_expr(text)?;
            let _ = VisitMut::visit(&mut expr, &mut Rename { name, to });
            *text = expr.to_string();
        }
        Ok(Arc::new(index))
    };
    indexes.into_iter().map(renamed).collect()
}

/// The texts of expressions in the definition of an index.
fn texts(index: &mut IndexEntry) -> impl Iterator<Item = &mut String> {
    let exprs = index.def.parts.iter_mut();
    let exprs = exprs.filter_map(|part| match &mut part.source {
        IndexSource::Expr { text, .. } => Some(text),
        IndexSource::Column(_) => None,
    });
    exprs.chain(index.def.predicate.as_mut())
}

fn names_column(text: &str, name: &str) -> Result<bool> {
    let mut expr = stored_expr(text)?;
    let mut find = Rename { name, to: name };
    Ok(VisitMut::visit(&mut expr, &mut find).is_break())
}

/// Renames a column; where its name stays the same, finds it.
struct Rename<'a> {
    name: &'a str,
    to: &'a str,
}

impl VisitorMut for Rename<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Identifier(ident) = expr
            && folded(ident) == self.name
        {
            if self.to == self.name {
                return ControlFlow::Break(());
            }
            ident.value = self.to.to_owned();
            ident.quote_style = Some('"');
        }
        ControlFlow::Continue(())
    }
}

fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_ascii_lowercase(),
    }
}
