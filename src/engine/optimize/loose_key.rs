//! The key of a scan, as far as it groups and orders the rows of a loose scan.

use std::collections::BTreeSet;

use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, Operator};
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_expr::expressions::Column;

use crate::catalog::{KeyPart, TableDef};
use crate::table::Groups;

/// What is asked of the rows of a group besides its first key columns: that its first row is read,
/// its last one, or just any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::engine) struct Ends {
    pub(in crate::engine) first: bool,
    pub(in crate::engine) last: bool,
}

impl Ends {
    pub(in crate::engine) const FIRST: Ends = Ends {
        first: true,
        last: false,
    };
    pub(in crate::engine) const LAST: Ends = Ends {
        first: false,
        last: true,
    };
    /// Whichever row is read will do.
    pub(in crate::engine) const ANY: Ends = Ends {
        first: false,
        last: false,
    };

    /// What serves both.
    pub(in crate::engine) fn and(self, other: Ends) -> Ends {
        Ends {
            first: self.first || other.first,
            last: self.last || other.last,
        }
    }

    /// What serves in place of the one end the other.
    fn reversed(self) -> Ends {
        Ends {
            first: self.last,
            last: self.first,
        }
    }
}

/// The key of a scan.
#[derive(Debug, Clone)]
pub(in crate::engine) struct LooseKey<'a> {
    pub(in crate::engine) def: &'a TableDef,
    /// Columns that have one value in all rows.
    pub(in crate::engine) constants: &'a BTreeSet<usize>,
    /// What holds of every row.
    pub(in crate::engine) filters: &'a [Expr],
    /// The columns that decide which rows are dropped after they were read. Where the rows of a
    /// group agree in them, all of its rows are dropped or none.
    pub(in crate::engine) dropped_by: BTreeSet<usize>,
}

/// Groups of rows that agree in some columns and, so, in their first key columns.
#[derive(Debug)]
pub(in crate::engine) struct KeyGroups<'a> {
    key: &'a LooseKey<'a>,
    /// The columns in which the rows of a group agree, constants included.
    agree: BTreeSet<usize>,
    /// How many leading key columns these are.
    columns: usize,
}

impl<'a> LooseKey<'a> {
    /// The groups of rows that agree in `columns`, and those of fewer rows that agree in leading key
    /// columns besides, as far as the scan can go by them. What comes first in a group comes first
    /// in the smaller group that it is in.
    pub(in crate::engine) fn groups(
        &'a self,
        columns: &BTreeSet<usize>,
    ) -> impl Iterator<Item = KeyGroups<'a>> {
        (0..self.def.key.len()).filter_map(|more| {
            let more = self.def.key.iter().take(more).map(|part| part.column);
            self.groups_of(&columns.iter().copied().chain(more).collect())
        })
    }

    /// The groups of rows that agree in `columns`, if these are leading key columns (apart from
    /// those that have one value in all rows), the key orders the rows of a group by more, and
    /// those that are read of a group are all wanted or none.
    fn groups_of(&'a self, columns: &BTreeSet<usize>) -> Option<KeyGroups<'a>> {
        let agree: BTreeSet<usize> = columns.union(self.constants).copied().collect();
        let mut left: BTreeSet<usize> = columns.difference(self.constants).copied().collect();
        let mut prefix = 0;
        for (at, part) in self.def.key.iter().enumerate() {
            if left.is_empty() {
                break;
            }
            if left.remove(&part.column) {
                prefix = at + 1;
            } else if !self.constants.contains(&part.column) {
                return None;
            }
        }
        // The rows that are read agree in these. A constant that a filter makes is none yet.
        let read: BTreeSet<usize> = self.def.key.iter().take(prefix).map(|p| p.column).collect();
        let groups = KeyGroups {
            key: self,
            agree,
            columns: prefix,
        };
        let whole = left.is_empty() && self.dropped_by.is_subset(&read);
        (whole && groups.rest().next().is_some()).then_some(groups)
    }

    /// Whether the column is NULL in no row.
    fn never_null(&self, column: usize) -> bool {
        let Some(def) = self.def.columns.get(column) else {
            return false;
        };
        let is_column = |expr: &Expr| matches!(expr, Expr::Column(c) if c.name == def.name);
        // Such a term is not true of NULL.
        let rejects = |term: &Expr| match term {
            Expr::IsNotNull(inner) => is_column(inner),
            Expr::Between(between) => is_column(&between.expr),
            Expr::InList(list) => is_column(&list.expr),
            Expr::Like(like) => is_column(&like.expr),
            Expr::BinaryExpr(binary) => {
                matches!(
                    binary.op,
                    Operator::Eq
                        | Operator::NotEq
                        | Operator::Lt
                        | Operator::LtEq
                        | Operator::Gt
                        | Operator::GtEq
                ) && (is_column(&binary.left) || is_column(&binary.right))
            }
            _ => false,
        };
        !def.nullable || self.filters.iter().flat_map(split_conjunction).any(rejects)
    }
}

impl KeyGroups<'_> {
    /// The key columns that order the rows of a group.
    fn rest(&self) -> impl Iterator<Item = &KeyPart> {
        let key = self.key.def.key.iter().skip(self.columns);
        key.filter(|part| !self.agree.contains(&part.column))
    }

    /// Which rows have the least or the greatest value of a column. NULL, which neither counts,
    /// stands behind every value in the key.
    pub(in crate::engine) fn extreme(&self, column: usize, greatest: bool) -> Option<Ends> {
        if self.agree.contains(&column) {
            return Some(Ends::ANY);
        }
        let part = self.rest().next().filter(|part| part.column == column)?;
        if greatest && !self.key.never_null(column) {
            return None;
        }
        Some(match greatest == part.descending {
            true => Ends::FIRST,
            false => Ends::LAST,
        })
    }

    /// Which rows come first in an order, given with the table's column of each of its columns;
    /// any rows for an order in which all rows of a group are equal.
    pub(in crate::engine) fn first_in(
        &self,
        order: &[PhysicalSortExpr],
        columns: &[Option<usize>],
    ) -> Option<Ends> {
        let mut rest = self.rest();
        let mut seen = BTreeSet::new();
        let mut ends = None;
        for sort in order {
            let column = sort.expr.downcast_ref::<Column>()?;
            let column = (*columns.get(column.index())?)?;
            if self.agree.contains(&column) || !seen.insert(column) {
                continue;
            }
            // Behind a whole key nothing is left to order.
            let Some(part) = rest.next() else {
                match self.key.def.keys_repeat() {
                    true => return None,
                    false => break,
                }
            };
            let options = sort.options;
            let nulls_fit =
                options.nulls_first == options.descending || self.key.never_null(column);
            let end = match options.descending == part.descending {
                true => Ends::FIRST,
                false => Ends::LAST,
            };
            if part.column != column || *ends.get_or_insert(end) != end || !nulls_fit {
                return None;
            }
        }
        Some(ends.unwrap_or(Ends::ANY))
    }

    /// Which rows come last in an order.
    pub(in crate::engine) fn last_in(
        &self,
        order: &[PhysicalSortExpr],
        columns: &[Option<usize>],
    ) -> Option<Ends> {
        self.first_in(order, columns).map(Ends::reversed)
    }

    /// What is read of each group.
    pub(in crate::engine) fn read(&self, ends: Ends) -> Groups {
        Groups {
            columns: self.columns,
            first: ends.first || !ends.last,
            last: ends.last,
        }
    }
}
