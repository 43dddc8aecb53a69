//! The definitions of the catalog's own tables.

use crate::catalog::{ColumnDef, KeyPart, TableDef};
use crate::types::SqlType::{self, Boolean, Integer, UInteger, Varbinary, Varchar};
use crate::types::Value;

/// The schema of the catalog's own tables.
pub(super) const SYSTEM_SCHEMA: &str = "system";

/// The family of `system.tables`.
pub(super) const TABLES_ID: u32 = 1;
/// The family of `system.columns`.
pub(super) const COLUMNS_ID: u32 = 2;
/// The family of `system.indexes`.
pub(super) const INDEXES_ID: u32 = 3;
/// The family of the counters.
pub(super) const COUNTERS_ID: u32 = 4;
/// Ids below this one are the system's.
pub(super) const FIRST_TABLE_ID: u32 = 100;

/// The version of the row format that a reader of new tables must know.
pub(super) const ROW_FORMAT: u32 = 1;
/// The same for tables whose old rows lack a column and read a stored default.
pub(super) const STORED_DEFAULT_FORMAT: u32 = 2;
/// The same for tables that have indexes: who writes a row must keep them.
pub(super) const INDEXED_FORMAT: u32 = 3;

const TEXT: SqlType = Varchar(None);

/// `system.tables`: one row a table.
pub(super) fn tables() -> TableDef {
    system_table(
        TABLES_ID,
        "tables",
        &[("schema_name", TEXT), ("table_name", TEXT)],
        &[
            ("table_id", UInteger, false),
            // 0 for an unsalted table.
            ("salt_buckets", Integer, false),
            // Identifiers with commas between; NULL when the whole key is hashed.
            ("salt_columns", TEXT, true),
            ("key_name", TEXT, true),
            ("format_version", UInteger, false),
            // NULL in rows that were written before there was ALTER TABLE: no id was given up.
            ("next_column_id", UInteger, true),
        ],
    )
}

/// `system.columns`: one row a column.
pub(super) fn columns() -> TableDef {
    system_table(
        COLUMNS_ID,
        "columns",
        // From 1, in declared order.
        &[
            ("schema_name", TEXT),
            ("table_name", TEXT),
            ("ordinal_position", Integer),
        ],
        &[
            ("column_name", TEXT, false),
            ("column_id", Integer, false),
            ("data_type", TEXT, false),
            ("is_nullable", Boolean, false),
            ("column_default", TEXT, true),
            // From 1, in key order; NULL for a column that is not in the key.
            ("key_position", Integer, true),
            ("is_descending", Boolean, true),
            // What rows read that are older than the column: a row value that holds it alone.
            ("stored_default", Varbinary(None), true),
        ],
    )
}

/// `system.indexes`: one row an index.
pub(super) fn indexes() -> TableDef {
    system_table(
        INDEXES_ID,
        "indexes",
        &[
            ("schema_name", TEXT),
            ("table_name", TEXT),
            ("index_name", TEXT),
        ],
        &[
            ("index_id", UInteger, false),
            ("is_unique", Boolean, false),
            ("salt_buckets", Integer, false),
            // What it is sorted by, with commas between: an identifier, or an expression in
            // parentheses and its type; DESC behind what was declared so.
            ("definition", TEXT, false),
            ("state", TEXT, false),
            ("format_version", UInteger, false),
            // Identifiers with commas between.
            ("included_columns", TEXT, true),
            // The condition of the rows that have an entry.
            ("predicate", TEXT, true),
        ],
    )
}

/// The counters, which SQL does not see.
pub(super) fn counters() -> TableDef {
    let value = [("next_value", UInteger, false)];
    system_table(COUNTERS_ID, "counters", &[("counter_name", TEXT)], &value)
}

fn system_table(
    id: u32,
    name: &str,
    key: &[(&str, SqlType)],
    rest: &[(&str, SqlType, bool)],
) -> TableDef {
    let key_columns = key.iter().map(|&(name, sql_type)| (name, sql_type, false));
    let columns = key_columns.chain(rest.iter().copied()).zip(1..);
    TableDef {
        id,
        schema: SYSTEM_SCHEMA.to_owned(),
        name: name.to_owned(),
        columns: columns
            .map(|((name, sql_type, nullable), id)| ColumnDef {
                id,
                name: name.to_owned(),
                sql_type,
                nullable,
                default: None,
                missing: Value::Null,
            })
            .collect(),
        next_column_id: (key.len() + rest.len()) as u32 + 1,
        key_name: None,
        key: (0..key.len())
            .map(|column| KeyPart {
                column,
                descending: false,
            })
            .collect(),
        salting: None,
        null_keys_repeat: false,
        format_version: ROW_FORMAT,
    }
}
