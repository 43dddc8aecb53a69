//! The terms of a predicate that are joined by AND, and what they say together.

use datafusion::logical_expr::{Expr, Operator};

use crate::plan::axis::Axis;
use crate::plan::boxes::{Boxes, ColumnSet, KeyBox};
use crate::plan::chain::{balanced_copy, flatten};
use crate::plan::predicate::{Outcomes, Reader};

/// The conjuncts of the filters of a scan, in the order given.
pub(super) struct Conjuncts<'a>(Vec<&'a Expr>);

impl<'a> Conjuncts<'a> {
    pub(super) fn of(filters: &'a [Expr]) -> Self {
        let terms = filters.iter().flat_map(|f| flatten(f, Operator::And));
        Conjuncts(terms.collect())
    }

    /// The boxes of the rows for which every conjunct is true, and the length of the longest list
    /// among them.
    pub(super) fn read(&self, reader: &Reader<'_>) -> (Vec<KeyBox>, usize) {
        let mut longest = 1;
        let parts = self.0.iter().enumerate().map(|(number, conjunct)| {
            let mut boxes = reader.rows(conjunct, Outcomes::TRUE, 0);
            let mut list = 0_usize;
            for key_box in &mut boxes.0 {
                for claim in &mut key_box.claims {
                    claim.conjunct = number;
                }
                list += lengths(key_box).max().unwrap_or(1);
            }
            longest = longest.max(list);
            boxes
        });
        let parts: Vec<Boxes> = parts.collect();
        let mut boxes = Boxes::product(parts, reader.axes).0;
        boxes.retain_mut(|key_box| {
            key_box.settle();
            tidy(key_box, reader.axes)
        });
        let lists = boxes.iter().flat_map(lengths);
        let longest = lists.max().unwrap_or(1).max(longest);
        (boxes, longest)
    }

    /// The conjuncts that are not said in full by every box; of each box the key columns before
    /// `said[i]` are.
    pub(super) fn left(&self, boxes: &[KeyBox], said: impl Iterator<Item = usize>) -> Vec<Expr> {
        let mut kept = vec![false; self.0.len()];
        for (key_box, said) in boxes.iter().zip(said) {
            for claim in &key_box.claims {
                let beyond = claim.columns.checked_shr(said as u32).unwrap_or(0) != 0;
                kept[claim.conjunct] |= !claim.exact || beyond;
            }
        }
        let terms = self.0.iter().zip(kept).filter(|(_, kept)| *kept);
        terms.map(|(term, _)| balanced_copy(term)).collect()
    }
}

fn lengths(key_box: &KeyBox) -> impl Iterator<Item = usize> + '_ {
    key_box.columns.iter().map(|(_, set)| set.len())
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
            for claim in claims.iter_mut() {
                claim.columns &= !(1 << *key);
            }
        }
        !values.is_all()
    });
    some
}
