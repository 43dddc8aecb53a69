//! A constant beside a column: what it means, and the many ways to write it.

use rocksalt::{SqlType, Value};

use super::rng::Rng;
use super::schema::Column;
use super::values::{self, MICROS_PER_DAY};

/// How a constant is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// As a literal of its own type.
    Literal,
    /// In quotes, whatever its type.
    Quoted,
    /// `CAST('5' AS INTEGER)`
    Cast(SqlType),
    /// An expression without columns, and its text.
    Computed(String),
    /// A parameter, and its value in the second execution.
    Param(Value),
}

/// A constant.
#[derive(Debug, Clone)]
pub struct Constant {
    pub value: Value,
    pub form: Form,
}

impl Constant {
    /// A literal, or what comes nearest to one.
    pub fn literal(column: &Column, value: Value) -> Self {
        let form = needed_cast(column, &value).map_or(Form::Literal, Form::Cast);
        Constant { value, form }
    }

    /// A constant to be compared with a column. One of few is NULL, or has another type.
    pub fn random(rng: &mut Rng, column: &Column, params: bool) -> Self {
        let mut value = one_value(rng, column);
        if rng.percent(12) {
            value = other_type(rng, column, value);
        }
        let form = if params && rng.percent(60) {
            Form::Param(one_value(rng, column))
        } else if let Some(sql_type) = needed_cast(column, &value) {
            Form::Cast(sql_type)
        } else if rng.percent(70) {
            Form::Literal
        } else {
            form(rng, column, &value)
        };
        Constant { value, form }
    }

    /// The value in an execution: the first or the second.
    pub fn value_in(&self, execution: usize) -> &Value {
        match &self.form {
            Form::Param(second) if execution == 1 => second,
            _ => &self.value,
        }
    }

    /// In rocksalt's SQL; the value of a parameter is pushed to `params`.
    pub fn sql(&self, execution: usize, params: &mut Vec<Value>) -> String {
        match &self.form {
            Form::Literal => literal(&self.value),
            Form::Quoted => quoted(&self.value),
            Form::Cast(sql_type) => format!("CAST({} AS {sql_type})", quoted(&self.value)),
            Form::Computed(text) => text.clone(),
            Form::Param(_) => {
                params.push(self.value_in(execution).clone());
                "?".to_owned()
            }
        }
    }

    /// The same constant as a literal, if it is not one and its column gives it the same meaning.
    pub fn simpler(&self) -> Option<Constant> {
        let same = match self.form {
            Form::Literal | Form::Cast(SqlType::Real | SqlType::Double) => false,
            Form::Param(_) => !matches!(self.value, Value::Real(_) | Value::Double(_)),
            _ => true,
        };
        same.then(|| Constant {
            value: self.value.clone(),
            form: Form::Literal,
        })
    }
}

fn one_value(rng: &mut Rng, column: &Column) -> Value {
    match rng.below(20) {
        0 => Value::Null,
        1 | 2 => values::any(rng, column.sql_type, column.far),
        3..=6 => {
            let value = rng.pick(&column.pool);
            values::neighbour(rng, &value)
        }
        _ => rng.pick(&column.pool),
    }
}

/// The cast without which the literal of a value would mean another value: `0.1` is exact, not a
/// REAL, `3e38` is a DOUBLE, and `'Infinity'` is read as the column's type.
fn needed_cast(column: &Column, value: &Value) -> Option<SqlType> {
    let float = matches!(column.sql_type, SqlType::Real | SqlType::Double);
    match value {
        Value::Real(_) if column.sql_type != SqlType::Real => Some(SqlType::Real),
        Value::Real(v) if format!("{v:?}").contains('e') => Some(SqlType::Real),
        Value::Double(v) if !float && !v.is_finite() => Some(SqlType::Double),
        _ => None,
    }
}

/// Whether a date is none that DataFusion reads: quoted, such a constant is read by rocksalt.
fn is_far(value: &Value) -> bool {
    let days = match value {
        Value::Date(days) => i64::from(*days),
        Value::Timestamp(micros) => micros.div_euclid(MICROS_PER_DAY),
        _ => return false,
    };
    !(-719_162..2_932_897).contains(&days)
}

/// A literal of the value's own type; a DOUBLE's has an exponent, without which it is a DECIMAL.
pub fn literal(value: &Value) -> String {
    match value {
        Value::Double(v) if v.is_finite() => format!("{v:e}"),
        value if is_far(value) => quoted(value),
        // A zero byte has no escape in a literal.
        Value::Text(text) if text.contains('\0') => {
            let parts: Vec<String> = text
                .split('\0')
                .map(|part| Value::Text(part.to_owned()).to_string())
                .collect();
            format!("({})", parts.join(" || chr(0) || "))
        }
        value => value.to_string(),
    }
}

/// A literal, without the type in front of its quotes.
fn quoted(value: &Value) -> String {
    if value.is_null() || matches!(value, Value::Text(_)) {
        return literal(value);
    }
    let literal = value.to_string();
    match literal.find('\'') {
        Some(quote) => literal[quote..].to_owned(),
        None => format!("'{literal}'"),
    }
}

