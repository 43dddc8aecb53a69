//! Names and types: from a query's syntax tree to a logical plan.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, SchemaRef};
use datafusion::catalog::cte_worktable::CteWorkTable;
use datafusion::catalog::information_schema::{INFORMATION_SCHEMA, InformationSchemaProvider};
use datafusion::catalog::{SchemaProvider, TableFunctionArgs};
use datafusion::common::config::ConfigOptions;
use datafusion::common::{DFSchema, Result as DataFusionResult, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::planner::{
    ContextProvider, ExprPlanner, RelationPlanner, TypePlanner,
};
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{
    AggregateUDF, Expr, HigherOrderUDF, LogicalPlan, ScalarUDF, TableSource, WindowUDF,
};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::sql::planner::{ParserOptions, PlannerContext, SqlToRel};
use futures::FutureExt;
use parking_lot::Mutex;
use sqlparser::ast::{self, Ident, ObjectName, Spanned, Visit, Visitor};

use crate::catalog::CatalogState;
use crate::engine::bind::catalogs::{CATALOG, Catalogs, PUBLIC};
use crate::engine::error::{defect, from_datafusion, is_close, to_datafusion};
use crate::engine::functions::salt_bucket;
use crate::engine::scan::provider::StoredTable;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::sql::sql_type;
use crate::types::Value;

/// Binds a query to one state of the catalog.
pub(in crate::engine) fn bind(
    state: &SessionState,
    catalog: &Arc<CatalogState>,
    query: &ast::Query,
) -> Result<LogicalPlan> {
    let binder = Binder {
        state,
        catalog,
        missing: Mutex::new(None),
    };
    let planner = SqlToRel::new_with_options(&binder, parser_options(state.config_options()));
    let statement = ast::Statement::Query(Box::new(query.clone()));
    planner.sql_statement_to_plan(statement).map_err(|error| {
        let missing = binder.missing.lock().take();
        locate(from_datafusion(error), query, missing.as_ref())
    })
}

/// Binds an expression to the columns of `schema`.
pub(in crate::engine) fn bind_expr(
    state: &SessionState,
    catalog: &Arc<CatalogState>,
    expr: &ast::Expr,
    schema: &DFSchema,
) -> Result<Expr> {
    let binder = Binder {
        state,
        catalog,
        missing: Mutex::new(None),
    };
    let planner = SqlToRel::new_with_options(&binder, parser_options(state.config_options()));
    planner
        .sql_to_expr(expr.clone(), schema, &mut PlannerContext::new())
        .map_err(|error| {
            let missing = binder.missing.lock().take();
            locate(from_datafusion(error), expr, missing.as_ref())
        })
}

fn parser_options(options: &ConfigOptions) -> ParserOptions {
    let sql = &options.sql_parser;
    ParserOptions {
        parse_float_as_decimal: sql.parse_float_as_decimal,
        enable_ident_normalization: sql.enable_ident_normalization,
        support_varchar_with_length: sql.support_varchar_with_length,
        enable_options_value_normalization: false,
        map_string_types_to_utf8view: sql.map_string_types_to_utf8view,
        collect_spans: sql.collect_spans,
        default_null_ordering: sql.default_null_ordering.as_str().into(),
    }
}

/// Plans the types that a column may have as CREATE TABLE does; the others are the planner's own.
#[derive(Debug)]
struct ColumnTypes;

impl TypePlanner for ColumnTypes {
    fn plan_type_field(&self, spelling: &ast::DataType) -> DataFusionResult<Option<FieldRef>> {
        match sql_type(spelling) {
            Ok(known) => Ok(Some(Arc::new(Field::new("", known.arrow(), true)))),
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(None),
            Err(error) => Err(to_datafusion(error)),
        }
    }
}

/// What the planner asks of one state of the catalog.
struct Binder<'a> {
    state: &'a SessionState,
    catalog: &'a Arc<CatalogState>,
    /// The last table that was asked for in vain.
    missing: Mutex<Option<TableReference>>,
}

