//! What each kind of scan does.

use super::*;

#[test]
fn a_point_get_is_a_get_and_no_seek() {
    everywhere(|db, buckets| {
        let one = count(db, "SELECT * FROM t WHERE a = 3 AND b = 4");
        assert_eq!((one.gets, one.seeks, one.rows_skipped), (1, 0, 0));
        assert_eq!(read_and_returned(&one), (1, 1));
        assert_eq!(one.buckets.len(), 1);
        assert_eq!(one.slowest(), one.buckets.first());
        assert!(u64::from(one.buckets[0].bucket) < buckets);

        let none = count(db, "SELECT * FROM t WHERE a = 3 AND b = 20");
        assert_eq!((none.gets, none.bytes), (1, 0));
        assert_eq!(read_and_returned(&none), (0, 0));

        // Every key is read, of the row whose v is not 12 nothing is returned.
        let some = count(
            db,
            "SELECT * FROM t WHERE (a, b) IN ((3, 4), (2, 6), (5, 5), (10, 0)) AND v = 12",
        );
        assert_eq!(some.gets, 4);
        assert_eq!(read_and_returned(&some), (3, 2));
        assert!(some.buckets.len() as u64 <= buckets.min(4));
        let rows: u64 = some.buckets.iter().map(|bucket| bucket.rows).sum();
        assert_eq!(rows, 3);
    });
}

#[test]
fn a_range_is_a_seek_in_each_bucket_at_most() {
    everywhere(|db, buckets| {
        // Where a bucket begins with the row that ended the one before, no seek is needed.
        let range = count(db, "SELECT * FROM t WHERE a = 3");
        assert_eq!(range.gets, 0);
        assert!((1..=buckets).contains(&range.seeks), "{range}");
        assert_eq!(read_and_returned(&range), (B, B));

        // A merge has an iterator for each.
        let reverse = count(
            db,
            "SELECT a, b FROM t WHERE a >= 3 ORDER BY a DESC, b DESC",
        );
        assert_eq!(reverse.seeks, buckets);
        assert_eq!(read_and_returned(&reverse), (7 * B, 7 * B));
        // Two INTEGERs of four bytes each; values are not looked at.
        assert_eq!(reverse.bytes, 7 * B * 8);

        let filtered = count(db, "SELECT b FROM t WHERE v = 12");
        assert!((1..=buckets).contains(&filtered.seeks), "{filtered}");
        // 1 * 12, 2 * 6, 3 * 4, 4 * 3, 6 * 2.
        assert_eq!(read_and_returned(&filtered), (A * B, 5));
        assert!(filtered.bytes > A * B * 8);

        let counted = count(db, "SELECT count(*) FROM t");
        assert_eq!(read_and_returned(&counted), (A * B, A * B));
    });
}

#[test]
fn a_skip_scan_decodes_only_the_rows_of_its_ranges() {
    everywhere(|db, buckets| {
        for (sql, rows) in [
            ("SELECT * FROM t WHERE b = 5", A),
            ("SELECT * FROM t WHERE a IN (2, 5, 7) AND b > 15", 3 * 4),
        ] {
            let skip = count(db, sql);
            assert_eq!(read_and_returned(&skip), (rows, rows), "{sql}");
            assert!(skip.seeks >= 1, "{sql}: {skip}");
            // A row is stepped over once at most, and one a range and bucket is met behind it.
            let over = skip.rows_read + skip.rows_skipped;
            assert!(over <= A * B + 3 * buckets, "{sql}: {skip}");
        }
    });
}

#[test]
fn a_loose_scan_seeks_twice_a_group_at_most() {
    everywhere(|db, buckets| {
        for (sql, ends) in [
            ("SELECT DISTINCT a FROM t", 1),
            ("SELECT a, max(b) FROM t GROUP BY a", 1),
            ("SELECT a, min(b), max(b) FROM t GROUP BY a", 2),
        ] {
            let plan = analyze(db, sql);
            assert!(plan.to_string().contains("LooseScan"), "{plan}");
            let loose = count(db, sql);
            assert!(loose.seeks <= (2 * A + 1) * buckets, "{sql}: {loose}");
            assert!(loose.rows_read <= ends * A * buckets, "{sql}: {loose}");
            assert!(loose.rows_read >= A, "{sql}: {loose}");
            assert_eq!(loose.rows_returned, loose.rows_read, "{sql}");
            // In one bucket nothing is read twice.
            if buckets == 1 {
                assert_eq!(loose.rows_read, ends * A, "{sql}: {loose}");
            }
        }
        let least = count(db, "SELECT min(a) FROM t");
        assert!(
            least.rows_read <= buckets && least.seeks <= 2 * buckets,
            "{least}"
        );
    });
}

