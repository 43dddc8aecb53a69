//! Every production with its canonical text, which reads back as itself.

use super::canonical;

#[test]
fn canonical_texts() {
    let cases: &[(&str, &str)] = &[
        // CREATE TABLE
        (
            "CREATE TABLE foo (host VARCHAR, date DATE CONSTRAINT pk PRIMARY KEY (host, date)) SALT_BUCKETS=20",
            "CREATE TABLE foo (host VARCHAR NOT NULL, date DATE NOT NULL, CONSTRAINT pk PRIMARY KEY (host, date)) SALT_BUCKETS = 20",
        ),
        (
            "create table if not exists Public.T (A bigint primary key desc, B text default 'x' not null)",
            "CREATE TABLE IF NOT EXISTS public.t (a BIGINT NOT NULL, b VARCHAR NOT NULL DEFAULT 'x', PRIMARY KEY (a DESC))",
        ),
        (
            "CREATE TABLE t (a INT NULL, b INT, c INT, PRIMARY KEY (a DESC, b ASC)) SALT_COLUMNS = (B), SALT_BUCKETS = 4;",
            "CREATE TABLE t (a INTEGER NULL, b INTEGER NOT NULL, c INTEGER, PRIMARY KEY (a DESC, b)) SALT_BUCKETS = 4, SALT_COLUMNS = (b)",
        ),
        (
            "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = 0",
            "CREATE TABLE t (a INTEGER NOT NULL, PRIMARY KEY (a))",
        ),
        (
            "CREATE TABLE t (a INT NOT NULL DEFAULT -1 PRIMARY KEY ASC, b TIMESTAMP DEFAULT now(), c TIME DEFAULT TIME '10:00:00')",
            "CREATE TABLE t (a INTEGER NOT NULL DEFAULT -1, b TIMESTAMP DEFAULT now(), c TIME DEFAULT TIME(6) '10:00:00', PRIMARY KEY (a))",
        ),
        (
            "CREATE TABLE \"T\" (\"a b\" INT, \"select\" INT, primary INT, PRIMARY KEY (\"a b\", \"primary\"))",
            "CREATE TABLE \"T\" (\"a b\" INTEGER NOT NULL, \"select\" INTEGER, \"primary\" INTEGER NOT NULL, PRIMARY KEY (\"a b\", \"primary\"))",
        ),
        (
            "CREATE TABLE rocksalt.public.t (unique INT, check INT PRIMARY KEY)",
            "CREATE TABLE public.t (\"unique\" INTEGER, \"check\" INTEGER NOT NULL, PRIMARY KEY (\"check\"))",
        ),
        (
            "CREATE TABLE t (a INT DEFAULT 1 + 2 NOT NULL PRIMARY KEY, b BOOLEAN DEFAULT 1 IS NOT NULL NOT NULL, c BOOLEAN DEFAULT (1 NOT NULL) NULL)",
            "CREATE TABLE t (a INTEGER NOT NULL DEFAULT 1 + 2, b BOOLEAN NOT NULL DEFAULT 1 IS NOT NULL, c BOOLEAN DEFAULT (1 IS NOT NULL), PRIMARY KEY (a))",
        ),
        // Indexes
        (
            "create index I on T (A, b desc, C asc)",
            "CREATE INDEX i ON t (a, b DESC, c)",
        ),
        (
            "CREATE UNIQUE INDEX IF NOT EXISTS \"I\" ON public.t (lower(name), (a + b) DESC, (((c)))) INCLUDE (d, \"E\") WHERE d > 0 AND name IS NOT NULL SALT_BUCKETS=7",
            "CREATE UNIQUE INDEX IF NOT EXISTS \"I\" ON public.t ((lower(name)), (a + b) DESC, c) INCLUDE (d, \"E\") WHERE d > 0 AND name IS NOT NULL SALT_BUCKETS = 7",
        ),
        (
            "CREATE INDEX i ON t (a) SALT_BUCKETS = 0",
            "CREATE INDEX i ON t (a) SALT_BUCKETS = 0",
        ),
        (
            "drop index if exists public.i on T restrict",
            "DROP INDEX IF EXISTS public.i ON t",
        ),
        ("DROP INDEX i", "DROP INDEX i"),
        ("alter index I rename to J", "ALTER INDEX i RENAME TO j"),
        ("check index \"I\"", "CHECK INDEX \"I\""),
        ("reindex index i", "REINDEX i"),
        ("REINDEX rocksalt.public.i", "REINDEX public.i"),
        // ALTER TABLE
        (
            "alter table T add C int not null default 1 + 2, add column if not exists d text null",
            "ALTER TABLE t ADD COLUMN c INTEGER NOT NULL DEFAULT 1 + 2, ADD COLUMN IF NOT EXISTS d VARCHAR",
        ),
        (
            "ALTER TABLE IF EXISTS public.t DROP a, DROP COLUMN IF EXISTS \"B\" RESTRICT",
            "ALTER TABLE IF EXISTS public.t DROP COLUMN a, DROP COLUMN IF EXISTS \"B\"",
        ),
        (
            "ALTER TABLE t RENAME a TO b, RENAME COLUMN to TO \"unique\", RENAME TO u",
            "ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN to TO \"unique\", RENAME TO u",
        ),
        (
            "ALTER TABLE t ADD COLUMN unique INT, DROP COLUMN check",
            "ALTER TABLE t ADD COLUMN \"unique\" INTEGER, DROP COLUMN \"check\"",
        ),
        (
            "ALTER TABLE t ADD at TIMESTAMP DEFAULT CAST('2013-01-01' AS TIMESTAMP)",
            "ALTER TABLE t ADD COLUMN at TIMESTAMP DEFAULT CAST('2013-01-01' AS TIMESTAMP(6))",
        ),
        // Other DDL
        ("drop table if exists T", "DROP TABLE IF EXISTS t"),
        ("DROP TABLE public.t RESTRICT", "DROP TABLE public.t"),
        ("TRUNCATE t", "TRUNCATE TABLE t"),
        ("truncate table t", "TRUNCATE TABLE t"),
        ("show tables", "SHOW TABLES"),
        ("show create table t", "SHOW CREATE TABLE t"),
        ("DESC t", "DESCRIBE t"),
        ("DESCRIBE TABLE system.tables", "DESCRIBE system.tables"),
        // Writes
        (
            "upsert into t values (1, 'it''s', NULL)",
            "UPSERT INTO t VALUES (1, 'it''s', NULL)",
        ),
        (
            "UPSERT INTO t (A, b) VALUES (1, DEFAULT), (?, ? + 1)",
            "UPSERT INTO t (a, b) VALUES (1, DEFAULT), ($1, $2 + 1)",
        ),
        (
            "UPSERT INTO t (a, b) (SELECT x, y FROM u)",
            "UPSERT INTO t (a, b) (SELECT x, y FROM u)",
        ),
        ("UPSERT INTO t (SELECT 1)", "UPSERT INTO t (SELECT 1)"),
        (
            "UPSERT INTO t WITH c AS (SELECT 1 AS x) SELECT x FROM c ORDER BY x LIMIT 3",
            "UPSERT INTO t WITH c AS (SELECT 1 AS x) SELECT x FROM c ORDER BY x LIMIT 3",
        ),
        (
            "UPSERT INTO t VALUES (1), (2) ORDER BY 1 LIMIT 1",
            "UPSERT INTO t VALUES (1), (2) ORDER BY 1 LIMIT 1",
        ),
        (
            "INSERT INTO t DEFAULT VALUES",
            "INSERT INTO t DEFAULT VALUES",
        ),
        (
            "insert into t select * from u",
            "INSERT INTO t SELECT * FROM u",
        ),
        (
            "upsert into T values (1, 2) on duplicate key ignore",
            "UPSERT INTO t VALUES (1, 2) ON DUPLICATE KEY IGNORE",
        ),
        (
            "UPSERT INTO t (a) SELECT a FROM u WHERE a > ? ON DUPLICATE KEY UPDATE b = B + ?, (c, t.d) = (1, DEFAULT)",
            "UPSERT INTO t (a) SELECT a FROM u WHERE a > $1 ON DUPLICATE KEY UPDATE b = B + $2, c = 1, d = DEFAULT",
        ),
        (
            "insert into t values (1) on conflict do nothing",
            "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
        ),
        (
            "INSERT INTO t DEFAULT VALUES ON CONFLICT (A, \"B\") DO NOTHING",
            "INSERT INTO t DEFAULT VALUES ON CONFLICT (a, \"B\") DO NOTHING",
        ),
        (
            "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = excluded.b, c = (1, 2) < (b, c) WHERE t.a < 5",
            "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = excluded.b, c = (1 < b OR (1 = b AND 2 < c)) WHERE t.a < 5",
        ),
        (
            "EXPLAIN INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
            "EXPLAIN INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
        ),
        (
            "update T as X set A = a + 1, x.b = default, (c, d) = (1, x.c) where X.a > 1",
            "UPDATE t AS x SET a = a + 1, b = DEFAULT, c = 1, d = x.c WHERE X.a > 1",
        ),
        (
            "UPDATE t x SET a = (SELECT max(b) FROM u)",
            "UPDATE t AS x SET a = (SELECT max(b) FROM u)",
        ),
        ("DELETE FROM t", "DELETE FROM t"),
        (
            "DELETE FROM t x WHERE x.a IN (SELECT b FROM u)",
            "DELETE FROM t AS x WHERE x.a IN (SELECT b FROM u)",
        ),
        (
            "upsert into T values (1) returning *, A + 1 as \"B\", t.c",
            "UPSERT INTO t VALUES (1) RETURNING *, A + 1 AS \"B\", t.c",
        ),
        (
            "INSERT INTO t SELECT a FROM u ON CONFLICT DO NOTHING RETURNING a::TIMESTAMP, (a, b) = (1, ?)",
            "INSERT INTO t SELECT a FROM u ON CONFLICT DO NOTHING RETURNING a::TIMESTAMP(6), (a = 1 AND b = $1)",
        ),
        (
            "UPDATE t x SET a = 1 RETURNING x.*",
            "UPDATE t AS x SET a = 1 RETURNING x.*",
        ),
        (
            "EXPLAIN DELETE FROM t WHERE a = 1 RETURNING a AS returning",
            "EXPLAIN DELETE FROM t WHERE a = 1 RETURNING a AS returning",
        ),
        // COPY
        (
            "COPY t FROM 'f.csv'",
            "COPY t FROM 'f.csv' (FORMAT csv, HEADER true, DELIMITER ',', NULL '')",
        ),
        (
            "copy t (A, b) from 'it''s.csv.gz' with (header off, delimiter ';', null 'NA', format 'CSV')",
            "COPY t (a, b) FROM 'it''s.csv.gz' (FORMAT csv, HEADER false, DELIMITER ';', NULL 'NA')",
        ),
        (
            "COPY t FROM 'f' (HEADER, DELIMITER '\\t')",
            "COPY t FROM 'f' (FORMAT csv, HEADER true, DELIMITER '\t', NULL '')",
        ),
        // Settings and plans
        ("SET durability = 'buffered'", "SET durability = 'buffered'"),
        ("SET Lock_Timeout TO 10", "SET lock_timeout = 10"),
        ("SET a.b = ON", "SET a.b = \"on\""),
        ("SET a = -1.5", "SET a = -1.5"),
        ("SET a = default", "SET a = DEFAULT"),
        ("SHOW durability", "SHOW durability"),
        ("SHOW ALL", "SHOW ALL"),
        ("EXPLAIN SELECT 1", "EXPLAIN SELECT 1"),
        ("EXPLAIN (SELECT 1)", "EXPLAIN (SELECT 1)"),
        ("explain analyze SELECT 1", "EXPLAIN ANALYZE SELECT 1"),
        (
            "EXPLAIN (ANALYZE, FORMAT TEXT) SELECT 1",
            "EXPLAIN ANALYZE SELECT 1",
        ),
        (
            "EXPLAIN (FORMAT JSON, ANALYZE off) SELECT 1",
            "EXPLAIN (FORMAT JSON) SELECT 1",
        ),
        (
            "EXPLAIN (FORMAT JSON, ANALYZE) (SELECT 1)",
            "EXPLAIN (ANALYZE, FORMAT JSON) (SELECT 1)",
        ),
        (
            "EXPLAIN UPSERT INTO t VALUES (1)",
            "EXPLAIN UPSERT INTO t VALUES (1)",
        ),
        (
            "EXPLAIN DELETE FROM t WHERE a = ?",
            "EXPLAIN DELETE FROM t WHERE a = $1",
        ),
        // Queries
        ("select 1", "SELECT 1"),
        (
            " ; -- comment\n SELECT 1 /* c /* nested */ */ ; ; ",
            "SELECT 1",
        ),
        ("VALUES (1, 2), (3, 4)", "VALUES (1, 2), (3, 4)"),
        (
            "(SELECT 1) UNION ALL (SELECT 2)",
            "(SELECT 1) UNION ALL (SELECT 2)",
        ),
        ("FROM t", "SELECT * FROM t"),
        (
            "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
            "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
        ),
        // Precision
        (
            "SELECT CAST(a AS TIMESTAMP), a::TIME, a::TIMESTAMP(3)",
            "SELECT CAST(a AS TIMESTAMP(6)), a::TIME(6), a::TIMESTAMP(3)",
        ),
        (
            "SELECT TIMESTAMP '2013-01-01', TIME '10:00', DATE '2013-01-01'",
            "SELECT TIMESTAMP(6) '2013-01-01', TIME(6) '10:00', DATE '2013-01-01'",
        ),
        (
            "SELECT TRY_CAST(a AS TIMESTAMP), a::TIMESTAMP[]",
            "SELECT TRY_CAST(a AS TIMESTAMP(6)), a::TIMESTAMP(6)[]",
        ),
        (
            "SELECT CAST(a AS TIMESTAMP WITH TIME ZONE)",
            "SELECT CAST(a AS TIMESTAMP(6) WITH TIME ZONE)",
        ),
        // Literals as they are
        (
            "SELECT 1.50, X'00ff', E'a\\nb', 'é', $$it's$$",
            "SELECT 1.50, X'00ff', E'a\\nb', 'é', $$it's$$",
        ),
    ];
    for (text, expected) in cases {
        let found = canonical(text);
        assert_eq!(found, *expected, "{text}");
        assert_eq!(canonical(&found), found);
    }
}

