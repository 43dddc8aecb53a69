//! The scan of one table in a physical plan.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::Session;
use datafusion::common::Result as DataFusionResult;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, EmptyRecordBatchStream, ExecutionPlan, Partitioning,
    PlanProperties, SortOrderPushdownResult,
};
use futures::{StreamExt, TryStreamExt};

use crate::catalog::{Entry, TableDef};
use crate::engine::error::{defect, to_datafusion};
use crate::engine::index::{Chosen, Via, Way, Ways};
use crate::engine::optimize::loose_key::LooseKey;
use crate::engine::scan::fanout;
use crate::engine::scan::late::Late;
use crate::engine::scan::order::{self, Columns, Ordered};
use crate::engine::scan::reads::Reads;
use crate::engine::scan::residual::residual;
use crate::engine::scope::{Scope, own_counters};
use crate::engine::symbol;
use crate::engine::verify::{Asked, watched};
use crate::plan::{Access, AccessPath};
use crate::store::CursorOrder;
use crate::table::{
    Groups, Lookup, ReadRequest, RowFilter, Scan, ScanCounters, Target, request_schema,
};

/// Reads the rows of one access path. Its partitions are disjoint sets of buckets; once an order
/// was asked of it, it is one partition that merges them.
#[derive(Debug, Clone)]
pub(crate) struct ScanExec {
    /// What is read: the table, or one of its indexes as a table.
    pub(in crate::engine) entry: Arc<Entry>,
    /// The index, if it is one.
    pub(in crate::engine) via: Option<Via>,
    /// The indexes that it could read, if there are any.
    pub(in crate::engine) ways: Option<Arc<Ways>>,
    /// Whether it reads one arm of an OR.
    pub(in crate::engine) is_arm: bool,
    pub(in crate::engine) path: Arc<AccessPath>,
    pub(in crate::engine) columns: Vec<usize>,
    pub(in crate::engine) filter: Option<RowFilter>,
    /// Columns that a filter binds to one value.
    pub(in crate::engine) constants: Arc<BTreeSet<usize>>,
    /// How many leading key columns have one value in each range.
    pub(in crate::engine) listed: usize,
    pub(in crate::engine) reads: Reads,
    pub(in crate::engine) order: Option<Ordered>,
    /// If only the ends of groups are read, which.
    pub(in crate::engine) groups: Option<Groups>,
    pub(in crate::engine) fetch: Option<usize>,
    pub(in crate::engine) late: Option<Arc<Late>>,
    /// How many of the path's filters, the last ones, are what joins look for: rows that do not
    /// pass them may be returned.
    pub(in crate::engine) hints: usize,
    /// Where it counts what it does, if that is not where all scans of the statement do.
    pub(in crate::engine) counters: Option<Arc<ScanCounters>>,
    pub(in crate::engine) schema: SchemaRef,
    pub(in crate::engine) properties: Arc<PlanProperties>,
}

impl ScanExec {
    /// The scan of `path`.
    pub(in crate::engine) fn new(
        entry: Arc<Entry>,
        path: AccessPath,
        columns: Vec<usize>,
        fetch: Option<usize>,
        state: &dyn Session,
    ) -> DataFusionResult<Self> {
        let way = Way { entry, via: None };
        let chosen = Chosen { way, path };
        ScanExec::of(chosen, None, columns, fetch, state)
    }

    pub(super) fn of(
        chosen: Chosen,
        ways: Option<Arc<Ways>>,
        columns: Vec<usize>,
        fetch: Option<usize>,
        state: &dyn Session,
    ) -> DataFusionResult<Self> {
        let Chosen { way, path } = chosen;
        let Way { entry, via } = way;
        // Without values there is nothing to evaluate it with.
        let symbolic = path.residual.iter().any(symbol::has_parameter);
        let filter = match symbolic {
            false => residual(&entry.def, &columns, &path.residual, state)?,
            true => None,
        };
        let constants = Arc::new(constants(&entry.def, &path));
        let schema = request_schema(&entry.def, &columns).map_err(to_datafusion)?;
        let partitions = state.config().target_partitions();
        let mut scan = ScanExec {
            reads: Reads::Unknown,
            order: None,
            groups: None,
            properties: Arc::new(PlanProperties::new(
                EquivalenceProperties::new(schema.clone()),
                Partitioning::UnknownPartitioning(1),
                EmissionType::Incremental,
                Boundedness::Bounded,
            )),
            listed: order::listed(&entry.def, &path),
            path: Arc::new(path),
            entry,
            via,
            ways,
            is_arm: false,
            columns,
            filter,
            constants,
            fetch,
            late: None,
            hints: 0,
            counters: own_counters(state),
            schema,
        };
        let count = scan.plan_reads(partitions)?;
        scan.properties = Arc::new(scan.describe(count));
        Ok(scan)
    }

    /// The definition of what is read: of the table, or of the index as a table.
    pub(in crate::engine) fn def(&self) -> &TableDef {
        &self.entry.def
    }

