-- What the plans of these queries must be, whatever release reads them:
--   rocksalt --plan-test examples/flights/plans.sql --schema examples/flights/schema.sql

-- One flight, by its whole key.
-- expect: PointGet
-- expect: buckets <= 1
SELECT dest, dep_delay FROM flights WHERE time_hour = ? AND carrier = ? AND flight = ?;

-- A day: one range, in every bucket.
-- expect: RangeScan
-- expect: no Sort
SELECT count(*) FROM flights WHERE time_hour >= '2013-03-08' AND time_hour < '2013-03-09';

-- The latest ten: the buckets are merged, nothing is sorted.
-- expect: KeyMerge
-- expect: no Sort
SELECT * FROM flights ORDER BY time_hour DESC, carrier DESC, flight DESC LIMIT 10;

-- The next page.
-- expect: KeyMerge
-- expect: RangeScan
-- expect: no Sort
SELECT * FROM flights WHERE (time_hour, carrier, flight) > ($1, $2, $3)
ORDER BY time_hour, carrier, flight LIMIT 100;

-- No key is named, so that all buckets are read; it runs once a day.
-- expect: FullScan
-- expect: buckets = 16
SELECT tailnum, count(*) FROM flights WHERE dest = 'SEA' GROUP BY tailnum;
