//! A plan as a tree of lines.

use std::fmt;

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
        out.push(format!("{first}{}", self.text.replace('\n', " ")));
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

    fn scans(&self, out: &mut Vec<Scan>) {
        out.extend(self.scan.clone());
        self.children.iter().for_each(|child| child.scans(out));
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
    root: PlanNode,
    scans: Vec<Scan>,
}

impl Plan {
    /// The plan of a tree.
    #[doc(hidden)]
    pub fn new(root: PlanNode) -> Self {
        let mut scans = Vec::new();
        root.scans(&mut scans);
        Plan { root, scans }
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
