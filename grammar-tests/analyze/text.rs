//! The plan with its counts, as text and as JSON.

use super::*;

#[test]
fn what_is_left_of_the_mark_is_the_same_each_time() {
    for salt in SALTS {
        for direction in DIRECTIONS {
            let [one, other] = [(), ()].map(|()| grid(salt, direction));
            for sql in STEADY {
                let first = steady(&analyze(&one, sql));
                assert_eq!(first, steady(&analyze(&other, sql)));
                assert!(first.contains("rows read"), "{first}");
            }
        }
    }
}

#[test]
fn plans_with_counts() {
    let db = grid(SALTS[3], "DESC");
    let shown = STEADY.map(|sql| format!("{sql}\n\n{}\n", steady(&analyze(&db, sql))));
    insta::assert_snapshot!(shown.join("\n"));
}

/// Apart from the counts the plan is the one that EXPLAIN prints.
#[test]
fn the_plan_is_the_one_of_explain() {
    let db = grid(SALTS[2], "ASC");
    for sql in STEADY.iter().filter(|sql| !sql.contains("VALUES")) {
        let analyzed = analyze(&db, sql).to_string();
        let lines = analyzed.lines().map(|line| match line.split_once(" | ") {
            Some((plan, _)) => plan,
            None => line,
        });
        let lines: Vec<&str> = lines.collect();
        assert_eq!(lines.join("\n"), plan(&db, sql), "{sql}");
    }
}

/// With the value of now() nothing is left to be read.
#[test]
fn where_now_decides_the_plan_is_the_one_that_was_executed() {
    let db = grid(SALTS[2], "ASC");
    let sql = "SELECT * FROM few WHERE now() < '2013-01-01' AND id > 1";
    assert!(plan(&db, sql).starts_with("RangeScan: few, buckets 3/3"));
    assert_eq!(analyze(&db, sql).to_string(), "Empty");
    let write = format!("UPSERT INTO few {sql}");
    let empty = "Upsert: few\n└─ Empty";
    assert_eq!(analyze(&db, &write).to_string(), empty);
}

#[test]
fn as_json() {
    let db = grid(SALTS[3], "ASC");
    let document = |sql: &str| match db.run(sql) {
        Ok(Outcome::Plan(plan)) => {
            assert_eq!(plan.format(), PlanFormat::Json);
            plan.to_string()
        }
        other => panic!("{sql}\n{other:?}"),
    };
    let range = document("EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM t WHERE a = 3");
    for (member, value) in [("gets", "0"), ("rows_read", "20"), ("rows_returned", "20")] {
        assert_eq!(
            json(&range, &format!("$.analyzed.{member}")),
            value,
            "{member}"
        );
    }
    let members = "SELECT group_concat(key) FROM json_each(?1, '$.analyzed')";
    let sqlite = rusqlite::Connection::open_in_memory().unwrap();
    let of = |sql: &str| -> String { sqlite.query_row(sql, [&range], |row| row.get(0)).unwrap() };
    assert_eq!(
        of(members),
        "gets,entries,rows_read,rows_returned,bytes,seeks,rows_skipped,slowest_bucket,buckets"
    );
    assert_eq!(
        of("SELECT group_concat(DISTINCT x.key) \
            FROM json_each(?1, '$.analyzed.buckets') b, json_each(b.value) x"),
        "bucket,rows,milliseconds"
    );
    assert_eq!(
        of("SELECT sum(json_extract(value, '$.rows')) || '' \
            FROM json_each(?1, '$.analyzed.buckets')"),
        "20"
    );
    // The slowest is the bucket of the longest time.
    assert_eq!(
        of("SELECT (max(json_extract(value, '$.milliseconds')) = \
            (SELECT json_extract(value, '$.milliseconds') FROM json_each(?1, '$.analyzed.buckets') \
             WHERE json_extract(value, '$.bucket') = json_extract(?1, '$.analyzed.slowest_bucket'))) \
            || '' FROM json_each(?1, '$.analyzed.buckets')"),
        "1"
    );
    let unsalted = after(&[
        "CREATE TABLE u (k INTEGER PRIMARY KEY)",
        "UPSERT INTO u VALUES (1)",
    ]);
    let plan = unsalted.analyze("SELECT * FROM u", ()).unwrap().to_json();
    assert_eq!(json(&plan, "$.analyzed.slowest_bucket"), "null");
    assert_eq!(json(&plan, "$.analyzed.rows_read"), "1");
    // Without ANALYZE there is no such member.
    let explained = document("EXPLAIN (FORMAT JSON) SELECT * FROM t WHERE a = 3");
    assert!(!explained.contains("analyzed"), "{explained}");
}
