//! Constants typed in whole plans, before DataFusion's analyzer.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::TableReference;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::error::{ErrorKind, Result};
use crate::plan::type_constants;
use crate::types::SqlType;

/// Two tables of ours, `t` and `u`, and a foreign one, `f`, in one session.
struct Session {
    context: SessionContext,
    types: HashMap<(&'static str, &'static str), SqlType>,
    runtime: tokio::runtime::Runtime,
}

impl Session {
    fn new() -> Session {
        let t = [
            ("i", SqlType::Integer),
            ("s", SqlType::Varchar(None)),
            ("c", SqlType::Char(4)),
            ("d", SqlType::Date),
            ("ts", SqlType::Timestamp),
            (
                "m",
                SqlType::Decimal {
                    precision: 10,
                    scale: 2,
                },
            ),
            ("x", SqlType::Double),
            ("r", SqlType::Real),
            ("p", SqlType::Boolean),
        ];
        let u = [("i", SqlType::BigInt), ("c", SqlType::Char(2))];
        let mut config = SessionConfig::new();
        config.options_mut().sql_parser.parse_float_as_decimal = true;
        let context = SessionContext::new_with_config(config);
        let mut types = HashMap::new();
        let mut add = |table: &'static str, columns: &[(&'static str, SqlType)]| {
            let fields: Vec<Field> = columns
                .iter()
                .map(|(name, t)| Field::new(*name, t.arrow(), true))
                .collect();
            context
                .register_table(table, empty(Arc::new(Schema::new(fields))))
                .unwrap();
            types.extend(
                columns
                    .iter()
                    .map(|(name, sql_type)| ((table, *name), *sql_type)),
            );
        };
        add("t", &t);
        add("u", &u);
        let foreign = Schema::new(vec![Field::new("i", DataType::Int32, true)]);
        context
            .register_table("f", empty(Arc::new(foreign)))
            .unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        Session {
            context,
            types,
            runtime,
        }
    }

    fn plan(&self, sql: &str) -> LogicalPlan {
        self.runtime
            .block_on(self.context.state().create_logical_plan(sql))
            .unwrap()
    }

    fn typed(&self, sql: &str) -> Result<LogicalPlan> {
        let find = |table: &TableReference, name: &str| {
            self.types
                .iter()
                .find(|((t, n), _)| *t == table.table() && *n == name)
                .map(|(_, t)| *t)
        };
        type_constants(self.plan(sql), &find)
    }

    /// The plan after DataFusion's own work on it, which must still go through.
    fn optimized(&self, sql: &str) -> String {
        let plan = self.typed(sql).unwrap();
        self.context.state().optimize(&plan).unwrap().to_string()
    }

    /// The typed predicate of `SELECT * FROM t WHERE ...`.
    fn filter(&self, predicate: &str) -> String {
        match self
            .typed(&format!("SELECT * FROM t WHERE {predicate}"))
            .unwrap()
        {
            LogicalPlan::Projection(projection) => match projection.input.as_ref() {
                LogicalPlan::Filter(filter) => filter.predicate.to_string().replace("t.", ""),
                other => panic!("{other}"),
            },
            other => panic!("{other}"),
        }
    }
}

fn empty(schema: SchemaRef) -> Arc<MemTable> {
    Arc::new(MemTable::try_new(schema, vec![vec![]]).unwrap())
}

