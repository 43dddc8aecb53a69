//! The salt: which bucket a row belongs to.

use xxhash_rust::xxh3::xxh3_64;

/// The buckets of a salted table and the key columns that are hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salting {
    buckets: u16,
    columns: Option<Vec<usize>>,
}

impl Salting {
    /// `buckets` is 1..=256. `columns` are indices into the key columns, ascending; `None` hashes
    /// the whole key.
    pub fn new(buckets: u16, columns: Option<Vec<usize>>) -> Self {
        debug_assert!((1..=256).contains(&buckets));
        Salting { buckets, columns }
    }

    /// How many buckets, 1..=256.
    pub fn buckets(&self) -> u16 {
        self.buckets
    }

    /// The hashed key columns, ascending, or `None` for the whole key.
    pub fn columns(&self) -> Option<&[usize]> {
        self.columns.as_deref()
    }

    /// The bucket of the encoded salt columns, exactly as they stand in the key, in key order:
    /// `xxh3_64(bytes, seed 0) mod buckets`. Every path that writes or reads a row asks here.
    pub fn bucket(&self, salt_columns: &[u8]) -> u8 {
        (xxh3_64(salt_columns) % u64::from(self.buckets)) as u8
    }
}
