-- What the folder format-1 holds; made once, by the first release, and never again:
--   rocksalt format-1 -f format-1.sql
--   rocksalt format-1 -c "UPSERT INTO deleted VALUES (9, 'in the log')"
-- Its files LOG, LOCK and OPTIONS were then left out: none of them is needed to open it.
CREATE TABLE numbers (
  k BIGINT, tiny TINYINT, small SMALLINT, int INTEGER, utiny TINYINT UNSIGNED,
  usmall SMALLINT UNSIGNED, uint INTEGER UNSIGNED, ubig BIGINT UNSIGNED,
  real REAL, double DOUBLE, dec DECIMAL(38, 10), truth BOOLEAN, PRIMARY KEY (k DESC)
) SALT_BUCKETS = 16;
UPSERT INTO numbers VALUES
  (9223372036854775807, 127, 32767, 2147483647, 255, 65535, 4294967295, 18446744073709551615, 1.5, 'Infinity', '1234567890123456789012345678.0123456789', TRUE),
  (0, 0, 0, 0, 0, 0, 0, 0, 0.0, -0.0, 0, FALSE),
  (-9223372036854775808, -128, -32768, -2147483648, 1, 1, 1, 1, -1.5, 'NaN', '-0.0000000001', NULL);
CREATE TABLE texts (a VARCHAR, b VARBINARY NULL, c CHAR(3), d VARCHAR(5) DEFAULT 'five', PRIMARY KEY (a, b DESC))
  SALT_BUCKETS = 256, SALT_COLUMNS = (a);
UPSERT INTO texts (a, b, c) VALUES ('', NULL, 'abc'), ('é', '\x00ff', 'x  '), ('zz', '\xff', NULL);
CREATE TABLE times (d DATE, t TIME, ts TIMESTAMP NULL, "Note" VARCHAR, CONSTRAINT pk PRIMARY KEY (d, t DESC, ts));
UPSERT INTO times VALUES
  ('2013-01-01', '10:00:00', '2013-01-01T10:00:00.000001', 'first'),
  ('2013-01-01', '23:59:59.999999', NULL, 'second'),
  ('1969-12-31', '00:00:00', '0001-01-01T00:00:00', '');
CREATE TABLE deleted (k INTEGER PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 3;
UPSERT INTO deleted VALUES (1, 'stays'), (2, 'goes'), (3, 'changes');
DELETE FROM deleted WHERE k = 2;
UPDATE deleted SET v = 'changed', k = 4 WHERE k = 3;
CREATE TABLE gone (k INTEGER PRIMARY KEY);
DROP TABLE gone;
