//! Random predicates, always the same ones, shrunk to the smallest that fails.

use datafusion::logical_expr::expr::{Between, BinaryExpr, InList, Like};
use datafusion::logical_expr::{Expr, Operator, col};
use datafusion::scalar::ScalarValue;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::{Grid, Key};
use crate::types::{SqlType, Value};

/// A column and the constants that it is compared with.
#[derive(Debug, Clone)]
struct Operands {
    name: &'static str,
    constants: Vec<ScalarValue>,
    is_text: bool,
    is_boolean: bool,
}

fn comparison(operands: Operands) -> BoxedStrategy<Expr> {
    use Operator::*;
    let Operands {
        name,
        constants,
        is_text,
        is_boolean,
    } = operands;
    let constant = prop::sample::select(constants).prop_map(|scalar| Expr::Literal(scalar, None));
    let op = prop::sample::select(vec![
        Eq,
        Eq,
        NotEq,
        Lt,
        LtEq,
        Gt,
        GtEq,
        IsDistinctFrom,
        IsNotDistinctFrom,
    ]);
    let binary = move |left: Expr, op, right: Expr| {
        Expr::BinaryExpr(BinaryExpr {
            left: Box::new(left),
            op,
            right: Box::new(right),
        })
    };
    let mut leaves = vec![
        (op.clone(), constant.clone())
            .prop_map(move |(op, constant)| binary(col(name), op, constant))
            .boxed(),
        (op, constant.clone())
            .prop_map(move |(op, constant)| binary(constant, op, col(name)))
            .boxed(),
        (prop::collection::vec(constant.clone(), 1..6), any::<bool>())
            .prop_map(move |(list, negated)| {
                Expr::InList(InList {
                    expr: Box::new(col(name)),
                    list,
                    negated,
                })
            })
            .boxed(),
        (constant.clone(), constant, any::<bool>())
            .prop_map(move |(low, high, negated)| {
                let (low, high) = (Box::new(low), Box::new(high));
                Expr::Between(Between {
                    expr: Box::new(col(name)),
                    negated,
                    low,
                    high,
                })
            })
            .boxed(),
        any::<bool>()
            .prop_map(move |null| {
                if null {
                    col(name).is_null()
                } else {
                    col(name).is_not_null()
                }
            })
            .boxed(),
    ];
    if is_text {
        let pattern = prop::sample::select(vec!["a%", "%", "a_", "", "aa", "_%", "a\\%%", "b%b"]);
        let like = (pattern, any::<bool>()).prop_map(move |(pattern, negated)| {
            let pattern = Box::new(Expr::Literal(ScalarValue::from(pattern), None));
            let expr = Box::new(col(name));
            Expr::Like(Like {
                negated,
                expr,
                pattern,
                escape_char: None,
                case_insensitive: false,
            })
        });
        leaves.push(like.boxed());
    }
    if is_boolean {
        leaves.push(Just(col(name)).boxed());
    }
    prop::strategy::Union::new(leaves).boxed()
}

fn predicates(operands: Vec<Operands>) -> BoxedStrategy<Expr> {
    let mut leaves: Vec<_> = operands.into_iter().map(comparison).collect();
    // A column that is no part of the key.
    leaves.push(
        prop::sample::select(vec![0, 1, 2])
            .prop_map(|v| col("v").eq(Expr::Literal(ScalarValue::Int32(Some(v)), None)))
            .boxed(),
    );
    leaves.push(
        prop::sample::select(vec![Some(true), Some(false), None])
            .prop_map(|v| Expr::Literal(ScalarValue::Boolean(v), None))
            .boxed(),
    );
    // Few of the two above, many comparisons.
    let weights = leaves.len() as u32 - 2;
    let weighted = leaves
        .into_iter()
        .enumerate()
        .map(|(at, leaf)| (if at as u32 >= weights { 1 } else { 6 }, leaf))
        .collect();
    prop::strategy::Union::new_weighted(weighted)
        .prop_recursive(4, 12, 3, |inner| {
            prop_oneof![
                4 => prop::collection::vec(inner.clone(), 2..4)
                    .prop_map(|terms| terms.into_iter().reduce(Expr::and).unwrap()),
                4 => prop::collection::vec(inner.clone(), 2..4)
                    .prop_map(|terms| terms.into_iter().reduce(Expr::or).unwrap()),
                2 => inner.clone().prop_map(|e| Expr::Not(Box::new(e))),
                1 => (inner, 0..7).prop_map(|(e, test)| {
                    let e = Box::new(e);
                    match test {
                        0 => Expr::IsTrue(e),
                        1 => Expr::IsFalse(e),
                        2 => Expr::IsUnknown(e),
                        3 => Expr::IsNotTrue(e),
                        4 => Expr::IsNotFalse(e),
                        5 => Expr::IsNotUnknown(e),
                        _ => Expr::IsNull(e),
                    }
                }),
            ]
        })
        .boxed()
}

