//! From the first word of a statement to what it says.

use sqlparser::tokenizer::Token;

use crate::error::{Error, ErrorKind, Result};
use crate::sql::dialect::RocksaltDialect;
use crate::sql::name::start_of;
use crate::sql::parameters::{self, Parameters};
use crate::sql::reader::{MAX_NESTING, Reader};
use crate::sql::statement::Statement;
use crate::sql::tokens::{Depth, Tokens, depth, is_word, one_statement};
use crate::sql::{alter_table, copy, create_table, explain, index, rewrite, session, write};

/// A statement and its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The statement; its parameters are `$1`, `$2`, ....
    pub statement: Statement,
    /// The parameters that it takes.
    pub parameters: Parameters,
    /// Whether it is so long that it may be deep.
    pub(crate) long: bool,
}

/// A shorter statement has a tree so low that every thread has the stack for it.
pub(super) const SHORT: usize = 100;

/// Reads the one statement in `text`. Comments and semicolons around it are fine.
///
/// # Errors
/// `Syntax` if the text is no statement or there is none, `Invalid` if there is more than one or
/// the statement makes no sense, `Unsupported` if it is known and not done, `Limit` if it is too
/// deep. All but the first have a position.
pub fn parse(text: &str) -> Result<Parsed> {
    with_room(one_statement(text)?, parse_tokens)
}

/// Numbers the parameters among the tokens and calls `parse`, on a stack that is large enough.
pub(super) fn with_room<T: Send>(
    tokens: Tokens,
    parse: impl FnOnce(Tokens, Parameters) -> Result<T> + Send,
) -> Result<T> {
    let Tokens { tokens, end } = tokens;
    let (tokens, parameters) = parameters::number(tokens)?;
    let Depth {
        levels,
        nesting,
        readings,
    } = depth(&tokens);
    let tokens = Tokens { tokens, end };
    let start = tokens.tokens.first().and_then(|token| start_of(token.span));
    let limit = |message: String| Err(Error::limit(message).at(start));
    if readings > MAX_READINGS {
        return limit("queries in double parentheses are nested too deeply".to_owned());
    }
    if levels <= SHALLOW_LEVELS && nesting <= SHALLOW_NESTING {
        return parse(tokens, parameters);
    }
    if nesting > MAX_NESTING {
        return limit(format!(
            "the statement is nested more than {MAX_NESTING} parentheses deep"
        ));
    }
    if levels > MAX_LEVELS {
        return limit(format!(
            "the statement has more than {MAX_LEVELS} operators in a row"
        ));
    }
    // The parser works by recursion, leaves trees that lean, and drops them if an error follows.
    let stack = (4 << 20) + levels * STACK_PER_LEVEL + nesting * STACK_PER_NESTING;
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(stack)
            .spawn_scoped(scope, || parse(tokens, parameters))
            .map_err(|e| Error::limit("no stack for a deep statement").with_source(e))?
            .join()
            .unwrap_or_else(|_| Err(Error::internal("the parser failed")))
    })
}

/// What every thread has the stack for.
const SHALLOW_LEVELS: usize = 150;
const SHALLOW_NESTING: usize = 8;

/// The deepest tree that is read at all; [`rewrite::MAX_DEPTH`] is the deepest that is left.
const MAX_LEVELS: usize = 50_000;

/// How often the parser may read the innermost query.
const MAX_READINGS: usize = 4_096;

/// What parser and drop take of the stack, without optimisation.
const STACK_PER_LEVEL: usize = 8 << 10;
const STACK_PER_NESTING: usize = 256 << 10;

fn parse_tokens(tokens: Tokens, parameters: Parameters) -> Result<Parsed> {
    let Tokens { tokens, end } = tokens;
    let long = tokens.len() > SHORT;
    let dialect = RocksaltDialect::new(tokens.len());
    let mut reader = Reader::new(&dialect, Tokens { tokens, end });
    let start = reader.position();
    let mut statement = statement(&mut reader)?;
    reader.expect_end()?;
    rewrite::rewrite(&mut statement).map_err(|e| e.at(start))?;
    if let (false, Some(what)) = (parameters.is_empty(), refuses_parameters(&statement)) {
        return Err(
            Error::invalid(format!("{what} takes no parameters")).at(parameters.position(0))
        );
    }
    Ok(Parsed {
        statement,
        parameters,
        long,
    })
}

/// What a statement without expressions is called.
fn refuses_parameters(statement: &Statement) -> Option<&'static str> {
    match statement {
        Statement::Query(_)
        | Statement::Upsert(_)
        | Statement::Insert(_)
        | Statement::Update(_)
        | Statement::Delete(_) => None,
        Statement::Explain(explain) => refuses_parameters(&explain.statement),
        other => Some(other.kind()),
    }
}

