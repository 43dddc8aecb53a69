//! Row values: the expansion, and its meaning by brute force.

use sqlparser::ast::{BinaryOperator, Expr, SelectItem, SetExpr, UnaryOperator, Value};

use super::{canonical, refused};
use rocksalt::sql::{Statement, parse};

#[test]
fn expansions() {
    let cases = [
        ("(a, b) = (1, 2)", "(a = 1 AND b = 2)"),
        ("(a, b) <> (1, 2)", "(a <> 1 OR b <> 2)"),
        ("(a, b) < (1, 2)", "(a < 1 OR (a = 1 AND b < 2))"),
        (
            "(a, b, c) >= (1, 2, 3)",
            "(a > 1 OR (a = 1 AND (b > 2 OR (b = 2 AND c >= 3))))",
        ),
        (
            "(a, b) IN ((1, 2), (3, 4))",
            "((a = 1 AND b = 2) OR (a = 3 AND b = 4))",
        ),
        ("(a, b) NOT IN ((1, 2))", "(NOT ((a = 1 AND b = 2)))"),
        (
            "(a, b) BETWEEN (1, 2) AND (3, 4)",
            "((a > 1 OR (a = 1 AND b >= 2)) AND (a < 3 OR (a = 3 AND b <= 4)))",
        ),
        ("ROW(a, b) = ROW(1, 2)", "(a = 1 AND b = 2)"),
        ("((a, b), c) = ((1, 2), 3)", "((a = 1 AND b = 2) AND c = 3)"),
        ("NOT (a, b) = (1, 2)", "NOT (a = 1 AND b = 2)"),
        (
            "(a + 1, lower(b)) = (c OR d, NULL)",
            "((a + 1) = (c OR d) AND lower(b) = NULL)",
        ),
        (
            "(a, b) IS DISTINCT FROM (1, NULL)",
            "(a IS DISTINCT FROM 1 OR b IS DISTINCT FROM NULL)",
        ),
        ("(a, b) IS NULL", "(a IS NULL AND b IS NULL)"),
        ("(a, b) IS NOT NULL", "(a IS NOT NULL AND b IS NOT NULL)"),
        (
            "(a, (c, d) < (5, 6)) = (1, true)",
            "(a = 1 AND (c < 5 OR (c = 5 AND d < 6)) = true)",
        ),
    ];
    for (row, written_out) in cases {
        let select = canonical(&format!("SELECT * FROM t WHERE {row}"));
        assert_eq!(
            select,
            format!("SELECT * FROM t WHERE {written_out}"),
            "{row}"
        );
        assert_eq!(canonical(&select), select);
    }
    // They are found everywhere.
    for (text, expected) in [
        (
            "DELETE FROM t WHERE (a, b) = (1, 2)",
            "DELETE FROM t WHERE (a = 1 AND b = 2)",
        ),
        (
            "UPDATE t SET c = (a, b) = (1, 2)",
            "UPDATE t SET c = (a = 1 AND b = 2)",
        ),
        (
            "UPSERT INTO t VALUES ((1, 2) = (1, 2))",
            "UPSERT INTO t VALUES ((1 = 1 AND 2 = 2))",
        ),
        (
            "SELECT 1 FROM t JOIN u ON (t.a, t.b) = (u.a, u.b)",
            "SELECT 1 FROM t JOIN u ON (t.a = u.a AND t.b = u.b)",
        ),
        (
            "SELECT (SELECT max(x) FROM u WHERE (a, b) = (1, 2))",
            "SELECT (SELECT max(x) FROM u WHERE (a = 1 AND b = 2))",
        ),
    ] {
        assert_eq!(canonical(text), expected);
    }
}

#[test]
fn bad_rows() {
    let _settings = super::snapshot_settings();
    insta::assert_snapshot!(
        [
            "SELECT * FROM t WHERE (a, b) = (1, 2, 3)",
            "SELECT * FROM t WHERE (a, b) = 1",
            "SELECT * FROM t WHERE a IN ((1, 2))",
            "SELECT * FROM t WHERE (a, b) IN (SELECT x, y FROM u)",
            "SELECT * FROM t WHERE (a, b) = (SELECT x, y FROM u)",
            "SELECT * FROM t WHERE (a, b) = ANY (SELECT x, y FROM u)",
            "SELECT * FROM t WHERE (a, b) BETWEEN (1, 2) AND (3, 4, 5)",
        ]
        .map(refused)
        .join("\n\n")
    );
}

