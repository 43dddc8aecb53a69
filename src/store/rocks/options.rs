//! How RocksDB is set up.

use rocksdb::{
    BlockBasedOptions, Cache, DBCompressionType, DBRecoveryMode, Env, LogLevel, Options,
};

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// How a [`RocksStore`](crate::store::RocksStore) is set up.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Bytes of blocks, indexes and filters that are kept in memory, over all tables.
    pub cache_size: usize,
    /// Bytes of rows that are kept in memory before they are written to files, over all tables.
    pub write_buffer_size: usize,
    /// Reads a damaged log up to its first damaged record, and drops what comes after. Never
    /// what one wants before having made a copy of the folder.
    pub recover_to_point_in_time: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        StoreOptions {
            cache_size: 256 * MIB,
            write_buffer_size: 128 * MIB,
            recover_to_point_in_time: false,
        }
    }
}

/// The options of the database and of each of its families.
pub(super) fn rocksdb_options(store: &StoreOptions, env: Option<&Env>) -> (Options, Options) {
    let cache = Cache::new_lru_cache(store.cache_size);
    let family = family_options(store, &cache);
    let mut options = family.clone();
    if let Some(env) = env {
        options.set_env(env);
    }
    options.create_if_missing(true);
    options.set_paranoid_checks(true);
    // A torn tail is a crash. A record before the tail that fails its checksum is damage; the
    // default mode would drop it and every acknowledged commit after it in silence.
    options.set_wal_recovery_mode(match store.recover_to_point_in_time {
        false => DBRecoveryMode::TolerateCorruptedTailRecords,
        true => DBRecoveryMode::PointInTime,
    });
    // A log file that was closed and has since vanished or shrunk is damage too.
    options.set_track_and_verify_wals_in_manifest(!store.recover_to_point_in_time);
    // All tables go into files at the same moment of the log. Else a table that is ahead of a
    // damaged record would keep the others from going back to before it, and a table would not
    // fit its indexes.
    options.set_atomic_flush(true);
    // One budget for the memtables of all tables, however many there are.
    options.set_db_write_buffer_size(store.write_buffer_size);
    // A table that is never written again would else keep every log since alive.
    options.set_max_total_wal_size(2 * store.write_buffer_size as u64);
    options.set_max_background_jobs(
        std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8)) as i32,
    );
    // Well below the usual limit of 1,024 for a process; indexes and filters of files that are
    // not open are read again when they are.
    options.set_max_open_files(512);
    options.set_bytes_per_sync(MIB as u64);
    // Files of dropped tables are deleted in the background, not by the last reader.
    options.set_avoid_unnecessary_blocking_io(true);
    options.set_log_level(LogLevel::Warn);
    options.set_keep_log_file_num(3);
    options.set_max_log_file_size(4 * MIB);
    options.set_stats_dump_period_sec(0);
    options.set_stats_persist_period_sec(0);
    (options, family)
}

fn family_options(store: &StoreOptions, cache: &Cache) -> Options {
    let mut table = BlockBasedOptions::default();
    // Scans and point gets alike: four times RocksDB's default block makes scans and files
    // better, and costs a get one search over 16 KiB in memory.
    table.set_block_size(16 * KIB);
    table.set_block_cache(cache);
    // Indexes and filters count against the cache, so that memory has one bound.
    table.set_cache_index_and_filter_blocks(true);
    table.set_cache_index_and_filter_blocks_with_high_priority(true);
    table.set_pin_l0_filter_and_index_blocks_in_cache(true);
    // Of whole keys. A filter of prefixes would lose rows in ranges that cross a prefix.
    table.set_bloom_filter(10.0, false);
    table.set_whole_key_filtering(true);
    table.set_optimize_filters_for_memory(true);

    let mut options = Options::default();
    options.set_block_based_table_factory(&table);
    options.set_write_buffer_size((store.write_buffer_size / 2).max(MIB));
    options.set_max_write_buffer_number(4);
    // A table of three rows should not hold a megabyte.
    options.set_arena_block_size(64 * KIB);
    options.set_level_compaction_dynamic_level_bytes(true);
    options.set_compression_type(DBCompressionType::Lz4);
    options.set_bottommost_compression_type(DBCompressionType::Zstd);
    options
}
