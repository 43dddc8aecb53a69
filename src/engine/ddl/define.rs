//! Statements about tables and settings: CREATE, DROP, TRUNCATE, SHOW, DESCRIBE; ALTER has
//! [a file of its own](super::alter).

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};

use crate::catalog::{CatalogState, ColumnDef, Entry, KeyPart, TableDef};
use crate::engine::dml::{Writes, find_column, stored_expr};
use crate::engine::index::index_statement;
use crate::error::{Error, Result};
use crate::key::Salting;
use crate::sql::{self, Column, CreateTable, Name, Statement, TableName};
use crate::types::Value;

impl Writes<'_> {
    /// Executes a statement that neither reads nor writes rows of tables; returns what it answers
    /// with, if it answers.
    pub(crate) async fn define(&self, statement: &Statement) -> Result<Option<RecordBatch>> {
        let timeout = self.settings.lock_timeout;
        let runtime = self.engine.runtime();
        match statement {
            Statement::CreateTable(create) => {
                self.create_table(create)?;
                Ok(None)
            }
            Statement::DropTable { table, if_exists } => {
                let (schema, name) = (schema_of(table), &table.name.value);
                let dropped = self
                    .catalog
                    .drop_table(schema, name, *if_exists, timeout, runtime)
                    .await;
                dropped.map_err(|e| e.at(table.position()))?;
                Ok(None)
            }
            Statement::Truncate { table } => {
                let (schema, name) = (schema_of(table), &table.name.value);
                let truncated = self
                    .catalog
                    .truncate_table(schema, name, timeout, runtime)
                    .await;
                truncated.map_err(|e| e.at(table.position()))?;
                Ok(None)
            }
            Statement::AlterTable(alter) => {
                self.alter_table(alter).await?;
                Ok(None)
            }
            Statement::CreateIndex(create) => {
                self.create_index(create).await?;
                Ok(None)
            }
            Statement::DropIndex {
                index,
                table,
                if_exists,
            } => {
                self.drop_index(index, table.as_ref(), *if_exists).await?;
                Ok(None)
            }
            Statement::RenameIndex { index, to } => {
                self.rename_index(index, to).await?;
                Ok(None)
            }
            Statement::CheckIndex { index } => self.check_index(index).await.map(Some),
            Statement::Reindex { index } => {
                self.reindex(index).await?;
                Ok(None)
            }
            Statement::ShowTables => self.show_tables().map(Some),
            Statement::ShowCreateTable { table } => self.show_create(table).map(Some),
            Statement::Describe { table } => self.describe(table).map(Some),
            Statement::Show { name: Some(name) } => {
                let value = self
                    .settings
                    .show(&name.value)
                    .map_err(|e| e.at(name.position))?;
                batch([(name.value.as_str(), texts([Some(value)]))]).map(Some)
            }
            Statement::Show { name: None } => {
                let all = self.settings.all();
                batch([
                    ("name", texts(all.iter().map(|(name, _)| Some(name)))),
                    ("value", texts(all.iter().map(|(_, value)| Some(value)))),
                ])
                .map(Some)
            }
            other => Err(Error::internal(format!("{} defines nothing", other.kind()))),
        }
    }

    fn create_table(&self, create: &CreateTable) -> Result<()> {
        let place = create.table.position();
        let def = definition(create)?;
        let state = self.catalog.state();
        if let Some(existing) = state.find_table(&def.schema, &def.name) {
            // Nothing of a statement that does nothing needs to be evaluated.
            return match create.if_not_exists {
                true => Ok(()),
                false => Err(Error::already_exists(format!(
                    "table {} exists",
                    existing.def.display_name()
                ))
                .at(place)),
            };
        }
        for (column, definition) in create.columns.iter().zip(&def.columns) {
            if let Some(default) = &column.default {
                self.validate_default(&state, default, definition)?;
            }
        }
        self.catalog
            .create_table(def, create.if_not_exists)
            .map_err(|e| e.at(place))?;
        Ok(())
    }

    fn show_tables(&self) -> Result<RecordBatch> {
        let state = self.catalog.state();
        let tables = state.tables().filter(|table| !table.is_system());
        batch([(
            "table_name",
            texts(tables.map(|table| Some(table.def.name.clone()))),
        )])
    }

    fn show_create(&self, table: &TableName) -> Result<RecordBatch> {
        let state = self.catalog.state();
        let entry = find(&state, table)?;
        let mut text = format!("{:#}", statement(&entry.def)?);
        for index in entry.ready_indexes() {
            text.push_str(&format!(";\n{}", index_statement(&index.def, &entry.def)?));
        }
        batch([("create_table", texts([Some(text)]))])
    }

    fn describe(&self, table: &TableName) -> Result<RecordBatch> {
        let state = self.catalog.state();
        let def = &find(&state, table)?.def;
        let key = def.columns.iter().enumerate().map(|(index, _)| {
            let position = def.key_position(index)?;
            let direction = if def.key[position].descending {
                " DESC"
            } else {
                ""
            };
            Some(format!("{}{direction}", position + 1))
        });
        let nullable: Vec<bool> = def.columns.iter().map(|c| c.nullable).collect();
        batch([
            (
                "column_name",
                texts(def.columns.iter().map(|c| Some(&c.name))),
            ),
            (
                "data_type",
                texts(def.columns.iter().map(|c| Some(c.sql_type.to_string()))),
            ),
            (
                "nullable",
                Arc::new(BooleanArray::from(nullable)) as ArrayRef,
            ),
            (
                "column_default",
                texts(def.columns.iter().map(|c| c.default.as_ref())),
            ),
            ("primary_key", texts(key)),
        ])
    }
}

