//! ON CONFLICT and UPSERT with UNIQUE indexes against a model: rows in a map, each rule applied to
//! one row after the other as PostgreSQL does it.

use std::collections::BTreeMap;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};

use rocksalt::ErrorKind;
use rocksalt::blocking::Database;

use super::upkeep::Random;
use crate::support::{after, rows, run, try_rows};

/// The salting of the table and of its indexes, and the direction of the key and the indexes.
const SHAPES: [(&str, &str, &str); 6] = [
    (" SALT_BUCKETS = 4", " SALT_BUCKETS = 7", "ASC"),
    ("", " SALT_BUCKETS = 16", "DESC"),
    (" SALT_BUCKETS = 3", " SALT_BUCKETS = 0", "ASC"),
    (" SALT_BUCKETS = 256", " SALT_BUCKETS = 1", "DESC"),
    (" SALT_BUCKETS = 1", " SALT_BUCKETS = 256", "ASC"),
    ("", "", "DESC"),
];

fn table((salt, index_salt, direction): (&str, &str, &str)) -> Database {
    after(&[
        &format!(
            "CREATE TABLE t (id INTEGER PRIMARY KEY {direction}, name VARCHAR, a INTEGER, b INTEGER, \
             n INTEGER){salt}"
        ),
        &format!("CREATE UNIQUE INDEX t_name ON t (name {direction}){index_salt}"),
        &format!("CREATE UNIQUE INDEX t_ab ON t (b, a {direction}) INCLUDE (n){index_salt}"),
    ])
}

fn check(db: &Database) {
    for index in ["t_name", "t_ab"] {
        assert_eq!(rows(db, &format!("CHECK INDEX {index}")), [""; 0]);
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    id: i64,
    name: Option<i64>,
    a: Option<i64>,
    b: Option<i64>,
    n: i64,
}

impl Row {
    fn pair(&self) -> Option<(i64, i64)> {
        Some((self.a?, self.b?))
    }

    fn sql(&self) -> String {
        let number = |value: Option<i64>| value.map_or("NULL".to_owned(), |n| n.to_string());
        let name = self.name.map_or("NULL".to_owned(), |n| format!("'n{n}'"));
        let (a, b) = (number(self.a), number(self.b));
        format!("({}, {name}, {a}, {b}, {})", self.id, self.n)
    }

    fn text(&self) -> String {
        self.sql()
            .trim_matches(|c| c == '(' || c == ')')
            .replace(", ", "|")
            .replace('\'', "")
    }
}

type Rows = BTreeMap<i64, Row>;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Target {
    Id,
    Name,
    Pair,
    Any,
}

impl Target {
    fn sql(self) -> &'static str {
        match self {
            Target::Id => "(id) ",
            Target::Name => "(name) ",
            Target::Pair => "(a, b) ",
            Target::Any => "",
        }
    }

    /// The row that is in conflict with a new one.
    fn find(self, rows: &Rows, new: &Row) -> Option<i64> {
        let is = |row: &&Row| match self {
            Target::Id => row.id == new.id,
            Target::Name => new.name.is_some() && row.name == new.name,
            Target::Pair => new.pair().is_some() && row.pair() == new.pair(),
            Target::Any => [Target::Id, Target::Name, Target::Pair]
                .iter()
                .any(|target| target.find(rows, new).is_some()),
        };
        rows.values().find(is).map(|row| row.id)
    }
}

/// What becomes of the row that exists.
#[derive(Debug, Clone, Copy)]
enum Action {
    Nothing,
    /// `n = t.n + excluded.n`
    Count,
    /// The same where `t.n < 20`.
    CountFew,
    /// `name = excluded.name, b = excluded.b`
    Take,
}

impl Action {
    fn sql(self) -> &'static str {
        match self {
            Action::Nothing => "DO NOTHING",
            Action::Count => "DO UPDATE SET n = t.n + excluded.n",
            Action::CountFew => "DO UPDATE SET n = t.n + excluded.n WHERE t.n < 20",
            Action::Take => "DO UPDATE SET name = excluded.name, b = excluded.b",
        }
    }
}