/// The value of an expression over integers and booleans, `None` being NULL.
fn evaluate(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Nested(inner) => evaluate(inner),
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => Some(digits.parse().unwrap()),
            Value::Null => None,
            other => panic!("{other}"),
        },
        Expr::UnaryOp {
            op: UnaryOperator::Not,
            expr,
        } => evaluate(expr).map(|v| 1 - v),
        Expr::BinaryOp { left, op, right } => {
            let (left, right) = (evaluate(left), evaluate(right));
            match op {
                BinaryOperator::And => match (left, right) {
                    (Some(0), _) | (_, Some(0)) => Some(0),
                    (Some(1), Some(1)) => Some(1),
                    _ => None,
                },
                BinaryOperator::Or => match (left, right) {
                    (Some(1), _) | (_, Some(1)) => Some(1),
                    (Some(0), Some(0)) => Some(0),
                    _ => None,
                },
                _ => {
                    let (left, right) = (left?, right?);
                    Some(i64::from(match op {
                        BinaryOperator::Eq => left == right,
                        BinaryOperator::NotEq => left != right,
                        BinaryOperator::Lt => left < right,
                        BinaryOperator::LtEq => left <= right,
                        BinaryOperator::Gt => left > right,
                        BinaryOperator::GtEq => left >= right,
                        other => panic!("{other}"),
                    }))
                }
            }
        }
        other => panic!("{other}"),
    }
}

fn value_of(predicate: &str) -> Option<i64> {
    let parsed = parse(&format!("SELECT {predicate}")).unwrap();
    let Statement::Query(query) = parsed.statement else {
        panic!()
    };
    let SetExpr::Select(select) = *query.body else {
        panic!()
    };
    let SelectItem::UnnamedExpr(expr) = &select.projection[0] else {
        panic!()
    };
    evaluate(expr)
}

type Row = [Option<i64>; 2];

/// The standard's comparison of rows, part by part from the left: the first pair that is not
/// equal decides, and if it holds a NULL the result is unknown. Equality looks at every pair: one
/// that differs makes the rows different, whatever is NULL elsewhere.
fn by_definition(left: Row, op: &str, right: Row) -> Option<i64> {
    let pairs = left.into_iter().zip(right);
    if op == "=" || op == "<>" {
        let mut unknown = false;
        for (l, r) in pairs {
            match (l, r) {
                (Some(l), Some(r)) if l != r => return Some(i64::from(op == "<>")),
                (Some(_), Some(_)) => {}
                _ => unknown = true,
            }
        }
        return if unknown {
            None
        } else {
            Some(i64::from(op == "="))
        };
    }
    for (l, r) in pairs {
        let (l, r) = (l?, r?);
        if l != r {
            return Some(i64::from((l < r) == op.starts_with('<')));
        }
    }
    Some(i64::from(op.ends_with('=')))
}

fn text(row: Row) -> String {
    let part = |v: Option<i64>| v.map_or("NULL".to_owned(), |v| v.to_string());
    format!("({}, {})", part(row[0]), part(row[1]))
}

fn grid() -> Vec<Row> {
    let values = [None, Some(1), Some(2), Some(3)];
    values
        .iter()
        .flat_map(|&a| values.iter().map(move |&b| [a, b]))
        .collect()
}

#[test]
fn comparisons_mean_what_the_standard_says() {
    for left in grid() {
        for right in grid() {
            for op in ["=", "<>", "<", "<=", ">", ">="] {
                let predicate = format!("{} {op} {}", text(left), text(right));
                assert_eq!(
                    value_of(&predicate),
                    by_definition(left, op, right),
                    "{predicate}"
                );
            }
        }
    }
}

#[test]
fn in_and_between_mean_what_the_standard_says() {
    let not = |v: Option<i64>| v.map(|v| 1 - v);
    let or = |a, b| match (a, b) {
        (Some(1), _) | (_, Some(1)) => Some(1),
        (Some(0), Some(0)) => Some(0),
        _ => None,
    };
    let rows: Vec<Row> = grid()
        .into_iter()
        .filter(|row| *row != [Some(3), Some(3)])
        .collect();
    for &row in &rows {
        for &x in &rows {
            for &y in rows.iter().step_by(2) {
                let (r, a, b) = (text(row), text(x), text(y));
                let found = or(by_definition(row, "=", x), by_definition(row, "=", y));
                assert_eq!(value_of(&format!("{r} IN ({a}, {b})")), found);
                assert_eq!(value_of(&format!("{r} NOT IN ({a}, {b})")), not(found));
                let (above, below) = (by_definition(row, ">=", x), by_definition(row, "<=", y));
                let between = not(or(not(above), not(below)));
                assert_eq!(value_of(&format!("{r} BETWEEN {a} AND {b}")), between);
                assert_eq!(
                    value_of(&format!("{r} NOT BETWEEN {a} AND {b}")),
                    not(between)
                );
            }
        }
    }
}
