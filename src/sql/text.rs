//! The canonical text of a statement.

use std::fmt::{self, Display, Formatter};

use sqlparser::ast::{Expr, OptimizerHint, SelectItem};

use crate::sql::name::Name;
use crate::sql::statement::{
    AlterAction, AlterTable, Assigned, Column, ConflictAction, CopyFrom, CreateIndex, CreateTable,
    Delete, IndexPart, IndexSource, Insert, KeyPart, OnConflict, SettingValue, Source, Statement,
    Update,
};

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Statement::CreateTable(create) => write!(f, "{create}"),
            Statement::DropTable { table, if_exists } => {
                write!(
                    f,
                    "DROP TABLE {}{table}",
                    if *if_exists { "IF EXISTS " } else { "" }
                )
            }
            Statement::Truncate { table } => write!(f, "TRUNCATE TABLE {table}"),
            Statement::AlterTable(alter) => write!(f, "{alter}"),
            Statement::CreateIndex(create) => write!(f, "{create}"),
            Statement::DropIndex {
                index,
                table,
                if_exists,
            } => {
                let condition = if *if_exists { "IF EXISTS " } else { "" };
                write!(f, "DROP INDEX {condition}{index}")?;
                match table {
                    Some(table) => write!(f, " ON {table}"),
                    None => Ok(()),
                }
            }
            Statement::RenameIndex { index, to } => {
                write!(f, "ALTER INDEX {index} RENAME TO {to}")
            }
            Statement::CheckIndex { index } => write!(f, "CHECK INDEX {index}"),
            Statement::Reindex { index } => write!(f, "REINDEX {index}"),
            Statement::ShowTables => f.write_str("SHOW TABLES"),
            Statement::ShowCreateTable { table } => write!(f, "SHOW CREATE TABLE {table}"),
            Statement::Describe { table } => write!(f, "DESCRIBE {table}"),
            Statement::Upsert(insert) => {
                write!(f, "UPSERT {insert}")?;
                if let Some(on_conflict) = &insert.on_conflict {
                    write!(f, " {}", OnDuplicateKey(on_conflict))?;
                }
                write!(f, "{}", Returning(&insert.returning))
            }
            Statement::Insert(insert) => {
                write!(f, "INSERT {insert}")?;
                if let Some(on_conflict) = &insert.on_conflict {
                    write!(f, " {on_conflict}")?;
                }
                write!(f, "{}", Returning(&insert.returning))
            }
            Statement::Update(update) => write!(f, "{update}"),
            Statement::Delete(delete) => write!(f, "{delete}"),
            Statement::CopyFrom(copy) => write!(f, "{copy}"),
            Statement::Explain(explain) => write!(f, "{explain}"),
            Statement::Set { name, value } => {
                write!(f, "SET {} = ", Dotted(name))?;
                match value {
                    Some(value) => write!(f, "{value}"),
                    None => f.write_str("DEFAULT"),
                }
            }
            Statement::Show { name: Some(name) } => write!(f, "SHOW {}", Dotted(name)),
            Statement::Show { name: None } => f.write_str("SHOW ALL"),
            Statement::Query(query) => write!(f, "{query}"),
        }
    }
}

impl Display for CreateTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let if_not_exists = if self.if_not_exists {
            "IF NOT EXISTS "
        } else {
            ""
        };
        // With `#` one column a line.
        let (begin, between, end) = match f.alternate() {
            true => ("\n  ", ",\n  ", "\n"),
            false => ("", ", ", ""),
        };
        write!(f, "CREATE TABLE {if_not_exists}{} ({begin}", self.table)?;
        for column in &self.columns {
            write!(f, "{} {}", column.name, column.sql_type)?;
            let in_key = self.key.iter().any(|part| part.column == column.name);
            if column.nullable && in_key {
                f.write_str(" NULL")?;
            }
            write!(f, "{}{between}", Constraints(column))?;
        }
        if let Some(name) = &self.key_name {
            write!(f, "CONSTRAINT {name} ")?;
        }
        write!(f, "PRIMARY KEY ({}){end})", Commas(&self.key))?;
        if let Some(buckets) = self.salt_buckets {
            write!(f, " SALT_BUCKETS = {buckets}")?;
            if !self.salt_columns.is_empty() {
                write!(f, ", SALT_COLUMNS = ({})", Commas(&self.salt_columns))?;
            }
        }
        Ok(())
    }
}

impl Display for CreateIndex {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let unique = if self.unique { "UNIQUE " } else { "" };
        let condition = if self.if_not_exists {
            "IF NOT EXISTS "
        } else {
            ""
        };
        write!(
            f,
            "CREATE {unique}INDEX {condition}{} ON {} ({})",
            self.index,
            self.table,
            Commas(&self.parts)
        )?;
        if !self.included.is_empty() {
            write!(f, " INCLUDE ({})", Commas(&self.included))?;
        }
        write!(f, "{}", Where(&self.predicate))?;
        match self.salt_buckets {
            Some(buckets) => write!(f, " SALT_BUCKETS = {buckets}"),
            None => Ok(()),
        }
    }
}

impl Display for IndexPart {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.source {
            IndexSource::Column(name) => write!(f, "{name}")?,
            IndexSource::Expr(expr) => write!(f, "({expr})")?,
        }
        f.write_str(if self.descending { " DESC" } else { "" })
    }
}

impl Display for Column {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.name, self.sql_type, Constraints(self))
    }
}

impl Display for AlterTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = if self.if_exists { "IF EXISTS " } else { "" };
        write!(
            f,
            "ALTER TABLE {if_exists}{} {}",
            self.table,
            Commas(&self.actions)
        )
    }
}

