//! RETURNING.

use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use sqlparser::ast::{Expr, Ident, SelectItem};

use crate::catalog::TableDef;
use crate::engine::bind::column_names::ColumnNames;
use crate::engine::dml::query::select_items;
use crate::engine::dml::row_exprs::{RowExprs, refuse_queries};
use crate::engine::dml::{Locked, Writes, table_of};
use crate::engine::from_datafusion;
use crate::engine::stream::plain_schema;
use crate::error::Result;
use crate::sql::Statement;
use crate::table::{Returning, RowProjection};
use crate::types::Value;

/// The rows that a statement returns.
#[derive(Debug, Clone)]
pub(in crate::engine) struct ReturnedRows {
    pub(in crate::engine) schema: SchemaRef,
    pub(super) returning: Arc<Returning>,
}

impl Writes<'_> {
    /// What the statement returns, if it returns its rows. Without values of the parameters names
    /// and types are looked at, and nothing comes of it.
    pub(super) fn returning(
        &self,
        statement: &Statement,
        locked: &Locked,
        values: Option<&[Value]>,
    ) -> Result<Option<ReturnedRows>> {
        let items = statement.returning();
        if items.is_empty() {
            return Ok(None);
        }
        refuse_queries(&items.to_vec(), CLAUSE)?;
        let (table, alias) = table_of(statement)?;
        let def = &locked.entry.def;
        let query = select_items(table, alias, &distinct(items, def))?;
        let bound = self.engine.bind_query(&locked.state, &query)?;
        let Some(values) = values else {
            return Ok(None);
        };
        let plan = self.analyzed(bound.with_values(values)?)?;
        let schema = named(items, &plain_schema(plan.schema().inner()));
        let as_written = select_items(table, alias, items)?;
        let names = ColumnNames::of(&as_written, schema.fields().len());
        let schema = names.rename(&schema);
        let projection = Projection {
            exprs: self.row_exprs(&plan, CLAUSE)?,
            schema: schema.clone(),
        };
        Ok(Some(ReturnedRows {
            schema,
            returning: Arc::new(Returning {
                projection: Arc::new(projection),
                deleted: matches!(statement, Statement::Delete(_)),
                limit: self.settings.max_statement_bytes,
            }),
        }))
    }
}

const CLAUSE: &str = "RETURNING";

/// The items with a name of its own for each: DataFusion refuses a list that repeats one, where a
/// CAST has the name of its operand. Only the columns of a wildcard keep theirs.
fn distinct(items: &[SelectItem], def: &TableDef) -> Vec<SelectItem> {
    if wildcards(items) > 1 {
        return items.to_vec();
    }
    let mut number = 0;
    let mut name = || {
        number += 1;
        let mut name = format!("returned {number}");
        while def.find_column(&name).is_some() {
            name.push('\'');
        }
        Ident::with_quote('"', name)
    };
    let distinct = items.iter().map(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
            SelectItem::ExprWithAlias {
                expr: expr.clone(),
                alias: name(),
            }
        }
        other => other.clone(),
    });
    distinct.collect()
}

/// The schema with the columns and aliases of the items called as they are written.
fn named(items: &[SelectItem], schema: &SchemaRef) -> SchemaRef {
    let mut fields = schema.fields().to_vec();
    let wide = match wildcards(items) {
        0 => 1,
        1 => (fields.len() + 1).saturating_sub(items.len()),
        _ => return schema.clone(),
    };
    let mut place = 0;
    for item in items {
        let ident = match item {
            SelectItem::UnnamedExpr(Expr::Identifier(ident)) => Some(ident),
            SelectItem::UnnamedExpr(Expr::CompoundIdentifier(idents)) => idents.last(),
            SelectItem::ExprWithAlias { alias, .. } => Some(alias),
            _ => None,
        };
        if let (Some(ident), Some(field)) = (ident, fields.get_mut(place)) {
            let name = match ident.quote_style {
                Some(_) => ident.value.clone(),
                None => ident.value.to_ascii_lowercase(),
            };
            *field = Arc::new(field.as_ref().clone().with_name(name));
        }
        place += if is_wildcard(item) { wide } else { 1 };
    }
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn wildcards(items: &[SelectItem]) -> usize {
    items.iter().filter(|item| is_wildcard(item)).count()
}

fn is_wildcard(item: &SelectItem) -> bool {
    matches!(
        item,
        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
    )
}

/// What RETURNING makes of the rows.
#[derive(Debug)]
struct Projection {
    exprs: RowExprs,
    schema: SchemaRef,
}

impl RowProjection for Projection {
    fn project(&self, rows: &RecordBatch) -> Result<RecordBatch> {
        let columns = self.exprs.evaluate(rows)?;
        let columns = columns
            .iter()
            .zip(self.schema.fields())
            .map(|(column, field)| cast(column, field.data_type()))
            .collect::<Result<Vec<_>, _>>();
        let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
        columns
            .and_then(|columns| {
                RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            })
            .map_err(|e| from_datafusion(e.into()))
    }
}
