//! rocksalt beside RocksDB by hand and SQLite, each work in one run: see `docs/performance.md`.
//!
//! `cargo bench --bench compare -- [--rows N] [--rounds N] [--only WORD]`

mod data;
mod measure;
mod place;
mod raw;
mod sqlite;
mod works;

use measure::Line;
use place::{Place, Plan};
use raw::Key;
use works::{point, scan, write};

/// What the command line asks for.
struct Options {
    rows: u64,
    rounds: u64,
    /// Works whose name has this word.
    only: String,
}

impl Options {
    fn read() -> Result<Self, String> {
        let mut options = Options {
            rows: 2_000_000,
            rounds: 7,
            only: String::new(),
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} has no value"));
            let number = |value: String| value.parse().map_err(|_| format!("{value} is no number"));
            match arg.as_str() {
                "--rows" => options.rows = number(value()?)?,
                "--rounds" => options.rounds = number(value()?)?,
                "--only" => options.only = value()?,
                // From cargo.
                "--bench" => {}
                _ => return Err(format!("{arg} is no option")),
            }
        }
        Ok(options)
    }
}

/// Works on tables of one plan.
type Works = for<'a> fn(&'a Place) -> Vec<measure::Work<'a>>;

fn main() {
    let options = match Options::read() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            std::process::exit(2);
        }
    };
    let plan = Plan {
        rows: options.rows,
        buckets: 16,
        key: Key::Id,
        threads: 1,
        synced: false,
    };
    let groups: [(Plan, &[Works]); 6] = [
        (plan, &[point::works, scan::scans, scan::ranges_salted]),
        (Plan { threads: 2, ..plan }, &[scan::scans, write::batches]),
        (Plan { buckets: 0, ..plan }, &[scan::ranges_unsalted]),
        (
            Plan {
                buckets: 256,
                ..plan
            },
            &[scan::orders],
        ),
        (
            Plan {
                key: Key::DeviceTs,
                ..plan
            },
            &[scan::latest_of_devices],
        ),
        (
            Plan {
                rows: options.rows.min(100_000),
                synced: true,
                ..plan
            },
            &[write::synced],
        ),
    ];
    let mut lines: Vec<Line> = Vec::new();
    println!("{}", Line::head());
    for (plan, works) in groups {
        let mut place = None;
        for works in works {
            // Filling the tables takes longer than most works.
            let place = place.get_or_insert_with(|| Place::create(plan));
            for work in works(place) {
                if work.name.contains(&options.only) {
                    let line = work.measure(options.rounds, plan.rows);
                    println!("{}", line.row());
                    lines.push(line);
                }
            }
        }
    }
    lines.iter().for_each(|line| println!("{}", line.json()));
}
