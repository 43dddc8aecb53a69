//! Which buckets hold the rows of some boxes.

use crate::error::Result;
use crate::key::{BucketSet, KeyLayout};
use crate::plan::boxes::{ColumnSet, KeyBox};
use crate::plan::narrow::MAX_KEYS;
use crate::plan::path::Buckets;
use crate::types::Value;

/// The buckets of the rows in the boxes, and the salt columns that are not bound to a list.
pub(super) fn buckets(
    boxes: &[KeyBox],
    layout: &KeyLayout,
    depth: usize,
    longest: usize,
) -> Result<(Buckets, Vec<usize>)> {
    let count = layout.buckets();
    let all = Buckets::Known(BucketSet::all(count));
    let salt_columns = layout.salt_columns();
    if salt_columns.is_empty() {
        return Ok((all, Vec::new()));
    }
    let listed = |key_box: &KeyBox, column: usize| {
        key_box
            .get(column)
            .is_some_and(|set| set.points().is_some())
    };
    let unbound: Vec<usize> = salt_columns
        .iter()
        .copied()
        .filter(|column| !boxes.iter().all(|key_box| listed(key_box, *column)))
        .collect();
    if !unbound.is_empty() {
        return Ok((all, unbound));
    }
    let product = |key_box: &KeyBox| {
        salt_columns
            .iter()
            .filter_map(|column| key_box.get(*column)?.points())
            .fold(1, usize::saturating_mul)
    };
    let total = boxes.iter().map(product).fold(0, usize::saturating_add);
    let symbolic = boxes.iter().any(|key_box| {
        salt_columns
            .iter()
            .any(|column| matches!(key_box.get(*column), Some(ColumnSet::Symbols(_))))
    });
    if symbolic {
        let most = u16::try_from(total).map_or(count, |total| total.min(count));
        return Ok((Buckets::AtMost(most), unbound));
    }
    if total > longest.max(MAX_KEYS) {
        // The columns whose lists were left out.
        let unbound = salt_columns
            .into_iter()
            .filter(|column| *column >= depth)
            .collect();
        return Ok((all, unbound));
    }
    let mut set = BucketSet::default();
    for key_box in boxes {
        let mut prefixes: Vec<Vec<Value>> = vec![Vec::with_capacity(salt_columns.len())];
        for column in &salt_columns {
            let Some(ColumnSet::Values(values)) = key_box.get(*column) else {
                continue;
            };
            let points: Vec<&Value> = values
                .intervals()
                .iter()
                .filter_map(|i| i.value())
                .collect();
            prefixes = prefixes
                .iter()
                .flat_map(|prefix| points.iter().map(|point| append(prefix, point)))
                .collect();
        }
        for values in prefixes {
            set.insert(layout.bucket_of_salt(&values)?);
        }
    }
    Ok((Buckets::Known(set), unbound))
}

fn append(prefix: &[Value], value: &Value) -> Vec<Value> {
    prefix.iter().chain([value]).cloned().collect()
}