/// A statement, from its first word on.
pub(super) fn statement(reader: &mut Reader) -> Result<Statement> {
    let position = reader.position();
    let first = match reader.peek() {
        Token::LParen => return query(reader),
        Token::Word(word) if word.quote_style.is_none() => word.value.to_ascii_uppercase(),
        _ => return Err(reader.expected("a statement")),
    };
    if matches!(
        first.as_str(),
        "SELECT" | "WITH" | "VALUES" | "FROM" | "TABLE"
    ) {
        return query(reader);
    }
    let start = reader.peek_nth(1).clone();
    if let Some(message) = unsupported(&first, &start) {
        return Err(Error::unsupported(message).at(position));
    }
    let known = [
        "CREATE", "DROP", "TRUNCATE", "ALTER", "SHOW", "DESCRIBE", "DESC", "UPSERT", "INSERT",
        "UPDATE", "DELETE", "COPY", "EXPLAIN", "SET", "CHECK", "REINDEX",
    ];
    if !known.contains(&first.as_str()) {
        return Err(reader.expected("a statement"));
    }
    reader.next();
    match first.as_str() {
        "CREATE" => create(reader),
        "DROP" if reader.eat("INDEX") => index::drop_index(reader),
        "DROP" => drop_table(reader),
        "TRUNCATE" => {
            reader.eat("TABLE");
            let table = reader.table_name()?;
            refuse_more_tables(reader)?;
            Ok(Statement::Truncate { table })
        }
        "ALTER" if reader.eat("INDEX") => index::alter_index(reader),
        "CHECK" => {
            reader.expect("INDEX")?;
            let index = reader.index_name()?;
            Ok(Statement::CheckIndex { index })
        }
        "REINDEX" => {
            if let Some(word) = reader.at_any(&["TABLE", "DATABASE", "SCHEMA", "SYSTEM"]) {
                return Err(reader.unsupported(format!(
                    "REINDEX {word} is not supported: REINDEX takes the name of an index"
                )));
            }
            reader.eat("INDEX");
            if reader.at("CONCURRENTLY") {
                return Err(reader.unsupported(
                    "CONCURRENTLY is not supported: every index is rebuilt while its table is \
                     written; leave the word out",
                ));
            }
            let index = reader.index_name()?;
            Ok(Statement::Reindex { index })
        }
        "ALTER" => {
            reader.expect("TABLE")?;
            alter_table::alter_table(reader).map(Statement::AlterTable)
        }
        "SHOW" => session::show(reader),
        "DESCRIBE" | "DESC" => {
            reader.eat("TABLE");
            Ok(Statement::Describe {
                table: reader.table_name()?,
            })
        }
        "UPSERT" => write::upsert(reader).map(Statement::Upsert),
        "INSERT" => write::insert(reader).map(Statement::Insert),
        "UPDATE" => write::update(reader).map(Statement::Update),
        "DELETE" => write::delete(reader).map(Statement::Delete),
        "COPY" => copy::copy(reader).map(Statement::CopyFrom),
        "EXPLAIN" => explain::explain(reader),
        _ => session::set(reader),
    }
}

fn query(reader: &mut Reader) -> Result<Statement> {
    match reader.query() {
        Ok(query) => Ok(Statement::Query(query)),
        Err(error) => {
            // sqlparser knows WITH ... INSERT, but not WITH ... UPSERT.
            if error.kind() == ErrorKind::Syntax
                && error
                    .message()
                    .to_ascii_uppercase()
                    .ends_with("FOUND UPSERT")
            {
                return Err(Error::unsupported(rewrite::WITH_BEFORE_WRITE).at(error.position()));
            }
            Err(error)
        }
    }
}

