//! Predicates as trees, and how to make them smaller.

use super::constant::Constant;
use super::schema::Column;

/// A column of a table in FROM.
#[derive(Debug, Clone)]
pub struct Col {
    /// `t` for the first table, `x` for the joined one, `q` for that of a subquery.
    pub alias: &'static str,
    /// Which of the case's tables it is in.
    pub table: usize,
    pub column: Column,
}

impl Col {
    pub fn is(&self, other: &Col) -> bool {
        self.alias == other.alias && self.column.name == other.column.name
    }
}

/// A query in parentheses: `SELECT output FROM table AS q WHERE on AND filter`.
#[derive(Debug, Clone)]
pub struct Subquery {
    pub table: usize,
    pub output: Col,
    /// Pairs of an outer and an inner column that are equal.
    pub on: Vec<(Col, Col)>,
    pub filter: Option<Box<Pred>>,
}

/// A function that does not change the order of its argument, as text around the column.
#[derive(Debug, Clone)]
pub struct Function {
    pub before: String,
    pub after: String,
}

#[derive(Debug, Clone)]
pub enum Pred {
    /// `column op constant`, or the other way round.
    Compare(Col, &'static str, Constant, bool),
    Columns(Col, &'static str, Col),
    Between(Col, bool, Constant, Constant),
    In(Col, bool, Vec<Constant>),
    IsNull(Col, bool),
    Distinct(Col, bool, Constant),
    /// Column, NOT, LIKE or ILIKE, pattern, whether `ESCAPE '\'` is written out.
    Like(Col, bool, &'static str, Constant, bool),
    StartsWith(Col, Constant),
    Bare(Col),
    /// `column IS NOT FALSE`
    Truth(Col, &'static str),
    Row(Vec<Col>, &'static str, Vec<Constant>),
    RowBetween(Vec<Col>, bool, Vec<Constant>, Vec<Constant>),
    RowIn(Vec<Col>, bool, Vec<Vec<Constant>>),
    /// The column stands for the type of the function's result in `Constant`'s eyes.
    Function(Function, Col, &'static str, Constant),
    /// `column op (SELECT min(output) ...)`
    Scalar(Col, &'static str, &'static str, Subquery),
    InQuery(Col, bool, Subquery),
    Exists(bool, Subquery),
    And(Vec<Pred>),
    Or(Vec<Pred>),
    Not(Box<Pred>),
}

impl Pred {
    /// Predicates with one thing less in them.
    pub fn smaller(&self) -> Vec<Pred> {
        let mut out = Vec::new();
        match self {
            Pred::And(terms) | Pred::Or(terms) => {
                out.extend(terms.iter().cloned());
                let same = |terms| match self {
                    Pred::And(_) => Pred::And(terms),
                    _ => Pred::Or(terms),
                };
                if terms.len() > 2 {
                    out.extend(without_one(terms).map(same));
                }
                for (at, term) in terms.iter().enumerate() {
                    for smaller in term.smaller() {
                        let mut terms = terms.clone();
                        terms[at] = smaller;
                        out.push(same(terms));
                    }
                }
            }
            Pred::Not(inner) => {
                out.push((**inner).clone());
                out.extend(inner.smaller().into_iter().map(|p| Pred::Not(Box::new(p))));
            }
            Pred::In(col, not, list) => {
                let again = |list| Pred::In(col.clone(), *not, list);
                if list.len() > 1 {
                    out.extend(without_one(list).map(again));
                }
                out.extend(simpler_one(list).map(again));
            }
            Pred::RowIn(cols, not, rows) => {
                let again = |rows| Pred::RowIn(cols.clone(), *not, rows);
                if rows.len() > 1 {
                    out.extend(without_one(rows).map(again));
                }
                for (at, row) in rows.iter().enumerate() {
                    for row in simpler_one(row) {
                        let mut rows = rows.clone();
                        rows[at] = row;
                        out.push(again(rows));
                    }
                }
            }
            Pred::Row(cols, op, row) => {
                if cols.len() > 1 {
                    let pairs = without_one(cols).zip(without_one(row));
                    out.extend(pairs.map(|(cols, row)| Pred::Row(cols, op, row)));
                }
                out.extend(simpler_one(row).map(|row| Pred::Row(cols.clone(), op, row)));
            }
            Pred::RowBetween(cols, not, low, high) => {
                if !not {
                    out.push(Pred::Row(cols.clone(), ">=", low.clone()));
                    out.push(Pred::Row(cols.clone(), "<=", high.clone()));
                }
                let again = |low, high| Pred::RowBetween(cols.clone(), *not, low, high);
                out.extend(simpler_one(low).map(|low| again(low, high.clone())));
                out.extend(simpler_one(high).map(|high| again(low.clone(), high)));
            }
            Pred::Between(col, not, low, high) => {
                if !not {
                    out.push(Pred::Compare(col.clone(), ">=", low.clone(), false));
                    out.push(Pred::Compare(col.clone(), "<=", high.clone(), false));
                }
                let again = |low, high| Pred::Between(col.clone(), *not, low, high);
                out.extend(low.simpler().map(|low| again(low, high.clone())));
                out.extend(high.simpler().map(|high| again(low.clone(), high)));
            }
            Pred::Compare(col, op, constant, flipped) => {
                let again = |c| Pred::Compare(col.clone(), op, c, *flipped);
                out.extend(constant.simpler().map(again));
            }
            Pred::Distinct(col, not, constant) => {
                let again = |c| Pred::Distinct(col.clone(), *not, c);
                out.extend(constant.simpler().map(again));
            }
            Pred::Like(col, not, like, constant, escape) => {
                let again = |c| Pred::Like(col.clone(), *not, like, c, *escape);
                out.extend(constant.simpler().map(again));
            }
            Pred::StartsWith(col, constant) => {
                out.extend(constant.simpler().map(|c| Pred::StartsWith(col.clone(), c)));
            }
            Pred::Function(function, col, op, constant) => {
                let again = |c| Pred::Function(function.clone(), col.clone(), op, c);
                out.extend(constant.simpler().map(again));
            }
            Pred::Scalar(col, op, aggregate, query) => {
                let again = |q| Pred::Scalar(col.clone(), op, aggregate, q);
                out.extend(query.smaller().into_iter().map(again));
            }
            Pred::InQuery(col, not, query) => {
                let again = |q| Pred::InQuery(col.clone(), *not, q);
                out.extend(query.smaller().into_iter().map(again));
            }
            Pred::Exists(not, query) => {
                out.extend(query.smaller().into_iter().map(|q| Pred::Exists(*not, q)));
            }
            Pred::Columns(..) | Pred::IsNull(..) | Pred::Bare(_) | Pred::Truth(..) => {}
        }
        out
    }

    /// Whether it names a table: by its alias, or `q` for any subquery.
    pub fn names(&self, alias: &str) -> bool {
        let has = |col: &Col| col.alias == alias;
        match self {
            Pred::And(terms) | Pred::Or(terms) => terms.iter().any(|p| p.names(alias)),
            Pred::Not(inner) => inner.names(alias),
            Pred::Columns(a, _, b) => has(a) || has(b),
            Pred::Row(cols, ..) | Pred::RowBetween(cols, ..) | Pred::RowIn(cols, ..) => {
                cols.iter().any(has)
            }
            Pred::Scalar(col, _, _, query) | Pred::InQuery(col, _, query) => {
                has(col) || query.names(alias)
            }
            Pred::Exists(_, query) => query.names(alias),
            Pred::Compare(col, ..)
            | Pred::Between(col, ..)
            | Pred::In(col, ..)
            | Pred::IsNull(col, _)
            | Pred::Distinct(col, ..)
            | Pred::Like(col, ..)
            | Pred::StartsWith(col, _)
            | Pred::Bare(col)
            | Pred::Truth(col, _)
            | Pred::Function(_, col, ..) => has(col),
        }
    }
}

impl Subquery {
    fn names(&self, alias: &str) -> bool {
        alias == "q"
            || self.on.iter().any(|(outer, _)| outer.alias == alias)
            || self.filter.as_ref().is_some_and(|p| p.names(alias))
    }

    fn smaller(&self) -> Vec<Subquery> {
        let with = |filter: Option<Pred>| Subquery {
            filter: filter.map(Box::new),
            ..self.clone()
        };
        let mut out: Vec<Subquery> = without_one(&self.on)
            .map(|on| Subquery { on, ..self.clone() })
            .collect();
        if let Some(filter) = &self.filter {
            out.push(with(None));
            out.extend(filter.smaller().into_iter().map(|p| with(Some(p))));
        }
        out
    }
}

/// Each list that lacks one of the items.
pub fn without_one<T: Clone>(items: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    (0..items.len()).map(|at| {
        let mut fewer = items.to_vec();
        fewer.remove(at);
        fewer
    })
}

fn simpler_one(constants: &[Constant]) -> impl Iterator<Item = Vec<Constant>> + '_ {
    constants.iter().enumerate().filter_map(|(at, constant)| {
        let mut list = constants.to_vec();
        list[at] = constant.simpler()?;
        Some(list)
    })
}
