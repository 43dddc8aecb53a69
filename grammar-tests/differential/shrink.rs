//! From a failing case to a smaller one that fails, too: one thing after the other is left out, as
//! long as the failure stays.

use super::check::check;
use super::predicate::without_one;
use super::query::Query;
use super::schema::Table;
use super::world::World;

/// How many smaller cases are tried at most.
const TRIES: usize = 1_500;

/// A case that fails, and how.
pub struct Failing {
    pub tables: Vec<Table>,
    pub query: Query,
    pub what: String,
    tries: usize,
}

/// Makes a failing case as small as it gets.
pub fn shrink(tables: Vec<Table>, query: Query, what: String) -> Failing {
    let mut case = Failing {
        tables,
        query,
        what,
        tries: TRIES,
    };
    loop {
        // Fewer rows make every later try faster.
        let smaller = case.shrink_rows() | case.shrink_query() | case.shrink_tables();
        if !smaller || case.tries == 0 {
            return case;
        }
    }
}

impl Failing {
    /// Takes a case over if it fails.
    fn take(&mut self, tables: Vec<Table>, query: &Query) -> bool {
        let Some(left) = self.tries.checked_sub(1) else {
            return false;
        };
        self.tries = left;
        let Ok(world) = World::new(tables) else {
            return false;
        };
        match check(&world, query, true) {
            Ok(_) => false,
            Err(what) => {
                self.tables = world.tables;
                self.query = query.clone();
                self.what = what;
                true
            }
        }
    }

    fn shrink_query(&mut self) -> bool {
        let mut any = false;
        'again: loop {
            let Ok(world) = World::new(self.tables.clone()) else {
                return any;
            };
            for query in self.query.smaller() {
                let Some(left) = self.tries.checked_sub(1) else {
                    return any;
                };
                self.tries = left;
                if let Err(what) = check(&world, &query, true) {
                    self.query = query;
                    self.what = what;
                    any = true;
                    continue 'again;
                }
            }
            return any;
        }
    }

    /// Leaves out halves of the rows, quarters, and so on to single ones.
    fn shrink_rows(&mut self) -> bool {
        let mut any = false;
        for table in 0..self.tables.len() {
            let mut size = self.tables[table].rows.len().div_ceil(2);
            while size > 0 {
                let mut at = 0;
                while at < self.tables[table].rows.len() {
                    let mut tables = self.tables.clone();
                    let end = (at + size).min(tables[table].rows.len());
                    tables[table].rows.drain(at..end);
                    if self.take(tables, &self.query.clone()) {
                        any = true;
                    } else {
                        at += size;
                    }
                }
                size /= 2;
            }
        }
        any
    }

    fn shrink_tables(&mut self) -> bool {
        let query = self.query.clone();
        let mut any = false;
        if self.tables.len() > 1 && query.reads_one_table() {
            any |= self.take(self.tables[..1].to_vec(), &query);
        }
        for table in 0..self.tables.len() {
            let now = &self.tables[table];
            let mut smaller: Vec<Table> = Vec::new();
            for buckets in [1, 2, 3].into_iter().filter(|b| *b < now.buckets) {
                smaller.push(Table {
                    buckets,
                    ..now.clone()
                });
            }
            if now.salt_columns.is_some() {
                smaller.push(Table {
                    salt_columns: None,
                    ..now.clone()
                });
            }
            // A query that names the column is refused everywhere alike, which is no failure.
            smaller.extend(
                (now.keys..now.columns.len())
                    .rev()
                    .map(|at| without(now, at)),
            );
            for at in 0..now.keys {
                let mut plain = now.clone();
                plain.columns[at].descending = false;
                if now.columns[at].descending {
                    smaller.push(plain);
                }
            }
            for other in smaller {
                let mut tables = self.tables.clone();
                tables[table] = other;
                if self.take(tables, &query) {
                    any = true;
                    break;
                }
            }
        }
        any
    }
}

/// The table without a column that is not in its key.
fn without(table: &Table, column: usize) -> Table {
    let mut table = table.clone();
    table.columns.remove(column);
    for row in &mut table.rows {
        row.remove(column);
    }
    table.declared.retain(|at| *at != column);
    for at in &mut table.declared {
        if *at > column {
            *at -= 1;
        }
    }
    table
}

#[test]
fn lists_get_shorter() {
    let shorter: Vec<Vec<i32>> = without_one(&[1, 2, 3]).collect();
    assert_eq!(shorter, [[2, 3], [1, 3], [1, 2]]);
}
