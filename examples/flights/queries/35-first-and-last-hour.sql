-- The ends of the whole key order: two rows of each bucket are read.
-- plan: LooseScan: flights, buckets 16/16, groups (), first and last
SELECT min(time_hour) AS since, max(time_hour) AS until FROM flights
