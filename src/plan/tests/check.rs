//! The check of one predicate on a grid.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Bound;

use datafusion::logical_expr::Expr;

use super::Grid;
use crate::catalog::TableDef;
use crate::key::{KeyBox, KeyRange};
use crate::plan::path::Buckets;
use crate::plan::{Access, AccessPath, Scan, ScanOptions, narrow, type_filters};
use crate::types::{SqlType, Value};

impl Grid {
    /// Checks a predicate in every form, direction and salting. With a part of it, the rows that
    /// are read must be those that satisfy the part.
    pub(in crate::plan) fn check(
        &self,
        predicate: &Expr,
        part: Option<&Expr>,
    ) -> Result<(), String> {
        let def = self.def(0, None);
        let typed = |expr: &Expr| {
            let typed = type_filters(vec![expr.clone()], &def).map_err(|e| e.to_string())?;
            let truth = self.truth(&typed[0]).map_err(|e| e.to_string())?;
            Ok::<_, String>((typed, truth))
        };
        let part = part.map(typed).transpose()?.map(|(_, truth)| truth);
        let (typed, truth) = typed(predicate)?;
        let mut forms = vec![("typed", typed.clone(), truth.clone())];
        if let Some(optimized) = self.optimized(typed[0].clone()) {
            forms.push(("optimised", optimized, truth));
        }
        // Untyped, with the casts that coercion puts around columns, where they can be evaluated
        // and mean the same: DataFusion knows nothing of CHAR.
        let has_char = self
            .keys
            .iter()
            .any(|key| matches!(key.sql_type, SqlType::Char(_)));
        if !has_char
            && let Some(coerced) = self.coerced(predicate.clone())
            && let Ok(truth) = self.truth(&coerced)
        {
            forms.push(("coerced", vec![coerced], truth));
        }
        for (form, filters, truth) in forms {
            // Constants that stayed of another type may be less exact.
            let part = part.as_deref().filter(|_| form != "coerced");
            self.check_form(&filters, &truth, part).map_err(|e| {
                let filters: Vec<String> = filters.iter().map(ToString::to_string).collect();
                format!("{form} {}: {e}", filters.join(" AND "))
            })?;
        }
        Ok(())
    }

    fn check_form(
        &self,
        filters: &[Expr],
        truth: &[bool],
        part: Option<&[bool]>,
    ) -> Result<(), String> {
        let mut residuals: HashMap<Vec<Expr>, Vec<bool>> = HashMap::new();
        for descending in 0..1 << self.keys.len() {
            let mut last: Option<(AccessPath, Vec<bool>)> = None;
            for (salting, rows) in self.saltings().into_iter().zip(&self.encoded[descending]) {
                let def = self.def(descending, salting);
                let path = narrow(&def, filters).map_err(|e| e.to_string())?;
                let line = Scan::new(&def, &path, ScanOptions::default()).to_string();
                let at = |e| format!("{line}: {e}");
                let same = last.as_ref().is_some_and(|(last, _)| {
                    (&path.access, &path.boxes, &path.residual)
                        == (&last.access, &last.boxes, &last.residual)
                });
                if !same {
                    let read = self.rows_read(&def, &path, rows).map_err(at)?;
                    if !residuals.contains_key(&path.residual) {
                        let passes = self.passes(&path.residual).map_err(at)?;
                        residuals.insert(path.residual.clone(), passes);
                    }
                    let passes = &residuals[&path.residual];
                    for (row, truth) in truth.iter().enumerate() {
                        let name = |truth: bool, is: &'static str, not: &'static str| match truth {
                            true => is,
                            false => not,
                        };
                        if (read[row] && passes[row]) != *truth {
                            let truth = name(*truth, "true", "not true");
                            let read = name(read[row], "read", "not read");
                            return Err(at(format!("{:?} is {truth} but {read}", self.rows[row])));
                        }
                        if let Some(part) = part
                            && part[row] != read[row]
                        {
                            let part = name(part[row], "satisfied", "not satisfied");
                            let read = name(read[row], "read", "not read");
                            return Err(at(format!(
                                "{:?} is {read}, and the part {part}",
                                self.rows[row]
                            )));
                        }
                    }
                    last = Some((path.clone(), read));
                }
                let Some((_, read)) = &last else { continue };
                self.check_buckets(&def, &path, rows, truth, read)
                    .map_err(at)?;
            }
        }
        Ok(())
    }

