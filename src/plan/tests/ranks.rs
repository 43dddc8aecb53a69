//! Shapes, the choice between ways, keys with NULL that repeat, and conditions that follow from
//! others.

use super::{Grid, Key};
use crate::catalog::{KeyPart, TableDef};
use crate::key::Salting;
use crate::plan::{
    Access, AccessPath, IndexWay, Scan, ScanOptions, Way, best, implies, narrow, type_filters,
};
use crate::types::SqlType;

fn grid() -> Grid {
    Grid::new(vec![
        Key::new("a", SqlType::Integer, 0..6),
        Key::new("b", SqlType::Varchar(None), ["", "a", "b"]).nullable(),
        Key::new("c", SqlType::Integer, 0..3).nullable(),
    ])
}

fn path_of(def: &TableDef, sql: &str) -> AccessPath {
    let filters = match sql {
        "" => Vec::new(),
        sql => type_filters(vec![grid().parse(sql)], def).unwrap(),
    };
    narrow(def, &filters).unwrap()
}

/// The table with a key of these columns, by their places.
fn keyed(columns: &[usize]) -> TableDef {
    let part = |column: &usize| KeyPart {
        column: *column,
        descending: false,
    };
    TableDef {
        key: columns.iter().map(part).collect(),
        ..grid().def(0, None)
    }
}

#[test]
fn a_shape_is_of_the_columns_that_the_key_begins_with() {
    let def = keyed(&[0, 1, 2]);
    let shape = |sql: &str| {
        let shape = path_of(&def, sql).shape;
        (
            shape.equal,
            shape.two_sided,
            shape.narrows,
            shape.narrows_behind,
        )
    };
    for (sql, is) in [
        ("", (0, false, false, false)),
        ("a = 1", (1, false, true, false)),
        ("a IN (1, 2, 5)", (1, false, true, false)),
        ("a = $1", (1, false, true, false)),
        ("a = 1 AND b = 'x'", (2, false, true, false)),
        ("a = 1 AND b = 'x' AND c = 1", (3, false, true, false)),
        ("a = 1 AND c = 1", (1, false, true, false)),
        ("a = 1 AND b IS NULL", (2, false, true, false)),
        ("a > 1", (0, false, true, true)),
        ("a > $1", (0, false, true, true)),
        ("a BETWEEN 1 AND 2", (0, true, true, true)),
        ("a BETWEEN 1 AND 200000", (0, true, true, true)),
        ("a BETWEEN $1 AND $2", (0, true, true, true)),
        ("a >= $1 AND a < 7", (0, true, true, true)),
        ("a <> 1", (0, false, true, true)),
        ("a = 1 AND b > 'x'", (1, false, true, true)),
        ("a = 1 AND b LIKE 'x%'", (1, true, true, true)),
        ("a = 1 AND b IS NOT NULL", (1, false, true, true)),
        ("b = 'x'", (0, false, false, false)),
        ("a = 1 OR a BETWEEN 3 AND 5", (0, true, true, true)),
        ("a = 1 OR a > 3", (0, false, true, true)),
        ("a = 1 OR b = 'x'", (0, false, false, false)),
        ("a = 1 AND b = 'x' OR a = 2", (1, false, true, false)),
        ("v = 1", (0, false, false, false)),
    ] {
        assert_eq!(shape(sql), is, "{sql}");
    }
}

/// The way that is taken: "own", or an index over these columns, `u` for a UNIQUE one of them, `+`
/// for one that holds all that is read.
fn taken(
    own: &[usize],
    indexes: &[(&str, &[usize])],
    sql: &str,
    order: &str,
    limited: bool,
) -> String {
    let defs: Vec<TableDef> = indexes.iter().map(|(_, columns)| keyed(columns)).collect();
    let table = keyed(own);
    let own_path = path_of(&table, sql);
    let paths: Vec<AccessPath> = defs.iter().map(|def| path_of(def, sql)).collect();
    let mut ways = vec![Way {
        path: &own_path,
        index: None,
        in_order: order == "own",
        limited: false,
        forced: false,
    }];
    for ((name, columns), path) in indexes.iter().zip(&paths) {
        let in_order = order == *name;
        ways.push(Way {
            path,
            index: Some(IndexWay {
                name,
                columns: columns.len(),
                unique: name.contains('u'),
                salted: false,
                partial: name.contains('p'),
                covering: name.contains('+'),
            }),
            in_order,
            limited: limited && path.residual.is_empty() && (order.is_empty() || in_order),
            forced: name.contains('!'),
        });
    }
    match best(&ways, own.len()) {
        0 => "own".to_owned(),
        at => indexes[at - 1].0.to_owned(),
    }
}

