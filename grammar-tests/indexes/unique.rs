//! UNIQUE indexes: who may have a value, and who is told that another has it.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{after, error, rows, run};

const SALTS: [(&str, &str); 4] = [
    (" SALT_BUCKETS = 4", " SALT_BUCKETS = 7"),
    ("", " SALT_BUCKETS = 16"),
    (" SALT_BUCKETS = 256", " SALT_BUCKETS = 0"),
    ("", ""),
];

fn accounts((salt, index_salt): (&str, &str), direction: &str) -> rocksalt::blocking::Database {
    after(&[
        &format!(
            "CREATE TABLE accounts (id BIGINT PRIMARY KEY {direction}, name VARCHAR, mail VARCHAR){salt}"
        ),
        &format!("CREATE UNIQUE INDEX accounts_name ON accounts (name {direction}){index_salt}"),
        &format!("CREATE UNIQUE INDEX accounts_mail ON accounts (lower(mail), name){index_salt}"),
        "UPSERT INTO accounts VALUES (1, 'ann', 'A@x'), (2, 'bob', 'b@x')",
    ])
}

#[test]
fn a_value_belongs_to_one_row() {
    for salt in SALTS {
        for direction in ["ASC", "DESC"] {
            let db = accounts(salt, direction);
            let taken = "constraint: duplicate value ('ann') of (name) in UNIQUE index \
                         accounts_name: row (3) would have it, and row (1) has it";
            assert_eq!(
                error(&db, "INSERT INTO accounts VALUES (3, 'ann', NULL)"),
                taken
            );
            assert_eq!(
                error(&db, "UPSERT INTO accounts VALUES (3, 'ann', NULL)"),
                taken
            );
            assert_eq!(
                error(&db, "UPSERT INTO accounts (id, name) VALUES (3, 'ann')"),
                taken
            );
            assert_eq!(
                error(&db, "UPDATE accounts SET name = 'bob' WHERE id = 1"),
                "constraint: duplicate value ('bob') of (name) in UNIQUE index accounts_name: row \
                 (1) would have it, and row (2) has it"
            );
            // Two rows of one statement.
            assert!(
                error(
                    &db,
                    "INSERT INTO accounts VALUES (3, 'c', NULL), (4, 'c', NULL)"
                )
                .starts_with("constraint: duplicate value ('c') of (name) in UNIQUE index")
            );
            // An expression, and NULL beside it.
            run(
                &db,
                "INSERT INTO accounts VALUES (5, NULL, 'a@X'), (6, NULL, 'A@x')",
            );
            assert_eq!(
                error(
                    &db,
                    "UPSERT INTO accounts VALUES (1, 'ann', 'A@x'), (7, 'ann', 'a@X')"
                ),
                "constraint: duplicate value ('a@x', 'ann') of (lower(mail), name) in UNIQUE index \
                 accounts_mail: row (7) would have it, and row (1) has it"
            );
            // The same row may write its value again, or give it to another.
            run(&db, "UPSERT INTO accounts VALUES (1, 'ann', 'new')");
            run(
                &db,
                "UPDATE accounts SET name = CASE id WHEN 1 THEN 'bob' ELSE 'ann' END WHERE id < 3",
            );
            assert_eq!(
                rows(&db, "SELECT name FROM accounts WHERE id < 3 ORDER BY id"),
                ["bob", "ann"]
            );
            run(&db, "DELETE FROM accounts WHERE id = 1");
            run(&db, "INSERT INTO accounts VALUES (3, 'bob', NULL)");
            for index in ["accounts_name", "accounts_mail"] {
                assert_eq!(rows(&db, &format!("CHECK INDEX {index}")).len(), 0);
            }
        }
    }
}

