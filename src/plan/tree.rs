//! A plan as a tree of lines.

use std::fmt;

use crate::plan::json::Json;
use crate::plan::scan::Scan;

/// One line of a plan and what stands under it.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ())?;
/// let plan = db.explain("SELECT * FROM t ORDER BY a")?;
/// assert_eq!(plan.root().text, "KeyMerge: a");
/// assert_eq!(plan.root().children[0].text, "FullScan: t, buckets 4/4");
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PlanNode {
    /// The line.
    pub text: String,
    /// The nodes that feed it, in order.
    pub children: Vec<PlanNode>,
    /// What the node reads, if it is a scan of a rocksalt table.
    pub scan: Option<Scan>,
}

impl PlanNode {
    /// A node of a text with children.
    #[doc(hidden)]
    pub fn new(text: impl Into<String>, children: Vec<PlanNode>) -> Self {
        PlanNode {
            text: text.into(),
            children,
            scan: None,
        }
    }

    fn lines(&self, first: &str, rest: &str, out: &mut Vec<String>) {
        // A text of several lines would break the tree.
        let analyzed = self.scan.as_ref().and_then(|scan| scan.analyzed.as_ref());
        let counts = analyzed.map(|counts| format!(" | {counts}"));
        out.push(format!(
            "{first}{}{}",
            self.text.replace('\n', " "),
            counts.unwrap_or_default()
        ));
        let last = self.children.len().saturating_sub(1);
        for (at, child) in self.children.iter().enumerate() {
            let (branch, stem) = if at == last {
                ("└─ ", "   ")
            } else {
                ("├─ ", "│  ")
            };
            child.lines(&format!("{rest}{branch}"), &format!("{rest}{stem}"), out);
        }
    }

    /// Every kind of node that plans are made of.
    ///
    /// ```
    /// assert!(rocksalt::PlanNode::KINDS.contains(&"KeyMerge"));
    /// ```
    pub const KINDS: &[&str] = &[
        "Aggregate",
        "CrossJoin",
        "Delete",
        "Empty",
        "Filter",
        "FullScan",
        "HashJoin",
        "IndexLookup",
        "IndexScan",
        "IndexUnion",
        "InformationSchema",
        "Insert",
        "KeyMerge",
        "Limit",
        "LooseScan",
        "MergeJoin",
        "NestedLoopJoin",
        "OneRow",
        "PointGet",
        "Projection",
        "RangeScan",
        "RecursiveQuery",
        "ScalarSubquery",
        "SkipScan",
        "Sort",
        "Subquery",
        "TableFunction",
        "Union",
        "Unnest",
        "Update",
        "Upsert",
        "Values",
        "Window",
        "WorkTable",
    ];

    /// The node's kind: the first word of its line.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ())?;
    /// assert_eq!(db.explain("SELECT * FROM t ORDER BY a")?.root().kind(), "KeyMerge");
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn kind(&self) -> &str {
        let kind = self.text.split([':', ' ']).next();
        kind.unwrap_or_default()
    }

    fn to_json(&self) -> Json {
        let mut members = vec![
            ("node", Json::Text(self.kind().to_owned())),
            ("text", Json::Text(self.text.clone())),
        ];
        if let Some(scan) = &self.scan {
            members.extend(scan.to_json());
        }
        let children = self.children.iter().map(PlanNode::to_json).collect();
        members.push(("children", Json::List(children)));
        Json::Object(members)
    }

    /// Calls `each` with every scan, in the order in which they are printed.
    pub(crate) fn visit_scans(&self, each: &mut dyn FnMut(&Scan)) {
        self.scan.iter().for_each(&mut *each);
        self.children
            .iter()
            .for_each(|child| child.visit_scans(each));
    }

    /// The same, to change them.
    pub(crate) fn visit_scans_mut(&mut self, each: &mut dyn FnMut(&mut Scan)) {
        self.scan.iter_mut().for_each(&mut *each);
        self.children
            .iter_mut()
            .for_each(|child| child.visit_scans_mut(each));
    }
}

