//! Expressions and values as text: the fixed form that EXPLAIN prints.
//!
//! It is SQL with as few parentheses as its precedence allows. It is ours, not DataFusion's
//! `Display`, so that a plan's text changes only when we change it.

use std::fmt::{self, Write};

use datafusion::arrow::datatypes::{DataType, IntervalMonthDayNano};
use datafusion::logical_expr::expr::{Between, BinaryExpr, Case, Cast, InList, Like, TryCast};
use datafusion::logical_expr::{Expr, Operator};
use datafusion::scalar::ScalarValue;

use crate::catalog::TableDef;
use crate::plan::axis::Axis;
use crate::plan::chain::flatten;
use crate::plan::locate::locate;
use crate::plan::operand::{column_of, widening};
use crate::plan::salt::{SALT_BUCKET, is_bucket};
use crate::plan::scan::table_text;
use crate::plan::words::{interval_text, operator, type_text};
use crate::types::{SqlType, Value};

/// A chain of ANDs or ORs with more terms than this is cut.
const MAX_TERMS: usize = 16;
/// Of a list, so many items are printed.
pub(super) const MAX_ITEMS: usize = 4;
/// Deeper nesting is not printed: no input may exhaust the stack.
const MAX_DEPTH: usize = 128;

/// The text of an expression, for EXPLAIN: `a = 1 AND (b > 'x' OR c IS NULL)`.
///
/// With the table that the columns belong to, casts that type coercion put around a column are
/// left out, and the constant beside it is written in the column's own type where it fits.
pub fn expr_text(expr: &Expr, def: Option<&TableDef>) -> String {
    let mut printer = Printer {
        def,
        out: String::new(),
        depth: 0,
    };
    printer.expr(expr, Level::Or);
    printer.out
}

/// A list of conjuncts as one condition.
pub(super) fn conjunction(conjuncts: &[Expr], def: &TableDef) -> String {
    let mut printer = Printer {
        def: Some(def),
        out: String::new(),
        depth: 0,
    };
    let terms: Vec<&Expr> = conjuncts.iter().collect();
    match terms.as_slice() {
        [one] => printer.expr(one, Level::Or),
        terms => printer.chain(terms, Operator::And),
    }
    printer.out
}

/// A name as SQL reads it back: bare if it is lower case, else quoted.
pub fn name_text(name: &str) -> String {
    let mut chars = name.chars();
    let bare = chars
        .next()
        .is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '$');
    if bare {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// The literal of a value, cut after 64 characters.
pub(super) fn write_value(out: &mut impl Write, value: &Value) -> fmt::Result {
    out.write_str(&value.brief())
}

/// How tightly an expression binds, from the loosest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Comparison,
    Other,
    Sum,
    Product,
    Atom,
}

impl Level {
    fn tighter(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Not,
            Level::Not => Level::Comparison,
            Level::Comparison => Level::Other,
            Level::Other => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product | Level::Atom => Level::Atom,
        }
    }

    fn of_operator(op: Operator) -> Level {
        use Operator::*;
        match op {
            Or => Level::Or,
            And => Level::And,
            Plus | Minus => Level::Sum,
            Multiply | Divide | Modulo => Level::Product,
            op if op.supports_propagation() => Level::Comparison,
            LikeMatch | ILikeMatch | NotLikeMatch | NotILikeMatch => Level::Comparison,
            _ => Level::Other,
        }
    }

    fn of(expr: &Expr) -> Level {
        match expr {
            Expr::Alias(alias) => Level::of(&alias.expr),
            Expr::BinaryExpr(binary) => Level::of_operator(binary.op),
            Expr::Not(_) => Level::Not,
            Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotTrue(_)
            | Expr::IsNotFalse(_)
            | Expr::IsNotUnknown(_)
            | Expr::Between(_)
            | Expr::InList(_)
            | Expr::InSubquery(_)
            | Expr::Like(_)
            | Expr::SimilarTo(_) => Level::Comparison,
            // A literal below zero begins with a sign.
            Expr::Negative(_) => Level::Product,
            _ => Level::Atom,
        }
    }
}