    /// Which rows pass all of some filters.
    fn passes(&self, filters: &[Expr]) -> Result<Vec<bool>, String> {
        let mut passes = vec![true; self.rows.len()];
        for expr in filters {
            let truth = self.truth(expr).map_err(|e| e.to_string())?;
            passes.iter_mut().zip(truth).for_each(|(p, t)| *p &= t);
        }
        Ok(passes)
    }

    /// Which rows lie in the ranges of a path, each in one at most, by values and by bytes, and in
    /// one of its boxes.
    fn rows_read(
        &self,
        def: &TableDef,
        path: &AccessPath,
        rows: &[(u8, Vec<u8>)],
    ) -> Result<Vec<bool>, String> {
        let layout = def.key_layout();
        let order: Vec<bool> = def.key.iter().map(|part| part.descending).collect();
        let ranges = path.key_ranges().ok_or("symbols are left")?;
        if matches!(path.access, Access::Ranges(_)) && ranges.is_empty() {
            return Err("no ranges and not Empty".to_owned());
        }
        let mut bytes = Vec::new();
        for range in &ranges {
            let encoded = range.encode(&layout).map_err(|e| e.to_string())?;
            bytes.push(encoded.ok_or_else(|| format!("an empty range {range:?}"))?);
        }
        for pair in bytes.windows(2) {
            let end = pair[0].end.as_ref().ok_or("a range after the last")?;
            // In bytes two ranges may meet, where there is no value between them.
            if *end > pair[1].start {
                return Err(format!("ranges out of order or overlapping: {pair:?}"));
            }
        }
        let mut read = vec![false; rows.len()];
        for (at, (row, (_, key))) in self.rows.iter().zip(rows).enumerate() {
            let holding = ranges
                .iter()
                .filter(|range| holds(range, row, &order))
                .count();
            let in_bytes = bytes
                .iter()
                .filter(|r| r.start <= *key && r.end.as_ref().is_none_or(|end| key < end))
                .count();
            if holding > 1 || in_bytes != holding {
                return Err(format!(
                    "{row:?} lies in {holding} ranges, its key in {in_bytes}"
                ));
            }
            read[at] = holding == 1;
        }
        let boxes = path.key_boxes().ok_or("symbols are left")?;
        for one in &boxes {
            check_box(one, &order)?;
        }
        if !boxes.is_empty() {
            let inside = |row: &Vec<Value>| boxes.iter().any(|one| is_in(one, row, &order));
            read.iter_mut()
                .zip(&self.rows)
                .for_each(|(read, row)| *read &= inside(row));
        }
        for column in &path.fixed {
            let mut values = (0..rows.len())
                .filter(|i| read[*i])
                .map(|i| &self.rows[i][*column]);
            let first = values.next();
            // Rows that the residual drops may differ: nothing is said of a column in a filter.
            if path.residual.is_empty()
                && values.any(|value| compare(value, first.unwrap_or(value)).is_ne())
            {
                return Err(format!("column {column} is not the same in all rows"));
            }
        }
        Ok(read)
    }

    fn check_buckets(
        &self,
        def: &TableDef,
        path: &AccessPath,
        rows: &[(u8, Vec<u8>)],
        truth: &[bool],
        read: &[bool],
    ) -> Result<(), String> {
        let layout = def.key_layout();
        let buckets = path.bucket_set(layout.buckets());
        for (at, (bucket, _)) in rows.iter().enumerate() {
            if truth[at] && read[at] && !buckets.contains(*bucket) {
                return Err(format!("{:?} lies in bucket {bucket}", self.rows[at]));
            }
        }
        if let Some(keys) = path.keys() {
            let mut own = crate::key::BucketSet::default();
            for key in &keys {
                own.insert(layout.encode(key).map_err(|e| e.to_string())?.0);
            }
            if path.buckets != Buckets::Known(own) {
                return Err("a point get reads other buckets than those of its keys".to_owned());
            }
        }
        Ok(())
    }
}

