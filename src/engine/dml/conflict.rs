//! ON DUPLICATE KEY and ON CONFLICT.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::filter_record_batch;
use sqlparser::ast::{Expr, Ident, VisitMut, VisitorMut};

use crate::catalog::{Entry, IndexEntry, TableDef};
use crate::engine::dml::query::select_beside;
use crate::engine::dml::row_exprs::{RowExprs, refuse_queries};
use crate::engine::dml::select_list::SelectList;
use crate::engine::dml::work::SlotSource;
use crate::engine::dml::{Locked, Writes, find_column, listed_columns};
use crate::engine::from_datafusion;
use crate::error::{Error, Result};
use crate::sql::{Assigned, ConflictAction, Insert, Name, OnConflict, TableName};
use crate::table::{Arbiter, Changes, Conflict, ConflictRule};
use crate::types::Value;

/// What the row that was to be inserted is called in ON CONFLICT DO UPDATE.
const EXCLUDED: &str = "excluded";

impl Writes<'_> {
    /// What the statement does where a key exists, if it says so. Without values of the parameters
    /// names and types are looked at, and nothing comes of it.
    pub(super) fn conflict(
        &self,
        statement: &Insert,
        insert: bool,
        locked: &Locked,
        values: Option<&[Value]>,
    ) -> Result<Option<Arc<Conflict>>> {
        let Some(clause) = &statement.on_conflict else {
            return Ok(None);
        };
        let name = match insert {
            true => "ON CONFLICT DO UPDATE",
            false => "ON DUPLICATE KEY UPDATE",
        };
        let arbiter = arbiter(&locked.entry, clause, insert)?;
        let rule = match &clause.action {
            ConflictAction::Nothing => None,
            ConflictAction::Update {
                assignments,
                selection,
            } => {
                let update = Update {
                    table: &statement.table,
                    assignments,
                    selection: selection.as_ref(),
                    sees_proposed: insert,
                    name,
                };
                match self.update_rule(&update, locked, values)? {
                    Some(rule) => Some(Arc::new(rule) as Arc<dyn ConflictRule>),
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(Arc::new(Conflict {
            arbiter,
            sees_proposed: insert && rule.is_some(),
            once: insert,
            strict: insert,
            rule,
        })))
    }

    fn update_rule(
        &self,
        update: &Update<'_>,
        locked: &Locked,
        values: Option<&[Value]>,
    ) -> Result<Option<UpdateRule>> {
        let def = &locked.entry.def;
        if update.sees_proposed && def.name == EXCLUDED {
            return Err(Error::invalid(format!(
                "{EXCLUDED} is the row that was to be inserted, and cannot be the table as well"
            ))
            .at(update.table.position()));
        }
        let mut list = SelectList::default();
        let mut columns = Vec::with_capacity(update.assignments.len());
        for (number, (name, assigned)) in update.assignments.iter().enumerate() {
            let column = find_column(def, name)?;
            if def.key_position(column).is_some() {
                return Err(Error::invalid(format!(
                    "column {name} is in the primary key of {}: {} cannot set it",
                    def.display_name(),
                    update.name
                ))
                .at(name.position));
            }
            let assigned = update.qualified(assigned, def)?;
            let number = || number.to_string();
            let slot = self.assigned_slot(locked, column, &assigned, values, &mut list, number)?;
            columns.push((column, slot));
        }
        let selection = match update.selection {
            Some(condition) => Some(update.qualified_expr(condition, def)?),
            None => None,
        };
        let beside = update.sees_proposed.then_some(EXCLUDED);
        let query = select_beside(update.table, beside, list.items, selection)?;
        let query = self.engine.bind_query(&locked.state, &query)?;
        let Some(values) = values else {
            return Ok(None);
        };
        let plan = self.assigned_plan(&query, values, &list.assignees)?;
        Ok(Some(UpdateRule {
            exprs: self.row_exprs(&plan, update.name)?,
            columns,
        }))
    }
}

/// `SET c = value, ... [WHERE condition]` of the clause `name`.
struct Update<'a> {
    table: &'a TableName,
    assignments: &'a [(Name, Assigned)],
    selection: Option<&'a Expr>,
    /// Whether the row that was to be inserted is in sight.
    sees_proposed: bool,
    name: &'static str,
}

