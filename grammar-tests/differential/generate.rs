//! Random queries: what stands around the predicate.

use rocksalt::SqlType;

use super::predicate::Col;
use super::predicates::Predicates;
use super::query::{Aggregate, Join, Order, OrderBy, Query, Select};
use super::rng::Rng;
use super::schema::Table;

/// Which kind of query a test asks most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Predicates, as deep as they get.
    Predicates,
    /// ORDER BY, LIMIT, groups, first rows, pages.
    Orders,
    /// Two tables.
    Joins,
    /// Parameters, each query executed twice.
    Parameters,
}

/// A column of a case's table.
pub fn col(tables: &[Table], alias: &'static str, table: usize, at: usize) -> Col {
    Col {
        alias,
        table,
        column: tables[table].columns[at].clone(),
    }
}

/// A query of the first table, or of both.
pub fn query(rng: &mut Rng, tables: &[Table], theme: Theme) -> Query {
    let join = (theme == Theme::Joins && rng.percent(65)).then(|| join(rng, tables));
    let mut predicates = Predicates {
        tables,
        params: theme == Theme::Parameters,
        subqueries: theme == Theme::Joins,
        joined: join.is_some(),
    };
    let filter = predicates.filter(rng);
    let all = |alias, table: usize| -> Vec<Col> {
        (0..tables[table].columns.len())
            .map(|at| col(tables, alias, table, at))
            .collect()
    };
    let mut columns = all("t", 0);
    let keys = columns[..tables[0].keys].to_vec();
    if join.is_some() {
        columns.extend(all("x", 1));
    }
    let mut query = Query {
        select: Select::Columns(columns.clone()),
        join,
        filter,
        order: Vec::new(),
        limit: None,
        offset: None,
        page: None,
    };
    let weights = match theme {
        Theme::Predicates => [80, 10, 5, 0, 5],
        Theme::Orders => [42, 14, 18, 18, 8],
        Theme::Joins => [70, 8, 14, 0, 8],
        Theme::Parameters => [65, 7, 12, 10, 6],
    };
    match rng.weighted(&weights) {
        0 => select_columns(rng, &mut query, &columns, &keys, theme),
        1 => {
            let some = if rng.percent(70) {
                keys[..rng.between(1, keys.len())].to_vec()
            } else {
                some_columns(rng, &columns)
            };
            order_by_some(rng, &mut query, &some);
            query.select = Select::Distinct(some);
        }
        2 => {
            let by = if rng.percent(75) {
                keys[..rng.between(1, keys.len())].to_vec()
            } else {
                some_columns(rng, &columns)
            };
            let aggregates = aggregates(rng, &columns);
            order_by_some(rng, &mut query, &by);
            if rng.percent(20) {
                query.order.push(Order {
                    by: OrderBy::Output(by.len()),
                    descending: rng.percent(50),
                    nulls_first: None,
                });
            }
            let having = rng.percent(20);
            query.select = Select::Group {
                by,
                aggregates,
                having,
            };
        }
        3 if keys.len() > 1 => first_rows(rng, &mut query, &columns, &keys),
        _ => {
            query.select = Select::Group {
                by: Vec::new(),
                aggregates: aggregates(rng, &columns),
                having: false,
            }
        }
    }
    if query.page.is_none() && rng.percent(if query.order.is_empty() { 8 } else { 55 }) {
        query.limit = Some(rng.pick(&[0, 1, 1, 2, 3, 5, 10, 100]));
        if rng.percent(30) {
            query.offset = Some(rng.pick(&[0, 1, 2, 7, 1_000]));
        }
    }
    query
}

fn some_columns(rng: &mut Rng, columns: &[Col]) -> Vec<Col> {
    let chosen = rng.some_of(columns.len());
    chosen.into_iter().map(|at| columns[at].clone()).collect()
}

fn order(rng: &mut Rng, by: &Col, descending: bool) -> Order {
    let nulls_first = match rng.below(10) {
        0 | 1 => Some(descending),
        2 => Some(!descending),
        _ => None,
    };
    Order {
        by: OrderBy::Column(by.clone()),
        descending,
        nulls_first,
    }
}

/// The order of the key or its reverse for some of its columns, or some other order.
fn orders(rng: &mut Rng, columns: &[Col]) -> Vec<Order> {
    let reverse = rng.percent(50);
    let as_key = rng.percent(70);
    columns
        .iter()
        .map(|c| {
            let descending = if as_key {
                c.column.descending != reverse
            } else {
                rng.percent(50)
            };
            let mut order = order(rng, c, descending);
            if as_key && rng.percent(90) {
                order.nulls_first = None;
            }
            order
        })
        .collect()
}

fn order_by_some(rng: &mut Rng, query: &mut Query, columns: &[Col]) {
    if rng.percent(60) {
        let some = &columns[..rng.between(1, columns.len())];
        query.order = orders(rng, some);
    }
}

