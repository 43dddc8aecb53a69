//! Byte order is value order, decoding returns what was encoded, and no bytes make it panic.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{Field, Schema};
use proptest::prelude::*;

use super::*;
use crate::ErrorKind;
use crate::types::nasty::{TYPES, any_nullable, any_pair, any_value};
use crate::types::{ColumnBuilder, SqlType, Value};

fn directions() -> impl Strategy<Value = (bool, bool)> {
    (any::<bool>(), any::<bool>())
}

fn encode(column: &KeyColumn, value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    column.encode_value(value, &mut bytes).unwrap();
    bytes
}

/// Equal, and of a float the one zero and the one NaN.
fn assert_stored(stored: &Value, written: &Value) {
    let bits = |value: &Value| match value {
        Value::Real(v) => Some(u64::from(v.to_bits())),
        Value::Double(v) => Some(v.to_bits()),
        _ => None,
    };
    let expected = match written {
        Value::Real(v) if v.is_nan() => Value::Real(f32::from_bits(0x7fc0_0000)),
        Value::Double(v) if v.is_nan() => Value::Double(f64::from_bits(0x7ff8_0000_0000_0000)),
        Value::Real(v) if *v == 0.0 => Value::Real(0.0),
        Value::Double(v) if *v == 0.0 => Value::Double(0.0),
        other => other.clone(),
    };
    match bits(&expected) {
        Some(bits_expected) => assert_eq!(bits(stored), Some(bits_expected)),
        None => assert_eq!(stored, &expected),
    }
}

/// What `None`, the text, and so on are in an array; read back through a builder.
fn array_of(sql_type: SqlType, values: &[Value]) -> ArrayRef {
    let mut builder = ColumnBuilder::new(sql_type, 0);
    values
        .iter()
        .for_each(|value| builder.append_value(value).unwrap());
    builder.finish().unwrap()
}

proptest! {
    #[test]
    fn byte_order_is_value_order((sql_type, a, b) in any_pair(), descending: bool) {
        let column = KeyColumn { sql_type, nullable: true, descending };
        let order = a.key_cmp(&b).unwrap();
        let order = if descending { order.reverse() } else { order };
        prop_assert_eq!(encode(&column, &a).cmp(&encode(&column, &b)), order);
        if !a.is_null() && !b.is_null() {
            let column = KeyColumn { nullable: false, ..column };
            prop_assert_eq!(encode(&column, &a).cmp(&encode(&column, &b)), order);
        }
    }

    /// No encoding is the beginning of another: what follows in a key does not change the order.
    #[test]
    fn what_follows_does_not_change_the_order(
        (sql_type, a, b) in any_pair(),
        (nullable, descending) in directions(),
        after_a: [u8; 3],
        after_b: [u8; 3],
    ) {
        prop_assume!(nullable || !(a.is_null() || b.is_null()));
        let column = KeyColumn { sql_type, nullable, descending };
        let (mut bytes_a, mut bytes_b) = (encode(&column, &a), encode(&column, &b));
        let order = bytes_a.cmp(&bytes_b);
        bytes_a.extend(after_a);
        bytes_b.extend(after_b);
        if order != Ordering::Equal {
            prop_assert_eq!(bytes_a.cmp(&bytes_b), order);
        }
    }

    #[test]
    fn a_key_column_decodes_to_what_was_encoded(
        (sql_type, a, b) in any_pair(),
        (nullable, descending) in directions(),
    ) {
        prop_assume!(nullable || !(a.is_null() || b.is_null()));
        let column = KeyColumn { sql_type, nullable, descending };
        let mut bytes = encode(&column, &a);
        bytes.extend(encode(&column, &b));

        let mut rest = bytes.as_slice();
        assert_stored(&column.decode_value(&mut rest).unwrap(), &a);
        let mut skipped = bytes.as_slice();
        column.skip(&mut skipped).unwrap();
        prop_assert_eq!(skipped, rest);
        assert_stored(&column.decode_value(&mut rest).unwrap(), &b);
        prop_assert!(rest.is_empty());

        let mut builder = ColumnBuilder::new(sql_type, 0);
        let mut rest = bytes.as_slice();
        column.decode_into(&mut rest, &mut builder).unwrap();
        column.decode_into(&mut rest, &mut builder).unwrap();
        let array = builder.finish().unwrap();
        prop_assert_eq!(array.data_type(), &sql_type.arrow());
        assert_stored(&Value::from_array(&array, 0).unwrap(), &a);
        assert_stored(&Value::from_array(&array, 1).unwrap(), &b);

        let array = array_of(sql_type, &[Value::Null, a, b]).slice(1, 2);
        let reader = ColumnReader::new(&array, &sql_type).unwrap();
        let mut from_array = Vec::new();
        column.encode_at(&reader, 0, &mut from_array).unwrap();
        column.encode_at(&reader, 1, &mut from_array).unwrap();
        prop_assert_eq!(from_array, bytes);
    }

    #[test]
    fn any_bytes_decode_or_are_corrupt(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(vec![0, 1, 2, 0xfd, 0xfe, 0xff])], 0..40),
        sql_type in prop::sample::select(TYPES),
        (nullable, descending) in directions(),
    ) {
        let column = KeyColumn { sql_type, nullable, descending };
        let mut rest = bytes.as_slice();
        match column.decode_value(&mut rest) {
            // What decodes at all has but one form, floats apart, of which only one NaN is written.
            Ok(value) if !matches!(sql_type, SqlType::Real | SqlType::Double) => {
                prop_assert_eq!(encode(&column, &value), &bytes[..bytes.len() - rest.len()]);
            }
            Ok(_) => {}
            Err(e) => prop_assert_eq!(e.kind(), ErrorKind::Corrupt),
        }
        let mut builder = ColumnBuilder::new(sql_type, 0);
        let appended = column.decode_into(&mut bytes.as_slice(), &mut builder).is_ok();
        prop_assert_eq!(builder.len(), usize::from(appended));
        let _ = builder.finish();
        let _ = column.skip(&mut bytes.as_slice());
    }
}

