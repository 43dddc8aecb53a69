//! A process that is killed while it writes an indexed table and makes indexes of it: what it
//! acknowledged is there, and every index is whole or none. (This shows that commits are atomic and
//! in the log. That they are synced is shown where the log is written: in the tests of the store.)

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rocksalt::blocking::Database;

use super::raw;
use super::upkeep::Random;
use crate::support::{rows, run};

/// How often the process is killed; more with the environment variable `ROCKSALT_KILLS`.
const KILLS: u64 = 10;

/// Threads that write, each its own rows.
const THREADS: u64 = 3;
/// Rows that nobody changes, so that a build takes a while.
const OTHERS: u64 = 4000;

const FOLDER: &str = "ROCKSALT_CRASH_FOLDER";
const TURN: &str = "ROCKSALT_CRASH_TURN";
const FROM: &str = "ROCKSALT_CRASH_FROM";

/// Indexes that are there from the start.
const LASTING: [&str; 3] = [
    "INDEX i ON t (v DESC, n) SALT_BUCKETS = 7",
    "INDEX p ON t (n) INCLUDE (v) WHERE v < 50",
    "UNIQUE INDEX u ON t (u) SALT_BUCKETS = 3",
];

/// What is done with indexes meanwhile, again and again: `c` and `d` come and go.
const CHANGES: [&str; 8] = [
    "CREATE INDEX IF NOT EXISTS c ON t (n, v) INCLUDE (u)",
    "REINDEX i",
    "CREATE UNIQUE INDEX IF NOT EXISTS d ON t (u, v) SALT_BUCKETS = 0",
    "REINDEX u",
    "DROP INDEX IF EXISTS c",
    "CREATE INDEX IF NOT EXISTS c ON t ((v % 7), n)",
    "REINDEX p",
    "DROP INDEX IF EXISTS d",
];

/// A row besides its key.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    v: u64,
    n: String,
    u: Option<String>,
}

type Rows = BTreeMap<u64, Row>;

/// What a thread does to its rows.
enum Write {
    Upsert(Vec<(u64, Row)>),
    /// `v = v + 1, n = n || 'x'`.
    Change(u64),
    /// Another value of a UNIQUE index.
    Rename(u64, String),
    Delete([u64; 2]),
}

/// The write of that number of a thread: the same in the process that is killed and in the one
/// that looks afterwards.
fn write(thread: u64, number: u64) -> Write {
    let mut random = Random(thread * 1_000_003 + number * 7919);
    for _ in 0..4 {
        random.below(2);
    }
    let key = |random: &mut Random| thread + THREADS * random.below(150);
    let u = |random: &mut Random| format!("u{thread}-{}", random.below(200));
    match random.below(8) {
        0 | 1 => Write::Change(key(&mut random)),
        2 => Write::Rename(key(&mut random), u(&mut random)),
        3 => Write::Delete([key(&mut random), key(&mut random)]),
        _ => {
            let mut rows = Rows::new();
            for _ in 0..=random.below(3) {
                let row = Row {
                    v: random.below(100),
                    n: format!("n{}", random.below(20)),
                    u: (random.below(4) > 0).then(|| u(&mut random)),
                };
                rows.insert(key(&mut random), row);
            }
            Write::Upsert(rows.into_iter().collect())
        }
    }
}

fn sql(write: &Write) -> String {
    match write {
        Write::Upsert(rows) => {
            let rows = rows.iter().map(|(k, row)| match &row.u {
                Some(u) => format!("({k}, {}, '{}', '{u}')", row.v, row.n),
                None => format!("({k}, {}, '{}', NULL)", row.v, row.n),
            });
            let rows: Vec<String> = rows.collect();
            format!("UPSERT INTO t VALUES {}", rows.join(", "))
        }
        Write::Change(k) => format!("UPDATE t SET v = v + 1, n = n || 'x' WHERE k = {k}"),
        Write::Rename(k, u) => format!("UPDATE t SET u = '{u}' WHERE k = {k}"),
        Write::Delete([a, b]) => format!("DELETE FROM t WHERE k = {a} OR k = {b}"),
    }
}

/// Does a write to the rows, or nothing if a value of `u` would stand twice; returns whether it did.
fn apply(write: &Write, rows: &mut Rows) -> bool {
    let mut new = rows.clone();
    match write {
        Write::Upsert(all) => new.extend(all.iter().cloned()),
        Write::Change(k) => {
            if let Some(row) = new.get_mut(k) {
                row.v += 1;
                row.n.push('x');
            }
        }
        Write::Rename(k, u) => {
            if let Some(row) = new.get_mut(k) {
                row.u = Some(u.clone());
            }
        }
        Write::Delete(keys) => new.retain(|k, _| !keys.contains(k)),
    }
    let values: Vec<&String> = new.values().filter_map(|row| row.u.as_ref()).collect();
    let is_unique = values.iter().collect::<BTreeSet<_>>().len() == values.len();
    if is_unique {
        *rows = new;
    }
    is_unique
}

