//! Unions of boxes: what a predicate says about the key columns.
//!
//! A box holds one set of values for each key column that it constrains; a predicate is the union
//! of some boxes. AND multiplies two unions, OR joins them.

use std::rc::Rc;

use crate::plan::axis::{Axis, Cut, IntervalSet};
use crate::plan::operand::Operand;
use crate::types::Value;

/// How many boxes a product of two unions may have before one of them is left to the filter.
const MAX_BOXES: usize = 1_024;

/// What a box says about one column.
#[derive(Debug, Clone)]
pub(super) enum ColumnSet {
    Values(IntervalSet),
    /// An interval with at least one end that is known only when the statement is executed.
    Symbols(Box<Ends>),
}

/// An interval whose ends may be symbols.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    pub lower: Cut<Operand>,
    pub upper: Cut<Operand>,
}

impl Ends {
    /// The operand, if the interval holds it alone.
    pub(super) fn point(&self) -> Option<&Operand> {
        match (&self.lower, &self.upper) {
            (Cut::Before(a), Cut::After(b)) if a == b => Some(a),
            _ => None,
        }
    }
}

impl ColumnSet {
    pub(super) fn symbols(lower: Cut<Operand>, upper: Cut<Operand>) -> ColumnSet {
        ColumnSet::Symbols(Box::new(Ends { lower, upper }))
    }

    /// How many points, if it is a list of points.
    pub(super) fn points(&self) -> Option<usize> {
        match self {
            ColumnSet::Values(set) => set.is_points().then(|| set.intervals().len()),
            ColumnSet::Symbols(ends) => ends.point().map(|_| 1),
        }
    }

    /// How many intervals.
    pub(super) fn len(&self) -> usize {
        match self {
            ColumnSet::Values(set) => set.intervals().len(),
            ColumnSet::Symbols(_) => 1,
        }
    }
}

/// What one conjunct says in a box: on which columns, and whether the box says all of it.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub conjunct: usize,
    /// Bit `i` for key column `i`.
    pub columns: u64,
    pub exact: bool,
    /// If there is one, it is exact in a box without the values that the guard names.
    pub guard: Option<Rc<Guard>>,
}

/// Values of a key column for which a predicate fails when it is evaluated.
#[derive(Debug)]
pub(super) struct Guard {
    pub key: usize,
    pub errors: IntervalSet,
}

/// A set of rows: every row whose key columns lie in these sets.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyBox {
    /// Ascending by key column.
    pub columns: Vec<(usize, ColumnSet)>,
    pub claims: Vec<Claim>,
}

impl KeyBox {
    /// The box of one statement about one column.
    pub(super) fn of(key: usize, set: ColumnSet, exact: bool) -> KeyBox {
        KeyBox {
            columns: vec![(key, set)],
            claims: vec![Claim {
                conjunct: 0,
                columns: 1 << key,
                exact,
                guard: None,
            }],
        }
    }

    fn unbounded(exact: bool) -> KeyBox {
        KeyBox {
            columns: Vec::new(),
            claims: vec![Claim {
                conjunct: 0,
                columns: 0,
                exact,
                guard: None,
            }],
        }
    }

    pub(super) fn get(&self, key: usize) -> Option<&ColumnSet> {
        self.columns
            .iter()
            .find(|(k, _)| *k == key)
            .map(|(_, set)| set)
    }

    /// Whether the box says all of each claim. Guards are settled: the sets are final.
    fn is_exact(&mut self) -> bool {
        self.settle();
        self.claims.iter().all(|claim| claim.exact)
    }

    /// Makes claims inexact whose guard finds its values in the box.
    pub(super) fn settle(&mut self) {
        let KeyBox { columns, claims } = self;
        for claim in claims {
            let Some(guard) = claim.guard.take() else {
                continue;
            };
            let set = columns.iter().find(|(key, _)| *key == guard.key);
            claim.exact &= match set {
                Some((_, ColumnSet::Values(set))) => {
                    set.clone().intersect(guard.errors.clone()).is_empty()
                }
                _ => false,
            };
        }
    }

    fn mask(&self) -> u64 {
        self.columns
            .iter()
            .fold(0, |mask, (key, _)| mask | 1 << key)
    }

    /// What is claimed of a column is no longer all that is said of it.
    pub(super) fn relax(&mut self, key: usize) {
        for claim in &mut self.claims {
            claim.exact &= claim.columns & (1 << key) == 0;
        }
    }

