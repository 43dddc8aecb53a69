//! From filters to an access path.

use datafusion::logical_expr::Expr;

use crate::catalog::TableDef;
use crate::error::Result;
use crate::key::KeyLayout;
use crate::plan::axis::Axis;
use crate::plan::boxes::{ColumnSet, KeyBox};
use crate::plan::buckets::Salted;
use crate::plan::chain::balanced_copy;
use crate::plan::conjuncts::Conjuncts;
use crate::plan::disjoint::disjoint;
use crate::plan::domain::enumerate;
use crate::plan::operand::Operand;
use crate::plan::path::{Access, AccessPath, Buckets, OperandRange};
use crate::plan::predicate::Reader;
use crate::plan::salt;
use crate::plan::shape::shape;
use crate::plan::skip::skip;
use crate::plan::span::{self, Span};
use crate::types::Value;

/// The most keys that a product of lists may have.
pub const MAX_KEYS: usize = 1_024;
/// The most ranges that a product of lists may have.
pub const MAX_RANGES: usize = 256;

/// More key columns than these are not looked at: their constraints stay a filter. A claim has a
/// bit for each of them, and one for the bucket.
const MAX_COLUMNS: usize = 63;

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
    let mut axes: Vec<Axis> = columns.iter().take(MAX_COLUMNS).map(Axis::of).collect();
    let bucket = axes.len();
    axes.push(salt::AXIS);
    let conjuncts = Conjuncts::of(filters);
    let (mut boxes, longest) = conjuncts.read(&Reader { def, axes: &axes });
    let named = salt::take(&mut boxes, bucket, &layout);
    axes.truncate(bucket);
    let mut boxes = disjoint(boxes, &axes);
    let shape = shape(&boxes, bucket);

    let depth = fitting_depth(&boxes, &layout, longest);
    let visited = salted(&boxes, &axes, &layout).listed(depth, longest)?.0;
    if let Buckets::Known(visited) = visited {
        enumerate(&mut boxes, &axes, &layout, visited.len(), longest);
    }
    let depth = fitting_depth(&boxes, &layout, longest);
    let expanded = boxes.iter().map(|b| span::expand(b, columns, depth));
    let (spans, depths): (Vec<_>, Vec<_>) = expanded.map(|s| (s.spans, s.depth)).unzip();
    let spans = spans.into_iter().flatten().collect();
    let access = access(
        span::merge(spans, columns),
        columns.len(),
        def.null_keys_repeat,
    );
    let (buckets, unbound) = salted(&boxes, &axes, &layout).buckets(depth, longest)?;
    let (access, buckets) = salt::prune(access, buckets, &named, &layout)?;
    let filters = filters.iter().map(balanced_copy).collect();
    if access == Access::Empty {
        return Ok(AccessPath::empty(filters));
    }
    let skip = skip(&boxes, &depths, columns, depth, longest);
    let access = match access {
        Access::FullScan if skip.is_some() => Access::Ranges(vec![OperandRange::all()]),
        access => access,
    };
    let said = skip.as_ref().map_or(0, |skip| skip.depth);
    let said = depths.into_iter().map(|depth| depth.max(said));
    Ok(AccessPath {
        residual: conjuncts.left(&boxes, said),
        fixed: fixed(&boxes, bucket),
        shape,
        access,
        boxes: skip.map_or_else(Vec::new, |skip| skip.boxes),
        buckets,
        unbound,
        filters,
    })
}

fn salted<'a>(boxes: &'a [KeyBox], axes: &'a [Axis], layout: &'a KeyLayout) -> Salted<'a> {
    Salted {
        boxes,
        axes,
        layout,
    }
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

/// The keys or ranges that spans are. Where keys with a NULL in them repeat, such a key is a range.
fn access(spans: Vec<Span>, columns: usize, null_keys_repeat: bool) -> Access {
    if spans.is_empty() {
        return Access::Empty;
    }
    if spans.iter().any(Span::is_everything) {
        return Access::FullScan;
    }
    let is_null = |operand: &Operand| operand.value().is_some_and(Value::is_null);
    let is_one = |key: &[Operand]| !null_keys_repeat || !key.iter().any(is_null);
    let keys: Option<Vec<Vec<Operand>>> = spans
        .iter()
        .map(|span| span.key(columns).filter(|key| is_one(key)))
        .map(|key| key.map(<[Operand]>::to_vec))
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