/// The definition that a CREATE TABLE makes, without ids.
fn definition(create: &CreateTable) -> Result<TableDef> {
    let schema = schema_of(&create.table);
    if schema != "public" && schema != "system" {
        return Err(
            Error::unsupported(format!("schema {schema}: tables are in schema public"))
                .at(create.table.position()),
        );
    }
    let mut def = TableDef {
        id: 0,
        schema: schema.to_owned(),
        name: create.table.name.value.clone(),
        columns: create.columns.iter().map(column_definition).collect(),
        next_column_id: 0,
        key_name: create.key_name.as_ref().map(|name| name.value.clone()),
        key: Vec::new(),
        salting: None,
        null_keys_repeat: false,
        format_version: 0,
    };
    for part in &create.key {
        let column = find_column(&def, &part.column)?;
        def.key.push(KeyPart {
            column,
            descending: part.descending,
        });
    }
    if let Some(buckets) = create.salt_buckets {
        let columns = create.salt_columns.iter().map(|name| {
            let column = find_column(&def, name)?;
            def.key_position(column).ok_or_else(|| {
                Error::invalid(format!("salt column {name} is no key column")).at(name.position)
            })
        });
        let mut columns = columns.collect::<Result<Vec<_>>>()?;
        columns.sort_unstable();
        def.salting = Some(Salting::new(
            buckets,
            Some(columns).filter(|c| !c.is_empty()),
        ));
    }
    Ok(def)
}

/// The definition of a column, without its id.
pub(in crate::engine) fn column_definition(column: &Column) -> ColumnDef {
    ColumnDef {
        id: 0,
        name: column.name.value.clone(),
        sql_type: column.sql_type,
        nullable: column.nullable,
        default: column.default.as_ref().map(ToString::to_string),
        missing: Value::Null,
    }
}

/// The CREATE TABLE that makes a definition.
fn statement(def: &TableDef) -> Result<CreateTable> {
    let column_name = |column: usize| Name::new(def.columns[column].name.clone());
    let columns = def.columns.iter().map(|column| {
        Ok(Column {
            name: Name::new(column.name.clone()),
            sql_type: column.sql_type,
            nullable: column.nullable,
            default: column.default.as_deref().map(stored_expr).transpose()?,
        })
    });
    let salt_columns = def.salting.iter().filter_map(Salting::columns).flatten();
    Ok(CreateTable {
        table: TableName::new(
            Some(def.schema.as_str()).filter(|schema| *schema != "public"),
            def.name.clone(),
        ),
        if_not_exists: false,
        columns: columns.collect::<Result<_>>()?,
        key_name: def.key_name.clone().map(Name::new),
        key: def
            .key
            .iter()
            .map(|part| sql::KeyPart {
                column: column_name(part.column),
                descending: part.descending,
            })
            .collect(),
        salt_buckets: def.salting.as_ref().map(Salting::buckets),
        salt_columns: salt_columns
            .map(|position| column_name(def.key[*position].column))
            .collect(),
    })
}

pub(in crate::engine) fn schema_of(table: &TableName) -> &str {
    table
        .schema
        .as_ref()
        .map_or("public", |schema| schema.value.as_str())
}

fn find<'a>(state: &'a CatalogState, table: &TableName) -> Result<&'a Arc<Entry>> {
    state
        .find_table(schema_of(table), &table.name.value)
        .ok_or_else(|| {
            Error::not_found(format!("table {table} does not exist")).at(table.position())
        })
}

fn texts<T: AsRef<str>>(values: impl IntoIterator<Item = Option<T>>) -> ArrayRef {
    Arc::new(values.into_iter().collect::<StringArray>())
}

fn batch<'a>(columns: impl IntoIterator<Item = (&'a str, ArrayRef)>) -> Result<RecordBatch> {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
        .into_iter()
        .map(|(name, array)| {
            let nullable = array.data_type() == &DataType::Utf8;
            (Field::new(name, array.data_type().clone(), nullable), array)
        })
        .unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .map_err(|e| Error::internal("an answer does not have its own shape").with_source(e))
}
