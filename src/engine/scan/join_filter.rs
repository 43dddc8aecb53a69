//! What a join knows of its other side once it has read one: a condition on the keys of a scan.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use datafusion::common::{Result as DataFusionResult, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr as LogicalBinary, Expr, Operator, lit};
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, DynamicFilterPhysicalExpr, InListExpr, IsNullExpr, Literal,
};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use futures::FutureExt;

/// More values than these are not looked up one by one: the scan reads what lies between the
/// smallest and the largest.
pub(in crate::engine) const MAX_VALUES: usize = 16_384;

/// The filter of a join, for a scan on the side that the join reads last.
///
/// The join holds it to every row itself, so that a scan may take of it what it can use.
#[derive(Debug, Clone)]
pub(in crate::engine) struct JoinFilter {
    pub(in crate::engine) filter: Arc<DynamicFilterPhysicalExpr>,
    /// The keys of the join, as its filter names them, and each over the columns of the scan's
    /// table, if it can be computed from them.
    pub(in crate::engine) keys: Vec<(Arc<dyn PhysicalExpr>, Option<Expr>)>,
}

impl JoinFilter {
    /// A condition that holds for every row of the scan that the join can use; `None` if it has
    /// not read its other side, or if that says nothing of the scan. With `lists` it may name
    /// values, without it names only bounds.
    pub(in crate::engine) fn condition(&self, lists: bool) -> DataFusionResult<Option<Expr>> {
        if self.filter.wait_complete().now_or_never().is_none() {
            return Ok(None);
        }
        let filter = self.filter.current()?;
        let mut weaker = Weaker {
            keys: &self.keys,
            left: if lists { MAX_VALUES } else { 0 },
            too_many: false,
        };
        let condition = weaker.of(&filter);
        if weaker.too_many {
            return self.condition(false);
        }
        Ok(condition)
    }
}

/// Makes of an expression a condition over the scan's columns that holds wherever the expression
/// is true.
struct Weaker<'a> {
    keys: &'a [(Arc<dyn PhysicalExpr>, Option<Expr>)],
    /// How many values may still be named.
    left: usize,
    /// Whether there were more.
    too_many: bool,
}

