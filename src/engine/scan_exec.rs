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
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, EmptyRecordBatchStream, ExecutionPlan, Partitioning,
    PlanProperties, SortOrderPushdownResult,
};
use futures::{StreamExt, TryStreamExt};

use crate::catalog::{Entry, TableDef};
use crate::engine::analysis::analyzed;
use crate::engine::error::{defect, to_datafusion};
use crate::engine::fanout;
use crate::engine::index::{Chosen, Via, Wanted, Way, Ways};
use crate::engine::late::Late;
use crate::engine::loose_key::LooseKey;
use crate::engine::residual::{residual, residual_with};
use crate::engine::scan_order::{self, Columns, Ordered};
use crate::engine::scan_reads::Reads;
use crate::engine::scope::{Scope, own_counters};
use crate::engine::symbol;
use crate::engine::verify::{Asked, watched};
use crate::plan::{self, Access, AccessPath, PlanNode};
use crate::store::CursorOrder;
use crate::table::{
    Groups, Lookup, ReadRequest, RowFilter, Scan, ScanCounters, Target, request_schema,
};

/// Reads the rows of one access path. Its partitions are disjoint sets of buckets; once an order
/// was asked of it, it is one partition that merges them.
#[derive(Debug, Clone)]
pub(crate) struct ScanExec {
    /// What is read: the table, or one of its indexes as a table.
    pub(super) entry: Arc<Entry>,
    /// The index, if it is one.
    pub(super) via: Option<Via>,
    /// The indexes that it could read, if there are any.
    pub(super) ways: Option<Arc<Ways>>,
    /// Whether it reads one arm of an OR.
    pub(super) is_arm: bool,
    pub(super) path: Arc<AccessPath>,
    pub(super) columns: Vec<usize>,
    pub(super) filter: Option<RowFilter>,
    /// Columns that a filter binds to one value.
    pub(super) constants: Arc<BTreeSet<usize>>,
    /// How many leading key columns have one value in each range.
    pub(super) listed: usize,
    pub(super) reads: Reads,
    pub(super) order: Option<Ordered>,
    /// If only the ends of groups are read, which.
    pub(super) groups: Option<Groups>,
    pub(super) fetch: Option<usize>,
    pub(super) late: Option<Arc<Late>>,
    /// How many of the path's filters, the last ones, are what joins look for: rows that do not
    /// pass them may be returned.
    pub(super) hints: usize,
    /// Where it counts what it does, if that is not where all scans of the statement do.
    pub(super) counters: Option<Arc<ScanCounters>>,
    pub(super) schema: SchemaRef,
    pub(super) properties: Arc<PlanProperties>,
}

