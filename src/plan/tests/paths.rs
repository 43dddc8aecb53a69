//! Facts of a path besides its ranges: buckets, fixed columns, kinds.

use super::{Grid, Key};
use crate::key::Salting;
use crate::plan::path::Buckets;
use crate::plan::{AccessPath, narrow, type_filters};
use crate::types::SqlType;

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
