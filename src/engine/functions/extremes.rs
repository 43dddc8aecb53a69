//! MIN and MAX of groups of floats.
//!
//! DataFusion compares the floats of a group as IEEE 754 does, beginning with the largest finite
//! number: NaN is then the greatest or the least by the order of the rows, and an infinity is lost.
//! One accumulator a group, which it has too, knows the order of SQL.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::{Result, ScalarValue};
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, ReversedUDAF,
    SetMonotonicity, Signature, StatisticsArgs,
};

/// `min` and `max`.
pub(in crate::engine) fn extremes() -> [Arc<AggregateUDF>; 2] {
    [min_udaf(), max_udaf()].map(|of| {
        let of = AggregateUDF::clone(&of);
        Arc::new(AggregateUDF::new_from_impl(Extreme { of }))
    })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Extreme {
    of: AggregateUDF,
}

impl AggregateUDFImpl for Extreme {
    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        !args.return_field.data_type().is_floating()
            && self.of.inner().groups_accumulator_supported(args)
    }

    fn name(&self) -> &str {
        self.of.name()
    }

    fn signature(&self) -> &Signature {
        self.of.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.of.return_type(types)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.of.accumulator(args)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.of.state_fields(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        self.of.create_groups_accumulator(args)
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.of.create_sliding_accumulator(args)
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.of.order_sensitivity()
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.of.reverse_udf()
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.of.coerce_types(types)
    }

    fn is_descending(&self) -> Option<bool> {
        self.of.is_descending()
    }

    fn value_from_stats(&self, args: &StatisticsArgs) -> Option<ScalarValue> {
        self.of.value_from_stats(args)
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.of.inner().set_monotonicity(data_type)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.of.documentation()
    }
}
