-- One day: a range of the first key column, with sums over what it holds.
-- plan: RangeScan: flights, buckets 16/16, ranges [TIMESTAMP '2013-03-08T00:00:00' .. TIMESTAMP '2013-03-09T00:00:00')
SELECT count(*) AS flights, count(dep_time) AS departed, count(DISTINCT tailnum) AS planes,
       sum(flight) AS numbers, sum(distance) AS miles, sum(dep_delay) AS dep_delays,
       sum(arr_delay) AS arr_delays, sum(air_time) AS minutes,
       min(time_hour) AS first, max(time_hour) AS last, min(tailnum) AS low, max(tailnum) AS high
FROM flights
WHERE time_hour >= '2013-03-08' AND time_hour < '2013-03-09'
