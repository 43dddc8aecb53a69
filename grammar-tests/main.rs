//! Every test that speaks SQL, one topic a file.

mod api;
mod bad_input;
mod command_line;
mod concurrency;
mod copy;
mod deep;
mod define;
mod documents;
mod floors;
mod golden;
mod grammar;
mod newcomer;
mod results;
mod support;
mod traps;
mod writes;
