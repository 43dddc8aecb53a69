//! Where the prompt keeps what was typed.

use std::env;
use std::fs;
use std::path::PathBuf;

use rustyline::history::DefaultHistory;
use rustyline::{Editor, Helper};

/// The lines typed at earlier prompts. A history that cannot be read or written is none: nobody
/// should be kept from their data by it.
pub(crate) struct History {
    file: Option<PathBuf>,
}

impl History {
    /// Loads the history into the editor.
    pub(crate) fn load<H: Helper>(editor: &mut Editor<H, DefaultHistory>) -> History {
        let file = data_folder().map(|folder| folder.join("rocksalt"));
        let file = file.filter(|folder| fs::create_dir_all(folder).is_ok());
        let file = file.map(|folder| folder.join("history"));
        if let Some(file) = &file {
            let _ = editor.load_history(file);
        }
        History { file }
    }

    /// Adds what was typed, and saves it at once: a killed terminal loses nothing.
    pub(crate) fn add<H: Helper>(&self, editor: &mut Editor<H, DefaultHistory>, text: &str) {
        let added = editor.add_history_entry(text.trim_end()).unwrap_or(false);
        if let (true, Some(file)) = (added, &self.file) {
            let _ = editor.append_history(file);
        }
    }
}

/// The folder for what programs keep for this user.
fn data_folder() -> Option<PathBuf> {
    let absolute = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if cfg!(windows) {
        return absolute("APPDATA");
    }
    absolute("XDG_DATA_HOME").or_else(|| {
        let below = match cfg!(target_os = "macos") {
            true => "Library/Application Support",
            false => ".local/share",
        };
        env::home_dir().map(|home| home.join(below))
    })
}
