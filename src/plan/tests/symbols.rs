//! Parameters and other constants whose value comes with the execution.

use datafusion::logical_expr::Expr;
use datafusion::scalar::ScalarValue;

use super::{Grid, Key};
use crate::error::{Error, ErrorKind, Result};
use crate::key::Salting;
use crate::plan::{AccessPath, Scan, ScanOptions, narrow, type_filters};
use crate::types::{SqlType, Value};

fn grid() -> Grid {
    Grid::new(vec![
        Key::new("a", SqlType::Integer, 0..6),
        Key::new("b", SqlType::Varchar(None), ["", "a", "b", "c"]).nullable(),
    ])
}

fn path(grid: &Grid, sql: &str) -> AccessPath {
    let def = grid.def(0, Some(Salting::new(16, None)));
    narrow(&def, &type_filters(vec![grid.parse(sql)], &def).unwrap()).unwrap()
}

fn line(grid: &Grid, path: &AccessPath) -> String {
    let def = grid.def(0, Some(Salting::new(16, None)));
    Scan::new(&def, path, ScanOptions::default()).to_string()
}

/// The value of `$n`: the n-th of these.
fn values(values: &[ScalarValue]) -> impl FnMut(&Expr) -> Result<ScalarValue> + '_ {
    |expr| match expr {
        Expr::Placeholder(placeholder) => placeholder
            .id
            .trim_start_matches('$')
            .parse::<usize>()
            .ok()
            .and_then(|n| values.get(n - 1).cloned())
            .ok_or_else(|| Error::new(ErrorKind::Invalid, "no value")),
        other => Err(Error::new(ErrorKind::Invalid, other.to_string())),
    }
}

#[test]
fn symbols_are_printed_and_buckets_bounded() {
    let grid = grid();
    let scan = |sql: &str| line(&grid, &path(&grid, sql));
    insta::assert_snapshot!(scan("a = $1 AND b = $2"), @"PointGet: t, buckets <=1/16, keys [($1, $2)]");
    insta::assert_snapshot!(scan("a IN ($1, 3, $2) AND b = 'a'"), @"PointGet: t, buckets <=3/16, keys [(3, 'a'), ($1, 'a'), ($2, 'a')]");
    insta::assert_snapshot!(scan("a = $1"), @"RangeScan: t, buckets <=16/16, ranges [$1 .. $1]");
    insta::assert_snapshot!(scan("a = 1 AND b > $1"), @"RangeScan: t, buckets <=16/16, ranges ((1, $1) .. (1, NULL))");
    insta::assert_snapshot!(scan("a >= $1 AND a < $2"), @"RangeScan: t, buckets <=16/16, ranges [$1 .. $2)");
    insta::assert_snapshot!(scan("a BETWEEN $1 AND 4"), @"RangeScan: t, buckets <=16/16, ranges [$1 .. 4]");
    insta::assert_snapshot!(scan("a > $1 AND a > 3"), @"RangeScan: t, buckets <=16/16, ranges ($1 .., filter a > 3");
    insta::assert_snapshot!(scan("a > $1 OR (a = $1 AND b > $2)"), @"SkipScan: t, buckets <=16/16, ranges ($1 .., (($1, $2) .. ($1, NULL))");
    insta::assert_snapshot!(scan("a <> $1"), @"SkipScan: t, buckets <=16/16, ranges .. $1), ($1 ..");
    insta::assert_snapshot!(scan("a = $1 AND a = $2"), @"RangeScan: t, buckets <=16/16, ranges [$1 .. $1], filter a = $2");
    insta::assert_snapshot!(scan("a = $1 AND a IN (1, 2)"), @"RangeScan: t, buckets <=16/16, ranges [$1 .. $1], filter a IN (1, 2)");
    insta::assert_snapshot!(scan("a = 1 AND v > $1"), @"RangeScan: t, buckets 16/16, ranges [1 .. 1], filter v > $1");
    insta::assert_snapshot!(scan("a = $1 + 1"), @"RangeScan: t, buckets <=16/16, ranges [$1 + 1 .. $1 + 1]");
    insta::assert_snapshot!(scan("(b IS NOT DISTINCT FROM $1) AND a = 1"), @"PointGet: t, buckets <=1/16, keys [(1, $1)]");
    insta::assert_snapshot!(scan("a = random()"), @"FullScan: t, buckets 16/16, filter a = random()");
    insta::assert_snapshot!(scan("NOT (a > $1)"), @"RangeScan: t, buckets <=16/16, ranges .. $1]");
}

