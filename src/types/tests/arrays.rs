//! Whole arrays are assigned as their values are.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, DictionaryArray, Float64Array, Int64Array, LargeStringArray, StringArray,
    StringViewArray, TimestampNanosecondArray,
};
use datafusion::arrow::datatypes::Int32Type;
use proptest::prelude::*;

use super::*;
use crate::types::nasty::{TYPES, any_nullable};

proptest! {
    /// An array is assigned as its rows are.
    #[test]
    fn arrays_are_assigned_as_values(
        (from, values) in prop::sample::select(TYPES).prop_flat_map(|t| {
            (Just(t), prop::collection::vec(any_nullable(t), 1..5))
        }),
        to in prop::sample::select(TYPES),
        same_type: bool,
    ) {
        let to = if same_type { from } else { to };
        let mut builder = ColumnBuilder::new(from, 0);
        values.iter().for_each(|value| builder.append_value(value).unwrap());
        let array = builder.finish().unwrap();
        let expected: Result<Vec<Value>, _> =
            values.iter().map(|value| assign_value(value, false, &to)).collect();
        match (assign_array(&array, &to), expected) {
            (Ok(array), Ok(expected)) => {
                prop_assert_eq!(array.data_type(), &to.arrow());
                for (row, expected) in expected.iter().enumerate() {
                    prop_assert!(same(&Value::from_array(&array, row).unwrap(), expected));
                }
            }
            (Err(a), Err(b)) => prop_assert_eq!(a.message(), b.message()),
            (a, b) => prop_assert!(false, "{:?} {:?}", a, b),
        }
    }
}

#[test]
fn an_array_in_which_nothing_changes_is_not_copied() {
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.5), None, Some(f64::NAN)]));
    assert!(Arc::ptr_eq(
        &floats,
        &assign_array(&floats, &SqlType::Double).unwrap()
    ));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["abc", "äöü"]));
    for to in [
        SqlType::Varchar(None),
        SqlType::Varchar(Some(3)),
        SqlType::Char(3),
    ] {
        assert!(Arc::ptr_eq(&texts, &assign_array(&texts, &to).unwrap()));
    }
}

/// The array types in which DataFusion gives what columns of ours hold.
#[test]
fn arrays_of_other_layouts_and_units_are_assigned() {
    let varchar = SqlType::Varchar(Some(3));
    let texts = vec![Some("abc"), None];
    let dictionary: DictionaryArray<Int32Type> = texts.iter().copied().collect();
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(StringViewArray::from(texts.clone())),
        Arc::new(LargeStringArray::from(texts.clone())),
        Arc::new(dictionary),
    ];
    for array in arrays {
        let assigned = assign_array(&array, &varchar).unwrap();
        assert_eq!(
            assigned.as_ref(),
            &StringArray::from(texts.clone()) as &dyn Array
        );
        let error = assign_array(&array, &SqlType::Char(2)).unwrap_err();
        assert_eq!(error.message(), "'abc' is too long for CHAR(2)");
    }
    let nanos: ArrayRef =
        Arc::new(TimestampNanosecondArray::from(vec![-1]).with_timezone("+01:00"));
    let micros = assign_array(&nanos, &SqlType::Timestamp).unwrap();
    assert_eq!(Value::from_array(&micros, 0).unwrap(), Value::Timestamp(-1));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(300)]));
    let error = assign_array(&numbers, &SqlType::TinyInt).unwrap_err();
    assert_eq!(error.message(), "300 is out of range for TINYINT");
    assert_eq!(
        assign_array(&numbers, &SqlType::SmallInt)
            .unwrap()
            .null_count(),
        1
    );
}
