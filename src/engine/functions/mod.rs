//! Functions that rocksalt adds to DataFusion's.

pub(super) mod extremes;
pub(super) mod now;
pub(super) mod salt_bucket;