impl Update<'_> {
    fn qualified(&self, assigned: &Assigned, def: &TableDef) -> Result<Assigned> {
        match assigned {
            Assigned::Default => Ok(Assigned::Default),
            Assigned::Expr(expr) => self.qualified_expr(expr, def).map(Assigned::Expr),
        }
    }

    /// The expression with the columns that it names alone being those of the row that exists.
    fn qualified_expr(&self, expr: &Expr, def: &TableDef) -> Result<Expr> {
        refuse_queries(expr, self.name)?;
        let mut expr = expr.clone();
        if self.sees_proposed {
            let table = Ident::with_quote('"', &def.name);
            let _ = expr.visit(&mut Qualify { table, def });
        }
        Ok(expr)
    }
}

/// Puts the table before the columns that are named alone.
struct Qualify<'a> {
    table: Ident,
    def: &'a TableDef,
}

impl VisitorMut for Qualify<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> std::ops::ControlFlow<()> {
        if let Expr::Identifier(ident) = expr {
            let name = match ident.quote_style {
                Some(_) => ident.value.clone(),
                None => ident.value.to_ascii_lowercase(),
            };
            if self.def.find_column(&name).is_some() {
                let mut table = self.table.clone();
                table.span = ident.span;
                *expr = Expr::CompoundIdentifier(vec![table, ident.clone()]);
            }
        }
        std::ops::ControlFlow::Continue(())
    }
}

/// Sets columns to expressions of the row that exists, and perhaps of the one that was to be
/// inserted, where a condition holds.
#[derive(Debug)]
struct UpdateRule {
    exprs: RowExprs,
    /// The columns that are set, as indices into the table's columns.
    columns: Vec<(usize, SlotSource)>,
}

impl ConflictRule for UpdateRule {
    fn apply(&self, rows: &RecordBatch) -> Result<Changes> {
        let changed = self.exprs.condition(rows)?;
        let kept = match &changed {
            Some(changed) => {
                &filter_record_batch(rows, changed).map_err(|e| from_datafusion(e.into()))?
            }
            None => rows,
        };
        let computed = self.exprs.evaluate(kept)?;
        let columns = self.columns.iter().map(|(column, slot)| {
            let array = slot.array(&computed, kept.num_rows())?;
            Ok((*column, array))
        });
        Ok(Changes {
            columns: columns.collect::<Result<_>>()?,
            changed,
        })
    }
}

/// What the columns of ON CONFLICT name: the primary key, or a UNIQUE index. Without columns all of
/// them are meant; ON DUPLICATE KEY means the primary key.
fn arbiter(entry: &Entry, clause: &OnConflict, insert: bool) -> Result<Arbiter> {
    let def = &entry.def;
    let unique = || entry.ready_indexes().filter(|index| index.def.unique);
    let Some(first) = clause.target.first() else {
        return Ok(match insert && unique().next().is_some() {
            true => Arbiter::Any,
            false => Arbiter::Key,
        });
    };
    let listed = listed_columns(def, &clause.target)?;
    let is_key = listed.len() == def.key.len()
        && listed
            .iter()
            .all(|column| def.key_position(*column).is_some());
    if is_key {
        return Ok(Arbiter::Key);
    }
    // Of a partial index nobody knows whether the row that exists is in it.
    let is_index = |index: &&Arc<IndexEntry>| {
        let parts = index.view.key.iter().take(index.def.parts.len());
        let mut columns: Vec<usize> = parts.map(|part| part.column).collect();
        columns.sort_unstable();
        let mut listed = listed.clone();
        listed.sort_unstable();
        index.def.predicate.is_none() && columns == listed
    };
    if let Some(index) = unique().find(is_index) {
        return Ok(Arbiter::Index(index.def.id));
    }
    let key: Vec<&str> = def
        .key
        .iter()
        .map(|part| def.columns[part.column].name.as_str())
        .collect();
    Err(Error::invalid(format!(
        "ON CONFLICT takes the columns of the primary key, which in {} are {}, or those of a UNIQUE \
         index without condition",
        def.display_name(),
        key.join(", ")
    ))
    .at(first.position))
}
