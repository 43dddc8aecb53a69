//! The side of a comparison that is a key column, or a function of one.

use std::rc::Rc;

use datafusion::logical_expr::Expr;
use datafusion::scalar::ScalarValue;

use crate::catalog::TableDef;
use crate::plan::axis::{Axis, IntervalSet};
use crate::plan::boxes::{Boxes, Guard};
use crate::plan::locate::{Place, locate};
use crate::plan::monotone::{self, Function};
use crate::plan::operand::{ColumnSide, Via, column_side};
use crate::plan::salt::is_bucket;

/// What a constant is compared with.
#[derive(Debug, Clone)]
pub(super) struct Side {
    /// The column's place in the key; the bucket stands behind the last.
    pub key: usize,
    pub axis: Axis,
    view: View,
}

#[derive(Debug, Clone)]
enum View {
    /// The column, apart from casts that keep its values apart.
    Column(ColumnSide),
    Function(Rc<Function>),
}

impl Side {
    /// The side that an expression is, if it is one.
    pub(super) fn of(def: &TableDef, axes: &[Axis], expr: &Expr) -> Option<Side> {
        // The bucket stands behind the key columns.
        let bucket = axes.len().checked_sub(1)?;
        let key_column = |expr: &Expr| {
            if is_bucket(def, expr) {
                let (key, via) = (bucket, Via::Exact);
                return Some((ColumnSide { key, via }, *axes.get(bucket)?));
            }
            let side = column_side(def, expr).filter(|side| side.key < bucket)?;
            Some((side, *axes.get(side.key)?))
        };
        if let Some((side, axis)) = key_column(expr) {
            return Some(Side {
                key: side.key,
                axis,
                view: View::Column(side),
            });
        }
        // A cast of the column is a step of the function, which may fail.
        let bare = |expr: &&Expr| !matches!(expr, Expr::Cast(_));
        let (key, function) = monotone::read(expr, &|expr| {
            let (side, axis) = Some(expr).filter(bare).and_then(key_column)?;
            Some((side.key, axis))
        })?;
        Some(Side {
            key,
            axis: *axes.get(key)?,
            view: View::Function(function),
        })
    }

    pub(super) fn is_function(&self) -> bool {
        matches!(self.view, View::Function(_))
    }

    /// The place of a constant that is not NULL.
    pub(super) fn place(&self, constant: &ScalarValue) -> Option<Place> {
        match &self.view {
            View::Column(side) => locate(&self.axis, side.via, constant),
            View::Function(function) => function.place(constant),
        }
    }

    /// The values of the column for which the side is NULL.
    pub(super) fn nulls(&self) -> IntervalSet {
        match &self.view {
            View::Column(_) => self.axis.null(),
            View::Function(function) => function.nulls(),
        }
    }

    /// Those for which it is not.
    pub(super) fn not_nulls(&self) -> IntervalSet {
        match &self.view {
            View::Column(_) => self.axis.not_null(),
            View::Function(function) => function.nulls().complement(),
        }
    }

    /// What is said of the side: not in full where the function fails.
    pub(super) fn guarded(&self, mut boxes: Boxes) -> Boxes {
        if let View::Function(function) = &self.view
            && let Some(errors) = function.errors()
        {
            let guard = Rc::new(Guard {
                key: self.key,
                errors,
            });
            for claim in boxes.0.iter_mut().flat_map(|key_box| &mut key_box.claims) {
                claim.guard = Some(Rc::clone(&guard));
            }
        }
        boxes
    }
}
