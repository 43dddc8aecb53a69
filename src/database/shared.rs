//! What all clones of a database share, and how it runs a statement.

use std::fmt;
use std::sync::Arc;

use chrono::Utc;
use futures::StreamExt;
use parking_lot::Mutex;

use crate::catalog::{Catalog, CatalogState, Entry};
use crate::database::cache::{Cache, Prepared};
use crate::database::wait::{Entered, contained};
use crate::database::{Outcome, Params, Rows};
use crate::engine::{BoundQuery, Done, Engine, Execution, Settings, Writes};
use crate::error::{Error, Result};
use crate::plan::{Plan, PlanFormat};
use crate::sql::{Explain, ExplainFormat, Parsed, Statement};
use crate::store::{Committer, Snapshot, Store};
use crate::types::Value;

/// What all clones of a database share.
pub(crate) struct Shared {
    pub(super) committer: Committer,
    pub(super) engine: Engine,
    pub(super) catalog: Catalog,
    pub(super) cache: Cache,
    pub(super) defaults: Settings,
    pub(super) store: Arc<dyn Store>,
}

/// The settings that a statement runs with, and the session that SET would change.
pub(super) struct Settled {
    pub(super) settings: Settings,
    pub(super) session: Option<Arc<Mutex<Settings>>>,
}

impl Shared {
    pub(super) fn prepare(&self, sql: &str) -> Result<Arc<Prepared>> {
        let prepared = self.cache.get(sql)?;
        contained(prepared.parsed.long, || {
            match &prepared.parsed.statement {
                Statement::Query(_) => drop(self.bind(&prepared)?),
                statement => self.writes(&self.defaults).check(statement)?,
            }
            Ok(())
        })??;
        Ok(prepared)
    }

    pub(super) async fn run(
        self: &Arc<Self>,
        sql: &str,
        params: Params,
        settled: Settled,
    ) -> Result<Outcome> {
        let prepared = self.cache.get(sql)?;
        self.run_prepared(&prepared, params, settled).await
    }

    /// Runs a statement of a script, which is not worth being remembered.
    pub(super) async fn run_parsed(
        self: &Arc<Self>,
        parsed: Parsed,
        settled: Settled,
    ) -> Result<Outcome> {
        let prepared = Prepared::of(parsed);
        self.run_prepared(&prepared, Params::default(), settled)
            .await
    }

    pub(super) async fn execute(
        self: &Arc<Self>,
        sql: &str,
        params: Params,
        settled: Settled,
    ) -> Result<u64> {
        let prepared = self.cache.get(sql)?;
        self.execute_prepared(&prepared, params, settled).await
    }

    pub(super) async fn query(
        self: &Arc<Self>,
        sql: &str,
        params: Params,
        settled: Settled,
    ) -> Result<Rows> {
        let prepared = self.cache.get(sql)?;
        self.query_prepared(&prepared, params, settled).await
    }

    pub(super) async fn explain(&self, sql: &str, settled: Settled) -> Result<Plan> {
        let prepared = self.cache.get(sql)?;
        self.explain_prepared(&prepared, settled).await
    }

    pub(super) async fn execute_prepared(
        self: &Arc<Self>,
        prepared: &Prepared,
        params: Params,
        settled: Settled,
    ) -> Result<u64> {
        let statement = &prepared.parsed.statement;
        if statement.returns_rows() || matches!(statement, Statement::Explain(_)) {
            let clause = match statement.returning() {
                [] => "",
                _ => " ... RETURNING",
            };
            let message = format!(
                "{}{clause} returns rows: execute() is for statements that do not",
                statement.kind()
            );
            return Err(Error::invalid(message));
        }
        match self.run_prepared(prepared, params, settled).await? {
            Outcome::Affected(rows) => Ok(rows),
            _ => Ok(0),
        }
    }

    pub(super) async fn query_prepared(
        self: &Arc<Self>,
        prepared: &Prepared,
        params: Params,
        settled: Settled,
    ) -> Result<Rows> {
        let statement = &prepared.parsed.statement;
        if !statement.returns_rows() {
            let instead = match statement {
                Statement::Explain(_) => "explain() or run()",
                _ => "execute()",
            };
            let message = format!("{} returns no rows: use {instead}", statement.kind());
            return Err(Error::invalid(message));
        }
        match self.run_prepared(prepared, params, settled).await? {
            Outcome::Rows(rows) => Ok(rows),
            _ => Err(Error::internal("a query came to no rows")),
        }
    }

