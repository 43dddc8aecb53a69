//! One state of the catalog, as DataFusion sees it.

use std::future::ready;
use std::sync::Arc;

use datafusion::catalog::{CatalogProvider, CatalogProviderList, SchemaProvider, TableProvider};
use datafusion::common::{DataFusionError, Result as DataFusionResult, not_impl_err};
use datafusion::logical_expr::TableType;
use futures::future::BoxFuture;

use crate::catalog::CatalogState;
use crate::engine::scan::provider::StoredTable;

/// The name of the one catalog.
pub(crate) const CATALOG: &str = "rocksalt";
/// The schema of names that are given without one.
pub(crate) const PUBLIC: &str = "public";
const SCHEMAS: [&str; 2] = [PUBLIC, "system"];

/// The list that holds the one catalog, of one state.
#[derive(Debug, Clone)]
pub(in crate::engine) struct Catalogs(pub(in crate::engine) Arc<CatalogState>);

#[derive(Debug)]
struct OneCatalog(Arc<CatalogState>);

#[derive(Debug)]
struct OneSchema {
    state: Arc<CatalogState>,
    name: &'static str,
}

impl CatalogProviderList for Catalogs {
    fn register_catalog(
        &self,
        _name: String,
        _catalog: Arc<dyn CatalogProvider>,
    ) -> Option<Arc<dyn CatalogProvider>> {
        None
    }

    fn catalog_names(&self) -> Vec<String> {
        vec![CATALOG.to_owned()]
    }

    fn catalog(&self, name: &str) -> Option<Arc<dyn CatalogProvider>> {
        (name == CATALOG).then(|| Arc::new(OneCatalog(self.0.clone())) as _)
    }
}

impl CatalogProvider for OneCatalog {
    fn schema_names(&self) -> Vec<String> {
        SCHEMAS.iter().map(|name| (*name).to_owned()).collect()
    }

    fn schema(&self, name: &str) -> Option<Arc<dyn SchemaProvider>> {
        let name = SCHEMAS.into_iter().find(|schema| *schema == name)?;
        Some(Arc::new(OneSchema {
            state: self.0.clone(),
            name,
        }))
    }
}

impl SchemaProvider for OneSchema {
    fn table_names(&self) -> Vec<String> {
        self.state
            .tables()
            .filter(|table| table.def.schema == self.name)
            .map(|table| table.def.name.clone())
            .collect()
    }

    fn table<'a, 'b, 'f>(
        &'a self,
        name: &'b str,
    ) -> BoxFuture<'f, DataFusionResult<Option<Arc<dyn TableProvider>>, DataFusionError>>
    where
        'a: 'f,
        'b: 'f,
    {
        let table = self.state.find_table(self.name, name);
        Box::pin(ready(Ok(table.map(|table| {
            Arc::new(StoredTable::new(table.clone(), self.state.clone())) as _
        }))))
    }

    fn table_type<'a, 'b, 'f>(
        &'a self,
        name: &'b str,
    ) -> BoxFuture<'f, DataFusionResult<Option<TableType>>>
    where
        'a: 'f,
        'b: 'f,
    {
        Box::pin(ready(Ok(self.table_exist(name).then_some(TableType::Base))))
    }

    fn register_table(
        &self,
        _name: String,
        _table: Arc<dyn TableProvider>,
    ) -> DataFusionResult<Option<Arc<dyn TableProvider>>> {
        not_impl_err!("tables are created by CREATE TABLE")
    }

    fn table_exist(&self, name: &str) -> bool {
        self.state.find_table(self.name, name).is_some()
    }
}
