-- Delays joined with the weather of the hour.
SELECT w.visib, count(*) AS flights, round(avg(f.dep_delay), 3) AS dep_delay
FROM flights f
JOIN weather w ON w.origin = f.origin AND w.time_hour = f.time_hour
GROUP BY w.visib
ORDER BY w.visib
