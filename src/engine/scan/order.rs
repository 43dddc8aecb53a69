//! The orders that a scan's key serves, and what DataFusion is told of its rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    AcrossPartitions, ConstExpr, EquivalenceProperties, PhysicalExpr, PhysicalSortExpr,
};

use crate::catalog::TableDef;
use crate::engine::index::Terms;
use crate::plan::{Access, AccessPath, OperandRange};
use crate::store::CursorOrder;

/// An order that a scan was asked for and keeps.
#[derive(Debug, Clone)]
pub(in crate::engine) struct Ordered {
    pub(in crate::engine) cursor: CursorOrder,
    pub(in crate::engine) exprs: Vec<PhysicalSortExpr>,
    /// The columns among them that the key orders, and whether each descends; the others have
    /// one value, or stand behind a whole key.
    pub(in crate::engine) merged: Vec<(usize, bool)>,
    /// How many leading key columns the merge leaves out: each range has one value of them.
    pub(in crate::engine) merge_from: usize,
}

/// Streams that a merge has at most when each range of a bucket is one.
const MAX_LANES: usize = 1024;

/// The columns that a scan returns, beside the key that orders them.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Columns<'a> {
    pub(in crate::engine) def: &'a TableDef,
    /// What is returned, as indices into the table's columns.
    pub(in crate::engine) read: &'a [usize],
    /// Columns that have one value in all rows.
    pub(in crate::engine) constants: &'a BTreeSet<usize>,
    /// How many leading key columns have one value in each range: see [`listed`].
    pub(in crate::engine) listed: usize,
    /// The expressions that the key is of, if it is that of an index.
    pub(in crate::engine) indexed: Option<&'a Terms>,
}

impl Columns<'_> {
    /// The order of the key, as far as its columns are returned.
    pub(in crate::engine) fn key_order(&self, schema: &SchemaRef) -> Vec<PhysicalSortExpr> {
        let mut exprs = Vec::new();
        for part in &self.def.key {
            match self.read.iter().position(|index| *index == part.column) {
                Some(position) => exprs.push(PhysicalSortExpr::new(
                    column(schema, position),
                    SortOptions {
                        descending: part.descending,
                        nulls_first: part.descending,
                    },
                )),
                None if self.constants.contains(&part.column) => {}
                None => break,
            }
        }
        exprs
    }

    /// What holds of rows that are in `order`, which may be empty.
    pub(in crate::engine) fn equivalence(
        &self,
        schema: &SchemaRef,
        order: Vec<PhysicalSortExpr>,
    ) -> EquivalenceProperties {
        let mut equivalence = EquivalenceProperties::new(schema.clone());
        let bound = self
            .read
            .iter()
            .enumerate()
            .filter(|(_, index)| self.constants.contains(index))
            .map(|(position, _)| {
                ConstExpr::new(column(schema, position), AcrossPartitions::Uniform(None))
            });
        // Constants of columns of the schema cannot be refused; without them a plan only sorts
        // once more.
        let _ = equivalence.add_constants(bound.collect::<Vec<_>>());
        if !order.is_empty() {
            equivalence.add_ordering(order);
        }
        equivalence
    }

    /// Whether an order is that of the key, or its reverse, apart from columns that have one
    /// value and from those that follow the last key column, which no two rows share.
    ///
    /// Behind key columns that are bound to lists the ranges are merged by the columns that
    /// follow; rows of several ranges may share all of those.
    pub(in crate::engine) fn served(&self, order: &[PhysicalSortExpr]) -> Option<Ordered> {
        (0..=self.listed).find_map(|from| self.served_from(from, order))
    }

    fn served_from(&self, merge_from: usize, order: &[PhysicalSortExpr]) -> Option<Ordered> {
        let mut parts = self
            .def
            .key
            .iter()
            .skip(merge_from)
            .filter(|part| !self.constants.contains(&part.column));
        let mut seen = BTreeSet::new();
        let mut merged = Vec::new();
        let mut reverse = None;
        for sort in order {
            let index = match sort.expr.downcast_ref::<Column>() {
                Some(column) => *self.read.get(column.index())?,
                None => self.indexed?.column_of(&sort.expr, self.def, self.read)?,
            };
            if self.constants.contains(&index) || !seen.insert(index) {
                continue;
            }
            let part = match parts.next() {
                Some(part) => part,
                None if merge_from == 0 && !self.def.keys_repeat() => break,
                None => return None,
            };
            let reversed = sort.options.descending != part.descending;
            let nulls_fit = sort.options.nulls_first == sort.options.descending
                || !self.def.columns.get(index)?.nullable;
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
            merge_from,
        })
    }
}

fn column(schema: &SchemaRef, position: usize) -> Arc<dyn PhysicalExpr> {
    Arc::new(Column::new(schema.field(position).name(), position))
}

/// How many leading key columns each range of a path holds to one value; none if merging the
/// ranges one by one would need too many streams.
pub(in crate::engine) fn listed(def: &TableDef, path: &AccessPath) -> usize {
    match path.access {
        Access::FullScan | Access::Empty => 0,
        _ if lanes(def, path) > MAX_LANES => 0,
        _ => held(def, path),
    }
}

/// Whether a path that took the place of another serves an order as that one did.
pub(in crate::engine) fn serves(def: &TableDef, path: &AccessPath, order: &Ordered) -> bool {
    order.merge_from <= held(def, path)
}

/// Whether each range would be a stream of its own in a merge that has too many of them.
pub(in crate::engine) fn crowds(def: &TableDef, path: &AccessPath, order: &Ordered) -> bool {
    order.merge_from > 0 && lanes(def, path) > MAX_LANES
}

/// How many leading key columns have one value in each range, or in each key but for its last
/// column.
fn held(def: &TableDef, path: &AccessPath) -> usize {
    match &path.access {
        Access::Ranges(ranges) => {
            let fixed = ranges.iter().map(OperandRange::fixed);
            fixed.fold(def.key.len(), usize::min)
        }
        Access::PointGet(_) => def.key.len().saturating_sub(1),
        Access::FullScan => 0,
        Access::Empty => def.key.len(),
    }
}

/// How many streams the ranges of a path are, when each of a bucket is one.
fn lanes(def: &TableDef, path: &AccessPath) -> usize {
    let Access::Ranges(ranges) = &path.access else {
        return 1;
    };
    let salt = def.salting.as_ref().map(|salting| salting.columns());
    let buckets = |range: &OperandRange| {
        let one_bucket = match salt {
            None => true,
            Some(Some(columns)) => columns.iter().all(|at| *at < range.fixed()),
            Some(None) => range.fixed() >= def.key.len(),
        };
        match one_bucket {
            true => 1,
            false => usize::from(path.buckets.count()),
        }
    };
    ranges.iter().map(buckets).fold(0, usize::saturating_add)
}

/// The columns that have one value in every row that passes `filters`.
pub(in crate::engine) fn constants(def: &TableDef, filters: &[Expr]) -> BTreeSet<usize> {
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
