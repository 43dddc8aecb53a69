//! UPSERT and INSERT.

use std::sync::Arc;

use datafusion::arrow::record_batch::RecordBatch;
use sqlparser::ast::Spanned;

use crate::engine::dml::assign::Assignee;
use crate::engine::dml::constant::position;
use crate::engine::dml::query::distinct_names;
use crate::engine::dml::values::ValueRows;
use crate::engine::dml::work::{Feed, Sink, SlotSource, Work, reads_table};
use crate::engine::dml::{Locked, Writes, find_column, listed_columns};
use crate::error::{Error, Result};
use crate::sql::{Assigned, Insert, Name, Source, TableName};
use crate::table::{Op, ReadBefore, WriteSet, WriteTarget};
use crate::types::Value;

impl Writes<'_> {
    /// What UPSERT or INSERT writes. Without values of the parameters it serves EXPLAIN alone.
    pub(super) fn insert_work(
        &self,
        statement: &Insert,
        insert: bool,
        locked: &Locked,
        values: Option<&[Value]>,
    ) -> Result<Work> {
        let def = &locked.entry.def;
        let op = match (&statement.on_conflict, insert) {
            (Some(_), _) => Some(Op::Propose),
            (None, true) => Some(Op::Insert),
            (None, false) => None,
        };
        let given = match statement.columns.as_slice() {
            [] => (0..def.columns.len()).collect(),
            names => listed_columns(def, names)?,
        };
        let query = match &statement.source {
            Source::Values(rows) => {
                for row in rows {
                    check_width(statement, locked, given.len(), row)?;
                }
                let Some(values) = values else {
                    return Ok(Work::Values(ValueRows::unknown(rows.len(), given)));
                };
                let rows = self.value_rows(rows, given, op, locked, values)?;
                return Ok(Work::Values(rows));
            }
            Source::DefaultValues => {
                let row = vec![Assigned::Default; given.len()];
                let rows = self.value_rows(&[row], given, op, locked, &[])?;
                return Ok(Work::Values(rows));
            }
            Source::Query(query) => query,
        };
        let bound = Arc::new(
            self.engine
                .bind_query(&locked.state, &distinct_names(query))?,
        );
        let width = bound.schema().fields().len();
        if width != given.len() {
            let message = format!(
                "{} and the query returns {width}",
                wanted(statement, locked, given.len())
            );
            return Err(Error::invalid(message).at(position(query.span().start)));
        }
        let target = WriteTarget::new(locked.entry.clone(), |column| given.contains(&column));
        let slots = target.columns().iter().map(|column| {
            let assignee = Assignee::of(def, *column);
            match given.iter().position(|c| c == column) {
                Some(index) => Ok(SlotSource::Query {
                    index,
                    assignee: Some(assignee),
                }),
                None => self.default_slot(locked, *column),
            }
        });
        let slots = slots.collect::<Result<Vec<_>>>()?;
        let op = op.unwrap_or_else(|| target.upsert());
        Ok(Work::Feed(Feed {
            reads_target: reads_table(&bound, def.id)?,
            query: bound,
            assignees: given.iter().map(|c| Some(Assignee::of(def, *c))).collect(),
            sink: Sink::Write { op, slots },
            given,
        }))
    }

    /// Writes a batch whose columns are named as the table's are: an UPSERT of those columns.
    pub(crate) async fn upsert_batch(&self, table: &TableName, batch: &RecordBatch) -> Result<u64> {
        let locked = self.lock(table).await?;
        let def = &locked.entry.def;
        let schema = batch.schema();
        let mut given = Vec::with_capacity(batch.num_columns());
        for field in schema.fields() {
            let column = find_column(def, &Name::new(field.name()))?;
            if given.contains(&column) {
                let message = format!("the batch has column {} twice", field.name());
                return Err(Error::invalid(message));
            }
            given.push(column);
        }
        if let Some(part) = def.key.iter().find(|part| !given.contains(&part.column))
            && def.columns[part.column].default.is_none()
            && !def.columns[part.column].nullable
        {
            let name = &def.columns[part.column].name;
            return Err(Error::invalid(format!(
                "the batch has no key column {name}"
            )));
        }
        let mut target = WriteTarget::new(locked.entry.clone(), |column| given.contains(&column))
            .with_indexes(self.table_indexes(&locked.entry)?);
        let slots = target.columns().iter().map(|column| {
            let assignee = Some(Assignee::of(def, *column));
            match given.iter().position(|c| c == column) {
                Some(index) => Ok(SlotSource::Query { index, assignee }),
                None => self.default_slot(&locked, *column),
            }
        });
        let sink = Sink::Write {
            op: target.upsert(),
            slots: slots.collect::<Result<Vec<_>>>()?,
        };
        let mut set = WriteSet::new(self.settings.max_statement_bytes);
        sink.push(&mut target, &mut set, batch)?;
        set.resolve(target.layout(), &def.display_name())?;
        let held = locked.guard.clone();
        self.writer()
            .write(&target, &set, ReadBefore::Nothing, held)
            .await?;
        Ok(set.affected())
    }
}

fn check_width(statement: &Insert, locked: &Locked, width: usize, row: &[Assigned]) -> Result<()> {
    if row.len() == width {
        return Ok(());
    }
    let place = row.iter().find_map(|assigned| match assigned {
        Assigned::Expr(expr) => position(expr.span().start),
        Assigned::Default => None,
    });
    let message = format!(
        "{} and a row has {} values",
        wanted(statement, locked, width),
        row.len()
    );
    Err(Error::invalid(message)
        .at(place)
        .at(statement.table.position()))
}

fn wanted(statement: &Insert, locked: &Locked, width: usize) -> String {
    let s = if width == 1 { "" } else { "s" };
    match statement.columns.is_empty() {
        true => format!("{} has {width} column{s}", locked.entry.def.display_name()),
        false => match width {
            1 => "1 column is listed".to_owned(),
            _ => format!("{width} columns are listed"),
        },
    }
}
