//! Predicates written down, by kind.
//!
//! `predicate => part` says how tight the path is: the rows that it reads are those that satisfy
//! the part; without one, those that satisfy the predicate.

mod abc;
mod fractions;
mod integers;
mod texts;
mod times;

pub(super) use abc::{ABC, abc};

use super::Grid;

pub(super) fn check_all(grid: &Grid, cases: &[&str]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let (sql, part) = split(case);
            let checked = grid.check(&grid.parse(sql), Some(&grid.parse(part)));
            Some(format!("{case}\n    {}", checked.err()?))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A predicate, and what of it the path says.
pub(super) fn split(case: &str) -> (&str, &str) {
    case.split_once(" => ").unwrap_or((case, case))
}