impl Display for AlterAction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            AlterAction::AddColumn {
                column,
                if_not_exists,
            } => {
                let condition = if *if_not_exists { "IF NOT EXISTS " } else { "" };
                write!(f, "ADD COLUMN {condition}{column}")
            }
            AlterAction::DropColumn { column, if_exists } => {
                let condition = if *if_exists { "IF EXISTS " } else { "" };
                write!(f, "DROP COLUMN {condition}{column}")
            }
            AlterAction::RenameColumn { column, to } => {
                write!(f, "RENAME COLUMN {column} TO {to}")
            }
            AlterAction::RenameTable { to } => write!(f, "RENAME TO {to}"),
        }
    }
}

impl Display for KeyPart {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            self.column,
            if self.descending { " DESC" } else { "" }
        )
    }
}

impl Display for Insert {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "INTO {}{} {}",
            self.table,
            ColumnList(&self.columns),
            self.source
        )
    }
}

/// The clause of an UPSERT; that of an INSERT is what [`OnConflict`] displays.
struct OnDuplicateKey<'a>(&'a OnConflict);

impl Display for OnDuplicateKey<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0.action {
            ConflictAction::Nothing => f.write_str("ON DUPLICATE KEY IGNORE"),
            ConflictAction::Update { assignments, .. } => {
                write!(f, "ON DUPLICATE KEY UPDATE {}", Assignments(assignments))
            }
        }
    }
}

impl Display for OnConflict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ON CONFLICT{} DO ", ColumnList(&self.target))?;
        match &self.action {
            ConflictAction::Nothing => f.write_str("NOTHING"),
            ConflictAction::Update {
                assignments,
                selection,
            } => write!(
                f,
                "UPDATE SET {}{}",
                Assignments(assignments),
                Where(selection)
            ),
        }
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Source::DefaultValues => f.write_str("DEFAULT VALUES"),
            Source::Query(query) => write!(f, "{query}"),
            Source::Values(rows) => {
                f.write_str("VALUES ")?;
                for (i, row) in rows.iter().enumerate() {
                    write!(f, "{}({})", if i > 0 { ", " } else { "" }, Commas(row))?;
                }
                Ok(())
            }
        }
    }
}

impl Display for Assigned {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Assigned::Default => f.write_str("DEFAULT"),
            Assigned::Expr(expr) => write!(f, "{expr}"),
        }
    }
}

impl Display for Update {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "UPDATE {}{}", Hints(&self.hints), self.table)?;
        if let Some(alias) = &self.alias {
            write!(f, " AS {alias}")?;
        }
        write!(
            f,
            " SET {}{}{}",
            Assignments(&self.assignments),
            Where(&self.selection),
            Returning(&self.returning)
        )
    }
}

/// The comments behind the first word.
struct Hints<'a>(&'a [OptimizerHint]);

impl Display for Hints<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|hint| write!(f, "{hint} "))
    }
}

impl Display for Delete {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "DELETE {}FROM {}", Hints(&self.hints), self.table)?;
        if let Some(alias) = &self.alias {
            write!(f, " AS {alias}")?;
        }
        write!(
            f,
            "{}{}",
            Where(&self.selection),
            Returning(&self.returning)
        )
    }
}

impl Display for CopyFrom {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "COPY {}{} FROM {} (FORMAT csv, HEADER {}, DELIMITER {}, NULL {})",
            self.table,
            ColumnList(&self.columns),
            Quoted(&self.path),
            self.header,
            Quoted(&char::from(self.delimiter).to_string()),
            Quoted(&self.null),
        )
    }
}

impl Display for SettingValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Text(text) => write!(f, "{}", Quoted(text)),
            SettingValue::Number(number) => f.write_str(number),
            SettingValue::Word(word) => write!(f, "{}", Name::new(word)),
        }
    }
}

/// Items with a comma between each two.
struct Commas<'a, T>(&'a [T]);

impl<T: Display> Display for Commas<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// `a = 1, b = DEFAULT`
struct Assignments<'a>(&'a [(Name, Assigned)]);

impl Display for Assignments<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, (column, value)) in self.0.iter().enumerate() {
            write!(f, "{}{column} = {value}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// ` WHERE condition`, or nothing.
struct Where<'a>(&'a Option<Expr>);

impl Display for Where<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(condition) => write!(f, " WHERE {condition}"),
            None => Ok(()),
        }
    }
}

/// ` RETURNING items`, or nothing.
struct Returning<'a>(&'a [SelectItem]);

impl Display for Returning<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => Ok(()),
            items => write!(f, " RETURNING {}", Commas(items)),
        }
    }
}

/// What stands behind the type of a column: whether it is NOT NULL, and its default.
struct Constraints<'a>(&'a Column);

impl Display for Constraints<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.0.nullable {
            f.write_str(" NOT NULL")?;
        }
        match &self.0.default {
            Some(default) => write!(f, " DEFAULT {default}"),
            None => Ok(()),
        }
    }
}

/// A list of columns in parentheses, or nothing.
struct ColumnList<'a>(&'a [Name]);

impl Display for ColumnList<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            Ok(())
        } else {
            write!(f, " ({})", Commas(self.0))
        }
    }
}

/// A string literal.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.replace('\'', "''"))
    }
}

/// The name of a setting, whose dots are no part of a quoted name.
struct Dotted<'a>(&'a Name);

impl Display for Dotted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, part) in self.0.value.split('.').enumerate() {
            write!(f, "{}{}", if i > 0 { "." } else { "" }, Name::new(part))?;
        }
        Ok(())
    }
}
