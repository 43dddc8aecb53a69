//! The scan of one table in a physical plan.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::Session;
use datafusion::common::Result as DataFusionResult;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    AcrossPartitions, ConstExpr, EquivalenceProperties, PhysicalExpr, PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, EmptyRecordBatchStream, ExecutionPlan, Partitioning,
    PlanProperties, SortOrderPushdownResult,
};
use futures::StreamExt;

use crate::catalog::{Entry, TableDef};
use crate::engine::error::{defect, to_datafusion};
use crate::engine::residual::residual;
use crate::engine::scope::Scope;
use crate::engine::symbol;
use crate::key::{BucketRange, BucketSet, expand};
use crate::plan::{self, Access, AccessPath, PlanNode};
use crate::store::CursorOrder;
use crate::table::{ReadRequest, RowFilter, Scan, Target, request_schema};

/// Reads the rows of one access path. Its partitions are disjoint sets of buckets; once an order
/// was asked of it, it is one partition that merges them.
#[derive(Debug, Clone)]
pub(crate) struct ScanExec {
    entry: Arc<Entry>,
    path: Arc<AccessPath>,
    columns: Vec<usize>,
    filter: Option<RowFilter>,
    /// Columns that a filter binds to one value.
    constants: Arc<BTreeSet<usize>>,
    reads: Reads,
    order: Option<Ordered>,
    fetch: Option<usize>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

/// What is read, as far as it is known.
#[derive(Debug, Clone)]
enum Reads {
    /// Parameters are missing: there is a plan to explain and nothing to execute.
    Unknown,
    /// One target a partition.
    Known(Arc<Vec<Target>>),
}

/// An order that the scan was asked for and keeps.
#[derive(Debug, Clone)]
struct Ordered {
    cursor: CursorOrder,
    exprs: Vec<PhysicalSortExpr>,
    /// The columns among them that the key orders, and whether each descends; the others have
    /// one value, or stand behind a whole key.
    merged: Vec<(usize, bool)>,
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
        // Without values there is nothing to evaluate it with.
        let symbolic = path.residual.iter().any(symbol::has_parameter);
        let filter = match symbolic {
            false => residual(&entry.def, &columns, &path.residual, state)?,
            true => None,
        };
        let mut constants = constants(&entry.def, &path.filters);
        let key = &entry.def.key;
        constants.extend(
            path.fixed
                .iter()
                .filter_map(|at| key.get(*at))
                .map(|part| part.column),
        );
        let constants = Arc::new(constants);
        let schema = request_schema(&entry.def, &columns).map_err(to_datafusion)?;
        let partitions = state.config().target_partitions();
        let mut scan = ScanExec {
            reads: Reads::Unknown,
            order: None,
            properties: Arc::new(PlanProperties::new(
                EquivalenceProperties::new(schema.clone()),
                Partitioning::UnknownPartitioning(1),
                EmissionType::Incremental,
                Boundedness::Bounded,
            )),
            path: Arc::new(path),
            entry,
            columns,
            filter,
            constants,
            fetch,
            schema,
        };
        let count = scan.plan_reads(partitions)?;
        scan.properties = Arc::new(scan.describe(count));
        Ok(scan)
    }

    pub(super) fn def(&self) -> &TableDef {
        &self.entry.def
    }

    fn cursor_order(&self) -> CursorOrder {
        self.order
            .as_ref()
            .map_or(CursorOrder::Any, |order| order.cursor)
    }

