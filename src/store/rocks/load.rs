//! Sorted rows into a table by files that RocksDB takes over.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rocksdb::{IngestExternalFileOptions, Options, SstFileWriter};

use crate::error::{Error, Result};
use crate::store::rocks::error::from_rocksdb;
use crate::store::rocks::{RocksStore, rows};
use crate::store::{Load, Store, TableHandle, WriteBatch};

/// Bytes of keys and values after which another file is begun.
const FILE_BYTES: usize = 64 << 20;
/// Rows of a batch where there are no files.
const BATCH_ROWS: usize = 10_000;

/// Numbers the files of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Files that nobody has taken over are removed.
struct Files(Vec<PathBuf>);

impl Drop for Files {
    fn drop(&mut self) {
        for path in &self.0 {
            // What RocksDB has moved is gone; what stays is removed on the next open.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl RocksStore {
    /// Writes the rows to files in `folder`, and has RocksDB move these into the table at once.
    pub(super) fn load_files(
        &self,
        table: &TableHandle,
        folder: &Path,
        fill: Load<'_>,
    ) -> Result<()> {
        std::fs::create_dir_all(folder)
            .map_err(|e| Error::io(format!("cannot make {}", folder.display())).with_source(e))?;
        let mut files = Files(Vec::new());
        let mut more = true;
        while more {
            let path = folder.join(format!("{}.sst", NEXT.fetch_add(1, Ordering::Relaxed)));
            files.0.push(path.clone());
            let written;
            (written, more) = write_file(&self.family_options, &path, table.salted(), fill)?;
            if !written {
                files.0.pop();
            }
        }
        if files.0.is_empty() {
            return Ok(());
        }
        let mut options = IngestExternalFileOptions::default();
        options.set_move_files(true);
        let families = self.families.read();
        let family = rows::family(table, &self.db)?;
        if family.dropped.load(Ordering::Acquire) {
            return Err(Error::not_found(format!(
                "table {} was dropped",
                table.id()
            )));
        }
        let ingested =
            self.db
                .ingest_external_file_cf_opts(family.owned.handle(), &options, files.0.clone());
        drop(families);
        ingested.map_err(from_rocksdb)
    }

    /// Writes the rows in batches.
    pub(super) fn load_batches(&self, table: &TableHandle, fill: Load<'_>) -> Result<()> {
        loop {
            let mut batch = WriteBatch::new();
            let mut more = true;
            while more && batch.len() < BATCH_ROWS {
                more = fill(&mut |bucket, key, value| {
                    batch.put(table, bucket, key, value);
                    Ok(())
                })?;
            }
            self.write(batch)?;
            if !more {
                return Ok(());
            }
        }
    }
}

/// Writes one file; whether it has a row, and whether there are more.
fn write_file(
    options: &Options,
    path: &Path,
    salted: bool,
    fill: Load<'_>,
) -> Result<(bool, bool)> {
    let mut writer = SstFileWriter::create(options);
    let mut key_bytes = Vec::new();
    let (mut bytes, mut more) = (0, true);
    while more && bytes < FILE_BYTES {
        more = fill(&mut |bucket, key, value| {
            if bytes == 0 {
                writer.open(path).map_err(from_rocksdb)?;
            }
            key_bytes.clear();
            if salted {
                key_bytes.push(bucket);
            }
            key_bytes.extend_from_slice(key);
            bytes += key_bytes.len() + value.len();
            writer.put(&key_bytes, value).map_err(from_rocksdb)
        })?;
    }
    if bytes > 0 {
        writer.finish().map_err(from_rocksdb)?;
    }
    Ok((bytes > 0, more))
}