#[test]
fn literals_take_the_type_of_the_column() {
    let session = Session::new();
    for (sql, typed) in [
        ("i = 5", "i = Int32(5)"),
        ("5 < i", "i > Int32(5)"),
        ("i = '5'", "i = Int32(5)"),
        ("i = 5.0", "i = Int32(5)"),
        ("i = 5.5", "i = Decimal128(5.5,2,1)"),
        ("i = 2147483648", "i = Int64(2147483648)"),
        (
            "i IN (1, '2', 3.0, NULL)",
            "i IN ([Int32(1), Int32(2), Int32(3)]) OR Boolean(NULL)",
        ),
        (
            "i NOT IN (1, NULL)",
            "i NOT IN ([Int32(1)]) AND Boolean(NULL)",
        ),
        ("i IN (NULL)", "Boolean(NULL)"),
        ("i IN (1, 2.5)", "i IN ([Int32(1)])"),
        // A float is compared by itself, so that the others stay exact.
        (
            "i IN (1, CAST(0.5 AS DOUBLE))",
            "i IN ([Int32(1)]) OR i = CAST(Decimal128(0.5,1,1) AS Float64)",
        ),
        (
            "i NOT IN (1, CAST(0.5 AS DOUBLE), NULL)",
            "i NOT IN ([Int32(1)]) AND i != CAST(Decimal128(0.5,1,1) AS Float64) AND Boolean(NULL)",
        ),
        ("i BETWEEN '1' AND 2.0", "i BETWEEN Int32(1) AND Int32(2)"),
        ("i + 1 = '2'", "i + Int64(1) = Utf8(\"2\")"),
        ("i = s", "i = s"),
        ("i = $1", "i = $1"),
        ("s = 'a  '", "s = Utf8(\"a  \")"),
        ("c = 'a  '", "c = Utf8(\"a\")"),
        ("c LIKE 'a  '", "c LIKE Utf8(\"a\")"),
        ("c LIKE 'a%  '", "c LIKE Utf8(\"a%\")"),
        ("c LIKE 'a\\  '", "c LIKE Utf8(\"a\\  \")"),
        ("s LIKE 'a  '", "s LIKE Utf8(\"a  \")"),
        ("d = '2013-01-01'", "d = Date32(\"2013-01-01\")"),
        ("d = DATE '2013-01-01'", "d = Date32(\"2013-01-01\")"),
        (
            "d < TIMESTAMP '2013-01-01T12:00:00'",
            "d <= Date32(\"2013-01-01\")",
        ),
        (
            "d >= TIMESTAMP '2013-01-01T12:00:00'",
            "d > Date32(\"2013-01-01\")",
        ),
        (
            "d = TIMESTAMP '2013-01-01T12:00:00'",
            "d < Date32(\"2013-01-01\") AND d > Date32(\"2013-01-01\")",
        ),
        (
            "d NOT BETWEEN DATE '2013-01-01' AND TIMESTAMP '2013-01-01T12:00:00'",
            // DataFusion prints no parentheses after NOT.
            "NOT d >= Date32(\"2013-01-01\") AND d <= Date32(\"2013-01-01\")",
        ),
        (
            "ts = DATE '1970-01-02'",
            "ts = TimestampMicrosecond(86400000000, None)",
        ),
        (
            "ts = '1970-01-01 00:00:01'",
            "ts = TimestampMicrosecond(1000000, None)",
        ),
        (
            "ts < '1970-01-01 00:00:00.0000015'",
            "ts <= TimestampMicrosecond(1, None)",
        ),
        (
            "ts < DATE '9999-12-31'",
            "ts < TimestampMicrosecond(253402214400000000, None)",
        ),
        ("m = 1.5", "m = Decimal128(1.50,10,2)"),
        ("m = '1.5'", "m = Decimal128(1.50,10,2)"),
        ("m = '1.555'", "m = Decimal128(1.5550000000000000000,38,19)"),
        ("m = 1.555", "m = Decimal128(1.555,4,3)"),
        // No DECIMAL has room for both the column and the constant.
        (
            "m < 10000000000000000000000000000000000000",
            "m <= Decimal128(99999999.99,10,2)",
        ),
        (
            "m > -10000000000000000000000000000000000000",
            "m >= Decimal128(-99999999.99,10,2)",
        ),
        (
            "m <> -10000000000000000000000000000000000000",
            "m <= Decimal128(-99999999.99,10,2) OR m > Decimal128(-99999999.99,10,2)",
        ),
        (
            "m IN (1, 10000000000000000000000000000000000000)",
            "m IN ([Decimal128(1.00,10,2)])",
        ),
        (
            "m >= 0.0000000000000000000000000000001",
            "m > Decimal128(0.00,10,2)",
        ),
        ("x = 0.1", "x = Float64(0.1)"),
        ("x = -0.0", "x = Float64(0)"),
        ("x = '-0.0'", "x = Float64(0)"),
        ("x = 'NaN'", "x = Float64(NaN)"),
        ("r = 0.1", "r = Float32(0.1)"),
        (
            "r = CAST(0.1 AS DOUBLE)",
            "r = CAST(Decimal128(0.1,1,1) AS Float64)",
        ),
        ("p = 'true'", "p = Boolean(true)"),
        ("i = NULL", "i = NULL"),
        ("i IS DISTINCT FROM '5'", "i IS DISTINCT FROM Int32(5)"),
    ] {
        assert_eq!(session.filter(sql), typed, "{sql}");
    }
}

