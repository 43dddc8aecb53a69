//! The settings of DataFusion that rocksalt relies on. They are fixed: a plan follows from the
//! statement, the schema and these, never from sizes or the machine.

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{FairSpillPool, GreedyMemoryPool, MemoryPool};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::prelude::SessionConfig;

use crate::engine::bind::catalogs::{CATALOG, PUBLIC};
use crate::engine::error::from_datafusion;
use crate::engine::scan::join_filter::MAX_VALUES;
use crate::error::Result;

/// Of one partition of a join, as many bytes of keys may become a list of values, repeated ones
/// included: each value of it takes a hundred times its size while the list is made.
const JOIN_LIST_BYTES: usize = 512 << 10;

/// The configuration of every session.
pub(super) fn session_config(threads: usize) -> SessionConfig {
    let mut config = SessionConfig::new()
        .with_default_catalog_and_schema(CATALOG, PUBLIC)
        .with_create_default_catalog_and_schema(false)
        .with_information_schema(true)
        // Never 1: a single partition would plan in another shape.
        .with_target_partitions(threads.max(2))
        .with_collect_statistics(false)
        // An exchange that only spreads rows destroys the order of a merge.
        .with_round_robin_repartition(false)
        .with_repartition_file_scans(false);
    let options = config.options_mut();

    options.sql_parser.parse_float_as_decimal = true;
    options.sql_parser.enable_ident_normalization = true;
    options.sql_parser.support_varchar_with_length = true;
    options.sql_parser.map_string_types_to_utf8view = false;
    options.sql_parser.collect_spans = true;
    options.sql_parser.default_null_ordering = "nulls_max".to_owned();

    options.execution.time_zone = None;
    options.execution.planning_concurrency = 1;

    let optimizer = &mut options.optimizer;
    // Only `SortPushdown` moves a sort into a scan.
    optimizer.enable_sort_pushdown = false;
    optimizer.enable_dynamic_filter_pushdown = false;
    optimizer.enable_topk_dynamic_filter_pushdown = false;
    // What a join learns reaches a scan by `JoinReach`.
    optimizer.enable_join_dynamic_filter_pushdown = true;
    optimizer.hash_join_inlist_pushdown_max_size = JOIN_LIST_BYTES;
    optimizer.hash_join_inlist_pushdown_max_distinct_values = MAX_VALUES;
    optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    // The number of partitions must not decide whether an aggregate has one phase or two.
    optimizer.subset_repartition_threshold = 0;
    optimizer.use_statistics_registry = false;
    optimizer.skip_failed_rules = false;
    config
}

/// Memory and spill files of a database.
pub(super) fn runtime_env(
    memory_limit: usize,
    spill_dir: Option<PathBuf>,
) -> Result<Arc<RuntimeEnv>> {
    let (pool, mode): (Arc<dyn MemoryPool>, _) = match spill_dir {
        Some(dir) => (
            Arc::new(FairSpillPool::new(memory_limit)),
            DiskManagerMode::Directories(vec![dir]),
        ),
        None => (
            Arc::new(GreedyMemoryPool::new(memory_limit)),
            DiskManagerMode::Disabled,
        ),
    };
    RuntimeEnvBuilder::new()
        .with_memory_pool(pool)
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(mode))
        .build_arc()
        .map_err(from_datafusion)
}
