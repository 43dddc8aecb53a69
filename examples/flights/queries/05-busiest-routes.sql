-- The ten busiest routes.
SELECT origin, dest, count(*) AS flights, sum(distance) AS miles
FROM flights
GROUP BY origin, dest
ORDER BY flights DESC, origin, dest
LIMIT 10