/// Columns with ids, and some rows of them.
fn any_rows() -> impl Strategy<Value = (Vec<(u16, SqlType)>, Vec<Vec<Value>>)> {
    let columns = prop::collection::btree_map(
        prop_oneof![0..12_u16, Just(255), Just(256), Just(u16::MAX)],
        prop::sample::select(TYPES),
        0..12,
    );
    columns.prop_flat_map(|columns| {
        let columns: Vec<(u16, SqlType)> = columns.into_iter().collect();
        let row = columns
            .iter()
            .map(|(_, sql_type)| any_nullable(*sql_type))
            .collect::<Vec<_>>();
        (Just(columns), prop::collection::vec(row, 1..4))
    })
}

fn stored(columns: &[(u16, SqlType)]) -> Vec<StoredColumn> {
    let missing = Value::Null;
    columns
        .iter()
        .map(|(id, t)| StoredColumn {
            id: *id,
            sql_type: *t,
            missing: missing.clone(),
        })
        .collect()
}

proptest! {
    #[test]
    fn a_row_value_decodes_to_what_was_encoded(
        (columns, rows) in any_rows(),
        order in any::<prop::sample::Index>(),
        added in any_pair(),
    ) {
        let encoder = RowEncoder::new(columns.clone());
        // A part of the columns, from the last to the first, with one that no row has.
        let first = order.index(columns.len() + 1);
        let mut wanted = stored(&columns[first..]);
        wanted.reverse();
        let (sql_type, missing, _) = added;
        wanted.insert(0, StoredColumn { id: 77, sql_type, missing: missing.clone() });
        let mut decoder = RowDecoder::new(wanted.clone());
        let mut builders: Vec<_> = wanted.iter().map(|c| ColumnBuilder::new(c.sql_type, 0)).collect();

        for row in &rows {
            let mut value = Vec::new();
            encoder.encode_values(row, &mut value).unwrap();
            let decoded = decoder.decode_values(&value).unwrap();
            prop_assert_eq!(&decoded[0].to_string(), &missing.to_string());
            for (stored, written) in decoded[1..].iter().zip(row[first..].iter().rev()) {
                assert_stored(stored, written);
            }
            decoder
                .decode_cells(&value, |column, cell| builders[column].append_cell(cell))
                .unwrap();
        }
        let arrays: Vec<ArrayRef> = builders.iter_mut().map(|b| b.finish().unwrap()).collect();
        for (i, array) in arrays[1..].iter().rev().enumerate() {
            prop_assert_eq!(array.len(), rows.len());
            for (n, row) in rows.iter().enumerate() {
                assert_stored(&Value::from_array(array, n).unwrap(), &row[first + i]);
            }
        }
    }

    #[test]
    fn a_row_from_arrays_has_the_bytes_of_the_row_from_values((columns, rows) in any_rows()) {
        let encoder = RowEncoder::new(columns.clone());
        let arrays: Vec<ArrayRef> = columns
            .iter()
            .enumerate()
            .map(|(i, (_, t))| array_of(*t, &rows.iter().map(|row| row[i].clone()).collect::<Vec<_>>()))
            .collect();
        let readers: Vec<ColumnReader> = arrays
            .iter()
            .zip(&columns)
            .map(|(array, (_, t))| ColumnReader::new(array, t).unwrap())
            .collect();
        for (n, row) in rows.iter().enumerate() {
            let (mut from_values, mut from_arrays) = (Vec::new(), Vec::new());
            encoder.encode_values(row, &mut from_values).unwrap();
            encoder.encode_row(&readers, n, &mut from_arrays).unwrap();
            prop_assert_eq!(from_values, from_arrays);
        }
    }

    #[test]
    fn damaged_row_values_decode_or_are_corrupt(
        (columns, rows) in any_rows(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
        garbage in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let encoder = RowEncoder::new(columns.clone());
        let mut decoder = RowDecoder::new(stored(&columns));
        let mut try_decode = |value: &[u8]| match decoder.decode_values(value) {
            Ok(_) => true,
            Err(e) => {
                assert_eq!(e.kind(), ErrorKind::Corrupt, "{e}");
                false
            }
        };
        for row in &rows {
            let mut value = Vec::new();
            encoder.encode_values(row, &mut value).unwrap();
            prop_assert!(try_decode(&value));
            let shorter = &value[..cut.index(value.len())];
            prop_assert!(!try_decode(shorter));
            let longer = [value.as_slice(), &[0]].concat();
            prop_assert!(!try_decode(&longer));
            for (at, byte) in &damage {
                let at = at.index(value.len());
                value[at] = *byte;
            }
            try_decode(&value);
        }
        try_decode(&garbage);
        let wide_garbage = [&[2, 3, 0][..], &garbage].concat();
        try_decode(&wide_garbage);
    }

    #[test]
    fn a_batch_has_the_columns_that_were_asked_for(
        (sql_type, a, b) in any_pair(),
        c in any_value(SqlType::Varchar(None)),
        descending: bool,
    ) {
        let varchar = SqlType::Varchar(None);
        let key = vec![
            KeyColumn { sql_type: varchar, nullable: false, descending },
            KeyColumn { sql_type, nullable: true, descending },
            KeyColumn { sql_type: varchar, nullable: false, descending: false },
        ];
        let encoder = RowEncoder::new(vec![(4, sql_type), (5, varchar)]);
        let field = |name: &str, t: SqlType| Field::new(name, t.arrow(), true);
        let schema = Arc::new(Schema::new(vec![
            field("b", sql_type), field("a", sql_type), field("missing", varchar), field("c", varchar),
        ]));
        let missing = StoredColumn { id: 9, sql_type: varchar, missing: "new".into() };
        let mut decoder = BatchDecoder::new(schema, key.clone(), vec![
            ColumnSource::Stored(StoredColumn { id: 4, sql_type, missing: Value::Null }),
            ColumnSource::Key(1),
            ColumnSource::Stored(missing),
            ColumnSource::Key(0),
        ]).unwrap();
        prop_assert!(decoder.needs_value());
        let (mut row_key, mut value) = (Vec::new(), Vec::new());
        key[0].encode_value(&c, &mut row_key).unwrap();
        key[1].encode_value(&a, &mut row_key).unwrap();
        key[2].encode_value(&"tail".into(), &mut row_key).unwrap();
        encoder.encode_values(&[b.clone(), c.clone()], &mut value).unwrap();
        for _ in 0..2 {
            decoder.push(&row_key, &value).unwrap();
            decoder.push(&row_key, &value).unwrap();
            prop_assert_eq!(decoder.len(), 2);
            let batch = decoder.finish().unwrap();
            prop_assert_eq!((decoder.len(), decoder.bytes()), (0, 0));
            for row in 0..2 {
                let at = |column: usize| Value::from_array(batch.column(column), row).unwrap();
                assert_stored(&at(0), &b);
                assert_stored(&at(1), &a);
                prop_assert_eq!(at(2), Value::from("new"));
                prop_assert_eq!(at(3), c.clone());
            }
        }
    }
}

#[test]
fn a_batch_without_columns_counts_rows() {
    let mut decoder = BatchDecoder::new(Arc::new(Schema::empty()), Vec::new(), Vec::new()).unwrap();
    assert!(!decoder.needs_value());
    (0..3).for_each(|_| decoder.push(b"any key", b"").unwrap());
    let batch: RecordBatch = decoder.finish().unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (3, 0));
    assert_eq!(decoder.finish().unwrap().num_rows(), 0);
}

