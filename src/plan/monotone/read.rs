//! Monotone functions out of expressions.

use std::rc::Rc;

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::{Cast, ScalarFunction};
use datafusion::scalar::ScalarValue;

use crate::plan::axis::Axis;
use crate::plan::locate::{DAY, instant};
use crate::plan::monotone::Function;
use crate::plan::monotone::step::{Kind, MICRO, Rounding, Step, Unit};
use crate::plan::operand::{Constant, constant};
use crate::plan::ordinal::ordinal_range;
use crate::types::SqlType;

/// More functions of one another than these are not looked into.
const MAX_STEPS: usize = 16;

/// The function of a key column that an expression is, with the column. `column` knows the key
/// columns, each with its place and its line; a function of another column is none.
pub(in crate::plan) fn read(
    expr: &Expr,
    column: &dyn Fn(&Expr) -> Option<(usize, Axis)>,
) -> Option<(usize, Rc<Function>)> {
    // From the outside to the column, and back.
    let mut outer = Vec::new();
    let mut inner = expr;
    let (key, axis) = loop {
        if let Some(found) = column(inner) {
            break found;
        }
        if outer.len() == MAX_STEPS {
            return None;
        }
        outer.push(inner);
        inner = match inner {
            Expr::Alias(alias) => &alias.expr,
            Expr::Cast(cast) => &cast.expr,
            Expr::ScalarFunction(function) => argument(function)?,
            _ => return None,
        };
    };
    let of = Kind::of(&axis.sql_type)?;
    let mut reading = Reading {
        steps: Vec::new(),
        kind: of,
    };
    for expr in outer.into_iter().rev() {
        match expr {
            Expr::Cast(Cast { field, .. }) => reading.cast(field.data_type())?,
            Expr::ScalarFunction(function) => reading.function(function)?,
            _ => {}
        }
    }
    let function = Function::new(axis, of, reading.steps, reading.kind)?;
    Some((key, Rc::new(function)))
}

/// The argument that a function is monotone in.
fn argument(function: &ScalarFunction) -> Option<&Expr> {
    match (function.name(), function.args.as_slice()) {
        ("floor" | "ceil" | "trunc" | "to_date", [of]) => Some(of),
        ("date_trunc" | "date_part", [_, of]) => Some(of),
        ("date_bin", [_, of] | [_, of, _]) => Some(of),
        _ => None,
    }
}

fn literal(expr: &Expr) -> Option<ScalarValue> {
    match constant(expr)? {
        Constant::Literal(scalar) => Some(scalar),
        Constant::Symbol(_) => None,
    }
}

struct Reading {
    steps: Vec<Step>,
    /// What the steps give.
    kind: Kind,
}

impl Reading {
    fn push(&mut self, step: Step, kind: Kind) {
        self.steps.push(step);
        self.kind = kind;
    }

    fn cast(&mut self, to: &DataType) -> Option<()> {
        use DataType::{Date32, Float32, Float64, Time64, Timestamp};
        match (self.kind, to) {
            (Kind::Discrete(sql_type), to) if sql_type.arrow() == *to => {}
            (Kind::Nanos, Timestamp(TimeUnit::Nanosecond, None))
            | (Kind::Real, Float32)
            | (Kind::Double, Float64)
            | (Kind::Discrete(SqlType::Time), Time64(TimeUnit::Microsecond)) => {}
            (Kind::Real, Float64) => self.kind = Kind::Double,
            (kind, Timestamp(unit, None)) => {
                let (finer, to) = match unit {
                    TimeUnit::Microsecond => (MICRO, Kind::Discrete(SqlType::Timestamp)),
                    TimeUnit::Nanosecond => (1, Kind::Nanos),
                    _ => return None,
                };
                let from = kind.instant()?;
                let step = match from >= finer {
                    true => Step::Scale(from / finer),
                    false => Step::Coarsen(finer / from),
                };
                self.push(step, to);
            }
            (kind, Date32) => {
                let unit = kind.instant()?;
                self.push(Step::Day(unit), Kind::Discrete(SqlType::Date));
            }
            (Kind::Real | Kind::Double, to) => {
                let whole = whole_type(to)?;
                let (min, max) = ordinal_range(&whole)?;
                self.push(Step::ToWhole(min, max), Kind::Discrete(whole));
            }
            (Kind::Discrete(from), to) => {
                whole_type(&from.arrow())?;
                match to {
                    Float64 => self.push(Step::ToDouble, Kind::Double),
                    Float32 => self.push(Step::ToReal, Kind::Real),
                    to => {
                        let whole = whole_type(to)?;
                        let (min, max) = ordinal_range(&whole)?;
                        self.push(Step::Within(min, max), Kind::Discrete(whole));
                    }
                }
            }
            (Kind::Nanos, _) => return None,
        }
        Some(())
    }

