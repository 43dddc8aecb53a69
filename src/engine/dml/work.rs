//! What a statement writes, before it is written.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, new_null_array};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;
use futures::TryStreamExt;

use crate::engine::dml::Writes;
use crate::engine::dml::assign::{Assignee, assign_literals, check_arithmetic};
use crate::engine::dml::defaults::RowExpr;
use crate::engine::dml::returning::ReturnedRows;
use crate::engine::dml::values::ValueRows;
use crate::engine::scan::provider::stored_entry;
use crate::engine::{BoundQuery, Execution, RowStream, from_datafusion};
use crate::error::{Error, Result};
use crate::plan::PlanNode;
use crate::store::Snapshot;
use crate::table::{Conflict, Op, WriteSet, WriteTarget};
use crate::types::Value;

/// What a statement writes, and how.
pub(super) struct Write {
    pub(super) work: Work,
    /// What becomes of rows that exist, if the rows are proposals.
    pub(super) conflict: Option<Arc<Conflict>>,
    /// What it returns of its rows.
    pub(super) returned: Option<ReturnedRows>,
}

/// What a statement writes.
pub(super) enum Work {
    /// Rows of values.
    Values(ValueRows),
    /// The rows of a query.
    Feed(Feed),
}

/// A query, and where each of its columns goes.
pub(super) struct Feed {
    pub(super) query: Arc<BoundQuery>,
    /// What each column of the query is assigned to, where its literals take that type.
    pub(super) assignees: Vec<Option<Assignee>>,
    pub(super) sink: Sink,
    /// The columns of the target that the statement gives, as indices into the table's columns.
    pub(super) given: Vec<usize>,
    /// Whether the query reads the table that is written.
    pub(super) reads_target: bool,
}

/// What happens to a row of the query.
pub(super) enum Sink {
    /// It is written as these slots.
    Write { op: Op, slots: Vec<SlotSource> },
    /// The row of this old key becomes these slots.
    Update {
        old_key: Vec<usize>,
        slots: Vec<SlotSource>,
    },
    /// The row of this key goes.
    Delete { key: Vec<usize> },
}

/// Where the value of a slot comes from.
#[derive(Debug)]
pub(super) enum SlotSource {
    /// Column `index` of the query.
    Query {
        index: usize,
        /// How it is converted; nothing for a column of the table itself.
        assignee: Option<Assignee>,
    },
    /// One value for every row.
    Constant { value: Value, assignee: Assignee },
    /// A value of its own for each row.
    PerRow(RowExpr),
}

impl Work {
    /// Whether what is written depends on rows of the table that is written.
    pub(super) fn reads_target(&self) -> bool {
        match self {
            Work::Values(rows) => rows.reads_target(),
            Work::Feed(feed) => feed.reads_target,
        }
    }

    /// Whether a snapshot is read at all.
    pub(super) fn reads(&self) -> bool {
        match self {
            Work::Values(rows) => rows.computes(),
            Work::Feed(_) => true,
        }
    }

    /// Whether the statement gives the column.
    pub(super) fn gives(&self, column: usize) -> bool {
        match self {
            Work::Values(rows) => rows.given.contains(&column),
            Work::Feed(feed) => feed.given.contains(&column),
        }
    }
}