/// `ROCKSALT_PREDICATES` makes the run longer.
fn run(keys: Vec<Key>, operands: Vec<Operands>) {
    let grid = Grid::new(keys);
    let cases = std::env::var("ROCKSALT_PREDICATES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(120);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let run = TestRunner::new_with_rng(config, rng).run(&predicates(operands), |predicate| {
        grid.check(&predicate, None)
            .map_err(|e| TestCaseError::fail(format!("{predicate}\n{e}")))
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}

fn operands(name: &'static str, constants: Vec<ScalarValue>) -> Operands {
    let has = |of: fn(&ScalarValue) -> bool| constants.iter().any(of);
    let is_text = has(|c| matches!(c, ScalarValue::Utf8(Some(_))));
    let is_boolean = has(|c| matches!(c, ScalarValue::Boolean(Some(_))));
    Operands {
        name,
        constants,
        is_text,
        is_boolean,
    }
}

fn decimal(unscaled: i128, scale: i8) -> ScalarValue {
    ScalarValue::Decimal128(Some(unscaled), 20, scale)
}

#[test]
fn integer_text_integer() {
    for nullable in [false, true] {
        let keys = vec![
            Key::new("a", SqlType::Integer, [i32::MIN, 1, 2, 3, i32::MAX]),
            Key::new("b", SqlType::Varchar(None), ["", "a", "aa", "b"]),
            Key::new("c", SqlType::TinyInt, [1_i8, 2, 127]),
        ];
        let keys = keys
            .into_iter()
            .map(|k| if nullable { k.nullable() } else { k })
            .collect();
        let ints = [i32::MIN, 0, 1, 2, 3, i32::MAX].map(|v| ScalarValue::Int32(Some(v)));
        let mut a = ints.to_vec();
        a.extend([
            ScalarValue::Int64(Some(2)),
            ScalarValue::Int64(Some(1 << 33)),
            ScalarValue::Float64(Some(1.5)),
            decimal(25, 1),
            decimal(20, 1),
            ScalarValue::Int32(None),
        ]);
        let b = ["", "a", "a\0", "aa", "b", "c"]
            .map(ScalarValue::from)
            .to_vec();
        let c = [-129_i64, 0, 1, 2, 3, 127, 128]
            .map(|v| ScalarValue::Int64(Some(v)))
            .to_vec();
        run(
            keys,
            vec![operands("a", a), operands("b", b), operands("c", c)],
        );
    }
}

#[test]
fn boolean_double_decimal() {
    let money = |unscaled| Value::Decimal {
        unscaled,
        precision: 4,
        scale: 1,
    };
    let keys = vec![
        Key::new("p", SqlType::Boolean, [false, true]).nullable(),
        Key::new(
            "d",
            SqlType::Double,
            [f64::NEG_INFINITY, -0.5, 0.0, 0.1, 7.0, f64::NAN],
        ),
        Key {
            name: "m",
            sql_type: SqlType::Decimal {
                precision: 4,
                scale: 1,
            },
            values: [-9999, 0, 5, 10, 9999].map(money).to_vec(),
        }
        .nullable(),
    ];
    let p = [Some(true), Some(false), None]
        .map(ScalarValue::Boolean)
        .to_vec();
    let d = [f64::NEG_INFINITY, -0.5, 0.0, 0.1, f64::INFINITY, f64::NAN]
        .map(|v| ScalarValue::Float64(Some(v)))
        .into_iter()
        .chain([ScalarValue::Int64(Some(7)), ScalarValue::Float32(Some(0.1))])
        .collect();
    let m = [
        (0, 0),
        (5, 1),
        (51, 2),
        (49, 2),
        (10_000, 0),
        (-10_000, 0),
        (1, 0),
    ]
    .map(|(v, s)| decimal(v, s))
    .into_iter()
    .chain([
        ScalarValue::Int64(Some(1)),
        ScalarValue::Decimal128(None, 4, 1),
    ])
    .collect();
    run(
        keys,
        vec![operands("p", p), operands("d", d), operands("m", m)],
    );
}

#[test]
fn date_timestamp() {
    const DAY: i64 = 86_400_000_000;
    let keys = vec![
        Key {
            name: "d",
            sql_type: SqlType::Date,
            values: [-1, 0, 1, 15_706].map(Value::Date).to_vec(),
        }
        .nullable(),
        Key {
            name: "ts",
            sql_type: SqlType::Timestamp,
            values: [-1, 0, 1, DAY, DAY + 1, 15_706 * DAY]
                .map(Value::Timestamp)
                .to_vec(),
        },
    ];
    let constants: Vec<ScalarValue> = [-1, 0, 1, 15_706]
        .map(|v| ScalarValue::Date32(Some(v)))
        .into_iter()
        .chain([-1, 0, 1, DAY, DAY / 2].map(|v| ScalarValue::TimestampMicrosecond(Some(v), None)))
        .chain(
            [-1, 0, 500, 1_000, 1_000 * DAY]
                .map(|v| ScalarValue::TimestampNanosecond(Some(v), None)),
        )
        .chain([ScalarValue::Date32(None)])
        .collect();
    run(
        keys,
        vec![operands("d", constants.clone()), operands("ts", constants)],
    );
}
