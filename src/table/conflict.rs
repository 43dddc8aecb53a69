//! Rows that are inserted under keys that may exist, and what becomes of those that do.
//!
//! All of it happens under the latches of the rows, in the one function that writes: what a row is
//! computed from is what stands there when it is written, whoever else counts it up.
//!
//! The row that exists has the key of the one that was proposed, or its value in a UNIQUE index
//! ([`Arbiter`]); then it has another key, which is latched as soon as it is known.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch};
use datafusion::arrow::compute::filter;
use datafusion::arrow::datatypes::{FieldRef, Schema};
use datafusion::arrow::error::ArrowError;

use crate::catalog::TableDef;
use crate::codec::BatchDecoder;
use crate::error::{Error, Result};
use crate::store::{LatchGuard, LatchRequest, WriteBatch};
use crate::table::arbiter::{Place, Search, Slot, Slots};
use crate::table::request;
use crate::table::returned::Returned;
use crate::table::upkeep::Upkeep;
use crate::table::write::{CHUNK, Writer};
use crate::table::write_set::{WriteSet, duplicate};
use crate::table::write_target::WriteTarget;

/// What becomes of rows that exist under the keys of rows that were to be inserted.
pub(crate) trait ConflictRule: fmt::Debug + Send + Sync {
    /// How the rows change. `rows` has the table's columns, in declared order, of the rows that
    /// exist; if the conflict [sees](Conflict::sees_proposed) them, behind these the same of the
    /// rows that were to be inserted.
    fn apply(&self, rows: &RecordBatch) -> Result<Changes>;
}

/// How some rows change.
pub(crate) struct Changes {
    /// Which of the rows change, all of them without; NULL is one that does not.
    pub(crate) changed: Option<BooleanArray>,
    /// The columns that change, as indices into the table's columns, none of the key among them,
    /// and what is in them in the rows that change.
    pub(crate) columns: Vec<(usize, ArrayRef)>,
}

/// Which rows a proposed one is in conflict with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arbiter {
    /// That of its key.
    Key,
    /// That of its value in the UNIQUE index of this id. One of its key is an error.
    Index(u32),
    /// That of its key, and those of its values in all UNIQUE indexes.
    Any,
}

/// What proposals come to.
pub(super) enum Resolved {
    /// This is to be written; so many rows were inserted or changed.
    Batch(WriteBatch, u64),
    /// It takes these latches.
    Wants(LatchRequest),
}

/// What a statement does where a key exists.
#[derive(Debug)]
pub(crate) struct Conflict {
    /// Which rows are meant.
    pub(crate) arbiter: Arbiter,
    /// What becomes of the row; without it the row stays, and nothing is written.
    pub(crate) rule: Option<Arc<dyn ConflictRule>>,
    /// Whether the rule looks at the rows that were to be inserted.
    pub(crate) sees_proposed: bool,
    /// Whether the statement may write a row once only: else rows of one key are applied one
    /// after the other, each to what the one before left.
    pub(crate) once: bool,
    /// Whether a column that must hold a value must do so also where the row is not inserted.
    pub(crate) strict: bool,
}

/// A row on its way through a statement.
struct Row {
    /// Its value as it is by now.
    value: Option<Vec<u8>>,
    /// Its value before.
    before: Option<Vec<u8>>,
    is_written: bool,
}

impl Writer<'_> {
    /// The batch of a set of proposals, what is there already being looked up now, and how many
    /// rows were inserted or changed. `guard` has the latches of the proposals' keys.
    pub(super) fn resolve(
        &self,
        target: &WriteTarget,
        conflict: &Conflict,
        set: &WriteSet,
        guard: &mut LatchGuard,
        mut returned: Option<&mut Returned<'_>>,
        mut upkeep: Option<&mut Upkeep<'_>>,
    ) -> Result<Resolved> {
        let slots = match self.slots(target, conflict.arbiter, set, guard)? {
            Search::Found(slots) => slots,
            Search::Wants(request) => return Ok(Resolved::Wants(request)),
        };
        let mut resolution = Resolution {
            target,
            conflict,
            set,
            slots: &slots,
            existing: decoder(target.def())?,
            proposed: decoder(target.def())?,
            affected: 0,
        };
        let compares = upkeep.as_ref().is_some_and(|upkeep| upkeep.compares());
        let handle = &target.entry().handle;
        let mut batch = WriteBatch::with_capacity(set.len(), set.bytes() as usize);
        for chunk in slots.slots.chunks(CHUNK) {
            let places = chunk.iter().map(|slot| slots.place(slot, set));
            let places: Vec<Place> = places.collect();
            let mut rows: Vec<Row> = Vec::with_capacity(places.len());
            rows.resize_with(places.len(), || Row {
                value: None,
                before: None,
                is_written: false,
            });
            self.store.multi_get(handle, &places, &mut |i, value| {
                rows[i].value = Some(value.to_vec());
                Ok(())
            })?;
            if compares {
                for row in &mut rows {
                    row.before.clone_from(&row.value);
                }
            }
            for ((slot, (_, key)), row) in chunk.iter().zip(&places).zip(&rows) {
                if slot.must_be_free && row.value.is_some() {
                    let table = target.def().display_name();
                    return Err(duplicate(target.layout(), &table, key));
                }
            }
            // A proposal for the same row as one before waits until that one is done.
            let waves = chunk.iter().map(Slot::proposals).max().unwrap_or(0);
            for wave in 0..waves {
                resolution.wave(chunk, &places, &mut rows, wave)?;
            }
            for ((slot, (bucket, key)), row) in chunk.iter().zip(&places).zip(&rows) {
                if let (true, Some(value)) = (row.is_written, &row.value) {
                    batch.put(handle, *bucket, key, value);
                    if let Some(upkeep) = &mut upkeep {
                        upkeep.row(key, row.before.as_deref(), Some(value))?;
                    }
                    if let (Some(returned), Some(first)) = (&mut returned, slots.proposal(slot, 0))
                    {
                        returned.push(set.order(first), key, value)?;
                    }
                }
            }
        }
        Ok(Resolved::Batch(batch, resolution.affected))
    }
}

