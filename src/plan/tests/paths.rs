//! Facts of a path besides its ranges: buckets, fixed columns, kinds.

use super::{Grid, Key};
use crate::key::Salting;
use crate::plan::path::Buckets;
use crate::plan::{AccessPath, narrow, type_filters};
use crate::types::{SqlType, Value};

fn grid() -> Grid {
    Grid::new(vec![
        Key::new("a", SqlType::Varchar(None), ["x", "y"]),
        Key::new("b", SqlType::Integer, [1, 2, 3]),
        Key::new("c", SqlType::Integer, [1, 2]),
    ])
}

fn path(sql: &str, salting: Option<Salting>) -> AccessPath {
    let grid = grid();
    let def = grid.def(2, salting);
    narrow(&def, &type_filters(vec![grid.parse(sql)], &def).unwrap()).unwrap()
}

#[test]
fn salt_columns_prune_wherever_they_stand() {
    let by = |columns: &[usize]| Some(Salting::new(256, Some(columns.to_vec())));
    let count = |sql: &str, columns: &[usize]| path(sql, by(columns)).buckets.count();
    assert_eq!(count("a = 'x'", &[0]), 1);
    assert_eq!(count("a = 'x' AND b > 1", &[0]), 1);
    assert_eq!(count("b = 1", &[1]), 1);
    assert_eq!(count("b = 1 AND v = 2", &[1]), 1);
    assert_eq!(count("b = 1 AND c = 2", &[1, 2]), 1);
    assert_eq!(count("b = 1", &[1, 2]), 256);
    assert_eq!(count("b > 1", &[1]), 256);
    assert_eq!(count("b > 1 AND b < 3", &[1]), 1);
    assert_eq!(count("a = 'x' OR b = 1", &[1]), 256);
    assert_eq!(count("(a = 'x' AND b = 1) OR (a = 'y' AND b = 1)", &[1]), 1);
    assert_eq!(count("b = 1 AND b = 2", &[1]), 0);
    // xxh3 of these three keys is not the same mod 256.
    assert_eq!(count("b IN (1, 2, 3)", &[1]), 3);
    assert_eq!(count("b IN (1, 2, 3) AND c IN (1, 2)", &[1, 2]), 6);
    assert_eq!(path("b = 1", None).buckets.count(), 1);
}

#[test]
fn small_intervals_are_lists_of_keys() {
    let days = Grid::new(vec![
        Key {
            name: "d",
            sql_type: SqlType::Date,
            values: vec![Value::Date(0)],
        },
        Key::new("p", SqlType::Boolean, [true]).nullable(),
        Key::new("i", SqlType::TinyInt, [1_i8]),
    ]);
    let line = |sql: &str, buckets: u16| days.explain(sql, 0, Some(Salting::new(buckets, None)));
    let one = "d = '2013-01-01' AND";
    insta::assert_snapshot!(line(&format!("{one} p AND i BETWEEN 1 AND 3"), 16), @"PointGet: t, buckets 3/16, keys [(DATE '2013-01-01', TRUE, 1), (DATE '2013-01-01', TRUE, 2), (DATE '2013-01-01', TRUE, 3)]");
    insta::assert_snapshot!(line(&format!("{one} p IS NOT NULL AND i = 1"), 2), @"PointGet: t, buckets 2/2, keys [(DATE '2013-01-01', FALSE, 1), (DATE '2013-01-01', TRUE, 1)]");
    insta::assert_snapshot!(line(&format!("{one} (NOT p OR p IS NULL) AND i > 120 AND i < 124"), 16), @"PointGet: t, buckets 6/16, keys [(DATE '2013-01-01', FALSE, 121), (DATE '2013-01-01', FALSE, 122), (DATE '2013-01-01', FALSE, 123), (DATE '2013-01-01', NULL, 121), +2 more]");
    insta::assert_snapshot!(line("d >= '2013-01-01' AND d < '2013-01-03' AND p AND i = 1", 16), @"PointGet: t, buckets 2/16, keys [(DATE '2013-01-01', TRUE, 1), (DATE '2013-01-02', TRUE, 1)]");
    // As many keys as buckets, and one more.
    insta::assert_snapshot!(line(&format!("{one} p AND i > 111"), 16), @"PointGet: t, buckets 12/16, keys [(DATE '2013-01-01', TRUE, 112), (DATE '2013-01-01', TRUE, 113), (DATE '2013-01-01', TRUE, 114), (DATE '2013-01-01', TRUE, 115), +12 more]");
    insta::assert_snapshot!(line(&format!("{one} p AND i > 110"), 16), @"RangeScan: t, buckets 16/16, ranges ((DATE '2013-01-01', TRUE, 110) .. (DATE '2013-01-01', TRUE)]");
    insta::assert_snapshot!(line(&format!("({one} p AND i > 119) OR ({one} NOT p AND i < -119)"), 16), @"SkipScan: t, buckets 16/16, ranges [(DATE '2013-01-01', FALSE) .. (DATE '2013-01-01', FALSE, -119)), ((DATE '2013-01-01', TRUE, 119) .. (DATE '2013-01-01', TRUE)]");
    // Not the whole key, another type, no value yet, no salt.
    insta::assert_snapshot!(line(&format!("{one} i BETWEEN 1 AND 3"), 16), @"SkipScan: t, buckets 16/16, ranges [(DATE '2013-01-01', *, 1) .. (DATE '2013-01-01', *, 3)]");
    insta::assert_snapshot!(line(&format!("{one} p AND i BETWEEN $1 AND 3"), 16), @"RangeScan: t, buckets <=16/16, ranges [(DATE '2013-01-01', TRUE, $1) .. (DATE '2013-01-01', TRUE, 3)]");
    insta::assert_snapshot!(days.explain(&format!("{one} p AND i BETWEEN 1 AND 3"), 0, None), @"RangeScan: t, unsalted, ranges [(DATE '2013-01-01', TRUE, 1) .. (DATE '2013-01-01', TRUE, 3)]");
    let texts = grid();
    insta::assert_snapshot!(texts.explain("a > 'x' AND b = 1 AND c = 1", 0, Some(Salting::new(16, None))), @"SkipScan: t, buckets 16/16, ranges ('x' .. and [(*, 1, 1) .. (*, 1, 1)]");
}