impl Binder<'_> {
    fn find(&self, name: &TableReference) -> DataFusionResult<Option<Arc<dyn TableSource>>> {
        if name.catalog().is_some_and(|catalog| catalog != CATALOG) {
            return Ok(None);
        }
        let schema = name.schema().unwrap_or(PUBLIC);
        if schema != INFORMATION_SCHEMA {
            let entry = self.catalog.find_table(schema, name.table());
            return Ok(entry.map(|entry| {
                provider_as_source(Arc::new(StoredTable::new(
                    entry.clone(),
                    self.catalog.clone(),
                )))
            }));
        }
        let provider = InformationSchemaProvider::new(Arc::new(Catalogs(self.catalog.clone())));
        let table = provider.table(name.table()).now_or_never();
        Ok(table
            .ok_or_else(|| defect("information_schema had to wait"))??
            .map(provider_as_source))
    }
}

impl ContextProvider for Binder<'_> {
    fn get_table_source(&self, name: TableReference) -> DataFusionResult<Arc<dyn TableSource>> {
        if let Some(source) = self.find(&name)? {
            return Ok(source);
        }
        let mut message = format!("table {} does not exist", name.to_quoted_string());
        let schema = name.schema().unwrap_or(PUBLIC);
        let mut tables = self.catalog.tables().map(|entry| &entry.def);
        if let Some(close) =
            tables.find(|def| def.schema == schema && is_close(name.table(), &def.name))
        {
            message.push_str(&format!("; did you mean {}?", close.display_name()));
        }
        let error = Error::not_found(message);
        *self.missing.lock() = Some(name);
        Err(to_datafusion(error))
    }

    fn get_table_function_source(
        &self,
        name: &str,
        args: Vec<Expr>,
    ) -> DataFusionResult<Arc<dyn TableSource>> {
        let Some(function) = self.state.table_functions().get(name) else {
            *self.missing.lock() = Some(TableReference::bare(name));
            let message = format!("table function {name} does not exist");
            return Err(to_datafusion(Error::not_found(message)));
        };
        let context = SimplifyContext::builder()
            .with_config_options(self.state.config_options().clone())
            .build();
        let simplifier = ExprSimplifier::new(context);
        let schema = DFSchema::empty();
        let args = args
            .into_iter()
            .map(|arg| simplifier.simplify(simplifier.coerce(arg, &schema)?))
            .collect::<DataFusionResult<Vec<_>>>()?;
        let arguments = TableFunctionArgs::new(&args, self.state);
        Ok(provider_as_source(
            function.create_table_provider_with_args(arguments)?,
        ))
    }

    fn create_cte_work_table(
        &self,
        name: &str,
        schema: SchemaRef,
    ) -> DataFusionResult<Arc<dyn TableSource>> {
        Ok(provider_as_source(Arc::new(CteWorkTable::new(
            name, schema,
        ))))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        self.state.expr_planners()
    }

    fn get_relation_planners(&self) -> &[Arc<dyn RelationPlanner>] {
        self.state.relation_planners()
    }

    fn get_type_planner(&self) -> Option<Arc<dyn TypePlanner>> {
        Some(Arc::new(ColumnTypes))
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        let function = self.state.scalar_functions().get(name).cloned();
        function.or_else(|| salt_bucket::find(self.catalog, name))
    }

    fn get_higher_order_meta(&self, name: &str) -> Option<Arc<HigherOrderUDF>> {
        self.state.higher_order_functions().get(name).cloned()
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        self.state.aggregate_functions().get(name).cloned()
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.state.window_functions().get(name).cloned()
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        self.state.config_options()
    }

    fn udf_names(&self) -> Vec<String> {
        names(self.state.scalar_functions())
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        names(self.state.higher_order_functions())
    }

    fn udaf_names(&self) -> Vec<String> {
        names(self.state.aggregate_functions())
    }

    fn udwf_names(&self) -> Vec<String> {
        names(self.state.window_functions())
    }
}

/// Sorted, so that the suggestion in a message is always the same.
fn names<T>(functions: &HashMap<String, T>) -> Vec<String> {
    let mut names: Vec<String> = functions.keys().cloned().collect();
    names.sort_unstable();
    names
}

