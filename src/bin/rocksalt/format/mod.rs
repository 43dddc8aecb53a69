//! Results as text.
//!
//! A [`Printer`] owns the output and knows the options; for each result it makes one [`Layout`],
//! which prints batch after batch as they arrive. No format holds a whole result: `table` looks
//! at its first rows to align the columns, the others print row by row.
//!
//! **Invariants.** Nothing of a result is printed before its first batch (or its end) is there,
//! so a statement that fails at once prints nothing. What marks a whole result (the row count of
//! a table, the `]` of an array) is printed only at its end: a result cut short by an error does
//! not look like a whole one.

mod cells;
mod csv;
mod expanded;
mod json;
mod markdown;
mod table;

use std::io::Write;

use rocksalt::arrow::array::RecordBatch;
use rocksalt::arrow::datatypes::Schema;

use crate::args::Format;
use crate::failure::Failure;

/// How the rows of one result become text.
trait Layout {
    /// Prints rows, or keeps them until enough are there to be aligned.
    fn rows(&mut self, batch: &RecordBatch, out: &mut dyn Write) -> Result<(), Failure>;

    /// Prints what was kept back.
    fn settle(&mut self, _out: &mut dyn Write) -> Result<(), Failure> {
        Ok(())
    }

    /// Prints the end of a whole result of `count` rows.
    fn end(&mut self, count: u64, out: &mut dyn Write) -> Result<(), Failure>;
}

/// The output, and how results are printed on it.
pub(crate) struct Printer<W> {
    out: W,
    format: Format,
    null: String,
    limit: u64,
    expanded: bool,
    printed: bool,
}

impl<W: Write> Printer<W> {
    /// Prints results of any length.
    pub(crate) fn new(out: W, format: Format, null: String) -> Self {
        Printer {
            out,
            format,
            null,
            limit: u64::MAX,
            expanded: false,
            printed: false,
        }
    }

    /// Prints at most `limit` rows of a result, and how many more there are.
    pub(crate) fn with_limit(self, limit: u64) -> Self {
        Printer { limit, ..self }
    }

    /// Prints tables with one column a line, or no longer; returns which.
    pub(crate) fn toggle_expanded(&mut self) -> bool {
        self.expanded = !self.expanded;
        self.expanded
    }

    /// Begins a result.
    pub(crate) fn result<'a>(&'a mut self, schema: &Schema) -> ResultPrinter<'a, W> {
        let null = self.null.as_str().to_owned();
        let layout: Box<dyn Layout> = match self.format {
            Format::Table if self.expanded => Box::new(expanded::Expanded::new(schema, null)),
            Format::Table => Box::new(table::Table::new(schema, null)),
            Format::Csv => Box::new(csv::Separated::csv(schema, null)),
            Format::Tsv => Box::new(csv::Separated::tsv(schema, null)),
            Format::Json => Box::new(json::Json::new(schema)),
            Format::Markdown => Box::new(markdown::Markdown::new(schema, null)),
        };
        ResultPrinter {
            printer: self,
            layout,
            rows: 0,
            begun: false,
        }
    }

    /// Prints a text that stands for itself, as EXPLAIN's: bare, in json as a string of `name`.
    pub(crate) fn text(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        self.separate()?;
        match self.format {
            Format::Json => json::write_text(name, text, &mut self.out)?,
            _ => writeln!(self.out, "{}", text.trim_end_matches('\n'))?,
        }
        Ok(())
    }

    /// Prints a document in JSON: bare, in json as the object that it is.
    pub(crate) fn document(&mut self, name: &str, json: &str) -> Result<(), Failure> {
        self.separate()?;
        match self.format {
            Format::Json => json::write_document(name, json, &mut self.out)?,
            _ => writeln!(self.out, "{json}")?,
        }
        Ok(())
    }

    /// Prints a statement that can be run as it stands: as [`Printer::text`], and outside of json
    /// with its semicolon.
    pub(crate) fn statement(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        match self.format {
            Format::Json => self.text(name, text),
            _ => self.text(name, &format!("{text};")),
        }
    }

    /// Prints what a statement without rows did; csv, tsv and json hold nothing but results.
    pub(crate) fn remark(&mut self, text: &str) -> Result<(), Failure> {
        if matches!(self.format, Format::Table | Format::Markdown) {
            self.separate()?;
            writeln!(self.out, "{text}")?;
        }
        Ok(())
    }

    /// Hands everything printed so far to the reader.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    /// In Markdown a table ends at an empty line, and at nothing else.
    fn separate(&mut self) -> Result<(), Failure> {
        if self.format == Format::Markdown && self.printed {
            writeln!(self.out)?;
        }
        self.printed = true;
        Ok(())
    }
}

/// Prints one result, batch after batch.
pub(crate) struct ResultPrinter<'a, W> {
    printer: &'a mut Printer<W>,
    layout: Box<dyn Layout>,
    rows: u64,
    begun: bool,
}

impl<W: Write> ResultPrinter<'_, W> {
    /// Prints the rows of a batch, as far as the limit goes.
    pub(crate) fn batch(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        self.begin()?;
        let room = self.printer.limit.saturating_sub(self.rows);
        self.rows += batch.num_rows() as u64;
        if room == 0 || batch.num_rows() == 0 {
            return Ok(());
        }
        let shown = batch.slice(
            0,
            batch
                .num_rows()
                .min(usize::try_from(room).unwrap_or(usize::MAX)),
        );
        self.layout.rows(&shown, &mut self.printer.out)?;
        if self.rows >= self.printer.limit {
            // The rest is only counted, which may take long: the reader sees the first rows now.
            self.layout.settle(&mut self.printer.out)?;
            self.printer.flush()?;
        }
        Ok(())
    }

    /// Ends a whole result.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        self.begin()?;
        let hidden = self.rows.saturating_sub(self.printer.limit);
        self.layout.settle(&mut self.printer.out)?;
        if hidden > 0 {
            let line = format!(
                "... {hidden} more row{}; -c and -f print all of them",
                if hidden == 1 { "" } else { "s" }
            );
            match self.printer.format {
                Format::Table => writeln!(self.printer.out, "{line}")?,
                // No reader of these formats could tell the line from a row.
                Format::Csv | Format::Tsv | Format::Json | Format::Markdown => {
                    let _ = writeln!(std::io::stderr(), "{line}");
                }
            }
        }
        self.layout.end(self.rows, &mut self.printer.out)
    }

    fn begin(&mut self) -> Result<(), Failure> {
        if !std::mem::replace(&mut self.begun, true) {
            self.printer.separate()?;
        }
        Ok(())
    }
}
