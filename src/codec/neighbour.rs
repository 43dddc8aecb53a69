//! What stands beside an encoded key column in the order of bytes.

use crate::codec::KeyColumn;
use crate::codec::key_column::{NULL, VALUE_FOLLOWS, fixed_width};

/// What [`KeyColumn::append_neighbour`] appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbour {
    /// A column: no other stands between the two.
    Column,
    /// A place between the column and all that stand on that side of it: those after the column
    /// are not below these bytes, those before it are.
    Place,
    /// Nothing: no column stands on that side.
    None,
}

impl KeyColumn {
    /// Appends the bytes of the column after `encoded`, or with `back` before it, as far as they
    /// are known: the next of a type of fixed width is, that of a text is a place. What is appended
    /// need not be the encoding of a value that the type has: it bounds them.
    pub fn append_neighbour(&self, encoded: &[u8], back: bool, out: &mut Vec<u8>) -> Neighbour {
        let start = out.len();
        // NULL stands after all values, and before them where the bytes are inverted.
        let null_is_there = self.nullable && back == self.descending;
        let (null, follows) = (NULL ^ self.mask(), VALUE_FOLLOWS ^ self.mask());
        let width = fixed_width(&self.sql_type);
        if self.nullable && encoded.first() == Some(&null) {
            return match width {
                _ if null_is_there => Neighbour::None,
                Some(width) => {
                    out.push(follows);
                    out.resize(start + 1 + width, if back { 0xff } else { 0x00 });
                    Neighbour::Column
                }
                None => {
                    out.push(if back { null } else { follows });
                    Neighbour::Place
                }
            };
        }
        out.extend_from_slice(encoded);
        let Some(value) = out.get_mut(start + usize::from(self.nullable)..) else {
            return Neighbour::None;
        };
        if width.is_none() {
            // The end of a text is neither the smallest byte nor the largest.
            if let Some(last) = value.last_mut().filter(|_| !back) {
                *last = last.wrapping_add(1);
            }
            return Neighbour::Place;
        }
        for byte in value.iter_mut().rev() {
            let (next, carries) = match back {
                false => byte.overflowing_add(1),
                true => byte.overflowing_sub(1),
            };
            *byte = next;
            if !carries {
                return Neighbour::Column;
            }
        }
        out.truncate(start);
        if null_is_there {
            out.push(null);
            return Neighbour::Column;
        }
        Neighbour::None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::nasty::any_pair;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// No column lies between another and its neighbour.
        #[test]
        fn nothing_lies_between_neighbours(
            (sql_type, a, b) in any_pair(),
            nullable: bool,
            descending: bool,
            back: bool,
        ) {
            let column = KeyColumn { sql_type, nullable, descending };
            let mut encoded = [Vec::new(), Vec::new()];
            for (value, out) in [&a, &b].into_iter().zip(&mut encoded) {
                if column.encode_value(value, out).is_err() {
                    return Ok(());
                }
            }
            let [a, b] = encoded;
            let mut beside = vec![7];
            let kind = column.append_neighbour(&a, back, &mut beside);
            let beside = &beside[1..];
            let is_there = if back { b < a } else { b > a };
            match (kind, back) {
                (Neighbour::Column, false) => {
                    prop_assert!(*beside > *a);
                    prop_assert_eq!(is_there, b.as_slice() >= beside);
                }
                (Neighbour::Column, true) => {
                    prop_assert!(*beside < *a);
                    prop_assert_eq!(is_there, b.as_slice() <= beside);
                }
                (Neighbour::Place, false) => prop_assert_eq!(is_there, b.as_slice() >= beside),
                (Neighbour::Place, true) => prop_assert_eq!(is_there, b.as_slice() < beside),
                (Neighbour::None, _) => {
                    prop_assert!(!is_there);
                    prop_assert!(beside.is_empty());
                }
            }
        }
    }
}
