//! The bytes of indexes after random statements, against those that `docs/format.md` gives the rows
//! of the table: encoded here once more, by nothing of what is tested.

use std::collections::BTreeMap;

use rocksalt::blocking::Database;
use xxhash_rust::xxh3::xxh3_64;

use super::raw::{self, Family};
use super::upkeep::Random;
use crate::support::{folder, rows, run};

/// Buckets of a table and of its indexes, the clause of the table, and the direction of the first
/// column of its key.
struct Shape {
    salt: &'static str,
    buckets: Option<u64>,
    direction: &'static str,
}

const SHAPES: [Shape; 7] = [
    shape(" SALT_BUCKETS = 4", Some(7), "ASC"),
    shape(" SALT_BUCKETS = 7", Some(4), "DESC"),
    shape("", Some(3), "DESC"),
    shape(" SALT_BUCKETS = 3", None, "ASC"),
    shape(" SALT_BUCKETS = 16, SALT_COLUMNS = (b)", Some(1), "DESC"),
    shape(" SALT_BUCKETS = 256", Some(256), "ASC"),
    shape("", None, "DESC"),
];

const fn shape(salt: &'static str, buckets: Option<u64>, direction: &'static str) -> Shape {
    Shape {
        salt,
        buckets,
        direction,
    }
}

/// A row of the table: `a INTEGER, b VARCHAR NULL, v INTEGER, w VARCHAR, u VARCHAR`.
#[derive(Debug, Clone)]
struct Row {
    a: i32,
    b: Option<String>,
    v: Option<i32>,
    w: Option<String>,
    u: Option<String>,
}

/// A value as it stands in an entry.
#[derive(Debug, Clone)]
enum Cell {
    Int(Option<i32>),
    Big(Option<i64>),
    Text(Option<String>),
}

/// One of the sorted columns of an index.
struct Part {
    of: fn(&Row) -> Cell,
    descending: bool,
    /// The place of the column in the table, if it is one.
    column: Option<usize>,
}

struct Index {
    name: &'static str,
    sql: &'static str,
    parts: Vec<Part>,
    included: &'static [usize],
    kept: fn(&Row) -> bool,
}

fn column(column: usize, descending: bool) -> Part {
    let of: fn(&Row) -> Cell = match column {
        0 => |row| Cell::Int(Some(row.a)),
        1 => |row| Cell::Text(row.b.clone()),
        2 => |row| Cell::Int(row.v),
        3 => |row| Cell::Text(row.w.clone()),
        _ => |row| Cell::Text(row.u.clone()),
    };
    Part {
        of,
        descending,
        column: Some(column),
    }
}

fn expr(of: fn(&Row) -> Cell, descending: bool) -> Part {
    Part {
        of,
        descending,
        column: None,
    }
}

fn indexes() -> Vec<Index> {
    let all: fn(&Row) -> bool = |_| true;
    vec![
        Index {
            name: "i_v",
            sql: "INDEX i_v ON t (v)",
            parts: vec![column(2, false)],
            included: &[],
            kept: all,
        },
        Index {
            name: "i_incl",
            sql: "INDEX i_incl ON t (v DESC, w) INCLUDE (u)",
            parts: vec![column(2, true), column(3, false)],
            included: &[4],
            kept: all,
        },
        Index {
            name: "i_key",
            sql: "INDEX i_key ON t (b DESC, w)",
            parts: vec![column(1, true), column(3, false)],
            included: &[],
            kept: all,
        },
        Index {
            name: "i_expr",
            sql: "INDEX i_expr ON t (lower(w), (CAST(v AS BIGINT)) DESC, a) INCLUDE (v, w)",
            parts: vec![
                expr(
                    |row| Cell::Text(row.w.as_ref().map(|w| w.to_ascii_lowercase())),
                    false,
                ),
                expr(|row| Cell::Big(row.v.map(i64::from)), true),
                column(0, false),
            ],
            included: &[2, 3],
            kept: all,
        },
        Index {
            name: "i_part",
            sql: "INDEX i_part ON t (w) INCLUDE (v) WHERE v > 2 AND w IS NOT NULL",
            parts: vec![column(3, false)],
            included: &[2],
            kept: |row| row.v.is_some_and(|v| v > 2) && row.w.is_some(),
        },
        Index {
            name: "u_u",
            sql: "UNIQUE INDEX u_u ON t (u)",
            parts: vec![column(4, false)],
            included: &[],
            kept: all,
        },
        Index {
            name: "u_b",
            sql: "UNIQUE INDEX u_b ON t (v, u DESC, b) INCLUDE (w)",
            parts: vec![column(2, false), column(4, true), column(1, false)],
            included: &[3],
            kept: all,
        },
        Index {
            name: "u_part",
            sql: "UNIQUE INDEX u_part ON t (upper(w), b) WHERE v = 1",
            parts: vec![
                expr(
                    |row| Cell::Text(row.w.as_ref().map(|w| w.to_ascii_uppercase())),
                    false,
                ),
                column(1, false),
            ],
            included: &[],
            kept: |row| row.v == Some(1),
        },
    ]
}

