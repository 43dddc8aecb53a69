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
//! Where ON CONFLICT or ON DUPLICATE KEY says what becomes of a row that exists, its expressions are
//! evaluated by the write itself, on the rows that it finds under their latches; so are those of
//! RETURNING, on the rows that it is about to write.
//!
//! **Invariants.** A statement holds its table's DDL lock shared from the moment it looks the
//! table up until its batch is written. It reads one snapshot, and is bound anew if a definition
//! changed before it had that: its own table's cannot, that of others may. If it read the table that it
//! writes, each row that it writes is still what the snapshot saw when the batch is written: else
//! it starts again, at last with the whole table latched. On an error nothing is written.

mod assign;
mod change;
mod checked;
mod conflict;
mod constant;
mod defaults;
mod insert;
mod lock;
mod query;
mod returning;
mod rounds;
mod row_exprs;
mod select_list;
mod values;
mod work;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use crate::catalog::{Catalog, TableDef};
use crate::engine::dml::work::Write;
use crate::engine::session_settings::Settings;
use crate::engine::{Analysis, Engine};
use crate::error::{Error, Result};
use crate::plan::PlanNode;
use crate::sql::{ConflictAction, Name, Statement, TableName};
use crate::store::{Committer, Store};
use crate::table::Writer;
use crate::types::Value;

pub(super) use constant::position;
pub(super) use defaults::{DefaultValue, RowExpr};
pub(super) use lock::Locked;
pub(super) use query::{select_from, stored_expr};
pub(super) use row_exprs::RowExprs;

/// What writing statements need: the parts of a database, and the settings of a session.
#[derive(Clone)]
pub(crate) struct Writes<'a> {
    pub(crate) store: &'a Arc<dyn Store>,
    pub(crate) catalog: &'a Catalog,
    pub(crate) engine: &'a Engine,
    pub(crate) committer: &'a Committer,
    pub(crate) settings: &'a Settings,
    /// What now() is for the whole statement.
    pub(crate) started: DateTime<Utc>,
    /// Has the plans that are executed, if the statement is analyzed.
    pub(crate) analysis: Option<Arc<Analysis>>,
}

impl Writes<'_> {
    /// Executes UPSERT, INSERT, UPDATE or DELETE. When this is done, it is as durable as the
    /// session asks for.
    pub(crate) async fn execute(&self, statement: &Statement, values: &[Value]) -> Result<Done> {
        let (table, _) = table_of(statement)?;
        loop {
            let locked = self.lock(table).await?;
            let write = self.write(statement, &locked, Some(values))?;
            if let Some(effect) = self.in_rounds(&locked, &write, values).await? {
                return Ok(match write.returned {
                    None => Done::Affected(effect.affected),
                    Some(rows) => Done::Rows(rows.schema, effect.returned),
                });
            }
        }
    }

    /// The plan of a writing statement, with values or without.
    pub(crate) fn explain(
        &self,
        statement: &Statement,
        values: Option<&[Value]>,
    ) -> Result<PlanNode> {
        let (table, _) = table_of(statement)?;
        let kind = match statement {
            Statement::Upsert(_) => "Upsert",
            Statement::Insert(_) => "Insert",
            Statement::Update(_) => "Update",
            _ => "Delete",
        };
        let state = self.catalog.state();
        let entry = self.find_target(&state, table)?;
        let text = format!("{kind}: {}{}", entry.def.display_name(), clauses(statement));
        let locked = Locked {
            state,
            entry,
            guard: None,
        };
        let write = self.write(statement, &locked, values)?;
        let child = self.explain_work(&write.work, values)?;
        Ok(PlanNode::new(text, vec![child]))
    }

    /// Executes a writing statement, and returns its plan with what its scans did.
    ///
    /// # Errors
    /// Those of the statement.
    pub(crate) async fn analyze(
        &self,
        statement: &Statement,
        values: &[Value],
    ) -> Result<PlanNode> {
        let explained = self.explain(statement, Some(values))?;
        let analysis = Arc::new(Analysis::default());
        let writes = Writes {
            analysis: Some(analysis.clone()),
            ..self.clone()
        };
        writes.execute(statement, values).await?;
        Ok(analysis.of_write(explained))
    }

    /// Fails for a writing statement whose names or widths are wrong, whatever its values are.
    pub(crate) fn check(&self, statement: &Statement) -> Result<()> {
        let Ok((table, _)) = table_of(statement) else {
            return Ok(());
        };
        let state = self.catalog.state();
        let entry = self.find_target(&state, table)?;
        let locked = Locked {
            state,
            entry,
            guard: None,
        };
        self.write(statement, &locked, None).map(drop)
    }

    fn write(
        &self,
        statement: &Statement,
        locked: &Locked,
        values: Option<&[Value]>,
    ) -> Result<Write> {
        let (work, conflict) = match statement {
            Statement::Upsert(insert) => (
                self.insert_work(insert, false, locked, values)?,
                self.conflict(insert, false, locked, values)?,
            ),
            Statement::Insert(insert) => (
                self.insert_work(insert, true, locked, values)?,
                self.conflict(insert, true, locked, values)?,
            ),
            Statement::Update(update) => (self.update_work(update, locked, values)?, None),
            Statement::Delete(delete) => (self.delete_work(delete, locked)?, None),
            other => return Err(does_not_write(other)),
        };
        Ok(Write {
            work,
            conflict,
            returned: self.returning(statement, locked, values)?,
        })
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

/// What a writing statement answers with.
#[derive(Debug)]
pub(crate) enum Done {
    /// The number of rows that it was given or found.
    Affected(u64),
    /// What it returns of its rows.
    Rows(SchemaRef, Vec<RecordBatch>),
}

/// The table that a statement writes, and what it calls it.
fn table_of(statement: &Statement) -> Result<(&TableName, Option<&Name>)> {
    match statement {
        Statement::Upsert(insert) | Statement::Insert(insert) => Ok((&insert.table, None)),
        Statement::Update(update) => Ok((&update.table, update.alias.as_ref())),
        Statement::Delete(delete) => Ok((&delete.table, delete.alias.as_ref())),
        other => Err(does_not_write(other)),
    }
}

fn does_not_write(statement: &Statement) -> Error {
    Error::internal(format!("{} does not write", statement.kind()))
}

/// What the plan of a statement says of its clauses.
fn clauses(statement: &Statement) -> String {
    let mut text = on_conflict(statement);
    let items = statement.returning();
    if !items.is_empty() {
        let items: Vec<String> = items.iter().map(ToString::to_string).collect();
        text.push_str(&format!(", returning {}", items.join(", ")));
    }
    text
}

fn on_conflict(statement: &Statement) -> String {
    let (insert, nothing, update) = match statement {
        Statement::Upsert(insert) => (insert, "on duplicate key ignore", "on duplicate key update"),
        Statement::Insert(insert) => (insert, "on conflict nothing", "on conflict update"),
        _ => return String::new(),
    };
    match insert.on_conflict.as_ref().map(|clause| &clause.action) {
        None => String::new(),
        Some(ConflictAction::Nothing) => format!(", {nothing}"),
        Some(ConflictAction::Update {
            assignments,
            selection,
        }) => {
            let columns: Vec<String> = assignments
                .iter()
                .map(|(column, _)| column.to_string())
                .collect();
            let filter = selection
                .as_ref()
                .map(|condition| format!(", filter {condition}"))
                .unwrap_or_default();
            format!(", {update} {}{filter}", columns.join(", "))
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