    /// The rows in both boxes; `None` if there are none.
    fn and(mut self, mut other: KeyBox, axes: &[Axis]) -> Option<KeyBox> {
        let mut columns: Vec<(usize, ColumnSet)> =
            Vec::with_capacity(self.columns.len() + other.columns.len());
        let mut left = std::mem::take(&mut self.columns).into_iter().peekable();
        let mut right = std::mem::take(&mut other.columns).into_iter().peekable();
        loop {
            let key = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) => *a.min(b),
                (Some((a, _)), None) => *a,
                (None, Some((b, _))) => *b,
                (None, None) => break,
            };
            let a = left.next_if(|(k, _)| *k == key).map(|(_, set)| set);
            let b = right.next_if(|(k, _)| *k == key).map(|(_, set)| set);
            let set = match (a, b) {
                (Some(a), Some(b)) => {
                    let (set, kept) = intersect(a, b, &axes[key]);
                    match kept {
                        Kept::Both => {}
                        Kept::First => other.relax(key),
                        Kept::Second => self.relax(key),
                    }
                    set
                }
                (Some(set), None) | (None, Some(set)) => set,
                (None, None) => break,
            };
            if let ColumnSet::Values(values) = &set
                && values.is_empty()
            {
                return None;
            }
            columns.push((key, set));
        }
        self.claims.append(&mut other.claims);
        Some(KeyBox {
            columns,
            claims: self.claims,
        })
    }
}

enum Kept {
    Both,
    First,
    Second,
}

/// The values in both sets. Where that cannot be known before the symbols have values, the set
/// that promises fewer rows stands for both.
fn intersect(a: ColumnSet, b: ColumnSet, axis: &Axis) -> (ColumnSet, Kept) {
    match (a, b) {
        (ColumnSet::Values(a), ColumnSet::Values(b)) => {
            (ColumnSet::Values(a.intersect(b)), Kept::Both)
        }
        (ColumnSet::Symbols(ends), ColumnSet::Values(values)) => {
            let (set, kept) = intersect_values(values, ends, axis);
            let kept = match kept {
                Kept::Both => Kept::Both,
                Kept::First => Kept::Second,
                Kept::Second => Kept::First,
            };
            (set, kept)
        }
        (ColumnSet::Values(values), ColumnSet::Symbols(ends)) => {
            intersect_values(values, ends, axis)
        }
        (ColumnSet::Symbols(a), ColumnSet::Symbols(b)) => match (a.point(), b.point()) {
            (Some(x), Some(y)) if x == y => (ColumnSet::Symbols(a), Kept::Both),
            (Some(_), _) => (ColumnSet::Symbols(a), Kept::First),
            (None, Some(_)) => (ColumnSet::Symbols(b), Kept::Second),
            (None, None) => narrower(&a, b, axis),
        },
    }
}

fn intersect_values(values: IntervalSet, ends: Box<Ends>, axis: &Axis) -> (ColumnSet, Kept) {
    if values.is_all() {
        return (ColumnSet::Symbols(ends), Kept::Both);
    }
    let points = values.is_points();
    if ends.point().is_some() {
        return if points && values.intervals().len() <= 1 {
            (ColumnSet::Values(values), Kept::First)
        } else {
            (ColumnSet::Symbols(ends), Kept::Second)
        };
    }
    match values.intervals() {
        _ if points => (ColumnSet::Values(values), Kept::First),
        [one] => {
            let one = Ends {
                lower: one.lower.clone().map(Operand::Value),
                upper: one.upper.clone().map(Operand::Value),
            };
            narrower(&one, ends, axis)
        }
        _ => (ColumnSet::Symbols(ends), Kept::Second),
    }
}

/// Two intervals as one, if each end can come from one of them; else the second, of which at least
/// one end is a symbol.
fn narrower(a: &Ends, b: Box<Ends>, axis: &Axis) -> (ColumnSet, Kept) {
    let natural = |cut: &Cut<Operand>| match cut {
        Cut::End => true,
        Cut::Before(Operand::Value(Value::Null)) => axis.nullable,
        _ => false,
    };
    let lower = end(&a.lower, &b.lower, |cut| matches!(cut, Cut::Start), true);
    let upper = end(&a.upper, &b.upper, natural, false);
    match (lower, upper) {
        (Some(lower), Some(upper)) => (ColumnSet::symbols(lower, upper), Kept::Both),
        _ => (ColumnSet::Symbols(b), Kept::Second),
    }
}

/// The end nearer to the middle, where that can be known. `natural`: an end that says nothing
/// which the other, a bound on values, does not say.
fn end(
    a: &Cut<Operand>,
    b: &Cut<Operand>,
    natural: impl Fn(&Cut<Operand>) -> bool,
    larger: bool,
) -> Option<Cut<Operand>> {
    if a == b {
        return Some(a.clone());
    }
    if let (Some(x), Some(y)) = (known(a), known(b)) {
        return Some(if x.order(&y).is_gt() == larger {
            a.clone()
        } else {
            b.clone()
        });
    }
    match (natural(a), natural(b)) {
        (true, _) => Some(b.clone()),
        (_, true) => Some(a.clone()),
        _ => None,
    }
}

/// The cut, if it is at a value.
pub(super) fn known(cut: &Cut<Operand>) -> Option<Cut<Value>> {
    Some(match cut {
        Cut::Start => Cut::Start,
        Cut::End => Cut::End,
        Cut::Before(operand) => Cut::Before(operand.value()?.clone()),
        Cut::After(operand) => Cut::After(operand.value()?.clone()),
    })
}

/// A union of boxes; without boxes it is empty.
#[derive(Debug, Clone, Default)]
pub(super) struct Boxes(pub Vec<KeyBox>);

