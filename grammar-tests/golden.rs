//! Folders of released formats stay readable: each is opened and must hold what its SQL wrote.

use std::path::Path;

use crate::support::*;

/// A copy of the golden folder of a format, which a test may open and change.
fn copy_of(format: &str) -> tempfile::TempDir {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("grammar-tests/golden")
        .join(format);
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(golden).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    copy
}

#[test]
fn format_1() {
    let copy = copy_of("format-1");
    let db = folder(copy.path());
    assert_eq!(
        rows(&db, "SELECT * FROM numbers ORDER BY k"),
        [
            "-9223372036854775808|-128|-32768|-2147483648|1|1|1|1|-1.5|NaN|-0.0000000001|NULL",
            "0|0|0|0|0|0|0|0|0.0|0.0|0.0000000000|false",
            "9223372036854775807|127|32767|2147483647|255|65535|4294967295|18446744073709551615\
             |1.5|inf|1234567890123456789012345678.0123456789|true",
        ]
    );
    assert_eq!(
        rows(
            &db,
            "SELECT a, encode(b, 'hex'), c, d FROM texts ORDER BY a, b"
        ),
        ["|NULL|abc|five", "zz|ff|NULL|five", "é|00ff|x|five"]
    );
    assert_eq!(
        rows(
            &db,
            "SELECT d, t, ts, \"Note\" FROM times ORDER BY d, t DESC, ts"
        ),
        [
            "1969-12-31|00:00:00|0001-01-01T00:00:00|",
            "2013-01-01|23:59:59.999999|NULL|second",
            "2013-01-01|10:00:00|2013-01-01T10:00:00.000001|first",
        ]
    );
    assert_eq!(
        rows(&db, "SELECT * FROM deleted ORDER BY k"),
        ["1|stays", "4|changed", "9|in the log"]
    );
    assert_eq!(
        rows(&db, "SHOW TABLES"),
        ["deleted", "numbers", "texts", "times"],
        "a dropped table does not come back"
    );

    // A key computes its bucket: the salt is the one with which the rows were written.
    for get in [
        "SELECT count(*) FROM numbers WHERE k = 0",
        "SELECT count(*) FROM texts WHERE a = 'zz' AND b = X'ff'",
        "SELECT count(*) FROM texts WHERE a = '' AND b IS NULL",
        "SELECT count(*) FROM deleted WHERE k = 4",
        "SELECT count(*) FROM times WHERE d = '2013-01-01' AND t = '23:59:59.999999' AND ts IS NULL",
    ] {
        assert_eq!(rows(&db, get), ["1"], "{get}");
        assert!(plan(&db, get).contains("PointGet: "), "{}", plan(&db, get));
    }
    run(&db, "UPSERT INTO numbers (k, tiny) VALUES (0, 5)");
    assert_eq!(
        rows(&db, "SELECT tiny, truth FROM numbers WHERE k = 0"),
        ["5|false"]
    );
}

#[test]
fn table_format_2() {
    let copy = copy_of("table-format-2");
    let db = folder(copy.path());
    let defaults = "-0.0000000001|NaN|0001-01-01T00:00:00|2013-01-01";
    assert_eq!(
        rows(
            &db,
            "SELECT \"Host\", b, w, tiny, ubig, text, encode(bytes, 'hex'), dropped, dec, real, ts, log \
             FROM renamed ORDER BY b"
        ),
        [
            format!("first|1|v1|-1|18446744073709551615|é|00ff|NULL|{defaults}"),
            format!("second|2|merged|-1|18446744073709551615|é|00ff|NULL|{defaults}"),
            format!("third|3|v3|3|3|3|33|NULL|{defaults}"),
        ]
    );
    assert_eq!(rows(&db, "SELECT * FROM plain"), ["1|a"]);
    assert_eq!(
        rows(
            &db,
            "SELECT table_name, format_version, next_column_id FROM system.tables ORDER BY 1"
        ),
        ["plain|1|4", "renamed|2|14"]
    );
    // The ids of columns that are gone stay theirs.
    run(
        &db,
        "ALTER TABLE plain ADD COLUMN last INTEGER, DROP COLUMN v",
    );
    assert_eq!(rows(&db, "SELECT * FROM plain"), ["1|NULL"]);
}

#[test]
fn a_table_of_format_1_is_altered() {
    let copy = copy_of("format-1");
    let db = folder(copy.path());
    // The catalog's rows of that time know neither next ids nor stored defaults.
    let catalog = "SELECT count(next_column_id) FROM system.tables";
    assert_eq!(rows(&db, catalog), ["0"]);
    run(
        &db,
        "ALTER TABLE texts DROP COLUMN d, ADD COLUMN e INTEGER DEFAULT 5, RENAME COLUMN a TO \"A\"",
    );
    assert_eq!(rows(&db, catalog), ["1"]);
    run(
        &db,
        "UPSERT INTO texts (\"A\", b, c) VALUES ('', NULL, 'new')",
    );
    drop(db);
    let db = folder(copy.path());
    assert_eq!(
        rows(
            &db,
            "SELECT \"A\", encode(b, 'hex'), c, e FROM texts ORDER BY \"A\", b"
        ),
        ["|NULL|new|5", "zz|ff|NULL|5", "é|00ff|x|5"]
    );
    assert_eq!(
        rows(
            &db,
            "SELECT salt_columns, next_column_id, format_version FROM system.tables \
             WHERE table_name = 'texts'"
        ),
        ["\"A\"|6|2"]
    );
    assert_eq!(
        rows(
            &db,
            "SELECT count(*) FROM texts WHERE \"A\" = 'zz' AND b = X'ff'"
        ),
        ["1"]
    );
}
