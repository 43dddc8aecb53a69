//! The fixed text of a window function.

use datafusion::physical_expr::window::WindowExpr;

use crate::engine::explain::expr;
use crate::engine::explain::names::Name;

/// The text of a window function over columns of these names.
pub(super) fn text(window: &dyn WindowExpr, names: &[Name]) -> String {
    let arguments = expr::texts(&window.expressions(), names);
    // DataFusion's name is `function(arguments) PARTITION BY ...`, made of its own column names.
    let function = window.name().split('(').next().unwrap_or_default();
    let mut over = Vec::new();
    if !window.partition_by().is_empty() {
        over.push(format!(
            "partition by {}",
            expr::texts(window.partition_by(), names)
        ));
    }
    if !window.order_by().is_empty() {
        over.push(format!("order by {}", expr::sort(window.order_by(), names)));
    }
    format!("{function}({arguments}) over ({})", over.join(" "))
}
