//! The SQL literal of a value.

use std::fmt::{self, Write};

use crate::types::{Value, calendar};

/// The most characters of a literal that messages and plans show.
const BRIEF: usize = 64;

/// Writes the SQL literal of `value`, in the form that EXPLAIN prints, always on one line.
///
/// Reading it back as a literal of the value's type gives the same value. Floats are the shortest
/// digits that do, always with a point or an exponent; those that SQL has no number for are text:
/// `'NaN'`, `'Infinity'`, `'-Infinity'`. Text with control characters is `E'two\nlines'`, with zero bytes, for
/// which that has no escape, `U&'a\0000b'`.
pub(super) fn write_literal(f: &mut impl Write, value: &Value) -> fmt::Result {
    match value {
        Value::Null => f.write_str("NULL"),
        Value::Boolean(true) => f.write_str("TRUE"),
        Value::Boolean(false) => f.write_str("FALSE"),
        Value::TinyInt(v) => write!(f, "{v}"),
        Value::SmallInt(v) => write!(f, "{v}"),
        Value::Integer(v) => write!(f, "{v}"),
        Value::BigInt(v) => write!(f, "{v}"),
        Value::UTinyInt(v) => write!(f, "{v}"),
        Value::USmallInt(v) => write!(f, "{v}"),
        Value::UInteger(v) => write!(f, "{v}"),
        Value::UBigInt(v) => write!(f, "{v}"),
        Value::Real(v) if v.is_finite() => write!(f, "{v:?}"),
        Value::Double(v) if v.is_finite() => write!(f, "{v:?}"),
        Value::Real(v) => f.write_str(no_number(f64::from(*v))),
        Value::Double(v) => f.write_str(no_number(*v)),
        Value::Decimal {
            unscaled, scale, ..
        } => write_decimal(f, *unscaled, *scale),
        Value::Text(text) => write_text(f, text),
        Value::Binary(bytes) => {
            f.write_str("X'")?;
            bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
            f.write_char('\'')
        }
        Value::Date(days) => {
            f.write_str("DATE '")?;
            calendar::write_date(f, i64::from(*days))?;
            f.write_char('\'')
        }
        Value::Time(micros) => {
            f.write_str("TIME '")?;
            calendar::write_time(f, *micros)?;
            f.write_char('\'')
        }
        Value::Timestamp(micros) => {
            f.write_str("TIMESTAMP '")?;
            calendar::write_timestamp(f, *micros)?;
            f.write_char('\'')
        }
    }
}

fn no_number(v: f64) -> &'static str {
    if v.is_nan() {
        "'NaN'"
    } else if v > 0.0 {
        "'Infinity'"
    } else {
        "'-Infinity'"
    }
}

fn write_decimal(f: &mut impl Write, unscaled: i128, scale: u8) -> fmt::Result {
    if unscaled < 0 {
        f.write_char('-')?;
    }
    let scale = usize::from(scale);
    let digits = format!("{:0width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    f.write_str(whole)?;
    if fraction.is_empty() {
        Ok(())
    } else {
        write!(f, ".{fraction}")
    }
}

fn write_text(f: &mut impl Write, text: &str) -> fmt::Result {
    let zero = text.contains('\0');
    let escaped = text.chars().any(char::is_control);
    f.write_str(match (zero, escaped) {
        (true, _) => "U&'",
        (false, true) => "E'",
        (false, false) => "'",
    })?;
    for char in text.chars() {
        match char {
            '\'' => f.write_str("''")?,
            '\\' if escaped => f.write_str("\\\\")?,
            char if zero && char.is_control() => write!(f, "\\{:04x}", u32::from(char))?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            char if char.is_control() => write!(f, "\\u{:04x}", u32::from(char))?,
            char => f.write_char(char)?,
        }
    }
    f.write_char('\'')
}

impl Value {
    /// The SQL literal, cut after 64 characters with `…`: what messages and plans show.
    pub(crate) fn brief(&self) -> String {
        let mut out = Cut {
            text: String::new(),
            left: BRIEF,
        };
        // Fails only when the cut was made; the rest is not wanted.
        let _ = write_literal(&mut out, self);
        out.text
    }
}

/// Takes `left` more characters, then writes `…` and refuses the rest.
struct Cut {
    text: String,
    left: usize,
}

impl Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match text.char_indices().nth(self.left) {
            None => {
                self.left -= text.chars().count();
                self.text.push_str(text);
                Ok(())
            }
            Some((at, _)) => {
                self.text.push_str(&text[..at]);
                self.text.push('…');
                Err(fmt::Error)
            }
        }
    }
}