/// At 65,535 bytes the narrow offsets end, and at 255 the narrow ids and counts.
#[test]
fn rows_become_wide_where_the_narrow_shape_ends() {
    let varchar = SqlType::Varchar(None);
    let format_of = |columns: Vec<(u16, SqlType)>, row: &[Value]| {
        let mut value = Vec::new();
        RowEncoder::new(columns.clone())
            .encode_values(row, &mut value)
            .unwrap();
        let decoded = RowDecoder::new(stored(&columns))
            .decode_values(&value)
            .unwrap();
        assert_eq!(decoded, row);
        value[0]
    };
    let text = |length: usize| Value::Text("x".repeat(length));
    let two = vec![(1, varchar), (2, varchar)];
    assert_eq!(format_of(two.clone(), &[text(65_535), text(0)]), 1);
    assert_eq!(format_of(two.clone(), &[text(65_535), text(1)]), 2);
    assert_eq!(format_of(two, &[text(3_000_000), text(1)]), 2);
    assert_eq!(format_of(vec![(255, varchar)], &[text(1)]), 1);
    assert_eq!(format_of(vec![(256, varchar)], &[text(1)]), 2);
    let many = |count: u16| {
        (0..count)
            .map(|id| (id, SqlType::TinyInt))
            .collect::<Vec<_>>()
    };
    assert_eq!(format_of(many(255), &vec![Value::TinyInt(-1); 255]), 1);
    assert_eq!(format_of(many(256), &vec![Value::TinyInt(-1); 256]), 2);
}

