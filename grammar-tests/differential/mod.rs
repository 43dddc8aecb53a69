//! Random queries on random tables, answered alike by everybody who can answer them.
//!
//! ```text
//! seed ─► schema: tables s0, s1 with rows                 generate, predicates: a query
//!           │                                               │ sql: its text for
//!           ├─ salted, as it was declared ◄─────────────────┤ s0
//!           ├─ unsalted twin u0           ◄─────────────────┤ u0
//!           ├─ the same twin, fenced      ◄─────────────────┤ (SELECT * FROM u0 LIMIT 100000)
//!           └─ SQLite, if it has the values ◄───────────────┘ u0, every constant a parameter
//!                                  answer: the same rows, in an order that ORDER BY allows
//! ```
//!
//! The salted table against its twin is the test of buckets, merges and parallel scans. Both use
//! the where-optimizer; the fence, through which no predicate passes, leaves all filtering to
//! DataFusion, and SQLite is another engine altogether. A query with parameters is prepared once
//! and executed twice, with other values. Errors count as answers: their kinds must agree, and
//! `Internal` is always wrong.
//!
//! A failure is made smaller (`shrink`) and printed as a script that repeats it. `make test` asks
//! 2,000 queries of a fixed seed; a longer run is
//!
//! ```sh
//! ROCKSALT_DIFF_SEED=7 ROCKSALT_DIFF_QUERIES=20000 cargo test --test grammar differential -- --nocapture
//! ```
//!
//! and `ROCKSALT_DIFF_FAILURES=20` makes it go on after a failure until it has found so many.
//!
//! **Invariants.** A seed makes the same tables and queries on every machine. What must not be
//! asked, because DataFusion or SQLite cannot answer it or because the answer is not determined, is
//! not generated; the generator says why. A run that returned too few rows, asked SQLite too seldom
//! or missed an access path fails: it would have tested nothing.

mod answer;
mod check;
mod constant;
mod generate;
mod predicate;
mod predicates;
mod query;
mod rng;
mod schema;
mod shrink;
mod sql;
mod sqlite_value;
mod values;
mod world;

use std::collections::BTreeMap;
use std::io::Write;

use check::{Done, check};
use generate::Theme;
use rng::Rng;
use schema::Table;
use world::World;

/// How many queries share tables.
const QUERIES_A_WORLD: usize = 14;

fn variable(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is a number, not {text:?}")),
        Err(_) => default,
    }
}

/// What a run has tested.
#[derive(Debug, Default)]
struct Tally {
    queries: usize,
    with_rows: usize,
    failed: usize,
    shared: usize,
    /// Of so many plans, how many have an ordered scan, and which scans.
    explained: usize,
    ordered: usize,
    pages: usize,
    scans: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, done: Done) {
        self.queries += 1;
        self.with_rows += usize::from(done.rows > 0);
        self.failed += usize::from(done.failed);
        self.shared += usize::from(done.shared);
        self.explained += usize::from(done.explained);
        self.ordered += usize::from(done.ordered);
        self.pages += done.pages;
        for kind in done.scans {
            *self.scans.entry(kind.to_string()).or_default() += 1;
        }
    }
}

/// A quarter of the queries, of one theme.
fn run(theme: Theme, paths: &[&str]) {
    let seed = variable("ROCKSALT_DIFF_SEED", 2013);
    let wanted = variable("ROCKSALT_DIFF_QUERIES", 2_000).div_ceil(4) as usize;
    let most_failures = variable("ROCKSALT_DIFF_FAILURES", 1) as usize;
    let mut seeds = Rng::new(seed.wrapping_mul(4).wrapping_add(theme as u64));
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    while tally.queries < wanted {
        let mut rng = Rng::new(seeds.next());
        let world = world(&mut rng, theme);
        for _ in 0..QUERIES_A_WORLD.min(wanted - tally.queries) {
            let query = generate::query(&mut rng, &world.tables, theme);
            match check(&world, &query, tally.queries % 3 == 0) {
                Ok(done) => tally.add(done),
                Err(what) => {
                    tally.queries += 1;
                    let failing = shrink::shrink(world.tables.clone(), query, what);
                    let script = World::new(failing.tables)
                        .map_or_else(|error| error, |world| world.script());
                    failures.push(format!("{script}{}\n", failing.what));
                    eprintln!(
                        "---- {theme:?}, seed {seed}\n{}",
                        failures[failures.len() - 1]
                    );
                    // What follows would most often be the same failure.
                    break;
                }
            }
        }
        if failures.len() >= most_failures {
            break;
        }
    }
    // Past the capture of tests, so that every run says what it has tested.
    let said = writeln!(std::io::stdout(), "{theme:?}, seed {seed}: {tally:?}");
    assert!(said.is_ok(), "nobody hears it");
    assert!(
        failures.is_empty(),
        "{theme:?}, ROCKSALT_DIFF_SEED={seed}: {} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert_eq!(tally.queries, wanted);
    // Few queries may well miss a path.
    if wanted >= 400 {
        let percent = |part: usize| part * 100 / tally.queries;
        assert!(percent(tally.with_rows) >= 40, "too few rows: {tally:?}");
        assert!(percent(tally.shared) >= 30, "SQLite has a part: {tally:?}");
        assert!(percent(tally.failed) <= 10, "too many errors: {tally:?}");
        for path in paths {
            let scans = tally.scans.get(*path).copied().unwrap_or(0);
            assert!(scans >= 5, "{path} is hardly tested: {tally:?}");
        }
    }
}

fn world(rng: &mut Rng, theme: Theme) -> World {
    let mut tables = vec![Table::random(
        rng,
        None,
        if theme == Theme::Joins { 60 } else { 200 },
    )];
    if theme == Theme::Joins {
        tables.push(Table::random(rng, Some(&tables[0]), 40));
    }
    World::new(tables).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn predicates_find_the_same_rows() {
    run(
        Theme::Predicates,
        &["PointGet", "RangeScan", "SkipScan", "FullScan", "Empty"],
    );
}

#[test]
fn orders_groups_and_pages_are_the_same() {
    run(
        Theme::Orders,
        &["PointGet", "RangeScan", "SkipScan", "FullScan"],
    );
}

#[test]
fn joins_and_subqueries_are_the_same() {
    run(Theme::Joins, &["RangeScan", "FullScan"]);
}

#[test]
fn parameters_have_other_values_each_time() {
    run(
        Theme::Parameters,
        &["PointGet", "RangeScan", "SkipScan", "FullScan"],
    );
}
