//! ALTER TABLE: columns that come, go and change their name, over rows that stay as they are.

mod definitions;
mod readers;
mod rows;
mod twin;