/// The error with the position of the name that it is about, where the planner gave none, and
/// with the way to write a text if the name looks like one.
fn locate(error: Error, tree: &impl Visit, missing: Option<&TableReference>) -> Error {
    let error = position_of(error, tree, missing);
    let name = match error.message().strip_prefix("column ") {
        Some(rest) if error.kind() == ErrorKind::NotFound => {
            rest.split(" does not exist").next().unwrap_or_default()
        }
        _ => return error,
    };
    let mut quoted = Quoted(name.trim_matches('"').to_owned());
    match tree.visit(&mut quoted) {
        ControlFlow::Break(()) => {
            let text = Value::from(quoted.0.as_str());
            let message = format!("{}; a text is written {text}", error.message());
            Error::new(error.kind(), message).at(error.position())
        }
        ControlFlow::Continue(()) => error,
    }
}

/// Finds a name alone and in double quotes.
struct Quoted(String);

impl Visitor for Quoted {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &ast::Expr) -> ControlFlow<()> {
        match expr {
            ast::Expr::Identifier(ident)
                if ident.quote_style == Some('"') && ident.value == self.0 =>
            {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn position_of(error: Error, tree: &impl Visit, missing: Option<&TableReference>) -> Error {
    if error.position().is_some() || error.kind() != ErrorKind::NotFound {
        return error;
    }
    let sought = match missing {
        Some(table) if error.message().starts_with("table ") => {
            Sought::Table(table.table().to_owned())
        }
        _ => {
            let name = error
                .message()
                .strip_prefix("column ")
                .and_then(|m| m.split(' ').next());
            match name.and_then(|name| name.rsplit('.').next()) {
                Some(name) => Sought::Column(name.trim_matches('"').to_owned()),
                None => return error,
            }
        }
    };
    let mut finder = Finder { sought };
    match tree.visit(&mut finder) {
        ControlFlow::Break(position) => error.at(position),
        ControlFlow::Continue(()) => error,
    }
}

/// The quoted literals of a query with their positions, for the errors about their values.
pub(in crate::engine) fn quoted_literals(query: &ast::Query) -> Vec<(String, Position)> {
    struct Literals(Vec<(String, Position)>);
    impl Visitor for Literals {
        type Break = ();

        fn pre_visit_value(&mut self, value: &ast::ValueWithSpan) -> ControlFlow<()> {
            if let ast::Value::SingleQuotedString(text) = &value.value
                && let Some(position) = start(value)
            {
                self.0.push((text.clone(), position));
            }
            ControlFlow::Continue(())
        }
    }
    let mut literals = Literals(Vec::new());
    let _ = query.visit(&mut literals);
    literals.0
}

enum Sought {
    Table(String),
    Column(String),
}

/// Finds the first place where a name stands.
struct Finder {
    sought: Sought,
}

impl Finder {
    fn is(ident: &Ident, name: &str) -> bool {
        match ident.quote_style {
            Some(_) => ident.value == name,
            None => ident.value.to_lowercase() == name,
        }
    }
}

impl Visitor for Finder {
    type Break = Option<Position>;

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<Self::Break> {
        let Sought::Table(name) = &self.sought else {
            return ControlFlow::Continue(());
        };
        let last = relation.0.last().and_then(|part| part.as_ident());
        match last {
            Some(ident) if Self::is(ident, name) => ControlFlow::Break(start(relation)),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &ast::Expr) -> ControlFlow<Self::Break> {
        let Sought::Column(name) = &self.sought else {
            return ControlFlow::Continue(());
        };
        let last = match expr {
            ast::Expr::Identifier(ident) => Some(ident),
            ast::Expr::CompoundIdentifier(idents) => idents.last(),
            _ => None,
        };
        match last {
            Some(ident) if Self::is(ident, name) => ControlFlow::Break(start(expr)),
            _ => ControlFlow::Continue(()),
        }
    }
}

pub(in crate::engine) fn start(spanned: &impl Spanned) -> Option<Position> {
    let start = spanned.span().start;
    (start.line > 0).then_some(Position {
        line: start.line,
        column: start.column,
    })
}
