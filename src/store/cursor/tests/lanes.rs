//! Merges of ranges that leave out the columns that these are bound to.

use super::*;
use crate::key::{
    BucketSet, KeyLayout, KeyRange, LeadingColumns, Salting, Sample, any_sample, expand,
};

/// Some values of the first columns of a table, whose rows are merged by the columns behind.
#[derive(Debug, Clone)]
struct Lists {
    sample: Sample,
    columns: usize,
    /// Which of the values that the table has are asked for.
    chosen: Vec<bool>,
    salting: Option<Salting>,
    batch: usize,
}

impl Lists {
    fn check(&self) {
        let layout = KeyLayout::new(self.sample.columns.clone(), self.salting.clone());
        let leading = LeadingColumns::of(&layout, self.columns).unwrap();
        let rows = self.sample.rows.iter().map(|row| {
            let (bucket, key) = layout.encode(row).unwrap();
            let mut first = Vec::new();
            layout
                .encode_prefix(&row[..self.columns], &mut first)
                .unwrap();
            (first, bucket, key, row)
        });
        let rows: Vec<_> = rows.collect();
        let mut values: Vec<_> = rows
            .iter()
            .map(|(first, _, _, row)| (first, &row[..self.columns]))
            .collect();
        values.dedup_by(|a, b| a.0 == b.0);
        let chosen = self.chosen.iter().cycle();
        let asked: Vec<_> = values
            .into_iter()
            .zip(chosen)
            .filter_map(|(value, chosen)| chosen.then_some(value))
            .collect();
        let ranges: Vec<_> = asked
            .iter()
            .map(|(_, values)| KeyRange::prefix(values.to_vec()))
            .collect();
        let ranges = expand(&ranges, &layout, &BucketSet::all(layout.buckets())).unwrap();

        let mut expected: Vec<_> = rows
            .iter()
            .filter(|(first, ..)| asked.iter().any(|(asked, _)| *asked == first))
            .map(|(first, _, key, _)| (key[first.len()..].to_vec(), key.clone()))
            .collect();
        expected.sort();
        let stored = rows.iter().map(|(_, bucket, key, _)| match self.salting {
            None => (key.clone(), key.clone()),
            Some(_) => ([&[*bucket], key.as_slice()].concat(), key.clone()),
        });
        let map: Arc<Map> = Arc::new(stored.collect());

        let mut expected: Vec<_> = expected.into_iter().map(|(_, key)| key).collect();
        for reverse in [false, true] {
            let salted = self.salting.is_some();
            let choice = Choice {
                merge_behind: leading.clone(),
                ..plain(salted, reverse)
            };
            let source = MapSource {
                map: Arc::clone(&map),
                fails_at: None,
            };
            let lanes = ranges::by_range(salted, ranges.clone());
            let mut merge = MergeCursor::new(source, lanes, choice);
            let found = collect(|sink, budget| merge.fill_into(sink, budget), self.batch);
            let found: Vec<_> = found.into_iter().map(|(key, _)| key).collect();
            assert_eq!(found, expected, "reverse: {reverse}");
            assert_eq!(merge.costs.counters.seeks, ranges.len() as u64);
            expected.reverse();
        }
    }
}

fn any_lists() -> impl Strategy<Value = Lists> {
    any_sample(200).prop_flat_map(|sample| {
        let columns = 1..=sample.columns.len();
        let chosen = prop::collection::vec(any::<bool>(), 1..6);
        let salting = prop::option::of(prop::sample::select(vec![1, 3, 16]));
        let salting = salting.prop_map(|buckets| buckets.map(|n| Salting::new(n, None)));
        let batch = prop::sample::select(vec![1, 2, 7, 1000]);
        let all = (Just(sample), columns, chosen, salting, batch);
        all.prop_map(|(sample, columns, chosen, salting, batch)| Lists {
            sample,
            columns,
            chosen,
            salting,
            batch,
        })
    })
}

proptest! {
    #[test]
    fn a_merge_orders_by_the_columns_behind(lists in any_lists()) {
        lists.check();
    }
}
