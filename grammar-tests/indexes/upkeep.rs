//! Every statement that writes a table keeps its indexes: CHECK INDEX compares both ways.

use rocksalt::blocking::Database;

use crate::support::{after, error, rows, run};

/// Tables of some salting and direction, each with indexes of every kind.
const SHAPES: [(&str, &str, &str); 6] = [
    (" SALT_BUCKETS = 4", "ASC", " SALT_BUCKETS = 7"),
    (" SALT_BUCKETS = 16, SALT_COLUMNS = (b)", "DESC", ""),
    ("", "ASC", " SALT_BUCKETS = 3"),
    (" SALT_BUCKETS = 3", "DESC", " SALT_BUCKETS = 0"),
    (" SALT_BUCKETS = 256", "ASC", " SALT_BUCKETS = 256"),
    ("", "DESC", ""),
];

const NAMES: [&str; 7] = ["i_v", "i_nv", "i_bw", "i_expr", "i_part", "u_u", "u_vw"];

fn table(shape: (&str, &str, &str)) -> Database {
    table_in(after(&[]), shape)
}

fn table_in(db: Database, (salt, direction, index_salt): (&str, &str, &str)) -> Database {
    let create = format!(
        "CREATE TABLE t (a INTEGER, b VARCHAR NULL, v INTEGER, w VARCHAR, u VARCHAR, \
         PRIMARY KEY (a {direction}, b)){salt}"
    );
    run(&db, &create);
    for index in [
        "INDEX i_v ON t (v)",
        "INDEX i_nv ON t (v DESC, w) INCLUDE (u)",
        "INDEX i_bw ON t (b DESC, w)",
        "INDEX i_expr ON t (lower(w), (v % 3) DESC)",
        "INDEX i_part ON t (w) INCLUDE (v) {where}",
        "UNIQUE INDEX u_u ON t (u)",
        "UNIQUE INDEX u_vw ON t (v, u DESC) INCLUDE (w)",
    ] {
        let (index, condition) = match index.strip_suffix(" {where}") {
            Some(index) => (index, " WHERE v > 2 AND w IS NOT NULL"),
            None => (index, ""),
        };
        run(&db, &format!("CREATE {index}{condition}{index_salt}"));
    }
    db
}

fn check(db: &Database, after: &str) {
    for name in NAMES {
        let differences = rows(db, &format!("CHECK INDEX {name}"));
        assert!(differences.is_empty(), "{after}: {name}: {differences:?}");
    }
}

/// Every kind of statement, one after the other.
#[test]
fn every_statement_keeps_the_indexes() {
    for shape in SHAPES {
        let db = table(shape);
        for statement in [
            "UPSERT INTO t VALUES (1, 'x', 1, 'A', 'u1'), (2, NULL, 2, 'B', NULL), (3, 'y', 3, 'c', 'u3')",
            "INSERT INTO t VALUES (4, 'x', 4, 'A', 'u4'), (5, 'x', NULL, NULL, NULL)",
            // Of some columns, of a row that exists and of a new one.
            "UPSERT INTO t (a, b, w) VALUES (1, 'x', 'new'), (6, 'z', 'six')",
            "UPSERT INTO t (a, b, w) VALUES (1, 'x', 'new')",
            "UPDATE t SET v = v + 1",
            "UPDATE t SET w = lower(w) WHERE v > 2",
            // The key itself moves, also onto places that become free.
            "UPDATE t SET a = a + 1",
            "UPDATE t SET b = 'moved' WHERE a = 3",
            "UPSERT INTO t SELECT a + 100, b, v, w, u || '!' FROM t",
            "UPSERT INTO t (a, b, v) VALUES (2, 'x', 7) ON DUPLICATE KEY UPDATE v = v * 2, u = 'd'",
            "UPSERT INTO t (a, b, v) VALUES (2, 'x', 7) ON DUPLICATE KEY IGNORE",
            "INSERT INTO t (a, b, v) VALUES (2, 'x', 7), (900, 'n', 1) ON CONFLICT (a, b) DO UPDATE SET v = excluded.v",
            // Values of a UNIQUE index that change places.
            "UPDATE t SET u = CASE u WHEN 'u3' THEN 'u4' WHEN 'u4' THEN 'u3' ELSE u END",
            "DELETE FROM t WHERE v = 7",
            "DELETE FROM t WHERE a IN (SELECT a FROM t WHERE w = 'six')",
            "UPDATE t SET v = NULL, u = NULL WHERE a > 100",
            "DELETE FROM t",
            "UPSERT INTO t VALUES (1, 'x', 9, 'A', 'u1')",
            "TRUNCATE t",
            "UPSERT INTO t VALUES (1, 'x', 9, 'A', 'u1')",
            "ALTER TABLE t RENAME COLUMN w TO ww",
            "UPSERT INTO t VALUES (2, 'x', 9, 'A', 'u2')",
            "ALTER TABLE t ADD COLUMN z INTEGER DEFAULT 5",
            "UPSERT INTO t VALUES (2, 'x', 9, 'B', 'u2', 1), (1, 'x', 10, 'B', 'u1', 1)",
        ] {
            run(&db, statement);
            check(&db, statement);
        }
    }
}

