//! `salt_bucket(t)` in predicates.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result as DataFusionResult;
use datafusion::common::exec_err;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, cast,
    col, lit,
};

use super::{Grid, Key};
use crate::catalog::TableDef;
use crate::key::{BucketSet, KeyLayout, Salting};
use crate::plan::{Access, AccessPath, SALT_BUCKET, Scan, ScanOptions, narrow, salt_bucket_of};
use crate::types::{SqlType, Value};

/// The function of a table as the engine has it, without its value: buckets are computed here.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SaltBucket(Signature, [String; 1]);

impl ScalarUDFImpl for SaltBucket {
    fn name(&self) -> &str {
        SALT_BUCKET
    }

    fn aliases(&self) -> &[String] {
        &self.1
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, _: &[DataType]) -> DataFusionResult<DataType> {
        Ok(DataType::Int32)
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> DataFusionResult<ColumnarValue> {
        exec_err!("not evaluated")
    }
}

fn call_of(table: &TableDef, columns: &[&str]) -> Expr {
    let signature = Signature::variadic_any(Volatility::Immutable);
    let function = SaltBucket(signature, [salt_bucket_of(table)]);
    Arc::new(ScalarUDF::from(function)).call(columns.iter().map(|name| col(*name)).collect())
}

fn call(columns: &[&str]) -> Expr {
    call_of(&grid().def(0, None), columns)
}

fn bucket() -> Expr {
    call(&["a", "b"])
}

fn grid() -> Grid {
    Grid::new(vec![
        Key::new("a", SqlType::Integer, 0..40),
        Key::new("b", SqlType::Varchar(None), ["", "x"]).nullable(),
    ])
}

fn layout(salting: Option<Salting>) -> KeyLayout {
    grid().def(0, salting).key_layout()
}

fn path(predicate: &Expr, salting: Option<Salting>) -> AccessPath {
    narrow(&grid().def(0, salting), std::slice::from_ref(predicate)).unwrap()
}

fn line(predicate: &Expr, salting: Option<Salting>) -> String {
    let def = grid().def(0, salting.clone());
    Scan::new(&def, &path(predicate, salting), ScanOptions::default()).to_string()
}

fn named(path: &AccessPath) -> Vec<u8> {
    path.bucket_set(16).iter().collect()
}

#[test]
fn comparisons_with_constants_prune_buckets() {
    let salted = || Some(Salting::new(16, None));
    let buckets = |predicate: Expr| {
        let path = path(&predicate, salted());
        assert!(path.residual.is_empty(), "{predicate}");
        named(&path)
    };
    assert_eq!(buckets(bucket().eq(lit(3))), [3]);
    assert_eq!(buckets(lit(3).eq(bucket())), [3]);
    assert_eq!(buckets(cast(bucket(), DataType::Int64).eq(lit(3_i64))), [3]);
    assert_eq!(buckets(bucket().lt(lit(2))), [0, 1]);
    assert_eq!(buckets(bucket().gt_eq(lit(14))), [14, 15]);
    assert_eq!(buckets(bucket().between(lit(-5), lit(1))), [0, 1]);
    assert_eq!(
        buckets(bucket().in_list(vec![lit(2), lit(7), lit(99)], false)),
        [2, 7]
    );
    assert_eq!(buckets(bucket().eq(lit(2)).or(bucket().eq(lit(7)))), [2, 7]);
    assert_eq!(buckets(bucket().not_eq(lit(2))).len(), 15);
    assert_eq!(buckets(bucket().is_null()), [0; 0]);
    assert_eq!(buckets(bucket().eq(lit(16))), [0; 0]);
    assert_eq!(buckets(bucket().is_not_null()).len(), 16);
    assert_eq!(path(&bucket().eq(lit(16)), salted()).access, Access::Empty);
}

#[test]
fn the_text_has_fewer_buckets() {
    let salted = || Some(Salting::new(16, None));
    insta::assert_snapshot!(line(&bucket().eq(lit(3)), salted()), @"FullScan: t, buckets 1/16");
    insta::assert_snapshot!(line(&bucket().lt(lit(4)).and(col("a").gt(lit(5))), salted()), @"RangeScan: t, buckets 4/16, ranges (5 ..");
    insta::assert_snapshot!(line(&bucket().lt(lit(4)).and(col("b").eq(lit("x"))), salted()), @"SkipScan: t, buckets 4/16, ranges [(*, 'x') .. (*, 'x')]");
    let by_a = || Some(Salting::new(16, Some(vec![0])));
    insta::assert_snapshot!(line(&bucket().lt(lit(4)).and(col("a").eq(lit(5))), by_a()), @"Empty: t");
    // Boxes that name different buckets, a value that is not there yet, another function.
    let either = bucket().eq(lit(3)).or(col("a").eq(lit(5)));
    insta::assert_snapshot!(line(&either, salted()), @"FullScan: t, buckets 16/16, filter salt_bucket(t) = 3 OR a = 5");
    let mixed = bucket()
        .eq(lit(3))
        .and(col("a").gt(lit(5)))
        .or(bucket().eq(lit(4)).and(col("a").lt(lit(2))));
    insta::assert_snapshot!(line(&mixed, salted()), @"SkipScan: t, buckets 2/16, ranges .. 2), (5 .., filter salt_bucket(t) = 3 AND a > 5 OR salt_bucket(t) = 4 AND a < 2");
    let parameter = bucket().eq(grid().parse("$1"));
    insta::assert_snapshot!(line(&parameter, salted()), @"FullScan: t, buckets <=1/16, filter salt_bucket(t) = $1");
    let with_symbol = bucket().eq(lit(3)).and(col("a").gt(grid().parse("$1")));
    insta::assert_snapshot!(line(&with_symbol, salted()), @"RangeScan: t, buckets <=1/16, ranges ($1 .., filter salt_bucket(t) = 3");
    insta::assert_snapshot!(line(&call(&["b", "a"]).eq(lit(3)), salted()), @"FullScan: t, buckets 16/16, filter salt_bucket(b,a) = 3");
    insta::assert_snapshot!(line(&call(&["a"]).eq(lit(3)), salted()), @"FullScan: t, buckets 16/16, filter salt_bucket(a) = 3");
    let other = TableDef {
        id: 101,
        ..grid().def(0, salted())
    };
    insta::assert_snapshot!(line(&call_of(&other, &["a", "b"]).eq(lit(3)), salted()), @"FullScan: t, buckets 16/16, filter salt_bucket(a,b) = 3");
    insta::assert_snapshot!(line(&bucket().eq(lit(3)), None), @"FullScan: t, unsalted, filter salt_bucket(a,b) = 3");
}

/// Every key is in one bucket: of a list of keys those of the named buckets are left.
#[test]
fn keys_are_those_of_the_buckets() {
    let list = col("a").in_list((0..40).map(lit).collect(), false);
    for buckets in [1_u16, 3, 16, 256] {
        let salting = Some(Salting::new(buckets, None));
        let layout = layout(salting.clone());
        let mut seen = 0;
        for wanted in 0..buckets {
            let predicate = list
                .clone()
                .and(col("b").eq(lit("x")))
                .and(bucket().eq(lit(i32::from(wanted))));
            let path = path(&predicate, salting.clone());
            let expected: Vec<Vec<Value>> = (0..40)
                .map(|a| vec![Value::Integer(a), Value::from("x")])
                .filter(|key| u16::from(layout.encode(key).unwrap().0) == wanted)
                .collect();
            assert!(path.residual.is_empty());
            if expected.is_empty() {
                assert_eq!(path.access, Access::Empty);
                continue;
            }
            seen += expected.len();
            assert_eq!(path.keys(), Some(expected));
            let mut only = BucketSet::default();
            only.insert(wanted as u8);
            assert_eq!(path.bucket_set(buckets), only);
        }
        assert_eq!(seen, 40);
    }
}