#[test]
fn row_values_with_symbols_are_one_range_where_keys_are_not_null() {
    let grid = Grid::new(vec![
        Key::new("a", SqlType::Integer, [1]),
        Key::new("b", SqlType::Integer, [1]),
        Key::new("c", SqlType::Integer, [1]),
    ]);
    let sql = "a > $1 OR (a = $1 AND b > $2) OR (a = $1 AND b = $2 AND c > $3)";
    insta::assert_snapshot!(grid.explain(sql, 0, None), @"RangeScan: t, unsalted, ranges (($1, $2, $3) ..");
    insta::assert_snapshot!(grid.explain("a > 1 OR (a = 1 AND b > $1)", 0, None), @"RangeScan: t, unsalted, ranges ((1, $1) ..");
    let back = "a < $1 OR (a = $1 AND b < $2) OR (a = $1 AND b = $2 AND c <= $3)";
    insta::assert_snapshot!(grid.explain(back, 0, None), @"RangeScan: t, unsalted, ranges .. ($1, $2, $3)]");
    insta::assert_snapshot!(grid.explain(back, 7, None), @"RangeScan: t, unsalted, ranges [($1, $2, $3) ..");
}

#[test]
fn bound_paths_are_those_of_literals() {
    let grid = grid();
    let int = |v: i32| ScalarValue::Int32(Some(v));
    let text = |v: &str| ScalarValue::Utf8(Some(v.to_owned()));
    let null = ScalarValue::Null;
    let cases = [
        (
            "a = $1 AND b = $2",
            vec![int(1), text("a")],
            "a = 1 AND b = 'a'",
        ),
        ("a = $1", vec![null.clone()], "a = NULL"),
        ("a = $1", vec![text("3")], "a = 3"),
        (
            "a = $1",
            vec![ScalarValue::Int64(Some(1 << 40))],
            "a = 1099511627776",
        ),
        (
            "a < $1",
            vec![ScalarValue::Int64(Some(1 << 40))],
            "a < 1099511627776",
        ),
        ("a = $1", vec![ScalarValue::Float64(Some(2.0))], "a = 2"),
        ("a < $1", vec![ScalarValue::Float64(Some(2.5))], "a < 2.5"),
        ("a IN ($1, $2, 3)", vec![int(3), int(3)], "a IN (3)"),
        ("a NOT IN ($1, 3)", vec![int(1)], "a NOT IN (1, 3)"),
        ("a NOT IN ($1, 3)", vec![null.clone()], "a NOT IN (NULL, 3)"),
        ("a > $1 AND a > $2", vec![int(1), int(3)], "a > 3"),
        (
            "a >= $1 AND a < $2",
            vec![int(3), int(1)],
            "a >= 3 AND a < 1",
        ),
        (
            "a > $1 OR (a = $1 AND b > $2)",
            vec![int(2), text("a")],
            "a > 2 OR (a = 2 AND b > 'a')",
        ),
        (
            "(b IS NOT DISTINCT FROM $1) AND a = 1",
            vec![null.clone()],
            "b IS NULL AND a = 1",
        ),
        (
            "(b IS DISTINCT FROM $1) AND a = 1",
            vec![text("a")],
            "(b IS DISTINCT FROM 'a') AND a = 1",
        ),
        ("a <> $1", vec![int(3)], "a <> 3"),
        ("NOT (a > $1)", vec![null], "a > NULL"),
        (
            "a BETWEEN $1 AND $2",
            vec![int(1), int(3)],
            "a BETWEEN 1 AND 3",
        ),
        (
            "b LIKE $1 AND a = 1",
            vec![text("a%")],
            "b LIKE 'a%' AND a = 1",
        ),
    ];
    for (sql, parameters, literal) in cases {
        for descending in 0..4 {
            let def = grid.def(descending, Some(Salting::new(16, None)));
            let symbolic =
                narrow(&def, &type_filters(vec![grid.parse(sql)], &def).unwrap()).unwrap();
            let bound = symbolic.bind(&def, &mut values(&parameters)).unwrap();
            let filters = type_filters(vec![grid.parse(literal)], &def).unwrap();
            let expected = narrow(&def, &filters).unwrap();
            assert_eq!(bound.access, expected.access, "{sql} {parameters:?}");
            assert_eq!(bound.buckets, expected.buckets, "{sql} {parameters:?}");
            assert!(!bound.is_symbolic());
            if let Some(key) = symbolic.bind_key(&def, &mut values(&parameters)).unwrap() {
                assert_eq!(bound.keys(), Some(vec![key]), "{sql} {parameters:?}");
            }
        }
    }
}