#[test]
fn null_in_a_not_null_key_column_is_a_constraint_error() {
    let column = KeyColumn {
        sql_type: SqlType::Date,
        nullable: false,
        descending: true,
    };
    let mut bytes = b"before".to_vec();
    let error = column.encode_value(&Value::Null, &mut bytes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Constraint);
    assert_eq!(bytes, b"before");
}

/// Text that is not UTF-8 is found, in a key as in a value, by both ways of decoding.
#[test]
fn text_that_is_not_utf8_is_corrupt() {
    let column = KeyColumn {
        sql_type: SqlType::Varchar(None),
        nullable: false,
        descending: false,
    };
    let key = [b'a', 0xff, 0, 1];
    assert_eq!(
        column.decode_value(&mut &key[..]).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
    let mut builder = ColumnBuilder::new(column.sql_type, 0);
    column.decode_into(&mut &key[..], &mut builder).unwrap();
    assert_eq!(builder.finish().unwrap_err().kind(), ErrorKind::Corrupt);
    assert!(builder.is_empty());

    let binary = RowEncoder::new(vec![
        (1, SqlType::Varbinary(None)),
        (2, SqlType::Varbinary(None)),
    ]);
    let mut value = Vec::new();
    // Each half of 'é' alone is no text, though both in a row are.
    binary
        .encode_values(&[vec![0xc3].into(), vec![0xa9].into()], &mut value)
        .unwrap();
    let wanted = stored(&[(1, SqlType::Varchar(None)), (2, SqlType::Varchar(None))]);
    let mut decoder = RowDecoder::new(wanted);
    assert_eq!(
        decoder.decode_values(&value).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
}