/// A key column, nullable ones with their marker.
fn key_column(cell: &Cell, nullable: bool, descending: bool) -> Vec<u8> {
    let value = match cell {
        Cell::Int(value) => value.map(|n| ((n as u32) ^ (1 << 31)).to_be_bytes().to_vec()),
        Cell::Big(value) => value.map(|n| ((n as u64) ^ (1 << 63)).to_be_bytes().to_vec()),
        Cell::Text(value) => value.as_ref().map(|text| {
            let mut bytes: Vec<u8> = Vec::new();
            for byte in text.bytes() {
                bytes.push(byte);
                if byte == 0 {
                    bytes.push(0xFF);
                }
            }
            bytes.extend([0, 1]);
            bytes
        }),
    };
    let mut bytes = match (value, nullable) {
        (Some(value), true) => [vec![1], value].concat(),
        (Some(value), false) => value,
        (None, _) => vec![2],
    };
    if descending {
        bytes.iter_mut().for_each(|byte| *byte = !*byte);
    }
    bytes
}

/// A row value of some columns, each with its id.
fn row_value(cells: &[(u16, Cell)]) -> Vec<u8> {
    let (mut header, mut slots) = (vec![1, cells.len() as u8], Vec::new());
    let mut bitmap = vec![0_u8; cells.len().div_ceil(8)];
    let (mut ends, mut texts) = (Vec::new(), Vec::new());
    for (place, (id, cell)) in cells.iter().enumerate() {
        header.push(*id as u8);
        let is_null = match cell {
            Cell::Int(value) => {
                header.push(4);
                slots.extend(value.unwrap_or(0).to_le_bytes());
                value.is_none()
            }
            Cell::Big(_) => panic!("no column is one"),
            Cell::Text(value) => {
                header.push(0);
                texts.extend(value.iter().flat_map(|text| text.bytes()));
                ends.extend((texts.len() as u16).to_le_bytes());
                value.is_none()
            }
        };
        bitmap[place / 8] |= u8::from(is_null) << (place % 8);
    }
    [header, bitmap, slots, ends, texts].concat()
}

impl Cell {
    fn is_null(&self) -> bool {
        matches!(self, Cell::Int(None) | Cell::Big(None) | Cell::Text(None))
    }
}

/// The entries that the rows of a table should have in an index.
fn expected(index: &Index, shape: &Shape, all: &[Row], ids: &[u16]) -> Family {
    let unique = index.sql.starts_with("UNIQUE");
    let table_key = [column(0, shape.direction == "DESC"), column(1, false)];
    // `a` is the only column that is NOT NULL.
    let encode = |part: &Part, row: &Row| {
        key_column(&(part.of)(row), part.column != Some(0), part.descending)
    };
    let is_indexed = |column: Option<usize>| index.parts.iter().any(|p| p.column == column);
    let mut entries = Family::new();
    for row in all.iter().filter(|row| (index.kept)(row)) {
        let mut key: Vec<u8> = index.parts.iter().flat_map(|p| encode(p, row)).collect();
        let salt = shape.buckets.map(|n| (xxh3_64(&key) % n) as u8);
        let has_null = index.parts.iter().any(|part| (part.of)(row).is_null());
        for part in &table_key {
            if (unique && has_null) || (!unique && !is_indexed(part.column)) {
                key.extend(encode(part, row));
            }
        }
        let of_key = table_key
            .iter()
            .filter(|part| unique && !is_indexed(part.column));
        let of_key = of_key.filter_map(|part| part.column);
        let stored = of_key.chain(index.included.iter().copied());
        let stored: Vec<(u16, Cell)> = stored
            .map(|place| (ids[place], (column(place, false).of)(row)))
            .collect();
        let key = salt.into_iter().chain(key).collect();
        let known = entries.insert(key, row_value(&stored));
        assert!(
            known.is_none(),
            "{}: two rows have one entry: {row:?}",
            index.name
        );
    }
    entries
}

fn table(db: &Database, shape: &Shape) {
    let (salt, direction) = (shape.salt, shape.direction);
    run(
        db,
        &format!(
            "CREATE TABLE t (gone INTEGER, a INTEGER, b VARCHAR NULL, v INTEGER, w VARCHAR, \
             u VARCHAR, PRIMARY KEY (a {direction}, b)){salt}"
        ),
    );
    // Ids of columns are then not their places.
    run(db, "ALTER TABLE t DROP COLUMN gone");
    for index in indexes() {
        let buckets = shape.buckets.unwrap_or(0);
        run(
            db,
            &format!("CREATE {} SALT_BUCKETS = {buckets}", index.sql),
        );
    }
}

