-- The windiest hours, and what happened to the flights that were to leave in them.
SELECT w.origin, w.time_hour, w.wind_gust, w.temp, count(f.flight) AS flights, count(f.dep_time) AS departed, max(f.dep_delay) AS worst
FROM weather w
LEFT JOIN flights f ON f.origin = w.origin AND f.time_hour = w.time_hour
WHERE w.wind_gust > 40
GROUP BY w.origin, w.time_hour, w.wind_gust, w.temp
ORDER BY w.wind_gust DESC, w.origin, w.time_hour
LIMIT 15