fn create(reader: &mut Reader) -> Result<Statement> {
    if reader.eat("TABLE") {
        return create_table::create_table(reader).map(Statement::CreateTable);
    }
    if reader.eat("INDEX") {
        return index::create_index(reader, false).map(Statement::CreateIndex);
    }
    if reader.eat_all(&["UNIQUE", "INDEX"]) {
        return index::create_index(reader, true).map(Statement::CreateIndex);
    }
    let mut what = Vec::new();
    for n in 0..4 {
        let Token::Word(word) = reader.peek_nth(n) else {
            break;
        };
        let word = word.value.to_ascii_uppercase();
        let is_modifier = matches!(
            word.as_str(),
            "OR" | "REPLACE"
                | "ALTER"
                | "TEMP"
                | "TEMPORARY"
                | "GLOBAL"
                | "LOCAL"
                | "EXTERNAL"
                | "UNIQUE"
                | "MATERIALIZED"
                | "UNLOGGED"
                | "TRANSIENT"
                | "VOLATILE"
                | "VIRTUAL"
                | "FOREIGN"
                | "RECURSIVE"
        );
        let is_thing = matches!(
            word.as_str(),
            "TABLE"
                | "INDEX"
                | "VIEW"
                | "SCHEMA"
                | "DATABASE"
                | "FUNCTION"
                | "PROCEDURE"
                | "SEQUENCE"
                | "TYPE"
                | "DOMAIN"
                | "ROLE"
                | "USER"
                | "TRIGGER"
                | "POLICY"
                | "EXTENSION"
                | "MACRO"
                | "SECRET"
                | "SERVER"
                | "STAGE"
                | "CONNECTOR"
                | "OPERATOR"
                | "AGGREGATE"
                | "CATALOG"
        );
        if !is_modifier && !is_thing {
            break;
        }
        what.push(word);
        if is_thing {
            let what = what.join(" ");
            return Err(reader.unsupported(format!("CREATE {what} is not supported")));
        }
    }
    Err(reader.expected("TABLE"))
}

fn drop_table(reader: &mut Reader) -> Result<Statement> {
    if !reader.eat("TABLE") {
        return match reader.peek() {
            Token::Word(word) if word.quote_style.is_none() => {
                let what = word.value.to_ascii_uppercase();
                Err(reader.unsupported(format!("DROP {what} is not supported")))
            }
            _ => Err(reader.expected("TABLE")),
        };
    }
    let if_exists = reader.eat_all(&["IF", "EXISTS"]);
    let table = reader.table_name()?;
    refuse_more_tables(reader)?;
    if reader.at("CASCADE") {
        return Err(reader.unsupported("CASCADE is not supported"));
    }
    reader.eat("RESTRICT");
    Ok(Statement::DropTable { table, if_exists })
}

fn refuse_more_tables(reader: &Reader) -> Result<()> {
    match reader.peek() {
        Token::Comma => {
            Err(reader.unsupported("several tables in one statement are not supported"))
        }
        _ => Ok(()),
    }
}

/// Why a statement that begins with the word `first` is not done, if it is a statement elsewhere.
fn unsupported(first: &str, second: &Token) -> Option<String> {
    let two = |known: &[&str]| known.iter().any(|word| is_word(second, word));
    let index_too = matches!(first, "ALTER" | "CHECK") && two(&["INDEX"]);
    if index_too || (first == "ALTER" && two(&["TABLE"])) {
        return None;
    }
    let what = match first {
        "ALTER" | "CHECK" | "GRANT" | "REVOKE" | "COMMENT" | "LOCK" | "RENAME" | "RELEASE"
        | "START" | "REFRESH" | "OPTIMIZE" | "CACHE" | "ATTACH" | "DETACH" => match second {
            Token::Word(word)
                if two(&[
                    "TABLE",
                    "INDEX",
                    "TABLES",
                    "VIEW",
                    "SCHEMA",
                    "DATABASE",
                    "ROLE",
                    "USER",
                    "TRANSACTION",
                    "SAVEPOINT",
                ]) =>
            {
                format!("{first} {}", word.value.to_ascii_uppercase())
            }
            _ => first.to_owned(),
        },
        "ANALYZE" | "ASSERT" | "BEGIN" | "CALL" | "CLOSE" | "COMMIT" | "DEALLOCATE" | "DECLARE"
        | "DENY" | "DISCARD" | "END" | "EXEC" | "EXECUTE" | "EXPORT" | "FETCH" | "FLUSH"
        | "IMPORT" | "INSTALL" | "KILL" | "LISTEN" | "LOAD" | "MERGE" | "MSCK" | "NOTIFY"
        | "OPEN" | "PRAGMA" | "PREPARE" | "PRINT" | "PURGE" | "RAISE" | "RAISERROR" | "REPLACE"
        | "RESET" | "RETURN" | "ROLLBACK" | "SAVEPOINT" | "THROW" | "UNCACHE" | "UNLISTEN"
        | "UNLOAD" | "USE" | "VACUUM" | "WAITFOR" | "WHILE" | "CASE" | "IF" | "ABORT" => {
            first.to_owned()
        }
        _ => return None,
    };
    let instead = match first {
        "REPLACE" | "MERGE" => ": write UPSERT INTO",
        "BEGIN" | "START" | "COMMIT" | "ROLLBACK" | "SAVEPOINT" => {
            ": each statement is a transaction of its own"
        }
        "RESET" => ": write SET name = DEFAULT",
        _ => "",
    };
    Some(format!("{what} is not supported{instead}"))
}
