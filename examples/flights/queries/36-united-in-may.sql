-- A range of the first key column and a value of the second: within May, seek from hour to hour.
-- plan: SkipScan: flights, buckets 16/16, ranges [TIMESTAMP '2013-05-01T00:00:00' .. TIMESTAMP '2013-06-01T00:00:00') and [(*, 'UA') .. (*, 'UA')]
-- not in the plan: filter
SELECT count(*) AS flights, count(DISTINCT dest) AS destinations, sum(distance) AS miles
FROM flights
WHERE time_hour >= '2013-05-01' AND time_hour < '2013-06-01' AND carrier = 'UA'
