//! Random tables: how they are declared, and their rows.

use rocksalt::{SqlType, Value};

use super::rng::Rng;
use super::values;

/// A column of a random table.
#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub sql_type: SqlType,
    pub nullable: bool,
    /// Of a key column.
    pub descending: bool,
    /// Whether it may hold NaN and dates that functions refuse.
    pub far: bool,
    /// The values from which its rows and the constants compared with it are drawn.
    pub pool: Vec<Value>,
}

/// A random table: the first `keys` of its columns are the key, in key order.
#[derive(Debug, Clone)]
pub struct Table {
    pub columns: Vec<Column>,
    pub keys: usize,
    /// In which order CREATE TABLE lists the columns.
    pub declared: Vec<usize>,
    /// 0 for a table that is not salted.
    pub buckets: u16,
    pub salt_columns: Option<Vec<usize>>,
    /// Cells in the order of `columns`, as they are written; no key is there twice.
    pub rows: Vec<Vec<Value>>,
}

const TYPES: &[SqlType] = &[
    SqlType::Boolean,
    SqlType::TinyInt,
    SqlType::SmallInt,
    SqlType::Integer,
    SqlType::Integer,
    SqlType::BigInt,
    SqlType::BigInt,
    SqlType::UTinyInt,
    SqlType::USmallInt,
    SqlType::UInteger,
    SqlType::UBigInt,
    SqlType::Real,
    SqlType::Double,
    SqlType::Double,
    SqlType::Decimal {
        precision: 38,
        scale: 10,
    },
    SqlType::Decimal {
        precision: 10,
        scale: 2,
    },
    SqlType::Decimal {
        precision: 5,
        scale: 0,
    },
    SqlType::Char(3),
    SqlType::Varchar(None),
    SqlType::Varchar(None),
    SqlType::Varchar(Some(4)),
    SqlType::Varbinary(None),
    SqlType::Varbinary(Some(3)),
    SqlType::Date,
    SqlType::Time,
    SqlType::Timestamp,
    SqlType::Timestamp,
];

const KEY_NAMES: [&str; 4] = ["a", "b", "c", "d"];
const VALUE_NAMES: [&str; 3] = ["v", "w", "y"];

impl Column {
    fn random(rng: &mut Rng, name: &str, sql_type: SqlType, key: bool, nullable: bool) -> Self {
        let far = rng.percent(25);
        let size = rng.between(2, 8);
        Column {
            name: name.to_owned(),
            sql_type,
            nullable,
            descending: key && rng.percent(40),
            far,
            pool: (0..size).map(|_| values::any(rng, sql_type, far)).collect(),
        }
    }

    fn cell(&self, rng: &mut Rng) -> Value {
        if self.nullable && rng.percent(15) {
            Value::Null
        } else if rng.percent(10) {
            values::any(rng, self.sql_type, self.far)
        } else {
            rng.pick(&self.pool)
        }
    }
}

impl Table {
    /// A table with up to `most` rows, the first of whose columns are like those of `like`, so
    /// that the two can be joined.
    pub fn random(rng: &mut Rng, like: Option<&Table>, most: usize) -> Self {
        let keys = match like {
            Some(_) => rng.between(1, 3),
            None => 1 + rng.weighted(&[20, 35, 30, 15]),
        };
        let mut columns: Vec<Column> = (0..keys)
            .map(|at| {
                let sql_type = rng.pick(TYPES);
                let nullable = keys > 1 && rng.percent(25);
                Column::random(rng, KEY_NAMES[at], sql_type, true, nullable)
            })
            .collect();
        if let Some(like) = like {
            let alike = rng.between(1, keys.min(like.keys));
            for (column, like) in columns.iter_mut().zip(&like.columns).take(alike) {
                column.sql_type = like.sql_type;
                column.pool = like.pool.clone();
                column.far = like.far;
            }
        }
        for name in VALUE_NAMES.iter().take(rng.below(4)) {
            let sql_type = rng.pick(TYPES);
            columns.push(Column::random(rng, name, sql_type, false, true));
        }
        let mut declared: Vec<usize> = (0..columns.len()).collect();
        if rng.percent(30) {
            rng.shuffle(&mut declared);
        }
        let buckets = rng.pick(&[0, 1, 2, 3, 3, 16, 16, 256]);
        let salt_columns = (buckets > 0 && rng.percent(40)).then(|| rng.some_of(keys));
        let mut table = Table {
            columns,
            keys,
            declared,
            buckets,
            salt_columns,
            rows: Vec::new(),
        };
        table.fill(rng, most);
        table
    }

    fn fill(&mut self, rng: &mut Rng, most: usize) {
        let wanted = match rng.below(20) {
            0 => 0,
            1..=3 => rng.below(5),
            4..=14 => rng.below(most / 3 + 1),
            _ => rng.below(most + 1),
        };
        let mut seen = std::collections::HashSet::new();
        for _ in 0..wanted {
            let row: Vec<Value> = self.columns.iter().map(|c| c.cell(rng)).collect();
            let key: Vec<String> = (0..self.keys)
                .map(|at| format!("{:?}", values::stored(self.columns[at].sql_type, &row[at])))
                .collect();
            if seen.insert(key) {
                self.rows.push(row);
            }
        }
    }

    /// The statement that makes the table, salted or not.
    pub fn create(&self, name: &str, salted: bool) -> String {
        let mut sql = format!("CREATE TABLE {name} (");
        for at in &self.declared {
            let column = &self.columns[*at];
            sql += &format!("{} {}", column.name, column.sql_type);
            if *at < self.keys && column.nullable {
                sql += " NULL";
            }
            sql += ", ";
        }
        let parts: Vec<String> = self.columns[..self.keys]
            .iter()
            .map(|c| format!("{}{}", c.name, if c.descending { " DESC" } else { "" }))
            .collect();
        sql += &format!("PRIMARY KEY ({}))", parts.join(", "));
        if salted && self.buckets > 0 {
            sql += &format!(" SALT_BUCKETS = {}", self.buckets);
            if let Some(salt) = &self.salt_columns {
                let names: Vec<&str> = salt.iter().map(|c| &*self.columns[*c].name).collect();
                sql += &format!(", SALT_COLUMNS = ({})", names.join(", "));
            }
        }
        sql
    }

    /// The start of a statement that writes rows, up to VALUES.
    pub fn upsert(&self, name: &str) -> String {
        let names: Vec<&str> = self.columns.iter().map(|c| &*c.name).collect();
        format!("UPSERT INTO {name} ({}) VALUES ", names.join(", "))
    }
}
