//! A predicate as a union of boxes, under three-valued logic.
//!
//! The question asked of every part of a predicate is: for which rows is it one of these outcomes?
//! WHERE asks for true; NOT asks its operand for false, IS NOT TRUE for false or unknown, and so
//! on, so that a negation is never pushed anywhere: it only changes the question.

use datafusion::logical_expr::expr::{Between, BinaryExpr, Case, InList, Like};
use datafusion::logical_expr::{Expr, Operator};
use datafusion::scalar::ScalarValue;

use crate::catalog::TableDef;
use crate::plan::axis::{Axis, Cut, Interval, IntervalSet};
use crate::plan::boxes::{Boxes, ColumnSet, KeyBox};
use crate::plan::chain::flatten;
use crate::plan::like::Pattern;
use crate::plan::locate::{Place, locate};
use crate::plan::operand::{ColumnSide, Constant, Operand, column_side, constant};
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

    fn not(self) -> Outcomes {
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
            Expr::Column(_) => match self.column(expr) {
                Some(side) if self.axes[side.key].sql_type == SqlType::Boolean => {
                    let one = ScalarValue::Boolean(Some(true));
                    self.compare(side, Operator::Eq, &Constant::Literal(one), want)
                }
                _ => Boxes::all(false),
            },
            Expr::BinaryExpr(BinaryExpr {
                op: op @ (Operator::And | Operator::Or),
                ..
            }) => self.junction(expr, *op, want, depth),
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                if let (Some(side), Some(other)) = (self.column(left), constant(right)) {
                    self.compare(side, *op, &other, want)
                } else if let (Some(other), Some(side)) = (constant(left), self.column(right))
                    && let Some(op) = op.swap()
                {
                    self.compare(side, op, &other, want)
                } else {
                    Boxes::all(false)
                }
            }
            Expr::Between(between) => self.between(between, want),
            Expr::InList(list) => self.in_list(list, want),
            Expr::Like(like) => self.like(like, want),
            Expr::Case(case) => self.case(case, want, depth),
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

    fn column(&self, expr: &Expr) -> Option<ColumnSide> {
        column_side(self.def, expr).filter(|side| side.key < self.axes.len())
    }

    fn null_test(&self, inner: &Expr, want: Outcomes, depth: usize) -> Boxes {
        if let Some(side) = self.column(inner) {
            let axis = &self.axes[side.key];
            let mut sets = Vec::new();
            if want.true_ {
                sets.push(axis.null());
            }
            if want.false_ {
                sets.push(axis.not_null());
            }
            return Boxes::values(side.key, IntervalSet::union_all(sets), true);
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
        let any = |outcomes: Outcomes| Boxes::or(each(outcomes));
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

    /// `column op constant`.
    fn compare(&self, side: ColumnSide, op: Operator, other: &Constant, want: Outcomes) -> Boxes {
        use Operator::*;
        let axis = &self.axes[side.key];
        let (op, want) = match op {
            NotEq => (Eq, want.not()),
            IsDistinctFrom => (IsNotDistinctFrom, want.not()),
            Eq | Lt | LtEq | Gt | GtEq | IsNotDistinctFrom => (op, want),
            _ => return Boxes::all(false),
        };
        match other {
            Constant::Literal(scalar) if scalar.is_null() => {
                if op == IsNotDistinctFrom {
                    let sets = [(want.true_, axis.null()), (want.false_, axis.not_null())];
                    return self.pick(side.key, sets);
                }
                if want.unknown {
                    Boxes::all(true)
                } else {
                    Boxes::none()
                }
            }
            Constant::Literal(scalar) => {
                let Some(place) = locate(axis, side.via, scalar) else {
                    return Boxes::all(false);
                };
                let end = axis.values_end();
                let holds = match op {
                    Lt => IntervalSet::between(Cut::Start, place.before),
                    LtEq => IntervalSet::between(Cut::Start, place.after),
                    Gt => IntervalSet::between(place.after, end),
                    GtEq => IntervalSet::between(place.before, end),
                    _ => IntervalSet::between(place.before, place.after),
                };
                let fails = holds.clone().complement();
                if op == IsNotDistinctFrom {
                    return self.pick(side.key, [(want.true_, holds), (want.false_, fails)]);
                }
                self.outcomes(side.key, want, holds, true)
            }
            Constant::Symbol(symbol) => self.compare_symbol(side, op, symbol, want),
        }
    }

    fn pick<const N: usize>(&self, key: usize, sets: [(bool, IntervalSet); N]) -> Boxes {
        let wanted = sets
            .into_iter()
            .filter(|(wanted, _)| *wanted)
            .map(|(_, set)| set);
        Boxes::values(key, IntervalSet::union_all(wanted), true)
    }

    /// Of a predicate that is unknown for NULL alone, and otherwise true in `holds`. When `holds`
    /// is only an upper estimate, nothing is known of where it is false.
    fn outcomes(&self, key: usize, want: Outcomes, holds: IntervalSet, exact: bool) -> Boxes {
        let axis = &self.axes[key];
        let not_null = axis.not_null();
        if !exact && want.false_ {
            let mut set = not_null;
            if want.unknown {
                set = set.union(axis.null());
            }
            return Boxes::values(key, set, want.true_);
        }
        let mut sets = Vec::new();
        if want.false_ {
            sets.push(holds.clone().complement().intersect(not_null));
        }
        if want.true_ {
            sets.push(holds);
        }
        if want.unknown {
            sets.push(axis.null());
        }
        Boxes::values(key, IntervalSet::union_all(sets), exact || !want.true_)
    }

    fn compare_symbol(
        &self,
        side: ColumnSide,
        op: Operator,
        symbol: &Expr,
        want: Outcomes,
    ) -> Boxes {
        use Operator::*;
        let axis = &self.axes[side.key];
        let operand = || Operand::Symbol(symbol.clone());
        let range = |lower: Cut<Operand>, upper: Cut<Operand>| {
            KeyBox::of(side.key, ColumnSet::symbols(lower, upper), true)
        };
        let point = || range(Cut::Before(operand()), Cut::After(operand()));
        if op == IsNotDistinctFrom {
            return match want {
                Outcomes {
                    true_: true,
                    false_: false,
                    ..
                } => Boxes(vec![point()]),
                Outcomes {
                    true_: false,
                    false_: false,
                    ..
                } => Boxes::none(),
                _ => Boxes::all(false),
            };
        }
        if want.unknown {
            return Boxes::all(false);
        }
        let op = match (want.true_, want.false_) {
            (true, false) => op,
            (false, true) => match op {
                Lt => GtEq,
                LtEq => Gt,
                Gt => LtEq,
                GtEq => Lt,
                _ => NotEq,
            },
            // Not NULL, unless the symbol is.
            _ => return Boxes::values(side.key, axis.not_null(), false),
        };
        let below = |cut: Cut<Operand>| range(Cut::Start, cut);
        let above = |cut: Cut<Operand>| range(cut, axis.values_end());
        Boxes(match op {
            Lt => vec![below(Cut::Before(operand()))],
            LtEq => vec![below(Cut::After(operand()))],
            Gt => vec![above(Cut::After(operand()))],
            GtEq => vec![above(Cut::Before(operand()))],
            NotEq => vec![below(Cut::Before(operand())), above(Cut::After(operand()))],
            _ => vec![point()],
        })
    }

    /// `x BETWEEN a AND b` is `x >= a AND x <= b`, in every outcome.
    fn between(&self, between: &Between, want: Outcomes) -> Boxes {
        let want = if between.negated { want.not() } else { want };
        let (Some(side), Some(low), Some(high)) = (
            self.column(&between.expr),
            constant(&between.low),
            constant(&between.high),
        ) else {
            return Boxes::all(false);
        };
        let bound = |op, constant: &Constant, t, f, n| {
            self.compare(
                side,
                op,
                constant,
                Outcomes {
                    true_: t,
                    false_: f,
                    unknown: n,
                },
            )
        };
        let both = |t, f, n| {
            let parts = vec![
                bound(Operator::GtEq, &low, t, f, n),
                bound(Operator::LtEq, &high, t, f, n),
            ];
            Boxes::and(parts, self.axes)
        };
        let either = |t, f, n| {
            Boxes::or(vec![
                bound(Operator::GtEq, &low, t, f, n),
                bound(Operator::LtEq, &high, t, f, n),
            ])
        };
        match (want.true_, want.false_, want.unknown) {
            (true, false, unknown) => both(true, false, unknown),
            (false, true, unknown) => either(false, true, unknown),
            (true, true, _) => {
                Boxes::or(vec![both(true, false, false), either(false, true, false)])
            }
            (false, false, _) => Boxes::and(
                vec![both(true, false, true), either(false, true, true)],
                self.axes,
            ),
        }
    }

    fn in_list(&self, list: &InList, want: Outcomes) -> Boxes {
        let want = if list.negated { want.not() } else { want };
        let Some(side) = self.column(&list.expr) else {
            return Boxes::all(false);
        };
        if list.list.is_empty() {
            return Boxes::all(false);
        }
        let axis = &self.axes[side.key];
        let mut values = Vec::with_capacity(list.list.len());
        let mut symbols = Vec::new();
        let (mut has_null, mut unread) = (false, false);
        for item in &list.list {
            match constant(item) {
                Some(Constant::Literal(scalar)) if scalar.is_null() => has_null = true,
                Some(Constant::Literal(scalar)) => match locate(axis, side.via, &scalar) {
                    Some(Place { before, after }) => {
                        values.push(Interval::new(before, after));
                    }
                    None => unread = true,
                },
                Some(Constant::Symbol(symbol)) => symbols.push(symbol),
                None => unread = true,
            }
        }
        let holds = IntervalSet::from_intervals(values);
        if symbols.is_empty() && !unread {
            if !has_null {
                return self.outcomes(side.key, want, holds, true);
            }
            // With NULL in the list it is true or unknown, never false.
            let unknown = holds.clone().complement();
            return self.pick(side.key, [(want.true_, holds), (want.unknown, unknown)]);
        }
        match (want.true_, want.false_, want.unknown) {
            (true, false, false) if !unread => {
                let mut parts = vec![Boxes::values(side.key, holds, true)];
                for symbol in symbols {
                    parts.push(self.compare_symbol(side, Operator::Eq, &symbol, want));
                }
                Boxes::or(parts)
            }
            (false, true, false) => {
                if has_null {
                    return Boxes::none();
                }
                let set = holds.complement().intersect(axis.not_null());
                Boxes::values(side.key, set, false)
            }
            _ => Boxes::all(false),
        }
    }

    fn like(&self, like: &Like, want: Outcomes) -> Boxes {
        let want = if like.negated { want.not() } else { want };
        let (Some(side), Some(Constant::Literal(pattern))) =
            (self.column(&like.expr), constant(&like.pattern))
        else {
            return Boxes::all(false);
        };
        let axis = &self.axes[side.key];
        if !matches!(axis.sql_type, SqlType::Char(_) | SqlType::Varchar(_)) {
            return Boxes::all(false);
        }
        if pattern.is_null() {
            return if want.unknown {
                Boxes::all(true)
            } else {
                Boxes::none()
            };
        }
        match pattern.try_as_str() {
            Some(Some(text)) if !like.case_insensitive => {
                let pattern = Pattern::parse(text, like.escape_char.unwrap_or('\\'));
                let exact = pattern.is_exact();
                self.outcomes(side.key, want, pattern.texts(axis), exact)
            }
            _ => Boxes::all(false),
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
        _ => false,
    }
}
