//! `now()` as a TIMESTAMP of the dialect: microseconds, in UTC, without a zone.
//!
//! DataFusion's has nanoseconds, which end in the year 2262, and so would everything that it is
//! compared with.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::scalar::ScalarValue;

use crate::engine::error::defect;
use crate::types::SqlType;

/// The time at which the statement began, whatever row it is asked for.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Now {
    signature: Signature,
    aliases: Vec<String>,
}

/// `now()` and `current_timestamp`.
pub(in crate::engine) fn now() -> ScalarUDF {
    ScalarUDF::from(Now {
        signature: Signature::nullary(Volatility::Stable),
        aliases: vec!["current_timestamp".to_owned()],
    })
}

impl ScalarUDFImpl for Now {
    fn name(&self) -> &str {
        "now"
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(SqlType::Timestamp.arrow())
    }

    fn simplify(&self, args: Vec<Expr>, context: &SimplifyContext) -> Result<ExprSimplifyResult> {
        // EXPLAIN has no time: there it stays a symbol.
        let Some(now) = context.query_execution_start_time() else {
            return Ok(ExprSimplifyResult::Original(args));
        };
        let micros = ScalarValue::TimestampMicrosecond(Some(now.timestamp_micros()), None);
        Ok(ExprSimplifyResult::Simplified(Expr::Literal(micros, None)))
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Err(defect("now() is known before a statement is executed"))
    }
}
