//! The range of a scan: Rust's ranges of key values, and what they are in a table.

use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::catalog::TableDef;
use crate::database::IntoKey;
use crate::error::{Error, Result};
use crate::key::{BucketSet, ByteRange, KeyLayout, KeyRange};
use crate::types::{Value, assign_value, comparable_value};

/// What can stand for a range of keys: each of Rust's ranges, its bounds being what can stand for a
/// key or for the first columns of one, and a pair of [`Bound`]s of them.
///
/// The bounds are in key order: on a DESC column the larger value comes first. One of fewer values
/// than the key has columns stands for all rows that begin with them: `"a"..` starts with the first
/// of them, `..="a"` ends with the last, and where they are excluded all of them are.
///
/// ```
/// use std::ops::Bound;
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (a VARCHAR, b INTEGER, PRIMARY KEY (a, b)) SALT_BUCKETS = 4", ())?;
/// db.execute("UPSERT INTO t VALUES ('x', 1), ('x', 2), ('x', 3), ('y', 1)", ())?;
/// let table = db.table("t")?;
/// let count = |scan: rocksalt::blocking::TableScan| -> rocksalt::Result<usize> {
///     Ok(scan.sorted()?.collect()?.iter().map(|batch| batch.num_rows()).sum())
/// };
/// assert_eq!(count(table.scan().range(("x", 1)..("x", 3)))?, 2);
/// assert_eq!(count(table.scan().range(("x", 2)..))?, 3);
/// assert_eq!(count(table.scan().range(..="x"))?, 3);
/// assert_eq!(count(table.scan().range((Bound::Excluded("x"), Bound::Unbounded)))?, 1);
/// # Ok::<(), rocksalt::Error>(())
/// ```
pub trait IntoKeyRange {
    /// The values of the two bounds, in key order.
    fn into_key_range(self) -> (Bound<Vec<Value>>, Bound<Vec<Value>>);
}

impl<K: IntoKey> IntoKeyRange for (Bound<K>, Bound<K>) {
    fn into_key_range(self) -> (Bound<Vec<Value>>, Bound<Vec<Value>>) {
        (self.0.map(K::into_key), self.1.map(K::into_key))
    }
}

impl IntoKeyRange for RangeFull {
    fn into_key_range(self) -> (Bound<Vec<Value>>, Bound<Vec<Value>>) {
        (Bound::Unbounded, Bound::Unbounded)
    }
}

macro_rules! ranges {
    ($($range:ident: $self:ident => $lower:expr, $upper:expr);+ $(;)?) => {
        $(impl<K: IntoKey> IntoKeyRange for $range<K> {
            fn into_key_range($self) -> (Bound<Vec<Value>>, Bound<Vec<Value>>) {
                IntoKeyRange::into_key_range(($lower, $upper))
            }
        })+
    };
}

ranges!(
    Range: self => Bound::Included(self.start), Bound::Excluded(self.end);
    RangeFrom: self => Bound::Included(self.start), Bound::<K>::Unbounded;
    RangeTo: self => Bound::<K>::Unbounded, Bound::Excluded(self.end);
    RangeToInclusive: self => Bound::<K>::Unbounded, Bound::Included(self.end);
);

impl<K: IntoKey> IntoKeyRange for RangeInclusive<K> {
    fn into_key_range(self) -> (Bound<Vec<Value>>, Bound<Vec<Value>>) {
        let (start, end) = self.into_inner();
        (Bound::Included(start), Bound::Included(end)).into_key_range()
    }
}

/// The keys that are in all of `ranges`, and the buckets that they can lie in.
pub(super) fn encode(def: &TableDef, ranges: &[KeyRange]) -> Result<(ByteRange, BucketSet)> {
    let layout = def.key_layout();
    let mut bytes = ByteRange::all();
    let mut buckets = BucketSet::all(layout.buckets());
    for range in ranges {
        let range = KeyRange {
            lower: typed(def, &range.lower)?,
            upper: typed(def, &range.upper)?,
        };
        check_order(def, &layout, &range)?;
        buckets = buckets.intersection(&range.buckets(&layout)?);
        bytes = match range.encode(&layout)? {
            Some(encoded) => bytes.intersection(&encoded),
            None => NOTHING,
        };
    }
    Ok((bytes, buckets))
}

/// The range of no key: its intersection with any other is empty too.
const NOTHING: ByteRange = ByteRange {
    start: Vec::new(),
    end: Some(Vec::new()),
};

/// The bound in the types of the key columns, as constants compared with them are: no value is
/// rounded.
fn typed(def: &TableDef, bound: &Bound<Vec<Value>>) -> Result<Bound<Vec<Value>>> {
    let values = match bound {
        Bound::Included(values) | Bound::Excluded(values) => values,
        Bound::Unbounded => return Ok(Bound::Unbounded),
    };
    let table = def.display_name();
    if values.len() > def.key.len() {
        return Err(Error::invalid(format!(
            "the key of {table} has {} and a bound of {} values was given",
            match def.key.len() {
                1 => "1 column".to_owned(),
                n => format!("{n} columns"),
            },
            values.len()
        )));
    }
    let mut typed = Vec::with_capacity(values.len());
    for (part, value) in def.key.iter().zip(values) {
        let Some(column) = def.columns.get(part.column) else {
            return Err(Error::internal("a key column that is no column"));
        };
        if value.is_null() && !column.nullable {
            let message = format!("{} of {table} is NOT NULL: no key is NULL", column.name);
            return Err(Error::invalid(message));
        }
        let quoted = matches!(value, Value::Text(_));
        let Some(value) = comparable_value(value, quoted, &column.sql_type) else {
            let error = assign_value(value, quoted, &column.sql_type).err();
            let error = error.unwrap_or_else(|| {
                Error::invalid(format!(
                    "{value} is between two values of a {}",
                    column.sql_type
                ))
            });
            return Err(error.context(format!("{} of {table}", column.name)));
        };
        typed.push(value);
    }
    Ok(match bound {
        Bound::Excluded(_) => Bound::Excluded(typed),
        _ => Bound::Included(typed),
    })
}

/// Refuses a range that starts after its end, by the columns that both bounds have. One that ends
/// where it starts is empty.
fn check_order(def: &TableDef, layout: &KeyLayout, range: &KeyRange) -> Result<()> {
    let (
        Bound::Included(lower) | Bound::Excluded(lower),
        Bound::Included(upper) | Bound::Excluded(upper),
    ) = (&range.lower, &range.upper)
    else {
        return Ok(());
    };
    let common = lower.len().min(upper.len());
    let bytes = |values: &[Value]| {
        let mut bytes = Vec::new();
        let values = values.get(..common).unwrap_or_default();
        layout.encode_prefix(values, &mut bytes)?;
        Ok::<_, Error>(bytes)
    };
    if bytes(lower)? <= bytes(upper)? {
        return Ok(());
    }
    let mut message = format!(
        "the range starts at {} and ends before, at {}",
        display(lower),
        display(upper)
    );
    let descending = def.key.iter().take(common).any(|part| part.descending);
    if descending {
        message.push_str("; on a DESC column the larger value comes first");
    }
    Err(Error::invalid(message))
}

fn display(values: &[Value]) -> String {
    match values {
        [one] => one.to_string(),
        values => {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            format!("({})", values.join(", "))
        }
    }
}