    /// The index as a table, if it reads one.
    pub(super) fn index(&self) -> Option<&TableDef> {
        self.via.as_ref().map(|_| self.def())
    }

    /// The table whose rows are returned.
    pub(in crate::engine) fn table(&self) -> &Arc<Entry> {
        match &self.ways {
            Some(ways) => ways.table(),
            None => &self.entry,
        }
    }

    /// What is read.
    pub(in crate::engine) fn way(&self) -> Way {
        Way {
            entry: self.entry.clone(),
            via: self.via.clone(),
        }
    }

    /// How the rows are found.
    pub(in crate::engine) fn path(&self) -> &AccessPath {
        &self.path
    }

    pub(super) fn cursor_order(&self) -> CursorOrder {
        self.order
            .as_ref()
            .map_or(CursorOrder::Any, |order| order.cursor)
    }

    /// The order that rows are read in. A loose read without one may begin at the last group:
    /// where key order was declared, it is asked for.
    fn read_order(&self) -> CursorOrder {
        match self.cursor_order() {
            CursorOrder::Any if self.reads.in_key_order(&self.entry.def) => CursorOrder::Key,
            order => order,
        }
    }

    /// The columns that are returned, as indices into the table's columns.
    pub(in crate::engine) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// What the scan is to return, for whoever verifies it. The ends of groups of an index are those
    /// of its buckets.
    fn asked(&self) -> Asked {
        let (mut entry, mut filters) = (self.table().clone(), self.path.filters.clone());
        if let Some(via) = self.via.as_ref().filter(|_| self.groups.is_some())
            && let Ok(path) = via.of.path_of_entries(&filters)
        {
            (entry, filters) = (via.of.entry().clone(), path.filters);
        }
        Asked {
            entry,
            via: self.via.clone(),
            filters,
            path: self.path.clone(),
            columns: self.columns.clone(),
            hints: self.hints,
            groups: self.groups,
            limit: self.fetch,
        }
    }

    /// Whether what is read is only known when the scan is executed.
    pub(in crate::engine) fn is_late(&self) -> bool {
        self.late.is_some()
    }

    /// The rows of one partition.
    fn read(&self, target: &Target, scope: &Scope) -> SendableRecordBatchStream {
        if matches!(target, Target::Ranges(ranges) if ranges.is_empty()) {
            return Box::pin(EmptyRecordBatchStream::new(self.schema.clone()));
        }
        let (def, handle) = (self.entry.def.clone(), self.entry.handle.clone());
        let order = self.read_order();
        let lookup = self.via.as_ref().filter(|via| via.lookup);
        let lookup = lookup.map(|_| Lookup {
            def: self.table().def.clone(),
            handle: self.table().handle.clone(),
            in_order: order != CursorOrder::Any,
        });
        let request = ReadRequest {
            lookup,
            filter: self.filter.clone(),
            boxes: self.path.key_boxes().unwrap_or_default(),
            merge_from: self.order.as_ref().map_or(0, |order| order.merge_from),
            groups: self.groups,
            order,
            limit: self.fetch,
            ..ReadRequest::new(def, handle, self.columns.clone(), target.clone())
        };
        let counters = self.counters.as_ref().unwrap_or(&scope.counters).clone();
        let scan = Scan::new(
            scope.pool.clone(),
            request,
            scope.snapshot.clone(),
            counters,
        );
        let stream = scan.map(|batch| batch.map_err(to_datafusion));
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), stream))
    }

    /// Whether rows are dropped after they were read.
    fn filters_rows(&self) -> bool {
        !self.path.residual.is_empty()
    }

    /// Decides what each partition reads and returns how many there are.
    fn plan_reads(&mut self, partitions: usize) -> DataFusionResult<usize> {
        let one = self.order.is_some() || (self.fetch.is_some() && !self.filters_rows());
        let partitions = if one { 1 } else { partitions };
        self.reads = Reads::of(&self.entry.def, &self.path, partitions)?;
        Ok(match &self.reads {
            Reads::Unknown if matches!(self.path.access, Access::PointGet(_)) => 1,
            Reads::Unknown => partitions.min(usize::from(self.entry.def.key_layout().buckets())),
            Reads::Known(targets) => targets.len(),
        })
    }

    /// The key that a loose scan goes by; `None` for a scan that cannot be one.
    pub(in crate::engine) fn loose_key(&self) -> Option<LooseKey<'_>> {
        let ranges = matches!(self.path.access, Access::Ranges(_) | Access::FullScan);
        let lookup = self.via.as_ref().is_some_and(|via| via.lookup);
        if !ranges || self.fetch.is_some() || self.groups.is_some() || lookup {
            return None;
        }
        let def = &self.entry.def;
        let residual = self.path.residual.iter().flat_map(Expr::column_refs);
        Some(LooseKey {
            def,
            constants: &self.constants,
            filters: &self.path.filters,
            dropped_by: residual
                .map(|column| def.find_column(&column.name))
                .collect::<Option<_>>()?,
        })
    }

    /// The same scan, of which only the ends of groups are read.
    pub(in crate::engine) fn loose(&self, groups: Groups) -> ScanExec {
        ScanExec {
            groups: Some(groups),
            ..self.clone()
        }
    }

    pub(super) fn key_columns(&self) -> Columns<'_> {
        Columns {
            def: &self.entry.def,
            read: &self.columns,
            constants: &self.constants,
            listed: self.listed,
            indexed: self.via.as_ref().map(|via| via.of.terms()),
        }
    }

    fn describe(&self, partitions: usize) -> PlanProperties {
        let columns = self.key_columns();
        let order = match &self.order {
            Some(order) => order.exprs.clone(),
            None if self.reads.in_key_order(&self.entry.def) => columns.key_order(&self.schema),
            None => Vec::new(),
        };
        PlanProperties::new(
            columns.equivalence(&self.schema, order),
            Partitioning::UnknownPartitioning(partitions.max(1)),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
    }

    /// The same scan in another shape.
    pub(in crate::engine) fn reshaped(
        &self,
        change: impl FnOnce(&mut ScanExec),
    ) -> DataFusionResult<ScanExec> {
        let mut scan = self.clone();
        change(&mut scan);
        let partitions = self.properties.partitioning.partition_count();
        let count = scan.plan_reads(partitions)?;
        scan.properties = Arc::new(scan.describe(count));
        Ok(scan)
    }

    /// The same rows in the order that is asked for, of which only the first `limit` are wanted, if
    /// key order or that of an index serves it.
    pub(in crate::engine) fn sorted(
        &self,
        order: &[PhysicalSortExpr],
        limit: Option<usize>,
    ) -> DataFusionResult<Option<ScanExec>> {
        // With a limit the order decides which rows are returned: it cannot change any more.
        if self.fetch.is_some() || self.order.is_some() {
            return Ok(None);
        }
        if let Some(order) = self.key_columns().served(order) {
            return self.reshaped(|scan| scan.order = Some(order)).map(Some);
        }
        match &self.ways {
            Some(ways) if self.late.is_none() => self.sorted_by(ways, order, limit),
            _ => Ok(None),
        }
    }
}

