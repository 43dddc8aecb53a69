-- The ten latest flights: the end of the key order, merged from the buckets without a sort.
-- plan: KeyMerge: time_hour DESC, carrier DESC, flight DESC
-- plan: Scan: flights, buckets 16/16
-- plan: reverse
-- not in the plan: Sort
-- not in the plan: TopK
SELECT time_hour, carrier, flight, origin, dest
FROM flights
ORDER BY time_hour DESC, carrier DESC, flight DESC
LIMIT 10
