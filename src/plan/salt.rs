//! `salt_bucket(t) = k`: the bucket as if it were one more key column.
//!
//! The function of all key columns in key order stands, in boxes, at the place behind the last key
//! column, as an INTEGER from 0 to one less than the buckets. No range and no piece of a skip scan
//! knows it: before they are made it is taken out of the boxes again, and what it said prunes the
//! buckets.

use datafusion::logical_expr::Expr;

use crate::catalog::TableDef;
use crate::error::Result;
use crate::key::{BucketSet, KeyLayout};
use crate::plan::axis::{Axis, Cut, IntervalSet};
use crate::plan::boxes::{ColumnSet, KeyBox};
use crate::plan::domain;
use crate::plan::path::{Access, Buckets};
use crate::types::{SqlType, Value};

/// What people call the function, and what it is called in plans.
pub const SALT_BUCKET: &str = "salt_bucket";

/// The second name of the function of one table. The columns of a call do not say of which table it
/// is: DataFusion moves a filter to the other side of a join by exchanging columns that are equal.
pub fn salt_bucket_of(def: &TableDef) -> String {
    format!("{SALT_BUCKET} {}", def.id)
}

/// The line of the buckets.
pub(super) const AXIS: Axis = Axis {
    sql_type: SqlType::Integer,
    nullable: false,
};

/// Whether an expression is the bucket of a table's rows.
pub(super) fn is_bucket(def: &TableDef, expr: &Expr) -> bool {
    let Expr::ScalarFunction(function) = expr else {
        return false;
    };
    let is_part = |(argument, part): (&Expr, usize)| match argument {
        Expr::Column(column) => def.find_column(&column.name) == Some(part),
        _ => false,
    };
    function.name() == SALT_BUCKET
        && function.func.aliases().contains(&salt_bucket_of(def))
        && function.args.len() == def.key.len()
        && def.salting.is_some()
        && function
            .args
            .iter()
            .zip(def.key.iter().map(|part| part.column))
            .all(is_part)
}

/// The buckets that a predicate names.
pub(super) struct Named {
    buckets: BucketSet,
    /// How many of them it can be at most; fewer where values are still missing.
    most: usize,
}

/// Takes what is said of the bucket, at the place `place`, out of the boxes; boxes without any
/// bucket go. The buckets of the others are returned. Where they are not the same for all, or are
/// not known yet, or cannot be compared with keys that are not, the conjuncts that name them stay
/// filters.
pub(super) fn take(boxes: &mut Vec<KeyBox>, place: usize, layout: &KeyLayout) -> Named {
    let all = BucketSet::all(layout.buckets());
    let (mut named, mut most) = (Vec::with_capacity(boxes.len()), 0_usize);
    boxes.retain_mut(|key_box| {
        let at = key_box.columns.iter().position(|(c, _)| *c == place);
        let (buckets, count) = match at.map(|at| key_box.columns.remove(at).1) {
            Some(ColumnSet::Values(set)) => {
                let buckets = buckets_of(set, layout.buckets());
                (buckets, buckets.len())
            }
            Some(ColumnSet::Symbols(ends)) => {
                key_box.relax(place);
                (all, ends.point().map_or(all.len(), |_| 1))
            }
            None => (all, all.len()),
        };
        if !buckets.is_empty() {
            named.push(buckets);
        }
        most = most.saturating_add(count);
        !buckets.is_empty()
    });
    let same = named.windows(2).all(|pair| pair[0] == pair[1]);
    let is_symbol = |(_, set): &(usize, ColumnSet)| matches!(set, ColumnSet::Symbols(_));
    let symbolic = boxes.iter().any(|b| b.columns.iter().any(is_symbol));
    for key_box in boxes {
        if !same || symbolic {
            key_box.relax(place);
        }
        for claim in &mut key_box.claims {
            claim.columns &= !(1 << place);
        }
    }
    let buckets = named.into_iter().reduce(|a, b| a.union(&b)).unwrap_or(all);
    let most = most.min(buckets.len());
    Named { buckets, most }
}

fn buckets_of(set: IntervalSet, buckets: u16) -> BucketSet {
    let last = Value::Integer(i32::from(buckets) - 1);
    let every = IntervalSet::between(Cut::Before(Value::Integer(0)), Cut::After(last));
    let mut found = BucketSet::default();
    for value in domain::values(&set.intersect(every), &AXIS).unwrap_or_default() {
        if let Value::Integer(bucket) = value
            && let Ok(bucket) = u8::try_from(bucket)
        {
            found.insert(bucket);
        }
    }
    found
}

/// What is left of the keys or ranges when only some buckets are read, with the buckets.
pub(super) fn prune(
    access: Access,
    buckets: Buckets,
    named: &Named,
    layout: &KeyLayout,
) -> Result<(Access, Buckets)> {
    let Named {
        buckets: named,
        most,
    } = named;
    if *most == usize::from(layout.buckets()) {
        return Ok((access, buckets));
    }
    // A count of buckets is 256 at most.
    let most = *most as u16;
    let buckets = match buckets {
        Buckets::Known(set) if usize::from(most) == named.len() => {
            Buckets::Known(set.intersection(named))
        }
        buckets => Buckets::AtMost(most.min(buckets.count())),
    };
    let access = match access {
        Access::PointGet(keys) => {
            let mut kept = Vec::with_capacity(keys.len());
            for key in keys {
                let values: Option<Vec<Value>> =
                    key.iter().map(|part| part.value().cloned()).collect();
                let inside = match values {
                    Some(values) => named.contains(layout.encode(&values)?.0),
                    None => true,
                };
                if inside {
                    kept.push(key);
                }
            }
            Access::PointGet(kept)
        }
        access => access,
    };
    let nothing = match (&access, &buckets) {
        (Access::PointGet(keys), _) => keys.is_empty(),
        (_, Buckets::Known(set)) => set.is_empty(),
        _ => false,
    };
    Ok(if nothing {
        (Access::Empty, Buckets::Known(BucketSet::default()))
    } else {
        (access, buckets)
    })
}
