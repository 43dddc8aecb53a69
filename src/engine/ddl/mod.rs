//! Statements about tables and settings.

pub(super) mod alter;
pub(super) mod define;
