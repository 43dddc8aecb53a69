//! A query as text, for each of those who are asked.

use rocksalt::{SqlType, Value};
use rusqlite::types::Value as Sqlite;

use super::constant::Constant;
use super::predicate::{Col, Function, Pred, Subquery};
use super::query::{Aggregate, Order, OrderBy, Query, Select};
use super::schema::Table;
use super::sqlite_value;

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The tables as they are.
    Salted,
    /// Their twins without buckets.
    Unsalted,
    /// The twins behind a LIMIT that drops nothing, which no predicate passes: DataFusion filters,
    /// and the where-optimizer has no part in it. Functions of columns are computed there, too, so
    /// that nobody turns them into ranges.
    Fenced,
    Sqlite,
}

/// A statement with the values of its parameters.
#[derive(Debug, Clone, Default)]
pub struct Sql {
    pub text: String,
    pub params: Vec<Value>,
    /// Those of SQLite, to which every constant is one.
    pub sqlite_params: Vec<Sqlite>,
    /// Whether SQLite knows all that is in it.
    pub shared: bool,
}

/// The name of a table in the database, or of its twin.
pub fn table_name(target: Target, table: usize) -> String {
    let name = if target == Target::Salted { "s" } else { "u" };
    format!("{name}{table}")
}

/// The text of a query for its first or second execution.
pub fn write(tables: &[Table], query: &Query, target: Target, execution: usize) -> Sql {
    let mut writer = Writer {
        tables,
        target,
        execution,
        fenced: Vec::new(),
        sql: Sql {
            shared: true,
            ..Sql::default()
        },
    };
    writer.query(query);
    writer.fence();
    writer.sql
}

/// Stands for the first table until all functions of its columns are known.
const FROM: &str = "{t}";

