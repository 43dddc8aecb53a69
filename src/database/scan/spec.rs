//! What a scan reads, in ids and bytes, and how it becomes scanners.

use std::sync::Arc;

use chrono::DateTime;
use datafusion::arrow::datatypes::SchemaRef;
use xxhash_rust::xxh3::xxh3_64;

use crate::catalog::{CatalogState, Entry, TableDef};
use crate::database::scan::Scanner;
use crate::database::shared::Shared;
use crate::engine::Conditions;
use crate::error::{Error, Result};
use crate::key::{BucketRange, BucketSet, ByteRange, KeyColumn, expand};
use crate::sql::{self, Condition};
use crate::store::{CursorOrder, Snapshot};
use crate::table::{Portions, Position, ReadRequest, Target, split};
use crate::types::Value;

/// What a scan reads, in terms that a token can keep: ids, bytes, and the texts of filters.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spec {
    pub(super) table: TableId,
    /// The columns that are returned: the id and the name of each.
    pub(super) columns: Vec<(u16, String)>,
    /// The keys that are read, whatever the filters say.
    pub(super) range: ByteRange,
    /// The buckets that are read, whatever the filters say.
    pub(super) buckets: BucketSet,
    pub(super) filters: Vec<Filter>,
    /// When the scan began, in microseconds: what now() is in its filters, also after it was
    /// resumed.
    pub(super) started: i64,
    pub(super) order: CursorOrder,
    pub(super) portions: Portions,
}

/// Which table a scan is of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TableId {
    pub(super) id: u32,
    /// What it was called when the scan began.
    pub(super) schema: String,
    pub(super) name: String,
    /// What the bytes of its keys mean: see [`key_fingerprint`].
    pub(super) key: u64,
}

/// A condition of a scan: its text and the values of its parameters, in their order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Filter {
    pub(super) text: String,
    pub(super) values: Vec<Value>,
}

impl Filter {
    /// The condition in the text.
    pub(super) fn condition(&self) -> Result<Condition> {
        let condition = parse(&self.text)?;
        match condition.parameters.len() == self.values.len() {
            true => Ok(condition),
            false => Err(Error::invalid(
                "the filter has other parameters than values",
            )),
        }
    }
}

/// The condition in a text.
pub(super) fn parse(text: &str) -> Result<Condition> {
    sql::parse_condition(text).map_err(|e| e.context("filter"))
}

/// A number that two tables share only if the bytes of their keys mean the same.
pub(super) fn key_fingerprint(def: &TableDef) -> u64 {
    let layout = def.key_layout();
    let mut text = format!("{} {:?}", layout.buckets(), layout.salt_columns());
    for column in layout.columns() {
        let KeyColumn {
            sql_type,
            nullable,
            descending,
        } = column;
        text.push_str(&format!(", {sql_type} {nullable} {descending}"));
    }
    xxh3_64(text.as_bytes())
}

impl TableId {
    pub(super) fn of(def: &TableDef) -> Self {
        TableId {
            id: def.id,
            schema: def.schema.clone(),
            name: def.name.clone(),
            key: key_fingerprint(def),
        }
    }

    /// The table, if it still is the one that the scan is of.
    ///
    /// # Errors
    /// `NotFound` when it was dropped, also if there is one of its name again.
    pub(super) fn find(&self, state: &CatalogState) -> Result<Arc<Entry>> {
        let name = match self.schema.as_str() {
            "public" => self.name.clone(),
            schema => format!("{schema}.{}", self.name),
        };
        let Some(entry) = state.tables().find(|entry| entry.def.id == self.id) else {
            let again = state.find_table(&self.schema, &self.name).is_some();
            let what = match again {
                true => "was truncated, or dropped and made again,",
                false => "was dropped",
            };
            return Err(Error::not_found(format!(
                "table {name} {what} since the scan was suspended"
            )));
        };
        if key_fingerprint(&entry.def) != self.key {
            return Err(Error::not_found(format!(
                "table {name} has another key than the table of the scan, which was suspended on \
                 another database"
            )));
        }
        Ok(entry.clone())
    }
}

/// A scan whose names are resolved, ready to be read.
pub(super) struct Opening {
    shared: Arc<Shared>,
    state: Arc<CatalogState>,
    entry: Arc<Entry>,
    spec: Spec,
    /// Those of the filters of `spec`.
    conditions: Vec<Condition>,
}

/// What the scanners of one scan have in common.
struct Reading {
    request: ReadRequest,
    ranges: Vec<BucketRange>,
    snapshot: Arc<dyn Snapshot>,
    schema: SchemaRef,
}

impl Opening {
    /// A scan of `entry`, which is of `state`; `conditions` are those of the filters of `spec`.
    pub(super) fn new(
        shared: Arc<Shared>,
        state: Arc<CatalogState>,
        entry: Arc<Entry>,
        spec: Spec,
        conditions: Vec<Condition>,
    ) -> Self {
        Opening {
            shared,
            state,
            entry,
            spec,
            conditions,
        }
    }

