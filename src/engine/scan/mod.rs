//! The scan of one table: as DataFusion sees the table, plans its scan, and runs it.

pub(super) mod exec;
pub(super) mod fanout;
pub(super) mod join_filter;
pub(super) mod late;
pub(super) mod late_filters;
pub(super) mod order;
pub(super) mod provider;
pub(super) mod reads;
pub(super) mod residual;
mod routes;
mod shown;
