//! A scan with conditions that have their values only when it is executed.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::{Column, Result as DataFusionResult};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::DynamicFilterPhysicalExpr;

use crate::engine::error::defect;
use crate::engine::index::{Chosen, Way};
use crate::engine::optimize::keys_below::Keys;
use crate::engine::optimize::logical::{Logical, Subqueries};
use crate::engine::scan::exec::{ScanExec, constants};
use crate::engine::scan::join_filter::JoinFilter;
use crate::engine::scan::late::Late;
use crate::engine::scan::order::{self, Ordered};
use crate::engine::scan::reads::Reads;
use crate::engine::scan::residual::residual_with;
use crate::plan::AccessPath;
use crate::store::CursorOrder;

impl ScanExec {
    /// The same scan with a condition that has scalar subqueries in it; `None` if it cannot hold its
    /// rows to it.
    pub(in crate::engine) fn with_condition(
        &self,
        condition: Arc<dyn PhysicalExpr>,
    ) -> DataFusionResult<Option<ScanExec>> {
        // A limit would choose from other rows.
        if self.fetch.is_some() {
            return Ok(None);
        }
        let Some((late, filters)) = self.late().with_condition(self.def(), condition) else {
            return Ok(None);
        };
        let Chosen { way, path } = self.best_way(&filters)?;
        let scan = self.reshaped(|scan| {
            scan.constants = Arc::new(constants(&way.entry.def, &path));
            // With values the ranges may be others: two neighbours one.
            scan.listed = 0;
            scan.filter = None;
            scan.path = Arc::new(path);
            scan.entry = way.entry;
            scan.via = way.via;
            scan.late = Some(Arc::new(late));
        })?;
        Ok(Some(scan))
    }

    /// The same scan with the filter of a join on `on`, which are `keys` over the columns of the
    /// scan; `None` if that is of no use.
    pub(in crate::engine) fn with_join(
        &self,
        filter: &Arc<DynamicFilterPhysicalExpr>,
        on: &[Arc<dyn PhysicalExpr>],
        keys: &Keys,
    ) -> DataFusionResult<Option<ScanExec>> {
        if self.keeps_its_ranges() {
            return Ok(None);
        }
        let join = JoinFilter {
            filter: filter.clone(),
            keys: on.iter().cloned().zip(self.logical(keys)).collect(),
        };
        let late = self.late().with_join(self, join)?;
        Ok(late.map(|late| ScanExec {
            late: Some(Arc::new(late)),
            ..self.clone()
        }))
    }

    /// Whether equality with `keys`, over the columns of the scan, would leave of each value a row, a
    /// range or a bucket to read.
    pub(in crate::engine) fn narrowed_by(&self, keys: &Keys) -> DataFusionResult<bool> {
        if self.keeps_its_ranges() {
            return Ok(false);
        }
        self.late().is_narrowed_by(self, &self.logical(keys))
    }

    /// Whether fewer rows would be others, behind a limit, or come in another order, where each
    /// range is a stream of its own.
    fn keeps_its_ranges(&self) -> bool {
        self.fetch.is_some()
            || self
                .order
                .as_ref()
                .is_some_and(|order| order.merge_from > 0)
    }

    /// The way for these filters, of which some say what a join looks for: another one than now only
    /// if nothing was promised of the order of the rows.
    pub(in crate::engine) fn way_of_join(&self, filters: &[Expr]) -> DataFusionResult<Way> {
        let ordered = self.order.is_some() || self.properties.output_ordering().is_some();
        if ordered || self.groups.is_some() {
            return Ok(self.way());
        }
        Ok(self.best_way(filters)?.way)
    }

    fn logical(&self, keys: &Keys) -> Vec<Option<Expr>> {
        let logical = Logical {
            def: self.def(),
            columns: &self.columns,
            subqueries: Subqueries::Symbols,
        };
        let key = |key: &Option<Arc<dyn PhysicalExpr>>| logical.expr(key.as_ref()?);
        keys.iter().map(key).collect()
    }

    fn late(&self) -> Late {
        match &self.late {
            Some(late) => Late::clone(late),
            None => Late::new(&self.path.filters, &self.columns),
        }
    }

    /// The same scan by keys that have all their values, in as many partitions and in the order that
    /// was promised; `None` if it is to seek little and would seek often.
    pub(in crate::engine) fn bound(
        &self,
        chosen: Chosen,
        little: bool,
    ) -> DataFusionResult<Option<Self>> {
        let Chosen { way, path } = chosen;
        let def = &way.entry.def;
        let partitions = self.properties.partitioning.partition_count();
        if let Some(order) = &self.order {
            if !order::serves(def, &path, order) {
                return match little {
                    true => Ok(None),
                    false => Err(defect("the values of a scan take its order away")),
                };
            }
            if little && order::crowds(def, &path, order) {
                return Ok(None);
            }
        }
        let reads = Reads::of(def, &path, partitions)?;
        let Some(reads) = reads.late(partitions, little) else {
            return Ok(None);
        };
        let filter = residual_with(def, &self.columns, &path.residual, &ExecutionProps::new())?;
        let order = match (&self.order, self.properties.output_ordering()) {
            (None, Some(promised)) => Some(Ordered {
                cursor: CursorOrder::Key,
                exprs: promised.iter().cloned().collect(),
                merged: Vec::new(),
                merge_from: 0,
            }),
            (order, _) => order.clone(),
        };
        // What is above reads of all rows what it reads of their ends. A filter that was not there
        // before could drop an end and leave another row of its group.
        let groups = self
            .groups
            .filter(|_| read_by(&path).is_subset(&read_by(&self.path)));
        Ok(Some(ScanExec {
            path: Arc::new(path),
            entry: way.entry,
            via: way.via,
            filter,
            reads,
            order,
            groups,
            late: None,
            ..self.clone()
        }))
    }
}

/// The columns that the filter of a path reads.
fn read_by(path: &AccessPath) -> HashSet<&Column> {
    path.residual.iter().flat_map(Expr::column_refs).collect()
}