/// The columns that have one value in all rows of a path.
pub(in crate::engine) fn constants(def: &TableDef, path: &AccessPath) -> BTreeSet<usize> {
    let mut constants = order::constants(def, &path.filters);
    let fixed = path.fixed.iter().filter_map(|at| def.key.get(*at));
    constants.extend(fixed.map(|part| part.column));
    constants
}

impl DisplayAs for ScanExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScanExec: {}", self.entry.def.display_name())
    }
}

impl ExecutionPlan for ScanExec {
    fn name(&self) -> &'static str {
        "ScanExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    /// The filters of joins: a join makes none if it does not find it here.
    fn apply_expressions(
        &self,
        found: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        for filter in self.late.iter().flat_map(|late| late.join_filters()) {
            if found(&filter)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn reset_state(self: Arc<Self>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let Some(late) = &self.late else {
            return Ok(self);
        };
        Ok(Arc::new(ScanExec {
            late: Some(Arc::new(late.reset())),
            ..ScanExec::clone(&self)
        }))
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        self.replace_children(children, options)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        if let Some(late) = &self.late {
            let (late, scan) = (late.clone(), self.clone());
            let first_poll = async move {
                let bound = late.bind(&scan)?;
                let most = Scope::of(&context)?.max_fanout;
                fanout::check_path(bound.table(), bound.index(), &bound.path, most)
                    .map_err(to_datafusion)?;
                bound.execute(partition, context)
            };
            return Ok(Box::pin(RecordBatchStreamAdapter::new(
                self.schema.clone(),
                futures::stream::once(first_poll).try_flatten(),
            )));
        }
        let Reads::Known(targets) = &self.reads else {
            return Err(defect("a plan without values was executed"));
        };
        if self.filter.is_none() && self.filters_rows() {
            return Err(defect("a plan without values was executed"));
        }
        let Some(target) = targets.get(partition) else {
            return Err(defect(format!("a scan has no partition {partition}")));
        };
        let scope = Scope::of(&context)?;
        let stream = self.read(target, &scope);
        let Some(verifier) = &scope.verifier else {
            return Ok(stream);
        };
        let asked = || self.asked();
        let witness = verifier.witness(asked, &self.path, partition, targets.len());
        watched(stream, witness, partition)
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        let scan = self.reshaped(|scan| scan.fetch = limit).ok()?;
        Some(Arc::new(scan))
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }

    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
    ) -> DataFusionResult<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
        Ok(match self.sorted(order, None)? {
            Some(scan) => SortOrderPushdownResult::Exact {
                inner: Arc::new(scan),
            },
            None => SortOrderPushdownResult::Unsupported,
        })
    }
}