/// A statement that fails leaves table and indexes as they were.
#[test]
fn a_statement_that_fails_writes_nothing() {
    for shape in SHAPES {
        let db = table(shape);
        run(
            &db,
            "UPSERT INTO t VALUES (1, 'x', 1, 'A', 'u1'), (2, 'x', 2, 'B', 'u2')",
        );
        let before = rows(&db, "SELECT * FROM t ORDER BY a");
        for statement in [
            "INSERT INTO t VALUES (3, 'x', 3, 'C', 'u3'), (1, 'x', 1, 'A', 'other')",
            "UPSERT INTO t VALUES (3, 'x', 3, 'C', 'u3'), (4, 'x', 3, 'C', 'u2')",
            "UPDATE t SET u = 'same'",
        ] {
            error(&db, statement);
            assert_eq!(rows(&db, "SELECT * FROM t ORDER BY a"), before);
            check(&db, statement);
        }
    }
}

/// Random statements; what an index has is what its table says.
#[test]
fn random_statements_keep_the_indexes() {
    for (number, shape) in SHAPES.into_iter().enumerate() {
        let db = table(shape);
        let mut random = Random(number as u64 + 1);
        for round in 0..60 {
            let mut value = |n: u64| random.below(n);
            let (a, v, u) = (value(12), value(6), value(15));
            let b = ["'x'", "'y'", "NULL", "''"][value(4) as usize];
            let w = ["'A'", "'a'", "'Bb'", "NULL"][value(4) as usize];
            let statement = match value(9) {
                0..3 => format!("UPSERT INTO t VALUES ({a}, {b}, {v}, {w}, 'u{u}')"),
                3 => format!("UPSERT INTO t (a, b, w) VALUES ({a}, {b}, {w}), ({u}, {b}, {w})"),
                4 => format!("UPDATE t SET v = {v}, w = {w} WHERE a < {a}"),
                5 => format!("UPDATE t SET a = a + 20 WHERE a = {a}"),
                6 => format!("DELETE FROM t WHERE a = {a} OR v = {v}"),
                7 => format!(
                    "INSERT INTO t (a, b, v, u) VALUES ({a}, {b}, {v}, 'u{u}') \
                     ON CONFLICT (u) DO UPDATE SET v = t.v + 1, w = {w}"
                ),
                _ => format!(
                    "INSERT INTO t (a, b, v, u) VALUES ({a}, {b}, {v}, 'u{u}'), ({v}, {b}, {v}, 'u{a}') \
                     ON CONFLICT DO NOTHING"
                ),
            };
            // Some are refused because of a UNIQUE index.
            let _ = db.execute(&statement, ());
            if round % 5 == 0 {
                check(&db, &statement);
            }
        }
        check(&db, "all");
        let count = rows(&db, "SELECT count(*) FROM t");
        assert_ne!(count, ["0"]);
    }
}

