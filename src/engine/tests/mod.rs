//! Reads from end to end, without statements that write.

mod aggregates;
mod errors;
mod joins;
mod loose;
mod ordered;
mod plans;
mod salt_bucket;
mod scans;
mod support;
mod types;
mod verify;
