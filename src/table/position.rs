//! How far a read has come, and what is left of it.

use crate::key::BucketRange;
use crate::store::CursorOrder;

/// How far a read has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// No row was read.
    Start,
    /// Every row up to this one was read; it may be gone by now.
    After {
        /// Its bucket.
        bucket: u8,
        /// Its row key, without salt byte.
        key: Vec<u8>,
    },
    /// Every row was read.
    End,
}

impl Position {
    /// What is left of `ranges`, which a read in `order` has come so far in: of the bucket itself
    /// what is behind the key, and of the others all or nothing; in a merge all of them stand at
    /// the same key.
    pub fn rest(&self, mut ranges: Vec<BucketRange>, order: CursorOrder) -> Vec<BucketRange> {
        let (at, key) = match self {
            Position::Start => return ranges,
            Position::End => return Vec::new(),
            Position::After { bucket, key } => (*bucket, key),
        };
        ranges.retain_mut(|BucketRange { bucket, range }| {
            match order {
                CursorOrder::Any if *bucket != at => return *bucket > at,
                CursorOrder::Any | CursorOrder::Key => {
                    // The first key after another is that one and a zero byte.
                    if range.start <= *key {
                        range.start.clone_from(key);
                        range.start.push(0);
                    }
                }
                CursorOrder::KeyReverse => {
                    if range.end.as_ref().is_none_or(|end| end > key) {
                        range.end = Some(key.clone());
                    }
                }
            }
            !range.is_empty()
        });
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::ByteRange;

    /// Every key of at most two bytes out of 00, 01 and FF, in every bucket, in the order of a read.
    fn rows(order: CursorOrder) -> Vec<(u8, Vec<u8>)> {
        let bytes = [0_u8, 1, 0xff];
        let mut keys = vec![vec![]];
        for a in bytes {
            keys.push(vec![a]);
            keys.extend(bytes.map(|b| vec![a, b]));
        }
        let mut rows: Vec<(u8, Vec<u8>)> = keys
            .into_iter()
            .enumerate()
            .map(|(n, key)| ([0, 7, 255][n % 3], key))
            .collect();
        match order {
            CursorOrder::Any => rows.sort(),
            CursorOrder::Key => rows.sort_by(|a, b| a.1.cmp(&b.1)),
            CursorOrder::KeyReverse => rows.sort_by(|a, b| b.1.cmp(&a.1)),
        }
        rows
    }

    fn ranges(ends: &[(&[u8], Option<&[u8]>)]) -> Vec<BucketRange> {
        let range = |bucket, (start, end): &(&[u8], Option<&[u8]>)| BucketRange {
            bucket,
            range: ByteRange {
                start: start.to_vec(),
                end: end.map(<[u8]>::to_vec),
            },
        };
        let buckets = [0_u8, 7, 255].into_iter();
        buckets
            .flat_map(|bucket| ends.iter().map(move |end| range(bucket, end)))
            .collect()
    }

    #[test]
    fn the_rest_is_what_comes_after_in_the_order_of_the_read() {
        type Ends<'a> = (&'a [u8], Option<&'a [u8]>);
        let shapes: [&[Ends<'_>]; 3] = [
            &[(&[], None)],
            &[(&[0], Some(&[0, 1])), (&[1, 0], Some(&[1, 1]))],
            &[(&[], Some(&[1])), (&[1, 1], None)],
        ];
        for order in [CursorOrder::Any, CursorOrder::Key, CursorOrder::KeyReverse] {
            for shape in shapes {
                let ranges = ranges(shape);
                let is_in = |ranges: &[BucketRange], (bucket, key): &(u8, Vec<u8>)| {
                    let found = ranges
                        .iter()
                        .filter(|r| r.bucket == *bucket && r.range.contains(key));
                    found.count()
                };
                let read: Vec<_> = rows(order)
                    .into_iter()
                    .filter(|row| is_in(&ranges, row) == 1)
                    .collect();
                assert!(read.len() > 1);
                for (n, (bucket, key)) in read.iter().enumerate() {
                    let (bucket, key) = (*bucket, key.clone());
                    let rest = Position::After { bucket, key }.rest(ranges.clone(), order);
                    for (m, row) in read.iter().enumerate() {
                        let wanted = usize::from(m > n);
                        assert_eq!(is_in(&rest, row), wanted, "{order:?}: {row:?} after {n}");
                    }
                    assert!(rest.iter().all(|r| !r.range.is_empty()));
                }
                assert_eq!(Position::Start.rest(ranges.clone(), order), ranges);
                assert_eq!(Position::End.rest(ranges, order), []);
            }
        }
    }
}
