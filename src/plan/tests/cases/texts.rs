//! Texts and binaries.

use super::super::{Grid, Key};
use super::check_all;
use crate::plan::type_filters;
use crate::types::SqlType;

#[test]
fn texts() {
    let values = [
        "",
        "\0",
        "\0\0",
        "a",
        "a ",
        "a%",
        "a%b",
        "a\\",
        "a_",
        "az",
        "b",
        "é",
        "\u{10FFFF}",
    ];
    let keys = || vec![Key::new("s", SqlType::Varchar(Some(4)), values)];
    let predicates = [
        "s = 'a'",
        "s = 'a '",
        "s > 'a'",
        "s >= 'a' AND s < 'b'",
        "s = 'longer than the column'",
        "s < 'longer than the column'",
        "s LIKE 'a%'",
        r"s LIKE 'a\%'",
        r"s LIKE 'a\%%'",
        r"s LIKE 'a\_'",
        r"s LIKE 'a\\'",
        r"s LIKE 'a\\%'",
        r"s LIKE 'a\b%'",
        r"s LIKE 'a\'",
        "s LIKE 'a_' => s LIKE 'a%'",
        "s LIKE 'a__' => s LIKE 'a%'",
        "s LIKE 'a%%'",
        "s LIKE '%b' => s IS NOT NULL",
        "s LIKE '\u{10FFFF}%'",
        "s LIKE 'é%'",
        "s NOT LIKE 'a%'",
        "s LIKE 'a%' AND s <> 'a%'",
        "s LIKE 'a%' OR s LIKE 'az%' OR s LIKE 'b%'",
        "s IN ('', 'a', 'b')",
        "s NOT IN ('', 'a')",
        "'a' LIKE s => TRUE",
        "s LIKE s => TRUE",
    ];
    check_all(&Grid::new(keys()), &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
}

#[test]
fn char_drops_trailing_spaces() {
    let keys = || {
        vec![
            Key::new("s", SqlType::Char(4), ["", "a", "a b", "ab"]),
            Key::new("a", SqlType::Integer, [1, 2]),
        ]
    };
    let predicates = [
        "s = 'a'",
        "s = 'a   '",
        "s = 'a      '",
        "s > 'a '",
        "s <= 'a '",
        "s IN ('a ', 'ab  ') AND a = 1",
        "s BETWEEN 'a ' AND 'ab '",
        "s = '  '",
        "s LIKE 'a '",
        "s LIKE 'a %'",
        "s LIKE 'a% '",
        "s <> 'a '",
        "s IS DISTINCT FROM 'a '",
    ];
    let grid = Grid::new(keys());
    check_all(&grid, &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
    // The rows themselves, which DataFusion alone would not find.
    let typed = type_filters(vec![grid.parse("s = 'a   '")], &grid.def(0, None));
    let truth = grid.truth(&typed.unwrap()[0]).unwrap();
    assert_eq!(truth.iter().filter(|t| **t).count(), 2);
}

#[test]
fn binaries() {
    let values = [&b""[..], b"\0", b"\0\x01", b"a", b"\xff", b"\xff\xff"];
    let keys = || vec![Key::new("b", SqlType::Varbinary(None), values)];
    let predicates = [
        "b = X'61'",
        "b > X'00'",
        "b >= X''",
        "b < X'ffff'",
        "b IN (X'', X'ff')",
    ];
    check_all(&Grid::new(keys()), &predicates);
    check_all(
        &Grid::new(keys().into_iter().map(Key::nullable).collect()),
        &predicates,
    );
}
