//! The pieces that a token is made of: numbers of varying length, texts, values.

use crate::codec::KeyColumn;
use crate::key::BucketSet;
use crate::types::{SqlType, Value};

/// Bytes that are written one piece after the other.
#[derive(Debug, Default)]
pub(super) struct Output(pub(super) Vec<u8>);

impl Output {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Seven bits a byte, the lowest first; all but the last byte have the eighth set.
    pub(super) fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// The length, then the bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Zero for nothing, else the number and one.
    pub(super) fn optional(&mut self, number: Option<u64>) {
        self.number(number.map_or(0, |number| number.saturating_add(1)));
    }

    /// The number of runs, then how many buckets lie before each and how many it has.
    pub(super) fn buckets(&mut self, buckets: &BucketSet) {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        let mut next = 0;
        for bucket in buckets.iter().map(u64::from) {
            match runs.last_mut() {
                Some((_, length)) if bucket == next => *length += 1,
                _ => runs.push((bucket - next, 1)),
            }
            next = bucket + 1;
        }
        self.number(runs.len() as u64);
        for (gap, length) in runs {
            self.number(gap);
            self.number(length);
        }
    }

    /// The name of the type, empty for NULL, then the value as it stands in a key.
    pub(super) fn value(&mut self, value: &Value) {
        let mut encoded = Vec::new();
        let name = match value.sql_type() {
            // A value is of its own type.
            Some(sql_type) if column(sql_type).encode_value(value, &mut encoded).is_ok() => {
                sql_type.to_string()
            }
            _ => String::new(),
        };
        self.bytes(name.as_bytes());
        self.bytes(&encoded);
    }
}

/// Bytes that are read one piece after the other; `None` where there is no such piece.
#[derive(Debug)]
pub(super) struct Input<'a>(pub(super) &'a [u8]);

impl<'a> Input<'a> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number of another width.
    pub(super) fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.small()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    pub(super) fn optional(&mut self) -> Option<Option<u64>> {
        Some(self.number()?.checked_sub(1))
    }

    pub(super) fn buckets(&mut self) -> Option<BucketSet> {
        let mut buckets = BucketSet::default();
        let mut next = 0_u64;
        for _ in 0..self.number()? {
            let start = next.checked_add(self.number()?)?;
            next = start.checked_add(self.number()?)?;
            if next > 256 {
                return None;
            }
            (start..next).for_each(|bucket| buckets.insert(bucket as u8));
        }
        Some(buckets)
    }

    pub(super) fn value(&mut self) -> Option<Value> {
        let name = self.text()?;
        let mut encoded = self.bytes()?;
        let value = match name.as_str() {
            "" => Value::Null,
            name => column(SqlType::parse_stored(name)?)
                .decode_value(&mut encoded)
                .ok()?,
        };
        encoded.is_empty().then_some(value)
    }
}

fn column(sql_type: SqlType) -> KeyColumn {
    KeyColumn {
        sql_type,
        nullable: false,
        descending: false,
    }
}
