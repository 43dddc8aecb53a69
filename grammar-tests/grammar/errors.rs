//! What each wrong statement is told, with a caret under the place.

use super::refused;

fn snapshot(texts: &[&str]) -> String {
    texts
        .iter()
        .map(|text| refused(text))
        .collect::<Vec<_>>()
        .join("\n\n")
}

#[test]
fn syntax() {
    let _settings = super::snapshot_settings();
    insta::assert_snapshot!(snapshot(&[
        "",
        " -- nothing\n;",
        "SELECT",
        "SELECT 1 +",
        "SELECT a FROM",
        "SELECT * FROM t WHERE",
        "SELECT 'abc",
        "SELECT \"abc",
        "SELECT /* abc",
        "SELECT 1 2",
        "SELECT (1",
        "SELECT a\nFROM t\nWHERE a = = 1",
        "SELEC 1",
        "1",
        "\"select\" 1",
        "SELECT 1; SELECT 2",
        "UPSERT t VALUES (1)",
        "UPSERT INTO t",
        "UPSERT INTO t (a, a) VALUES (1, 2)",
        "UPSERT INTO t VALUES (1, 2), (3)",
        "UPSERT INTO t (a, b) VALUES (1, 2), (3)",
        "INSERT INTO t (a) DEFAULT VALUES",
        "INSERT INTO a.b.c.d VALUES (1)",
        "UPDATE t SET a = 1, a = 2",
        "UPDATE t SET (a, b) = (1, 2, 3)",
        "UPDATE t SET u.a = 1",
        "UPDATE t a = 1",
        "DELETE t",
        "DROP TABLE",
        "DROP TABLE t u",
        "TRUNCATE",
        "SHOW",
        "SHOW CREATE t",
        "DESCRIBE",
        "SET a",
        "SET a = ",
        "EXPLAIN",
        "EXPLAIN EXPLAIN SELECT 1",
        "SELECT a FROM t ORDER BY a LIMIT",
    ]));
}

#[test]
fn create_table() {
    let _settings = super::snapshot_settings();
    insta::assert_snapshot!(snapshot(&[
        "CREATE TABLE",
        "CREATE TABLE t",
        "CREATE TABLE t ()",
        "CREATE TABLE t (a)",
        "CREATE TABLE t (a PRIMARY KEY)",
        "CREATE TABLE t (a INT)",
        "CREATE TABLE t (a INT PRIMARY KEY, b INT PRIMARY KEY)",
        "CREATE TABLE t (a INT PRIMARY KEY, PRIMARY KEY (a))",
        "CREATE TABLE t (a INT, PRIMARY KEY (b))",
        "CREATE TABLE t (a INT, PRIMARY KEY (a, a))",
        "CREATE TABLE t (a INT, A INT, PRIMARY KEY (a))",
        "CREATE TABLE t (a INT NULL PRIMARY KEY)",
        "CREATE TABLE t (a INT NULL, PRIMARY KEY (a))",
        "CREATE TABLE t (a INT NULL NOT NULL, PRIMARY KEY (a))",
        "CREATE TABLE t (a INT, PRIMARY KEY ())",
        "CREATE TABLE t (a INT b INT, PRIMARY KEY (a))",
        "CREATE TABLE t (a INT PRIMARY KEY,)",
        "CREATE TABLE t (a INT PRIMARY KEY",
        "CREATE TABLE t (a FROB PRIMARY KEY)",
        "CREATE TABLE t (a UNSIGNED_INT PRIMARY KEY)",
        "CREATE TABLE t (a UUID PRIMARY KEY)",
        "CREATE TABLE t (a INT(11) PRIMARY KEY)",
        "CREATE TABLE t (a DECIMAL(39) PRIMARY KEY)",
        "CREATE TABLE t (a DECIMAL(5, 6) PRIMARY KEY)",
        "CREATE TABLE t (a DECIMAL(0) PRIMARY KEY)",
        "CREATE TABLE t (a CHAR(0) PRIMARY KEY)",
        "CREATE TABLE t (a TIMESTAMP(3) PRIMARY KEY)",
        "CREATE TABLE t (a TIMESTAMP WITH TIME ZONE PRIMARY KEY)",
        "CREATE TABLE t (a FLOAT(24) PRIMARY KEY)",
        "CREATE TABLE t (a INT DEFAULT b PRIMARY KEY)",
        "CREATE TABLE t (a INT DEFAULT (SELECT 1) PRIMARY KEY)",
        "CREATE TABLE t (a INT DEFAULT 1 DEFAULT 2 PRIMARY KEY)",
        "CREATE TABLE t (a INT UNIQUE PRIMARY KEY)",
        "CREATE TABLE t (a INT PRIMARY KEY REFERENCES u (a))",
        "CREATE TABLE t (a INT PRIMARY KEY, UNIQUE (a))",
        "CREATE TABLE t (a INT PRIMARY KEY, CONSTRAINT c CHECK (a > 1))",
        "CREATE TABLE t (f.a INT PRIMARY KEY)",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 257",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = -1",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 1.5",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 'x'",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 99999999999",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS =",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS 4",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 4, SALT_BUCKETS = 5",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 4 SALT_COLUMNS = (a)",
        "CREATE TABLE t (a INT PRIMARY KEY, b INT) SALT_BUCKETS = 4, SALT_COLUMNS = (b)",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 4, SALT_COLUMNS = (a, a)",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 4, SALT_COLUMNS = a",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 4, SALT_COLUMNS = ()",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_COLUMNS = (a)",
        "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 0, SALT_COLUMNS = (a)",
        "CREATE TABLE t (a INT PRIMARY KEY) COMPRESSION = 'GZ'",
        "CREATE TABLE t (a INT PRIMARY KEY) WITH (SALT_BUCKETS = 4)",
    ]));
}