impl ScanExec {
    /// The scan of `path`.
    pub(super) fn new(
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

    /// The scan by the best of some ways; `own` is the path over the table's own key.
    pub(super) fn by_ways(
        ways: Arc<Ways>,
        own: AccessPath,
        columns: Vec<usize>,
        fetch: Option<usize>,
        state: &dyn Session,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let filters = own.filters.clone();
        let wanted = Wanted {
            filters: &filters,
            columns: &columns,
            limited: fetch.is_some(),
            serves: None,
        };
        let chosen = ways.choose(own, &wanted)?;
        let bounded = chosen.path.shape.is_bounded() || chosen.path.access == Access::Empty;
        if !bounded && let Some(arms) = ways.arms(&filters, &columns)? {
            let arm = |chosen| {
                let scan = ScanExec::of(chosen, Some(ways.clone()), columns.clone(), fetch, state)?;
                Ok(Arc::new(ScanExec {
                    is_arm: true,
                    ..scan
                }) as Arc<dyn ExecutionPlan>)
            };
            let arms = arms.into_iter().map(arm);
            return UnionExec::try_new(arms.collect::<DataFusionResult<_>>()?);
        }
        let scan = ScanExec::of(chosen, Some(ways), columns, fetch, state)?;
        Ok(Arc::new(scan))
    }

    fn of(
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
            listed: scan_order::listed(&entry.def, &path),
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
    pub(super) fn def(&self) -> &TableDef {
        &self.entry.def
    }

    /// The table whose rows are returned.
    pub(super) fn table(&self) -> &Arc<Entry> {
        match &self.ways {
            Some(ways) => ways.table(),
            None => &self.entry,
        }
    }

    /// What is read.
    pub(super) fn way(&self) -> Way {
        Way {
            entry: self.entry.clone(),
            via: self.via.clone(),
        }
    }

    /// The best way for these filters in the place of those that it has, where no limit and no order
    /// is asked for.
    pub(super) fn best_way(&self, filters: &[Expr]) -> DataFusionResult<Chosen> {
        match &self.ways {
            None => self.way().to(filters, 0, &self.columns),
            Some(ways) => {
                let own = plan::narrow(&ways.table().def, filters).map_err(to_datafusion)?;
                let wanted = Wanted {
                    filters,
                    columns: &self.columns,
                    limited: false,
                    serves: None,
                };
                ways.choose(own, &wanted)
            }
        }
    }

    fn index_options(&self) -> Option<plan::IndexOptions<'_>> {
        self.via.as_ref().map(|via| plan::IndexOptions {
            table: &self.table().def,
            covering: !via.lookup,
        })
    }

    /// How the rows are found.
    pub(super) fn path(&self) -> &AccessPath {
        &self.path
    }

    fn cursor_order(&self) -> CursorOrder {
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
    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The scan as EXPLAIN prints it, below the merge of its buckets if there is one.
    pub(super) fn explain(&self) -> PlanNode {
        if let Some(way) = self.late.as_ref().and_then(|late| late.way()) {
            return self.shown_by(way).unwrap_or_else(|_| self.shown());
        }
        self.shown()
    }

    /// The scan as it is when a join has named its keys.
    fn shown_by(&self, way: &Way) -> DataFusionResult<PlanNode> {
        let chosen = way.to(&self.path.filters, 0, &self.columns)?;
        let via = chosen.way.via.as_ref();
        Ok(ScanExec {
            entry: chosen.way.entry.clone(),
            via: via.cloned(),
            path: Arc::new(chosen.path),
            ..self.clone()
        }
        .shown())
    }

    fn shown(&self) -> PlanNode {
        let def = self.def();
        let merged = self
            .order
            .as_ref()
            .filter(|order| order.merge_from > 0 || self.path.buckets.count() > 1);
        let options = plan::ScanOptions {
            columns: Some(&self.columns),
            ordered: self.order.is_some(),
            reverse: self.cursor_order() == CursorOrder::KeyReverse,
            limit: self.fetch.filter(|rows| !symbol::is_symbol(*rows)),
            joined: self.late.as_ref().map_or(&[], |late| late.joined()),
            groups: self.groups.map(|groups| plan::GroupOptions {
                columns: groups.columns,
                first: groups.first,
                last: groups.last,
            }),
            // It has indexes, and the statement does not want them.
            without_advice: self.ways.is_none() && self.entry.ready_indexes().next().is_some(),
            index: self.index_options(),
        };
        let mut scan = plan::Scan::new(def, &self.path, options);
        if self
            .late
            .as_ref()
            .is_some_and(|late| late.joins_bind_salt())
        {
            scan.note = None;
        }
        let counters = self.counters.as_ref();
        scan.analyzed = counters.map(|counters| analyzed(def, counters));
        let mut node = PlanNode::from(scan);
        if let Some(rows) = self.fetch.filter(|rows| symbol::is_symbol(*rows)) {
            node.text
                .push_str(&format!(", limit {}", symbol::limit_text(rows)));
        }
        let Some(order) = merged else { return node };
        let column = |(index, descending): &(usize, bool)| {
            Some((def.columns.get(*index)?.name.as_str(), *descending))
        };
        let text = plan::key_merge_text(order.merged.iter().filter_map(column));
        PlanNode::new(text, vec![node])
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
    pub(super) fn is_late(&self) -> bool {
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
    pub(super) fn loose_key(&self) -> Option<LooseKey<'_>> {
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
    pub(super) fn loose(&self, groups: Groups) -> ScanExec {
        ScanExec {
            groups: Some(groups),
            ..self.clone()
        }
    }

    fn key_columns(&self) -> Columns<'_> {
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
    pub(super) fn reshaped(
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
    pub(super) fn sorted(
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

    /// The scan of an index that has the order.
    fn sorted_by(
        &self,
        ways: &Ways,
        order: &[PhysicalSortExpr],
        limit: Option<usize>,
    ) -> DataFusionResult<Option<ScanExec>> {
        let served = |Chosen { way, path }: &Chosen| {
            let def = &way.entry.def;
            let constants = constants(def, path);
            let columns = Columns {
                def,
                read: &self.columns,
                constants: &constants,
                listed: scan_order::listed(def, path),
                indexed: way.via.as_ref().map(|via| via.of.terms()),
            };
            columns.served(order)
        };
        let filters = self.path.filters.clone();
        let own = plan::narrow(&ways.table().def, &filters).map_err(to_datafusion)?;
        let wanted = Wanted {
            filters: &filters,
            columns: &self.columns,
            limited: limit.is_some(),
            serves: Some(&|way| served(way).is_some()),
        };
        let chosen = ways.choose(own, &wanted)?;
        let Some(order) = served(&chosen) else {
            return Ok(None);
        };
        let scan = self.rerouted(chosen)?;
        scan.reshaped(|scan| scan.order = Some(order)).map(Some)
    }

    /// The scan of an index that `suits`, if it is the best way to these rows; for whoever does not
    /// care for their order.
    pub(super) fn suited(
        &self,
        suits: &dyn Fn(ScanExec) -> bool,
    ) -> DataFusionResult<Option<ScanExec>> {
        let is_free = self.fetch.is_none()
            && self.order.is_none()
            && self.groups.is_none()
            && self.late.is_none()
            && self.properties.output_ordering().is_none();
        let Some(ways) = self.ways.as_ref().filter(|_| is_free) else {
            return Ok(None);
        };
        let filters = &self.path.filters;
        let own = plan::narrow(&ways.table().def, filters).map_err(to_datafusion)?;
        let suits = |way: &Chosen| self.rerouted(way.clone()).is_ok_and(suits);
        let wanted = Wanted {
            filters,
            columns: &self.columns,
            limited: false,
            serves: Some(&suits),
        };
        let chosen = ways.choose(own, &wanted)?;
        match suits(&chosen) {
            true => self.rerouted(chosen).map(Some),
            false => Ok(None),
        }
    }

    /// The same rows by another way.
    fn rerouted(&self, chosen: Chosen) -> DataFusionResult<ScanExec> {
        let Chosen { way, path } = chosen;
        let Way { entry, via } = way;
        let filter = match path.residual.iter().any(symbol::has_parameter) {
            false => {
                let props = ExecutionProps::new();
                residual_with(&entry.def, &self.columns, &path.residual, &props)?
            }
            true => None,
        };
        self.reshaped(|scan| {
            scan.constants = Arc::new(constants(&entry.def, &path));
            scan.listed = scan_order::listed(&entry.def, &path);
            scan.filter = filter;
            scan.path = Arc::new(path);
            scan.entry = entry;
            scan.via = via;
        })
    }
}

/// The columns that have one value in all rows of a path.
pub(super) fn constants(def: &TableDef, path: &AccessPath) -> BTreeSet<usize> {
    let mut constants = scan_order::constants(def, &path.filters);
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
                fanout::check_path(bound.def(), &bound.path, bound.via.is_some(), most)
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
