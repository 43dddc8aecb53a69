-- time_hour is UTC, hour is the clock on the wall: they differ by five hours, or four in summer.
SELECT (extract(hour FROM time_hour) - hour + 24) % 24 AS apart, count(*) AS flights, min(time_hour) AS first, max(time_hour) AS last
FROM flights
GROUP BY (extract(hour FROM time_hour) - hour + 24) % 24
ORDER BY apart