struct Printer<'a> {
    def: Option<&'a TableDef>,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes an expression where only one that binds as tightly as `level` may stand bare.
    fn expr(&mut self, expr: &Expr, level: Level) {
        if self.depth >= MAX_DEPTH {
            return self.push("…");
        }
        self.depth += 1;
        if Level::of(expr) < level {
            self.push("(");
            self.bare(expr);
            self.push(")");
        } else {
            self.bare(expr);
        }
        self.depth -= 1;
    }

    fn bare(&mut self, expr: &Expr) {
        match expr {
            Expr::Alias(alias) => self.bare(&alias.expr),
            Expr::Column(column) => self.push(&name_text(&column.name)),
            Expr::OuterReferenceColumn(_, column) => self.push(&name_text(&column.name)),
            Expr::Literal(scalar, _) => self.scalar(scalar),
            Expr::Placeholder(placeholder) => self.push(&placeholder.id),
            Expr::BinaryExpr(binary) => self.binary(expr, binary),
            Expr::Not(inner) => {
                self.push("NOT ");
                self.expr(inner, Level::Not);
            }
            Expr::Negative(inner) => {
                self.push("-");
                self.expr(inner, Level::Atom);
            }
            Expr::IsNull(inner) => self.test(inner, "IS NULL"),
            Expr::IsNotNull(inner) => self.test(inner, "IS NOT NULL"),
            Expr::IsTrue(inner) => self.test(inner, "IS TRUE"),
            Expr::IsFalse(inner) => self.test(inner, "IS FALSE"),
            Expr::IsUnknown(inner) => self.test(inner, "IS UNKNOWN"),
            Expr::IsNotTrue(inner) => self.test(inner, "IS NOT TRUE"),
            Expr::IsNotFalse(inner) => self.test(inner, "IS NOT FALSE"),
            Expr::IsNotUnknown(inner) => self.test(inner, "IS NOT UNKNOWN"),
            Expr::Between(Between {
                expr,
                negated,
                low,
                high,
            }) => {
                self.compared(expr, low);
                self.push(if *negated {
                    " NOT BETWEEN "
                } else {
                    " BETWEEN "
                });
                self.constant(low, expr);
                self.push(" AND ");
                self.constant(high, expr);
            }
            Expr::InList(InList {
                expr,
                list,
                negated,
            }) => self.list(expr, list, *negated),
            Expr::Like(like) => {
                let word = if like.case_insensitive {
                    "ILIKE"
                } else {
                    "LIKE"
                };
                self.like(like, word);
            }
            Expr::SimilarTo(like) => self.like(like, "SIMILAR TO"),
            Expr::Cast(Cast { expr, field }) => self.cast("CAST", expr, field.data_type()),
            Expr::TryCast(TryCast { expr, field }) => {
                self.cast("TRY_CAST", expr, field.data_type());
            }
            Expr::Case(case) => self.case(case),
            // It is asked for a table, and computed from the columns of its key.
            Expr::ScalarFunction(function) if function.name() == SALT_BUCKET => {
                let call = match self.def {
                    Some(def) if is_bucket(def, expr) => {
                        Ok(format!("{SALT_BUCKET}({})", table_text(def)))
                    }
                    _ => function.func.schema_name(&function.args),
                };
                self.push(&call.unwrap_or_else(|_| SALT_BUCKET.to_owned()));
            }
            Expr::ScalarFunction(function) => {
                self.push(function.name());
                self.push("(");
                for (at, argument) in function.args.iter().enumerate() {
                    if at > 0 {
                        self.push(", ");
                    }
                    self.expr(argument, Level::Or);
                }
                self.push(")");
            }
            Expr::ScalarSubquery(_) => self.push("(subquery)"),
            Expr::Exists(exists) => {
                self.push(if exists.negated {
                    "NOT EXISTS (subquery)"
                } else {
                    "EXISTS (subquery)"
                });
            }
            Expr::InSubquery(subquery) => {
                self.expr(&subquery.expr, Level::Other);
                self.push(if subquery.negated {
                    " NOT IN (subquery)"
                } else {
                    " IN (subquery)"
                });
            }
            other => {
                let _ = write!(self.out, "{other}");
            }
        }
    }

    fn binary(&mut self, expr: &Expr, BinaryExpr { left, op, right }: &BinaryExpr) {
        if let Operator::And | Operator::Or = op {
            return self.chain(&flatten(expr, *op), *op);
        }
        let level = Level::of_operator(*op);
        if level == Level::Comparison {
            if column_of(right).is_some() && column_of(left).is_none() {
                self.constant(left, right);
                let _ = write!(self.out, " {} ", operator(*op));
                self.compared(right, left);
            } else {
                self.compared(left, right);
                let _ = write!(self.out, " {} ", operator(*op));
                self.constant(right, left);
            }
            return;
        }
        self.expr(left, level);
        let _ = write!(self.out, " {} ", operator(*op));
        self.expr(right, level.tighter());
    }

    fn chain(&mut self, terms: &[&Expr], op: Operator) {
        if op == Operator::Or
            && let Some((column, items)) = equalities(terms)
        {
            return self.list(column, &items, false);
        }
        let (level, word) = match op {
            Operator::And => (Level::Not, " AND "),
            _ => (Level::And, " OR "),
        };
        for (at, term) in terms.iter().enumerate() {
            if at > 0 {
                self.push(word);
            }
            if at == MAX_TERMS {
                let _ = write!(self.out, "+{} more", terms.len() - at);
                return;
            }
            // A chain that prints as a list binds as one.
            let chain = matches!(term, Expr::BinaryExpr(b) if b.op == Operator::Or)
                && equalities(&flatten(term, Operator::Or)).is_some();
            self.expr(term, if chain { Level::Or } else { level });
        }
    }

    fn list(&mut self, expr: &Expr, list: &[Expr], negated: bool) {
        match list.first() {
            Some(first) => self.compared(expr, first),
            None => self.expr(expr, Level::Other),
        }
        self.push(if negated { " NOT IN (" } else { " IN (" });
        for (at, item) in list.iter().enumerate() {
            if at > 0 {
                self.push(", ");
            }
            if at == MAX_ITEMS {
                let _ = write!(self.out, "+{} more", list.len() - at);
                break;
            }
            self.constant(item, expr);
        }
        self.push(")");
    }

    fn test(&mut self, inner: &Expr, words: &str) {
        self.expr(inner, Level::Other);
        self.push(" ");
        self.push(words);
    }

    fn like(&mut self, like: &Like, word: &str) {
        self.expr(&like.expr, Level::Other);
        self.push(if like.negated { " NOT " } else { " " });
        self.push(word);
        self.push(" ");
        self.expr(&like.pattern, Level::Other);
        if let Some(escape) = like.escape_char {
            let _ = write!(self.out, " ESCAPE {}", Value::Text(escape.to_string()));
        }
    }

    fn cast(&mut self, word: &str, expr: &Expr, data_type: &DataType) {
        self.push(word);
        self.push("(");
        self.expr(expr, Level::Or);
        let _ = write!(self.out, " AS {})", type_text(data_type));
    }

    fn case(&mut self, case: &Case) {
        self.push("CASE");
        if let Some(expr) = &case.expr {
            self.push(" ");
            self.expr(expr, Level::Or);
        }
        for (when, then) in &case.when_then_expr {
            self.push(" WHEN ");
            self.expr(when, Level::Or);
            self.push(" THEN ");
            self.expr(then, Level::Or);
        }
        if let Some(expr) = &case.else_expr {
            self.push(" ELSE ");
            self.expr(expr, Level::Or);
        }
        self.push(" END");
    }

    /// The side of a comparison that is compared: a column without the cast of type coercion.
    fn compared(&mut self, expr: &Expr, other: &Expr) {
        if let (Some((column, _)), true) = (self.coerced(expr), is_constant(other)) {
            return self.bare(column);
        }
        self.expr(expr, Level::Other);
    }

    /// The other side: a literal in the column's own type, where it has the same value in it.
    fn constant(&mut self, expr: &Expr, compared: &Expr) {
        if let (Expr::Literal(scalar, _), Some((_, sql_type))) = (expr, self.coerced(compared)) {
            let axis = Axis {
                sql_type,
                nullable: true,
            };
            let via = match compared {
                Expr::Cast(cast) => widening(&sql_type, cast.field.data_type()),
                _ => None,
            };
            if !scalar.is_null()
                && let Some(via) = via
                && let Some(value) = locate(&axis, via, scalar).and_then(|place| place.exact())
            {
                let _ = write_value(&mut self.out, &value);
                return;
            }
        }
        if let (Expr::Cast(cast), Some(_)) = (expr, self.coerced(compared))
            && let Expr::Cast(other) = compared
            && cast.field.data_type() == other.field.data_type()
        {
            return self.expr(&cast.expr, Level::Other);
        }
        self.expr(expr, Level::Other);
    }

    /// The column under a cast that keeps the order of its values.
    fn coerced<'e>(&self, expr: &'e Expr) -> Option<(&'e Expr, SqlType)> {
        let Expr::Cast(Cast { expr, field }) = expr else {
            return None;
        };
        let Expr::Column(column) = expr.as_ref() else {
            return None;
        };
        let def = self.def?;
        let sql_type = def.columns.get(def.find_column(&column.name)?)?.sql_type;
        widening(&sql_type, field.data_type())?;
        Some((expr, sql_type))
    }

    fn scalar(&mut self, scalar: &ScalarValue) {
        let text = match scalar {
            scalar if scalar.is_null() => "NULL".to_owned(),
            ScalarValue::IntervalMonthDayNano(Some(interval)) => interval_text(*interval),
            ScalarValue::IntervalYearMonth(Some(months)) => {
                interval_text(IntervalMonthDayNano::new(*months, 0, 0))
            }
            ScalarValue::IntervalDayTime(Some(interval)) => {
                interval_text(IntervalMonthDayNano::new(
                    0,
                    interval.days,
                    i64::from(interval.milliseconds) * 1_000_000,
                ))
            }
            scalar => match Value::from_scalar(scalar) {
                Ok(value) => {
                    let _ = write_value(&mut self.out, &value);
                    return;
                }
                Err(_) => scalar.to_string(),
            },
        };
        self.push(&text);
    }
}

/// The column and the literals of a chain `c = 1 OR c = 2`.
fn equalities<'e>(terms: &[&'e Expr]) -> Option<(&'e Expr, Vec<Expr>)> {
    let mut column: Option<&Expr> = None;
    let mut items = Vec::with_capacity(terms.len());
    for term in terms {
        let Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Eq,
            right,
        }) = term
        else {
            return None;
        };
        if !is_constant(right) || column_of(left).is_none() {
            return None;
        }
        if *column.get_or_insert(left) != left.as_ref() {
            return None;
        }
        items.push(right.as_ref().clone());
    }
    column
        .filter(|_| items.len() > 1)
        .map(|column| (column, items))
}

fn is_constant(expr: &Expr) -> bool {
    crate::plan::operand::is_symbol(expr)
}
