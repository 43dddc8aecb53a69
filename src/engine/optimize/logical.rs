//! From DataFusion's physical expressions back to the logical ones that the where-optimizer reads.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::Column as LogicalColumn;
use datafusion::logical_expr::expr::{
    BinaryExpr as LogicalBinary, Case, Cast, InList, Like, Placeholder, ScalarFunction,
};
use datafusion::logical_expr::{ColumnarValue, Expr};
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, CastExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr,
    Literal, NegativeExpr, NotExpr,
};
use datafusion::physical_expr::scalar_subquery::ScalarSubqueryExpr;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};

use crate::catalog::TableDef;

/// What stands for a scalar subquery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Subqueries {
    /// A symbol of its number, as EXPLAIN names it.
    Symbols,
    /// Its value. The subqueries of a plan have run before anything else of it does.
    Values,
}

/// Reads expressions over the columns that a scan returns.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Logical<'a> {
    pub(in crate::engine) def: &'a TableDef,
    /// What is returned, as indices into the table's columns.
    pub(in crate::engine) columns: &'a [usize],
    pub(in crate::engine) subqueries: Subqueries,
}

impl Logical<'_> {
    /// The expression with the same value for every row, its columns found by their names in the
    /// table; `None` if it has no logical twin.
    pub(in crate::engine) fn expr(&self, expr: &Arc<dyn PhysicalExpr>) -> Option<Expr> {
        let boxed = |expr: &Arc<dyn PhysicalExpr>| Some(Box::new(self.expr(expr)?));
        let all = |exprs: &[Arc<dyn PhysicalExpr>]| {
            exprs
                .iter()
                .map(|expr| self.expr(expr))
                .collect::<Option<Vec<_>>>()
        };
        if let Some(column) = expr.downcast_ref::<Column>() {
            let column = self.def.columns.get(*self.columns.get(column.index())?)?;
            return Some(Expr::Column(LogicalColumn::new_unqualified(&column.name)));
        }
        if let Some(literal) = expr.downcast_ref::<Literal>() {
            return Some(Expr::Literal(literal.value().clone(), None));
        }
        if let Some(subquery) = expr.downcast_ref::<ScalarSubqueryExpr>() {
            return self.subquery(subquery);
        }
        if let Some(binary) = expr.downcast_ref::<BinaryExpr>() {
            return Some(Expr::BinaryExpr(LogicalBinary {
                left: boxed(binary.left())?,
                op: *binary.op(),
                right: boxed(binary.right())?,
            }));
        }
        if let Some(cast) = expr.downcast_ref::<CastExpr>() {
            let to = cast.cast_type().clone();
            return Some(Expr::Cast(Cast::new(boxed(cast.expr())?, to)));
        }
        if let Some(not) = expr.downcast_ref::<NotExpr>() {
            return Some(Expr::Not(boxed(not.arg())?));
        }
        if let Some(negative) = expr.downcast_ref::<NegativeExpr>() {
            return Some(Expr::Negative(boxed(negative.arg())?));
        }
        if let Some(is_null) = expr.downcast_ref::<IsNullExpr>() {
            return Some(Expr::IsNull(boxed(is_null.arg())?));
        }
        if let Some(is_not_null) = expr.downcast_ref::<IsNotNullExpr>() {
            return Some(Expr::IsNotNull(boxed(is_not_null.arg())?));
        }
        if let Some(list) = expr.downcast_ref::<InListExpr>() {
            return Some(Expr::InList(InList {
                expr: boxed(list.expr())?,
                list: all(list.list())?,
                negated: list.negated(),
            }));
        }
        if let Some(like) = expr.downcast_ref::<LikeExpr>() {
            return Some(Expr::Like(Like {
                negated: like.negated(),
                expr: boxed(like.expr())?,
                pattern: boxed(like.pattern())?,
                escape_char: None,
                case_insensitive: like.case_insensitive(),
            }));
        }
        if let Some(case) = expr.downcast_ref::<CaseExpr>() {
            let branch = |(when, then): &(Arc<dyn PhysicalExpr>, Arc<dyn PhysicalExpr>)| {
                Some((boxed(when)?, boxed(then)?))
            };
            let optional = |expr: Option<&Arc<dyn PhysicalExpr>>| match expr {
                Some(expr) => boxed(expr).map(Some),
                None => Some(None),
            };
            return Some(Expr::Case(Case {
                expr: optional(case.expr())?,
                when_then_expr: case
                    .when_then_expr()
                    .iter()
                    .map(branch)
                    .collect::<Option<_>>()?,
                else_expr: optional(case.else_expr())?,
            }));
        }
        let function = expr.downcast_ref::<ScalarFunctionExpr>()?;
        let args = all(function.args())?;
        Some(Expr::ScalarFunction(ScalarFunction::new_udf(
            Arc::new(function.fun().clone()),
            args,
        )))
    }

    fn subquery(&self, subquery: &ScalarSubqueryExpr) -> Option<Expr> {
        let empty = Arc::new(Schema::empty());
        match self.subqueries {
            Subqueries::Values => match subquery.evaluate(&RecordBatch::new_empty(empty)).ok()? {
                ColumnarValue::Scalar(value) => Some(Expr::Literal(value, None)),
                ColumnarValue::Array(_) => None,
            },
            Subqueries::Symbols => {
                let field = subquery.return_field(&empty).ok()?;
                let field = Field::new("", field.data_type().clone(), true);
                let name = subquery_name(subquery);
                let symbol = Placeholder::new_with_field(name, Some(Arc::new(field)));
                Some(Expr::Placeholder(symbol))
            }
        }
    }
}

/// What EXPLAIN calls a scalar subquery: its number among those of its query.
pub(in crate::engine) fn subquery_name(subquery: &ScalarSubqueryExpr) -> String {
    #[expect(
        deprecated,
        reason = "nothing else tells the subqueries of a plan apart"
    )]
    let index = subquery.index().as_usize();
    format!("subquery {}", index + 1)
}

/// Whether an expression holds a scalar subquery.
pub(in crate::engine) fn has_subquery(expr: &Arc<dyn PhysicalExpr>) -> bool {
    expr.is::<ScalarSubqueryExpr>() || expr.children().into_iter().any(has_subquery)
}