#[test]
fn small_intervals_of_the_salt_columns_prune_buckets() {
    let days = Grid::new(vec![
        Key {
            name: "d",
            sql_type: SqlType::Date,
            values: vec![Value::Date(0)],
        },
        Key::new("a", SqlType::Varchar(None), ["x"]),
        Key::new("i", SqlType::Integer, [1]),
    ]);
    let line = |sql: &str, columns: &[usize]| {
        days.explain(sql, 0, Some(Salting::new(64, Some(columns.to_vec()))))
    };
    // Each day is in its bucket, so it is a range of its own.
    insta::assert_snapshot!(line("d BETWEEN '2013-01-01' AND '2013-01-03' AND a > 'x'", &[0]), @"SkipScan: t, buckets 3/64, ranges ((DATE '2013-01-01', 'x') .. DATE '2013-01-01'], ((DATE '2013-01-02', 'x') .. DATE '2013-01-02'], ((DATE '2013-01-03', 'x') .. DATE '2013-01-03']");
    // Behind a gap the interval stays one.
    insta::assert_snapshot!(line("i BETWEEN 1 AND 3", &[2]), @"SkipScan: t, buckets 3/64, ranges [(*, *, 1) .. (*, *, 3)]");
    insta::assert_snapshot!(line("a = 'x' AND i BETWEEN 1 AND 3", &[1, 2]), @"SkipScan: t, buckets 3/64, ranges [(*, 'x', 1) .. (*, 'x', 3)]");
    insta::assert_snapshot!(line("i BETWEEN 1 AND 65", &[2]), @"SkipScan: t, buckets 64/64, ranges [(*, *, 1) .. (*, *, 65)]");
    // A list of which the product with the days is 240, and 270.
    let many = |n: i32| -> String {
        let list: Vec<String> = (0..n).map(|i| format!("'{i:02}'")).collect();
        format!(
            "d BETWEEN '2013-01-01' AND '2013-01-03' AND a IN ({})",
            list.join(", ")
        )
    };
    insta::assert_snapshot!(line(&many(80), &[0]), @"SkipScan: t, buckets 3/64, ranges [(DATE '2013-01-01', '00') .. (DATE '2013-01-01', '00')], [(DATE '2013-01-01', '01') .. (DATE '2013-01-01', '01')], [(DATE '2013-01-01', '02') .. (DATE '2013-01-01', '02')], [(DATE '2013-01-01', '03') .. (DATE '2013-01-01', '03')], +236 more");
    insta::assert_snapshot!(line(&many(90), &[0]), @"SkipScan: t, buckets 3/64, ranges [DATE '2013-01-01' .. DATE '2013-01-03'] and [(*, '00') .. (*, '00')], [DATE '2013-01-01' .. DATE '2013-01-03'] and [(*, '01') .. (*, '01')], [DATE '2013-01-01' .. DATE '2013-01-03'] and [(*, '02') .. (*, '02')], [DATE '2013-01-01' .. DATE '2013-01-03'] and [(*, '03') .. (*, '03')], +86 more");
}

