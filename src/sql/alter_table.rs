//! ALTER TABLE: columns that come, go and change their name, and a table that does.

use sqlparser::tokenizer::Token;

use crate::error::{Error, Result};
use crate::sql::create_table::{INSTEAD_OF_UNIQUE, added_column};
use crate::sql::reader::Reader;
use crate::sql::statement::{AlterAction, AlterTable};

/// Everything after `ALTER TABLE`.
pub(super) fn alter_table(reader: &mut Reader) -> Result<AlterTable> {
    let if_exists = reader.eat_all(&["IF", "EXISTS"]);
    let table = reader.table_name()?;
    let mut actions = vec![action(reader)?];
    while reader.eat_token(&Token::Comma) {
        actions.push(action(reader)?);
    }
    Ok(AlterTable {
        table,
        if_exists,
        actions,
    })
}

fn action(reader: &mut Reader) -> Result<AlterAction> {
    if reader.at("ALTER") || reader.at("MODIFY") || reader.at("CHANGE") {
        return Err(reader.unsupported(
            "a column keeps its type, its DEFAULT and its NOT NULL: add another one, UPDATE it from \
             this one, drop this one, and rename",
        ));
    }
    let others = [
        "SET", "RESET", "OWNER", "ENABLE", "DISABLE", "ATTACH", "DETACH", "INHERIT", "CLUSTER",
        "VALIDATE", "REPLICA",
    ];
    if let Some(word) = reader.at_any(&others) {
        return Err(reader.unsupported(format!("{word} in ALTER TABLE is not supported")));
    }
    if reader.eat("ADD") {
        add(reader)
    } else if reader.eat("DROP") {
        drop(reader)
    } else if reader.eat("RENAME") {
        rename(reader)
    } else {
        Err(reader.expected("ADD, DROP or RENAME"))
    }
}

/// What else is added to tables and dropped from them elsewhere. A column of such a name is told by
/// the word COLUMN.
const NO_COLUMNS: [&str; 10] = [
    "CONSTRAINT",
    "PRIMARY",
    "FOREIGN",
    "UNIQUE",
    "CHECK",
    "INDEX",
    "KEY",
    "PARTITION",
    "PERIOD",
    "EXCLUDE",
];

fn refuse_others(reader: &Reader, verb: &str) -> Result<()> {
    match reader.at_any(&NO_COLUMNS) {
        Some(word) => {
            let instead = match (verb, word) {
                ("ADD", "UNIQUE") => INSTEAD_OF_UNIQUE,
                ("ADD", "INDEX") => ": CREATE INDEX makes one",
                ("DROP", "INDEX") => ": DROP INDEX is a statement of its own",
                _ => "",
            };
            Err(reader.unsupported(format!("{verb} {word} is not supported{instead}")))
        }
        None => Ok(()),
    }
}

fn add(reader: &mut Reader) -> Result<AlterAction> {
    refuse_others(reader, "ADD")?;
    reader.eat("COLUMN");
    let if_not_exists = reader.eat_all(&["IF", "NOT", "EXISTS"]);
    if reader.peek() == &Token::LParen {
        return Err(reader.unsupported(
            "a list of columns is not supported here: write ADD COLUMN before each, with a comma \
             between",
        ));
    }
    let column = added_column(reader)?;
    if let Some(word) = reader.at_any(&["FIRST", "AFTER"]) {
        return Err(reader.unsupported(format!(
            "{word} is not supported: a column is added after the others"
        )));
    }
    Ok(AlterAction::AddColumn {
        column,
        if_not_exists,
    })
}

fn drop(reader: &mut Reader) -> Result<AlterAction> {
    refuse_others(reader, "DROP")?;
    reader.eat("COLUMN");
    let if_exists = reader.eat_all(&["IF", "EXISTS"]);
    let column = reader.name("the name of a column")?;
    if reader.at("CASCADE") {
        return Err(reader.unsupported("CASCADE is not supported"));
    }
    reader.eat("RESTRICT");
    Ok(AlterAction::DropColumn { column, if_exists })
}

fn rename(reader: &mut Reader) -> Result<AlterAction> {
    if reader.at("CONSTRAINT") {
        return Err(reader.unsupported("RENAME CONSTRAINT is not supported"));
    }
    if reader.eat("TO") {
        let to = reader.name("the new name of the table")?;
        if reader.peek() == &Token::Period {
            return Err(Error::unsupported("a table stays in its schema").at(to.position));
        }
        return Ok(AlterAction::RenameTable { to });
    }
    reader.eat("COLUMN");
    let column = reader.name("the name of a column")?;
    reader.expect("TO")?;
    let to = reader.name("the new name of the column")?;
    Ok(AlterAction::RenameColumn { column, to })
}
