//! Which rows proposals are for: those of their keys, or those that have their values in a UNIQUE
//! index.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::store::{LatchGuard, LatchRequest};
use crate::table::conflict::Arbiter;
use crate::table::index_target::{Entries, IndexTarget};
use crate::table::request;
use crate::table::row_keys::RowKeys;
use crate::table::upkeep::latch_key;
use crate::table::write::{CHUNK, Writer};
use crate::table::write_set::{WriteSet, duplicate};
use crate::table::write_target::WriteTarget;

/// A row that proposals are for.
pub(super) struct Slot {
    /// Where it is, if not at the key of its first proposal.
    elsewhere: Option<Place>,
    /// Its proposals, as places in the order of [`Slots`].
    proposals: Range<usize>,
    /// Whether the row may not exist.
    pub(super) must_be_free: bool,
}

/// The rows that proposals are for, in (bucket, key) order.
pub(super) struct Slots {
    pub(super) slots: Vec<Slot>,
    /// The proposals by index, those of a row next to each other and in the order of the statement;
    /// without it they stand so in their set.
    order: Option<Vec<usize>>,
}

/// What came of looking for the rows that proposals are for.
pub(super) enum Search {
    /// They are these, and latched.
    Found(Slots),
    /// It takes these latches to find out.
    Wants(LatchRequest),
}

/// The bucket and the key of a row, or of an entry.
pub(super) type Place = (u8, Vec<u8>);

impl Slots {
    /// The proposal of that number for a row, by index.
    pub(super) fn proposal(&self, slot: &Slot, number: usize) -> Option<usize> {
        let at = slot.proposals.clone().nth(number)?;
        match &self.order {
            Some(order) => order.get(at).copied(),
            None => Some(at),
        }
    }

    /// Where a row is.
    pub(super) fn place(&self, slot: &Slot, set: &WriteSet) -> Place {
        match (&slot.elsewhere, self.proposal(slot, 0)) {
            (Some(place), _) => place.clone(),
            (None, Some(first)) => place_of(set, first),
            // A row without proposals is none.
            (None, None) => Place::default(),
        }
    }
}

impl Slot {
    /// How many proposals are for the row.
    pub(super) fn proposals(&self) -> usize {
        self.proposals.len()
    }
}

impl Writer<'_> {
    /// The rows that the proposals of a set are for. `guard` has the latches of their keys, and gets
    /// those of what is looked up besides.
    pub(super) fn slots(
        &self,
        target: &WriteTarget,
        arbiter: Arbiter,
        set: &WriteSet,
        guard: &mut LatchGuard,
    ) -> Result<Search> {
        match arbiter {
            Arbiter::Key => Ok(Search::Found(by_key(set))),
            Arbiter::Index(id) => {
                let index = target.indexes().and_then(|indexes| indexes.target(id));
                let index = index.ok_or_else(|| Error::internal("a conflict without its index"))?;
                self.by_index(target, index, set, guard)
            }
            Arbiter::Any => self.first_ones(target, set, guard),
        }
    }

    /// Proposals of one value in an index are for the row that has it; without one for the row of
    /// the first of them, which must be free.
    fn by_index(
        &self,
        target: &WriteTarget,
        index: &Arc<IndexTarget>,
        set: &WriteSet,
        guard: &mut LatchGuard,
    ) -> Result<Search> {
        let values = Values::of(target, index, set)?;
        let latches = values.latches();
        if !guard.try_extend(&latches) {
            return Ok(Search::Wants(guard.request().and(&latches)));
        }
        let places = values.places();
        let owners = loop {
            let owners = self.owners(target, index, &places)?;
            let rows = LatchRequest::rows(owners.iter().flatten().map(|(_, key)| key));
            if guard.covers(&rows) {
                break owners;
            }
            // Whoever takes the value away from the row holds the row's latch alone: only with that
            // held the owner stays the owner.
            if !guard.try_extend(&rows) {
                return Ok(Search::Wants(guard.request().and(&rows)));
            }
        };
        let owners: BTreeMap<&Place, Option<Place>> = places.iter().zip(owners).collect();
        let mut of_value: BTreeMap<&Place, usize> = BTreeMap::new();
        let mut rows: Vec<Wanted> = Vec::new();
        for proposal in in_order(set) {
            let value = values.place(proposal);
            if let Some(row) = value.and_then(|value| rows.get_mut(*of_value.get(value)?)) {
                row.proposals.push(proposal);
                continue;
            }
            let owner = value.and_then(|value| owners.get(value)?.clone());
            if let Some(value) = value {
                of_value.insert(value, rows.len());
            }
            rows.push(Wanted {
                must_be_free: owner.is_none(),
                place: owner.unwrap_or_else(|| place_of(set, proposal)),
                proposals: vec![proposal],
            });
        }
        rows.sort_by(|a, b| a.place.cmp(&b.place));
        let twice = rows.windows(2).find(|pair| pair[0].place == pair[1].place);
        match twice {
            None => Ok(Search::Found(slots_of(rows))),
            Some(pair) => {
                let table = target.def().display_name();
                Err(duplicate(target.layout(), &table, &pair[0].place.1))
            }
        }
    }

    /// The proposals whose key and values nobody has, and none before them in the statement.
    fn first_ones(
        &self,
        target: &WriteTarget,
        set: &WriteSet,
        guard: &mut LatchGuard,
    ) -> Result<Search> {
        let indexes = target.indexes().map_or(&[][..], |indexes| &indexes.targets);
        let unique = indexes.iter().filter(|index| index.index().def.unique);
        let unique = unique
            .map(|index| Ok((index, Values::of(target, index, set)?)))
            .collect::<Result<Vec<_>>>()?;
        for (_, values) in &unique {
            let latches = values.latches();
            if !guard.try_extend(&latches) {
                return Ok(Search::Wants(guard.request().and(&latches)));
            }
        }
        let mut taken: HashSet<(Option<u32>, Place)> = HashSet::new();
        let keys: Vec<Place> = (0..set.len()).map(|i| place_of(set, i)).collect();
        self.store
            .multi_get(&target.entry().handle, &keys, &mut |i, _| {
                taken.insert((None, keys[i].clone()));
                Ok(())
            })?;
        for (index, values) in &unique {
            let (index, places) = (index.index(), values.places());
            self.store.multi_get(&index.handle, &places, &mut |i, _| {
                taken.insert((Some(index.def.id), places[i].clone()));
                Ok(())
            })?;
        }
        let mut rows = Vec::new();
        for proposal in in_order(set) {
            let values = unique.iter().filter_map(|(index, values)| {
                let place = values.place(proposal)?.clone();
                Some((Some(index.index().def.id), place))
            });
            let place = place_of(set, proposal);
            let mut wanted: Vec<_> = values.collect();
            wanted.push((None, place.clone()));
            if wanted.iter().any(|place| taken.contains(place)) {
                continue;
            }
            taken.extend(wanted);
            rows.push(Wanted {
                place,
                proposals: vec![proposal],
                must_be_free: true,
            });
        }
        rows.sort_by(|a, b| a.place.cmp(&b.place));
        Ok(Search::Found(slots_of(rows)))
    }

    /// The rows that have these entries.
    fn owners(
        &self,
        target: &WriteTarget,
        index: &IndexTarget,
        places: &[Place],
    ) -> Result<Vec<Option<Place>>> {
        let mut owners = vec![None; places.len()];
        let mut keys = RowKeys::new(index.index(), target.def())?;
        let mut found = Vec::new();
        self.store
            .multi_get(&index.index().handle, places, &mut |i, value| {
                keys.push(&places[i].1, value)?;
                found.push(i);
                Ok(())
            })?;
        for (i, row) in found.into_iter().zip(keys.take()?) {
            owners[i] = Some(row);
        }
        Ok(owners)
    }
}

