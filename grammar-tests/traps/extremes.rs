//! The least and the greatest float: NaN is larger than every number, NULL does not count.

use super::*;

/// A group, its floats, the least and the greatest of them.
const GROUPS: [(&str, &[&str], &str, &str); 7] = [
    ("a", &["1", "NaN", "-1"], "-1.0", "NaN"),
    ("b", &["NaN", "1", "NULL"], "1.0", "NaN"),
    ("c", &["NaN", "NaN"], "NaN", "NaN"),
    ("d", &["-inf", "-inf"], "-inf", "-inf"),
    ("e", &["inf"], "inf", "inf"),
    ("f", &["-inf", "0.5", "inf", "NaN"], "-inf", "NaN"),
    ("g", &["NULL"], "NULL", "NULL"),
];

#[test]
fn of_groups_of_floats() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            for float in ["REAL", "DOUBLE"] {
                let db = memory();
                run(
                    &db,
                    &format!(
                        "CREATE TABLE t (g VARCHAR, n INTEGER, x {float}, PRIMARY KEY (g, n {direction})){salt}"
                    ),
                );
                for (group, values, ..) in GROUPS {
                    for (n, value) in values.iter().enumerate() {
                        let value = match *value {
                            "NULL" => value.to_string(),
                            value => format!("'{value}'"),
                        };
                        run(
                            &db,
                            &format!("UPSERT INTO t VALUES ('{group}', {n}, {value})"),
                        );
                    }
                }
                let expected: Vec<String> = GROUPS
                    .iter()
                    .map(|(group, _, least, greatest)| format!("{group}|{least}|{greatest}"))
                    .collect();
                for sql in [
                    "SELECT g, min(x), max(x) FROM t GROUP BY g ORDER BY g",
                    "SELECT DISTINCT g, min(x) OVER w, max(x) OVER w FROM t
                     WINDOW w AS (PARTITION BY g) ORDER BY g",
                    "SELECT o.g, (SELECT min(i.x) FROM t i WHERE i.g = o.g),
                     (SELECT max(i.x) FROM t i WHERE i.g = o.g)
                     FROM (SELECT DISTINCT g FROM t) o ORDER BY o.g",
                ] {
                    assert_eq!(rows(&db, sql), expected, "{sql} {float}{salt} {direction}");
                }
                assert_eq!(rows(&db, "SELECT min(x), max(x) FROM t"), ["-inf|NaN"]);
            }
        }
    }
}
