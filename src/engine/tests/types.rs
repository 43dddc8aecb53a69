//! The Arrow types of what a query returns.

use datafusion::arrow::datatypes::DataType;

use crate::engine::tests::support::{Column, Fixture};
use crate::types::{SqlType, Value};

const COLUMNS: [Column; 3] = [
    ("k", SqlType::BigInt, false),
    ("s", SqlType::Varchar(None), true),
    ("at", SqlType::Timestamp, true),
];

#[test]
fn text_is_utf8() {
    let fixture = Fixture::new(1);
    fixture.create("t", &COLUMNS, &["k"], 3);
    fixture.load(
        "t",
        [vec![
            Value::BigInt(1),
            Value::from("a-b"),
            Value::Timestamp(0),
        ]],
    );
    let mut other = Vec::new();
    for expr in [
        "s",
        "'x'",
        "upper(s)",
        "lower(s)",
        "s || 'x'",
        "concat(s, 'x')",
        "concat_ws('-', s, s)",
        "substr(s, 1, 2)",
        "substring(s FROM 1 FOR 1)",
        "split_part(s, '-', 1)",
        "trim(s)",
        "replace(s, 'a', 'b')",
        "left(s, 1)",
        "right(s, 1)",
        "lpad(s, 5)",
        "repeat(s, 2)",
        "reverse(s)",
        "initcap(s)",
        "translate(s, 'a', 'b')",
        "CAST(k AS VARCHAR)",
        "CASE WHEN k = 1 THEN s ELSE 'x' END",
        "coalesce(s, 'x')",
        "nullif(s, 'x')",
        "to_char(at, '%Y')",
        "regexp_replace(s, 'a', 'b')",
        "max(s)",
        "min(s)",
        "string_agg(s, ',')",
        "md5(s)",
        "encode(s, 'hex')",
        "chr(65)",
        "uuid()",
        "overlay(s PLACING 'x' FROM 1)",
        "first_value(s) OVER (ORDER BY k)",
        "lag(s) OVER (ORDER BY k)",
    ] {
        let sql = format!("SELECT {expr} AS x FROM t");
        match fixture.query(&sql) {
            Ok(batches) => {
                let data_type = batches[0].schema().field(0).data_type().clone();
                if data_type != DataType::Utf8 {
                    other.push(format!("{expr}: {data_type}"));
                }
            }
            Err(error) => other.push(format!("{expr}: {error}")),
        }
    }
    assert_eq!(other, Vec::<String>::new());
}