impl Boxes {
    pub(super) fn none() -> Boxes {
        Boxes(Vec::new())
    }

    /// Every row; `exact` if the predicate holds for every row, not only perhaps.
    pub(super) fn all(exact: bool) -> Boxes {
        Boxes(vec![KeyBox::unbounded(exact)])
    }

    pub(super) fn values(key: usize, set: IntervalSet, exact: bool) -> Boxes {
        if set.is_empty() {
            Boxes::none()
        } else if set.is_all() {
            Boxes::all(exact)
        } else {
            Boxes(vec![KeyBox::of(key, ColumnSet::Values(set), exact)])
        }
    }

    fn single_values(&self) -> Option<usize> {
        match self.0.as_slice() {
            [one] => match one.columns.as_slice() {
                [(key, ColumnSet::Values(_))] => Some(*key),
                _ => None,
            },
            _ => None,
        }
    }

    /// The union of many: sets of the same single column become one set.
    pub(super) fn or(parts: Vec<Boxes>) -> Boxes {
        let mut rest = Vec::new();
        // Per column and exactness, in order of appearance.
        let mut sets: Vec<((usize, bool), Vec<IntervalSet>)> = Vec::new();
        let mut unbounded = None;
        for part in parts {
            for mut key_box in part.0 {
                let exact = key_box.is_exact();
                match key_box.columns.as_mut_slice() {
                    [] => unbounded = Some(exact || unbounded == Some(true)),
                    [(key, ColumnSet::Values(set))] => {
                        let (at, set) = ((*key, exact), std::mem::take(set));
                        match sets.iter_mut().find(|(k, _)| *k == at) {
                            Some((_, list)) => list.push(set),
                            None => sets.push((at, vec![set])),
                        }
                    }
                    _ => rest.push(key_box),
                }
            }
        }
        if let Some(exact) = unbounded {
            return Boxes::all(exact);
        }
        let mut boxes = Vec::with_capacity(sets.len() + rest.len());
        for ((key, exact), list) in sets {
            let set = IntervalSet::union_all(list);
            if set.is_all() {
                return Boxes::all(exact);
            }
            boxes.push(KeyBox::of(key, ColumnSet::Values(set), exact));
        }
        boxes.append(&mut rest);
        Boxes(boxes)
    }

    /// The rows in all of many, as one statement.
    pub(super) fn and(parts: Vec<Boxes>, axes: &[Axis]) -> Boxes {
        let mut boxes = Boxes::product(parts, axes);
        for key_box in &mut boxes.0 {
            let exact = key_box.is_exact();
            key_box.claims = vec![Claim {
                conjunct: 0,
                columns: key_box.mask(),
                exact,
                guard: None,
            }];
        }
        boxes
    }

    /// The rows in all of many, with the claims of each. A part whose boxes would make too many is
    /// left out, its claims inexact.
    pub(super) fn product(parts: Vec<Boxes>, axes: &[Axis]) -> Boxes {
        let mut base = KeyBox::default();
        let mut sets: Vec<Vec<IntervalSet>> = vec![Vec::new(); axes.len()];
        let mut single = Vec::new();
        let mut several = Vec::new();
        for mut part in parts {
            if part.0.is_empty() {
                return Boxes::none();
            }
            if let Some(key) = part.single_values() {
                for key_box in part.0 {
                    base.claims.extend(key_box.claims);
                    for (_, set) in key_box.columns {
                        if let ColumnSet::Values(set) = set {
                            sets[key].push(set);
                        }
                    }
                }
            } else if part.0.len() == 1 {
                single.append(&mut part.0);
            } else {
                several.push(part);
            }
        }
        for (key, list) in sets.into_iter().enumerate() {
            if list.is_empty() {
                continue;
            }
            let set = IntervalSet::intersect_all(list);
            if set.is_empty() {
                return Boxes::none();
            }
            if !set.is_all() {
                base.columns.push((key, ColumnSet::Values(set)));
            }
        }
        for key_box in single {
            match base.and(key_box, axes) {
                Some(both) => base = both,
                None => return Boxes::none(),
            }
        }
        several.sort_by_key(|part| part.0.len());
        let mut product = vec![base];
        for part in several {
            let longest = product.len().max(part.0.len()).max(MAX_BOXES);
            if product.len().saturating_mul(part.0.len()) > longest {
                let left_out: Vec<Claim> = part.0[..1]
                    .iter()
                    .flat_map(|b| {
                        b.claims.iter().map(|claim| Claim {
                            exact: false,
                            ..claim.clone()
                        })
                    })
                    .collect();
                product
                    .iter_mut()
                    .for_each(|b| b.claims.extend_from_slice(&left_out));
                continue;
            }
            let mut next = Vec::with_capacity(product.len() * part.0.len());
            for a in &product {
                for b in &part.0 {
                    next.extend(a.clone().and(b.clone(), axes));
                }
            }
            product = next;
            if product.is_empty() {
                return Boxes::none();
            }
        }
        Boxes(product)
    }
}
