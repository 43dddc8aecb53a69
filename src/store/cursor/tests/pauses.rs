//! Scans that pause between their rows: what they say of how far they came.

use super::selection::{Selection, any_selection};
use super::*;

/// Rows, and the last key that was read or left out.
#[derive(Debug, Default)]
struct Noted {
    rows: Vec<Vec<u8>>,
    last: Option<Vec<u8>>,
}

impl RowSink for Noted {
    fn push(&mut self, key: &[u8], _: &[u8]) -> Result<()> {
        self.rows.push(key.to_vec());
        self.pass(key);
        Ok(())
    }

    fn bytes(&self) -> usize {
        0
    }

    fn needs_value(&self) -> bool {
        false
    }

    fn pass(&mut self, key: &[u8]) {
        self.last = Some(key.to_vec());
    }
}

impl Selection {
    /// Reads the rows of a scan, whose order is that of `place`. After each piece the rows that
    /// were read are those up to the last key that the sink was told of; and each piece comes
    /// further. (The ends of groups are not something to go on from.)
    fn check_pauses<P: Ord>(
        &self,
        mut fill: impl FnMut(&mut Noted, Budget) -> Result<bool>,
        place: impl Fn(&[u8]) -> P,
    ) -> usize {
        let mut expected = self.expected();
        expected.sort_by_key(|key| place(key));
        let (mut sink, mut pauses) = (Noted::default(), 0);
        loop {
            let (before, rows) = (sink.last.clone(), sink.rows.len());
            let more = fill(&mut sink, Budget::new(self.batch, usize::MAX)).unwrap();
            if !more {
                assert_eq!(sink.rows, expected);
                return pauses;
            }
            assert!(sink.rows.len() <= rows + self.batch);
            pauses += usize::from(sink.rows.len() < rows + self.batch);
            if self.groups.is_some() {
                continue;
            }
            let last = sink.last.clone().unwrap();
            assert!(before.is_none_or(|before| place(&before) < place(&last)));
            let read = expected.iter().filter(|key| place(key) <= place(&last));
            assert_eq!(read.count(), sink.rows.len());
        }
    }

    fn check_patience<S: Source>(&self, source: impl Fn() -> S, patience: u64) -> usize {
        let salted = self.buckets > 0;
        let buckets = || by_bucket(salted, self.ranges());
        let choice = |reverse| Choice {
            patience,
            ..self.choice(reverse)
        };
        let mut any = SequenceCursor::new(source(), buckets(), choice(false));
        let place = |key: &[u8]| (self.bucket(key), key.to_vec());
        let mut pauses = self.check_pauses(|sink, budget| any.fill_into(sink, budget), place);

        let mut merge = MergeCursor::new(source(), buckets(), choice(false));
        let fill = |sink: &mut Noted, budget| merge.fill_into(sink, budget);
        pauses += self.check_pauses(fill, <[u8]>::to_vec);

        let mut merge = MergeCursor::new(source(), buckets(), choice(true));
        let fill = |sink: &mut Noted, budget| merge.fill_into(sink, budget);
        pauses + self.check_pauses(fill, |key| std::cmp::Reverse(key.to_vec()))
    }
}

#[test]
fn a_pause_says_how_far_it_came() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(1000));
    let pauses = std::cell::Cell::new(0);
    let checked = runner.run(&(any_selection(), 0..20_u64), |(selection, patience)| {
        let map = Arc::new(selection.map());
        let source = || MapSource {
            map: Arc::clone(&map),
            fails_at: None,
        };
        pauses.set(pauses.get() + selection.check_patience(source, patience));
        Ok(())
    });
    checked.unwrap();
    assert!(pauses.get() > 500, "{}", pauses.get());
}
