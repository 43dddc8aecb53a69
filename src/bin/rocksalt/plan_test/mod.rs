//! `--plan-test`: the plans of the statements in a file against what is expected of them.
//!
//! ```sql
//! -- expect: PointGet
//! -- expect: buckets <= 1
//! SELECT v FROM events WHERE host = $1 AND n = $2;
//! ```

mod expectation;
mod file;

use std::io::Write;
use std::path::Path;

use rocksalt::{Error, ErrorKind, Session};

use crate::caret;
use crate::failure::Failure;
use crate::plan_test::expectation::unmet_scans;
use crate::plan_test::file::{Case, cases};
use crate::split::Piece;

/// How the test ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// Every plan is as it is expected.
    Kept,
    /// A plan is not, or a statement has none.
    Changed,
}

/// Why there is no verdict: a file that cannot be read or that makes no sense. A failed output is
/// none of the user's mistakes.
#[derive(Debug)]
pub(crate) enum Ended {
    Usage(Error),
    Output(Failure),
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Ended::Usage(error)
    }
}

impl From<std::io::Error> for Ended {
    fn from(error: std::io::Error) -> Self {
        Ended::Output(Failure::Output(error))
    }
}

/// How wide a statement is shown.
const WIDTH: usize = 80;

/// Runs the schema, plans every statement of the file and prints what became of each.
pub(crate) async fn run(
    session: &Session,
    schema: &Path,
    file: &Path,
    out: &mut dyn Write,
) -> Result<Verdict, Ended> {
    let text = read(schema)?;
    session.script(&text).await.map_err(|error| {
        let place = match error.position() {
            Some(position) => format!("{}:{}", schema.display(), position.line),
            None => schema.display().to_string(),
        };
        Error::new(error.kind(), format!("{place}: {}", error.message()))
    })?;
    let name = file.display().to_string();
    let text = read(file)?;
    let cases = cases(&text).map_err(|(line, message)| usage(&name, line, &message))?;
    let (mut failed, mut expectations) = (0, 0);
    for case in &cases {
        let wrong = check(session, case, &name).await?;
        let verdict = if wrong.is_empty() { "ok    " } else { "FAILED" };
        writeln!(out, "{verdict}  {name}:{}: {}", case.line, shown(case.sql))?;
        for line in wrong.lines() {
            writeln!(out, "        {line}")?;
        }
        failed += usize::from(!wrong.is_empty());
        expectations += case.expectations.len();
    }
    writeln!(
        out,
        "{} and {}: {failed} failed",
        counted(cases.len(), "statement"),
        counted(expectations, "expectation")
    )?;
    out.flush()?;
    Ok(match failed {
        0 => Verdict::Kept,
        _ => Verdict::Changed,
    })
}

/// What is wrong with the plan of a statement; nothing if nothing is.
async fn check(session: &Session, case: &Case<'_>, name: &str) -> Result<String, Ended> {
    let first = case.sql.split_whitespace().next();
    let is_set = first.is_some_and(|word| word.eq_ignore_ascii_case("SET"));
    if is_set && case.expectations.is_empty() {
        return Ok(match session.execute(case.sql, ()).await {
            Ok(_) => String::new(),
            Err(error) => refused(&error, case),
        });
    }
    let plan = match session.explain(case.sql).await {
        Ok(plan) => plan,
        Err(error) => return Ok(refused(&error, case)),
    };
    let mut wrong = Vec::new();
    for (line, expectation) in &case.expectations {
        expectation
            .check_names(&plan)
            .map_err(|message| usage(name, *line, &message))?;
        wrong.extend(expectation.unmet(&plan));
    }
    let expectations = case.expectations.iter().map(|(_, expectation)| expectation);
    wrong.extend(unmet_scans(expectations, &plan));
    if !wrong.is_empty() {
        wrong.push(plan.to_string());
    }
    Ok(wrong.join("\n"))
}

fn refused(error: &Error, case: &Case<'_>) -> String {
    let piece = Piece {
        text: case.sql.to_owned(),
        line: case.line,
    };
    caret::show(error, &piece, "")
}

/// The statement on one line.
fn shown(sql: &str) -> String {
    let line = sql.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn counted(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

fn read(path: &Path) -> Result<String, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read {}: {error}", path.display());
        Error::new(ErrorKind::Io, message)
    })?;
    // Some editors mark UTF-8 by a byte order mark.
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

fn usage(name: &str, line: u64, message: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("{name}:{line}: {message}"))
}
