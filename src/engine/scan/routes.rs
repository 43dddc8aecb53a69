//! The index that a scan reads: the best one for its filters, for an order, or for whoever asks.

use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::Result as DataFusionResult;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::union::UnionExec;

use crate::engine::index::{Chosen, Wanted, Way, Ways};
use crate::engine::scan::exec::{ScanExec, constants};
use crate::engine::scan::order::{self, Columns};
use crate::engine::scan::residual::residual_with;
use crate::engine::symbol;
use crate::plan::Access;

impl ScanExec {
    /// The scan by the best of some ways.
    pub(in crate::engine) fn by_ways(
        ways: Arc<Ways>,
        filters: &[Expr],
        columns: Vec<usize>,
        fetch: Option<usize>,
        state: &dyn Session,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let wanted = Wanted {
            limited: fetch.is_some(),
            ..Wanted::all(filters, &columns)
        };
        let chosen = ways.choose(&wanted)?;
        let bounded = chosen.path.shape.is_bounded() || chosen.path.access == Access::Empty;
        if !bounded && let Some(arms) = ways.arms(filters, &columns)? {
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

    /// The best way for these filters in the place of those that it has, where no limit and no order
    /// is asked for.
    pub(in crate::engine) fn best_way(&self, filters: &[Expr]) -> DataFusionResult<Chosen> {
        match &self.ways {
            None => self.way().to(filters, 0, &self.columns),
            Some(ways) => ways.choose(&Wanted::all(filters, &self.columns)),
        }
    }

    /// The scan of an index that has the order.
    pub(super) fn sorted_by(
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
                listed: order::listed(def, path),
                indexed: way.via.as_ref().map(|via| via.of.terms()),
            };
            columns.served(order)
        };
        let wanted = Wanted {
            limited: limit.is_some(),
            serves: Some(&|way| served(way).is_some()),
            ..Wanted::all(&self.path.filters, &self.columns)
        };
        let chosen = ways.choose(&wanted)?;
        let Some(order) = served(&chosen) else {
            return Ok(None);
        };
        let scan = self.rerouted(chosen)?;
        scan.reshaped(|scan| scan.order = Some(order)).map(Some)
    }

    /// The scan of an index that `suits`, if it is the best way to these rows; for whoever does not
    /// care for their order.
    pub(in crate::engine) fn suited(
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
        let suits = |way: &Chosen| self.rerouted(way.clone()).is_ok_and(suits);
        let wanted = Wanted {
            serves: Some(&suits),
            ..Wanted::all(&self.path.filters, &self.columns)
        };
        let chosen = ways.choose(&wanted)?;
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
            scan.listed = order::listed(&entry.def, &path);
            scan.filter = filter;
            scan.path = Arc::new(path);
            scan.entry = entry;
            scan.via = via;
        })
    }
}
