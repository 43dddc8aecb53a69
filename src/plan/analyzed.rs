//! What a scan did when its statement was executed.

use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use crate::plan::json::Json;

/// What a scan did in the statement that EXPLAIN ANALYZE executed, in all of its partitions and
/// executions together. Its `Display` is what stands behind the scan's line.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ())?;
/// db.execute("UPSERT INTO t VALUES (1, 1), (1, 2), (2, 1)", ())?;
/// let plan = db.explain("EXPLAIN ANALYZE SELECT * FROM t WHERE a = 1")?;
/// let counts = plan.scans()[0].analyzed.as_ref().expect("it was executed");
/// assert_eq!((counts.rows_read, counts.rows_returned), (2, 2));
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Analyzed {
    /// Keys that were looked up by point gets.
    pub gets: u64,
    /// Entries of an index that were read to get the rows that they are of.
    pub entries: u64,
    /// Rows that were decoded, before any filter; entries, if they hold all that is read.
    pub rows_read: u64,
    /// Rows that were returned: what the filter and the limit left.
    pub rows_returned: u64,
    /// Bytes of the keys and values of the rows that were decoded; of values only if a column of
    /// theirs was read.
    pub bytes: u64,
    /// How often an iterator was sent to a key. How many iterators there are depends on the number
    /// of threads.
    pub seeks: u64,
    /// Rows that were stepped over, in place of a seek.
    pub rows_skipped: u64,
    /// What each bucket cost that was read, buckets ascending. An unsalted table is bucket 0.
    pub buckets: Vec<AnalyzedBucket>,
    /// Whether the table is salted, so that its buckets have names.
    pub(crate) salted: bool,
}

/// What reading one bucket cost.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ())?;
/// db.execute("UPSERT INTO t SELECT value FROM generate_series(1, 100)", ())?;
/// let plan = db.explain("EXPLAIN ANALYZE SELECT * FROM t")?;
/// let counts = plan.scans()[0].analyzed.as_ref().expect("it was executed");
/// assert_eq!(counts.buckets.iter().map(|bucket| bucket.rows).sum::<u64>(), 100);
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnalyzedBucket {
    /// The bucket.
    pub bucket: u8,
    /// Its rows that were decoded.
    pub rows: u64,
    /// How long it took to find and decode them.
    pub time: Duration,
}

impl AnalyzedBucket {
    /// The costs of a bucket.
    #[doc(hidden)]
    pub fn new(bucket: u8, rows: u64, time: Duration) -> Self {
        AnalyzedBucket { bucket, rows, time }
    }
}

impl Analyzed {
    /// The bucket that took longest, the first of several.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ())?;
    /// let plan = db.explain("EXPLAIN ANALYZE SELECT * FROM t WHERE a = 1 AND a = 2")?;
    /// assert_eq!(plan.scans()[0].analyzed.as_ref().and_then(|counts| counts.slowest()), None);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn slowest(&self) -> Option<&AnalyzedBucket> {
        self.buckets.iter().rev().max_by_key(|bucket| bucket.time)
    }

    /// The counts as an object.
    pub(super) fn to_json(&self) -> Json {
        let bucket = |bucket: &AnalyzedBucket| {
            Json::Object(vec![
                ("bucket", u64::from(bucket.bucket).into()),
                ("rows", bucket.rows.into()),
                ("milliseconds", Json::Number(milliseconds(bucket.time))),
            ])
        };
        let slowest = self.slowest().filter(|_| self.salted);
        Json::Object(vec![
            ("gets", self.gets.into()),
            ("entries", self.entries.into()),
            ("rows_read", self.rows_read.into()),
            ("rows_returned", self.rows_returned.into()),
            ("bytes", self.bytes.into()),
            ("seeks", self.seeks.into()),
            ("rows_skipped", self.rows_skipped.into()),
            (
                "slowest_bucket",
                slowest.map_or(Json::Null, |slowest| u64::from(slowest.bucket).into()),
            ),
            (
                "buckets",
                Json::List(self.buckets.iter().map(bucket).collect()),
            ),
        ])
    }
}

/// What depends on the data alone comes first; from ` | seeks` on the numbers may differ each time.
impl fmt::Display for Analyzed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.entries > 0 {
            write!(f, "entries {}, ", self.entries)?;
        }
        if self.gets > 0 {
            write!(f, "gets {}, ", self.gets)?;
        }
        write!(
            f,
            "rows read {}, rows returned {}, bytes {} | seeks {}",
            self.rows_read, self.rows_returned, self.bytes, self.seeks
        )?;
        if self.rows_skipped > 0 {
            write!(f, ", rows skipped {}", self.rows_skipped)?;
        }
        let Some(slowest) = self.slowest() else {
            return Ok(());
        };
        let s = if slowest.rows == 1 { "" } else { "s" };
        let cost = format!(
            "{} row{s} in {} ms",
            slowest.rows,
            milliseconds(slowest.time)
        );
        match self.salted {
            true => write!(f, ", slowest bucket {}: {cost}", slowest.bucket),
            false => write!(f, ", {cost}"),
        }
    }
}

impl AddAssign<&Analyzed> for Analyzed {
    fn add_assign(&mut self, other: &Analyzed) {
        self.gets += other.gets;
        self.entries += other.entries;
        self.rows_read += other.rows_read;
        self.rows_returned += other.rows_returned;
        self.bytes += other.bytes;
        self.seeks += other.seeks;
        self.rows_skipped += other.rows_skipped;
        for theirs in &other.buckets {
            match self
                .buckets
                .binary_search_by_key(&theirs.bucket, |ours| ours.bucket)
            {
                Ok(at) => {
                    self.buckets[at].rows += theirs.rows;
                    self.buckets[at].time += theirs.time;
                }
                Err(at) => self.buckets.insert(at, *theirs),
            }
        }
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(buckets: &[(u8, u64, u64)]) -> Analyzed {
        let bucket = |(bucket, rows, micros): &(u8, u64, u64)| {
            AnalyzedBucket::new(*bucket, *rows, Duration::from_micros(*micros))
        };
        Analyzed {
            rows_read: buckets.iter().map(|(_, rows, _)| rows).sum(),
            rows_returned: 1,
            bytes: 10,
            seeks: 2,
            buckets: buckets.iter().map(bucket).collect(),
            salted: true,
            ..Analyzed::default()
        }
    }

    #[test]
    fn executions_add_up() {
        let mut sum = counts(&[(1, 4, 100), (7, 1, 120)]);
        sum += &counts(&[(0, 2, 10), (1, 3, 50)]);
        assert_eq!(
            sum.to_string(),
            "rows read 10, rows returned 2, bytes 20 | seeks 4, slowest bucket 1: 7 rows in 0.15 ms"
        );
        let buckets: Vec<_> = sum.buckets.iter().map(|b| (b.bucket, b.rows)).collect();
        assert_eq!(buckets, [(0, 2), (1, 7), (7, 1)]);
    }

    #[test]
    fn only_what_there_is_is_printed() {
        let none = Analyzed::default();
        assert_eq!(
            none.to_string(),
            "rows read 0, rows returned 0, bytes 0 | seeks 0"
        );
        let unsalted = Analyzed {
            gets: 2,
            rows_skipped: 3,
            salted: false,
            ..counts(&[(0, 1, 1_234)])
        };
        assert_eq!(
            unsalted.to_string(),
            "gets 2, rows read 1, rows returned 1, bytes 10 | seeks 2, rows skipped 3, 1 row in 1.23 ms"
        );
    }
}
