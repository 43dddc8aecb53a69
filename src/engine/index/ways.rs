//! The ways to the rows of one table in a query, and the choice between them.

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::utils::{split_binary, split_conjunction};
use datafusion::logical_expr::{Expr, Operator};

use crate::catalog::{CatalogState, Entry, IndexEntry, TableDef};
use crate::engine::error::to_datafusion;
use crate::engine::index::terms::Terms;
use crate::plan::{self, Access, AccessPath, IndexWay};

/// The most arms of an OR that are read one by one.
const MAX_ARMS: usize = 16;

/// What a statement says of the indexes of one of its tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::engine) enum Hint {
    /// Nothing: the rank decides.
    #[default]
    None,
    /// None of them is read.
    NoIndex,
    /// One of these is.
    Index(Vec<String>),
}

/// The indexes of a table that a query may read.
#[derive(Debug)]
pub(in crate::engine) struct Ways {
    table: Arc<Entry>,
    indexes: Vec<OneIndex>,
    /// Those of which the statement wants one, if it says so.
    named: Vec<String>,
}

/// An index that a scan may read.
#[derive(Debug, Clone)]
pub(in crate::engine) struct OneIndex {
    pub(in crate::engine) index: Arc<IndexEntry>,
    /// The index as a table.
    entry: Arc<Entry>,
    terms: Arc<Terms>,
}

/// The index that a scan reads.
#[derive(Debug, Clone)]
pub(in crate::engine) struct Via {
    pub(in crate::engine) of: OneIndex,
    /// Whether the row of each entry is got from the table.
    pub(in crate::engine) lookup: bool,
}

/// What is read, and of it what.
#[derive(Debug, Clone)]
pub(in crate::engine) struct Way {
    /// The table, or the index as a table.
    pub(in crate::engine) entry: Arc<Entry>,
    pub(in crate::engine) via: Option<Via>,
}

impl Way {
    /// The keys that are read of it. Of the filters the last `hints` need not hold.
    pub(in crate::engine) fn to(
        &self,
        filters: &[Expr],
        hints: usize,
        columns: &[usize],
    ) -> DataFusionResult<Chosen> {
        let mut via = self.via.clone();
        let path = match &mut via {
            None => {
                let mut path = plan::narrow(&self.entry.def, filters).map_err(to_datafusion)?;
                let hints = filters.get(filters.len().saturating_sub(hints)..);
                let hints = hints.unwrap_or_default();
                path.residual.retain(|expr| !hints.contains(expr));
                path
            }
            Some(via) => {
                let (path, lookup) = via.of.path(filters, hints, columns)?;
                via.lookup |= lookup;
                path
            }
        };
        Ok(Chosen {
            way: Way {
                entry: self.entry.clone(),
                via,
            },
            path,
        })
    }
}

/// Tells whether a way has an order.
type Serves<'a> = &'a dyn Fn(&Chosen) -> bool;

/// What is asked of the ways.
pub(in crate::engine) struct Wanted<'a> {
    /// The conditions, over the table.
    pub(in crate::engine) filters: &'a [Expr],
    /// The columns that are returned.
    pub(in crate::engine) columns: &'a [usize],
    /// Whether a LIMIT ends the scan.
    pub(in crate::engine) limited: bool,
    /// Whether a way has the order that is asked for.
    pub(in crate::engine) serves: Option<Serves<'a>>,
}

impl<'a> Wanted<'a> {
    /// All rows that pass the filters, in any order.
    pub(in crate::engine) fn all(filters: &'a [Expr], columns: &'a [usize]) -> Self {
        Wanted {
            filters,
            columns,
            limited: false,
            serves: None,
        }
    }
}

/// The way that was chosen, and the keys that are read.
#[derive(Debug, Clone)]
pub(in crate::engine) struct Chosen {
    pub(in crate::engine) way: Way,
    pub(in crate::engine) path: AccessPath,
}

