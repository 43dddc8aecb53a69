//! Tokens by themselves: what goes in comes out, and nothing else is taken for one.

use std::time::Duration;

use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::bytes::{Input, Output};
use super::spec::{Filter, Spec, TableId, find_columns, key_fingerprint};
use super::token::ScanToken;
use crate::catalog::{ColumnDef, KeyPart, TableDef};
use crate::error::ErrorKind;
use crate::key::{BucketSet, ByteRange, Salting};
use crate::store::CursorOrder;
use crate::table::{Portions, Position};
use crate::types::nasty::{TYPES, any_nullable};
use crate::types::{SqlType, Value};

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..40)
}

fn any_value() -> impl Strategy<Value = Value> {
    prop::sample::select(TYPES).prop_flat_map(any_nullable)
}

fn any_buckets() -> impl Strategy<Value = BucketSet> {
    prop_oneof![
        (0..=256_u16).prop_map(BucketSet::all),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(|buckets| {
            let mut set = BucketSet::default();
            buckets.into_iter().for_each(|bucket| set.insert(bucket));
            set
        }),
    ]
}

fn any_filter() -> impl Strategy<Value = Filter> {
    (any::<String>(), prop::collection::vec(any_value(), 0..4))
        .prop_map(|(text, values)| Filter { text, values })
}

fn any_spec() -> impl Strategy<Value = Spec> {
    let table = (any::<u32>(), any::<String>(), any::<String>(), any::<u64>());
    let table = table.prop_map(|(id, schema, name, key)| TableId {
        id,
        schema,
        name,
        key,
    });
    let columns = prop::collection::vec((any::<u16>(), any::<String>()), 0..5);
    let range = (any_bytes(), prop::option::of(any_bytes()))
        .prop_map(|(start, end)| ByteRange { start, end });
    let order = prop::sample::select(vec![
        CursorOrder::Any,
        CursorOrder::Key,
        CursorOrder::KeyReverse,
    ]);
    let limit = any::<u64>().prop_map(|nanos| Duration::from_nanos(nanos.min(u64::MAX - 1)));
    let portions =
        (any::<usize>(), prop::option::of(limit)).prop_map(|(rows, time_limit)| Portions {
            rows,
            time_limit,
            positions: true,
        });
    let filters = prop::collection::vec(any_filter(), 0..3);
    let when = any::<i64>();
    (
        table,
        columns,
        range,
        any_buckets(),
        filters,
        when,
        order,
        portions,
    )
        .prop_map(
            |(table, columns, range, buckets, filters, started, order, portions)| Spec {
                table,
                columns,
                range,
                buckets,
                filters,
                started,
                order,
                portions,
            },
        )
}

fn any_position() -> impl Strategy<Value = Position> {
    prop_oneof![
        Just(Position::Start),
        Just(Position::End),
        (any::<u8>(), any_bytes()).prop_map(|(bucket, key)| Position::After { bucket, key }),
    ]
}

/// Values as they read: a NaN is not equal to itself.
fn shown(spec: &Spec) -> String {
    format!("{spec:?}")
}

/// Bytes with the checksum that a token would have.
fn sealed(mut body: Vec<u8>) -> Vec<u8> {
    let sum = xxh3_64(&body) as u32;
    body.extend_from_slice(&sum.to_le_bytes());
    body
}

proptest! {
    #[test]
    fn what_goes_in_comes_out(
        spec in any_spec(),
        position in any_position(),
        remaining in prop::option::of(0..usize::MAX),
    ) {
        let token = ScanToken::encode(&spec, &position, remaining);
        for token in [
            ScanToken::from_bytes(token.as_bytes()).unwrap(),
            token.to_string().parse().unwrap(),
        ] {
            let (read, at, left) = token.decode().unwrap();
            // Keys know one zero and one NaN, and so do the values.
            let normal = |text: String| text.replace("-0.0", "0.0").replace("-NaN", "NaN");
            prop_assert_eq!(normal(shown(&read)), normal(shown(&spec)));
            prop_assert_eq!(&at, &position);
            prop_assert_eq!(left, remaining);
        }
    }

    /// No bytes do harm, those with the right checksum neither.
    #[test]
    fn garbage_is_refused(
        body in any_bytes(),
        spec in any_spec(),
        cut in any::<prop::sample::Index>(),
        flip in any::<(prop::sample::Index, u8)>(),
    ) {
        prop_assert!(ScanToken::from_bytes(&body).is_err());
        let _ = ScanToken::from_bytes(&sealed(body));

        let token = ScanToken::encode(&spec, &Position::Start, None);
        let bytes = token.as_bytes();
        let body = &bytes[..bytes.len() - 4];
        let cut = &body[..cut.index(body.len())];
        prop_assert!(ScanToken::from_bytes(&sealed(cut.to_vec())).is_err());
        let mut longer = body.to_vec();
        longer.push(0);
        prop_assert!(ScanToken::from_bytes(&sealed(longer)).is_err());
        let mut flipped = body.to_vec();
        flipped[flip.0.index(body.len())] ^= flip.1;
        let _ = ScanToken::from_bytes(&sealed(flipped));
    }

    #[test]
    fn numbers_and_buckets_come_back(number: u64, buckets in any_buckets()) {
        let mut out = Output::default();
        out.number(number);
        out.buckets(&buckets);
        let mut input = Input(&out.0);
        prop_assert_eq!(input.number(), Some(number));
        prop_assert_eq!(input.buckets(), Some(buckets));
        prop_assert!(input.0.is_empty());
    }
}

