//! Reads from end to end, without statements that write.

mod errors;
mod plans;
mod scans;
mod support;
mod types;
