//! UPSERT and INSERT of VALUES.

use std::sync::Arc;

use futures::TryStreamExt;
use sqlparser::ast::{Expr, Spanned};

use crate::catalog::TableDef;
use crate::engine::BoundQuery;
use crate::engine::dml::assign::Assignee;
use crate::engine::dml::constant::{constant, position};
use crate::engine::dml::query::{select_values, stored_expr};
use crate::engine::dml::work::reads_table;
use crate::engine::dml::{Locked, Writes};
use crate::error::{Error, Result};
use crate::sql::Assigned;
use crate::store::Snapshot;
use crate::table::{Op, WriteSet, WriteTarget};
use crate::types::Value;

/// Expressions of one SELECT: planning one of many columns takes more than its share.
const EXPRS: usize = 128;

/// Rows of values, each with a cell for every column of the table in declared order.
pub(super) struct ValueRows {
    pub(super) rows: Vec<Vec<Cell>>,
    /// The columns that the statement gives.
    pub(super) given: Vec<usize>,
    /// How they are written; an UPSERT writes as the columns that it gives let it.
    op: Option<Op>,
    /// The cells that must be computed, some to a query, in the order of their numbers.
    computed: Vec<Computed>,
    reads_target: bool,
}

/// One value of a row.
#[derive(Clone)]
pub(super) enum Cell {
    /// A value of the column.
    Value(Value),
    /// The computed cell of this number.
    Computed(usize),
}

struct Computed {
    query: Arc<BoundQuery>,
    assignees: Vec<Option<Assignee>>,
    /// The row of each expression, for messages.
    rows: Vec<usize>,
}

impl ValueRows {
    /// Rows whose values are not known, because those of the parameters are not.
    pub(super) fn unknown(count: usize, given: Vec<usize>) -> Self {
        let rows = vec![Vec::new(); count];
        ValueRows {
            rows,
            given,
            op: None,
            computed: Vec::new(),
            reads_target: false,
        }
    }

    pub(super) fn computes(&self) -> bool {
        !self.computed.is_empty()
    }

    pub(super) fn reads_target(&self) -> bool {
        self.reads_target
    }
}

impl Writes<'_> {
    /// The rows of VALUES, for the columns `given`, in that order.
    pub(super) fn value_rows(
        &self,
        rows: &[Vec<Assigned>],
        given: Vec<usize>,
        op: Option<Op>,
        locked: &Locked,
        values: &[Value],
    ) -> Result<ValueRows> {
        let def = &locked.entry.def;
        let mut exprs = Exprs {
            def,
            rows: rows.len(),
            pending: Vec::new(),
        };
        // The columns that are not given are the same in each row, unless they are computed.
        let omitted: Vec<usize> = (0..def.columns.len())
            .filter(|c| !given.contains(c))
            .collect();
        let mut cells = Vec::with_capacity(rows.len());
        for (number, row) in rows.iter().enumerate() {
            let mut filled = vec![Cell::Value(Value::Null); def.columns.len()];
            for (column, assigned) in given.iter().zip(row) {
                filled[*column] = match assigned {
                    Assigned::Default => exprs.default(*column, number)?,
                    Assigned::Expr(expr) => exprs.cell(expr, *column, number, values)?,
                };
            }
            for column in &omitted {
                filled[*column] = exprs.default(*column, number)?;
            }
            cells.push(filled);
        }
        let mut computed = Vec::new();
        let mut reads_target = false;
        let mut pending = exprs.pending.into_iter().peekable();
        while pending.peek().is_some() {
            let mut assignees = Vec::new();
            let mut places = Vec::new();
            let mut chunk = Vec::new();
            for (expr, assignee, row) in pending.by_ref().take(EXPRS) {
                chunk.push(expr);
                assignees.push(Some(assignee));
                places.push(row);
            }
            let query = Arc::new(
                self.engine
                    .bind_query(&locked.state, &select_values(chunk)?)?,
            );
            reads_target |= reads_table(&query, def.id)?;
            computed.push(Computed {
                query,
                assignees,
                rows: places,
            });
        }
        Ok(ValueRows {
            rows: cells,
            given,
            op,
            computed,
            reads_target,
        })
    }

    /// Adds every row to the set, computing what must be computed.
    pub(super) async fn fill_values(
        &self,
        rows: &ValueRows,
        target: &mut WriteTarget,
        set: &mut WriteSet,
        values: &[Value],
        snapshot: Option<Arc<dyn Snapshot>>,
    ) -> Result<()> {
        let mut results = Vec::new();
        if let Some(snapshot) = snapshot {
            for computed in &rows.computed {
                self.compute(computed, rows.rows.len(), values, &snapshot, &mut results)
                    .await?;
            }
        }
        let op = rows.op.unwrap_or_else(|| target.upsert());
        let mut slots = vec![Value::Null; target.columns().len()];
        for (number, cells) in rows.rows.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                slots[target.slot(column)] = match cell {
                    Cell::Value(value) => value.clone(),
                    Cell::Computed(number) => results
                        .get(*number)
                        .cloned()
                        .ok_or_else(|| Error::internal("a value was not computed"))?,
                };
            }
            target
                .push_values(set, op, &slots)
                .map_err(|e| in_row(e, number, rows.rows.len()))?;
        }
        Ok(())
    }

    async fn compute(
        &self,
        computed: &Computed,
        rows: usize,
        values: &[Value],
        snapshot: &Arc<dyn Snapshot>,
        results: &mut Vec<Value>,
    ) -> Result<()> {
        let mut batches = self.stream(&computed.query, values, &computed.assignees, snapshot)?;
        while let Some(batch) = batches.try_next().await? {
            let cells = batch
                .columns()
                .iter()
                .zip(&computed.assignees)
                .zip(&computed.rows);
            for ((array, assignee), row) in cells {
                let Some(assignee) = assignee else { continue };
                let value = assignee
                    .assign(array)
                    .and_then(|array| Value::from_array(&array, 0));
                results.push(value.map_err(|e| in_row(e, *row, rows))?);
            }
        }
        Ok(())
    }
}

