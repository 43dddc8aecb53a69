//! The table that a statement writes, held so that no DDL can take it away.

use std::sync::Arc;

use tokio::sync::OwnedRwLockReadGuard;

use crate::catalog::{CatalogState, Entry};
use crate::engine::dml::Writes;
use crate::error::{Error, Result};
use crate::sql::TableName;

/// A table under its shared DDL lock, and the state of the catalog that it was found in.
pub(in crate::engine) struct Locked {
    pub(in crate::engine) state: Arc<CatalogState>,
    pub(in crate::engine) entry: Arc<Entry>,
    /// Cloned into whatever writes last; none for a table that is only looked at.
    pub(in crate::engine) guard: Option<Arc<OwnedRwLockReadGuard<()>>>,
}

impl Writes<'_> {
    /// Finds the table and takes its DDL lock shared. A table that was dropped, truncated or
    /// created anew meanwhile is looked up again.
    pub(in crate::engine) async fn lock(&self, table: &TableName) -> Result<Locked> {
        loop {
            let state = self.catalog.state();
            let entry = self.find_target(&state, table)?;
            let guard = match entry.try_lock_shared() {
                Some(guard) => guard,
                None => entry
                    .lock_shared(self.settings.lock_timeout, self.engine.runtime())
                    .await
                    .map_err(|e| e.at(table.position()))?,
            };
            if self.catalog.is_current(&entry) {
                return Ok(Locked {
                    state,
                    entry,
                    guard: Some(Arc::new(guard)),
                });
            }
        }
    }

    /// The table of that name, if it may be written.
    pub(super) fn find_target(
        &self,
        state: &CatalogState,
        table: &TableName,
    ) -> Result<Arc<Entry>> {
        let schema = table
            .schema
            .as_ref()
            .map_or("public", |schema| schema.value.as_str());
        if schema == "system" || schema == "information_schema" {
            return Err(
                Error::invalid(format!("the tables of schema {schema} cannot be written"))
                    .at(table.position()),
            );
        }
        state
            .find_table(schema, &table.name.value)
            .cloned()
            .ok_or_else(|| {
                Error::not_found(format!("table {table} does not exist")).at(table.position())
            })
    }
}
