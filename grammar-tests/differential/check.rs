//! One query, asked everywhere.

use rocksalt::blocking::Statement;
use rocksalt::{ErrorKind, ScanKind};

use super::answer::{self, Row};
use super::constant::{Constant, Form};
use super::predicate::Pred;
use super::query::{Order, OrderBy, Query, Select};
use super::sql::{self, Sql, Target};
use super::world::{Failure, World, collect, parameters};

/// What a query that was answered alike did, so that a run can tell what it has tested.
#[derive(Debug, Default)]
pub struct Done {
    pub rows: usize,
    /// Whether it ended in the same error everywhere.
    pub failed: bool,
    /// Whether SQLite was asked.
    pub shared: bool,
    /// Whether its plan was looked at.
    pub explained: bool,
    pub scans: Vec<ScanKind>,
    /// Whether a scan was in key order.
    pub ordered: bool,
    pub pages: usize,
}

/// Asks a query of the salted tables, of their twins, and of whoever else understands it; with
/// parameters twice. An error says who answered what.
///
/// Its plan is looked at, too, if `explain` says so: that takes a third of the time.
pub fn check(world: &World, query: &Query, explain: bool) -> Result<Done, String> {
    let mut done = Done::default();
    let text = |target| sql::write(&world.tables, query, target, 0);
    let salted = text(Target::Salted);
    let executions = if salted.params.is_empty() { 1 } else { 2 };
    let prepare = |sql: &Sql| world.prepare(&sql.text);
    let prepared = (executions > 1 || explain).then(|| prepare(&salted));
    if let (true, Some(Ok(statement))) = (explain, &prepared) {
        scans(statement, &mut done, &salted)?;
    }
    let prepared = prepared.zip((executions > 1).then(|| prepare(&text(Target::Unsalted))));
    for execution in 0..executions {
        let write = |query: &Query, target| sql::write(&world.tables, query, target, execution);
        let (on_salted, on_twin) = (write(query, Target::Salted), write(query, Target::Unsalted));
        let (from_salted, from_twin) = match &prepared {
            Some((salted, twin)) => (execute(salted, &on_salted), execute(twin, &on_twin)),
            None => (world.ask(&on_salted), world.ask(&on_twin)),
        };
        let fenced = write(&query.whole(), Target::Fenced);
        let reference = world.ask(&fenced);
        let about = |who: &str, sql: &Sql, what: String| {
            format!("{who}: {what}\n{}\nparameters {:?}", sql.text, sql.params)
        };
        for (who, sql, answer) in [
            ("salted", &on_salted, &from_salted),
            ("unsalted", &on_twin, &from_twin),
            ("fenced", &fenced, &reference),
        ] {
            if let Err(failure) = answer
                && failure.kind == ErrorKind::Internal
            {
                return Err(about(who, sql, failure.text.clone()));
            }
        }
        let whole = match (&reference, &from_salted, &from_twin) {
            (Ok(whole), Ok(_), Ok(_)) => whole,
            (Err(r), Err(s), Err(u)) if r.kind == s.kind && s.kind == u.kind => {
                eprintln!("FAILED {} | {}", s.text, on_salted.text);
                done.failed = true;
                continue;
            }
            // A row that fails may be one that LIMIT does not reach.
            (Err(_), Ok(s), Ok(u)) if query.limit.is_some() && s.len() == u.len() => {
                done.failed = true;
                continue;
            }
            _ => {
                let say = |answer: &Result<Vec<Row>, Failure>| match answer {
                    Ok(rows) => format!("{} rows", rows.len()),
                    Err(failure) => failure.text.clone(),
                };
                let said = format!(
                    "salted: {}\nunsalted: {}\nfenced: {}",
                    say(&from_salted),
                    say(&from_twin),
                    say(&reference)
                );
                return Err(about("an error", &on_salted, said));
            }
        };
        done.rows += query.window(whole.len()).len();
        for (who, sql, answer) in [
            ("salted", &on_salted, &from_salted),
            ("unsalted", &on_twin, &from_twin),
        ] {
            if let Some(what) = answer
                .as_ref()
                .ok()
                .and_then(|rows| answer::difference(query, whole, rows))
            {
                return Err(about(who, sql, what));
            }
        }
        let in_sqlite = write(query, Target::Sqlite);
        if world.is_shared() && in_sqlite.shared {
            done.shared = true;
            let rows = world
                .ask_sqlite(&in_sqlite)
                .map_err(|error| about("SQLite", &in_sqlite, error))?;
            if let Some(what) = answer::difference(query, whole, &rows) {
                let what = format!("{what}\nSQLite was asked {:?}", in_sqlite.sqlite_params);
                return Err(about("SQLite", &fenced, what) + "\n" + &in_sqlite.text);
            }
        }
        limits(world, query, execution, whole).map_err(|what| about("salted", &on_salted, what))?;
        pages(world, query, execution, whole, &mut done)
            .map_err(|what| about("pages", &on_salted, what))?;
    }
    Ok(done)
}

