//! Whether one condition follows from others.

use datafusion::logical_expr::{Expr, Operator};

use crate::catalog::{KeyPart, TableDef};
use crate::plan::chain::flatten;
use crate::plan::narrow::narrow;
use crate::plan::path::Access;

/// Whether `term` is true of every row for which all of `filters` are, as far as it can be told: it
/// is one of their conjuncts, or the where-optimizer finds no value of its columns for which they
/// are true and it is not.
pub fn implies(def: &TableDef, filters: &[Expr], term: &Expr) -> bool {
    let mut conjuncts = filters.iter().flat_map(|f| flatten(f, Operator::And));
    if conjuncts.any(|conjunct| conjunct == term || rejects_null(conjunct, term)) {
        return true;
    }
    let mut columns: Vec<usize> = (term.column_refs().into_iter())
        .filter_map(|column| def.find_column(&column.name))
        .collect();
    columns.sort_unstable();
    if columns.is_empty() {
        return false;
    }
    let part = |column| KeyPart {
        column,
        descending: false,
    };
    let keyed = TableDef {
        key: columns.into_iter().map(part).collect(),
        salting: None,
        null_keys_repeat: false,
        ..def.clone()
    };
    let mut all = filters.to_vec();
    all.push(Expr::IsNotTrue(Box::new(term.clone())));
    narrow(&keyed, &all).is_ok_and(|path| path.access == Access::Empty)
}

/// Whether the term only says that a column is not NULL, and the conjunct compares that column.
fn rejects_null(conjunct: &Expr, term: &Expr) -> bool {
    let Expr::IsNotNull(column) = term else {
        return false;
    };
    match conjunct {
        Expr::Between(between) => between.expr == *column,
        Expr::InList(list) => list.expr == *column,
        Expr::Like(like) => like.expr == *column,
        Expr::BinaryExpr(binary) => {
            matches!(
                binary.op,
                Operator::Eq
                    | Operator::NotEq
                    | Operator::Lt
                    | Operator::LtEq
                    | Operator::Gt
                    | Operator::GtEq
            ) && (binary.left == *column || binary.right == *column)
        }
        _ => false,
    }
}
