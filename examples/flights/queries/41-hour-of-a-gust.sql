-- A key column bound by what another query finds.
-- plan: RangeScan: flights, buckets <=16/16, ranges [subquery 1 .. subquery 1]
SELECT carrier, count(*) AS flights, count(dep_time) AS left_at_all
FROM flights
WHERE time_hour = (SELECT max(time_hour) FROM weather WHERE wind_gust > 30 AND precip > 0)
GROUP BY carrier
ORDER BY carrier
