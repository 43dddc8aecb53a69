//! The same changes and writes in SQLite leave the same rows.

use proptest::prelude::*;
use rocksalt::blocking::Database;
use rusqlite::Connection;

use crate::support::{DIRECTIONS, SALTS, memory, rows, rows_of_sqlite, run};

/// One statement; a number chooses among the columns or names that there are then.
#[derive(Debug, Clone)]
enum Step {
    Add {
        name: usize,
        text: bool,
        default: Option<u8>,
    },
    Drop(usize),
    Rename(usize, usize),
    RenameTable,
    /// Of the columns those whose bit is set are given.
    Upsert {
        key: u8,
        given: u8,
        value: u8,
    },
    Update {
        column: usize,
        below: u8,
        value: u8,
    },
    Delete(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let number = 0_usize..5;
    prop_oneof![
        2 => (number.clone(), any::<bool>(), any::<Option<u8>>())
            .prop_map(|(name, text, default)| Step::Add { name, text, default }),
        1 => number.clone().prop_map(Step::Drop),
        1 => (number.clone(), number.clone()).prop_map(|(a, b)| Step::Rename(a, b)),
        1 => Just(Step::RenameTable),
        4 => (0_u8..6, any::<u8>(), any::<u8>())
            .prop_map(|(key, given, value)| Step::Upsert { key, given, value }),
        1 => (number, 0_u8..6, any::<u8>())
            .prop_map(|(column, below, value)| Step::Update { column, below, value }),
        1 => (0_u8..6).prop_map(Step::Delete),
    ]
}

/// The table as it is now.
struct Table {
    number: usize,
    columns: Vec<(String, bool)>,
}

impl Table {
    fn free_name(&self, from: usize) -> Option<String> {
        let names = ["a", "b", "c", "d", "e"];
        let names = names.iter().cycle().skip(from).take(names.len());
        let free = |name: &&&str| !self.columns.iter().any(|(used, _)| used == **name);
        names.clone().find(free).map(|name| (*name).to_owned())
    }

    /// The statement in rocksalt and in SQLite, if the step makes sense now.
    fn apply(&mut self, step: &Step) -> Option<(String, String)> {
        let table = format!("t{}", self.number);
        let literal = |value: u8, text: bool| match text {
            true => format!("'{value}'"),
            false => value.to_string(),
        };
        let at = |i: &usize| (!self.columns.is_empty()).then(|| i % self.columns.len());
        let same = |sql: String| Some((sql.clone(), sql));
        match step {
            Step::Add {
                name,
                text,
                default,
            } => {
                let name = self.free_name(*name)?;
                let sql_type = if *text { "VARCHAR" } else { "BIGINT" };
                let default = default
                    .map(|value| format!(" DEFAULT {}", literal(value, *text)))
                    .unwrap_or_default();
                let sql = format!("ALTER TABLE {table} ADD COLUMN {name} {sql_type}{default}");
                self.columns.push((name, *text));
                same(sql)
            }
            Step::Drop(column) => {
                let (name, _) = self.columns.remove(at(column)?);
                same(format!("ALTER TABLE {table} DROP COLUMN {name}"))
            }
            Step::Rename(column, to) => {
                let column = at(column)?;
                let to = self.free_name(*to)?;
                let from = std::mem::replace(&mut self.columns[column].0, to.clone());
                same(format!("ALTER TABLE {table} RENAME COLUMN {from} TO {to}"))
            }
            Step::RenameTable => {
                self.number += 1;
                same(format!("ALTER TABLE {table} RENAME TO t{}", self.number))
            }
            Step::Upsert { key, given, value } => {
                let given: Vec<&(String, bool)> = self
                    .columns
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| given & (1 << i) != 0)
                    .map(|(_, column)| column)
                    .collect();
                let names: String = given.iter().map(|(name, _)| format!(", {name}")).collect();
                let values: String = given
                    .iter()
                    .map(|(_, text)| format!(", {}", literal(*value, *text)))
                    .collect();
                let into = format!("INTO {table} (k{names}) VALUES ({key}{values})");
                let set: Vec<String> = given
                    .iter()
                    .map(|(name, _)| format!("{name} = excluded.{name}"))
                    .collect();
                let on_conflict = match set.as_slice() {
                    [] => "NOTHING".to_owned(),
                    set => format!("UPDATE SET {}", set.join(", ")),
                };
                Some((
                    format!("UPSERT {into}"),
                    format!("INSERT {into} ON CONFLICT (k) DO {on_conflict}"),
                ))
            }
            Step::Update {
                column,
                below,
                value,
            } => {
                let (name, text) = &self.columns[at(column)?];
                let value = literal(*value, *text);
                same(format!(
                    "UPDATE {table} SET {name} = {value} WHERE k < {below}"
                ))
            }
            Step::Delete(key) => same(format!("DELETE FROM {table} WHERE k = {key}")),
        }
    }
}

fn check(db: &Database, steps: &[Step]) {
    let twin = Connection::open_in_memory().unwrap();
    twin.execute("CREATE TABLE t0 (k INTEGER PRIMARY KEY)", ())
        .unwrap();
    let mut table = Table {
        number: 0,
        columns: Vec::new(),
    };
    for step in steps {
        let Some((ours, theirs)) = table.apply(step) else {
            continue;
        };
        run(db, &ours);
        twin.execute_batch(&theirs).unwrap();
        let all = format!("SELECT * FROM t{} ORDER BY k", table.number);
        assert_eq!(rows(db, &all), rows_of_sqlite(&twin, &all), "after {ours}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn sqlite_has_the_same_rows(
        steps in proptest::collection::vec(step(), 1..30),
        salt in 0..SALTS.len(),
        direction in 0..DIRECTIONS.len(),
    ) {
        let db = memory();
        let (salt, direction) = (SALTS[salt], DIRECTIONS[direction]);
        run(&db, &format!("CREATE TABLE t0 (k INTEGER, PRIMARY KEY (k {direction})){salt}"));
        check(&db, &steps);
    }
}