#[test]
fn alter_table() {
    let _settings = super::snapshot_settings();
    insta::assert_snapshot!(snapshot(&[
        "ALTER",
        "ALTER TABLE",
        "ALTER TABLE t",
        "ALTER TABLE t ADD",
        "ALTER TABLE t ADD COLUMN c",
        "ALTER TABLE t ADD c INT,",
        "ALTER TABLE t ADD c INT, d INT",
        "ALTER TABLE t ADD c INT d INT",
        "ALTER TABLE t ADD (c INT, d INT)",
        "ALTER TABLE t ADD c INT PRIMARY KEY",
        "ALTER TABLE t ADD c INT CONSTRAINT pk PRIMARY KEY (c)",
        "ALTER TABLE t ADD c INT UNIQUE",
        "ALTER TABLE t ADD c INT DEFAULT ?",
        "ALTER TABLE t ADD c INT DEFAULT (SELECT 1)",
        "ALTER TABLE t ADD c INT FIRST",
        "ALTER TABLE t ADD c INT AFTER b",
        "ALTER TABLE t ADD PRIMARY KEY (a)",
        "ALTER TABLE t ADD CONSTRAINT u UNIQUE (a)",
        "ALTER TABLE t DROP",
        "ALTER TABLE t DROP COLUMN a, b",
        "ALTER TABLE t DROP COLUMN a CASCADE",
        "ALTER TABLE t DROP CONSTRAINT pk",
        "ALTER TABLE t RENAME",
        "ALTER TABLE t RENAME a",
        "ALTER TABLE t RENAME a b",
        "ALTER TABLE t RENAME TO",
        "ALTER TABLE t RENAME TO other.u",
        "ALTER TABLE t ALTER COLUMN a TYPE BIGINT",
        "ALTER TABLE t MODIFY a BIGINT",
        "ALTER TABLE t SET SALT_BUCKETS = 4",
        "ALTER TABLE t OWNER TO me",
        "ALTER TABLE t FROB",
        "ALTER VIEW v RENAME TO w",
    ]));
}

#[test]
fn on_conflict() {
    let _settings = super::snapshot_settings();
    insta::assert_snapshot!(snapshot(&[
        "UPSERT INTO t VALUES (1) ON",
        "UPSERT INTO t VALUES (1) ON DUPLICATE",
        "UPSERT INTO t VALUES (1) ON DUPLICATE KEY",
        "UPSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE",
        "UPSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1, a = 2",
        "UPSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1 WHERE a = 2",
        "UPSERT INTO t VALUES (1) ON DUPLICATE KEY IGNORE ON DUPLICATE KEY IGNORE",
        "UPSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
        "INSERT INTO t VALUES (1) ON DUPLICATE KEY IGNORE",
        "INSERT INTO t VALUES (1) ON CONFLICT",
        "INSERT INTO t VALUES (1) ON CONFLICT DO",
        "INSERT INTO t VALUES (1) ON CONFLICT () DO NOTHING",
        "INSERT INTO t VALUES (1) ON CONFLICT (a, a) DO NOTHING",
        "INSERT INTO t VALUES (1) ON CONFLICT (a + 1) DO NOTHING",
        "INSERT INTO t VALUES (1) ON CONFLICT (a) WHERE a > 1 DO NOTHING",
        "INSERT INTO t VALUES (1) ON CONFLICT ON CONSTRAINT pk DO NOTHING",
        "INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1",
        "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE a = 1",
        "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET",
        "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET excluded.a = 1",
        "INSERT INTO t VALUES (1) ON CONFLICT (a) DO REPLACE",
    ]));
}

#[test]
fn returning() {
    let _settings = super::snapshot_settings();
    insta::assert_snapshot!(snapshot(&[
        "UPSERT INTO t VALUES (1) RETURNING",
        "UPSERT INTO t VALUES (1) RETURNING , a",
        "UPSERT INTO t VALUES (1) RETURNING a,",
        "UPSERT INTO t VALUES (1) RETURNING a b c",
        "UPSERT INTO t VALUES (1) RETURNING a RETURNING b",
        "UPSERT INTO t VALUES (1) RETURNING a ON DUPLICATE KEY IGNORE",
        "DELETE FROM t RETURNING a WHERE a = 1",
        "UPDATE t SET a = 1 RETURNING a LIMIT 1",
        "COPY t FROM 'f' RETURNING a",
    ]));
}

