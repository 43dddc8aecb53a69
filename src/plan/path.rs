//! An access path: how the rows of one scan are found.

use std::ops::Bound;

use datafusion::logical_expr::Expr;

use crate::key::{BucketSet, KeyBox, KeyRange};
use crate::plan::operand::Operand;
use crate::plan::shape::Shape;
use crate::types::Value;

/// A key range whose bounds may hold symbols. Read as [`KeyRange`].
#[derive(Debug, Clone, PartialEq)]
pub struct OperandRange {
    /// Where the range starts, in key order.
    pub lower: Bound<Vec<Operand>>,
    /// Where the range ends, in key order.
    pub upper: Bound<Vec<Operand>>,
}

impl OperandRange {
    /// Every key.
    pub(super) fn all() -> Self {
        OperandRange {
            lower: Bound::Unbounded,
            upper: Bound::Unbounded,
        }
    }

    /// How many leading key columns have one value in all of the range.
    pub fn fixed(&self) -> usize {
        let pairs = bound_values(&self.lower)
            .iter()
            .zip(bound_values(&self.upper));
        pairs.take_while(|(lower, upper)| lower == upper).count()
    }
}

/// An interval of one key column whose bounds may hold symbols, in key order.
pub type OperandInterval = (Bound<Operand>, Bound<Operand>);

/// A [`KeyBox`] whose bounds may hold symbols.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OperandBox {
    /// The constrained columns, as places in the key, ascending, each with its intervals in key
    /// order.
    pub columns: Vec<(usize, Vec<OperandInterval>)>,
}

impl OperandBox {
    fn is_symbolic(&self) -> bool {
        let intervals = self.columns.iter().flat_map(|(_, intervals)| intervals);
        let mut bounds = intervals.flat_map(|(lower, upper)| [lower, upper]);
        bounds.any(|bound| match bound {
            Bound::Included(operand) | Bound::Excluded(operand) => operand.value().is_none(),
            Bound::Unbounded => false,
        })
    }
}

/// Which keys a scan reads.
#[derive(Debug, Clone, PartialEq)]
pub enum Access {
    /// These full row keys, in key order where the values are known, each once.
    PointGet(Vec<Vec<Operand>>),
    /// These ranges, in key order where the values are known, apart from each other.
    Ranges(Vec<OperandRange>),
    /// Every key.
    FullScan,
    /// Nothing: the predicate contradicts itself.
    Empty,
}

/// Which buckets a scan reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buckets {
    /// Exactly these.
    Known(BucketSet),
    /// At most so many; which ones depends on values that come with the execution.
    AtMost(u16),
}

impl Buckets {
    /// How many, or at most how many.
    pub fn count(&self) -> u16 {
        match self {
            // At most 256 bits.
            Buckets::Known(set) => set.len() as u16,
            Buckets::AtMost(count) => *count,
        }
    }
}

/// How the rows of one scan are found.
///
/// The rows of the table that satisfy the scan's filters are exactly those that [`Self::access`]
/// reads, that lie in one of [`Self::boxes`] and that pass every expression of [`Self::residual`].
#[derive(Debug, Clone)]
pub struct AccessPath {
    /// The keys that are read.
    pub access: Access,
    /// Of the rows in the ranges of `access`, those in one of these boxes are wanted; without boxes
    /// all of them are.
    pub boxes: Vec<OperandBox>,
    /// The conjuncts that did not become a part of `access` and `boxes`, in the order given.
    pub residual: Vec<Expr>,
    /// The buckets in which those keys can lie. A range may lie in fewer: see
    /// [`KeyRange::buckets`].
    pub buckets: Buckets,
    /// The salt columns, as places in the key, whose values the predicate does not fix; empty for
    /// an unsalted table.
    pub unbound: Vec<usize>,
    /// The key columns, as places in the key, that have one and the same value in every row that is
    /// read and passes.
    pub fixed: Vec<usize>,
    /// What the predicate says of the first key columns.
    pub shape: Shape,
    /// The conjuncts that the path was made from.
    pub filters: Vec<Expr>,
}

