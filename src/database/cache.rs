//! Statements that were parsed and bound before.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::engine::BoundQuery;
use crate::error::Result;
use crate::sql::{self, Parsed};

/// Texts that are kept.
const STATEMENTS: usize = 512;
/// Longer texts are programs' data in SQL's clothes, and are not seen twice.
const LONGEST: usize = 16 << 10;

/// One text, parsed; and for a query what it was bound to last.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) parsed: Parsed,
    /// The version of the catalog that a query was bound to, and its unoptimised plan: neither
    /// parameters nor now() are frozen in it. No setting that a session can change is part of it.
    bound: Mutex<Option<(u64, Arc<BoundQuery>)>>,
}

impl Prepared {
    pub(super) fn of(parsed: Parsed) -> Self {
        Prepared {
            parsed,
            bound: Mutex::new(None),
        }
    }

    /// The plan of this version, from before or from `bind`.
    pub(super) fn bound(
        &self,
        version: u64,
        bind: impl FnOnce() -> Result<BoundQuery>,
    ) -> Result<Arc<BoundQuery>> {
        if let Some((known, bound)) = &*self.bound.lock()
            && *known == version
        {
            return Ok(bound.clone());
        }
        let bound = Arc::new(bind()?);
        *self.bound.lock() = Some((version, bound.clone()));
        Ok(bound)
    }
}

/// The statements of a database by their text.
#[derive(Debug, Default)]
pub(super) struct Cache {
    statements: Mutex<HashMap<String, Arc<Prepared>>>,
}

impl Cache {
    pub(super) fn get(&self, sql: &str) -> Result<Arc<Prepared>> {
        if let Some(prepared) = self.statements.lock().get(sql) {
            return Ok(prepared.clone());
        }
        let prepared = Arc::new(Prepared::of(sql::parse(sql)?));
        if sql.len() <= LONGEST {
            let mut statements = self.statements.lock();
            // Forgetting all now and then costs a little planning, and no bookkeeping at each use.
            if statements.len() >= STATEMENTS {
                statements.clear();
            }
            statements.insert(sql.to_owned(), prepared.clone());
        }
        Ok(prepared)
    }
}