    async fn run_prepared(
        self: &Arc<Self>,
        prepared: &Prepared,
        params: Params,
        settled: Settled,
    ) -> Result<Outcome> {
        let parameters = &prepared.parsed.parameters;
        // Without values the plan is the one for any.
        let executes = match &prepared.parsed.statement {
            Statement::Explain(explain) => explain.analyze,
            _ => true,
        };
        let symbolic = !executes && params.is_empty();
        let values = match symbolic {
            true => Vec::new(),
            false => params.bind(parameters.len(), parameters.names())?,
        };
        Entered::new(
            self.runtime(),
            self.run_statement(prepared, values, settled),
        )
        .long(prepared.parsed.long)
        .await
    }

    async fn run_statement(
        self: &Arc<Self>,
        prepared: &Prepared,
        values: Vec<Value>,
        settled: Settled,
    ) -> Result<Outcome> {
        let settings = &settled.settings;
        let writes = self.writes(settings);
        Ok(match &prepared.parsed.statement {
            Statement::Query(_) => {
                let (bound, snapshot) =
                    self.bound_and_snapshot(|state| self.bind_to(state, prepared))?;
                let bound = bound.with_settings(settings);
                let stream = bound.execute(Execution::new(&snapshot, settings), &values)?;
                let schema = stream.schema();
                let batches = stream.boxed();
                Outcome::Rows(Rows::new(schema, batches, self.clone()).long(prepared.parsed.long))
            }
            statement @ (Statement::Upsert(_)
            | Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Delete(_)) => match writes.execute(statement, &values).await? {
                Done::Affected(rows) => Outcome::Affected(rows),
                Done::Rows(schema, batches) => {
                    let batches = futures::stream::iter(batches.into_iter().map(Ok));
                    Outcome::Rows(Rows::new(schema, batches.boxed(), self.clone()))
                }
            },
            Statement::CopyFrom(copy) => Outcome::Affected(writes.copy_from(copy).await?),
            Statement::Explain(explain) => {
                Outcome::Plan(self.explained(explain, &values, settings).await?)
            }
            Statement::Set { name, value } => {
                let Some(session) = &settled.session else {
                    return Err(Error::invalid(format!(
                        "SET {} needs a session: call session() and run it there",
                        name.value
                    ))
                    .at(name.position));
                };
                let value = value.as_ref().map(|value| value.as_str());
                let set = session.lock().set(&name.value, value, &self.defaults);
                set.map_err(|e| e.at(name.position))?;
                Outcome::Done
            }
            statement => match writes.define(statement).await? {
                Some(batch) => {
                    let schema = batch.schema();
                    let batches = futures::stream::iter([Ok(batch)]).boxed();
                    Outcome::Rows(Rows::new(schema, batches, self.clone()))
                }
                None => Outcome::Done,
            },
        })
    }

    pub(super) async fn explain_prepared(
        &self,
        prepared: &Prepared,
        settled: Settled,
    ) -> Result<Plan> {
        let settings = &settled.settings;
        let plan = async {
            match &prepared.parsed.statement {
                Statement::Explain(explain) => {
                    if explain.analyze {
                        let parameters = &prepared.parsed.parameters;
                        Params::default().bind(parameters.len(), parameters.names())?;
                    }
                    self.explained(explain, &[], settings).await
                }
                statement => self.plan(statement, Some(prepared), None, settings),
            }
        };
        Entered::new(self.runtime(), plan)
            .long(prepared.parsed.long)
            .await
    }

    pub(super) async fn analyze(
        &self,
        sql: &str,
        params: Params,
        settled: Settled,
    ) -> Result<Plan> {
        let prepared = self.cache.get(sql)?;
        self.analyze_prepared(&prepared, params, settled).await
    }

    pub(super) async fn analyze_prepared(
        &self,
        prepared: &Prepared,
        params: Params,
        settled: Settled,
    ) -> Result<Plan> {
        let parameters = &prepared.parsed.parameters;
        let values = params.bind(parameters.len(), parameters.names())?;
        let settings = &settled.settings;
        let plan = async {
            match &prepared.parsed.statement {
                Statement::Explain(explain) if explain.analyze => {
                    self.explained(explain, &values, settings).await
                }
                statement => {
                    self.analyzed(statement, Some(prepared), &values, settings)
                        .await
                }
            }
        };
        Entered::new(self.runtime(), plan)
            .long(prepared.parsed.long)
            .await
    }