#[test]
fn spellings_of_types() {
    let cases = [
        ("BOOLEAN", "BOOLEAN"),
        ("BOOL", "BOOLEAN"),
        ("TINYINT", "TINYINT"),
        ("SMALLINT", "SMALLINT"),
        ("INT2", "SMALLINT"),
        ("INTEGER", "INTEGER"),
        ("INT", "INTEGER"),
        ("INT4", "INTEGER"),
        ("BIGINT", "BIGINT"),
        ("INT8", "BIGINT"),
        ("TINYINT UNSIGNED", "TINYINT UNSIGNED"),
        ("SMALLINT UNSIGNED", "SMALLINT UNSIGNED"),
        ("INT UNSIGNED", "INTEGER UNSIGNED"),
        ("INTEGER UNSIGNED", "INTEGER UNSIGNED"),
        ("BIGINT UNSIGNED", "BIGINT UNSIGNED"),
        ("REAL", "REAL"),
        ("FLOAT", "REAL"),
        ("FLOAT4", "REAL"),
        ("DOUBLE", "DOUBLE"),
        ("DOUBLE PRECISION", "DOUBLE"),
        ("FLOAT8", "DOUBLE"),
        ("DECIMAL", "DECIMAL(38, 10)"),
        ("NUMERIC(5)", "DECIMAL(5, 0)"),
        ("DEC(38, 38)", "DECIMAL(38, 38)"),
        ("DECIMAL(10,2)", "DECIMAL(10, 2)"),
        ("CHAR", "CHAR(1)"),
        ("CHAR(3)", "CHAR(3)"),
        ("CHARACTER(3)", "CHAR(3)"),
        ("VARCHAR", "VARCHAR"),
        ("VARCHAR(10)", "VARCHAR(10)"),
        ("CHARACTER VARYING(10)", "VARCHAR(10)"),
        ("CHAR VARYING", "VARCHAR"),
        ("TEXT", "VARCHAR"),
        ("STRING", "VARCHAR"),
        ("VARBINARY", "VARBINARY"),
        ("VARBINARY(16)", "VARBINARY(16)"),
        ("BYTEA", "VARBINARY"),
        ("BLOB", "VARBINARY"),
        ("DATE", "DATE"),
        ("TIME", "TIME"),
        ("TIME WITHOUT TIME ZONE", "TIME"),
        ("TIMESTAMP", "TIMESTAMP"),
        ("TIMESTAMP(6)", "TIMESTAMP"),
        ("DATETIME", "TIMESTAMP"),
    ];
    for (spelling, expected) in cases {
        let found = canonical(&format!("CREATE TABLE t (a {spelling} PRIMARY KEY)"));
        assert_eq!(
            found,
            format!("CREATE TABLE t (a {expected} NOT NULL, PRIMARY KEY (a))")
        );
    }
}

