//! What a scan learns only when it is executed: the values of scalar subqueries, and the keys that
//! a join is looking for.
//!
//! The scan is planned without them. When its first row is asked for, the subqueries have run and
//! the join has read its other side: the where-optimizer then narrows the scan once more, for all
//! of its partitions, and what comes out is read. A condition with a subquery holds for every row
//! that is returned; of what a join looks for the scan takes what it can use, because the join
//! compares all rows itself.

use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result as DataFusionResult};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Expr, Operator, binary_expr};
use datafusion::physical_expr::PhysicalExpr;
use parking_lot::Mutex;

use crate::catalog::TableDef;
use crate::engine::error::defect;
use crate::engine::index::Way;
use crate::engine::optimize::logical::{Logical, Subqueries};
use crate::engine::scan::exec::ScanExec;
use crate::engine::scan::join_filter::JoinFilter;
use crate::engine::scan::provider::evaluate_symbols;
use crate::plan::{Access, AccessPath, OperandRange};

/// The conditions of a scan that have their values only at execution.
#[derive(Clone)]
pub(in crate::engine) struct Late {
    /// The other conjuncts of the scan.
    filters: Vec<Expr>,
    /// Conditions with scalar subqueries in them, over these columns of the table.
    conditions: Vec<Arc<dyn PhysicalExpr>>,
    columns: Vec<usize>,
    joins: Vec<JoinFilter>,
    joined: Joined,
    /// What is read when the joins have named few keys, if that is something else.
    way: Option<Way>,
    /// The scan with its values, once it has them.
    bound: Shared,
}

/// A place for the scan of one execution, which all partitions share.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Option<Arc<ScanExec>>>>);

impl Late {
    /// Of a scan with these filters. Conditions will be over `columns`, as indices into the table's.
    pub(in crate::engine) fn new(filters: &[Expr], columns: &[usize]) -> Self {
        Late {
            filters: filters.to_vec(),
            conditions: Vec::new(),
            columns: columns.to_vec(),
            joins: Vec::new(),
            joined: Joined::default(),
            way: None,
            bound: Shared::default(),
        }
    }

    /// The same, and nothing of an execution. A join that starts over makes no filter a second
    /// time.
    pub(in crate::engine) fn reset(&self) -> Self {
        Late {
            joins: Vec::new(),
            joined: Joined::default(),
            way: None,
            bound: Shared::default(),
            ..self.clone()
        }
    }

    /// The same with one condition more, and all conditions with symbols for their subqueries;
    /// `None` if the condition has no logical twin.
    pub(in crate::engine) fn with_condition(
        &self,
        def: &TableDef,
        condition: Arc<dyn PhysicalExpr>,
    ) -> Option<(Self, Vec<Expr>)> {
        let mut late = self.clone();
        late.conditions.push(condition);
        late.bound = Shared::default();
        let filters = late.conditions(def, Subqueries::Symbols)?;
        Some((late, filters))
    }

    /// The same with the filter of one join more; `None` if its keys do not narrow the scan.
    pub(in crate::engine) fn with_join(
        &self,
        scan: &ScanExec,
        join: JoinFilter,
    ) -> DataFusionResult<Option<Self>> {
        let mut late = self.clone();
        late.joins.push(join);
        late.bound = Shared::default();
        let Some(filters) = late.conditions(scan.def(), Subqueries::Symbols) else {
            return Ok(None);
        };
        let keys = late.joins.iter().flat_map(|join| &join.keys);
        let keys: Vec<&Expr> = keys.filter_map(|(_, key)| key.as_ref()).collect();
        let way = scan.way_of_join(&with_equalities(&filters, &keys, &|_| true))?;
        late.joined = Joined::of(scan, &way, &filters, &keys)?;
        late.way = (!Arc::ptr_eq(&way.entry.def, &scan.way().entry.def)).then_some(way);
        Ok((late.joined.columns.len() > self.joined.columns.len()).then_some(late))
    }

    /// Whether equality with `keys` would leave of each value a row, a range or a bucket to read.
    pub(in crate::engine) fn is_narrowed_by(
        &self,
        scan: &ScanExec,
        keys: &[Option<Expr>],
    ) -> DataFusionResult<bool> {
        let Some(filters) = self.conditions(scan.def(), Subqueries::Symbols) else {
            return Ok(false);
        };
        let keys: Vec<&Expr> = keys.iter().flatten().collect();
        let way = scan.way_of_join(&with_equalities(&filters, &keys, &|_| true))?;
        let joined = Joined::of(scan, &way, &filters, &keys)?;
        Ok(joined.firm && !joined.columns.is_empty())
    }

    /// What is read once the joins have named their keys, if that is something else.
    pub(in crate::engine) fn way(&self) -> Option<&Way> {
        self.way.as_ref()
    }

    /// The key columns that joins bind, in key order, as indices into the table's columns.
    pub(in crate::engine) fn joined(&self) -> &[usize] {
        &self.joined.columns
    }

    /// Whether joins leave nothing to say of why all buckets are read.
    pub(in crate::engine) fn joins_bind_salt(&self) -> bool {
        !self.joined.columns.is_empty() && !self.joined.spread
    }

    /// The filters that joins share with the scan.
    pub(in crate::engine) fn join_filters(&self) -> impl Iterator<Item = Arc<dyn PhysicalExpr>> {
        self.joins.iter().map(|join| join.filter.clone() as _)
    }

