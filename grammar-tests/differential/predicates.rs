//! Random predicates.

use rocksalt::{SqlType, Value};

use super::constant::{Constant, Form};
use super::generate::{col, joinable};
use super::predicate::{Col, Function, Pred, Subquery};
use super::rng::Rng;
use super::schema::{Column, Table};
use super::values::{self, MICROS_PER_DAY};

const COMPARISONS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];

/// What predicates may be made of.
pub struct Predicates<'a> {
    pub tables: &'a [Table],
    pub params: bool,
    pub subqueries: bool,
    /// Whether the second table is joined, as `x`.
    pub joined: bool,
}

impl Predicates<'_> {
    /// The WHERE of a query.
    pub fn filter(&mut self, rng: &mut Rng) -> Option<Pred> {
        if rng.percent(7) {
            return None;
        }
        let mut terms = Vec::new();
        match rng.below(10) {
            0..=4 => terms.extend(self.on_key_prefix(rng)),
            5 => terms.push(self.row(rng)),
            _ => terms.push(self.tree(rng, 3)),
        }
        while rng.percent(35) {
            terms.push(self.tree(rng, 2));
        }
        rng.shuffle(&mut terms);
        Some(match terms.len() {
            1 => terms.remove(0),
            _ if rng.percent(90) => Pred::And(terms),
            _ => Pred::Or(terms),
        })
    }

    /// Equalities and lists on the first key columns, and often a range on the next one: what
    /// becomes point gets, ranges and skip scans.
    fn on_key_prefix(&mut self, rng: &mut Rng) -> Vec<Pred> {
        let keys = self.tables[0].keys;
        let bound = rng.between(usize::from(keys == 1), keys);
        let exact = rng.percent(50);
        let named: Vec<usize> = (0..bound).filter(|_| exact || rng.percent(80)).collect();
        let mut terms: Vec<Pred> = named
            .into_iter()
            .map(|at| {
                let col = col(self.tables, "t", 0, at);
                match rng.below(10) {
                    0..=5 => Pred::Compare(col.clone(), "=", self.constant(rng, &col), false),
                    6 | 7 => Pred::In(col.clone(), false, self.constants(rng, &col, 1, 5)),
                    8 => Pred::Distinct(col.clone(), true, self.constant(rng, &col)),
                    _ => Pred::Or(vec![
                        Pred::Compare(col.clone(), "=", self.constant(rng, &col), false),
                        Pred::Compare(col.clone(), "=", self.constant(rng, &col), true),
                    ]),
                }
            })
            .collect();
        if bound < keys && rng.percent(70) {
            let col = col(self.tables, "t", 0, bound);
            terms.push(if rng.percent(30) {
                Pred::And(vec![
                    Pred::Compare(col.clone(), ">=", self.constant(rng, &col), false),
                    Pred::Compare(col.clone(), "<", self.constant(rng, &col), false),
                ])
            } else {
                self.leaf_on(rng, col)
            });
        }
        if terms.is_empty() {
            terms.push(self.leaf(rng));
        }
        terms
    }

    fn tree(&mut self, rng: &mut Rng, depth: usize) -> Pred {
        if depth == 0 || rng.percent(35) {
            return self.leaf(rng);
        }
        let several = |rng: &mut Rng, this: &mut Self| -> Vec<Pred> {
            (0..rng.between(2, 3))
                .map(|_| this.tree(rng, depth - 1))
                .collect()
        };
        match rng.below(5) {
            0 | 1 => Pred::And(several(rng, self)),
            2 | 3 => Pred::Or(several(rng, self)),
            _ => Pred::Not(Box::new(self.tree(rng, depth - 1))),
        }
    }

    fn leaf(&mut self, rng: &mut Rng) -> Pred {
        if self.subqueries && rng.percent(20) {
            return self.with_subquery(rng);
        }
        let table = usize::from(self.joined && rng.percent(40));
        let alias = if table == 0 { "t" } else { "x" };
        let keys = self.tables[table].keys;
        let columns = self.tables[table].columns.len();
        let at = if rng.percent(75) {
            rng.below(keys)
        } else {
            rng.below(columns)
        };
        if rng.percent(4)
            && let Some(other) = (0..columns).find(|other| {
                let types = |at: usize| self.tables[table].columns[at].sql_type;
                *other != at && types(*other) == types(at)
            })
        {
            return Pred::Columns(
                col(self.tables, alias, table, at),
                rng.pick(&COMPARISONS),
                col(self.tables, alias, table, other),
            );
        }
        if table == 0 && rng.percent(12) {
            return self.row(rng);
        }
        self.leaf_on(rng, col(self.tables, alias, table, at))
    }

    fn leaf_on(&mut self, rng: &mut Rng, col: Col) -> Pred {
        let text = matches!(col.column.sql_type, SqlType::Varchar(_) | SqlType::Char(_));
        if text && rng.percent(30) {
            return match rng.below(4) {
                0 => Pred::StartsWith(col.clone(), self.prefix(rng, &col)),
                _ => self.like(rng, col),
            };
        }
        if col.column.sql_type == SqlType::Boolean && rng.percent(60) {
            return match rng.below(3) {
                0 => {
                    let is = ["IS TRUE", "IS FALSE", "IS NOT TRUE", "IS NOT FALSE"];
                    Pred::Truth(col, rng.pick(&is))
                }
                1 => Pred::Not(Box::new(Pred::Bare(col))),
                _ => Pred::Bare(col),
            };
        }
        // The fence computes functions of the first table's columns alone.
        if col.alias == "t"
            && rng.percent(20)
            && let Some(pred) = self.function(rng, &col)
        {
            return pred;
        }
        match rng.below(20) {
            0..=8 => {
                let constant = self.constant(rng, &col);
                Pred::Compare(col, rng.pick(&COMPARISONS), constant, rng.percent(15))
            }
            9..=11 => {
                let (low, high) = (self.constant(rng, &col), self.constant(rng, &col));
                Pred::Between(col, rng.percent(25), low, high)
            }
            12..=15 => {
                let list = self.constants(rng, &col, 1, 7);
                Pred::In(col, rng.percent(35), list)
            }
            16 | 17 => Pred::IsNull(col, rng.percent(50)),
            _ => {
                let constant = self.constant(rng, &col);
                Pred::Distinct(col, rng.percent(50), constant)
            }
        }
    }

    fn constant(&self, rng: &mut Rng, col: &Col) -> Constant {
        Constant::random(rng, &col.column, self.params)
    }

    fn constants(&self, rng: &mut Rng, col: &Col, low: usize, high: usize) -> Vec<Constant> {
        let mut list: Vec<Constant> = (0..rng.between(low, high))
            .map(|_| self.constant(rng, col))
            .collect();
        if rng.percent(20) {
            let again = rng.pick(&list);
            list.push(again);
        }
        list
    }

    /// A comparison of row values: of a prefix of the key, or of any columns.
    fn row(&mut self, rng: &mut Rng) -> Pred {
        let table = &self.tables[0];
        let cols: Vec<Col> = if rng.percent(75) {
            (0..rng.between(1, table.keys))
                .map(|at| col(self.tables, "t", 0, at))
                .collect()
        } else {
            let mut chosen = rng.some_of(table.columns.len());
            rng.shuffle(&mut chosen);
            chosen
                .into_iter()
                .map(|at| col(self.tables, "t", 0, at))
                .collect()
        };
        if cols.len() == 1 {
            return self.leaf_on(rng, cols[0].clone());
        }
        match rng.below(10) {
            0..=5 => {
                let row = self.row_constants(rng, &cols);
                Pred::Row(cols, rng.pick(&COMPARISONS), row)
            }
            6 => {
                let (low, high) = (
                    self.row_constants(rng, &cols),
                    self.row_constants(rng, &cols),
                );
                Pred::RowBetween(cols, rng.percent(20), low, high)
            }
            _ => {
                let rows = (0..rng.between(1, 5))
                    .map(|_| self.row_constants(rng, &cols))
                    .collect();
                Pred::RowIn(cols, rng.percent(25), rows)
            }
        }
    }

    /// Constants for each column; half of the time those of a row that is there.
    fn row_constants(&self, rng: &mut Rng, cols: &[Col]) -> Vec<Constant> {
        let table = &self.tables[0];
        if table.rows.is_empty() || rng.percent(50) {
            return cols.iter().map(|col| self.constant(rng, col)).collect();
        }
        let row = rng.pick(&table.rows);
        cols.iter()
            .map(|col| {
                let named = |c: &Column| c.name == col.column.name;
                let at = table.columns.iter().position(named);
                let value = at.map_or(Value::Null, |at| row[at].clone());
                Constant::literal(&col.column, value)
            })
            .collect()
    }

    fn prefix(&self, rng: &mut Rng, col: &Col) -> Constant {
        let Value::Text(text) = rng.pick(&col.column.pool) else {
            return Constant::literal(&col.column, Value::Null);
        };
        let chars = text.chars().count();
        let cut = text.chars().take(rng.below(chars + 1)).collect();
        self.text(rng, cut)
    }

    fn text(&self, rng: &mut Rng, text: String) -> Constant {
        let form = if self.params && rng.percent(60) {
            Form::Param(Value::Text("a%".to_owned()))
        } else {
            Form::Literal
        };
        Constant {
            value: Value::Text(text),
            form,
        }
    }

    fn like(&self, rng: &mut Rng, col: Col) -> Pred {
        let mut pattern = String::new();
        if let Value::Text(text) = rng.pick(&col.column.pool) {
            for char in text.chars() {
                match rng.below(12) {
                    0 => pattern.push('_'),
                    1 => pattern.push('%'),
                    _ if matches!(char, '%' | '_' | '\\') && rng.percent(70) => {
                        pattern.push('\\');
                        pattern.push(char);
                    }
                    // A backslash at the end would escape nothing.
                    _ if char == '\\' => pattern.push_str("\\\\"),
                    _ => pattern.push(char),
                }
                if rng.percent(15) {
                    break;
                }
            }
        }
        if rng.percent(70) {
            pattern.push('%');
        }
        let like = if rng.percent(10) { "ILIKE" } else { "LIKE" };
        let pattern = self.text(rng, pattern);
        Pred::Like(col, rng.percent(20), like, pattern, rng.percent(20))
    }

    /// A function that keeps the order of a key column, compared with a constant.
    fn function(&mut self, rng: &mut Rng, col: &Col) -> Option<Pred> {
        if col.column.far {
            return None;
        }
        let function = |before: &str, after: &str| Function {
            before: before.to_owned(),
            after: after.to_owned(),
        };
        let parts = ["year", "quarter", "month", "week", "day", "hour", "second"];
        let bins = ["1 hour", "1 day", "7 days", "15 minutes"];
        // The result, and its type.
        let (function, sql_type) = match col.column.sql_type {
            SqlType::Timestamp => match rng.below(4) {
                0 => (function("CAST(", " AS DATE)"), SqlType::Date),
                1 => {
                    let bin = format!("date_bin(INTERVAL '{}', ", rng.pick(&bins));
                    (function(&bin, ")"), SqlType::Timestamp)
                }
                _ => {
                    let trunc = format!("date_trunc('{}', ", rng.pick(&parts));
                    (function(&trunc, ")"), SqlType::Timestamp)
                }
            },
            SqlType::Date => match rng.below(2) {
                0 => (function("CAST(", " AS TIMESTAMP)"), SqlType::Timestamp),
                _ => {
                    let trunc = format!("date_trunc('{}', ", rng.pick(&parts[..5]));
                    (function(&trunc, ")"), SqlType::Timestamp)
                }
            },
            SqlType::Double | SqlType::Real => (function("floor(", ")"), col.column.sql_type),
            SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer => {
                (function("CAST(", " AS BIGINT)"), SqlType::BigInt)
            }
            _ => return None,
        };
        let column = Column {
            sql_type,
            pool: col
                .column
                .pool
                .iter()
                .map(|value| like_result(rng, sql_type, value))
                .collect(),
            ..col.column.clone()
        };
        let mut constant = Constant::random(rng, &column, self.params);
        if sql_type == SqlType::Double && matches!(constant.value, Value::Decimal { .. }) {
            // The fence makes it a column of DOUBLE that is no table's, which becomes a DECIMAL.
            constant = Constant::literal(&column, Value::Double(1.5));
        }
        if sql_type == SqlType::Real && constant.form == Form::Literal {
            // Beside a REAL that is not a column, a number with a point makes both DECIMAL, and
            // most values of REAL overflow that.
            constant.form = Form::Cast(SqlType::Real);
        }
        let col = Col {
            column,
            ..col.clone()
        };
        Some(Pred::Function(
            function,
            col,
            rng.pick(&COMPARISONS),
            constant,
        ))
    }

    /// A predicate with a query in it; the query has no parameters, as DataFusion does not find
    /// the types of those.
    fn with_subquery(&mut self, rng: &mut Rng) -> Pred {
        let pairs = joinable(self.tables, "q");
        let (outer, inner) = rng.pick(&pairs);
        let filter = rng.percent(60).then(|| {
            let at = rng.below(self.tables[1].columns.len());
            let col = col(self.tables, "q", 1, at);
            let constant = Constant::random(rng, &col.column, false);
            Box::new(Pred::Compare(col, rng.pick(&COMPARISONS), constant, false))
        });
        let mut query = Subquery {
            table: 1,
            output: inner,
            on: Vec::new(),
            filter,
        };
        match rng.below(10) {
            0..=4 => {
                let aggregate = rng.pick(&["min", "max"]);
                let op = rng.pick(&["=", "=", "=", "<", ">="]);
                Pred::Scalar(outer, op, aggregate, query)
            }
            5..=7 => Pred::InQuery(outer, rng.percent(40), query),
            _ => {
                query.on = pairs;
                Pred::Exists(rng.percent(50), query)
            }
        }
    }
}

/// A value of the type of a function's result that is near a value of its argument.
fn like_result(rng: &mut Rng, sql_type: SqlType, value: &Value) -> Value {
    match (sql_type, value) {
        (SqlType::Date, Value::Timestamp(micros)) => {
            Value::Date(micros.div_euclid(MICROS_PER_DAY) as i32)
        }
        (SqlType::Timestamp, Value::Date(days)) => {
            Value::Timestamp(i64::from(*days) * MICROS_PER_DAY)
        }
        (SqlType::Timestamp, Value::Timestamp(micros)) if rng.percent(70) => {
            Value::Timestamp(micros.div_euclid(MICROS_PER_DAY) * MICROS_PER_DAY)
        }
        (SqlType::Double, Value::Double(v)) => Value::Double(v.floor()),
        (SqlType::Real, Value::Real(v)) => Value::Real(v.floor()),
        (SqlType::BigInt, value) => {
            values::whole(value).map_or(Value::Null, |n| Value::BigInt(n as i64))
        }
        (_, value) => value.clone(),
    }
}
