//! Literals and parameters, read from the syntax tree without planning anything.

use datafusion::arrow::datatypes::DECIMAL128_MAX_PRECISION;
use sqlparser::ast::{CastKind, DataType, Expr, TypedString, UnaryOperator, Value as Literal};

use crate::error::{Error, Position, Result};
use crate::types::{SqlType, Value, assign_text, assign_value};

/// A literal or the value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Constant {
    pub(super) value: Value,
    /// Whether it is a quoted literal or a text parameter, which takes the type of the column
    /// that it is assigned to.
    pub(super) quoted: bool,
    pub(super) position: Option<Position>,
}

impl Constant {
    pub(super) const NULL: Constant = Constant {
        value: Value::Null,
        quoted: false,
        position: None,
    };

    fn new(value: Value, position: Option<Position>) -> Self {
        Constant {
            value,
            quoted: false,
            position,
        }
    }

    /// The value in a column of type `to`.
    pub(super) fn assign(&self, to: &SqlType) -> Result<Value> {
        assign_value(&self.value, self.quoted, to).map_err(|e| e.at(self.position))
    }
}

/// The constant that `expr` is, or `None` if it must be evaluated.
pub(super) fn constant(expr: &Expr, values: &[Value]) -> Result<Option<Constant>> {
    Ok(match expr {
        Expr::Nested(inner) => constant(inner, values)?,
        Expr::Value(literal) => {
            let position = position(literal.span.start);
            match &literal.value {
                Literal::Null => Some(Constant::new(Value::Null, position)),
                Literal::Boolean(b) => Some(Constant::new(Value::Boolean(*b), position)),
                Literal::Number(digits, false) => {
                    number(digits, false).map(|value| Constant::new(value, position))
                }
                Literal::SingleQuotedString(text) => Some(Constant {
                    value: Value::Text(text.clone()),
                    quoted: true,
                    position,
                }),
                Literal::HexStringLiteral(digits) => {
                    bytes(digits).map(|value| Constant::new(value, position))
                }
                Literal::Placeholder(name) => {
                    let value = parameter(name, values)?;
                    let quoted = matches!(value, Value::Text(_));
                    Some(Constant {
                        value,
                        quoted,
                        position,
                    })
                }
                _ => None,
            }
        }
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => match expr.as_ref() {
            Expr::Value(literal) => match &literal.value {
                Literal::Number(digits, false) => number(digits, true)
                    .map(|value| Constant::new(value, position(literal.span.start))),
                _ => None,
            },
            _ => None,
        },
        // A number with an exponent, as the pass over the syntax tree leaves it.
        Expr::Cast {
            kind: CastKind::Cast,
            expr,
            data_type: DataType::Double(_),
            ..
        } => match expr.as_ref() {
            Expr::Value(literal) => match &literal.value {
                Literal::SingleQuotedString(text) => text
                    .parse()
                    .ok()
                    .map(|v| Constant::new(Value::Double(v), position(literal.span.start))),
                _ => None,
            },
            _ => None,
        },
        Expr::TypedString(TypedString {
            data_type, value, ..
        }) => {
            let to = match data_type {
                DataType::Date => SqlType::Date,
                DataType::Time(..) => SqlType::Time,
                DataType::Timestamp(..) => SqlType::Timestamp,
                _ => return Ok(None),
            };
            let Literal::SingleQuotedString(text) = &value.value else {
                return Ok(None);
            };
            let position = position(value.span.start);
            let value = assign_text(text, &to).map_err(|e| e.at(position))?;
            Some(Constant::new(value, position))
        }
        _ => None,
    })
}

/// Whether an expression is a parameter and nothing else.
pub(super) fn is_parameter(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_parameter(inner),
        Expr::Value(literal) => matches!(literal.value, Literal::Placeholder(_)),
        _ => false,
    }
}

/// The value of `$1`, `$2`, ...
fn parameter(name: &str, values: &[Value]) -> Result<Value> {
    name.strip_prefix('$')
        .and_then(|number| number.parse::<usize>().ok())
        .and_then(|number| values.get(number.checked_sub(1)?))
        .cloned()
        .ok_or_else(|| Error::invalid(format!("parameter {name} has no value")))
}

/// The bytes of `X'00ff'`.
fn bytes(digits: &str) -> Option<Value> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let bytes = digits.as_bytes().chunks(2).map(|pair| match *pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    });
    bytes.collect::<Option<Vec<u8>>>().map(Value::Binary)
}

/// What the number would be to DataFusion: an integer of 64 bits, or an exact decimal. Every
/// other spelling is left to it.
fn number(digits: &str, negative: bool) -> Option<Value> {
    let signed = if negative {
        format!("-{digits}")
    } else {
        digits.to_owned()
    };
    if let Ok(n) = signed.parse::<i64>() {
        return Some(Value::BigInt(n));
    }
    let (whole, fraction) = digits.split_once('.')?;
    let plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let unscaled: i128 = format!("{whole}{fraction}").parse().ok()?;
    let significant = unscaled.checked_ilog10().map_or(1, |log| log + 1);
    let scale = u8::try_from(fraction.len()).ok()?;
    let precision = u8::try_from(significant).ok()?.max(scale);
    if !plain(whole) || !plain(fraction) || precision > DECIMAL128_MAX_PRECISION {
        return None;
    }
    let unscaled = if negative { -unscaled } else { unscaled };
    Some(Value::Decimal {
        unscaled,
        precision: precision.max(1),
        scale,
    })
}

/// Where a token of the text stands, if it comes from a text.
pub(in crate::engine) fn position(start: sqlparser::tokenizer::Location) -> Option<Position> {
    (start.line > 0).then_some(Position {
        line: start.line,
        column: start.column,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_every_digit() {
        let decimal = |unscaled, precision, scale| Value::Decimal {
            unscaled,
            precision,
            scale,
        };
        assert_eq!(number("7", false), Some(Value::BigInt(7)));
        assert_eq!(
            number("9223372036854775808", true),
            Some(Value::BigInt(i64::MIN))
        );
        assert_eq!(number("9223372036854775808", false), None);
        assert_eq!(number("1.50", false), Some(decimal(150, 3, 2)));
        assert_eq!(number(".05", true), Some(decimal(-5, 2, 2)));
        assert_eq!(number("1.", false), Some(decimal(1, 1, 0)));
        assert_eq!(number("1e5", false), None);
    }

    #[test]
    fn bytes_come_in_pairs_of_digits() {
        assert_eq!(bytes("00fF"), Some(Value::Binary(vec![0, 255])));
        assert_eq!(bytes(""), Some(Value::Binary(vec![])));
        assert_eq!(bytes("0"), None);
    }
}