#[test]
fn a_clause_ends_the_query_before_it() {
    for query in [
        "SELECT 1",
        "SELECT a AS x",
        "SELECT a FROM u",
        "SELECT u.a FROM u, v",
        "SELECT u.a FROM u CROSS JOIN v",
        "SELECT u.a FROM u JOIN v ON u.a = v.a",
        "SELECT u.a FROM u JOIN v USING(a)",
        "SELECT * FROM generate_series(1, 3)",
        "SELECT a FROM u AS x WHERE a > 5",
        "SELECT a FROM u GROUP BY a HAVING count(*) > 1",
        "SELECT a FROM u ORDER BY a DESC",
        "SELECT a FROM u ORDER BY a LIMIT 3 OFFSET 1",
        "SELECT 1 UNION ALL SELECT 2",
        "(SELECT 1)",
        "WITH c AS (SELECT 1 AS a) SELECT a FROM c",
        "VALUES (1)",
        "DEFAULT VALUES",
    ] {
        for text in [
            format!("UPSERT INTO t {query} ON DUPLICATE KEY IGNORE"),
            format!("UPSERT INTO t {query} ON DUPLICATE KEY UPDATE b = 1"),
            format!("INSERT INTO t {query} ON CONFLICT DO NOTHING"),
            format!("INSERT INTO t {query} ON CONFLICT (a) DO UPDATE SET b = 1 WHERE b > 2"),
            format!("INSERT INTO t {query} RETURNING a"),
            format!("UPSERT INTO t {query} ON DUPLICATE KEY UPDATE b = c RETURNING *"),
        ] {
            assert_eq!(canonical(&text), text);
        }
    }
}