#[test]
fn nulls_are_no_duplicates() {
    for salt in SALTS {
        let db = accounts(salt, "ASC");
        run(
            &db,
            "INSERT INTO accounts VALUES (3, NULL, NULL), (4, NULL, NULL), (5, NULL, 'x')",
        );
        run(&db, "UPDATE accounts SET name = NULL WHERE id < 3");
        run(&db, "UPDATE accounts SET name = 'ann' WHERE id = 4");
        assert_eq!(
            rows(&db, "SELECT count(*) FROM accounts WHERE name IS NULL"),
            ["4"]
        );
        for index in ["accounts_name", "accounts_mail"] {
            assert_eq!(rows(&db, &format!("CHECK INDEX {index}")).len(), 0);
        }
    }
}

#[test]
fn on_conflict_takes_a_unique_index() {
    for salt in SALTS {
        let db = accounts(salt, "DESC");
        let all = || rows(&db, "SELECT id, name, mail FROM accounts ORDER BY id");
        run(
            &db,
            "INSERT INTO accounts VALUES (9, 'ann', 'new') ON CONFLICT (name) DO NOTHING",
        );
        assert_eq!(all(), ["1|ann|A@x", "2|bob|b@x"]);
        let returned = rows(
            &db,
            "INSERT INTO accounts VALUES (9, 'ann', 'new'), (8, 'cid', 'c') \
             ON CONFLICT (name) DO UPDATE SET mail = excluded.mail || accounts.id RETURNING id, mail",
        );
        assert_eq!(returned, ["1|new1", "8|c"]);
        assert_eq!(all(), ["1|ann|new1", "2|bob|b@x", "8|cid|c"]);
        // The row may get another value, which must be free.
        run(
            &db,
            "INSERT INTO accounts VALUES (9, 'cid', NULL) ON CONFLICT (name) DO UPDATE SET name = 'dora'",
        );
        assert!(error(
            &db,
            "INSERT INTO accounts VALUES (9, 'dora', NULL) ON CONFLICT (name) DO UPDATE SET name = 'ann'",
        )
        .starts_with("constraint: duplicate value ('ann') of (name)"));
        // What is not the target is an error.
        assert_eq!(
            error(
                &db,
                "INSERT INTO accounts VALUES (1, 'new', NULL) ON CONFLICT (name) DO NOTHING"
            ),
            "constraint: duplicate key (1) in accounts"
        );
        assert!(
            error(
                &db,
                "INSERT INTO accounts VALUES (9, 'ann', NULL) ON CONFLICT (id) DO NOTHING"
            )
            .starts_with("constraint: duplicate value ('ann') of (name)")
        );
        // Without a target every one of them counts, also those of the statement itself.
        let inserted = db
            .execute(
                "INSERT INTO accounts VALUES (1, 'e', NULL), (20, 'ann', NULL), (21, 'f', 'z'), \
                 (22, 'f', NULL), (21, 'g', NULL), (23, NULL, NULL) ON CONFLICT DO NOTHING",
                (),
            )
            .unwrap();
        assert_eq!(inserted, 2);
        assert_eq!(
            all(),
            [
                "1|ann|new1",
                "2|bob|b@x",
                "8|dora|c",
                "21|f|z",
                "23|NULL|NULL"
            ]
        );
        assert_eq!(
            error(
                &db,
                "INSERT INTO accounts VALUES (30, 'ann', NULL), (31, 'ann', NULL) \
                 ON CONFLICT (name) DO UPDATE SET mail = 'x'"
            ),
            "constraint: ON CONFLICT DO UPDATE cannot affect row (1) of accounts a second time"
        );
        assert!(
            error(
                &db,
                "INSERT INTO accounts VALUES (1, 'e', NULL) ON CONFLICT (mail) DO NOTHING"
            )
            .starts_with("invalid: ON CONFLICT takes the columns of the primary key")
        );
        for index in ["accounts_name", "accounts_mail"] {
            assert_eq!(rows(&db, &format!("CHECK INDEX {index}")).len(), 0);
        }
    }
}

