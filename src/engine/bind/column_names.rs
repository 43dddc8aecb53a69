//! What the columns of a result are called: an expression without a name by its text.
//!
//! DataFusion's own names show Arrow's types, `Int64(1)` for `1`. They stay in plans, where names
//! are how expressions find each other; only what leaves is renamed.

use std::sync::Arc;

use datafusion::arrow::datatypes::{FieldRef, Fields, Schema, SchemaRef};
use sqlparser::ast::{Expr, Query, SelectItem, SetExpr};

/// The names of the columns of a query that DataFusion would not name well, by their place.
#[derive(Debug, Clone, Default)]
pub(in crate::engine) struct ColumnNames(Vec<(usize, String)>);

impl ColumnNames {
    /// The names in the first SELECT list of a query that returns `width` columns.
    pub(in crate::engine) fn of(query: &Query, width: usize) -> Self {
        let Some(items) = select_list(&query.body) else {
            return ColumnNames::default();
        };
        // One wildcard stands for as many columns as the others leave; of two nobody knows.
        let is_wildcard = |item: &&SelectItem| {
            matches!(
                item,
                SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
            )
        };
        let wide = match items.iter().filter(is_wildcard).count() {
            0 if items.len() == width => 1,
            1 if items.len() <= width + 1 => width + 1 - items.len(),
            _ => return ColumnNames::default(),
        };
        let mut names = Vec::new();
        let mut place = 0;
        for item in items {
            if let SelectItem::UnnamedExpr(expr) = item
                && let Some(name) = text(expr)
            {
                names.push((place, name));
            }
            place += if is_wildcard(&item) { wide } else { 1 };
        }
        ColumnNames(names)
    }

    /// Whether every column has the name that DataFusion gave it.
    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The schema with these names.
    pub(in crate::engine) fn rename(&self, schema: &SchemaRef) -> SchemaRef {
        let mut fields: Vec<FieldRef> = schema.fields().to_vec();
        for (place, name) in &self.0 {
            if let Some(field) = fields.get_mut(*place) {
                *field = Arc::new(field.as_ref().clone().with_name(name));
            }
        }
        let metadata = schema.metadata().clone();
        Arc::new(Schema::new_with_metadata(Fields::from(fields), metadata))
    }
}

fn select_list(body: &SetExpr) -> Option<&[SelectItem]> {
    match body {
        SetExpr::Select(select) => Some(&select.projection),
        SetExpr::Query(query) => select_list(&query.body),
        SetExpr::SetOperation { left, .. } => select_list(left),
        _ => None,
    }
}

/// The text of an expression; none for a column, which has a name.
fn text(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => None,
        Expr::Nested(inner) => text(inner),
        // The precision that the dialect fills in.
        expr => Some(
            expr.to_string()
                .replace("TIMESTAMP(6)", "TIMESTAMP")
                .replace("TIME(6)", "TIME"),
        ),
    }
}