impl From<Scan> for PlanNode {
    fn from(scan: Scan) -> Self {
        PlanNode {
            text: scan.to_string(),
            children: Vec::new(),
            scan: Some(scan),
        }
    }
}

/// How a plan is written.
///
/// ```
/// use rocksalt::PlanFormat;
/// let db = rocksalt::blocking::Database::in_memory()?;
/// assert_eq!(db.explain("EXPLAIN (FORMAT JSON) SELECT 1")?.format(), PlanFormat::Json);
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PlanFormat {
    /// One line a node.
    #[default]
    Text,
    /// One JSON object a node.
    Json,
}

/// A statement's plan. Its `Display` is what EXPLAIN prints, without a line end after the last
/// line.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ())?;
/// let plan = db.explain("SELECT * FROM t ORDER BY a")?;
/// assert_eq!(plan.to_string(), "KeyMerge: a\n└─ FullScan: t, buckets 4/4");
/// # Ok::<(), rocksalt::Error>(())
/// ```
///
/// Two plans are the same if their texts are: compare `to_string()` with a snapshot, or ask
/// [`Plan::scans`] what is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    root: Box<PlanNode>,
    scans: Vec<Scan>,
    format: PlanFormat,
}

impl Plan {
    /// The plan of a tree.
    #[doc(hidden)]
    pub fn new(root: PlanNode) -> Self {
        let mut scans = Vec::new();
        root.visit_scans(&mut |scan| scans.push(scan.clone()));
        Plan {
            root: Box::new(root),
            scans,
            format: PlanFormat::Text,
        }
    }

    /// The same plan, written in this format.
    #[doc(hidden)]
    pub fn in_format(self, format: PlanFormat) -> Self {
        Plan { format, ..self }
    }

    /// The format that the statement asked for, in which `Display` writes it.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// let plan = db.explain("EXPLAIN (FORMAT JSON) SELECT 1")?;
    /// assert_eq!(plan.to_string(), plan.to_json());
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn format(&self) -> PlanFormat {
        self.format
    }

    /// The plan as a JSON document, as EXPLAIN (FORMAT JSON) prints it: an object a node, with its
    /// kind (`node`), its line (`text`), the facts of a scan, and `children`. Members come in a
    /// fixed order and are all there: what a scan does not have is `null` or empty.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// assert_eq!(
    ///     db.explain("SELECT 1 AS one")?.root().children[0].text,
    ///     "OneRow",
    /// );
    /// assert!(db.explain("SELECT 1 AS one")?.to_json().contains("\"node\": \"OneRow\""));
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        self.root.to_json().to_string()
    }

    /// The tree.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ())?;
    /// assert!(db.explain("DELETE FROM t WHERE a = 1")?.root().text.starts_with("Delete: t"));
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn root(&self) -> &PlanNode {
        &self.root
    }

    /// The scans of rocksalt tables, in the order in which they are printed.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ())?;
    /// assert_eq!(db.explain("SELECT 1 FROM t x JOIN t y ON x.a = y.b")?.scans().len(), 2);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn scans(&self) -> &[Scan] {
        &self.scans
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.format == PlanFormat::Json {
            return f.write_str(&self.to_json());
        }
        let mut lines = Vec::new();
        self.root.lines("", "", &mut lines);
        for scan in &self.scans {
            if let Some(note) = &scan.note
                && !lines.contains(note)
            {
                lines.push(note.clone());
            }
        }
        f.write_str(&lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_child_has_a_branch_of_its_own() {
        let leaf = |text: &str| PlanNode::new(text, vec![]);
        let inner = PlanNode::new("A", vec![leaf("B")]);
        let plan = Plan::new(PlanNode::new("Join", vec![inner, leaf("C")]));
        assert_eq!(plan.to_string(), "Join\n├─ A\n│  └─ B\n└─ C");
    }
}
