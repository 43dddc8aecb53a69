//! Queries as values, and how to make them smaller.

use super::predicate::{Col, Pred, without_one};

/// What stands before FROM, and GROUP BY with it.
#[derive(Debug, Clone)]
pub enum Select {
    Columns(Vec<Col>),
    Distinct(Vec<Col>),
    Group {
        by: Vec<Col>,
        aggregates: Vec<Aggregate>,
        /// Whether only groups of several rows count.
        having: bool,
    },
    /// The first row of each group in an order without ties.
    First {
        /// The groups; the query's order is by these columns.
        on: Vec<Col>,
        /// The order in a group.
        rest: Vec<Order>,
        columns: Vec<Col>,
        /// As DISTINCT ON, or as `row_number() OVER (...) = 1`.
        distinct_on: bool,
    },
}

#[derive(Debug, Clone)]
pub enum Aggregate {
    Count,
    /// `count`, `min` or `max` of a column.
    Of(&'static str, Col),
    CountDistinct(Col),
}

#[derive(Debug, Clone)]
pub struct Order {
    pub by: OrderBy,
    pub descending: bool,
    /// Where NULL stands if that is written out.
    pub nulls_first: Option<bool>,
}

#[derive(Debug, Clone)]
pub enum OrderBy {
    Column(Col),
    /// A column of the result, from 0.
    Output(usize),
}

#[derive(Debug, Clone)]
pub struct Join {
    /// `JOIN`, `LEFT JOIN`, ...
    pub kind: &'static str,
    /// Columns of `t` and of `x`.
    pub on: Vec<(Col, Col)>,
    pub filter: Option<Pred>,
}

#[derive(Debug, Clone)]
pub struct Query {
    pub select: Select,
    pub join: Option<Join>,
    pub filter: Option<Pred>,
    pub order: Vec<Order>,
    pub limit: Option<usize>,
    pub offset: Option<usize>,
    /// Read it in pages of so many rows, too: it selects the whole key first and is in its order.
    pub page: Option<usize>,
}

impl Query {
    /// The columns of the result that ORDER BY names, as far as it names such; `None` if it names
    /// others, and is then without ties.
    pub fn order_in_result(&self) -> Option<Vec<usize>> {
        let columns: &[Col] = match &self.select {
            Select::Columns(columns) | Select::Distinct(columns) => columns,
            Select::Group { by, .. } => by,
            Select::First { columns, .. } => columns,
        };
        self.order
            .iter()
            .map(|order| match &order.by {
                OrderBy::Output(at) => Some(*at),
                OrderBy::Column(col) => columns.iter().position(|c| c.is(col)),
            })
            .collect()
    }

    /// The same without LIMIT and OFFSET.
    pub fn whole(&self) -> Query {
        Query {
            limit: None,
            offset: None,
            ..self.clone()
        }
    }

    /// The part of a whole answer of `rows` rows that LIMIT and OFFSET leave.
    pub fn window(&self, rows: usize) -> std::ops::Range<usize> {
        let from = self.offset.unwrap_or(0).min(rows);
        let to = self.limit.map_or(rows, |limit| (from + limit).min(rows));
        from..to
    }

    fn names(&self, alias: &str) -> bool {
        let columns: Vec<&Col> = match &self.select {
            Select::Columns(columns) | Select::Distinct(columns) => columns.iter().collect(),
            Select::Group { by, aggregates, .. } => by
                .iter()
                .chain(aggregates.iter().filter_map(|a| match a {
                    Aggregate::Count => None,
                    Aggregate::Of(_, col) | Aggregate::CountDistinct(col) => Some(col),
                }))
                .collect(),
            Select::First { on, columns, .. } => on.iter().chain(columns).collect(),
        };
        let ordered = self.order.iter().any(|order| match &order.by {
            OrderBy::Column(col) => col.alias == alias,
            OrderBy::Output(_) => false,
        });
        ordered
            || columns.iter().any(|col| col.alias == alias)
            || self.filter.as_ref().is_some_and(|p| p.names(alias))
    }

    /// Whether only the first table is read.
    pub fn reads_one_table(&self) -> bool {
        let others = |p: &Pred| p.names("x") || p.names("q");
        self.join.is_none() && !self.filter.as_ref().is_some_and(others)
    }

    /// Queries with one thing less in them.
    pub fn smaller(&self) -> Vec<Query> {
        let mut out = Vec::new();
        let with = |change: &dyn Fn(&mut Query)| {
            let mut query = self.clone();
            change(&mut query);
            query
        };
        if self.page.is_some() {
            out.push(with(&|q| q.page = None));
        }
        if let Some(filter) = &self.filter {
            out.push(with(&|q| q.filter = None));
            let smaller = filter.smaller().into_iter();
            out.extend(smaller.map(|p| with(&|q| q.filter = Some(p.clone()))));
        }
        if let Some(join) = &self.join {
            if !self.names("x") {
                out.push(with(&|q| q.join = None));
            }
            if join.kind != "JOIN" {
                out.push(with(&|q| q.join.iter_mut().for_each(|j| j.kind = "JOIN")));
            }
            let smaller = |join: Join| Query {
                join: Some(join),
                ..self.clone()
            };
            if join.on.len() > 1 {
                out.extend(without_one(&join.on).map(|on| smaller(Join { on, ..join.clone() })));
            }
            if let Some(filter) = &join.filter {
                let filters = filter.smaller().into_iter().map(Some).chain([None]);
                out.extend(filters.map(|filter| {
                    smaller(Join {
                        filter,
                        ..join.clone()
                    })
                }));
            }
        }
        if self.offset.is_some() {
            out.push(with(&|q| q.offset = None));
        }
        if self.limit.is_some() {
            out.push(with(&|q| q.limit = None));
        }
        // Fewer columns could leave an order by columns that are not in the result with ties.
        let free = self.order.is_empty();
        if self.page.is_none() && !matches!(self.select, Select::First { .. }) {
            if self.limit.is_none() {
                out.push(with(&|q| q.order.clear()));
            }
            if self.order.len() > 1 && self.order_in_result().is_some() {
                out.extend(without_one(&self.order).map(|order| Query {
                    order,
                    ..self.clone()
                }));
            }
        }
        if free {
            out.extend(self.select.smaller().into_iter().map(|select| Query {
                select,
                ..self.clone()
            }));
        }
        out
    }
}

impl Select {
    fn smaller(&self) -> Vec<Select> {
        match self {
            Select::Columns(columns) if columns.len() > 1 => {
                without_one(columns).map(Select::Columns).collect()
            }
            Select::Distinct(columns) => {
                let fewer = without_one(columns).filter(|c| !c.is_empty());
                fewer
                    .map(Select::Distinct)
                    .chain([Select::Columns(columns.clone())])
                    .collect()
            }
            Select::Group {
                by,
                aggregates,
                having,
            } => {
                let again = |by: Vec<Col>, aggregates| Select::Group {
                    by,
                    aggregates,
                    having: *having,
                };
                let mut out: Vec<Select> = without_one(by)
                    .filter(|by| !by.is_empty() || !having)
                    .map(|by| again(by, aggregates.clone()))
                    .collect();
                if aggregates.len() > 1 {
                    out.extend(without_one(aggregates).map(|a| again(by.clone(), a)));
                }
                out
            }
            Select::Columns(_) | Select::First { .. } => Vec::new(),
        }
    }
}
