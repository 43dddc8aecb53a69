//! A condition on the rows of one table, without a query around it.

use std::ops::ControlFlow;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{ScalarUDF, Volatility, lit};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use sqlparser::ast::{self, SetExpr, Visit, VisitMut, Visitor, VisitorMut};

use crate::catalog::{CatalogState, Entry};
use crate::engine::Engine;
use crate::engine::bind::binder::start;
use crate::engine::bind::catalogs::PUBLIC;
use crate::engine::error::from_datafusion;
use crate::engine::explain::is_exchange;
use crate::engine::query::physical_plan;
use crate::engine::scan::exec::ScanExec;
use crate::engine::scan::residual::residual;
use crate::error::{Error, Result};
use crate::plan::{self, AccessPath};
use crate::sql::{self, Statement, TableName};
use crate::table::RowFilter;
use crate::types::Value;

/// Which rows of a table are wanted, and when the scan that wants them began.
pub(crate) struct Conditions {
    /// What must be true of a row, each with the values of its parameters.
    pub(crate) all: Vec<(ast::Expr, Vec<Value>)>,
    /// What now() is in them.
    pub(crate) started: DateTime<Utc>,
}

impl Engine {
    /// How the rows of a table that meet the conditions are found, and the filter for those that
    /// are read and return `columns`: what SQL makes of them behind WHERE, by the same code.
    ///
    /// # Errors
    /// Those of the query with this WHERE; `Invalid` for what needs more than one row to be known,
    /// and for what may be otherwise each time.
    pub(crate) fn narrow(
        &self,
        catalog: &Arc<CatalogState>,
        entry: &Entry,
        columns: &[usize],
        conditions: Conditions,
    ) -> Result<(AccessPath, Option<RowFilter>)> {
        let def = &entry.def;
        let (condition, values) = conjunction(conditions.all)?;
        let Some(condition) = condition else {
            return Ok((plan::narrow(def, &[])?, None));
        };
        check(self.state(), &condition)?;
        let schema = Some(def.schema.as_str()).filter(|schema| *schema != PUBLIC);
        let query = select(&TableName::new(schema, &def.name), condition)?;
        let bound = self.bind_query(catalog, &query)?;
        let plan = bound.with_values(&values)?;
        let state = self.state_at(conditions.started);
        let plan = physical_plan(&state, &plan)?;
        let path = match find_scan(&plan)? {
            Some(scan) => scan.path().clone(),
            None => plan::narrow(def, &[lit(false)])?,
        };
        let filter = residual(def, columns, &path.residual, &state).map_err(from_datafusion)?;
        Ok((path, filter))
    }
}

/// Some conditions as one, their parameters numbered on.
fn conjunction(all: Vec<(ast::Expr, Vec<Value>)>) -> Result<(Option<ast::Expr>, Vec<Value>)> {
    let (mut whole, mut values) = (None, Vec::new());
    for (mut condition, given) in all {
        let mut renumber = Renumber(values.len());
        if let ControlFlow::Break(name) = VisitMut::visit(&mut condition, &mut renumber) {
            return Err(Error::internal(format!("{name} is no numbered parameter")));
        }
        values.extend(given);
        whole = Some(match whole {
            None => condition,
            Some(before) => ast::Expr::BinaryOp {
                left: Box::new(before),
                op: ast::BinaryOperator::And,
                right: Box::new(ast::Expr::Nested(Box::new(condition))),
            },
        });
    }
    Ok((whole, values))
}

/// Adds a number to that of every parameter.
struct Renumber(usize);

impl VisitorMut for Renumber {
    type Break = String;

    fn pre_visit_value(&mut self, value: &mut ast::ValueWithSpan) -> ControlFlow<String> {
        if let ast::Value::Placeholder(name) = &mut value.value {
            match name.strip_prefix('$').and_then(|n| n.parse::<usize>().ok()) {
                Some(number) => *name = format!("${}", number + self.0),
                None => return ControlFlow::Break(name.clone()),
            }
        }
        ControlFlow::Continue(())
    }
}

/// `SELECT * FROM table WHERE condition`, read in the order of the table's key.
fn select(table: &TableName, condition: ast::Expr) -> Result<ast::Query> {
    let other = || Error::internal("a SELECT of ours reads as another statement");
    let parsed = sql::parse(&format!("SELECT * FROM {table}"))?;
    let Statement::Query(mut query) = parsed.statement else {
        return Err(other());
    };
    let SetExpr::Select(select) = query.body.as_mut() else {
        return Err(other());
    };
    let hint = format!("NO_INDEX({})", table.name);
    select.optimizer_hints = vec![sql::optimizer_hint(&hint)];
    select.selection = Some(condition);
    Ok(*query)
}

/// Refuses what a scan cannot decide for a row by itself, where it stands.
fn check(state: &SessionState, condition: &ast::Expr) -> Result<()> {
    match condition.visit(&mut Check(state)) {
        ControlFlow::Break(error) => Err(*error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Check<'a>(&'a SessionState);

impl Visitor for Check<'_> {
    type Break = Box<Error>;

    fn pre_visit_query(&mut self, query: &ast::Query) -> ControlFlow<Self::Break> {
        let error = Error::invalid("the condition of a scan has no subquery");
        ControlFlow::Break(Box::new(error.at(start(query))))
    }

    fn pre_visit_expr(&mut self, expr: &ast::Expr) -> ControlFlow<Self::Break> {
        let ast::Expr::Function(call) = expr else {
            return ControlFlow::Continue(());
        };
        let name = call.name.to_string().to_lowercase();
        let is_volatile =
            |function: &Arc<ScalarUDF>| function.signature().volatility == Volatility::Volatile;
        let functions = self.0.scalar_functions();
        let why = if call.over.is_some() || self.0.aggregate_functions().contains_key(&name) {
            "it is about several rows"
        } else if functions.get(&name).is_some_and(is_volatile) {
            "it has another value each time"
        } else if name == "unnest" {
            "it makes rows"
        } else {
            return ControlFlow::Continue(());
        };
        let error = Error::invalid(format!("{name}() in the condition of a scan: {why}"));
        ControlFlow::Break(Box::new(error.at(start(expr))))
    }
}

/// The scan of a plan that is nothing but a scan; `None` if no row can be in it.
fn find_scan(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<&ScanExec>> {
    let mut node = plan;
    loop {
        if let Some(scan) = node.downcast_ref::<ScanExec>() {
            return Ok(Some(scan));
        }
        if node.is::<EmptyExec>() {
            return Ok(None);
        }
        node = match (is_exchange(node), node.children().as_slice()) {
            (true, [child]) => child,
            _ => {
                return Err(Error::internal(format!(
                    "the condition of a scan was planned as {}",
                    node.name()
                )));
            }
        };
    }
}
