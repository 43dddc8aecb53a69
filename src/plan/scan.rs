//! One scan as a line of EXPLAIN, and as a value for code that asserts on plans.

use std::fmt::{self, Write};
use std::ops::Bound;

use crate::catalog::TableDef;
use crate::plan::operand::Operand;
use crate::plan::path::{Access, AccessPath, Buckets};
use crate::plan::text::{self, MAX_ITEMS, name_text};

/// How a scan finds its rows.
///
/// ```
/// use rocksalt::ScanKind;
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ())?;
/// let plan = db.explain("SELECT * FROM t WHERE a = 1")?;
/// assert_eq!(plan.scans()[0].kind, ScanKind::RangeScan);
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScanKind {
    /// Full row keys, each looked up in its bucket.
    PointGet,
    /// One key range, in every bucket in which it can lie.
    RangeScan,
    /// Several key ranges.
    SkipScan,
    /// The whole table.
    FullScan,
    /// Nothing is read.
    Empty,
}

impl fmt::Display for ScanKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ScanKind::PointGet => "PointGet",
            ScanKind::RangeScan => "RangeScan",
            ScanKind::SkipScan => "SkipScan",
            ScanKind::FullScan => "FullScan",
            ScanKind::Empty => "Empty",
        })
    }
}

/// What a plan reads of one table. Its `Display` is its line in EXPLAIN.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ())?;
/// let plan = db.explain("SELECT * FROM t WHERE a = 1 AND b = 2")?;
/// let scan = &plan.scans()[0];
/// assert_eq!((scan.buckets_read, scan.buckets_total), (1, Some(4)));
/// assert_eq!(scan.keys, ["(1, 2)"]);
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Scan {
    /// The table, with its schema if that is not `public`.
    pub table: String,
    /// How the rows are found.
    pub kind: ScanKind,
    /// How many buckets are read; 1 for an unsalted table, 0 if nothing is read.
    pub buckets_read: u16,
    /// How many buckets the table has; `None` if it is not salted.
    pub buckets_total: Option<u16>,
    /// Whether `buckets_read` is known, or an upper bound because values are missing.
    pub buckets_exact: bool,
    /// The keys of a point get or the key ranges, all of them, as they are printed.
    pub keys: Vec<String>,
    /// The columns that are read, unless it is all of them.
    pub columns: Option<Vec<String>>,
    /// What could not become a key range.
    pub filter: Option<String>,
    /// Whether the rows come in key order, forward or backward.
    pub ordered: bool,
    /// Whether they come from the last key to the first.
    pub reverse: bool,
    /// After how many rows the scan ends.
    pub limit: Option<usize>,
    /// The line under the plan that says why so many buckets are read.
    pub note: Option<String>,
}

/// What a scan does besides its access path.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScanOptions<'a> {
    /// The columns that are read, as indices into the table's; `None` for all.
    pub columns: Option<&'a [usize]>,
    /// Whether the rows come in key order.
    pub ordered: bool,
    /// Whether they come backward.
    pub reverse: bool,
    /// After how many rows the scan ends.
    pub limit: Option<usize>,
}

