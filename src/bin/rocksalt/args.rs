//! The options of the command line.

use std::path::PathBuf;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, ValueEnum};

/// SQL over salted tables on RocksDB.
///
/// On a terminal this is a prompt: end a statement with `;`, `\?` lists the commands. Otherwise,
/// or with -c or -f, it runs the statements and exits: 0 if all of them succeeded, 1 if one
/// failed, 2 for wrong usage.
#[derive(Debug, Parser)]
#[command(name = "rocksalt", version, verbatim_doc_comment)]
pub(crate) struct Args {
    /// The folder of the database, made if missing; without it the database is in memory
    pub path: Option<PathBuf>,

    /// Run these statements and exit; may be repeated, and mixed with -f in the order given
    #[arg(short = 'c', long = "command", value_name = "SQL")]
    command: Vec<String>,

    /// Run the statements of a file and exit; `-` is standard input
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    file: Vec<PathBuf>,

    /// How results are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// What NULL looks like (json always says null); COPY reads the empty field as NULL, so write
    /// --null '' for a csv to load again
    #[arg(long, value_name = "TEXT", default_value = "NULL")]
    pub null: String,

    /// Go on after a statement that failed; the exit code is still 1
    #[arg(long)]
    pub keep_going: bool,

    /// Open a database whose log is damaged at the last point before the damage; what was
    /// written after it is lost
    #[arg(long, requires = "path")]
    pub recover: bool,

    /// Check the plans of the statements in a file, and exit: 0 if each is as the comments before
    /// its statement expect (`-- expect: PointGet`, `-- expect: no Sort`,
    /// `-- expect: buckets <= 1`), 1 if one is not
    #[arg(
        long,
        value_name = "FILE",
        requires = "schema",
        conflicts_with_all = ["path", "command", "file", "keep_going"]
    )]
    pub plan_test: Option<PathBuf>,

    /// The CREATE TABLEs of the tables that --plan-test is about; they are made in memory
    #[arg(long, value_name = "FILE", requires = "plan_test")]
    pub schema: Option<PathBuf>,

    /// What -c and -f ask for, in the order in which they were given.
    #[arg(skip)]
    pub sources: Vec<Source>,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns, and the number of rows below
    Table,
    /// A header line, then comma separated values, quoted as RFC 4180 says
    Csv,
    /// A header line, then tab separated values; tab, line ends and backslash as \t \n \r \\,
    /// which COPY does not undo: load csv
    Tsv,
    /// An array of objects
    Json,
    /// A table of GitHub's Markdown
    Markdown,
}

/// Where statements come from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Source {
    /// The text of a -c.
    Command(String),
    /// The file of a -f.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Args {
    /// The arguments of this process. Wrong usage, `--help` and `--version` end it here.
    pub(crate) fn of_process() -> Args {
        let matches = Args::command().get_matches();
        match Args::from_arg_matches(&matches) {
            Ok(mut args) => {
                args.sources = args.in_order(&matches);
                args
            }
            Err(error) => error.exit(),
        }
    }

    fn in_order(&self, matches: &ArgMatches) -> Vec<Source> {
        let indices = |id| matches.indices_of(id).into_iter().flatten();
        let commands = self.command.iter().cloned().map(Source::Command);
        let files = self.file.iter().map(|file| match file.as_os_str() == "-" {
            true => Source::Stdin,
            false => Source::File(file.clone()),
        });
        let mut sources: Vec<(usize, Source)> = indices("command").zip(commands).collect();
        sources.extend(indices("file").zip(files));
        sources.sort_by_key(|(index, _)| *index);
        sources.into_iter().map(|(_, source)| source).collect()
    }
}