/// More rows than are latched one by one, and more than are looked up at a time: each takes the value
/// of its neighbour, whose entry goes in the same statement.
#[test]
fn many_rows_change_places() {
    const ROWS: u64 = 12_000;
    for (salt, index_salt) in SALTS {
        let db = after(&[
            &format!("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER){salt}"),
            &format!("CREATE UNIQUE INDEX u ON t (v){index_salt}"),
            &format!(
                "UPSERT INTO t SELECT value, value FROM generate_series(0, {})",
                ROWS - 1
            ),
        ]);
        run(&db, &format!("UPDATE t SET v = (v + 1) % {ROWS}"));
        let sums =
            "SELECT count(DISTINCT v), sum(v), sum(CASE WHEN v = k + 1 THEN 1 ELSE 0 END) FROM t";
        let expected = [format!("{ROWS}|{}|{}", ROWS * (ROWS - 1) / 2, ROWS - 1)];
        assert_eq!(rows(&db, sums), expected);
        assert_eq!(rows(&db, "CHECK INDEX u"), [""; 0]);
        // All but one are free: nothing is written.
        assert_eq!(
            error(&db, "UPDATE t SET v = CASE k WHEN 7 THEN 100 ELSE v END"),
            "constraint: duplicate value (100) of (v) in UNIQUE index u: row (7) would have it, and \
             row (99) has it"
        );
        assert_eq!(rows(&db, sums), expected);
        assert_eq!(rows(&db, "CHECK INDEX u"), [""; 0]);
    }
}

/// Many want a name; one gets it, and the others are told.
#[test]
fn of_writers_that_want_a_value_one_gets_it() {
    for salt in SALTS {
        let db = accounts(salt, "ASC");
        for round in 0..10 {
            let won = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for thread in 0..6 {
                    let (db, won) = (db.clone(), &won);
                    scope.spawn(move || {
                        let id = 1000 + round * 10 + thread;
                        let insert =
                            format!("INSERT INTO accounts VALUES ({id}, 'name {round}', NULL)");
                        match db.execute(&insert, ()) {
                            Ok(_) => won.fetch_add(1, Ordering::Relaxed),
                            Err(error) => {
                                assert_eq!(error.kind(), rocksalt::ErrorKind::Constraint);
                                0
                            }
                        };
                    });
                }
            });
            assert_eq!(won.into_inner(), 1);
        }
        assert_eq!(
            rows(&db, "SELECT count(*), count(DISTINCT name) FROM accounts"),
            ["12|12"]
        );
        assert_eq!(rows(&db, "CHECK INDEX accounts_name").len(), 0);
    }
}

/// Writers of the same few rows leave no entry behind and none out.
#[test]
fn writers_of_the_same_rows_keep_the_index() {
    for salt in SALTS {
        let db = accounts(salt, "ASC");
        run(
            &db,
            "CREATE INDEX accounts_by_mail ON accounts (mail) INCLUDE (name)",
        );
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let db = db.clone();
                scope.spawn(move || {
                    let mut random = super::upkeep::Random(thread);
                    for _ in 0..60 {
                        let (id, name) = (random.below(8), random.below(10));
                        let statement = match random.below(5) {
                            0 => format!("DELETE FROM accounts WHERE id = {id}"),
                            1 => format!("UPDATE accounts SET mail = 'm{name}' WHERE id = {id}"),
                            2 => format!(
                                "INSERT INTO accounts VALUES ({id}, 'n{name}', 'm') \
                                 ON CONFLICT (name) DO UPDATE SET mail = 'c{id}'"
                            ),
                            _ => format!("UPSERT INTO accounts VALUES ({id}, 'n{name}', 'u{id}')"),
                        };
                        if let Err(error) = db.execute(&statement, ()) {
                            assert_eq!(error.kind(), rocksalt::ErrorKind::Constraint, "{error}");
                        }
                    }
                });
            }
        });
        for index in ["accounts_name", "accounts_mail", "accounts_by_mail"] {
            assert_eq!(rows(&db, &format!("CHECK INDEX {index}")), [""; 0]);
        }
    }
}