    /// The plan that EXPLAIN asks for; with ANALYZE the statement is executed.
    async fn explained(
        &self,
        explain: &Explain,
        values: &[Value],
        settings: &Settings,
    ) -> Result<Plan> {
        let statement = explain.statement.as_ref();
        let plan = match explain.analyze {
            false => {
                let values = Some(values).filter(|values| !values.is_empty());
                self.plan(statement, None, values, settings)?
            }
            true => self.analyzed(statement, None, values, settings).await?,
        };
        Ok(plan.in_format(match explain.format {
            ExplainFormat::Text => PlanFormat::Text,
            ExplainFormat::Json => PlanFormat::Json,
        }))
    }

    /// Executes a statement, bound anew unless it is the one that was prepared, and returns its plan
    /// with what its scans did.
    async fn analyzed(
        &self,
        statement: &Statement,
        prepared: Option<&Prepared>,
        values: &[Value],
        settings: &Settings,
    ) -> Result<Plan> {
        let root = match statement {
            Statement::Query(query) => {
                let (bound, snapshot) = self.bound_and_snapshot(|state| match prepared {
                    Some(prepared) => self.bind_to(state, prepared),
                    None => self.engine.bind_query(state, query).map(Arc::new),
                })?;
                let bound = bound.with_settings(settings);
                let execution = Execution::new(&snapshot, settings);
                bound.analyze(execution, values).await?
            }
            Statement::Upsert(_)
            | Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Delete(_) => self.writes(settings).analyze(statement, values).await?,
            other => return Err(no_plan(other)),
        };
        Ok(Plan::new(root))
    }

    /// The plan of a statement, bound anew unless it is the one that was prepared.
    fn plan(
        &self,
        statement: &Statement,
        prepared: Option<&Prepared>,
        values: Option<&[Value]>,
        settings: &Settings,
    ) -> Result<Plan> {
        let root = match (statement, prepared) {
            (Statement::Query(_), Some(prepared)) => self
                .bind(prepared)?
                .with_settings(settings)
                .explain(values)?,
            (Statement::Query(query), None) => self
                .engine
                .bind_query(&self.catalog.state(), query)?
                .with_settings(settings)
                .explain(values)?,
            (
                Statement::Upsert(_)
                | Statement::Insert(_)
                | Statement::Update(_)
                | Statement::Delete(_),
                _,
            ) => self.writes(settings).explain(statement, values)?,
            (other, _) => return Err(no_plan(other)),
        };
        Ok(Plan::new(root))
    }

    fn bind(&self, prepared: &Prepared) -> Result<Arc<BoundQuery>> {
        self.bind_to(&self.catalog.state(), prepared)
    }

    /// The query, and a snapshot that has no rows of a later definition than the query was bound
    /// to.
    fn bound_and_snapshot(
        &self,
        bind: impl Fn(&Arc<CatalogState>) -> Result<Arc<BoundQuery>>,
    ) -> Result<(Arc<BoundQuery>, Arc<dyn Snapshot>)> {
        loop {
            let state = self.catalog.state();
            let bound = bind(&state)?;
            let snapshot = self.store.snapshot();
            if self.catalog.is_state(&state) {
                return Ok((bound, snapshot));
            }
        }
    }

    fn bind_to(&self, state: &Arc<CatalogState>, prepared: &Prepared) -> Result<Arc<BoundQuery>> {
        prepared.bound(state.version(), || match &prepared.parsed.statement {
            Statement::Query(query) => self.engine.bind_query(state, query),
            other => Err(Error::internal(format!("{} is no query", other.kind()))),
        })
    }

    pub(super) fn writes<'a>(&'a self, settings: &'a Settings) -> Writes<'a> {
        Writes {
            store: &self.store,
            catalog: &self.catalog,
            engine: &self.engine,
            committer: &self.committer,
            settings,
            started: Utc::now(),
            analysis: None,
        }
    }

    pub(super) fn runtime(&self) -> tokio::runtime::Handle {
        self.engine.runtime().clone()
    }

    pub(super) fn find_entry(&self, schema: &str, name: &str) -> Result<Arc<Entry>> {
        self.find_entry_in(&self.catalog.state(), schema, name)
    }

    pub(super) fn find_entry_in(
        &self,
        state: &CatalogState,
        schema: &str,
        name: &str,
    ) -> Result<Arc<Entry>> {
        state.find_table(schema, name).cloned().ok_or_else(|| {
            let qualified = match schema {
                "public" => name.to_owned(),
                schema => format!("{schema}.{name}"),
            };
            Error::not_found(format!("table {qualified} does not exist"))
        })
    }
}

fn no_plan(statement: &Statement) -> Error {
    Error::invalid(format!("{} has no plan", statement.kind()))
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}
