//! A predicate as a union of boxes, under three-valued logic.
//!
//! The question asked of every part of a predicate is: for which rows is it one of these outcomes?
//! WHERE asks for true; NOT asks its operand for false, IS NOT TRUE for false or unknown, and so
//! on, so that a negation is never pushed anywhere: it only changes the question.

use datafusion::logical_expr::expr::{BinaryExpr, Case};
use datafusion::logical_expr::{Expr, Operator};
use datafusion::scalar::ScalarValue;

use crate::catalog::TableDef;
use crate::plan::axis::Axis;
use crate::plan::boxes::Boxes;
use crate::plan::chain::flatten;
use crate::plan::disjoint::disjoint;
use crate::plan::operand::{Constant, constant};
use crate::plan::side::Side;
use crate::types::SqlType;

/// Beyond this nesting a predicate stays a filter: no input may exhaust the stack.
const MAX_DEPTH: usize = 128;

/// A set of outcomes of a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcomes {
    pub true_: bool,
    pub false_: bool,
    pub unknown: bool,
}

impl Outcomes {
    pub(super) const TRUE: Outcomes = Outcomes {
        true_: true,
        false_: false,
        unknown: false,
    };

    const ALL: Outcomes = Outcomes {
        true_: true,
        false_: true,
        unknown: true,
    };
    const NONE: Outcomes = Outcomes {
        true_: false,
        false_: false,
        unknown: false,
    };

    pub(super) fn not(self) -> Outcomes {
        Outcomes {
            true_: self.false_,
            false_: self.true_,
            unknown: self.unknown,
        }
    }

    /// What to ask the operand of a test that is never unknown, true for the outcomes `test`.
    fn of_test(self, test: Outcomes) -> Outcomes {
        let pick = |in_test: bool| if in_test { self.true_ } else { self.false_ };
        Outcomes {
            true_: pick(test.true_),
            false_: pick(test.false_),
            unknown: pick(test.unknown),
        }
    }
}

/// Reads predicates on one table.
pub(super) struct Reader<'a> {
    pub def: &'a TableDef,
    /// The lines of the key columns, and of the bucket.
    pub axes: &'a [Axis],
}