impl Writes<'_> {
    /// Computes every row that the statement writes.
    pub(super) async fn fill(
        &self,
        work: &Work,
        target: &mut WriteTarget,
        values: &[Value],
        snapshot: Option<Arc<dyn Snapshot>>,
    ) -> Result<WriteSet> {
        let mut set = WriteSet::new(self.settings.max_statement_bytes);
        match work {
            Work::Values(rows) => {
                self.fill_values(rows, target, &mut set, values, snapshot)
                    .await?;
            }
            Work::Feed(feed) => {
                let snapshot = snapshot.ok_or_else(|| Error::internal("a query without state"))?;
                let mut batches = self.stream(&feed.query, values, &feed.assignees, &snapshot)?;
                while let Some(batch) = batches.try_next().await? {
                    feed.sink.push(target, &mut set, &batch)?;
                }
            }
        }
        set.resolve(target.layout(), &target.def().display_name())?;
        Ok(set)
    }

    /// The rows of a query whose columns are assigned to columns of a table.
    pub(super) fn stream(
        &self,
        query: &BoundQuery,
        values: &[Value],
        assignees: &[Option<Assignee>],
        snapshot: &Arc<dyn Snapshot>,
    ) -> Result<RowStream> {
        let plan = self.assigned_plan(query, values, assignees)?;
        let execution = Execution {
            started: self.started,
            analysis: self.analysis.clone(),
            ..Execution::new(snapshot, self.settings)
        };
        self.engine.execute_plan(&plan, execution)
    }

    /// The analyzed plan of a query whose columns are assigned to columns of a table.
    pub(super) fn assigned_plan(
        &self,
        query: &BoundQuery,
        values: &[Value],
        assignees: &[Option<Assignee>],
    ) -> Result<LogicalPlan> {
        let plan = assign_literals(query.with_values(values)?, assignees)?;
        check_arithmetic(self.analyzed(plan)?)
    }

    /// The plan with the types that DataFusion's analyzer gives its expressions.
    pub(in crate::engine) fn analyzed(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        let state = self.engine.state();
        state
            .analyzer()
            .execute_and_check(plan, state.config_options(), |_, _| {})
            .map_err(from_datafusion)
    }

    /// What EXPLAIN shows below the statement's own line.
    pub(super) fn explain_work(&self, work: &Work, values: Option<&[Value]>) -> Result<PlanNode> {
        match work {
            Work::Feed(feed) => feed.query.explain(values),
            Work::Values(rows) => {
                let count = rows.rows.len();
                let text = format!("Values: {count} row{}", if count == 1 { "" } else { "s" });
                Ok(PlanNode::new(text, Vec::new()))
            }
        }
    }
}

impl Sink {
    pub(super) fn push(
        &self,
        target: &mut WriteTarget,
        set: &mut WriteSet,
        batch: &RecordBatch,
    ) -> Result<()> {
        let columns = |indices: &[usize]| -> Vec<ArrayRef> {
            indices
                .iter()
                .map(|index| batch.column(*index).clone())
                .collect()
        };
        let arrays = |slots: &[SlotSource]| -> Result<Vec<ArrayRef>> {
            let slot = |slot: &SlotSource| slot.array(batch.columns(), batch.num_rows());
            slots.iter().map(slot).collect()
        };
        match self {
            Sink::Write { op, slots } => target.push_arrays(set, *op, &arrays(slots)?),
            Sink::Update { old_key, slots } => {
                target.push_updates(set, &columns(old_key), &arrays(slots)?)
            }
            Sink::Delete { key } => target.push_deletes(set, &columns(key)),
        }
    }
}

impl SlotSource {
    /// The values of some rows, of which the query's columns are these.
    pub(super) fn array(&self, query: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let column = |index: &usize| {
            let column = query.get(*index);
            column.ok_or_else(|| Error::internal("a slot of a column that no query returned"))
        };
        Ok(match self {
            SlotSource::Query {
                index,
                assignee: None,
            } => column(index)?.clone(),
            SlotSource::Query {
                index,
                assignee: Some(assignee),
            } => assignee.assign(column(index)?)?,
            SlotSource::PerRow(expr) => expr.array(rows)?,
            SlotSource::Constant {
                value: Value::Null,
                assignee,
            } => new_null_array(&assignee.sql_type.arrow(), rows),
            SlotSource::Constant { value, assignee } => value
                .to_scalar()
                .cast_to(&assignee.sql_type.arrow())
                .and_then(|scalar| scalar.to_array_of_size(rows))
                .map_err(from_datafusion)?,
        })
    }
}

/// Whether a query reads the table of that id anywhere, subqueries included.
pub(super) fn reads_table(query: &BoundQuery, id: u32) -> Result<bool> {
    let mut reads = false;
    let walked = query.plan().apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && let Some(entry) = stored_entry(&scan.source)
        {
            reads |= entry.def.id == id;
        }
        Ok(TreeNodeRecursion::Continue)
    });
    walked.map_err(from_datafusion)?;
    Ok(reads)
}