#[test]
fn the_bucket_of_the_salt_columns_is_that_of_the_key() {
    let grid = grid();
    for columns in [None, Some(vec![0]), Some(vec![1, 2])] {
        let def = grid.def(2, Some(Salting::new(256, columns)));
        let filters = type_filters(vec![grid.parse("c = 2 AND a = 'y' AND b = 3")], &def).unwrap();
        let path = narrow(&def, &filters).unwrap();
        let key = path.keys().unwrap().remove(0);
        let (bucket, _) = def.key_layout().encode(&key).unwrap();
        let Buckets::Known(buckets) = path.buckets else {
            panic!("{:?}", path.buckets)
        };
        assert_eq!(buckets.iter().collect::<Vec<_>>(), [bucket]);
    }
}

#[test]
fn fixed_columns_are_those_bound_to_one_value() {
    assert_eq!(path("a = 'x' AND c = 1", None).fixed, [0, 2]);
    assert_eq!(path("b = $1", None).fixed, [1]);
    assert_eq!(path("b IN (1)", None).fixed, [1]);
    assert_eq!(path("b IN (1, 2)", None).fixed, [0; 0]);
    assert_eq!(path("b = 1 OR b = 1", None).fixed, [1]);
    assert_eq!(
        path("(b = 1 AND a = 'x') OR (b = 1 AND a = 'y')", None).fixed,
        [1]
    );
    assert_eq!(path("b = 1 OR a = 'x'", None).fixed, [0; 0]);
    assert_eq!(path("b = 1 AND (v = 1 OR c = 1)", None).fixed, [1]);
}

/// An interval is a list of its values where these are no more than the buckets of the range.
#[test]
fn small_domains_are_enumerated() {
    let keys = || {
        vec![
            Key::new("a", SqlType::Integer, [1, 2, 3]),
            Key::new("d", SqlType::Date, [Value::Date(0), Value::Date(1)]),
            Key::new("b", SqlType::Boolean, [false, true]).nullable(),
        ]
    };
    let grid = Grid::new(keys());
    let whole = |buckets| Some(Salting::new(buckets, None));
    let by_a = |buckets| Some(Salting::new(buckets, Some(vec![0])));
    let d = "d >= DATE '1970-01-01' AND d < DATE '1970-01-03'";
    for (predicate, salting, plan) in [
        (
            "a > 0 AND a < 4 AND d = DATE '1970-01-02' AND b",
            whole(16),
            "PointGet: t, buckets 3/16, keys [(1, DATE '1970-01-02', TRUE), (2, DATE '1970-01-02', TRUE), (3, DATE '1970-01-02', TRUE)]",
        ),
        // Four keys are more than three buckets.
        (
            "a > 0 AND a < 5 AND d = DATE '1970-01-02' AND b",
            whole(3),
            "SkipScan: t, buckets 3/3, ranges (0 .. 5) and",
        ),
        (
            "a > 0 AND a < 5 AND d = DATE '1970-01-02' AND b",
            None,
            "SkipScan: t, unsalted, ranges (0 .. 5) and",
        ),
        ("a IN (1, 2) AND b IS NOT NULL", whole(16), "SkipScan"),
        // The bucket of `a = 1` is one, and two keys in it are dearer than a seek.
        (
            "a = 1 AND d = DATE '1970-01-02' AND b IS NOT NULL",
            by_a(16),
            "RangeScan: t, buckets 1/16",
        ),
        // Three values of the salt column name at most three buckets.
        (
            "a BETWEEN 1 AND 3",
            by_a(16),
            "SkipScan: t, buckets 3/16, ranges [1 .. 1], [2 .. 2], [3 .. 3]",
        ),
        ("a BETWEEN 1 AND 3", by_a(3), "RangeScan: t, buckets 3/3"),
        (
            "a BETWEEN 1 AND 3",
            whole(16),
            "RangeScan: t, buckets 16/16",
        ),
    ] {
        let line = grid.explain(predicate, 0, salting);
        assert!(line.starts_with(plan), "{predicate}: {line}");
    }
    let line = grid.explain(&format!("a = 1 AND {d} AND b IS NOT NULL"), 0, whole(16));
    assert!(
        line.starts_with("PointGet") && line.contains("TRUE)"),
        "{line}"
    );
    for predicate in [
        "a BETWEEN 1 AND 3 AND d = DATE '1970-01-02' AND b IS NOT TRUE",
        d,
        "NOT b",
    ] {
        grid.check(&grid.parse(predicate), None).unwrap();
    }
}