#[test]
fn copy() {
    let _settings = super::snapshot_settings();
    insta::assert_snapshot!(snapshot(&[
        "COPY t",
        "COPY t FROM f",
        "COPY t FROM 'f' (FORMAT parquet)",
        "COPY t FROM 'f' (QUOTE '\"')",
        "COPY t FROM 'f' (HEADER true, HEADER false)",
        "COPY t FROM 'f' (HEADER 2)",
        "COPY t FROM 'f' (DELIMITER ',,')",
        "COPY t FROM 'f' (DELIMITER 'é')",
        "COPY t FROM 'f' (DELIMITER)",
        "COPY t FROM 'f' (NULL NA)",
        "COPY t FROM 'f' CSV HEADER",
        "COPY t FROM 'f' (HEADER true",
    ]));
}

#[test]
fn indexes() {
    let _settings = super::snapshot_settings();
    insta::assert_snapshot!(snapshot(&[
        "CREATE INDEX ON t (a)",
        "CREATE INDEX i t (a)",
        "CREATE INDEX i ON t",
        "CREATE INDEX i ON t ()",
        "CREATE INDEX i ON t (a",
        "CREATE INDEX i ON t (a, b, a)",
        "CREATE INDEX i ON t (a) INCLUDE (a)",
        "CREATE INDEX i ON t (a) INCLUDE (b, b)",
        "CREATE INDEX i ON t (a + b)",
        "CREATE INDEX i ON t ((a + b)) SALT_COLUMNS = (a)",
        "CREATE INDEX i ON t (a) SALT_BUCKETS = 257",
        "CREATE INDEX i ON t (a) SALT_BUCKETS 4",
        "CREATE INDEX i ON t (a) FILLFACTOR = 4",
        "CREATE INDEX i ON t (a) WHERE",
        "CREATE INDEX i ON t (a) WHERE a IN (SELECT 1)",
        "CREATE INDEX i ON t (((SELECT 1)))",
        "CREATE INDEX i ON t ((a + ?))",
        "CREATE UNIQUE TABLE t (a INT)",
        "DROP INDEX",
        "ALTER INDEX i TO j",
        "ALTER INDEX i RENAME j",
        "CHECK INDEX",
        "CHECK i",
        "REINDEX",
    ]));
}

#[test]
fn unsupported() {
    let _settings = super::snapshot_settings();
    insta::assert_snapshot!(snapshot(&[
        "CREATE INDEX CONCURRENTLY i ON t (a)",
        "CREATE INDEX i ON t USING btree (a)",
        "CREATE INDEX i ON t (a NULLS FIRST)",
        "CREATE INDEX i ON t (a) ASYNC",
        "CREATE INDEX public.i ON t (a)",
        "CREATE LOCAL INDEX i ON t (a)",
        "DROP INDEX i, j",
        "DROP INDEX i CASCADE",
        "ALTER INDEX i SET x = 1",
        "ALTER INDEX i RENAME TO public.j",
        "REINDEX TABLE t",
        "CHECK TABLE t",
        "COPY t TO 'f'",
        "COPY (SELECT 1) TO 'f'",
        "COPY t FROM STDIN",
        "EXPLAIN FORMAT JSON SELECT 1",
        "EXPLAIN VERBOSE SELECT 1",
        "EXPLAIN DROP TABLE t",
        "BEGIN",
        "START TRANSACTION",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT s",
        "CREATE VIEW v AS SELECT 1",
        "CREATE OR REPLACE VIEW v AS SELECT 1",
        "CREATE TABLE t AS SELECT 1",
        "CREATE TABLE t (a INT PRIMARY KEY) AS SELECT 1",
        "CREATE TABLE t LIKE u",
        "CREATE TEMPORARY TABLE t (a INT PRIMARY KEY)",
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION 'f'",
        "CREATE SCHEMA s",
        "CREATE DATABASE d",
        "DROP VIEW v",
        "DROP TABLE a, b",
        "DROP TABLE a CASCADE",
        "TRUNCATE TABLE a, b",
        "GRANT SELECT ON t TO u",
        "DELETE FROM t USING u WHERE t.a = u.a",
        "DELETE FROM t WHERE a = 1 LIMIT 3",
        "UPDATE t SET a = u.a FROM u",
        "UPDATE t SET (a, b) = (SELECT 1, 2)",
        "WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c",
        "WITH c AS (SELECT 1) UPSERT INTO t SELECT * FROM c",
        "SELECT 1 INTO u FROM t",
        "SELECT 1 FROM t FOR UPDATE",
        "TABLE t",
        "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE",
        "REPLACE INTO t VALUES (1)",
        "INSERT OR REPLACE INTO t VALUES (1)",
        "VACUUM",
        "PRAGMA foreign_keys",
        "SET SESSION a = 1",
        "SHOW COLUMNS FROM t",
    ]));
}
