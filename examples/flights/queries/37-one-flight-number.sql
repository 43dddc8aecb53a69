-- A value of the last key column alone.
-- plan: SkipScan: flights, buckets 16/16, ranges [(*, *, 715) .. (*, *, 715)]
SELECT time_hour, carrier, origin, dest
FROM flights
WHERE flight = 715
ORDER BY time_hour, carrier
LIMIT 20