impl AccessPath {
    /// The path of a predicate that contradicts itself.
    pub fn empty(filters: Vec<Expr>) -> Self {
        AccessPath {
            access: Access::Empty,
            boxes: Vec::new(),
            residual: Vec::new(),
            buckets: Buckets::Known(BucketSet::default()),
            unbound: Vec::new(),
            fixed: Vec::new(),
            shape: Shape::default(),
            filters,
        }
    }

    /// Whether keys, ranges or buckets depend on values that come with the execution: see
    /// [`AccessPath::bind`].
    pub fn is_symbolic(&self) -> bool {
        let symbolic = |operands: &[Operand]| operands.iter().any(|o| o.value().is_none());
        matches!(self.buckets, Buckets::AtMost(_))
            || self.boxes.iter().any(OperandBox::is_symbolic)
            || match &self.access {
                Access::PointGet(keys) => keys.iter().any(|key| symbolic(key)),
                Access::Ranges(ranges) => ranges.iter().any(|r| {
                    [&r.lower, &r.upper]
                        .into_iter()
                        .any(|b| symbolic(bound_values(b)))
                }),
                Access::FullScan | Access::Empty => false,
            }
    }

    /// The row keys of a point get, in key order; `None` for every other access and while a symbol
    /// is left.
    pub fn keys(&self) -> Option<Vec<Vec<Value>>> {
        match &self.access {
            Access::PointGet(keys) => keys.iter().map(|key| values(key)).collect(),
            _ => None,
        }
    }

    /// The key ranges that are read, whatever the access: a point get as ranges of one key, a full
    /// scan as the range of every key. `None` while a symbol is left.
    pub fn key_ranges(&self) -> Option<Vec<KeyRange>> {
        match &self.access {
            Access::PointGet(keys) => keys
                .iter()
                .map(|key| Some(KeyRange::prefix(values(key)?)))
                .collect(),
            Access::Ranges(ranges) => ranges
                .iter()
                .map(|r| {
                    Some(KeyRange {
                        lower: bound(&r.lower)?,
                        upper: bound(&r.upper)?,
                    })
                })
                .collect(),
            Access::FullScan => Some(vec![KeyRange::all()]),
            Access::Empty => Some(Vec::new()),
        }
    }

    /// The boxes of the rows that are wanted; `None` while a symbol is left.
    pub fn key_boxes(&self) -> Option<Vec<KeyBox>> {
        let value = |bound: &Bound<Operand>| {
            Some(match bound {
                Bound::Included(operand) => Bound::Included(operand.value()?.clone()),
                Bound::Excluded(operand) => Bound::Excluded(operand.value()?.clone()),
                Bound::Unbounded => Bound::Unbounded,
            })
        };
        let known = |one: &OperandBox| {
            let columns = one.columns.iter().map(|(column, intervals)| {
                let intervals = intervals
                    .iter()
                    .map(|(lower, upper)| Some((value(lower)?, value(upper)?)));
                Some((*column, intervals.collect::<Option<Vec<_>>>()?))
            });
            let columns = columns.collect::<Option<Vec<_>>>()?;
            Some(KeyBox { columns })
        };
        self.boxes.iter().map(known).collect()
    }

    /// The buckets that may be read; all that there are while a symbol is left.
    pub fn bucket_set(&self, buckets: u16) -> BucketSet {
        match self.buckets {
            Buckets::Known(set) => set,
            Buckets::AtMost(_) => BucketSet::all(buckets),
        }
    }
}

pub(super) fn bound_values(bound: &Bound<Vec<Operand>>) -> &[Operand] {
    match bound {
        Bound::Included(values) | Bound::Excluded(values) => values,
        Bound::Unbounded => &[],
    }
}

fn values(operands: &[Operand]) -> Option<Vec<Value>> {
    operands
        .iter()
        .map(|operand| operand.value().cloned())
        .collect()
}

fn bound(bound: &Bound<Vec<Operand>>) -> Option<Bound<Vec<Value>>> {
    Some(match bound {
        Bound::Included(operands) => Bound::Included(values(operands)?),
        Bound::Excluded(operands) => Bound::Excluded(values(operands)?),
        Bound::Unbounded => Bound::Unbounded,
    })
}
