//! One session, its output, and how a statement's outcome gets there.

use std::io::Write;
use std::time::{Duration, Instant};

use futures::StreamExt;
use rocksalt::arrow::array::{RecordBatch, StringArray};
use rocksalt::{Error, Outcome, PlanFormat, Rows, Session};

use crate::failure::Failure;
use crate::format::Printer;
use crate::interrupt::Interrupts;

/// One session and its output.
pub(crate) struct Shell<W> {
    session: Session,
    printer: Printer<W>,
    /// What ends a statement before its time, if there is a user to press Ctrl-C.
    interrupts: Option<Interrupts>,
}

impl<W: Write> Shell<W> {
    pub(crate) fn new(session: Session, printer: Printer<W>) -> Self {
        Shell {
            session,
            printer,
            interrupts: None,
        }
    }

    /// The same, with statements that the user may interrupt.
    pub(crate) fn interrupted_by(self, interrupts: Interrupts) -> Self {
        Shell {
            interrupts: Some(interrupts),
            ..self
        }
    }

    /// Prints tables with one column a line, or no longer; returns which.
    pub(crate) fn toggle_expanded(&mut self) -> bool {
        self.printer.toggle_expanded()
    }

    /// Runs one statement and prints what it came to. Whatever happens, what was printed has
    /// reached the reader when this returns.
    pub(crate) async fn run(&mut self, sql: &str) -> Result<Duration, Failure> {
        let start = Instant::now();
        let result = self.run_and_print(sql).await;
        let flushed = self.printer.flush();
        result.and(flushed).map(|()| start.elapsed())
    }

    async fn run_and_print(&mut self, sql: &str) -> Result<(), Failure> {
        match self.outcome(sql).await? {
            Outcome::Done => self.printer.remark("ok"),
            Outcome::Affected(1) => self.printer.remark("1 row affected"),
            Outcome::Affected(count) => self.printer.remark(&format!("{count} rows affected")),
            Outcome::Plan(plan) if plan.format() == PlanFormat::Json => {
                self.printer.document("plan", &plan.to_json())
            }
            Outcome::Plan(plan) => self.printer.text("plan", &plan.to_string()),
            Outcome::Rows(rows) if is_show_create(sql) => self.print_statements(rows).await,
            Outcome::Rows(rows) => {
                let mut printer = self.printer.result(&rows.schema());
                let mut rows = Some(rows);
                while let Some(batch) = next(&mut self.interrupts, &mut rows).await? {
                    printer.batch(&batch)?;
                }
                printer.end()
            }
        }
    }

    async fn outcome(&mut self, sql: &str) -> Result<Outcome, Error> {
        let Some(interrupts) = &mut self.interrupts else {
            return self.session.run(sql).await;
        };
        interrupts.forget();
        let (session, sql) = (self.session.clone(), sql.to_owned());
        interrupts
            .unless_pressed(async move { session.run(&sql).await })
            .await?
    }

    /// Prints the statements in a result of one column.
    async fn print_statements(&mut self, rows: Rows) -> Result<(), Failure> {
        let schema = rows.schema();
        let name = schema
            .fields()
            .first()
            .map_or("", |field| field.name().as_str());
        for batch in rows.collect().await? {
            let texts = batch
                .columns()
                .first()
                .and_then(|c| c.as_any().downcast_ref());
            for text in texts
                .into_iter()
                .flat_map(|texts: &StringArray| texts.iter())
            {
                self.printer.statement(name, text.unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

/// The next batch of a result. After an error there is nothing left of it.
async fn next(
    interrupts: &mut Option<Interrupts>,
    rows: &mut Option<Rows>,
) -> Result<Option<RecordBatch>, Error> {
    let Some(mut stream) = rows.take() else {
        return Ok(None);
    };
    let fetch = async move {
        let batch = stream.next().await;
        (stream, batch)
    };
    let (stream, batch) = match interrupts {
        None => fetch.await,
        Some(interrupts) => interrupts.unless_pressed(fetch).await?,
    };
    *rows = Some(stream);
    batch.transpose()
}

/// Whether the result is one text that stands for itself.
fn is_show_create(sql: &str) -> bool {
    let mut words = sql.split_whitespace();
    ["SHOW", "CREATE", "TABLE"]
        .iter()
        .all(|word| words.next().is_some_and(|w| w.eq_ignore_ascii_case(word)))
}