struct Writer<'a> {
    tables: &'a [Table],
    target: Target,
    execution: usize,
    /// The functions that the fence computes.
    fenced: Vec<String>,
    sql: Sql,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.sql.text.push_str(text);
    }

    fn list<T>(&mut self, items: &[T], between: &str, mut each: impl FnMut(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.push(between);
            }
            each(self, item);
        }
    }

    fn query(&mut self, query: &Query) {
        match &query.select {
            Select::Columns(columns) => {
                self.push("SELECT ");
                self.outputs(query, columns);
                self.sources(query);
                self.filter(query);
            }
            Select::Distinct(columns) => {
                self.push("SELECT DISTINCT ");
                self.outputs(query, columns);
                self.sources(query);
                self.filter(query);
            }
            Select::Group {
                by,
                aggregates,
                having,
            } => {
                self.push("SELECT ");
                self.outputs(query, by);
                for (at, aggregate) in aggregates.iter().enumerate() {
                    if at + by.len() > 0 {
                        self.push(", ");
                    }
                    self.aggregate(aggregate);
                    self.push(&format!(" AS o{}", at + by.len()));
                }
                self.sources(query);
                self.filter(query);
                if !by.is_empty() {
                    self.push(" GROUP BY ");
                    self.list(by, ", ", |w, col| w.column(col));
                }
                if *having {
                    self.push(" HAVING count(*) > 1");
                }
            }
            Select::First {
                on,
                rest,
                columns,
                distinct_on: true,
            } if self.target != Target::Sqlite => {
                self.push("SELECT DISTINCT ON (");
                self.list(on, ", ", |w, col| w.column(col));
                self.push(") ");
                self.outputs(query, columns);
                self.sources(query);
                self.filter(query);
                self.push(" ORDER BY ");
                self.list(&query.order, ", ", |w, order| w.order(order));
                self.push(", ");
                self.list(rest, ", ", |w, order| w.order(order));
                self.limits(query);
                return;
            }
            Select::First {
                on, rest, columns, ..
            } => {
                self.push("SELECT ");
                self.outputs(query, columns);
                self.push(" FROM (SELECT *, row_number() OVER (PARTITION BY ");
                self.list(on, ", ", |w, col| w.column(col));
                self.push(" ORDER BY ");
                self.list(rest, ", ", |w, order| w.order(order));
                self.push(") AS rn");
                self.sources(query);
                self.filter(query);
                self.push(") AS t WHERE rn = 1");
            }
        }
        if !query.order.is_empty() {
            self.push(" ORDER BY ");
            self.list(&query.order, ", ", |w, order| w.order(order));
        }
        self.limits(query);
    }

    /// The columns of the result; those of a join have names of their own, as two tables may have
    /// columns of one name.
    fn outputs(&mut self, query: &Query, columns: &[Col]) {
        for (at, col) in columns.iter().enumerate() {
            if at > 0 {
                self.push(", ");
            }
            self.column(col);
            if query.join.is_some() {
                self.push(&format!(" AS o{at}"));
            }
        }
    }

    fn aggregate(&mut self, aggregate: &Aggregate) {
        match aggregate {
            Aggregate::Count => self.push("count(*)"),
            Aggregate::Of(function, col) => {
                self.push(&format!("{function}("));
                self.column(col);
                self.push(")");
            }
            Aggregate::CountDistinct(col) => {
                self.push("count(DISTINCT ");
                self.column(col);
                self.push(")");
            }
        }
    }

    fn sources(&mut self, query: &Query) {
        self.push(" FROM ");
        self.push(FROM);
        if let Some(join) = &query.join {
            self.push(&format!(" {} ", join.kind));
            self.source(1, "x");
            self.push(" ON ");
            self.list(&join.on, " AND ", |w, (t, x)| {
                w.column(t);
                w.push(" = ");
                w.column(x);
            });
            if let Some(filter) = &join.filter {
                self.push(" AND ");
                self.pred(filter);
            }
        }
    }

    fn source(&mut self, table: usize, alias: &str) {
        let name = table_name(self.target, table);
        if self.target == Target::Fenced {
            self.push(&format!("(SELECT * FROM {name} LIMIT 100000) AS {alias}"));
        } else {
            self.push(&format!("{name} AS {alias}"));
        }
    }

    fn fence(&mut self) {
        let name = table_name(self.target, 0);
        let source = if self.target == Target::Fenced {
            let mut computed = String::new();
            for (at, function) in self.fenced.iter().enumerate() {
                computed += &format!(", {function} AS f{at}");
            }
            format!("(SELECT *{computed} FROM {name} AS t LIMIT 100000) AS t")
        } else {
            format!("{name} AS t")
        };
        self.sql.text = self.sql.text.replace(FROM, &source);
    }

    fn filter(&mut self, query: &Query) {
        if let Some(filter) = &query.filter {
            self.push(" WHERE ");
            self.pred(filter);
        }
    }

    fn order(&mut self, order: &Order) {
        match &order.by {
            OrderBy::Column(col) => self.column(col),
            OrderBy::Output(at) => self.push(&format!("o{at}")),
        }
        if order.descending {
            self.push(" DESC");
        }
        // SQLite's default is that NULL is the smallest value, rocksalt's that it is the largest.
        let written = match self.target {
            Target::Sqlite => Some(order.nulls_first.unwrap_or(order.descending)),
            _ => order.nulls_first,
        };
        match written {
            Some(true) => self.push(" NULLS FIRST"),
            Some(false) => self.push(" NULLS LAST"),
            None => {}
        }
    }

    fn limits(&mut self, query: &Query) {
        if let Some(limit) = query.limit {
            self.push(&format!(" LIMIT {limit}"));
        }
        if let Some(offset) = query.offset {
            self.push(&format!(" OFFSET {offset}"));
        }
    }

    fn column(&mut self, col: &Col) {
        let text = format!("{}.{}", col.alias, col.column.name);
        self.push(&text);
    }

    fn constant(&mut self, sql_type: SqlType, constant: &Constant) {
        if self.target != Target::Sqlite {
            let text = constant.sql(self.execution, &mut self.sql.params);
            self.push(&text);
            return;
        }
        match sqlite_value::constant(sql_type, constant.value_in(self.execution)) {
            Some(value) => self.sql.sqlite_params.push(value),
            None => {
                self.sql.shared = false;
                self.sql.sqlite_params.push(Sqlite::Null);
            }
        }
        self.push("?");
    }

    fn columns_and(&mut self, cols: &[Col], op: &str) {
        self.push("(");
        self.list(cols, ", ", |w, col| w.column(col));
        self.push(&format!(") {op} "));
    }

    fn row(&mut self, cols: &[Col], row: &[Constant]) {
        self.push("(");
        let pairs: Vec<(&Col, &Constant)> = cols.iter().zip(row).collect();
        self.list(&pairs, ", ", |w, (col, constant)| {
            w.constant(col.column.sql_type, constant);
        });
        self.push(")");
    }

    fn pred(&mut self, pred: &Pred) {
        match pred {
            Pred::And(terms) => {
                self.push("(");
                self.list(terms, " AND ", |w, term| w.pred(term));
                self.push(")");
            }
            Pred::Or(terms) => {
                self.push("(");
                self.list(terms, " OR ", |w, term| w.pred(term));
                self.push(")");
            }
            Pred::Not(inner) => {
                self.push("NOT (");
                self.pred(inner);
                self.push(")");
            }
            Pred::Compare(col, op, constant, flipped) => {
                if *flipped {
                    self.constant(col.column.sql_type, constant);
                    self.push(&format!(" {op} "));
                    self.column(col);
                } else {
                    self.column(col);
                    self.push(&format!(" {op} "));
                    self.constant(col.column.sql_type, constant);
                }
            }
            Pred::Columns(a, op, b) => {
                self.column(a);
                self.push(&format!(" {op} "));
                self.column(b);
            }
            Pred::Between(col, not, low, high) => {
                self.column(col);
                self.push(if *not { " NOT BETWEEN " } else { " BETWEEN " });
                self.constant(col.column.sql_type, low);
                self.push(" AND ");
                self.constant(col.column.sql_type, high);
            }
            Pred::In(col, not, list) => {
                self.column(col);
                self.push(if *not { " NOT IN (" } else { " IN (" });
                self.list(list, ", ", |w, c| w.constant(col.column.sql_type, c));
                self.push(")");
            }
            Pred::IsNull(col, not) => {
                self.column(col);
                self.push(if *not { " IS NOT NULL" } else { " IS NULL" });
            }
            Pred::Distinct(col, not, constant) => {
                self.column(col);
                self.push(if *not {
                    " IS NOT DISTINCT FROM "
                } else {
                    " IS DISTINCT FROM "
                });
                self.constant(col.column.sql_type, constant);
            }
            Pred::Like(col, not, like, pattern, escape) => {
                self.column(col);
                self.push(if *not { " NOT" } else { "" });
                self.push(&format!(" {like} "));
                self.constant(col.column.sql_type, pattern);
                if *escape || self.target == Target::Sqlite {
                    self.push(r" ESCAPE '\'");
                }
                self.like_is_shared(col, like, pattern);
            }
            Pred::StartsWith(col, prefix) => {
                let sqlite = self.target == Target::Sqlite;
                self.push(if sqlite { "instr(" } else { "starts_with(" });
                self.column(col);
                self.push(", ");
                self.constant(col.column.sql_type, prefix);
                self.push(if sqlite { ") = 1" } else { ")" });
            }
            Pred::Bare(col) => self.column(col),
            Pred::Truth(col, is) => {
                self.column(col);
                self.push(&format!(" {is}"));
            }
            Pred::Row(cols, op, row) => {
                self.columns_and(cols, op);
                self.row(cols, row);
            }
            Pred::RowBetween(cols, not, low, high) => {
                self.columns_and(cols, if *not { "NOT BETWEEN" } else { "BETWEEN" });
                self.row(cols, low);
                self.push(" AND ");
                self.row(cols, high);
            }
            Pred::RowIn(cols, not, rows) => {
                self.columns_and(cols, if *not { "NOT IN" } else { "IN" });
                let sqlite = self.target == Target::Sqlite;
                self.push(if sqlite { "(VALUES " } else { "(" });
                self.list(rows, ", ", |w, row| w.row(cols, row));
                self.push(")");
            }
            Pred::Function(function, col, op, constant) => {
                self.function(function, col);
                self.push(&format!(" {op} "));
                self.constant(col.column.sql_type, constant);
                self.sql.shared = false;
            }
            Pred::Scalar(col, op, aggregate, query) => {
                self.column(col);
                self.push(&format!(" {op} "));
                self.subquery(query, &format!("{aggregate}("), ")");
            }
            Pred::InQuery(col, not, query) => {
                self.column(col);
                self.push(if *not { " NOT IN " } else { " IN " });
                self.subquery(query, "", "");
            }
            Pred::Exists(not, query) => {
                self.push(if *not { "NOT EXISTS " } else { "EXISTS " });
                self.subquery(query, "", "");
            }
        }
    }

    fn function(&mut self, function: &Function, col: &Col) {
        let name = format!("{}.{}", col.alias, col.column.name);
        let text = format!("{}{name}{}", function.before, function.after);
        if self.target == Target::Fenced {
            self.push(&format!("t.f{}", self.fenced.len()));
            self.fenced.push(text);
        } else {
            self.push(&text);
        }
    }

    fn subquery(&mut self, query: &Subquery, before: &str, after: &str) {
        self.push(&format!("(SELECT {before}"));
        self.column(&query.output);
        self.push(&format!("{after} FROM "));
        self.source(query.table, "q");
        let mut word = " WHERE ";
        for (outer, inner) in &query.on {
            self.push(word);
            self.column(inner);
            self.push(" = ");
            self.column(outer);
            word = " AND ";
        }
        if let Some(filter) = &query.filter {
            self.push(word);
            self.pred(filter);
        }
        self.push(")");
    }

    /// SQLite's LIKE ends at a zero byte; and ILIKE is not there.
    fn like_is_shared(&mut self, col: &Col, like: &str, pattern: &Constant) {
        let at = self.tables[col.table]
            .columns
            .iter()
            .position(|c| c.name == col.column.name);
        let zero = |value: &Value| matches!(value, Value::Text(text) if text.contains('\0'));
        let rows = &self.tables[col.table].rows;
        let in_rows = at.is_some_and(|at| rows.iter().any(|row| zero(&row[at])));
        let varchar = matches!(col.column.sql_type, SqlType::Varchar(_));
        if in_rows || zero(pattern.value_in(self.execution)) || like != "LIKE" || !varchar {
            self.sql.shared = false;
        }
    }
}