impl Ways {
    /// The indexes of a table; nothing if there is no index that may be read.
    ///
    /// # Errors
    /// Those of reading the texts of the indexes.
    pub(in crate::engine) fn of(
        table: &Arc<Entry>,
        hint: &Hint,
        catalog: &Arc<CatalogState>,
        state: &SessionState,
    ) -> DataFusionResult<Option<Arc<Ways>>> {
        if *hint == Hint::NoIndex || table.ready_indexes().next().is_none() {
            return Ok(None);
        }
        let indexes = table
            .ready_indexes()
            .map(|index| OneIndex::new(index, table, catalog, state))
            .collect::<DataFusionResult<Vec<_>>>()?;
        Ok(Some(Arc::new(Ways {
            table: table.clone(),
            indexes,
            named: match hint {
                Hint::Index(names) => names.clone(),
                Hint::None | Hint::NoIndex => Vec::new(),
            },
        })))
    }

    /// The best way: the table's own key, or an index.
    pub(in crate::engine) fn choose(&self, wanted: &Wanted<'_>) -> DataFusionResult<Chosen> {
        let own = plan::narrow(&self.table.def, wanted.filters).map_err(to_datafusion)?;
        let serves = |way: &Chosen| wanted.serves.is_some_and(|serves| serves(way));
        let is_empty = own.access == Access::Empty;
        let own = Chosen {
            way: Way {
                entry: self.table.clone(),
                via: None,
            },
            path: own,
        };
        let mut open = vec![(serves(&own), own)];
        for one in self.readable(wanted.filters).filter(|_| !is_empty) {
            let (path, lookup) = one.path(wanted.filters, 0, wanted.columns)?;
            if path.access == Access::Empty {
                // Every row that passes would have an entry.
                let (_, mut own) = open.swap_remove(0);
                own.path = AccessPath::empty(wanted.filters.to_vec());
                return Ok(own);
            }
            let of = one.clone();
            let way = Way {
                entry: one.entry.clone(),
                via: Some(Via { of, lookup }),
            };
            let chosen = Chosen { way, path };
            open.push((serves(&chosen), chosen));
        }
        let ranked = open
            .iter()
            .map(|(in_order, Chosen { way, path })| plan::Way {
                path,
                index: way.via.as_ref().map(|Via { of, lookup }| IndexWay {
                    name: &of.index.def.name,
                    columns: of.index.def.parts.len(),
                    unique: of.index.def.unique,
                    salted: of.index.def.buckets.is_some(),
                    partial: of.index.def.predicate.is_some(),
                    covering: !lookup,
                }),
                in_order: *in_order,
                limited: wanted.limited
                    && path.residual.is_empty()
                    && (wanted.serves.is_none() || *in_order),
                forced: way.via.as_ref().is_some_and(|via| self.names(&via.of)),
            });
        let best = plan::best(&ranked.collect::<Vec<_>>(), self.table.def.key.len());
        Ok(open.swap_remove(best).1)
    }

    /// The ways to the rows that pass the filters, where one of these is an OR whose every arm is
    /// bounded by some key: each arm by its own, without the rows of the arms before it.
    pub(in crate::engine) fn arms(
        &self,
        filters: &[Expr],
        columns: &[usize],
    ) -> DataFusionResult<Option<Vec<Chosen>>> {
        if self.readable(filters).any(|one| self.names(one)) {
            return Ok(None);
        }
        let conjuncts: Vec<&Expr> = filters.iter().flat_map(split_conjunction).collect();
        for (place, conjunct) in conjuncts.iter().enumerate() {
            let arms = split_binary(conjunct, Operator::Or);
            if !(2..=MAX_ARMS).contains(&arms.len()) {
                continue;
            }
            let others = conjuncts.iter().enumerate().filter(|(at, _)| *at != place);
            let others: Vec<Expr> = others.map(|(_, other)| (*other).clone()).collect();
            let ways = self.ways_of_arms(&arms, &others, columns)?;
            if ways.is_some() {
                return Ok(ways);
            }
        }
        Ok(None)
    }

    fn ways_of_arms(
        &self,
        arms: &[&Expr],
        others: &[Expr],
        columns: &[usize],
    ) -> DataFusionResult<Option<Vec<Chosen>>> {
        let mut ways = Vec::with_capacity(arms.len());
        for (place, arm) in arms.iter().enumerate() {
            let mut filters = others.to_vec();
            filters.push((*arm).clone());
            let chosen = self.choose(&Wanted::all(&filters, columns))?;
            if chosen.path.access == Access::Empty {
                continue;
            }
            if !chosen.path.shape.is_bounded() {
                return Ok(None);
            }
            let before = arms.iter().take(place);
            filters.extend(before.map(|arm| Expr::IsNotTrue(Box::new((*arm).clone()))));
            ways.push(chosen.way.to(&filters, 0, columns)?);
        }
        Ok((ways.len() > 1).then_some(ways))
    }

