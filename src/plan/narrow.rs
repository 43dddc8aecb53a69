//! From filters to an access path.

use datafusion::logical_expr::{Expr, Operator};

use crate::catalog::TableDef;
use crate::error::Result;
use crate::key::{BucketSet, KeyLayout};
use crate::plan::axis::Axis;
use crate::plan::boxes::{Boxes, ColumnSet, KeyBox};
use crate::plan::buckets::buckets;
use crate::plan::chain::{balanced_copy, flatten};
use crate::plan::operand::Operand;
use crate::plan::path::{Access, AccessPath, Buckets};
use crate::plan::predicate::{Outcomes, Reader};
use crate::plan::span::{self, Span};

/// The most keys that a product of lists may have.
pub const MAX_KEYS: usize = 1_024;
/// The most ranges that a product of lists may have.
pub const MAX_RANGES: usize = 256;

/// More key columns than these are not looked at: their constraints stay a filter.
const MAX_COLUMNS: usize = 64;

/// Finds the key ranges that hold the rows of a table for which every one of `filters` is true,
/// and what of the filters is left to evaluate on them.
///
/// The filters are what DataFusion gives to a scan, optimised or not; columns are found by name.
/// Constants that are not literals (parameters, `now()`) stay symbols: see [`AccessPath::bind`].
///
/// ```text
/// CREATE TABLE t (a INTEGER, b VARCHAR, PRIMARY KEY (a, b)) SALT_BUCKETS = 16
/// a = 1 AND b >= 'x'      RangeScan: t, buckets 16/16, ranges [(1, 'x') .. 1]
/// ```
///
/// # Errors
/// Only for a value that cannot be encoded as a key, which is a defect.
pub fn narrow(def: &TableDef, filters: &[Expr]) -> Result<AccessPath> {
    let layout = def.key_layout();
    let columns = layout.columns();
    let axes: Vec<Axis> = columns
        .iter()
        .take(MAX_COLUMNS)
        .map(|c| Axis {
            sql_type: c.sql_type,
            nullable: c.nullable,
        })
        .collect();
    let reader = Reader { def, axes: &axes };
    let conjuncts: Vec<&Expr> = filters
        .iter()
        .flat_map(|filter| flatten(filter, Operator::And))
        .collect();

    let mut longest = 1;
    let parts = conjuncts.iter().enumerate().map(|(number, conjunct)| {
        let mut boxes = reader.rows(conjunct, Outcomes::TRUE, 0);
        let mut list = 0_usize;
        for key_box in &mut boxes.0 {
            key_box
                .claims
                .iter_mut()
                .for_each(|claim| claim.conjunct = number);
            list += key_box
                .columns
                .iter()
                .map(|(_, set)| set.len())
                .max()
                .unwrap_or(1);
        }
        longest = longest.max(list);
        boxes
    });
    let parts: Vec<Boxes> = parts.collect();
    let mut boxes = Boxes::product(parts, &axes).0;
    boxes.retain_mut(|key_box| tidy(key_box, &axes));
    let lists = boxes
        .iter()
        .flat_map(|key_box| &key_box.columns)
        .map(|(_, set)| set.len());
    let longest = lists.max().unwrap_or(1).max(longest);

    let depth = fitting_depth(&boxes, &layout, longest);
    let mut spans: Vec<Span> = Vec::new();
    let mut kept = vec![false; conjuncts.len()];
    for key_box in &boxes {
        let expanded = span::expand(key_box, columns, depth);
        spans.extend(expanded.spans);
        for claim in &key_box.claims {
            let beyond = expanded.depth < MAX_COLUMNS && claim.columns >> expanded.depth != 0;
            kept[claim.conjunct] |= !claim.exact || beyond;
        }
    }
    let spans = span::merge(spans, columns);
    let access = access(spans, columns.len());
    let residual = match access {
        Access::Empty => Vec::new(),
        _ => conjuncts
            .iter()
            .zip(&kept)
            .filter(|(_, kept)| **kept)
            .map(|(conjunct, _)| balanced_copy(conjunct))
            .collect(),
    };
    let (buckets, unbound) = match access {
        Access::Empty => (Buckets::Known(BucketSet::default()), Vec::new()),
        _ => buckets(&boxes, &layout, depth, longest)?,
    };
    Ok(AccessPath {
        fixed: if access == Access::Empty {
            Vec::new()
        } else {
            fixed(&boxes, axes.len())
        },
        access,
        residual,
        buckets,
        unbound,
        filters: filters.iter().map(balanced_copy).collect(),
    })
}

/// Puts the sets of a box into one form; false if it holds no rows.
fn tidy(key_box: &mut KeyBox, axes: &[Axis]) -> bool {
    let KeyBox { columns, claims } = key_box;
    let mut some = true;
    columns.retain_mut(|(key, set)| {
        let ColumnSet::Values(values) = set else {
            return true;
        };
        *values = std::mem::take(values).tidy(&axes[*key]);
        some &= !values.is_empty();
        if values.is_all() {
            claims
                .iter_mut()
                .for_each(|claim| claim.columns &= !(1 << *key));
        }
        !values.is_all()
    });
    some
}

/// How many key columns can be used before a product of lists becomes too long. A list alone is
/// never too long.
fn fitting_depth(boxes: &[KeyBox], layout: &KeyLayout, longest: usize) -> usize {
    let columns = layout.columns();
    let mut depth = columns.len();
    while depth > 0 {
        let (mut total, mut keys) = (0_usize, true);
        for key_box in boxes {
            let (spans, full) = span::count(key_box, columns, depth);
            total = total.saturating_add(spans);
            keys &= full;
        }
        if total <= longest.max(if keys { MAX_KEYS } else { MAX_RANGES }) {
            break;
        }
        depth -= 1;
    }
    depth
}

fn access(spans: Vec<Span>, columns: usize) -> Access {
    if spans.is_empty() {
        return Access::Empty;
    }
    if spans.iter().any(Span::is_everything) {
        return Access::FullScan;
    }
    let keys: Option<Vec<Vec<Operand>>> = spans
        .iter()
        .map(|span| span.key(columns).map(<[Operand]>::to_vec))
        .collect();
    match keys {
        Some(keys) => Access::PointGet(keys),
        None => Access::Ranges(spans.into_iter().map(Span::into_range).collect()),
    }
}

/// The columns that every box binds to the same single value.
fn fixed(boxes: &[KeyBox], columns: usize) -> Vec<usize> {
    let Some((first, rest)) = boxes.split_first() else {
        return Vec::new();
    };
    let point = |key_box: &KeyBox, column: usize| match key_box.get(column)? {
        ColumnSet::Values(set) => match set.intervals() {
            [one] => one.value().cloned().map(Operand::Value),
            _ => None,
        },
        ColumnSet::Symbols(ends) => ends.point().cloned(),
    };
    (0..columns)
        .filter(|column| {
            let value = point(first, *column);
            value.is_some() && rest.iter().all(|key_box| point(key_box, *column) == value)
        })
        .collect()
}
