-- The planes with most flights, what they are, and the longest pause between two of their flights.
WITH legs AS (
  SELECT tailnum, time_hour, distance,
         extract(day FROM time_hour - lag(time_hour) OVER (PARTITION BY tailnum ORDER BY time_hour, carrier, flight)) AS pause
  FROM flights
  WHERE tailnum IS NOT NULL
)
SELECT l.tailnum, p.manufacturer, p.model, count(*) AS flights, sum(l.distance) AS miles, max(l.pause) AS days
FROM legs l
LEFT JOIN planes p ON p.tailnum = l.tailnum
GROUP BY l.tailnum, p.manufacturer, p.model
ORDER BY flights DESC, l.tailnum
LIMIT 10