#[test]
fn a_number_beyond_64_bits_is_none() {
    assert_eq!(Input(&[0xff; 20]).number(), None);
    let mut largest = Output::default();
    largest.number(u64::MAX);
    assert_eq!(Input(&largest.0).number(), Some(u64::MAX));
    if let Some(last) = largest.0.last_mut() {
        *last += 2;
    }
    assert_eq!(Input(&largest.0).number(), None);
}

/// A later release says so; this one knows that it does not know.
#[test]
fn a_token_of_a_later_release_is_unsupported() {
    let later = ScanToken::from_bytes(&sealed(vec![2, 3, 4])).unwrap_err();
    assert_eq!(later.kind(), ErrorKind::Unsupported);
    let none = ScanToken::from_bytes(&sealed(vec![])).unwrap_err();
    assert_eq!(none.kind(), ErrorKind::Invalid);
}

fn def() -> TableDef {
    let column = |id, name: &str, sql_type| ColumnDef {
        id,
        name: name.to_owned(),
        sql_type,
        nullable: false,
        default: None,
        missing: Value::Null,
    };
    TableDef {
        id: 100,
        schema: "public".to_owned(),
        name: "t".to_owned(),
        columns: vec![
            column(0, "a", SqlType::Integer),
            column(1, "b", SqlType::Varchar(None)),
            column(4, "v", SqlType::Double),
        ],
        next_column_id: 0,
        key_name: None,
        key: vec![
            KeyPart {
                column: 0,
                descending: false,
            },
            KeyPart {
                column: 1,
                descending: true,
            },
        ],
        salting: Some(Salting::new(16, None)),
        null_keys_repeat: false,
        format_version: 1,
    }
}

#[test]
fn columns_are_found_by_id_and_keep_their_names() {
    let mut def = def();
    let wanted = [(4, "v".to_owned()), (0, "a".to_owned())];
    assert_eq!(find_columns(&def, &wanted).unwrap(), [2, 0]);
    let message = |def: &TableDef| {
        let error = find_columns(def, &wanted).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        error.message().to_owned()
    };
    // Others may come and go.
    def.columns.remove(1);
    assert_eq!(find_columns(&def, &wanted).unwrap(), [1, 0]);
    def.columns[1].name = "w".to_owned();
    assert_eq!(
        message(&def),
        "column v of t was renamed to w since the scan was suspended"
    );
    // Another column of the name is not the one.
    def.columns[1].name = "v".to_owned();
    def.columns[1].id = 5;
    assert_eq!(
        message(&def),
        "column v of t was dropped since the scan was suspended"
    );
}

#[test]
fn keys_of_other_bytes_have_another_fingerprint() {
    let one = key_fingerprint(&def());
    // What is written into tokens stays the same over releases.
    assert_eq!(
        one,
        xxh3_64(b"16 [0, 1], INTEGER false false, VARCHAR false true")
    );
    let changes: [fn(&mut TableDef); 7] = [
        |def| def.columns[0].sql_type = SqlType::BigInt,
        |def| def.columns[1].nullable = true,
        |def| def.key[0].descending = true,
        |def| def.key.reverse(),
        |def| def.salting = Some(Salting::new(17, None)),
        |def| def.salting = Some(Salting::new(16, Some(vec![0]))),
        |def| def.salting = None,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut other = def();
        change(&mut other);
        assert_ne!(key_fingerprint(&other), one, "{number}");
    }
    // What is no part of the key is no part of it.
    let mut other = def();
    other.columns[2].sql_type = SqlType::Boolean;
    other.name = "u".to_owned();
    assert_eq!(key_fingerprint(&other), one);
}
