//! CREATE, DROP and ALTER INDEX, and an index as the statement that makes it.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr as LogicalExpr, LogicalPlan, Volatility};
use sqlparser::ast::{Expr, Ident, Spanned, VisitMut, VisitorMut};

use crate::catalog::{CatalogState, Entry, IndexDef, IndexEntry, IndexPart, IndexSource, TableDef};
use crate::engine::ddl::define::schema_of;
use crate::engine::dml::{Writes, find_column, position, select_from, stored_expr};
use crate::engine::from_datafusion;
use crate::error::{Error, Position, Result};
use crate::key::Salting;
use crate::plan::SALT_BUCKET;
use crate::sql::{self, CreateIndex, Name, TableName};
use crate::types::SqlType;

impl Writes<'_> {
    pub(in crate::engine) async fn create_index(&self, create: &CreateIndex) -> Result<()> {
        let (schema, place) = (schema_of(&create.table), create.table.position());
        let begun = self
            .catalog
            .begin_index(
                schema,
                &create.table.name.value,
                create.if_not_exists,
                self.engine.runtime(),
                |entry| self.index_definition(entry, create),
            )
            .await;
        let begun = begun.map_err(|e| match e.kind() {
            crate::ErrorKind::AlreadyExists => e.at(create.index.position),
            _ => e.at(place),
        })?;
        match begun {
            Some((entry, index)) => self.build_index(&entry, &index).await,
            None => Ok(()),
        }
    }

    pub(in crate::engine) async fn drop_index(
        &self,
        index: &TableName,
        table: Option<&TableName>,
        if_exists: bool,
    ) -> Result<()> {
        let table_name = table.map(|table| table.name.value.as_str());
        let dropped = self
            .catalog
            .drop_index(
                schema_of(index),
                &index.name.value,
                table_name,
                if_exists,
                self.settings.lock_timeout,
                self.engine.runtime(),
            )
            .await;
        dropped.map(drop).map_err(|e| e.at(index.position()))
    }

    pub(in crate::engine) async fn rename_index(&self, index: &TableName, to: &Name) -> Result<()> {
        let renamed = self
            .catalog
            .rename_index(
                schema_of(index),
                &index.name.value,
                &to.value,
                self.settings.lock_timeout,
                self.engine.runtime(),
            )
            .await;
        renamed.map_err(|e| match e.kind() {
            crate::ErrorKind::AlreadyExists => e.at(to.position),
            _ => e.at(index.position()),
        })
    }

    /// The definition that a CREATE INDEX makes, without id.
    fn index_definition(&self, entry: &Entry, create: &CreateIndex) -> Result<IndexDef> {
        let def = &entry.def;
        let id = |name: &Name| Ok(def.columns[find_column(def, name)?].id);
        let mut parts = Vec::with_capacity(create.parts.len());
        for part in &create.parts {
            let source = match &part.source {
                sql::IndexSource::Column(name) => IndexSource::Column(id(name)?),
                sql::IndexSource::Expr(expr) => {
                    let place = position(expr.span().start);
                    let (text, data_type) = self.index_expr(&create.table, expr, false)?;
                    let sql_type = SqlType::of_arrow(&data_type).ok_or_else(|| {
                        Error::unsupported(format!(
                            "an index of {text}, which has no type of a column ({data_type}): CAST \
                             it to one"
                        ))
                        .at(place)
                    })?;
                    if matches!(sql_type, SqlType::Real | SqlType::Double) {
                        // DataFusion tells -0.0 from 0.0 and a NaN of one sign from the other in what
                        // it computes; columns and keys have one of each.
                        return Err(Error::unsupported(format!(
                            "an index of {text}, which is {sql_type}: zeros and NaN of either sign \
                             are not told apart in a key: CAST it to DECIMAL, or index the column"
                        ))
                        .at(place));
                    }
                    IndexSource::Expr { text, sql_type }
                }
            };
            let part = IndexPart {
                source,
                descending: part.descending,
            };
            if parts.iter().any(|p: &IndexPart| p.source == part.source) {
                return Err(Error::invalid("an expression stands twice in the index"));
            }
            parts.push(part);
        }
        let indexed = |id: u16| parts.iter().any(|p| p.source == IndexSource::Column(id));
        let in_key = |id: u16| def.key.iter().any(|part| def.columns[part.column].id == id);
        let included: Vec<u16> = create.included.iter().map(id).collect::<Result<_>>()?;
        let predicate = match &create.predicate {
            Some(expr) => {
                let predicate = self.index_expr(&create.table, expr, true);
                Some(predicate?.0)
            }
            None => None,
        };
        Ok(IndexDef {
            id: 0,
            name: create.index.value.clone(),
            unique: create.unique,
            // Every entry holds the key of its row anyway.
            included: included
                .into_iter()
                .filter(|id| !indexed(*id) && !in_key(*id))
                .collect(),
            parts,
            predicate,
            buckets: match create.salt_buckets {
                None => def.salting.as_ref().map(Salting::buckets),
                Some(buckets) => Some(buckets).filter(|buckets| *buckets > 0),
            },
        })
    }

    /// The canonical text of an expression over a row, or of a condition, and its type.
    fn index_expr(
        &self,
        table: &TableName,
        expr: &Expr,
        is_condition: bool,
    ) -> Result<(String, DataType)> {
        let place = position(expr.span().start);
        let mut expr = expr.clone();
        let _ = VisitMut::visit(&mut expr, &mut Unqualified(&table.name.value));
        let text = expr.to_string();
        let (item, condition) = match is_condition {
            false => (expr, None),
            true => (stored_expr("1")?, Some(expr)),
        };
        let state = self.catalog.state();
        let query = select_from(table, None, vec![(item, "indexed".to_owned())], condition)?;
        let bound = self
            .engine
            .bind_query(&state, &query)
            .map_err(|e| e.at(place))?;
        let plan = bound.with_values(&[]).and_then(|plan| self.analyzed(plan));
        let plan = plan.map_err(|e| e.at(place))?;
        // Fails for what is not of one row.
        self.row_exprs(&plan, "an index").map_err(|e| e.at(place))?;
        refuse_changing(&plan, &text, place)?;
        if !is_condition && !reads_a_column(&plan).map_err(from_datafusion)? {
            let message = format!("{text} is the same in every row: an index of it sorts nothing");
            return Err(Error::invalid(message).at(place));
        }
        let data_type = plan.schema().field(0).data_type().clone();
        Ok((text, data_type))
    }
}

