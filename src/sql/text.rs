//! The canonical text of a statement.

use std::fmt::{self, Display, Formatter};

use crate::sql::name::Name;
use crate::sql::statement::{
    Assigned, Column, CopyFrom, CreateTable, Delete, Insert, KeyPart, SettingValue, Source,
    Statement, Update,
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
            Statement::ShowTables => f.write_str("SHOW TABLES"),
            Statement::ShowCreateTable { table } => write!(f, "SHOW CREATE TABLE {table}"),
            Statement::Describe { table } => write!(f, "DESCRIBE {table}"),
            Statement::Upsert(insert) => write!(f, "UPSERT {insert}"),
            Statement::Insert(insert) => write!(f, "INSERT {insert}"),
            Statement::Update(update) => write!(f, "{update}"),
            Statement::Delete(delete) => write!(f, "{delete}"),
            Statement::CopyFrom(copy) => write!(f, "{copy}"),
            Statement::Explain(statement) => write!(f, "EXPLAIN {statement}"),
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
            write!(f, "{column}")?;
            let in_key = self.key.iter().any(|part| part.column == column.name);
            match column.nullable {
                false => f.write_str(" NOT NULL")?,
                true if in_key => f.write_str(" NULL")?,
                true => {}
            }
            if let Some(default) = &column.default {
                write!(f, " DEFAULT {default}")?;
            }
            f.write_str(between)?;
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

impl Display for Column {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.sql_type)
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
        write!(f, "UPDATE {}", self.table)?;
        if let Some(alias) = &self.alias {
            write!(f, " AS {alias}")?;
        }
        for (i, (column, value)) in self.assignments.iter().enumerate() {
            write!(f, "{} {column} = {value}", if i > 0 { "," } else { " SET" })?;
        }
        if let Some(selection) = &self.selection {
            write!(f, " WHERE {selection}")?;
        }
        Ok(())
    }
}

impl Display for Delete {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "DELETE FROM {}", self.table)?;
        if let Some(alias) = &self.alias {
            write!(f, " AS {alias}")?;
        }
        if let Some(selection) = &self.selection {
            write!(f, " WHERE {selection}")?;
        }
        Ok(())
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