    /// The columns that are returned, as indices into the table's columns.
    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The scan as EXPLAIN prints it, below the merge of its buckets if there is one.
    pub(super) fn explain(&self) -> PlanNode {
        let def = self.def();
        let merged = self
            .order
            .as_ref()
            .filter(|_| self.path.buckets.count() > 1);
        let options = plan::ScanOptions {
            columns: Some(&self.columns),
            ordered: self.order.is_some(),
            reverse: self.cursor_order() == CursorOrder::KeyReverse,
            limit: self.fetch.filter(|rows| !symbol::is_symbol(*rows)),
        };
        let mut node = PlanNode::from(plan::Scan::new(def, &self.path, options));
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

    /// Whether rows are dropped after they were read.
    fn filters_rows(&self) -> bool {
        !self.path.residual.is_empty()
    }

    /// Decides what each partition reads and returns how many there are.
    fn plan_reads(&mut self, partitions: usize) -> DataFusionResult<usize> {
        let layout = self.entry.def.key_layout();
        let buckets = self.path.bucket_set(layout.buckets());
        let ranges = match &self.path.access {
            Access::Empty => Vec::new(),
            Access::PointGet(_) => {
                self.reads = match self.path.keys() {
                    Some(keys) => Reads::Known(Arc::new(vec![Target::Keys(keys)])),
                    None => Reads::Unknown,
                };
                return Ok(1);
            }
            _ => match self.path.key_ranges() {
                Some(ranges) => expand(&ranges, &layout, &buckets).map_err(to_datafusion)?,
                None => {
                    self.reads = Reads::Unknown;
                    return Ok(partitions.min(usize::from(layout.buckets())));
                }
            },
        };
        let one = self.order.is_some() || (self.fetch.is_some() && !self.filters_rows());
        let targets = split(ranges, if one { 1 } else { partitions });
        let count = targets.len();
        self.reads = Reads::Known(Arc::new(targets));
        Ok(count)
    }

    /// How many buckets are read; all of them while parameters are missing.
    fn buckets(&self) -> usize {
        match &self.reads {
            Reads::Unknown => usize::from(self.entry.def.key_layout().buckets()),
            Reads::Known(targets) => {
                let mut buckets = BucketSet::default();
                for range in targets.iter().flat_map(ranges_of) {
                    buckets.insert(range.bucket);
                }
                buckets.len()
            }
        }
    }

    /// One bucket is in key order by itself; several are only when they are merged.
    fn in_key_order(&self) -> bool {
        match &self.reads {
            Reads::Known(targets) if targets.iter().any(|t| matches!(t, Target::Keys(_))) => {
                targets
                    .iter()
                    .all(|t| matches!(t, Target::Keys(keys) if keys.len() <= 1))
            }
            _ => self.buckets() <= 1,
        }
    }

    fn describe(&self, partitions: usize) -> PlanProperties {
        let mut equivalence = EquivalenceProperties::new(self.schema.clone());
        let column = |position: usize| -> Arc<dyn PhysicalExpr> {
            Arc::new(Column::new(self.schema.field(position).name(), position))
        };
        let bound = self
            .columns
            .iter()
            .enumerate()
            .filter(|(_, index)| self.constants.contains(index))
            .map(|(position, _)| ConstExpr::new(column(position), AcrossPartitions::Uniform(None)));
        // Constants of columns of the schema cannot be refused; without them a plan only sorts
        // once more.
        let _ = equivalence.add_constants(bound.collect::<Vec<_>>());
        if let Some(order) = &self.order {
            equivalence.add_ordering(order.exprs.clone());
        } else if self.in_key_order() {
            let mut exprs = Vec::new();
            for part in &self.entry.def.key {
                match self.columns.iter().position(|index| *index == part.column) {
                    Some(position) => exprs.push(PhysicalSortExpr::new(
                        column(position),
                        SortOptions {
                            descending: part.descending,
                            nulls_first: part.descending,
                        },
                    )),
                    None if self.constants.contains(&part.column) => {}
                    None => break,
                }
            }
            if !exprs.is_empty() {
                equivalence.add_ordering(exprs);
            }
        }
        PlanProperties::new(
            equivalence,
            Partitioning::UnknownPartitioning(partitions.max(1)),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
    }

    /// The same scan in another shape.
    fn reshaped(&self, change: impl FnOnce(&mut ScanExec)) -> DataFusionResult<ScanExec> {
        let mut scan = self.clone();
        change(&mut scan);
        let partitions = self.properties.partitioning.partition_count();
        let count = scan.plan_reads(partitions)?;
        scan.properties = Arc::new(scan.describe(count));
        Ok(scan)
    }

    /// The same scan in the order that is asked for, if key order serves it.
    pub(super) fn sorted(&self, order: &[PhysicalSortExpr]) -> DataFusionResult<Option<ScanExec>> {
        // With a limit the order decides which rows are returned: it cannot change any more.
        if self.fetch.is_some() || self.order.is_some() {
            return Ok(None);
        }
        let Some(order) = self.key_order(order) else {
            return Ok(None);
        };
        self.reshaped(|scan| scan.order = Some(order)).map(Some)
    }

    /// Whether an order is that of the key, or its reverse, apart from columns that have one
    /// value and from those that follow the last key column, which no two rows share.
    fn key_order(&self, order: &[PhysicalSortExpr]) -> Option<Ordered> {
        let def = &self.entry.def;
        let mut parts = def
            .key
            .iter()
            .filter(|part| !self.constants.contains(&part.column));
        let mut seen = BTreeSet::new();
        let mut merged = Vec::new();
        let mut reverse = None;
        for sort in order {
            let column = sort.expr.downcast_ref::<Column>()?;
            let index = *self.columns.get(column.index())?;
            if self.constants.contains(&index) || !seen.insert(index) {
                continue;
            }
            let Some(part) = parts.next() else { break };
            let reversed = sort.options.descending != part.descending;
            let nulls_fit = sort.options.nulls_first == sort.options.descending
                || !def.columns.get(index)?.nullable;
            if part.column != index || *reverse.get_or_insert(reversed) != reversed || !nulls_fit {
                return None;
            }
            merged.push((index, sort.options.descending));
        }
        let cursor = match reverse {
            Some(true) => CursorOrder::KeyReverse,
            _ => CursorOrder::Key,
        };
        Some(Ordered {
            cursor,
            exprs: order.to_vec(),
            merged,
        })
    }
}

fn ranges_of(target: &Target) -> &[BucketRange] {
    match target {
        Target::Ranges(ranges) => ranges,
        Target::Keys(_) => &[],
    }
}

/// Splits ranges, those of one bucket standing together, into at most `partitions` runs of whole
/// buckets.
fn split(ranges: Vec<BucketRange>, partitions: usize) -> Vec<Target> {
    let mut buckets = ranges.iter().map(|range| range.bucket).collect::<Vec<_>>();
    buckets.dedup();
    let partitions = partitions.clamp(1, buckets.len().max(1));
    let mut targets = vec![Vec::new(); partitions];
    let mut ranges = ranges.into_iter().peekable();
    for (index, bucket) in buckets.iter().enumerate() {
        // Bucket i of n goes to partition i * p / n: runs whose lengths differ by at most one.
        let partition = index * partitions / buckets.len();
        while let Some(range) = ranges.next_if(|range| range.bucket == *bucket) {
            if let Some(target) = targets.get_mut(partition) {
                target.push(range);
            }
        }
    }
    targets.into_iter().map(Target::Ranges).collect()
}

/// The columns that have one value in every row that passes `filters`.
fn constants(def: &TableDef, filters: &[Expr]) -> BTreeSet<usize> {
    let bound = |expr: &Expr| {
        let Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Eq,
            right,
        }) = expr
        else {
            return None;
        };
        match (left.as_ref(), right.as_ref()) {
            (Expr::Column(column), constant) | (constant, Expr::Column(column))
                if !constant.any_column_refs() =>
            {
                def.find_column(&column.name)
            }
            _ => None,
        }
    };
    filters
        .iter()
        .flat_map(split_conjunction)
        .filter_map(bound)
        .collect()
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

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
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
        let Reads::Known(targets) = &self.reads else {
            return Err(defect("a plan without values was executed"));
        };
        if self.filter.is_none() && self.filters_rows() {
            return Err(defect("a plan without values was executed"));
        }
        let Some(target) = targets.get(partition) else {
            return Err(defect(format!("a scan has no partition {partition}")));
        };
        if matches!(target, Target::Ranges(ranges) if ranges.is_empty()) {
            return Ok(Box::pin(EmptyRecordBatchStream::new(self.schema.clone())));
        }
        let scope = Scope::of(&context)?;
        let request = ReadRequest {
            def: self.entry.def.clone(),
            handle: self.entry.handle.clone(),
            columns: self.columns.clone(),
            filter: self.filter.clone(),
            target: target.clone(),
            order: self.cursor_order(),
            limit: self.fetch,
        };
        let scan = Scan::new(
            scope.pool.clone(),
            request,
            scope.snapshot.clone(),
            scope.counters.clone(),
        );
        let stream = scan.map(|batch| batch.map_err(to_datafusion));
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema.clone(),
            stream,
        )))
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
        Ok(match self.sorted(order)? {
            Some(scan) => SortOrderPushdownResult::Exact {
                inner: Arc::new(scan),
            },
            None => SortOrderPushdownResult::Unsupported,
        })
    }
}