impl Scan {
    /// Describes the scan of a table by an access path.
    #[doc(hidden)]
    pub fn new(def: &TableDef, path: &AccessPath, options: ScanOptions<'_>) -> Scan {
        let table = name_of(def);
        let (kind, keys): (ScanKind, Vec<String>) = match &path.access {
            Access::PointGet(keys) => (
                ScanKind::PointGet,
                keys.iter().map(|key| tuple(key)).collect(),
            ),
            Access::Ranges(ranges) => {
                let kind = if ranges.len() == 1 {
                    ScanKind::RangeScan
                } else {
                    ScanKind::SkipScan
                };
                (
                    kind,
                    ranges.iter().map(|r| range(&r.lower, &r.upper)).collect(),
                )
            }
            Access::FullScan => (ScanKind::FullScan, Vec::new()),
            Access::Empty => (ScanKind::Empty, Vec::new()),
        };
        let buckets_total = def.salting.as_ref().map(|salting| salting.buckets());
        let buckets_read = path.buckets.count();
        let columns = options.columns.and_then(|columns| {
            let all = (0..def.columns.len()).all(|column| columns.contains(&column));
            let name = |column: &usize| def.columns.get(*column).map(|c| name_text(&c.name));
            (!all).then(|| columns.iter().filter_map(name).collect())
        });
        let scans_all = !matches!(kind, ScanKind::PointGet | ScanKind::Empty)
            && buckets_total.is_some_and(|total| total > 1 && buckets_read == total);
        let note = (scans_all && !path.filters.is_empty() && !path.unbound.is_empty()).then(|| {
            let names: Vec<String> = path
                .unbound
                .iter()
                .filter_map(|part| def.columns.get(def.key.get(*part)?.column))
                .map(|column| name_text(&column.name))
                .collect();
            let names = names.join(", ");
            format!("note: {table} reads {buckets_read}/{buckets_read} buckets: {names} not bound by equality")
        });
        Scan {
            table,
            kind,
            buckets_read,
            buckets_total,
            buckets_exact: !path.is_symbolic() && matches!(path.buckets, Buckets::Known(_)),
            keys,
            columns,
            filter: (!path.residual.is_empty()).then(|| text::conjunction(&path.residual, def)),
            ordered: options.ordered,
            reverse: options.reverse,
            limit: options.limit,
            note,
        }
    }
}

impl fmt::Display for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.table)?;
        if self.kind == ScanKind::Empty {
            return Ok(());
        }
        match self.buckets_total {
            Some(total) => {
                let at_most = if self.buckets_exact { "" } else { "<=" };
                write!(f, ", buckets {at_most}{}/{total}", self.buckets_read)?;
            }
            None => f.write_str(", unsalted")?,
        }
        if !self.keys.is_empty() {
            let mut list = self
                .keys
                .iter()
                .take(MAX_ITEMS)
                .cloned()
                .collect::<Vec<_>>();
            if self.keys.len() > MAX_ITEMS {
                list.push(format!("+{} more", self.keys.len() - MAX_ITEMS));
            }
            let list = list.join(", ");
            match self.kind {
                ScanKind::PointGet => write!(f, ", keys [{list}]")?,
                _ => write!(f, ", ranges {list}")?,
            }
        }
        if let Some(columns) = &self.columns {
            write!(f, ", columns [{}]", columns.join(", "))?;
        }
        if let Some(filter) = &self.filter {
            write!(f, ", filter {filter}")?;
        }
        if self.reverse {
            f.write_str(", reverse")?;
        }
        if let Some(limit) = self.limit {
            write!(f, ", limit {limit}")?;
        }
        Ok(())
    }
}

/// The line of a merge by key: the key columns in the order in which the rows come, each with
/// whether it descends. `KeyMerge: tenant, ts DESC`
pub fn key_merge_text<'a>(columns: impl IntoIterator<Item = (&'a str, bool)>) -> String {
    let columns: Vec<String> = columns
        .into_iter()
        .map(|(name, descending)| {
            format!(
                "{}{}",
                name_text(name),
                if descending { " DESC" } else { "" }
            )
        })
        .collect();
    format!("KeyMerge: {}", columns.join(", "))
}

fn name_of(def: &TableDef) -> String {
    match def.schema.as_str() {
        "public" => name_text(&def.name),
        schema => format!("{}.{}", name_text(schema), name_text(&def.name)),
    }
}

fn tuple(operands: &[Operand]) -> String {
    let mut text = String::new();
    let many = operands.len() > 1;
    if many {
        text.push('(');
    }
    for (at, operand) in operands.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        let _ = write!(text, "{operand}");
    }
    if many {
        text.push(')');
    }
    text
}

fn range(lower: &Bound<Vec<Operand>>, upper: &Bound<Vec<Operand>>) -> String {
    let lower = match lower {
        Bound::Included(values) => format!("[{} ", tuple(values)),
        Bound::Excluded(values) => format!("({} ", tuple(values)),
        Bound::Unbounded => String::new(),
    };
    let upper = match upper {
        Bound::Included(values) => format!(" {}]", tuple(values)),
        Bound::Excluded(values) => format!(" {})", tuple(values)),
        Bound::Unbounded => String::new(),
    };
    format!("{lower}..{upper}")
}
