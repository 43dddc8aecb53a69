//! A scan as EXPLAIN prints it.

use std::sync::Arc;

use datafusion::common::Result as DataFusionResult;

use crate::engine::analysis::analyzed;
use crate::engine::index::Way;
use crate::engine::scan::exec::ScanExec;
use crate::engine::symbol;
use crate::plan::{self, PlanNode};
use crate::store::CursorOrder;

impl ScanExec {
    /// The scan as EXPLAIN prints it, below the merge of its buckets if there is one.
    pub(in crate::engine) fn explain(&self) -> PlanNode {
        if let Some(way) = self.late.as_ref().and_then(|late| late.way()) {
            return self.shown_by(way).unwrap_or_else(|_| self.shown());
        }
        self.shown()
    }

    /// The scan as it is when a join has named its keys.
    fn shown_by(&self, way: &Way) -> DataFusionResult<PlanNode> {
        let chosen = way.to(&self.path.filters, 0, &self.columns)?;
        let via = chosen.way.via.as_ref();
        Ok(ScanExec {
            entry: chosen.way.entry.clone(),
            via: via.cloned(),
            path: Arc::new(chosen.path),
            ..self.clone()
        }
        .shown())
    }

    fn shown(&self) -> PlanNode {
        let def = self.def();
        let taken = self.entry.index_names();
        let merged = self
            .order
            .as_ref()
            .filter(|order| order.merge_from > 0 || self.path.buckets.count() > 1);
        let options = plan::ScanOptions {
            columns: Some(&self.columns),
            ordered: self.order.is_some(),
            reverse: self.cursor_order() == CursorOrder::KeyReverse,
            limit: self.fetch.filter(|rows| !symbol::is_symbol(*rows)),
            joined: self.late.as_ref().map_or(&[], |late| late.joined()),
            groups: self.groups.map(|groups| plan::GroupOptions {
                columns: groups.columns,
                first: groups.first,
                last: groups.last,
            }),
            // None if it has indexes, and the statement does not want them.
            taken: (self.ways.is_some() || self.entry.ready_indexes().next().is_none())
                .then_some(taken.as_slice()),
            index: self.index_options(),
        };
        let mut scan = plan::Scan::new(def, &self.path, options);
        if self
            .late
            .as_ref()
            .is_some_and(|late| late.joins_bind_salt())
        {
            scan.note = None;
        }
        let counters = self.counters.as_ref();
        scan.analyzed = counters.map(|counters| analyzed(def, counters));
        let mut node = PlanNode::from(scan);
        if let Some(rows) = self.fetch.filter(|rows| symbol::is_symbol(*rows)) {
            node.text
                .push_str(&format!(", limit {}", symbol::limit_text(rows)));
        }
        let Some(order) = merged else { return node };
        let column = |(index, descending): &(usize, bool)| {
            Some((def.columns.get(*index)?.name.as_str(), *descending))
        };
        let text = plan::key_merge_text(order.merged.iter().filter_map(column));
        PlanNode::new(text, vec![node])
    }

    fn index_options(&self) -> Option<plan::IndexOptions<'_>> {
        self.via.as_ref().map(|via| plan::IndexOptions {
            table: &self.table().def,
            covering: !via.lookup,
        })
    }
}
