//! The ends of groups: what a loose scan reads.

use crate::error::{Error, Result};
use crate::key::{LeadingColumns, to_successor};
use crate::store::cursor::RawIterator;
use crate::store::cursor::costs::Costs;
use crate::store::cursor::pace::Pace;
use crate::store::cursor::ranges::StoredRange;
use crate::store::cursor::walk::{Step, Walk};

/// Reads of each group of rows that agree in their first key columns the near end, to which a walk
/// comes first, the far end, or both.
///
/// ```text
///        near               far
///   ....|a1 a2 a3 ........ an|b1 b2 ....          1. settle on a1
///         ─────────────────> <──                  2. from behind the group back to an
///                             ──>                 3. beyond the group, to b1
/// ```
///
/// Only the first can pause: in the midst of a group a scan goes on for however long it takes.
///
/// The second is a seek and the third a step, or without the second a seek: a group costs one seek.
/// Small groups are stepped through, the last row that may be the far end being held.
#[derive(Debug)]
pub(super) struct Ends {
    columns: LeadingColumns,
    reverse: bool,
    salt: usize,
    near: bool,
    far: bool,
    /// What the stored keys of the current group begin with.
    group: Vec<u8>,
    next: Next,
    back: Walk,
    /// Where the walk back from the far end of a group begins.
    place: Vec<u8>,
    held: Held,
    to_next: Pace,
    to_far: Pace,
}

/// What is to be done for the next row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Settle on the first row of all.
    Settle,
    /// Go beyond the current group.
    Leave,
    /// Nothing: the walk has settled on the near end of a group.
    Arrived,
    /// Look for the far end of the current group.
    Far,
}

/// A copy of a row that the iterator has left.
#[derive(Debug, Default)]
struct Held {
    key: Vec<u8>,
    value: Vec<u8>,
    /// Whether it is the row to be read, and not the iterator's.
    current: bool,
}

impl Held {
    fn take<I: RawIterator>(&mut self, iter: &I) {
        self.key.clear();
        self.key.extend_from_slice(iter.key().unwrap_or_default());
        self.value.clear();
        self.value
            .extend_from_slice(iter.value().unwrap_or_default());
    }
}

/// The parts of a stream that move.
pub(super) struct Parts<'a, I> {
    pub(super) iter: &'a mut I,
    pub(super) ranges: &'a [StoredRange],
    pub(super) walk: &'a mut Walk,
    pub(super) costs: &'a mut Costs,
}

impl<I: RawIterator> Parts<'_, I> {
    fn settle(&mut self, moved: bool) -> Result<Step> {
        // Such a stream is never wary, and has nothing to resume.
        let mut resume = Vec::new();
        self.walk
            .settle(self.iter, self.ranges, moved, &mut resume, self.costs)
    }
}

impl Ends {
    /// The ends of the groups of `columns`; `back` walks against the direction of the scan.
    pub(super) fn new(
        columns: LeadingColumns,
        reverse: bool,
        salt: usize,
        (near, far): (bool, bool),
        back: Walk,
        pace: &Pace,
    ) -> Self {
        Ends {
            columns,
            reverse,
            salt,
            near,
            far,
            group: Vec::new(),
            next: Next::Settle,
            back,
            place: Vec::new(),
            held: Held::default(),
            to_next: pace.clone(),
            to_far: pace.clone(),
        }
    }

    /// The key and value that are read instead of the iterator's.
    #[inline]
    pub(super) fn held(&self) -> Option<(&[u8], &[u8])> {
        self.held
            .current
            .then_some((&self.held.key, &self.held.value))
    }

    /// Goes to the next end of a group.
    pub(super) fn advance<I: RawIterator>(&mut self, mut parts: Parts<'_, I>) -> Result<Step> {
        self.held.current = false;
        loop {
            match self.next {
                Next::Far => {
                    if self.find_far(&mut parts)? {
                        return Ok(Step::Row);
                    }
                    continue;
                }
                Next::Leave => self.leave(&mut parts),
                Next::Settle | Next::Arrived => {}
            }
            if self.next != Next::Arrived {
                match parts.settle(false)? {
                    Step::Row => {}
                    Step::Paused => {
                        self.next = Next::Settle;
                        return Ok(Step::Paused);
                    }
                    step => return Ok(step),
                }
            }
            let key = parts.iter.key().unwrap_or_default();
            let salt = self.salt.min(key.len());
            let width = self.columns.width(&key[salt..])?;
            self.group.clear();
            self.group.extend_from_slice(&key[..salt + width]);
            self.next = match self.far {
                true => Next::Far,
                false => Next::Leave,
            };
            if self.near {
                return Ok(Step::Row);
            }
        }
    }

    /// Where the next group can begin; `None` if there is no such place. In reverse it ends there.
    fn boundary(&mut self) -> Option<&[u8]> {
        self.place.clone_from(&self.group);
        (self.reverse || to_successor(&mut self.place)).then_some(&self.place)
    }

    fn leave<I: RawIterator>(&mut self, parts: &mut Parts<'_, I>) {
        if self.boundary().is_none() {
            return parts.walk.leave_all();
        }
        let Parts {
            iter,
            ranges,
            walk,
            costs,
        } = parts;
        walk.pass(*iter, ranges, &self.place, &mut self.to_next, costs);
    }

    /// Looks for the far end of the group whose near end the iterator stands on. Says whether there
    /// is a row to be read: not if the near end is the far end, and was read.
    fn find_far<I: RawIterator>(&mut self, parts: &mut Parts<'_, I>) -> Result<bool> {
        let mut found = !self.near;
        self.held.take(parts.iter);
        for _ in 0..self.to_far.steps() {
            parts.walk.step(parts.iter);
            let mut step = parts.settle(true)?;
            while step == Step::Paused {
                step = parts.settle(false)?;
            }
            let key = parts.iter.key().unwrap_or_default();
            if step == Step::Row && key.starts_with(&self.group) {
                self.held.take(parts.iter);
                found = true;
                continue;
            }
            self.next = match step {
                Step::Row => Next::Arrived,
                Step::End | Step::GaveUp | Step::Paused => Next::Leave,
            };
            self.to_far.stepped();
            self.held.current = found;
            return Ok(found);
        }
        self.to_far.sought();
        self.next = Next::Leave;
        let has_boundary = self.boundary().is_some();
        let Parts {
            iter,
            ranges,
            walk,
            costs,
        } = parts;
        let back = &mut self.back;
        back.face(walk);
        if has_boundary {
            back.pass(*iter, ranges, &self.place, &mut self.to_next, costs);
        }
        let mut resume = Vec::new();
        let mut step = Step::Paused;
        while step == Step::Paused {
            step = back.settle(*iter, ranges, false, &mut resume, costs)?;
        }
        if step != Step::Row {
            return Err(Error::internal("a loose scan lost the group that it reads"));
        }
        walk.meet(back);
        Ok(found || iter.key() != Some(&self.held.key))
    }
}