#[test]
#[ignore = "the process that is killed, which the other test starts"]
fn killed() {
    let Ok(path) = std::env::var(FOLDER) else {
        return;
    };
    let number = |text: &str| text.parse::<u64>().unwrap();
    let turn = number(&std::env::var(TURN).unwrap());
    let from = std::env::var(FROM).unwrap();
    let from: Vec<u64> = from.split(',').map(number).collect();
    let db = Database::open(&path).unwrap();
    println!("\nopen");
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (db, first) = (db.clone(), from[thread as usize]);
            scope.spawn(move || {
                for number in first.. {
                    let written = match db.execute(&sql(&write(thread, number)), ()) {
                        Ok(_) => true,
                        Err(error) => {
                            assert_eq!(error.kind(), rocksalt::ErrorKind::Constraint, "{error}");
                            false
                        }
                    };
                    println!("write {thread} {number} {written}");
                }
            });
        }
        for change in (turn as usize..).map(|at| at % CHANGES.len()) {
            println!("begin {change}");
            run(&db, CHANGES[change]);
            println!("done {change}");
        }
    });
}

/// What the killed process said.
#[derive(Default)]
struct Said {
    /// Of each thread, whether its writes were done, or refused.
    writes: [Vec<bool>; THREADS as usize],
    /// The change of an index that was begun last, and whether it ended.
    change: Option<(usize, bool)>,
    changes: usize,
    /// Whether `c` and `d` are to be there; `None` if one cannot know.
    there: BTreeMap<&'static str, Option<bool>>,
}