    /// The scan that a token keeps.
    pub(super) fn again(shared: Arc<Shared>, spec: Spec) -> Result<Self> {
        let state = shared.catalog.state();
        let entry = spec.table.find(&state)?;
        find_columns(&entry.def, &spec.columns)?;
        let conditions = spec
            .filters
            .iter()
            .map(Filter::condition)
            .collect::<Result<_>>()?;
        Ok(Opening::new(shared, state, entry, spec, conditions))
    }

    /// Whether a filter is so long that it may be deep.
    pub(super) fn is_long(&self) -> bool {
        self.conditions.iter().any(|condition| condition.long)
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The one scanner of what is left behind `position`; nothing if a definition has changed since
    /// the names were resolved.
    pub(super) fn scanner(
        self,
        position: Position,
        remaining: Option<usize>,
    ) -> Result<Option<Scanner>> {
        let Some(reading) = self.read()? else {
            return Ok(None);
        };
        let ranges = position.rest(reading.ranges, self.spec.order);
        let request = ReadRequest {
            target: Target::Ranges(ranges),
            limit: remaining,
            ..reading.request
        };
        let spec = Arc::new(self.spec);
        Ok(Some(Scanner::new(
            self.shared,
            spec,
            reading.schema,
            request,
            reading.snapshot,
            position,
        )))
    }

    /// At most `most` scanners over disjoint buckets, none of them without a bucket; nothing as of
    /// [`scanner`](Opening::scanner).
    pub(super) fn scanners(self, most: usize) -> Result<Option<Vec<Scanner>>> {
        let Some(reading) = self.read()? else {
            return Ok(None);
        };
        if reading.ranges.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let scanners = split(reading.ranges, most).into_iter().map(|run| {
            let mut buckets = BucketSet::default();
            run.iter().for_each(|range| buckets.insert(range.bucket));
            let spec = Spec {
                buckets,
                ..self.spec.clone()
            };
            let request = ReadRequest {
                target: Target::Ranges(run),
                ..reading.request.clone()
            };
            Scanner::new(
                self.shared.clone(),
                Arc::new(spec),
                reading.schema.clone(),
                request,
                reading.snapshot.clone(),
                Position::Start,
            )
        });
        Ok(Some(scanners.collect()))
    }

    /// What is read, and a snapshot that has no rows of a later definition than it is read with.
    fn read(&self) -> Result<Option<Reading>> {
        let spec = &self.spec;
        let def = &self.entry.def;
        let columns = find_columns(def, &spec.columns)?;
        let started = DateTime::from_timestamp_micros(spec.started)
            .ok_or_else(|| Error::invalid("a scan that began before or after all time"))?;
        let all = self.conditions.iter().zip(&spec.filters);
        let conditions = Conditions {
            all: all
                .map(|(condition, filter)| (condition.expr.clone(), filter.values.clone()))
                .collect(),
            started,
        };
        let engine = &self.shared.engine;
        let (path, filter) = engine
            .narrow(&self.state, &self.entry, &columns, conditions)
            .map_err(|e| e.context("filter"))?;
        let unknown = || Error::internal("a scan without the values of its filter");
        let layout = def.key_layout();
        let allowed = path
            .bucket_set(layout.buckets())
            .intersection(&spec.buckets);
        let mut ranges = expand(&path.key_ranges().ok_or_else(unknown)?, &layout, &allowed)?;
        ranges.retain_mut(|range| {
            range.range = range.range.intersection(&spec.range);
            !range.range.is_empty()
        });
        let (def, handle) = (def.clone(), self.entry.handle.clone());
        let request = ReadRequest {
            filter,
            boxes: path.key_boxes().ok_or_else(unknown)?,
            order: spec.order,
            portions: spec.portions,
            ..ReadRequest::new(def, handle, columns, Target::Ranges(Vec::new()))
        };
        let reading = Reading {
            schema: request.schema()?,
            request,
            ranges,
            // Taken when everything is bound, as for a statement.
            snapshot: self.shared.store.snapshot(),
        };
        let is_current = self.shared.catalog.is_state(&self.state);
        Ok(is_current.then_some(reading))
    }
}

/// The indices of columns that are given by id and name.
///
/// # Errors
/// `NotFound` when one was dropped or is called otherwise now.
pub(super) fn find_columns(def: &TableDef, wanted: &[(u16, String)]) -> Result<Vec<usize>> {
    let columns = wanted.iter().map(|(id, name)| {
        let index = def.columns.iter().position(|column| column.id == *id);
        let what = match index.and_then(|index| Some((index, def.columns.get(index)?))) {
            Some((index, column)) if column.name == *name => return Ok(index),
            Some((_, column)) => format!("was renamed to {}", column.name),
            None => "was dropped".to_owned(),
        };
        Err(Error::not_found(format!(
            "column {name} of {} {what} since the scan was suspended",
            def.display_name()
        )))
    });
    columns.collect()
}
