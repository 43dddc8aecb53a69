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
