//! One work, done by each side in turns, and the line that says how long it took.

use std::time::{Duration, Instant};

/// Who does the work.
pub const SIDES: [&str; 3] = ["rocksalt", "raw", "sqlite"];

/// What one side does in a round; it returns a number that is made of its result, so that the sides
/// can be compared.
pub type Run<'a> = Box<dyn FnMut(u64) -> u64 + 'a>;

/// A work, and how each side does it.
pub struct Work<'a> {
    pub name: &'static str,
    /// How many things of `unit` a round has.
    pub things: u64,
    /// What the figures are nanoseconds of.
    pub unit: &'static str,
    /// By [`SIDES`]; a side that cannot do the work has none.
    pub sides: [Option<Run<'a>>; 3],
}

/// The median time of each side.
pub struct Line {
    name: &'static str,
    unit: &'static str,
    rows: u64,
    /// Nanoseconds a thing.
    medians: [Option<f64>; 3],
}

impl Work<'_> {
    /// Lets the sides do the work, one after the other in each of `rounds`, after a round that is
    /// not timed and in which their results must be the same.
    ///
    /// # Panics
    /// If two sides come to another result.
    pub fn measure(mut self, rounds: u64, rows: u64) -> Line {
        let mut results: [Option<u64>; 3] = [None; 3];
        for (side, result) in self.sides.iter_mut().zip(&mut results) {
            *result = side.as_mut().map(|run| run(0));
        }
        let mut known = SIDES
            .iter()
            .zip(results)
            .filter_map(|(side, r)| Some((side, r?)));
        if let Some((first, expected)) = known.next() {
            for (side, result) in known {
                assert_eq!(result, expected, "{}: {side} and {first} differ", self.name);
            }
        }
        let mut times: [Vec<Duration>; 3] = Default::default();
        for round in 1..=rounds {
            for (side, times) in self.sides.iter_mut().zip(&mut times) {
                if let Some(run) = side {
                    let started = Instant::now();
                    std::hint::black_box(run(round));
                    times.push(started.elapsed());
                }
            }
        }
        Line {
            name: self.name,
            unit: self.unit,
            rows,
            medians: times.map(|times| {
                let median = median(times)?;
                Some(median.as_nanos() as f64 / self.things.max(1) as f64)
            }),
        }
    }
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}

impl Line {
    fn ratio(&self, side: usize) -> Option<f64> {
        Some(self.medians[0]? / self.medians[side]?)
    }

    /// The head of the table.
    pub fn head() -> String {
        let [rocksalt, raw, sqlite] = SIDES;
        format!(
            "{:<28} {:>12} {:>12} {:>12} {:>8} {:>8}  {}",
            "work", rocksalt, raw, sqlite, "x raw", "x sqlite", "ns per"
        )
    }

    /// A row of the table.
    pub fn row(&self) -> String {
        let figure = |figure: Option<f64>, digits: usize| {
            figure.map_or("-".to_owned(), |figure| format!("{figure:.digits$}"))
        };
        let [rocksalt, raw, sqlite] = self.medians.map(|median| figure(median, 1));
        format!(
            "{:<28} {rocksalt:>12} {raw:>12} {sqlite:>12} {:>8} {:>8}  {}",
            self.name,
            figure(self.ratio(1), 2),
            figure(self.ratio(2), 2),
            self.unit
        )
    }

    /// The same as a line of JSON, times in nanoseconds.
    pub fn json(&self) -> String {
        let figure = |figure: Option<f64>| figure.map_or("null".to_owned(), |f| format!("{f:.3}"));
        let [rocksalt, raw, sqlite] = self.medians.map(figure);
        format!(
            "{{\"work\":\"{}\",\"rocksalt\":{rocksalt},\"raw\":{raw},\"sqlite\":{sqlite},\
             \"ratio_raw\":{},\"ratio_sqlite\":{},\"rows\":{},\"unit\":\"ns/{}\"}}",
            self.name,
            figure(self.ratio(1)),
            figure(self.ratio(2)),
            self.rows,
            self.unit
        )
    }
}
