//! Expressions without columns beside key columns: what is a literal at once, what waits.

use super::{Grid, Key};
use crate::plan::{Scan, ScanOptions, narrow, type_filters};
use crate::types::{SqlType, Value};

fn grid() -> Grid {
    Grid::new(vec![
        Key::new("ts", SqlType::Timestamp, [Value::Timestamp(0)]),
        Key::new("d", SqlType::Date, [Value::Date(0)]),
        Key::new("i", SqlType::Integer, [1]),
    ])
}

/// The scan before DataFusion has coerced or folded anything, as the way of point gets sees it.
fn line(sql: &str) -> String {
    let grid = grid();
    let def = grid.def(0, None);
    let filters = type_filters(vec![grid.parse(sql)], &def).unwrap();
    let path = narrow(&def, &filters).unwrap();
    Scan::new(&def, &path, ScanOptions::default()).to_string()
}

#[test]
fn arithmetic_on_literals_is_a_literal() {
    insta::assert_snapshot!(line("ts >= TIMESTAMP '2013-05-02' - INTERVAL '1 day'"), @"RangeScan: t, unsalted, ranges [TIMESTAMP '2013-05-01T00:00:00' ..");
    insta::assert_snapshot!(line("ts < DATE '2013-05-01' + INTERVAL '1 month'"), @"RangeScan: t, unsalted, ranges .. TIMESTAMP '2013-06-01T00:00:00')");
    insta::assert_snapshot!(line("ts = CAST('2013-05-01T10:00:00' AS TIMESTAMP) AND d = CAST('2013-05-01' AS DATE) - INTERVAL '1 day' AND i = 2 * 3 + 1"), @"PointGet: t, unsalted, keys [(TIMESTAMP '2013-05-01T10:00:00', DATE '2013-04-30', 7)]");
    insta::assert_snapshot!(line("ts = '2013-05-01' AND d BETWEEN DATE '2013-05-01' - INTERVAL '7 days' AND DATE '2013-05-01'"), @"RangeScan: t, unsalted, ranges [(TIMESTAMP '2013-05-01T00:00:00', DATE '2013-04-24') .. (TIMESTAMP '2013-05-01T00:00:00', DATE '2013-05-01')]");
    insta::assert_snapshot!(line("i + 1 = 2 AND ts = '2013-05-01'"), @"RangeScan: t, unsalted, ranges [TIMESTAMP '2013-05-01T00:00:00' .. TIMESTAMP '2013-05-01T00:00:00'], filter i + 1 = 2");
    insta::assert_snapshot!(line("d = DATE '2013-05-01' + INTERVAL '1 day' AND d = DATE '2013-05-03'"), @"Empty: t");
    insta::assert_snapshot!(line("i IN (1 + 1, 2 + 1)"), @"SkipScan: t, unsalted, ranges [(*, *, 2) .. (*, *, 2)], [(*, *, 3) .. (*, *, 3)]");
}

#[test]
fn what_has_no_value_yet_waits() {
    insta::assert_snapshot!(line("ts >= now() - INTERVAL '1 day'"), @"RangeScan: t, unsalted, ranges [now() - INTERVAL '1 day' ..");
    insta::assert_snapshot!(line("d > current_date() - INTERVAL '7 days'"), @"SkipScan: t, unsalted, ranges ((*, current_date() - INTERVAL '7 days') ..");
    insta::assert_snapshot!(line("ts = $1 + INTERVAL '1 day'"), @"RangeScan: t, unsalted, ranges [$1 + INTERVAL '1 day' .. $1 + INTERVAL '1 day']");
    // No value at all: whoever executes it says so.
    insta::assert_snapshot!(line("i = 1 / 0"), @"SkipScan: t, unsalted, ranges [(*, *, 1 / 0) .. (*, *, 1 / 0)]");
    insta::assert_snapshot!(line("d = CAST('no date' AS DATE)"), @"SkipScan: t, unsalted, ranges [(*, CAST('no date' AS DATE)) .. (*, CAST('no date' AS DATE))]");
}
