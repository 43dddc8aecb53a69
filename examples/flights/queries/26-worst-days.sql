-- The five worst days, with the rain of the day.
WITH days AS (
  SELECT month, day, count(*) AS flights, avg(dep_delay) AS dep_delay, count(*) - count(dep_time) AS cancelled
  FROM flights
  GROUP BY month, day
), rain AS (
  SELECT month, day, sum(precip) AS precip, min(visib) AS visib
  FROM weather
  GROUP BY month, day
)
SELECT d.month, d.day, d.flights, round(d.dep_delay, 3) AS mean_delay, d.cancelled, round(r.precip, 3) AS precip, r.visib
FROM days d
LEFT JOIN rain r ON r.month = d.month AND r.day = d.day
ORDER BY d.dep_delay DESC, d.month, d.day
LIMIT 5
