//! What is expected of a plan.

use std::collections::BTreeSet;

use rocksalt::{Plan, PlanNode, ScanKind};

/// One `-- expect:` line.
#[derive(Debug, PartialEq)]
pub(super) enum Expectation {
    /// `PointGet`, `KeyMerge`: a kind of node.
    Node(String),
    /// `no Sort`
    NoNode(String),
    /// `buckets <= 1`: of every scan.
    Buckets(Comparison, u16),
}

/// How a number of buckets is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
}

impl Comparison {
    fn holds(self, buckets: u16, bound: u16) -> bool {
        match self {
            Comparison::Less => buckets < bound,
            Comparison::LessOrEqual => buckets <= bound,
            Comparison::Equal => buckets == bound,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Equal => "=",
        }
    }
}

impl Expectation {
    /// Reads what stands behind the colon.
    pub(super) fn parse(text: &str) -> Result<Expectation, String> {
        let unknown = || {
            format!(
                "no expectation: {text}; write a kind of node (PointGet), no and a kind of node \
                 (no Sort), or buckets with =, < or <= and a number (buckets <= 1)"
            )
        };
        if let Some(rest) = text.strip_prefix("buckets") {
            let rest = rest.trim_start();
            let (comparison, number) = if let Some(number) = rest.strip_prefix("<=") {
                (Comparison::LessOrEqual, number)
            } else if let Some(number) = rest.strip_prefix('<') {
                (Comparison::Less, number)
            } else if let Some(number) = rest.strip_prefix('=') {
                (Comparison::Equal, number)
            } else {
                return Err(unknown());
            };
            let number = number.trim().parse().map_err(|_| unknown())?;
            return Ok(Expectation::Buckets(comparison, number));
        }
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_uppercase())
                && name.chars().all(|c| c.is_ascii_alphanumeric())
        };
        match text.split_once(char::is_whitespace) {
            Some(("no", name)) if is_name(name.trim()) => {
                Ok(Expectation::NoNode(name.trim().to_owned()))
            }
            None if is_name(text) => Ok(Expectation::Node(text.to_owned())),
            _ => Err(unknown()),
        }
    }

    /// Refuses a name that no plan has: an expectation of it would say nothing.
    pub(super) fn check_names(&self, plan: &Plan) -> Result<(), String> {
        let (Expectation::Node(name) | Expectation::NoNode(name)) = self else {
            return Ok(());
        };
        let known = PlanNode::KINDS.contains(&name.as_str()) || has(plan.root(), name);
        match known {
            true => Ok(()),
            false => Err(format!(
                "no node of a plan is called {name}; there are {}",
                PlanNode::KINDS.join(", ")
            )),
        }
    }

    /// What a plan has instead of what is expected of it, but for its scans.
    pub(super) fn unmet(&self, plan: &Plan) -> Option<String> {
        match self {
            Expectation::Node(name) => {
                let absent = !is_scan(name) && !has(plan.root(), name);
                absent.then(|| format!("expected {name}, found none"))
            }
            Expectation::NoNode(name) => {
                has(plan.root(), name).then(|| format!("expected no {name}, found one"))
            }
            Expectation::Buckets(comparison, bound) => {
                let read = plan.scans().iter().map(|scan| scan.buckets_read);
                let mut read = read.filter(|buckets| !comparison.holds(*buckets, *bound));
                let comparison = comparison.text();
                read.next().map(|buckets| {
                    format!("expected buckets {comparison} {bound}, found {buckets}")
                })
            }
        }
    }
}

/// What the scans of a plan are instead of what is expected of them: each kind that is expected is
/// there, and no other.
pub(super) fn unmet_scans<'e>(
    expectations: impl IntoIterator<Item = &'e Expectation>,
    plan: &Plan,
) -> Option<String> {
    let expected = expectations.into_iter().filter_map(|one| match one {
        Expectation::Node(name) if is_scan(name) => Some(name.clone()),
        _ => None,
    });
    let expected: BTreeSet<String> = expected.collect();
    let found = plan.scans().iter().map(|scan| scan.kind.to_string());
    let found: BTreeSet<String> = found.collect();
    if expected.is_empty() || expected == found {
        return None;
    }
    let list = |kinds: BTreeSet<String>| match kinds.is_empty() {
        true => "no scan".to_owned(),
        false => kinds.into_iter().collect::<Vec<_>>().join(" and "),
    };
    Some(format!(
        "expected {}, found {}",
        list(expected),
        list(found)
    ))
}

fn is_scan(name: &str) -> bool {
    ScanKind::ALL.iter().any(|kind| kind.to_string() == name)
}

fn has(node: &PlanNode, name: &str) -> bool {
    node.kind() == name || node.children.iter().any(|child| has(child, name))
}
