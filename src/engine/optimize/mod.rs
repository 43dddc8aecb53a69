//! Rules on DataFusion's plans: what moves into the scans, and what they need not return.

pub(super) mod contradiction;
pub(super) mod filter_projection;
pub(super) mod join_reach;
pub(super) mod keys_below;
pub(super) mod logical;
pub(super) mod loose_key;
pub(super) mod loose_scan;
pub(super) mod physical_rules;
pub(super) mod probe_side;
pub(super) mod row_order;
pub(super) mod sort_pushdown;
pub(super) mod subquery_filter;