impl Weaker<'_> {
    fn of(&mut self, expr: &Arc<dyn PhysicalExpr>) -> Option<Expr> {
        if let Some(literal) = expr.downcast_ref::<Literal>() {
            return match literal.value() {
                ScalarValue::Boolean(Some(true)) => None,
                ScalarValue::Boolean(_) => Some(lit(false)),
                _ => None,
            };
        }
        if let Some(binary) = expr.downcast_ref::<BinaryExpr>() {
            return match binary.op() {
                Operator::And => self.both(binary.left(), binary.right()),
                Operator::Or => {
                    let left = self.of(binary.left())?;
                    Some(either(vec![left, self.of(binary.right())?]))
                }
                op @ (Operator::Eq
                | Operator::Lt
                | Operator::LtEq
                | Operator::Gt
                | Operator::GtEq) => {
                    let value = binary.right().downcast_ref::<Literal>()?;
                    let value = Expr::Literal(value.value().clone(), None);
                    Some(compare(self.key(binary.left())?, *op, value))
                }
                _ => None,
            };
        }
        if let Some(is_null) = expr.downcast_ref::<IsNullExpr>() {
            return Some(self.key(is_null.arg())?.is_null());
        }
        if let Some(list) = expr.downcast_ref::<InListExpr>() {
            return self.list(list);
        }
        // One branch for each partition of the join: a row passes that of its own.
        let case = expr.downcast_ref::<CaseExpr>()?;
        let branches = case.when_then_expr().iter().map(|(_, then)| then);
        let terms: Option<Vec<_>> = branches
            .chain(case.else_expr())
            .map(|branch| self.of(branch))
            .collect();
        Some(either(terms?))
    }

    /// Of two conditions a list of values says all that bounds say.
    fn both(
        &mut self,
        left: &Arc<dyn PhysicalExpr>,
        right: &Arc<dyn PhysicalExpr>,
    ) -> Option<Expr> {
        let listed = right.is::<InListExpr>().then(|| self.of(right)).flatten();
        if listed.is_some() {
            return listed;
        }
        match (self.of(left), self.of(right)) {
            (Some(left), Some(right)) => Some(left.and(right)),
            (left, right) => left.or(right),
        }
    }

    fn key(&self, expr: &Arc<dyn PhysicalExpr>) -> Option<Expr> {
        let (_, key) = self.keys.iter().find(|(key, _)| key == expr)?;
        key.clone()
    }

    /// `key IN (values)`, or `struct(keys) IN (rows)`. NULL is equal to nothing; where a join takes
    /// it for equal, it says so beside the list.
    fn list(&mut self, list: &InListExpr) -> Option<Expr> {
        if list.negated() || self.too_many || self.left == 0 {
            return None;
        }
        let values = || {
            list.list()
                .iter()
                .map(|item| item.downcast_ref::<Literal>().map(Literal::value))
        };
        let rows = match list.expr().downcast_ref::<ScalarFunctionExpr>() {
            Some(row) if row.name() == "struct" => {
                let keys: Vec<_> = row.args().iter().map(|arg| self.key(arg)).collect();
                let mut distinct = HashSet::new();
                for value in values() {
                    let ScalarValue::Struct(row) = value? else {
                        return None;
                    };
                    let fields = row.columns().iter().zip(&keys);
                    let fields = fields
                        .filter(|(_, key)| key.is_some())
                        .map(|(field, _)| ScalarValue::try_from_array(field, 0));
                    let fields = fields.collect::<DataFusionResult<Vec<_>>>().ok()?;
                    if !fields.iter().any(ScalarValue::is_null) {
                        distinct.insert(fields);
                        self.within(distinct.len())?;
                    }
                }
                self.left -= distinct.len();
                (keys.into_iter().flatten().collect::<Vec<_>>(), distinct)
            }
            _ => {
                let key = self.key(list.expr())?;
                let mut distinct = HashSet::new();
                for value in values() {
                    let value = value?;
                    if !value.is_null() {
                        distinct.insert(vec![value.clone()]);
                        self.within(distinct.len())?;
                    }
                }
                self.left -= distinct.len();
                (vec![key], distinct)
            }
        };
        in_rows(rows.0, rows.1)
    }

    /// `None` if there are too many values.
    fn within(&mut self, values: usize) -> Option<()> {
        self.too_many |= values > self.left;
        (!self.too_many).then_some(())
    }
}

/// The keys have together the values of one of the rows. Rows that differ in the last value alone
/// are one term.
fn in_rows(mut keys: Vec<Expr>, rows: HashSet<Vec<ScalarValue>>) -> Option<Expr> {
    let last = keys.pop()?;
    let literal = |value| Expr::Literal(value, None);
    let mut groups: HashMap<Vec<ScalarValue>, Vec<Expr>> = HashMap::new();
    for mut row in rows {
        let value = row.pop()?;
        groups.entry(row).or_default().push(literal(value));
    }
    let term = |(row, list): (Vec<ScalarValue>, Vec<Expr>)| {
        let list = Expr::InList(InList {
            expr: Box::new(last.clone()),
            list,
            negated: false,
        });
        let equal = keys.iter().zip(row);
        let equal = equal.map(|(key, value)| compare(key.clone(), Operator::Eq, literal(value)));
        equal.fold(list, |term, equal| equal.and(term))
    };
    Some(either(groups.into_iter().map(term).collect()))
}

fn compare(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(LogicalBinary {
        left: Box::new(left),
        op,
        right: Box::new(right),
    })
}

/// A chain of ORs as a tree of the least depth.
fn either(mut terms: Vec<Expr>) -> Expr {
    while terms.len() > 1 {
        let mut rest = terms.into_iter();
        let mut joined = Vec::new();
        while let Some(left) = rest.next() {
            joined.push(match rest.next() {
                Some(right) => left.or(right),
                None => left,
            });
        }
        terms = joined;
    }
    terms.pop().unwrap_or_else(|| lit(false))
}
