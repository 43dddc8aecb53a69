//! One scan as a line of EXPLAIN, and as a value for code that asserts on plans.

use std::fmt;

use crate::catalog::TableDef;
use crate::plan::analyzed::Analyzed;
use crate::plan::bounds::{box_texts, key_text, range_text};
use crate::plan::cure::fan_out_text;
use crate::plan::json::Json;
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
    /// Several key ranges, or the pieces of ranges that hold the key columns in given sets.
    SkipScan,
    /// The first or last rows of groups of rows that agree in their first key columns.
    LooseScan,
    /// The whole table.
    FullScan,
    /// Entries of an index that hold all that is asked for.
    IndexScan,
    /// Entries of an index, and the row of each.
    IndexLookup,
    /// Nothing is read.
    Empty,
}

impl ScanKind {
    /// Every kind there is.
    ///
    /// ```
    /// assert!(rocksalt::ScanKind::ALL.contains(&rocksalt::ScanKind::PointGet));
    /// ```
    pub const ALL: &[ScanKind] = &[
        ScanKind::PointGet,
        ScanKind::RangeScan,
        ScanKind::SkipScan,
        ScanKind::LooseScan,
        ScanKind::FullScan,
        ScanKind::IndexScan,
        ScanKind::IndexLookup,
        ScanKind::Empty,
    ];
}

impl fmt::Display for ScanKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ScanKind::PointGet => "PointGet",
            ScanKind::RangeScan => "RangeScan",
            ScanKind::SkipScan => "SkipScan",
            ScanKind::LooseScan => "LooseScan",
            ScanKind::FullScan => "FullScan",
            ScanKind::IndexScan => "IndexScan",
            ScanKind::IndexLookup => "IndexLookup",
            ScanKind::Empty => "Empty",
        })
    }
}

/// The groups of a loose scan: rows that agree in their first key columns.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ())?;
/// let plan = db.explain("SELECT a, max(b) FROM t GROUP BY a")?;
/// let groups = plan.scans()[0].groups.as_ref().expect("a loose scan");
/// assert_eq!(groups.columns, ["a"]);
/// assert!(groups.last && !groups.first);
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanGroups {
    /// The key columns in which the rows of a group agree; with none the table is one group.
    pub columns: Vec<String>,
    /// Whether the first row of each group is read in each bucket.
    pub first: bool,
    /// Whether the last one is.
    pub last: bool,
}

impl fmt::Display for ScanGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "groups ({})", self.columns.join(", "))?;
        f.write_str(match (self.first, self.last) {
            (_, false) => "",
            (false, true) => ", last",
            (true, true) => ", first and last",
        })
    }
}

/// What a plan reads of one table. Its `Display` is its line in EXPLAIN, without the counts of
/// EXPLAIN ANALYZE.
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
    /// The index whose entries are read; keys, ranges and buckets are then those of the index.
    pub index: Option<String>,
    /// How the rows are found.
    pub kind: ScanKind,
    /// How many buckets are read; 1 for an unsalted table, 0 if nothing is read.
    pub buckets_read: u16,
    /// How many buckets there are; `None` if it is not salted.
    pub buckets_total: Option<u16>,
    /// Whether `buckets_read` is known, or an upper bound because values are missing.
    pub buckets_exact: bool,
    /// The groups of a loose scan.
    pub groups: Option<ScanGroups>,
    /// The keys of a point get, or the ranges, all of them, as they are printed.
    pub keys: Vec<String>,
    /// The key columns whose values come from the other side of a join when the query runs: no other
    /// rows are read, unless there are too many values.
    pub joined: Vec<String>,
    /// The columns that are read, unless it is all of them.
    pub columns: Option<Vec<String>>,
    /// What could not become a key range.
    pub filter: Option<String>,
    /// Whether the entries of the index hold all that is read.
    pub covering: bool,
    /// Whether the rows come in key order, forward or backward.
    pub ordered: bool,
    /// Whether they come from the last key to the first.
    pub reverse: bool,
    /// After how many rows the scan ends.
    pub limit: Option<usize>,
    /// The line under the plan that says why so many buckets are read.
    pub note: Option<String>,
    /// What it did, if the statement was executed: by EXPLAIN ANALYZE.
    pub analyzed: Option<Analyzed>,
    /// Whether `keys` are keys and not ranges.
    gets: bool,
}

