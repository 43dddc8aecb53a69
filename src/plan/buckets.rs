//! Which buckets hold the rows of some boxes.

use crate::error::Result;
use crate::key::{BucketSet, KeyLayout};
use crate::plan::axis::Axis;
use crate::plan::boxes::{ColumnSet, KeyBox};
use crate::plan::domain;
use crate::plan::narrow::MAX_KEYS;
use crate::plan::path::Buckets;
use crate::types::Value;

/// What the predicate says of the salt columns.
pub(super) struct Salted<'a> {
    pub boxes: &'a [KeyBox],
    pub axes: &'a [Axis],
    pub layout: &'a KeyLayout,
}

impl Salted<'_> {
    /// The buckets of the rows in the boxes, and the salt columns whose values are not known.
    /// Lists from key column `depth` on may be left out, where their product is longer than
    /// `longest`.
    pub(super) fn buckets(&self, depth: usize, longest: usize) -> Result<(Buckets, Vec<usize>)> {
        let (buckets, unbound) = self.listed(depth, longest)?;
        if !unbound.is_empty()
            && let Some(lists) = self.small(&self.layout.salt_columns())
        {
            return Ok((self.of_lists(lists)?, Vec::new()));
        }
        Ok((buckets, unbound))
    }

    /// The same, with the values of lists alone.
    pub(super) fn listed(&self, depth: usize, longest: usize) -> Result<(Buckets, Vec<usize>)> {
        let count = self.layout.buckets();
        let all = Buckets::Known(BucketSet::all(count));
        let salt_columns = self.layout.salt_columns();
        let unbound: Vec<usize> = salt_columns
            .iter()
            .copied()
            .filter(|column| !self.boxes.iter().all(|b| is_listed(b, *column)))
            .collect();
        if salt_columns.is_empty() || !unbound.is_empty() {
            return Ok((all, unbound));
        }
        let product = |key_box: &KeyBox| {
            salt_columns
                .iter()
                .filter_map(|column| key_box.get(*column)?.points())
                .fold(1, usize::saturating_mul)
        };
        let total = self
            .boxes
            .iter()
            .map(product)
            .fold(0, usize::saturating_add);
        let symbolic = self.boxes.iter().any(|key_box| {
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
        let lists = self.lists(&salt_columns).unwrap_or_default();
        Ok((self.of_lists(lists)?, unbound))
    }

    /// The values of the salt columns in each box, if there are fewer combinations than
    /// buckets.
    fn small(&self, salt_columns: &[usize]) -> Option<Vec<Vec<Vec<Value>>>> {
        let mut total = 0_usize;
        for key_box in self.boxes {
            let mut product = 1_usize;
            for column in salt_columns {
                let ColumnSet::Values(set) = key_box.get(*column)? else {
                    return None;
                };
                product = product.saturating_mul(domain::count(set, self.axes.get(*column)?)?);
            }
            total = total.saturating_add(product);
        }
        if total >= usize::from(self.layout.buckets()) {
            return None;
        }
        self.lists(salt_columns)
    }

    fn lists(&self, salt_columns: &[usize]) -> Option<Vec<Vec<Vec<Value>>>> {
        let list = |key_box: &KeyBox, column: usize| match key_box.get(column)? {
            ColumnSet::Values(set) => domain::values(set, self.axes.get(column)?),
            ColumnSet::Symbols(_) => None,
        };
        self.boxes
            .iter()
            .map(|key_box| salt_columns.iter().map(|c| list(key_box, *c)).collect())
            .collect()
    }

    /// The buckets of all combinations of the values of each box.
    fn of_lists(&self, boxes: Vec<Vec<Vec<Value>>>) -> Result<Buckets> {
        let mut set = BucketSet::default();
        for lists in boxes {
            let mut prefixes: Vec<Vec<Value>> = vec![Vec::with_capacity(lists.len())];
            for list in &lists {
                prefixes = prefixes
                    .iter()
                    .flat_map(|prefix| list.iter().map(|value| append(prefix, value)))
                    .collect();
            }
            for values in prefixes {
                set.insert(self.layout.bucket_of_salt(&values)?);
            }
        }
        Ok(Buckets::Known(set))
    }
}

fn is_listed(key_box: &KeyBox, column: usize) -> bool {
    key_box
        .get(column)
        .is_some_and(|set| set.points().is_some())
}

fn append(prefix: &[Value], value: &Value) -> Vec<Value> {
    prefix.iter().chain([value]).cloned().collect()
}
