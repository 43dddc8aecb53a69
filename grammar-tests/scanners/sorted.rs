//! Sorted scanners: the order of the key, as ORDER BY has it.

use super::{BUCKETS, rows, scan, table};
use crate::support::{DIRECTIONS, rows as sql};

fn other(direction: &str) -> &str {
    match direction {
        "ASC" => "DESC",
        _ => "ASC",
    }
}

#[test]
fn sorted_is_order_by_the_key() {
    for buckets in BUCKETS {
        for a in DIRECTIONS {
            for b in DIRECTIONS {
                let db = table(buckets, a, b);
                let forward = sql(&db, &format!("SELECT * FROM t ORDER BY a {a}, b {b}"));
                let reverse = format!("SELECT * FROM t ORDER BY a {}, b {}", other(a), other(b));
                let reverse = sql(&db, &reverse);
                let whole = format!("{buckets} buckets, {a}, {b}");
                assert_eq!(rows(scan(&db).sorted().unwrap()), forward, "{whole}");
                let backward = scan(&db).reverse().sorted().unwrap();
                assert_eq!(rows(backward), reverse, "{whole}");

                let range = scan(&db).prefix("a").columns(["b"]);
                let b_only = |b| {
                    sql(
                        &db,
                        &format!("SELECT b FROM t WHERE a = 'a' ORDER BY b {b}"),
                    )
                };
                assert_eq!(rows(range.clone().sorted().unwrap()), b_only(b), "{whole}");
                let backward = range.reverse().sorted().unwrap();
                assert_eq!(rows(backward), b_only(other(b)), "{whole}");
            }
        }
    }
}

#[test]
fn each_limit_is_a_beginning_of_the_whole() {
    for buckets in [0, 3, 16] {
        let db = table(buckets, "DESC", "ASC");
        let filtered = || scan(&db).filter("b >= 0 AND v IS NOT NULL");
        for (scan, whole) in [
            (scan(&db), rows(scan(&db).sorted().unwrap())),
            (
                scan(&db).reverse(),
                rows(scan(&db).reverse().sorted().unwrap()),
            ),
            (filtered(), rows(filtered().sorted().unwrap())),
        ] {
            assert!(whole.len() > 10);
            for limit in 0..=whole.len() + 1 {
                let some = scan.clone().limit(limit).batch_size(4);
                let first = &whole[..limit.min(whole.len())];
                assert_eq!(rows(some.sorted().unwrap()), first);
            }
        }
    }
}

#[test]
fn columns_come_in_the_order_asked_for() {
    let db = table(3, "ASC", "ASC");
    let names = |scan: rocksalt::blocking::TableScan| {
        let schema = scan.sorted().unwrap().schema();
        let names = schema.fields().iter().map(|field| field.name().clone());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(scan(&db)), "a b v");
    assert_eq!(names(scan(&db).columns(["v", "a"])), "v a");
    assert_eq!(names(scan(&db).keys_only()), "a b");
    assert_eq!(names(scan(&db).columns::<&str>([])), "");
    assert_eq!(
        rows(scan(&db).columns(["v", "b"]).sorted().unwrap()),
        sql(&db, "SELECT v, b FROM t ORDER BY a, b")
    );
    assert_eq!(
        rows(scan(&db).keys_only().reverse().limit(2).sorted().unwrap()),
        ["c|NULL", "c|2147483647"]
    );
    // Without columns the batches count.
    let counted = scan(&db).columns::<&str>([]).sorted().unwrap();
    let counted = counted.collect().unwrap();
    assert_eq!(
        counted.iter().map(|batch| batch.num_rows()).sum::<usize>(),
        31
    );
}