/// Whether two rows agree where they may not.
fn is_broken(rows: &Rows) -> bool {
    let twice = |mut values: Vec<(i64, i64)>| {
        let all = values.len();
        values.sort_unstable();
        values.dedup();
        values.len() < all
    };
    let names = rows.values().filter_map(|row| Some((row.name?, 0)));
    twice(names.collect()) || twice(rows.values().filter_map(Row::pair).collect())
}

/// The rows after an INSERT and those that it wrote, in the order of the statement; nothing if it is
/// refused.
fn insert(rows: &Rows, new: &[Row], target: Target, action: Action) -> Option<(Rows, Vec<i64>)> {
    let (mut rows, mut written) = (rows.clone(), Vec::new());
    for new in new {
        let Some(id) = target.find(&rows, new) else {
            if rows.insert(new.id, new.clone()).is_some() || is_broken(&rows) {
                return None;
            }
            written.push(new.id);
            continue;
        };
        if matches!(action, Action::Nothing) {
            continue;
        }
        if written.contains(&id) {
            return None;
        }
        let row = rows.get_mut(&id)?;
        match action {
            Action::Nothing => {}
            Action::CountFew if row.n >= 20 => continue,
            Action::Count | Action::CountFew => row.n += new.n,
            Action::Take => (row.name, row.b) = (new.name, new.b),
        }
        if is_broken(&rows) {
            return None;
        }
        written.push(id);
    }
    Some((rows, written))
}

fn random_row(random: &mut Random) -> Row {
    let mut below = |n: u64| random.below(n) as i64;
    let mut maybe = |n: u64| Some(below(n + 1)).filter(|value| *value < n as i64);
    Row {
        name: maybe(9),
        a: maybe(3),
        b: maybe(4),
        id: below(12),
        n: below(9) + 1,
    }
}

#[test]
fn a_model_does_the_same() {
    for (number, shape) in SHAPES.into_iter().enumerate() {
        let db = table(shape);
        let mut random = Random(number as u64 * 31 + 5);
        let mut model = Rows::new();
        let (mut done, mut refused) = (0, 0);
        for step in 0..250 {
            let count = 1 + random.below(3);
            let new: Vec<Row> = (0..count).map(|_| random_row(&mut random)).collect();
            let values: Vec<String> = new.iter().map(Row::sql).collect();
            let values = values.join(", ");
            let (sql, expected) = match random.below(8) {
                0 => {
                    let mut rows = model.clone();
                    rows.extend(new.iter().map(|row| (row.id, row.clone())));
                    let mut written: Vec<i64> = Vec::new();
                    for row in &new {
                        if !written.contains(&row.id) {
                            written.push(row.id);
                        }
                    }
                    let expected = (!is_broken(&rows)).then_some((rows, written));
                    (format!("UPSERT INTO t VALUES {values}"), expected)
                }
                1 => {
                    let id = random.below(12) as i64;
                    let (mut rows, mut written) = (model.clone(), Vec::new());
                    if rows.remove(&id).is_some() {
                        written.push(id);
                    }
                    // What it returns is the row as it was.
                    let sql = format!("DELETE FROM t WHERE id = {id}");
                    assert_eq!(
                        try_rows(&db, &format!("{sql} RETURNING *")).unwrap(),
                        model
                            .get(&id)
                            .map(Row::text)
                            .into_iter()
                            .collect::<Vec<_>>()
                    );
                    model = rows;
                    continue;
                }
                choice => {
                    let targets = [Target::Id, Target::Name, Target::Pair, Target::Any];
                    let target = targets[random.below(4) as usize];
                    let action = match choice {
                        _ if target == Target::Any => Action::Nothing,
                        2 => Action::Nothing,
                        3..5 => Action::Count,
                        5 => Action::CountFew,
                        // What one row gives up another of the same statement may take.
                        _ if new.len() == 1 => Action::Take,
                        _ => Action::Count,
                    };
                    let clause = format!("ON CONFLICT {}{}", target.sql(), action.sql());
                    let sql = format!("INSERT INTO t VALUES {values} {clause}");
                    (sql, insert(&model, &new, target, action))
                }
            };
            let got = try_rows(&db, &format!("{sql} RETURNING *"));
            match (got, expected) {
                (Ok(returned), Some((rows, written))) => {
                    let written: Vec<String> = written.iter().map(|id| rows[id].text()).collect();
                    assert_eq!(returned, written, "{sql}\nof {model:#?}");
                    model = rows;
                    done += 1;
                }
                (Err(error), None) => {
                    assert_eq!(error.kind(), ErrorKind::Constraint, "{sql}: {error}");
                    refused += 1;
                }
                (got, expected) => panic!("{sql}\n{got:?}\n{expected:?}\nof {model:#?}"),
            }
            let all: Vec<String> = model.values().map(Row::text).collect();
            assert_eq!(rows(&db, "SELECT * FROM t ORDER BY id"), all, "{sql}");
            if step % 25 == 0 {
                check(&db);
            }
        }
        check(&db);
        assert!(done > 50 && refused > 20, "{done} {refused}");
    }
}