#[test]
fn the_rank_decides() {
    let i: (&str, &[usize]) = ("i", &[1, 0]);
    let j: (&str, &[usize]) = ("j", &[1, 2, 0]);
    let covering: (&str, &[usize]) = ("z+", &[1, 0]);
    let unique: (&str, &[usize]) = ("u", &[2]);
    let by = |indexes: &[(&str, &[usize])], sql: &str| taken(&[0], indexes, sql, "", false);
    // The whole key, then a UNIQUE index.
    assert_eq!(by(&[i, j, unique], "a = 1 AND b = 'x' AND c = 1"), "own");
    assert_eq!(by(&[i, j, unique], "b = 'x' AND c = 1"), "u");
    assert_eq!(by(&[i, j, unique], "b = 'x' AND c IS NULL"), "j");
    // The longest run of equalities; the table's own key before an index with as many.
    assert_eq!(by(&[i, j], "b = 'x' AND c = 1"), "j");
    assert_eq!(by(&[i, j], "b = 'x'"), "i");
    assert_eq!(by(&[i, j], "b IN ('x', 'y')"), "i");
    let two = |indexes: &[(&str, &[usize])], sql: &str| taken(&[0, 2], indexes, sql, "", false);
    assert_eq!(two(&[("k", &[1])], "a = 1 AND b = 'x'"), "own");
    assert_eq!(two(&[("k", &[1, 0])], "a = 1 AND b = 'x'"), "k");
    // Ranges with two ends; of the others the table's own, or an index that holds all of it.
    assert_eq!(by(&[i], "b BETWEEN 'a' AND 'b'"), "i");
    assert_eq!(by(&[i], "a > 1 AND b BETWEEN 'a' AND 'b'"), "i");
    assert_eq!(
        by(&[i], "a BETWEEN 1 AND 3 AND b BETWEEN 'a' AND 'b'"),
        "own"
    );
    assert_eq!(by(&[i], "b > 'a'"), "own");
    assert_eq!(by(&[i, covering], "b > 'a'"), "z+");
    assert_eq!(by(&[i, covering], "b = 'a'"), "z+");
    assert_eq!(by(&[i, covering], "a > 1 AND b > 'a'"), "own");
    assert_eq!(by(&[i, covering], ""), "own");
    // One of some rows, which are those that are asked for.
    let partial: (&str, &[usize]) = ("p", &[1, 0]);
    assert_eq!(by(&[partial], ""), "own");
    assert_eq!(by(&[("p+", &[1, 0])], ""), "p+");
    assert_eq!(by(&[("a+", &[1, 0]), ("p+", &[1, 0])], "b > 'a'"), "p+");
    assert_eq!(by(&[("a", &[1, 0]), partial], "b = 'a'"), "p");
    assert_eq!(taken(&[0], &[i, partial], "", "", true), "p");
    assert_eq!(by(&[covering], "b <> 'a'"), "z+");
    // What counts the entries may be open.
    for sql in ["b > 'a'", "b <> 'a'", "b IS NOT NULL"] {
        assert_eq!(taken(&[0], &[i], sql, "", true), "i", "{sql}");
        assert_eq!(
            taken(&[0], &[i], &format!("{sql} AND v = 1"), "", true),
            "own",
            "{sql}"
        );
        assert_eq!(taken(&[0], &[i], sql, "own", true), "own", "{sql}");
    }
    // Orders.
    assert_eq!(taken(&[0], &[i, j], "", "j", true), "j");
    assert_eq!(taken(&[0], &[i, j], "", "j", false), "own");
    assert_eq!(taken(&[0], &[covering], "", "z+", false), "z+");
    assert_eq!(taken(&[0], &[i, j], "b = 'x'", "j", false), "j");
    assert_eq!(taken(&[0], &[i, j], "b = 'x' AND c = 1", "i", true), "j");
    // More than a name.
    assert_eq!(by(&[i, j], "b = 'x' AND c > 1"), "j");
    // Hints.
    assert_eq!(by(&[i, ("j!", &[2])], "a = 1 AND b = 'x'"), "j!");
}