#[test]
fn an_ordered_limit_seeks_once_a_bucket_and_decodes_what_it_returns() {
    everywhere(|db, buckets| {
        for order in DIRECTIONS {
            let plan = format!("SELECT * FROM t ORDER BY a {order}, b {order} LIMIT 10");
            let merged = count(db, &plan);
            assert_eq!(merged.seeks, buckets, "{order}: {merged}");
            assert!(merged.rows_read <= 10 + buckets, "{order}: {merged}");
            assert_eq!(merged.rows_returned, 10, "{order}: {merged}");
        }
        let any = count(db, "SELECT * FROM t LIMIT 10");
        assert_eq!(read_and_returned(&any), (10, 10));
        assert!(any.seeks <= buckets);
    });
}

#[test]
fn buckets_have_the_rows_that_salt_bucket_says() {
    for (salt, buckets) in [
        (SALTS[1], 1),
        (SALTS[2], 3),
        (SALTS[3], 16),
        (SALTS[4], 256),
    ] {
        for direction in DIRECTIONS {
            let db = grid(salt, direction);
            let expected = rows(
                &db,
                "SELECT salt_bucket(t) AS bucket, count(*) FROM t GROUP BY 1 ORDER BY 1",
            );
            let all = count(&db, "SELECT v FROM t");
            let there = all.buckets.iter().filter(|bucket| bucket.rows > 0);
            let there: Vec<String> = there.map(|b| format!("{}|{}", b.bucket, b.rows)).collect();
            assert_eq!(there, expected, "{buckets} buckets");
            let slowest = all.slowest().unwrap();
            assert!(all.buckets.iter().all(|bucket| bucket.time <= slowest.time));
            assert!(
                all.to_string().contains(&format!(
                    ", slowest bucket {}: {} row",
                    slowest.bucket, slowest.rows
                )),
                "{all}"
            );
        }
    }
}

#[test]
fn each_scan_counts_for_itself() {
    everywhere(|db, buckets| {
        // `few` is read, and its keys are looked up: three of the four are there.
        let join = "SELECT few.id, t.v FROM t JOIN few ON t.a = few.a AND t.b = few.b";
        assert_eq!(rows(db, join).len(), 3);
        let join = counts(db, join);
        assert_eq!(read_and_returned(&join[0]), (4, 4));
        assert_eq!(read_and_returned(&join[1]), (3, 3));
        assert_eq!((join[1].gets, join[1].seeks), (4, 0));

        // Two values of `a`, each of which is one range.
        let prefix = counts(db, "SELECT few.id, t.v FROM t JOIN few ON t.a = few.a");
        assert_eq!(read_and_returned(&prefix[0]), (4, 4));
        assert_eq!(read_and_returned(&prefix[1]), (2 * B, 2 * B));
        assert!(
            (1..=2 * buckets).contains(&prefix[1].seeks),
            "{}",
            prefix[1]
        );

        let none = "SELECT t.v FROM t JOIN few ON t.a = few.a AND t.b = few.b WHERE few.id > 4";
        let none = counts(db, none);
        assert_eq!(read_and_returned(&none[0]), (0, 0));
        assert!(none[0].seeks >= 1);
        assert_eq!((none[1].gets, none[1].seeks, none[1].rows_read), (0, 0, 0));

        let subquery = counts(db, "SELECT * FROM t WHERE a = (SELECT max(a) FROM few)");
        assert_eq!(read_and_returned(&subquery[0]), (B, B));
        assert_eq!(read_and_returned(&subquery[1]), (4, 4));

        let union = counts(
            db,
            "SELECT v FROM t WHERE a = 1 UNION ALL SELECT v FROM t WHERE a > 6 UNION ALL \
             SELECT id FROM few",
        );
        let each: Vec<_> = union.iter().map(read_and_returned).collect();
        assert_eq!(each, [(B, B), (3 * B, 3 * B), (4, 4)]);

        let twice = counts(db, "WITH c AS (SELECT * FROM few) SELECT 1 FROM c x, c y");
        let each: Vec<_> = twice.iter().map(read_and_returned).collect();
        assert_eq!(each, [(4, 4), (4, 4)]);

        let empty = count(db, "SELECT * FROM t WHERE a = 1 AND a = 2");
        let zeros = "rows read 0, rows returned 0, bytes 0 | seeks 0";
        assert_eq!(empty.to_string(), zeros);
        assert_eq!(analyze(db, "SELECT 1 AS one").scans(), []);
    });
}

#[test]
fn a_recursive_query_counts_all_of_its_executions() {
    let db = after(&[
        "CREATE TABLE parents (child INTEGER PRIMARY KEY, parent INTEGER)",
        "UPSERT INTO parents VALUES (4, 3), (3, 2), (2, 1)",
    ]);
    let sql = "WITH RECURSIVE up AS (SELECT 4 AS n UNION ALL \
               SELECT p.parent FROM up JOIN parents p ON p.child = up.n) SELECT n FROM up";
    assert_eq!(rows(&db, sql), ["4", "3", "2", "1"]);
    // The rows 4, 3, 2 and 1 each look for a parent; whether by a get or by a scan of all is not
    // what this is about.
    let all = count(&db, sql);
    assert!(all.rows_returned >= 3, "{all}");
    assert!(all.gets == 4 || all.rows_read == 4 * 3, "{all}");
}