/// Counters that are found by their names count every statement, also while the rows come and go.
#[test]
fn counters_by_name_count_all() {
    for shape in SHAPES {
        let db = table(shape);
        let next = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for thread in 0..8_u64 {
                let (db, next) = (db.clone(), &next);
                scope.spawn(move || {
                    let mut random = Random(thread);
                    for _ in 0..40 {
                        let id = next.fetch_add(1, Ordering::Relaxed);
                        let name = random.below(3);
                        let sql = format!(
                            "INSERT INTO t VALUES ({id}, 'n{name}', NULL, NULL, 1) \
                             ON CONFLICT (name) DO UPDATE SET n = t.n + excluded.n"
                        );
                        db.execute(&sql, ()).unwrap();
                    }
                });
            }
        });
        assert_eq!(
            rows(&db, "SELECT count(*), count(DISTINCT name), sum(n) FROM t"),
            ["3|3|320"]
        );
        check(&db);
    }
}

/// Eight threads, each in rows of its own, want the same new value at the same time: nothing but the
/// value keeps them apart. Rows stay, so that a value that two of them got is seen at the end.
#[test]
fn eight_threads_want_the_same_values() {
    const ROUNDS: u64 = 60;
    for shape in SHAPES {
        let db = table(shape);
        let (start, won) = (Barrier::new(8), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for thread in 0..8_u64 {
                let (db, start, won) = (db.clone(), &start, &won);
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        let id = thread * ROUNDS + round;
                        // Each of them another way to the value.
                        let sql = match (thread + round) % 4 {
                            0 => format!("UPSERT INTO t VALUES ({id}, 'n{round}', {round}, 0, 0)"),
                            1 => format!("INSERT INTO t VALUES ({id}, 'n{round}', NULL, NULL, 0)"),
                            2 => format!(
                                "INSERT INTO t VALUES ({id}, NULL, {round}, 0, 0), \
                                 ({id} + 10000, 'n{round}', NULL, 0, 0)"
                            ),
                            _ => format!("UPSERT INTO t (id, name) VALUES ({id}, 'n{round}')"),
                        };
                        start.wait();
                        match db.execute(&sql, ()) {
                            Ok(_) => {
                                won.fetch_add(1, Ordering::Relaxed);
                            }
                            Err(error) => {
                                assert_eq!(error.kind(), ErrorKind::Constraint, "{sql}: {error}");
                            }
                        }
                    }
                });
            }
        });
        assert_eq!(
            rows(&db, "SELECT count(name), count(DISTINCT name) FROM t"),
            [format!("{ROUNDS}|{ROUNDS}")]
        );
        assert_eq!(won.into_inner(), ROUNDS);
        check(&db);
    }
}