/// Of two indexes with as many equalities, the one whose bucket is known.
#[test]
fn a_bucket_is_better_than_all_of_them() {
    let path = |columns: &[usize], salted: usize| {
        let def = TableDef {
            salting: Some(Salting::new(16, Some((0..salted).collect()))),
            ..keyed(columns)
        };
        path_of(&def, "b = 'x' AND c > 1")
    };
    let (own, one, both) = (path_of(&keyed(&[0]), ""), path(&[1], 1), path(&[1, 2], 2));
    let way = |path, name, columns| Way {
        path,
        index: Some(IndexWay {
            name,
            columns,
            unique: false,
            salted: true,
            partial: false,
            covering: false,
        }),
        in_order: false,
        limited: false,
        forced: false,
    };
    let own = Way {
        index: None,
        ..way(&own, "", 0)
    };
    assert_eq!(best(&[own, way(&both, "a", 2), way(&one, "b", 1)], 1), 2);
}

#[test]
fn keys_with_null_are_ranges_where_they_repeat() {
    let mut def = keyed(&[1, 2]);
    let line = |def: &TableDef, sql: &str| {
        Scan::new(def, &path_of(def, sql), ScanOptions::default()).to_string()
    };
    let queries = [
        "b = 'a' AND c = 1",
        "b = 'a' AND c IS NULL",
        "b IS NULL AND c = 1",
        "b = 'a' AND (c = 1 OR c IS NULL)",
    ];
    let gets = queries.map(|sql| matches!(path_of(&def, sql).access, Access::PointGet(_)));
    assert_eq!(gets, [true; 4]);
    def.null_keys_repeat = true;
    insta::assert_snapshot!(line(&def, queries[0]), @"PointGet: t, unsalted, keys [('a', 1)]");
    insta::assert_snapshot!(line(&def, queries[1]), @"RangeScan: t, unsalted, ranges [('a', NULL) .. ('a', NULL)]");
    insta::assert_snapshot!(line(&def, queries[2]), @"RangeScan: t, unsalted, ranges [(NULL, 1) .. (NULL, 1)]");
    insta::assert_snapshot!(line(&def, queries[3]), @"SkipScan: t, unsalted, ranges [('a', 1) .. ('a', 1)], [('a', NULL) .. ('a', NULL)]");
}

#[test]
fn what_follows_from_a_predicate() {
    let def = keyed(&[0]);
    let typed = |sql: &str| type_filters(vec![grid().parse(sql)], &def).unwrap();
    let follows = |filters: &str, term: &str| implies(&def, &typed(filters), &typed(term)[0]);
    for (filters, term) in [
        ("v = 5", "v > 0"),
        ("v = 5 AND a = 1", "v > 0"),
        ("v > 5", "v > 0"),
        ("v IN (1, 2, 3)", "v > 0"),
        ("v BETWEEN 1 AND 7", "v >= 1 AND v < 8"),
        ("v = 5", "v IS NOT NULL"),
        ("v = $1", "v IS NOT NULL"),
        ("b LIKE 'a%'", "b IS NOT NULL"),
        ("b = 'x' AND v > 3", "b = 'x'"),
        ("b = 'x' AND v > 3", "b <> 'y' OR v > 100"),
        ("c IS NULL", "c IS NULL"),
        ("v % 3 = 1 AND a = 1", "v % 3 = 1"),
        ("v = 5 OR v = 7", "v <> 6"),
    ] {
        assert!(follows(filters, term), "{filters} => {term}");
    }
    for (filters, term) in [
        ("v > 0", "v = 5"),
        ("v >= 0", "v > 0"),
        ("a = 1", "v > 0"),
        ("v = $1", "v > 0"),
        ("v IS NULL", "v IS NOT NULL"),
        ("v <> 6", "v = 5 OR v = 7"),
        ("v % 3 = 1", "v % 3 = 2"),
        ("b = 'x' OR v > 3", "b = 'x'"),
        ("v > 0 IS NOT TRUE", "v > 0"),
        ("c = 1 OR c IS NULL", "c IS NOT NULL"),
    ] {
        assert!(!follows(filters, term), "{filters} => {term}");
    }
}