/// The cells of some rows, and the expressions among them that must be computed.
struct Exprs<'a> {
    def: &'a TableDef,
    rows: usize,
    pending: Vec<(Expr, Assignee, usize)>,
}

impl Exprs<'_> {
    fn cell(&mut self, expr: &Expr, column: usize, row: usize, values: &[Value]) -> Result<Cell> {
        let assignee = Assignee::of(self.def, column);
        let not_null = !self.def.columns[column].nullable;
        match constant(expr, values)? {
            Some(constant) if not_null && constant.value == Value::Null => {
                let table = self.def.display_name();
                let error = Error::constraint(format!(
                    "NULL in column {} of {table}, which is NOT NULL",
                    assignee.name
                ));
                Err(in_row(error, row, self.rows).at(position(expr.span().start)))
            }
            Some(constant) => constant
                .assign(&assignee.sql_type)
                .map(Cell::Value)
                .map_err(|e| in_row(e.context(&assignee.name), row, self.rows))
                .map_err(|e| e.at(position(expr.span().start))),
            None => Ok(self.compute(expr.clone(), assignee, row)),
        }
    }

    fn default(&mut self, column: usize, row: usize) -> Result<Cell> {
        let Some(text) = &self.def.columns[column].default else {
            return Ok(Cell::Value(Value::Null));
        };
        let expr = stored_expr(text)?;
        let assignee = Assignee::of(self.def, column);
        match constant(&expr, &[])? {
            Some(constant) => constant
                .assign(&assignee.sql_type)
                .map(Cell::Value)
                .map_err(|e| e.context(format!("DEFAULT of {}", assignee.name))),
            None => Ok(self.compute(expr, assignee, row)),
        }
    }

    fn compute(&mut self, expr: Expr, assignee: Assignee, row: usize) -> Cell {
        self.pending.push((expr, assignee, row));
        Cell::Computed(self.pending.len() - 1)
    }
}

/// The error with the row that it happened in, if there are several.
fn in_row(error: Error, row: usize, rows: usize) -> Error {
    match rows {
        0 | 1 => error,
        _ => error.context(format!("row {}", row + 1)),
    }
}