    fn function(&mut self, function: &ScalarFunction) -> Option<()> {
        match (function.name(), function.args.as_slice()) {
            ("floor", [_]) => self.round(Rounding::Floor),
            ("ceil", [_]) => self.round(Rounding::Ceil),
            ("trunc", [_]) => self.round(Rounding::Trunc),
            ("to_date", [_]) => self.cast(&DataType::Date32),
            ("date_part", [part, _]) => self.date_part(&literal(part)?),
            ("date_trunc", [unit, _]) => self.date_trunc(&literal(unit)?),
            ("date_bin", [width, _]) => self.date_bin(&literal(width)?, 0),
            ("date_bin", [width, _, origin]) => {
                let origin = instant(false, &literal(origin)?)?;
                i64::try_from(origin).ok()?;
                self.date_bin(&literal(width)?, origin)
            }
            _ => None,
        }
    }

    fn round(&mut self, how: Rounding) -> Option<()> {
        let step = match self.kind {
            Kind::Real | Kind::Double => Step::RoundFloat(how),
            Kind::Discrete(sql_type @ SqlType::Decimal { scale, .. }) => {
                let one = 10_i128.checked_pow(scale.into())?;
                Step::RoundDecimal(how, one, ordinal_range(&sql_type)?.1)
            }
            _ => return None,
        };
        self.push(step, self.kind);
        Some(())
    }

    fn date_part(&mut self, part: &ScalarValue) -> Option<()> {
        let part = part.try_as_str()??.to_lowercase();
        let unit = self.kind.instant()?;
        matches!(part.as_str(), "year" | "years").then_some(())?;
        self.push(Step::Year(unit), Kind::Discrete(SqlType::Integer));
        Some(())
    }

    fn date_trunc(&mut self, unit: &ScalarValue) -> Option<()> {
        let cut = match unit.try_as_str()??.to_lowercase().as_str() {
            "microsecond" => Unit::Nanos(MICRO),
            "millisecond" => Unit::Nanos(1_000_000),
            "second" => Unit::Nanos(1_000_000_000),
            "minute" => Unit::Nanos(60_000_000_000),
            "hour" => Unit::Nanos(3_600_000_000_000),
            "day" => Unit::Nanos(DAY),
            "week" => Unit::Week,
            "month" => Unit::Months(1),
            "quarter" => Unit::Months(3),
            "year" => Unit::Months(12),
            _ => return None,
        };
        match (self.kind, cut) {
            (Kind::Discrete(SqlType::Time), Unit::Nanos(nanos)) if nanos < DAY => {
                self.push(Step::TruncTime(nanos / MICRO), self.kind);
            }
            (Kind::Discrete(SqlType::Date), _) => {
                // Before type coercion; that makes it a timestamp.
                self.push(Step::Scale(DAY), Kind::Nanos);
                self.push(Step::TruncInstant(cut, 1), Kind::Nanos);
            }
            (kind, _) => self.push(Step::TruncInstant(cut, kind.instant()?), kind),
        }
        Some(())
    }

    fn date_bin(&mut self, width: &ScalarValue, origin: i128) -> Option<()> {
        let unit = match self.kind {
            Kind::Discrete(SqlType::Date) => return None,
            kind => kind.instant()?,
        };
        let (months, days, nanos) = match width {
            ScalarValue::IntervalMonthDayNano(Some(v)) => (v.months, v.days, v.nanoseconds.into()),
            ScalarValue::IntervalDayTime(Some(v)) => {
                (0, v.days, i128::from(v.milliseconds) * 1_000_000)
            }
            _ => return None,
        };
        let width = i128::from(days) * DAY + nanos;
        let step = match (months, width) {
            (0, 1..) => Step::Bin {
                width: i64::try_from(width).ok()?.into(),
                origin,
                unit,
            },
            (1.., 0) if days == 0 => Step::BinMonths {
                months: months.into(),
                origin,
                unit,
            },
            _ => return None,
        };
        self.push(step, self.kind);
        Some(())
    }
}

/// The integer type of an Arrow type.
fn whole_type(data_type: &DataType) -> Option<SqlType> {
    Some(match data_type {
        DataType::Int8 => SqlType::TinyInt,
        DataType::Int16 => SqlType::SmallInt,
        DataType::Int32 => SqlType::Integer,
        DataType::Int64 => SqlType::BigInt,
        DataType::UInt8 => SqlType::UTinyInt,
        DataType::UInt16 => SqlType::USmallInt,
        DataType::UInt32 => SqlType::UInteger,
        DataType::UInt64 => SqlType::UBigInt,
        _ => return None,
    })
}