/// Eight threads write, move and delete the same few rows, and find them by values that others take
/// away meanwhile: no entry stays behind its row, and no row without one.
#[test]
fn eight_threads_share_a_few_rows() {
    for shape in SHAPES {
        let db = table(shape);
        std::thread::scope(|scope| {
            for thread in 0..8_u64 {
                let db = db.clone();
                scope.spawn(move || {
                    let mut random = Random(thread + 100);
                    for _ in 0..80 {
                        let (id, name) = (random.below(6), random.below(6));
                        let values = format!("({id}, 'n{name}', {thread}, {name}, 1)");
                        let sql = match random.below(10) {
                            0 => format!("DELETE FROM t WHERE id = {id}"),
                            1 => format!("DELETE FROM t WHERE name = 'n{name}'"),
                            2 => format!("UPDATE t SET id = id + 6 WHERE id = {id}"),
                            3 => {
                                format!("UPDATE t SET name = 'n{name}', b = b + 1 WHERE id = {id}")
                            }
                            4..7 => format!(
                                "INSERT INTO t VALUES {values} \
                                 ON CONFLICT (name) DO UPDATE SET a = excluded.a, n = t.n + 1"
                            ),
                            7 => format!("INSERT INTO t VALUES {values} ON CONFLICT DO NOTHING"),
                            _ => format!("UPSERT INTO t VALUES {values}"),
                        };
                        if let Err(error) = db.execute(&sql, ()) {
                            assert_eq!(error.kind(), ErrorKind::Constraint, "{sql}: {error}");
                        }
                    }
                });
            }
        });
        check(&db);
        assert_eq!(
            rows(
                &db,
                "SELECT count(name) - count(DISTINCT name) FROM t \
                 UNION ALL SELECT count(*) FROM (SELECT a, b FROM t WHERE a IS NOT NULL AND b IS NOT \
                 NULL GROUP BY a, b HAVING count(*) > 1) AS twice"
            ),
            ["0", "0"]
        );
    }
}

/// Which row is meant follows from the target, not from what else the rows share.
#[test]
fn the_target_says_which_row_is_meant() {
    for shape in SHAPES {
        let db = table(shape);
        run(
            &db,
            "INSERT INTO t VALUES (1, 'n1', 1, 1, 0), (2, 'n2', 2, 2, 0)",
        );
        // One row by its key, another by its name.
        let both = "INSERT INTO t VALUES (1, 'n2', NULL, NULL, 5)";
        let count = "DO UPDATE SET n = t.n + excluded.n RETURNING id, name, n";
        assert_eq!(
            rows(&db, &format!("{both} ON CONFLICT (id) {count}")),
            ["1|n1|5"]
        );
        assert_eq!(
            rows(&db, &format!("{both} ON CONFLICT (name) {count}")),
            ["2|n2|5"]
        );
        // In any order, and of an index that has them in another.
        let pair = "INSERT INTO t VALUES (3, NULL, 2, 2, 1)";
        assert_eq!(
            rows(&db, &format!("{pair} ON CONFLICT (a, b) {count}")),
            ["2|n2|6"]
        );
        assert_eq!(
            rows(&db, &format!("{pair} ON CONFLICT (b, a) {count}")),
            ["2|n2|7"]
        );
        // A row moves in the table and is found again by its name.
        run(&db, "UPDATE t SET id = 40 WHERE id = 2");
        assert_eq!(
            rows(&db, &format!("{both} ON CONFLICT (name) {count}")),
            ["40|n2|12"]
        );
        // ON DUPLICATE KEY means the key alone.
        let error = db
            .execute(
                "UPSERT INTO t VALUES (3, 'n1', NULL, NULL, 0) ON DUPLICATE KEY IGNORE",
                (),
            )
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Constraint);
        run(
            &db,
            "UPSERT INTO t VALUES (1, 'n2', NULL, NULL, 0) ON DUPLICATE KEY IGNORE",
        );
        check(&db);
    }
}