impl Said {
    fn hear(&mut self, line: &str, from: &[u64]) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<usize>().unwrap();
        match words[0] {
            "write" => {
                let writes = &mut self.writes[number(1)];
                assert_eq!(number(2), from[number(1)] as usize + writes.len());
                writes.push(words[3].parse().unwrap());
            }
            word @ ("begin" | "done") => {
                let change = number(1);
                self.change = Some((change, word == "done"));
                self.changes += usize::from(word == "done");
                let is = |of: &str| CHANGES[change].contains(of);
                let made = is("CREATE");
                for name in ["c", "d"] {
                    if is(&format!("EXISTS {name}")) {
                        self.there.insert(name, (word == "done").then_some(made));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Starts the process, kills it after a while, and returns what it said.
fn run_and_kill(path: &Path, turn: u64, from: &[u64], after: Duration) -> Said {
    let from_text: Vec<String> = from.iter().map(u64::to_string).collect();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "indexes::crash::killed",
            "--ignored",
            "--nocapture",
        ])
        .env(FOLDER, path)
        .env(TURN, turn.to_string())
        .env(FROM, from_text.join(","))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let opened = lines.by_ref().any(|line| line.unwrap() == "open");
    if !opened {
        let output = child.wait_with_output().unwrap();
        panic!("{}", String::from_utf8_lossy(&output.stderr));
    }
    // Reads on, so that a full pipe holds nobody up.
    let reader = std::thread::spawn(move || {
        let mut heard = Vec::new();
        for line in lines {
            heard.push(line.unwrap());
        }
        heard
    });
    std::thread::sleep(after);
    assert_eq!(
        child.try_wait().unwrap(),
        None,
        "it ends only by being killed"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    let mut heard = reader.join().unwrap();
    let mut said = Said::default();
    // A line that was cut off acknowledges nothing.
    let whole = |line: &String| {
        line.split(' ').count() != 4 || line.ends_with(" true") || line.ends_with(" false")
    };
    if heard.last().is_some_and(|line| !whole(line)) {
        heard.pop();
    }
    heard.iter().for_each(|line| said.hear(line, from));
    said
}

fn stored(db: &Database) -> Rows {
    let parse = |line: String| {
        let cells: Vec<&str> = line.split('|').collect();
        let row = Row {
            v: cells[1].parse().unwrap(),
            n: cells[2].to_owned(),
            u: (cells[3] != "NULL").then(|| cells[3].to_owned()),
        };
        (cells[0].parse().unwrap(), row)
    };
    let all = rows(db, "SELECT k, v, n, u FROM t WHERE k >= 0");
    all.into_iter().map(parse).collect()
}

#[test]
fn an_index_is_whole_or_none_and_what_was_acknowledged_is_there() {
    let kills = std::env::var("ROCKSALT_KILLS").map_or(KILLS, |n| n.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    {
        let db = Database::open(path).unwrap();
        run(
            &db,
            "CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT, n VARCHAR, u VARCHAR) SALT_BUCKETS = 4",
        );
        run(
            &db,
            &format!(
                "UPSERT INTO t SELECT -value, value % 100, 'n' || value, 'o' || value \
                 FROM generate_series(1, {OTHERS})"
            ),
        );
        for index in LASTING {
            run(&db, &format!("CREATE {index}"));
        }
    }
    let mut random = Random(std::process::id().into());
    let mut expected = [Rows::new(), Rows::new(), Rows::new()];
    let mut from = [0; THREADS as usize];
    let mut there: BTreeMap<&str, Option<bool>> = [("c", Some(false)), ("d", Some(false))].into();
    let (mut acknowledged, mut refused, mut unheard, mut changes) = (0, 0, 0, 0);
    let mut cut: BTreeMap<&str, usize> = BTreeMap::new();
    for kill in 0..kills {
        let after = Duration::from_millis(5 + random.below(500));
        let said = run_and_kill(path, kill % CHANGES.len() as u64, &from, after);
        let of = format!("kill {kill} after {after:?}");
        changes += said.changes;
        if let Some((change, false)) = said.change {
            *cut.entry(CHANGES[change]).or_default() += 1;
        }
        there.extend(said.there);

        let db = Database::open(path).unwrap();
        let mut stored = stored(&db);
        for thread in 0..THREADS {
            let at = thread as usize;
            let others = stored.split_off(&0).into_iter();
            let (own, others) = others.partition::<Rows, _>(|(k, _)| k % THREADS == thread);
            stored = others;
            for (number, was_done) in (from[at]..).zip(&said.writes[at]) {
                let done = apply(&write(thread, number), &mut expected[at]);
                assert_eq!(done, *was_done, "{of}: write {number} of thread {thread}");
                acknowledged += usize::from(done);
                refused += usize::from(!done);
            }
            from[at] += said.writes[at].len() as u64;
            // The one that was under way may be there, whole.
            if own != expected[at] {
                apply(&write(thread, from[at]), &mut expected[at]);
                from[at] += 1;
                unheard += 1;
            }
            assert_eq!(own, expected[at], "{of}: rows of thread {thread}");
        }
        let count = rows(&db, "SELECT count(*) FROM t WHERE k < 0");
        assert_eq!(count, [OTHERS.to_string()], "{of}");

        let indexes = rows(
            &db,
            "SELECT index_name, index_id, state FROM system.indexes ORDER BY 1",
        );
        let mut ids = BTreeMap::new();
        for index in &indexes {
            let cells: Vec<&str> = index.split('|').collect();
            assert_eq!(cells[2], "ready", "{of}");
            ids.insert(cells[0].to_owned(), cells[1].parse::<u32>().unwrap());
            let differences = rows(&db, &format!("CHECK INDEX {}", cells[0]));
            assert_eq!(differences, [""; 0], "{of}: {index}");
        }
        for name in ["i", "p", "u"] {
            assert!(ids.contains_key(name), "{of}: {name} is gone: {indexes:?}");
        }
        for (name, should) in &mut there {
            let is = ids.contains_key(*name);
            assert_eq!(is, should.unwrap_or(is), "{of}: {name}");
            *should = Some(is);
        }
        let table = rows(
            &db,
            "SELECT table_id FROM system.tables WHERE table_name = 't'",
        );
        drop(db);

        // Nothing is left of what was cut off, and each index has as many entries as it has rows.
        let families = raw::read(path);
        let mut named: BTreeSet<u32> = ids.values().copied().collect();
        named.insert(table[0].parse().unwrap());
        assert_eq!(
            families.keys().copied().collect::<BTreeSet<_>>(),
            named,
            "{of}"
        );
        let own = expected.iter().flat_map(|rows| rows.values());
        let of_p = own.clone().filter(|row| row.v < 50).count() as u64;
        let all = own.count() as u64 + OTHERS;
        for (name, id) in &ids {
            let should = match name.as_str() {
                "p" => of_p + OTHERS / 2,
                _ => all,
            };
            assert_eq!(families[id].len() as u64, should, "{of}: entries of {name}");
        }
    }
    println!(
        "{kills} kills; {acknowledged} writes acknowledged, {refused} refused, {unheard} there \
         without acknowledgement; {changes} changes of indexes done; cut off: {cut:?}"
    );
    assert!(acknowledged as u64 > kills, "{acknowledged}");
    assert!(!cut.is_empty() && refused > 0 || kills < KILLS);
}