fn read(db: &Database) -> Vec<Row> {
    let text = |cell: &str| (cell != "NULL").then(|| cell.to_owned());
    let all = rows(db, "SELECT a, b, v, w, u FROM t");
    let row = all.iter().map(|line| {
        let cells: Vec<&str> = line.split('|').collect();
        Row {
            a: cells[0].parse().unwrap(),
            b: text(cells[1]),
            v: text(cells[2]).map(|v| v.parse().unwrap()),
            w: text(cells[3]),
            u: text(cells[4]),
        }
    });
    row.collect()
}

fn statement(random: &mut Random) -> String {
    let mut value = |n: u64| random.below(n);
    let (a, c, u, x) = (value(12), value(12), value(15), value(15));
    let v = ["-1", "0", "1", "1", "2", "3", "70000", "NULL"][value(8) as usize];
    let mut b = || ["'x'", "'y'", "NULL", "''", "'x\u{0}'"][value(5) as usize];
    let (b, d) = (b(), b());
    let w = ["'A'", "'a'", "'Bb'", "NULL"][value(4) as usize];
    match value(12) {
        0..2 => format!("UPSERT INTO t VALUES ({a}, {b}, {v}, {w}, 'u{u}')"),
        2 => {
            format!("UPSERT INTO t VALUES ({a}, {b}, {v}, {w}, 'u{u}'), ({c}, {d}, 1, {w}, 'u{x}')")
        }
        3 => format!("UPSERT INTO t (a, b, w) VALUES ({a}, {b}, {w}), ({c}, {d}, {w})"),
        4 => format!("INSERT INTO t VALUES ({a}, {b}, {v}, {w}, NULL)"),
        5 => format!("UPDATE t SET v = {v}, w = {w} WHERE a < {a}"),
        6 => format!("UPDATE t SET a = a + 20, u = NULL WHERE a = {a}"),
        7 => format!("DELETE FROM t WHERE a = {a} OR v = {v}"),
        8 => format!(
            "UPSERT INTO t (a, b, v) VALUES ({a}, {b}, {v}) \
             ON DUPLICATE KEY UPDATE v = v + 1, w = {w}, u = 'u{u}'"
        ),
        9 => format!(
            "INSERT INTO t VALUES ({a}, {b}, {v}, {w}, 'u{u}') \
             ON CONFLICT (u) DO UPDATE SET v = t.v + 1, w = {w}, u = 'u{x}'"
        ),
        10 => format!(
            "INSERT INTO t VALUES ({a}, {b}, {v}, {w}, 'u{u}'), ({c}, {d}, {v}, {w}, 'u{x}') \
             ON CONFLICT DO NOTHING"
        ),
        _ => format!("UPSERT INTO t SELECT a + 1, b, v, upper(w), u || 's' FROM t WHERE a = {a}"),
    }
}

#[test]
fn indexes_have_the_bytes_of_their_rows() {
    for (number, shape) in SHAPES.iter().enumerate() {
        let mut random = Random(number as u64 + 77);
        let dir = tempfile::tempdir().unwrap();
        let db = folder(dir.path());
        table(&db, shape);
        drop(db);
        let (mut done, mut refused, mut compared) = (0, 0, 0);
        for round in 0..4 {
            let db = folder(dir.path());
            for _ in 0..30 {
                match db.execute(&statement(&mut random), ()) {
                    Ok(_) => done += 1,
                    Err(error) => {
                        // A value or a key that another row has.
                        assert_eq!(error.kind(), rocksalt::ErrorKind::Constraint, "{error}");
                        refused += 1;
                    }
                }
            }
            let all = read(&db);
            let id = |sql: String| rows(&db, &sql)[0].parse::<u16>().unwrap();
            let ids = ["a", "b", "v", "w", "u"].map(|name| {
                id(format!(
                    "SELECT column_id FROM system.columns WHERE table_name = 't' AND column_name = '{name}'"
                ))
            });
            let of_indexes: BTreeMap<&str, u32> = indexes()
                .iter()
                .map(|index| {
                    let name = index.name;
                    let sql =
                        format!("SELECT index_id FROM system.indexes WHERE index_name = '{name}'");
                    (name, u32::from(id(sql)))
                })
                .collect();
            drop(db);
            let families = raw::read(dir.path());
            for index in indexes() {
                let name = index.name;
                let expected = expected(&index, shape, &all, &ids);
                assert_eq!(
                    families[&of_indexes[name]], expected,
                    "{name}, {}, round {round}",
                    shape.salt
                );
                compared += expected.len();
            }
        }
        assert!(
            done > 40 && refused > 5 && compared > 100,
            "{done} {refused} {compared}"
        );
    }
}