#[test]
fn what_is_no_value_of_the_type_is_an_error() {
    let session = Session::new();
    for (sql, message) in [
        ("i = 'x'", "'x' is not an INTEGER"),
        ("i = '1.5'", "'1.5' would lose its fraction as INTEGER"),
        ("i IN (1, 'x')", "'x' is not an INTEGER"),
        ("i BETWEEN 1 AND 'x'", "'x' is not an INTEGER"),
        (
            "i = '2147483648'",
            "'2147483648' is out of range for INTEGER",
        ),
        ("d = '2013-13-01'", "'2013-13-01' is not a DATE"),
        ("ts > 'yesterday'", "'yesterday' is not a TIMESTAMP"),
        ("m < 'x'", "'x' is not a DECIMAL(10, 2)"),
        ("p = 'maybe'", "'maybe' is not a BOOLEAN"),
        (
            "EXISTS (SELECT 1 FROM u WHERE u.i = 'x')",
            "'x' is not a BIGINT",
        ),
    ] {
        let error = session
            .typed(&format!("SELECT * FROM t WHERE {sql}"))
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Invalid, message),
            "{sql}"
        );
    }
}

#[test]
fn columns_are_followed_to_their_tables() {
    let session = Session::new();
    for sql in [
        "SELECT * FROM t AS a WHERE a.c = 'x '",
        "SELECT * FROM t AS a JOIN u AS b ON a.i = b.i AND a.c = 'x '",
        "SELECT * FROM u LEFT JOIN t ON u.i = t.i WHERE t.c = 'x '",
        "SELECT * FROM (SELECT c AS k, i FROM t) AS q WHERE q.k = 'x '",
        "WITH q AS (SELECT c AS k FROM t) SELECT * FROM q WHERE k = 'x '",
        "SELECT c, count(*) FROM t GROUP BY c HAVING c = 'x '",
        "SELECT DISTINCT c FROM t WHERE i IN (SELECT i FROM t WHERE c = 'x ')",
        "SELECT (SELECT max(i) FROM t WHERE c = 'x ') FROM u",
        "SELECT * FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.i = u.i AND t.c = 'x ')",
        "SELECT * FROM (SELECT c FROM t UNION ALL SELECT c FROM t) AS q WHERE c = 'x '",
        "SELECT * FROM (SELECT * FROM t ORDER BY i LIMIT 3) AS q WHERE c = 'x '",
        "SELECT CASE WHEN c = 'x ' THEN 1 ELSE 2 END FROM t",
        "SELECT c = 'x ' FROM t",
        "SELECT count(*) FILTER (WHERE c = 'x ') FROM t",
        "SELECT sum(CASE WHEN c = 'x ' THEN 1 END) OVER (ORDER BY i) FROM t",
        "SELECT * FROM t ORDER BY c = 'x '",
    ] {
        let plan = session.typed(sql).unwrap().display_indent().to_string();
        assert!(plan.contains("Utf8(\"x\")"), "{sql}\n{plan}");
        // Names of output columns stay as the statement has them.
        assert_eq!(
            session.typed(sql).unwrap().schema(),
            session.plan(sql).schema(),
            "{sql}"
        );
        session.optimized(sql);
    }
}

#[test]
fn other_columns_are_left_alone() {
    let session = Session::new();
    for sql in [
        "SELECT * FROM f WHERE i = '5'",
        "SELECT * FROM f JOIN t ON f.i = t.i WHERE f.i = '5'",
        "SELECT * FROM (SELECT max(i) AS i FROM t) AS q WHERE i = '5'",
        "SELECT * FROM (SELECT c || '' AS c FROM t) AS q WHERE c = 'x '",
        "SELECT * FROM (SELECT c FROM t UNION ALL SELECT s FROM t) AS q WHERE c = 'x '",
    ] {
        let before = session.plan(sql).display_indent().to_string();
        assert_eq!(
            session.typed(sql).unwrap().display_indent().to_string(),
            before,
            "{sql}"
        );
    }
}

#[test]
fn a_long_chain_is_balanced() {
    let session = Session::new();
    let terms: Vec<String> = (0..5_000).map(|i| format!("i < {i}")).collect();
    let sql = format!("SELECT * FROM t WHERE {}", terms.join(" OR "));
    // The statement itself is as deep as it is long: DataFusion's own passes need the stack.
    let run = move || {
        let typed = session.typed(&sql).unwrap();
        let mut depth = 0;
        if let LogicalPlan::Projection(projection) = &typed
            && let LogicalPlan::Filter(filter) = projection.input.as_ref()
        {
            let mut expr = &filter.predicate;
            while let datafusion::logical_expr::Expr::BinaryExpr(binary) = expr {
                depth += 1;
                expr = &binary.left;
            }
        }
        depth
    };
    let thread = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(run)
        .unwrap();
    // 2^13 is more than 5,000; below the last OR stands the comparison.
    assert_eq!(thread.join().unwrap(), 14);
}