impl Reader<'_> {
    /// The rows for which `expr` has one of the outcomes `want`.
    pub(super) fn rows(&self, expr: &Expr, want: Outcomes, depth: usize) -> Boxes {
        if want == Outcomes::NONE {
            return Boxes::none();
        }
        if want == Outcomes::ALL {
            return Boxes::all(true);
        }
        if depth > MAX_DEPTH {
            return Boxes::all(false);
        }
        let depth = depth + 1;
        let test = |t: bool, f: bool, n: bool| {
            want.of_test(Outcomes {
                true_: t,
                false_: f,
                unknown: n,
            })
        };
        match expr {
            Expr::Alias(alias) => self.rows(&alias.expr, want, depth),
            Expr::Not(inner) => self.rows(inner, want.not(), depth),
            Expr::IsTrue(inner) => self.rows(inner, test(true, false, false), depth),
            Expr::IsFalse(inner) => self.rows(inner, test(false, true, false), depth),
            Expr::IsUnknown(inner) => self.rows(inner, test(false, false, true), depth),
            Expr::IsNotTrue(inner) => self.rows(inner, test(false, true, true), depth),
            Expr::IsNotFalse(inner) => self.rows(inner, test(true, false, true), depth),
            Expr::IsNotUnknown(inner) => self.rows(inner, test(true, true, false), depth),
            Expr::IsNull(inner) => self.null_test(inner, want, depth),
            Expr::IsNotNull(inner) => self.null_test(inner, want.not(), depth),
            Expr::Literal(scalar, _) => {
                let holds = match scalar {
                    ScalarValue::Boolean(Some(true)) => want.true_,
                    ScalarValue::Boolean(Some(false)) => want.false_,
                    scalar if scalar.is_null() => want.unknown,
                    _ => return Boxes::all(false),
                };
                if holds {
                    Boxes::all(true)
                } else {
                    Boxes::none()
                }
            }
            Expr::Column(_) => match self.side(expr) {
                Some(side) if side.axis.sql_type == SqlType::Boolean => {
                    let one = ScalarValue::Boolean(Some(true));
                    self.compare(&side, Operator::Eq, &Constant::Literal(one), want)
                }
                _ => Boxes::all(false),
            },
            Expr::BinaryExpr(BinaryExpr {
                op: op @ (Operator::And | Operator::Or),
                ..
            }) => self.junction(expr, *op, want, depth),
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                if let (Some(side), Some(other)) = (self.side(left), constant(right)) {
                    self.compare(&side, *op, &other, want)
                } else if let (Some(other), Some(side)) = (constant(left), self.side(right))
                    && let Some(op) = op.swap()
                {
                    self.compare(&side, op, &other, want)
                } else if is_condition(left) {
                    self.compare_condition(left, *op, right, want, depth)
                } else if is_condition(right) {
                    self.compare_condition(right, *op, left, want, depth)
                } else {
                    Boxes::all(false)
                }
            }
            Expr::Between(between) => self.between(between, want),
            Expr::InList(list) => self.in_list(list, want),
            Expr::Like(like) => self.like(like, want),
            Expr::Case(case) => self.case(case, want, depth),
            Expr::ScalarFunction(function) => match (function.name(), function.args.as_slice()) {
                ("starts_with", [text, prefix]) => self.starts_with(text, prefix, want),
                _ => Boxes::all(false),
            },
            _ => Boxes::all(false),
        }
    }

    /// `CASE WHEN c THEN t ELSE e END` of one branch, which DataFusion's simplifier makes of
    /// `x LIKE '%'`; also as `CASE c WHEN TRUE`.
    fn case(&self, case: &Case, want: Outcomes, depth: usize) -> Boxes {
        let [(when, then)] = case.when_then_expr.as_slice() else {
            return Boxes::all(false);
        };
        let condition = match (&case.expr, when.as_ref()) {
            (None, when) => when,
            (Some(expr), Expr::Literal(ScalarValue::Boolean(Some(true)), _)) => expr.as_ref(),
            _ => return Boxes::all(false),
        };
        let null = Expr::Literal(ScalarValue::Boolean(None), None);
        let otherwise = case.else_expr.as_deref().unwrap_or(&null);
        let branch = |taken: Outcomes, value: &Expr| {
            let parts = vec![
                self.rows(condition, taken, depth),
                self.rows(value, want, depth),
            ];
            Boxes::and(parts, self.axes)
        };
        Boxes::or(vec![
            branch(Outcomes::TRUE, then),
            branch(
                Outcomes {
                    true_: false,
                    false_: true,
                    unknown: true,
                },
                otherwise,
            ),
        ])
    }

    /// The key column that an expression is, or a monotone function of one.
    pub(super) fn side(&self, expr: &Expr) -> Option<Side> {
        Side::of(self.def, self.axes, expr)
    }

    fn null_test(&self, inner: &Expr, want: Outcomes, depth: usize) -> Boxes {
        if let Some(side) = self.side(inner) {
            return Self::null_test_of(&side, want);
        }
        if is_condition(inner) {
            let test = Outcomes {
                true_: false,
                false_: false,
                unknown: true,
            };
            return self.rows(inner, want.of_test(test), depth);
        }
        Boxes::all(false)
    }

    /// `(a = 1) = TRUE`, `(a = 1) IS NOT DISTINCT FROM TRUE`: what DataFusion's simplifier makes of
    /// a CASE.
    fn compare_condition(
        &self,
        condition: &Expr,
        op: Operator,
        other: &Expr,
        want: Outcomes,
        depth: usize,
    ) -> Boxes {
        let value = match constant(other) {
            Some(Constant::Literal(ScalarValue::Boolean(value))) => value,
            Some(Constant::Literal(ScalarValue::Null)) => None,
            _ => return Boxes::all(false),
        };
        let (same, want) = match op {
            Operator::Eq => (false, want),
            Operator::NotEq => (false, want.not()),
            Operator::IsNotDistinctFrom => (true, want),
            Operator::IsDistinctFrom => (true, want.not()),
            _ => return Boxes::all(false),
        };
        let want = match (value, same) {
            (Some(true), false) => want,
            (Some(false), false) => want.not(),
            (None, false) if want.unknown => return Boxes::all(true),
            (None, false) => return Boxes::none(),
            (value, true) => want.of_test(Outcomes {
                true_: value == Some(true),
                false_: value == Some(false),
                unknown: value.is_none(),
            }),
        };
        self.rows(condition, want, depth)
    }

    /// A chain of ANDs or ORs, however long.
    fn junction(&self, expr: &Expr, op: Operator, want: Outcomes, depth: usize) -> Boxes {
        let terms = flatten(expr, op);
        // OR is AND with true and false exchanged.
        let (decides, neutral) = match op {
            Operator::And => (want.false_, want.true_),
            _ => (want.true_, want.false_),
        };
        let outcome = |decides: bool, neutral: bool, unknown: bool| match op {
            Operator::And => Outcomes {
                true_: neutral,
                false_: decides,
                unknown,
            },
            _ => Outcomes {
                true_: decides,
                false_: neutral,
                unknown,
            },
        };
        let each = |outcomes: Outcomes| -> Vec<Boxes> {
            terms
                .iter()
                .map(|term| self.rows(term, outcomes, depth))
                .collect()
        };
        let all = |outcomes: Outcomes| Boxes::and(each(outcomes), self.axes);
        let any = |outcomes: Outcomes| {
            let boxes = Boxes::or(each(outcomes)).0;
            Boxes(disjoint(boxes, self.axes))
        };
        match (decides, neutral, want.unknown) {
            (false, true, unknown) => all(outcome(false, true, unknown)),
            (true, false, unknown) => any(outcome(true, false, unknown)),
            (false, false, _) => Boxes::and(
                vec![
                    all(outcome(false, true, true)),
                    any(outcome(true, false, true)),
                ],
                self.axes,
            ),
            (true, true, _) => Boxes::or(vec![
                all(outcome(false, true, false)),
                any(outcome(true, false, false)),
            ]),
        }
    }
}

/// Whether an expression is a condition that the reader takes apart.
fn is_condition(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => is_condition(&alias.expr),
        Expr::BinaryExpr(BinaryExpr { op, .. }) => {
            op.supports_propagation() || op.is_logic_operator()
        }
        Expr::Not(_) | Expr::Between(_) | Expr::InList(_) | Expr::Like(_) => true,
        Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNotUnknown(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_) => true,
        Expr::ScalarFunction(function) => function.name() == "starts_with",
        _ => false,
    }
}
