-- What the folder table-format-2 holds: tables that were altered, in a database of format 1. Made
-- once, by the first release that has ALTER TABLE, and never again:
--   rocksalt table-format-2 -f table-format-2.sql
--   rocksalt table-format-2 -c "ALTER TABLE renamed ADD COLUMN log DATE DEFAULT '2013-01-01'"
-- Its files LOG, LOCK and OPTIONS were then left out: none of them is needed to open it.
CREATE TABLE t (a VARCHAR, b INTEGER, dropped VARCHAR, v VARCHAR, PRIMARY KEY (b DESC, a))
  SALT_BUCKETS = 16, SALT_COLUMNS = (a);
UPSERT INTO t VALUES ('first', 1, 'gone', 'v1'), ('second', 2, NULL, NULL);
ALTER TABLE t DROP COLUMN dropped;
ALTER TABLE t ADD COLUMN tiny TINYINT NOT NULL DEFAULT -1, ADD COLUMN ubig BIGINT UNSIGNED DEFAULT 18446744073709551615;
ALTER TABLE t ADD COLUMN text VARCHAR(5) DEFAULT 'é', ADD COLUMN bytes VARBINARY DEFAULT '\x00ff';
UPSERT INTO t VALUES ('third', 3, 'v3', 3, 3, '3', '\x33');
ALTER TABLE t ADD COLUMN dropped INTEGER, ADD COLUMN dec DECIMAL(38, 10) DEFAULT '-0.0000000001';
ALTER TABLE t ADD COLUMN real REAL DEFAULT 'NaN', ADD COLUMN ts TIMESTAMP DEFAULT '0001-01-01T00:00:00';
ALTER TABLE t RENAME COLUMN a TO "Host", RENAME COLUMN v TO w, RENAME TO renamed;
UPSERT INTO renamed ("Host", b, w) VALUES ('second', 2, 'merged');
CREATE TABLE plain (k INTEGER PRIMARY KEY, v VARCHAR, last INTEGER);
UPSERT INTO plain VALUES (1, 'a', 1);
ALTER TABLE plain DROP COLUMN last;
