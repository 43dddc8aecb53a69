//! Comparisons of a key column, or a monotone function of one, with constants.

use datafusion::logical_expr::expr::{Between, InList, Like};
use datafusion::logical_expr::{Expr, Operator};

use crate::plan::axis::{Cut, Interval, IntervalSet};
use crate::plan::boxes::{Boxes, ColumnSet, KeyBox};
use crate::plan::like::Pattern;
use crate::plan::locate::Place;
use crate::plan::operand::{Constant, Operand, constant};
use crate::plan::predicate::{Outcomes, Reader};
use crate::plan::side::Side;
use crate::types::SqlType;

impl Reader<'_> {
    /// `column op constant`.
    pub(super) fn compare(
        &self,
        side: &Side,
        op: Operator,
        other: &Constant,
        want: Outcomes,
    ) -> Boxes {
        use Operator::*;
        let (op, want) = match op {
            NotEq => (Eq, want.not()),
            IsDistinctFrom => (IsNotDistinctFrom, want.not()),
            Eq | Lt | LtEq | Gt | GtEq | IsNotDistinctFrom => (op, want),
            _ => return Boxes::all(false),
        };
        match other {
            Constant::Literal(scalar) if scalar.is_null() => {
                if op == IsNotDistinctFrom {
                    return Self::null_test_of(side, want);
                }
                if want.unknown {
                    Boxes::all(true)
                } else {
                    Boxes::none()
                }
            }
            Constant::Literal(scalar) => {
                let Some(place) = side.place(scalar) else {
                    return Boxes::all(false);
                };
                let end = side.axis.values_end();
                let holds = match op {
                    Lt => IntervalSet::between(Cut::Start, place.before),
                    LtEq => IntervalSet::between(Cut::Start, place.after),
                    Gt => IntervalSet::between(place.after, end),
                    GtEq => IntervalSet::between(place.before, end),
                    _ => IntervalSet::between(place.before, place.after),
                };
                let fails = holds.clone().complement();
                if op == IsNotDistinctFrom {
                    return Self::pick(side, [(want.true_, holds), (want.false_, fails)]);
                }
                Self::outcomes(side, want, holds, true)
            }
            Constant::Symbol(_) if side.is_function() => Boxes::all(false),
            Constant::Symbol(symbol) => self.compare_symbol(side, op, symbol, want),
        }
    }

    /// `column IS NULL`.
    pub(super) fn null_test_of(side: &Side, want: Outcomes) -> Boxes {
        let sets = [(want.true_, side.nulls()), (want.false_, side.not_nulls())];
        Self::pick(side, sets)
    }

    fn pick<const N: usize>(side: &Side, sets: [(bool, IntervalSet); N]) -> Boxes {
        let wanted = sets
            .into_iter()
            .filter(|(wanted, _)| *wanted)
            .map(|(_, set)| set);
        side.guarded(Boxes::values(
            side.key,
            IntervalSet::union_all(wanted),
            true,
        ))
    }

    /// Of a predicate that is unknown for NULL alone, and otherwise true in `holds`. When `holds`
    /// is only an upper estimate, nothing is known of where it is false.
    fn outcomes(side: &Side, want: Outcomes, holds: IntervalSet, exact: bool) -> Boxes {
        let not_nulls = side.not_nulls();
        if !exact && want.false_ {
            let mut set = not_nulls;
            if want.unknown {
                set = set.union(side.nulls());
            }
            return Boxes::values(side.key, set, want.true_);
        }
        let mut sets = Vec::new();
        if want.false_ {
            sets.push(holds.clone().complement().intersect(not_nulls.clone()));
        }
        if want.true_ {
            sets.push(match side.is_function() {
                true => holds.intersect(not_nulls),
                false => holds,
            });
        }
        if want.unknown {
            sets.push(side.nulls());
        }
        let exact = exact || !want.true_;
        side.guarded(Boxes::values(side.key, IntervalSet::union_all(sets), exact))
    }

    fn compare_symbol(&self, side: &Side, op: Operator, symbol: &Expr, want: Outcomes) -> Boxes {
        use Operator::*;
        let axis = &side.axis;
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
    pub(super) fn between(&self, between: &Between, want: Outcomes) -> Boxes {
        let want = if between.negated { want.not() } else { want };
        let (Some(side), Some(low), Some(high)) = (
            self.side(&between.expr),
            constant(&between.low),
            constant(&between.high),
        ) else {
            return Boxes::all(false);
        };
        let bound = |op, constant: &Constant, t, f, n| {
            self.compare(
                &side,
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

    pub(super) fn in_list(&self, list: &InList, want: Outcomes) -> Boxes {
        let want = if list.negated { want.not() } else { want };
        let Some(side) = self.side(&list.expr) else {
            return Boxes::all(false);
        };
        if list.list.is_empty() {
            return Boxes::all(false);
        }
        let mut values = Vec::with_capacity(list.list.len());
        let mut symbols = Vec::new();
        let (mut has_null, mut unread) = (false, false);
        for item in &list.list {
            match constant(item) {
                Some(Constant::Literal(scalar)) if scalar.is_null() => has_null = true,
                Some(Constant::Literal(scalar)) => match side.place(&scalar) {
                    Some(Place { before, after }) => {
                        values.push(Interval::new(before, after));
                    }
                    None => unread = true,
                },
                Some(Constant::Symbol(_)) if side.is_function() => unread = true,
                Some(Constant::Symbol(symbol)) => symbols.push(symbol),
                None => unread = true,
            }
        }
        let holds = IntervalSet::from_intervals(values);
        if symbols.is_empty() && !unread {
            if !has_null {
                return Self::outcomes(&side, want, holds, true);
            }
            // With NULL in the list it is true or unknown, never false.
            let unknown = holds.clone().complement();
            return Self::pick(&side, [(want.true_, holds), (want.unknown, unknown)]);
        }
        match (want.true_, want.false_, want.unknown) {
            (true, false, false) if !unread => {
                let mut parts = vec![Boxes::values(side.key, holds, true)];
                for symbol in symbols {
                    parts.push(self.compare_symbol(&side, Operator::Eq, &symbol, want));
                }
                Boxes::or(parts)
            }
            (false, true, false) => {
                if has_null {
                    return Boxes::none();
                }
                let set = holds.complement().intersect(side.not_nulls());
                Boxes::values(side.key, set, false)
            }
            _ => Boxes::all(false),
        }
    }

    pub(super) fn like(&self, like: &Like, want: Outcomes) -> Boxes {
        let want = if like.negated { want.not() } else { want };
        let escape = like.escape_char.unwrap_or('\\');
        let parse = |text: &str| {
            let parsed = !like.case_insensitive;
            parsed.then(|| Pattern::parse(text, escape))
        };
        self.pattern(&like.expr, &like.pattern, want, &parse)
    }

    /// `starts_with(x, 'p')`.
    pub(super) fn starts_with(&self, text: &Expr, prefix: &Expr, want: Outcomes) -> Boxes {
        self.pattern(text, prefix, want, &|text| {
            Some(Pattern::starting_with(text))
        })
    }

    fn pattern(
        &self,
        text: &Expr,
        pattern: &Expr,
        want: Outcomes,
        parse: &dyn Fn(&str) -> Option<Pattern>,
    ) -> Boxes {
        let (Some(side), Some(Constant::Literal(pattern))) = (self.side(text), constant(pattern))
        else {
            return Boxes::all(false);
        };
        let is_text = matches!(side.axis.sql_type, SqlType::Char(_) | SqlType::Varchar(_));
        if !is_text || side.is_function() {
            return Boxes::all(false);
        }
        if pattern.is_null() {
            return if want.unknown {
                Boxes::all(true)
            } else {
                Boxes::none()
            };
        }
        let pattern = pattern.try_as_str().flatten().and_then(parse);
        let Some(pattern) = pattern else {
            return Boxes::all(false);
        };
        let exact = pattern.is_exact();
        Self::outcomes(&side, want, pattern.texts(&side.axis), exact)
    }
}