/// What a scan does besides its access path.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScanOptions<'a> {
    /// The columns that are read, as indices into the table's; `None` for all.
    pub columns: Option<&'a [usize]>,
    /// The key columns that a join binds, as indices into the table's columns.
    pub joined: &'a [usize],
    /// Whether the rows come in key order.
    pub ordered: bool,
    /// Whether they come backward.
    pub reverse: bool,
    /// After how many rows the scan ends.
    pub limit: Option<usize>,
    /// The groups of which it reads only the ends.
    pub groups: Option<GroupOptions>,
    /// The names that an index which the note advises cannot have; without them it advises none.
    pub taken: Option<&'a [&'a str]>,
    /// If it reads an index, of which table it is.
    pub index: Option<IndexOptions<'a>>,
}

/// The scan of an index.
#[derive(Debug, Clone, Copy)]
pub struct IndexOptions<'a> {
    /// The table.
    pub table: &'a TableDef,
    /// Whether the entries hold all that is read.
    pub covering: bool,
}

/// What a loose scan reads.
#[derive(Debug, Clone, Copy)]
pub struct GroupOptions {
    /// How many leading key columns make a group.
    pub columns: usize,
    /// Whether the first row of each group is read.
    pub first: bool,
    /// Whether the last one is.
    pub last: bool,
}

impl Scan {
    /// Describes the scan of a table by an access path, or of an index, which is then `def` as a
    /// table.
    #[doc(hidden)]
    pub fn new(def: &TableDef, path: &AccessPath, options: ScanOptions<'_>) -> Scan {
        let rows = options.index.map_or(def, |index| index.table);
        let table = table_text(rows);
        let (kind, keys): (ScanKind, Vec<String>) = match &path.access {
            Access::PointGet(keys) => (
                ScanKind::PointGet,
                keys.iter().map(|key| key_text(key)).collect(),
            ),
            Access::Ranges(_) if !path.boxes.is_empty() => (
                ScanKind::SkipScan,
                path.boxes.iter().flat_map(box_texts).collect(),
            ),
            Access::Ranges(ranges) => {
                let kind = if ranges.len() == 1 {
                    ScanKind::RangeScan
                } else {
                    ScanKind::SkipScan
                };
                (kind, ranges.iter().map(range_text).collect())
            }
            Access::FullScan => (ScanKind::FullScan, Vec::new()),
            Access::Empty => (ScanKind::Empty, Vec::new()),
        };
        let groups = options.groups.map(|groups| ScanGroups {
            columns: (def.key.iter().take(groups.columns))
                .filter_map(|part| def.columns.get(part.column))
                .map(|column| name_text(&column.name))
                .collect(),
            first: groups.first,
            last: groups.last,
        });
        let gets = kind == ScanKind::PointGet;
        let kind = match (&groups, options.index) {
            (Some(_), _) => ScanKind::LooseScan,
            (None, Some(index)) if kind != ScanKind::Empty => match index.covering {
                true => ScanKind::IndexScan,
                false => ScanKind::IndexLookup,
            },
            _ => kind,
        };
        let buckets_total = def.salting.as_ref().map(|salting| salting.buckets());
        let buckets_read = path.buckets.count();
        let name = |column: &usize| def.columns.get(*column).map(|c| name_text(&c.name));
        let columns = options.columns.and_then(|columns| {
            let all = (0..rows.columns.len()).all(|column| columns.contains(&column));
            (!all).then(|| columns.iter().filter_map(name).collect())
        });
        let scans_all = !matches!(kind, ScanKind::PointGet | ScanKind::Empty)
            && options.index.is_none()
            && buckets_total.is_some_and(|total| total > 1 && buckets_read == total);
        let note = fan_out_text(def, path, options.taken)
            .filter(|_| scans_all && !path.filters.is_empty())
            .map(|why| format!("note: {table} reads {buckets_read}/{buckets_read} buckets: {why}"));
        Scan {
            table,
            index: options.index.map(|_| name_text(&def.name)),
            kind,
            buckets_read,
            buckets_total,
            groups,
            buckets_exact: !path.is_symbolic() && matches!(path.buckets, Buckets::Known(_)),
            keys,
            joined: options.joined.iter().filter_map(name).collect(),
            columns,
            filter: (!path.residual.is_empty()).then(|| text::conjunction(&path.residual, def)),
            covering: options.index.is_some_and(|index| index.covering),
            ordered: options.ordered,
            reverse: options.reverse,
            limit: options.limit,
            note,
            analyzed: None,
            gets,
        }
    }
}