    /// The indexes that have an entry of every row that passes the filters.
    fn readable<'a>(&'a self, filters: &'a [Expr]) -> impl Iterator<Item = &'a OneIndex> {
        let implied = |one: &&OneIndex| one.implied_by(&self.table.def, filters);
        self.indexes.iter().filter(implied)
    }

    fn names(&self, one: &OneIndex) -> bool {
        self.named.contains(&one.index.def.name)
    }

    /// The table.
    pub(in crate::engine) fn table(&self) -> &Arc<Entry> {
        &self.table
    }
}

impl OneIndex {
    fn new(
        index: &Arc<IndexEntry>,
        table: &Arc<Entry>,
        catalog: &Arc<CatalogState>,
        state: &SessionState,
    ) -> DataFusionResult<Self> {
        let terms = index.read_as(|| Terms::of(index, &table.def, catalog, state));
        Ok(OneIndex {
            index: index.clone(),
            entry: Arc::new(Entry {
                def: index.view.clone(),
                handle: index.handle.clone(),
                ..Entry::clone(table)
            }),
            terms: terms.map_err(to_datafusion)?,
        })
    }

    /// What its texts say.
    pub(in crate::engine) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The index as a table.
    pub(in crate::engine) fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// Whether every row that passes the filters has an entry.
    pub(in crate::engine) fn implied_by(&self, table: &TableDef, filters: &[Expr]) -> bool {
        let mut predicate = self.terms.predicate.iter();
        predicate.all(|term| plan::implies(table, filters, term))
    }

    /// The entries of the rows that pass the filters, and whether their rows are needed for what is
    /// left of the filters and for `columns`. The filters of the path are those that are given; the
    /// last `hints` of them need not hold of what is read.
    pub(in crate::engine) fn path(
        &self,
        filters: &[Expr],
        hints: usize,
        columns: &[usize],
    ) -> DataFusionResult<(AccessPath, bool)> {
        let mut path = self.path_of_entries(filters)?;
        let hints = filters.get(filters.len().saturating_sub(hints)..);
        for hint in hints.unwrap_or_default() {
            let hint = self.terms.over_entries(hint.clone())?;
            path.residual.retain(|expr| *expr != hint);
        }
        let view = &self.index.view;
        let held = |expr: &Expr| {
            let mut columns = expr.column_refs().into_iter();
            columns.all(|column| {
                let column = view.find_column(&column.name);
                column.is_some_and(|column| self.index.holds(column))
            })
        };
        let covering = columns.iter().all(|column| self.index.holds(*column))
            && path.residual.iter().all(held);
        if !covering && self.terms.has_exprs() {
            let residual = std::mem::take(&mut path.residual).into_iter();
            let residual = residual.map(|expr| self.terms.over_rows(expr));
            path.residual = residual.collect::<DataFusionResult<_>>()?;
        }
        path.filters = filters.to_vec();
        Ok((path, !covering))
    }

    /// The same, its filters over the entries: those that hold of every row in the index are not
    /// among them.
    pub(in crate::engine) fn path_of_entries(
        &self,
        filters: &[Expr],
    ) -> DataFusionResult<AccessPath> {
        let view = &self.index.view;
        if self.terms.predicate.is_empty() && !self.terms.has_exprs() {
            return plan::narrow(view, filters).map_err(to_datafusion);
        }
        let conjuncts = filters
            .iter()
            .cloned()
            .flat_map(datafusion::logical_expr::utils::split_conjunction_owned);
        let left = conjuncts.filter(|conjunct| !self.terms.predicate.contains(conjunct));
        let left = left
            .map(|conjunct| self.terms.over_entries(conjunct))
            .collect::<Result<Vec<_>, DataFusionError>>()?;
        plan::narrow(view, &left).map_err(to_datafusion)
    }
}
