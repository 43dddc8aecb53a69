//! An access path with values for its symbols.

use datafusion::common::DataFusionError;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::Expr;
use datafusion::scalar::ScalarValue;

use crate::catalog::TableDef;
use crate::error::{Error, Result};
use crate::plan::constants::type_filters;
use crate::plan::narrow;
use crate::plan::operand::{Operand, is_symbol};
use crate::plan::path::{Access, AccessPath};
use crate::plan::typed::key_value;
use crate::types::Value;

impl AccessPath {
    /// The row key of a point get of one key without residual, the symbols having these values:
    /// the short way to what [`AccessPath::bind`] finds. `None` if it is another path, or if a
    /// value wants a second look: NULL, a float beside an exact column, a value that the column
    /// cannot hold.
    ///
    /// # Errors
    /// What `evaluate` returns.
    pub fn bind_key(
        &self,
        def: &TableDef,
        evaluate: &mut dyn FnMut(&Expr) -> Result<ScalarValue>,
    ) -> Result<Option<Vec<Value>>> {
        let Access::PointGet(keys) = &self.access else {
            return Ok(None);
        };
        let ([key], []) = (keys.as_slice(), self.residual.as_slice()) else {
            return Ok(None);
        };
        let mut values = Vec::with_capacity(key.len());
        for (operand, part) in key.iter().zip(&def.key) {
            let value = match operand {
                Operand::Value(value) => Some(value.clone()),
                Operand::Symbol(symbol) => match def.columns.get(part.column) {
                    Some(column) => key_value(&evaluate(symbol)?, &column.sql_type),
                    None => None,
                },
            };
            match value {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    /// The path with values for the symbols: parameters, `now()`, whatever expression without
    /// columns was not a literal. `evaluate` is asked for the value of each.
    ///
    /// The values are compared with the columns by the rules for literals: a text counts as
    /// quoted. The residual filters then hold literals too, which may still want type coercion.
    ///
    /// # Errors
    /// What `evaluate` returns; `Invalid` for a text that is not a value of the column's type.
    pub fn bind(
        &self,
        def: &TableDef,
        evaluate: &mut dyn FnMut(&Expr) -> Result<ScalarValue>,
    ) -> Result<AccessPath> {
        let mut failed = None;
        let mut filters = Vec::with_capacity(self.filters.len());
        for filter in &self.filters {
            let bound = filter.clone().transform_down(|expr| match expr {
                Expr::Literal(..) => Ok(Transformed::new(expr, false, TreeNodeRecursion::Jump)),
                expr if is_symbol(&expr) => match evaluate(&expr) {
                    Ok(scalar) => Ok(Transformed::new(
                        Expr::Literal(scalar, None),
                        true,
                        TreeNodeRecursion::Jump,
                    )),
                    Err(error) => {
                        let shown = DataFusionError::Plan(error.message().to_owned());
                        failed = Some(error);
                        Err(shown)
                    }
                },
                expr => Ok(Transformed::no(expr)),
            });
            match bound {
                Ok(bound) => filters.push(bound.data),
                Err(error) => {
                    return Err(failed.unwrap_or_else(|| Error::internal(error.to_string())));
                }
            }
        }
        narrow(def, &type_filters(filters, def)?)
    }
}
