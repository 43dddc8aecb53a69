//! The rows that change while an index is built.

use std::collections::HashSet;

use parking_lot::Mutex;

/// The keys of the rows that were written since an index began to be built, as far as the build
/// has not taken them yet.
///
/// Whoever writes a row notes it under the latch of that row and before the write, so that the
/// build, which takes the key and then the latch, finds the row as it was written or later.
#[derive(Debug, Default)]
pub struct ChangeLog {
    keys: Mutex<HashSet<Vec<u8>>>,
}

impl ChangeLog {
    /// Notes rows, by their keys without salt byte.
    pub fn note<'a>(&self, keys: impl IntoIterator<Item = &'a [u8]>) {
        let mut noted = self.keys.lock();
        for key in keys {
            if !noted.contains(key) {
                noted.insert(key.to_vec());
            }
        }
    }

    /// Takes all keys that are noted.
    pub fn take(&self) -> HashSet<Vec<u8>> {
        std::mem::take(&mut self.keys.lock())
    }

    /// How many keys are noted.
    pub fn len(&self) -> usize {
        self.keys.lock().len()
    }
}