struct Resolution<'a> {
    target: &'a WriteTarget,
    conflict: &'a Conflict,
    set: &'a WriteSet,
    slots: &'a Slots,
    existing: BatchDecoder,
    proposed: BatchDecoder,
    affected: u64,
}

impl Resolution<'_> {
    /// Applies the proposal of number `wave` for each row of some slots.
    fn wave(
        &mut self,
        slots: &[Slot],
        places: &[Place],
        rows: &mut [Row],
        wave: usize,
    ) -> Result<()> {
        let mut new = self.target.decoder();
        // The rows that exist, in the order of the decoded ones.
        let mut met: Vec<usize> = Vec::new();
        let all = slots.iter().zip(places).zip(rows.iter_mut());
        for (number, ((slot, (_, place)), row)) in all.enumerate() {
            let Some(index) = self.slots.proposal(slot, wave) else {
                continue;
            };
            let (_, _, key, value) = self.set.get(index);
            let Some(existing) = &row.value else {
                if !self.conflict.strict {
                    self.target.check_new(&mut new, value)?;
                }
                row.value = Some(value.to_vec());
                row.is_written = true;
                self.affected += 1;
                continue;
            };
            if self.conflict.rule.is_none() {
                continue;
            }
            if self.conflict.once && row.is_written {
                return Err(second_time(self.target, place));
            }
            met.push(number);
            self.existing.push(place, existing)?;
            if self.conflict.sees_proposed {
                self.proposed.push(key, value)?;
            }
        }
        match &self.conflict.rule {
            Some(rule) if !met.is_empty() => {
                let rule = rule.clone();
                self.change(&*rule, &met, rows)
            }
            _ => Ok(()),
        }
    }

    /// Applies the rule to the rows that were met.
    fn change(&mut self, rule: &dyn ConflictRule, met: &[usize], rows: &mut [Row]) -> Result<()> {
        let existing = self.existing.finish()?;
        let both = match self.conflict.sees_proposed {
            true => side_by_side(&existing, &self.proposed.finish()?)?,
            false => existing.clone(),
        };
        let Changes { changed, columns } = rule.apply(&both)?;
        let def = self.target.def();
        for (column, array) in &columns {
            let column = &def.columns[*column];
            if !column.nullable && array.null_count() > 0 {
                return Err(Error::constraint(format!(
                    "NULL in column {} of {}, which is NOT NULL",
                    column.name,
                    def.display_name()
                )));
            }
        }
        let values = self.target.value_columns().iter().map(|column| {
            let new = columns.iter().find(|(changed, _)| changed == column);
            match (new, &changed) {
                (Some((_, array)), _) => Ok(array.clone()),
                (None, None) => Ok(existing.column(*column).clone()),
                (None, Some(changed)) => {
                    filter(existing.column(*column), changed).map_err(unexpected)
                }
            }
        });
        let values = values.collect::<Result<Vec<_>>>()?;
        let readers = self.target.value_readers(&values)?;
        let mut next = 0;
        for (i, number) in met.iter().enumerate() {
            let changes = changed
                .as_ref()
                .is_none_or(|changed| changed.is_valid(i) && changed.value(i));
            if !changes {
                continue;
            }
            let mut value = Vec::new();
            self.target.encode_value(&readers, next, &mut value)?;
            next += 1;
            if let Some(row) = rows.get_mut(*number) {
                row.value = Some(value);
                row.is_written = true;
            }
            self.affected += 1;
        }
        Ok(())
    }
}

/// All columns of a table, in declared order.
fn decoder(def: &TableDef) -> Result<BatchDecoder> {
    let all: Vec<usize> = (0..def.columns.len()).collect();
    request::decoder(def, &all)
}

fn side_by_side(left: &RecordBatch, right: &RecordBatch) -> Result<RecordBatch> {
    let schemas = [left.schema(), right.schema()];
    let fields: Vec<FieldRef> = schemas
        .iter()
        .flat_map(|schema| schema.fields().iter().cloned())
        .collect();
    let columns = left.columns().iter().chain(right.columns()).cloned();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.collect()).map_err(unexpected)
}

fn second_time(target: &WriteTarget, key: &[u8]) -> Error {
    let table = target.def().display_name();
    match target.layout().key_text(key) {
        Ok(key) => Error::constraint(format!(
            "ON CONFLICT DO UPDATE cannot affect row {key} of {table} a second time"
        )),
        Err(error) => error,
    }
}

fn unexpected(error: ArrowError) -> Error {
    Error::internal("rows do not have the shape of their table").with_source(error)
}