    /// The scan with its values. Whoever asks first computes it for all.
    pub(in crate::engine) fn bind(&self, scan: &ScanExec) -> DataFusionResult<Arc<ScanExec>> {
        let mut bound = self.bound.0.lock();
        if let Some(bound) = bound.as_ref() {
            return Ok(bound.clone());
        }
        let scan = Arc::new(self.narrowed(scan)?);
        *bound = Some(scan.clone());
        Ok(scan)
    }

    fn narrowed(&self, scan: &ScanExec) -> DataFusionResult<ScanExec> {
        let def = scan.def();
        let filters = self
            .conditions(def, Subqueries::Values)
            .ok_or_else(|| defect("a scalar subquery has no value"))?;
        let props = ExecutionProps::new();
        let values = filters.into_iter().map(|e| evaluate_symbols(e, &props));
        let filters = values.collect::<DataFusionResult<Vec<_>>>()?;
        let own = filters.len();
        let mut all = filters;
        for lists in [true, false] {
            all.truncate(own);
            for join in &self.joins {
                // So it cannot be taken for one of the scan's own.
                all.extend(join.condition(lists)?.map(|e| Expr::IsTrue(Box::new(e))));
            }
            let hints = all.len() - own;
            let by_join = self.way.iter().filter(|_| lists && hints > 0).cloned();
            for way in by_join.chain([scan.way()]) {
                let chosen = way.to(&all, hints, scan.columns())?;
                if let Some(bound) = scan.bound(chosen, lists && hints > 0)? {
                    return Ok(ScanExec { hints, ..bound });
                }
            }
        }
        Err(defect("a scan finds no end of its ranges"))
    }

    /// The conjuncts of the scan, all but what joins say.
    fn conditions(&self, def: &TableDef, subqueries: Subqueries) -> Option<Vec<Expr>> {
        let logical = Logical {
            def,
            columns: &self.columns,
            subqueries,
        };
        let late = self.conditions.iter().map(|expr| logical.expr(expr));
        let given = self.filters.iter().cloned().map(Some);
        given.chain(late).collect()
    }
}

/// What equality with some values would do to a scan.
#[derive(Debug, Clone, Default)]
struct Joined {
    /// The key columns without which it would be narrowed less, in key order, as indices into the
    /// table's columns.
    columns: Vec<usize>,
    /// Whether each value stands for a row or a range of its own, or the buckets are fewer; not so
    /// if key columns before it are stepped over.
    firm: bool,
    /// Whether it leaves salt columns that are not bound.
    spread: bool,
}

impl Joined {
    /// By equality with `keys`, beside what `filters` say.
    fn of(
        scan: &ScanExec,
        way: &Way,
        filters: &[Expr],
        keys: &[&Expr],
    ) -> DataFusionResult<Joined> {
        let def = &way.entry.def;
        let narrow = |bound: &dyn Fn(usize) -> bool| {
            let bound = |key: &Expr| column_of(def, key).is_some_and(bound);
            let filters = with_equalities(filters, keys, &bound);
            Ok::<_, DataFusionError>(way.to(&filters, 0, scan.columns())?.path)
        };
        let (alone, all) = (narrow(&|_| false)?, narrow(&|_| true)?);
        let mut columns = Vec::new();
        for part in &def.key {
            let is_key = |key: &&Expr| column_of(def, key) == Some(part.column);
            if keys.iter().any(is_key)
                && !same_reads(&narrow(&|column| column != part.column)?, &all)
            {
                columns.push(part.column);
            }
        }
        Ok(Joined {
            columns,
            firm: alone.buckets != all.buckets
                || (alone.access != all.access && !reads_everything(&all)),
            spread: !all.unbound.is_empty(),
        })
    }
}

/// The filters, and that those of the keys that are `bound` have the values that a join looks for.
fn with_equalities(filters: &[Expr], keys: &[&Expr], bound: &dyn Fn(&Expr) -> bool) -> Vec<Expr> {
    let keys = keys.iter().enumerate().filter(|(_, key)| bound(key));
    let equal = keys.map(|(number, key)| {
        let symbol = Placeholder::new_with_field(format!("join {number}"), None);
        binary_expr((**key).clone(), Operator::Eq, Expr::Placeholder(symbol))
    });
    filters.iter().cloned().chain(equal).collect()
}

/// The column that a key is, under a cast or not.
fn column_of(def: &TableDef, key: &Expr) -> Option<usize> {
    match key {
        Expr::Column(column) => def.find_column(&column.name),
        Expr::Cast(cast) => column_of(def, &cast.expr),
        _ => None,
    }
}

fn reads_everything(path: &AccessPath) -> bool {
    let open = |range: &OperandRange| {
        matches!(
            (&range.lower, &range.upper),
            (Bound::Unbounded, Bound::Unbounded)
        )
    };
    match &path.access {
        Access::FullScan => true,
        Access::Ranges(ranges) => ranges.iter().any(open),
        Access::PointGet(_) | Access::Empty => false,
    }
}

/// Whether two paths read the same, as far as it can be known without values.
fn same_reads(one: &AccessPath, other: &AccessPath) -> bool {
    one.access == other.access && one.boxes == other.boxes && one.buckets == other.buckets
}

impl fmt::Debug for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Late")
            .field("conditions", &self.conditions)
            .field("joins", &self.joins.len())
            .finish_non_exhaustive()
    }
}
