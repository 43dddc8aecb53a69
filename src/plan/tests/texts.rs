//! The lines of EXPLAIN, as snapshots: how tight the ranges are, and the text that is an API.

use std::fmt::Write;

use super::cases::{ABC, abc, split};
use super::{Grid, Key};
use crate::key::Salting;
use crate::plan::text::name_text;
use crate::plan::{
    Plan, PlanNode, Scan, ScanOptions, expr_text, fan_out_text, key_merge_text, narrow,
    type_filters,
};
use crate::types::{SqlType, Value};

/// Advice by any name.
fn options() -> ScanOptions<'static> {
    ScanOptions {
        taken: Some(&[]),
        ..ScanOptions::default()
    }
}

/// Each predicate with its scan, all columns ASC and then `b` DESC, where that differs.
#[test]
fn ranges_of_the_cases() {
    let mut table = String::new();
    for (title, grid) in [("NOT NULL", abc(false)), ("nullable", abc(true))] {
        let _ = writeln!(table, "## {title}: key (a, b, c), then (a, b DESC, c)");
        for (sql, _) in ABC.iter().map(|case| split(case)) {
            let scan = |descending| {
                let line = grid.explain(sql, descending, Some(Salting::new(16, None)));
                line.replace(": t, buckets 16/16", ": t")
            };
            let (ascending, descending) = (scan(0), scan(2));
            let _ = writeln!(table, "{sql}\n    {ascending}");
            if descending != ascending {
                let _ = writeln!(table, "    {descending}");
            }
        }
    }
    insta::assert_snapshot!(table);
}

fn events() -> Grid {
    Grid::new(vec![
        Key::new("host", SqlType::Varchar(None), ["a"]),
        Key::new("n", SqlType::Integer, [1]),
    ])
}

#[test]
fn every_fact_has_its_place() {
    let grid = events();
    let def = grid.def(0, Some(Salting::new(16, None)));
    let filters = type_filters(vec![grid.parse("host = 'a' AND n >= 10 AND v > 3")], &def).unwrap();
    let path = narrow(&def, &filters).unwrap();
    let options = ScanOptions {
        joined: &[],
        columns: Some(&[1, 2]),
        ordered: true,
        reverse: true,
        limit: Some(10),
        groups: None,
        taken: Some(&[]),
        index: None,
    };
    let scan = Scan::new(&def, &path, options);
    insta::assert_snapshot!(scan, @"RangeScan: t, buckets 16/16, ranges [('a', 10) .. 'a'], columns [n, v], filter v > 3, reverse, limit 10");
    assert_eq!((scan.buckets_read, scan.buckets_total), (16, Some(16)));
    assert!(scan.ordered && scan.reverse && scan.buckets_exact);
    assert_eq!(scan.filter.as_deref(), Some("v > 3"));
    let all = ScanOptions {
        columns: Some(&[2, 0, 1]),
        ..ScanOptions::default()
    };
    assert_eq!(Scan::new(&def, &path, all).columns, None);
    let none = ScanOptions {
        columns: Some(&[]),
        ..ScanOptions::default()
    };
    insta::assert_snapshot!(Scan::new(&def, &path, none), @"RangeScan: t, buckets 16/16, ranges [('a', 10) .. 'a'], columns [], filter v > 3");
}

