//! The function against the layout that writes use, for each type of a key column.

use crate::engine::tests::support::{Column, Fixture};
use crate::types::{SqlType, Value};

#[test]
fn every_type_of_key() {
    let decimal = SqlType::Decimal {
        precision: 10,
        scale: 2,
    };
    let nasty = Value::Text("\u{0}\u{1}é".to_owned());
    let columns: [Column; 8] = [
        ("b", SqlType::Boolean, true),
        ("i", SqlType::SmallInt, true),
        ("u", SqlType::UBigInt, false),
        ("f", SqlType::Double, false),
        ("d", decimal, false),
        ("s", SqlType::Varchar(None), true),
        ("x", SqlType::Varbinary(None), false),
        ("t", SqlType::Timestamp, false),
    ];
    let row = |n: u64| {
        let even = n.is_multiple_of(2);
        vec![
            if even {
                Value::Null
            } else {
                Value::Boolean(n.is_multiple_of(3))
            },
            if even {
                Value::SmallInt(-(n as i16))
            } else {
                Value::Null
            },
            Value::UBigInt(u64::MAX - n),
            Value::Double(if n == 0 { f64::NAN } else { 1.0 / n as f64 }),
            Value::Decimal {
                unscaled: -(n as i128),
                precision: 10,
                scale: 2,
            },
            if even { nasty.clone() } else { Value::Null },
            Value::Binary(vec![0; n as usize % 5]),
            Value::Timestamp(n as i64 * 1_000_000_007),
        ]
    };
    let mut buckets = 0;
    for (salt, key) in [
        (None, ["b", "i", "u", "f", "d", "s", "x", "t"]),
        (
            Some(vec![1, 4, 7]),
            [
                "s DESC", "b DESC", "x", "f DESC", "u", "d DESC", "t DESC", "i DESC",
            ],
        ),
    ] {
        for count in [1, 3, 16, 256] {
            let fixture = Fixture::new(2);
            fixture.create_salted("t", &columns, &key, count, salt.clone());
            fixture.load("t", (0..60).map(row));
            let state = fixture.catalog.state();
            let def = state.find_table("public", "t").unwrap().def.clone();
            let layout = def.key_layout();
            let expected: Vec<String> = (0..60)
                .rev()
                .map(|n| {
                    let row = row(n);
                    let key: Vec<Value> = def
                        .key
                        .iter()
                        .map(|part| row[part.column].clone())
                        .collect();
                    layout.encode(&key).unwrap().0.to_string()
                })
                .collect();
            assert_eq!(
                fixture.rows("SELECT salt_bucket(t) FROM t ORDER BY u"),
                expected
            );
            buckets += expected
                .iter()
                .collect::<std::collections::BTreeSet<_>>()
                .len();
        }
    }
    assert!(buckets > 2 * (1 + 3 + 10 + 30), "{buckets}");
}
