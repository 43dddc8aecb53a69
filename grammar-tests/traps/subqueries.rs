//! Queries inside queries, of the same table and of others.

use super::*;

/// The subquery reads the table that the value comes from, without another name for it.
#[test]
fn a_value_is_compared_with_all_and_any_of_its_own_table() {
    everywhere(10, |db, salt, direction| {
        let keys =
            |condition: &str| rows(db, &format!("SELECT k FROM t WHERE {condition} ORDER BY k"));
        for (condition, expected) in [
            ("k >= ALL (SELECT k FROM t)", 9..10),
            ("k > ALL (SELECT k FROM t WHERE v <= 49)", 8..10),
            ("k > ANY (SELECT k FROM t WHERE v <= 4)", 1..10),
            ("k = ANY (SELECT k FROM t WHERE v < 9)", 0..3),
            ("k <> ALL (SELECT k FROM t WHERE v < 9)", 3..10),
            ("v < ALL (SELECT v FROM t WHERE k > 3 AND k < t.v)", 0..4),
            ("k < ALL (SELECT k FROM t WHERE v < 0)", 0..10),
            ("k < ANY (SELECT k FROM t WHERE v < 0)", 0..0),
            (
                "k > ALL (SELECT k FROM t WHERE k >= ALL (SELECT k FROM t WHERE k < 6))",
                0..0,
            ),
        ] {
            assert_eq!(
                keys(condition),
                texts(expected),
                "{condition} {salt} {direction}"
            );
        }
        run(db, "DELETE FROM t WHERE k >= ALL (SELECT k FROM t)");
        assert_eq!(keys("TRUE"), texts(0..9), "{salt} {direction}");
        let why = error(db, "SELECT k > ALL (SELECT k FROM t) FROM t");
        assert!(why.starts_with("unsupported: ANY and ALL"), "{why}");
    });
}

/// A constant has the type of the column beside it, whichever side of a join that comes from.
#[test]
fn constants_beside_the_columns_of_either_side() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let db = memory();
            for table in [
                format!("days (id INTEGER, a DATE, PRIMARY KEY (id {direction})){salt}"),
                format!("names (a VARCHAR, id INTEGER, PRIMARY KEY (a {direction})){salt}"),
            ] {
                run(&db, &format!("CREATE TABLE {table}"));
            }
            run(
                &db,
                "UPSERT INTO days VALUES (1, '2013-05-01'), (2, '2013-05-02')",
            );
            run(
                &db,
                "UPSERT INTO names VALUES ('07', 1), ('7', 2), ('p', 3)",
            );
            for (query, expected) in [
                ("days RIGHT SEMI JOIN names ON days.id = names.id WHERE names.a = '07'", vec!["07"]),
                ("days RIGHT SEMI JOIN names ON days.id = names.id WHERE names.a = 'p'", vec![]),
                ("days RIGHT ANTI JOIN names ON days.id = names.id WHERE names.a = 'p'", vec!["p"]),
                ("names LEFT SEMI JOIN days ON days.id = names.id WHERE names.a = '7'", vec!["7"]),
                ("names LEFT ANTI JOIN days ON days.id = names.id WHERE names.a > '07'", vec!["p"]),
                ("days RIGHT JOIN names ON days.id = names.id WHERE names.a = '07'", vec!["07"]),
                (
                    "(SELECT DISTINCT ON (id) a, id FROM (SELECT id, a FROM names) ORDER BY id) AS names
                     WHERE names.a = '07'",
                    vec!["07"],
                ),
            ] {
                let found = rows(&db, &format!("SELECT names.a FROM {query}"));
                assert_eq!(found, expected, "{query} {salt} {direction}");
            }
        }
    }
}
