//! Long lists, long chains, deep nesting.

use std::time::{Duration, Instant};

use datafusion::logical_expr::{Expr, col, lit};

use super::{Grid, Key};
use crate::key::Salting;
use crate::plan::narrow::{MAX_KEYS, MAX_RANGES};
use crate::plan::{Access, AccessPath, Scan, ScanOptions, narrow};
use crate::types::{SqlType, Value};

fn grid() -> Grid {
    Grid::new(vec![
        Key::new("a", SqlType::Integer, [1]),
        Key::new("b", SqlType::Integer, [1]),
        Key::new("c", SqlType::Integer, [1]),
    ])
}

fn path(filters: &[Expr]) -> AccessPath {
    narrow(&grid().def(2, Some(Salting::new(16, None))), filters).unwrap()
}

fn list(name: &str, values: std::ops::Range<i32>) -> Expr {
    col(name).in_list(values.map(lit).collect(), false)
}

fn ranges(path: &AccessPath) -> usize {
    match &path.access {
        Access::Ranges(ranges) => ranges.len(),
        other => panic!("{other:?}"),
    }
}

fn keys(path: &AccessPath) -> usize {
    path.keys().expect("a point get").len()
}

#[test]
fn a_list_alone_is_never_capped() {
    assert_eq!(ranges(&path(&[list("a", 0..5_000)])), 5_000);
    assert_eq!(
        ranges(&path(&[list("a", 0..5_000), col("b").eq(lit(1))])),
        5_000
    );
    assert_eq!(
        ranges(&path(&[list("a", 0..5_000), col("b").gt(lit(1))])),
        5_000
    );
    let all = path(&[
        list("a", 0..5_000),
        col("b").eq(lit(1)),
        col("c").eq(lit(1)),
    ]);
    assert_eq!(keys(&all), 5_000);
    assert!(all.residual.is_empty());
    let last = path(&[
        list("c", 0..5_000),
        col("b").eq(lit(1)),
        col("a").eq(lit(1)),
    ]);
    assert_eq!(keys(&last), 5_000);
}

#[test]
fn a_product_of_lists_is_capped_from_the_last_column() {
    let (b, c) = (list("b", 0..32), list("c", 0..2));
    // 1,024 keys.
    let full = path(&[list("a", 0..16), b.clone(), c.clone()]);
    assert_eq!((keys(&full), full.residual.len()), (MAX_KEYS, 0));
    // 1,088 keys: without `c` 544 ranges, without `b` 17.
    let capped = path(&[list("a", 0..17), b.clone(), c.clone()]);
    assert_eq!(ranges(&capped), 17);
    assert_eq!(capped.residual, vec![b, c]);
    // 256 ranges, and 257.
    let half = path(&[list("a", 0..16), list("b", 0..16)]);
    assert_eq!((ranges(&half), half.residual.len()), (MAX_RANGES, 0));
    let over = path(&[list("a", 0..257), list("b", 0..2)]);
    assert_eq!((ranges(&over), over.residual.len()), (257, 1));
    // The columns whose lists were left out are named.
    let def = grid().def(0, Some(Salting::new(16, None)));
    let scan = Scan::new(&def, &capped, ScanOptions::default());
    assert_eq!(
        scan.note.as_deref(),
        Some("note: t reads 16/16 buckets: b, c not bound by equality")
    );
}

#[test]
fn a_capped_path_still_knows_its_buckets() {
    let def = grid().def(0, Some(Salting::new(16, Some(vec![1]))));
    let filters = [list("a", 0..600), list("b", 0..2)];
    let path = narrow(&def, &filters).unwrap();
    assert_eq!(ranges(&path), 600);
    assert!(path.buckets.count() <= 2, "{:?}", path.buckets);
}

/// Left-deep, as the parser makes them.
fn chain(terms: impl IntoIterator<Item = Expr>, join: fn(Expr, Expr) -> Expr) -> Expr {
    terms.into_iter().reduce(join).expect("a term")
}

#[test]
fn long_chains_neither_overflow_nor_crawl() {
    let start = Instant::now();
    let points = path(&[chain((0..5_000).map(|i| col("a").eq(lit(i * 2))), Expr::or)]);
    assert_eq!((ranges(&points), points.residual.len()), (5_000, 0));
    let rows = (0..5_000).map(|i| col("a").eq(lit(i)).and(col("b").eq(lit(i % 7))));
    let pairs = path(&[chain(rows, Expr::or)]);
    assert_eq!((ranges(&pairs), pairs.residual.len()), (5_000, 0));
    let keys_of = (0..5_000).map(|i| {
        col("a")
            .eq(lit(i))
            .and(col("b").eq(lit(i % 7)))
            .and(col("c").eq(lit(1)))
    });
    assert_eq!(keys(&path(&[chain(keys_of, Expr::or)])), 5_000);
    let holes = path(&[chain(
        (0..5_000).map(|i| col("a").not_eq(lit(i * 2))),
        Expr::and,
    )]);
    assert_eq!((ranges(&holes), holes.residual.len()), (5_001, 0));
    let touching = (0..5_000).map(|i| col("a").between(lit(i), lit(i + 1)));
    assert_eq!(ranges(&path(&[chain(touching, Expr::or)])), 1);
    let left = path(&[chain((0..5_000).map(|i| col("v").eq(lit(i))), Expr::or)]);
    assert_eq!((left.residual.len(), left.access), (1, Access::FullScan));
    // Generous: a square of 5,000 takes minutes here.
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn deep_nesting_stays_a_filter() {
    let mut deep = col("a").eq(lit(1));
    for i in 0..300 {
        deep = if i % 2 == 0 {
            deep.or(col("b").eq(lit(i)))
        } else {
            deep.and(col("v").eq(lit(i)))
        };
    }
    let path = path(&[deep, col("a").eq(lit(7))]);
    assert_eq!((ranges(&path), path.residual.len()), (1, 2));
    let mut not = col("a").eq(lit(1));
    for _ in 0..300 {
        not = Expr::Not(Box::new(not));
    }
    let def = grid().def(0, None);
    let path = narrow(&def, &[not]).unwrap();
    assert_eq!(path.access, Access::FullScan);
    assert!(
        Scan::new(&def, &path, ScanOptions::default())
            .to_string()
            .ends_with('…')
    );
}

#[test]
fn the_cross_product_of_two_long_unions_is_left_out() {
    let pairs = |first: &str, second: &str| {
        let terms = (0..2_000).map(|i| col(first).eq(lit(i)).and(col(second).eq(lit(i))));
        chain(terms, Expr::or)
    };
    let path = path(&[pairs("a", "b"), pairs("b", "c")]);
    assert_eq!((ranges(&path), path.residual.len()), (2_000, 1));
}

#[test]
fn nothing_is_lost_when_a_product_is_capped() {
    let grid = Grid::new(vec![
        Key::new("a", SqlType::Integer, 0..20),
        Key::new("b", SqlType::Integer, 0..20),
        Key {
            name: "c",
            sql_type: SqlType::Integer,
            values: vec![Value::Integer(1)],
        },
    ]);
    let lists = list("a", -150..19).and(list("b", 3..18));
    assert_eq!(grid.check(&lists, None), Ok(()));
    assert_eq!(grid.check(&lists.and(col("c").gt(lit(0))), None), Ok(()));
}