impl Scan {
    /// The facts as members of a JSON object.
    pub(super) fn to_json(&self) -> Vec<(&'static str, Json)> {
        let keys = Json::texts(&self.keys);
        let none = Json::List(Vec::new());
        let (keys, ranges) = match self.gets {
            true => (keys, none),
            false => (none, keys),
        };
        let total = self.buckets_total.map(u64::from);
        let limit = self.limit.map(|rows| rows as u64);
        let columns = self.columns.as_deref().map(Json::texts);
        let groups = self.groups.as_ref().map(|groups| {
            Json::Object(vec![
                ("columns", Json::texts(&groups.columns)),
                ("first", Json::Bool(groups.first)),
                ("last", Json::Bool(groups.last)),
            ])
        });
        let mut members = vec![
            ("table", Json::Text(self.table.clone())),
            ("index", self.index.clone().into()),
            ("buckets_read", u64::from(self.buckets_read).into()),
            ("buckets_total", total.map_or(Json::Null, Json::from)),
            ("buckets_exact", Json::Bool(self.buckets_exact)),
            ("groups", groups.unwrap_or(Json::Null)),
            ("keys", keys),
            ("ranges", ranges),
            ("joined", Json::texts(&self.joined)),
            ("columns", columns.unwrap_or(Json::Null)),
            ("filter", self.filter.clone().into()),
            ("covering", Json::Bool(self.covering)),
            ("ordered", Json::Bool(self.ordered)),
            ("reverse", Json::Bool(self.reverse)),
            ("limit", limit.map_or(Json::Null, Json::from)),
            ("note", self.note.clone().into()),
        ];
        let analyzed = self.analyzed.as_ref();
        members.extend(analyzed.map(|analyzed| ("analyzed", analyzed.to_json())));
        members
    }
}

impl fmt::Display for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.index {
            None => write!(f, "{}: {}", self.kind, self.table)?,
            Some(index) if self.kind == ScanKind::IndexLookup => {
                write!(f, "{}: {index} -> {}", self.kind, self.table)?;
            }
            Some(index) => write!(f, "{}: {index} on {}", self.kind, self.table)?,
        }
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
        if let Some(groups) = &self.groups {
            write!(f, ", {groups}")?;
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
            match self.gets {
                true => write!(f, ", keys [{list}]")?,
                false => write!(f, ", ranges {list}")?,
            }
        }
        if !self.joined.is_empty() {
            write!(f, ", join ({})", self.joined.join(", "))?;
        }
        if let Some(columns) = &self.columns {
            write!(f, ", columns [{}]", columns.join(", "))?;
        }
        if let Some(filter) = &self.filter {
            write!(f, ", filter {filter}")?;
        }
        if self.covering {
            f.write_str(", covering")?;
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

/// The name of a table as plans print it: quoted where SQL wants it, in `public` without schema.
pub fn table_text(def: &TableDef) -> String {
    match def.schema.as_str() {
        "public" => name_text(&def.name),
        schema => format!("{}.{}", name_text(schema), name_text(&def.name)),
    }
}