fn execute(statement: &Result<Statement, Failure>, sql: &Sql) -> Result<Vec<Row>, Failure> {
    match statement {
        Ok(statement) => collect(statement.query(parameters(&sql.params))?),
        Err(failure) => Err(failure.clone()),
    }
}

fn scans(statement: &Statement, done: &mut Done, sql: &Sql) -> Result<(), String> {
    let plan = statement
        .explain()
        .map_err(|error| format!("EXPLAIN: {error}\n{}", sql.text))?;
    done.explained = true;
    done.scans = plan.scans().iter().map(|scan| scan.kind).collect();
    done.ordered = plan.scans().iter().any(|scan| scan.ordered);
    Ok(())
}

/// An ordered query with a LIMIT of some small n is tried with every n up to one past its rows.
fn limits(world: &World, query: &Query, execution: usize, whole: &[Row]) -> Result<(), String> {
    if query.limit != Some(3) || query.order.is_empty() || whole.len() > 12 {
        return Ok(());
    }
    for limit in 1..=whole.len() + 1 {
        let query = Query {
            limit: Some(limit),
            offset: None,
            ..query.clone()
        };
        let sql = sql::write(&world.tables, &query, Target::Salted, execution);
        let rows = world.ask(&sql).map_err(|failure| failure.text)?;
        if let Some(what) = answer::difference(&query, whole, &rows) {
            return Err(format!("LIMIT {limit}: {what}"));
        }
    }
    Ok(())
}

/// Pages, each of which begins after the last key of the one before it, are the whole answer.
fn pages(
    world: &World,
    query: &Query,
    execution: usize,
    whole: &[Row],
    done: &mut Done,
) -> Result<(), String> {
    let (Some(size), Select::Columns(columns)) = (query.page, &query.select) else {
        return Ok(());
    };
    let keys: Vec<_> = query
        .order
        .iter()
        .filter_map(|Order { by, .. }| match by {
            OrderBy::Column(col) => Some(col.clone()),
            OrderBy::Output(_) => None,
        })
        .collect();
    debug_assert!(keys.iter().zip(columns).all(|(key, col)| key.is(col)));
    let after = if query.order.iter().all(|order| order.descending) {
        "<"
    } else {
        ">"
    };
    let mut read: Vec<Row> = Vec::new();
    loop {
        let mut page = Query {
            limit: Some(size),
            offset: None,
            ..query.clone()
        };
        if let Some(last) = read.last() {
            let row = keys
                .iter()
                .zip(last)
                .map(|(key, cell)| {
                    let value = answer::value(key.column.sql_type, cell)?;
                    let form = Form::Param(value.clone());
                    Some(Constant { value, form })
                })
                .collect::<Option<Vec<_>>>()
                .ok_or("a key that is no value of its column")?;
            let from = match &keys[..] {
                [key] => Pred::Compare(key.clone(), after, row[0].clone(), false),
                _ => Pred::Row(keys.clone(), after, row),
            };
            let filter = query.filter.clone();
            page.filter = Some(Pred::And(filter.into_iter().chain([from]).collect()));
        }
        let sql = sql::write(&world.tables, &page, Target::Salted, execution);
        let rows = world.ask(&sql).map_err(|failure| failure.text)?;
        done.pages += 1;
        let end = rows.len() < size;
        read.extend(rows);
        if end || read.len() > whole.len() {
            break;
        }
    }
    answer::difference(query, whole, &read).map_or(Ok(()), Err)
}