fn form(rng: &mut Rng, column: &Column, value: &Value) -> Form {
    if value.is_null() {
        return Form::Literal;
    }
    // Of an expression DataFusion computes the text, whose trailing spaces then count.
    let spaces = matches!((column.sql_type, value), (SqlType::Char(_), Value::Text(text)) if text.ends_with(' '));
    let computed = computed(rng, value).filter(|_| !spaces).map(Form::Computed);
    let same_type = match (value.sql_type(), column.sql_type) {
        (Some(SqlType::Varchar(_)), SqlType::Varchar(_)) => true,
        (of_value, of_column) => of_value == Some(of_column),
    };
    let binary = matches!(value, Value::Binary(_));
    let mut forms: Vec<Form> = computed.into_iter().collect();
    if same_type && !binary {
        forms.push(Form::Quoted);
        // CAST to a type of text does not look at the length.
        if !is_far(value) {
            forms.push(Form::Cast(column.sql_type));
        }
    }
    if forms.is_empty() {
        Form::Literal
    } else {
        rng.pick(&forms)
    }
}

/// Arithmetic that results in a value.
fn computed(rng: &mut Rng, value: &Value) -> Option<String> {
    if let Some(n) = values::whole(value) {
        // Beyond 32 bits the arithmetic itself could overflow, which is another matter.
        let n = i32::try_from(n).ok()?;
        let by = rng.below(9) as i64;
        return Some(format!("({} + {by})", i64::from(n) - by));
    }
    Some(match value {
        Value::Boolean(v) => format!("(NOT {})", if *v { "FALSE" } else { "TRUE" }),
        Value::Text(text) => {
            let chars: Vec<char> = text.chars().collect();
            let at = rng.below(chars.len() + 1);
            let (head, tail) = chars.split_at(at);
            let part = |chars: &[char]| literal(&Value::Text(chars.iter().collect()));
            format!("({} || {})", part(head), part(tail))
        }
        Value::Date(days) if (-700_000..2_000_000).contains(days) => {
            let by = rng.below(400) as i32;
            format!("({} + INTERVAL '{by} days')", Value::Date(days - by))
        }
        Value::Timestamp(micros) if micros.unsigned_abs() < (i64::MAX / 1_000) as u64 => {
            let by = rng.below(400) as i64;
            let start = Value::Timestamp(micros + by * 1_000_000);
            format!("({start} - INTERVAL '{by} seconds')")
        }
        _ => return None,
    })
}

/// A value of another type than the column's, near `value` or far out of range.
fn other_type(rng: &mut Rng, column: &Column, value: Value) -> Value {
    let decimal = |unscaled: i128, scale: u8| Value::Decimal {
        unscaled,
        precision: 38,
        scale,
    };
    match (column.sql_type, &value) {
        (SqlType::Date, Value::Date(days)) if !column.far => Value::Timestamp(
            i64::from(*days) * MICROS_PER_DAY + rng.pick(&[0, 0, 1, MICROS_PER_DAY / 2]),
        ),
        (SqlType::Timestamp, Value::Timestamp(micros)) if !column.far => {
            Value::Date(micros.div_euclid(MICROS_PER_DAY) as i32)
        }
        (SqlType::Real, Value::Real(v)) => match rng.below(3) {
            0 => Value::Double(f64::from(*v)),
            1 => Value::Double(0.1),
            _ => Value::Integer(rng.below(6) as i32),
        },
        (SqlType::Double, Value::Double(_)) => match rng.below(4) {
            0 => Value::Real(0.1),
            1 => Value::BigInt(rng.below(6) as i64),
            2 => Value::UTinyInt(rng.below(6) as u8),
            _ => decimal(rng.below(60) as i128, 1),
        },
        (SqlType::Decimal { .. }, Value::Decimal { .. }) => match rng.below(4) {
            0 => Value::Integer(rng.below(10) as i32),
            1 => decimal(rng.below(9_000) as i128, 3),
            2 => decimal(10_i128.pow(37), 0),
            _ => Value::Double(rng.below(10) as f64 / 2.0),
        },
        (_, value) => {
            let Some(n) = values::whole(value) else {
                return value.clone();
            };
            match rng.below(9) {
                0 => decimal(n * 10, 1),
                1 => decimal(n * 10 + 5, 1),
                2 => i64::try_from(n).map_or(decimal(n, 0), Value::BigInt),
                3 => Value::Double(rng.below(12) as f64 / 2.0),
                4 => Value::BigInt(1 << rng.pick(&[7, 8, 15, 16, 31, 32, 62])),
                5 => Value::BigInt(-1 - (1 << rng.pick(&[7, 8, 15, 16, 31, 32, 62]))),
                6 => decimal(10_i128.pow(30), 0),
                7 => Value::Double(rng.pick(&[1e300, -1e300, f64::INFINITY])),
                _ => Value::UTinyInt(rng.below(10) as u8),
            }
        }
    }
}
