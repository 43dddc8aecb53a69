//! Rows under keys that exist: ON DUPLICATE KEY after UPSERT, ON CONFLICT after INSERT.

mod counters;
mod duplicate_key;
mod on_conflict;
mod plans;
mod refused;
mod twin;