#[test]
fn a_plan_is_a_tree_with_notes_under_it() {
    let grid = events();
    let scan = |sql: &str, salting: Option<Salting>| {
        let def = grid.def(0, salting);
        let filters = type_filters(vec![grid.parse(sql)], &def).unwrap();
        PlanNode::from(Scan::new(&def, &narrow(&def, &filters).unwrap(), options()))
    };
    let salted = Some(Salting::new(16, None));
    let join = PlanNode::new(
        "HashJoin: inner, host = host",
        vec![
            PlanNode::new(
                key_merge_text([("host", false), ("N", true)]),
                vec![scan("host > 'a'", salted.clone())],
            ),
            PlanNode::new("Filter: x", vec![scan("v = 1", salted.clone())]),
            scan("host = 'a' AND n = 1", salted.clone()),
            scan("v = 1", salted),
        ],
    );
    let plan = Plan::new(PlanNode::new("Projection: 1", vec![join]));
    insta::assert_snapshot!(plan, @r#"
    Projection: 1
    └─ HashJoin: inner, host = host
       ├─ KeyMerge: host, "N" DESC
       │  └─ RangeScan: t, buckets 16/16, ranges ('a' ..
       ├─ Filter: x
       │  └─ FullScan: t, buckets 16/16, filter v = 1
       ├─ PointGet: t, buckets 1/16, keys [('a', 1)]
       └─ FullScan: t, buckets 16/16, filter v = 1
    note: t reads 16/16 buckets: host, n not bound by equality
    note: t reads 16/16 buckets: host, n not bound by equality; an index on v would read 1 bucket: CREATE INDEX t_v_idx ON t (v)
    "#);
    assert_eq!(plan.scans().len(), 4);
    assert_eq!(plan.to_string().lines().next(), Some("Projection: 1"));
}

#[test]
fn the_note_names_the_unbound_salt_columns() {
    let grid = Grid::new(vec![
        Key::new("a", SqlType::Integer, [1]),
        Key::new("b", SqlType::Integer, [1]),
        Key::new("c", SqlType::Integer, [1]),
    ]);
    let note = |sql: Option<&str>, salting: Option<Salting>| {
        let def = grid.def(0, salting);
        let filters: Vec<_> = sql.map(|sql| grid.parse(sql)).into_iter().collect();
        let path = narrow(&def, &type_filters(filters, &def).unwrap()).unwrap();
        Scan::new(&def, &path, options()).note
    };
    let by = |n, columns: &[usize]| Some(Salting::new(n, Some(columns.to_vec())));
    let whole = |n| Some(Salting::new(n, None));
    let says = |n: u16, names: &str, cure: &str| {
        Some(format!(
            "note: t reads {n}/{n} buckets: {names} not bound by equality{cure}"
        ))
    };
    assert_eq!(
        note(Some("a = 1"), whole(16)),
        says(16, "b, c", "; SALT_COLUMNS = (a) would read 1 bucket")
    );
    assert_eq!(
        note(Some("v = 1"), whole(16)),
        says(
            16,
            "a, b, c",
            "; an index on v would read 1 bucket: CREATE INDEX t_v_idx ON t (v)"
        )
    );
    assert_eq!(
        note(Some("a > 1 AND c = 2"), whole(3)),
        says(
            3,
            "a, b",
            "; SALT_COLUMNS = (c) or an index on c would read 1 bucket: CREATE INDEX t_c_idx ON t (c)"
        )
    );
    assert_eq!(
        note(Some("a > 1 AND c = 2"), by(3, &[1, 2])),
        says(
            3,
            "b",
            "; SALT_COLUMNS = (c) or an index on c would read 1 bucket: CREATE INDEX t_c_idx ON t (c)"
        )
    );
    assert_eq!(
        note(Some("(a = 1 AND b = 1) OR a = 2"), by(3, &[0, 1])),
        says(3, "b", "")
    );
    assert_eq!(
        note(Some("a = 1 AND v = 1 AND c = 3"), whole(3)),
        says(
            3,
            "b",
            "; SALT_COLUMNS = (a, c) or an index on (c, v) would read 1 bucket: CREATE INDEX t_c_v_idx ON t (c, v)"
        )
    );
    assert_eq!(
        note(Some("v IS NULL AND b > 1"), whole(3)),
        says(
            3,
            "a, b, c",
            "; an index on v would read 1 bucket: CREATE INDEX t_v_idx ON t (v)"
        )
    );
    assert_eq!(
        note(Some("v IN (1, 2)"), whole(3)),
        says(
            3,
            "a, b, c",
            "; an index on v would read a part of it: CREATE INDEX t_v_idx ON t (v)"
        )
    );
    assert_eq!(
        note(Some("v > 1 AND v < 20"), whole(3)),
        says(
            3,
            "a, b, c",
            "; an index on v would read a part of it: CREATE INDEX t_v_idx ON t (v)"
        )
    );
    // An index would not be read.
    assert_eq!(
        note(Some("v > 1 AND v <> 2"), whole(3)),
        says(3, "a, b, c", "")
    );
    // What is read is a part already.
    assert_eq!(
        note(Some("b > 1 AND v <> 2"), whole(3)),
        says(3, "a, b, c", "")
    );
    assert_eq!(note(Some("a > 1"), whole(3)), says(3, "a, b, c", ""));
    assert_eq!(note(Some("v + b = 3"), whole(3)), says(3, "a, b, c", ""));
    // No predicate, one bucket, no salt, all salt columns bound, nothing read.
    assert_eq!(note(None, whole(16)), None);
    assert_eq!(note(Some("a = 1"), whole(1)), None);
    assert_eq!(note(Some("a = 1"), None), None);
    assert_eq!(note(Some("b = 1"), by(16, &[1])), None);
    assert_eq!(note(Some("a = 1 AND a = 2"), whole(16)), None);
    assert_eq!(note(Some("a = 1 AND b = 1 AND c = 1"), whole(16)), None);
}

/// What a note advises is tried: the table salted as it says is read in one bucket, in each mix of
/// directions.
#[test]
fn salt_columns_of_the_cure_make_it_one_bucket() {
    let grid = Grid::new(vec![
        Key::new("a", SqlType::Integer, [1]),
        Key::new("b", SqlType::Varchar(None), ["x"]).nullable(),
        Key::new("c", SqlType::Date, [Value::Date(1)]),
    ]);
    let mut advised = 0;
    for sql in [
        "a = 1",
        "a > 1 AND b = 'x'",
        "b IS NULL AND a IN (1, 2)",
        "c = DATE '2013-01-01' AND a BETWEEN 1 AND 7",
        "(a = 1 AND b = 'x') OR (a = 1 AND c > DATE '2013-01-01')",
        "c < DATE '2013-01-01' AND a = 7 AND b IS NOT DISTINCT FROM 'y'",
        "a = $1 AND c = $2",
    ] {
        for descending in 0..8 {
            let path = |salting| {
                let def = grid.def(descending, Some(salting));
                let filters = type_filters(vec![grid.parse(sql)], &def).unwrap();
                (narrow(&def, &filters).unwrap(), def)
            };
            let (before, def) = path(Salting::new(16, None));
            assert_eq!(before.buckets.count(), 16, "{sql}");
            let text = fan_out_text(&def, &before, Some(&[])).unwrap();
            let (_, list) = text.split_once("SALT_COLUMNS = (").expect(&text);
            let (list, _) = list.split_once(')').unwrap();
            let columns = list.split(", ").map(|name| {
                let column = def.find_column(name).unwrap();
                def.key_position(column).unwrap()
            });
            let (after, _) = path(Salting::new(16, Some(columns.collect())));
            assert_eq!(after.buckets.count(), 1, "{sql}: {text}");
            advised += 1;
        }
    }
    assert_eq!(advised, 7 * 8);
}

#[test]
fn literals() {
    let grid = Grid::new(vec![Key::new("s", SqlType::Varchar(None), ["a"])]);
    insta::assert_snapshot!(grid.explain("s = 'it''s'", 0, None), @"PointGet: t, unsalted, keys ['it''s']");
    let long = format!("s >= '{}'", "é".repeat(70));
    let line = grid.explain(&long, 0, None);
    let literal = line.split('[').nth(1).unwrap();
    assert_eq!(literal, format!("'{}… ..", "é".repeat(63)));
    insta::assert_snapshot!(
        grid.explain("s IN ('a', 'b', 'c', 'd', 'e', 'f')", 0, None),
        @"PointGet: t, unsalted, keys ['a', 'b', 'c', 'd', +2 more]"
    );
    insta::assert_snapshot!(
        grid.explain("s < 'a' OR s > 'b' AND s < 'c' OR s > 'd' AND s < 'e' OR s > 'f' AND s < 'g' OR s > 'x'", 0, None),
        @"SkipScan: t, unsalted, ranges .. 'a'), ('b' .. 'c'), ('d' .. 'e'), ('f' .. 'g'), +1 more"
    );
    let key = |value: Value, sql_type| Key {
        name: "k",
        sql_type,
        values: vec![value],
    };
    let dates = Grid::new(vec![
        key(Value::Date(0), SqlType::Date),
        Key {
            name: "ts",
            ..key(Value::Timestamp(0), SqlType::Timestamp)
        },
        Key {
            name: "t",
            ..key(Value::Time(0), SqlType::Time)
        },
        Key {
            name: "p",
            ..key(Value::Boolean(true), SqlType::Boolean)
        },
        Key {
            name: "x",
            ..key(Value::Binary(vec![]), SqlType::Varbinary(None))
        },
        Key {
            name: "n",
            ..key(Value::Null, SqlType::Integer)
        },
    ]);
    insta::assert_snapshot!(
        dates.explain("k = '2013-01-01' AND ts = '2013-01-01 10:00:00' AND t = '10:00' AND p AND x = X'00FF' AND n IS NULL", 0, None),
        @"PointGet: t, unsalted, keys [(DATE '2013-01-01', TIMESTAMP '2013-01-01T10:00:00', TIME '10:00:00', TRUE, X'00ff', NULL)]"
    );
}

#[test]
fn filters_are_sql() {
    let grid = Grid::new(vec![
        Key::new("k", SqlType::Integer, [1]),
        Key::new("s", SqlType::Varchar(None), ["a"]),
        Key {
            name: "ts",
            sql_type: SqlType::Timestamp,
            values: vec![Value::Timestamp(0)],
        },
    ]);
    let mut table = String::new();
    for sql in [
        "v = 1 AND (k = 2 OR v = 3) AND NOT (v = 4)",
        "NOT (v = 1 AND k = 2)",
        "NOT v = 1",
        "(v = 1) IS NOT TRUE",
        "v + 1 * 2 = 3 * (k - 1)",
        "(v + 1) * 2 > k - (v - 1)",
        "k - v - 1 = 0 OR -v > 0 OR -(v + 1) > 0",
        "v IN (1, 2, 3, 4, 5, 6)",
        "v NOT IN (1, 2)",
        "v = 1 OR v = 2 OR v = 3",
        "(v = 1 OR v = 2) AND s = 'x'",
        "v = 1 OR v = 2 OR k = 3",
        "v BETWEEN 1 AND 2",
        "v NOT BETWEEN k AND k + 1",
        "s LIKE '%x' AND s NOT ILIKE 'y'",
        "s LIKE 'a\\%_' ESCAPE '\\'",
        "v IS NULL OR s IS NOT NULL",
        "v IS DISTINCT FROM k",
        "CASE WHEN v = 1 THEN 'one' WHEN v > 2 THEN s ELSE 'more' END = s",
        "CASE v WHEN 1 THEN 2 END = 3",
        "upper(s) = 'X' AND substr(s, 1, 2) || 'b' = 'ab'",
        "CAST(s AS INTEGER) = v AND TRY_CAST(s AS DATE) IS NULL",
        "ts + INTERVAL '1 day 2 hours' > now() - INTERVAL '1 month'",
        "ts = v",
        "v = 1.5 AND v < 2147483648 AND v > CAST(2.5 AS DOUBLE)",
        "v = CAST(2 AS DOUBLE) AND k > 7.0",
        "$1 = v AND s = $2 AND k > $1 + 1",
        "ts > CAST($1 AS TIMESTAMP)",
        "v = 1 AND TRUE OR NULL",
    ] {
        let expr = match sql {
            "ts = v" => grid.parse("ts = ts"),
            sql => grid.parse(sql),
        };
        let _ = writeln!(table, "{sql}\n    {}", expr_text(&expr, None));
        let def = grid.def(0, None);
        if let Some(coerced) = grid.coerced(expr) {
            let text = expr_text(&coerced, Some(&def));
            let _ = writeln!(table, "    {text}");
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn names() {
    assert_eq!(name_text("host_1"), "host_1");
    assert_eq!(name_text("Host"), "\"Host\"");
    assert_eq!(name_text("1st"), "\"1st\"");
    assert_eq!(name_text("say \"hi\""), "\"say \"\"hi\"\"\"");
    assert_eq!(name_text(""), "\"\"");
}
