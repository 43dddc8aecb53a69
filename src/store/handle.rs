//! A table of a store, held open.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A table of a store, held open. A clone costs one reference count.
///
/// Reads and writes name a table by its handle, so that finding it costs nothing for each row.
/// A handle keeps a dropped table readable.
#[derive(Clone)]
pub struct TableHandle {
    id: u32,
    salted: bool,
    backing: Arc<dyn Any + Send + Sync>,
}

impl TableHandle {
    /// A handle whose store finds `backing` in it again.
    pub fn new(id: u32, salted: bool, backing: Arc<dyn Any + Send + Sync>) -> Self {
        TableHandle {
            id,
            salted,
            backing,
        }
    }

    /// The id of the table.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Whether its row keys are stored with their bucket in front.
    pub fn salted(&self) -> bool {
        self.salted
    }

    /// What the store that made the handle keeps in it.
    pub fn backing<T: Any>(&self) -> Option<&T> {
        self.backing.downcast_ref()
    }

    /// The same, shared with the handle.
    pub fn shared_backing<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.backing).downcast().ok()
    }
}

impl fmt::Debug for TableHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableHandle")
            .field("id", &self.id)
            .field("salted", &self.salted)
            .finish_non_exhaustive()
    }
}