/// The values of the proposals of a set in a UNIQUE index.
struct Values {
    id: u32,
    of_proposals: Vec<Option<Place>>,
}

impl Values {
    fn of(target: &WriteTarget, index: &IndexTarget, set: &WriteSet) -> Result<Self> {
        let all: Vec<usize> = (0..target.def().columns.len()).collect();
        let mut decoder = request::decoder(target.def(), &all)?;
        let mut of_proposals = Vec::with_capacity(set.len());
        let mut take = |entries: Entries, rows: usize| {
            of_proposals.extend((0..rows).map(|row| {
                let entry = entries.get(row).filter(|entry| entry.is_unique)?;
                Some((entry.bucket, entry.key.to_vec()))
            }));
        };
        for (_, _, key, value) in set.iter() {
            decoder.push(key, value)?;
            if decoder.len() == CHUNK {
                take(index.entries(&decoder.finish()?)?, CHUNK);
            }
        }
        let rows = decoder.len();
        take(index.entries(&decoder.finish()?)?, rows);
        Ok(Values {
            id: index.index().def.id,
            of_proposals,
        })
    }

    fn place(&self, proposal: usize) -> Option<&Place> {
        self.of_proposals.get(proposal)?.as_ref()
    }

    /// Each of them once, in order.
    fn places(&self) -> Vec<Place> {
        let mut places: Vec<Place> = self.of_proposals.iter().flatten().cloned().collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn latches(&self) -> LatchRequest {
        let places = self.of_proposals.iter().flatten();
        LatchRequest::rows(places.map(|(_, key)| latch_key(self.id, key)))
    }
}

/// A row that proposals are for, while they are still being found.
struct Wanted {
    place: Place,
    proposals: Vec<usize>,
    must_be_free: bool,
}

/// The slots of rows that are sorted.
fn slots_of(rows: Vec<Wanted>) -> Slots {
    let mut order = Vec::new();
    let slots = rows.into_iter().map(|row| {
        let start = order.len();
        order.extend(row.proposals);
        Slot {
            elsewhere: Some(row.place),
            proposals: start..order.len(),
            must_be_free: row.must_be_free,
        }
    });
    let slots = slots.collect();
    Slots {
        slots,
        order: Some(order),
    }
}

/// The proposals of each key, which stand next to each other in the set.
fn by_key(set: &WriteSet) -> Slots {
    let mut slots: Vec<Slot> = Vec::with_capacity(set.len());
    let key_of = |index: usize| {
        let (_, bucket, key, _) = set.get(index);
        (bucket, key)
    };
    for index in 0..set.len() {
        match slots.last_mut() {
            Some(last) if key_of(last.proposals.start) == key_of(index) => {
                last.proposals.end = index + 1;
            }
            _ => slots.push(Slot {
                elsewhere: None,
                proposals: index..index + 1,
                must_be_free: false,
            }),
        }
    }
    Slots { slots, order: None }
}

/// The proposals in the order of the statement.
fn in_order(set: &WriteSet) -> Vec<usize> {
    let mut proposals: Vec<usize> = (0..set.len()).collect();
    proposals.sort_by_key(|index| set.order(*index));
    proposals
}

fn place_of(set: &WriteSet, index: usize) -> Place {
    let (_, bucket, key, _) = set.get(index);
    (bucket, key.to_vec())
}