fn select_columns(rng: &mut Rng, query: &mut Query, columns: &[Col], keys: &[Col], theme: Theme) {
    let mut chosen = if rng.percent(50) {
        columns.to_vec()
    } else {
        some_columns(rng, columns)
    };
    rng.shuffle(&mut chosen);
    let ordered = match theme {
        Theme::Orders => 90,
        Theme::Joins => 30,
        _ => 40,
    };
    if !rng.percent(ordered) {
        query.select = Select::Columns(chosen);
        return;
    }
    let pageable = keys.iter().all(|k| !k.column.nullable) && query.join.is_none();
    if pageable && rng.percent(12) {
        let reverse = rng.percent(50);
        query.order = keys.iter().map(|key| order(rng, key, reverse)).collect();
        query.page = Some(rng.pick(&[1, 2, 3, 7, 50]));
        chosen.retain(|c| !keys.iter().any(|key| key.is(c)));
        query.select = Select::Columns(keys.iter().cloned().chain(chosen).collect());
        return;
    }
    match rng.below(10) {
        // The whole key: without ties, and so by columns that are not in the result, too.
        0..=4 if query.join.is_none() => query.order = orders(rng, keys),
        5 | 6 if query.join.is_none() => {
            let mut by = columns.to_vec();
            rng.shuffle(&mut by);
            query.order = orders(rng, &by);
        }
        _ => {
            // A prefix of the key stays one only while no other column comes before it.
            let from = if rng.percent(60) && query.join.is_none() {
                let prefix = keys[..rng.between(1, keys.len())].to_vec();
                chosen.retain(|c| !prefix.iter().any(|p| p.is(c)));
                chosen.extend(prefix.iter().cloned());
                prefix
            } else {
                some_columns(rng, &chosen)
            };
            query.order = orders(rng, &from);
        }
    }
    query.select = Select::Columns(chosen);
}

fn aggregates(rng: &mut Rng, columns: &[Col]) -> Vec<Aggregate> {
    (0..rng.between(1, 3))
        .map(|_| match rng.below(10) {
            0..=2 => Aggregate::Count,
            3 => Aggregate::CountDistinct(rng.pick(columns)),
            4 => Aggregate::Of("count", rng.pick(columns)),
            5..=7 => Aggregate::Of("min", rng.pick(columns)),
            _ => Aggregate::Of("max", rng.pick(columns)),
        })
        .collect()
}

fn first_rows(rng: &mut Rng, query: &mut Query, columns: &[Col], keys: &[Col]) {
    let prefix = rng.between(1, keys.len() - 1);
    let on = keys[..prefix].to_vec();
    let mut rest = orders(rng, &keys[prefix..]);
    if rng.percent(20) {
        // Another column first: the key still decides last.
        let by = rng.pick(columns);
        if !on.iter().any(|c| c.is(&by)) {
            rest.retain(|o| !matches!(&o.by, OrderBy::Column(c) if c.is(&by)));
            let descending = rng.percent(50);
            rest.insert(0, order(rng, &by, descending));
        }
    }
    query.order = orders(rng, &on);
    let mut chosen = some_columns(rng, columns);
    if rng.percent(60) {
        chosen.retain(|c| !on.iter().any(|o| o.is(c)));
        chosen.extend(on.iter().cloned());
    }
    // DataFusion has no windows in the order of these.
    let orderless = rest.iter().any(|order| match &order.by {
        OrderBy::Column(col) => {
            matches!(col.column.sql_type, SqlType::Time | SqlType::Varbinary(_))
        }
        OrderBy::Output(_) => false,
    });
    query.select = Select::First {
        on,
        rest,
        columns: chosen,
        distinct_on: orderless || rng.percent(65),
    };
}

fn join(rng: &mut Rng, tables: &[Table]) -> Join {
    let pairs = joinable(tables, "x");
    let mut on: Vec<(Col, Col)> = pairs.iter().take(1).cloned().collect();
    on.extend(pairs.into_iter().skip(1).filter(|_| rng.percent(70)));
    let kinds = [
        "JOIN",
        "JOIN",
        "JOIN",
        "LEFT JOIN",
        "LEFT JOIN",
        "RIGHT JOIN",
        "FULL JOIN",
    ];
    Join {
        kind: rng.pick(&kinds),
        on,
        filter: None,
    }
}

/// Key columns of the two tables that have one place and one type; there is at least one pair.
pub fn joinable(tables: &[Table], alias: &'static str) -> Vec<(Col, Col)> {
    let pairs = tables[0].keys.min(tables[1].keys);
    (0..pairs)
        .map(|at| (col(tables, "t", 0, at), col(tables, alias, 1, at)))
        .filter(|(t, x)| t.column.sql_type == x.column.sql_type)
        .collect()
}