/// Refuses what may be otherwise another time: the entries would not be found again.
fn refuse_changing(plan: &LogicalPlan, text: &str, place: Option<Position>) -> Result<()> {
    let mut changing = None;
    let walked = plan.apply(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|expr| {
                // The text of salt_bucket(t) names the table, which may be renamed.
                if let LogicalExpr::ScalarFunction(call) = expr
                    && (call.func.signature().volatility != Volatility::Immutable
                        || call.func.name() == SALT_BUCKET)
                {
                    changing = Some(call.func.name().to_owned());
                    return Ok(TreeNodeRecursion::Stop);
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    });
    walked.map_err(from_datafusion)?;
    match changing.as_deref() {
        None => Ok(()),
        Some(SALT_BUCKET) => Err(Error::unsupported(format!(
            "{SALT_BUCKET}() in {text}: an index is of columns"
        ))
        .at(place)),
        Some(function) => Err(Error::invalid(format!(
            "{function}() in {text} changes from one call to the next: an index takes what depends \
             on the row alone"
        ))
        .at(place)),
    }
}

fn reads_a_column(plan: &LogicalPlan) -> datafusion::common::Result<bool> {
    let mut reads = false;
    if let LogicalPlan::Projection(projection) = plan {
        for expr in &projection.expr {
            reads |= expr.any_column_refs();
        }
    }
    Ok(reads)
}

/// Takes the table's name from before its columns: an index outlives it.
struct Unqualified<'a>(&'a str);

impl VisitorMut for Unqualified<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let folded = |ident: &Ident| match ident.quote_style {
            Some(_) => ident.value.clone(),
            None => ident.value.to_ascii_lowercase(),
        };
        if let Expr::CompoundIdentifier(idents) = expr
            && let [.., table, column] = idents.as_slice()
            && folded(table) == self.0
        {
            *expr = Expr::Identifier(column.clone());
        }
        ControlFlow::Continue(())
    }
}

/// The index of that name and its table.
pub(in crate::engine) fn find_index<'a>(
    state: &'a CatalogState,
    index: &TableName,
) -> Result<(&'a Arc<Entry>, &'a Arc<IndexEntry>)> {
    let (schema, name) = (schema_of(index), &index.name.value);
    state.find_index(schema, name).ok_or_else(|| {
        let message = match state.find_table(schema, name) {
            Some(_) => format!("index {index} does not exist: {index} is a table"),
            None => format!("index {index} does not exist"),
        };
        Error::not_found(message).at(index.position())
    })
}

/// The CREATE INDEX that makes an index of a table.
pub(in crate::engine) fn index_statement(def: &IndexDef, table: &TableDef) -> Result<CreateIndex> {
    let name = |id: u16| {
        let column = table.columns.iter().find(|column| column.id == id);
        column
            .map(|column| Name::new(&column.name))
            .ok_or_else(|| Error::internal(format!("index {} has no column of id {id}", def.name)))
    };
    let part = |part: &IndexPart| {
        Ok(sql::IndexPart {
            source: match &part.source {
                IndexSource::Column(id) => sql::IndexSource::Column(name(*id)?),
                IndexSource::Expr { text, .. } => sql::IndexSource::Expr(stored_expr(text)?),
            },
            descending: part.descending,
        })
    };
    let as_table = table.salting.as_ref().map(Salting::buckets);
    Ok(CreateIndex {
        index: Name::new(&def.name),
        if_not_exists: false,
        unique: def.unique,
        table: TableName::new(
            Some(table.schema.as_str()).filter(|schema| *schema != "public"),
            &table.name,
        ),
        parts: def.parts.iter().map(part).collect::<Result<_>>()?,
        included: def
            .included
            .iter()
            .map(|id| name(*id))
            .collect::<Result<_>>()?,
        predicate: def.predicate.as_deref().map(stored_expr).transpose()?,
        salt_buckets: (def.buckets != as_table).then(|| def.buckets.unwrap_or(0)),
    })
}
