-- Delays grow over the day.
SELECT hour, count(*) AS flights, round(avg(dep_delay), 3) AS dep_delay,
       sum(CASE WHEN dep_delay >= 60 THEN 1 ELSE 0 END) AS hour_late
FROM flights
GROUP BY hour
ORDER BY hour