/// Rows that come otherwise than by a statement of their own: a file, and batches of Arrow.
#[test]
fn loads_keep_the_indexes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    for synced in [true, false] {
        for shape in SHAPES {
            let place = tempfile::tempdir().unwrap();
            let db = match synced {
                true => table(shape),
                false => table_in(crate::support::folder(place.path()), shape),
            };
            run(
                &db,
                "UPSERT INTO t VALUES (1, 'x', 1, 'A', 'u1'), (2, NULL, 2, 'B', 'old')",
            );
            let mut file = String::from("a,b,v,w,u\n");
            for a in 0..3000 {
                file.push_str(&format!("{a},x,{},W{a},u{a}\n", a % 50));
            }
            std::fs::write(&path, file).unwrap();
            run(&db, &format!("COPY t FROM '{}'", path.display()));
            check(&db, "COPY");
            // Of some columns, over rows that exist and new ones.
            std::fs::write(&path, "a,b,w\n1,x,new\n9000,y,new\n").unwrap();
            run(&db, &format!("COPY t (a, b, w) FROM '{}'", path.display()));
            check(&db, "COPY of some columns");
            let batches = db
                .query(
                    "SELECT a, b, v + 1 AS v, w, u || '!' AS u FROM t WHERE a < 2000",
                    (),
                )
                .unwrap();
            for batch in batches.collect().unwrap() {
                db.table("t").unwrap().upsert(&batch).unwrap();
            }
            check(&db, "batches");
            assert_eq!(
                rows(&db, "SELECT count(*), sum(v), count(DISTINCT u) FROM t"),
                // The 3000 rows of the file, the one with NULL in its key and the new one. Their v: 60
                // times the sum of 0..50, and 2, and one more in the 2001 rows below 2000.
                ["3002|75503|3001"]
            );
        }
    }
}

/// The record of a file whose value another row has is named, also when it is read with others.
#[test]
fn a_load_names_the_record_that_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    for shape in SHAPES {
        let db = table(shape);
        run(&db, "UPSERT INTO t VALUES (500, 'y', 7, 'A', 'u7')");
        let copy = format!("COPY t FROM '{}'", path.display());
        let mut file = String::from("a,b,v,w,u\n");
        for a in 0..20 {
            file.push_str(&format!("{a},x,{a},\"two\nlines\",u{a}\n"));
        }
        std::fs::write(&path, &file).unwrap();
        let refused = |text: String| text.replace(&format!("{}/", folder.path().display()), "");
        assert_eq!(
            refused(error(&db, &copy)),
            "constraint: t.csv, record 8 (line 16): duplicate value ('u7') of (u) in UNIQUE index \
             u_u: row (7, 'x') would have it, and row (500, 'y') has it (0 rows are committed) at \
             line 1, column 13"
        );
        // Two of the file: the later one is refused.
        run(&db, "DELETE FROM t");
        std::fs::write(&path, "a,b,v,w,u\n9,x,1,,same\n1,x,2,,other\n3,x,3,,same\n").unwrap();
        assert_eq!(
            refused(error(&db, &copy)),
            "constraint: t.csv, record 3 (line 4): duplicate value ('same') of (u) in UNIQUE index \
             u_u: row (3, 'x') would have it, and row (9, 'x') has it (0 rows are committed) at \
             line 1, column 13"
        );
        assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["0"]);
        check(&db, "COPY");
    }
}

/// The rows of a statement and their entries together are kept within one limit.
#[test]
fn entries_count_as_bytes_of_the_statement() {
    for salt in ["", " SALT_BUCKETS = 4"] {
        let db = after(&[&format!(
            "CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR){salt}"
        )]);
        let session = db.session();
        session
            .execute("SET max_statement_bytes = '100KiB'", ())
            .unwrap();
        // About 60 KiB.
        let fill = "UPSERT INTO t SELECT value, repeat('x', 600) FROM generate_series(1, 95)";
        let half = "UPSERT INTO t SELECT value, repeat('y', 600) FROM generate_series(1, 30)";
        session.execute(fill, ()).unwrap();
        session.execute("DELETE FROM t", ()).unwrap();
        run(&db, "CREATE INDEX i ON t (v)");
        let error = session.execute(fill, ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "limit: the statement and its index entries write more than max_statement_bytes \
             (102400); nothing was written"
        );
        assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["0"]);
        session.execute(half, ()).unwrap();
        assert_eq!(rows(&db, "SELECT count(*) FROM t"), ["30"]);
        assert_eq!(rows(&db, "CHECK INDEX i"), [""; 0]);
    }
}

/// A linear congruential generator: the same numbers each time.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}
