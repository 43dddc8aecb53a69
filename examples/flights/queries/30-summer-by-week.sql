-- Weeks of the summer: truncated times, and more miles than a smallint holds.
SELECT date_trunc('week', time_hour) AS week, count(*) AS flights, sum(distance) AS miles, count(DISTINCT dest) AS dests
FROM flights
WHERE time_hour >= TIMESTAMP '2013-06-03T00:00:00' AND time_hour < TIMESTAMP '2013-09-02T00:00:00'
GROUP BY date_trunc('week', time_hour)
ORDER BY week