/// Whether a row lies in a range, by its values: written down anew, so that it can disagree.
fn holds(range: &KeyRange, row: &[Value], descending: &[bool]) -> bool {
    let place = |bound: &[Value]| -> Ordering {
        for ((value, limit), descending) in row.iter().zip(bound).zip(descending) {
            let order = compare(value, limit);
            let order = if *descending { order.reverse() } else { order };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    };
    let above = match &range.lower {
        Bound::Unbounded => true,
        Bound::Included(bound) => place(bound) != Ordering::Less,
        Bound::Excluded(bound) => place(bound) == Ordering::Greater,
    };
    let below = match &range.upper {
        Bound::Unbounded => true,
        Bound::Included(bound) => place(bound) != Ordering::Greater,
        Bound::Excluded(bound) => place(bound) == Ordering::Less,
    };
    above && below
}

/// Whether a row lies in a box, by its values.
fn is_in(one: &KeyBox, row: &[Value], descending: &[bool]) -> bool {
    one.columns.iter().all(|(column, intervals)| {
        let order = |bound: &Value| {
            let order = compare(&row[*column], bound);
            if descending[*column] {
                order.reverse()
            } else {
                order
            }
        };
        intervals.iter().any(|(lower, upper)| {
            let after = match lower {
                Bound::Unbounded => true,
                Bound::Included(bound) => order(bound) != Ordering::Less,
                Bound::Excluded(bound) => order(bound) == Ordering::Greater,
            };
            let before = match upper {
                Bound::Unbounded => true,
                Bound::Included(bound) => order(bound) != Ordering::Greater,
                Bound::Excluded(bound) => order(bound) == Ordering::Less,
            };
            after && before
        })
    })
}

/// A box names columns in key order, and for each intervals in key order that are not empty and
/// do not overlap.
fn check_box(one: &KeyBox, descending: &[bool]) -> Result<(), String> {
    if !one.columns.is_sorted_by(|(a, _), (b, _)| a < b) || one.columns.is_empty() {
        return Err(format!("columns out of order: {one:?}"));
    }
    for (column, intervals) in &one.columns {
        // Whether a is after b, or at the same value.
        let after = |a: &Value, b: &Value| {
            let order = compare(a, b);
            let order = if descending[*column] {
                order.reverse()
            } else {
                order
            };
            (order == Ordering::Greater, order == Ordering::Equal)
        };
        let mut ends = Vec::new();
        for (lower, upper) in intervals {
            ends.push((lower, true));
            ends.push((upper, false));
        }
        for pair in ends.windows(2) {
            let ((a, starts), (b, _)) = (&pair[0], &pair[1]);
            let (first, last) = match (a, b) {
                (Bound::Unbounded, _) | (_, Bound::Unbounded) if *starts => continue,
                (
                    Bound::Included(a) | Bound::Excluded(a),
                    Bound::Included(b) | Bound::Excluded(b),
                ) => (a, b),
                _ => return Err(format!("an open side in the middle: {one:?}")),
            };
            let included = matches!((a, b), (Bound::Included(_), Bound::Included(_)));
            let excluded = matches!((a, b), (Bound::Excluded(_), Bound::Excluded(_)));
            let wrong = match after(first, last) {
                (greater, true) if *starts => greater || !included,
                (greater, true) => greater || !excluded,
                (greater, false) => greater,
            };
            if wrong {
                return Err(format!("empty or overlapping: {one:?}"));
            }
        }
    }
    Ok(())
}

fn compare(a: &Value, b: &Value) -> Ordering {
    fn number(value: &Value) -> Option<i128> {
        Some(match value {
            Value::Boolean(v) => i128::from(*v),
            Value::TinyInt(v) => i128::from(*v),
            Value::SmallInt(v) => i128::from(*v),
            Value::Integer(v) => i128::from(*v),
            Value::BigInt(v) => i128::from(*v),
            Value::UTinyInt(v) => i128::from(*v),
            Value::USmallInt(v) => i128::from(*v),
            Value::UInteger(v) => i128::from(*v),
            Value::UBigInt(v) => i128::from(*v),
            Value::Decimal { unscaled, .. } => *unscaled,
            Value::Date(v) => i128::from(*v),
            Value::Time(v) => i128::from(*v),
            Value::Timestamp(v) => i128::from(*v),
            _ => return None,
        })
    }
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Greater,
        (_, Value::Null) => Ordering::Less,
        (Value::Text(a), Value::Text(b)) => a.chars().cmp(b.chars()),
        (Value::Binary(a), Value::Binary(b)) => a.cmp(b),
        (Value::Real(a), Value::Real(b)) => a.total_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.total_cmp(b),
        (a, b) => number(a)
            .expect("a number")
            .cmp(&number(b).expect("a number")),
    }
}
