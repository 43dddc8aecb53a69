//! A set of buckets.

/// A set of buckets out of 0..=255.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct BucketSet([u64; 4]);

impl BucketSet {
    /// The set of the first `buckets` buckets.
    pub fn all(buckets: u16) -> Self {
        let mut set = BucketSet::default();
        (0..buckets).for_each(|bucket| set.insert(bucket as u8));
        set
    }

    /// Adds a bucket.
    pub fn insert(&mut self, bucket: u8) {
        self.0[usize::from(bucket >> 6)] |= 1 << (bucket & 63);
    }

    /// Whether a bucket is in the set.
    pub fn contains(&self, bucket: u8) -> bool {
        self.0[usize::from(bucket >> 6)] & (1 << (bucket & 63)) != 0
    }

    /// How many buckets are in the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The buckets in one of the sets.
    #[must_use]
    pub fn union(&self, other: &BucketSet) -> BucketSet {
        BucketSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// The buckets in both sets.
    #[must_use]
    pub fn intersection(&self, other: &BucketSet) -> BucketSet {
        BucketSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The buckets, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255).filter(|bucket| self.contains(*bucket))
    }
}

impl std::fmt::Debug for BucketSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
