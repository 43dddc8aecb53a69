//! Statements that write: UPSERT, INSERT, UPDATE, DELETE.
//!
//! ```text
//! statement ──> Work ──────────────> WriteSet ──────────────> table::Writer
//!               what is written:     encoded rows,            latches, re-reads,
//!               values, or a SELECT  one for each key         one sorted batch
//!               and where each of
//!               its columns goes
//! ```
//!
//! Every statement but VALUES is planned as a SELECT, of the old row key, the old columns that
//! stay and the new expressions, and its rows are written by our own sink. DataFusion's
//! `delete_from` and `update` hooks are not used: they get the predicates that stayed filters and
//! lose those that became joins, so that `DELETE ... WHERE k IN (SELECT ...)` would delete
//! everything.
//!
//! **Invariants.** A statement holds its table's DDL lock shared from the moment it looks the
//! table up until its batch is written. It reads one snapshot. If it read the table that it
//! writes, each row that it writes is still what the snapshot saw when the batch is written: else
//! it starts again, at last with the whole table latched. On an error nothing is written.

mod assign;
mod change;
mod checked;
mod constant;
mod defaults;
mod insert;
mod lock;
mod query;
mod rounds;
mod values;
mod work;

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::catalog::{Catalog, TableDef};
use crate::engine::Engine;
use crate::engine::session_settings::Settings;
use crate::error::{Error, Result};
use crate::plan::PlanNode;
use crate::sql::{Name, Statement};
use crate::store::{Committer, Store};
use crate::table::Writer;
use crate::types::Value;

pub(super) use defaults::{DefaultValue, RowExpr};
pub(super) use lock::Locked;
pub(super) use query::stored_expr;

/// What writing statements need: the parts of a database, and the settings of a session.
#[derive(Clone, Copy)]
pub(crate) struct Writes<'a> {
    pub(crate) store: &'a Arc<dyn Store>,
    pub(crate) catalog: &'a Catalog,
    pub(crate) engine: &'a Engine,
    pub(crate) committer: &'a Committer,
    pub(crate) settings: &'a Settings,
    /// What now() is for the whole statement.
    pub(crate) started: DateTime<Utc>,
}

impl Writes<'_> {
    /// Executes UPSERT, INSERT, UPDATE or DELETE; returns the number of rows that it was given or
    /// found.
    pub(crate) async fn execute(&self, statement: &Statement, values: &[Value]) -> Result<u64> {
        let table = match statement {
            Statement::Upsert(insert) | Statement::Insert(insert) => &insert.table,
            Statement::Update(update) => &update.table,
            Statement::Delete(delete) => &delete.table,
            other => return Err(Error::internal(format!("{} does not write", other.kind()))),
        };
        let locked = self.lock(table).await?;
        let work = self.work(statement, &locked, Some(values))?;
        self.in_rounds(&locked, &work, values).await
    }

    /// The plan of a writing statement, with values or without.
    pub(crate) fn explain(
        &self,
        statement: &Statement,
        values: Option<&[Value]>,
    ) -> Result<PlanNode> {
        let (kind, table) = match statement {
            Statement::Upsert(insert) => ("Upsert", &insert.table),
            Statement::Insert(insert) => ("Insert", &insert.table),
            Statement::Update(update) => ("Update", &update.table),
            Statement::Delete(delete) => ("Delete", &delete.table),
            other => return Err(Error::internal(format!("{} does not write", other.kind()))),
        };
        let state = self.catalog.state();
        let entry = self.find_target(&state, table)?;
        let text = format!("{kind}: {}", entry.def.display_name());
        let locked = Locked {
            state,
            entry,
            guard: None,
        };
        let work = self.work(statement, &locked, values)?;
        let child = self.explain_work(&work, values)?;
        Ok(PlanNode::new(text, vec![child]))
    }

    /// Fails for a writing statement whose names or widths are wrong, whatever its values are.
    pub(crate) fn check(&self, statement: &Statement) -> Result<()> {
        let table = match statement {
            Statement::Upsert(insert) | Statement::Insert(insert) => &insert.table,
            Statement::Update(update) => &update.table,
            Statement::Delete(delete) => &delete.table,
            _ => return Ok(()),
        };
        let state = self.catalog.state();
        let entry = self.find_target(&state, table)?;
        let locked = Locked {
            state,
            entry,
            guard: None,
        };
        self.work(statement, &locked, None).map(drop)
    }

    fn work(
        &self,
        statement: &Statement,
        locked: &Locked,
        values: Option<&[Value]>,
    ) -> Result<work::Work> {
        match statement {
            Statement::Upsert(insert) => self.insert_work(insert, false, locked, values),
            Statement::Insert(insert) => self.insert_work(insert, true, locked, values),
            Statement::Update(update) => self.update_work(update, locked, values),
            Statement::Delete(delete) => self.delete_work(delete, locked),
            other => Err(Error::internal(format!("{} does not write", other.kind()))),
        }
    }

    pub(super) fn writer(&self) -> Writer<'_> {
        Writer {
            store: self.store,
            committer: self.committer,
            durability: self.settings.durability,
            lock_timeout: self.settings.lock_timeout,
            runtime: self.engine.runtime(),
        }
    }
}

/// The columns that a statement lists, as indices into the table's columns.
pub(super) fn listed_columns(def: &TableDef, names: &[Name]) -> Result<Vec<usize>> {
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let column = find_column(def, name)?;
        if columns.contains(&column) {
            let message = format!("column {} is listed twice", name.value);
            return Err(Error::invalid(message).at(name.position));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// The column of that name, as an index into the table's columns.
pub(super) fn find_column(def: &TableDef, name: &Name) -> Result<usize> {
    def.find_column(&name.value).ok_or_else(|| {
        let message = format!("{} has no column {name}", def.display_name());
        Error::not_found(message).at(name.position)
    })
}