#[test]
fn what_evaluation_says_comes_through() {
    let grid = grid();
    let def = grid.def(0, None);
    let symbolic = path(&grid, "a = $1");
    assert!(symbolic.is_symbolic());
    assert!(symbolic.keys().is_none() && symbolic.key_ranges().is_none());
    let error = symbolic.bind(&def, &mut values(&[])).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Invalid, "no value")
    );
    let text = [ScalarValue::Utf8(Some("x".to_owned()))];
    let error = symbolic.bind(&def, &mut values(&text)).unwrap_err();
    insta::assert_snapshot!(error, @"invalid: 'x' is not an INTEGER");
}

/// A literal shares its rows with the parameter of the same value, in each form of a predicate.
#[test]
fn the_path_without_values_promises_no_fewer_buckets() {
    let grid = grid();
    let def = grid.def(0, Some(Salting::new(16, None)));
    for (sql, parameters) in [
        (
            "a = $1 AND b = $2",
            vec![ScalarValue::Int32(Some(1)), ScalarValue::from("a")],
        ),
        (
            "a IN ($1, $2, 5) AND b = 'a'",
            vec![ScalarValue::Int32(Some(1)), ScalarValue::Int32(Some(2))],
        ),
        (
            "a IN (1, 2, 3) AND b IN ($1, $2)",
            vec![ScalarValue::from("x"), ScalarValue::from("y")],
        ),
    ] {
        let symbolic = path(&grid, sql);
        let bound = symbolic.bind(&def, &mut values(&parameters)).unwrap();
        assert!(bound.buckets.count() <= symbolic.buckets.count(), "{sql}");
    }
}

#[test]
fn one_key_is_bound_the_short_way() {
    let grid = grid();
    let def = grid.def(0, None);
    let key = |sql: &str, parameters: &[ScalarValue]| {
        path(&grid, sql)
            .bind_key(&def, &mut values(parameters))
            .unwrap()
    };
    let found = |a: i32, b: &str| Some(vec![Value::Integer(a), Value::Text(b.to_owned())]);
    let (one, a) = (ScalarValue::Int64(Some(1)), ScalarValue::from("a"));
    assert_eq!(
        key("a = $1 AND b = $2", &[one.clone(), a.clone()]),
        found(1, "a")
    );
    assert_eq!(
        key("a = 7 AND b = $1", std::slice::from_ref(&a)),
        found(7, "a")
    );
    assert_eq!(
        key("a = $1 AND b = 'x'", &[ScalarValue::from("12")]),
        found(12, "x")
    );
    // No key, or not for certain.
    assert_eq!(
        key("a = $1 AND b = $2", &[one.clone(), ScalarValue::Null]),
        None
    );
    assert_eq!(
        key(
            "a = $1 AND b = $2",
            &[ScalarValue::Int64(Some(1 << 40)), a.clone()]
        ),
        None
    );
    assert_eq!(
        key(
            "a = $1 AND b = $2",
            &[ScalarValue::Float64(Some(1.0)), a.clone()]
        ),
        None
    );
    assert_eq!(key("a = $1", std::slice::from_ref(&one)), None);
    assert_eq!(
        key("a IN ($1, 2) AND b = 'a'", std::slice::from_ref(&one)),
        None
    );
    assert_eq!(key("a = $1 AND b = $2 AND v = 1", &[one, a]), None);
}
